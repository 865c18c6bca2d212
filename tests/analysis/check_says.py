#!/usr/bin/env python3
"""check_says.py BUILD TRACES - how well kernels fill the device, what memory is held, and model FLOP utilisation, from
the events alone.

For each trace of the first list: the share of kernel time with fewer blocks than the device has SMs, and the memory
before the recording and at its peak, by a reader of its own, against `fill` and `memory` of report.json, within 0.5 %.
For each of the second, whose shapes are recorded: FLOP of products, attention and convolutions by the textbook, by the
time of the step and the peak of the data sheet, against `mfu`."""
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
