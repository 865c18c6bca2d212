#!/usr/bin/env python3
"""counters.py FORM TRUTH OUT - whether the report in OUT has what samples/counter_trace.py planted."""
import csv, json, sys

form, truth, out = sys.argv[1], json.load(open(sys.argv[2])), sys.argv[3]
report = json.load(open(out + "/report.json"))
c = report["counters"]
rows = {r["name"]: r for r in csv.DictReader(open(out + "/own_tables/counters.csv"))}
lines = list(csv.DictReader(open(out + "/own_tables/counter_means.csv")))
titles = [f["title"] for f in report["findings"]]


def near(found, wanted, what, within=0.005):
    assert found is not None and abs(found - wanted) <= within * abs(wanted), (what, found, wanted)


def says(words):
    return any(words in t for t in titles)


if form in ("torch", "averaged"):
    assert set(rows) == {"SM Active", "DRAM BW", "Power", "SM Clock", "CPU Usage"}, rows
    assert rows["Power"]["unit"] == "W" and int(rows["SM Active"]["samples"]) == truth["n_samples"]
    assert rows["CPU Usage"]["while_kernels_run"] == "" and rows["CPU Usage"]["role"] == ""
    near(c["sm_pct"], truth["sm_pct"], "SM activity")
    near(c["energy_j"], truth["energy_j"], "energy")
    near(float(rows["SM Clock"]["mean"]), truth["mean_mhz"], "clock")
    steps = [r for r in lines if r["part"] == "step"]
    assert len(steps) == 10, steps
    for row, wanted in zip(steps, truth["steps_sm"]):
        near(float(row["sm_pct"]), wanted, "step " + row["name"], 0.01)
    kernels = {r["name"]: r for r in lines if r["part"] == "kernel"}
    near(float(kernels["sgemm_128x64_nn"]["sm_pct"]), 90, "matmul")
    near(float(kernels["small_kernel"]["sm_pct"]), 30, "small kernel")
    near(float(kernels["small_kernel"]["dram_pct"]), 15, "bandwidth of it")
    near(c["step_j"], sum(float(r["energy_j"]) for r in steps) / 10, "energy of a step", 0.2)
if form == "averaged":
    near(c["clock"]["slower"], 1, "kernels take as long")
    assert not says("clock"), titles
else:
    near(c["clock"]["low_pct"], truth["low_pct"], "time at a low clock")
    near(c["clock"]["low_mhz"], 1320, "low clock")
    near(c["clock"]["high_mhz"], 1980, "high clock")
    near(c["clock"]["slower"], 1.5, "what it costs")
    assert not c["clock"]["rises"] and says("1320 of 1980 MHz"), titles
if form == "rpd":
    assert len(rows) == 1 and c["left"] == 1, rows
