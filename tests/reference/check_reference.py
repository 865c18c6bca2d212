#!/usr/bin/env python3
"""Compare our tables with the reference's, cell by cell, on every trace that has them.

    check_reference.py PROGRAM SHARED [NAME]...

SHARED/traces/reference/NAME holds the reference's tables of SHARED/traces/NAME.json.gz; a
suffix of NAME says with which option they were made. Reports of other kinds (comparisons,
collectives, inference) are left out. SHARED/evals holds small cases whose tables were made
with a platform, so with roofline columns, by a later revision of the reference and together
with its call stacks and comparison: what only those write is not asked of ours, and told.
A line a case; status 1 on any disagreement that allow.tsv does not list.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

ALLOW = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'allow.tsv')
OPTIONS = {'-unlinked': ['--include-backlog'],
           '-recompute': ['--detect-recompute', '--exclude-unlinked'],
           '': ['--exclude-unlinked']}
OTHER_REPORTS = ('-compare', '-tracediff', '-collectives', '-inference')
OTHER_SHEETS = {'diff_stats'}
OTHER_COLUMNS = {'num_kernels', 'entry_point', 'call_stack_full', 'lca_id', 'lca_name',
                 'lca_count_trace2', 'lca_total_kernel_time_trace1_us',
                 'lca_total_kernel_time_trace2_us', 'speedup (trace2/trace1)',
                 'delta_us (trace2 - trace1)'}
LAST = re.compile(r'^cells (\d+) agree (\d+) .*rows missing (\d+), sheets missing (\d+), '
                  r'columns missing (\d+), allowed (\d+)$', re.M)


def reports(shared):
    """(name, reference tables, trace, options) of the plain reports."""
    for tables in sorted(glob.glob(os.path.join(shared, 'traces/reference/*'))):
        name = os.path.basename(tables)
        if name.endswith(OTHER_REPORTS):
            continue
        for suffix, options in OPTIONS.items():
            trace = os.path.join(shared, 'traces', name.removesuffix(suffix) + '.json.gz')
            if name.endswith(suffix) and os.path.exists(trace):
                yield name, tables, trace, ['-p', 'none', *options]
                break
        else:
            sys.exit(f'{tables}: no trace of that name, and no suffix that is known')


def evals(shared):
    """The same of the small cases, all of which were given one platform."""
    for trace in sorted(glob.glob(os.path.join(shared, 'evals/*/*/trace*.json.gz'))):
        case, file = os.path.split(trace)
        which = file.removesuffix('.json.gz').removeprefix('trace')
        tables = 'perf_report_trace' + which + '_csvs' if which else 'perf_report_csvs'
        yield (os.path.relpath(trace, shared).removesuffix('.json.gz'),
               os.path.join(case, 'reference', tables), trace, ['-p', 'MI300X', '--exclude-unlinked'])


def of_others(said):
    """How many sheets and columns are missing that only other reports have."""
    sheets = set(re.findall(r'^(.*): MISSING SHEET$', said, re.M)) & OTHER_SHEETS
    lists = re.findall(r"columns missing \[(.*)\]$", said, re.M)
    return len(sheets), sum(c in OTHER_COLUMNS for text in lists
                            for c in re.findall(r"'([^']*)'", text))


def check(program, shared, tables, trace, options, others):
    """(agrees, [cells, cells agreed, cells allowed], what to print when it does not)"""
    with tempfile.TemporaryDirectory() as out:
        run = subprocess.run([program, 'analyze', trace, '-o', out, *options,
                              '--formats', 'csv', '--force', '-q'],
                             capture_output=True, text=True, timeout=300)
        if run.returncode:
            return False, [0, 0, 0], f'analyze: status {run.returncode}: {run.stderr.strip()}'
        tool = subprocess.run([sys.executable, os.path.join(shared, 'tools/compare_tables.py'),
                               tables, os.path.join(out, 'perf_report_csvs'),
                               '--allow', ALLOW],
                              capture_output=True, text=True, timeout=600)
    last = LAST.search(tool.stdout)
    if not last:
        return False, [0, 0, 0], tool.stdout + tool.stderr
    cells, agreed, rows, sheets, columns, allowed = map(int, last.groups())
    agrees = cells > 0 and cells == agreed and rows == 0 and \
        (sheets, columns) == (of_others(tool.stdout) if others else (0, 0))
    return agrees, [cells, agreed, allowed], tool.stdout


def main():
    program, shared, *wanted = sys.argv[1:]
    cases = [(*case, False) for case in reports(shared)] + \
        [(*case, True) for case in evals(shared)]
    if not cases:
        print(f'check-reference: skipped, {shared} has no reference tables')
        print('0 passed, 0 failed, 1 skipped')
        return 0
    counts, total = {True: 0, False: 0}, [0, 0, 0]
    for name, tables, trace, options, others in cases:
        if wanted and name not in wanted:
            continue
        agrees, cells, text = check(program, shared, tables, trace, options, others)
        counts[agrees] += 1
        total = [a + b for a, b in zip(total, cells)]
        print(f'{"ok" if agrees else "not ok"} - {name}: {cells[0]} cells, {cells[1]} agree, '
              f'{cells[2]} of them allowed', flush=True)
        if not agrees:
            print('\n'.join('    ' + line for line in text.splitlines()))
    print(f'all: {total[0]} cells, {total[1]} agree, {total[2]} of them allowed')
    print(f'{counts[True]} passed, {counts[False]} failed')
    return 1 if counts[False] or not counts[True] else 0


if __name__ == '__main__':
    sys.exit(main())
