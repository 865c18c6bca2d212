#!/usr/bin/env python3
"""What tests/cli/cut.sh asks of windows.

    cut.py window FOLDER                     a window of some ms of the traces there, us
    cut.py same FROM TO FILE TRACE=SHIFT...  FILE has what of the traces reaches into it
    cut.py long FOLDER                       traces of four ranks with many Python frames
"""
import collections
import gzip
import json
import sys
from decimal import Decimal

CATS = {'cpu_op', 'python_function', 'cuda_runtime', 'cuda_driver', 'kernel', 'gpu_memcpy',
        'gpu_memset', 'user_annotation', 'gpu_user_annotation', 'overhead'}
ARGS = ('Input Dims', 'Collective name', 'Seq', 'correlation', 'External id', 'stream')


def load(path):
    with gzip.open(path, 'rt') as f:
        return json.load(f, parse_float=Decimal)


def events(trace):
    return [e for e in trace['traceEvents'] if e.get('ph') == 'X' and e.get('cat') in CATS]


def window(folder):
    starts = sorted(e['ts'] for e in events(load(folder + '/rank0.json.gz')) if 'nccl' in e['name'] and e['cat'] == 'kernel')
    print(starts[1] - 2000, starts[1] + Decimal('9000.123'))


def told(e, shift, process):
    args = e.get('args', {})
    return (e['cat'], e['name'], Decimal(e['ts']) + shift, Decimal(e['dur']), process + str(e['pid']), str(e['tid']),
            json.dumps([str(args.get(a)) for a in ARGS if 'annotation' not in e['cat']]))


def same(start, end, path, *traces):
    start, end = Decimal(start), Decimal(end)
    want = collections.Counter()
    for t in traces:
        name, shift = t.rsplit('=', 1)
        trace, shift = load(name), Decimal(shift)
        process = '' if len(traces) == 1 else 'rank %d: ' % trace['distributedInfo']['rank']
        want.update(told(e, shift, process) for e in events(trace)
                    if e['ts'] + shift < end and e['ts'] + e['dur'] + shift >= start)
    got = collections.Counter(told(e, 0, '') for e in events(load(path)))
    assert want and sum(want.values()) > 10 * len(traces), len(want)
    assert got == want, (list((got - want))[:2], list((want - got))[:2])


def long(folder):
    for rank in range(4):
        rows = [{'ph': 'X', 'cat': 'cpu_op', 'name': 'op', 'pid': 1, 'tid': 1, 'ts': 100 * i, 'dur': 50}
                for i in range(60000)]
        rows += [{'ph': 'X', 'cat': 'python_function', 'name': 'f%d' % (i % 9), 'pid': 1, 'tid': 1, 'ts': 10 * i, 'dur': 5}
                 for i in range(60000)]
        with gzip.open('%s/rank%d.json.gz' % (folder, rank), 'wt', 1) as f:
            json.dump({'distributedInfo': {'rank': rank}, 'traceEvents': rows}, f)


if __name__ == '__main__':
    globals()[sys.argv[1]](*sys.argv[2:])
