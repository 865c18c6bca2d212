#!/usr/bin/env python3
"""Valid JSON is taken and other JSON is refused, wherever in a trace it stands.

    json_texts.py PROGRAM

Texts are made of parts of numbers, strings and lists, and Python's reader, made strict, says which are
valid. Each valid one stands as a record, as an argument and as a member beside the records; each other one
as an argument, or cuts the trace short.
"""
import itertools
import json
import os
import subprocess
import sys
import tempfile

HEAD = '{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1,"args":{"stream":7'
PLACES = {'a record': ('{"traceEvents":[%s,{}]}', ',{},'), 'an argument': (HEAD + ',"x":[%s]}}]}', ','),
          'a member': (HEAD + '}}],"x":[%s]}', ',')}


def texts():
    """Parts put together, of which some are valid."""
    yield from map(''.join, itertools.product(('', '-', '+'), ('', '0', '7', '07', '120'), ('', '.', '.5'), ('', 'e', 'E3', 'e-2', 'e+', 'e+10')))
    for inside in ('', ' ', 'a', '\\n', '\\"', '\\/', '\\\\', '\\b\\f\\r\\t', '\\u0000', '\\u00e9', '\\uD83D\\uDE00', '\\ud800', '\\udc00\\ud800', '\\uFFFF',
                   '\\x41', '\\u12', '\\u12g4', '\\U0041', '\\a', '\\', '\\0', "\\'", '\n', '\t', '\r', '\x00', '\x1f', '\x7f', '\u2028', '\u00e9', '\U0001f600', '"'):
        yield '"%s"' % inside
    for n in range(1, 6):
        yield from map(''.join, itertools.product(('[', ']', ',', '1'), repeat=n))
    for inside in ('', '"a":1', '"a":1,"a":2', '"":{}', '"a":[{}],"b":null', '"a"', '"a":', ':1', '"a":1,', ',', '"a"1', 'a:1', "'a':1", '1:2', '"a":1 "b":2', '"a":1:2',
                   '"a",1', '"a"::1', '[]:1', '"a":1;', '"a":}'):
        yield '{%s}' % inside
    yield from ('true', 'false', 'null', 'True', 'TRUE', 'tru', 'nul', 'nulll', 'fals', 'undefined', '0x1', '1_0', '1,0', '1 0', '--1', '1e1.5', '1.2.3', '١', '½',
                '/**/1', '1//', '#1', '<a>', '\\n', '\ufeff1', '\x0c1', '\xa01', '\t1 ', '\r\n[ 1 , 2 ]\n', '{"a" : 1 }', '[]]', '{}}', '[1}', '{"a":1]', '"a', "'a'", '`a`', '"a" "b"',
                '""""', '*', '&', '[1,2', '{"a":[}]', '123456789012345678901234567890', '1e400', '-1e-400', '[{}]',
                '[[[[1]]],{"x":[{}]}]', '{"a":{"a":{}}}', '[true,false,null]', '"\\u003c\\/b>"', '9223372036854775808', '2.250')


def is_valid(text):
    def refused(word):
        raise ValueError(word)
    try:
        json.loads(text, parse_constant=refused)
        return True
    except ValueError:
        return False


def analyze(program, trace):
    with open('t.json', 'w', encoding='utf-8') as f:
        f.write(trace)
    done = subprocess.run([program, 'analyze', 't.json', '-p', 'none', '-q', '--formats', 'csv', '-f', '-o', 'x', '-j', '1'],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def main():
    program, failed = os.path.realpath(sys.argv[1]), 0
    valid, other = [], []
    for text in dict.fromkeys(texts()):
        of = valid if is_valid(text) else other
        if of is valid or not is_valid('[%s]' % text): # "1,1" is of two values in a list
            of.append(text)
    # Of lists of nothing but brackets and commas there are many.
    other = [text for i, text in enumerate(other) if len(text) < 4 or set(text) - set('[],1') or i % 24 == 0]
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for place, (around, between) in PLACES.items():
            if analyze(program, around % between.join(valid))[0] == 0:
                continue
            for text in valid:
                status, said = analyze(program, around % text)
                if status:
                    failed += 1
                    print('refused as %s: %r: %s' % (place, text, said))
        for text in other:
            status, said = analyze(program, PLACES['an argument'][0] % text)
            if status != 3 or said.count('\n') != 1:
                failed += 1
                print('status %d: %r: %s' % (status, text, said))
        os.chdir('/')
    print('%d valid texts in %d places, %d others, %d failed' % (len(valid), len(PLACES), len(other), failed))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
