#!/usr/bin/env python3
"""Time and memory as traces double, for every command that reads them and for shapes within shapes.

    doublings.py --program P --out DIR [--quick] [--shape NAME]... [--outer NAME]... [--command NAME]... [--times N] [--jobs N]

Each row is a shape of n, 2n and 4n parts, as one command reads it: seconds of user time and MB of memory.
"frames x waits" is a shape below as many calls in calls, here Python frames. Marked is what takes more than
MOST times as much after a doubling, times below FLOOR_S and memory below FLOOR_MB apart, in the best of five
runs, and again in the best of five when nothing else of this test runs: what shares a processor slows long runs
more than short ones. The last line counts, and the status is 1 if any row is marked or a run fails. --times N takes N times
the parts, --quick leaves out commands that share most of their work with others (three minutes on two
processors). The shape "runs" is a folder of runs and its index.
"""
import argparse
import concurrent.futures
import json
import multiprocessing
import os
import shutil
import subprocess
import sys

from stress import kernel, launch, x

MOST = 2.3
FLOOR_S, FLOOR_MB = 0.1, 40
TRIES = 5
RANKS = 2
RUNS = 1000


def triple(i, ts, op='aten::add', name='k', dur=4, stream=7, kernel_args=None, **args):
    yield x('cpu_op', op, ts, 8, **{'External id': i, **args})
    yield launch(ts + 1, i)
    one = kernel(ts + 3, i, name, dur, stream)
    one['args'].update(kernel_args or {})
    yield one


def overlapping(n, at):
    """Operators in operators, each with a kernel that overlaps the one before."""
    for i in range(n):
        yield x('cpu_op', 'aten::n%d' % (i % 50), at + i, 4 * n - 2 * i, **{'External id': i})
        yield launch(at + i + 0.2, i)
        yield kernel(at + n + 6 * i, i, 'k%d' % (i % 50), 9, 7 + i % 2)


def nested_names(n, at):
    """The same of distinct names and with shapes, one kernel after the other."""
    for i in range(n):
        yield x('cpu_op', 'aten::n%d' % i, at + i, 4 * n - 2 * i, **{'External id': i, 'Input Dims': [[64, 64]], 'Input type': ['float']})
        yield launch(at + i + 0.2, i)
        yield kernel(at + n + 6 * i, i, 'k%d' % (i % 99), 5)


def plain(n, at):
    for i in range(n):
        yield from triple(i, at + 10 * i)


def long_names(n, at):
    """Kernels of distinct names of 2 kB."""
    for i in range(n):
        yield from triple(i, at + 10 * i, name='void k<%s>(%d)' % ('A<' * 300 + '>' * 300, i))


def long_regions(n, at):
    """A region with a name of 60 kB, and kernels of two kinds below it."""
    yield x('cpu_op', 'CompiledFunction' + 'x' * 60000, at, 10 * n + 10, **{'External id': n})
    for i in range(n):
        yield launch(at + 10 * i + 1, i)
        yield kernel(at + 10 * i + 3, i, ('ampere_sgemm_64x64_nn_%d' if i % 2 else 'triton_poi_fused_add_%d') % i, 4)


def distinct(n, at):
    """Operators, kernels and shapes, none twice."""
    for i in range(n):
        yield from triple(i, at + 10 * i, 'op::n%d' % i, 'k%d' % i, **{'Input Dims': [[16 + i, 64]], 'Input type': ['float']})


def sizes(n, at):
    """Messages of distinct sizes."""
    for i in range(n):
        yield from triple(i, at + 20 * i, 'c10d::allreduce_', 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)', 12, 9, {
            'Collective name': 'allreduce', 'In msg nelems': 1024 + i, 'Out msg nelems': 1024 + i, 'dtype': 'BFloat16', 'Group size': RANKS,
            'Process Group Name': '0', 'Process Group Ranks': str(list(range(RANKS))), 'Seq': i})


def groups(n, at):
    """Messages, each in a group of its own."""
    for i in range(n):
        yield from triple(i, at + 20 * i, 'c10d::allreduce_', 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)', 12, 9, {
            'Collective name': 'allreduce', 'In msg nelems': 1024, 'Out msg nelems': 1024, 'dtype': 'BFloat16', 'Group size': RANKS,
            'Process Group Name': str(i), 'Process Group Ranks': str(list(range(RANKS))), 'Seq': i})


def same_time(n, at):
    """Everything at one time."""
    for i in range(n):
        yield from triple(i, at)


def waits(n, at):
    """Gaps of a millisecond, each with a wait in it."""
    for i in range(n):
        yield from triple(i, at + 1000 * i)
        yield x('cuda_runtime', 'cudaDeviceSynchronize', at + 1000 * i + 20, 900)


def streams(n, at):
    """Work on many streams at once, and waits that overlap on many threads."""
    for i in range(n):
        yield from triple(i, at + 10 * i, dur=400, stream=7 + i % 40)
        yield x('cuda_runtime', 'cudaStreamSynchronize', at + 10 * i + 5, 500, tid=2 + i % 40)


def copies(n, at):
    """Copies, each of another size."""
    for i in range(n):
        yield x('cpu_op', 'aten::copy_', at + 10 * i, 8, **{'External id': i})
        yield launch(at + 10 * i + 1, i, 'cudaMemcpyAsync')
        yield dict(kernel(at + 10 * i + 3, i, 'Memcpy HtoD (Pageable -> Device)', 4), cat='gpu_memcpy',
                   args={'correlation': i, 'stream': 7, 'device': 0, 'bytes': 1000 * i})


def graphs(n, at):
    """Launches of graphs of four kernels, each graph of its own."""
    for i in range(n):
        yield launch(at + 100 * i, i, 'cudaGraphLaunch')
        for j in range(4):
            one = kernel(at + 100 * i + 10 * (j + 1), i, 'gk%d_%d' % (j, i), 8, 7 + j)
            one['args'].update({'graph node id': 4 * i + j, 'graph id': i})
            yield one


def steps(n, at):
    """Steps with a range each on host and device."""
    for i in range(n):
        yield x('user_annotation', 'ProfilerStep#%d' % i, at + 10 * i, 10)
        yield from triple(i, at + 10 * i)
        yield x('gpu_user_annotation', 'ProfilerStep#%d' % i, at + 10 * i + 3, 6, tid=7, pid=0)


def backward(n, at):
    """Operators, and in the reverse order those that autograd runs for them on another thread."""
    for i in range(n):
        yield from triple(i, at + 10 * i, 'aten::linear', **{'Sequence number': i, 'Fwd thread id': 0})
    for i in range(n):
        begin = at + 10 * n + 20 * i
        yield x('cpu_op', 'autograd::engine::evaluate_function: AddmmBackward0', begin, 19, 2,
                **{'External id': n + i, 'Sequence number': n - 1 - i, 'Fwd thread id': 1})
        yield dict(launch(begin + 2, n + i), tid=2)
        yield kernel(begin + 4, n + i, 'b', 9)


def above(category, name):
    """Calls in calls around all of a trace."""
    def calls(n, end):
        for i in range(n):
            args = {'Python id': i + 1, 'Python parent id': i or None} if category == 'python_function' else {}
            yield x(category, name(i), i / 1000, end, **args)
    return calls


SHAPES = {'overlapping': (overlapping, 5000), 'nested names': (nested_names, 3000), 'plain': (plain, 10000), 'long names': (long_names, 500),
          'long regions': (long_regions, 500), 'distinct': (distinct, 2500), 'sizes': (sizes, 5000), 'groups': (groups, 4000),
          'same time': (same_time, 3000), 'waits': (waits, 5000), 'streams': (streams, 5000), 'copies': (copies, 5000),
          'graphs': (graphs, 2000), 'steps': (steps, 4000), 'backward': (backward, 4000)}
ABOVE = {'frames': above('python_function', lambda i: 'f.py(1): f'), 'modules': above('python_function', lambda i: 'nn.Module: M_%d' % i),
         'plumbing': above('python_function', lambda i: '<built-in method f of type object at 0x%x>' % i),
         'operators': above('cpu_op', lambda i: 'aten::outer%d' % (i % 9)), 'wrappers': above('cpu_op', lambda i: 'execute'),
         'ranges': above('user_annotation', lambda i: 'range %d' % i)}
WITHIN = ['overlapping', 'long names', 'distinct', 'sizes', 'waits', 'same time', 'copies']
COMMANDS = {'analyze': ['-p', 'MI300X'], 'compare': ['-p', 'none'], 'summarize': [], 'job': [],
            'recompute': ['-p', 'none', '--detect-recompute', '--include-backlog', '--formats', 'csv,json'],
            'lend': ['-p', 'none', '--formats', 'csv,json'], 'cut': ['--from', '0', '--to', '999999999999'], 'tree': ['--find', 'a', '--callers'], 'whatif': ['kernel:*=0.5', '-p', 'none']}
QUICK = ['analyze', 'compare', 'job', 'recompute', 'whatif']
QUICK_WITHIN = ['analyze', 'compare']  # of shapes below calls: the others read the tables that these do
READS = {'compare': 2, 'job': 2, 'lend': 2}


def events(shape, outer, n):
    begin = 0
    if outer:
        begin = n / 1000 + 10
        yield from ABOVE[outer](n, 10**8)
    yield from SHAPES[shape][0](n, begin)


def write(traces, shape, outer, n):
    all_of = list(events(shape, outer, n))
    all_of.append({'ph': 'M', 'name': 'process_name', 'pid': 1, 'tid': 0, 'args': {'name': 'python'}})
    for rank, path in enumerate(traces):
        for e in all_of:
            if rank and e.get('cat') == 'kernel':
                e['dur'] *= 1.3
        info = {'backend': 'nccl', 'rank': rank, 'world_size': RANKS}
        with open(path, 'w') as f:
            json.dump({'distributedInfo': info, 'baseTimeNanoseconds': 0, 'traceEvents': []}, f)
            f.seek(f.tell() - 2)
            f.write(json.dumps(all_of, check_circular=False)[1:] + '}')


def once(command):
    """Seconds and MB of a run, or what it says if it fails."""
    child = subprocess.Popen(['timeout', '300', *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = child.stderr.read()
    status, used = os.wait4(child.pid, 0)[1:]
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode and all(known not in said for known in ('no collective is known', 'is about no event')):
        return '%s: status %d: %s' % (' '.join(command), child.returncode, said.strip())
    return used.ru_utime, used.ru_maxrss / 1000


def command_line(program, command, traces, out):
    options = COMMANDS[command]
    read = traces[:READS.get(command, 1)]
    if command == 'lend':
        read = read[:1] + ['--capture-trace', read[1]]
    name = 'analyze' if command in ('recompute', 'lend') else command
    to = [] if command in ('tree', 'whatif') else ['-o', os.path.join(out, 'cut.json.gz') if command == 'cut' else os.path.join(out, 'x')]
    return [program, name, *read, *options, *to] + ['-q'] * (command not in ('cut', 'tree'))


def best(program, command, traces, out, before=None):
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    run = once(command_line(program, command, traces, out))
    return run if isinstance(run, str) or before is None else tuple(min(of) for of in zip(before, run))


def grows(runs):
    """Memory after any doubling; time after the last, and after both, as short runs are noisy."""
    times, memory = zip(*runs)
    return (times[2] > MOST * max(times[1], FLOOR_S) and times[2] > 5 * max(times[0], FLOOR_S / 2)) or any(
        after > MOST * max(before, FLOOR_MB) for before, after in zip(memory, memory[1:]))


def measured(program, command, sets, out):
    """Of each set of traces the best of up to three runs, or what a run says that fails."""
    runs = [None] * len(sets)
    for _ in range(TRIES):
        for k, traces in enumerate(sets):
            runs[k] = best(program, command, traces, out, runs[k])
            if isinstance(runs[k], str):
                return runs[k]
        if not grows(runs):
            break
    return runs


def write_runs(root, run, n):
    """A folder of n runs of one series, as far as an index reads them."""
    summary, manifest = json.load(open(os.path.join(run, 'summary.json'))), open(os.path.join(run, 'MANIFEST.txt')).read()
    for i in range(n):
        folder = os.path.join(root, 'run-%05d' % i)
        os.makedirs(folder)
        summary.update(series='nightly', run_label='run %d' % i, captured_utc='20%02d-%02d-%02dT00:00:00Z' % (i // 336, 1 + i // 28 % 12, 1 + i % 28))
        for name, text in (('summary.json', json.dumps(summary)), ('MANIFEST.txt', manifest)):
            with open(os.path.join(folder, name), 'w') as f:
                f.write(text)


def index_row(o):
    """The index of n, 2n and 4n runs."""
    folder = os.path.join(o.out, 'doublings', 'runs')
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    trace, run = [os.path.join(folder, '%d.json' % rank) for rank in range(RANKS)], os.path.join(folder, 'run')
    write(trace, 'plain', None, 100)
    failed = once([o.program, 'analyze', trace[0], '-p', 'MI300X', '-q', '--formats', 'json', '-o', run])
    if isinstance(failed, str):
        return [('reindex', failed)]
    roots = [os.path.join(folder, str(k)) for k in (1, 2, 4)]
    for k, root in zip((1, 2, 4), roots):
        write_runs(root, run, round(RUNS * o.times * k))
    runs = [None] * len(roots)
    for _ in range(TRIES):
        for k, root in enumerate(roots):
            now = once([o.program, 'reindex', root, '-q'])
            if isinstance(now, str):
                return [('reindex', now)]
            runs[k] = tuple(min(of) for of in zip(runs[k] or now, now))
        if not grows(runs):
            break
    shutil.rmtree(folder)
    return [('reindex', runs)]


def row_of(o, commands, shape, outer):
    if shape == 'runs':
        return index_row(o)
    folder = os.path.join(o.out, 'doublings', (outer + ' x ' + shape if outer else shape).replace(' ', '-'))
    shutil.rmtree(folder, ignore_errors=True)
    sets = []
    for k in (1, 2, 4):
        os.makedirs(os.path.join(folder, str(k)))
        sets.append([os.path.join(folder, str(k), '%d.json' % rank) for rank in range(RANKS)])
        # In a process of its own: what a run takes begins with what its parent has.
        writer = multiprocessing.Process(target=write, args=(sets[-1], shape, outer, round(SHAPES[shape][1] * o.times * k)))
        writer.start()
        writer.join()
    said = [(command, measured(o.program, command, sets, os.path.join(folder, 'out'))) for command in commands]
    shutil.rmtree(folder)
    return said


def what(shape, outer):
    return outer + ' x ' + shape if outer else shape


def told(command, title, runs):
    """Prints a row; whether it fits."""
    if isinstance(runs, str):
        print(runs, flush=True)
        return False
    print('%-10s%-26s' % (command, title) + ''.join('%9.2f' % r[0] for r in runs) + ''.join('%9.0f' % r[1] for r in runs) +
          '  grows' * grows(runs), flush=True)
    return not grows(runs)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--program', required=True, type=os.path.realpath)
    p.add_argument('--out', required=True, type=os.path.realpath)
    p.add_argument('--shape', action='append', choices=[*SHAPES, 'runs'])
    p.add_argument('--outer', action='append', choices=[*ABOVE, 'none'])
    p.add_argument('--command', action='append', choices=COMMANDS)
    p.add_argument('--quick', action='store_true')
    p.add_argument('--times', type=float, default=1)
    p.add_argument('--jobs', type=int, default=os.cpu_count())
    o = p.parse_args()
    shapes = o.shape or [*SHAPES, *([] if o.command else ['runs'])]
    alone, within = [o.command or (quick if o.quick else list(COMMANDS)) for quick in (QUICK, QUICK_WITHIN)]
    rows = [(shape, None) for shape in shapes if not o.outer or 'none' in o.outer]
    rows += [(shape, outer) for outer in o.outer or ABOVE for shape in WITHIN if shape in shapes and outer != 'none']
    print('%-10s%-26s%27s%27s' % ('', 'n, 2n, 4n', 's', 'MB'))
    passed = failed = 0
    again = []
    with concurrent.futures.ProcessPoolExecutor(o.jobs) as pool:
        for (shape, outer), said in zip(rows, pool.map(row_of, *zip(*((o, within if row[1] else alone, *row) for row in rows)))):
            for command, runs in said:
                if told(command, what(shape, outer), runs):
                    passed += 1
                else:
                    again.append((shape, outer, command))
    for shape, outer, command in again:
        for command, runs in row_of(o, [command], shape, outer):
            fits = told(command, what(shape, outer) + ', alone', runs)
            passed, failed = passed + fits, failed + (not fits)
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
