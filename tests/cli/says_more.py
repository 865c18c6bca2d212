#!/usr/bin/env python3
"""A trace with one planted answer for each of the sections of says_more.sh, and checks.

    says_more.py make TRACE.json            writes it
    says_more.py slower TRACE.json          the same, all-reduces of 500 us
    says_more.py missing TRACE.json         one that just misses what is planted
    says_more.py flat TRACE.json            one of layers that only kernels tell
    says_more.py check SECTION OUT          0: the report in OUT has the answer

Four steps of 10 ms: eight blocks of a model (the sixth takes 40 % longer), an all-reduce
of 40 MB among 4 ranks in 400 us and one of 400 B in 8 us, a region that was compiled
three times with two graphs and 50 us of other code between them, counters.
"""
import csv, json, os, re, sys

STEP, STEPS, BLOCKS = 10000, 4, 8


def trace(reduce_us=400, misses=False):
    """`misses`: the sixth block takes 10 % longer, sizes are not recorded, the region is its
    first version and its second graph follows at once, the clock stays."""
    events, ids = [], iter(range(1, 1 << 20))

    def add(cat, name, tid, ts, dur, args=None, pid=1):
        events.append(dict(ph="X", cat=cat, name=name, pid=pid, tid=tid, ts=ts, dur=dur, args=args or {}))

    def launch(at, name, start, dur, stream=7, **args):
        k = next(ids)
        add("cuda_runtime", "cudaLaunchKernel", 1, at, 4, dict(correlation=k))
        add("kernel", name, stream, start, dur, dict(correlation=k, stream=stream, device=0, **args), pid=0)

    def collective(at, start, dur, elements):
        launch(at, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", start, dur, 20, **{
            "Collective name": "allreduce", "Process Group Name": "0", "Process Group Ranks": "[0, 1, 2, 3]",
            "Group size": 4, "In split size": "[]", "Out split size": "[]",
            **({} if misses else {"dtype": "Float", "In msg nelems": elements, "Out msg nelems": elements})})

    for step in range(STEPS):
        t = step * STEP
        add("user_annotation", "ProfilerStep#%d" % step, 1, t, STEP)
        add("python_function", "nn.Module: Model_0", 1, t + 10, 4000)
        for b in range(BLOCKS):
            at = t + 100 + 400 * b
            add("python_function", "nn.Module: Block_%d" % b, 1, at, 300)
            add("python_function", "nn.Module: Linear_%d" % b, 1, at + 10, 200)
            add("cpu_op", "aten::mm", 1, at + 20, 100, {"Input Dims": [[512, 512], [512, 512]], "Input type": ["float", "float"]})
            launch(at + 30, "gemm", at + 60, (275 if misses else 350) if b == 5 else 250)
        collective(t + 5000, t + 5010, reduce_us, 10000000)
        collective(t + 5420, t + 5430, 8, 100)
        add("cpu_op", "Torch-Compiled Region: 0/%d" % (0 if misses else 2), 1, t + 6000, 1000)
        for k, at in ((0, t + 6100), (1, t + 6300 if misses else t + 6350)):
            add("user_annotation", "## Call CompiledFxGraph f%d ##" % k, 1, at, 200)
            launch(at + 10, "triton_poi_%d" % k, at + 20, 150)
    for k in range(STEPS * STEP // 100 + 1):  # a sample each 100 us
        for name, value in (("GPU Power (W)", 500), ("SM Clock (MHz)", 1980 if k < 200 or misses else 1200),
                            ("SM Active (%)", 12), ("DRAM Bandwidth (%)", 30)):
            events.append(dict(ph="C", name=name, pid=0, ts=100 * k, args={"value": value}))
    return dict(deviceProperties=[dict(id=0, name="NVIDIA H100 80GB HBM3", totalGlobalMem=85520809984, numSms=132)], traceEvents=events)


def flat():
    """Three steps of six layers of five kernels between an embedding and a head, without modules."""
    events, at, k = [], 1000, 0

    def launch(name, dur):
        nonlocal at, k
        k += 1
        events.append(dict(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=1, tid=1, ts=2 * k, dur=1, args=dict(correlation=k)))
        events.append(dict(ph="X", cat="kernel", name=name, pid=0, tid=7, ts=at, dur=dur, args=dict(correlation=k, stream=7, device=0)))
        at += dur + 1

    for step in range(3):
        launch("embed", 20)
        for layer in range(6):
            for name in ("norm", "qkv", "attention", "proj", "mlp"):
                launch(name, 10 + 10 * (layer == 3 and name == "mlp"))
        launch("head", 20)
    return dict(traceEvents=events)


def by_period(out, report):
    rows = table(out, "layers")
    assert report["layers"]["period"] == 5 and len(rows) == 6, rows
    near(rows[0]["forward_ms"], 3 * 0.05, "a layer")
    near(rows[3]["off_pct"], 20, "the long one")
    assert "told by a period of 5 kernels" in page(out, "layers")


def table(out, name):
    return list(csv.DictReader(open("%s/own_tables/%s.csv" % (out, name))))


def near(found, planted, what):
    if abs(float(found) - planted) > 0.005 * abs(planted):
        sys.exit("%s: %s, planted %s" % (what, found, planted))


def layers(out, report):
    rows = table(out, "layers")
    assert [r["layer" if "layer" in r else "name"] for r in rows] == ["Block_%d" % b for b in range(BLOCKS)], rows
    near(rows[0]["forward_ms"], STEPS * 0.25, "a block")
    near(rows[5]["forward_ms"], STEPS * 0.35, "the long block")
    near(rows[5]["off_pct"], 40, "its distance from the median")
    assert report["layers"]["classes"][0]["differ"] == 1 and report["layers"]["classes"][0]["name"] == "Block"
    modules = {r["name"]: r for r in table(out, "modules")}
    near(modules["Linear"]["own_ms"], STEPS * (7 * 0.25 + 0.35), "kernels of the Linears")
    near(modules["Model"]["below_ms"], STEPS * (7 * 0.25 + 0.35), "kernels of the model")
    assert (modules["Block"]["instances"], modules["Block"]["calls"], float(modules["Block"]["own_ms"])) == ("8", "32", 0), modules
    assert 'id="t-modules"' in page(out, "layers")
    assert "8 layers of Block" in page(out, "layers") and ">40.0<" in page(out, "layers")


def collectives(out, report):
    rows = table(out, "collective_sizes")
    near(rows[0]["bytes"], 4e7, "bytes")
    near(rows[0]["algorithm_gb_per_s"], 100, "algorithm bandwidth")
    near(rows[0]["bus_gb_per_s"], 150, "bus bandwidth")
    near(rows[0]["link_pct"], 100 * 150 / 450, "of the link")
    assert report["collective_sizes"]["small_calls"] == STEPS, report["collective_sizes"]
    assert "Bandwidth by size" in page(out, "system")


def compared(out, _):
    rows = list(csv.DictReader(open(out + "/compare_csvs/compare_collectives.csv")))
    assert len(rows) == 2 and rows == sorted(rows, key=lambda r: -float(r["bytes"])), rows
    for key, planted in (("ranks", 4), ("calls_tgt", STEPS), ("median_ref_us", 400), ("median_tgt_us", 500), ("bus_ref_gb_per_s", 150),
                         ("bus_tgt_gb_per_s", 120), ("diff_pct_of_reference", 25)):
        near(rows[0][key], planted, key)
    near(rows[1]["median_tgt_us"], 8, "the small one")
    both = json.load(open(out + "/comparison_data.json"))["collectives"]
    assert [c["bytes"] for c in both] == [40000000, 400], both
    assert "| 500.0 µs | 150 GB/s | 120 GB/s |" in open(out + "/comparative_analysis_rough.md").read()
    assert 'id="t-collectives"' in page(out, "index")


def trends(root, _):
    run = json.load(open(root + "/" + next(r["run"] for r in json.load(open(root + "/runs.json"))["runs"] if r["label"] == "first") + "/summary.json"))
    sizes = {s["slug"]: s for s in run["collectives"]["sizes"]}
    assert list(sizes) == ["all-reduce-40000000-4", "all-reduce-400-4"], sizes
    near(sizes["all-reduce-40000000-4"]["bus_gb_per_s"], 150, "bus")
    assert sizes["all-reduce-400-4"]["small"] and sizes["all-reduce-400-4"]["calls"] == STEPS, sizes
    told = page(root, "trend").replace("&nbsp;", " ").replace("\u00a0", " ")
    assert told.count("<figcaption>All-reduce of ") == 1 and "All-reduce of 38.1 MiB among 4 ranks, on the bus: one change" in told
    values = re.findall(r'<td class="n">([\d.]+) GB/s</td>', told[told.index("<figcaption>All-reduce of "):])
    assert values[:2] == ["150", "120"], values


def compared_none(out, _):
    assert not json.load(open(out + "/comparison_data.json"))["collectives"] and "t-collectives" not in page(out, "index")


def compiled(out, report):
    rows = table(out, "compiled")
    assert [(r["kind"], r["name"]) for r in rows] == [("region", "0/2"), ("graph", "f0"), ("graph", "f1")], rows
    near(rows[0]["device_ms"], STEPS * 0.3, "kernels of the region")
    near(report["compiled"]["break_ms"], STEPS * 0.05, "breaks")
    assert report["compiled"]["breaks"] == STEPS and report["compiled"]["versions_most"] == 3
    assert "compiled more than once, up to 3 times" in page(out, "layers")


def linked(out, report):
    link = "../logs/tl%20out/index.html#%5B0/2_1%5D"
    assert [c["tlparse"] for c in report["compiled"]["calls"]] == [link, None, None], report["compiled"]["calls"]
    assert '<a href="%s">region <' % link in page(out, "layers") and "folder of tlparse" in page(out, "layers")


def unlinked(out, report):
    assert not any(c["tlparse"] for c in report["compiled"]["calls"]) and "tlparse" not in page(out, "layers")


def path(out, report):
    p = report["critical_path"]
    near(p["kernel_ms"] + p["copy_ms"] + p["host_ms"] + p["latency_ms"], p["time_ms"], "parts of the path")
    near(sum(float(r["time_ms"]) for r in table(out, "critical_path")), p["time_ms"], "rows of the path")
    assert 'id="critical-path"' in page(out, "system")


def just_missed(out, report):
    near(table(out, "layers")[5]["off_pct"], 10, "the long block")
    assert not report["layers"]["classes"][0]["differ"] and "of them differ" not in page(out, "layers")
    assert not report["collective_sizes"] and "Bandwidth by size" not in page(out, "system")
    assert report["compiled"]["breaks"] == 0 and report["compiled"]["recompiled"] == 0, report["compiled"]
    assert "more than once" not in page(out, "layers") and "Nothing that was not compiled runs between" in page(out, "layers")
    assert not any("clock" in f["title"].lower() for f in report["findings"]), [f["title"] for f in report["findings"]]


def page(out, name):
    return open("%s/%s.html" % (out, name)).read()


def nothing(out, report):
    assert not any(report.get(k) for k in ("layers", "modules", "collective_sizes", "compiled", "counters"))


MADE = dict(make=trace, slower=lambda: trace(500), missing=lambda: trace(misses=True), flat=flat)
if sys.argv[1] in MADE:
    json.dump(MADE[sys.argv[1]](), open(sys.argv[2], "w"))
else:
    file = sys.argv[3] + "/report.json"
    globals()[sys.argv[2]](sys.argv[3], json.load(open(file)) if os.path.exists(file) else None)
