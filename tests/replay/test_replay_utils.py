#!/usr/bin/env python3
"""Tests of assets/replay/utils.py and batched_replay.py; skipped without PyTorch.

    python3 tests/replay/test_replay_utils.py
"""

import ast
import contextlib
import random
import io
import json
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ASSETS = os.path.join(HERE, "..", "..", "assets", "replay")
sys.dont_write_bytecode = True
sys.path.insert(0, ASSETS)
sys.path.insert(0, os.path.join(HERE, "..", "hostile"))
try:
    import torch
except ImportError:
    print("1..0 # SKIP no PyTorch for this Python")
    sys.exit(0)
import batched_replay  # noqa: E402
import forked_run  # noqa: E402
import mutations  # noqa: E402
import utils  # noqa: E402


def tensor(dtype, shape, strides=None, init="normal", **more):
    if strides is None:
        strides, step = [], 1
        for n in reversed(shape):
            strides.insert(0, step)
            step *= max(n, 1)
    return dict(shape=shape, dtype=dtype, strides=strides, init=init, **more)


def entry(op, args, kwargs=(), schema=None):
    """args, kwargs: (name, value) pairs."""
    e = {"op_name": op, "schema_resolved": schema is not None, "replay_ir": {
        "list_pos_args": [{"arg_name": n, "arg_type": "?", "value": v} for n, v in args],
        "list_kwargs": [{"arg_name": n, "arg_type": "?", "value": v} for n, v in kwargs]}}
    if schema:
        e["schema"] = schema
    return e


def made(spec, widen=False):
    return utils.make_tensor(spec, "cpu", torch.Generator().manual_seed(0), widen)


def called(e):
    call = utils.resolve(e)
    args, kwargs = call.build("cpu", torch.Generator().manual_seed(0))
    return call.overload(*args, **kwargs)


class Tensors(unittest.TestCase):
    def test_integers_lie_in_their_range(self):
        t = made(tensor("long int", [1000], init="randint", low=0, high=7))
        self.assertEqual((t.dtype, int(t.min()), int(t.max())), (torch.int64, 0, 6))
        for name, dtype in (("int", torch.int32), ("short int", torch.int16),
                            ("signed char", torch.int8), ("unsigned char", torch.uint8)):
            t = made(tensor(name, [100], init="randint", low=0, high=100000))
            self.assertEqual(t.dtype, dtype)
            self.assertGreaterEqual(int(t.min()), 0)

    def test_flags(self):
        t = made(tensor("bool", [1000], init="bernoulli"))
        self.assertEqual(t.dtype, torch.bool)
        self.assertTrue(300 < int(t.sum()) < 700)

    def test_half_and_bfloat16(self):
        for name, dtype in (("c10::Half", torch.float16), ("c10::BFloat16", torch.bfloat16),
                            ("Half", torch.float16), ("BFloat16", torch.bfloat16)):
            t = made(tensor(name, [1000]))
            self.assertEqual(t.dtype, dtype)
            self.assertTrue(0.8 < float(t.float().std()) < 1.2)
            self.assertEqual(made(tensor(name, [4]), widen=True).dtype, torch.float32)

    def test_complex(self):
        self.assertEqual(made(tensor("c10::complex<float>", [3])).dtype, torch.complex64)
        self.assertEqual(made(tensor("c10::complex<double>", [3])).dtype, torch.complex128)

    def test_eight_bit_floats_where_there_are_any(self):
        spec = tensor("c10::Float8_e4m3fn", [8])
        if hasattr(torch, "float8_e4m3fn"):
            self.assertEqual(made(spec).dtype, torch.float8_e4m3fn)
        else:
            with self.assertRaisesRegex(utils.UnknownOperator, "no tensor type"):
                made(spec)

    def test_no_dimension(self):
        t = made(tensor("float", []))
        self.assertEqual((t.dim(), t.numel()), (0, 1))

    def test_strides_that_are_not_dense(self):
        transposed = tensor("float", [3, 5], [1, 3])
        self.assertEqual(made(transposed).stride(), (1, 3))
        self.assertEqual(utils.storage_elements(transposed), 15)
        gaps = tensor("float", [2, 4], [100, 2])
        self.assertEqual(utils.storage_elements(gaps), 1 + 100 + 6)
        self.assertEqual(made(gaps).stride(), (100, 2))
        broadcast = tensor("float", [10, 512, 7, 7], [512, 1, 0, 0])
        self.assertEqual(made(broadcast).stride(), (512, 1, 0, 0))
        self.assertEqual(utils.storage_elements(broadcast), 5120)
        self.assertEqual(made(tensor("float", [0, 4], [4, 1])).numel(), 0)

    def test_the_same_seed_gives_the_same_values(self):
        self.assertTrue(torch.equal(made(tensor("float", [9])), made(tensor("float", [9]))))


class Operators(unittest.TestCase):
    def test_the_overload_follows_from_the_values(self):
        e = entry("aten::eq", [("arg0", tensor("long int", [4], init="randint", low=0, high=2)),
                               ("arg1", 1)])
        self.assertEqual(utils.resolve(e).overload._overloadname, "Scalar")
        e = entry("aten::eq", [("arg0", tensor("float", [4])), ("arg1", tensor("float", [4]))])
        self.assertEqual(utils.resolve(e).overload._overloadname, "Tensor")

    def test_the_recorded_signature_comes_first(self):
        e = entry("aten::add", [("self", tensor("float", [2])), ("other", tensor("float", [2]))],
                  [("alpha", 2)],
                  "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
        self.assertEqual(utils.resolve(e).overload._overloadname, "Tensor")
        self.assertEqual(called(e).shape, (2,))

    def test_tensor_lists(self):
        parts = [tensor("float", [2, 3]), tensor("float", [4, 3])]
        self.assertEqual(called(entry("aten::cat", [("tensors", parts), ("dim", 0)])).shape, (6, 3))

    def test_optional_tensors(self):
        e = entry("aten::convolution", [
            ("input", tensor("float", [1, 2, 5, 5])), ("weight", tensor("float", [3, 2, 3, 3])),
            ("bias", None), ("stride", [1, 1]), ("padding", [0, 0]), ("dilation", [1, 1]),
            ("transposed", False), ("output_padding", [0, 0]), ("groups", 1)])
        self.assertEqual(called(e).shape, (1, 3, 3, 3))
        e["replay_ir"]["list_pos_args"][2]["value"] = tensor("float", [3])
        self.assertEqual(called(e).shape, (1, 3, 3, 3))

    def test_embedding_with_indices(self):
        e = entry("aten::embedding", [
            ("weight", tensor("c10::BFloat16", [10, 4])),
            ("indices", tensor("long int", [2, 3], init="randint", low=0, high=10)),
            ("padding_idx", -1), ("scale_grad_by_freq", False), ("sparse", False)])
        self.assertEqual(called(e).shape, (2, 3, 4))

    def test_scalars_as_text(self):
        fill = entry("aten::fill_", [("self", tensor("float", [3], init=None)), ("value", "-inf")])
        self.assertTrue(torch.equal(called(fill), torch.full((3,), float("-inf"))))
        fill["replay_ir"]["list_pos_args"][1]["value"] = "nan"
        self.assertTrue(bool(called(fill).isnan().all()))
        fill = entry("aten::fill_", [("self", tensor("complex<float>", [1], init=None)),
                                     ("value", "1.-2.5j")])
        self.assertEqual(complex(called(fill)[0]), complex(1, -2.5))

    def test_a_scalar_keeps_its_kind(self):
        ints = tensor("int", [2], init="ones")
        e = entry("aten::add", [("self", ints), ("other", 1), ("alpha", 1)])
        self.assertEqual(called(e).dtype, torch.int32)
        e = entry("aten::add", [("self", ints), ("other", 1.0), ("alpha", 1)])
        self.assertEqual(called(e).dtype, torch.float32)

    def test_no_dimension(self):
        e = entry("aten::_local_scalar_dense", [("self", tensor("bool", [], init="bernoulli"))])
        self.assertIsInstance(called(e), bool)

    def test_a_tensor_on_the_host(self):
        for place in ("host", "pinned"):
            e = entry("aten::copy_", [("self", tensor("float", [3], init=None)),
                                      ("src", tensor("float", [3], place=place))])
            self.assertEqual(called(e).shape, (3,))
            self.assertIn("src float[3] (%s)" % place, utils.describe(e))

    def test_strides_that_are_not_dense_are_said(self):
        e = entry("aten::mm", [("self", tensor("float", [8, 4])), ("mat2", tensor("float", [4, 2], [1, 4]))])
        self.assertEqual(utils.describe(e), "self float[8x4], mat2 float[4x2] strides (1, 4)")
        for shape, strides in (([1, 4], [99, 1]), ([0, 4], [7, 7]), ([], []), ([3, 1], [1, 5])):
            self.assertTrue(utils.is_dense(tensor("float", shape, strides)), shape)
        for shape, strides in (([2, 4], [5, 1]), ([2, 4], [0, 1]), ([4], [2])):
            self.assertFalse(utils.is_dense(tensor("float", shape, strides)), shape)

    def test_what_is_assumed_is_said(self):
        e = entry("aten::add", [("self", tensor("float", [3])), ("other", tensor("float", [3]))],
                  [("alpha", None)], "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
        e["replay_ir"]["list_kwargs"][0]["default"] = True
        self.assertEqual(called(e).shape, (3,))
        self.assertTrue(utils.describe(e).endswith(", alpha default"), utils.describe(e))
        e = entry("aten::clamp_min", [("self", tensor("float", [3])), ("min", 0)])
        e["replay_ir"]["list_pos_args"][1]["value_assumed"] = True
        self.assertTrue(utils.describe(e).endswith(", min 0 (assumed)"), utils.describe(e))

    def test_output_arguments(self):
        e = entry("aten::arange", [("start", 0), ("end", 7), ("step", 1)],
                  [("out", tensor("long int", [0], init=None))],
                  "aten::arange.start_out(Scalar start, Scalar end, Scalar step=1, *, "
                  "Tensor(a!) out) -> Tensor(a!)")
        self.assertEqual(called(e).tolist(), list(range(7)))
        self.assertTrue(utils.resolve(e).writes)

    def test_an_argument_that_was_not_recorded(self):
        with self.assertRaisesRegex(utils.ReplayError, "'indices' was not recorded"):
            utils.resolve(entry("aten::index", [("self", tensor("float", [2])), ("indices", None)]))
        # gelu's word has a default.
        self.assertEqual(called(entry("aten::gelu", [("self", tensor("float", [2]))],
                                      [("approximate", None)])).shape, (2,))

    def test_hostile_operator_names(self):
        for name in ("aten::none_such", "none_such::x", "aten::__class__", "load_library::x",
                     "__class__::__init__", "os.system('x')", "aten::add; import os", "",
                     "aten::add.none", "loaded_libraries::add", "\n::\n", "aten::" + "x" * 10000):
            with self.assertRaises(utils.UnknownOperator):
                utils.overloads_of(name)

    def test_what_is_shown_has_no_control_characters(self):
        self.assertEqual(utils.shown("a\x1b[31m\nb"), "a\\x1b[31m\\nb")


class Scaling(unittest.TestCase):
    def first(self, e, limit):
        return next(utils.scaled_down(e, limit))

    def test_operands_still_fit(self):
        e = entry("aten::mm", [("self", tensor("float", [32768, 2048])),
                               ("mat2", tensor("float", [2048, 8192], [1, 2048]))])
        small = self.first(e, 65536)
        a, b = utils.tensors_of(small)
        self.assertEqual(a["shape"][1], b["shape"][0])
        self.assertTrue(all(utils.elements_of(t) <= 65536 for t in (a, b)))
        self.assertEqual(b["strides"], [1, b["shape"][0]])  # still transposed, without gaps
        self.assertEqual(called(small).shape, (a["shape"][0], b["shape"][1]))

    def test_gaps_and_broadcasts_stay(self):
        spec = tensor("float", [64, 512, 7], [1024, 1, 0])  # rows of 512 in memory of 1024
        t = next(iter(utils.tensors_of(self.first(entry("aten::neg", [("self", spec)]), 3584))))
        self.assertEqual((t["shape"], t["strides"]), ([16, 32, 7], [64, 1, 0]))

    def test_the_largest_size_shrinks_first(self):
        # A convolution keeps its window, and channels to work on.
        e = entry("aten::convolution", [
            ("input", tensor("float", [1, 512, 128, 128])), ("weight", tensor("float", [512, 512, 3, 3])),
            ("bias", None), ("stride", [1, 1]), ("padding", [1, 1]), ("dilation", [1, 1]),
            ("transposed", False), ("output_padding", [0, 0]), ("groups", 1)])
        small = self.first(e, 65536)
        image, window = (t["shape"] for t in utils.tensors_of(small))
        self.assertGreaterEqual(image[1], 16)
        self.assertEqual(window[2:], [3, 3])
        called(small)

    def test_indices_and_sizes_follow(self):
        e = entry("aten::index_select", [
            ("self", tensor("float", [50000, 64])), ("dim", 0),
            ("index", tensor("long int", [100], init="randint", low=0, high=50000))])
        small = self.first(e, 6400)
        rows = small["replay_ir"]["list_pos_args"][0]["value"]["shape"][0]
        self.assertLessEqual(rows, 100)
        self.assertEqual(small["replay_ir"]["list_pos_args"][2]["value"]["high"], rows)
        called(small)

    def test_what_is_small_stays_as_it_is(self):
        e = entry("aten::neg", [("self", tensor("float", [8]))])
        self.assertIs(self.first(e, 8), e)
        self.assertIs(self.first(e, None), e)


class Runner(unittest.TestCase):
    def run_ir(self, text, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "replay_ir.json")
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            done = forked_run.run(folder, os.path.join(ASSETS, "batched_replay.py"), path,
                                  "--device", "cpu", "--iterations", "1", "--repeat", "2", "--no-flush", *options)
            if "--csv" in options:
                with open(os.path.join(folder, options[options.index("--csv") + 1])) as f:
                    done.table = f.read()
            return done

    def test_null_is_not_there(self):
        e = entry("aten::add", [("self", tensor("float", [4])), ("other", tensor("float", [4])), ("alpha", 1)])
        e.update(count=None, source_uid=None, schema=None, observed=None, work=None, event=None)
        f = dict(e, observed={"device": None, "mean_us": None, "min_us": None, "max_us": None, "kernels": None},
                 work={"flop": None, "byte": None})
        spec = f["replay_ir"]["list_pos_args"][0]["value"]
        spec.update(storage_offset=None, init=None, place=None, low=None, high=None)
        done = self.run_ir(json.dumps([e, f]), "--verbose", "--csv", "t.csv", "--max-elements", "2")
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        for key in ("op_name", "replay_ir"):
            done = self.run_ir(json.dumps([dict(e, **{key: None})]))
            self.assertNotIn("Traceback", done.stderr)
            self.assertEqual(done.returncode, 2)

    def test_figures(self):
        e = entry("aten::mm", [("self", tensor("float", [64, 64])), ("mat2", tensor("float", [64, 64]))])
        e.update(count=3, observed={"device": "GPU \x1b[1m", "mean_us": 10.0, "min_us": 9.0, "max_us": 12.0,
                                    "kernels": ["k"]},
                 work={"flop": 524288, "byte": 49152})
        done = self.run_ir(json.dumps([e, e]), "--op-limit", "1", "--csv", "t.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in ("PyTorch %s" % torch.__version__, "; the trace is of GPU \\x1b[1m\n",
                     "note: a CPU's times", "\n[1/1] aten::mm", "median", "host clock",
                     "10.00 us in the trace (9.00 to 12.00)", "TFLOP/s (0.052 in the trace), ",
                     "TB/s (0.005 in the trace)\n", "for the 3 calls", "2 calls described, 1 chosen, 1 tried, 1 ran, 0 failed"):
            self.assertIn(part, done.stdout)
        self.assertEqual(len(done.table.splitlines()), 2)

    def test_only_known_rates_are_told(self):
        e = entry("aten::neg", [("self", tensor("float", [64]))])
        e.update(observed={"mean_us": 10.0, "kernels": []}, work={"byte": 512})
        self.assertRegex(self.run_ir(json.dumps([e])).stdout, "achieved  [0-9.]+ TB/s ")
        del e["work"]
        self.assertNotIn("achieved", self.run_ir(json.dumps([e])).stdout)

    def test_strides_that_are_not_in_the_trace_are_told_once(self):
        e = entry("aten::neg", [("self", tensor("float", [2], strides_assumed=True))])
        done = self.run_ir(json.dumps([e, e]))
        self.assertEqual(done.stdout.count("note: strides are not in the trace"), 1)

    def test_an_unknown_operator_is_one_plain_line(self):
        e = entry("aten::none_such", [("self", tensor("float", [2]))])
        done = self.run_ir(json.dumps([e, e, e]))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("has no operator aten::none_such", done.stderr)

    def test_a_failing_call_does_not_stop_the_rest(self):
        bad = entry("aten::mm", [("self", tensor("float", [2, 3])), ("mat2", tensor("float", [4, 5]))])
        good = entry("aten::neg", [("self", tensor("float", [2]))])
        done = self.run_ir(json.dumps([bad, good]))
        self.assertEqual(done.returncode, 1)
        self.assertIn("aten::mm failed", done.stderr)
        self.assertIn("2 tried, 1 ran, 1 failed", done.stdout)
        done = self.run_ir(json.dumps([bad, good]), "--stop-on-error")
        self.assertNotIn("aten::neg", done.stdout)

    def test_filter(self):
        a = entry("aten::neg", [("self", tensor("float", [2]))])
        b = entry("aten::exp", [("self", tensor("float", [2]))])
        done = self.run_ir(json.dumps([a, b]), "--op-filter", "EXP")
        self.assertIn("[1/1] aten::exp", done.stdout)
        self.assertEqual(self.run_ir(json.dumps([a]), "--op-filter", "x").returncode, 2)

    def test_in_place_operators_get_fresh_inputs(self):
        done = self.run_ir(json.dumps([entry("aten::exp_", [("self", tensor("float", [4]))])]))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_half_runs_as_float_where_the_cpu_cannot(self):
        e = entry("aten::mm", [("self", tensor("c10::Half", [4, 4])), ("mat2", tensor("c10::Half", [4, 4]))])
        self.assertEqual(self.run_ir(json.dumps([e])).returncode, 0)

    def test_what_is_no_description(self):
        bad = tensor("float", [2])
        bad["shape"] = [-1]
        nowhere = tensor("float", [2], place="nowhere")
        for text in ("", "{}", "[]", "[1]", "[{\"op_name\": 3}]", "[" * 100000,
                     json.dumps([entry("aten::neg", [("self", bad)])]),
                     json.dumps([entry("aten::neg", [("self", nowhere)])])):
            done = self.run_ir(text)
            self.assertEqual((done.returncode, done.stdout), (2, ""), text[:50])
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_members_of_another_kind(self):
        e = entry("aten::neg", [("self", tensor("float", [2]))])
        for wrong in ({"observed": []}, {"observed": {"kernels": 7}}, {"observed": {"mean_us": "10"}}, {"count": 0.5},
                      {"observed": {"mean_us": float("nan")}}, {"work": {"flop": -1}}, {"schema": 3}, {"count": 10**30}):
            done = self.run_ir(json.dumps([dict(e, **wrong)]))
            self.assertEqual((done.returncode, done.stdout), (2, ""), wrong)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_damaged_descriptions(self):
        """Each runs, fails in a line, or is refused; nothing is raised."""
        first = entry("aten::add", [("self", tensor("float", [4, 2])), ("other", tensor("long int", [2], init="randint", high=9))],
                      [("alpha", 2)], schema="aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
        first.update(count=3, observed={"device": "GPU", "mean_us": 10.0, "min_us": 9.0, "max_us": 12.0, "kernels": ["k"]},
                     work={"flop": 8, "byte": 64})
        second = entry("aten::cat", [("tensors", [tensor("float", [4]), tensor("c10::Half", [4])]), ("dim", 0)])
        sound, seen = json.dumps([first, second]).encode(), set()
        before, sys.argv = sys.argv, ["batched_replay.py", "ir.json", "--device", "cpu", "--iterations", "1", "--repeat", "1",
                                      "--no-flush", "--max-elements", "64", "--verbose", "--csv", "t.csv"]
        start = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for seed in range(400):
                with open("ir.json", "wb") as f:
                    f.write(mutations.mutated(sound, random.Random(seed)))
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                    seen.add(batched_replay.main())
            os.chdir(start)
        sys.argv = before
        self.assertEqual(seen, {0, 1, 2})

    def test_more_memory_than_there_is(self):
        e = entry("aten::neg", [("self", tensor("float", [1 << 50]))])
        done = self.run_ir(json.dumps([e]))
        self.assertEqual(done.returncode, 1)
        self.assertIn("--max-elements", done.stderr)
        self.assertEqual(self.run_ir(json.dumps([e]), "--max-elements", "1000").returncode, 0)


class Language(unittest.TestCase):
    def test_it_is_that_of_python_3_8(self):
        for name in ("utils.py", "batched_replay.py"):
            with open(os.path.join(ASSETS, name), encoding="utf-8") as f:
                ast.parse(f.read(), feature_version=(3, 8))


class Signatures(unittest.TestCase):
    """The first part of op_schemas.txt is what PyTorch 1.13 says."""

    def test_they_are_those_of_this_pytorch(self):
        if not torch.__version__.startswith("1.13"):
            self.skipTest("this is PyTorch " + torch.__version__)
        ours = []
        with open(os.path.join(ASSETS, "op_schemas.txt"), encoding="utf-8") as f:
            for line in f.read().split("\n# later\n")[0].splitlines():
                if line and not line.startswith("#"):
                    ours.append(line)
        theirs = {str(s) for s in torch._C._jit_get_all_schemas()}
        self.assertGreater(len(ours), 1000)
        self.assertEqual([s for s in ours if s not in theirs], [])


class Tap(unittest.TextTestResult):
    """Results as the other tests of this tree print them."""

    def __init__(self, *args):
        super().__init__(*args)
        self.lines = []

    def add(self, test, word, note=""):
        self.lines.append("%s %d %s%s" % (word, len(self.lines) + 1, test.id(), note))

    def addSuccess(self, test):
        super().addSuccess(test)
        self.add(test, "ok")

    def addError(self, test, err):
        super().addError(test, err)
        self.add(test, "not ok")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.add(test, "not ok")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.add(test, "ok", " # SKIP " + reason)


if __name__ == "__main__":
    log = io.StringIO()
    with contextlib.redirect_stderr(log):
        suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
        result = unittest.TextTestRunner(stream=log, resultclass=Tap).run(suite)
    print("1..%d" % len(result.lines))
    print("\n".join(result.lines))
    if not result.wasSuccessful():
        print("\n".join("# " + line for line in log.getvalue().splitlines()))
        sys.exit(1)
