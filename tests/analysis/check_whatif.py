#!/usr/bin/env python3
"""The replay against an independent one: how long traces take with all kernels at a half of their time, and at none.

  check_whatif.py PROGRAM [SHARED]

SHARED/spec/whatif-vectors.json holds what SHARED/tools/whatif.py answered. What each saves has to agree within 3 % of the window. Prints
TAP and a count; skips without SHARED.

Where the vectors are wrong, this shows it on the events. The times of samfast-graphs-a100 are whole microseconds, each rounded on its own, and
nine of its 4,997 kernels begin 1 us before the rounded end of the kernel before them on their stream, which no stream does. whatif.py takes what
ends after a start for no cause of it, so these nine hang on their cudaGraphLaunch alone, and 2 to 9 ms of kernels of the same graph become a latency
that no change shortens: 37 ms of 499. Such a trace is given to whatif.py once more with those starts moved to the ends, and both answers are printed.
"""
import importlib.util
import json
import os
import subprocess
import sys

MOST_PCT = 3
ROUNDING_US = 1


def rounded_ms(script, trace, factors):
    """What whatif.py answers by factor without rounding's overlaps, and how many there are: none unless all times are whole microseconds."""
    spec = importlib.util.spec_from_file_location('whatif', script)
    whatif = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(whatif)
    host, device = whatif.load(trace)
    if any(event[0] % 1 or event[1] % 1 for event in host + device):
        return {}, 0
    ends, moved = {}, 0
    for event in device:
        start, stream = event[0], event[4]
        over = ends.get(stream, start) - start
        if 0 < over <= ROUNDING_US:
            event[0], event[1], moved = start + over, event[1] - over, moved + 1
        ends[stream] = event[0] + event[1]
    bound, waits = whatif.prepare(host, device)
    return {factor: whatif.replay(host, device, bound, waits, float(factor)) for factor in factors if moved}, moved


def saved_ms(program, trace, factor):
    done = subprocess.run([program, 'whatif', trace, f'kernel:*={factor}', '-p', 'none', '-q', '--print=json'], capture_output=True, text=True)
    return json.loads(done.stdout)['saved_ms'] if done.returncode == 0 else None


def main():
    program, shared = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else '../shared'
    vectors = f'{shared}/spec/whatif-vectors.json'
    if not os.path.exists(vectors):
        print('check-whatif: skipped: no ../shared\n0 passed, 0 failed, 1 skipped')
        return 0
    passed = failed = 0
    for name, known in json.load(open(vectors)).items():
        trace = f'{shared}/traces/{name}.json.gz'
        moved_ms, moved = rounded_ms(f'{shared}/tools/whatif.py', trace, ('1', '0.5', '0'))
        if moved:
            print(f'# {name}: {moved} kernels begin 1 us before the one before them ends; whatif.py without these overlaps is held')
        for factor in ('0.5', '0'):
            given = known['kernels_x1_ms'] - known[f'kernels_x{factor}_ms']
            want = moved_ms['1'] - moved_ms[factor] if moved else given
            got = saved_ms(program, trace, factor)
            off = None if got is None else 100 * (got - want) / known['now_ms']
            good = off is not None and abs(off) <= MOST_PCT
            passed, failed = passed + good, failed + (not good)
            told = 'no answer' if got is None else f'saves {got:.3f} ms, {want:.3f} there: {off:+.2f} % of the window'
            with_overlaps = f' ({given:.3f} with the overlaps)' if moved else ''
            print(f"{'ok' if good else 'not ok'} - {name}, kernels x {factor}: {told}{with_overlaps}")
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
