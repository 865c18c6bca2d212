"""sample_job.py FOLDER TRUTH - the traces of a made-up job, from their raw events alone.

Collectives are matched by group and position, clocks are put right by what the truth says.
Ends agree, waits and blame are those of the truth, and what was planted is to be seen.
Prints the ranks with most blame, in order.
"""
import collections
import glob
import gzip
import json
import os
import sys

folder, truth = sys.argv[1], json.load(open(sys.argv[2]))
ranks = {r['rank']: r for r in truth['of_ranks']}
start_late = {r: p['amount'] for p in truth['planted'] for r in p['ranks'] if p['kind'] == 'late-start'}
files = {os.path.basename(f) for f in glob.glob(folder + '/*.json.gz')}
assert files == {r['file'] for r in ranks.values() if r['file']}, 'files'

# (group name, position in it) -> {rank: (start, end)} on one clock, ns
instances = collections.defaultdict(dict)
for rank, told in ranks.items():
    if not told['file']:
        continue
    with gzip.open(os.path.join(folder, told['file'])) as f:
        trace = json.load(f)
    info = trace['distributedInfo']
    assert (info['rank'], info['world_size']) == (rank, truth['ranks'])
    assert info['pg_count'] == len(info['pg_config'])
    members = {g['pg_name']: g['ranks'] for g in info['pg_config']}
    assert all(rank in m for m in members.values())
    calls = {e['args']['External id']: e['args'] for e in trace['traceEvents']
             if e.get('name') == 'record_param_comms'}
    kernels = sorted((e for e in trace['traceEvents'] if e.get('cat') == 'kernel' and 'nccl' in e['name']),
                     key=lambda e: e['ts'])
    position = collections.Counter()
    seen = truth['collectives_per_rank'] - start_late.get(rank, 0)
    assert len(kernels) == seen, (rank, len(kernels), seen)
    for e in kernels:
        told_on = e['args'] if truth['metadata'] in ('seq', 'plain') else \
            next((calls[i] for i in (e['args']['External id'] - 1,) if i in calls), {})
        if truth['metadata'] == 'none':
            assert 'Group size' not in json.dumps(e) + json.dumps(told_on)
            name = '0'
        else:
            name = told_on['Process Group Name']
            assert told_on['Group size'] == len(members[name])
        if truth['metadata'] == 'seq':
            n = told_on['Seq'] - 1
        else:
            assert 'Seq' not in told_on
            n = position[name]
            position[name] += 1
        end_us = e['ts'] + e['dur']
        clock = lambda us: round(1000 * (us - told['clock_ahead_us']))
        instances[name, n][rank] = (clock(e['ts']), clock(end_us))

drifts = any(r['drift_ppm'] for r in ranks.values())
earliest = collections.defaultdict(lambda: 1 << 62)
for by_rank in instances.values():
    for rank, (start, _) in by_rank.items():
        earliest[rank] = min(earliest[rank], start)
blame, wait = collections.Counter(), collections.Counter()
for (name, n), by_rank in instances.items():
    ends = [end for _, end in by_rank.values()]
    assert drifts or max(ends) - min(ends) <= 4000, ('ends differ', name, n, max(ends) - min(ends))
    arrived = sorted((start, rank) for rank, (start, _) in by_rank.items())
    if all(start == earliest[r] for r, (start, _) in by_rank.items()):
        continue  # tells when recording began
    for i, (start, rank) in enumerate(arrived):
        wait[rank] += arrived[-1][0] - start
        if i + 1 < len(arrived):
            late = arrived[i + 1:]
            for _, other in late:
                blame[other] += (arrived[i + 1][0] - start) * (i + 1) / len(late)
if not drifts and not start_late and all(r['file'] for r in ranks.values()) and truth['metadata'] != 'none':
    for rank, told in ranks.items():
        assert abs(wait[rank] / 1000 - told['wait_us']) < 1, ('wait', rank, wait[rank] / 1000, told['wait_us'])
        assert abs(blame[rank] / 1000 - told['blame_us']) < 1, ('blame', rank)
print(' '.join(str(rank) for rank, _ in blame.most_common()))
