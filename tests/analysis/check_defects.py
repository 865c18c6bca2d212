#!/usr/bin/env python3
"""Plant defects in made-up traces and see that the analysis finds each of them.

  check_defects.py BUILD [--pairs | --proof [NAME]...] [-v]

Alone, a defect must be found, at its operator, first in its tier, and the range of its impact
must hold what it really costs (the generator knows). A healthy trace must have no critical
and no high finding. With --pairs, two defects at a time must both be found. Prints TAP.

With --proof, each case of PROOF: what is wrong comes first, its range holds the difference of the
two generated wall times and is no wider than 1.3 x or 2 % of the run, and no advice is given that
the trace contradicts.
"""
import argparse, itertools, json, os, re, subprocess, sys, tempfile

import advice

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


def run(build, folder, kind, defects, seed=1, device='MI300X', near=(), options=()):
    trace, truth, out = (os.path.join(folder, n) for n in ('t.json.gz', 'truth.json', 'out'))
    words = [w for d in defects for w in ('--defect', d)] + [w for d in near for w in ('--near', d)]
    subprocess.run([f'{build}/tracefolio-sample', '--kind', kind, '--seed', str(seed), '--device', device, *words, *options,
                    '--truth', truth, '-o', trace], check=True, stderr=subprocess.PIPE)
    subprocess.run([f'{build}/tracefolio', 'analyze', trace, '-p', device, '--formats', 'json',
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


def check_alone(report, truth, defect, usual=()):
    """What is wrong, or an empty text. `usual`: keys of what the work has without the defect too."""
    fact = next(d for d in truth['defects'] if d['name'] == defect)
    saving_ms = fact['saving_us'] / 1e3
    found = [f for f in report['findings'] if matches(report, f, defect)]
    first = {f['tier']: f for f in reversed(report['findings'])
             if not f['informational'] and (f['key'] not in usual or matches(report, f, defect))}
    if not found:
        return f'not found; first: {[about(f) for f in report["findings"][:4]]}'
    f = found[0]
    names = {o['id']: o['name'] for o in report['operations']}
    ops = [t for g in found for t in ([names.get(o, '') for o in g['operations']]
                                      + [g['name'], g['issue'], ' '.join(g['evidence'])])]
    for g in found:
        if 'memory cop' in g['issue'] and g['impact']['high_ms'] > 1.05 * g['time_ms'] and not re.search('right after|calls for', g['issue']):
            return f'saves more than it takes, and does not say why: {about(g)}'
    if fact['op'] and not any(fact['op'] in o for o in ops):
        return f"operator {fact['op']} not named: {ops[:5]}"
    if first[f['tier']] is not f:
        return f'not first in its tier: {about(f)} behind {about(first[f["tier"]])}'
    if defect == 'moe-few-tokens':
        # No other trace does this work: the truth is kernel time, of which the host may keep a part.
        low, high = (f['impact'][end] for end in ('low_ms', 'high_ms'))
        return '' if saving_ms / 2 <= low <= high <= saving_ms * 1.03 else f'{about(f)} of {saving_ms:.3f} ms'
    # The samples' kernel times have a jitter of 3 %, and so has the truth. A defect of forward and backward, or of two steps of a layer, is a finding for each
    # operator; what they would save together is what the generator knows.
    ranges = [g['impact'] for g in found if g['impact']['low_ms'] is not None]
    if not ranges:
        return f'no range: {about(f)}'
    low, high = sum(r['low_ms'] for r in ranges), sum(r['high_ms'] for r in ranges)
    if not low * 0.97 <= saving_ms <= high * 1.03:
        return f'true saving {saving_ms:.3f} ms is not in {low:.3f} to {high:.3f} ms: {[about(g) for g in found]}'
    return ''


class Case:
    """One trace of the proof.

    named    {defect: words}: a finding that says them is the defect's. The one that costs most comes
             first; the others are among the first five. A key with ~ need not come at all
    said     words that the report must say somewhere, in findings, verdict, lead or warnings
    saves    defects whose range must hold the difference of the two wall times
    several  a defect of forward and backward is two operations, and a slow host is idle time between launches and
             between steps: their ranges are added
    nothing  defects whose findings must claim no more than 1 % of the run
    never    kinds of advice (advice.py) that the trace contradicts
    idle_pct what the window's idle time is without an artefact, which no finding may sell
    options  of the generator
    near     which of the defects are planted just short of what makes them one
    unsaid   words that the report must not say anywhere, as in `said`
    verdict  words that the verdict begins with
    """

    def __init__(self, kind, defects, device='MI300X', named=None, said='', saves=(), several=False, nothing=(), never=(), idle_pct=None,
                 near=(), unsaid='', verdict='', options=()):
        self.kind, self.defects, self.device, self.named, self.said = kind, defects, device, named or {}, said
        self.near, self.unsaid, self.verdict = near, unsaid, verdict
        self.saves, self.nothing, self.never = saves, nothing, never
        self.idle_pct, self.several, self.options = idle_pct, several, options
        self.name = f"{' + '.join(defects)}{', just not,' if near else ''} in {kind} on {device}{''.join(' ' + word for word in options)}"


# What a finding must say to be about the defect.
ALLOC = r'(hip|cuda)Free'
RESIZE = r'preprocess[\s\S]*zoom_shift|zoom_shift[\s\S]*preprocess'
FIRST = r'(first|one) launch|first load|(hip|cu)ModuleLoad|record(ing)? after warm-?up'
REDUCE = r'all-?_?reduce'
FP32 = r'\bfp32\b|float32|single precision'
ALIGN = r'align1|\b10001\b'
HOST = r'host[- ]bound|launches too slowly|host cannot keep|cpu_idle'
BEFORE = r'before the recording'
SILENT = r'kernels of 2 of 3 graph launches are not recorded'
NODES = 'cover less than half'
WAITS = 'host waits for a GPU on which nothing is recorded'
SKEW = 'waits? .*other ranks'
STAMPS = 'in bursts'
BLOCKS = r'few_blocks|more than \d+ blocks?'
CLOCKS = r'slower_clocks|GPU clocks'
PREFILL, CNN, DECODE = 'llm-prefill', 'cnn-training', 'llm-decode'


def alone(kind, defect, words, device='MI300X', **more):
    return Case(kind, [defect], device, {defect: words}, saves=[defect], **more)


def pair(kind, first, first_words, second, second_words, device='MI300X', **more):
    return Case(kind, [first, second], device, {first: first_words, second: second_words}, saves=[first, second], **more)


def both(kind, defect, words, verdict, not_verdict, just_verdict, device='MI300X', **more):
    """Planted, and planted just short of it: said and unsaid, with a verdict that is right for each."""
    return [Case(kind, [defect], device, said=words, verdict=verdict, unsaid=not_verdict, **more),
            Case(kind, [defect], device, near=[defect], unsaid=f'{words}|{not_verdict}', verdict=just_verdict)]


# What a recording hides is in no verdict and saves nothing; nor does the host wait where another process has the GPU.
HOST_LATE = 'waits for the host'
HIDDEN = 'Work is missing from the recording'
TRUST = [
    *both(DECODE, 'partial-graphs', NODES, HIDDEN, HOST_LATE, 'Graph-bound'),
    *both(DECODE, 'unrecorded-wait', WAITS, HIDDEN, HOST_LATE, 'Call-bound'),
    *both(PREFILL, 'unrecorded-wait', WAITS, 'Device-bound', HOST_LATE, 'Device-bound'),
    *both(CNN, 'start-skew', SKEW, 'Device-bound', 'Communication-bound', 'Device-bound'),
    *both(PREFILL, 'deferred-stamps', STAMPS, HIDDEN, HOST_LATE, 'Queue-bound'),
    *both(DECODE, 'other-process', 'Queue-bound.*another process', 'Queue-bound', HOST_LATE, 'Device-bound'),
]

PROOF = [
    *TRUST,
    # Whether a block's work can be shared is not in a trace; what that gives if it can, is.
    alone(PREFILL, 'few-blocks', BLOCKS, said='a grid of 1 x 1 x 1 at most,.* 1 of 304 (?:SMs|compute units)'),
    alone(PREFILL, 'few-blocks', BLOCKS, 'H100', said='a grid of 1 x 1 x 1 at most,.* 1 of 132 SMs'),
    Case(PREFILL, ['few-blocks'], near=['few-blocks'], unsaid=BLOCKS),
    Case(PREFILL, ['few-blocks'], 'H100', near=['few-blocks'], unsaid=BLOCKS),
    alone(PREFILL, 'few-blocks-brief', BLOCKS),
    Case(PREFILL, ['few-blocks-brief'], near=['few-blocks-brief'], unsaid=BLOCKS),
    Case(PREFILL, ['slow-clocks'], near=['slow-clocks'], unsaid=CLOCKS),
    Case(CNN, ['slow-clocks'], near=['slow-clocks'], unsaid=CLOCKS),
    alone(PREFILL, 'alloc-in-step', ALLOC, never=['prefetch', 'graph', 'compile@cpu_idle']),
    alone(CNN, 'alloc-in-step', ALLOC, never=['prefetch', 'graph']),
    alone(PREFILL, 'cpu-preprocessing', RESIZE, never=['graph', 'compile@cpu_idle']),
    alone(CNN, 'cpu-preprocessing', RESIZE, never=['graph', 'compile@cpu_idle']),
    Case(PREFILL, ['host-sampler'], named={'host-sampler': r'Run order \(choose.py:44\) on the GPU: it works'}, verdict='Device-bound', unsaid='next input|waits for data'),
    Case(DECODE, ['host-sampler'], named={'host-sampler': r'Run order \(choose.py:44\) on the GPU: it works'}, verdict='Host-bound', unsaid='next input|waits for data'),
    Case(DECODE, ['host-sampler'], near=['host-sampler'], verdict='Host-bound', unsaid='on the GPU: it works'),
    alone(PREFILL, 'host-pause', r'stops Python in observe \(metrics.py:77\) in every third step', options=['--steps', '9'], said='ms in every third step', unsaid='in every step'),
    Case(PREFILL, ['host-pause'], near=['host-pause'], said='ms in every third step', unsaid='stops Python|in every step', options=['--steps', '9']),
    alone(PREFILL, 'cpu-attention', r'aten::bmm[\s\S]*on the CPU', never=['graph', 'compile@cpu_idle']),
    alone(DECODE, 'cpu-attention', r'aten::bmm[\s\S]*on the CPU', never=['compile@cpu_idle']),
    Case(PREFILL, ['cpu-attention'], near=['cpu-attention'], unsaid='on the CPU'),
    Case(PREFILL, ['input-loop'], named={'input-loop': RESIZE}, saves=['input-loop'], verdict='Input-bound', never=['graph', 'compile@cpu_idle']),
    Case(PREFILL, ['input-loop'], near=['input-loop'], unsaid='waits for data', verdict='Host-bound'),
    # Warm-up is told, not sold: it is not a part of a step.
    Case(PREFILL, ['first-launch'], said=FIRST, named={'~first-launch': FIRST}, nothing=['~first-launch'], never=['prefetch', 'graph']),
    Case(CNN, ['first-launch'], said=FIRST, named={'~first-launch': FIRST}, nothing=['~first-launch'], never=['prefetch', 'graph']),
    Case(PREFILL, ['leading-artefact'], said=BEFORE, never=['graph'], idle_pct=(1, 4)),
    Case(CNN, ['leading-artefact'], said=BEFORE, never=['graph'], idle_pct=(1, 5)),
    alone(PREFILL, 'slow-clocks', CLOCKS, never=['graph']),
    alone(CNN, 'slow-clocks', CLOCKS, never=['graph']),
    # Without shapes, the same launches of the same kernels tell it.
    alone(PREFILL, 'slow-clocks', CLOCKS, never=['graph'], options=['--no-shapes']),
    alone(CNN, 'pageable-copies', r'[Pp]ageable', 'H100', never=['graph']),
    Case(CNN, ['pinned-copies'], 'H100', never=['pin', 'graph']),
    alone(CNN, 'allreduce-per-parameter', REDUCE, never=['all-to-all', 'all-gather']),
    # More to reduce than the backward pass can hide: the bytes still cross the link.
    alone(CNN, 'allreduce-per-parameter', 'in buckets', never=['all-to-all', 'all-gather'], options=['--batch', '32', '--layers', '40']),
    alone(PREFILL, 'fp32-gemm', FP32, never=['pad']),
    alone(PREFILL, 'fp32-gemm', FP32, 'H100', never=['pad']),
    alone(PREFILL, 'align1-gemm', ALIGN, 'H100', never=['precision']),
    alone(PREFILL, 'host-bound', HOST, several=True, never=['prefetch', 'pin', 'precision']),
    Case(PREFILL, ['host-bound', 'slow-small-kernels'], named={'host-bound': HOST, '~slow-small-kernels': r'aten::_?softmax'},
         saves=['host-bound'], several=True, nothing=['~slow-small-kernels'], never=['prefetch', 'pin']),
    Case(DECODE, ['gpu-graph'], never=['graph', 'compile', 'prefetch']),
    Case(DECODE, ['silent-graphs'], said=SILENT, never=['prefetch']),
    Case(DECODE, ['gpu-graph', 'tiny-batched-gemm'], never=['graph', 'compile', 'prefetch']),
    Case(DECODE, ['cpu-preprocessing', 'gpu-graph'], named={'cpu-preprocessing': RESIZE}, saves=['cpu-preprocessing'], never=['graph', 'compile']),
    Case(PREFILL, ['cpu-preprocessing', 'compiled'], named={'cpu-preprocessing': RESIZE}, saves=['cpu-preprocessing'], never=['graph', 'compile']),
    Case(PREFILL, ['compiled'], never=['compile', 'graph', 'fused-attention', 'prefetch']),
    Case(PREFILL, ['host-bound', 'compiled'], named={'host-bound': HOST}, saves=['host-bound'], several=True, never=['compile']),
    Case(PREFILL, ['unfused-attention', 'compiled'], named={'unfused-attention': 'unfused_attention'}, saves=['unfused-attention'], never=['compile']),
    # The older defects, by the stricter measure.
    alone(PREFILL, 'tiny-batched-gemm', 'tiny_batched_gemm'),
    alone(PREFILL, 'unfused-attention', 'unfused_attention'),
    alone(PREFILL, 'skinny-gemm', 'skinny_gemm'),
    alone(PREFILL, 'few-tiles-gemm', 'few_tiles'),
    alone(PREFILL, 'slow-softmax', r'aten::_?softmax'),
    alone(PREFILL, 'slow-reduce', r'aten::mean'),
    alone(CNN, 'slow-batch-norm', r'^batchnorm', several=True),
    alone(CNN, 'conv-transposes', 'conv_transpose_overhead'),
    alone(PREFILL, 'item-sync', r'should_exit|update_statistics|early_exit'),
    alone(CNN, 'exposed-allreduce', REDUCE),
    # Two at a time: each range holds what its own mistake costs while the other one stays.
    pair(PREFILL, 'fp32-gemm', FP32, 'alloc-in-step', ALLOC, never=['prefetch', 'graph']),
    pair(PREFILL, 'cpu-preprocessing', RESIZE, 'alloc-in-step', ALLOC, never=['graph', 'compile@cpu_idle']),
    pair(PREFILL, 'unfused-attention', 'unfused_attention', 'fp32-gemm', FP32),
    pair(PREFILL, 'fp32-gemm', FP32, 'align1-gemm', ALIGN, 'H100'),
    pair(CNN, 'cpu-preprocessing', RESIZE, 'pageable-copies', r'[Pp]ageable', 'H100'),
    pair(CNN, 'cpu-preprocessing', RESIZE, 'allreduce-per-parameter', REDUCE),
    Case(CNN, ['cpu-preprocessing', 'pinned-copies'], 'H100', {'cpu-preprocessing': RESIZE}, saves=['cpu-preprocessing'], never=['pin', 'graph']),
    Case(PREFILL, ['fp32-gemm', 'leading-artefact'], named={'fp32-gemm': FP32}, said=BEFORE, saves=['fp32-gemm'], never=['prefetch']),
]


def text_of(finding):
    return '\n'.join([finding['key'], finding['issue'], advice.words_of(finding), *finding['evidence']])


def wrong_range(defect, findings, true_ms, total_ms):
    if any(f['impact']['low_ms'] is None for f in findings):
        return f'{defect}: no range'
    low, high = (sum(f['impact'][end] for f in findings) for end in ('low_ms', 'high_ms'))
    shown = f'{defect}: {low:.2f} to {high:.2f} ms'
    # The samples' kernel times have a jitter of 3 %; the mean of hundreds of calls hardly any.
    if not low * 0.995 - 0.005 <= true_ms <= high * 1.005 + 0.005:
        return f'{shown}, and truly {true_ms:.2f} ms'
    if high > 1.3 * low + 0.005 and high - low > 0.02 * total_ms:
        return f'{shown} is too wide'
    return ''


def proof(case, report, truth):
    """What is wrong, a list of texts."""
    wrong, total_ms = [], truth['total_us'] / 1e3
    order = [f for f in sorted(report['findings'], key=lambda f: f['global_rank']) if not f['informational']]
    true_ms = {d['name']: d['end_to_end_saving_us'] / 1e3 for d in truth['defects']}
    everything = json.dumps([report['findings'], report['verdict'], report['lead'], report['warnings'], report['checks']])
    if case.said and not re.search(case.said, everything):
        wrong.append(f'the report does not say {case.said}')
    if case.unsaid and re.search(case.unsaid, everything):
        wrong.append(f'the report says {re.search(case.unsaid, everything).group()}')
    if not report['verdict'].startswith(case.verdict):
        wrong.append(f'not {case.verdict}: {report["verdict"]}')
    most = max(case.saves, key=true_ms.get, default='')
    for key, words in case.named.items():
        defect = key.lstrip('~')
        found = [f for f in order if re.search(words, text_of(f))]
        if key in case.nothing:
            wrong += [f'{defect} is given {f["impact"]["high_ms"]:.2f} ms' for f in found if (f['impact']['high_ms'] or 0) > 0.01 * total_ms]
        elif not found:
            wrong.append(f'{defect} is not named')
        elif order.index(found[0]) > (0 if defect == most else 4):
            wrong.append(f'{defect} comes behind {about(order[0])}')
        if found and defect in case.saves:
            wrong += filter(None, [wrong_range(defect, found if case.several else found[:1], true_ms[defect], total_ms)])
    for kind in case.never:
        wrong += [f'advice {kind} is contradicted: {key}' for key in advice.given(report, kind)[:1]]
    if case.idle_pct:
        idle_ms = (truth['idle_us'] - sum(d['time_us'] for d in truth['defects'])) / 1e3
        wrong += [f'idle time of {f["impact"]["high_ms"]:.2f} ms is sold' for f in order
                  if f['category'] == 'cpu_idle' and (f['impact']['high_ms'] or 0) > idle_ms]
    if case.idle_pct and not case.idle_pct[0] <= report['window']['idle']['total_pct'] <= case.idle_pct[1]:
        wrong.append(f"idle {report['window']['idle']['total_pct']} % of the window")
    return wrong


def prove(o):
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in PROOF:
            if o.proof and not any(n in case.name for n in o.proof):
                continue
            truth, report = run(o.build, folder, case.kind, case.defects, device=case.device, near=case.near, options=case.options)
            wrong = '; '.join(proof(case, report, truth))
            failed, passed = failed + bool(wrong), passed + (not wrong)
            print(f"{'not ok' if wrong else 'ok'} - {case.name}{': ' + wrong if wrong else ''}", flush=True)
    print(f'1..{passed + failed}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('build'), ap.add_argument('--pairs', action='store_true')
    ap.add_argument('-v', action='store_true'), ap.add_argument('--proof', nargs='*')
    o = ap.parse_args()
    if o.proof is not None:
        return prove(o)
    results = []

    def tell(name, wrong):
        results.append(not wrong)
        print(f"{'not ok' if wrong else 'ok'} - {name}{': ' + wrong if wrong else ''}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        for seed in (1, 2, 3):
            truth, report = run(o.build, folder, 'healthy', [], seed)
            bad = [about(f) for f in report['findings'] if f['priority'] in ('critical', 'high')]
            tell(f'healthy, seed {seed}', f'findings: {bad}' if bad else '')
        usual = {kind: {f['key'] for f in run(o.build, folder, kind, [])[1]['findings']}
                 for kind in {kind for kind, _, _ in DEFECTS.values()}}
        for defect, (kind, _, _) in DEFECTS.items():
            truth, report = run(o.build, folder, kind, [defect])
            tell(defect, check_alone(report, truth, defect, usual[kind]))
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
