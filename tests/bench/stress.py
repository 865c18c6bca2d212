#!/usr/bin/env python3
"""The time an event takes, for shapes of traces that once took the square of their size.

    stress.py --program P --out DIR [--most N] [--shape NAME]...

Each shape is a trace with one part that grows. A row gives the nanoseconds of a processor that
`analyze` takes for an event (less what it takes for a trace without that part) at 10^3, 10^4 ... N
events, default 10^6; marked is a shape whose time an event grows more than GROWTH_MOST times from
10^4 on. The last columns are the memory that an event takes at N events, and the bytes that are written for
it; marked is a shape of nothing but distinct rows that takes more memory than BYTES_MOST. The status is 1
then, or if a run fails.

On 2 shared cores, with other work beside (2026-11-23); what a thousand events take is noise of the fixed
part, and rows of pages have caps, so that they grow cheaper:

    ns per event           1000      10000     100000    1000000     memory    written
    steps                 11366       2679       2101       2041        406          0
    names                 51012      50205      20837      11668        827        363
    ids                    4361       3759       2010       1981        495          0
    labels                  246       1462       1325       2058        166         13
    threads               13192       5654       4781       4533        595         38
    one correlation        3634       2853       3546       3079        494        124
    waits                 10279       4038       2897       2232        554          0
    depth                  4275       4743       5349       4634        400        247
    nested launches       12867       5791       4911       5064        500        167
    nested ranges         13710       4133       2890       2508        376          0
    annotations           21059       5986       2931       2449        402          1
    distinct shapes       51374      37036      18618      10154        640        724
    distinct names        56344      34218      21648      14921        671        404
    collectives           12147      13250      11209      12264       2861        250

The same shapes and some small files, when hashes had no seed, lists no end and records no limit (2026-11-21),
and now: seconds of a processor, MB of memory, MB written:

                                                 then                 now
    100,000 names of one hash         66.8 s   2685    537     5.7 s    384     90
    100,000 ids of one hash            7.9 s     59      1     0.6 s    117      1
    50,000 calls, 50,000 kernels       4.9 s     52     13     0.4 s     66     13
    20,000 calls in calls, a launch    2.6 s   1592     22     0.4 s     41     16
    the same with a model              6.3 s   3880     19     0.4 s     47     13
    33,000 threads and streams         1.8 s    113     25     0.5 s     67      7
    5,000 shapes                       2.3 s    238     43     0.7 s     45     25
    20,000 names and shapes            6.5 s    660    113     1.6 s    104     42
    2.2 10^9 elements, 4.3 MB packed  63.7 s     11      -    11.7 s     31      - (refused)
    10^10 spaces, 9.9 MB packed            -  10000      -    16.5 s     31      0
    a name of 2 10^9 bytes, packed         -   4000      -     0.1 s     75      - (refused)
    a name of 2 10^8 bytes, packed     1.8 s    411    420     0.1 s     75      - (refused)
    a name of 2 10^7 bytes, packed     0.2 s     51     42     0.1 s     31      2
"""
import argparse
import json
import math
import os
import resource
import shutil
import subprocess
import sys

GROWTH_MOST = 2.0  # caches get colder, and logarithms grow
BYTES_MOST = {'distinct shapes': 700, 'distinct names': 750}  # three events are a row of each table
MASK = (1 << 64) - 1


def x(cat, name, ts, dur, tid=1, pid=1, **args):
    return {'ph': 'X', 'cat': cat, 'name': name, 'pid': pid, 'tid': tid, 'ts': ts, 'dur': dur, 'args': args}


def launch(ts, correlation, name='hipLaunchKernel'):
    return x('cuda_runtime', name, ts, 1, correlation=correlation)


def kernel(ts, correlation, name='k', dur=1, stream=7):
    return x('kernel', name, ts, dur, tid=stream, pid=0, correlation=correlation, stream=stream, device=0)


def steps(n):
    """Operators, launches and kernels, as in any trace."""
    for i in range(n // 3):
        yield x('cpu_op', 'aten::add', 10 * i, 8, **{'External id': i})
        yield launch(10 * i + 1, i)
        yield kernel(10 * i + 3, i, 'k%d' % (i % 7))


def same_hash(n):
    """Names of 16 bytes that str_hash (base/str.c) cannot tell apart: the second word undoes the first."""
    k, made, i = 0xd6e8feb86659fd93, 0, 0
    while made < n:
        i += 1
        first = b'%08x' % i
        h = ((0x9e3779b97f4a7c15 ^ 16) ^ int.from_bytes(first, 'little')) * k & MASK
        h ^= h >> 32
        second = (h ^ 0x123456789abcdef).to_bytes(8, 'little')
        if min(second) >= 0x20 and not set(second) & {0x22, 0x5c, 0x7f}:
            made += 1
            yield (first + second).decode('latin-1')


def names(n):
    """As many names as kernels, all alike to a hash without a seed."""
    for i, name in enumerate(same_hash(n // 2)):
        yield launch(10 * i + 1, i)
        yield kernel(10 * i + 3, i, name)


def ids(n):
    """Correlations that share the middle bits of a product with a known number."""
    back, c = pow(0x9e3779b97f4a7c15, -1, 1 << 64), 0
    for i in range(n // 2):
        high = i
        while (c := (high << 44) * back & MASK) >> 63: # no identifier of 64 bits with a sign
            high += 500000
        yield launch(10 * i + 1, c)
        yield kernel(10 * i + 3, c)


def labels(n):
    """A label for each of many threads, and one thread with labels without end."""
    for i in range(n):
        yield {'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': i if i % 2 else 1, 'args': {'name': 't%d' % i}}


def threads(n):
    """An operator, a launch and a kernel on a thread and a stream of its own."""
    for i in range(n // 3):
        yield x('cpu_op', 'aten::add', 10 * i, 8, tid=i)
        yield dict(launch(10 * i + 1, i), tid=i)
        yield kernel(10 * i + 3, i, stream=100 + i)


def one_correlation(n):
    """Calls and kernels that all claim each other."""
    for i in range(n // 2):
        yield launch(10 * i + 1, 5)
        yield kernel(10 * i + 3, 5)


def waits(n):
    """A wait of the host beside each gap of the device."""
    for i in range(n // 3):
        yield x('cuda_runtime', 'hipStreamSynchronize', 100 * i, 90)
        yield launch(100 * i + 92, i)
        yield kernel(100 * i + 95, i)


def depth(n):
    """Calls in calls, each with a launch."""
    levels = n // 3
    for i in range(levels):
        yield x('cpu_op', 'aten::add', i, 4 * levels - 2 * i)
        yield launch(levels + i, i)
        yield kernel(8 * levels + 2 * i, i)


def nested_launches(n):
    """Operators in operators, each with a launch of its own and a model."""
    levels = n // 3
    for i in range(levels):
        yield x('cpu_op', 'aten::add', 4 * i, 8 * (levels - i), **{'Input Dims': [[16, 64], [16, 64]],
                                                                'Input type': ['float', 'float']})
        yield launch(4 * i + 1, i)
        yield kernel(8 * levels + 2 * i, i)


def nested_ranges(n):
    """Ranges in ranges that all end early, then attention of a serving engine."""
    levels = n // 4
    for i in range(levels):
        yield x('user_annotation', 'step %d' % i, 10 * i, 20 * (levels - i))
    for i in range(levels):
        at = 50 * levels + 100 * i
        yield x('cpu_op', 'vllm::unified_attention_with_output', at, 80,
                **{'Input Dims': [[16, 8, 64]] * 4, 'Input type': ['float'] * 4})
        yield launch(at + 1, i)
        yield kernel(at + 3, i, 'attention', 40)


def matrices(n, op, rows, kernel_name):
    for i in range(n // 3):
        yield x('cpu_op', op(i), 100 * i, 80, **{'Input Dims': [[rows(i), 64], [64, rows(i)]],
                                                 'Input type': ['float', 'float']})
        yield launch(100 * i + 1, i)
        yield kernel(100 * i + 3, i, kernel_name(i), 40)


def distinct_shapes(n):
    """A matrix multiplication of each size."""
    return matrices(n, lambda i: 'aten::mm', lambda i: 16 + i, lambda i: 'gemm')


def distinct_names(n):
    """Operators and kernels, none of them twice."""
    return matrices(n, lambda i: 'op::n%d' % i, lambda i: 16, lambda i: 'k%d' % i)


def collectives(n):
    """Messages of n sizes, each a row of the table of collectives."""
    for i in range(n):
        yield x('kernel', 'ncclDevKernel_AllReduce_Sum_f32_RING_LL', 10 * i, 5, tid=7, pid=0, stream=7, dtype='Float',
                **{'Collective name': 'allreduce', 'In msg nelems': i, 'Out msg nelems': i, 'Group size': 2, 'Process Group Name': '0',
                   'Process Group Ranks': '[0, 1]', 'In split size': '[]', 'Out split size': '[]'})


def annotations(n):
    """A range of the user's around each attention."""
    for i in range(n // 6):
        yield x('user_annotation', 'block %d' % (i % 5), 40 * i, 38)
        for k, op in enumerate(('aten::bmm', 'aten::softmax')):
            at = 40 * i + 2 + 15 * k
            yield x('cpu_op', op, at, 10, **{'Input Dims': [[8, 64, 64], [8, 64, 64]], 'Input type': ['float', 'float']})
            yield launch(at + 1, 2 * i + k)
            if k == 0:
                yield kernel(at + 4, 2 * i + k, 'gemm')
        yield kernel(40 * i + 30, 2 * i + 1, 'softmax')


SHAPES = {'steps': steps, 'names': names, 'ids': ids, 'labels': labels, 'threads': threads,
          'one correlation': one_correlation, 'waits': waits, 'depth': depth, 'nested launches': nested_launches,
          'nested ranges': nested_ranges, 'annotations': annotations, 'distinct shapes': distinct_shapes,
          'distinct names': distinct_names, 'collectives': collectives}


def write(path, events):
    with open(path, 'w', encoding='latin-1') as f: # names may be any bytes
        f.write('{"traceEvents":[\n')
        f.write(',\n'.join(map(json.dumps, steps(30))))
        for event in events:
            f.write(',\n' + json.dumps(event, ensure_ascii=False))
        f.write(']}\n')


def analyze(program, trace, out):
    """Nanoseconds of the processors, which other work on the machine changes little, bytes of memory, and
    bytes that are written."""
    child = subprocess.Popen(['timeout', '900', program, 'analyze', trace, '-p', 'MI300X', '-q', '-o', out, '--force'],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = child.stderr.read()
    status, used = os.wait4(child.pid, 0)[1:]
    child.returncode = os.waitstatus_to_exitcode(status)
    written = sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(out) for name in names)
    shutil.rmtree(out, ignore_errors=True)
    if child.returncode:
        sys.exit(f'{trace}: status {child.returncode}\n{said}')
    return (used.ru_utime + used.ru_stime) * 1e9, used.ru_maxrss * 1024, written


def measured(o, events, times):
    """The least of some runs."""
    trace, out = os.path.join(o.out, 'stress.json'), os.path.join(o.out, 'stress')
    write(trace, events)
    runs = [analyze(o.program, trace, out) for _ in range(times)]
    os.remove(trace)
    return [min(of) for of in zip(*runs)]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--program', required=True)
    p.add_argument('--out', required=True)
    p.add_argument('--most', type=int, default=10**6)
    p.add_argument('--shape', action='append', choices=SHAPES)
    o = p.parse_args()
    os.makedirs(o.out, exist_ok=True)
    sizes = [10**k for k in range(3, 8) if 10**k <= o.most]
    print('%-16s' % 'ns per event' + ''.join('%11d' % n for n in sizes) + '     memory    written')
    bad = False
    for name in o.shape or SHAPES:
        fixed = measured(o, SHAPES[name](0), 5)
        runs = [measured(o, SHAPES[name](n), 5 if n < 10**4 else 2 if n < 10**5 else 1) for n in sizes]
        row = [max(ns - fixed[0], 0) / n for (ns, _, _), n in zip(runs, sizes)]
        bytes_per_event, written = (max(runs[-1][i] - fixed[i], 0) / sizes[-1] for i in (1, 2))
        grows = len(row) > 2 and max(row[2:]) > GROWTH_MOST * row[1]
        large = sizes[-1] >= 10**5 and bytes_per_event > BYTES_MOST.get(name, math.inf)
        bad |= grows or large
        print('%-16s' % name + ''.join('%11.0f' % ns for ns in row) + '%11.0f%11.0f' % (bytes_per_event, written) + '  grows' * grows +
              '  takes too much' * large, flush=True)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
