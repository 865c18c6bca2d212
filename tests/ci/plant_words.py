#!/usr/bin/env python3
"""Plant a word in every kind of place that a report can hold one: plant_words.py DIR WORD

Prints the name of each place, as a scan names it, one a line.
"""
import base64
import gzip
import io
import os
import struct
import sys
import zipfile
import zlib


def chunk(kind, body):
    return struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))


def png(*chunks):
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 1, 1, 8, 0, 0, 0, 0)) +
            b''.join(chunks) + chunk(b'IDAT', zlib.compress(b'\0\0')) + chunk(b'IEND', b''))


def zipped(name, data, how=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w', how) as z:
        z.writestr('first.txt', 'nothing here ' * 50)
        z.writestr(name, data)
    return out.getvalue()


def main(folder, word):
    os.makedirs(os.path.join(folder, 'sub'))
    w = word.encode()
    pad = b'some other text ' * 300
    half = len(word) // 2
    sheet = b'<sst><si><t>' + w + b'</t></si></sst>'
    files = {
        'plain.md': (b'text ' + w + b' text', ''),
        'sub/upper.csv': (b'a,b\n1,' + w.upper() + b'\n', ''),
        'split.html': (b'<p>' + w[:half] + b'<wbr>' + w[half:] + b'</p>', ''),
        'entity.html': (b'<p>&#' + str(w[0]).encode() + b';' + w[1:] + b'</p>', ''),
        'escaped.json': (b'{"a": "\\u%04x' % w[0] + w[1:] + b'"}', ''),
        'escaped.md': (w.replace(b'_', b'\\_'), ''),
        'binary.bin': (b'\0\1' + w + b'\xff', ''),
        'book.xlsx': (zipped('xl/sharedStrings.xml', sheet), ': xl/sharedStrings.xml'),
        'stored.zip': (zipped('a.py', pad + w, zipfile.ZIP_STORED), ': a.py'),
        'name.zip': (zipped(word + '.txt', b'x'), ': ' + word + '.txt'),
        'nested.zip': (zipped('in.zip', zipped('deep.json', pad + w)), ': in.zip: deep.json'),
        'cut.json.gz': (gzip.compress(pad + w, mtime=0), ': unpacked'),
        'two.gz': (gzip.compress(pad, mtime=0) + gzip.compress(w, mtime=0), ': unpacked'),
        'text.png': (png(chunk(b'tEXt', b'Title\0' + w)), ''),
        'packed.png': (png(chunk(b'zTXt', b'Title\0\0' + zlib.compress(w))), ': zTXt'),
        'itxt.png': (png(chunk(b'iTXt', b'Title\0\1\0en\0Titel\0' + zlib.compress(w))), ': iTXt'),
        'capture.json.gz': (gzip.compress(b'{"host": "' + w + b'"}', mtime=0), ': unpacked'),
        word + '.svg': (b'<svg/>', ''),
        'wide.txt': (word.encode('utf-16'), ''),
        'big-endian.txt': (word.encode('utf-16-be'), ''),
        'percent.html': (b'<a href="?q=' + b''.join(b'%%%02x' % c for c in w) + b'">', ''),
        'data.html': (b'<img src="data:image/png;base64,' + base64.b64encode(b'a text: ' + w) + b'">', ': base64'),
        'zip.html': (b'"' + base64.b64encode(zipped('in.txt', pad + w)) + b'"', ': base64: in.txt'),
        'behind.bin': (b'#!/bin/sh\n' * 20 + zipped('a.txt', pad + w), ': a.txt'),
        'clean.html': (b'<p>nothing</p>', None),
    }
    os.makedirs(os.path.join(folder, 'sub', word))
    print('sub/' + word)
    for name, (data, inside) in files.items():
        with open(os.path.join(folder, name), 'wb') as f:
            f.write(data)
        if inside is not None:
            print(name + inside)
        if name in ('stored.zip', 'name.zip'):  # as bytes too
            print(name)


main(sys.argv[1], sys.argv[2])
