#!/usr/bin/env python3
"""Make replay packages of every shared trace, rank 0 of a job, and run each of them on the CPU.

    check_replay.py PROGRAM SHARED [TRACE...]

PROGRAM is tests/replay_tool or tracefolio itself; each trace gives its 20 operations with most time.
Each package is opened with `unzip -t` and Python's zipfile, made twice (the bytes must agree), and run
with --device cpu --iterations 1 --max-elements 65536. Prints a row for each operation that did not just
run and the totals; fails if an operator that this PyTorch can run on a CPU did not.

The runner needs a Python with PyTorch: $PYTHON_TORCH, else /usr/bin/python3 (Debian's python3-torch).
Without one, or without unzip, this is skipped and says so.
"""

import collections
import concurrent.futures
import glob
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

MEMBERS = ["replay_ir.json", "utils.py", "batched_replay.py", "README.md", "LICENSE"]
HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = os.environ.get("PYTHON_TORCH", "/usr/bin/python3")
RUN = ["--device", "cpu", "--iterations", "1", "--max-elements", "65536", "--no-flush"]
TOP = 20


def make(program, trace, folder):
    """[(kind, op, detail)] of one trace."""
    done = subprocess.run([program, trace, folder, str(TOP)], capture_output=True, text=True)
    if done.returncode:
        sys.exit("%s: %s" % (trace, done.stderr.strip()))
    rows = []
    for line in done.stdout.splitlines():
        part = line.split("\t")
        if part[0] == "package":
            rows.append(("package", json.loads(part[6]), part[1], int(part[4]), float(part[3])))
        else:
            rows.append(("refused", json.loads(part[3]), part[2], 0, float(part[1])))
    return rows


def contents(folder):
    found = {}
    for path in glob.glob(folder + "/**", recursive=True):
        if os.path.isfile(path):
            with open(path, "rb") as f:
                found[os.path.relpath(path, folder)] = f.read()
    return found


def runner():
    """Runs packages one after the other (forked_run.py)."""
    return subprocess.Popen([PYTHON, os.path.join(HERE, "forked_run.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def run(path, scratch, runners):
    """("ran" | "unknown" | "failed", what was said)"""
    if subprocess.run(["unzip", "-tqq", path]).returncode:
        return "failed", "unzip -t finds fault with the zip"
    with zipfile.ZipFile(path) as z:
        if z.testzip() or z.namelist() != MEMBERS:
            return "failed", "not the members wanted: %s" % z.namelist()
        z.extractall(scratch)
    one = runners.get()
    one.stdin.write(json.dumps([scratch, "batched_replay.py", *RUN]) + "\n")
    one.stdin.flush()
    status, out, err = json.loads(one.stdout.readline())
    runners.put(one)
    said = err.strip()
    if status == 0:
        return "ran", out
    if status == 1 and said.count("\n") == 0 and (
            "has no operator" in said or "cannot run on this" in said or "has no tensor type" in said):
        return "unknown", said
    return "failed", said or "exit status %d" % status


def general(reason):
    """A reason without what is special to one operator."""
    reason = re.sub(r"its argument '\w+' \((.*)\)", "the value of an argument", reason)
    return re.sub(r"argument \d+", "an argument", reason)


def pytorch():
    """The version of $PYTHON_TORCH's PyTorch; None: there is none."""
    try:
        done = subprocess.run([PYTHON, "-c", "import torch; print(torch.__version__)"],
                              capture_output=True, text=True)
    except OSError:
        return None
    return None if done.returncode else done.stdout.strip()


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, shared = os.path.abspath(sys.argv[1]), sys.argv[2]
    traces = sys.argv[3:] or [
        path for path in sorted(glob.glob(shared + "/traces/*.json.gz"))
        if not re.search(r"-r[1-9]\d*\.json", path)]  # other ranks launch what rank 0 does
    if not traces:
        print("no traces in %s: skipped" % shared)
        print("0 passed, 0 failed, 1 skipped")
        return 0
    version = pytorch()
    if not version or not shutil.which("unzip"):
        print("skipped: " + ("no unzip" if version else "%s has no PyTorch (python3-torch)" % PYTHON))
        print("0 passed, 0 failed, 1 skipped")
        return 0
    print("PyTorch %s" % version)
    runners = queue.Queue()
    for _ in range(os.cpu_count()):
        runners.put(runner())
    total, reasons = collections.Counter(), collections.Counter()
    for trace in traces:
        name = os.path.basename(trace).replace(".json.gz", "")
        here, share = collections.Counter(), collections.Counter()
        with tempfile.TemporaryDirectory() as scratch:
            first, second = scratch + "/1", scratch + "/2"
            rows = make(program, os.path.abspath(trace), first)
            make(program, os.path.abspath(trace), second)
            if contents(first) != contents(second):
                here["failed"] += 1
                print("%s: two runs, different bytes" % name)

            def result_of(row):
                kind, _, detail, _, _ = row
                if kind != "package":
                    return "refused", detail
                return run(os.path.join(first, detail), tempfile.mkdtemp(dir=scratch), runners)

            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                results = list(pool.map(result_of, rows))
            for (kind, op, _, left_out, pct), result in zip(rows, results):
                here["left out"] += left_out if kind == "package" else 0
                here[result[0]] += 1
                share[result[0]] += pct
                if result[0] == "refused":
                    reasons[general(result[1])] += 1
                elif result[0] != "ran":
                    print("%-8s %s: %s: %s" % (result[0], name, op[:60], result[1]))
                here["as float"] += "run as float" in result[1]
                here["without strides"] += "strides are not in the trace" in result[1]
        print("%-28s ran %2d (%3.0f %% of kernel time; as float %d, without strides %d), unknown here %d "
              "(%.0f %%), cannot be replayed %2d (%.0f %%), failed %d; argument sets left out %d" % (
                  name, here["ran"], share["ran"], here["as float"], here["without strides"],
                  here["unknown"], share["unknown"], here["refused"], share["refused"], here["failed"],
                  here["left out"]), flush=True)
        total.update(here)
    print("total: ran %d (as float %d, without strides %d), unknown to this version %d, "
          "cannot be replayed %d, failed %d" % (
              total["ran"], total["as float"], total["without strides"], total["unknown"],
              total["refused"], total["failed"]))
    for reason, n in reasons.most_common():
        print("  %4d  %s" % (n, reason))
    print("%d passed, %d failed, %d skipped" % (total["ran"], total["failed"],
                                                total["unknown"] + total["refused"]))
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
