#!/usr/bin/env python3
"""Every file that a command reads besides a trace, damaged at random: a report or one line, never a crash.

    mutations.py BUILD [--each N] [--seconds S] [--seed SEED]

N attempts for each kind of file (default 6), or as many as fit into S seconds. The file that a command
fell over stays as mutation-KIND in the current folder.
"""
import argparse
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

ODD = ['', '-1', '0', '1e999', '-0.0', 'NaN', '9223372036854775807', '-9223372036854775808', '18446744073709551616',
       '1e-320', 'null', 'true', '[]', '{}', '""', '"\\u0000"', '"\\ud800"', '[' * 600, '{"a":' * 600, '"' + 'x' * 70000 + '"',
       '<script>', '../../etc/passwd', '/dev/zero', '%s%n', '\x1b[2J', '\u202e', '\0', '\xff\xfe', ',', ':', '\n', '\r\n', '|']
VALUES = [None, True, -1, 0, 0.5, 1e308, -1e308, 2**31, 2**53 + 1, 2**63 - 1, -2**63, 2**64, '', 'x' * 70000, '\0', '\ud800', '../x',
          '<b>', '=1+1', [], {}, [[]], [None], [0] * 5000, {'': 1}, [-1, 2**40]]


def places(tree, at=()):
    yield at
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield from places(value, at + (key,))


def in_tree(tree, r):
    """One value of a JSON tree changed, removed, doubled or exchanged with another."""
    at = r.choice([p for p in places(tree) if p])
    for key in at[:-1]:
        tree = tree[key]
    old, key = tree[at[-1]], at[-1]
    how = r.randrange(5)
    if how == 0:
        del tree[key]
    elif how == 1 and isinstance(tree, list):
        tree.insert(r.randrange(len(tree) + 1), old)
    elif how == 2 and isinstance(old, (int, float)) and not isinstance(old, bool):
        tree[key] = r.choice([old + 1, -old, old * 2**33, old + 0.5, old - 1])
    elif how == 3:
        other = r.choice(list(tree)) if isinstance(tree, dict) else r.randrange(len(tree))
        tree[key], tree[other] = tree[other], tree[key]
    else:
        tree[key] = r.choice(VALUES)


def in_bytes(data, r):
    data = bytearray(data)
    for _ in range(r.choice([1, 1, 2, 8])):
        at, n = r.randrange(len(data) + 1), r.choice([1, 1, 4, 30, 400])
        how = r.randrange(5)
        if how == 0:
            del data[at:at + n]
        elif how == 1:
            data[at:at] = data[at:at + n]
        elif how == 2:
            data[at:at + r.randrange(2) * n] = r.choice(ODD).encode('utf-8', 'surrogatepass')
        elif how == 3 and at < len(data):
            data[at] ^= 1 << r.randrange(8)
        else:
            data[at:at] = bytes(data[(b := r.randrange(len(data) + 1)):b + n])
    return bytes(data)


def mutated(seed, r):
    packed = seed[:2] == b'\x1f\x8b'
    text = gzip.decompress(seed) if packed else seed
    try:
        tree = json.loads(text)
    except ValueError:
        tree = None
    if tree and r.random() < 0.6:
        for _ in range(r.choice([1, 1, 2, 4])):
            in_tree(tree, r)
        text = json.dumps(tree, separators=(',', ':')).encode() + b'\n'
    else:
        text = in_bytes(text, r)
    if not packed:
        return text
    return gzip.compress(text, 1) if r.random() < 0.9 else in_bytes(gzip.compress(text, 1), r)


def kinds(tf, folder):
    """Of each: a name, the file that is sound, where it goes, and the commands that read it."""
    analyze = [tf, 'analyze', 't.json.gz', '-q', '-f', '-o', 'x']
    capture, other = open('caps/rank-00000.capture.json.gz', 'rb').read(), 'caps/rank-00001.capture.json.gz'
    waiver = b'# findings that wait\n' + b'\n'.join(
        f['id'].encode() + b' 2030-01-01 known, and being mended' for f in json.load(open('r/report.json'))['findings'][:3]) + b'\n'
    yield 'capture', capture, 'm.capture.json.gz', [
        [tf, 'compare', 'm.capture.json.gz', other, '-q', '-f', '-o', 'x'],
        [tf, 'job', 'm.capture.json.gz', other, '-q', '-f', '-o', 'x']]
    yield 'run capture', open('r/capture.json.gz', 'rb').read(), 'm.json.gz', [
        [tf, 'compare', 'r/capture.json.gz', 'm.json.gz', '-q', '-f', '-o', 'x', '--fail-on', 'regression>5%']]
    yield 'notes', open(os.path.join(folder, 'notes.md'), 'rb').read(), 'notes.md', [analyze + ['-p', 'none', '--formats', 'site', '--notes', 'notes.md']]
    yield 'waivers', waiver, 'w.txt', [analyze + ['-p', 'none', '--formats', 'json', '--fail-on', 'medium', '--waivers', 'w.txt', '--date', '2026-01-01']]
    yield 'theme', open('theme/theme.json', 'rb').read(), 'theme/theme.json', [[tf, 'themes', 'theme'], analyze + ['-p', 'none', '--formats', 'site', '--theme', 'theme']]
    yield 'platform', open(os.path.join(folder, '../../assets/platforms/A100.json'), 'rb').read(), 'm.json', [analyze + ['-p', 'm.json', '--formats', 'json,csv']]
    yield 'manifest', open('r/MANIFEST.txt', 'rb').read(), 'v/MANIFEST.txt', [
        [tf, 'verify', 'v'], [tf, 'compare', 'v', 'r', '-q', '-f', '-o', 'x'], [tf, 'publish', 'v', 'root', '-q']]
    yield 'summary', open('r/summary.json', 'rb').read(), 'published/run-1/summary.json', [[tf, 'reindex', 'published', '-q']]
    yield 'topology', b'rank,host,slot\n0,left,0\n1,right,1\n', 'places.csv', [[tf, 'job', 'caps', '-q', '-f', '-o', 'x', '--topology', 'places.csv']]
    yield 'names', b'# ours\nall-reduce=my_sum\nnone=rccl_init.*\n', 'names.txt', [analyze + ['-p', 'none', '--formats', 'json', '--names', 'names.txt']]
    yield 'forbidden words', b'# words\nsecret\n/project-.*/\n', 'words.txt', [analyze + ['-p', 'none', '--formats', 'json', '--forbid', 'words.txt']]
    yield 'sheets of a report', open('r/perf_report_csvs/ops_unique_args.csv', 'rb').read(), 'c/perf_report_csvs/ops_unique_args.csv', [
        [tf, 'compare', 'c', 'r', '-q', '-f', '-o', 'x']]


def prepare(build, tf):
    def run(*command):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit('%s\n%s' % (' '.join(command), done.stderr))
    sample = os.path.join(build, 'tracefolio-sample')
    run(sample, '--kind', 'llm-prefill', '--layers', '1', '--steps', '2', '--no-python', '--defect', 'item-sync', '-o', 't.json.gz')
    run(sample, '--no-python', '--job', '2', '-o', 'ranks')
    run(tf, 'summarize', 'ranks', '-o', 'caps', '-q')
    run(tf, 'analyze', 't.json.gz', '-p', 'MI300X', '-q', '-o', 'r', '--formats', 'csv,json,site')
    shutil.copytree('r', 'v')
    shutil.copytree('r', 'c')
    shutil.copytree('r', 'published/run-1')


def wrong(command):
    """What is wrong with how a command ended; nothing if all is well."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return 'takes more than a minute'
    said = done.stderr.decode(errors='replace')
    if done.returncode not in (0, 2, 3, 4, 10, 12):
        return 'status %d\n%s' % (done.returncode, said)
    errors = [line for line in said.splitlines() if 'warning: ' not in line and not line.startswith('note: ')]
    if done.returncode in (2, 3, 4) and len(errors) != 1:
        return '%d lines for status %d\n%s' % (len(errors), done.returncode, said)
    if any(ord(c) < 32 and c not in '\n\t' or c in '\x7f\u202e' for c in said):
        return 'control characters in %r' % said
    return 'a defect of the program: ' + said if 'defect of the program' in said else ''


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('build')
    p.add_argument('--each', type=int, default=6)
    p.add_argument('--seconds', type=float)
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--kind')
    o = p.parse_args()
    build, here, start = os.path.realpath(o.build), os.path.dirname(os.path.realpath(__file__)), os.getcwd()
    tf, r, failed, count, began = os.path.join(build, 'tracefolio'), random.Random(o.seed), 0, 0, time.monotonic()
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        prepare(build, tf)
        shutil.copytree(os.path.join(here, '../../themes/default'), 'theme')
        all_kinds = [k for k in kinds(tf, here) if o.kind in (None, k[0])]
        while time.monotonic() - began < o.seconds if o.seconds else count < o.each:
            count += 1
            for name, sound, path, commands in all_kinds:
                data = mutated(sound, r)
                for command in commands:
                    with open(path, 'wb') as f:
                        f.write(data)
                    if what := wrong(command):
                        failed += 1
                        kept = os.path.join(start, 'mutation-' + name.replace(' ', '-'))
                        with open(kept, 'wb') as f:
                            f.write(data)
                        print('%s: %s: %s\n  kept as %s' % (name, ' '.join(command), what, kept), flush=True)
        os.chdir(start)
    print('%d attempts at each of %d kinds of files, %d failed' % (count, len(all_kinds), failed))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
