#!/usr/bin/env python3
"""How much code describes the same facts again: the figures that a change should lower or raise.

    measure.py [TREE]                     one line each, of this tree or another
    measure.py --time OLD NEW TRACE...    two programs side by side: time and size of all outputs

What each line counts; tests (x_test.c, x_case.h) only where it says so:

lines       lines of src/**/*.c and *.h
right       of those, in report and in every room to the right of it, the commands at the root included
copies      where a field is carried by hand, there: the members J, M and F; members whose key is written
            out, json_x("key") and context_x("key"); cells, put_int(...) and their like, and job_put_x(...);
            not the members that a description tells, FIELDS(...) and VIEW(...) of base/describe.h,
            COLUMNS(...) of report/table_fields.h
described   those, in all rooms: each is told once for whoever reads or writes it
sentences   texts in C under report and render of four words or more, adjacent literals joined
files       .c and .h files; of the headers, those of 20 lines or fewer
way         calls in report, export and render between functions that name a finding (struct finding,
            its argument, its text): those that stay in their room, and those that climb back to a room left of it
tested      lines of .c in files with a test of their own (x_test.c beside x.c), in all and by folder
planted     mistakes that tests/plants catches, when each is planted (make check-plants)
"""
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
RIGHT = ('report', 'export', 'render', 'share', 'ci', 'runs', 'commands', '')
ROOMS = ('base', 'kernels', 'trace', 'formats', 'store', 'tree', 'timeline', 'perf', 'ops', 'whatif', 'analysis', 'capture', 'compare',
         'job', 'report', 'export', 'render', 'share', 'ci', 'runs', 'commands', '')
SMALL_LINES, SENTENCE_WORDS = 20, 4

COMMENT = re.compile(r'/\*.*?\*/', re.S)
DIRECTIVE = re.compile(r'^[ \t]*#(?:\\\n|[^\n])*', re.M)
LITERAL = r'"((?:\\.|[^"\\\n])*)"'
TEXT = re.compile(LITERAL + r'(?:\s*' + LITERAL + ')*')
FORMAT = re.compile(r'%[-+0-9.*]*(?:ll|l|t|z|j)?[a-zA-Z%]')
COPY = re.compile(r'\b(?:[JMF]\(|(?:json|context)_[a-z_]+\("|job_put[a-z_]*\(|'
                  r'put_(?:none|text|name|int|real|bool|known|some|us|mib)\()')
DESCRIPTION = re.compile(r'^(?:static )?(?:FIELDS|VIEW|COLUMNS)\(.*?\);$', re.M | re.S)
DESCRIBED = re.compile(r'\b(?:F|AS|ENUM(?:_AS)?|SPAN|STRUCT(?:_AS)?|PART|POINTER(?:_AS)?|LIST(?:_AS)?|CALL(?:_STRUCT)?|'
                       r'ITSELF|MEMBERS_(?:OF|FROM)|ALSO|POINTERS|ARRAY|LIST_WITHIN|CALL_(?:AS|LIST|MAP))\(')
FUNCTION = re.compile(r'^(?!static_assert)([A-Za-z_][\w \t\n*]*?[\s*])([a-z_]\w*)\s*\(([^;{]*?)\)\s*\{(.*?)^\}', re.M | re.S)
FINDING = re.compile(r'\bstruct (?:finding|finding_argument|report_finding|finding_text)\b')


def is_test(path):
    return path.endswith(('_test.c', '_case.h'))


def read_tree(tree):
    """{path below src: its text}."""
    src, found = os.path.join(tree, 'src'), {}
    for folder, _, names in os.walk(src):
        if folder.endswith('/packaging'):
            continue  # of the packages, not of the program
        for name in names:
            if name.endswith(('.c', '.h')):
                path = os.path.join(folder, name)
                with open(path, encoding='utf-8') as f:
                    found[os.path.relpath(path, src)] = f.read()
    return dict(sorted(found.items()))


def room_of(path):
    return path.split('/')[0] if '/' in path else ''


def code_of(text):
    return DIRECTIVE.sub('', COMMENT.sub(' ', text))


def lines_of(text):
    return text.count('\n')


def sentences(text):
    for m in TEXT.finditer(code_of(text)):
        words = FORMAT.sub('', ''.join(re.findall(LITERAL, m.group()))).split()
        yield sum(bool(re.search('[A-Za-z]{2}', w)) for w in words) >= SENTENCE_WORDS


def way_of_findings(files):
    """Calls between functions that name a finding: within a room, and back to the left."""
    home, bodies = {}, []
    for path, text in files.items():
        if not path.endswith('.c') or ROOMS.index(room_of(path)) < ROOMS.index('analysis'):
            continue
        for head, name, arguments, body in FUNCTION.findall(code_of(text)):
            if FINDING.search(arguments + head + body):
                home[path if 'static' in head else '', name] = ROOMS.index(room_of(path))
                bodies.append((path, name, body))
    stay = back = 0
    for path, name, body in bodies:
        here = ROOMS.index(room_of(path))
        if room_of(path) not in ('report', 'export', 'render'):
            continue
        for called in re.findall(r'\b([a-z_]\w*)\s*\(', body):
            there = home.get((path, called), home.get(('', called)))
            stay += there == here
            back += there is not None and there < here
    return stay, back


def tested(files):
    """{folder: lines of .c in files with their own test, and of all}."""
    found = {}
    for path, text in files.items():
        if path.endswith('.c') and not is_test(path):
            sums = found.setdefault(os.path.dirname(path) or 'main', [0, 0])
            sums[0] += lines_of(text) * (path[:-2] + '_test.c' in files)
            sums[1] += lines_of(text)
    return found


def planted(tree):
    try:
        with open(os.path.join(tree, 'tests', 'plants', 'plants.txt'), encoding='utf-8') as f:
            return sum(line.startswith('plant ') for line in f)
    except FileNotFoundError:
        return 0


def report(tree):
    files = read_tree(tree)
    code = {p: t for p, t in files.items() if not is_test(p)}
    right = {p: t for p, t in code.items() if room_of(p) in RIGHT}
    headers = [t for p, t in code.items() if p.endswith('.h')]
    shares = tested(files)
    with_test, whole = map(sum, zip(*shares.values()))
    yield 'lines', sum(map(lines_of, code.values()))
    yield 'right', sum(map(lines_of, right.values()))
    yield 'copies', sum(len(COPY.findall(DESCRIPTION.sub('', code_of(t)))) for p, t in right.items() if p.endswith('.c'))
    yield 'described', sum(len(DESCRIBED.findall(d)) for t in code.values() for d in DESCRIPTION.findall(code_of(t)))
    yield 'sentences', sum(sum(sentences(t)) for p, t in code.items() if room_of(p) in ('report', 'render'))
    yield 'files', f'{len(code)}, headers of {SMALL_LINES} lines or fewer {sum(lines_of(t) <= SMALL_LINES for t in headers)}'
    yield 'way', 'stay %d, climb back %d' % way_of_findings(code)
    yield 'tested', f'{100 * with_test / whole:.1f} %'
    for folder, (part, all_lines) in sorted(shares.items()):
        yield '  ' + folder, f'{100 * part / all_lines:.0f} % of {all_lines}'
    yield 'planted', planted(tree)


def run(program, traces, out):
    start = time.monotonic()
    for i, trace in enumerate(traces):
        subprocess.run([program, 'analyze', trace, '-q', '-o', os.path.join(out, str(i))], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - start


def side_by_side(old, new, traces, rounds=5):
    seconds, size = {old: [], new: []}, {}
    for _ in range(rounds):
        for program in (old, new):
            with tempfile.TemporaryDirectory() as out:
                seconds[program].append(run(program, traces, out))
                size[program] = sum(os.path.getsize(os.path.join(d, f)) for d, _, names in os.walk(out) for f in names)
    yield 'time', f'{min(seconds[new]) / min(seconds[old]):.3f}'
    yield 'size', f'{size[new] / size[old]:.3f}'


def main():
    words = sys.argv[1:]
    if words[:1] == ['--time'] and len(words) > 3:
        found = side_by_side(words[1], words[2], words[3:])
    elif len(words) < 2 and not (words and words[0].startswith('-')):
        found = report(words[0] if words else HERE)
    else:
        sys.exit(__doc__)
    for name, figure in found:
        print(f'{name:<18}{figure}')


if __name__ == '__main__':
    main()
