#!/usr/bin/env python3
"""Nothing says "1 kernels", where there is one of everything, and a caption counts its rows.

    plurals.py PROGRAM    analyses and compares traces of one kernel, of two with a gap between
                          them, and of a copy; exit 1 with what is wrong in what they write
"""
import html
import json
import os
import re
import subprocess
import sys
import tempfile

NOUNS = ('bytes|calls|captures|categories|checks|collectives|copies|devices|events|files|findings|frames|gaps|'
         'gates|groups|instances|kernels|launches|lanes|layers|modules|names|operations|operators|packages|'
         'patterns|places|ranks|requests|rows|runs|shapes|steps|stretches|streams|threads|tokens|traces|warnings')
ONE = re.compile(rf'(?<![\w.,/*×-])(?:1|one)[ \u00a0](?:(?!of\b|to\b|in\b|more\b|and\b)[a-z-]+[ \u00a0])?'
                 rf'(?:{NOUNS})\b(?!-)', re.I)
NUMBERS = 'one two three four five six seven eight nine ten'.split()
GAPS = re.compile(r'<caption>The (\w+) longest gaps</caption>(.*?)</table>', re.S)


def event(cat, name, start, dur, lane, **args):
    return {'ph': 'X', 'cat': cat, 'name': name, 'ts': start, 'dur': dur, 'pid': int(lane == 1), 'tid': lane,
            'args': args}


def kernel(at, number):
    return [event('cpu_op', 'aten::mm', at, 20, 1, **{'Input Dims': [[64, 64], [64, 64]], 'Input type': ['float'] * 2}),
            event('cuda_runtime', 'hipLaunchKernel', at + 5, 5, 1, correlation=number),
            event('kernel', 'Cijk_gemm', at + 30, 50, 7, correlation=number, stream=7, device=0)]


TRACES = {'one': kernel(90, 1), 'gap': kernel(90, 1) + kernel(9000, 2),
          'copy': kernel(2000, 2) + [
              event('cpu_op', 'aten::copy_', 10, 950, 1),
              event('cuda_runtime', 'hipMemcpyWithStream', 12, 900, 1, correlation=1),
              event('gpu_memcpy', 'Memcpy HtoD (Pageable -> Device)', 20, 880, 7, correlation=1, stream=7, bytes=10**6,
                    device=0)]}


def write_all(program, folder):
    def run(*words):
        subprocess.run([program, *words, '-q', '--formats', 'site,md,json'], cwd=folder, check=True)
    for name, events in TRACES.items():
        with open(os.path.join(folder, name + '.json'), 'w', encoding='utf-8') as f:
            json.dump({'traceEvents': events}, f)
        for device in ('MI300X', 'none'):
            run('analyze', name + '.json', '-p', device, '--idle-threshold', '0', '-o', f'{name}-{device}')
    run('compare', 'one.json', 'gap.json', '-p', 'none', '-o', 'compared')


def faults(folder):
    """(number of files, a line for each fault)"""
    wrong, n = [], 0
    for at, _, names in os.walk(folder):
        for name in sorted(names):
            if not name.endswith(('.html', '.md', '.txt')):
                continue
            n += 1
            where = os.path.relpath(os.path.join(at, name), folder)
            with open(os.path.join(at, name), encoding='utf-8') as f:
                text = f.read()
            plain = text
            if name.endswith('.html'):
                plain = html.unescape(re.sub(r'<(script|style).*?</\1>|<[^>]*>', '\n', text, flags=re.S))
            wrong += [f'{where}: "{m.group()}"' for m in ONE.finditer(plain)]
            for m in GAPS.finditer(text):
                rows = len(re.findall(r'<tr[ >]', m.group(2).split('<tbody', 1)[-1].split('</tbody')[0]))
                if NUMBERS[rows - 1:rows] != [m.group(1)]:
                    wrong.append(f'{where}: "The {m.group(1)} longest gaps" over {rows} rows')
    return n, wrong


def main():
    with tempfile.TemporaryDirectory() as folder:
        write_all(sys.argv[1], folder)
        n, wrong = faults(folder)
    print('\n'.join(wrong) or f'{n} files')
    return bool(wrong) or n < 50


if __name__ == '__main__':
    sys.exit(main())
