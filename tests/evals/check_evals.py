#!/usr/bin/env python3
"""Small cases with a known answer: our report.json against the figures of a peer's analysis.

    check_evals.py PROGRAM SHARED

Each case is one operation, or a few, that runs badly for one reason. Timeline shares, the
top category and the flagged operation's time, share, count, FLOP/byte, efficiency and bound
must agree with its expected.json; category and pattern with our specification
(analysis.md, appendix A), written below, and priority with what the finding saves of the run. Skips where the cases are not there.
"""
import json
import os
import subprocess
import sys
import tempfile

POINTS = 0.5      # of a percentage or an efficiency
RELATIVE = 0.005  # of a time or an intensity, which the peer rounds

# Categories of the peer under the names of ours. It leaves fused experts in "other".
CATEGORY = {"GEMM": "gemm", "CONV_fwd": "convolution", "SDPA_fwd": "sdpa_fwd",
            "MoE_fused": "moe_fused", "elementwise": "elementwise", "other": "moe_fused"}

# analysis.md, appendix A: operation -> category, pattern (None: any). What has no model is one line of
# low priority, not a card (insight.md, 6). The appendix also has priorities, by the share of time; site-3.md 1
# outranks it: severity is the share of the run that the action gives.
VERDICT = {
    "gemm_01_compute_few_tiles": {"aten::mm": ("gemm", "few_tiles")},
    "gemm_04_memory_tall_skinny": {"aten::mm": ("gemm", "skinny_gemm")},
    "sdpa_01_long_seq_low_eff": {
        "aten::_scaled_dot_product_flash_attention": ("sdpa_fwd", None)},
    "sdpa_03_short_seq_overhead": {
        "aten::_scaled_dot_product_flash_attention": ("sdpa_fwd", "short_sequence_attention")},
    "conv_01_large_spatial_small_ch": {"aten::convolution": ("convolution", None)},
    "conv_04_depthwise": {"aten::convolution": ("convolution", None)},
    "conv_07_transposed": {"aten::convolution": ("convolution", None),
                           "aten::mul_": ("elementwise", None)},
    "moe_01_many_experts_few_tokens": {
        "vllm::rocm_aiter_fused_moe": ("moe_fused", "moe_few_tokens")},
    "moe_04_top2_dense": {"vllm::rocm_aiter_fused_moe": ("moe_fused", "unknown_kernel"),
                          "aten::mul_": ("elementwise", None)},
}


class Case:
    def __init__(self, name, expected, report):
        self.name, self.expected, self.report = name, expected, report
        self.wrong, self.compared = [], 0

    def near(self, what, got, want, points=POINTS, relative=0.0):
        self.compared += 1
        if got is None and want is None:
            return
        limit = max(points, relative * abs(want)) if want is not None else 0
        if got is None or want is None or abs(got - want) > limit:
            self.wrong.append(f"{what}: {got}, expected {want}")

    def same(self, what, got, want):
        self.compared += 1
        if got != want:
            self.wrong.append(f"{what}: {got!r}, expected {want!r}")


def shapes(text):
    """Arguments without what separates them."""
    return text.replace("<br>", " ").replace(", (", " (").replace("×", ",").strip()


def check_timeline(c):
    m, w = c.expected["metrics"], c.report["window"]
    c.near("total ms", w["total"]["time_ms"], m["total_time_ms"], 0.01, RELATIVE)
    c.near("computation %", w["computation"]["total_pct"], m["compute_pct"])
    c.near("idle %", w["idle"]["total_pct"], m["idle_pct"])
    c.near("exposed communication %", w["exposed_communication"]["total_pct"],
           m["exposed_comm_pct"])
    name, _, share = m["top_category"].partition(" (")
    top = c.report["categories"][0]
    c.same("top category", top["id"], CATEGORY.get(name, name))
    c.near("top category's share", top["compute_pct"], float(share.rstrip("%)")))


def find_operation(c, row):
    named = [o for o in c.report["operations"] if o["name"] == row["operation"]]
    exact = [o for o in named if shapes(o["args"]) == shapes(row.get("args") or "")]
    return (exact or named or [None])[0]


def check_operation(c, row):
    o = find_operation(c, row)
    c.same(f"{row['operation']} is there", o is not None, True)
    if o is None:
        return
    name, total = row["operation"], c.report["window"]["total"]["time_ms"]
    c.near(f"{name} ms", o["time_ms"], row["time_ms"], 0.001, RELATIVE)
    c.near(f"{name} % of total", 100 * o["time_ms"] / total, row["e2e_pct"])
    c.same(f"{name} count", o["launches"], int(row["count"]))
    c.near(f"{name} FLOP/byte", o["flop_per_byte"], row["flops_per_byte"], 0.01, RELATIVE)
    c.near(f"{name} efficiency", o["efficiency_pct"], row["efficiency_pct"])
    if row.get("bound") in ("compute", "memory"):
        c.same(f"{name} bound", o["bound"], row["bound"])
    told = [f for f in c.report["findings"] if o["id"] in f["operations"]]
    c.same(f"{name} has a finding", bool(told), True)


def priorities(finding):
    """What it may be: of 25, 5 and 1 % of the run critical, high and medium; unknown, at most medium."""
    saves = (finding["impact_then"] or finding["impact"])["mid_pct"]
    if saves is None:
        return ["medium", "low"]
    return [["low", "medium", "high", "critical"][(saves >= 1) + (saves >= 5) + (saves >= 25)]]


def check_verdict(c):
    for op, (category, pattern) in VERDICT.get(c.name, {}).items():
        told = [f for f in c.report["findings"]
                if f["tier"] == "kernel" and op in (f["name"], f["name"].strip("`"))]
        c.same(f"findings of {op}", len(told), 1)
        for f in told:
            c.same(f"{op}: category", f["category"], category)
            c.same(f"{op}: priority is its share", f["priority"] in priorities(f), True)
            if pattern:
                c.same(f"{op}: pattern", f["pattern"], pattern)


def run(program, folder, name):
    with tempfile.TemporaryDirectory() as out:
        target = os.path.join(out, "report")
        done = subprocess.run([program, "analyze", os.path.join(folder, "trace.json.gz"), "-p",
                               "MI300X", "-o", target, "--quiet"],
                              capture_output=True, text=True, timeout=120, check=False)
        if done.returncode:
            raise SystemExit(f"{name}: exit {done.returncode}: {done.stderr.strip()}")
        with open(os.path.join(target, "report.json"), encoding="utf-8") as f:
            return json.load(f)


def main():
    program, root = sys.argv[1], os.path.join(sys.argv[2], "evals", "standalone")
    if not os.path.isdir(root):
        print(f"check-evals: skipped, {root} is not there")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    passed = failed = compared = 0
    for name in sorted(os.listdir(root)):
        folder = os.path.join(root, name)
        with open(os.path.join(folder, "expected.json"), encoding="utf-8") as f:
            expected = json.load(f)
        c = Case(name, expected, run(program, folder, name))
        check_timeline(c)
        for finding in expected["findings"]:
            for row in finding["rows"]:
                check_operation(c, row)
        check_verdict(c)
        compared += c.compared
        failed += bool(c.wrong)
        passed += not c.wrong
        print(f"{'FAIL' if c.wrong else 'ok  '} {name}: {c.compared} figures")
        for line in c.wrong:
            print(f"     {line}")
    print(f"check-evals: {compared} figures, {failed} cases differ")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
