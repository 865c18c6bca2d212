#!/usr/bin/env python3
"""Mistakes that a unit test must catch: each of plants.txt is planted in a copy of its source.

    check_plants.py BUILD [WORD]    TAP on standard output; only plants whose title has WORD
    check_plants.py --places        compiles nothing: is each text where plants.txt says?

The tree stays as it is: the copy and its test are compiled from a folder of their own, before src
on the path of includes. A plant is

    plant TITLE
    file src/a/x.c      beside it, x_test.c
    from TEXT           the text is in the source once
    to TEXT

and it is caught if the test fails with it and passes without.
"""
import functools
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, '..', '..')


def plants():
    with open(os.path.join(HERE, 'plants.txt'), encoding='utf-8') as f:
        for block in re.split(r'\n\s*\n', f.read()):
            lines = [line for line in block.splitlines() if line and not line.startswith('#')]
            if lines:
                yield dict(line.split(' ', 1) for line in lines)


@functools.cache
def commands(build, module):
    """How make compiles and links the test of a module, as lists of words."""
    target = f'{build}/{module}_test'
    said = subprocess.run(['make', '-n', '-W', f'{module}_test.c', 'V=1', f'B={build}', target], cwd=ROOT, check=True,
                          capture_output=True, text=True).stdout.splitlines()
    compile_line = next(x for x in said if f' -c -o {target}.o ' in x)
    link_line = next(x for x in said if f' -o {target} ' in x)
    return shlex.split(compile_line), shlex.split(link_line)


def passes(build, module, source, folder):
    """Whether the test of a module passes with this text as its source; None: it does not compile."""
    compiles, links = commands(build, module)
    target = f'{build}/{module}_test'
    own = os.path.join(folder, module[len('src/'):])
    os.makedirs(os.path.dirname(own), exist_ok=True)
    with open(f'{own}.c', 'w', encoding='utf-8') as f:
        f.write(source)
    with open(os.path.join(ROOT, f'{module}_test.c'), encoding='utf-8') as f, open(f'{own}_test.c', 'w', encoding='utf-8') as to:
        to.write(f.read())
    swap = {f'{module}_test.c': f'{own}_test.c', f'{target}.o': f'{own}.o', target: f'{own}_test'}
    compiles = [swap.get(x, x) for x in compiles if x not in ('-MMD', '-MP', '-Werror')]
    compiles.insert(compiles.index('-Isrc'), f'-I{folder}')
    links = [swap.get(x, x) for x in links]
    for command in (compiles, links):
        if subprocess.run(command, cwd=ROOT, capture_output=True).returncode:
            return None
    return subprocess.run([f'{own}_test'], cwd=ROOT, capture_output=True, timeout=300).returncode == 0


def text_of(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as f:
        return f.read()


@functools.cache
def passes_unchanged(build, module):
    with tempfile.TemporaryDirectory() as folder:
        return passes(build, module, text_of(f'{module}.c'), folder)


def misplaced(plant):
    """Why a mistake cannot be planted where it says; '' if it can."""
    for path in (plant['file'], plant['file'][:-len('.c')] + '_test.c'):
        if not os.path.exists(os.path.join(ROOT, path)):
            return f'there is no {path}'
    n = text_of(plant['file']).count(plant['from'])
    return '' if n == 1 else f'its text is in {plant["file"]} {n} times'


def outcome(build, plant):
    why = misplaced(plant)
    if why:
        return why
    source = text_of(plant['file'])
    module = plant['file'][:-len('.c')]
    with tempfile.TemporaryDirectory() as folder:
        planted = passes(build, module, source.replace(plant['from'], plant['to']), folder)
        if planted is None:
            return 'it does not compile'
        if planted:
            return f'{module}_test passes with it'
        return '' if passes_unchanged(build, module) else f'{module}_test fails without it'


def all_placed():
    wrong = False
    for plant in plants():
        why = misplaced(plant)
        wrong |= bool(why)
        print(f'{"not ok" if why else "ok"} - {plant["plant"]}{why and ": " + why}')
    return 1 if wrong else 0


def main():
    build, word = sys.argv[1], ''.join(sys.argv[2:3])
    if build == '--places':
        return all_placed()
    good = bad = 0
    for plant in plants():
        if word in plant['plant']:
            why = outcome(build, plant)
            good, bad = good + (not why), bad + bool(why)
            print(f'{"not ok" if why else "ok"} - caught: {plant["plant"]}{why and ": " + why}', flush=True)
    print(f'{good} passed, {bad} failed')
    return 1 if bad or not good else 0


if __name__ == '__main__':
    sys.exit(main())
