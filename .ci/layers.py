#!/usr/bin/env python3
"""The one-way order of the folders of src, and what stands in them, kept in src/README.md.

    layers.py            redraw both; status 1 if an include goes against the order
    layers.py --check    the same as a test that changes nothing and says TAP lines

The contents are the first sentence of each module's header.
"""
import os
import re
import sys
import textwrap

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'src')
README = os.path.join(ROOT, 'README.md')

# What each folder may include besides itself; the picture of src/README.md, in words.
# Every other folder knows nothing of perf, which knows nothing but base.
ORDER = ['base', 'trace', 'store', 'tree', 'timeline', 'ops', 'analysis', 'advice', 'report',
         'render', 'main']
MAY = {folder: set(ORDER[:i]) for i, folder in enumerate(ORDER)}
MAY['perf'] = {'base'}
for later in ORDER[ORDER.index('ops'):]:
    MAY[later].add('perf')
MAY['render'] = {'base', 'report'}  # the narrow waist: no writer sees an event
LEFT_TO_RIGHT = [*ORDER[:5], 'perf', *ORDER[5:]]

PICTURE = '''\
base -> trace -> store -> tree -> timeline -+
  |                                         +-> ops -> analysis -> advice -> report -> render -> main
  +---> perf -------------------------------+
'''

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
OPENING = re.compile(r'/\*\s*[\w.]+\s+-\s+(.*?)(?:\.\s|\*/)', re.S)


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as f:
        return f.read()


def sources():
    for folder, _, files in sorted(os.walk(ROOT)):
        for name in sorted(files):
            if name.endswith(('.c', '.h', '.S')):
                yield os.path.relpath(os.path.join(folder, name), ROOT)


def folder_of(path):
    return path.split('/')[0] if '/' in path else 'main'


def uses_and_faults():
    """{folder: the folders it includes}, and one line for each fault."""
    uses, faults = {}, []
    for path in sources():
        here = folder_of(path)
        if here not in MAY:
            faults.append(f'src/{path}: the folder {here} is not in the order')
            continue
        uses.setdefault(here, set())
        for target in INCLUDE.findall(read(path)):
            if '/' not in target:  # a file of src itself, or a test's source beside it
                if here != 'main' and not path.endswith('_test.c'):
                    faults.append(f'src/{path}: "{target}" is to be spelled from src/')
                continue
            there = folder_of(target)
            if there == here:
                continue
            if there not in MAY[here]:
                faults.append(f'src/{path}: includes "{target}", against the order')
            if not path.endswith('_test.c'):
                uses[here].add(there)
    return uses, faults


def drawn_layers(uses):
    lines = [PICTURE, 'folder     includes']
    for folder in LEFT_TO_RIGHT:
        if folder in uses:
            named = sorted(uses[folder], key=LEFT_TO_RIGHT.index)
            lines.append(f'{folder:<10} ' + (' '.join(named) or '-'))
    return '\n'.join(lines)


def drawn_contents():
    """Every module by folder, with the first sentence of its header (or, without, source).

    A source without either is a part of the module that it is named after."""
    modules = {}
    for path in sources():
        stem = os.path.splitext(path)[0]
        if not stem.endswith('_test') and (path.endswith('.h') or stem not in modules):
            opening = OPENING.match(read(path))
            if opening:
                modules[stem] = ' '.join(opening.group(1).replace('\n *', ' ').split())
    lines = []
    for folder in LEFT_TO_RIGHT:
        mine = sorted(stem for stem in modules if folder_of(stem) == folder)
        if mine:
            lines.append(f'src/{folder}/' if folder != 'main' else 'src/')
        for stem in mine:
            lines += textwrap.wrap(f'  {os.path.basename(stem):<18} {modules[stem]}', 96,
                                   subsequent_indent=' ' * 21)
    return '\n'.join(lines)


def redraw(uses):
    """The text of src/README.md as it is, and with new drawings."""
    old = new = read('README.md')
    for name, text in (('layers', drawn_layers(uses)), ('contents', drawn_contents())):
        begin, end = f'<!-- {name}: drawn by `make layers` -->', f'<!-- end of {name} -->'
        head, _, rest = new.partition(begin)
        _, found, tail = rest.partition(end)
        if not found:
            sys.exit(f'src/README.md: no place for the drawing: put in "{begin}" and "{end}"')
        new = f'{head}{begin}\n```\n{text}\n```\n{end}{tail}'
    return old, new


def main():
    check = '--check' in sys.argv[1:]
    uses, faults = uses_and_faults()
    for fault in faults:
        print(('not ok - ' if check else '') + fault)
    if check:
        if not faults:
            print('ok - every include goes one way')
        return bool(faults)
    old, new = redraw({folder: uses[folder] for folder in uses if folder in MAY})
    if old != new:
        with open(README, 'w', encoding='utf-8') as f:
            f.write(new)
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
