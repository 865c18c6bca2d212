#!/usr/bin/env python3
"""Small traces with one planted answer each, of what kernels, memory records and operators
say, each beside one that just misses it; and checks of their reports.

    says_more_cases.py make FOLDER        writes all of CASES there: NAME.json
    says_more_cases.py check NAME OUT     0: the report in OUT has the answer of NAME

An H100 of 132 SMs throughout; times in us.
"""
import csv, re
import json
import sys

GPU = dict(id=0, name="NVIDIA H100 80GB HBM3", totalGlobalMem=85520809984, numSms=132,
           maxThreadsPerMultiprocessor=2048)
MIB = 1 << 20


class Trace:
    def __init__(self):
        self.events, self.n = [], 0

    def add(self, cat, name, tid, ts, dur, args=None, pid=1):
        self.events.append(dict(ph="X", cat=cat, name=name, pid=pid, tid=tid, ts=ts, dur=dur, args=args or {}))

    def launch(self, at, name, start, dur, stream=7, **args):
        self.n += 1
        self.add("cuda_runtime", "cudaLaunchKernel", 1, at, 4, dict(correlation=self.n))
        self.add("kernel", name, stream, start, dur, dict(correlation=self.n, stream=stream, device=0, **args), pid=0)

    def memory(self, ts, size, address, device=1, **totals):
        self.events.append(dict(ph="i", s="t", cat="cpu_instant_event", name="[memory]", pid=1, tid=1, ts=ts, args={
            "Bytes": size, "Addr": address, "Device Type": device, "Device Id": 0 if device else -1, **totals}))

    def step(self, k, ts, dur):
        self.add("user_annotation", "ProfilerStep#%d" % k, 1, ts, dur)

    def document(self):
        return dict(deviceProperties=[GPU], traceEvents=self.events)


# 1. How well kernels fill the device

def blocks(few):
    """Per step: 300 us with `few` blocks, 100 us with 1320 (10 for each SM) whose occupancy is
    not known (0), 100 us with as many at an occupancy of half, 4 blocks at once, and
    communication of 50 us with 2 blocks, which it takes on purpose."""
    t = Trace()
    for k in range(10):
        at = 1000 * k
        t.step(k, at, 1000)
        for name, start, dur, n, occupancy in (("small", 100, 300, few, 6), ("large", 450, 100, 1320, 0), ("half", 600, 100, 1320, 50),
                                               ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 750, 50, 2, 6)):
            t.add("cpu_op", "aten::" + name, 1, at + start - 60, 20)
            t.launch(at + start - 50, name, at + start, dur, grid=[n, 1, 1], block=[256, 1, 1], **{
                "blocks per SM": n / 132, "warps per SM": 8 * n / 132, "est. achieved occupancy %": occupancy,
                "registers per thread": 64, "shared memory": 1024})
    return t.document()


def few_blocks(out, r):
    near(r["fill"]["work_few_pct"], 60, "kernel time with few blocks")
    near(r["fill"]["few_pct"], 100 * 350 / 550, "the same with communication")
    near(r["fill"]["occupancy_known_pct"], 100 * 450 / 550, "where occupancy is known")
    near(r["fill"]["occupancy_pct"], (350 * 6 + 100 * 50) / 450, "its mean, without the zeros")
    rows = {x["kernel"]: x for x in table(out, "launch_geometry")}
    near(rows["small"]["blocks_per_unit"], 66 / 132, "blocks for each SM")
    near(rows["small"]["fewer_blocks_than_units_pct"], 100, "of one kernel")
    near(rows["small"]["registers"], 64, "registers")
    near(rows["large"]["blocks_per_unit"], 10, "blocks of the other")
    near(rows["half"]["waves"], 3, "waves: 10 blocks, 4 at once")
    near(rows["half"]["tail_pct"], 50, "of the last wave")
    assert rows["large"]["occupancy_pct"] == "" and rows["small"]["matrix_units"] != "yes", rows
    assert found(r, "fewer blocks than"), titles(r)


def enough_blocks(out, r):
    page = open(out + "/kernels.html").read()
    assert ">Matrix units</th>" not in page and ">Registers</th>" in page
    assert r["fill"]["work_few_pct"] == 0 and not found(r, "fewer blocks than"), (r["fill"], titles(r))


def blocks_of_amd():
    """608 blocks on 304 compute units, then 456: two waves, the second of them half empty."""
    t = Trace()
    for k in range(4):
        for name, start, n in (("Cijk_Ailk_Bljk_BBS_BH_MT128x128x64_MI16x16x16x1_SN", 100, 608), ("elementwise_kernel", 600, 456)):
            t.add("cpu_op", "aten::mm" if n == 608 else "aten::add", 1, 1000 * k + start - 60, 20)
            t.launch(1000 * k + start - 50, name, 1000 * k + start, 300, grid=[n, 1, 1], block=[256, 1, 1])
    return dict(deviceProperties=[dict(id=0, name="AMD Instinct MI300X", totalGlobalMem=206141652992, numSms=304, warpSize=64)],
                traceEvents=t.events)


def fill_amd(out, r):
    rows = {x["kernel"][:4]: x for x in table(out, "launch_geometry")}
    near(rows["Cijk"]["waves"], 2, "waves, one block on each unit")
    assert float(rows["Cijk"]["tail_pct"]) == 0 and rows["Cijk"]["occupancy_pct"] == "", rows["Cijk"]
    assert (rows["Cijk"]["precision"], rows["Cijk"]["matrix_units"]) == ("bf16", "yes"), rows["Cijk"]
    near(rows["elem"]["blocks_per_unit"], 1.5, "blocks for each unit")
    near(rows["elem"]["tail_pct"], 50, "of the last wave")
    page = open(out + "/kernels.html").read()
    assert "Occupancy, %" not in page and ">Precision</th>" in page and ">Registers</th>" not in page
    assert rows["elem"]["matrix_units"] != "yes" and r["fill"]["unit"] == "compute unit", (rows["elem"], r["fill"])


# 2. What holds the peak of memory

def memory(late):
    """500 MiB before, 300 MiB by a Linear that stay, 100 MiB within one operator while these
    are held (or, `late`, after they are freed), and memory of the host, which is another."""
    t = Trace()
    total = 500 * MIB

    def change(ts, mib, address):
        nonlocal total
        total += mib * MIB
        t.memory(ts, mib * MIB, address, **{"Total Allocated": total, "Total Reserved": 1000 * MIB})

    for k in range(3):
        at = 2000 * k
        t.step(k, at, 2000)
        t.add("python_function", "nn.Module: Linear_0", 1, at + 10, 400)
        t.add("cpu_op", "aten::addmm", 1, at + 20, 300)
        t.launch(at + 30, "gemm", at + 100, 500)
        change(at + 40, 300, 4096 + k)
        t.memory(at + 50, 9000 * MIB, 77, device=0)
        if late:
            change(at + 900, -300, 4096 + k)
        t.add("cpu_op", "aten::sort", 1, at + 1000, 300)
        change(at + 1010, 100, 99)
        t.launch(at + 1020, "sort", at + 1100, 500)
        change(at + 1200, -100, 99)
        if not late:
            change(at + 1700, -300, 4096 + k)
    return t.document()


def memory_peak(out, r):
    near(r["memory"]["peak_bytes"], 900 * MIB, "peak")
    near(r["memory"]["reserved_bytes"], 1000 * MIB, "reserved")
    near(r["memory"]["rise_bytes"], 400 * MIB, "above what was there before")
    rows = {x["operator"]: x for x in table(out, "memory_peak")}
    near(rows[""]["bytes"], 500 * MIB, "before the recording")
    near(rows["aten::addmm"]["bytes"], 300 * MIB, "of the Linear")
    assert rows["aten::addmm"]["module"] == "Linear", rows
    near(rows["aten::sort"]["bytes"], 100 * MIB, "within an operator")
    near(sum(float(x["bytes"]) for x in rows.values()), 900 * MIB, "the sum of all")
    assert rows["aten::sort"]["kind"] != rows["aten::addmm"]["kind"], rows
    assert "<small>3 calls, 300\u00a0MiB</small>" in open(out + "/tree.html").read()


def memory_freed_before(out, r):
    near(r["memory"]["peak_bytes"], 800 * MIB, "peak")
    assert "aten::sort" not in {x["operator"] for x in table(out, "memory_peak")}


GIB = 1 << 30


def training(reserved_gib):
    """One step that begins with 20 GiB; 12 GiB of activations in the forward pass, at whose end
    4 GiB are the workspace of a convolution; 2 GiB of gradients and 3 GiB of optimizer state stay."""
    t = Trace()
    total = 20 * GIB

    def change(ts, gib, address):
        nonlocal total
        total += gib * GIB
        t.memory(ts, gib * GIB, address, **{"Total Allocated": total, "Total Reserved": reserved_gib * GIB})

    t.step(0, 0, 10000)
    change(1, 1, 1)  # and given back: the records begin at 20 GiB
    change(2, -1, 1)
    t.add("python_function", "nn.Module: Net_0", 1, 5, 4000)
    for k in range(4):
        at = 10 + 900 * k
        t.add("python_function", "nn.Module: Linear_%d" % k, 1, at, 400)
        t.add("cpu_op", "aten::addmm", 1, at + 1, 300)
        change(at + 10, 3, 100 + k)
        t.launch(at + 20, "gemm", at + 30, 300)
    t.add("cpu_op", "aten::convolution", 1, 3700, 200)
    change(3710, 4, 50)
    t.launch(3720, "conv", 3730, 100)
    change(3800, -4, 50)
    for k in range(4):
        at = 5000 + 500 * k
        t.add("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", 1, at, 400)
        t.launch(at + 20, "gemm", at + 30, 300)
        if k < 2:
            change(at + 50, 1, 200 + k)
        change(at + 100, -3, 103 - k)
    t.add("cpu_op", "Optimizer.step#Adam.step", 1, 8000, 1000)
    change(8100, 3, 300)
    t.launch(8200, "adam", 8210, 100)
    return t.document()


def memory_kinds(out, r):
    m = r["memory"]
    near(m["peak_bytes"], 36 * GIB, "peak")
    kinds = {}
    for x in table(out, "memory_peak"):
        kinds[x["kind"]] = kinds.get(x["kind"], 0) + float(x["bytes"]) / GIB
    assert kinds == {"before the recording": 20, "activation": 12, "workspace": 4}, kinds
    assert not found(r, "fragmentation") and not found(r, "holds nearly all"), titles(r)


def memory_full(out, r):
    near(r["memory"]["reserved_bytes"], 76 * GIB, "reserved")
    said = next(f for f in r["findings"] if "allocator holds nearly all" in f["title"])
    assert "12 GiB" in str(said) and "4 GiB" in str(said) and "torch.utils.checkpoint" in str(said), said


def memory_fragmented(out, r):
    """36 of 48 GiB: a quarter is not allocated."""
    near(r["memory"]["unused_pct"], 25, "not allocated at the peak")
    said = next(f for f in r["findings"] if "fragmentation" in f["title"])
    assert "25.0% of what the allocator holds" in str(said) and "expandable_segments" in str(said), said


def old_memory():
    """Neither totals nor addresses, as in 2021: 600 MiB more, at most."""
    t = Trace()
    for k in range(3):
        for ts, mib in ((10, 400), (20, 200), (30, -500), (40, -100)):
            t.events.append(dict(ph="i", s="t", name="[memory]", pid=1, tid=1, ts=1000 * k + ts,
                                 args={"Device Type": 1, "Device Id": 0, "Bytes": mib * MIB}))
        t.add("cpu_op", "aten::mm", 1, 1000 * k, 50)
        t.launch(1000 * k + 5, "gemm", 1000 * k + 20, 300)
    return t.document()


def memory_old(out, r):
    near(r["memory"]["rise_bytes"], 600 * MIB, "rise")
    assert r["memory"]["peak_bytes"] is None and "no totals and no addresses" in r["memory"]["says"], r["memory"]
    assert "Allocated memory rises by 600 MiB" in open(out + "/system.html").read().replace("&nbsp;", " ").replace("\u00a0", " ")


def roomy():
    """Half a block for each SM, and 10 of 80 GB of memory."""
    document = blocks(33)
    t = Trace()
    for k in range(10):
        t.memory(1000 * k + 5, GIB, k + 1, **{"Total Allocated": (k + 1) * GIB, "Total Reserved": 10 * GIB})
    document["traceEvents"] += t.events
    return document


def memory_room(out, r):
    said = next(f for f in r["findings"] if "Give the GPU more work at once" in f["title"])
    assert "87.4% of device memory is never reserved" in str(said), said


# 3. MFU: a product of 4096 x 4096 x 4096 in a step of 1 ms is 137.4 of 989.4 TFLOP/s (dense)

def product(other_us):
    t = Trace()
    for k in range(6):
        at = 1000 * k
        t.step(k, at, 1000)
        t.add("cpu_op", "aten::mm", 1, at + 20, 50, {"Input Dims": [[4096, 4096], [4096, 4096]],
                                                     "Input type": ["c10::BFloat16", "c10::BFloat16"],
                                                     "Input Strides": [[4096, 1], [4096, 1]]})
        t.launch(at + 30, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn", at + 100, 200)
        t.add("cpu_op", "mine::other", 1, at + 80, 50)
        t.launch(at + 90, "other", at + 320, other_us)
    return t.document()


def mfu(out, r):
    near(r["mfu"]["mfu_pct"], 100 * 2 * 4096 ** 3 / 1e-3 / 989.4e12, "MFU")
    near(r["mfu"]["covered_pct"], 100 * 200 / 220, "coverage")
    assert r["mfu"]["type"] == "bf16" and not r["mfu"]["lower_bound"], r["mfu"]
    near(table(out, "mfu_steps")[2]["tflop"], 2 * 4096 ** 3 / 1e12, "of a step")
    assert "13.9% of the dense bf16 peak" in r["mfu"]["says"], r["mfu"]
    assert r["mfu"]["says"].split(".")[0] in open(out + "/index.html").read().replace("<code>", "").replace("</code>", "")


def mfu_lower_bound(out, r):
    near(r["mfu"]["covered_pct"], 40, "coverage")
    assert r["mfu"]["lower_bound"] and "at least" in r["mfu"]["says"].lower(), r["mfu"]


def computed_again():
    """The product runs once more in the backward pass: two of three are the model's."""
    t = Trace()
    shapes = {"Input Dims": [[4096, 4096], [4096, 4096]], "Input type": ["c10::BFloat16", "c10::BFloat16"],
              "Input Strides": [[4096, 1], [4096, 1]]}
    for k in range(6):
        at = 1000 * k
        t.step(k, at, 1000)
        for i, frame in enumerate((None, "torch/utils/checkpoint.py(1400): recompute_fn", "autograd")):
            begin = at + 20 + 300 * i
            if frame == "autograd":
                t.add("cpu_op", "autograd::engine::evaluate_function: MmBackward0", 1, begin - 5, 90)
            elif frame:
                t.add("python_function", frame, 1, begin - 5, 90)
            t.add("cpu_op", "aten::mm", 1, begin, 50, shapes)
            t.launch(begin + 10, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn", begin + 30, 200)
    return t.document()


def hfu(out, r):
    one = 100 * 2 * 4096 ** 3 / 1e-3 / 989.4e12
    near(r["mfu"]["mfu_pct"], 2 * one, "MFU, without what is computed again")
    near(r["mfu"]["hfu_pct"], 3 * one, "HFU")
    assert "41.7%" in r["mfu"]["says"], r["mfu"]


# 4. Layers of GPU graphs, whose kernels name no module

def captured():
    t = Trace()
    t.add("python_function", "nn.Module: Model_0", 1, 10, 3000)
    for b in range(6):
        at = 100 + 400 * b
        t.add("python_function", "nn.Module: Block_%d" % b, 1, at, 300)
        t.add("python_function", "nn.Module: Linear_%d" % b, 1, at + 10, 200)
        t.add("cpu_op", "aten::mm", 1, at + 20, 100, {"Input Dims": [[512, 512], [512, 512]], "Input type": ["float", "float"]})
        t.launch(at + 30, "gemm_%d" % (b % 2), at + 60, 250)
    return t.document()


def replayed():
    """The fifth block takes 40 % longer."""
    t = Trace()
    for k in range(3):
        t.step(k, 4000 * k, 4000)
        t.add("cuda_runtime", "cudaGraphLaunch", 1, 4000 * k + 10, 20, dict(correlation=k + 1))
        for b in range(6):
            t.add("kernel", "gemm_%d" % (b % 2), 7, 4000 * k + 50 + 400 * b, 350 if b == 4 else 250,
                  {"correlation": k + 1, "stream": 7, "device": 0, "graph node id": b + 1}, pid=0)
    return t.document()


def graph_layers(out, r):
    rows = table(out, "layers")
    assert [x["name"] for x in rows] == ["Block_%d" % b for b in range(6)], rows
    near(rows[0]["forward_ms"], 3 * 0.25, "a block")
    near(rows[4]["off_pct"], 40, "the long block")
    assert r["layers"]["classes"][0]["differ"] == 1


def graph_alone(out, r):
    assert not r["layers"] or not any(x["name"].startswith("Block") for x in table(out, "layers")), r["layers"]


# 4 and 8, side by side: pairs of runs that differ in one thing

def blocks_of(names=None, one=1.0, each=1.0, breaks=0, alone=None, idle=0, last="f1"):
    """Six steps of eight blocks, each of a product and a softmax of 250 us, then an optimizer of 3 ms;
    the sixth block takes `one` times as long, every block `each` times. Two compiled calls a step,
    and `breaks` more, each 600 us behind the one before, for which the device waits. With `alone`
    only that operator of the block is slow, and no steps are marked. With `idle` the device waits so
    long within each block. The second graph has the key `last`."""
    t, at = Trace(), 0
    for k in range(6):
        begin = at
        t.add("python_function", "nn.Module: Model_0", 1, at + 1, 950)
        device = at + 100
        for b in range(8):
            host = at + 100 + 100 * b
            t.add("python_function", "nn.Module: %s_%d" % (names or "Block", b), 1, host, 90)
            for i, (op, kind) in enumerate((("aten::mm", "Linear"), ("aten::softmax", "Softmax"))):
                t.add("python_function", "nn.Module: %s_%d" % (kind, b), 1, host + 40 * i + 1, 35)
                t.add("cpu_op", op, 1, host + 40 * i + 2, 30, {"Input Dims": [[512, 512], [512, 512]], "Input type": ["float", "float"]})
                us = 250 * each * (one if b == 5 and alone in (None, op) else 1)
                device = max(device, host + 40 * i + 10) + (idle if i else 0)
                t.launch(host + 40 * i + 5, op[6:], device, us)
                device += us
        t.add("cpu_op", "Optimizer.step#SGD.step", 1, at + 1000, 50)
        device = max(device, at + 1030)
        t.launch(at + 1020, "sgd", device, 3000)
        device += 3000
        host = device
        for c in range(2 + breaks):
            t.add("user_annotation", "## Call CompiledFxGraph %s ##" % (last if c == 1 else "f%d" % c), 1, host, 100)
            t.launch(host + 20, "triton_poi_%d" % c, host + 40, 60)
            host += 700 if breaks and c else 100  # calls one after the other, but for breaks
        at = host + 100
        if not alone:
            t.step(k, begin, at - begin)
    return t.document()


def compared(out):
    rows = list(csv.DictReader(open(out + "/compare_csvs/compare_layers.csv")))
    return json.load(open(out + "/comparison_data.json")), rows, open(out + "/index.html").read()


def verdict_of(doc):
    return " ".join(doc["verdict"]) + " " + doc["action"]


def pair_one_layer(out):
    doc, rows, page = compared(out)
    at = {r["place"]: r for r in rows}
    assert len(rows) == 9 and rows[0]["place"] == "" and at["6"]["reference"] == "Block_5", rows
    near(at[""]["call_ms_reference"], 0.5, "mean of a layer")
    near(at["6"]["call_ms_candidate"], 2.5, "the slow one")
    near(at["6"]["diff_pct_of_reference"], 400, "its change")
    assert float(at["5"]["diff_pct_of_reference"]) == 0, at["5"]
    assert doc["layers"][6]["call_tgt_ms"] == 2.5 and doc["layers"][6]["place"] == 6, doc["layers"]
    says = verdict_of(doc)
    assert "layer 6 of 8 (`Block_5`) takes 400.0% longer, 2.000 ms a step more, and the other 7 take as long as before" in says, says
    assert "what `Block_5` of" in says, says
    assert page.count("Block_5</code></th><td class=\"n\">6 of 8</td>") == 1 and "Block_4</code>" not in page and "<td class=\"n\">400.0</td>" in page
    notes = open(out + "/comparative_analysis_rough.md").read()
    assert "| `Block`, mean | 8 | 0.500 ms | 0.750 ms | 50.0% |" in notes and "| 0.500 ms | 2.500 ms | 400.0% |" in notes, notes[-2000:]


def pair_one_operator(out):
    says = verdict_of(compared(out)[0])
    assert "layer 6 of 8 (`Block_5`) takes 250.0% longer, 7.500 ms more, and the other 7 take as long as before; " \
        "most of it is `aten::softmax` in `Softmax`" in says, says


def pair_all_layers(out):
    doc, rows, page = compared(out)
    near(rows[0]["diff_pct_of_reference"], 30, "mean")
    says = verdict_of(doc)
    assert "in all 8 layers of `Block` alike (30.0% longer)" in says and "layer 6" not in says, says


def pair_renamed(out):
    doc, rows, page = compared(out)
    assert rows[0]["class_reference"] == "Block" and rows[0]["class_candidate"] == "Layer" and len(rows) == 9, rows
    near(rows[6]["diff_pct_of_reference"], 400, "the slow one, by its place")
    assert re.search(r"Layer</code>, mean; <code[^>]*>Block</code> in blocks", page)


def pair_breaks(out):
    doc, rows, page = compared(out)
    found = {m["name"]: m for m in doc["measured"]}
    # the second call of the two follows at once; each break is 600 us
    assert (found["compiled_breaks"]["reference"], found["compiled_breaks"]["candidate"]) == (0, 3), found
    near(found["compiled_break_ms"]["candidate"], 1.8, "time in breaks")
    says = verdict_of(doc)
    assert "the host leaves compiled code 3 times a step (0 in " in says and "for 1.800 ms" in says, says
    assert "find what breaks the compiled graph" in says, says
    assert "Breaks between compiled calls, a step" in page and "layer 6" not in says and " alike" not in says, says
    assert all(float(r["diff_pct_of_reference"]) == 0 for r in rows), rows
    code = compiled(out)
    assert list(code) == [("f0", "f0"), ("f1", "f1"), ("", "f2"), ("", "f3"), ("", "f4")], code
    assert code["", "f3"]["calls_reference"] == "0" and code["", "f3"]["break_ms_reference"] == "", code
    near(code["", "f3"]["break_ms_candidate"], 0.6, "the break before a call")
    near(code["f1", "f1"]["break_ms_reference"], 0, "no break")
    near(code["f1", "f1"]["device_ms_candidate"], 0.06, "device time of a call")
    assert ">f3</code>, only in breaks</th><td class=\"n\">0 / 6</td>" in page, page[page.index("t-compiled"):][:3000]


def compiled(out):
    return {(r["reference"], r["candidate"]): r for r in csv.DictReader(open(out + "/compare_csvs/compare_compiled.csv"))}


def pair_recoded(out):
    """A graph whose code has another key, the only one left."""
    assert list(compiled(out)) == [("f0", "f0"), ("f1", "g9")], compiled(out)


def pair_recompiled(out):
    """A frame of three versions, and then of one; 50 us between its graphs, and then none."""
    code = compiled(out)
    region, last = code["0", "0"], code["f1", "f1"]
    assert (region["kind"], region["versions_reference"], region["versions_candidate"], region["kernels_candidate"]) == ("region", "3", "1", "2.0"), region
    near(last["break_ms_reference"], 0.05, "break before")
    near(last["break_ms_candidate"], 0, "break after")
    doc, rows, page = compared(out)
    assert doc["compiled"][0]["device_ref_ms"] == 0.3 and doc["compiled"][0]["versions_ref"] == 3, doc["compiled"]
    assert '<td class="n">3 / 1</td>' in page and "| region `0` | 4 / 4 |" in open(out + "/comparative_analysis_rough.md").read()


def pair_idle_inside(out):
    doc, rows, page = compared(out)
    assert rows[0]["idle_ms_reference"] == "" and doc["layers"][0]["idle_ref_ms"] is None, rows[0]
    near(rows[6]["idle_ms_candidate"], 0.1, "idle in a layer")
    near(doc["layers"][0]["idle_tgt_ms"], 0.1, "idle in a layer, mean")
    assert "Idle a call, ms" in page


def pair_same(out):
    doc, rows, page = compared(out)
    says = verdict_of(doc)
    assert "layer" not in says and "compiled" not in says and "nothing" in says.lower(), says
    assert len(rows) == 9 and "6 of 8" not in page, rows


def pair_unknown(out):
    """A capture of a version before layers were kept."""
    doc, rows, page = compared(out)
    names = [m["name"] for m in doc["measured"]]
    assert not rows and not doc["layers"] and 't-layers' not in page, rows
    assert not any(n.startswith(("compiled", "recompiled", "layer")) for n in names), names


# 5. What communication does to the kernels beside it

def beside():
    """Per step, an all-reduce of 40 MB in 500 us: three products beside it take 130 us, three after
    it 100, and one kernel that is half beside it counts for neither."""
    t = Trace()
    for k in range(4):
        at = 2000 * k
        t.step(k, at, 2000)
        t.launch(at + 10, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", at + 100, 500, 20, **{
            "Collective name": "allreduce", "Process Group Name": "0", "Process Group Ranks": "[0, 1, 2, 3]", "Group size": 4,
            "In split size": "[]", "Out split size": "[]", "dtype": "Float", "In msg nelems": 10000000, "Out msg nelems": 10000000})
        for i in range(3):
            for start, dur in ((110 + 140 * i, 130), (900 + 110 * i, 100)):
                t.add("cpu_op", "aten::mm", 1, at + 20 + start // 40, 0.5)
                t.launch(at + 20.1 + start // 40, "gemm", at + start, dur, grid=[80, 1, 1], block=[128, 1, 1])
        t.launch(at + 60, "gemm", at + 550, 100, grid=[80, 1, 1], block=[128, 1, 1])
    return t.document()


def comm_slows(out, r):
    c = r["collective_sizes"]
    assert c["kernels_beside"] == 12, c
    near(c["slowed_pct"], 30, "what communication costs the kernels beside it")
    near(c["lost_ms"], 12 * 0.03, "in all")
    page = open(out + "/system.html").read()
    assert "Kernels that run beside communication take 30.0% more than the same kernels alone" in page


# 6. Counters: 500 W over steps of 10 ms

def powered():
    t = Trace()
    for k in range(5):
        t.step(k, 10000 * k, 10000)
        t.add("cpu_op", "aten::mm", 1, 10000 * k + 10, 50)
        t.launch(10000 * k + 20, "gemm", 10000 * k + 100, 9000)
    for k in range(501):
        t.events.append(dict(ph="C", name="GPU Power (W)", pid=0, ts=100 * k, args={"value": 500}))
    return t.document()


def energy(out, r):
    near(r["counters"]["step_j"], 5, "energy of a step, J")
    near(r["counters"]["energy_j"], 25, "of the window of five steps")
    assert all(abs(float(x["energy_j"]) - 5) < 0.1 for x in table(out, "counter_means") if x["part"] == "step" and x["name"] not in "04")
    assert "A step takes 5.00" in open(out + "/counters.html").read().replace("&nbsp;", " ")


# 7. The critical path: the edges that its rules give

def path(waits):
    """A kernel of 1 ms, the host waits for it and then launches one of 500 us; or it launches
    that at once on a stream of its own, where it is off the path. 100 us of Python begin."""
    t = Trace()
    t.add("python_function", "main.py(1): main", 1, 0, 3000)
    t.add("cpu_op", "aten::first", 1, 90, 40)
    t.launch(100, "long", 110, 1000)
    if waits:
        t.add("cuda_runtime", "cudaDeviceSynchronize", 1, 140, 980)
        t.add("cpu_op", "aten::second", 1, 1300, 40)
        t.launch(1310, "short", 1320, 500)
    else:
        t.add("cpu_op", "aten::second", 1, 140, 40)
        t.launch(150, "short", 160, 500, stream=8)
    return t.document()


def path_of_events(synchronizes):
    """The edges of HTA's tests: a kernel of a stream waits for an event that another stream
    records behind a longer kernel; or the host waits for the event and then launches."""
    t = Trace()
    t.add("cpu_op", "aten::first", 1, 90, 40)
    t.launch(100, "long", 110, 1000, stream=20)
    t.add("cuda_runtime", "cudaEventRecord", 1, 140, 5)
    if synchronizes:
        t.add("cuda_runtime", "cudaEventSynchronize", 1, 150, 965)
        t.launch(1200, "behind", 1210, 500)
    else:
        t.add("cuda_runtime", "cudaStreamWaitEvent", 1, 150, 5)
        t.launch(160, "behind", 1112, 500)
    return t.document()


def path_event(out, r):
    rows = on_path(out)
    near(rows["long"], 1, "the kernel before the event")
    near(rows["behind"], 0.5, "the one that waits for it")
    near(r["critical_path"]["kernel_ms"], 1.5, "kernels")


def path_event_host(out, r):
    path_event(out, r)
    page = open(out + "/system.html").read()
    assert page.count("<td>no wait here, or less host work before it</td>") == 1 and "<td>a faster kernel, or less work for it</td>" in page


def on_path(out):
    return {x["name"]: float(x["time_ms"]) for x in table(out, "critical_path")}


def path_waits(out, r):
    rows = on_path(out)
    near(rows["long"], 1, "the kernel that the host waits for")
    near(rows["short"], 0.5, "the one behind")
    near(r["critical_path"]["kernel_ms"], 1.5, "kernels")
    # from the end of the wait to the launch, 180 us, and the time to it
    assert 0.18 <= r["critical_path"]["host_ms"] <= 0.31, r["critical_path"]


def path_beside(out, r):
    rows = on_path(out)
    near(rows["long"], 1, "the longest kernel")
    assert "short" not in rows, rows
    near(r["critical_path"]["kernel_ms"], 1, "kernels")


CASES = dict(few_blocks=lambda: blocks(66), enough_blocks=lambda: blocks(132), memory_peak=lambda: memory(False),
             memory_freed_before=lambda: memory(True), mfu=lambda: product(20), mfu_lower_bound=lambda: product(300),
             captured=captured, graph_layers=replayed, graph_alone=replayed,
             blocks=blocks_of, one_layer=lambda: blocks_of(one=5), all_layers=lambda: blocks_of(each=1.3),
             no_steps=lambda: blocks_of(alone="none"),
             one_operator=lambda: blocks_of(one=6, alone="aten::softmax"), renamed=lambda: blocks_of("Layer", one=5), breaks=lambda: blocks_of(breaks=3),
             recoded=lambda: blocks_of(last="g9"), idle_inside=lambda: blocks_of(idle=100),
             fill_amd=blocks_of_amd, memory_kinds=lambda: training(37), memory_full=lambda: training(76),
             memory_fragmented=lambda: training(48), memory_old=old_memory, memory_room=roomy, hfu=computed_again, comm_slows=beside,
             energy=powered, path_event=lambda: path_of_events(False), path_event_host=lambda: path_of_events(True),
             path_waits=lambda: path(True), path_beside=lambda: path(False))


def near(value, planted, what):
    if value in (None, "") or abs(float(value) - planted) > 0.005 * abs(planted):
        sys.exit("%s: %s, planted %s" % (what, value, planted))


def table(out, name):
    return list(csv.DictReader(open("%s/own_tables/%s.csv" % (out, name))))


def titles(r):
    return [f["title"] for f in r["findings"]]


def found(r, words):
    return any(words in str(f) for f in r["findings"])


if sys.argv[1] == "make":
    for name, make in CASES.items():
        with open("%s/%s.json" % (sys.argv[2], name), "w") as to:
            json.dump(make(), to)
elif sys.argv[1] == "pair":
    globals()["pair_" + sys.argv[2]](sys.argv[3])
else:
    globals()[sys.argv[2]](sys.argv[3], json.load(open(sys.argv[3] + "/report.json")))
