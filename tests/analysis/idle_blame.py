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
CALLS = [('sync', r'Synchronize|MemcpyWithStream|^(cuda|hip|cu)Memcpy(?!.*Async)'),
         ('memory', r'Malloc|Free|HostAlloc|HostRegister|HostUnregister|MemGetInfo|PointerGetAttribute'),
         ('load', r'ModuleLoad|LibraryLoad|nvrtc|hiprtc'),
         ('graph', r'GraphInstantiate|BeginCapture|EndCapture|Graph(?!Launch)')]
COMPILERS = re.compile(r'triton/compiler|torch/_inductor/compile|torch/_dynamo')
SYNC = re.compile(CALLS[0][1])
READS = {'aten::item', 'aten::_local_scalar_dense'}
LONG_WAIT = 500000  # ns: what is waited for ran, and is not recorded
# An operator computes on the CPU if it launches nothing and takes 50 us of its own, half of its time or more.
NO_WORK = re.compile(r'^(autograd|torch|c10d|profiler)::|^[^:]*$|::(empty|empty_like|empty_strided|resize_|zeros|zeros_like|'
                     r'ones|full|set_|view|as_strided|_reshape_alias|_unsafe_view|slice|narrow|select|transpose|permute|'
                     r'expand|reshape|detach|alias|t|squeeze|unsqueeze|split|chunk|unbind|flatten|lift_fresh|to|_to_copy|'
                     r'item|_local_scalar_dense|is_nonzero|pin_memory|_pin_memory)$')
WORK_NS = 50000
SPECIAL = {'sync', 'hidden', 'memory', 'load', 'graph'}
COLLECTIVE = re.compile(r'nccl|rccl', re.I)
ORDER = ['queued', 'sync', 'memory', 'load', 'graph', 'runtime', 'dispatch', 'cpu_work', 'python', 'nothing', 'launch',
         'first_launch', 'latency', 'unlinked', 'hidden']
HOST = ORDER[1:10]
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
            if name.endswith('StreamBeginCapture'):  # PyTorch's context waits and collects garbage first
                around = [self.events[k] for k in stack[-3:]]
                self.captures[-1] = min([self.captures[-1]] + [(e.start, True) for e in around
                                        if 'cuda/graphs.py' in e.name and '__enter__' in e.name])
            parent = stack[-1] if stack else -1
            depth = self.events[parent].depth + 1 if stack else 0
            self.events.append(Event(start, -minus_end, name, kind, parent, depth))
            stack.append(len(self.events) - 1)
            self._mark(start, stack[-1])
        self._close(stack, None)
        self.own = [e.end - e.start for e in self.events]
        for e in self.events:
            if e.parent >= 0:
                self.own[e.parent] -= e.end - e.start
        self.launches = [False] * len(self.events)

    def launch_at(self, start, end, name):
        """The launch call with this place and name, and everything around it, launches."""
        i = bisect.bisect_right(self.at, start) - 1
        k = self.who[i] if i >= 0 else -1
        while k >= 0 and not (self.events[k].start, self.events[k].end, self.events[k].name) == (start, end, name):
            k = self.events[k].parent
        while k >= 0 and not self.launches[k]:
            self.launches[k] = True
            k = self.events[k].parent

    def computes(self, k):
        e = self.events[k]
        return (e.kind == 'operator' and not NO_WORK.search(e.name) and not self.launches[k]
                and self.own[k] >= WORK_NS and 2 * self.own[k] >= e.end - e.start)

    def class_within(self, k):
        """An annotation has no class: its time is that of what it is in."""
        while k >= 0 and self.events[k].kind == 'annotation':
            k = self.events[k].parent
        if k < 0:
            return 'nothing'
        what, up = class_of(self.events[k]), self.events[k].parent
        works = what == 'dispatch' and (self.computes(k) or up >= 0 and self.computes(up))
        return 'cpu_work' if works else what

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

    def operator(self, k):
        """The outermost operator with a namespace around an event, as its user wrote it."""
        found = near = None
        while k >= 0:
            e = self.events[k]
            if e.kind == 'operator':
                near = near or e.name
                found = e.name if '::' in e.name and not e.name.startswith('autograd::') else found
            k = e.parent
        return found or near

    def waits(self):
        """(start, end, name) of what waits for the device: reads of a value as a whole, else the calls."""
        until, inside = -1, [False] * len(self.events)
        for k in range(len(self.events) - 1, -1, -1):
            e = self.events[k]
            inside[k] = inside[k] or (e.kind == 'runtime' and bool(SYNC.search(e.name)))
            if inside[k] and e.parent >= 0:
                inside[e.parent] = True
        for k, e in enumerate(self.events):
            if inside[k] and e.start >= until and (e.kind == 'runtime' and SYNC.search(e.name) or e.name in READS):
                until = e.end
                yield e.start, e.end, self.operator(k) or e.name

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


def class_of(event):
    if event.kind == 'runtime':
        return next((c for c, words in CALLS if re.search(words, event.name)), 'runtime')
    if event.kind == 'python' and COMPILERS.search(event.name):
        return 'load'
    return {'operator': 'dispatch', 'python': 'python'}[event.kind]


def named(events, k):
    """A module's own function is told with its class: "Net.forward", which the framework's frames lead to."""
    name, up = plain(events[k].name), events[k].parent
    if not re.search(r'\.py: (forward|__call__)$', name):
        return name
    while up >= 0 and re.match(r'(?!nn\.Module)(<|torch/)', events[up].name):
        up = events[up].parent
    module = re.match(r'nn\.Module: (\w+?)(_\d+)?$', events[up].name) if up >= 0 else None
    return re.sub(r': (\w+)$', rf': {module[1]}.\1', name) if module else name


def most_called(threads, work):
    """The code with most work on the CPU: frames of files that are not of the framework; else the operator."""
    by_code = collections.Counter()
    for (t, k), ns in work.items():
        events, up = threads[t].events, k
        while up >= 0 and not (events[up].kind == 'python' and re.match(r'(?!<|nn\.Module|torch/)', events[up].name)):
            up = events[up].parent
        by_code[t, up if up >= 0 else k] += ns
    t, k = max(by_code, key=by_code.get)
    return named(threads[t].events, k)


def host_parts(threads, a, b, thread, other, late):
    """{class: ns}, {(class, call): ns} of what has a class of its own, blame, {leaf: ns}."""
    calls = collections.Counter()
    classes, leaves = collections.Counter(), collections.Counter()
    covers, work = collections.Counter(), collections.Counter()
    for s, e, i in threads[thread].pieces(a, b):
        at = [(thread, s, e, i)]
        if i < 0 and other in threads and other != thread:  # nothing here: what the other one does
            at = [(other, *p) for p in threads[other].pieces(s, e)]
        for t, s1, e1, k in at:
            events = threads[t].events
            name = events[k].name if k >= 0 else ''
            what = threads[t].class_within(k)
            if what == 'sync' and e1 - s1 >= LONG_WAIT:
                what = 'hidden'
            waits = overlap(s1, e1, *late[:2]) if what not in SPECIAL else 0
            if what == 'sync':
                calls[what, threads[t].operator(k) or name] += e1 - s1
            elif k >= 0 and events[k].kind == 'runtime' and what != 'runtime':
                calls[what, plain(name)] += e1 - s1
            elif threads[t].capturing(s1):
                what = 'graph'
                calls[what, 'graph capture'] += e1 - s1
            elif waits:
                calls['sync', late[2]] += waits
                classes['sync'] += waits
                e1 -= waits
            classes[what] += e1 - s1
            if what == 'cpu_work':
                work[t, k] += e1 - s1
            leaves[plain(name)] += e1 - s1
            while k >= 0:
                covers[t, k] += e1 - s1
                k = events[k].parent
    if classes and max(classes, key=lambda c: (classes[c], c)) == 'cpu_work':
        return classes, calls, most_called(threads, work), leaves
    best = max((threads[t].events[k].kind != 'runtime', threads[t].events[k].depth, t, k)
               for t, k in covers if covers[t, k] >= 0.9 * (b - a)) \
        if any(v >= 0.9 * (b - a) for v in covers.values()) else None
    blame = named(threads[best[2]].events, best[3]) if best else ''
    blame = '' if blame.startswith('ProfilerStep') else blame  # where the profiler marks a step
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


STEPS = [r'ProfilerStep#', r'step\[', r'execute_(\d+_)?context_\d|execute_new_\d+_cached|(prefill|decode)\[']
BATCH = 'from the DataLoader to the copy of its batch'
DATA_WAIT = re.compile(r'enumerate\(DataLoader\)|.*torch/utils/data/dataloader\.py.*: __next__$')
WAITS = re.compile(r'(cuda|hip|cu)(Device|Stream|Event|Ctx)Synchronize')


def edges(spans, device, backlog, calls):
    """Where the window begins and ends, and whose thread ends it: the steps that the host marks, or else a
    wait for data before all device work. The device must be idle there, as far as the recording tells."""
    first, last = min(d['a'] for d in device), max(d['b'] for d in device)
    marks = [(a, -b, thread, name, kind) for thread, list_ in spans.items() for a, b, name, kind in list_]
    steps = next(filter(None, ([m for m in marks if m[4] == 'annotation' and re.match(words, m[3])]
                               for words in STEPS)), [])
    own = [d['launch'] for d in device if d['a'] == first and d['launch']]
    issued = min((ls if SYNC.search(name) else le for ls, le, _, name in own), default=None)
    begin = min((m[0] for m in steps), default=None)
    if begin is None:
        begin = min((m[0] for m in marks if DATA_WAIT.match(m[3])), default=first)
    if issued is None or begin >= first or \
            (not backlog and first - issued > max(100000, (first - begin) // 10)):
        begin = first
    begin = max([begin] + [d['b'] for d in backlog])
    started = {d['link'] for d in device + backlog}

    def tells(c):  # of work that is not recorded
        a, b, name, link = c
        return b - a >= 1000000 if WAITS.match(name) else \
            re.search('LaunchKernel|GraphLaunch', name) and link not in started

    begin = max([min(begin, first)] + [c[1] for c in calls if c[1] <= first and tells(c)])
    end, thread = max(((m[1], m[2]) for m in steps), default=(last, None))
    if end <= last or any(last < c[1] <= end and tells(c) for c in calls):
        end = last
    return min(begin, first), end, thread


def parts_around_data(thread, a, b):
    """A wait for a DataLoader is a part of its own if it is a tenth of the time or more, and not all of it.
    (start, end, whether it comes behind one)"""
    waits, at, behind = [], a, False
    for e in thread.events:
        if e.start < b and e.end > a and DATA_WAIT.match(e.name) and (not waits or e.start >= waits[-1][1]):
            waits.append((e.start, e.end))
    for s, e in waits:
        s, e = max(s, at), min(e, b)
        if not 0.1 * (b - a) <= e - s <= 0.9 * (b - a):
            continue
        if s > at:
            yield at, s, behind
        yield s, e, False
        at, behind = e, True
    if b > at:
        yield at, b, behind


def bursts(device):
    """{start: launch of the first} of kernels that start faster than a stream can, long after their launches."""
    found, streams = {}, collections.defaultdict(list)
    for d in sorted(device, key=lambda d: d['a']):
        late = d['launch'] and d['kernel'] and d['a'] - d['launch'][0] >= 500000
        run = streams[d['stream']]
        if run and not (late and d['a'] - run[-1][0] < 1000 and d['launch'][0] >= run[-1][1]):
            run.clear()
        if late:
            run.append((d['a'], d['launch'][0]))
        if len(run) >= 16 and run[-1][1] - run[0][1] >= max(1000000, 10 * (run[-1][0] - run[0][0])):
            found[run[0][0]] = run[0][1]
    return found


def hidden_part(a, b, e, last, silent, burst):
    """When the hidden end of a gap begins, and the thread of the graph launch that hides it."""
    if not e['launch'] or not last or not last['launch']:
        return b, None
    graph = next((g for g in silent if last['launch'][0] < g[0] < min(e['launch'][0], b)), None)
    if graph:
        return max(a, graph[0]), graph
    return (max(a, burst[b]), None) if burst.get(b, b) < b else (b, None)


def skewed(device):
    """(from, to, ns) of a first collective that waits until the other ranks have begun to record."""
    took = [d for d in sorted(device, key=lambda d: d['a']) if COLLECTIVE.search(d['name'])]
    usual = statistics.median_low([d['b'] - d['a'] for d in took[1:]]) if len(took) > 1 else 0
    first = took[0] if took else None
    if not usual or first['b'] - first['a'] < 10 * usual:
        return 0, 0, 0
    return first['a'], first['b'], first['b'] - first['a'] - usual


def overlap(a, b, c, d):
    return max(0, min(b, d) - max(a, c))


def lateness(threads, gaps, device, begin):
    """{start of a gap: (from, to, wait)}: what of it is in a wait, or behind one that made the host late.
    It is late by as long as the device worked while it waited, until that is used up, or another operator waits for
    kernels that were launched since."""
    launching = {d['launch'][2] for d in device if d['launch']}
    waits = sorted((*w, t) for t in launching for w in threads[t].waits())
    skew, starts = skewed(device), [g[0] for g in gaps]
    found, left, wait, next_wait, launched = {}, 0, None, 0, False

    def worked(a, b):
        a = max(a, begin)
        near = gaps[max(0, bisect.bisect_right(starts, a) - 1):bisect.bisect_left(starts, b)]
        idle = sum(overlap(a, b, g[0], g[1]) for g in near)
        return 0 if idle >= LONG_WAIT else b - a - idle - min(overlap(a, b, *skew[:2]), skew[2])

    for a, b, e, _ in gaps:
        ls, le = e['launch'][:2] if e and e['launch'] else (b, b)
        while next_wait < len(waits) and waits[next_wait][0] <= min(ls, b):
            new = waits[next_wait]
            ns = worked(*new[:2])
            if ns >= left or (launched and ns >= 0 and new[3] == wait[3] and new[2] != wait[2]):
                wait, left, launched = new, ns, False
            next_wait += 1
        if not wait or not e or not e['launch'] or le <= a:
            continue
        launched |= e['kernel'] and ls >= wait[1]
        start = max(wait[0], a)
        behind = max(wait[1], start)
        late = b - behind
        if late >= 1000000:
            left = 0
        if late > 0:
            late = min(late, left)
            left -= late
        found[a] = start, b if late < 0 else behind + late, wait[2]
    return found


def analyse(path):
    graphs = []
    spans, launches, device, calls = collections.defaultdict(list), {}, [], []
    for e in read(path):
        kind, args = str(e.get('cat', '')).lower(), e.get('args') or {}
        a = int(Decimal(e['ts']) * 1000)
        b = a + int(Decimal(e.get('dur', 0)) * 1000)
        link = args.get('correlation', args.get('correlation id'))
        if kind in DEVICE:
            device.append({'a': a, 'b': b, 'name': e['name'], 'link': link, 'kernel': kind == 'kernel',
                           'stream': (e['pid'], e['tid'])})
        elif kind in RUNTIME or kind in NAMED:
            thread = str(e['pid']), str(e['tid'])
            what = 'annotation' if OLD_ANNOTATION.match(e['name']) else NAMED.get(kind, 'runtime')
            spans[thread].append((a, -b, e['name'], what))
            if kind in RUNTIME:
                calls.append((a, b, e['name'], link))
            if kind in RUNTIME and link is not None:
                launches[link] = (a, b, thread, e['name'])
            if kind in RUNTIME and re.search(r'GraphLaunch$', e['name']):
                graphs.append((a, b, thread, link))
    threads = {t: Thread(s) for t, s in spans.items()}
    for d in device:
        d['launch'] = launches.get(d['link'])
    for d in device:
        if d['launch']:
            threads[d['launch'][2]].launch_at(d['launch'][0], d['launch'][1], d['launch'][3])
    links = {d['link'] for d in device}
    silent = sorted(g for g in graphs if g[3] not in links)
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
    begin, end, ends = edges(spans, device, backlog, calls)
    r['window_ms'] = (end - begin) / 1e6
    first = min(device, key=lambda d: (d['a'], d['launch'] is None))
    last = max(device, key=lambda d: d['b'])
    around = [(begin, first['a'], first, None)] if begin < first['a'] else [], \
        [(last['b'], end, None, last)] if end > last['b'] else []
    if gaps:
        a, b, e, last = gaps[0]
        lone = sum(d['a'] <= a for d in device) <= 1
        large = b - a >= 10 * statistics.median(g[1] - g[0] for g in gaps) and b - a >= 0.05 * window
        if lone and large and e['launch'] and e['launch'][0] < b:
            ls, le, thread, call = e['launch']
            le = ls if SYNC.search(call) else le
            if le <= a or waited(threads, thread, max(a, le), b) >= 0.5 * (b - a):
                r['artefact_ms'] = (b - a) / 1e6
                gaps = gaps[1:]
    classes, groups = collections.Counter(), collections.Counter()
    sizes, leaves = collections.defaultdict(list), collections.defaultdict(collections.Counter)
    seen = set()
    firsts = {}
    for d in sorted((d for d in device if d['launch'] and d['kernel']), key=lambda d: d['launch'][0]):
        if d['name'] not in seen:  # a copy loads no code
            seen.add(d['name'])
            firsts[d['link'], d['name']] = True

    def add(what, blame, ns, split=None, leaf=None):
        if ns > 0:
            classes.update(split or {what: ns})
            groups[what, blame] += ns
            sizes[what, blame].append(ns)
            leaves[what, blame].update(leaf or {})

    def add_host(a, b, thread, other, behind, late=(0, 0, '')):
        split, calls, blame, leaf = host_parts(threads, a, b, thread, other, late)
        for (what, call_name), ns in calls.items():
            add(what, call_name, ns)
            split[what] -= ns
        most = max(split.items(), key=lambda c: (c[1], c[0]))[0]  # the rest of a gap is of one group
        add(most, BATCH if behind else blame, sum(split.values()), split, leaf)

    burst = bursts(device)
    late_of = lateness(threads, around[0] + gaps + around[1], device, begin)
    for a, b, e, last in around[0] + gaps + around[1]:
        if not e:
            for s, t, _ in parts_around_data(threads[ends], a, b):
                add_host(s, t, ends, last['launch'][2] if last['launch'] else None, False)
            continue
        from_ns, graph = hidden_part(a, b, e, last, silent, burst)
        add('hidden', 'graph' if graph else 'burst', b - from_ns)
        b = from_ns
        if b <= a:
            continue
        if not e['launch']:
            add('unlinked', '', b - a)
            continue
        ls, le, thread, call = (*graph[:3], '') if graph else e['launch']
        if le <= a:
            add('queued', '', b - a)
            continue
        wait = late_of.get(a, (0, 0, ''))
        if ls > a:
            other = last['launch'][2] if last and last['launch'] else None
            for s, t, behind in parts_around_data(threads[thread], a, min(ls, b)):
                add_host(s, t, thread, other, behind and re.search(r'HtoD|HostToDevice', e['name']), wait)
        inside = min(le, b) - max(ls, a)
        first = (e['link'], e['name']) in firsts and le - ls >= 1000000
        if SYNC.search(call):
            add('hidden' if inside >= LONG_WAIT else 'sync', call, inside)
            inside = 0
        elif le - ls < 1000000:
            waits = overlap(max(ls, a), min(le, b), *wait[:2])
            add('sync', wait[2], waits)
            inside -= waits
        add('first_launch' if first else 'launch', call, inside)
        late = overlap(max(le, a), b, *wait[:2]) if b - max(le, a) < 100000 else 0
        add('sync', wait[2], late)
        start = b - max(le, a) - late if le < b else 0
        if first and start >= 100000:  # what the call loaded has to reach the device
            add('first_launch', call, start)
        else:
            add('latency', '', start)
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
