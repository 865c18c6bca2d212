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

pattern {
  id = "optimizer_loop",
  category = "multi_kernel",
  scope = "advice",
  about = "optimizer",
  summary = "the optimizer launches 100 kernels a step or more, parameter by parameter, for 3% of the run or more",
  when = function(it) return it.per_step >= 100 and it.share_pct >= 3 and 2 * it.loop_calls >= it.loop_kernels and it.sparse_calls == 0 end,
  title = "Use a fused form of {optimizer_name}: each step launches {per_step} kernels",
  issue = "{optimizer_name} updates its parameters one by one: {loop_kernels} kernels take {loop_ms} ms ({share_pct}% of the run),"
    .. " each over one tensor for one operation of the formula.",
  path_a = function(_, it)
    local fused = it.optimizer_name:find("^Adam") or it.optimizer_name == "SGD" or it.optimizer_name == "Adagrad"
    return (fused and "Pass `fused=True` to `torch.optim.{optimizer_name}`" or "Take a fused {optimizer_name}, as the extension libraries have it")
      .. ", which updates all parameters in a few launches and reads each once; `torch._foreach_*` over the list of parameters"
      .. " where there is none."
  end,
}

-- What a compiler runs to choose among its kernels computes nothing for the model.
pattern {
  id = "autotune_in_step",
  category = "multi_kernel",
  scope = "advice",
  about = "autotune",
  summary = "a compiler's autotuner benchmarks kernels for 2% of the run or more",
  when = function(it) return it.share_pct >= 2 end,
  title = function(_, it)
    return it.recurs == 1 and "Keep the autotuner out of the step: it benchmarks kernels again"
      or "Record after warm-up: an autotuner benchmarks kernels"
  end,
  issue = "An autotuner runs {runs} kernels to compare configurations: {runs_ms} ms ({share_pct}% of the run), of which the model uses"
    .. " nothing.",
  path_a = function(_, it)
    if it.recurs ~= 1 then return "Record after a warm-up with the same shapes: the choice is made once for each." end
    return "It tunes again where an argument in its `key` changes (a sequence length): leave that out of the key, round it up to"
      .. " a few sizes, or fix one configuration; `TRITON_CACHE_AUTOTUNING=1` keeps the choice between runs."
  end,
}
