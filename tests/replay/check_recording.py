#!/usr/bin/env python3
"""Run the recording that README.md shows, on the CPU, and analyse what it wrote.

    check_recording.py PROGRAM

Needs a Python with PyTorch: $PYTHON_TORCH, else /usr/bin/python3 (Debian's python3-torch, whose profiler
knows the host alone). Without one this is skipped and says so.
"""

import os
import re
import subprocess
import sys
import tempfile

PYTHON = os.environ.get("PYTHON_TORCH", "/usr/bin/python3")
README = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../README.md")
STEP = """
import torch
model, batch = torch.nn.Linear(64, 64), torch.randn(8, 64)
def step():
    model(batch).sum().backward()
"""


def main():
    program = os.path.abspath(sys.argv[1])
    if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode:
        print("skipped: %s has no PyTorch (python3-torch)" % PYTHON)
        print("0 passed, 0 failed, 1 skipped")
        return 0
    snippet = re.search(r"```python\n(.*?)```", open(README).read(), re.S).group(1)
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/record.py", "w") as f:
            f.write(STEP + snippet)
        runs = [[PYTHON, "record.py"], [program, "analyze", "trace.json.gz", "-q", "-o", "out"]]
        for run in runs:
            done = subprocess.run(run, cwd=folder, capture_output=True, text=True)
            if done.returncode:
                print("%s: status %d\n%s" % (run[0], done.returncode, done.stderr))
                print("0 passed, 1 failed")
                return 1
    print("the recording of README.md runs, and its trace is read")
    print("1 passed, 0 failed")
    return 0


sys.exit(main())
