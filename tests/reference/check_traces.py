#!/usr/bin/env python3
"""Every trace there is, broken ones too: a result, or one clear line; never a crash.

    check_traces.py PROGRAM SHARED [TRACE]...

Sound traces (SHARED/traces, and those of SHARED/traces/broken named *-ok) must be analysed,
in every format with all patterns, and the fair report has 1,200 words at most. A broken one may also be refused, with status 3 and exactly one line.
What they give for the host of a build is as the schemas in tests/ci say.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

SECONDS = 60
CI = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../ci')
FAIR_WORDS = 1200  # of the report that a stakeholder reads


def fault(program, trace, files):
    """What is wrong with the run, or None. Its SARIF and JUnit are left in the folder `files`."""
    name = os.path.join(files, os.path.basename(trace))
    must_read = os.sep + 'broken' + os.sep not in trace or '-ok.json' in trace
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'site')
        try:
            run = subprocess.run([program, 'analyze', trace, '-p', 'MI300X', '-o', out, '--sarif', name + '.sarif',
                                  '--junit', name + '.xml', '--junit-findings'],
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
            with open(os.path.join(out, 'report.json'), encoding='utf-8') as f:
                lost = re.search(r'[^"]*failed and is left out[^"]*', f.read())  # a pattern of ours
            return lost[0] if lost else f'{words} words of the fair report' if words > FAIR_WORDS else None
        if run.returncode != 3 or must_read:
            return f'status {run.returncode}: {said[-2000:]}'
        if os.path.exists(out):
            return 'status 3, and yet a folder was left'
        if said.count('\n') != 1 or os.path.basename(trace) not in said:
            return f'refused, but not with one line that names the trace: {said!r}'
        print('      ' + said.strip())
    return None


def against_schemas(files):
    """What the schemas of SARIF and JUnit refuse, or None."""
    own = '/usr/bin/python3'  # Debian's own sees Debian's packages
    python = own if subprocess.run([own, '-c', 'import jsonschema'], stderr=subprocess.DEVNULL).returncode == 0 else sys.executable
    commands = [[python, os.path.join(CI, 'check_sarif.py'), *glob.glob(f'{files}/*.sarif')],
                ['xmllint', '--noout', '--schema', os.path.join(CI, 'jenkins-junit.xsd'), *glob.glob(f'{files}/*.xml')]]
    runs = [subprocess.run(command, capture_output=True, text=True) for command in commands]
    return '\n'.join(run.stdout + run.stderr for run in runs if run.returncode) or None


def main():
    program, shared, *wanted = sys.argv[1:]
    traces = wanted or sorted(path for folder in ('traces', 'traces/broken') for path in
                              glob.glob(os.path.join(shared, folder, '*.json*')))
    if not traces:
        print(f'check-traces: skipped, {shared}/traces is not there')
        print('0 passed, 0 failed, 1 skipped')
        return 0
    failed = 0

    def told(name, wrong):
        print(f'{"not ok" if wrong else "ok"} - {name}' + (f': {wrong}' if wrong else ''), flush=True)
        return wrong is not None

    with tempfile.TemporaryDirectory() as files:
        for trace in traces:
            failed += told(os.path.basename(trace), fault(program, trace, files))
        failed += told('SARIF and JUnit of all of them, by their schemas', against_schemas(files))
    print(f'{len(traces) + 1 - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
