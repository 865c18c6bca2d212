-- fusion.lua - kernels that one kernel might replace. The program finds candidates in the call
-- tree, and counts what each of their kernels reads and writes.

pattern {
  id = "fuse_around_products",
  category = "kernel_fusion",
  scope = "advice",
  about = "fusion",
  summary = "small kernels around products, which stay as they are",
  counter = "the region is compiled already",
  when = function(it) return it.around == 1 end,
  unless = function(it) return it.compiled == 1 end,
  path_a = "Fuse {ops} of {place} into one kernel or into the preceding product:"
    .. " compiler-level fusion, or a custom fused kernel.",
  path_b = "Provide a product with this epilogue; the intermediate tensors then stay on chip.",
}

pattern {
  id = "fuse_chain",
  category = "kernel_fusion",
  scope = "advice",
  about = "fusion",
  summary = "consecutive kernels that one could replace",
  counter = "the region is compiled already",
  when = function(it) return it.around == 0 end,
  unless = function(it) return it.compiled == 1 end,
  path_a = "Run {place} as one kernel: compiler-level fusion, or a fused implementation.",
  path_b = "Write the fused kernel: its intermediate tensors stay on chip.",
}
