#!/usr/bin/env python3
"""The pages of a job: what they show is what its tables and its traces say.

    job_pages.py SITE TRACES CUTS RANK      RANK is the late one
"""
import csv
import gzip
import html
import json
import os
import re
import subprocess
import sys

site, traces, cuts, late = sys.argv[1], sys.argv[2], os.path.abspath(sys.argv[3]), int(sys.argv[4])


def page(name):
    with open(os.path.join(site, name + '.html'), encoding='utf-8') as f:
        return f.read()


def table(name):
    with open(os.path.join(site, 'job_csvs', name + '.csv'), newline='') as f:
        return list(csv.DictReader(f))


def rows(text):
    """The cells of each row of the first table that sorts."""
    body = re.search(r'<tbody.*?</tbody>', text, re.S).group()
    return [[html.unescape(re.sub('<.*?>', '', c)) for c in re.findall(r'<t[dh].*?</t[dh]>', row, re.S)]
            for row in re.findall(r'<tr>.*?</tr>', body, re.S)]


def kernels(path, process):
    """Collectives of a window: [(start, end)] in us."""
    with gzip.open(path, 'rt') as f:
        return [(e['ts'], e['ts'] + e['dur']) for e in json.load(f)['traceEvents']
                if e.get('cat') == 'kernel' and 'nccl' in e['name'] and e['pid'].startswith(process)]


text = page('worst')
parts = re.split(r'<section', text)[1:]
sections = [p for p in parts if 'id="worst-at-' in p]
assert len(sections) == 5, len(sections)
for k, s in enumerate(sections):
    assert s.count('<svg') == 3 and 'rank %d, last' % late in s, k
    twin = rows(s)
    assert len(twin) == 8 and twin[-1][0] == 'rank %d, last' % late, twin
    # What the last rank did adds up.
    what = rows(s[s.index('meanwhile'):])
    whole = [r for r in what if not r[0].startswith('of its')]
    for column in (1, 2, 3):
        assert abs(sum(float(r[column]) for r in whole[:-1]) - float(whole[-1][column])) < 0.005, whole
    assert float(whole[-1][3]) > 0, whole
    # The command gives a file in which all ranks end together, and the late one starts last.
    command = html.unescape(re.search(r'<pre tabindex="0"><code>(tracefolio cut .*?)</code>', s).group(1))
    subprocess.run(command.replace(' -o ', ' -o ' + cuts + '/'), shell=True, check=True, cwd=traces)
    at = float(re.search(r'At ([\d.]+).ms', s).group(1)) * 1e3
    path = '%s/worst-%d.json.gz' % (cuts, k + 1)
    here = {r: min(kernels(path, 'rank %d: ' % r), key=lambda e: abs(e[1] - at - 500)) for r in range(8)}
    start = {r: e[0] for r, e in here.items()}
    assert abs(start[late] - at) < 2, (start[late], at)
    assert max(start, key=start.get) == late, start
    ends = [e[1] for e in here.values()]
    assert max(ends) - min(ends) < 60, ends

# Any rank's window is cut by its shift of job_clock.csv: its collectives are where the job has them.
shifts = {r['rank']: r['cut_shift_us'] for r in table('job_clock')}
place = [r for r in table('job_collectives') if r['capture_start'] == 'False']
place = place[len(place) // 2]
at = int(place['start_ns']) / 1e3
starts = []
for rank, shift in shifts.items():
    path = '%s/rank-%s.json.gz' % (cuts, rank)
    subprocess.run(['tracefolio', 'cut', '%s/rank%s.json.gz' % (traces, rank), '--shift=' + shift, '--from=%f' % (at - 20000),
                    '--to=%f' % (at + 20000), '-o', path], check=True, stdout=subprocess.DEVNULL)
    starts.append(min((start for start, _ in kernels(path, '')), key=lambda t: abs(t - at)) if rank == place['last_rank'] else None)
start = [s for s in starts if s is not None]
assert len(shifts) == 8 and len(start) == 1 and abs(start[0] - at) < 20, (start, at)

text = page('bandwidth')
assert re.search('peak (within a node: 400|between nodes: 50) GB/s', text) and text.count('<svg') == 3
points = [r for r in rows(text)]
known = [r for r in table('job_bandwidth') if r['bytes'] and int(r['bytes']) >= 64]
assert len(points) == len(known) > 0, (points, known)

text = page('ranks')
assert text.count('<svg') == 6 and 'id="far"' in text
text = page('steps')
steps = rows(text[text.index('t-steps'):])
assert text.count('data-words="1"') == text.count('data-sort="1"') == 1
for shown, real in zip(steps, table('job_steps')):
    assert abs(float(shown[1]) - int(real['dur_ns']) / 1e6) < 0.001 and shown[2] == real['slowest_rank'], (shown, real)
    assert 0 < float(shown[3]) <= float(shown[1]), shown
assert 'Does as rank' not in page('late')  # all have one role

# Cells of text are as wide as their longest word: the table scrolls.
css = re.search('href="(assets/[^"]*css)"', text).group(1)
with open(os.path.join(site, css), encoding='utf-8') as f:
    assert re.search(r'\[data-words\] \.name ?\{ ?overflow-wrap: ?break-word', f.read())
