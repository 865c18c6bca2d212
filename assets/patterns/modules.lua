-- modules.lua - modules that run more often than their results need. The program finds them by
-- their frames.

pattern {
  id = "repeated_passes",
  category = "multi_kernel",
  scope = "advice",
  about = "modules",
  summary = "a model runs several times in a row on the same kernels with nothing between, which are too short to fill the device, or it waits for the host",
  when = function(it) return it.passes >= 2 and (it.idle_pct >= 20 or it.kernel_us < 20) end,
  title = "Run the {passes} passes of {module} as one batch",
  issue = "{module} runs {passes} times in a row on the same kernels, and nothing reads a result between: {calls} calls.",
  path_a = "Join the inputs of these passes along the batch (`torch.cat`, as for both halves of classifier-free guidance), run {module}"
    .. " once, and split its result (`chunk`): half as many launches of kernels that have room for more. Where the second half is known"
    .. " beforehand, keep it.",
}

pattern {
  id = "frozen_modules",
  category = "multi_kernel",
  scope = "advice",
  about = "modules",
  summary = "modules without a backward pass take 5% of a training run or more",
  when = function(it) return it.frozen_ms > 0 and it.share_pct >= 5 and it.calls >= 2 end,
  unless = function(it, trace) return trace.training ~= 1 or it.fp64_ms >= 0.5 * it.frozen_ms end,
  counter = "the trace is not of training, or most of their time is fp64",
  title = "Precompute what the frozen {modules} gives",
  issue = "No gradient goes through {modules}: the forward pass takes {frozen_ms} ms ({share_pct}% of the time) in {calls} calls.",
  path_a = "Where its weights do not change, run it once over the data before training and store the results (latents, embeddings), if inputs"
    .. " recur from epoch to epoch. Otherwise run it under `torch.no_grad` in 16 bits, compiled, or for the next batch on another stream.",
}
