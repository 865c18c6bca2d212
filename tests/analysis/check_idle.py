#!/usr/bin/env python3
"""What the program says of the shared traces, against an independent reading of the same events.

    check_idle.py PROGRAM SHARED [TRACE]...
    check_idle.py PROGRAM --samples

With --samples the traces are made up, and the independent reading itself must tell what the
generator planted.

Idle time: the total of each class agrees with idle_blame.py within 1 % of idle time, and so does
the largest group, with its names. Advice: none that the trace contradicts (advice.tsv).
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import check_advice
import idle_blame

TOLERANCE = 0.01  # of idle time
SUMS = {'host_bound', 'queued', 'first_launch', 'latency', 'unlinked'}
NAMED_BY_CALL = {'sync', 'memory', 'load', 'graph'}

# Made-up traces: kind, defect, and the class of idle time that it makes.
SAMPLES = [('llm-prefill', 'alloc-in-step', 'memory'), ('llm-prefill', 'cpu-preprocessing', 'python'),
           ('cnn-training', 'cpu-preprocessing', 'python'), ('llm-prefill', 'first-launch', 'first_launch'),
           ('cnn-training', 'first-launch', 'first_launch'), ('llm-prefill', 'item-sync', 'python'),
           ('llm-prefill', 'leading-artefact', ''), ('llm-prefill', 'host-bound', ''),
           ('llm-decode', 'gpu-graph', '')]

# Traces whose idle time does not agree yet, and why.
PENDING = {'resnet-ckpt-mi300': 'an event whose call is known by its id alone, without an arrow'}


def classes_wrong(mine, theirs):
    """What differs between two {class: ms}."""
    limit = TOLERANCE * mine['idle_ms'] + 0.001
    told = {c['class']: c['time_ms'] for c in theirs['idle_classes']}
    return [f"{c}: {told.get(c, 0):.3f} ms, and truly {mine['classes'].get(c, 0):.3f} ms"
            for c in idle_blame.ORDER if abs(told.get(c, 0) - mine['classes'].get(c, 0)) > limit]


def shown(name):
    """As the program names a host event: without file, module number, address or hash."""
    if 'torchinductor' in name and ': ' in name:
        return 'generated ' + name.split(': ', 1)[1]
    name = re.sub(r'^nn\.Module: ', '', re.sub(r' ?[a-z0-9]{24,}', '', name))
    name = re.sub(r' at 0x', '', name)
    return name.split(': ', 1)[1] if re.match(r'[^ ]*: \S', name) else name


def blame_wrong(mine, theirs):
    """The largest group with a name, of those that are not a sum over many calls. Here the parts of a
    gap are apart by class, and short gaps are not; so it is at most what has that name here."""
    told = [g for g in theirs['idle_groups'] if g['class'] not in SUMS]
    if not told:
        return []
    limit = TOLERANCE * mine['idle_ms'] + 0.001
    first = told[0]
    key = 'leaf' if first['class'] in NAMED_BY_CALL else 'blame'
    own = sum(g['ms'] for g in mine['groups']
              if shown(g[key]) == first['blame'] and (key == 'blame' or g['class'] == first['class']))
    if first['blame'] == 'graph capture':  # of no single event
        own = mine['classes'].get('graph', 0)
    elif key == 'leaf':  # the calls of a gap are one leaf there: its class has the rest
        own = max(own, mine['classes'].get(first['class'], 0)) if own else 0
    if own + limit >= first['time_ms']:
        return []
    return [f"{first['time_ms']:.3f} ms {first['class']} {first['blame']} / {first['leaf']}, and truly "
            f"{own:.3f} ms of that name"]


def planted_wrong(mine, mended, truth, what):
    """What the defect adds to its class is what the generator planted."""
    fact, = truth['defects']
    told_ms, true_ms = mine['artefact_ms'], fact['time_us'] / 1e3
    if what:
        told_ms, true_ms = mine['classes'].get(what, 0) - mended['classes'].get(what, 0), fact['saving_us'] / 1e3
    if abs(told_ms - true_ms) > TOLERANCE * true_ms:
        return f"{what or 'artefact'} {told_ms:.3f} ms, and planted are {true_ms:.3f} ms"
    return ''


def check_samples(program, tell):
    for kind, defect, what in SAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            path, mended, told = (os.path.join(folder, n) for n in ('t.json.gz', 'm.json.gz', 'truth.json'))
            plant = [f'{program}-sample', '--kind', kind, '--defect', defect]
            subprocess.run([*plant, '--truth', told, '-o', path], check=True)
            mine = idle_blame.analyse(path)
            if what or defect == 'leading-artefact':
                subprocess.run([*plant, '--mend', defect, '-o', mended], check=True)
                with open(told, encoding='utf-8') as f:
                    tell(f'{defect} in {kind}: independent reading',
                         planted_wrong(mine, idle_blame.analyse(mended), json.load(f), what))
            compare(program, f'{defect} in {kind}', path, mine, tell)


def compare(program, name, path, mine, tell):
    """The program's idle time against the independent reading; its report."""
    with tempfile.TemporaryDirectory() as folder:
        report, theirs = check_advice.report_of(program, path, check_advice.platform_of(program, name), folder)
    if not mine['device_events']:
        return report
    if theirs is None or 'idle_groups' not in theirs:
        tell(f'{name}: idle time', 'nothing to compare', 'the report does not tell idle time by class and blame')
    else:
        wrong = classes_wrong(mine, theirs) + blame_wrong(mine, theirs)
        tell(f'{name}: idle time', '; '.join(wrong), PENDING.get(name, ''))
    return report


def main():
    program, shared, *wanted = sys.argv[1:]
    samples = shared == '--samples'
    paths = {} if samples else {n: p for n, p in check_advice.traces(shared).items() if not wanted or n in wanted}
    if not paths and not samples:
        print(f'check-idle: skipped, {shared}/traces is not there')
        print('0 passed, 0 failed, 1 skipped')
        return 0
    counts = {'ok': 0, 'not ok': 0, 'skip': 0}

    def tell(name, wrong, pending=''):
        if pending and wrong:
            counts['skip'] += 1
            print(f'ok - {name} # SKIP pending: {pending} ({wrong})', flush=True)
            return
        if pending:
            wrong = 'it holds now, so it is not pending'
        counts['not ok' if wrong else 'ok'] += 1
        print(f"{'not ok' if wrong else 'ok'} - {name}{': ' + wrong if wrong else ''}", flush=True)

    reports = {}
    for name, path in paths.items():
        reports[name] = compare(program, name, path, idle_blame.analyse(path), tell)
    if samples:
        check_samples(program, tell)
    else:
        check_advice.check(tell, reports)
    print(f"{counts['ok']} passed, {counts['not ok']} failed, {counts['skip']} skipped")
    return 1 if counts['not ok'] or not counts['ok'] else 0


if __name__ == '__main__':
    sys.exit(main())
