-- gradients.lua - what sets gradients to zero. The program measures the kernels that zero_grad launches.

pattern {
  id = "zeroed_gradients",
  category = "multi_kernel",
  scope = "advice",
  about = "gradients",
  summary = "kernels that set gradients to zero take 1% of the run or more",
  when = function(it) return it.zeros > 0 and it.share_pct >= 1 end,
  title = "Set gradients to None instead of zeroing them",
  issue = "{zeros} kernels of `zero_grad` write zeros into gradients: {zeros_ms} ms ({share_pct}% of the run).",
  path_a = "Call `zero_grad(set_to_none=True)`, the default since PyTorch 2.0: nothing is written, and the first backward"
    .. " pass after it stores each gradient where it now adds to zeros.",
}
