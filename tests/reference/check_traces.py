#!/usr/bin/env python3
"""Every trace there is, broken ones too: a result, or one clear line; never a crash.

    check_traces.py PROGRAM SHARED [TRACE]...

Sound traces (SHARED/traces, and those of SHARED/traces/broken named *-ok) must be analysed,
in every format, and the fair report has 1,200 words at most. A broken one may also be refused, with status 3 and exactly one line.
"""
import glob
import os
import subprocess
import sys
import tempfile

SECONDS = 60
FAIR_WORDS = 1200  # of the report that a stakeholder reads


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
            if not os.path.exists(os.path.join(out, 'index.html')):
                return 'no index.html'
            with open(os.path.join(out, 'standalone_analysis_fair.md'), encoding='utf-8') as f:
                words = len(f.read().split())
            return f'{words} words of the fair report' if words > FAIR_WORDS else None
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
