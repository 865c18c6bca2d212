#!/usr/bin/env python3
"""How long a whole run takes, against unpacking the same trace in the same minute.

    bench.py --program P --sample S --shared DIR --out DIR [--large] [--pairs N]
             [--trace FILE]... [--json FILE] [--against FILE]

A round is one `cat` of the unpacked trace, one `gzip -dc TRACE > /dev/null`, one
`analyze` of TRACE (every format) and one `summarize`, one after the other; ratios are taken within the round, so
that a busy machine slows all four. Told are medians with the least and the greatest, events
and bytes a second, the peak memory of a run, and the stages of the median of the runs (each
with -v), and what each part of the data takes for an event. What that may be is stated in the
table of src/README.md alone, and read from there. Bars that a run misses are marked; the
status stays 0, since a busy machine is none of the program's faults.

Traces: SHARED/traces/xdit-sd35-mi300.json.gz and samples of 10^5 and 10^6 events; with
--large also a sample of 10^7 and the shared trace repeated to 250 MB and 1 GB. Then whole runs
of traces below 5 MB, one with 5 ms added to every open, create, rename, unlink and close (the
library of tests/cli/slow_share.c), and ten runs in a row, each against one alone. --json keeps the figures, --against shows them beside those
that an earlier version kept. Where the load before the runs is not near 0, someone else had a
processor, and the two threads of a run shared what was left.

Each run writes a folder of its own, and all are removed at the end. To replace a folder takes
longer, by its deletion; and ext4 hands out no inode that was deleted in the last minutes, but
looks at each of them for every new file, up to a fifth of a run: so where many files were just
deleted beside --out, wait a little.
"""
import argparse
import gzip
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PEAK_SHARE, PEAK_BASE_BYTES = 0.35, 64e6  # of the unpacked trace, and before its first byte
SCALING_MOST = 1.1                        # time an event at 1 GB against that at 60 MB
GZIP_SHARE = 0.75                         # of gzip -dc, above 50 MB; no machine may take 1.0
SUMMARIZE_SHARE = 0.6                     # the same of summarize
SMALL = ('bert-small-mi300', 'norm-layers-mi300')  # below 5 MB
SMALL_MOST_S = 0.04
SLOW, SLOW_MOST_S = 'qwen-0.5b-mi300', 1.0         # on a share that answers slowly

HERE = os.path.dirname(os.path.abspath(__file__))
TOUR = os.path.join(HERE, '../../src/README.md')
COST_SLACK = 1  # bytes per event, which are stated without a fraction


def stated_costs():
    """{trace: {part: bytes per event}} of the table in src/README.md."""
    with open(TOUR, encoding='utf-8') as f:
        rows = [[cell.strip() for cell in line.strip().strip('|').split('|')]
                for line in f if line.startswith('|')]
    head = next(k for k, row in enumerate(rows) if row[0] == 'bytes per event')
    stated = {}
    for name, *costs in rows[head + 2:]:
        if not costs[0].isdigit():
            break
        stated[name] = dict(zip(rows[head][1:], map(int, costs)))
    return stated


def run(command, env=os.environ):
    """(seconds of wall time, of processors, peak bytes, stderr) of one command.

    The kernel counts the 16 MB of this interpreter, from before the exec, as the least peak."""
    with tempfile.TemporaryFile() as said, open(os.devnull, 'wb') as null:
        start = time.perf_counter()
        pid = os.posix_spawnp(command[0], command, env,
                              file_actions=[(os.POSIX_SPAWN_DUP2, null.fileno(), 1),
                                            (os.POSIX_SPAWN_DUP2, said.fileno(), 2)])
        _, status, used = os.wait4(pid, 0)
        wall = time.perf_counter() - start
        said.seek(0)
        text = said.read().decode()
    if status:
        sys.exit(f'{" ".join(command)}: status {os.waitstatus_to_exitcode(status)}\n{text}')
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, text


def unpack(trace, path):
    with gzip.open(trace) as packed, open(path, 'wb') as plain:
        shutil.copyfileobj(packed, plain, 1 << 20)
    return os.path.getsize(path)


def spread(values):
    return {'median': statistics.median(values), 'least': min(values), 'greatest': max(values)}


def stages_of(runs):
    """{stage: median ms} of what the runs said with -v."""
    all_runs = [dict(re.findall(r'^(\w+) +([\d.]+) ms', r[3], re.M)) for r in runs]
    return {name: statistics.median(float(r[name]) for r in all_runs) for name in all_runs[0]}


def kept_by(said):
    """{part: bytes per event} of what a run said with -v."""
    line = re.search(r'^kept +bytes per event: (.*)$', said, re.M)
    return {part: float(n) for part, n in re.findall(r'(\w+) ([\d.]+)', line.group(1))}


def measure(o, trace):
    sites, plain = tempfile.mkdtemp(dir=o.sites), os.path.join(o.out, 'plain.json')
    analyze = [o.program, 'analyze', trace, '-p', 'MI300X', '-v', '-o']
    size, load = unpack(trace, plain), os.getloadavg()[0]
    summarize = [o.program, 'summarize', trace, '--rank', '0', '-q', '-o']
    commands = {'cat': ['cat', plain], 'gzip': ['gzip', '-dc', trace], 'analyze': analyze,
                'summarize': summarize}
    runs = {name: [] for name in commands}
    for k in range(o.pairs + 1):
        site = os.path.join(sites, str(k))
        to = {'analyze': [site], 'summarize': [site + '-sum']}
        for name, command in commands.items():
            done = run(command + to.get(name, []))
            if k:  # the first is for the page cache
                runs[name].append(done)
    with open(os.path.join(site, 'report.json'), encoding='utf-8') as f:
        events = json.load(f)['input']['events']
    os.remove(plain)
    walls = {name: [r[0] for r in rs] for name, rs in runs.items()}
    peak = max(r[2] for r in runs['analyze'])
    median = statistics.median(walls['analyze'])
    return {
        'trace': os.path.basename(trace), 'rounds': o.pairs, 'unpacked_bytes': size,
        'events': events, 'load_before': load, 'processors': os.cpu_count(),
        'cat_s': spread(walls['cat']), 'gzip_s': spread(walls['gzip']),
        'analyze_s': spread(walls['analyze']),
        'analyze_cpu_s': spread([r[1] for r in runs['analyze']]),
        'ratio': spread([a / g for g, a in zip(walls['gzip'], walls['analyze'])]),
        'summarize_s': spread(walls['summarize']),
        'summarize_ratio': spread([s / g for g, s in zip(walls['gzip'], walls['summarize'])]),
        'summarize_peak_bytes': max(r[2] for r in runs['summarize']),
        'ratio_to_cat': spread([a / c for c, a in zip(walls['cat'], walls['analyze'])]),
        'mb_per_s': size / 1e6 / median, 'events_per_s': events / median,
        'us_per_event': spread([1e6 * a / events for a in walls['analyze']]),
        'peak_bytes': peak, 'peak_bar_bytes': PEAK_SHARE * size + PEAK_BASE_BYTES,
        'kept': kept_by(runs['analyze'][0][3]), 'stages_ms': stages_of(runs['analyze']),
    }


def measure_row(o, trace, times=10):
    """Ten runs in one loop of a shell, each against one alone."""
    one = '"$0" analyze "$1" -p MI300X -j2 -o "$2/$i" -q'
    alone, each = [], []
    for k in range(min(o.pairs, 5) + 1):
        words = [o.program, trace, tempfile.mkdtemp(dir=o.sites)]
        a = run(['sh', '-c', f'i=alone; {one}', *words])[0]
        b = run(['sh', '-c', f'for i in $(seq {times}); do {one} || exit; done', *words])[0]
        if k:
            alone.append(a)
            each.append(b / times)
    return {'trace': os.path.basename(trace), 'in_a_row': times,
            'ratio': spread([e / a for a, e in zip(alone, each)])}


def slow_share(o):
    """The environment in which a file takes 5 ms to open, and to close."""
    library = os.path.join(os.path.abspath(o.out), 'slow_share.so')
    subprocess.run([os.environ.get('CC', 'cc'), '-O1', '-shared', '-fPIC', '-o', library,
                    os.path.join(HERE, '../cli/slow_share.c'), '-ldl'], check=True)
    return dict(os.environ, LD_PRELOAD=library)


def measure_whole(o, name, what, most_s, env=os.environ):
    """Whole runs of a shared trace; None if it is not there."""
    trace = os.path.join(o.shared, 'traces', name + '.json.gz')
    if not os.path.exists(trace):
        return None
    sites = tempfile.mkdtemp(dir=o.sites)
    walls = [run([o.program, 'analyze', trace, '-p', 'MI300X', '-q', '-o',
                  os.path.join(sites, str(k))], env)[0] for k in range(o.pairs + 1)]
    return {'name': f'{name}, {what}', 'whole_s': spread(walls[1:]), 'most_s': most_s}


def measure_wholes(o):
    rows = [measure_whole(o, name, 'small', SMALL_MOST_S) for name in SMALL]
    rows.append(measure_whole(o, SLOW, 'slow share', SLOW_MOST_S, slow_share(o)))
    return [r for r in rows if r]


def scaled(o, trace, mb):
    """`trace`, repeated in time to `mb` MB; made once, since it takes a minute."""
    path = os.path.join(o.out, f'{os.path.basename(trace).split(".")[0]}-{mb}mb.json.gz')
    if not os.path.exists(path):
        tool = os.path.join(o.shared, 'tools/scale_trace.py')
        subprocess.run([sys.executable, tool, trace, 'part.' + os.path.basename(path),
                        '--target-mb', str(mb)], check=True, cwd=o.out)
        os.rename(os.path.join(o.out, 'part.' + os.path.basename(path)), path)
    return path


def sampled(o, events):
    """A made-up trace of so many events; 10^6 are about 340 MB."""
    path = os.path.join(o.out, f'sample-{events}.json.gz')
    if not os.path.exists(path):
        subprocess.run([o.sample, '--kind', 'llm-decode', '--events', str(events), '-o', path],
                       check=True, stdout=subprocess.DEVNULL)
    return path


def traces_of(o):
    if o.trace:
        return o.trace
    real = os.path.abspath(os.path.join(o.shared, 'traces/xdit-sd35-mi300.json.gz'))
    traces = [real] if os.path.exists(real) else []
    traces += [sampled(o, 10**5), sampled(o, 10**6)]
    if o.large:
        traces += [scaled(o, real, mb) for mb in (250, 1000) if os.path.exists(real)]
        traces.append(sampled(o, 10**7))
    return traces


def row(name, s, unit, bar=None, old=None):
    missed = '' if bar is None or s['median'] <= bar else f'   over the bar of {bar:g}'
    before = '' if old is None else f'   was {old["median"]:.3f}'
    print(f'  {name:<29} {s["median"]:8.3f} {unit:<3} {s["least"]:.3f} to {s["greatest"]:.3f}'
          f'{missed}{before}')


def show_costs(result):
    """Bytes an event: a part is what is stated, no less either; the peak is no more."""
    stated = stated_costs().get(result['trace'].split('.')[0])
    costs = dict(result['kept'], peak=result['peak_bytes'] / result['events'])
    words = []
    for part, cost in costs.items():
        bar = stated and stated.get(part)
        missed = bar is not None and (
            cost > bar if part == 'peak' else abs(cost - bar) > COST_SLACK)
        words.append(f'{part} {cost:.1f}' + (f' (stated: {bar})' if missed else ''))
    print('  bytes per event: ' + ', '.join(words) + ('' if stated else '; none is stated'))


def show(result, old):
    def line(name, key, unit, bar=None):
        row(name, result[key], unit, bar, old.get(key))
    print(f'{result["trace"]}: {result["unpacked_bytes"] / 1e6:.1f} MB unpacked, '
          f'{result["events"]} events, {result["rounds"]} rounds, '
          f'{result["processors"]} processors, load {result["load_before"]:.1f} before')
    print('                                  median     least to greatest')
    line('cat, unpacked', 'cat_s', 's')
    line('gzip -dc', 'gzip_s', 's')
    line('analyze, every format', 'analyze_s', 's')
    line('  processor time', 'analyze_cpu_s', 's')
    large = result['unpacked_bytes'] > 50e6
    line('analyze / gzip -dc', 'ratio', 'x', GZIP_SHARE if large else None)
    line('analyze / cat', 'ratio_to_cat', 'x')
    line('an event', 'us_per_event', 'us')
    line('summarize', 'summarize_s', 's')
    line('summarize / gzip -dc', 'summarize_ratio', 'x', SUMMARIZE_SHARE if large else None)
    print(f'  {"peak memory of summarize":<29} {result["summarize_peak_bytes"] / 1e6:8.0f} MB')
    print(f'  {"speed":<29} {result["mb_per_s"]:8.0f} MB/s, '
          f'{result["events_per_s"] / 1e6:.2f} million events/s')
    bar = result['peak_bar_bytes']
    print(f'  {"peak memory":<29} {result["peak_bytes"] / 1e6:8.0f} MB, bar {bar / 1e6:.0f} MB'
          f'{"   over the bar" if result["peak_bytes"] > bar else ""}'
          + (f'   was {old["peak_bytes"] / 1e6:.0f} MB' if old else ''))
    show_costs(result)
    for name, ms in result['stages_ms'].items():
        was = old.get('stages_ms', {}).get(name)
        print(f'    {name:<27} {ms:8.1f} ms' + ('' if was is None else f'   was {was:.1f}'))
    sys.stdout.flush()


def show_scaling(results):
    """Time an event of the largest multiple of the shared trace against that of the trace."""
    ours = sorted((r for r in results if r['trace'].startswith('xdit')),
                  key=lambda r: r['unpacked_bytes'])
    if len(ours) > 1:
        growth = ours[-1]['us_per_event']['median'] / ours[0]['us_per_event']['median']
        print(f'an event at {ours[-1]["unpacked_bytes"] / 1e6:.0f} MB takes {growth:.2f} x that at '
              f'{ours[0]["unpacked_bytes"] / 1e6:.0f} MB; the bar is {SCALING_MOST}')


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--program', required=True)
    ap.add_argument('--sample', required=True, help='the program that makes a sample trace')
    ap.add_argument('--shared', required=True)
    ap.add_argument('--out', required=True)
    ap.add_argument('--large', action='store_true')
    ap.add_argument('--pairs', type=int, default=7, help='rounds')
    ap.add_argument('--json', metavar='FILE')
    ap.add_argument('--against', metavar='FILE', help='figures that --json kept')
    ap.add_argument('--trace', action='append', help='measure this one instead')
    o = ap.parse_args()
    o.program, o.shared = os.path.abspath(o.program), os.path.abspath(o.shared)
    o.sites = os.path.join(o.out, 'sites')
    os.makedirs(o.sites, exist_ok=True)
    old, old_wholes = {}, {}
    if o.against:
        with open(o.against, encoding='utf-8') as f:
            kept = json.load(f)
        old = {r['trace']: r for r in kept['runs']}
        old_wholes = {r['name']: r['whole_s'] for r in kept.get('wholes', [])}
    results = []
    for trace in traces_of(o):
        results.append(measure(o, trace))
        show(results[-1], old.get(results[-1]['trace'], {}))
    show_scaling(results)
    wholes = measure_wholes(o)
    for w in wholes:
        row(w['name'], w['whole_s'], 's', w['most_s'], old_wholes.get(w['name']))
    in_a_row = measure_row(o, traces_of(o)[0])
    row(f'{in_a_row["in_a_row"]} in a row, each / alone', in_a_row['ratio'], 'x')
    if o.json:
        with open(o.json, 'w', encoding='utf-8') as f:
            json.dump({'runs': results, 'wholes': wholes, 'in_a_row': in_a_row}, f, indent=1)
            f.write('\n')
    shutil.rmtree(o.sites)


if __name__ == '__main__':
    main()
