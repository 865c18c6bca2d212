"""job_uneven.py TRACES SITE - the tables of all-to-all-v against the raw events."""
import ast
import collections
import csv
import glob
import gzip
import html
import json
import os
import re
import sys

traces, site = sys.argv[1:]
MIB = 1024.0 * 1024
calls, sent = collections.defaultdict(dict), collections.Counter()
for path in glob.glob(traces + '/*.json.gz'):
    with gzip.open(path) as f:
        trace = json.load(f)
    rank, position = trace['distributedInfo']['rank'], collections.Counter()
    kernels = [e for e in trace['traceEvents'] if e.get('cat') == 'kernel' and 'Collective name' in e.get('args', {})]
    for e in sorted(kernels, key=lambda e: e['ts']):
        args = e['args']
        place = args['Process Group Name'], position[args['Process Group Name']]
        position[args['Process Group Name']] += 1
        if args['Collective name'] != 'all_to_allv':
            continue
        assert args['dtype'] == 'BFloat16'
        calls[place][rank] = e['ts'], e['dur'], 2 * args['In msg nelems'] / MIB
        members = ast.literal_eval(str(args['Process Group Ranks']))
        for to, n in zip(members, ast.literal_eval(str(args['In split size']))):
            sent[rank, to] += 2 * n / MIB


def table(name):
    with open(os.path.join(site, 'job_csvs', name + '.csv'), newline='') as f:
        return list(csv.DictReader(f))


def close(what, got, want):
    assert abs(float(got) - want) <= 1e-6 * abs(want) + 2e-3, (what, got, want)


rows, totals = table('nccl_all2allv'), collections.Counter()
assert len(rows) == len(calls) > 0
for r in rows:
    name = r['Process Group Name']
    of = calls[name, int(r['collective_id'].rsplit('_', 1)[1])]
    sizes = [size for _, _, size in of.values()]
    wall = max(ts + dur for ts, dur, _ in of.values()) - min(ts for ts, _, _ in of.values())
    totals[name] += wall
    close('wall', r['wall_time (us)'], wall)
    close('total', r['total data communicated (MB)'], sum(sizes))
    close('throughput', r['throughput (GB/s)'], sum(sizes) / 1024 / (wall / 1e6))
    close('imbalance', r['size_imbalance'], max(sizes) * len(sizes) / sum(sizes))
    close('fastest', r['max_rank_throughput (GB/s)'], max(size / 1024 / (dur / 1e6) for _, dur, size in of.values()))
    for rank, (ts, dur, size) in of.items():
        close('dur', r['rank_%d_dur' % rank], dur)
        close('size', r['rank_%d_In msg size (MB)' % rank], size)
        close('skew', r['rank_%d_skew in start time' % rank], ts - min(t for t, _, _ in of.values()))
data = [float(r['total data communicated (MB)']) for r in rows]
assert data == sorted(data, reverse=True)
for r in table('nccl_summary_all2allv'):
    close('total wall', r['Total wall_time (ms)'], totals[r['Process Group Name']] / 1000)
pairs = {(int(r['src_rank']), int(r['dst_rank'])): float(r['total_sent_MB']) for r in table('nccl_all2allv_heatmap')}
assert pairs.keys() == sent.keys()
for pair, size in sent.items():
    close('sent', pairs[pair], size)

# The page: a column for each receiver, of many ranks for the first, second ... of each sender.
with open(site + '/groups.html', encoding='utf-8') as f:
    text = f.read()
text = text[text.index('id="t-exchange"'):]
shown = [[(html.unescape(re.sub('<.*?>', '', cell)), ' h4' in cell) for cell in re.findall(r'<t[dh].*?</t[dh]>', row, re.S)]
         for row in re.findall(r'<tr>.*?</tr>', text[text.index('<tbody'):text.index('</tbody')], re.S)]
ranks = sorted({rank for pair in sent for rank in pair})
square = len(ranks) <= 32
assert [int(row[0][0]) for row in shown] == ranks, shown
darkest = max(sent.values())
for row in shown:
    rank = int(row[0][0])
    to = [r for r in ranks if (rank, r) in sent]
    close('sends', row[1][0], sum(sent[rank, r] for r in to) * MIB / 1e6)
    close('receives', row[2][0], sum(sent[r, rank] for r in ranks if (r, rank) in sent) * MIB / 1e6)
    cells = row[3:] if square else row[4:]
    assert square or row[3][0] == '%d to %d' % (to[0], to[-1]), row
    for k, (cell, dark) in enumerate(cells):
        receiver = ranks[k] if square else to[k]
        assert (cell == '-') == ((rank, receiver) not in sent), (rank, receiver, cell)
        if cell != '-':
            close('cell', cell, sent[rank, receiver] * MIB / 1e6)
            assert dark == (sent[rank, receiver] / darkest > 0.875), (rank, receiver, cell)
