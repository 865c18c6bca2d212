#!/usr/bin/env python3
"""A trace in which every event is a row of its own, or calls lie in calls.

    many_rows.py KIND N FILE      KIND: shapes, operators, kernels, nested; climb, whose kernels
                                  begin as each level launches them; lender, calls in calls
                                  without kernels, and replay, a graph of half of their launches
"""
import json
import sys


def event(cat, name, ts, dur, tid, **args):
    return {'ph': 'X', 'cat': cat, 'name': name, 'pid': tid // 7, 'tid': tid, 'ts': ts, 'dur': dur, 'args': args}


def nested(n):
    for i in range(n):
        yield event('cpu_op', 'aten::add', 4 * i, 8 * (n - i), 1, **{'Input Dims': [[16, 64], [16, 64]],
                                                                  'Input type': ['float', 'float']})
        yield event('cuda_runtime', 'hipLaunchKernel', 4 * i + 1, 1, 1, correlation=i)
        yield event('kernel', 'k', 8 * n + 2 * i, 1, 7, correlation=i, stream=7, device=0)
    for i in range(n):
        yield event('user_annotation', 'range %d' % i, 20 * n + 10 * i, 20 * (n - i), 1)
    for i in range(n):
        at = 100 * n + 100 * i
        yield event('cuda_runtime', 'hipLaunchKernel', at, 1, 1, correlation=n + i)
        yield event('kernel', 'k', at + 3, 40, 7, correlation=n + i, stream=7, device=0)


def climb(n):
    for i in range(n):
        yield event('cpu_op', 'aten::add', 20 * i, 40 * (n - i), 1)
        yield event('user_annotation', 'range', 20 * i, 40 * (n - i), 1)
        yield event('cuda_runtime', 'hipLaunchKernel', 20 * i + 10, 1, 1, correlation=i)
        yield event('kernel', 'k', 20 * i + 12, 2, 7, correlation=i, stream=7, device=0)


def lender(n):
    yield event('cuda_runtime', 'hipStreamBeginCapture', 0, 1, 1)
    for i in range(n):
        yield event('cpu_op', 'aten::add', 10 + 4 * i, 8 * (n - i), 1)
        yield event('cuda_runtime', 'hipLaunchKernel', 11 + 4 * i, 1, 1, correlation=i + 1, kernel='k%d' % (i % 7))


def replay(n):
    yield event('cuda_runtime', 'hipGraphLaunch', 100, 10 * n, 1, correlation=1)
    for i in range(n // 2):
        yield event('kernel', 'k%d' % (i % 7), 200 + 10 * i, 5, 7, correlation=1, stream=7, device=0)


def events(kind, n):
    if kind in NESTED:
        yield from NESTED[kind](n)
        return
    for i in range(n):
        op = {'shapes': 'aten::mm', 'operators': 'op::n%d_%s' % (i, 'x' * 1000), 'kernels': 'aten::add'}[kind]
        rows = 16 + i if kind == 'shapes' else 16
        yield event('cpu_op', op, 100 * i, 80, 1, **{'External id': i, 'Input Dims': [[rows, 64], [64, rows]],
                                                    'Input type': ['float', 'float']})
        yield event('cuda_runtime', 'hipLaunchKernel', 100 * i + 1, 1, 1, correlation=i)
        yield event('kernel', 'kernel_%d' % i if kind != 'shapes' else 'gemm', 100 * i + 3, 40, 7, correlation=i,
                    stream=7, device=0)


NESTED = {'nested': nested, 'climb': climb, 'lender': lender, 'replay': replay}
with open(sys.argv[3], 'w') as f:
    f.write('{"traceEvents":[' + ',\n'.join(map(json.dumps, events(sys.argv[1], int(sys.argv[2])))) + ']}')
