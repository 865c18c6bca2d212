#!/usr/bin/env python3
"""ascend_trace.py TRACE.json OUT - the operators, launch calls and kernels of a trace as torch_npu writes them:
OUT.ascend.json, a trace_view.json, and OUT.npu.json, which holds no more in PyTorch's JSON.

Times are texts; tasks have no category, and are known by their "Task Type"; calls are in a process of their own
("CANN") with the numbers of the threads that call; arrows lead from inside a call, and from an operator, to a task."""
import json
import sys
from decimal import Decimal

NPU, CANN = 800, 43767502


def label(pid, name, kind):
    return [{'ph': 'M', 'name': 'process_name', 'pid': pid, 'tid': 0, 'args': {'name': name}},
            {'ph': 'M', 'name': 'process_labels', 'pid': pid, 'tid': 0, 'args': {'labels': kind}}]


def arrow(name, cat, number, begin, end):
    """Begin and end: pid, tid, time."""
    return [{'ph': ph, 'name': name, 'cat': cat, 'id': str(number), 'pid': pid, 'tid': tid, 'ts': str(ts), 'bp': 'e'}
            for ph, (pid, tid, ts) in (('s', begin), ('f', end))]


def main():
    with open(sys.argv[1], encoding='utf-8') as f:
        spans = [e for e in json.load(f, parse_float=Decimal)['traceEvents'] if isinstance(e, dict) and e.get('ph') == 'X']
    kernels = {e['args']['correlation']: e for e in spans if e.get('cat') == 'kernel'}
    calls = [e for e in spans if e.get('cat') == 'cuda_runtime' and e['args'].get('correlation') in kernels]
    operators = [e for e in spans if e.get('cat') == 'cpu_op']
    host = operators[0]['pid']
    plain = label(host, 'Python', 'CPU') + label(NPU, 'Ascend Hardware', 'NPU')
    ours = list(plain)
    for e in operators:
        e = {k: e[k] for k in ('ph', 'cat', 'name', 'pid', 'tid', 'ts', 'dur')}
        ours.append(dict(e, ts=str(e['ts']), dur=float(e['dur']), args={'Sequence number': -1}))
        plain.append(dict(e, ts=str(e['ts']), dur=str(e['dur'])))
    for e in calls:
        number = e['args']['correlation']
        k = kernels[number]
        stream, at = k['args']['stream'], (host, e['tid'], e['ts'] + e['dur'] / 2)
        ours.append({'ph': 'X', 'name': 'AscendCL@aclnnRun', 'pid': CANN, 'tid': e['tid'], 'ts': str(e['ts']), 'dur': float(e['dur']),
                     'args': {'Thread Id': e['tid'], 'Mode': 'ACL_OP', 'level': 'acl', 'connection_id': number}})
        ours.append({'ph': 'X', 'name': k['name'], 'pid': NPU, 'tid': stream, 'ts': str(k['ts']), 'dur': float(k['dur']),
                     'args': {'Task Type': 'AI_CORE', 'Stream Id': stream, 'connection_id': number}})
        to = (NPU, stream, k['ts'])
        ours += arrow(f'HostToDevice{number}', 'HostToDevice', number, (CANN, e['tid'], at[2]), to)
        ours += arrow('torch_to_npu', 'async_npu', number, at, to)
        plain.append({'ph': 'X', 'cat': 'cuda_runtime', 'name': 'aclnnRun', 'pid': host, 'tid': e['tid'], 'ts': str(e['ts']),
                      'dur': str(e['dur']), 'args': {'correlation': number}})
        plain.append({'ph': 'X', 'cat': 'kernel', 'name': k['name'], 'pid': NPU, 'tid': stream, 'ts': str(k['ts']),
                      'dur': str(k['dur']), 'args': {'correlation': number, 'stream': stream}})
    ours += label(CANN, 'CANN', 'CPU')
    with open(sys.argv[2] + '.ascend.json', 'w', encoding='utf-8') as f:
        json.dump(ours, f, separators=(',', ':'))
    with open(sys.argv[2] + '.npu.json', 'w', encoding='utf-8') as f:
        json.dump({'traceEvents': plain}, f, separators=(',', ':'))


main()
