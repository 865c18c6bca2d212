#!/usr/bin/env python3
"""execution_trace.py TRACE.json OUT [SCHEMA] - the operators of a trace with shapes as PyTorch's ExecutionTraceObserver
writes them, and the trace as the profiler then has it: OUT.et.json, OUT.bare.json without shapes, OUT.full.json with.

Follows torch/csrc/profiler/standalone/execution_trace_observer.cpp: nodes without times, whose "rf_id" is the "Record
function id" of the profiler. SCHEMA 1.0.1 has inputs and attributes as members of the node, and no strides."""
import json
import re
import sys

SHAPES = ('Input Dims', 'Input type', 'Input Strides', 'Concrete Inputs')


REAL = r'-?\d+\.\d+(e[-+]?\d+)?|-?\d+e[-+]?\d+'


def scalar(text):
    if text in ('True', 'False'):
        return text == 'True'
    return int(text) if re.fullmatch(r'-?\d+', text) else float(text) if re.fullmatch(REAL, text) else text


def given(dims, kind, strides, concrete):
    """Value, shape, type and stride of one input."""
    if kind == 'TensorList':
        return [[1, 2, 0, 6, 4, 'cuda:0'] for _ in dims], dims, f"GenericList[{','.join(['Tensor(float)'] * len(dims))}]", strides
    if kind == 'ScalarList':
        values = [scalar(v) for v in concrete.strip('[]').split(', ')] if concrete.startswith('[') and concrete != '[]' else []
        return values, [[] for _ in values], f"GenericList[{','.join(['Int'] * len(values))}]", [[] for _ in values]
    if kind == 'Scalar':
        value = scalar(concrete)
        return value, [], 'Bool' if isinstance(value, bool) else 'Int' if isinstance(value, int) else 'Double', []
    if kind:
        return [1, 2, 0, 6, 4, 'cuda:0'], dims, f'Tensor({kind})', strides
    return '<None>', [], 'None', []


def node(number, e, old):
    a = e['args']
    n = len(a['Input Dims'])
    strides, concrete = a.get('Input Strides') or [[]] * n, a.get('Concrete Inputs') or [''] * n
    rows = [given(*row) for row in zip(a['Input Dims'], a['Input type'], strides, concrete)]
    values, shapes, types, steps = ([row[k] for row in rows] for k in range(4))
    if old:
        return {'name': e['name'], 'id': number + 2, 'rf_id': number, 'parent': 1, 'fw_parent': 0, 'seq_id': -1, 'scope': 0, 'tid': 1,
                'inputs': values, 'input_shapes': shapes, 'input_types': types, 'outputs': [], 'output_shapes': [], 'output_types': []}
    none = {'values': [], 'shapes': [], 'types': [], 'strides': []}
    attrs = [('rf_id', 'uint64', number), ('fw_parent', 'uint64', 0), ('seq_id', 'int64', -1), ('scope', 'uint64', 0), ('tid', 'uint64', 1)]
    return {'id': number + 2, 'name': e['name'], 'ctrl_deps': 1, 'inputs': {'values': values, 'shapes': shapes, 'types': types, 'strides': steps},
            'outputs': none, 'attrs': [{'name': k, 'type': t, 'value': v} for k, t, v in attrs]}


def main():
    with open(sys.argv[1], encoding='utf-8') as f:
        doc = json.load(f)
    schema = sys.argv[3] if len(sys.argv) > 3 else '1.1.1-chakra.0.0.4'
    nodes, bare = [], []
    for e in doc['traceEvents']:
        if e.get('cat') == 'cpu_op':
            e['args']['Record function id'] = len(nodes) + 1
            if 'Concrete Inputs' in e['args']: # both with the same digits
                e['args']['Concrete Inputs'] = [repr(float(c)) if re.fullmatch(REAL, c) else c for c in e['args']['Concrete Inputs']]
            nodes.append(node(len(nodes) + 1, e, schema == '1.0.1') if 'Input Dims' in e['args'] else {'id': 0, 'name': e['name'], 'attrs': []})
        bare.append(dict(e, args={k: v for k, v in e['args'].items() if k not in SHAPES}) if 'args' in e else e)
    for suffix, tree in (('et', {'schema': schema, 'pid': 9, 'time': '2026-01-02 03:04:05', 'start_ts': 1, 'nodes': nodes, 'finish_ts': 2}),
                         ('bare', dict(doc, traceEvents=bare)), ('full', doc)):
        with open(f'{sys.argv[2]}.{suffix}.json', 'w', encoding='utf-8') as f:
            json.dump(tree, f, indent=None)


main()
