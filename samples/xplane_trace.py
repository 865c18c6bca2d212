#!/usr/bin/env python3
"""xplane_trace.py TRACE.json OUT - the kernels, collectives, copies, launch calls and steps of a trace as JAX's profiler writes them:
OUT.xplane.pb, and OUT.jax.json, which holds no more in PyTorch's JSON.

Follows xplane.proto and the GPU tracers of XLA: a plane for each GPU and for the host, lines for streams and
threads, the program's HLO among metadata, names and texts of statistics by number and behind the events."""
import json
import sys
from decimal import ROUND_HALF_UP, Decimal

from wire_write import num, text

COPIES = {'HtoD': ('MemcpyH2D', 'Memcpy HtoD (Host -> Device)'), 'DtoH': ('MemcpyD2H', 'Memcpy DtoH (Device -> Host)'),
          'DtoD': ('MemcpyD2D', 'Memcpy DtoD (Device -> Device)')}
PATH = ['jit(step)', 'dot_general', 'loop_add_fusion.1']


TYPES = {'Float': 11, 'BFloat16': 16, 'Half': 10, 'Long': 5, 'Int': 4, 'Byte': 6, 'Double': 12}
KINDS = {'allreduce': 'all-reduce', 'all_gather': 'all-gather', '_allgather_base': 'all-gather', 'reduce_scatter': 'reduce-scatter',
         '_reduce_scatter_base': 'reduce-scatter', 'all_to_all': 'all-to-all', 'broadcast': 'collective-broadcast'}
PROGRAM = 21


def ns(us):
    return int((Decimal(us) * 1000).to_integral_value(ROUND_HALF_UP))


class Plane:
    def __init__(self, name):
        self.name, self.names, self.stats, self.lines = name, {}, {}, {}

    def ref(self, table, s):
        return table.setdefault(s, len(table) + 1)

    def event(self, line, e, name, numbers, texts):
        stats = b''.join(text(4, num(1, self.ref(self.stats, k)) + num(3, v)) for k, v in numbers.items())
        stats += b''.join(text(4, num(1, self.ref(self.stats, k)) + num(7, self.ref(self.stats, v))) for k, v in texts.items())
        body = num(1, self.ref(self.names, name)) + num(2, ns(e['ts']) * 1000) + num(3, ns(e['dur']) * 1000)
        self.lines.setdefault(line, []).append(text(4, body + stats))

    def encode(self):
        out = text(2, self.name)
        for (number, name), events in self.lines.items():
            out += text(3, num(1, number) + text(2, name) + num(3, 0) + b''.join(events))
        for field, table in ((4, self.names), (5, self.stats)):
            for s, i in table.items():
                out += text(field, num(1, i) + text(2, num(1, i) + text(2, s)))
        return text(1, out)


class Program:
    """The collectives of a program of XLA, one instruction for each that differs; every second is a pair of start and done."""
    def __init__(self):
        self.known, self.body = {}, b''

    def instruction(self, number, name, opcode, type_, elements, operand=None, rest=b'', tuple_of=None):
        shape = num(2, type_) + text(3, num(0, elements)[1:])
        if tuple_of:
            shape = num(2, 13) + text(4, num(2, type_) + text(3, num(0, tuple_of)[1:])) + text(4, shape)
        self.body += text(2, text(1, name) + text(2, opcode) + text(3, shape) + num(35, number) +
                          (text(36, num(0, operand)[1:]) if operand else b'') + rest)

    def operation(self, args):
        """The name of the operation, and what PyTorch's JSON says of it; None: it is no collective."""
        kind, type_ = KINDS.get(args.get('Collective name')), TYPES.get(args.get('dtype'))
        if not kind or not type_ or 'In msg nelems' not in args:
            return None
        size, counts = args['Group size'], (args['In msg nelems'], args['Out msg nelems'])
        key = (kind, type_, counts, size)
        if key not in self.known:
            number = 2 * len(self.known) + 1
            starts = len(self.known) % 2 == 1 and kind in ('all-reduce', 'all-gather')
            opcode = kind + '-start' * starts
            self.known[key] = f'{opcode}.{number}'
            groups = text(49, text(1, b''.join(num(0, k)[1:] for k in range(size)))) + num(26, 1) + num(71, 1)
            self.instruction(number, f'param.{number}', 'parameter', type_, counts[0])
            self.instruction(number + 1, self.known[key], opcode, type_, counts[1], number, groups,
                             counts[0] if starts and kind == 'all-gather' else None)
        told = {'Collective name': kind, 'In msg nelems': counts[0], 'Out msg nelems': counts[1], 'dtype': args['dtype'], 'Group size': size,
                'In split size': '[]', 'Out split size': '[]', 'Process Group Name': f'all {size} devices',
                'Process Group Ranks': str(list(range(size)))}
        return self.known[key], told

    def encode(self):
        proto = text(1, text(1, 'jit_step') + text(3, text(1, 'main') + self.body + num(5, 1)))
        stat = text(5, num(1, 1) + text(6, proto))
        return text(1, text(2, '/host:metadata') + text(4, num(1, PROGRAM) + text(2, num(1, PROGRAM) + text(2, 'jit_step') + stat)) +
                    text(5, num(1, 1) + text(2, num(1, 1) + text(2, 'Hlo Proto'))))


def main():
    with open(sys.argv[1], encoding='utf-8') as f:
        spans = [e for e in json.load(f, parse_float=Decimal)['traceEvents'] if isinstance(e, dict) and e.get('ph') == 'X']
    work = [e for e in spans if e.get('cat') == 'kernel' or (e.get('cat') == 'gpu_memcpy' and any(w in e['name'] for w in COPIES))]
    work.sort(key=lambda e: (int(e['pid']), e['args']['stream']))
    calls = [e for e in spans if e.get('cat') == 'cuda_runtime' and 'correlation' in e['args']]
    calls.sort(key=lambda e: int(e['tid']))
    planes, host, out, threads = {}, Plane('/host:CPU'), [], {}
    program, operations = Program(), {}
    for e in work:
        a, way = e['args'], next((w for w in COPIES if w in e['name']), '')
        plane = planes.setdefault(e['pid'], Plane(f"/device:GPU:{e['pid']}"))
        keep = {k: a[k] for k in ('correlation', 'stream') if k in a}
        if e['cat'] == 'kernel':
            dims = {k: a[k] for k in ('grid', 'block') if k in a}
            details = {'kernel_details': ' '.join(f"{k}:{','.join(map(str, v))}" for k, v in dims.items())}
            name, keep = e['name'], dict(keep, **dims)
            numbers, told = {}, program.operation(a)
            if told:
                operations[a['correlation']], keep = told[0], dict(keep, **told[1])
                numbers, details = {'program_id': PROGRAM}, dict(details, hlo_op=told[0])
        else:
            details = {'memcpy_details': f"kind:x size:{a.get('bytes', 0)} dest:0 async:1"}
            name, keep, numbers = COPIES[way][0], dict(keep, bytes=a.get('bytes', 0)), {}
        plane.event((a['stream'], f"Stream #{a['stream']}(Kernel)"), e, name, dict(numbers, correlation_id=a['correlation']), details)
        out.append(dict(e, ts=str(e['ts']), dur=str(e['dur']), args=keep, name=COPIES[way][1] if e['cat'] != 'kernel' else name))
    for e in calls:
        path = PATH[:2] + [operations.get(e['args']['correlation'], PATH[2])]
        host.event((int(e['tid']), f"Host Threads/{e['tid']}"), e, e['name'], {'correlation_id': e['args']['correlation'], 'program_id': PROGRAM},
                   {'tf_op': '/'.join(path[:2]) + ':', 'hlo_op': path[2]})
        e = dict(e, ts=str(e['ts']), dur=str(e['dur']), pid='host')
        rows = threads.setdefault(int(e['tid']), [])
        rows += [dict(e, cat='cpu_op', name=p, args={}) for p in path]
        rows.append(dict(e, args={'correlation': e['args']['correlation']}))
    for e in spans:
        if e.get('cat') == 'user_annotation' and e['name'].startswith('ProfilerStep#'):
            host.event((int(e['tid']), f"Host Threads/{e['tid']}"), e, 'train', {'step_num': int(e['name'][13:])}, {})
            threads.setdefault(int(e['tid']), []).append(dict(e, ts=str(e['ts']), dur=str(e['dur']), pid='host', args={}))
    out += [e for rows in threads.values() for e in rows]
    for pid in planes:
        out.append({'ph': 'M', 'name': 'process_labels', 'pid': pid, 'tid': 0, 'args': {'labels': f'GPU {pid}'}})
    out.append({'ph': 'M', 'name': 'process_labels', 'pid': 'host', 'tid': 0, 'args': {'labels': 'CPU'}})
    out += [{'ph': 'M', 'name': 'thread_name', 'pid': 'host', 'tid': t, 'args': {'name': f'Host Threads/{t}'}} for t, _ in host.lines]
    with open(sys.argv[2] + '.jax.json', 'w', encoding='utf-8') as f:
        json.dump({'traceEvents': out}, f, separators=(',', ':'))
    with open(sys.argv[2] + '.xplane.pb', 'wb') as f:
        f.write(b''.join(p.encode() for p in [program, *planes.values(), host]))


main()
