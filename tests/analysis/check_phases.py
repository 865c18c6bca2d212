#!/usr/bin/env python3
"""Prefill and decode in report.json, against an independent reading of the same events.

    check_phases.py TRACE REPORT.JSON

The outermost annotations of a serving engine on the host; a step lasts from the first to the
last device work launched within it by the same thread, by correlation. Steps, wall time, busy
and idle time of each phase, the time between its steps, and what is of neither: the rest of the window,
whose length check_idle.py finds by itself, and which holds all device time.
"""
import gzip
import json
import re
import sys


def phase_of(name):
    m = re.match(r'execute_(?:\d+_)?context_(\d+)\(.*_generation_(\d+)\(', name)
    if m:
        prompts, generating = int(m[1]), int(m[2])
        return 'mixed' if prompts and generating else 'prefill' if prompts else 'decode' if generating else None
    m = re.match(r'step\[(EXTEND|DECODE|MIXED) ', name)
    return m and {'EXTEND': 'prefill', 'DECODE': 'decode', 'MIXED': 'mixed'}[m[1]]


def union(spans):
    merged = []
    for a, b in sorted(spans):
        if merged and a <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], b)
        else:
            merged.append([a, b])
    return merged


def within(spans, a, b):
    return sum(max(0, min(b, y) - max(a, x)) for x, y in spans)


def read(path):
    with (gzip.open(path) if path.endswith('.gz') else open(path, 'rb')) as f:
        events = [e for e in json.load(f)['traceEvents'] if e.get('ph') == 'X']
    span = lambda e: (round(e['ts'] * 1000), round((e['ts'] + e['dur']) * 1000))
    marks, calls, device = [], {}, []
    for e in events:
        if e['cat'] == 'user_annotation' and phase_of(e['name']):
            marks.append((e['tid'], *span(e), phase_of(e['name'])))
        elif e['cat'] in ('cuda_runtime', 'cuda_driver'):
            calls[e['args'].get('correlation')] = e['tid'], span(e)[0]
        elif e['cat'] in ('kernel', 'gpu_memcpy', 'gpu_memset'):
            device.append((*span(e), e['args'].get('correlation')))
    outer = []
    for m in sorted(marks, key=lambda m: (m[0], m[1], -m[2])):
        if not outer or outer[-1][0] != m[0] or m[1] >= outer[-1][2]:
            outer.append(m)
    begin = min(a for a, b, c in device if c in calls)  # before it: backlog
    return outer, calls, [d for d in device if d[2] in calls or d[0] >= begin]


def phases(path, total):
    marks, calls, device = read(path)
    spans = {}
    for a, b, c in device:
        tid, at = calls.get(c, (None, 0))
        for k, m in enumerate(marks):
            if m[0] == tid and m[1] <= at < m[2]:
                x, y = spans.get(k, (a, b))
                spans[k] = min(a, x), max(b, y)
    busy, found, last = union([(a, b) for a, b, c in device]), {}, None
    for (a, b), phase in sorted((s, marks[k][3]) for k, s in spans.items()):
        p = found.setdefault(phase, dict(steps=0, time=0, busy=0, between=0, between_busy=0))
        a = max(a, last[1]) if last else a
        if last and last[2] == phase:
            p['between'] += a - last[1]
            p['between_busy'] += within(busy, last[1], a)
        p['steps'] += 1
        p['time'] += b - a
        p['busy'] += within(busy, a, b)
        last = a, b, phase
    work = sum(b - a for a, b in busy)
    assert total >= busy[-1][1] - busy[0][0], f'a window of {total} ns is shorter than device time'
    found['neither'] = dict(steps=0, time=total - sum(p['time'] for p in found.values()),
                            busy=work - sum(p['busy'] for p in found.values()), between=0, between_busy=0)
    return found


def main(trace, report):
    with open(report, encoding='utf-8') as f:
        document = json.load(f)
    told = {p['id']: p for p in document['phases']['list']}
    total = document['window']['total']['time_ns']
    found = phases(trace, total)
    wrong = [f'{k} is told, but not found' for k in told if k not in found]
    for k, p in found.items():
        want = {'steps': p['steps'], 'time_ms': p['time'] / 1e6, 'busy_ms': p['busy'] / 1e6,
                'idle_ms': (p['time'] - p['busy']) / 1e6, 'total_pct': 100 * p['time'] / total}
        if k != 'neither':
            want['mean_ms'] = p['time'] / p['steps'] / 1e6
            cycle = p['time'] + p['between']
            want['waits_pct'] = 100 * (cycle - p['busy'] - p['between_busy']) / cycle
        for key, v in want.items():
            got = told.get(k, {}).get(key)
            if got is None or abs(got - v) > 0.006 + 1e-6 * v:
                wrong.append(f'{k}: {key} is {got}, and truly {v:.4f}')
    whole = sum(p['total_pct'] for p in told.values())
    if abs(whole - 100) > 0.03:
        wrong.append(f'shares add up to {whole} %')
    print('\n'.join(f'# {w}' for w in wrong) or
          '# ' + ', '.join(f"{p['steps']} {k}" for k, p in found.items() if p['steps']))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:3]))
