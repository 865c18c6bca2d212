#!/usr/bin/env python3
"""Every file that a command reads, traces among them, damaged at random: a report or one line, never a crash.

    mutations.py BUILD [--each N] [--seconds S] [--seed SEED]

N attempts for each kind of file (default 6), or as many as fit into S seconds, a kind after the other. The
file that a command fell over stays as mutation-KIND in the current folder.
"""
import argparse
import copy
import glob
import gzip
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

ODD = ['', '-1', '0', '1e999', '-0.0', 'NaN', '9223372036854775807', '-9223372036854775808', '18446744073709551616',
       '1e-320', 'null', 'true', '[]', '{}', '""', '"\\u0000"', '"\\ud800"', '[' * 600, '{"a":' * 600, '"' + 'x' * 70000 + '"',
       '<script>', '../../etc/passwd', '/dev/zero', '%s%n', '\x1b[2J', '\u202e', '\0', '\xff\xfe', ',', ':', '\n', '\r\n', '|']
LARGE = [b'9e12', b'1e18', b'-1e308', b'9223372036854775807', b'-9223372036854775808', b'2305843009213693952', b'-1', b'0', b'nan', b'1e-320']
VALUES = [None, True, -1, 0, 0.5, 1e308, -1e308, 2**31, 2**53 + 1, 2**63 - 1, -2**63, 2**64, '', 'x' * 70000, '\0', '\ud800', '../x',
          '<b>', '=1+1', [], {}, [[]], [None], [0] * 5000, {'': 1}, [-1, 2**40]]


def places(tree, at=()):
    yield at
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield from places(value, at + (key,))


def in_tree(tree, r):
    """One value of a JSON tree changed, removed, doubled, or exchanged with another or for one of the same name."""
    all_of = [p for p in places(tree) if p]
    if not all_of:  # a change before this one removed the only member
        return
    at = r.choice(all_of)
    like = r.choice([p for p in all_of if p[-1] == at[-1]])
    root = tree
    for key in at[:-1]:
        tree = tree[key]
    old, key = tree[at[-1]], at[-1]
    how = r.randrange(6)
    if how == 0:
        del tree[key]
    elif how == 1 and isinstance(tree, list):
        tree.insert(r.randrange(len(tree) + 1), old)
    elif how == 2 and isinstance(old, (int, float)) and not isinstance(old, bool):
        tree[key] = r.choice([old + 1, -old, old * 2**33, old + 0.5, old - 1])
    elif how == 3:
        other = r.choice(list(tree)) if isinstance(tree, dict) else r.randrange(len(tree))
        tree[key], tree[other] = tree[other], tree[key]
    elif how == 4:
        for step in like:
            root = root[step]
        tree[key] = copy.deepcopy(root)
    else:
        tree[key] = r.choice(VALUES)


def in_bytes(data, r):
    data = bytearray(data)
    for _ in range(r.choice([1, 1, 2, 8])):
        at, n = r.randrange(len(data) + 1), r.choice([1, 1, 4, 30, 400])
        how = r.randrange(6)
        if how == 5 and (numbers := list(re.finditer(rb'-?\d[\d.]*', data))):
            where = r.choice(numbers)
            data[where.start():where.end()] = r.choice(LARGE)
        elif how == 0:
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


def kinds_of_traces(tf):
    """Traces of several kinds, each through the commands that read one."""
    def analyze(*options):
        return [tf, 'analyze', 'm.json.gz', '-q', '-f', '-o', 'x', *options]
    yield 'trace', open('t.json.gz', 'rb').read(), 'm.json.gz', [
        analyze('-p', 'MI300X'), [tf, 'patterns', '--trace', 'm.json.gz', '-p', 'MI300X'],
        [tf, 'tree', 'm.json.gz', '--find', 'aten', '--subtree', '--print', 'json'], [tf, 'tree', 'm.json.gz', '--find', 'k', '--parents'],
        [tf, 'tree', 'm.json.gz', '--id', '9', '--callers', '--fields', 'Input Dims'],
        [tf, 'whatif', 'm.json.gz', 'kernel:*=0.5', 'host:*Sync*=0', '-p', 'MI300X', '-q', '--print', 'json']]
    yield 'trace with graphs', open('graphs.json.gz', 'rb').read(), 'm.json.gz', [
        analyze('--formats', 'csv,json,site', '--capture-trace', 't.json.gz'),
        [tf, 'whatif', 'm.json.gz', 'op:aten*=0.5', 'copy:*=0', '-q'],
        [tf, 'compare', 'm.json.gz', 't.json.gz', '-q', '-f', '-o', 'x', '--match', 'tree'],
        [tf, 'cut', 'm.json.gz', '--from', '2405645180000', '--to', '2405645190000', '-f', '-o', 'x.json.gz']]
    yield 'trace with frames', open('frames.json.gz', 'rb').read(), 'm.json.gz', [
        analyze('--formats', 'md,json,site', '--detect-recompute', '--include-backlog', '--source-root', '.', '--sarif', 'x.sarif'),
        analyze('--formats', 'site,cuts', '--share', 'partner', '--hide-shapes', '--exclude-unlinked'),
        [tf, 'whatif', 'm.json.gz', 'host:*=1e-9', 'finding:S1', '-p', 'MI300X', '-q']]
    yield 'trace of the capture', open('t.json.gz', 'rb').read(), 'm.json.gz', [
        [tf, 'analyze', 'graphs.json.gz', '-q', '-f', '-o', 'x', '--formats', 'csv,json', '--capture-trace', 'm.json.gz']]
    yield 'trace of a rank', open('small/rank0.json.gz', 'rb').read(), 'pair/rank0.json.gz', [
        [tf, 'job', 'pair', '-q', '-f', '-o', 'x', '--gpus-per-node', '1'],
        [tf, 'whatif', 'pair/rank0.json.gz', 'collective:*=0.5', 'kernel:*=2', '-q', '--print', 'json'], [tf, 'summarize', 'pair', '-q', '-f', '-o', 'x'],
        [tf, 'cut', 'pair/rank0.json.gz', 'pair/rank1.json.gz', '--shift', '0,1', '--from', '2405645180000', '--to', '2405645190000',
         '-f', '-o', 'x.json.gz']]


def kinds_of_formats(tf):
    """What other profilers write, and changes that `whatif` is asked for."""
    for name, file in FORMATS:
        yield 'trace in ' + name, open('formats/' + file, 'rb').read(), 'm.trace', [
            [tf, 'analyze', 'm.trace', '-q', '-f', '-o', 'x', '-p', 'MI300X', '--formats', 'csv,json,md,site'],
            [tf, 'whatif', 'm.trace', 'kernel:*=0.5', 'host:*=0', '-q'], [tf, 'job', 'm.trace', '-q', '-f', '-o', 'x']]
    yield 'changes of whatif', CHANGES, 'changes.txt', [
        [tf, 'whatif', 't.json.gz', '-p', 'MI300X', '-q', '--print', how, '<changes.txt'] for how in ('text', 'json')]


def kinds_of_captures(tf):
    capture, other = open('caps/rank-00000.capture.json.gz', 'rb').read(), 'caps/rank-00001.capture.json.gz'
    pack = capture + open(other, 'rb').read()
    yield 'capture', capture, 'm.capture.json.gz', [
        [tf, 'compare', 'm.capture.json.gz', other, '-q', '-f', '-o', 'x'],
        [tf, 'job', 'm.capture.json.gz', other, '-q', '-f', '-o', 'x']]
    yield 'run capture', open('r/capture.json.gz', 'rb').read(), 'm.json.gz', [
        [tf, 'compare', 'r/capture.json.gz', 'm.json.gz', '-q', '-f', '-o', 'x', '--fail-on', 'regression>5%']]
    yield 'history', open('r/capture.json.gz', 'rb').read(), 'history/1.json.gz', [
        [tf, 'compare', 'r/capture.json.gz', 'r/capture.json.gz', '-q', '-f', '-o', 'x', '--history', 'history']]
    yield 'capture to go on from', capture, 'resumed/rank-00000.capture.json.gz', [
        [tf, 'summarize', 'ranks', '-o', 'resumed', '-q', '-f', '--resume', '--rank-regex', 'rank([0-9]+)']]
    yield 'pack', pack, 'm.captures.gz', [[tf, 'job', 'm.captures.gz', '-q', '-f', '-o', 'x']]
    yield 'capture of another job', capture, 'other/rank-00000.capture.json.gz', [
        [tf, 'compare', 'caps', 'other', '-q', '-f', '-o', 'x', '--fail-on', 'wall>5%']]
    yield 'list', b'caps/rank-00000.capture.json.gz\ncaps/rank-00001.capture.json.gz\n', 'm.txt', [[tf, 'job', '@m.txt', '-q', '-f', '-o', 'x']]


def kinds(tf, folder):
    """Of each: a name, the file that is sound, where it goes, and the commands that read it."""
    analyze = [tf, 'analyze', 't.json.gz', '-q', '-f', '-o', 'x']
    waiver = b'# findings that wait\n' + b'\n'.join(
        f['id'].encode() + b' 2030-01-01 known, and being mended' for f in json.load(open('r/report.json'))['findings'][:3]) + b'\n'
    lua = b''.join(open(os.path.join(folder, '../../assets', name), 'rb').read() for name in ('extensions/softmax_model.lua', 'patterns/gemm.lua'))
    yield from kinds_of_traces(tf)
    yield from kinds_of_formats(tf)
    yield from kinds_of_captures(tf)
    yield 'notes', open(os.path.join(folder, 'notes.md'), 'rb').read(), 'notes.md', [analyze + ['-p', 'none', '--formats', 'site', '--notes', 'notes.md']]
    yield 'waivers', waiver, 'w.txt', [analyze + ['-p', 'none', '--formats', 'json', '--fail-on', 'medium', '--waivers', 'w.txt', '--date', '2026-01-01']]
    yield 'theme', open('theme/theme.json', 'rb').read(), 'theme/theme.json', [[tf, 'themes', 'theme'], analyze + ['-p', 'none', '--formats', 'site', '--theme', 'theme']]
    yield 'logo', LOGO, 'house/logo.svg', [analyze + ['-p', 'none', '--formats', 'site', '--theme', 'house']]
    yield 'extension', lua, 'm.lua', [[tf, 'patterns', '--extension', 'm.lua'], analyze + ['-p', 'MI300X', '--formats', 'json,site', '--extension', 'm.lua']]
    yield 'platform', open(os.path.join(folder, '../../assets/platforms/A100.json'), 'rb').read(), 'm.json', [analyze + ['-p', 'm.json', '--formats', 'json,csv']]
    yield 'manifest', open('r/MANIFEST.txt', 'rb').read(), 'v/MANIFEST.txt', [
        [tf, 'verify', 'v'], [tf, 'compare', 'v', 'r', '-q', '-f', '-o', 'x'], [tf, 'publish', 'v', 'root', '-q'],
        [tf, 'analyze', 't.json.gz', '-p', 'none', '-q', '--formats', 'json', '-o', 'v-copy']]
    yield 'summary', open('r/summary.json', 'rb').read(), 'published/run-1/summary.json', [[tf, 'reindex', 'published', '-q']]
    yield 'summary of a sound report', open('r/summary.json', 'rb').read(), 'sealed/summary.json', [[tf, 'publish', 'sealed', 'root', '-q']]
    yield 'summary of a job', open('site-of-job/summary.json', 'rb').read(), 'jobs/job-1/summary.json', [
        [tf, 'reindex', 'jobs', '-q'], [tf, 'verify', 'jobs/job-1']]
    yield 'topology', b'rank,host,slot\n0,left,0\n1,right,1\n', 'places.csv', [[tf, 'job', 'caps', '-q', '-f', '-o', 'x', '--topology', 'places.csv']]
    yield 'names', b'# ours\nall-reduce=my_sum\nnone=rccl_init.*\n', 'names.txt', [analyze + ['-p', 'none', '--formats', 'json', '--names', 'names.txt']]
    yield 'forbidden words', b'# words\nsecret\n/project-.*/\n', 'words.txt', [
        analyze + ['-p', 'none', '--formats', 'json', '--forbid', 'words.txt'], [tf, 'share-check', 'few', '--forbid', 'words.txt']]
    for name in ('workbook.xlsx', 'chart.png', 'package.zip', 'cut.json.gz'):
        yield name, open('few/' + name, 'rb').read(), 'leaves/' + name, [[tf, 'share-check', 'leaves', '--forbid', 'sound-words.txt']]
    yield 'sheets of a report', open('r/perf_report_csvs/ops_unique_args.csv', 'rb').read(), 'c/perf_report_csvs/ops_unique_args.csv', [
        [tf, 'compare', 'c', 'r', '-q', '-f', '-o', 'x']]
    yield 'sheets alone', open('r/perf_report_csvs/unified_perf_summary.csv', 'rb').read(), 'alone/perf_report_csvs/unified_perf_summary.csv', [
        [tf, 'compare', 'r', 'alone', '-q', '-f', '-o', 'x']]


CHANGES = b'kernel:*gemm*=0.5\nop:aten::mm=0\ncopy:*=2\ncollective:*=0.5\nhost:*Sync*=0\nfinding:S1\n'
FORMATS = [('Perfetto', 'm.pftrace'), ('JSON beside Perfetto', 'm.json'), ('Perfetto of rocprofv3', 'm.rocprof.pftrace'),
           ('JSON of rocprofv3', 'm.rocprof.json'), ('xplane', 'm.xplane.pb'), ('tables of Nsight Systems', 'nsys.db'),
           ('tables of rocpd', 'rocpd.db'), ('tables of rpd', 'rpd.db'), ('zstd', 'm.zst')]
LOGO = b'''<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24"><title>Ours</title>
<g fill="none" stroke="#336699" stroke-width="2"><path d="M3 3l8 8-4 4z"/><circle cx="12" cy="12" r="9"/></g></svg>
'''


def prepare_formats(run, folder):
    """Written by hand in each format: what the traces of two ranks say."""
    def make(name, *args):
        run(sys.executable, os.path.join(folder, '../../samples', name), *args)
    os.mkdir('formats')
    ranks = []
    for rank in (0, 1):
        ranks.append('formats/rank%d.json' % rank)
        with open(ranks[-1], 'wb') as f:
            f.write(gzip.decompress(open('small/rank%d.json.gz' % rank, 'rb').read()))
    make('pytorch_pftrace.py', ranks[0], 'formats/m.pftrace', 'formats/m.json')
    make('rocprof_trace.py', ranks[0], 'formats/m')
    make('xplane_trace.py', ranks[0], 'formats/m')
    for kind in ('nsys', 'rocpd', 'rpd'):
        make('sqlite_trace.py', kind, 'formats/%s.db' % kind, 'formats/%s.json' % kind, *ranks)
    run('zstd', '-q', ranks[0], '-o', 'formats/m.zst')


def prepare(build, tf, folder):
    def run(*command):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit('%s\n%s' % (' '.join(command), done.stderr))

    def sample(*options):
        run(os.path.join(build, 'tracefolio-sample'), *options)
    sample('--kind', 'llm-prefill', '--layers', '1', '--steps', '2', '--no-python', '--defect', 'item-sync', '-o', 't.json.gz')
    sample('--kind', 'llm-decode', '--layers', '1', '--steps', '2', '--batch', '1', '--no-python', '--defect', 'gpu-graph', '-o', 'graphs.json.gz')
    sample('--kind', 'cnn-training', '--layers', '1', '--steps', '1', '--batch', '1', '--device', 'H100', '--defect', 'pageable-copies',
           '-o', 'frames.json.gz')
    sample('--no-python', '--job', '2', '-o', 'ranks')
    sample('--layers', '1', '--steps', '1', '--job', '2', '-o', 'small')
    shutil.copytree('small', 'pair')
    prepare_formats(run, folder)
    run(tf, 'summarize', 'ranks', '-o', 'caps', '-q')
    shutil.copytree('caps', 'other')
    run(tf, 'analyze', 't.json.gz', '-p', 'MI300X', '-q', '-o', 'r', '--formats', 'csv,json,site')
    run(tf, 'job', 'caps', '-o', 'site-of-job', '-q')
    shutil.copytree('site-of-job', 'jobs/job-1')
    shutil.copytree('caps', 'resumed')
    for copied in ('v', 'c', 'sealed', 'published/run-1'):
        shutil.copytree('r', copied)
    shutil.copytree('r/perf_report_csvs', 'alone/perf_report_csvs')
    run(tf, 'analyze', 't.json.gz', '-p', 'MI300X', '-q', '-o', 'all', '--replay', 'aten::mm')
    for name in ('few', 'leaves', 'history', 'house'):
        os.mkdir(name)
    for name, pattern in (('workbook.xlsx', '*.xlsx'), ('chart.png', 'charts/*.png'), ('package.zip', 'replay_packages/*.zip'), ('cut.json.gz', 'cuts/*.gz')):
        shutil.copy(sorted(glob.glob('all/' + pattern))[0], 'few/' + name)
    with open('sound-words.txt', 'w') as f:
        f.write('secret\n')
    shutil.copytree(os.path.join(folder, '../../themes/default'), 'theme')
    theme = json.load(open('theme/theme.json'))
    with open('house/theme.json', 'w') as f:
        json.dump(dict(theme, logo_text='Ours'), f)


def spelt(command):
    """With the lines of a file, where one stands as <FILE, as arguments."""
    def lines(file):
        return [line for line in open(file, 'rb').read().replace(b'\0', b'').split(b'\n') if line][:40]
    return [word for part in command for word in (lines(part[1:]) if part.startswith('<') else [part])]


def seal(folder):
    """The manifest of a report as it is now."""
    path = os.path.join(folder, 'MANIFEST.txt')
    lines = open(path).read().splitlines()
    for i, line in enumerate(lines[1:], 1):
        name = line.split('  ', 2)[2]
        data = open(os.path.join(folder, name), 'rb').read()
        lines[i] = '%s  %d  %s' % (hashlib.sha256(data).hexdigest(), len(data), name)
    with open(path, 'w') as f:
        f.write('\n'.join(lines) + '\n')


def strict(text):
    def refused(word):
        raise ValueError(word)
    return json.loads(text, parse_constant=refused)


def unreadable(folder):
    """The first file that was written and is not what it says it is."""
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            try:
                data = open(path, 'rb').read()
                data = gzip.decompress(data) if name.endswith('.gz') else data
                if name.endswith(('.html', '.md', '.csv', '.txt', '.svg', '.json', '.gz')):
                    data = data.decode()
                if name.endswith(('.json', '.json.gz', '.sarif')):
                    strict(data)
            except (OSError, EOFError, ValueError, RecursionError) as e:
                return '%s: %s' % (path, e)
    return ''


def wrong(command):
    """What is wrong with how a command ended; nothing if all is well."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return 'takes more than a minute'
    said = done.stderr.decode(errors='backslashreplace')
    if done.returncode not in (0, 2, 3, 4, 10, 12):
        return 'status %d\n%s' % (done.returncode, said)
    errors = [line for line in said.splitlines() if 'warning: ' not in line and not line.startswith('note: ')]
    if done.returncode in (2, 3, 4) and len(errors) != 1:
        return '%d lines for status %d\n%s' % (len(errors), done.returncode, said)
    if re.search('[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]', said):
        return 'control characters in %r' % said
    if 'defect of the program' in said:
        return 'a defect of the program: ' + said
    return unreadable('x') if done.returncode in (0, 10) and '-o' in command else ''


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
        prepare(build, tf, here)
        all_kinds = [k for k in kinds(tf, here) if o.kind in (None, k[0])]
        while time.monotonic() - began < o.seconds if o.seconds else count < o.each * len(all_kinds):
            name, sound, path, commands = all_kinds[count % len(all_kinds)]
            count += 1
            data = mutated(sound, r)
            for command in commands:
                with open(path, 'wb') as f:
                    f.write(data)
                if path.startswith('sealed/'):
                    seal('sealed')
                if what := wrong(spelt(command)):
                    failed += 1
                    kept = os.path.join(start, 'mutation-' + name.replace(' ', '-'))
                    with open(kept, 'wb') as f:
                        f.write(data)
                    print('%s: %s: %s\n  kept as %s' % (name, ' '.join(command), what, kept), flush=True)
        os.chdir(start)
    print('%d attempts at %d kinds of files, %d failed' % (count, min(count, len(all_kinds)), failed))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
