#!/usr/bin/env python3
"""Whether the index of a root lists exactly the runs that are there.

    check_runs.py ROOT [LABEL...]     and that these labels are among them

Also: every run is whole (its manifest), every link of both pages leads to a file, no line of
runs.json is too long, no two names differ by case alone, and nothing temporary is left.
"""
import hashlib
import json
import os
import re
import sys


def whole(folder):
    with open(os.path.join(folder, 'MANIFEST.txt'), encoding='utf-8') as f:
        lines = f.read().splitlines()[1:]
    for line in lines:
        digest, size, path = line.split('  ', 2)
        with open(os.path.join(folder, path), 'rb') as f:
            data = f.read()
        if len(data) != int(size) or hashlib.sha256(data).hexdigest() != digest:
            yield f'{folder}/{path} is not as the manifest says'


def begun(folder):
    """What a writer leaves that is killed as it begins: a mark without a word, or nothing."""
    return all(n == '.tracefolio-build' and os.path.getsize(os.path.join(folder, n)) == 0
               for n in os.listdir(folder))


def check(root, labels):
    names = sorted(os.listdir(root))
    runs = [n for n in names if os.path.exists(os.path.join(root, n, 'MANIFEST.txt'))]
    for name in names:
        path = os.path.join(root, name)
        if name.startswith('.') and not (os.path.isdir(path) and begun(path)):
            yield f'left behind: {name}'
    below = [os.path.relpath(os.path.join(at, n), root) for at, folders, files in os.walk(root) for n in folders + files]
    if len({n.casefold() for n in below}) != len(below):
        yield 'names differ by case alone'
    for name in below:
        if len(name) > 180 or re.search('[":<>|*?\\\\\x00-\x1f]', name) or name[-1] in '. ':
            yield f'some file systems do not take {name}'
    with open(os.path.join(root, 'runs.json'), encoding='utf-8') as f:
        text = f.read()
    listed = json.loads(text)['runs']
    if sorted(r['run'] for r in listed) != runs:
        yield f'listed {sorted(r["run"] for r in listed)}, there are {runs}'
    for label in set(labels) - {r.get('label') for r in listed}:
        yield f'{label} is not listed'
    for line in text.splitlines()[1:]:
        if len(line.encode()) >= 300:
            yield f'{len(line)} bytes: {line[:80]}'
    for page in ('index.html', 'trend.html'):
        with open(os.path.join(root, page), encoding='utf-8') as f:
            html = f.read()
        for link in re.findall(r'(?:href|src)="([^"#]+)', html):
            if not os.path.exists(os.path.join(root, link)):
                yield f'{page}: no {link}'
        for run in runs:
            if f'"{run}/index.html"' not in html and page == 'index.html' and \
                    'label' in next((r for r in listed if r['run'] == run), {}):
                yield f'{page}: no link to {run}'
        if re.search(r'\sstyle=|<script>|\son\w+=', html):
            yield f'{page}: inline style or script'
    for run in runs:
        yield from whole(os.path.join(root, run))


wrong = list(check(sys.argv[1], sys.argv[2:]))
for line in wrong[:20]:
    print(line)
sys.exit(1 if wrong else 0)
