#!/usr/bin/env python3
"""merged_json.py sglang|fused OUT.json TRACE... - the traces of several ranks in one file, as SGLang's profiler merges
them (the rank's label in front of each process), or as TraceFusion does (numbers moved, rank and old number beside)."""
import gzip
import json
import sys


def load(path):
    with (gzip.open(path, 'rt', encoding='utf-8') if path.endswith('.gz') else open(path, encoding='utf-8')) as f:
        return json.load(f)


def sglang(docs):
    merged = {'traceEvents': []}
    for rank, doc in enumerate(docs):
        for e in doc['traceEvents']:
            e['pid'] = f'[TP{rank:02d}] {e["pid"]}'
        merged['traceEvents'] += doc['traceEvents']
        for key, value in doc.items():
            merged.setdefault(key, value)
    return merged


def fused(docs):
    """Numbers move by a power of ten above the largest of the first rank."""
    def places(e):
        return [(e, 'id'), (e, 'pid'), (e.setdefault('args', {}), 'correlation')]

    by = {}
    for e in docs[0]['traceEvents']:
        for of, key in places(e):
            if isinstance(of.get(key), int):
                by[key] = max(by.get(key, 0), of[key])
    by = {key: 10 ** (len(str(most)) + 1) for key, most in by.items()}
    merged = []
    for rank, doc in enumerate(docs):
        for e in doc['traceEvents']:
            if e.get('cat') == 'Trace':
                continue
            for of, key in places(e):
                if key in of and key in by:
                    e['args'][key + '_raw'] = of[key]
                    of[key] += rank * by[key] if isinstance(of[key], int) else ''
            e['args']['rank'] = rank
            merged.append(e)
    return {'traceEvents': merged}


def main():
    kind, out, *traces = sys.argv[1:]
    with open(out, 'w', encoding='utf-8') as f:
        json.dump({'sglang': sglang, 'fused': fused}[kind]([load(t) for t in traces]), f, indent=4 if kind == 'fused' else None)


if __name__ == '__main__':
    main()
