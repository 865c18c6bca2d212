#!/usr/bin/env python3
"""A trace in which every event is a row of its own.

    many_rows.py KIND N FILE      KIND: shapes, operators, kernels
"""
import json
import sys


def event(cat, name, ts, dur, tid, **args):
    return {'ph': 'X', 'cat': cat, 'name': name, 'pid': tid // 7, 'tid': tid, 'ts': ts, 'dur': dur, 'args': args}


def events(kind, n):
    for i in range(n):
        op = {'shapes': 'aten::mm', 'operators': 'op::n%d_%s' % (i, 'x' * 1000), 'kernels': 'aten::add'}[kind]
        rows = 16 + i if kind == 'shapes' else 16
        yield event('cpu_op', op, 100 * i, 80, 1, **{'External id': i, 'Input Dims': [[rows, 64], [64, rows]],
                                                    'Input type': ['float', 'float']})
        yield event('cuda_runtime', 'hipLaunchKernel', 100 * i + 1, 1, 1, correlation=i)
        yield event('kernel', 'kernel_%d' % i if kind != 'shapes' else 'gemm', 100 * i + 3, 40, 7, correlation=i,
                    stream=7, device=0)


with open(sys.argv[3], 'w') as f:
    f.write('{"traceEvents":[' + ',\n'.join(map(json.dumps, events(sys.argv[1], int(sys.argv[2])))) + ']}')
