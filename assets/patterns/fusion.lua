-- fusion.lua - kernels that one kernel might replace. The program finds candidates in the call
-- tree, and counts what each of their kernels reads and writes.

pattern {
  id = "fuse_around_products",
  category = "kernel_fusion",
  scope = "advice",
  about = "fusion",
  summary = "small kernels around matmuls, which stay as they are",
  counter = "the region is compiled already",
  when = function(it) return it.around == 1 end,
  unless = function(it) return it.compiled == 1 end,
  path_a = "Fuse {ops} of {place} into one kernel or into the matmul before them, with a compiler"
    .. " or by hand.",
  path_b = "Use a GEMM with this epilogue: the intermediate tensors then stay on chip.",
}

pattern {
  id = "fuse_optimizer",
  category = "kernel_fusion",
  scope = "advice",
  about = "fusion",
  summary = "an optimizer that updates parameter by parameter, a kernel for each step of its formula",
  when = function(it) return it.known == "optimizer" end,
  path_a = "Use the fused form of this optimizer (`fused=True`), which updates all parameters in a few launches"
    .. " and reads them once; `foreach=True` where there is none.",
}

pattern {
  id = "fuse_loss",
  category = "kernel_fusion",
  scope = "advice",
  about = "fusion",
  summary = "log-softmax and the loss over a vocabulary as separate passes over the logits",
  when = function(it) return it.known == "loss" end,
  path_a = "Use a fused cross entropy that reads the logits in their own type and writes their gradient in one"
    .. " pass, block by block: the fp32 copies are then never written.",
  path_b = "Write that kernel: the maximum and sum of a row fit on chip.",
}

pattern {
  id = "fuse_chain",
  category = "kernel_fusion",
  scope = "advice",
  about = "fusion",
  summary = "consecutive kernels that a single one could replace",
  counter = "the region is compiled already",
  when = function(it) return it.around == 0 and it.known == "none" end,
  unless = function(it) return it.compiled == 1 end,
  path_a = "Run {place} as one kernel: let a compiler fuse it, or use a fused implementation.",
  path_b = "Write the fused kernel: its intermediate tensors stay on chip.",
}
