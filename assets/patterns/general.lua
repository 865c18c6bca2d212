-- general.lua - advice for a bottleneck of any category, when nothing more special fits.

pattern {
  id = "lowering_difference",
  category = "any",
  bottleneck_only = true,
  summary = "the same operator is served far better by another kernel elsewhere",
  when = function(row) return row.lowering_kernel ~= "" and row.p >= 1 end,
  issue = "Shape {shape} is served by another kernel than {lowering_shape}, and far slower.",
  path_b = "The same operation with the same data type is served by different kernels"
    .. " ({kernel_short} at {efficiency}%, {lowering_kernel} at {lowering_pct}%)."
    .. " Check why the slower selection is made for {shape}.",
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
      return "The compiler left this step by itself: look for a graph break or an operator it does not fuse."
    end
    if row.mean_us < 10 then
      return "At {mean_us} us a call is little more than a launch: fewer calls help, faster ones do not."
    end
    if not row.name:find("^aten::") then return nil end -- opaque to a compiler
    return "Reduce traffic: fuse this step with its neighbours so the intermediate tensor is not"
      .. " written and re-read; compiler-level fusion (`torch.compile`) is the first thing to try."
  end,
  path_b = "{op} reaches {tbs} TB/s of {peak_tbs} TB/s. Replay package recommended so that the"
    .. " kernel team can tune its memory access and launch shape.",
}

pattern {
  id = "general_compute",
  category = "any",
  bottleneck_only = true,
  summary = "compute-bound",
  when = function(row) return row.bound == "compute" and known(row.efficiency) end,
  issue = "{op} reaches {tflops} of {peak_tflops} TFLOPS ({efficiency}%).",
  path_a = function(row)
    if row.mean_us < 10 then return "Give each launch more work: {count} launches take {mean_us} us each." end
    if row.dtype == "fp32" or row.dtype == "fp64" then
      return "Use a narrower data type where accuracy allows: the operands are {dtype}."
    end
  end,
  path_b = "{op} reaches {tflops} of {peak_tflops} TFLOPS. Replay package recommended so that the"
    .. " kernel team can revisit kernel selection and tile size.",
}

pattern {
  id = "general_unmodelled",
  category = "any",
  bottleneck_only = true,
  summary = "no performance model",
  when = function(row) return not known(row.efficiency) end,
  issue = "{op} takes {p}% of compute, and no performance model says what it should take.",
  path_a = "No performance model covers {op}; supply one (extension file) so that its headroom"
    .. " can be quantified, and check whether a fused library routine exists.",
  path_b = "Replay package recommended; achieved bandwidth and throughput must be measured"
    .. " on the reproducer.",
}
