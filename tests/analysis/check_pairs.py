#!/usr/bin/env python3
"""Traces before and after one change: what the first one promised, and what the second one took.

  check_pairs.py BUILD [SHARED]

Public pairs are recordings that others published of one program before and after a change; the
change is that of a step's time. Made pairs are samples with a planted mistake and without it; the
change is that of the window of all steps, read off the events of both traces. The promise is the middle
of the range that the findings about the change give; it has the wrong sign if it claims nothing of
what was gained. Prints the table of README.md, and exits with status 1 if the median error is
above 10 % or a sign is wrong.
"""
import collections
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile

import check_defects as defects

MOST_ERROR_PCT = 10
DEVICE = {'kernel', 'gpu_memcpy', 'gpu_memset'}
Pair = collections.namedtuple('Pair', 'name change before_ms low_ms high_ms measured_ms')

# Recordings of ../shared/traces: before, after, the change, and the patterns that ask for it.
PUBLIC = [
    ('rn50-captures/w0a', 'rn50-captures/w4a', 'DataLoader workers, 0 to 4', ['host_loader']),
    ('rn50-captures/w0b', 'rn50-captures/w4b', 'DataLoader workers, 0 to 4', ['host_loader']),
]


def say(text):
    print(text, flush=True)


def analysed(build, trace, out, device=None):
    platform = ['-p', device] if device else []
    subprocess.run([f'{build}/tracefolio', 'analyze', trace, *platform, '--formats', 'json', '-q', '-f', '-o', out],
                   check=True, stderr=subprocess.PIPE)
    with open(f'{out}/report.json', encoding='utf-8') as f:
        return json.load(f)


def promised(findings):
    known = [f['impact'] for f in findings if f['impact']['low_ms'] is not None]
    return sum(i['low_ms'] for i in known), sum(i['high_ms'] for i in known)


def public_pair(build, shared, folder, before, after, change, patterns):
    """Per step: the share that the findings save of the window is that of a step."""
    first, second = (analysed(build, f'{shared}/traces/{name}.json.gz', os.path.join(folder, 'out')) for name in (before, after))
    low, high = promised([f for f in first['findings'] if f['pattern'] in patterns])
    step_ms = first['steps']['median_ms']
    share = step_ms / first['window']['total']['time_ms']
    name = f"`{before.split('/')[-1]}` to `{after.split('/')[-1]}` (V100)"
    return Pair(name, change, step_ms, share * low, share * high, step_ms - second['steps']['median_ms'])


def window_ms(trace):
    with (gzip.open if trace.endswith('.gz') else open)(trace, 'rb') as f:
        events = [e for e in json.load(f)['traceEvents'] if e.get('ph') == 'X']
    work = [e for e in events if e.get('cat') in DEVICE]
    steps = [e for e in events if e['name'].startswith('ProfilerStep#') and e.get('cat') == 'user_annotation']
    return (max(e['ts'] + e['dur'] for e in work + steps) - min(e['ts'] for e in steps or work)) / 1e3


def sample(build, path, case, fixed):
    """The work of a case with its mistakes, or with the one of them fixed."""
    words = [w for d in case.defects for w in ('--defect', d)]
    words += [w for d in case.saves if fixed for w in ('--fix', d)]
    subprocess.run([f'{build}/tracefolio-sample', '--kind', case.kind, '--device', case.device, *words, '-o', path],
                   check=True, stderr=subprocess.PIPE)
    return window_ms(path)


def made_pair(build, folder, case):
    trace = os.path.join(folder, 'trace.json')
    after_ms = sample(build, trace, case, True)
    before_ms = sample(build, trace, case, False)
    report = analysed(build, trace, os.path.join(folder, 'out'), case.device)
    order = sorted((f for f in report['findings'] if not f['informational']), key=lambda f: f['global_rank'])
    found = [f for f in order if defects.re.search(case.named[case.saves[0]], defects.text_of(f))]
    low, high = promised(found if case.several else found[:1])
    return Pair(f'{case.kind}, {case.device}', case.saves[0], before_ms, low, high, before_ms - after_ms)


def middle(p):
    return (p.low_ms + p.high_ms) / 2


def error_pct(p):
    return 100 * abs(middle(p) - p.measured_ms) / abs(p.measured_ms)


def wrong_sign(p):
    return (middle(p) > 0) != (p.measured_ms > 0)


def row(p):
    held = 'yes' if p.low_ms <= p.measured_ms <= p.high_ms else 'no'
    return (f'| {p.name} | {p.change} | {p.before_ms:.1f} | {p.low_ms:.1f} to {p.high_ms:.1f} | {p.measured_ms:.1f} |'
            f' {error_pct(p):.1f}% | {held} |')


def table(title, pairs):
    """Prints it; the errors in per cent."""
    say(f'\n{title}\n\n| traces | change | before, ms | promised, ms | measured, ms | error of the middle | in the range |')
    say('|---|---|---:|---:|---:|---:|---|')
    for p in pairs:
        say(row(p))
    say(f'\nMedian error {statistics.median(error_pct(p) for p in pairs):.1f}%, wrong signs {sum(map(wrong_sign, pairs))} of {len(pairs)}.')


def main():
    build, shared = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else '../shared'
    groups = {}
    with tempfile.TemporaryDirectory() as folder:
        have = os.path.isdir(f'{shared}/traces')
        if have:
            groups['Public pairs, a step'] = [public_pair(build, shared, folder, *p) for p in PUBLIC]
        groups['Made pairs, all steps'] = [made_pair(build, folder, c) for c in defects.PROOF if len(c.saves) == 1 and len(c.defects) == 1 and not c.options]
    failed = 0
    for title, pairs in groups.items():
        table(title, pairs)
        failed += statistics.median(map(error_pct, pairs)) > MOST_ERROR_PCT or any(map(wrong_sign, pairs))
    say(f"\n{'not ok' if failed else 'ok'} - pairs of traces before and after a change{'' if have else ' (public pairs: skipped without ../shared)'}")
    say(f'{len(groups) - failed} passed, {failed} failed, {int(not have)} skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
