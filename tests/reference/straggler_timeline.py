"""Timelines of pipelined jobs as published with their slow-downs, as nodes of the replay.

Computing is what the authors idealise: the mean of all that is called the same; transfers take
their median. Delays of launches are taken out, as theirs are.
"""
import bisect
import collections
import gzip
import json
import statistics
import subprocess

TOLERANCE_US = 1000  # the timeline's own grain


def events_of(path):
    with gzip.open(path, 'rt', encoding='utf-8') as f:
        timeline = json.load(f)
    lanes = {(e['pid'], e['tid']): e['args']['name'] for e in timeline
             if e['ph'] == 'M' and e['name'] == 'thread_name'}
    steps = collections.defaultdict(list)
    for e in timeline:
        if 'cat' not in e:
            continue
        stage, tensor, lane = lanes[e['pid'], e['tid']].split(', ')
        where = (e['pid'], int(stage.split()[-1]), int(tensor.split()[-1]))
        steps[e['args']['step']].append((e['ts'], e['dur'], e['name'], where, lane, e['args']))
    return {step: sorted(events, key=lambda e: (e[0], e[0] + e[1])) for step, events in steps.items()}


def instance_of(name, where, args):
    """What all members of one communication share; None: computing."""
    replica, stage, _ = where
    at = (args['step'], args['seq_id'])
    return {'forward-send': ('forward', replica, stage, *at),
            'forward-recv': ('forward', replica, stage - 1, *at),
            'backward-send': ('backward', replica, stage - 1, *at),
            'backward-recv': ('backward', replica, stage, *at),
            'params-all-gather': (name, stage, *at, args['model_chunk']),
            'grads-reduce-scatter': (name, stage, *at, args['model_chunk']),
            'embedding-grads-all-reduce': (name, replica, args['step']),
            'layernorm-grads-all-reduce': (name, where, args['step'])}.get(name)


def befores(events):
    """The event before each on its lane, and the one that ended last before it on its rank."""
    of_rank = collections.defaultdict(list)
    for i, e in enumerate(events):
        of_rank[e[3]].append(i)
    before = [(-1, -1)] * len(events)
    for mine in of_rank.values():
        last, ended = {}, []
        for i in mine:
            start, dur = events[i][:2]
            k = bisect.bisect_right(ended, (start + TOLERANCE_US, len(events)))
            before[i] = (last.get(events[i][4], -1), ended[k - 1][1] if k else -1)
            last[events[i][4]] = i
            bisect.insort(ended, (start + dur, i))
    return before


def instances(events):
    members = collections.defaultdict(list)
    for i, (_, _, name, where, _, args) in enumerate(events):
        key = instance_of(name, where, args)
        if key:
            members[key].append(i)
    return list(members.values())


def transfers(events, groups):
    tail = {}
    for members in groups:
        last = max(events[i][0] for i in members)
        for i in members:
            tail[i] = max(0, sum(events[i][:2]) - last)
    return tail


def slowdowns(replay, path):
    """{'all': T / T ideal, ('stage', n): ..., ('replica', n): ...}"""
    steps = events_of(path)
    of_name, data = collections.defaultdict(list), []
    for events in steps.values():
        groups = instances(events)
        tail = transfers(events, groups)
        data.append((events, groups, tail))
        for i, e in enumerate(events):
            of_name[e[2]].append(tail.get(i, e[1]))
    mean = {name: sum(v) / len(v) for name, v in of_name.items()}
    median = {name: statistics.median(v) for name, v in of_name.items()}
    total = collections.Counter()
    for events, groups, tail in data:
        ranks = {where: k for k, where in enumerate(sorted({e[3] for e in events}))}
        group_of = {i: k for k, members in enumerate(groups) for i in members}
        before = befores(events)
        cases = {'recorded': None, 'ideal': []}
        for part, at in (('stage', 1), ('replica', 0)):
            for n in sorted({where[at] for where in ranks}):
                cases[part, n] = [k for where, k in ranks.items() if where[at] == n]
        lines = [f'{len(events)} {len(groups)} {len(ranks)}']
        for i, e in enumerate(events):
            middle = median[e[2]] if i in tail else mean[e[2]]
            lines.append(f'{ranks[e[3]]} {group_of.get(i, -1)} {before[i][0]} {before[i][1]} 0 '
                         f'{1000 * tail.get(i, e[1]):.3f} {1000 * middle:.3f}')
        lines += ['*' if v is None else ' '.join(map(str, v)) or '-' for v in cases.values()]
        ran = subprocess.run([replay], input='\n'.join(lines) + '\n', text=True, check=True,
                             capture_output=True, timeout=60)
        for key, value in zip(cases, ran.stdout.split(), strict=True):
            total[key] += float(value)
    return {key: value / total['ideal'] for key, value in total.items()}


def pairs(got, want):
    """(what, our slow-down, the published one)"""
    yield 'all', got['recorded'], want['blocking_slowdown']
    for part, key in (('stage', 'blocking_decompose_by_stage'),
                      ('replica', 'blocking_decompose_by_dp_rank')):
        for n, told in sorted(want[key].items()):
            yield f'{part} {n}', got[part, int(n)], told
