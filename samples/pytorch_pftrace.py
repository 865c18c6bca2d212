#!/usr/bin/env python3
"""pytorch_pftrace.py TRACE.json OUT.pftrace OUT.json - the events of a trace as PyTorch writes them to
Perfetto protobuf, and to the JSON beside it that holds no more than that.

Follows torch/csrc/profiler/cuspy/cuspy_pftrace.cpp: begins of a group before all its ends, device work as
render stages on queues "[0007] stream 7", copies without a direction, arguments as annotations and texts."""
import gzip
import json
import sys
from decimal import ROUND_HALF_UP, Decimal

from wire_write import num, real, text


def value(v):
    """The value of a DebugAnnotation."""
    if isinstance(v, dict):
        return b''.join(text(11, text(10, k) + value(x)) for k, x in sorted(v.items()))
    if isinstance(v, list):
        return b''.join(text(12, value(x)) for x in v)
    if isinstance(v, bool):
        return num(2, v)
    if isinstance(v, float):
        return real(5, v)
    if isinstance(v, int):
        return num(4, v)
    return text(6, 'null' if v is None else v)


def annotations(args):
    return b''.join(text(4, text(10, k) + value(v)) for k, v in sorted(args.items()))


def whole(us):
    """us in ns: times since 1970 have more digits than a float."""
    return int((Decimal(us) * 1000).to_integral_value(ROUND_HALF_UP))


def plain(v):
    if isinstance(v, dict):
        return {k: plain(x) for k, x in v.items()}
    if isinstance(v, list):
        return [plain(x) for x in v]
    return float(v) if isinstance(v, Decimal) else v


class Names:
    def __init__(self):
        self.of = {}

    def iid(self, s):
        return self.of.setdefault(s, len(self.of) + 1) if s else 0


STAGES = {'kernel': 1, 'gpu_memcpy': 2, 'gpu_memset': 3, 'gpu_user_annotation': 4, 'graph_event_node': 5}
STAGE_NAMES = ['Kernel', 'Memcpy', 'Memset', 'Annotation', 'EventRecord']
LEFT_OUT = set(STAGES) | {'Trace', 'cuda_runtime', 'cuda_driver', 'cuda_sync', 'overhead'}
EXTRA = ['correlation', 'priority', 'queued', 'channel', 'channel_type', 'graph id', 'graph node id', 'bytes', 'value',
         'memory kind']
LAUNCH = {'grid', 'block', 'registers per thread', 'shared memory', 'warps per SM', 'blocks per SM',
          'est. achieved occupancy %', 'device', 'context', 'stream', 'memory bandwidth (GB/s)', 'External id'}


def as_sibling(e):
    """What the JSON of the same exporter says of device work."""
    cat, a = e['cat'], e.get('args', {})
    e = dict(e, args={k: v for k, v in a.items() if k not in LAUNCH - {'grid', 'block', 'registers per thread',
                                                                       'device', 'stream'}})
    if cat in ('gpu_memcpy', 'gpu_memset'):
        e['name'] = 'Memcpy' if cat == 'gpu_memcpy' else 'Memset'
        e['args'] = {k: v for k, v in e['args'].items() if k in ('stream', 'correlation', 'bytes', 'device')}
    if cat == 'gpu_user_annotation':
        e['args'] = {}
    return e


class Trace:
    def __init__(self, doc):
        self.base = int(doc.get('baseTimeNanoseconds', 0))
        self.events = [e for e in doc['traceEvents'] if isinstance(e, dict)]
        self.processes = {e['pid']: e['args'].get('name', '') for e in self.events
                          if e.get('ph') == 'M' and e['name'] == 'process_name'}
        self.threads = {(e['pid'], e['tid']): e['args'].get('name', '') for e in self.events
                        if e.get('ph') == 'M' and e['name'] == 'thread_name'}
        self.names, self.cats, self.kernels = Names(), Names(), Names()
        self.tracks, self.packets, self.ids = [], [], {}
        self.edges = edges_of(self.events)

    def ns(self, us):
        return self.base + whole(us)

    def pid(self, p):
        return p & 0x7fffffff if isinstance(p, int) else self.ids.setdefault(('pid', p), len(self.ids) + 1)

    def track(self, pid, tid):
        for key, parent in ((('p', pid), None), (('t', pid, tid), ('p', pid))):
            if key in self.ids:
                continue
            uuid = self.ids[key] = len(self.ids) + 1
            if parent is None:
                who = text(3, num(1, self.pid(pid)) + text(6, str(self.processes.get(pid) or pid)))
            else:
                who = text(4, num(1, self.pid(pid)) + num(2, self.pid(tid)) +
                           text(5, str(self.threads.get((pid, tid)) or tid)))
            self.tracks.append(text(60, num(1, uuid) + (num(5, self.ids[parent]) if parent else b'') + who))
        return self.ids[('t', pid, tid)]

    def packet(self, body, at=None, flags=None):
        head = num(8, at) if at is not None else b''
        head += num(10, 1) if at is not None or flags is not None else b''
        head += num(13, flags) if flags is not None else b''
        return text(1, head + body)

    def group(self, events):
        rows = [(self.ns(e['ts']), self.ns(e['ts']) + whole(e.get('dur', 0)),
                 self.track(e['pid'], e['tid']), e) for e in events]
        for at, _, uuid, e in rows:
            cat = self.cats.iid(e.get('cat', ''))
            body = num(9, 1) + num(11, uuid) + num(10, self.names.iid(e['name']))
            body += num(3, cat) if cat else b''
            self.packets.append(self.packet(text(11, body + annotations(e.get('args', {}))), at, 2))
        for _, end, uuid, _ in rows:
            self.packets.append(self.packet(text(11, num(9, 2) + num(11, uuid)), end))

    def stage(self, e, event_id, queue, waits):
        cat, a = e['cat'], e.get('args', {})
        body = num(1, event_id) + num(2, whole(e.get('dur', 0))) + num(11, e['pid']) + num(13, queue)
        body += num(14, STAGES[cat]) + num(5, 1) + b''.join(num(18, w) for w in waits)
        body += num(20, self.names.iid(e['name'])) if cat in ('kernel', 'gpu_user_annotation') else b''
        if 'grid' in a:
            dims = [b''.join(num(i + 1, n) for i, n in enumerate(a[k])) for k in ('grid', 'block')]
            args = text(3, num(1, 1) + num(4, a['registers per thread'])) if a.get('registers per thread') else b''
            body += num(19, self.kernels.iid(e['name'])) + text(21, text(1, dims[0]) + text(2, dims[1]) + args)
        pairs = [('device id', e['pid']), ('context id', 1), ('stream id', a.get('stream', e['tid']))]
        pairs += [(k, a[k]) for k in EXTRA if a.get(k)] + [('arch', 'sm_90'), ('process_id', '9')]
        pairs += [(k, v if isinstance(v, str) else json.dumps(v)) for k, v in a.items()
                  if k not in EXTRA and k not in LAUNCH]
        for k, v in pairs:
            body += text(6, text(1, k) + text(2, str(v)))
        self.packets.append(self.packet(text(53, body), self.ns(e['ts']), 2))

    def groups(self):
        """Device work, and calls in the groups that they are written in."""
        spans = [e for e in self.events if e.get('ph') == 'X']
        work = [e for k in STAGES for e in spans if e.get('cat') == k]
        return work, [[e for e in spans if e.get('cat') not in LEFT_OUT]] + [
            [e for e in spans if e.get('cat') == cat] for cat in ('cuda_runtime', 'cuda_driver', 'overhead')]

    def encode(self):
        work, groups = self.groups()
        for group in groups:
            self.group([dict(e, cat='') if e['cat'] == 'overhead' else e for e in group])
        lanes = sorted({(e['pid'], int(e['tid'])) for e in work})
        width = len(str(max([k for _, k in lanes], default=0)))
        begins, ends = ({(e['pid'], int(e['tid']), whole(e['ts']) + at * whole(e['dur'])): i + 1 for i, e in enumerate(work)} for at in (0, 1))
        waits = {}
        for before, after in self.edges:
            waits.setdefault(begins[after], []).append(ends[before])
        for i, e in enumerate(work):
            self.stage(e, i + 1, 100 + lanes.index((e['pid'], int(e['tid']))), waits.get(i + 1, ()))
        counters = [e for e in self.events if is_gpu_counter(e)]
        names = sorted({e['name'] for e in counters})
        for e in counters:
            value = next(iter(e['args'].values()))
            body = num(4, int(e['pid'].split()[1]) + 1)
            body += text(2, num(1, names.index(e['name'])) + (real(3, value) if isinstance(value, float) else num(2, value)))
            self.packets.append(self.packet(text(52, body), self.ns(e['ts']), 2))
        specs = [(i + 1, n) for i, n in enumerate(STAGE_NAMES)]
        specs += [(100 + i, f'[{k:0{width}d}] stream {k}') for i, (_, k) in enumerate(lanes)]
        interned = b''.join(text(2, num(1, i) + text(2, s)) for s, i in self.names.of.items())
        interned += b''.join(text(1, num(1, i) + text(2, s)) for s, i in self.cats.of.items())
        interned += b''.join(text(24, num(1, i) + text(2, s)) for i, s in specs)
        interned += b''.join(text(1000, num(1, i) + text(3, s)) for s, i in self.kernels.of.items())
        interned += text(1001, num(1, 1) + text(2, 'registers_per_thread'))
        for gpu in sorted({int(e['pid'].split()[1]) for e in counters}):
            descriptor = b''.join(text(1, num(1, i) + text(2, n)) for i, n in enumerate(names))
            interned += text(47, num(1, gpu + 1) + num(2, gpu) + text(3, descriptor))
        clocks = text(1, num(1, 6) + num(2, self.base)) + text(1, num(1, 1) + num(2, self.base))
        return b''.join([self.packet(text(6, clocks), self.base)] + [self.packet(t) for t in self.tracks] +
                        [self.packet(text(12, interned), flags=1)] + self.packets)


def edges_of(events):
    """Of GPU graphs: where and when each begins, and where and when it ends."""
    at = {(e['ph'], e['id']): (e['pid'], int(e['tid']), whole(e['ts'])) for e in events
          if e.get('cat') == 'ac2g' and int(e['id']) >= 1 << 40}
    return [(at['s', i], at['f', i]) for ph, i in at if ph == 's']


def is_gpu_counter(e):
    return e.get('ph') == 'C' and str(e['pid']).startswith('GPU ')


def sibling(doc):
    events = []
    for e in doc['traceEvents']:
        if 'args' in e:
            e['args'] = plain(e['args'])
        if e.get('ph') == 'X' and e.get('cat') in STAGES:
            e = as_sibling(e)
        if e.get('cat') != 'Trace' and (e.get('ph') != 'C' or is_gpu_counter(e)):
            events.append(e)
    return {'baseTimeNanoseconds': int(doc.get('baseTimeNanoseconds', 0)), 'traceEvents': events}


def main():
    source, proto, out = sys.argv[1:]
    with (gzip.open if source.endswith('.gz') else open)(source, 'rb') as f:
        doc = json.load(f, parse_float=Decimal)
    doc = sibling(doc)
    work, groups = Trace(doc).groups()
    spans = work + sum(groups, [])
    doc['traceEvents'] = spans + [e for e in doc['traceEvents'] if e.get('ph') != 'X']
    with (gzip.GzipFile(proto, 'wb', 1, mtime=0) if proto.endswith('.gz') else open(proto, 'wb')) as f:
        f.write(Trace(doc).encode())
    with open(out, 'w', encoding='utf-8') as f:
        json.dump(doc, f, separators=(',', ':'), default=str)


main()
