#!/usr/bin/env python3
"""sbom.py FOLDER VERSION DATE - FOLDER/tracefolio-VERSION.spdx.json: what is in each file of a release, as
SPDX 2.3. FOLDER holds the files; libraries are those that the portable archives list in LIBRARIES,
what of others is inside the program comes from NOTICE. The same files give the same bytes."""
import glob
import hashlib
import json
import os
import re
import sys
import tarfile

PROJECT = 'SPDXRef-tracefolio'
ARCH = {'x86_64': 'amd64', 'aarch64': 'arm64'}
LIBRARY = re.compile(r'^(\S+) (\S+), of source (\S+) (\S+)$', re.M)
# Of others, inside the program: as the table of NOTICE has them.
INSIDE = [('DejaVu Fonts', '2.37', 'Bitstream-Vera', 'fonts/DejaVuSans.ttf'),
          ('PyTorch operator schemas', None, 'BSD-3-Clause', 'assets/replay/op_schemas.txt')]


def identifier(text):
    return 'SPDXRef-' + re.sub(r'[^A-Za-z0-9.-]', '-', text)


def package(name, version, license_, **more):
    p = {'SPDXID': more.pop('id'), 'name': name, 'downloadLocation': 'NOASSERTION', 'filesAnalyzed': False,
         'licenseConcluded': license_, 'licenseDeclared': license_, 'copyrightText': 'NOASSERTION', **more}
    if version:
        p['versionInfo'] = version
    return p


def libraries(archive):
    """(package, version, source, its version) of what a portable archive brings."""
    with tarfile.open(archive) as tar:
        text = next(tar.extractfile(m).read().decode() for m in tar if m.name.endswith('/LIBRARIES'))
    found = LIBRARY.findall(text)
    if not found:
        sys.exit(f'sbom: {archive}: LIBRARIES names nothing')
    return found


def check_notice():
    notice = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../NOTICE')
    with open(notice, encoding='utf-8') as f:
        text = f.read()
    for _, _, _, path in INSIDE:
        if path not in text:
            sys.exit(f'sbom: NOTICE does not name {path}')


def main():
    folder, version, date = sys.argv[1:]
    check_notice()
    packages = [package('tracefolio', version, 'MIT', id=PROJECT, primaryPackagePurpose='APPLICATION')]
    relations = [('SPDXRef-DOCUMENT', 'DESCRIBES', PROJECT)]
    for name, v, license_, path in INSIDE:
        packages.append(package(name, v, license_, id=identifier(name), comment=f'{path}, inside the program; see NOTICE'))
        relations.append((PROJECT, 'CONTAINS', identifier(name)))
    files, digests = [], hashlib.sha256()
    for path in sorted(glob.glob(os.path.join(folder, '*'))):
        name = os.path.basename(path)
        if name.endswith('.spdx.json') or name == 'SHA256SUMS' or not os.path.isfile(path):
            continue
        with open(path, 'rb') as f:
            data = f.read()
        digests.update(name.encode() + data)
        sums = [{'algorithm': a.upper(), 'checksumValue': hashlib.new(a, data).hexdigest()} for a in ('sha1', 'sha256')]
        files.append({'SPDXID': identifier(name), 'fileName': './' + name, 'checksums': sums, 'licenseConcluded': 'NOASSERTION',
                      'copyrightText': 'NOASSERTION'})
        relations.append((identifier(name), 'GENERATED_FROM', PROJECT))
    for machine, arch in ARCH.items():
        archives = glob.glob(os.path.join(folder, f'*-linux-{machine}.tar.gz'))
        wheels = glob.glob(os.path.join(folder, f'*_{machine}.whl'))
        debs = glob.glob(os.path.join(folder, f'*_{arch}.deb'))
        for name, v, source, source_version in libraries(archives[0]) if archives else []:
            at = identifier(f'{name}-{arch}')
            packages.append(package(name, v, 'NOASSERTION', id=at, supplier='Organization: Debian',
                                    sourceInfo=f'built from {source} {source_version} of Debian 12',
                                    comment=f'licence: share/doc/tracefolio/licences/{name} in the archive', externalRefs=[
                                        {'referenceCategory': 'PACKAGE-MANAGER', 'referenceType': 'purl',
                                         'referenceLocator': f'pkg:deb/debian/{name}@{v.replace("+", "%2B").replace(":", "%3A")}?arch={arch}&distro=bookworm'}]))
            relations += [(identifier(os.path.basename(f)), 'CONTAINS', at) for f in archives + wheels]
            relations += [(identifier(os.path.basename(f)), 'DEPENDS_ON', at) for f in debs]
    document = {
        'spdxVersion': 'SPDX-2.3', 'dataLicense': 'CC0-1.0', 'SPDXID': 'SPDXRef-DOCUMENT', 'name': f'tracefolio-{version}',
        'documentNamespace': f'urn:tracefolio:{version}:{digests.hexdigest()}',
        'creationInfo': {'created': f'{date}T00:00:00Z', 'creators': [f'Tool: tracefolio-release-{version}']},
        'packages': packages, 'files': files,
        'relationships': [{'spdxElementId': a, 'relationshipType': kind, 'relatedSpdxElement': b} for a, kind, b in relations]}
    out = os.path.join(folder, f'tracefolio-{version}.spdx.json')
    with open(out, 'w', encoding='utf-8') as f:
        json.dump(document, f, indent=1)
        f.write('\n')
    print(out)


if __name__ == '__main__':
    main()
