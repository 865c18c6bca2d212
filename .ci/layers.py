#!/usr/bin/env python3
"""The one-way order of the folders of src and their contents, kept in src/README.md.

    layers.py            redraw both; status 1 if an include goes against the order, or if
                         modules include or call each other in a circle
    layers.py --check    the same as a test that changes nothing and says TAP lines

The contents are the first sentence of each module's header.
"""
import functools
import os
import re
import sys
import textwrap

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'src')
README = os.path.join(ROOT, 'README.md')

# What each room may include besides itself; the picture of src/README.md, in words. A folder
# that is not listed belongs to the room that holds it (report/figure to report).
ORDER = ['base', 'kernels', 'trace', 'formats', 'store', 'tree', 'timeline', 'perf', 'ops', 'whatif', 'analysis/model',
         'analysis/stack', 'analysis/facts', 'analysis/lua', 'analysis/system', 'analysis',
         'capture', 'compare', 'job', 'report', 'export', 'render/text', 'render/folder', 'render/chart', 'render/markdown',
         'render/page', 'share', 'ci', 'runs', 'commands', 'main']
MAY = {room: set(ORDER[:i]) - {'perf'} for i, room in enumerate(ORDER)}
MAY['perf'] = {'base', 'kernels'}
for later in ORDER[ORDER.index('ops'):]:
    MAY[later].add('perf')
for writer in ('render/text', 'render/folder', 'render/chart', 'render/markdown', 'render/page'):
    # Rows and figures, never an event: see BEHIND_THE_WAIST.
    MAY[writer] = {'base', 'kernels', 'ops', 'analysis/model', 'analysis/stack', 'capture', 'compare', 'job', 'report', 'export',
                   *(room for room in MAY[writer] if room.startswith('render/'))}

# Right of the waist no source sees an event. Not by an include of its own, and not by one of
# the headers that it includes: what it needs of an event is a value in a row.
BEHIND_THE_WAIST = {room for room in ORDER
                    if room in ('report', 'export') or room.startswith('render/')}
AFTER_REPORT = set(ORDER[ORDER.index('report') + 1:])
EVENTS = {'trace', 'formats', 'store', 'tree', 'timeline'}

PICTURE = '''\
base -> kernels -> trace -> formats -> store -> tree -> timeline -+
          |                                                       +-> ops -> whatif -> analysis -> capture -> compare -> job -> report -> export -> render -> share -> ci -> runs -> commands -> main
          +---> perf ---------------------------------------------+
'''

# A function at the left margin with its body; the text before the name shows `static`.
FUNCTION = re.compile(r'^([A-Za-z_][\w \t\n*]*?[\s*])([a-z_]\w*)\s*\([^;{]*?\)\s*\{', re.M)
# What names no function: comments, texts, includes, and the tags of types.
NO_FUNCTION = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"|^[ ]*#[ ]*include[^\n]*|'
                         r'\b(?:struct|enum|union)\s+\w+', re.S | re.M)
NO_COMMENT = re.compile(r'/\*.*?\*/', re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
# A report that could be changed; all that is written is read off `const struct report`.
CHANGES_REPORT = re.compile(r'(?<!const )\bstruct report \*')
OPENING = re.compile(r'/\*\s*[\w.]+\s+-\s+(.*?)(?:\.\s|\*/)', re.S)


@functools.cache
def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as f:
        return f.read()


def sources():
    for folder, _, files in sorted(os.walk(ROOT)):
        for name in sorted(files):
            if name.endswith(('.c', '.h', '.S')):
                yield os.path.relpath(os.path.join(folder, name), ROOT)


def folder_of(path):
    room = os.path.dirname(path)
    while room and room not in ORDER:
        room = os.path.dirname(room)
    return room or 'main'


def way_to_events(path):
    """The shortest chain of includes from a source to a header of events, or nothing."""
    ways = [[path]]
    seen = {path}
    for way in ways:
        for target in INCLUDE.findall(read(way[-1])):
            if '/' not in target or target in seen:
                continue
            if folder_of(target) in EVENTS:
                return way[1:] + [target]
            seen.add(target)
            ways.append(way + [target])
    return []


def uses_and_faults():
    """{folder: the folders it includes}, and one line for each fault."""
    uses, faults = {}, []
    for path in sources():
        if path.endswith(('_test.c', '_case.h')):  # a case is a part of tests
            continue
        here = folder_of(path)
        uses.setdefault(here, set())
        for target in INCLUDE.findall(read(path)):
            if '/' not in target:  # a file of src itself
                if here != 'main':
                    faults.append(f'src/{path}: "{target}" is to be spelled from src/')
                continue
            there = folder_of(target)
            if there == here:
                continue
            if there not in MAY[here]:
                faults.append(f'src/{path}: includes "{target}", against the order')
            uses[here].add(there)
        if here in AFTER_REPORT and CHANGES_REPORT.search(NO_COMMENT.sub('', read(path))):
            faults.append(f'src/{path}: could change a report, which is built once')
        if here in BEHIND_THE_WAIST:
            way = way_to_events(path)
            if way:
                faults.append(f'src/{path}: sees events, through {" -> ".join(way)}')
    return uses, faults


def module_of(path):
    return os.path.splitext(path)[0]


def module_includes():
    """{module: the modules whose headers its source or header includes}."""
    paths = [path for path in sources() if not path.endswith('_test.c')]
    return {module: set().union(*(
        {module_of(target) for target in INCLUDE.findall(read(path))}
        for path in paths if module_of(path) == module)) - {module}
            for module in map(module_of, paths)}


def module_calls():
    """{module: the modules that define a function it names}."""
    code = {path: NO_FUNCTION.sub('T ', read(path)) for path in sources()
            if path.endswith('.c') and not path.endswith('_test.c')}
    home, own = {}, {}
    for path, text in code.items():
        found = [(bool(re.search(r'\bstatic\b', head)), name)
                 for head, name in FUNCTION.findall(text)]
        own[path] = {name for static, name in found if static}
        home.update({name: module_of(path) for static, name in found if not static})
    return {module_of(path): {home[word] for word in set(re.findall(r'\b[a-z_]\w*', text))
                              - own[path] if word in home} - {module_of(path)}
            for path, text in code.items()}


def circles(graph):
    """Groups of two and more that reach each other, by Tarjan's walk."""
    index, low, stack, found = {}, {}, [], []

    def walk(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in sorted(graph.get(v, ())):
            if w not in index:
                walk(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            circle = stack[stack.index(v):]
            del stack[stack.index(v):]
            if len(circle) > 1:
                found.append(sorted(circle))

    sys.setrecursionlimit(10000)
    for v in sorted(graph):
        if v not in index:
            walk(v)
    return found


def drawn_layers(uses):
    lines = [PICTURE, 'folder          includes']
    for folder in ORDER:
        if folder in uses:
            named = sorted(uses[folder], key=ORDER.index)
            lines.append(f'{folder:<15} ' + (' '.join(named) or '-'))
    return '\n'.join(lines)


def drawn_contents():
    """Every module by folder, with the first sentence of its header (or, without, source).

    A source without either is a part of the module that it is named after."""
    modules = {}
    for path in sources():
        stem = os.path.splitext(path)[0]
        if not stem.endswith('_test') and (path.endswith('.h') or stem not in modules):
            opening = OPENING.match(read(path))
            if opening:
                modules[stem] = ' '.join(opening.group(1).replace('\n *', ' ').split())
    lines = []
    for folder in ORDER:
        mine = sorted(stem for stem in modules if folder_of(stem) == folder)
        if mine:
            lines.append(f'src/{folder}/' if folder != 'main' else 'src/')
        for stem in mine:
            lines += textwrap.wrap(f'  {os.path.basename(stem):<18} {modules[stem]}', 96,
                                   subsequent_indent=' ' * 21)
    return '\n'.join(lines)


def redraw(uses):
    """The text of src/README.md as it is, and with new drawings."""
    old = new = read('README.md')
    for name, text in (('layers', drawn_layers(uses)), ('contents', drawn_contents())):
        begin, end = f'<!-- {name}: drawn by `make layers` -->', f'<!-- end of {name} -->'
        head, _, rest = new.partition(begin)
        _, found, tail = rest.partition(end)
        if not found:
            sys.exit(f'src/README.md: no place for the drawing: put in "{begin}" and "{end}"')
        new = f'{head}{begin}\n```\n{text}\n```\n{end}{tail}'
    return old, new


def main():
    check = '--check' in sys.argv[1:]
    uses, faults = uses_and_faults()
    for how, graph in (('include', module_includes()), ('call', module_calls())):
        faults += [f'modules {how} each other in a circle: {" ".join(circle)}'
                   for circle in circles(graph)]
    for fault in faults:
        print(('not ok - ' if check else '') + fault)
    if check:
        if not faults:
            print('ok - every include and every call between modules goes one way')
        return bool(faults)
    old, new = redraw(uses)
    if old != new:
        with open(README, 'w', encoding='utf-8') as f:
            f.write(new)
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
