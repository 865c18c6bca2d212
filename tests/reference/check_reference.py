#!/usr/bin/env python3
"""Compare our tables with the reference's, cell by cell, on every trace that has them.

    check_reference.py PROGRAM SHARED [FOLDER]...

SHARED/traces/reference/NAME holds the reference's tables of SHARED/traces/NAME.json.gz; a
suffix of NAME says with which option they were made. Reports of other kinds (comparisons,
collectives, inference) are left out. A line a folder; status 1 on any disagreement that
allow.tsv does not list. No platform is given, so no roofline columns are written.
"""
import os
import re
import subprocess
import sys
import tempfile

ALLOW = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'allow.tsv')
OPTIONS = {'': [], '-unlinked': ['--include-unlinked'], '-recompute': ['--detect-recompute']}
OTHER_REPORTS = ('-compare', '-tracediff', '-collectives', '-inference')
LAST = re.compile(r'^cells (\d+) agree (\d+) .*allowed (\d+)$', re.M)


def case_of(folder, traces):
    """The trace and the options that `folder` was made with, or None for other reports."""
    if folder.endswith(OTHER_REPORTS):
        return None
    for suffix in ('-unlinked', '-recompute', ''):
        trace = os.path.join(traces, folder.removesuffix(suffix) + '.json.gz')
        if folder.endswith(suffix) and os.path.exists(trace):
            return trace, OPTIONS[suffix]
    sys.exit(f'{folder}: no trace of that name in {traces}, and no suffix that is known')


def check(program, shared, folder, trace, options):
    """(agrees, cells, cells agreed, cells allowed, what to print)"""
    with tempfile.TemporaryDirectory() as out:
        run = subprocess.run([program, 'analyze', trace, '-o', out, '--platform', 'none',
                              '--formats', 'csv', '--force', '-q', *options],
                             capture_output=True, text=True, timeout=300)
        if run.returncode:
            return False, 0, 0, 0, f'analyze: status {run.returncode}: {run.stderr.strip()}'
        tool = subprocess.run([sys.executable, os.path.join(shared, 'tools/compare_tables.py'),
                               os.path.join(shared, 'traces/reference', folder),
                               os.path.join(out, 'perf_report_csvs'), '--allow', ALLOW],
                              capture_output=True, text=True, timeout=600)
    last = LAST.search(tool.stdout)
    cells = [int(n) for n in last.groups()] if last else [0, 0, 0]
    return tool.returncode == 0 and cells[0] > 0, *cells, tool.stdout + tool.stderr


def main():
    program, shared, *wanted = sys.argv[1:]
    tables, traces = os.path.join(shared, 'traces/reference'), os.path.join(shared, 'traces')
    if not os.path.isdir(tables):
        print(f'check-reference: skipped, {tables} is not there')
        print('0 passed, 0 failed, 1 skipped')
        return 0
    counts, total = {True: 0, False: 0}, [0, 0, 0]
    for folder in sorted(wanted or os.listdir(tables)):
        case = case_of(folder, traces)
        if not case:
            continue
        agrees, cells, agreed, allowed, text = check(program, shared, folder, *case)
        counts[agrees] += 1
        total = [a + b for a, b in zip(total, (cells, agreed, allowed))]
        print(f'{"ok" if agrees else "not ok"} - {folder}: {cells} cells, {agreed} agree, '
              f'{allowed} of them allowed')
        if not agrees:
            print('\n'.join('    ' + line for line in text.splitlines()))
    print(f'all: {total[0]} cells, {total[1]} agree, {total[2]} of them allowed')
    print(f'{counts[True]} passed, {counts[False]} failed')
    return 1 if counts[False] or not counts[True] else 0


if __name__ == '__main__':
    sys.exit(main())
