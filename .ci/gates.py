#!/usr/bin/env python3
"""Two gates that no source goes around: what is printed, and what others may have put in a folder.

    gates.py    TAP on standard output

base/terminal.h makes names visible before they reach a terminal or the log of a build;
base/plain_file.h opens files of others without waiting in a pipe. Tests print as they like.
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
COMMENT = re.compile(r'/\*.*?\*/', re.S)
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"')
PRINTS = re.compile(
    r'\b(?:v?f?printf|v?dprintf|f?puts|f?putc|putchar|putw?char|fwrite|perror|psignal|'
    r'errx?|warnx?|error)(?:_unlocked)?\s*\(|\bwrite(?:_all)?\(\s*[012]\s*,|\bSTD(?:OUT|ERR)_FILENO\b')
RAW = re.compile(r'\bterminal_raw\s*\(')
OPENS = re.compile(r'\b(?:fopen|freopen|open(?:at)?|creat|mmap)(?:64)?\s*\(((?:[^();]|\([^()]*\))*)\)')
# Who writes into files, or a constant where nothing else can be said any more.
PRINTERS = {'src/base/terminal.c': 'the gate', 'src/base/write_all.c': 'bytes to files',
            'src/base/arena.c': 'out of memory: a constant'}
# What they print is ours, or escaped as their host needs it.
RAW_PRINTERS = {'src/base/terminal.c', 'src/commands/help_text.c', 'src/commands/progress.c', 'src/ci/ci_run.c',
                'src/commands/tree_command.c', 'src/export/json_text.c',  # JSON
                'src/render/folder/tar_write.c'}  # files of this run, not to a terminal
# Reading: the gate, the system's own files, and what this run has just written.
READERS = {'src/base/plain_file.c': 'the gate', 'src/base/arena.c': '/proc and /sys',
           'src/runs/run_lock.c': '/proc', 'src/base/memory_limit.c': '/proc', 'src/render/folder/build_mark.c': '/proc',
           'src/render/page/single_file.c': 'packages of this run'}
WRITES = re.compile(r'O_WRONLY|O_RDWR|O_DIRECTORY|\bFOLDER\b|\bhow\b|"[wa]b?"')


def sources():
    for folder, _, names in sorted(os.walk(os.path.join(ROOT, 'src'))):
        for name in sorted(names):
            if name.endswith(('.c', '.h')) and not name.endswith(('_test.c', '_case.h')):
                path = os.path.join(folder, name)
                with open(path, encoding='utf-8') as f:
                    yield os.path.relpath(path, ROOT), f.read()


def code_of(text):
    """The text with comments blank, and without what a literal says; modes of fopen stay."""
    text = COMMENT.sub(lambda m: re.sub(r'[^\n]', ' ', m.group()), text)
    return LITERAL.sub(lambda m: m.group() if len(m.group()) <= 4 else '""', text)


def around(path, text):
    """(where, what) of each call that goes around a gate."""
    def at(m):
        return code.count('\n', 0, m.start()) + 1
    code = code_of(text)
    for m in PRINTS.finditer(code):
        if path not in PRINTERS:
            yield at(m), f'{m.group().rstrip("( ")}: print through base/terminal.h'
    for m in RAW.finditer(code):
        if path not in RAW_PRINTERS and not path.endswith('terminal.h'):
            yield at(m), 'terminal_raw: only for what is ours'
    for m in OPENS.finditer(code):
        if path not in READERS and not WRITES.search(m.group(1)):
            yield at(m), f'{m.group().split("(")[0]}: read through base/plain_file.h'


def main():
    odd = [f'not ok - {path}:{line}: {what}'
           for path, text in sources() for line, what in around(path, text)]
    planted = 'void f(void)\n{\n    puts(name);\n    terminal_raw(stdout, s);\n    int fd = open(path, O_RDONLY);\n}\n'
    if len(list(around('src/x.c', planted))) != 3:
        odd.append('not ok - the check finds what is planted')
    print('\n'.join(odd) or 'ok - everything printed and everything read of others goes through its gate')
    return bool(odd)


if __name__ == '__main__':
    sys.exit(main())
