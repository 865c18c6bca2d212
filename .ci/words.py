#!/usr/bin/env python3
"""Words that our users do not read: nobody has to guess what "is no", "wants" or "kit" means.

    words.py    TAP on standard output; every text of the program, of its pages, reports and guides

Texts of the program are the literals of src with a blank in them; what others wrote is quoted.
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
ODD = {
    r'(?<!there )\b(?:is|are) no\b(?! (?:longer|more|less|faster|slower))': 'is not a ...',
    r'\bwants?\b': 'needs, expects',
    r'\b(?:is|are|be) told\b(?! apart)': 'says so, is known',
    r'\bstands? (?!for\b|out\b|alone\b)': 'is',
    r'\bkits?\b': 'replay package',
    r'\bcuts\b(?! (?:off|short)\b)': 'excerpt',
    r'\bmend(?:s|ed|ing)?\b': 'fix',
    r'\b(?:the )?(?:one|rank|call|step|run)s? in the middle\b|\bfrom the middle\b|\btells? the middle\b': 'the median',
    r'\bdid other work\b': 'ran different work',
    r'\b(?:four fifths|nine tenths|three quarters|two thirds)\b': 'a percentage',
    r'\bput right\b': 'fixed, corrected',
    r'(?<!dot )(?<!\{)\bproducts?\b(?! of both)': 'matmul',
    r',\s+since\b(?! the\b)': 'a colon, or because',
    r'\bpeaks? (?:is|are) known of\b': 'known for',
    r'\bhas GPU work\b': 'GPU active for',
    r'\bnarrower (?:types?|precision|data types?)\b': 'lower precision',
    r'\b(?:nothing|trace does not|not) tells?\b(?! (?:prefill|apart))': 'does not show',
    r'\belement-wise\b': 'elementwise',
    r'\bcandidate less\b': 'minus',
    r'\breplay package recommended\b': 'replay it and ...',
    r'\bserved by\b': 'runs on',
    r'\bdoes once\b': 'one-time set-up',
    r'\btaken for noise\b': 'counts as noise',
    r'\bstreams? of (?:its|their) own\b': 'a separate stream',
    r'\bcomes? (?:last|late)\b': 'arrives',
    r'\b(?:[Nn]obody|[Ww]hence|[Ll]est|[Oo]ftener)\b': 'no rank, from where, so that ... not, more often',
    r"\b(?:can't|can not|unable to|failed to|illegal|unrecogni[sz]ed)\b":
        'cannot, unknown, expected',
}
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')
COMMENT = re.compile(r'/\*.*?\*/', re.S)
# What is no prose: markup, names of options, files and code.
NO_PROSE = re.compile(r'\{\{.*?\}\}|<[^>]*>|`[^`]*`|--[a-z-]+|\S*[/_=]\S*|\S+,cuts\b|&nbsp;', re.S)


def blank(text, pattern):
    return pattern.sub(lambda m: re.sub(r'[^\n]', ' ', m.group()), text)


def literals(text):
    """Each chain of adjoining literals, and its line."""
    text = blank(text, COMMENT)
    at, chain, end = 0, '', 0
    for m in LITERAL.finditer(text):
        if chain and text[end:m.start()].strip():
            yield at, chain
            chain = ''
        at = at if chain else text.count('\n', 0, m.start()) + 1
        chain, end = chain + m.group(1), m.end()
    yield at, chain


def is_of_program(top, name):
    return (top == 'src' and name.endswith(('.c', '.h')) and not re.search('_test.c|_case.h', name)
            or top == 'assets' and name.endswith(('.lua', '.js')))


def texts():
    """(file, line, text) of each literal of a source with a blank, and of each page and guide."""
    for folder, _, files in sorted(os.walk(ROOT)):
        short = os.path.relpath(folder, ROOT)
        top = short.split(os.sep)[0]
        for name in sorted(files):
            guide = name.endswith('.md') and (short == '.' or top in ('assets', 'samples', 'themes'))
            if not (is_of_program(top, name) or guide or
                    top == 'templates' and name.endswith(('.html', '.md', '.txt', '.svg', '.xml'))):
                continue
            with open(os.path.join(folder, name), encoding='utf-8') as f:
                text = f.read()
            if not is_of_program(top, name):
                yield f'{short}/{name}', 1, text
                continue
            for line, said in literals(text):
                if ' ' in said.strip():
                    yield f'{short}/{name}', line, said


def main():
    odd = []
    for path, first, text in texts():
        shown = blank(text, NO_PROSE)
        for pattern, better in ODD.items():
            for m in re.finditer(pattern, shown, re.I):
                line = first + text.count('\n', 0, m.start())
                near = ' '.join(shown[max(0, m.start() - 30):m.end() + 20].split())
                odd.append(f'not ok - {path}:{line}: "{near}": {better}')
    print('\n'.join(odd) or 'ok - no odd word in what users read')
    return bool(odd)


if __name__ == '__main__':
    sys.exit(main())
