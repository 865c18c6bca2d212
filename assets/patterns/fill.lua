-- fill.lua - kernels that launch fewer blocks than the device has SMs or compute units. The program
-- measures that without communication kernels, which take few blocks on purpose.

pattern {
  id = "underfilled_device",
  category = "multi_kernel",
  scope = "advice",
  about = "fill",
  informational = true,
  summary = "kernels leave a quarter of the device's SMs or compute units without a block, or more",
  when = function(it) return it.empty_pct >= 25 and it.known_pct >= 60 end,
  title = "Give the GPU more work at once: kernels leave {empty_pct}% of its {units} empty",
  issue = function(_, it)
    local apart = it.communicates == 1 and " without communication" or ""
    local longest = it.kernel ~= "" and " The longest of them is {kernel} with {kernel_ms} ms." or ""
    return "While kernels run, {empty_pct}% of the {units} have no block on average: {few_pct}% of kernel time" .. apart
      .. " has fewer blocks than the GPU has {units} ({n_units})." .. longest
  end,
  path_a = function(_, it, trace)
    return (trace.training == 1 and "Use a larger batch or longer sequences" or "Serve more requests in a batch")
      .. (it.memory_free_pct >= 50 and " ({memory_free_pct}% of device memory is never reserved)" or "")
      .. ", run independent work on a second stream, or combine small operations into fewer and larger kernels."
  end,
}
