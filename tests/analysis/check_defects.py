#!/usr/bin/env python3
"""Plant defects in made-up traces and see that the analysis finds each of them.

  check_defects.py BUILD [--pairs] [-v]

Alone, a defect must be found, at its operator, first in its tier, and the range of its impact
must hold what it really costs (the generator knows). A healthy trace must have no critical
and no high finding. With --pairs, two defects at a time must both be found. Prints TAP.
"""
import argparse, itertools, json, os, subprocess, sys, tempfile

# Where each defect lives, what its finding may be called, and in which tier it is.
# `at`: texts one of which the finding's operator, title, pattern or operations must hold.
DEFECTS = {
    'tiny-batched-gemm': ('llm-prefill', 'kernel', ['tiny_batched_gemm']),
    'unfused-attention': ('llm-prefill', 'kernel', ['unfused_attention']),
    'skinny-gemm': ('llm-prefill', 'kernel', ['skinny_gemm']),
    'few-tiles-gemm': ('llm-prefill', 'kernel', ['few_tiles']),
    'conv-transposes': ('cnn-training', 'kernel', ['conv_transpose_overhead']),
    'item-sync': ('llm-prefill', 'system', ['cpu_idle']),
    'exposed-allreduce': ('cnn-training', 'system', ['multi_kernel']),
    'slow-batch-norm': ('cnn-training', 'kernel', ['batchnorm']),
    'many-small-copies': ('llm-prefill', 'system', ['multi_kernel']),
    'host-bound': ('llm-prefill', 'system', ['cpu_idle']),
    'unfused-elementwise': ('llm-prefill', 'fusion', ['unfused_gated_activation', 'unfused_rotary', 'elementwise_chain']),
    'moe-few-tokens': ('moe', 'kernel', ['moe_fused']),
    'slow-softmax': ('llm-prefill', 'kernel', ['reduce']),
    'slow-reduce': ('llm-prefill', 'kernel', ['reduce']),
}


def run(build, folder, kind, defects, seed=1):
    trace, truth, out = (os.path.join(folder, n) for n in ('t.json.gz', 'truth.json', 'out'))
    words = [w for d in defects for w in ('--defect', d)]
    subprocess.run([f'{build}/tracefolio-sample', '--kind', kind, '--seed', str(seed), *words,
                    '--truth', truth, '-o', trace], check=True, stderr=subprocess.PIPE)
    subprocess.run([f'{build}/tracefolio', 'analyze', trace, '-p', 'MI300X', '--formats', 'json',
                    '-q', '-f', '-o', out], check=True, stderr=subprocess.PIPE)
    with open(truth, encoding='utf-8') as f, open(f'{out}/report.json', encoding='utf-8') as g:
        return json.load(f), json.load(g)


def matches(report, finding, defect):
    kind, tier, words = DEFECTS[defect]
    if finding['informational'] or finding['tier'] != tier:
        return False
    return any(w in finding['key'] for w in words)


def about(f):
    i = f['impact']
    return f"{f['rank']} {f['priority']} {f['key']} {i['low_ms']}-{i['high_ms']} ms"


def check_alone(report, truth, defect):
    """What is wrong, or an empty text."""
    fact = next(d for d in truth['defects'] if d['name'] == defect)
    saving_ms = fact['saving_us'] / 1e3
    found = [f for f in report['findings'] if matches(report, f, defect)]
    first = {f['tier']: f for f in reversed(report['findings']) if not f['informational']}
    if not found:
        return f'not found; first: {[about(f) for f in report["findings"][:4]]}'
    f = found[0]
    names = {o['id']: o['name'] for o in report['operations']}
    ops = [t for g in found for t in ([names.get(o, '') for o in g['operations']]
                                      + [g['name'], g['issue'], ' '.join(g['evidence'])])]
    if fact['op'] and not any(fact['op'] in o for o in ops):
        return f"operator {fact['op']} not named: {ops[:5]}"
    if first[f['tier']] is not f:
        return f'not first in its tier: {about(f)} behind {about(first[f["tier"]])}'
    # The samples' kernel times have a jitter of 3 %, and so has the truth. A defect of forward and backward, or of two steps of a layer, is a finding for each
    # operator; what they would save together is what the generator knows.
    ranges = [g['impact'] for g in found if g['priority'] != 'low' and g['impact']['low_ms'] is not None]
    if not ranges:
        return f'no range: {about(f)}'
    low, high = sum(r['low_ms'] for r in ranges), sum(r['high_ms'] for r in ranges)
    if not low * 0.97 <= saving_ms <= high * 1.03:
        return f'true saving {saving_ms:.3f} ms is not in {low:.3f} to {high:.3f} ms: {[about(g) for g in found]}'
    return ''


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('build'), ap.add_argument('--pairs', action='store_true')
    ap.add_argument('-v', action='store_true')
    o = ap.parse_args()
    results = []

    def tell(name, wrong):
        results.append(not wrong)
        print(f"{'not ok' if wrong else 'ok'} - {name}{': ' + wrong if wrong else ''}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        for seed in (1, 2, 3):
            truth, report = run(o.build, folder, 'healthy', [], seed)
            bad = [about(f) for f in report['findings'] if f['priority'] in ('critical', 'high')]
            tell(f'healthy, seed {seed}', f'findings: {bad}' if bad else '')
        for defect, (kind, _, _) in DEFECTS.items():
            truth, report = run(o.build, folder, kind, [defect])
            tell(defect, check_alone(report, truth, defect))
            if o.v:
                print('   ', [about(f) for f in report['findings'][:5]])
        for a, b in itertools.combinations(DEFECTS, 2) if o.pairs else ():
            if DEFECTS[a][0] != DEFECTS[b][0]:
                continue
            truth, report = run(o.build, folder, DEFECTS[a][0], [a, b])
            lost = [d for d in (a, b) if not any(matches(report, f, d) for f in report['findings'])]
            tell(f'{a} and {b}', f'not found: {lost}' if lost else '')
    print(f'1..{len(results)}')
    print(f'{sum(results)} passed, {len(results) - sum(results)} failed')
    return 0 if all(results) else 1


if __name__ == '__main__':
    sys.exit(main())
