#!/usr/bin/env python3
"""The one-way order of the folders of src, drawn from their includes into src/README.md.

    layers.py            redraw; status 1 if an include goes against the order
    layers.py --check    change nothing; TAP lines; status 1 also where the drawing is old
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'src')
README = os.path.join(ROOT, 'README.md')
BEGIN, END = '<!-- layers: drawn by `make layers` -->', '<!-- end of layers -->'

# What each folder may include besides itself; the picture of src/README.md, in words.
# Every other folder knows nothing of perf, which knows nothing but base.
ORDER = ['base', 'trace', 'store', 'tree', 'timeline', 'ops', 'analysis', 'advice', 'report',
         'render', 'main']
MAY = {folder: set(ORDER[:i]) for i, folder in enumerate(ORDER)}
MAY['perf'] = {'base'}
for folder in ORDER[ORDER.index('ops'):]:
    MAY[folder].add('perf')
MAY['render'] = {'base', 'report'}  # the narrow waist: no writer sees an event

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def sources():
    for folder, _, files in sorted(os.walk(ROOT)):
        for name in sorted(files):
            if name.endswith(('.c', '.h', '.S')):
                yield os.path.relpath(os.path.join(folder, name), ROOT)


def folder_of(path):
    return path.split('/')[0] if '/' in path else 'main'


def uses_and_faults():
    """{folder: the folders it includes}, and one line for each fault."""
    uses, faults = {}, []
    for path in sources():
        here = folder_of(path)
        uses.setdefault(here, set())
        if here not in MAY:
            faults.append(f'src/{path}: the folder {here} is not in the order')
            continue
        with open(os.path.join(ROOT, path), encoding='utf-8') as f:
            included = INCLUDE.findall(f.read())
        for target in included:
            if '/' not in target:  # a test includes the source beside it
                if not path.endswith('_test.c'):
                    faults.append(f'src/{path}: "{target}" is to be spelled from src/')
                continue
            there = folder_of(target)
            if there == here:
                continue
            if there not in MAY[here]:
                faults.append(f'src/{path}: includes "{target}", against the order')
            if not path.endswith('_test.c'):
                uses[here].add(there)
    return uses, faults


def picture(uses):
    order = ['base', 'trace', 'store', 'tree', 'timeline', 'perf', *ORDER[ORDER.index('ops'):]]
    lines = ['base -> trace -> store -> tree -> timeline -+',
             '  |                                         +-> ops -> analysis -> advice -> report'
             ' -> render -> main',
             '  +---> perf -------------------------------+', '',
             'folder     includes']
    for folder in order:
        if folder in uses:
            mine = sorted(uses[folder], key=order.index)
            lines.append(f'{folder:<10} ' + (' '.join(mine) or '-'))
    return '\n'.join(line.rstrip() for line in lines)


def redraw(uses):
    """The text of src/README.md as it is, and with a new drawing."""
    with open(README, encoding='utf-8') as f:
        old = f.read()
    head, _, rest = old.partition(BEGIN)
    _, found, tail = rest.partition(END)
    if not found:
        sys.exit(f'src/README.md: no place for the drawing: put "{BEGIN}" and "{END}" into it')
    return old, f'{head}{BEGIN}\n```\n{picture(uses)}\n```\n{END}{tail}'


def main():
    check = '--check' in sys.argv[1:]
    uses, faults = uses_and_faults()
    for fault in faults:
        print(('not ok - ' if check else '') + fault)
    old, new = redraw({k: v for k, v in uses.items() if k in MAY})
    if check:
        print('ok - every include goes one way' if not faults else '# see src/README.md')
        print(('ok' if old == new else 'not ok') + ' - src/README.md shows the includes of today'
              + ('' if old == new else ' (make layers)'))
        return old != new or bool(faults)
    if old != new:
        with open(README, 'w', encoding='utf-8') as f:
            f.write(new)
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
