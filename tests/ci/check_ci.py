#!/usr/bin/env python3
"""What hosts of builds require of the files that they read.

    check_ci.py junit FILE       elements, attributes and times as junit-10.xsd of Jenkins's xunit plugin
                                 has them, and counts
    check_ci.py metrics FILE     lines of OpenMetrics text, each name and labels once
    check_ci.py badge FILE       an SVG under 2 kB without script, style or reference
    check_ci.py email FILE       no script, style sheet, picture or SVG; under 95 kB
    check_ci.py gfm FILE         markdown rendered by cmark-gfm shows nothing that came from a name
    check_ci.py commands FILE    print the shell commands of a snippet, one after the other

Every difference is a line; status 1 if there is one.
"""
import re
import subprocess
import sys
import xml.etree.ElementTree as tree

CASE = {'name', 'time', 'classname', 'group'}
SUITE = {'name', 'tests', 'failures', 'errors', 'group', 'time', 'skipped', 'timestamp', 'hostname',
         'id', 'package', 'file', 'log', 'url'}
TIME = r'[0-9]*(\.[0-9]*)?'
CASE_PARTS = {'skipped', 'error', 'failure', 'system-out', 'system-err'}


def junit(text):
    root = tree.fromstring(text)
    if root.tag != 'testsuites' or set(root.attrib) - {'name', 'time', 'tests', 'failures', 'errors'}:
        yield f'the root is {root.tag} {sorted(root.attrib)}'
    if not list(root):
        yield 'no suite'
    for suite in root:
        if suite.tag != 'testsuite' or set(suite.attrib) - SUITE:
            yield f'{suite.tag} {sorted(suite.attrib)}'
        if not re.fullmatch(TIME, suite.get('time', '')):
            yield f'time {suite.get("time")}'
        for key in ('name', 'tests', 'failures', 'errors'):
            if key not in suite.attrib:
                yield f'a suite has no {key}'
        found = {'tests': len(suite), 'failures': len(suite.findall('testcase/failure')),
                 'errors': len(suite.findall('testcase/error')),
                 'skipped': len(suite.findall('testcase/skipped'))}
        for key, n in found.items():
            if int(suite.get(key, n)) != n:
                yield f'{suite.get("name")}: {key} is {suite.get(key)}, of {n}'
        for case in suite:
            if case.tag != 'testcase' or set(case.attrib) - CASE or 'name' not in case.attrib:
                yield f'{case.tag} {sorted(case.attrib)}'
            if not re.fullmatch(TIME, case.get('time', '')):
                yield f'time {case.get("time")}'
            for part in case:
                if part.tag not in CASE_PARTS or len(part) or set(part.attrib) - {'type', 'message'}:
                    yield f'{case.get("name")}: {part.tag} {sorted(part.attrib)}'


def metrics(text):
    seen, typed = set(), set()
    lines = text.splitlines()
    if lines.pop() != '# EOF':
        yield 'no end'
    for line in lines:
        if line.startswith('# HELP '):
            continue
        if line.startswith('# TYPE '):
            typed.add(line.split()[2])
            continue
        m = re.fullmatch(r'([a-z_]+(?:\{[a-z]+="[^"\\]+"(?:,[a-z]+="[a-z]+")?\})?) (-?[0-9.]+(?:e-?[0-9]+)?)', line)
        if not m or m.group(1) in seen:
            yield f'not a metric, or twice: {line}'
        else:
            seen.add(m.group(1))
    if {name.split('{')[0] for name in seen} != typed:
        yield f'types of {sorted(typed)}'
    if not typed & {'tracefolio_total_seconds', 'tracefolio_change_seconds', 'tracefolio_job_run_seconds'}:
        yield 'neither a total time nor a change'


def badge(text):
    root = tree.fromstring(text)
    if len(text.encode()) >= 2000:
        yield f'{len(text)} bytes'
    for e in root.iter():
        if e.tag.split('}')[1] not in ('svg', 'title', 'rect', 'path', 'g', 'text'):
            yield f'element {e.tag}'
        for key, value in e.attrib.items():
            if key == 'style' or key.startswith('on') or 'url(' in value or 'href' in key:
                yield f'attribute {key}={value}'
    if not root.find('{http://www.w3.org/2000/svg}title').text:
        yield 'no title'


def email(text):
    if len(text.encode()) >= 95000:
        yield f'{len(text)} bytes'
    for word in ('<script', '<style', '<link', '<img', '<svg', 'url(', '@import'):
        if word in text.lower():
            yield word
    void = re.sub(r'<(meta|br)\b[^>]*>', '', re.sub(r'<!DOCTYPE[^>]*>', '', text)).replace('&nbsp;', ' ')
    try:
        tree.fromstring(void)
    except tree.ParseError as e:
        yield f'tags do not match: {e}'


def gfm(text):
    run = subprocess.run(['cmark-gfm', '--unsafe', '-e', 'table', '-e', 'autolink', '-e', 'strikethrough', '-e', 'tagfilter'],
                         input=text.encode(), capture_output=True, check=True)
    html = run.stdout.decode()
    shown = re.sub(r'<code>.*?</code>', '', html, flags=re.S)
    shown = re.sub(r'^<!-- tracefolio: [\w./~-]* -->$', '', shown, flags=re.M)
    for tag in sorted(set(re.findall(r'<(\w+|!)', shown)) -
                      set('h3 p table thead tbody tr th td strong ul li a em'.split())):
        yield f'a tag: {tag}'
    for link in re.findall(r'<a href="([^"]*)"', shown):
        if not link.startswith('https://ci.example/'):
            yield f'a link: {link}'
    for word in re.findall(r'(?:^|[\s(])([@#][\w-]+)', re.sub(r'<[^>]*>', ' ', shown)):
        yield f'a mention: {word}'
    if '<table>' not in html or html.count('<table>') != text.count('\n|-'):
        yield f'{html.count("<table>")} tables of {text.count(chr(10) + "|-")}'


def commands(path):
    """The commands that a snippet runs, in their order."""
    lines = open(path, encoding='utf-8').read().splitlines()
    block, indent = False, 0
    for line in lines:
        inner = len(line) - len(line.lstrip())
        if path.endswith('Jenkinsfile'):
            if "'''" in line:
                block = not block
            elif block:
                print(line.strip().replace('\\\\', '\\'))
        elif line.rstrip().endswith('run: |'):
            block, indent = True, inner
        elif block and inner > indent:
            print(line.strip())
        elif re.match(r'    - \S', line) and 'gpu-report' != line.strip('- '):
            print(line[6:])
        else:
            block = False


def main(what, path):
    if what == 'commands':
        return commands(path)
    text = open(path, encoding='utf-8').read()
    wrong = list({'junit': junit, 'metrics': metrics, 'badge': badge, 'email': email, 'gfm': gfm}[what](text))
    for line in wrong:
        print(f'{path}: {line}')
    return sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
