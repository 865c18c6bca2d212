#!/usr/bin/env python3
"""Write files in which a scan for words cannot see everything: plant_unread.py DIR

Prints the name of each place, as a scan names it, one a line.
"""
import bz2
import gzip
import io
import lzma
import os
import sys
import zipfile
import zlib


def zipped(name, data, how=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w', how) as z:
        z.writestr(name, data)
    return out.getvalue()


def encrypted():
    data = bytearray(zipped('a.txt', 'text'))
    for mark, flags in ((b'PK\3\4', 6), (b'PK\1\2', 8)):
        data[data.index(mark) + flags] |= 1
    return bytes(data)


def deep():
    data = b'text ' * 100
    for _ in range(7):
        data = zipped('in.zip', data)
    return data


def main(folder):
    os.makedirs(folder)
    pad = os.urandom(1000) * 3
    whole, hidden = zipped('a.txt', pad), zipped('b.txt', pad)
    files = {
        'a.xz': (lzma.compress(pad), ''),
        'a.bz2': (bz2.compress(pad), ''),
        'a.zst': (b'\x28\xb5\x2f\xfd' + pad, ''),
        'a.7z': (b'7z\xbc\xaf\x27\x1c' + pad, ''),
        'a.pdf': (b'%PDF-1.7\n' + zlib.compress(pad), ''),
        'font.woff2': (b'wOF2' + pad, ''),
        'bzip2.zip': (zipped('a.txt', pad, zipfile.ZIP_BZIP2), ': a.txt'),
        'lzma.zip': (zipped('a.txt', pad, zipfile.ZIP_LZMA), ': a.txt'),
        'encrypted.zip': (encrypted(), ': a.txt'),
        'deep.zip': (deep(), ': in.zip: in.zip: in.zip: in.zip'),
        'cut.zip': (whole[:len(whole) // 2], ''),
        'hidden.zip': (hidden[:hidden.index(b'PK\1\2')] + whole, ''),
        'cut.gz': (gzip.compress(pad)[:-600], ': unpacked'),
        'bomb.gz': (gzip.compress(bytes(50 << 20)), ': unpacked'),
    }
    for name, (data, inside) in files.items():
        with open(os.path.join(folder, name), 'wb') as f:
            f.write(data)
        print(name + inside)
    os.symlink('/etc/hostname', os.path.join(folder, 'link.txt'))
    os.symlink('.', os.path.join(folder, 'folder'))
    os.mkfifo(os.path.join(folder, 'pipe'))
    print('link.txt', 'folder', 'pipe', sep='\n')


main(sys.argv[1])
