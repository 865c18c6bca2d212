-- general.lua - advice for a bottleneck of any category, when nothing more specific fits.

pattern {
  id = "lowering_difference",
  category = "any",
  bottleneck_only = true,
  summary = "the same operator is served far better by another kernel elsewhere",
  when = function(row) return row.lowering_kernel ~= "" and row.p >= 1 end,
  issue = "{shape} runs on another kernel than {lowering_shape}, which is far faster.",
  title = "Find out why {op} selects a slower kernel for one shape",
  path_b = "Find out why {shape} selects {kernel_short} ({efficiency}% of peak), although {lowering_kernel} reaches"
    .. " {lowering_pct}% with the same data type.",
}

pattern {
  id = "general_memory",
  category = "any",
  bottleneck_only = true,
  summary = "memory-bound",
  when = function(row) return row.bound == "memory" and known(row.efficiency) end,
  issue = "{op} reaches {tbs} of {peak_tbs} TB/s ({efficiency}%).",
  path_a = function(row)
    if row.compiled == 1 then
      return "The compiler did not fuse this operator: look for a graph break or an operator that it cannot fuse."
    end
    if row.mean_us < 10 then
      return "Make fewer calls: at {mean_us} µs each, a call is little more than a launch, and a faster kernel saves little."
    end
    if not row.name:find("^aten::") or row.name:find("fused_") then return nil end -- opaque to a compiler
    return "Fuse it with its neighbours so that the intermediate tensor is not written and read again; try"
      .. " `torch.compile` first."
  end,
  path_b = "{op} reaches {tbs} of {peak_tbs} TB/s: replay it and tune its memory access and launch configuration.",
}

pattern {
  id = "general_compute",
  category = "any",
  bottleneck_only = true,
  summary = "compute-bound",
  when = function(row) return row.bound == "compute" and known(row.efficiency) end,
  issue = "{op} reaches {tflops} of {peak_tflops} TFLOPS ({efficiency}%).",
  path_a = function(row)
    if row.mean_us < 10 then return "Give each launch more work: {count} launches take {mean_us} µs each on average." end
    if row.dtype == "fp32" or row.dtype == "fp64" then
      return "Use a lower precision where accuracy allows: the operands are {dtype}."
    end
  end,
  path_b = function(row)
    if row.efficiency > 70 then
      return "{op} reaches {tflops} of {peak_tflops} TFLOPS, the peak of its type: another kernel can gain little."
    end
    return "{op} reaches {tflops} of {peak_tflops} TFLOPS: replay it and compare kernel selection and tile size."
  end,
}

pattern {
  id = "general_unmodelled",
  category = "any",
  bottleneck_only = true,
  summary = "no performance model",
  when = function(row) return not known(row.efficiency) and not known(row.tflops) and not known(row.tbs) end,
  issue = "{op} takes {p}% of compute and has no performance model, so its efficiency is unknown.",
  path_a = "Supply a performance model of {op} (extension file) to see how far it is from the roofline, and check"
    .. " whether a fused library routine exists.",
  path_b = "Replay it under a kernel profiler to measure bandwidth and throughput.",
}
