"""job.py SITE TRUTH [NAMED CAUSE] - the report of a made-up job against what was put in.

NAMED: the ranks to be named, as 2 or 2,3; none: nobody. CAUSE: compute, copy or idle; link, with
nobody to be named: the node with a slow link is.
Sums are checked in any case; figures that depend on clocks only if these agree.
"""
import csv
import json
import os
import sys

site, truth = sys.argv[1], json.load(open(sys.argv[2]))
named, cause = (sys.argv[3:] + [None, None])[:2]
job = json.load(open(os.path.join(site, 'job.json')))
ranks = {r['rank']: r for r in job['ranks']}
told = {r['rank']: r for r in truth['of_ranks']}


def table(name):
    with open(os.path.join(site, 'job_csvs', name + '.csv'), newline='') as f:
        return list(csv.DictReader(f))


def close(what, got, want, allowed):
    assert abs(got - want) <= allowed, '%s: %s, not %s' % (what, got, want)


# Nothing is lost: blame is waiting, causes are lateness, parts are the window.
blame = sum(int(r['blame_ns']) for r in table('job_blame'))
waited = sum(int(r['waited_ns']) for r in table('job_blame'))
close('blame', blame, waited, len(ranks))
for r in table('job_cause'):
    parts = sum(int(r[k]) for k in ('compute_ns', 'copy_ns', 'other_communication_ns', 'idle_ns'))
    assert parts == int(r['late_ns']), ('causes of rank', r)
for r in table('job_ranks'):
    parts = sum(int(r[k]) for k in ('compute_ns', 'transfer_ns', 'wait_ns', 'copy_ns', 'idle_ns'))
    assert parts == int(r['window_ns']), ('parts of rank', r)

present = sorted(r for r in told if told[r]['file'])
assert sorted(ranks) == present, 'ranks'
assert job['ranks_expected'] == truth['ranks']
assert job['missing_ranks'] == [r for r in sorted(told) if r not in present], job['missing_ranks']

late_start = any(p['kind'] == 'late-start' for p in truth['planted'])
drifts = any(r['drift_ppm'] for r in told.values())
if len(present) == truth['ranks'] and not late_start and not drifts:
    # Clocks are found from the ends of collectives, which differ by up to 2 us.
    allowed = 0.002 * waited + 4000 * truth['collectives_per_rank']
    for r in present:
        close('blame of rank %d' % r, ranks[r]['blame_ns'], told[r]['blame_us'] * 1000, allowed)
        close('wait of rank %d' % r, ranks[r]['waited_ns'], told[r]['wait_us'] * 1000, allowed)

if named is not None:
    want = [] if named == 'none' else [int(r) for r in named.split(',')]
    assert sorted(job['late_ranks']) == want, ('named', job['late_ranks'])
    for r in want:
        late = ranks[r]['lateness']
        assert cause is None or late[cause + '_ns'] >= 0.8 * late['late_ns'], ('cause', late)
        assert cause is None or ranks[r]['cause'].split(':')[0] == cause, ranks[r]['cause']
planted = truth['planted'][0] if len(truth['planted']) == 1 else None
saving = planted['saving_us_per_step'] * 1000 * truth['steps'] if planted and 'saving_us_per_step' in planted else None
fixed = job['what_if']
if planted and named not in (None, 'none') and cause and fixed:
    # What the first step loses before the first collective is not told.
    got = fixed['even_loads_ns' if planted['kind'] == 'hot-expert' else 'late_ranks_fixed_ns']
    close('saving', fixed['recorded_ns'] - got, saving, 0.2 * saving)
    # Of the causes those that are of what was planted save as much, and of the nodes that of the rank.
    together = [(m, fixed['recorded_ns'] - m['total_ns']) for m in fixed['fixed_together']]
    if planted['kind'] != 'hot-expert':
        close('the cause', sum(ns for m, ns in together if m['kind'] == 'cause' and m['what'].split(':')[0] == cause),
              saving, (0.25 if len(present) > 2 else 0.4) * saving)
        nodes = [(m, ns) for m, ns in together if m['kind'] == 'node']
        if nodes:
            close('the node', nodes[0][1], saving, 0.2 * saving)
            assert nodes[0][0]['node'] == ranks[want[0]]['node'], nodes
if planted and planted['kind'] == 'slow-link' and named == 'none' and cause == 'link':
    assert [n['node'] for n in job['slow_nodes']] == [planted['ranks'][0] // truth['gpus_per_node']], job['slow_nodes']
    close('saving', fixed['recorded_ns'] - fixed['fast_links_ns'], saving, 0.1 * saving)
else:
    assert not job['slow_nodes'], job['slow_nodes']
