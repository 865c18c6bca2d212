"""The tree stage of a comparison, against the reference's alignment of the same two call trees.

The reference pairs calls: a row per device event under the lowest common ancestor of both sides.
Ours sums the calls of one path, so the pairs are summed by the path that the raw trace records
around their launch: 61 pairs of bert-small make 23 rows of ours. Nothing else differs, so nothing
is allowed.
"""
import collections
import csv
import gzip
import json
import os
import re
import subprocess
import tempfile

MODULE = 'nn.Module: '
DEVICE = ('kernel', 'gpu_memcpy', 'gpu_memset')
LAUNCH = ('cuda_runtime', 'cuda_driver')
# A pair: its ancestor's name, the operator and shapes that the tables name it by, and of both
# sides the path of modules and operators and the time.
Pair = collections.namedtuple('Pair', 'ancestor name dims paths ns')


def read_table(path):
    with open(path, encoding='utf-8', newline='') as f:
        return list(csv.DictReader(f))


def read_trace(path):
    with gzip.open(path, 'rt', encoding='utf-8') as f:
        return json.load(f)


def device_work(trace):
    """(kernel, ns, path) in device order; modules without their number."""
    events = [e for e in trace['traceEvents'] if e.get('ph') == 'X']
    launches = {e['args']['correlation']: e for e in events
                if e.get('cat') in LAUNCH and 'correlation' in e.get('args', {})}
    told = sorted((e for e in events if e.get('cat') == 'cpu_op' or
                   e.get('cat') == 'python_function' and e['name'].startswith(MODULE)),
                  key=lambda e: (e['ts'], -e['dur']))
    work = []
    for e in sorted((e for e in events if e.get('cat') in DEVICE), key=lambda e: e['ts']):
        at = launches[e['args']['correlation']]
        path = [re.sub(r'_\d+$', '', o['name'].removeprefix(MODULE)) for o in told
                if o['tid'] == at['tid'] and
                o['ts'] <= at['ts'] and at['ts'] + at['dur'] <= o['ts'] + o['dur']]
        work.append((e['name'], round(e['dur'] * 1e3), tuple(path)))
    return work


def pairs_of(folder, traces):
    """The reference's pairs, each found again in the raw traces by its place on the device."""
    of_ancestor = {int(i): (row['name'], row['Input Dims'])
                   for row in read_table(f'{folder}/unified_perf_summary.csv')
                   for i in row['lca_id'].split(';')}
    events = collections.defaultdict(dict)
    for row in read_table(f'{folder}/diff_stats.csv'):
        if row['source'] in events[int(row['lowest_common_ancestor_id'])]:
            raise ValueError(f'{row["lowest_common_ancestor_id"]} is not a pair of one event a side')
        events[int(row['lowest_common_ancestor_id'])][row['source']] = row
    work = [device_work(t) for t in traces]
    if not len(events) == len(work[0]) == len(work[1]):
        raise ValueError(f'{len(events)} pairs, {[len(w) for w in work]} events')
    pairs = []
    for i, ancestor in enumerate(sorted(events)):
        rows = [events[ancestor][f'trace{side}'] for side in (1, 2)]
        for side, row in enumerate(rows):
            kernel, ns, path = work[side][i]
            if (row['name'], round(float(row['kernel_time']) * 1e3)) != (kernel, ns) or \
                    {row['cpu_op_name'], row['lowest_common_ancestor_name']} != {path[-1]}:
                raise ValueError(f'pair {ancestor}: {row} is not {work[side][i]}')
        pairs.append(Pair(rows[0]['lowest_common_ancestor_name'], *of_ancestor[ancestor],
                          [w[i][2] for w in work], [w[i][1] for w in work]))
    return pairs


def summed(keys_and_pairs):
    """(name, calls and ns of both sides) of each key, whose first part is the name."""
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for key, pair in keys_and_pairs:
        for i, add in enumerate((1, *pair.ns)):
            sums[key][i] += add
    return collections.Counter((key[0], n, n, *ns) for key, (n, *ns) in sums.items())


def up_to(path, name):
    """The path of an operator that is on one, the work below it left out."""
    return path[:path.index(name) + 1]


def compared(program, a, b):
    """What of both sides ours joins, and at which levels."""
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([program, 'compare', a, b, '-o', out, '--formats', 'csv', '-q', '-f', '-p',
                        'none'], check=True, timeout=300)
        rows = read_table(f'{out}/compare_csvs/compare_rows.csv')
    columns = ('kernels_reference', 'kernels_candidate', 'total_reference_ns',
               'total_candidate_ns')
    return (collections.Counter((r['name'], *(int(r[c]) for c in columns)) for r in rows),
            {r['level'] for r in rows})


def without_arguments(trace):
    """Calls that tell nothing of their tensors: only the tree can say what they belong to."""
    for e in trace['traceEvents']:
        if e.get('cat') == 'cpu_op':
            e['args'] = {k: v for k, v in e.get('args', {}).items()
                         if not k.startswith(('Input', 'Concrete'))}


def wrapped(trace):
    """The same, and each layer in one more module, which changes no row."""
    without_arguments(trace)
    trace['traceEvents'] += [{**e, 'name': f'{MODULE}Wrapper_0', 'ts': e['ts'] - 0.001,
                              'dur': e['dur'] + 0.002, 'args': {}}
                             for e in trace['traceEvents']
                             if e.get('name', '').startswith(f'{MODULE}BertLayer_')]


def renamed(trace, names):
    """Operators that do the work by another name: the lowest common ancestor is what is around."""
    for e in trace['traceEvents']:
        if e.get('cat') == 'cpu_op' and e['name'] in names:
            e['name'] = 'other::' + e['name']


def other_paths(pair, names):
    """Those of a pair whose candidate is renamed."""
    return [pair.paths[0], tuple('other::' + n if n in names else n for n in pair.paths[1])]


def tree_stage(program, traces):
    """(agrees, what to print): rows, ancestors and times, by arguments, by name, by ancestor."""
    a, b = (f'{traces}/bert-small-{gpu}.json.gz' for gpu in ('mi300', 'h100'))
    try:
        pairs = pairs_of(f'{traces}/reference/bert-small-tracediff', [read_trace(a), read_trace(b)])
    except (KeyError, ValueError) as e:
        return False, f'the reference is not the raw trace: {e!r}'
    worked = {p.name for p in pairs} | {p.ancestor for p in pairs}
    # What changes in the candidate's trace, the level that then joins it, and the key of a row.
    cases = (('arguments', lambda t: None, 'L0',
              lambda p: (p.name, p.dims, up_to(p.paths[0], p.name))),
             ('names', without_arguments, 'L4', lambda p: (p.name, up_to(p.paths[0], p.name))),
             ('names in wrappers', wrapped, 'L4', lambda p: (p.name, up_to(p.paths[0], p.name))),
             ('ancestors', lambda t: renamed(t, worked), 'T',
              lambda p: os.path.commonprefix(other_paths(p, worked))[::-1]))
    with tempfile.TemporaryDirectory() as folder:
        for case, change, level, key in cases:
            trace = read_trace(b)
            change(trace)
            with open(f'{folder}/{case}.json', 'w', encoding='utf-8') as f:
                json.dump(trace, f)
            want = summed((key(p), p) for p in pairs)
            got, levels = compared(program, a, f'{folder}/{case}.json')
            if got != want or levels != {level}:
                return False, (f'by {case}, {levels}: only ours {sorted((got - want).elements())}, '
                               f'only theirs {sorted((want - got).elements())}')
    return True, ''
