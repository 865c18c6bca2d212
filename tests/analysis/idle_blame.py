#!/usr/bin/env python3
"""Why is the device idle? Read off the raw events, by the shortest code that can tell.

    idle_blame.py TRACE...

Independent of the program: the gaps of the union of all device work, each followed to the call
that launched what ended it, on that call's thread. Prints totals by class and the largest groups.
"""
import bisect
import collections
import gzip
import json
import os
import re
import statistics
import sys
from decimal import Decimal

DEVICE = {'kernel', 'gpu_memcpy', 'gpu_memset', 'memcpy', 'memset'}
RUNTIME = {'cuda_runtime', 'cuda_driver', 'runtime'}
NAMED = {'cpu_op': 'operator', 'operator': 'operator', 'python_function': 'python',
         'user_annotation': 'annotation'}
OLD_ANNOTATION = re.compile(r'ProfilerStep#|Optimizer\.|enumerate\(')  # an operator before 2022
CALLS = [('sync', r'Synchronize|^(cuda|hip)Memcpy(WithStream)?$'),
         ('memory', r'Malloc|Free|HostAlloc|HostRegister|HostUnregister|MemGetInfo|PointerGetAttribute'),
         ('load', r'ModuleLoad|LibraryLoad|nvrtc|hiprtc'),
         ('graph', r'GraphInstantiate|BeginCapture|EndCapture|Graph(?!Launch)')]
COMPILERS = re.compile(r'triton/compiler|torch/_inductor/compile|torch/_dynamo')
SYNC = re.compile(CALLS[0][1])
ORDER = ['queued', 'sync', 'memory', 'load', 'graph', 'runtime', 'dispatch', 'python', 'nothing', 'launch',
         'first_launch', 'latency', 'unlinked']
HOST = ORDER[1:9]
Event = collections.namedtuple('Event', 'start end name kind parent depth')


def plain(name):
    """Without line numbers, addresses and counters, so that calls of one place are one group."""
    name = re.sub(r'\(\d+\)', '', name)
    name = re.sub(r'0x[0-9a-fA-F]+', '0x', name)
    return re.sub(r'[_#]\d+$', '', name)


def read(path):
    with (gzip.open if path.endswith('.gz') else open)(path, 'rb') as f:
        whole = json.loads(f.read().decode('utf-8', 'replace'), parse_float=Decimal)
    return [e for e in (whole['traceEvents'] if isinstance(whole, dict) else whole)
            if e.get('ph') == 'X' and 'ts' in e]


class Thread:
    """One host thread: which recorded event is the deepest, at any time."""

    def __init__(self, spans):
        self.events, self.at, self.who, self.captures, stack = [], [], [], [], []
        for start, minus_end, name, kind in sorted(spans, key=lambda s: s[:2]):
            if name.endswith('StreamBeginCapture') or name.endswith('StreamEndCapture'):
                self.captures.append((-minus_end, name.endswith('BeginCapture')))
            self._close(stack, start)
            parent = stack[-1] if stack else -1
            depth = self.events[parent].depth + 1 if stack else 0
            self.events.append(Event(start, -minus_end, name, kind, parent, depth))
            stack.append(len(self.events) - 1)
            self._mark(start, stack[-1])
        self._close(stack, None)

    def _mark(self, at, who):
        if self.at and self.at[-1] == at:
            self.who[-1] = who
        else:
            self.at.append(at)
            self.who.append(who)

    def _close(self, stack, until):
        while stack and (until is None or self.events[stack[-1]].end <= until):
            end = self.events[stack.pop()].end
            if not self.at or end >= self.at[-1]:
                self._mark(end, stack[-1] if stack else -1)

    def capturing(self, at):
        """A graph is being recorded: whatever runs here, runs for that."""
        i = bisect.bisect_right(self.captures, (at, True)) - 1
        return i >= 0 and self.captures[i][1]

    def pieces(self, a, b):
        """(start, end, deepest event or -1) from a to b."""
        i = bisect.bisect_right(self.at, a) - 1
        while a < b:
            end = min(b, self.at[i + 1]) if i + 1 < len(self.at) else b
            if end > a:
                yield a, end, self.who[i] if i >= 0 else -1
            a, i = max(a, end), i + 1


def class_within(events, k):
    """An annotation has no class: its time is that of what it is in."""
    while k >= 0 and events[k].kind == 'annotation':
        k = events[k].parent
    return class_of(events[k]) if k >= 0 else 'nothing'


def class_of(event):
    if event.kind == 'runtime':
        return next((c for c, words in CALLS if re.search(words, event.name)), 'runtime')
    if event.kind == 'python' and COMPILERS.search(event.name):
        return 'load'
    return {'operator': 'dispatch', 'python': 'python'}[event.kind]


def host_parts(threads, a, b, thread, other):
    """{class: ns}, {(class, call): ns} of what has a class of its own, blame, {leaf: ns}."""
    calls = collections.Counter()
    classes, leaves = collections.Counter(), collections.Counter()
    covers = collections.Counter()
    for s, e, i in threads[thread].pieces(a, b):
        at = [(thread, s, e, i)]
        if i < 0 and other in threads and other != thread:  # nothing here: what the other one does
            at = [(other, *p) for p in threads[other].pieces(s, e)]
        for t, s1, e1, k in at:
            events = threads[t].events
            name = events[k].name if k >= 0 else ''
            what = class_within(events, k)
            if k >= 0 and events[k].kind == 'runtime' and what != 'runtime':
                calls[what, plain(name)] += e1 - s1
            elif threads[t].capturing(s1):
                what = 'graph'
                calls[what, 'graph capture'] += e1 - s1
            classes[what] += e1 - s1
            leaves[plain(name)] += e1 - s1
            while k >= 0:
                covers[t, k] += e1 - s1
                k = events[k].parent
    best = max((threads[t].events[k].kind != 'runtime', threads[t].events[k].depth, t, k)
               for t, k in covers if covers[t, k] >= 0.9 * (b - a)) \
        if any(v >= 0.9 * (b - a) for v in covers.values()) else None
    blame = plain(threads[best[2]].events[best[3]].name) if best else ''
    return classes, calls, blame, leaves


def gaps_of(device):
    """(start, end, event that ends it, event that precedes it), in order."""
    end, last, gaps = None, None, []
    for e in sorted(device, key=lambda e: (e['a'], e['launch'] is None)):
        if end is not None and e['a'] > end:
            gaps.append((end, e['a'], e, last))
        if end is None or e['b'] >= end:
            end, last = e['b'], e
    return gaps


def waited(threads, thread, a, b):
    return sum(e - s for s, e, i in threads[thread].pieces(a, b)
               if i >= 0 and SYNC.search(threads[thread].events[i].name))


def analyse(path):
    spans, launches, device = collections.defaultdict(list), {}, []
    for e in read(path):
        kind, args = str(e.get('cat', '')).lower(), e.get('args') or {}
        a = int(Decimal(e['ts']) * 1000)
        b = a + int(Decimal(e.get('dur', 0)) * 1000)
        link = args.get('correlation', args.get('correlation id'))
        if kind in DEVICE:
            device.append({'a': a, 'b': b, 'name': e['name'], 'link': link})
        elif kind in RUNTIME or kind in NAMED:
            thread = str(e['pid']), str(e['tid'])
            what = 'annotation' if OLD_ANNOTATION.match(e['name']) else NAMED.get(kind, 'runtime')
            spans[thread].append((a, -b, e['name'], what))
            if kind in RUNTIME and link is not None:
                launches[link] = (a, b, thread, e['name'])
    threads = {t: Thread(s) for t, s in spans.items()}
    for d in device:
        d['launch'] = launches.get(d['link'])
    linked = [d['a'] for d in device if d['launch']]
    begin = min(linked) if linked else min((d['a'] for d in device), default=0)
    backlog = [d for d in device if not d['launch'] and d['a'] < begin]
    device = [d for d in device if d['launch'] or d['a'] >= begin]
    gaps = gaps_of(device)
    r = {'trace': os.path.basename(path), 'device_events': len(device), 'backlog': len(backlog),
         'window_ms': 0, 'artefact_ms': 0, 'artefact': '', 'idle_ms': 0, 'gaps': len(gaps),
         'classes': {}, 'groups': []}
    if not device:
        return r
    window = max(d['b'] for d in device) - min(d['a'] for d in device)
    r['window_ms'] = window / 1e6
    if gaps:
        a, b, e, last = gaps[0]
        lone = sum(d['a'] <= a for d in device) <= 1
        large = b - a >= 10 * statistics.median(g[1] - g[0] for g in gaps) and b - a >= 0.05 * window
        if lone and large and e['launch'] and e['launch'][0] < b:
            ls, le, thread, _ = e['launch']
            if le <= a or waited(threads, thread, max(a, le), b) >= 0.5 * (b - a):
                r['artefact_ms'] = (b - a) / 1e6
                gaps = gaps[1:]
    classes, groups = collections.Counter(), collections.Counter()
    sizes, leaves = collections.defaultdict(list), collections.defaultdict(collections.Counter)
    seen = set()
    firsts = {}
    for d in sorted((d for d in device if d['launch']), key=lambda d: d['launch'][0]):
        if d['name'] not in seen:
            seen.add(d['name'])
            firsts[d['link'], d['name']] = True

    def add(what, blame, ns, split=None, leaf=None):
        if ns > 0:
            classes.update(split or {what: ns})
            groups[what, blame] += ns
            sizes[what, blame].append(ns)
            leaves[what, blame].update(leaf or {})

    for a, b, e, last in gaps:
        if not e['launch']:
            add('unlinked', '', b - a)
            continue
        ls, le, thread, call = e['launch']
        if le <= a:
            add('queued', '', b - a)
            continue
        if ls > a:
            other = last['launch'][2] if last and last['launch'] else None
            split, calls, blame, leaf = host_parts(threads, a, min(ls, b), thread, other)
            for (what, call_name), ns in calls.items():
                add(what, call_name, ns)
                split[what] -= ns
            most = max(split.items(), key=lambda c: (c[1], c[0]))[0]  # the rest of a gap is of one group
            add(most, blame, sum(split.values()), split, leaf)
        inside = min(le, b) - max(ls, a)
        first = (e['link'], e['name']) in firsts and le - ls >= 1000000
        add('first_launch' if first else 'launch', call, inside)
        add('latency', '', b - max(le, a) if le < b else 0)
    r['idle_ms'] = sum(classes.values()) / 1e6
    r['classes'] = {c: classes[c] / 1e6 for c in ORDER if classes[c]}
    r['groups'] = [{'class': c, 'blame': n, 'ms': v / 1e6, 'gaps': len(sizes[c, n]),
                    'sizes_ms': sorted((s / 1e6 for s in sizes[c, n]), reverse=True),
                    'leaf': max(leaves[c, n].items(), key=lambda x: (x[1], x[0]))[0]
                    if leaves[c, n] else ''}
                   for (c, n), v in sorted(groups.items(), key=lambda g: (-g[1], g[0]))]
    return r


def main():
    for path in sys.argv[1:]:
        r = analyse(path)
        print(f"{r['trace']}: idle {r['idle_ms']:.3f} of {r['window_ms']:.3f} ms in {r['gaps']} gaps; "
              f"backlog {r['backlog']} events, artefact {r['artefact_ms']:.3f} ms")
        for c, ms in r['classes'].items():
            print(f'    {ms:10.3f} ms  {c}')
        for g in r['groups'][:4]:
            print(f"    -> {g['ms']:.3f} ms in {g['gaps']} gaps, {g['class']}: {g['blame'] or '-'} / {g['leaf'] or '-'}")


if __name__ == '__main__':
    main()
