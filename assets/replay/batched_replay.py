#!/usr/bin/env python3
"""Run the operator calls of replay_ir.json alone, and time them. See README.md.

Exit status: 0 every call ran; 1 at least one did not; 2 wrong use, or no such description.
"""

import argparse
import csv
import platform
import statistics
import sys
import time

try:
    import torch
except ImportError:
    sys.exit("batched_replay.py: PyTorch is not installed for this Python (%s)" % sys.executable)

import utils

FLUSH_BYTES = 256 << 20  # more than any last-level cache
LAUNCH_BOUND_US = 10.0


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def count(text):
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError("must not be negative")
    return value


def options():
    p = argparse.ArgumentParser(description="Replay operator calls from a trace, with random data.")
    p.add_argument("ir", nargs="?", default="replay_ir.json", help="the description (%(default)s)")
    p.add_argument("--device", choices=("cuda", "cpu"), default="cuda",
                   help="cuda means any GPU of this PyTorch, those of ROCm too (%(default)s)")
    p.add_argument("--warmup", type=count, metavar="N",
                   help="calls before timing (50, or --iterations if that is less)")
    p.add_argument("--iterations", "--iters", type=positive, default=100, metavar="N",
                   help="calls timed together (%(default)s)")
    p.add_argument("--repeat", type=positive, default=5, metavar="N",
                   help="how often they are timed (%(default)s)")
    p.add_argument("--max-elements", type=positive, metavar="N",
                   help="scale calls down so that no tensor has more than N elements")
    p.add_argument("--op-filter", default="", metavar="TEXT", help="only operators whose name has TEXT")
    p.add_argument("--op-limit", type=positive, metavar="N", help="only the first N calls")
    p.add_argument("--stop-on-error", action="store_true")
    p.add_argument("--verbose", action="store_true", help="signatures, strides and kernels too")
    p.add_argument("--seed", type=int, default=0, metavar="S", help="of the random data (%(default)s)")
    p.add_argument("--no-flush", action="store_true", help="leave the cache warm between repeats")
    p.add_argument("--csv", metavar="FILE", help="write the figures as a table too")
    p.add_argument("--profile", metavar="FILE", help="write a profiler trace of one call of the first")
    return p.parse_args()


class Device:
    """Where calls run, and the clock that is right for it."""

    def __init__(self, name, flush):
        self.name = name
        self.gpu = name == "cuda"
        self.clock = "device events" if self.gpu else "host clock"
        self.buffer = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device=name) if flush else None

    def synchronise(self):
        if self.gpu:
            torch.cuda.synchronize()

    def flush(self):
        if self.buffer is not None:
            self.buffer.zero_()
            self.synchronise()

    def time_us(self, function, iterations):
        """Mean time of one call, in microseconds."""
        if self.gpu:
            start = torch.cuda.Event(enable_timing=True)
            end = torch.cuda.Event(enable_timing=True)
            start.record()
            for _ in range(iterations):
                function()
            end.record()
            torch.cuda.synchronize()
            return start.elapsed_time(end) * 1e3 / iterations
        begin = time.perf_counter()
        for _ in range(iterations):
            function()
        return (time.perf_counter() - begin) * 1e6 / iterations


class Ready:
    """A call that has run once: its arguments, and what had to be changed for it."""

    def __init__(self, call, entry, widened, device, seed):
        self.call, self.entry, self.widened, self.device, self.seed = call, entry, widened, device, seed
        self.fresh()

    def fresh(self):
        self.args = self.kwargs = None  # before the next ones need the memory
        generator = torch.Generator(device=self.device.name)
        generator.manual_seed(self.seed)
        torch.manual_seed(self.seed)
        self.args, self.kwargs = self.call.build(self.device.name, generator, self.widened)

    def run(self):
        return self.call.overload(*self.args, **self.kwargs)


def software():
    """PyTorch, and what it was built for."""
    for name in ("cuda", "hip"):
        if getattr(torch.version, name, None):
            return "PyTorch %s, %s %s" % (torch.__version__, {"cuda": "CUDA", "hip": "HIP"}[name],
                                          getattr(torch.version, name))
    return "PyTorch %s" % torch.__version__


def introduce(entries, device):
    """What a reader of the output must know to compare its figures with the trace."""
    traced = utils.shown(entries[0].get("observed", {}).get("device", ""))
    threads = torch.get_num_threads()
    here = torch.cuda.get_device_name() if device.gpu else "CPU (%s, %d thread%s)" % (
        platform.machine(), threads, "" if threads == 1 else "s")
    print("%s, on %s%s" % (software(), utils.shown(here),
                           "; the trace is of %s" % traced if traced else ""))
    if not device.gpu:
        print("note: a CPU's times say nothing about those of the trace's GPU")
    if any(t.get("strides_assumed") for e in entries for t in utils.tensors_of(e)):
        print("note: strides are not in the trace: every tensor is contiguous here. Where an operand was "
              "transposed\n      or channels last, another kernel may have run: compare names with "
              "--verbose and --profile")
    print()


def one_line(error):
    lines = [line for line in str(error).splitlines() if line.strip()]
    return utils.shown(lines[0] if lines else type(error).__name__)


def is_unavailable(error):
    text = str(error)
    return isinstance(error, NotImplementedError) or "Could not run" in text or "not compiled with" in text


def prepare(entry, o, device):
    """The call as recorded, or scaled down, or, on a CPU that lacks the type, as float: the first
    that runs. UnknownOperator where no change would help."""
    first_error = None
    for variant in utils.scaled_down(entry, o.max_elements):
        call = utils.resolve(variant)
        if not device.gpu and utils.bytes_of(variant) > utils.memory_bytes() // 2:
            first_error = first_error or utils.ReplayError(
                "its tensors take %.1f GB; use --max-elements" % (utils.bytes_of(variant) / 1e9))
            continue
        small = any(utils.is_small_type(t["dtype"]) for t in utils.tensors_of(variant))
        for widened in (False, True) if small and not device.gpu else (False,):
            try:
                ready = Ready(call, variant, widened, device, o.seed)
                ready.run()
                device.synchronise()
                if call.writes:
                    ready.fresh()
                return ready
            except utils.ReplayError:
                raise
            except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError) as e:
                if is_unavailable(e) and "not implemented for '" not in str(e):
                    raise utils.UnknownOperator("%s cannot run on this %s: %s" % (
                        utils.shown(entry["op_name"]), device.name, one_line(e).split(". ")[0])) from None
                first_error = first_error or e
    raise first_error


def measure(ready, o, device):
    """Means of --repeat timings, in us."""
    warmup = min(50, o.iterations) if o.warmup is None else o.warmup
    for _ in range(warmup):
        ready.run()
    device.synchronise()
    times = []
    for _ in range(o.repeat):
        if ready.call.writes:
            ready.fresh()
        device.flush()
        device.synchronise()
        times.append(device.time_us(ready.run, o.iterations))
    return times


def profile(ready, device, path):
    kinds = [torch.profiler.ProfilerActivity.CPU]
    if device.gpu:
        kinds.append(torch.profiler.ProfilerActivity.CUDA)
    with torch.profiler.profile(activities=kinds, record_shapes=True) as p:
        ready.run()
        device.synchronise()
    p.export_chrome_trace(path)


RATES = (("flop", "TFLOP/s"), ("byte", "TB/s"))


def achieved(work, key, us):
    """Millions of operations, or of bytes, per microsecond; None where they are not known."""
    return work[key] / us / 1e6 if work.get(key) and us > 0 else None


def report(place, entry, ready, times, o, device):
    """Print one call; the row for --csv."""
    scaled = ready.entry is not entry
    median, seen = statistics.median(times), entry.get("observed", {})
    work, n = entry.get("work", {}), entry.get("count")
    print("%s %s  %s" % (place, utils.shown(entry["op_name"]), utils.describe(ready.entry)))
    if o.verbose:
        print("  signature %s" % ready.call.schema)
        for t in utils.tensors_of(ready.entry):
            print("  tensor %s, strides %s, %s" % (t["shape"], t["strides"], t.get("init")))
        for name in seen.get("kernels", []):
            print("  kernel in the trace: %s" % utils.shown(name, 10000))
    print("  replay    median %.2f us, min %.2f, mean %.2f (%d x %d calls, %s)" % (
        median, min(times), statistics.mean(times), o.repeat, o.iterations, device.clock))
    if ready.widened:
        print("  note      run as float: this device has no such operator for the recorded type")
    if scaled:
        print("  note      scaled down: not comparable with the trace")
    expected = seen.get("mean_us")
    ratio = ""
    if expected and not scaled:
        ratio = median / expected
        print("  expected  %.2f us in the trace (%.2f to %.2f); replay / expected = %.2f" % (
            expected, seen.get("min_us", expected), seen.get("max_us", expected), ratio))
        if n:
            print("  total     %.3f ms for the %d calls of the trace, %.3f ms there" % (
                median * n / 1e3, n, expected * n / 1e3))
    rates = [] if scaled else [achieved(work, key, median) for key, _ in RATES]
    if any(rates):
        print("  achieved  " + ", ".join(
            "%.3f %s%s" % (rate, unit, " (%.3f in the trace)" % achieved(work, key, expected)
                           if expected else "")
            for rate, (key, unit) in zip(rates, RATES) if rate is not None))
    if device.gpu and median < LAUNCH_BOUND_US:
        print("  note      below %d us the launch takes longer than the work" % LAUNCH_BOUND_US)
    return [entry["op_name"], utils.describe(ready.entry), n, median, min(times),
            statistics.mean(times), expected, ratio, *(rates or [None, None]), int(scaled),
            int(ready.widened)]


def choose_device(o):
    name = o.device
    if name == "cuda" and not torch.cuda.is_available():
        print("batched_replay.py: no GPU that this PyTorch can use; on the CPU instead", file=sys.stderr)
        name = "cpu"
    return Device(name, not o.no_flush)


def replay_all(entries, o, device):
    """Run every call. Returns the rows for --csv and the number of calls that failed."""
    rows, failed, said, stopped = [], 0, set(), False
    for i, entry in enumerate(entries):
        try:
            ready = prepare(entry, o, device)
            if not rows:
                introduce(entries, device)
            rows.append(report("[%d/%d]" % (i + 1, len(entries)), entry, ready,
                               measure(ready, o, device), o, device))
            if o.profile and len(rows) == 1:
                profile(ready, device, o.profile)
        except (utils.ReplayError, RuntimeError, IndexError, ValueError, TypeError,
                NotImplementedError, MemoryError) as e:
            failed += 1
            line = one_line(e)
            if not isinstance(e, utils.UnknownOperator):
                line = "%s failed: %s" % (utils.shown(entry["op_name"]), line)
            if line not in said:
                print("batched_replay.py: " + line, file=sys.stderr)
            said.add(line)
            if o.stop_on_error:
                stopped = True
        if stopped:
            break
    if rows or len(said) > 1:
        print("%d calls described, %d chosen, %d tried, %d ran, %d failed" % (
            o.described, len(entries), len(rows) + failed, len(rows), failed))
    return rows, failed


def write_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as f:
        w = csv.writer(f)
        w.writerow(["op_name", "arguments", "count", "median_us", "min_us", "mean_us",
                    "trace_mean_us", "ratio", "tflop_per_s", "tb_per_s", "scaled_down",
                    "run_as_float"])
        for row in rows:
            # A spreadsheet takes a text that starts like a formula for one.
            w.writerow(["'" + c if isinstance(c, str) and c[:1] in "=+-@\t\r" and c else c
                        for c in row])


def main():
    o = options()
    try:
        entries = utils.load_ir(o.ir)
    except (OSError, ValueError, RecursionError) as e:
        print("batched_replay.py: %s: %s" % (utils.shown(o.ir), one_line(e)), file=sys.stderr)
        return 2
    o.described = len(entries)
    entries = [e for e in entries if o.op_filter.lower() in e["op_name"].lower()][:o.op_limit]
    if not entries:
        print("batched_replay.py: no call has %s in its operator's name" % utils.shown(o.op_filter),
              file=sys.stderr)
        return 2
    device = choose_device(o)
    with torch.no_grad():
        rows, failed = replay_all(entries, o, device)
    if o.csv:
        write_csv(o.csv, rows)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
