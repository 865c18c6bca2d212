#!/usr/bin/env python3
"""Jobs of many ranks: tables of the reference, cell by cell, and figures in whole nanoseconds.

    check_job.py PROGRAM SHARED [REPLAY]

Skips without SHARED. REPLAY is the replay of ranks as a program of its own (tests/job_replay):
timelines that are not traces are turned into its nodes, for the slow-downs that their authors
publish. A line a case; status 1 on any disagreement.
"""
import csv
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

GRID_NS = 256  # of the clock readings that some figures were made from


class Cases:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, faults):
        faults = list(faults)
        print(('not ok - ' if faults else 'ok - ') + name)
        for fault in faults[:10]:
            print('#  ', fault)
        self.failed += bool(faults)
        self.passed += not faults


def job(program, inputs, out, *options):
    subprocess.run([program, 'job', *inputs, '-o', out, '-q', '--force', *options], check=True,
                   timeout=300)
    with open(f'{out}/job.json', encoding='utf-8') as f:
        return json.load(f)


def rows(out, name):
    with open(f'{out}/job_csvs/{name}.csv', encoding='utf-8', newline='') as f:
        return list(csv.DictReader(f))


def differ(name, got, want, within=0):
    """Figures in ns."""
    if abs(got - want) > within:
        yield f'{name}: {got}, not {want}'


def ns(ms):
    return ms * 1e6


def vectors(j, out, want):
    """With the first collective, as the file counts."""
    yield from differ('ranks', j['ranks_present'], want['ranks'])
    yield from differ('wait', j['wait_ns'], ns(want['total_wait_ms']), .6)
    yield from differ('run', j['run_ns'], ns(want['T_ms']), .6)
    w = j['what_if']
    yield from differ('ideal', w['no_late_ranks_ns'], ns(want['T_ideal_ms']), 2 * GRID_NS)
    yield from differ('slowdown', 1e9 * w['slowdown'], 1e9 * want['slowdown'], 1e5)
    curve = [(None, w['recorded_ns'])] + [(m['rank'], m['total_ns']) for m in w['fixed_in_turn']]
    for (rank, total), (who, ms) in zip(curve, want['cumulative'], strict=True):
        yield from differ(f'fixed {who}', total, ns(ms), 2 * GRID_NS)
        if rank != who:
            yield f'fixed: rank {rank}, not {who}'
    for r, s, b, x, late, offset, iqr in zip(
            j['ranks'], want['straggler'], want['balance'], want['whatif'], want['cause'],
            want['clock_offset_us'], want['clock_iqr_us'], strict=True):
        at = f'rank {r["rank"]} '
        yield from differ(at + 'blame', r['blame_ns'], ns(s['blame_ms']), 1)
        yield from differ(at + 'waited', r['waited_ns'], ns(s['waited_ms']), .6)
        yield from differ(at + 'marginal', r['marginal_ns'], ns(s['marginal_ms']), .6)
        yield from differ(at + 'times last', r['times_last'], s['times_last'])
        yield from differ(at + 'blame share', 1e9 * r['blame_share'], 1e9 * s['blame_share'], 1)
        yield from differ(at + 'resamples on top', 100 * r['top_frac'], 100 * s['boot_top'], 3)
        for key in ('compute', 'transfer', 'wait', 'copy', 'idle', 'busy'):
            yield from differ(at + key, r['balance'][key + '_ns'], ns(b[key + '_ms']), .6)
        yield from differ(at + 'window', r['balance']['window_ns'], ns(b['span_ms']), .6)
        yield from differ(at + 'kernels', r['balance']['kernel_ns'], ns(b['sum_kernel_ms']), .6)
        yield from differ(at + 'save', r['save_ns'], ns(x['save_ms']), 2 * GRID_NS)
        yield from differ(at + 'add', r['add_ns'], ns(x['add_ms']), 8 * GRID_NS)
        yield from differ(at + 'offset', r['clock_offset_ns'], 1000 * offset, GRID_NS)
        yield from differ(at + 'spread', r['clock_spread_ns'], 1000 * iqr, GRID_NS)
        # The file takes a mean as the middle of even numbers; we, a rank.
        yield from differ(at + 'late before', r['lateness']['instances'] >= late['n'] - 1, True)
    yield from differ('imbalance', 1e9 * (1 + j['compute_imbalance_frac']),
                      1e9 * want['imbalance']['max_over_mean'], 1)
    yield from differ('violations', j['clock_violations'], want['causality_violations'])
    for got, c in zip(rows(out, 'job_collectives'), want['coll'], strict=True):
        at = f'collective {c["i"]} '
        if got['kind'] != c['kind'] or int(got['bytes']) != c['bytes']:
            yield at + f'{got["kind"]} of {got["bytes"]}'
        for key, us in (('transfer_ns', 'transfer_min_us'), ('end_ns', 'transfer_end_us'),
                        ('skew_ns', 'skew_us'), ('wait_ns', 'wait_sum_us')):
            yield from differ(at + key, int(got[key]), 1000 * c[us])
        yield from differ(at + 'last', int(got['last_rank']), c['last'])
    free = sum(c['wait_dur_sum_us'] for c in want['coll'])
    yield from differ('wait without clocks', j['wait_without_clocks_ns'], 1000 * free)
    speeds = {(b['kind'], b['bytes']): b for b in j['bandwidth']}
    for b in want['bandwidth']:
        got = speeds[b['kind'], b['bytes']]
        yield from differ('transfer', got['transfer_ns'], 1000 * b['transfer_median_us'])
        yield from differ('count', got['count'], b['n'])
        for key, gb in (('algorithm_gb_per_s', 'algbw_GBps'), ('bus_gb_per_s', 'busbw_GBps')):
            yield from differ(key, 1e9 * got[key], 1e9 * b[gb], 1)
    if any(g['matching'] != 'verified' for g in j['groups']):
        yield 'matching is not verified'


def later_vectors(j, want):
    """Without it, as reports count."""
    yield from differ('wait', j['wait_ns'], ns(want['total_wait_ms_without_first']), .6)
    if j['late_ranks'] != [7, 5, 4]:  # those on top in 95 % of resamples, and who costs as much without them
        yield f'late ranks: {j["late_ranks"]}'
    for r, blame, last, late in zip(j['ranks'], want['blame_ms'], want['times_last'],
                                    want['lateness'], strict=True):
        at = f'rank {r["rank"]} '
        got = r['lateness']
        yield from differ(at + 'blame', r['blame_ns'], ns(blame), 1)
        yield from differ(at + 'times last', r['times_last'], last)
        yield from differ(at + 'late', got['late_ns'], late['late'])
        yield from differ(at + 'late before', got['instances'], late['n'])
        for key in ('compute', 'copy', 'idle'):
            yield from differ(at + key, got[key + '_ns'], late[key])


def sums(j):
    """What must add up, to the nanosecond."""
    yield from differ('blame and waiting', sum(r['blame_ns'] for r in j['ranks']), j['wait_ns'])
    yield from differ('waited', sum(r['waited_ns'] for r in j['ranks']), j['wait_ns'])
    for r in j['ranks']:
        late, b = r['lateness'], r['balance']
        parts = sum(late[k] for k in ('compute_ns', 'copy_ns', 'other_communication_ns', 'idle_ns'))
        yield from differ(f'lateness of rank {r["rank"]}', parts, late['late_ns'])
        parts = sum(b[k] for k in ('compute_ns', 'transfer_ns', 'wait_ns', 'copy_ns', 'idle_ns'))
        yield from differ(f'window of rank {r["rank"]}', parts, b['window_ns'])


def tables(shared, out, reference):
    tool = subprocess.run([sys.executable, f'{shared}/tools/compare_tables.py', reference,
                           f'{out}/job_csvs'], capture_output=True, text=True, timeout=300)
    last = re.search(r'^cells (\d+) agree (\d+) .*rows missing (\d+), sheets missing (\d+), '
                     r'columns missing (\d+)', tool.stdout, re.M)
    if not last:
        yield tool.stdout + tool.stderr
        return
    cells, agreed, *missing = map(int, last.groups())
    if not cells or cells != agreed or any(missing):
        yield tool.stdout


def same_folders(a, b):
    """MANIFEST.txt holds the digest of every file."""
    with open(f'{a}/MANIFEST.txt', encoding='utf-8') as f, \
            open(f'{b}/MANIFEST.txt', encoding='utf-8') as g:
        if f.read() != g.read():
            yield 'files differ'


def published(replay, folder):
    """Slow-downs of a pipeline by its authors' timeline and ours."""
    name = os.path.basename(folder).split('-')[1]
    with open(f'{folder}/result-{name}.json', encoding='utf-8') as f:
        want = json.load(f)
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import straggler_timeline
    got = straggler_timeline.slowdowns(replay, f'{folder}/timeline-{name}.json.gz')
    for key, value, told in straggler_timeline.pairs(got, want):
        off = abs(value / told - 1)
        print(f'#   {name} {key}: {value:.4f}, published {told:.4f} ({100 * off:.2f} %)')
        if off > .003:
            yield f'{key}: {value:.4f}, published {told:.4f}'


def main():
    program, shared = sys.argv[1:3]
    traces = sorted(glob.glob(f'{shared}/traces/dlrm8-v100-r*.json.gz'))
    cases = Cases()
    if not traces:
        print(f'# {shared}/traces is not here: nothing to compare with')
        print('0 passed, 0 failed, 1 skipped')
        return 0
    spec = f'{shared}/spec/job-vectors-dlrm8'
    with tempfile.TemporaryDirectory() as tmp:
        first = job(program, traces, f'{tmp}/first', '--count-start')
        j = job(program, traces, f'{tmp}/site')
        with open(f'{spec}.json', encoding='utf-8') as f:
            cases.check('dlrm8: every figure with the first collective',
                        vectors(first, f'{tmp}/first', json.load(f)))
        with open(f'{spec}-nofirst.json', encoding='utf-8') as f:
            cases.check('dlrm8: every figure without it', later_vectors(j, json.load(f)))
        cases.check('dlrm8: tables of the reference',
                    tables(shared, f'{tmp}/site', f'{shared}/traces/reference/dlrm8-v100-collectives'))
        cases.check('dlrm8: sums are exact', [*sums(first), *sums(j)])
        free = job(program, traces, f'{tmp}/free', '--clock', 'none')
        named = [j['late_ranks'], free['late_ranks']]
        # 5 and 4 come late at the same time: only a replay shows what 4 costs, and that takes clocks
        cases.check('dlrm8: who costs most is named, and who is blamed most without clocks',
                    [] if named == [[7, 5, 4], [7, 5]] else [f'{named[0]} and {named[1]}'])
        turn = j['what_if']['fixed_in_turn']
        cases.check('dlrm8: those named are the first of the chart, and cost most of what late ranks do',
                    [] if sorted(t['rank'] for t in turn[:3]) == [4, 5, 7]
                    and turn[2]['total_ns'] == j['what_if']['late_ranks_fixed_ns'] else [f'{turn}'])
        fewer = job(program, traces[:7], f'{tmp}/fewer')  # the other two then cost nothing alone
        cases.check('dlrm8: two that are late are named together where rank 7 is missing',
                    [] if fewer['late_ranks'] == [5, 4] else [f'{fewer["late_ranks"]}'])
        subprocess.run([program, 'summarize', *traces, '-o', f'{tmp}/sum', '-q'], check=True)
        captures = sorted(glob.glob(f'{tmp}/sum/*.capture.json.gz'))
        with open(f'{tmp}/pack.captures.gz', 'wb') as pack:
            for path in reversed(captures):
                with open(path, 'rb') as f:
                    pack.write(f.read())
        job(program, [f'{tmp}/sum'], f'{tmp}/b')
        job(program, [f'{tmp}/pack.captures.gz'], f'{tmp}/c', '-j', '1')
        job(program, [*reversed(captures[3:]), *traces[:3]], f'{tmp}/d')
        for name, out in (('captures', 'b'), ('a pack', 'c'), ('captures and traces', 'd')):
            cases.check(f'dlrm8: the same bytes from {name}',
                        same_folders(f'{tmp}/site', f'{tmp}/{out}'))
    for folder in sorted(glob.glob(f'{shared}/ranks/stragglers-*')):
        if len(sys.argv) > 3 and os.path.isdir(folder):
            cases.check(f'{os.path.basename(folder)}: published slow-downs',
                        published(sys.argv[3], folder))
    print(f'{cases.passed} passed, {cases.failed} failed, 0 skipped')
    return 1 if cases.failed else 0


if __name__ == '__main__':
    sys.exit(main())
