#!/usr/bin/env python3
"""What the program says of the shared traces, against an independent reading of the same events.

    check_idle.py PROGRAM SHARED [TRACE]...
    check_idle.py PROGRAM --samples

With --samples the traces are made up, and the independent reading itself must tell what the
generator planted.

Idle time: the total of each class agrees with idle_blame.py within 1 % of idle time, and so does
the largest group, with its names. Advice: none that the trace contradicts (advice.tsv). Titles differ, and a
finding that asks for a recording claims no saving.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import check_advice
import idle_blame

TOLERANCE = 0.01  # of idle time
CALLS = {'sync', 'memory', 'load', 'graph', 'runtime'}

# Made-up traces: kind, defect, and the class of idle time that it makes.
SAMPLES = [('llm-prefill', 'alloc-in-step', 'memory'), ('llm-prefill', 'cpu-preprocessing', 'python'),
           ('cnn-training', 'cpu-preprocessing', 'python'), ('llm-prefill', 'cpu-attention', 'cpu_work'), ('llm-prefill', 'first-launch', 'first_launch'),
           ('cnn-training', 'first-launch', 'first_launch'), ('llm-prefill', 'item-sync', 'python'),
           ('llm-prefill', 'leading-artefact', ''), ('llm-prefill', 'host-bound', ''),
           ('llm-decode', 'gpu-graph', ''), ('llm-decode', 'silent-graphs', '')]

# Traces whose idle time does not agree yet, and why.
PENDING = {}


def classes_wrong(mine, theirs):
    """What differs between two {class: ms}."""
    limit = TOLERANCE * mine['idle_ms'] + 0.001
    told = {c['class']: c['time_ms'] for c in theirs['idle_classes']}
    return [f"{c}: {told.get(c, 0):.3f} ms, and truly {mine['classes'].get(c, 0):.3f} ms"
            for c in idle_blame.ORDER if abs(told.get(c, 0) - mine['classes'].get(c, 0)) > limit]


def short(name):
    """A frame's file and an annotation's hash are left out, as in the report."""
    if 'torchinductor' in name:
        return 'generated call'
    return re.sub(r'(CompiledFxGraph) \w+', r'\1', re.sub(r'^\S+\.py: ', '', idle_blame.plain(name)))


def same_names(group, mine):
    """Of a runtime call the program blames the call, and says who calls; here it is the leaf."""
    names = {short(group['blame']), short(group['leaf'])}
    return short(mine['blame']) in names or (group['class'] in CALLS and short(mine['leaf']) in names)


def blame_wrong(mine, theirs):
    """The first group that the host names. Short gaps are a group of their own in the report (host_bound), so
    that of the same class and name here as many gaps as the report has are compared, those next to each other
    in length: the longest, or where short gaps are counted apart, the end of the window."""
    told = [g for g in theirs['idle_groups'] if g['class'] in idle_blame.HOST]
    limit = TOLERANCE * mine['idle_ms'] + 0.001
    if not told or told[0]['time_ms'] <= limit:
        return []
    first = told[0]
    own = [(sum(g['sizes_ms'][k:k + first['gap_count']]), g) for g in mine['groups'] if g['class'] == first['class']
           for k in range(max(1, len(g['sizes_ms']) - first['gap_count'] + 1))]
    if any(same_names(first, g) and abs(ms - first['time_ms']) <= limit for ms, g in own):
        return []
    best = max(own, key=lambda o: o[0], default=(0, {'blame': '-', 'leaf': '-'}))
    return [f"{first['time_ms']:.3f} ms {first['class']} {short(first['blame'])} / {short(first['leaf'])}, and truly "
            f"{best[0]:.3f} ms {short(best[1]['blame'])} / {short(best[1]['leaf'])}"]


def planted_wrong(mine, fixed, truth, what):
    """What the defect adds to its class is what the generator planted."""
    fact, = truth['defects']
    told_ms, true_ms = mine['artefact_ms'], fact['time_us'] / 1e3
    if what:
        told_ms, true_ms = mine['classes'].get(what, 0) - fixed['classes'].get(what, 0), fact['saving_us'] / 1e3
    if abs(told_ms - true_ms) > TOLERANCE * true_ms:
        return f"{what or 'artefact'} {told_ms:.3f} ms, and planted are {true_ms:.3f} ms"
    return ''


def check_samples(program, tell):
    for kind, defect, what in SAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            path, fixed, told = (os.path.join(folder, n) for n in ('t.json.gz', 'm.json.gz', 'truth.json'))
            plant = [f'{program}-sample', '--kind', kind, '--defect', defect]
            subprocess.run([*plant, '--truth', told, '-o', path], check=True)
            mine = idle_blame.analyse(path)
            if what or defect == 'leading-artefact':
                subprocess.run([*plant, '--fix', defect, '-o', fixed], check=True)
                with open(told, encoding='utf-8') as f:
                    tell(f'{defect} in {kind}: independent reading',
                         planted_wrong(mine, idle_blame.analyse(fixed), json.load(f), what))
            compare(program, f'{defect} in {kind}', path, mine, tell)


def compare(program, name, path, mine, tell):
    """The program's idle time against the independent reading; its report."""
    with tempfile.TemporaryDirectory() as folder:
        report, theirs = check_advice.report_of(program, path, check_advice.platform_of(program, name), folder)
    tell(f'{name}: titles and recordings', '; '.join(told_wrong(report)))
    if not mine['device_events']:
        return report
    if theirs is None or 'idle_groups' not in theirs:
        tell(f'{name}: idle time', 'nothing to compare', 'the report does not tell idle time by class and blame')
    else:
        wrong = classes_wrong(mine, theirs) + blame_wrong(mine, theirs)
        tell(f'{name}: idle time', '; '.join(wrong), PENDING.get(name, ''))
    return report


def told_wrong(report):
    """Two findings of one title, or one that asks for a recording and claims to save by it."""
    titles = collections.Counter(f['title'] for f in report['findings'])
    return ([f'{n} findings are called "{t}"' for t, n in titles.items() if n > 1]
            + [f'"{f["title"]}" saves {f["impact"]["high_ms"]} ms' for f in report['findings']
               if f['recording'] and f['impact']['high_ms']])


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
