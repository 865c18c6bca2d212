-- moe.lua - mixture of experts. Which expert gets how many tokens is not in a trace:
-- byte counts assume uniform routing, and no text claims imbalance.

pattern {
  id = "moe_few_tokens",
  category = "moe_fused",
  summary = "fewer than 16 tokens for each expert",
  when = function(row)
    if not (row.tokens_per_expert < 16) then return false end
    -- Reading the experts' weights sets the time, so more tokens per expert come free: up to
    -- 16 for the low end, up to the ridge of the device (about 256) for the high end.
    return {saving_low_ms = row.time_ms * (1 - row.tokens_per_expert / 16),
            saving_high_ms = row.time_ms * (1 - row.tokens_per_expert / 256)}
  end,
  title = "Batch more tokens per expert for {op}",
  issue = "{tokens} tokens with {topk} of {experts} experts each leave {tokens_per_expert} tokens"
    .. " per expert (uniform routing assumed).",
  path_a = "Batch more tokens, or keep fewer experts active per device: at {tokens_per_expert} tokens per expert,"
    .. " reading the weights dominates.",
  path_b = "Tune how the kernel reads the expert weights.",
}

pattern {
  id = "moe_unfused_stages",
  category = "moe_fused",
  summary = "expert matmuls in separate kernels",
  counter = "a fused expert kernel is in the trace",
  unless = function(_, _, trace) return trace.fused_experts_pct > 0 end,
  when = function(row) return row.moe_unfused == 1 end,
  title = "Use one fused expert kernel instead of {op}",
  issue = "The matmuls and the activation of the experts run as separate kernels.",
  path_a = "Use one fused expert kernel for both matmuls and the activation.",
  path_b = "Tune the grouped GEMM of each stage.",
}

-- Of 8 bits or fewer, by its types or its kernel's name.
local function is_quantised(row)
  local kernel = row.kernel:lower()
  for _, mark in ipairs {"e4m3", "fp8", "fp4", "int8", "int4", "w8a8", "w4a", "marlin"} do
    if kernel:find(mark, 1, true) then return true end
  end
  return element_bytes(row, 1) == 1 or element_bytes(row, 2) == 1
end

pattern {
  id = "moe_memory_bound",
  category = "moe_fused",
  summary = "a memory-bound bottleneck",
  when = function(row) return row.bound == "memory" and row.bottleneck == 1 end,
  title = function(row) return "Process more tokens per step in {op}" .. (is_quantised(row) and "" or ", or quantise its weights") end,
  issue = "The expert layer reaches {tbs} of {peak_tbs} TB/s, assuming uniform routing.",
  path_a = function(row)
    return "Process more tokens per step" .. (is_quantised(row) and "" or ", or quantise the expert weights") .. ": reading them sets the time."
  end,
  path_b = "Replay it and tune how the kernel reads the expert weights.",
}

pattern {
  id = "moe_compute_bound",
  category = "moe_fused",
  summary = "a compute-bound bottleneck",
  when = function(row) return row.bound == "compute" and row.bottleneck == 1 end,
  title = function(row)
    return row.narrow_weights == 1 and "Batch more tokens in {op}" or "Run {op} in lower precision"
  end,
  issue = "The expert layer reaches {tflops} of {peak_tflops} TFLOPS.",
  path_a = function(row)
    if row.narrow_weights == 1 then
      return "The weights have 4 bits already; what remains is to batch more tokens."
    end
    return "Use lower precision where accuracy allows; the weights are {dtype} now."
  end,
  path_b = "Tune kernel selection and tile size.",
}

pattern {
  id = "moe_routing_overhead",
  category = "moe_fused",
  scope = "category",
  summary = "routing takes a fifth of the expert layers or more",
  when = function(category)
    if not (category.routing_pct >= 20) then return false end
    local rows = {}
    for _, row in ipairs(category.rows) do
      if row.moe_class == "routing" then table.insert(rows, row) end
    end
    return {rows = rows, routing_pct = category.routing_pct, routing_ms = category.routing_ms}
  end,
  title = "Fuse gating, top-k and sorting of the expert layers",
  issue = "Gating, top-k and sorting take {routing_pct}% of the expert layers, {routing_ms} ms.",
  path_a = "Use one fused routing kernel for gating, top-k and sorting.",
}
