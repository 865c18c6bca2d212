#!/usr/bin/env python3
"""counter_trace.py FORM TRACE.json [TRUTH.json] - a trace with counters beside its kernels, and what they say.

FORM is how a tool writes them: torch ("SM Active (%)" of a process "GPU 0 Counters"), ascend ("AI Core Freq" with
"MHz", only where it changes), rpd (no name, "sclk", a process for each of two GPUs of which one works), averaged (as
torch, but the clock says nothing of the kernels) or none.

Ten steps of 10 ms, 20 kernels of 200 us each with pauses of 200 us: matmuls fill the GPU (SM Active 90 %), the others
do not (30 %). In steps 6 and 7 the clock falls from 1,980 to 1,320 MHz, and all kernels take 1.5 times as long."""
import json
import sys

STEPS, KERNELS, STEP, PAUSE, SAMPLE = 10, 20, 10000, 200, 50
SLOW = (6, 7)


def build(form):
    events, truth = [], {}

    def add(ph, name, pid, ts, args, **more):
        events.append(dict(ph=ph, **more, name=name, pid=pid, ts=ts, args=args))

    spans, at = [], 0
    for step in range(STEPS):
        start = at
        slow = 1.5 if step in SLOW and form != 'averaged' else 1
        for k in range(KERNELS):
            at += PAUSE
            spans.append((at, at + 200 * slow, k % 2, step))
            at += 200 * slow
        at += PAUSE * 5
        add('X', f'ProfilerStep#{step}', 1, start, {}, cat='user_annotation', tid=1, dur=at - start)
    for i, (a, b, small, step) in enumerate(spans):
        add('X', 'cudaLaunchKernel', 1, a - 20, dict(correlation=i + 1), cat='cuda_runtime', tid=1, dur=4)
        add('X', 'small_kernel' if small else 'sgemm_128x64_nn', 0, a, dict(
            correlation=i + 1, stream=7, device=0, grid=[8 if small else 528, 1, 1], block=[256, 1, 1]),
            cat='kernel', tid=7, dur=b - a)

    def state(t):
        """What runs at a time: activity, power, clock."""
        for a, b, small, step in spans:
            if a <= t < b:
                low = step in SLOW
                return (30 if small else 90), (400 if low else 600), (1320 if low else 1980)
            if t < a:
                return 0, 200, (1320 if step in SLOW else 1980)
        return 0, 200, 1980

    samples = [(t, *state(t)) for t in range(0, int(at), SAMPLE)]
    if form in ('torch', 'averaged'):
        for t, sm, power, clock in samples:
            for name, value in (('SM Active (%)', sm), ('DRAM BW (%)', sm / 2), ('Power (mW)', 1000 * power),
                                ('SM Clock (MHz)', clock)):
                add('C', name, 'GPU 0 Counters', t, {'': float(value)}, tid='')
            add('C', 'CPU Usage', 1, t, {'%': 50}, tid=0)
    last = None
    for t, _, _, clock in samples:
        if form == 'ascend' and clock != last:
            add('C', 'AI Core Freq', 9, t, {'MHz': clock}, tid=0)
        if form == 'rpd' and t % 500 == 0:
            add('C', '', '3', t, {'sclk': clock})
            add('C', '', '0', t, {'sclk': 133})
        last = clock

    def mean(column, keep):
        rows = [s[column] for s in samples if keep(s[0])]
        return sum(rows) / len(rows)

    truth['n_samples'] = len(samples)
    if form in ('torch', 'averaged'):
        in_kernel = [any(a <= s[0] < b for a, b, _, _ in spans) for s in samples]
        busy = [s for s, k in zip(samples, in_kernel) if k]
        truth['sm_pct'] = sum(s[1] for s in busy) / len(busy)
        truth['energy_j'] = sum(s[2] for s in samples) * SAMPLE / 1e6
        truth['mean_mhz'] = mean(3, lambda t: True)
    low = sum(b - a for a, b, _, step in spans if step in SLOW)
    truth['low_pct'] = 100 * low / sum(b - a for a, b, _, _ in spans)
    truth['steps_sm'] = [mean(1, lambda t, e=e: e['ts'] <= t < e['ts'] + e['dur'])
                         for e in events if e.get('cat') == 'user_annotation']
    properties = [dict(id=0, name='NVIDIA H100 80GB HBM3', totalGlobalMem=85520809984, numSms=132)]
    return dict(deviceProperties=properties, traceEvents=events), truth


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    trace, truth = build(sys.argv[1])
    with open(sys.argv[2], 'w') as f:
        json.dump(trace, f)
    if len(sys.argv) > 3:
        with open(sys.argv[3], 'w') as f:
            json.dump(truth, f)
