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
  title = "Few tokens per expert",
  issue = "{tokens} tokens with {topk} of {experts} experts each leave {tokens_per_expert} tokens"
    .. " per expert (uniform routing assumed).",
  path_a = "Weight reads dominate at {tokens_per_expert} tokens per expert; batch more tokens,"
    .. " or keep fewer experts active per device.",
  path_b = "Tune the expert-weight read path.",
}

pattern {
  id = "moe_unfused_stages",
  category = "moe_fused",
  summary = "expert products in separate kernels",
  counter = "a fused expert kernel is in the trace",
  unless = function(_, _, trace) return trace.fused_experts_pct > 0 end,
  when = function(row) return row.moe_unfused == 1 end,
  title = "Expert products in separate kernels",
  issue = "The products and the activation of the experts run as separate kernels.",
  path_a = "Use one fused expert kernel for both products and activation.",
  path_b = "Tune each stage.",
}

pattern {
  id = "moe_memory_bound",
  category = "moe_fused",
  summary = "a memory-bound bottleneck",
  when = function(row) return row.bound == "memory" and row.bottleneck == 1 end,
  title = "Memory-bound expert layer",
  issue = "The expert layer reaches {tbs} of {peak_tbs} TB/s, bytes counted for uniform routing.",
  path_a = "Raise the tokens per step, or use narrower weights.",
  path_b = "Replay package recommended.",
}

pattern {
  id = "moe_compute_bound",
  category = "moe_fused",
  summary = "a compute-bound bottleneck",
  when = function(row) return row.bound == "compute" and row.bottleneck == 1 end,
  title = "Compute-bound expert layer",
  issue = "The expert layer reaches {tflops} of {peak_tflops} TFLOPS.",
  path_a = function(row)
    if row.narrow_weights == 1 then
      return "Weights are 4-bit already; what remains is larger batches of tokens."
    end
    return "Use a narrower precision where quality allows; weights are {dtype} now."
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
  title = "Expert routing",
  issue = "Gating, top-k and sorting take {routing_pct}% of the expert layers, {routing_ms} ms.",
  path_a = "Fuse gating, top-k and sorting.",
}
