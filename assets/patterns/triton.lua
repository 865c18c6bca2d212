-- triton.lua - kernels that a compiler generated.

pattern {
  id = "triton_low_efficiency",
  category = "triton",
  summary = "below 30% of peak and long enough to matter",
  when = function(row) return row.efficiency < 30 and row.time_criterion == 1 end,
  title = "Compare {op} with the library's version",
  issue = "The generated {triton_class} kernel {op} reaches {efficiency}% of peak.",
  path_a = "Time the library version of its dominant operation, and keep the generated kernel only if it is faster.",
  path_b = "Profile the generated kernel: its tile size or persistent variant may not suit {shape}.",
}

pattern {
  id = "triton_compute_bound",
  category = "triton",
  summary = "a bottleneck of high intensity",
  when = function(row) return row.ai > 100 and row.efficiency < 60 and row.bottleneck == 1 end,
  title = "Let the compiler tune {op} (max-autotune)",
  issue = "The generated kernel {op} reaches {efficiency}% of peak at {ai} FLOP/byte.",
  path_b = "Let the compiler measure more tile sizes for {shape} (`max-autotune`), and replay this one.",
}

pattern {
  id = "triton_memory_bound",
  category = "triton",
  summary = "a bottleneck of low intensity",
  when = function(row) return row.ai < 50 and row.efficiency < 60 and row.bottleneck == 1 end,
  title = "Let the compiler tune {op} (max-autotune)",
  issue = "The generated kernel {op} reaches {tbs} of {peak_tbs} TB/s.",
  path_b = "Let the compiler measure more variants for {shape} (`max-autotune`), and replay this one.",
}

pattern {
  id = "many_small_fused_kernels",
  category = "triton",
  scope = "category",
  summary = "many narrow generated kernels",
  when = function(category)
    local c = category
    if not (c.distinct_kernels >= 20 and c.count >= 500 and c.weighted_mean_us < 10
      and c.pc >= 2) then
      return false
    end
    local rows = {}
    for _, row in ipairs(c.rows) do
      if row.mean_us < 10 then table.insert(rows, row) end
    end
    return {rows = rows, kernels = c.distinct_kernels, launches = c.count,
      mean_us = c.weighted_mean_us}
  end,
  title = "Remove the graph breaks that leave {kernels} small generated kernels",
  issue = "{kernels} generated kernels are launched {launches} times, {mean_us} µs each on average.",
  path_a = "Find graph breaks (`TORCH_LOGS=graph_breaks`) and limits on fusion: they leave many small kernels.",
}
