#!/usr/bin/env python3
"""Every trace there is, broken ones too: a result, or one clear line; never a crash.

    check_traces.py PROGRAM SHARED [TRACE]...

Sound traces (SHARED/traces, and those of SHARED/traces/broken named *-ok) must be analysed,
in every format. A broken one may also be refused, with status 3 and exactly one line.
"""
import glob
import os
import subprocess
import sys
import tempfile

SECONDS = 60


def fault(program, trace):
    """What is wrong with the run, or None."""
    must_read = os.sep + 'broken' + os.sep not in trace or '-ok.json' in trace
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'site')
        try:
            run = subprocess.run([program, 'analyze', trace, '-p', 'MI300X', '-o', out],
                                 capture_output=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return f'not done after {SECONDS} s'
        said = run.stderr.decode('utf-8', 'backslashreplace')
        if run.returncode < 0:
            return f'died of signal {-run.returncode}: {said[-2000:]}'
        if run.returncode == 0:
            return None if os.path.exists(os.path.join(out, 'index.html')) else 'no index.html'
        if run.returncode != 3 or must_read:
            return f'status {run.returncode}: {said[-2000:]}'
        if os.path.exists(out):
            return 'status 3, and yet a folder was left'
        if said.count('\n') != 1 or os.path.basename(trace) not in said:
            return f'refused, but not with one line that names the trace: {said!r}'
        print('      ' + said.strip())
    return None


def main():
    program, shared, *wanted = sys.argv[1:]
    traces = wanted or sorted(path for folder in ('traces', 'traces/broken') for path in
                              glob.glob(os.path.join(shared, folder, '*.json*')))
    if not traces:
        print(f'check-traces: skipped, {shared}/traces is not there')
        print('0 passed, 0 failed, 1 skipped')
        return 0
    failed = 0
    for trace in traces:
        wrong = fault(program, trace)
        failed += wrong is not None
        print(f'{"not ok" if wrong else "ok"} - {os.path.basename(trace)}'
              + (f': {wrong}' if wrong else ''), flush=True)
    print(f'{len(traces) - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
