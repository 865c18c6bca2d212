#!/usr/bin/env python3
"""Compare two captures as the reference tool has compared them, cell by cell.

    check_compare.py PROGRAM SHARED

From tables alone, and from the traces that the tables were made of. Skips without SHARED.
A line a case; status 1 on any disagreement that allow_compare.tsv does not list.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

ALLOW = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'allow_compare.tsv')
LAST = re.compile(r'^cells (\d+) agree (\d+) .*rows missing (\d+), sheets missing (\d+), '
                  r'columns missing (\d+), allowed (\d+)$', re.M)


def cases(shared):
    """(name, tables wanted, reference, candidate, label of each)"""
    traces = os.path.join(shared, 'traces')
    for name in ('qwen-0.5b', 'bert-small'):
        want = f'{traces}/reference/{name}-compare'
        if os.path.isdir(want):
            yield (f'{name}, folders', want, f'{traces}/reference/{name}-mi300',
                   f'{traces}/reference/{name}-h100', 'mi300', 'h100')
            yield (f'{name}, traces', want, f'{traces}/{name}-mi300.json.gz',
                   f'{traces}/{name}-h100.json.gz', 'mi300', 'h100')
    for folder in sorted(glob.glob(f'{traces}/report-folders/*')):
        want, = glob.glob(f'{folder}/reference/*')
        a, = glob.glob(f'{folder}/256thread/*')
        b, = glob.glob(f'{folder}/512thread/*')
        yield os.path.basename(folder), want, a, b, '256thread', '512thread'


def linked_only(program):
    """The option that leaves out unlinked work, as the reference does, where there is one."""
    said = subprocess.run([program, 'help'], capture_output=True, text=True, check=True).stdout
    return ['--exclude-unlinked'] if '--exclude-unlinked' in said else []


def check(program, shared, case):
    """(agrees, cells, what to print when it does not)"""
    _, want, a, b, label_a, label_b = case
    with tempfile.TemporaryDirectory() as out:
        run = subprocess.run([program, 'compare', a, b, '-o', out, '--formats', 'csv', '-q', '-f',
                              '--label-ref', label_a, '--label-cand', label_b,
                              *linked_only(program)],
                             capture_output=True, text=True, timeout=300)
        if run.returncode:
            return False, 0, f'compare: status {run.returncode}: {run.stderr.strip()}'
        tool = subprocess.run([sys.executable, os.path.join(shared, 'tools/compare_tables.py'),
                               want, os.path.join(out, 'compare_csvs'),
                               *(['--allow', ALLOW] if os.path.isfile(a) else [])],
                              capture_output=True, text=True, timeout=600)
    last = LAST.search(tool.stdout)
    if not last:
        return False, 0, tool.stdout + tool.stderr
    cells, agreed, rows, sheets, columns, _ = map(int, last.groups())
    return cells > 0 and cells == agreed and rows == sheets == columns == 0, cells, tool.stdout


def main():
    program, shared = sys.argv[1:]
    found = list(cases(shared))
    if not found:
        print(f'check-compare: skipped, {shared} has no comparisons')
        print('0 passed, 0 failed, 1 skipped')
        return 0
    failed = 0
    for case in found:
        agrees, cells, text = check(program, shared, case)
        failed += not agrees
        print(f'{"ok" if agrees else "not ok"} - {case[0]}: {cells} cells', flush=True)
        if not agrees:
            print('\n'.join('    ' + line[:300] for line in text.splitlines()))
    print(f'{len(found) - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
