#!/usr/bin/env python3
"""graph_trace.py OUT.json OUT.guess.json - a run of GPU graphs on two streams as PyTorch's profiler of 2026 writes it,
with the edges of the graph, and without.

In each replay `long` runs on stream 7 and `short` on stream 8 beside it, and `last` on stream 7 waits for `short` alone, by way of
a node that records an event. `long` ends a microsecond before `last` begins, so that without the edge its stream seems to bind it."""
import json
import sys


def main():
    work, flows, calls = [], [], []
    for k in range(40):
        at, corr = 1000 + 302 * k, 100 + k
        calls.append({'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaGraphLaunch', 'pid': 5, 'tid': 6, 'ts': 900 + 10 * k, 'dur': 8,
                      'args': {'correlation': corr}})
        nodes = [('first', 7, at, 50), ('long', 7, at + 52, 147), ('short', 8, at + 54, 145), ('last', 7, at + 200, 100)]
        for n, (name, stream, ts, dur) in enumerate(nodes):
            work.append({'ph': 'X', 'cat': 'kernel', 'name': name, 'pid': 0, 'tid': stream, 'ts': ts, 'dur': dur,
                         'args': {'device': 0, 'stream': stream, 'correlation': corr, 'graph id': 3, 'graph node id': 10 + n,
                                  'grid': [64, 1, 1], 'block': [256, 1, 1]}})
        work.append({'ph': 'X', 'cat': 'graph_event_node', 'name': 'EventRecord', 'pid': 0, 'tid': 8, 'ts': at + 199.5, 'dur': 0,
                     'args': {'device': 0, 'stream': 8, 'correlation': corr, 'graph id': 3, 'graph node id': 20}})
        for n, (a, b) in enumerate((((7, at + 50), (7, at + 52)), ((7, at + 50), (8, at + 54)), ((8, at + 199), (8, at + 199.5)),
                                    ((8, at + 199.5), (7, at + 200)))):
            for ph, (tid, ts) in (('s', a), ('f', b)):
                flows.append({'ph': ph, 'id': (1 << 40) + 4 * k + n, 'pid': 0, 'tid': tid, 'ts': ts, 'cat': 'ac2g', 'name': 'ac2g', 'bp': 'e'})
    for path, events in ((sys.argv[1], calls + work + flows), (sys.argv[2], calls + work)):
        with open(path, 'w', encoding='utf-8') as f:
            json.dump({'baseTimeNanoseconds': 1700000000000000000, 'traceEvents': events}, f)


main()
