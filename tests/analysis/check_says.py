#!/usr/bin/env python3
"""check_says.py BUILD TRACES - how well kernels fill the device, and what memory is held, from the events alone.

For each trace of the list: the share of kernel time with fewer blocks than the device has SMs, and the memory before
the recording and at its peak, by a reader of its own, against `fill` and `memory` of report.json, within 0.5 %."""
import gzip
import json
import os
import subprocess
import sys
import tempfile

SMS = {'dlrm8-v100-r0': 80, 'bert-small-h100': 132, 'sglang-qwen3moe-b300': 148, 'ddp-ncclmeta-a100': 108,
       'qwen-0.5b-h100': 132, 'rn50-2021-v100': 80}


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
    with tempfile.TemporaryDirectory() as out:
        for n, (name, sms) in enumerate(SMS.items()):
            path, wrong = f'{traces}/{name}.json.gz', []
            subprocess.run([f'{build}/tracefolio', 'analyze', path, '-q', '-f', '-o', out + '/r', '--formats', 'json'],
                           check=True)
            report = json.load(open(out + '/r/report.json'))
            of = events(path)

            def near(what, found, wanted):
                if found is None or abs(found - wanted) > 0.005 * abs(wanted):
                    wrong.append(f'{what}: {found}, not {wanted}')

            near('few blocks, %', report['fill']['few_pct'], few_pct(of, sms))
            memory = held(of)
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
    print(f'{len(SMS) - failed} passed, {failed} failed')
    return failed > 0


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
