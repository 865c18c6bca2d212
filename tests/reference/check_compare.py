#!/usr/bin/env python3
"""Compare two captures as the reference tool has compared them, cell by cell.

    check_compare.py PROGRAM SHARED

From tables alone, and from the traces that the tables were made of; then two call trees
aligned, and the waterfall and its parts against figures in whole nanoseconds. Skips without SHARED.
A line a case; status 1 on any disagreement that allow_compare.tsv does not list.
"""
import collections
import csv
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import tree_rows

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
        run = subprocess.run([program, 'compare', a, b, '-o', out, '-p', 'none', '--formats', 'csv', '-q', '-f',
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


def table(program, a, b, name, *options):
    """The rows of one table of a comparison."""
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([program, 'compare', a, b, '-o', out, '--formats', 'csv', '-q', '-f',
                        *options], check=True, timeout=300)
        with open(f'{out}/compare_csvs/{name}.csv', encoding='utf-8', newline='') as f:
            return list(csv.DictReader(f))


def waterfall(program, a, b, want):
    """Windows, idle time, copies and kernels of whole recordings, backlog included."""
    got = collections.defaultdict(lambda: [0, 0])
    for row in table(program, a, b, 'compare_waterfall', '--include-backlog', '--steps', 'all'):
        for side, column in enumerate(('reference_ns', 'candidate_ns')):
            got[row['kind']][side] += int(row[column])
    parts = collections.defaultdict(lambda: [0, 0])
    for name, part in want['parts'].items():
        kind = name if name in ('idle', 'copy') else 'kernels'
        parts[kind][0] += part['ref_ns']
        parts[kind][1] += part['tgt_ns']
    parts['window'] = [want['wall_ref_ns'], want['wall_tgt_ns']]
    return dict(got) == dict(parts), f'got {dict(got)}, want {dict(parts)}'


def level_two(program, a, b, want, options):
    """Kernel time by the operator's category, and why it differs."""
    columns = {'total_reference_ns': 'ref_us', 'total_candidate_ns': 'tgt_us',
               'diff_ns': 'diff_us', 'count_ns': 'count_us', 'speed_ns': 'speed_us'}
    got = collections.Counter()
    for row in table(program, a, b, 'compare_rows', *options):
        for column, word in columns.items():
            got[row['op category'], word] += int(row[column])
    bad = [(row['category'], word, got[row['category'], word], row[word])
           for row in want for word in columns.values()
           if got[row['category'], word] != round(row[word] * 1e3)]
    return not bad and bool(want), str(bad)


def sequence(program, traces):
    """Layers found in replayed graphs: periods and repeats of both, and what they explain."""
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([program, 'compare', f'{traces}/sglang-qwen3moe-mi300.json.gz',
                        f'{traces}/sglang-qwen3moe-b300.json.gz', '-o', out, '-q', '-f',
                        '--formats', 'json'], check=True, timeout=300)
        with open(f'{out}/comparison_data.json', encoding='utf-8') as f:
            data = json.load(f)
    want = {'period_ref': 16, 'period_cand': 14, 'repeats_ref': 48, 'repeats_cand': 48,
            'aligned': True}
    shares = {side: sum(data['match'][level][f'share_{side}_pct'] for level in ('L0', 'L1'))
              for side in ('ref', 'cand')}
    # 3.3 and 1.7 by operators, and two kernels whose launch calls have other names.
    agrees = data['sequence'] == want and round(shares['ref'], 1) == 3.4 and \
        round(shares['cand'], 1) == 1.7 and data['match']['G']['share_ref_pct'] > 90
    return agrees, f"{data['sequence']}, {data['match']}"


def implemented_differently(program, shared):
    """Work that is fused on one side, under the operator that both sides share."""
    want = {'test01_moe_fused_vs_unfused': ('T', 'moe_layer', 1, 4, 360000),
            'test03_attention_fused_vs_unfused': ('T', 'attention', 3, 1, -430000),
            'test05_gemm_identical_runtime_roofline': ('L1', 'aten::mm', 1, 1, 0)}
    for case, row in want.items():
        folder = f'{shared}/evals/comparative/{case}'
        got = [(r['level'], r['name'], int(r['kernels_reference']), int(r['kernels_candidate']),
                int(r['diff_ns'])) for r in table(program, f'{folder}/trace2.json.gz',
                                                  f'{folder}/trace1.json.gz', 'compare_rows')]
        if got != [row]:
            return False, f'{case}: {got}'
    return True, ''


def same_job(program, captures):
    """One job recorded twice: device work is within noise, wall time not judged, no gate fails;
    with other data loaders, idle time is what differs."""
    work, rows = ['--fail-on', 'regression>5%'], ['--fail-on', 'regression(row)>5%']
    # A row of w4b, five calls, takes 6.6 % longer per call than in w4a: beyond any floor of rows.
    for a, b, idle, gates in (('w0a', 'w0b', False, work + rows), ('w4a', 'w4b', False, work),
                              ('w0b', 'w4b', True, [])):
        with tempfile.TemporaryDirectory() as out:
            run = subprocess.run([program, 'compare', f'{captures}/{a}.json.gz',
                                  f'{captures}/{b}.json.gz', '-o', out, '-q', '-f', '--formats',
                                  'json', *gates],
                                 capture_output=True, text=True, timeout=300)
            if run.returncode:
                return False, run.stderr
            with open(f'{out}/comparison_data.json', encoding='utf-8') as f:
                data = json.load(f)
        first = data['waterfall'][0]
        wall = 100 * sum(bar['diff_ns'] for bar in data['waterfall']) / data['reference']['window_ns']
        if first['kind'] != 'idle' or (not idle and (
                data['device']['verdict'] != 'within noise floor' or
                data['wall']['verdict'] != 'too few captures to judge')) or \
                (idle and not -28.2 < wall < -18):
            return False, f"{a}, {b}: {data['device']}, {data['wall']}, {first}, {wall}"
    return True, ''


def lent_operators(program, shared):
    """Graph replays with the operators of their capture: the tables of the reference's inference
    report, but for where an operator stands in its file. Its trees of parts of an operator (MoE)
    and host times we do not make."""
    traces = f'{shared}/traces'
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([program, 'analyze', f'{traces}/vllm-piecewise-amd.json.gz',
                        '--capture-trace', f'{traces}/vllm-piecewise-amd-capture.json.gz', '-o', out,
                        '-p', 'none', '--exclude-unlinked', '--formats', 'csv', '-q', '-f'],
                       check=True, timeout=300)
        said = subprocess.run([sys.executable, f'{shared}/tools/compare_tables.py',
                               f'{traces}/reference/vllm-piecewise-amd-inference',
                               f'{out}/perf_report_csvs'],
                              capture_output=True, text=True, timeout=300).stdout
    wrong, sheet = [], ''
    for line in said.splitlines():
        if not line.startswith(' '):
            sheet = line.split(':')[0]
        elif sheet in ('ops_summary', 'gpu_timeline', 'GEMM', 'InferenceAttention_fwd', 'RMSNorm_fwd',
                       'UnaryElementwise') and ' | UID_first: ' not in line:
            wrong.append(line)
    alike = re.search(r'^ops_summary: rows 16 missing 0 extra 0; cells 128 differ 0', said, re.M)
    return bool(alike) and not wrong, '\n'.join(wrong) or said


def vectors(program, shared):
    """(name, agrees, what to print) of what is not a table of the reference's comparisons"""
    file, traces = f'{shared}/spec/compare-vectors.json', f'{shared}/traces'
    if os.path.isdir(f'{traces}/reference/bert-small-tracediff'):
        yield 'call trees of bert-small', *tree_rows.tree_stage(program, traces)
    if not os.path.exists(file):
        return
    with open(file, encoding='utf-8') as f:
        want = json.load(f)
    if os.path.isdir(f'{shared}/evals/comparative'):
        yield 'implemented differently', *implemented_differently(program, shared)
    yield 'operators lent to graph replays', *lent_operators(program, shared)
    yield 'layers of sglang-qwen3moe', *sequence(program, traces)
    yield 'one job recorded twice', *same_job(program, f'{traces}/rn50-captures')
    for pair, figures in want['waterfall'].items():
        a, b = (f'{traces}/{name}' for name in pair.split(' -> '))
        yield f'waterfall of {pair}', *waterfall(program, a, b, figures)
    for pair, figures in want['level2'].items():
        a, b = (level_two_trace(traces, name) for name in pair.split(' -> '))
        options = ['--steps', 'all'] if 'rn50' in pair else linked_only(program)
        yield f'classes of {pair}', *level_two(program, a, b, figures, options)


def level_two_trace(traces, name):
    if name.startswith('rn50-'):
        return f'{traces}/rn50-captures/{name.removeprefix("rn50-")}.json.gz'
    return f'{traces}/{name.replace("qwen-", "qwen-0.5b-")}.json.gz'


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
    done = len(found)
    for name, agrees, text in vectors(program, shared):
        done += 1
        failed += not agrees
        print(f'{"ok" if agrees else "not ok"} - {name}' + ('' if agrees else f'\n    {text}'),
              flush=True)
    print(f'{done - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
