#!/usr/bin/env python3
"""One operator for each kind of argument, from the trace to the run of its package.

    kinds.py trace FILE       write a trace of them
    kinds.py run FOLDER       run FOLDER/replay_packages/*.zip (needs PyTorch), a TAP line each

A kind that the program reads wrongly, describes wrongly or that the runner makes wrongly fails here.
"""

import contextlib
import glob
import io
import json
import os
import runpy
import sys
import tempfile
import zipfile


def recorded(types, dims, strides=None, values=None):
    args = {"Input type": types, "Input Dims": dims}
    if strides is not None:
        args["Input Strides"] = strides
    if values is not None:
        args["Concrete Inputs"] = values
    return args


def value(ir, name):
    args = ir["replay_ir"]["list_pos_args"] + ir["replay_ir"]["list_kwargs"]
    return next(a for a in args if a["arg_name"] == name)["value"]


# What it is, operator, its arguments in the trace, what must be in the description.
KINDS = [
    ("integer inputs, within what they point into", "aten::embedding", recorded(
        ["float", "long int", "Scalar", "Scalar", "Scalar"], [[50, 4], [3], [], [], []],
        [[4, 1], [1], [], [], []], ["", "", "-1", "False", "False"]),
     lambda ir: value(ir, "indices")["init"] == "randint" and value(ir, "indices")["high"] == 50),
    ("integers of one byte", "aten::bitwise_and_", recorded(
        ["unsigned char", "unsigned char"], [[6], [6]], [[1], [1]], ["", ""]),
     lambda ir: value(ir, "self")["dtype"] == "unsigned char"),
    ("tensor lists", "aten::cat", recorded(
        ["TensorList", "Scalar"], [[[2, 3], [4, 3]], []], [[[3, 1], [3, 1]], []], ["", "0"]),
     lambda ir: [t["shape"] for t in value(ir, "tensors")] == [[2, 3], [4, 3]]),
    ("optional tensors, absent and given", "aten::group_norm", recorded(
        ["float", "Scalar", "", "float", "Scalar", "Scalar"], [[2, 4, 5], [], [], [4], [], []],
        [[20, 5, 1], [], [], [1], [], []], ["", "2", "", "", "1e-05", "True"]),
     lambda ir: value(ir, "weight") is None and value(ir, "bias")["shape"] == [4]),
    ("strides that are not dense", "aten::mm", recorded(
        ["float", "float"], [[8, 4], [4, 2]], [[0, 3], [1, 6]], ["", ""]),
     lambda ir: value(ir, "self")["strides"] == [0, 3] and value(ir, "mat2")["strides"] == [1, 6]),
    ("tensors without dimensions", "aten::add", recorded(
        ["float", "double", "Scalar"], [[], [], []], [[], [], []], ["", "", "2"]),
     lambda ir: value(ir, "other")["shape"] == [] and value(ir, "alpha") == 2),
    ("scalars as text", "aten::clamp", recorded(
        ["float", "Scalar", "Scalar"], [[3], [], []], [[1], [], []], ["", "-inf", "1.5"]),
     lambda ir: value(ir, "min") == "-inf" and value(ir, "max") == 1.5),
    ("half", "aten::mul", recorded(
        ["c10::Half", "c10::Half"], [[4], [4]], [[1], [1]], ["", ""]),
     lambda ir: value(ir, "self")["dtype"] == "c10::Half"),
    ("bfloat16", "aten::exp", recorded(["c10::BFloat16"], [[4]], [[1]], [""]),
     lambda ir: value(ir, "self")["dtype"] == "c10::BFloat16"),
    ("no strides, no values", "aten::clamp_min", recorded(["float", "Int"], [[4, 2], []]),
     lambda ir: value(ir, "self")["strides"] == [2, 1] and value(ir, "self")["strides_assumed"]),
]


def events():
    for i, (_, op, args, _) in enumerate(KINDS):
        at, key = 1000 * i, i + 1
        yield {"ph": "X", "cat": "cpu_op", "name": op, "pid": 1, "tid": 1, "ts": at, "dur": 100,
               "args": dict(args, **{"External id": key})}
        yield {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
               "ts": at + 10, "dur": 5, "args": {"correlation": key, "External id": key}}
        yield {"ph": "X", "cat": "kernel", "name": "kernel_%d" % i, "pid": 0, "tid": 7, "ts": at + 50,
               "dur": 40, "args": {"correlation": key, "stream": 7, "device": 0}}
        for ph in "sf":
            yield {"ph": ph, "cat": "ac2g", "name": "ac2g", "id": key, "bp": "e", "pid": int(ph == "s"),
                   "tid": 1 if ph == "s" else 7, "ts": at + (10 if ph == "s" else 50)}


def run(path):
    """What the package's runner printed, and its status."""
    said, here = io.StringIO(), os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(path) as z:
            z.extractall(folder)
        os.chdir(folder)
        sys.path.insert(0, folder)
        sys.argv = ["batched_replay.py", "--device", "cpu", "--iterations", "1", "--no-flush"]
        status = 0
        try:
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                runpy.run_path("batched_replay.py", run_name="__main__")
        except SystemExit as e:
            status = e.code
        finally:
            os.chdir(here)
            sys.path.remove(folder)
    return said.getvalue(), status


def main():
    if sys.argv[1] == "trace":
        with open(sys.argv[2], "w", encoding="utf-8") as f:
            json.dump({"traceEvents": list(events())}, f)
        return 0
    sys.dont_write_bytecode = True
    found = {}
    for path in sorted(glob.glob(sys.argv[2] + "/replay_packages/*.zip")):
        with zipfile.ZipFile(path) as z:
            found[json.loads(z.read("replay_ir.json").decode())[0]["op_name"]] = os.path.abspath(path)
    failed = 0
    for what, op, _, holds in KINDS:
        said, status, right = "no package", 1, False
        if op in found:
            said, status = run(found[op])
            with zipfile.ZipFile(found[op]) as z:
                right = holds(json.loads(z.read("replay_ir.json").decode())[0])
        good = right and status == 0 and " 1 ran, 0 failed" in said and "us in the trace" in said
        print("%sok replay of %s (%s)" % ("" if good else "not ", what, op))
        failed += not good
        if not good:
            print("# description %s; %s" % ("right" if right else "wrong", said.replace("\n", "\n# ")))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
