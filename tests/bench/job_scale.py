#!/usr/bin/env python3
"""How long `tracefolio job` takes for many ranks, from their captures.

    job_scale.py --program P --sample S --out DIR [--ranks N,N,...] [--collectives N] [--runs N]
                 [--json FILE] [--against FILE]

The captures of a made-up job of eight ranks (tracefolio-sample --job) are given to N of them in turn;
one has that of the eighth, whose kernels are 20 % slower: it is to be named. Told are the median time
with the least and the greatest, processor time and peak memory of runs with the pack in the page cache,
the bytes read, and what the site weighs. Bars that the median misses are marked; the status is 1 if a
run fails, names anyone else, or writes other bytes than the one before. --json keeps the figures,
--against shows them beside those that an earlier version kept. The packs stay in DIR, some 30 kB a rank.
"""
import argparse
import glob
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys

from bench import run, spread

ALIKE, STEP = 7, 25  # ranks of the made-up job that nobody plants anything in; collectives of a step
# ranks: seconds, bytes of memory, bytes of the site
BARS = {8: (0.3, 64e6, 1e6), 512: (1, 256e6, 4e6), 2000: (2, 256e6, 6e6), 10000: (20, 1e9, 8e6)}


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


def digest(folder):
    """Of the files of a site, which MANIFEST.txt lists with theirs."""
    with open(os.path.join(folder, 'MANIFEST.txt'), 'rb') as f:
        return hashlib.sha256(f.read()).hexdigest()


def measure(program, pack, site, ranks, runs):
    with open(pack, 'rb') as f: # into the page cache
        while f.read(1 << 24):
            pass
    done, digests = [], set()
    for _ in range(runs):
        done.append(run([program, 'job', pack, '-o', site, '--force']))
        digests.add(digest(site))
    with open(os.path.join(site, 'job.json')) as f:
        named = json.load(f)['late_ranks']
    assert named == [late_rank(ranks)], (ranks, named, done[-1][3])
    assert len(digests) == 1, 'several runs, several sites'
    site_bytes, csv_bytes = weight(site)
    return {'ranks': ranks, 'wall_s': spread([d[0] for d in done]), 'cpu_s': spread([d[1] for d in done]),
            'peak_bytes': max(d[2] for d in done), 'read_bytes': os.path.getsize(pack), 'site_bytes': site_bytes,
            'csv_bytes': csv_bytes}


def show(m, collectives, old):
    bar = BARS.get(m['ranks'])
    got = m['wall_s']['median'], m['peak_bytes'], m['site_bytes']
    missed = bar and [what for what, value, most in zip(('time', 'memory', 'site'), got, bar) if value > most]
    print('%7d %11d %7.2f %15s %7.2f %8.1f %8.1f %8.2f %8.2f   %s%s%s'
          % (m['ranks'], collectives, m['wall_s']['median'],
             '%.2f to %.2f' % (m['wall_s']['least'], m['wall_s']['greatest']), m['cpu_s']['median'],
             m['peak_bytes'] / 1e6, m['read_bytes'] / 1e6, m['site_bytes'] / 1e6, m['csv_bytes'] / 1e6,
             '(%g s, %d MB, %d MB)' % (bar[0], bar[1] / 1e6, bar[2] / 1e6) if bar else '',
             ' MISSED: ' + ', '.join(missed) if missed else '',
             '   was %.2f s, %.1f MB' % (old['wall_s']['median'], old['peak_bytes'] / 1e6) if old else ''), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('program', 'sample', 'out'):
        parser.add_argument('--' + name, required=True)
    parser.add_argument('--ranks', default='8,512,2000,10000')
    parser.add_argument('--collectives', type=int, default=500)
    parser.add_argument('--runs', type=int, default=3)
    parser.add_argument('--json', metavar='FILE')
    parser.add_argument('--against', metavar='FILE')
    o = parser.parse_args()
    os.makedirs(o.out, exist_ok=True)
    old = {}
    if o.against:
        with open(o.against) as f:
            old = {m['ranks']: m for m in json.load(f)}
    captures = captures_of(o.program, o.sample, o.out, o.collectives)
    n = len(captures[0]['collectives']['dur_ns'])
    print('\n%7s %11s %7s %15s %7s %8s %8s %8s %8s   job of N ranks, median of %d, bar in brackets'
          % ('ranks', 'collectives', 'time s', 'least to most', 'CPU s', 'peak MB', 'read MB', 'site MB', 'CSV MB',
             o.runs))
    site, results = os.path.join(o.out, 'job-site'), []
    for ranks in map(int, o.ranks.split(',')):
        pack = os.path.join(o.out, 'job-%d.captures.gz' % ranks)
        write_pack(pack, captures, ranks)
        results.append(measure(o.program, pack, site, ranks, o.runs))
        show(results[-1], n, old.get(ranks))
        shutil.rmtree(site, ignore_errors=True)
    if o.json:
        with open(o.json, 'w') as f:
            json.dump(results, f, indent=1)
            f.write('\n')


if __name__ == '__main__':
    sys.exit(main())
