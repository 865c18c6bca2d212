#!/usr/bin/env python3
"""Run scripts in forks of a process that has imported PyTorch: importing it takes longer than what most of them do.

    forked_run.py    a line of standard input is [FOLDER, SCRIPT, ARGUMENT...], the one printed for it [STATUS, STDOUT, STDERR]
"""

import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import traceback

TIMEOUT_S = 600


def status_of(script, arguments):
    sys.argv = [script, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as e:
        if e.code is None or isinstance(e.code, int):
            return e.code or 0
        print(e.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def run(folder, script, *arguments):
    """The script in `folder`: a subprocess.CompletedProcess of text."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        sys.stdout.flush()
        child = os.fork()
        if not child:
            signal.alarm(TIMEOUT_S)
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)
            os.chdir(folder)
            status = status_of(script, arguments)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status & 255)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said = []
        for f in (out, err):
            f.seek(0)
            said.append(f.read().decode())
    return subprocess.CompletedProcess([script, *arguments], status, *said)


def main():
    import torch  # noqa: F401
    for line in sys.stdin:
        done = run(*json.loads(line))
        print(json.dumps([done.returncode, done.stdout, done.stderr]), flush=True)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
