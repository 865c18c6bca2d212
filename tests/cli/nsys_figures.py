"""nsys_figures.py sizes EXPORT JOB | groups | names EXPORT TRACE REPORT | real REPORT TRACES: what tests/cli/nsys.sh asks,
from files read here without the product."""
import csv
import glob
import gzip
import json
import os
import sqlite3
import struct
import subprocess
import sys

csv.field_size_limit(1 << 24)
WIDTHS = {'float': 4, 'BFloat16': 2}
WORDS = {'ncclAllReduce': 'allreduce', 'ncclAllGather': 'allgather', 'ncclReduceScatter': 'reduce_scatter'}


def rows(path):
    with open(path, encoding='utf-8') as f:
        return list(csv.DictReader(f))


def kernels_of(path):
    with gzip.open(path, 'rb') as f:
        tree = json.loads(f.read().decode('utf-8', 'surrogatepass'))
    return [e for e in (tree['traceEvents'] if isinstance(tree, dict) else tree)
            if str(e.get('cat')).lower() == 'kernel' and 'dur' in e]


def nsys(path, ranges, calls, kernels, schemas=True):
    """An export by hand: ranges (start, end, name, payload), calls (start, end, correlation), kernels (start, correlation)."""
    if os.path.exists(path):
        os.remove(path)
    db = sqlite3.connect(path)
    texts = ['k', 'cudaLaunchKernelExC'] + [r[2] for r in ranges] + ['ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)']
    db.executescript('''create table StringIds (id, value);
        create table NVTX_EVENTS (start, end, eventType, textId, globalTid, binaryData);
        create table NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId, schemaId, idx, type, name, offset);
        create table CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);
        create table CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId, globalPid, demangledName,
            registersPerThread, staticSharedMemory, dynamicSharedMemory, gridX, gridY, gridZ, blockX, blockY, blockZ);''')
    db.executemany('insert into StringIds values (?, ?)', enumerate(texts))
    db.executemany('insert into NVTX_EVENTS values (?, ?, 59, ?, 16777217, ?)',
                   [(a, b, texts.index(name), blob) for a, b, name, blob in ranges])
    if schemas:
        db.executemany('insert into NVTX_PAYLOAD_SCHEMA_ENTRIES values (1, 7, ?, ?, ?, ?)', [
            (0, 18, 'NCCL communicator ID', None), (1, 22, 'Message size [bytes]', 8), (2, 5, 'Peer rank', 16)])
    db.executemany('insert into CUPTI_ACTIVITY_KIND_RUNTIME values (?, ?, 16777217, ?, 1)', calls)
    db.executemany(f'insert into CUPTI_ACTIVITY_KIND_KERNEL values (?1, ?1 + 1000, 0, 7, ?2, 16777216, {len(texts) - 1}, '
                   '1, 0, 0, 1, 1, 1, 32, 1, 1)', kernels)
    db.commit()
    db.close()


def blob(body, domain=1, schema=7, size=None, offset=32):
    return struct.pack('<4Q', domain, schema, len(body) if size is None else size, offset) + body


def message(n, peer, communicator=0xabc):
    return struct.pack('<QQiI', communicator, n, peer, 0)


def moved(ranges, calls, **more):
    """In and out bytes of the kernels that an export names, '' where it does not."""
    nsys('hand.db', ranges, calls, [(100000 + 2000 * k, c[2]) for k, c in enumerate(calls)], **more)
    subprocess.run(['tracefolio', 'cut', 'hand.db', '--from', '0', '--to', '1000000', '-f', '-q', '-o', 'hand.json.gz'], check=True)
    with gzip.open('hand.json.gz', 'rt', encoding='utf-8') as f:
        tree = json.load(f)
    return [(a.get('In msg nelems', ''), a.get('Out msg nelems', ''), a.get('Process Group Name', ''), a.get('Src Rank', ''))
            for e in tree['traceEvents'] if e.get('cat') == 'kernel' for a in [e['args']]]


def sizes(export, job):
    db = sqlite3.connect(export)
    told = [(WORDS[name], struct.unpack_from('<Q', data, 40)[0]) for name, data in db.execute(
        'select value, binaryData from NVTX_EVENTS join StringIds on id = textId where binaryData is not null '
        'order by globalTid >> 24, start') if name in WORDS]
    want = []
    for rank in (0, 1):
        for e in sorted(kernels_of(f'{job}/rank{rank}.json.gz'), key=lambda e: e['ts']):
            a = e['args']
            if a.get('Collective name') in ('allreduce', 'allgather'):
                want.append((a['Collective name'], a['In msg nelems'] * WIDTHS[a['dtype']]))
    assert len(told) > 10 and sorted(told) == sorted(want), (told[:4], want[:4])
    subprocess.run(['tracefolio', 'job', export, '-f', '-q', '-o', 'site'], check=True)
    long = rows('site/job_csvs/nccl_long.csv')
    got = [(r['Collective name'], int(r['In msg nelems'])) for r in long]
    assert sorted(got) == sorted(want), (got[:4], want[:4])
    assert {r['dtype'] for r in long} == {'bytes'} and {r['Group size'] for r in long} == {'2'}


def groups():
    call = [(30, 40, 1)]
    start, end = (0, 5, 'ncclGroupStart', None), (25, 50, 'ncclGroupEnd', None)

    def pair(s, r):
        return [start, (6, 10, 'ncclSend', s), (11, 15, 'ncclRecv', r), end]
    good = blob(message(100, 1))
    assert moved(pair(good, blob(message(50, 1))), call) == [(100, 50, '0x0000000000000abc', '')]
    # A group in a group starts its kernels where the outer one ends.
    inner = [start, (6, 7, 'ncclGroupStart', None), (8, 9, 'ncclSend', good), (10, 11, 'ncclGroupEnd', None), end]
    assert moved(inner, call) == [(100, '', '0x0000000000000abc', '')]
    assert moved([(25, 50, 'ncclRecv', good)], call) == [('', 100, '0x0000000000000abc', 1)]
    # Two communicators, two kernels of one group, or no end in sight: nobody knows which bytes are whose.
    nothing = [('', '', '', '')]
    assert moved(pair(good, blob(message(50, 1, 0xdef))), call) == nothing
    assert moved(pair(good, good), [(30, 35, 1), (36, 40, 2)]) == nothing * 2
    assert moved([(6, 10, 'ncclSend', good), end], call) == nothing
    # The driver's call inside that of the runtime is the same launch.
    assert moved([(25, 50, 'ncclSend', good)], [(30, 40, 1), (32, 38, 2)])[0][0] == 100
    for damaged in (b'', b'\0' * 31, 'text', good[:-1], blob(b''), blob(message(1, 1), domain=2), blob(message(1, 1), schema=8),
                    blob(message(1, 1), size=1 << 63), blob(message(1, 1), offset=(1 << 64) - 1),
                    blob(message(1, 1), offset=0), blob(message(1 << 63, 1))):
        got = moved(pair(damaged, blob(message(50, 1))), call)
        assert got == nothing, (damaged, got)
    assert moved(pair(good, good), call, schemas=False) == nothing


def names(export, trace, report):
    db = sqlite3.connect(export)
    spelt = {n for n, in db.execute('select distinct value from CUPTI_ACTIVITY_KIND_KERNEL join StringIds on id = demangledName')}
    kernels = {e['name'] for e in kernels_of(trace)}
    assert len(spelt) == len(kernels) and len(spelt & kernels) < len(kernels), 'the maker spells them otherwise'
    with open(f'{report}/comparative_analysis_rough.md', encoding='utf-8') as f:
        text = f.read()
    assert 'None: all work has a counterpart' in text, text[:2000]
    subprocess.run(['tracefolio', 'analyze', export, '-p', 'none', '-q', '-f', '--formats', 'csv', '-o', 'spelt'], check=True)
    got = {r['Kernel name'] for r in rows('spelt/perf_report_csvs/kernel_summary.csv')}
    assert got - {n for n in got if n.startswith('Mem')} == kernels, sorted(got ^ kernels)[:4]


def real(report, traces):
    got = {r['Kernel name'] for r in rows(f'{report}/perf_report_csvs/kernel_summary.csv')}
    same = {os.path.basename(p): got & {e['name'] for e in kernels_of(p)} for p in glob.glob(f'{traces}/*.json.gz')
            if 'h100' in p or 'a100' in p}
    print('#', {k: len(v) for k, v in sorted(same.items())}, 'of', len(got))
    assert len(same['qwen-0.5b-h100.json.gz']) >= 7 and len(set().union(*same.values())) >= 10


if __name__ == '__main__':
    {'sizes': sizes, 'groups': groups, 'names': names, 'real': real}[sys.argv[1]](*sys.argv[2:])
