#!/usr/bin/env python3
"""wheel.py ARCHIVE VERSION FOLDER - FOLDER/tracefolio-VERSION-py3-none-manylinux2014_MACHINE.whl: the
portable archive and one module of Python, without dependencies. Prints its path. The same archive
gives the same bytes."""
import base64
import hashlib
import os
import sys
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
MANUAL = ('share/man', 'share/bash-completion', 'share/fish', 'share/zsh')
METADATA = """Metadata-Version: 2.1
Name: tracefolio
Version: {version}
Summary: Where does GPU time go, and what should we do first? Reports of GPU profiler traces
License: MIT
Requires-Python: >=3.7
Description-Content-Type: text/markdown

"""
WHEEL = """Wheel-Version: 1.0
Generator: tracefolio {version}
Root-Is-Purelib: false
Tag: {tag}
"""
ENTRY = '[console_scripts]\ntracefolio = tracefolio:main\n'


def members(archive):
    """(name, bytes, executable) of what the archive holds, for a machine that has pip."""
    with tarfile.open(archive) as tar:
        for m in tar.getmembers():
            name = m.name.split('/', 1)[-1]
            if m.isfile() and not name.startswith(MANUAL):
                yield '_tracefolio/' + name, tar.extractfile(m).read(), bool(m.mode & 0o100)


def main():
    archive, version, folder = sys.argv[1:]
    machine = os.path.basename(archive)[:-len('.tar.gz')].rsplit('-', 1)[1]
    tag = f'py3-none-manylinux2014_{machine}'
    info = f'tracefolio-{version}.dist-info'
    module = open(os.path.join(HERE, 'python', 'tracefolio.py'), 'rb').read()
    files = [('tracefolio.py', module, False), *members(archive)]
    readme = next(data for name, data, _ in files if name.endswith('/README.md'))
    files += [(f'{info}/METADATA', METADATA.format(version=version).encode() + readme, False),
              (f'{info}/WHEEL', WHEEL.format(version=version, tag=tag).encode(), False),
              (f'{info}/entry_points.txt', ENTRY.encode(), False)]
    record = ''
    for name, data, _ in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip('=')
        record += f'{name},sha256={digest},{len(data)}\n'
    files.append((f'{info}/RECORD', f'{record}{info}/RECORD,,\n'.encode(), False))
    path = os.path.join(folder, f'tracefolio-{version}-{tag}.whl')
    with zipfile.ZipFile(path, 'w') as wheel:
        for name, data, executable in files:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            wheel.writestr(entry, data)
    print(path)


if __name__ == '__main__':
    main()
