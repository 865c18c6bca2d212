#!/usr/bin/env python3
"""How long `tracefolio job` takes for many ranks, from their captures.

    job_scale.py --program P --sample S --out DIR [--ranks N,N,...] [--collectives N]

The captures of a made-up job of eight ranks (tracefolio-sample --job) are given to N of them in turn;
one has that of the eighth, whose kernels are 20 % slower: it is to be named. Told are time, processor
time and peak memory of one run with the pack in the page cache, the bytes read, and what the site
weighs. Bars that are missed are marked; the status is 1 if a run fails or names anyone else. The packs
stay in DIR, some 30 kB a rank.
"""
import argparse
import glob
import gzip
import json
import os
import shutil
import subprocess
import sys

from bench import run

ALIKE, STEP = 7, 25  # ranks of the made-up job that nobody plants anything in; collectives of a step
# ranks: seconds, bytes of memory, bytes of the site
BARS = {8: (0.3, 64e6, 1e6), 512: (3, 256e6, 4e6), 10000: (30, 1e9, 8e6)}


def captures_of(program, sample, out, collectives):
    """The captures of eight ranks in step, the last of them late."""
    folder = os.path.join(out, 'job-of-8')
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    subprocess.run([sample, '--job', str(ALIKE + 1), '--tensor', str(ALIKE + 1), '--no-python', '--layers', '6',
                    '--steps', str(collectives // STEP), '--plant', 'late-compute:%d=20' % ALIKE,
                    '-o', folder + '/traces'], check=True)
    subprocess.run([program, 'summarize', *sorted(glob.glob(folder + '/traces/*')), '-o', folder],
                   check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    captures = []
    for path in sorted(glob.glob(folder + '/*.capture.json.gz')):
        with gzip.open(path) as f:
            captures.append(json.load(f))
    shutil.rmtree(folder)
    return captures


def line_of(capture, ranks):
    """With @RANK@ for the rank; its groups are of all ranks."""
    groups = capture['groups']
    groups['ranks'] = [[[0, 1, ranks]] for _ in groups['ranks']]
    groups['size'] = [ranks for _ in groups['size']]
    capture['meta'].update(rank='@RANK@', world_size=ranks, file='rank@RANK@.json.gz', sha256='@SHA@')
    return json.dumps(capture, sort_keys=True, separators=(',', ':')).replace('"@RANK@"', '@RANK@')


def write_pack(path, captures, ranks):
    lines = [line_of(c, ranks) for c in captures]
    with open(path, 'wb') as f:
        for rank in range(ranks):
            line = lines[ALIKE if rank == late_rank(ranks) else rank % ALIKE]
            line = line.replace('@RANK@', str(rank)).replace('@SHA@', '%064x' % rank)
            f.write(gzip.compress(line.encode() + b'\n', 1, mtime=0))


def late_rank(ranks):
    return ranks * 3 // 7


def weight(folder):
    """(bytes of the site, of its tables)"""
    of = [0, 0]
    for d, _, names in os.walk(folder):
        of['job_csvs' in d] += sum(os.path.getsize(os.path.join(d, name)) for name in names)
    return of


def measure(program, pack, site, ranks):
    with open(pack, 'rb') as f: # into the page cache
        while f.read(1 << 24):
            pass
    wall, cpu, peak, said = run([program, 'job', pack, '-o', site, '--force'])
    with open(os.path.join(site, 'job.json')) as f:
        named = json.load(f)['late_ranks']
    assert named == [late_rank(ranks)], (ranks, named, said)
    return wall, cpu, peak, *weight(site)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('program', 'sample', 'out'):
        parser.add_argument('--' + name, required=True)
    parser.add_argument('--ranks', default='8,512,10000')
    parser.add_argument('--collectives', type=int, default=500)
    o = parser.parse_args()
    os.makedirs(o.out, exist_ok=True)
    captures = captures_of(o.program, o.sample, o.out, o.collectives)
    n = len(captures[0]['collectives']['dur_ns'])
    print('\n%7s %11s %8s %8s %9s %9s %9s %9s   job of N ranks, bar in brackets'
          % ('ranks', 'collectives', 'time s', 'CPU s', 'peak MB', 'read MB', 'site MB', 'CSV MB'))
    site = os.path.join(o.out, 'job-site')
    for ranks in map(int, o.ranks.split(',')):
        pack = os.path.join(o.out, 'job-%d.captures.gz' % ranks)
        write_pack(pack, captures, ranks)
        wall, cpu, peak, site_bytes, csv_bytes = measure(o.program, pack, site, ranks)
        bar = BARS.get(ranks)
        missed = bar and [what for what, got, most in zip(('time', 'memory', 'site'), (wall, peak, site_bytes), bar)
                          if got > most]
        print('%7d %11d %8.2f %8.2f %9.1f %9.1f %9.2f %9.2f   %s%s'
              % (ranks, n, wall, cpu, peak / 1e6, os.path.getsize(pack) / 1e6, site_bytes / 1e6, csv_bytes / 1e6,
                 '(%g s, %d MB, %d MB)' % (bar[0], bar[1] / 1e6, bar[2] / 1e6) if bar else '',
                 ' MISSED: ' + ', '.join(missed) if missed else ''), flush=True)
        shutil.rmtree(site, ignore_errors=True)


if __name__ == '__main__':
    sys.exit(main())
