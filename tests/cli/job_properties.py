"""job_properties.py PROGRAM SAMPLE - what must not change a job, and what must.

Traces of made-up jobs are changed as recordings differ: other numbers of ranks, cut lists, groups of
one name, whole microseconds, metadata that is missing, events that are thinned out.
"""
import ast
import glob
import gzip
import json
import os
import random
import re
import subprocess
import sys
import tempfile

program, sample = sys.argv[1:]
failed = count = 0


def make(folder, *options):
    subprocess.run([sample, '--no-python', *options, '-o', folder], check=True, capture_output=True)
    traces = {}
    for path in glob.glob(folder + '/*.gz'):
        with gzip.open(path, 'rt') as f:
            trace = json.load(f)
        traces[trace['distributedInfo']['rank']] = trace
    return traces


def job(traces, *options, page=None):
    """What job.json has; with a page, its text too."""
    with tempfile.TemporaryDirectory() as work:
        os.mkdir(work + '/in')
        for rank, trace in traces.items():
            with gzip.open('%s/in/rank%d.json.gz' % (work, rank), 'wt', compresslevel=1) as f:
                json.dump(trace, f)
        subprocess.run([program, 'job', work + '/in', '-o', work + '/site', '-q', '--formats', 'json,site' if page else 'json', *options],
                       check=True, timeout=120)
        with open(work + '/site/job.json', encoding='utf-8') as f:
            got = json.load(f)
        if page:
            with open('%s/site/%s.html' % (work, page), encoding='utf-8') as f:
                got['page'] = f.read()
        return got


def kernels(trace):
    return [e for e in trace['traceEvents'] if e.get('cat') == 'kernel' and 'nccl' in e['name']]


def told(trace):
    """The arguments of all that tells of collectives."""
    return [e['args'] for e in trace['traceEvents'] if 'Process Group Name' in e.get('args', {})]


def figures(rank):
    late = rank['lateness']
    return [rank[k] for k in ('waited_ns', 'times_last', 'save_ns', 'add_ns', 'top_frac', 'named', 'cause')] + [
        late['late_ns'], late['compute_ns'], late['idle_ns'], rank['balance']]


def same(a, b, number=lambda r: r):
    left, right = ({r['rank']: figures(r) for r in j['ranks']} for j in (a, b))
    blame = [{r['rank']: r['blame_ns'] for r in j['ranks']} for j in (a, b)]
    for rank, want in left.items():
        # Parts of a ns go to the lower rank.
        assert abs(blame[0][rank] - blame[1][number(rank)]) <= 1, (rank, blame)
        assert right[number(rank)] == want, (rank, want, right[number(rank)])
    assert a['wait_ns'] == b['wait_ns'] and a['what_if']['fixed_together'] == [
        {**m, 'first_rank': next(w['first_rank'] for w in a['what_if']['fixed_together'] if w['what'] == m['what'])}
        for m in b['what_if']['fixed_together']]


def case(name):
    def run(check):
        global failed, count
        count += 1
        try:
            with tempfile.TemporaryDirectory() as folder:
                check(folder + '/traces')
            print('ok %d - %s' % (count, name))
        except (AssertionError, subprocess.SubprocessError) as e:
            failed = 1
            print('not ok %d - %s\n# %s' % (count, name, str(e)[:900]))
    return run


@case('other numbers of ranks are those of the result')
def _(folder):
    traces = make(folder, '--job', '4', '--plant', 'late-compute:2=20')
    want = job(traces)
    turned = {}
    for rank, trace in traces.items():
        turned[(rank + 1) % 4] = trace
        trace['distributedInfo']['rank'] = (rank + 1) % 4
        for args in told(trace):
            args['Rank'] = (rank + 1) % 4
    got = job(turned)
    assert want['late_ranks'] == [2] and got['late_ranks'] == [3], (want['late_ranks'], got['late_ranks'])
    same(want, got, lambda r: (r + 1) % 4)


@case('groups of one name are told apart by their ranks')
def _(folder):
    traces = make(folder, '--job', '8', '--tensor', '2', '--plant', 'late-compute:5=20')
    want = job(traces)
    for trace in traces.values():
        for args in told(trace):
            args['Process Group Name'] = 'group'
        for group in trace['distributedInfo']['pg_config']:
            group['pg_name'] = 'group'
    got = job(traces)
    assert len(got['groups']) == len(want['groups']) > 2
    same(want, got)


@case('lists that are cut are read from the configuration')
def _(folder):
    traces = make(folder, '--job', '8', '--tensor', '2', '--plant', 'late-compute:5=20')
    want = job(traces)
    for trace in traces.values():
        for args in told(trace):
            ranks = ast.literal_eval(str(args['Process Group Ranks']))
            args['Process Group Ranks'] = '[%d, ...]' % ranks[0]
    same(want, job(traces))


@case('a rank without metadata')
def _(folder):
    traces = make(folder, '--job', '8', '--plant', 'late-compute:5=20')
    for event in traces[3]['traceEvents']:
        if 'Process Group Name' in event.get('args', {}):
            event['args'] = {k: v for k, v in event['args'].items() if k in ('External id', 'correlation', 'stream', 'device')}
    assert job(traces)['late_ranks'] == [5]


@case('whole microseconds beside nanoseconds')
def _(folder):
    traces = make(folder, '--job', '4', '--plant', 'late-compute:2=20')
    want = job(traces)
    n = len(kernels(traces[1]))
    for event in traces[1]['traceEvents']:
        if 'ts' in event and 'dur' in event:
            end = int(event['ts'] + event['dur'])
            event['ts'] = int(event['ts'])
            event['dur'] = end - event['ts']
    got = job(traces)
    assert got['late_ranks'] == want['late_ranks'] == [2]
    for a, b in zip(want['ranks'], got['ranks']):
        assert abs(a['blame_ns'] - b['blame_ns']) <= 4000 * n, (a['blame_ns'], b['blame_ns'])


@case('a clock that is ahead changes only what is said of it')
def _(folder):
    traces = make(folder, '--job', '4', '--plant', 'late-compute:2=20')
    want = job(traces)
    traces[1]['baseTimeNanoseconds'] = traces[1].get('baseTimeNanoseconds', 0) + 7_000_000
    got = job(traces)
    assert got['late_ranks'] == want['late_ranks']
    for a, b in zip(want['ranks'], got['ranks']):
        assert a['balance'] == b['balance']
        assert abs(a['blame_ns'] - b['blame_ns']) <= 1e-3 * want['wait_ns'] + 60000, (a['blame_ns'], b['blame_ns'])
    assert abs(got['ranks'][1]['clock_offset_ns'] - want['ranks'][1]['clock_offset_ns'] - 7_000_000) < 3000


@case('events that were thinned out are not matched by their order')
def _(folder):
    traces = make(folder, '--job', '2', '--metadata', 'none', '--steps', '8')
    left = []
    for rank, trace in traces.items():
        pick = random.Random(rank)
        gone = {id(e) for e in kernels(trace) if pick.random() < 0.4}
        trace['traceEvents'] = [e for e in trace['traceEvents'] if id(e) not in gone]
        left.append(len(kernels(trace)))
    got = job(traces)
    group = max(got['groups'], key=lambda g: g['collectives'])
    assert group['matching'] in ('aligned', 'none'), group
    assert group['unmatched'] > 0, group
    checks = {c['what']: c for c in got['checks']}
    assert checks['Waiting with and without clocks agrees']['status'] == 'passed', checks


@case('a rank alone is compared with nobody')
def _(folder):
    got = job({1: make(folder, '--job', '4')[1]})
    assert got['late_ranks'] == [] and got['wait_ns'] == 0
    for what in ('Clocks agree', 'The replay gives the recorded run'):
        assert next(c for c in got['checks'] if c['what'] == what)['status'] == 'not evaluated', what


def pipelines(traces):
    """What two ranks all-reduced the first sends and the second receives."""
    for rank, trace in traces.items():
        for event in trace['traceEvents']:
            args = event.get('args', {})
            if args.get('Process Group Description') != 'mesh_tp':
                continue
            args['Collective name'] = 'recv' if rank % 2 else 'send'
            args['Src Rank' if rank % 2 else 'Dst Rank'] = rank ^ 1
            if event['cat'] == 'kernel':
                event['name'] = 'ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)'
    return traces


@case('stages of pipelines are pairs, compared with their like')
def _(folder):
    traces = make(folder, '--job', '4', '--tensor', '2', '--plant', 'late-input:1=4000')
    got = job(pipelines(traces), page='late')
    roles = dict(re.findall('<tr><th scope="row" class="n">(.)</th><td class="n">(.)</td>', got['page'].split('id="t-ranks"')[1].split('</table>')[0]))
    assert roles == {'0': '0', '1': '1', '2': '0', '3': '1'} and '>Does as rank</th>' in got['page'], roles
    assert all(g['unmatched'] == 0 and g['matching'] == 'exact' for g in got['groups']), got['groups']
    assert got['late_ranks'] == [1], got['late_ranks']
    w = got['what_if']
    roles = [m for m in w['fixed_together'] if m['kind'] == 'role']
    assert [(m['what'], m['first_rank']) for m in roles] == [('2 ranks as rank 1', 1), ('2 ranks as rank 0', 0)], roles
    assert abs(roles[0]['total_ns'] - w['late_ranks_fixed_ns']) < 0.01 * w['recorded_ns'], (roles, w)
    assert w['recorded_ns'] - roles[0]['total_ns'] > 10_000_000, roles


print('1..%d' % count)
sys.exit(failed)
