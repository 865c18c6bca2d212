#!/usr/bin/env python3
"""rpd_json_trace.py TRACE.json OUT - the kernels, copies, calls and ranges of a trace as rpd2tracing.py writes them from
a database of rocmProfileData: OUT.rpd2.json (an array), OUT.rpd2o.json (an object), and OUT.us.json, which holds no
more in PyTorch's JSON.

Times are whole microseconds, of which begins, lengths and the ends of arrows are each rounded down; device work comes
first, and arrows, without a name of either end, behind all calls."""
import json
import sys
from decimal import ROUND_HALF_UP, Decimal

TYPES = {'HtoD': 'CopyHostToDevice', 'DtoH': 'CopyDeviceToHost', 'DtoD': 'CopyDeviceToDevice'}
NAMES = {'HtoD': 'Memcpy HtoD (Host -> Device)', 'DtoH': 'Memcpy DtoH (Device -> Host)', 'DtoD': 'Memcpy DtoD (Device -> Device)'}


def ns(us):
    return int((Decimal(us) * 1000).to_integral_value(ROUND_HALF_UP))


def way(e):
    return next((w for w in NAMES if w in e['name']), 'DtoD')


def main():
    with open(sys.argv[1], encoding='utf-8') as f:
        spans = [e for e in json.load(f, parse_float=Decimal)['traceEvents'] if isinstance(e, dict) and e.get('ph') == 'X']
    for e in spans:
        e['start'], e['end'] = ns(e['ts']), ns(e['ts']) + ns(e.get('dur', 0))
        e['us'] = {'ts': e['start'] // 1000, 'dur': (e['end'] - e['start']) // 1000}
    calls = [e for e in spans if e.get('cat') == 'cuda_runtime' and 'correlation' in e['args']]
    work = [e for e in spans if e.get('cat') in ('kernel', 'gpu_memcpy', 'gpu_memset')]
    ranges = [e for e in spans if e.get('cat') == 'user_annotation' or (e.get('cat') == 'cpu_op' and '::' in e['name'] and ' ' not in e['name'])]
    by_id = {e['args']['correlation']: e for e in calls}
    gpus = sorted({e['args'].get('device', 0) for e in work})
    rows = [{'name': 'process_name', 'ph': 'M', 'pid': str(g), 'args': {'name': f'GPU{g}'}} for g in gpus]
    rows += [{'name': 'thread_name', 'ph': 'M', 'pid': '777', 'tid': t, 'args': {'name': f'Hip {t}'}} for t in sorted({str(e['tid']) for e in calls})]
    out = [dict(r) for r in rows[len(gpus):]]
    for e in work:
        kernel = e['cat'] == 'kernel'
        name = e['name'] if kernel else '' if e['cat'] == 'gpu_memset' else TYPES[way(e)]
        lane = {'pid': str(e['args'].get('device', 0)), 'tid': str(e['args']['stream'])}
        kind = 'KernelExecution' if kernel else 'FillBuffer' if e['cat'] == 'gpu_memset' else TYPES[way(e)]
        rows.append(dict(lane, name=name or kind, ts=str(e['us']['ts']), dur=str(e['us']['dur']), ph='X', args={'desc': kind}))
    for e in ranges + calls:
        name = e['name'].replace('"', '')
        row = dict(pid='777', tid=str(e['tid']), name=name, ts=str(e['us']['ts']), dur=str(e['us']['dur']), ph='X')
        rows.append(dict(row, args={'desc': name}))
        cat = 'cuda_runtime' if e['cat'] == 'cuda_runtime' else 'cpu_op' if '::' in name and '#' not in name and not name.startswith('nccl:') else 'user_annotation'
        out.append(dict(row, cat=cat, args={'correlation': e['args']['correlation']} if cat == 'cuda_runtime' else {}))
    for n, e in enumerate(work):
        call = by_id.get(e['args'].get('correlation'))
        if call:
            begin = e['start'] // 1000
            arrow = {'cat': 'api_op', 'name': 'api_op', 'id': str(n)}
            rows.append(dict(arrow, pid='777', tid=str(call['tid']), ts=str(min(call['end'] // 1000 - 2, begin)), ph='s'))
            rows.append(dict(arrow, pid=str(e['args'].get('device', 0)), tid=str(e['args']['stream']), ts=str(begin), ph='f', bp='e'))
    for e in work:
        name = e['name'] if e['cat'] == 'kernel' else 'Memset (Device)' if e['cat'] == 'gpu_memset' else NAMES[way(e)]
        args = {k: v for k, v in e['args'].items() if k in ('stream', 'correlation') and (k == 'stream' or v in by_id)}
        out.append(dict(pid=str(e['args'].get('device', 0)), tid=str(e['args']['stream']), name=name, cat=e['cat'], ts=str(e['us']['ts']),
                        dur=str(e['us']['dur']), ph='X', args=args))
    text = '[ {}\n' + ''.join(',' + json.dumps(r, separators=(', ', ': ') if r['ph'] == 'M' else (',', ':')) + '\n' for r in rows) + ']\n'
    # The tool writes spaces behind some of the colons and commas of a process's name, and no others.
    text = text.replace('"pid": ', '"pid":').replace('", "args": {"name": ', '","args":{"name":')
    with open(sys.argv[2] + '.rpd2.json', 'w', encoding='utf-8') as f:
        f.write(text)
    with open(sys.argv[2] + '.rpd2o.json', 'w', encoding='utf-8') as f:
        f.write('{"traceEvents": ' + text + '} \n')
    with open(sys.argv[2] + '.us.json', 'w', encoding='utf-8') as f:
        json.dump({'traceEvents': out}, f, separators=(',', ':'))


main()
