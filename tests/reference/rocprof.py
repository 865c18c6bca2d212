#!/usr/bin/env python3
"""rocprof.py CSVS REFERENCE - kernel counts and times of a report against the tables of another reader.

The reference cuts names before '<' and '(', and has no namespaces; its "Total Kernel Time (ms)" is in us."""
import csv
import re
import sys
from collections import defaultdict

csv.field_size_limit(1 << 30)


def rows(path):
    with open(path, encoding='utf-8') as f:
        return list(csv.DictReader(f))


def short(name):
    name = re.sub(r'^void |\.kd$|\(anonymous namespace\)::', '', name).strip()
    return re.split(r'[<(]', name)[0].strip().split('::')[-1]


ours, theirs, bad = defaultdict(lambda: [0, 0.0]), {}, 0
for r in rows(sys.argv[1] + '/kernel_summary.csv'):
    row = ours[short(r['Kernel name'])]
    row[0] += int(r['Kernel duration (µs)_count'])
    row[1] += float(r['Kernel duration (µs)_sum'])
reference = rows(sys.argv[2] + '/kernel_summary.csv')
for r in reference:
    row = theirs.setdefault(short(r['name']), [0, 0.0])
    row[0] += int(r['Count'])
    row[1] += float(r['Total Kernel Time (ms)'])
for name in sorted(set(ours) | set(theirs)):
    a, b = ours.get(name, [0, 0.0]), theirs.get(name, [0, 0.0])
    if a[0] != b[0] or abs(a[1] - b[1]) > 1e-3 + 1e-9 * b[1]:
        print(f'not ok - {name}: {a[0]} calls, {a[1]:.3f} us; the reference has {b[0]}, {b[1]:.3f}')
        bad += 1
total = [float(r['time ms']) for f in (1, 2) for r in rows(sys.argv[f] + '/gpu_timeline.csv') if r['type'] == 'busy_time']
if abs(total[0] - total[1]) > 1e-5:
    print('not ok - busy time', *total)
    bad += 1
print(f'{len(theirs) - bad} passed, {bad} failed')
sys.exit(bad > 0 or not theirs)
