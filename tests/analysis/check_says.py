#!/usr/bin/env python3
"""check_says.py BUILD TRACES - how well kernels fill the device, what memory is held, model FLOP utilisation, layers,
collectives, compiled code and the critical path, from the events alone.

For each trace of the first list: the share of kernel time with fewer blocks than the device has SMs, and the memory
before the recording and at its peak, by a reader of its own, against `fill` and `memory` of report.json, within 0.5 %.
For each of the second, whose shapes are recorded: FLOP of products, attention and convolutions by the textbook, by the
time of the step and the peak of the data sheet, against `mfu`. Then what each trace of its own list tells: who holds
the peak of memory, occupancy, the launches of the longest kernel, layers by their frames, collectives by their sizes,
breaks between graphs, and the parts of the critical path, which are the run."""
import gzip
import json
import os
import subprocess
import sys
import tempfile
from math import prod

SMS = {'dlrm8-v100-r0': 80, 'bert-small-h100': 132, 'sglang-qwen3moe-b300': 148, 'ddp-ncclmeta-a100': 108,
       'qwen-0.5b-h100': 132, 'rn50-2021-v100': 80}

# TFLOP/s, dense, of bf16 and of fp32 products, from the data sheets
PEAKS = {'qwen-0.5b-h100': (989.4, 67.0), 'qwen-0.5b-mi300': (1307.4, 163.4), 'xdit-sd35-mi300': (1307.4, 163.4),
         'bert-small-h100': (989.4, 67.0)}


def numbers(text):
    return json.loads(text) if isinstance(text, str) else text


def flop(e):
    """Of one call of ATen that multiplies; 0 of any other."""
    name, args = e['name'], e['args']
    d, told = args.get('Input Dims'), args.get('Concrete Inputs') or []
    if name == 'aten::mm':
        return 2 * d[0][0] * d[0][1] * d[1][1]
    if name == 'aten::addmm':
        return 2 * d[1][0] * d[1][1] * d[2][1]
    if name == 'aten::bmm':
        return 2 * prod(d[0]) * d[1][2]
    if name == 'aten::_scaled_dot_product_flash_attention':
        batch, heads, queries, width = d[0]
        causal = len(told) > 4 and told[4].lower() == 'true'
        return 4 * batch * heads * queries * d[1][2] * width / (2 if causal else 1)
    if name in ('aten::cudnn_convolution', 'aten::miopen_convolution'):
        at = 2 if name == 'aten::cudnn_convolution' else 3
        pad, stride, apart = (numbers(told[at + i]) for i in range(3))
        out = [(d[0][2 + i] + 2 * pad[i] - apart[i] * (d[1][2 + i] - 1) - 1) // stride[i] + 1 for i in range(len(pad))]
        return 2 * d[0][0] * d[1][0] * prod(out) * prod(d[1][1:])
    return 0


def mfu_pct(list_of, bf16, fp32):
    """Of the one step of a recording. It begins when the device is done with what was launched before it, and ends
    with its mark or with the last work of the device."""
    step = next(e for e in list_of if e.get('cat') == 'user_annotation' and e['name'].startswith('ProfilerStep'))
    launched = {e['args'].get('correlation') for e in list_of
                if e.get('cat') in ('cuda_runtime', 'cuda_driver') and e['ts'] >= step['ts']}
    device = [e for e in list_of if e.get('cat') in ('kernel', 'gpu_memcpy', 'gpu_memset')]
    before = [e['ts'] + e['dur'] for e in device if e['args'].get('correlation') not in launched]
    begin = max([step['ts']] + before)
    end = max([step['ts'] + step['dur']] + [e['ts'] + e['dur'] for e in device])
    at_peak = 0
    for e in list_of:
        if e.get('cat') == 'cpu_op' and flop(e):
            types = e['args']['Input type']
            at_peak += flop(e) / 1e6 / (bf16 if 'c10::BFloat16' in types else fp32)
    return 100 * at_peak / (end - begin)


def events(path):
    tree = json.load(gzip.open(path))
    return tree['traceEvents'] if isinstance(tree, dict) else tree


def few_pct(list_of, sms):
    few = total = 0
    for e in list_of:
        grid = (e.get('args') or {}).get('grid')
        if e.get('ph') == 'X' and str(e.get('cat')).lower() == 'kernel' and grid:
            total += e['dur']
            few += e['dur'] * (grid[0] * grid[1] * grid[2] < sms)
    return 100 * few / total


def held(list_of):
    """Bytes before the recording, at the peak, and above the first total at most; None: no totals."""
    records = [e for e in list_of if e.get('name') == '[memory]' and e['args'].get('Device Type') == 1]
    records.sort(key=lambda e: float(e['ts']))
    if not records:
        return None
    level = rise = 0
    for e in records:
        level += e['args']['Bytes']
        rise = max(rise, level)
    first = records[0]['args']
    if 'Total Allocated' not in first:
        return None, None, rise
    return (first['Total Allocated'] - first['Bytes'], max(e['args']['Total Allocated'] for e in records), rise)


def parents(list_of):
    """Of each thread, a function from a time to the complete events around it, the outermost first."""
    threads = {}
    for e in list_of:
        if e.get('ph') == 'X' and e.get('cat') in ('cpu_op', 'python_function', 'user_annotation'):
            threads.setdefault((e['pid'], e['tid']), []).append(e)
    for of in threads.values():
        of.sort(key=lambda e: (float(e['ts']), -float(e['dur'])))

    def around(thread, ts):
        return [e for e in threads.get(thread, ()) if float(e['ts']) <= ts <= float(e['ts']) + float(e['dur'])]
    return around


def module_of(name):
    return name[len('nn.Module: '):].rsplit('_', 1)[0]


def holders(list_of):
    """{(module, operator): bytes} at the first of the highest totals, and frees that match nothing held."""
    around = parents(list_of)
    records = [e for e in list_of if e.get('name') == '[memory]' and e['args'].get('Device Type') == 1]
    records.sort(key=lambda e: float(e['ts']))
    peak = max(range(len(records)), key=lambda k: (records[k]['args']['Total Allocated'], -k))
    live, unmatched = {}, 0
    for k, e in enumerate(records):
        a = e['args']
        if a['Bytes'] > 0 and k <= peak:
            live[a['Addr']] = e
        elif a['Bytes'] < 0:
            unmatched += k <= peak and live.pop(a['Addr'], None) is None
    held_by = {}
    for e in live.values():
        stack = around((e['pid'], e['tid']), float(e['ts']))
        does = [x['name'] for x in stack if x['cat'] == 'cpu_op']
        op = next((n for n in reversed(does) if not n.startswith(('aten::empty', 'aten::resize', 'aten::new_empty'))),
                  does[-1] if does else '')
        module = next((module_of(x['name']) for x in reversed(stack) if x['name'].startswith('nn.Module: ')), '')
        held_by[module, op] = held_by.get((module, op), 0) + e['args']['Bytes']
    return held_by, unmatched, max(e['args']['Total Reserved'] for e in records)


def kernels_of(list_of):
    return [e for e in list_of if e.get('ph') == 'X' and str(e.get('cat')).lower() == 'kernel']


def launches_of(list_of):
    return {e['args'].get('correlation'): e for e in list_of if e.get('ph') == 'X' and
            e.get('cat') in ('cuda_runtime', 'cuda_driver') and 'correlation' in (e.get('args') or {})}


def check_memory(report, of, near):
    held_by, unmatched, reserved = holders(of)
    near('reserved', report['memory']['reserved_bytes'], reserved)
    near('frees of what is not held', unmatched, 0)
    said = {}
    for x in report['memory']['places']:
        if x['kind'] != 'before the recording':
            said[x['module'], x['op']] = said.get((x['module'], x['op']), 0) + x['bytes']
    near('places', len(said), len(held_by))
    for place, size in held_by.items():
        near(f'bytes of {place}', said.get(place), size)
    near('sum of the places', sum(x['bytes'] for x in report['memory']['places']), report['memory']['peak_bytes'])


def check_occupancy(report, of, near):
    known = total = weighed = 0
    for e in kernels_of(of):
        occupancy = e['args'].get('est. achieved occupancy %', 0)
        total += e['dur']
        known += e['dur'] * (occupancy > 0)
        weighed += e['dur'] * occupancy
    near('occupancy known, %', report['fill']['occupancy_known_pct'], 100 * known / total)
    near('occupancy, %', report['fill']['occupancy_pct'], weighed / known)
    for row in report['fill']['kernels'][:5]:
        same = [e for e in kernels_of(of) if e['name'] == row['name']]
        if len(same) == row['count']: # of one operator; of several it has several rows
            near('registers of ' + row['name'][:40], row['registers'], max(e['args']['registers per thread'] for e in same))
            near('time of it', row['total_ms'], sum(e['dur'] for e in same) / 1e3)
            near('blocks per SM of it', row['blocks_per_unit'], sum(e['dur'] * e['args']['blocks per SM'] for e in same) /
                 sum(e['dur'] for e in same))


def check_layers(report, of, near):
    """Device time that is launched inside the frames of each layer."""
    launch = launches_of(of)
    device = [e for e in of if e.get('ph') == 'X' and e.get('cat') in ('kernel', 'gpu_memcpy', 'gpu_memset')]
    for row in report['layers']['layers']:
        frames = [e for e in of if e.get('ph') == 'X' and e['name'] == 'nn.Module: ' + row['name']]
        ns = n = 0
        for e in device:
            host = launch.get(e['args'].get('correlation'))
            if host and any(f['tid'] == host['tid'] and float(f['ts']) <= float(host['ts']) <= float(f['ts']) + float(f['dur'])
                            for f in frames):
                ns += e['dur']
                n += 1
        near(row['name'] + ', ms', row['forward_ms'], ns / 1e3, 0.0005)
        near('kernels of it', row['kernels'], n)
    near('layers', len(report['layers']['layers']), 24)


def check_collectives(report, of, near):
    """All-reduces by the algorithm of a ring: 2 (n - 1) / n of the bytes over each link."""
    size = {'Float': 4, 'Long': 8}
    sizes = {}
    for e in kernels_of(of):
        a = e['args']
        if a.get('Collective name') in ('allreduce', 'broadcast'):
            sizes.setdefault((a['Collective name'], a['In msg nelems'] * size[a['dtype']]), []).append((e['dur'], a['Group size']))
    near('sizes', len(report['collective_sizes']['sizes']), len(sizes))
    for (name, octets), calls in sizes.items():
        row = next(r for r in report['collective_sizes']['sizes'] if r['bytes'] == octets and r['kind'].replace('-', '') == name)
        n, least = calls[0][1], min(us for us, _ in calls)
        bus = 2 * (n - 1) / n if name == 'allreduce' else 1
        near(f'{name} of {octets}, GB/s', row['algorithm_gb_per_s'], octets / least / 1e3, 0.006)
        near('on the bus', row['bus_gb_per_s'], bus * octets / least / 1e3, 0.006)
        near('calls', row['calls'], len(calls))


def check_compiled(report, of, near):
    """Gaps between one call of generated code and the next of the thread."""
    calls = sorted((float(e['ts']), float(e['ts']) + float(e['dur'])) for e in of
                   if e.get('cat') == 'user_annotation' and e['name'].startswith('## Call CompiledFxGraph'))
    gaps = [b[0] - a[1] for a, b in zip(calls, calls[1:])]
    near('breaks', report['compiled']['breaks'], len(gaps))
    near('their time, ms', report['compiled']['break_ms'], sum(gaps) / 1e3, 0.001)
    inside = [e for e in kernels_of(of) if 'correlation' in e['args']]
    launch = launches_of(of)
    us = sum(e['dur'] for e in inside for a, b in calls
             if e['args']['correlation'] in launch and a <= float(launch[e['args']['correlation']]['ts']) <= b)
    graph = sum(r['device_ms'] for r in report['compiled']['calls'] if r['kind'] == 'graph')
    near('kernels of graphs, ms', graph, us / 1e3)


def check_path(report, of, near):
    path = report['critical_path']
    near('parts of the path', sum(path[k] for k in ('kernel_ms', 'copy_ms', 'host_ms', 'latency_ms')), path['time_ms'], 0.002)
    near('the run', path['time_ms'], report['window']['total']['time_ms'])


MORE = {'qwen-0.5b-h100': (check_memory, check_occupancy, check_layers, check_path),
        'bert-small-h100': (check_memory, check_path), 'rn50-2021-v100': (check_occupancy, check_path),
        'ddp-ncclmeta-a100': (check_collectives, check_occupancy, check_path), 'xdit-sd35-mi300': (check_compiled, check_path)}


def main(build, traces):
    if not os.path.isdir(traces):
        print('check-says: skipped: no ../shared\n0 passed, 0 failed, 1 skipped')
        return 0
    failed = 0
    names = list(SMS) + [name for name in PEAKS if name not in SMS]
    with tempfile.TemporaryDirectory() as out:
        for n, name in enumerate(names):
            path, wrong = f'{traces}/{name}.json.gz', []
            subprocess.run([f'{build}/tracefolio', 'analyze', path, '-q', '-f', '-o', out + '/r', '--formats', 'json'],
                           check=True)
            report = json.load(open(out + '/r/report.json'))
            of = events(path)

            def near(what, found, wanted, rounding=0):
                if found is None or abs(found - wanted) > 0.005 * abs(wanted) + rounding:
                    wrong.append(f'{what}: {found}, not {wanted}')

            if name in SMS:
                near('few blocks, %', report['fill']['few_pct'], few_pct(of, SMS[name]))
            if name in PEAKS: # report.json has two decimals of a percentage, which of little is not enough
                use, wanted = report['mfu'], mfu_pct(of, *PEAKS[name])
                near('MFU, %', 100 * use['tflop_per_s'] / use['peak_tflop_per_s'], wanted)
                near('MFU as said, %', use['mfu_pct'], wanted, 0.005)
            memory = held(of) if name in SMS else None
            if memory:
                before, peak, rise = memory
                near('rise', report['memory']['rise_bytes'], rise)
                if peak:
                    near('peak', report['memory']['peak_bytes'], peak)
                    near('peak less rise', report['memory']['peak_bytes'] - report['memory']['rise_bytes'], before)
            for check in MORE.get(name, ()):
                check(report, of, near)
            print(f'{"not " if wrong else ""}ok {n + 1} - {name}')
            for line in wrong:
                print('# ' + line)
            failed += bool(wrong)
    print(f'{len(names) - failed} passed, {failed} failed')
    return failed > 0


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
