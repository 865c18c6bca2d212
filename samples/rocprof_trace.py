#!/usr/bin/env python3
"""rocprof_trace.py TRACE.json OUT - the kernels, copies, launch calls and, as the ranges of rocTX that PyTorch's
emit_nvtx opens, operators and annotations of a trace as rocprofv3 writes them:
OUT.rocprof.json, OUT.rocprof.pftrace, and OUT.kineto.json, which holds no more in PyTorch's JSON; OUT.threads.json
also names the threads, as Perfetto does.

Follows source/lib/output/generateJSON.cpp and generatePerfetto.cpp of rocprofiler-sdk: names by number, agents by
handle, work items for blocks; in Perfetto an end directly behind each begin, on tracks named after what they show."""
import json
import re
import sys
from decimal import ROUND_HALF_UP, Decimal

from wire_write import num, text

GPU, COPIES = 700, {'HtoD': 2, 'DtoH': 3, 'DtoD': 4}
NAMES = ['NONE', 'HOST_TO_HOST', 'HOST_TO_DEVICE', 'DEVICE_TO_HOST', 'DEVICE_TO_DEVICE']
KINETO = {2: 'Memcpy HtoD (Host -> Device)', 3: 'Memcpy DtoH (Device -> Host)', 4: 'Memcpy DtoD (Device -> Device)'}


def ns(us):
    return int((Decimal(us) * 1000).to_integral_value(ROUND_HALF_UP))


class Maker:
    def __init__(self, doc):
        spans = [e for e in doc['traceEvents'] if isinstance(e, dict) and e.get('ph') == 'X']
        self.calls = [e for e in spans if e.get('cat') == 'cuda_runtime']
        self.kernels = [e for e in spans if e.get('cat') == 'kernel']
        self.copies = [e for e in spans if e.get('cat') == 'gpu_memcpy' and self.way(e)]
        self.ranges = [(e, 10**9 + i) for i, e in enumerate(
            e for e in spans if e.get('cat') in ('cpu_op', 'user_annotation') and 'dur' in e)]
        self.kernel_id = {n: i + 1 for i, n in enumerate(dict.fromkeys(e['name'] for e in self.kernels))}
        self.operation = {n: i for i, n in enumerate(dict.fromkeys(e['name'] for e in self.calls))}

    @staticmethod
    def is_operator(e):
        plain = e['name'].removeprefix('autograd::engine::evaluate_function: ')
        return e['cat'] == 'cpu_op' and not re.search('[ #]', plain) and not plain.startswith('nccl:')

    def range_text(self, e, number):
        """As emit_nvtx names operators."""
        if not self.is_operator(e):
            return e['name']
        dims = (e.get('args') or {}).get('Input Dims')
        return f"{e['name']}, op_id = {number}" + (f', sizes = {json.dumps(dims)}' if dims is not None else '')

    @staticmethod
    def way(e):
        return next((n for w, n in COPIES.items() if w in e['name']), 0)

    @staticmethod
    def record(e, kind, operation):
        return {'size': 184, 'kind': kind, 'operation': operation, 'thread_id': int(e['tid']) if kind in (5, 6) else 908,
                'correlation_id': {'internal': (e.get('args') or {}).get('correlation', 0), 'external': 0},
                'start_timestamp': ns(e['ts']), 'end_timestamp': ns(e['ts']) + ns(e['dur'])}

    def document(self):
        kernels, copies = [], []
        for e in self.kernels:
            a = e['args']
            cut = len(kernels) % 2  # the last block of a row, of every other launch
            size = {'grid_size': dict(zip('xyz', (g * b - (b - 1) * cut for g, b in zip(a['grid'], a['block'])))),
                    'workgroup_size': dict(zip('xyz', a['block']))} if 'grid' in a else {}
            kernels.append(dict(self.record(e, 11, 2), stream_id={'handle': a['stream']}, dispatch_info=dict(
                size, agent_id={'handle': GPU + int(e['pid'])}, queue_id={'handle': 1},
                kernel_id=self.kernel_id[e['name']])))
        for e in self.copies:
            copies.append(dict(self.record(e, 10, self.way(e)), bytes=e['args'].get('bytes', 0),
                               stream_id={'handle': e['args']['stream']}, src_agent_id={'handle': 1},
                               dst_agent_id={'handle': GPU + int(e['pid'])}))
        strings = [{'kind': str(k), 'operations': []} for k in range(12)]
        strings[5]['operations'] = list(self.operation)
        strings[10]['operations'] = ['MEMORY_COPY_' + n for n in NAMES]
        symbols = [{'kernel_id': i, 'kernel_name': n, 'demangled_kernel_name': n} for n, i in self.kernel_id.items()]
        gpus = range(1 + max([int(e['pid']) for e in self.kernels], default=0))
        return {'rocprofiler-sdk-tool': [{
            'metadata': {'pid': 908, 'node': {'hostname': 'host'}},
            'agents': [{'id': {'handle': 1}, 'type': 1}] + [{'id': {'handle': GPU + k}, 'type': 2} for k in gpus],
            'strings': {'buffer_records': strings, 'marker_api': [
                {'key': number, 'value': self.range_text(e, number)} for e, number in self.ranges]}, 'kernel_symbols': symbols,
            'callback_records': {'counter_collection': []},
            'buffer_records': {'kernel_dispatch': kernels, 'memory_copy': copies,
                               'hip_api': [self.record(e, 5, self.operation[e['name']]) for e in self.calls],
                               'marker_api': [dict(self.record(e, 6, 0), correlation_id={'internal': number, 'external': 0})
                                              for e, number in self.ranges]}}]}

    def kineto(self, names=False):
        threads = dict.fromkeys(e['tid'] for e in self.calls + [e for e, _ in self.ranges]) if names else ()
        out = []
        for e in self.kernels + self.copies + self.calls:
            a = e['args']
            keep = {k: a[k] for k in ('correlation', 'stream', 'bytes', 'grid', 'block') if k in a and not (
                e['cat'] == 'gpu_memcpy' and k in ('grid', 'block'))}
            e = dict(e, ts=str(e['ts']), dur=str(e['dur']), args=keep)
            if e['cat'] == 'gpu_memcpy':
                e['name'] = KINETO[self.way(e)]
            if e['cat'] == 'cuda_runtime':
                e['pid'] = 908
            out.append(e)
        for e, _ in self.ranges:
            dims = {k: v for k, v in (e.get('args') or {}).items() if k == 'Input Dims' and self.is_operator(e)}
            out.append(dict(e, ts=str(e['ts']), dur=str(e['dur']), pid=908, args=dims,
                            cat='cpu_op' if self.is_operator(e) else 'user_annotation'))
        out += [{'ph': 'M', 'name': 'thread_name', 'pid': 908, 'tid': t, 'args': {'name': f'THREAD 1 ({t})'}} for t in threads]
        return {'traceEvents': out}

    def perfetto(self):
        packets, tracks, clock = [], {}, text(1, num(1, 6) + num(2, 1000))

        def packet(body, at=None):
            head = b'' if at is None else num(8, at)
            packets.append(text(1, head + num(10, 7) + body))

        def track(name):
            if name not in tracks:
                tracks[name] = len(tracks) + 1000
                packet(text(60, num(1, tracks[name]) + text(2, name)))
            return tracks[name]

        def span(e, cat, name, where, notes):
            start, end = ns(e['ts']), ns(e['ts']) + ns(e['dur'])
            notes = dict({'begin_ns': start, 'end_ns': end, 'corr_id': (e.get('args') or {}).get('correlation', 0)}, **notes)
            marks = b''.join(text(4, text(10, k) + num(3, v)) for k, v in notes.items())
            packet(text(11, num(9, 1) + num(11, where) + text(22, cat) + text(23, name) + marks), start)
            packet(text(11, num(9, 2) + num(11, where)), end)

        packet(text(6, clock))
        for e in self.copies:
            where = track(f"COPY to AGENT [{e['pid']}] STREAM [{e['args']['stream']}] (GPU)")
            span(e, 'memory_copy', 'MEMORY_COPY_' + NAMES[self.way(e)], where, {'copy_bytes': e['args'].get('bytes', 0)})
        for e in self.kernels:
            span(e, 'kernel_dispatch', e['name'], track(f"COMPUTE AGENT [{e['pid']}] STREAM [{e['args']['stream']}] (GPU)"), {})
        for e in self.calls:
            span(e, 'hip_api', e['name'], track(f"THREAD 1 ({e['tid']})"), {})
        for e, number in self.ranges:
            span(e, 'marker_api', self.range_text(e, number), track(f"THREAD 1 ({e['tid']})"), {})
        return b''.join(packets)


def main():
    with open(sys.argv[1], encoding='utf-8') as f:
        maker = Maker(json.load(f, parse_float=Decimal))
    for ending, doc in (('rocprof', maker.document()), ('kineto', maker.kineto()), ('threads', maker.kineto(names=True))):
        with open(f'{sys.argv[2]}.{ending}.json', 'w', encoding='utf-8') as f:
            json.dump(doc, f, separators=(',', ':'))
    with open(sys.argv[2] + '.rocprof.pftrace', 'wb') as f:
        f.write(maker.perfetto())


main()
