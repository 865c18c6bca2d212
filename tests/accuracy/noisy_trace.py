"""Traces of a small transformer whose noise is known, for gate_accuracy.py.

Eight steps of four layers on one GPU, about 2.4 ms each (0.9 ms where the host decides).
noise names what differs between two captures of the same program:
  call     the time of each kernel by 3 %, each call by chance
  name     kernels of one name by 3 %, all calls of a capture alike
  clock    all kernels of a capture alike, by 2 %, and each call by 3 %
  host     kernels are short, and the host's pace differs by 5 %, each call by 15 %
plant says what the candidate does more of, in % of a step: "operator" (fc1 takes longer),
"waiting" (the loader), "clock" (all kernels).
"""
import gzip
import json
import random

LAYERS, STEPS = 4, 8
GEMM = "ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn"
NAMES = {
    "norm": ("aten::native_layer_norm", "vectorized_layer_norm_kernel<c10::BFloat16, float>", 30, [[2, 1024, 2048]]),
    "qkv": ("aten::addmm", GEMM, 110, [[6144], [2048, 2048], [2048, 6144]]),
    "softmax": ("aten::_softmax", "softmax_warp_forward<c10::BFloat16, 11>", 60, [[2, 16, 1024, 1024]]),
    "proj": ("aten::addmm", GEMM, 40, [[2048], [2048, 2048], [2048, 2048]]),
    "fc1": ("aten::addmm", GEMM, 130, [[8192], [2048, 2048], [2048, 8192]]),
    "gelu": ("aten::gelu", "vectorized_elementwise_kernel<4, GeluCUDAKernelImpl>", 40, [[2, 1024, 8192]]),
    "fc2": ("aten::addmm", GEMM, 130, [[2048], [2048, 8192], [8192, 2048]]),
    "add": ("aten::add", "vectorized_elementwise_kernel<4, CUDAFunctor_add<c10::BFloat16>>", 25, [[2, 1024, 2048]] * 2),
}
DEVICE_US = LAYERS * sum(us for _, _, us, _ in NAMES.values())


class Trace:
    def __init__(self, noise, seed, plant, pct):
        self.random, self.noise = random.Random(seed), noise
        self.events, self.host, self.gpu, self.id = [], 1000.0, 0.0, 0
        self.by_name = {n: self.random.gauss(1, 0.03) for _, n, _, _ in NAMES.values()}
        self.clock = self.random.gauss(1, 0.02) if noise == "clock" else 1
        self.pace = self.random.gauss(1, 0.05) if noise == "host" else 1
        self.scale, self.op_us = (0.08, 26) if noise == "host" else (1, 10)
        step_us = LAYERS * len(NAMES) * self.op_us if noise == "host" else DEVICE_US
        self.loader_us = 40 + (pct / 100 * step_us if plant == "waiting" else 0)
        fc1_us = LAYERS * NAMES["fc1"][2] * self.scale
        self.longer = 1 + pct / 100 * step_us / fc1_us if plant == "operator" else 1
        self.all_longer = 1 + pct / 100 if plant == "clock" else 1

    def event(self, cat, name, start, us, tid=1, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "ts": round(start, 3), "dur": round(us, 3),
                            "pid": 0 if cat == "kernel" else 1, "tid": tid, "args": args})

    def host_us(self, us):
        return us * self.pace * max(0.3, self.random.gauss(1, 0.15 if self.noise == "host" else 0.05))

    def kernel_us(self, what):
        _, name, us, _ = NAMES[what]
        us *= self.scale * self.clock * self.all_longer * (self.longer if what == "fc1" else 1)
        if self.noise == "name":
            return us * self.by_name[name]
        return us * max(0.5, self.random.gauss(1, 0.03))

    def operator(self, what):
        op, name, _, dims = NAMES[what]
        us, start = self.host_us(self.op_us), self.host
        self.id += 1
        link = {"correlation": self.id, "External id": self.id}
        self.event("cpu_op", op, start, us - 1, **{"External id": self.id, "Input Dims": dims,
                                                   "Input type": ["c10::BFloat16"] * len(dims)})
        self.event("cuda_runtime", "cudaLaunchKernel", start + us / 3, us / 3, **link)
        start = max(self.gpu + 1, start + us / 3 + 4)
        self.gpu = start + self.kernel_us(what)
        self.event("kernel", name, start, self.gpu - start, 7, device=0, stream=7, grid=[512, 1, 1],
                   block=[128, 1, 1], **link)
        self.host += us

    def step(self, number):
        start, wait = self.host, self.host_us(self.loader_us)
        self.event("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", start, wait)
        self.host += wait
        for _ in range(LAYERS):
            for what in NAMES:
                self.operator(what)
        self.id += 1
        end = max(self.host, self.gpu) + 5
        self.event("cuda_runtime", "cudaDeviceSynchronize", self.host, end - self.host, correlation=self.id)
        self.host = end + 2
        self.event("user_annotation", f"ProfilerStep#{number}", start, self.host - start)
        self.host += 3


def write(path, noise, seed, plant="", pct=0):
    t = Trace(noise, seed, plant, pct)
    for number in range(STEPS):
        t.step(number)
    device = {"id": 0, "name": "NVIDIA A100-SXM4-80GB", "numSms": 108, "totalGlobalMem": 85899345920,
              "computeMajor": 8, "computeMinor": 0}
    with open(path, "wb") as f:
        f.write(gzip.compress(json.dumps({"schemaVersion": 1, "record_shapes": 1, "deviceProperties": [device],
                                          "traceEvents": t.events}).encode(), 1, mtime=0))
