#!/usr/bin/env python3
"""sqlite_trace.py FORMAT OUT.sqlite OUT.json TRACE.json[.gz]... - the events of traces as another profiler writes
them to SQLite, and as JSON that holds no more than that, event by event in the same order.

FORMAT is nsys (nsys export --type sqlite), rpd (rocmProfileData), rocpd (rocprofv3 of ROCm 7) or rocpd-tracks (the
same with times and threads in tables of their own). Several traces become several processes of one file; OUT.json is
that of the first."""
import gzip
import hashlib
import json
import re
import sqlite3
import struct
import sys
from decimal import ROUND_HALF_UP, Decimal

from nvcc_name import nvcc_name

CALLS = ('cuda_runtime', 'cuda_driver')
DEVICE = ('kernel', 'gpu_memcpy', 'gpu_memset')
WAYS = {'HtoD': ('Host', 'Device', 1), 'DtoH': ('Device', 'Host', 2), 'DtoD': ('Device', 'Device', 8)}
UUID = '_0123abcd_4567_89ef_0123_456789abcdef'


def ns(us):
    return int((Decimal(us) * 1000).to_integral_value(ROUND_HALF_UP))


def us(n):
    return f'{n // 1000}.{n % 1000:03d}'


class Event:
    """One record: times in ns, small numbers for processes and threads."""

    def __init__(self, raw, threads):
        self.args = raw.get('args') or {}
        self.cat, self.name = raw['cat'], raw['name']
        self.start, self.end = ns(raw['ts']), ns(raw['ts']) + ns(raw['dur'])
        self.correlation = self.args.get('correlation')
        self.on_device = self.cat in DEVICE
        self.device, self.stream = self.args.get('device', 0), self.args.get('stream', 0)
        self.thread = threads.setdefault(raw.get('tid'), len(threads) + 1)
        way = re.search('[HD]to[HD]', self.name)
        self.way = way.group() if way and way.group() in WAYS else 'DtoD'

    def is_operator(self):
        """As readers of ranges tell them: without spaces and numbers, but for those of autograd."""
        plain = self.name.removeprefix('autograd::engine::evaluate_function: ')
        return self.cat == 'cpu_op' and not re.search('[ #]', plain) and not plain.startswith('nccl:')


def read(path):
    opens = gzip.open if path.endswith('.gz') else open
    with opens(path, 'rb') as f:
        tree = json.loads(f.read().decode('utf-8', 'surrogatepass'), parse_float=Decimal)
    raw = tree['traceEvents'] if isinstance(tree, dict) else tree
    threads = {}
    kept = CALLS + DEVICE + ('cpu_op', 'user_annotation')
    return [Event(e, threads) for e in raw if e.get('ph') == 'X' and e.get('cat') in kept and 'dur' in e]


def of(events, *cats):
    return [e for e in events if e.cat in cats]


def insert(db, table, rows):
    if rows:
        db.executemany(f'insert into "{table}" values ({",".join("?" * len(rows[0]))})', rows)


class Texts:
    def __init__(self):
        self.ids = {}

    def __call__(self, text):
        return self.ids.setdefault(text.encode('utf-8', 'replace').decode(), len(self.ids) + 1)


def range_text(e, number):
    """A range as PyTorch's emit_nvtx names it."""
    if not e.is_operator():
        return e.name
    seq = e.args.get('Sequence number')
    return (e.name + (f', seq = {seq}' if seq is not None else '') + f', op_id = {number}' +
            (f', sizes = {json.dumps(e.args["Input Dims"])}' if 'Input Dims' in e.args else ''))


def as_json(path, pid, events, keys, copies):
    """`keys`: of kernels' args that the format holds; `copies`: the names that it gives them."""
    with open(path, 'w', encoding='utf-8') as f:
        f.write('{"traceEvents":[\n')
        rows = []
        for e in events:
            args, cat, name = {}, e.cat, e.name
            if cat == 'cpu_op':
                cat = 'cpu_op' if e.is_operator() else 'user_annotation'
                args = {k: e.args[k] for k in ('Input Dims', 'Sequence number') if k in e.args}
            elif cat in CALLS:
                cat = 'cuda_driver' if re.match('cu(?!da)', name) else 'cuda_runtime'
            if e.correlation is not None and e.cat in CALLS + DEVICE:
                args['correlation'] = e.correlation
            if e.on_device:
                args['stream'] = e.stream
            if cat == 'kernel':
                args.update({k: e.args[k] for k in keys if k in e.args})
            elif cat == 'gpu_memcpy':
                args['bytes'], name = e.args.get('bytes', 0), copies(e)
            elif cat == 'gpu_memset':
                name = 'Memset (Device)'
            rows.append(f'{{"ph":"X","cat":"{cat}","name":{json.dumps(name)},"pid":{e.device if e.on_device else pid},'
                        f'"tid":{e.stream if e.on_device else e.thread},"ts":{us(e.start)},"dur":{us(e.end - e.start)},'
                        f'"args":{json.dumps(args, default=str)}}}')
        f.write(',\n'.join(rows) + '\n]}\n')


def shape(e, key):
    return (list(e.args.get(key, [])) + [1, 1, 1])[:3]


# What NCCL registers (src/include/nvtx_payload_schemas.h), by the names and numbers that a real export has for it.
SCHEMAS = {16777218: (('NCCL communicator ID', 18, None), ('No. of ranks', 5, 8), ('Rank', 5, 12), ('CUDA device', 5, 16)),
           16777223: (('NCCL communicator ID', 18, None), ('Message size [bytes]', 22, 8),
                      ('Reduction operation', 16777232, 16)),
           16777220: (('NCCL communicator ID', 18, None), ('Message size [bytes]', 22, 8))}
NCCL = {'allreduce': ('ncclAllReduce', 16777223), 'allgather': ('ncclAllGather', 16777220),
        'reduce_scatter': ('ncclReduceScatter', 16777223)}
WIDTHS = {'float': 4, 'bfloat16': 2, 'half': 2, 'c10::bfloat16': 2, 'c10::half': 2, 'int': 4, 'long': 8, 'byte': 1}


def payload(schema, body):
    """As --include-blobs=true exports it: domain, schema, length and place of what follows."""
    return struct.pack('<4Q', 1, schema, len(body), 32) + body


def messages(kernels, calls):
    """Ranges that NCCL opens around its launches, each with its payload; sets what they say in the arguments of kernels,
    and drops what they do not."""
    launches, rows, seen = {c.correlation: c for c in calls}, [], set()
    for e in kernels:
        said = {k: e.args.pop(k) for k in list(e.args) if k in (
            'Collective name', 'In msg nelems', 'Out msg nelems', 'dtype', 'Group size') or k.startswith(('Process Group', 'In split', 'Out split', 'Global rank'))}
        name = re.sub('^_|_base$|_coalesced$', '', str(said.get('Collective name', ''))).replace('all_', 'all').replace('reducescatter', 'reduce_scatter')
        call, width = launches.get(e.correlation), WIDTHS.get(str(said.get('dtype', '')).lower())
        if name not in NCCL or not call or not width or 'launchkernel' not in call.name.lower():
            continue
        function, schema = NCCL[name]
        group, ranks = str(said.get('Process Group Name', '')), int(said.get('Group size', 0))
        communicator = int.from_bytes(hashlib.sha256(group.encode()).digest()[:8], 'little')
        n = int(said['Out msg nelems' if name == 'reduce_scatter' else 'In msg nelems']) * width
        if communicator not in seen and ranks:
            rows.append((call.start, call.start, call.thread, 'ncclCommInitRankConfig', payload(
                16777218, struct.pack('<QiiiI', communicator, ranks, 0, e.device, 0))))
        seen.add(communicator)
        body = struct.pack('<QQ', communicator, n) + (struct.pack('<iI', 0, 0) if schema == 16777223 else b'')
        rows.append((call.start, call.end, call.thread, function, payload(schema, body)))
        sizes = {'In msg nelems': n * ranks if name == 'reduce_scatter' else n,
                 'Out msg nelems': n * ranks if name == 'allgather' else n}
        e.args.update({'Collective name': name, 'dtype': 'bytes', 'Process Group Name': f'0x{communicator:016x}',
                       **({'Group size': ranks} if ranks else {}), **{k: v for k, v in sizes.items() if v or not n}})
    return rows


def nsys(db, out, traces):
    db.executescript('''
        create table StringIds (id integer not null primary key, value text not null);
        create table PROCESSES (globalPid integer, pid integer, name text);
        create table TARGET_INFO_GPU (id integer, name text, totalMemory integer, smCount integer, computeMajor integer,
            computeMinor integer);
        create table TARGET_INFO_SESSION_START_TIME (utcEpochNs integer);
        create table NVTX_EVENTS (start integer not null, end integer, eventType integer not null, text text,
            globalTid integer, textId integer, domainId integer, binaryData text);
        create table NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId integer not null, schemaId integer not null,
            idx integer not null, flags integer, type integer, name text, description text,
            arrayOrUnionDetail integer, offset integer);
        create table CUPTI_ACTIVITY_KIND_RUNTIME (start integer, end integer, globalTid integer, correlationId integer,
            nameId integer);
        create table CUPTI_ACTIVITY_KIND_KERNEL (start integer, end integer, deviceId integer, streamId integer,
            correlationId integer, globalPid integer, demangledName integer, shortName integer,
            registersPerThread integer, gridX integer, gridY integer, gridZ integer, blockX integer, blockY integer,
            blockZ integer, staticSharedMemory integer, dynamicSharedMemory integer);
        create table CUPTI_ACTIVITY_KIND_MEMCPY (start integer, end integer, deviceId integer, streamId integer,
            correlationId integer, globalPid integer, bytes integer, copyKind integer, srcKind integer,
            dstKind integer);
        create table CUPTI_ACTIVITY_KIND_MEMSET (start integer, end integer, deviceId integer, streamId integer,
            correlationId integer, globalPid integer, bytes integer);''')
    texts, memory = Texts(), {'Host': 1, 'Device': 2}
    for i, events in enumerate(traces):
        pid = 1000 + i
        process = 1 << 48 | pid << 24
        ranges, calls = of(events, 'cpu_op', 'user_annotation'), of(events, *CALLS)
        kernels, copies, sets = (of(events, c) for c in DEVICE)
        # The first range by the number of its text, as registered strings are.
        insert(db, 'NVTX_EVENTS', [(e.start, e.end, 59, None if k == 0 else range_text(e, k), process | e.thread,
                                    texts(range_text(e, k)) if k == 0 else None, 0, None)
                                   for k, e in enumerate(ranges)])
        told = messages(kernels, calls)
        insert(db, 'NVTX_EVENTS', [(start, end, 59, None, process | thread, texts(name), 1, blob)
                                   for start, end, thread, name, blob in told])
        ranges += [Event({'cat': 'user_annotation', 'name': name, 'ts': us(start), 'dur': us(end - start), 'tid': thread},
                         {thread: thread}) for start, end, thread, name, _ in told]
        insert(db, 'CUPTI_ACTIVITY_KIND_RUNTIME', [(e.start, e.end, process | e.thread, e.correlation,
                                                    texts(e.name + '_v7000')) for e in calls])
        insert(db, 'CUPTI_ACTIVITY_KIND_KERNEL', [
            (e.start, e.end, e.device, e.stream, e.correlation, process, texts(nvcc_name(e.name)), texts('short'),
             e.args.get('registers per thread', 0), *shape(e, 'grid'), *shape(e, 'block'),
             e.args.get('shared memory', 0), 0) for e in kernels])
        for e in kernels:
            e.args.update({'registers per thread': e.args.get('registers per thread', 0),
                           'shared memory': e.args.get('shared memory', 0), 'grid': shape(e, 'grid'),
                           'block': shape(e, 'block')})
        insert(db, 'CUPTI_ACTIVITY_KIND_MEMCPY', [
            (e.start, e.end, e.device, e.stream, e.correlation, process, e.args.get('bytes', 0), WAYS[e.way][2],
             memory[WAYS[e.way][0]], memory[WAYS[e.way][1]]) for e in copies])
        insert(db, 'CUPTI_ACTIVITY_KIND_MEMSET', [
            (e.start, e.end, e.device, e.stream, e.correlation, process, e.args.get('bytes', 0)) for e in sets])
        if i == 0:
            pinned = {'Host': 'Pinned', 'Device': 'Device'}
            as_json(out, pid, ranges + calls + kernels + copies + sets,
                    ('registers per thread', 'shared memory', 'Collective name', 'In msg nelems', 'Out msg nelems', 'dtype',
                     'Process Group Name', 'Group size', 'grid', 'block'),
                    lambda e: f'Memcpy {e.way} ({pinned[WAYS[e.way][0]]} -> {pinned[WAYS[e.way][1]]})')
    insert(db, 'NVTX_PAYLOAD_SCHEMA_ENTRIES', [(1, schema, k, None, kind, name, None, None, offset)
                                               for schema, entries in SCHEMAS.items()
                                               for k, (name, kind, offset) in enumerate(entries)])
    insert(db, 'StringIds', [(n, t) for t, n in texts.ids.items()])


def copy_name(e):
    return f'Memcpy {e.way} ({WAYS[e.way][0]} -> {WAYS[e.way][1]})'


def rpd(db, out, traces):
    db.executescript('''
        create table rocpd_string (id integer primary key, string varchar(4096) not null);
        create table rocpd_api (id integer primary key, pid integer, tid integer, start integer, end integer,
            apiName_id integer, args_id integer);
        create table rocpd_op_inputSignals (id integer primary key);
        create table rocpd_op (id integer primary key, gpuId integer, queueId integer, sequenceId integer,
            completionSignal varchar(18), start integer, end integer, description_id integer, opType_id integer);
        create table rocpd_api_ops (id integer primary key, api_id integer, op_id integer);
        create table rocpd_kernelapi (api_ptr_id integer primary key, gridX integer, gridY integer, gridZ integer,
            workgroupX integer, workgroupY integer, workgroupZ integer);
        create table rocpd_copyapi (api_ptr_id integer primary key, size integer);
        create table ext_autogradapi (api_ptr_id integer primary key, autogradName_id integer, seq integer,
            op_id integer, sizes varchar(4096), input_op_ids varchar(4096));
        create view api as select * from rocpd_api;''')
    texts, types = Texts(), {'gpu_memset': 'FillBuffer', 'HtoD': 'CopyHostToDevice', 'DtoH': 'CopyDeviceToHost',
                             'DtoD': 'CopyDeviceToDevice'}
    api = op = 1 << 32
    for i, events in enumerate(traces):
        pid, call_of, in_items = 1000 + i, {}, set()  # calls that count a grid in work items
        host = [e for e in events if not e.on_device]
        work = [e for e in events if e.on_device]
        for k, e in enumerate(host):
            api += 1
            marker = e.cat not in CALLS
            if not marker and 'LaunchKernel' in e.name and k % 3 == 0:
                e.name = 'hipExtModuleLaunchKernel'
                in_items.add(api)
            if not marker:
                call_of[e.correlation] = api
            # Every other operator as the tool's own pass over the file leaves it.
            split = e.is_operator() and k % 2
            text = e.name if split else range_text(e, k)
            insert(db, 'rocpd_api', [(api, pid, e.thread, e.start, e.end, texts('UserMarker' if marker else e.name),
                                      texts(text if marker else ''))])
            if split:
                insert(db, 'ext_autogradapi', [(api, texts(e.name), e.args.get('Sequence number', ''), k, json.dumps(
                    e.args['Input Dims']) if 'Input Dims' in e.args else '', '')])
        for e in work:
            op += 1
            call = call_of.get(e.correlation)
            kind = types.get(e.way if e.cat == 'gpu_memcpy' else e.cat, 'KernelExecution')
            insert(db, 'rocpd_op', [(op, e.device, e.stream, 0, '', e.start, e.end,
                                     texts(e.name if e.cat == 'kernel' else ''), texts(kind))])
            if call:
                insert(db, 'rocpd_api_ops', [(op, call, op)])
            if call and e.cat == 'kernel':
                grid, block = shape(e, 'grid'), shape(e, 'block')
                # HIP lets the last block of a row be cut off.
                recorded = [g * b - (b - 1) * (call % 2) for g, b in zip(grid, block)] if call in in_items else grid
                db.execute('insert or ignore into rocpd_kernelapi values (?,?,?,?,?,?,?)', (call, *recorded, *block))
                e.args.update(grid=grid, block=block)
            elif call and e.cat == 'gpu_memcpy':
                db.execute('insert or ignore into rocpd_copyapi values (?,?)', (call, e.args.get('bytes', 0)))
        if i == 0:
            as_json(out, pid, host + work, ('grid', 'block'), copy_name)
    insert(db, 'rocpd_string', [(n, t) for t, n in texts.ids.items()])


def rocpd(db, out, traces, tracks=False):
    when = 'track_id integer, start_id integer, end_id integer' if tracks else \
        'nid integer, pid integer, tid integer, agent_id integer, queue_id integer, stream_id integer, ' \
        'start integer, end integer'
    db.executescript(re.sub(r'create table (\w+)', rf'create table \1{UUID}', f'''
        create table rocpd_string (id integer primary key, guid text, string text);
        create table rocpd_info_agent (id integer primary key, type text, type_index integer, product_name text,
            extdata text);
        create table rocpd_info_kernel_symbol (id integer primary key, display_name text, kernel_name text);
        create table rocpd_event (id integer primary key, category_id integer, stack_id integer, extdata text);
        create table rocpd_timestamp (id integer primary key, value integer);
        create table rocpd_track (id integer primary key, pid integer, tid integer, agent_id integer,
            queue_id integer, stream_id integer);
        create table rocpd_region (id integer primary key, {when}, name_id integer, event_id integer);
        create table rocpd_kernel_dispatch (id integer primary key, {when}, kernel_id integer,
            workgroup_size_x integer, workgroup_size_y integer, workgroup_size_z integer, grid_size_x integer,
            grid_size_y integer, grid_size_z integer, event_id integer);
        create table rocpd_memory_copy (id integer primary key, {when}, name_id integer, dst_agent_id integer,
            src_agent_id integer, size integer, event_id integer);'''))
    db.execute(f'create view rocpd_string as select * from rocpd_string{UUID}')
    texts, symbols, times, places, number = Texts(), Texts(), {}, {}, 0
    cpu, names = 100, {'HtoD': 'HOST_TO_DEVICE', 'DtoH': 'DEVICE_TO_HOST', 'DtoD': 'DEVICE_TO_DEVICE'}

    def put(table, e, pid, *rest):
        agent = e.device + 1 if e.on_device else None
        stream = e.stream if e.on_device else None
        if tracks:
            at = (places.setdefault((pid, e.thread, agent, 0, stream), len(places) + 1),
                  times.setdefault(e.start, len(times) + 1), times.setdefault(e.end, len(times) + 1))
        else:
            at = (1, pid, e.thread, agent, 0, stream, e.start, e.end)
        insert(db, table + UUID, [(number, *at, *rest)])

    for i, events in enumerate(traces):
        pid = 1000 + i
        events = [e for e in events if e.cat != 'gpu_memset']
        host = [e for e in events if not e.on_device]
        kernels, copies = of(events, 'kernel'), of(events, 'gpu_memcpy')
        for k, e in enumerate(host + kernels + copies):
            number += 1
            call = e.cat in CALLS
            category = 'HIP_RUNTIME_API_EXT' if call else 'KERNEL_DISPATCH' if e.cat == 'kernel' else \
                'MEMORY_COPY' if e.on_device else 'MARKER_CORE_RANGE_API'
            text = json.dumps({'message': range_text(e, k)}) if not call and not e.on_device else '{}'
            insert(db, 'rocpd_event' + UUID, [(number, texts(category), e.correlation or 0, text)])
            if e.cat == 'kernel':
                grid, block = shape(e, 'grid'), shape(e, 'block')
                e.args.update(grid=grid, block=block)
                put('rocpd_kernel_dispatch', e, pid, symbols(e.name), *block,
                    *(g * b - (b - 1) * (number % 2) for g, b in zip(grid, block)), number)
            elif e.on_device:
                gpu = e.device + 1
                put('rocpd_memory_copy', e, pid, texts('MEMORY_COPY_' + names[e.way]), cpu if e.way == 'DtoH' else gpu,
                    cpu if e.way == 'HtoD' else gpu, e.args.get('bytes', 0), number)
            else:
                put('rocpd_region', e, pid, texts(e.name if call else 'roctxThreadRangeA'), number)
        if i == 0:
            for e in host:  # whatever they are called, it is HIP that is traced
                e.cat = 'cuda_runtime' if e.cat in CALLS else e.cat
            as_json(out, pid, host + kernels + copies, ('grid', 'block'), copy_name)
    devices = {e.device for events in traces for e in events if e.on_device}
    insert(db, 'rocpd_info_agent' + UUID, [(cpu, 'CPU', 0, 'a CPU', '{}')] +
           [(d + 1, 'GPU', d, None, '{"cu_count":304}') for d in sorted(devices)])
    insert(db, 'rocpd_info_kernel_symbol' + UUID, [(n, t, t + '.kd') for t, n in symbols.ids.items()])
    insert(db, 'rocpd_string' + UUID, [(n, '', t) for t, n in texts.ids.items()])
    insert(db, 'rocpd_timestamp' + UUID, [(n, t) for t, n in times.items()])
    insert(db, 'rocpd_track' + UUID, [(n, *p) for p, n in places.items()])


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    kind, path, out = sys.argv[1:4]
    traces = [read(p) for p in sys.argv[4:]]
    db = sqlite3.connect(path)
    db.execute('pragma page_size = 512')  # small files, with trees of several levels
    {'nsys': nsys, 'rpd': rpd, 'rocpd': rocpd,
     'rocpd-tracks': lambda *a: rocpd(*a, tracks=True)}[kind](db, out, traces)
    db.commit()
    db.close()


if __name__ == '__main__':
    main()
