"""Traces of a training job with one planted fault, for job_accuracy.py.

Each rank has a list of instructions: work of the host, kernels, collectives, waits for
them. They are played through on all ranks together: a collective moves data once all its
ranks have come, in the order of its stream. What a fault costs is the length of the run
less that of the same job, with the same noise, without it.

  data       every rank has the whole model and sums gradients in five buckets
  tensor     the same, and pairs of ranks share each layer
  sharded    each rank has a part of each layer (FSDP): the next one is gathered beside each
  pipeline   four stages, eight parts of a batch, one forward one backward
"""
import gzip
import json
import math
import os
import random

SUM = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
GATHER = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
SCATTER = "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
SEND = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
GEMM = "ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn"
ADAM = "multi_tensor_apply_kernel<TensorListMetadata<4>, FusedAdamMathFunctor<float>>"
FORWARD = [("aten::native_layer_norm", "vectorized_layer_norm_kernel<c10::BFloat16, float>", 50),
           ("aten::addmm", GEMM, 280), ("aten::gelu", "vectorized_elementwise_kernel<4, GeluCUDAKernelImpl>", 55)]
BACKWARD = [("aten::mm", GEMM, 270), ("aten::mm", GEMM, 270),
            ("aten::add_", "vectorized_elementwise_kernel<4, CUDAFunctor_add<c10::BFloat16>>", 110)]
STAGES, PARTS = 4, 8


class Fault:
    """What is other than usual: factors, or us more. Each may be overridden."""
    def kernel(self, rank, step, phase): return 1
    def host(self, rank, step): return 1
    def stall(self, rank, step, where): return 0
    def link(self, ranks): return 1
    def moves(self, group, ranks, us): return us * self.link(ranks)


class Rank:
    def __init__(self, number, seed, noise, fault):
        self.number, self.noise, self.fault = number, noise, fault
        self.random = random.Random(seed * 100003 + number)
        self.host, self.gpu, self.streams = self.random.uniform(0, 300), 0.0, {}
        self.events, self.sums, self.at, self.id, self.step, self.calls = [], [], 0, 0, 0, {}

    def scatter(self, frac):
        longer = self.random.random() < self.noise.get("tail", 0)
        return math.exp(self.random.gauss(0, frac)) * (1 + self.random.expovariate(1 / 3) if longer else 1)

    def host_us(self, us):
        return us * self.scatter(self.noise["host"]) * self.fault.host(self.number, self.step)

    def event(self, cat, name, start, us, gpu_stream=None, **args):
        self.id += 1
        self.events.append((cat, name, start, us, gpu_stream, {"External id": self.id, **args}))
        return self.id

    def annotate(self, name, start):
        self.event("user_annotation", name, start, self.host - start)

    def launch(self, op, host_us, cat="cudaLaunchKernel", args={}):
        us, start = self.host_us(host_us), self.host
        self.event("cpu_op", op, start, us - 1, **args)
        link = self.id
        self.event("cuda_runtime", cat, start + us * 0.4, us * 0.4, correlation=link)
        self.host += us
        return link, start + us * 0.8 + 3

    def kernel(self, op, name, us, host_us, phase):
        link, launched = self.launch(op, host_us)
        us *= self.scatter(self.noise["kernel"]) * self.fault.kernel(self.number, self.step, phase)
        start = max(launched, self.gpu + 1)
        self.gpu = start + us
        self.event("kernel", name, start, us, 7, correlation=link, grid=[216, 1, 1], block=[256, 1, 1])


class Collective:
    def __init__(self, ranks):
        self.ranks, self.arrived, self.end = ranks, {}, None


def data_or_tensor(rank, n, steps, tensor):
    mine = [rank // 2 * 2, rank // 2 * 2 + 1]
    peers = list(range(rank % 2, n, 2)) if tensor else list(range(n))
    share = [("sum", f"tensor{mine[0]}", mine, 8000000, 170), ("wait",)] if tensor else []
    host = 70 if tensor else 120
    for step in range(steps):
        yield "begin", step
        yield "load",
        yield "stall", "forward"
        for _ in range(10):
            yield from (("kernel", *k, host, "forward") for k in FORWARD)
            yield from share
        for bucket in range(5):
            for _ in range(2):
                yield from (("kernel", *k, 0.6 * host, "backward") for k in BACKWARD)
                yield from share
            yield "sum", f"data{peers[0]}" if tensor else "data", peers, 12500000, 700, 24
        yield "wait",
        yield from (("kernel", "aten::_fused_adamw_", ADAM, 90, 60, "optimizer") for _ in range(6))
        yield "end", step


def sharded(n, steps):
    peers, layers = list(range(n)), 10
    gather = "gather", "data", peers, 12500000, 350, 20
    for step in range(steps):
        yield "begin", step
        yield "load",
        yield "stall", "forward"
        for phase, host, kernels in (("forward", 90, FORWARD), ("backward", 70, BACKWARD)):
            backward = phase == "backward"
            yield gather
            for layer in range(layers):
                if layer < layers - 1:
                    yield gather
                yield "wait", (layer < layers - 1) + (backward and layer > 0)
                yield from (("kernel", *k, host, phase) for k in kernels)
                if backward:
                    yield "scatter", "data", peers, 12500000, 400, 24
        yield "wait",
        yield from (("kernel", "aten::_fused_adamw_", ADAM, 90, 60, "optimizer") for _ in range(6))
        yield "end", step


def pipeline(rank, n, steps):
    wide = n // STAGES
    stage, peers = rank // wide, [rank // wide * wide + i for i in range(wide)]
    def move(kind, other, way):
        pair = [min(rank, other), max(rank, other)]
        yield kind, f"pipe{pair[0]}{way}", pair, 4000000, 120, {"forward": 20, "backward": 22}[way] + (kind == "receive")
    def forward():
        if stage:
            yield from move("receive", rank - wide, "forward")
            yield "wait",
        for _ in range(3):
            yield from (("kernel", *k, 55, "forward") for k in FORWARD)
        if stage < STAGES - 1:
            yield from move("send", rank + wide, "forward")
    def backward():
        if stage < STAGES - 1:
            yield from move("receive", rank + wide, "backward")
            yield "wait",
        for _ in range(3):
            yield from (("kernel", *k, 55, "backward") for k in BACKWARD)
        if stage:
            yield from move("send", rank - wide, "backward")
    ahead = min(PARTS, STAGES - 1 - stage)
    for step in range(steps):
        yield "begin", step
        yield "load",
        for _ in range(ahead):
            yield from forward()
        for _ in range(PARTS - ahead):
            yield from forward()
            yield from backward()
        for _ in range(ahead):
            yield from backward()
        yield "sum", f"stage{stage}", peers, 12500000, 700, 30
        yield "wait",
        yield from (("kernel", "aten::_fused_adamw_", ADAM, 90, 60, "optimizer") for _ in range(6))
        yield "end", step


def communicate(r, collectives, seed, kind, group, ranks, elements, us, stream=20):
    """False: what is before it on its stream has not ended."""
    before = r.streams.get(stream)
    if before and before.end is None:
        return False
    number = r.calls[group] = r.calls.get(group, -1) + 1
    name, kernel = {"sum": ("allreduce", SUM), "gather": ("_allgather_base", GATHER), "send": ("send", SEND),
                    "scatter": ("_reduce_scatter_base", SCATTER), "receive": ("recv", SEND)}[kind]
    what = {"d": "dp", "s": "dp", "t": "tp", "p": "pp"}[group[0]]
    args = {"Process Group Description": what, "Collective name": name, "In msg nelems": elements, "Out msg nelems": elements, "Group size": len(ranks),
            "dtype": "BFloat16", "Process Group Name": group, "Process Group Ranks": str(ranks), "Seq": number + 1}
    if kind in ("send", "receive"):
        other = sum(ranks) - r.number
        args.update({"Src Rank": r.number if kind == "send" else other, "Dst Rank": other if kind == "send" else r.number})
    link, launched = r.launch("record_param_comms", 60, "cudaLaunchKernelExC", args)
    ready = max(launched, r.gpu + 2, before.end + 2 if before else 0)
    c = collectives.setdefault((group, number), Collective(ranks))
    c.arrived[r.number] = ready
    if len(c.arrived) == len(ranks):
        noise = random.Random(f"{seed} {group} {number}").gauss(0, r.noise.get("link", 0.03))
        c.end = max(c.arrived.values()) + r.fault.moves(group, ranks, us * math.exp(noise))
    r.streams[stream] = c
    r.sums.append((c, kernel, ready, stream, link, args))
    return True


def do(r, what, *args):
    if what == "kernel":
        r.kernel(*args)
    elif what == "wait": # for all, or for the one that was called so many calls ago
        of = [r.sums[-1 - args[0]][0]] if args else r.streams.values()
        if any(c.end is None for c in of):
            return False
        r.gpu = max([r.gpu] + [c.end + 1 for c in of])
    elif what == "begin":
        r.step, r.began = args[0], r.host
    elif what == "load":
        start = r.host
        r.host += r.host_us(300) + r.fault.stall(r.number, r.step, "load")
        r.annotate("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", start)
    elif what == "stall":
        r.host += r.fault.stall(r.number, r.step, args[0])
    elif what == "end":
        end = max(r.host, r.gpu) + 6
        r.event("cuda_runtime", "cudaDeviceSynchronize", r.host, end - r.host, correlation=r.id + 1)
        r.host = end
        us = r.fault.stall(r.number, r.step, "save")
        if us:
            link, launched = r.launch("aten::copy_", 10, "cudaMemcpyAsync")
            r.gpu = max(launched, r.gpu + 1) + us
            r.event("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", r.gpu - us, us, 7, correlation=link,
                    bytes=round(us * 3000))
            r.host = r.gpu + 5
        r.annotate(f"ProfilerStep#{args[0] + 2}", r.began)
        r.host += 5
    return True


def play(kind, n, steps, seed, noise, fault):
    """Ranks with their events; the run lasts until the last of them ends."""
    ranks = [Rank(i, seed, noise, fault) for i in range(n)]
    todo = [list(pipeline(i, n, steps) if kind == "pipeline" else sharded(n, steps) if kind == "sharded" else
                 data_or_tensor(i, n, steps, kind == "tensor")) for i in range(n)]
    collectives, moved = {}, True
    while moved:
        moved = False
        for r in ranks:
            while r.at < len(todo[r.number]):
                what, *args = todo[r.number][r.at]
                if what in ("sum", "gather", "scatter", "send", "receive"):
                    went = communicate(r, collectives, seed, what, *args)
                else:
                    went = do(r, what, *args)
                if not went:
                    break
                r.at += 1
                moved = True
    assert all(r.at == len(todo[r.number]) for r in ranks), "ranks wait for each other"
    return ranks


def run_us(ranks):
    return max(max(r.host, r.gpu) for r in ranks)


def write(ranks, folder, seed, per_node=8, left_out=(), late={}):
    """late: the first step that is recorded of a rank."""
    os.makedirs(folder)
    skew = random.Random(seed)
    ahead = [skew.uniform(-40000, 40000) for _ in range(len(ranks) // per_node + 1)]
    for r in ranks:
        node, us = r.number // per_node, ahead[r.number // per_node] + skew.uniform(-400, 400)
        events = r.events + [("kernel", name, start, c.end + skew.uniform(0, 2) - start, stream,
                              {"correlation": link, "grid": [24, 1, 1], "block": [544, 1, 1], **args})
                             for c, name, start, stream, link, args in r.sums]
        if r.number in left_out:
            continue
        first = next(e[2] for e in events if e[1] == f"ProfilerStep#{late.get(r.number, 0) + 2}")
        launched = {e[5].get("correlation") for e in events if e[0] == "cuda_runtime" and e[2] >= first}
        kept = [e for e in events if e[2] >= first and (e[4] is None or e[5]["correlation"] in launched)]
        rows = [{"ph": "X", "cat": cat, "name": name, "pid": 4000 + r.number if stream is None else r.number % per_node,
                 "tid": 4000 + r.number if stream is None else stream, "ts": round(1e9 + us + start, 3),
                 "dur": round(dur, 3), "args": args if stream is None else {"device": r.number % per_node,
                                                                            "stream": stream, **args}}
                for cat, name, start, dur, stream, args in sorted(kept, key=lambda e: e[2])]
        devices = [{"id": i, "name": "NVIDIA H100 80GB HBM3", "numSms": 132, "totalGlobalMem": 85899345920,
                    "computeMajor": 9, "computeMinor": 0} for i in range(per_node)]
        trace = {"schemaVersion": 1, "deviceProperties": devices, "traceEvents": rows,
                 "distributedInfo": {"backend": "nccl", "rank": r.number, "world_size": len(ranks)}}
        with open(f"{folder}/node{node:02}_{r.number}.pt.trace.json.gz", "wb") as f:
            f.write(gzip.compress(json.dumps(trace).encode(), 1, mtime=0))
