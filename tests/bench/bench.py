#!/usr/bin/env python3
"""How long a whole run takes, against unpacking the same trace in the same minute.

    bench.py --program P --sample S --shared DIR --out DIR [--large] [--pairs N] [--json FILE]

A pair is one `gzip -dc TRACE > /dev/null` and one `analyze` of TRACE (every format), one
after the other; the ratio is taken within the pair, so that a busy machine slows both. Told
are the medians with the least and the greatest, and the peak memory of a run as a multiple
of the uncompressed trace. The trace is SHARED/traces/xdit-sd35-mi300.json.gz, and with
--large 250 MB and 1 GB of it; where that is absent, samples of our own of those sizes.
The stages at the end are those of one run more, with -v. Where the load before the runs is
not near 0, someone else had a processor, and the two threads of a run shared what was left.
"""
import argparse
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import time


def run(command):
    """(seconds of wall time, of processors, peak bytes) of one command, its output dropped.

    The kernel counts the 16 MB of this interpreter, from before the exec, as the least peak."""
    null = os.open(os.devnull, os.O_WRONLY)
    start = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, os.environ,
                          file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
    _, status, used = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    os.close(null)
    if status:
        sys.exit(f'{" ".join(command)}: status {os.waitstatus_to_exitcode(status)}')
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def unpacked_bytes(trace):
    n = 0
    with gzip.open(trace) as f:
        while block := f.read(1 << 20):
            n += len(block)
    return n


def spread(values):
    return {'median': statistics.median(values), 'least': min(values), 'greatest': max(values)}


def measure(o, trace):
    site, load = os.path.join(o.out, 'site'), os.getloadavg()[0]
    analyze = [o.program, 'analyze', trace, '-p', 'MI300X', '-o', site, '--force', '-q']
    run(['gzip', '-dc', trace]), run(analyze)  # into the page cache, and not counted
    gzips, ours = [], []
    for _ in range(o.pairs):
        gzips.append(run(['gzip', '-dc', trace]))
        ours.append(run(analyze))
    size = unpacked_bytes(trace)
    stages = subprocess.run([*analyze[:-1], '-v'], capture_output=True, text=True, check=True)
    shutil.rmtree(site)
    return {
        'trace': os.path.basename(trace), 'pairs': o.pairs, 'unpacked_bytes': size,
        'load_before': load, 'processors': os.cpu_count(),
        'gzip_s': spread([g[0] for g in gzips]), 'analyze_s': spread([a[0] for a in ours]),
        'analyze_cpu_s': spread([a[1] for a in ours]),
        'ratio': spread([a[0] / g[0] for g, a in zip(gzips, ours)]),
        'peak_bytes': max(a[2] for a in ours), 'peak_ratio': max(a[2] for a in ours) / size,
        'mb_per_s': size / 1e6 / statistics.median(a[0] for a in ours),
        'stages': stages.stderr.splitlines(),
    }


def scaled(o, trace, mb):
    """`trace`, repeated in time to `mb` MB; made once, since it takes a minute."""
    path = os.path.join(o.out, f'{os.path.basename(trace).split(".")[0]}-{mb}mb.json.gz')
    if not os.path.exists(path):
        tool = os.path.join(o.shared, 'tools/scale_trace.py')
        subprocess.run([sys.executable, tool, trace, 'part.' + os.path.basename(path),
                        '--target-mb', str(mb)], check=True, cwd=o.out)
        os.rename(os.path.join(o.out, 'part.' + os.path.basename(path)), path)
    return path


def sampled(o, thousands):
    """A made-up trace of so many thousand events; 180 are about 62 MB."""
    path = os.path.join(o.out, f'sample-{thousands}k.json.gz')
    if not os.path.exists(path):
        subprocess.run([o.sample, '--events', str(1000 * thousands), '-o', path], check=True)
    return path


def traces_of(o):
    real = os.path.abspath(os.path.join(o.shared, 'traces/xdit-sd35-mi300.json.gz'))
    if o.trace:
        return o.trace
    if os.path.exists(real):
        return [real] + [scaled(o, real, mb) for mb in ((250, 1000) if o.large else ())]
    return [sampled(o, thousands) for thousands in ((180, 720, 2900) if o.large else (180,))]


def show(result):
    def row(name, s, unit=''):
        print(f'  {name:<26} {s["median"]:8.3f}{unit}   {s["least"]:.3f} to {s["greatest"]:.3f}')
    print(f'{result["trace"]}: {result["unpacked_bytes"] / 1e6:.1f} MB unpacked, '
          f'{result["pairs"]} pairs, {result["processors"]} processors, '
          f'load {result["load_before"]:.1f} before')
    print('                               median   least to greatest')
    row('gzip -dc', result['gzip_s'], ' s')
    row('analyze, every format', result['analyze_s'], ' s')
    row('  processor time', result['analyze_cpu_s'], ' s')
    row('analyze / gzip -dc', result['ratio'], ' x')
    print(f'  {"read at":<26} {result["mb_per_s"]:8.0f} MB/s')
    print(f'  {"peak memory":<26} {result["peak_bytes"] / 1e6:8.0f} MB   '
          f'{result["peak_ratio"]:.2f} x unpacked')
    print('\n'.join('    ' + line for line in result['stages']), flush=True)


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--program', required=True)
    ap.add_argument('--sample', required=True, help='the program that makes a sample trace')
    ap.add_argument('--shared', required=True)
    ap.add_argument('--out', required=True)
    ap.add_argument('--large', action='store_true')
    ap.add_argument('--pairs', type=int, default=7)
    ap.add_argument('--json', metavar='FILE')
    ap.add_argument('--trace', action='append', help='measure this one instead')
    o = ap.parse_args()
    o.program, o.shared = os.path.abspath(o.program), os.path.abspath(o.shared)
    os.makedirs(o.out, exist_ok=True)
    results = []
    for trace in traces_of(o):
        results.append(measure(o, trace))
        show(results[-1])
    if o.json:
        with open(o.json, 'w', encoding='utf-8') as f:
            json.dump(results, f, indent=1)


if __name__ == '__main__':
    main()
