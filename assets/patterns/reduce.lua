-- reduce.lua - sums, maxima, softmax.

pattern {
  id = "softmax_in_attention",
  category = "reduce",
  informational = true,
  summary = "a softmax that is part of attention written by hand",
  when = function(row)
    return row.reduce_class == "softmax" and row.in_unfused_attention == 1
  end,
  issue = "This softmax is part of an unfused attention block.",
  path_a = "Fuse the attention block: one fused call removes this softmax.",
}

-- A loss over alignments reads all of the log-softmax, again and again: no fused cross entropy takes its place.
local function aligns(trace)
  for _, name in ipairs {"other", "reduce"} do
    for _, row in ipairs(trace[name].rows) do
      if row.name:find("ctc_loss", 1, true) then return true end
    end
  end
  return false
end

-- The log-softmax of a loss: it writes its result for the loss to read, and again for its gradient. One kernel reads the
-- logits and writes the gradient; the two passes that are left are half of the four.
pattern {
  id = "loss_softmax",
  category = "reduce",
  scope = "category",
  summary = "the log-softmax of a loss and its gradient take 5% of compute or more",
  when = function(category)
    local rows, ms, share, backward = {}, 0, 0, false
    for _, row in ipairs(category.rows) do
      if row.name:find("log_softmax") and row.in_unfused_attention ~= 1 and row.claimed == 0 then
        rows[#rows + 1] = row
        ms, share, backward = ms + row.time_ms, share + row.p, backward or row.name:find("backward") ~= nil
      end
    end
    return backward and share >= 5 and not aligns(category.trace) and {rows = rows, total_ms = ms, share_pct = share,
      saving_low_ms = 0.3 * ms, saving_high_ms = 0.5 * ms}
  end,
  title = "Use a fused cross entropy: {op} writes all logits again",
  issue = "The log-softmax of the loss and its gradient take {total_ms} ms ({share_pct}% of compute).",
  path_a = "Use a fused cross entropy, which reads the logits and writes their gradient in one pass, block by block.",
  path_b = "Write that kernel: the maximum and sum of a row fit on chip.",
}

pattern {
  id = "standalone_softmax",
  category = "reduce",
  summary = "a softmax outside of any attention block that was recognised",
  when = function(row)
    return row.reduce_class == "softmax" and row.in_unfused_attention ~= 1 and row.p >= 5
  end,
  title = function(_, _, trace)
    return trace.fused_attention_pct > 0 and "Fuse {op} with the loss or the sampling around it"
      or "Check whether {op} belongs to unfused attention"
  end,
  issue = "{op} takes {p}% of compute and is not part of a fused attention call.",
  path_a = function(row, _, trace)
    if trace.fused_attention_pct > 0 then
      return "Fuse this softmax with the operators around it" .. (row.module ~= "" and " ({module})" or "")
        .. ", a loss or sampling: attention is fused in this trace."
    end
    return "If it belongs to attention written by hand, a fused attention call removes it."
  end,
  path_b = "A softmax should reach 50-70% of peak bandwidth: replay it and compare kernels.",
}

-- One operator of several kernels, each a pass over the tensor (logsumexp: maximum, difference, exponential, sum).
local function passes(row)
  local n = 0
  for _, kernel in ipairs(row.kernels) do n = n + kernel.count end
  return math.floor(n / row.count)
end

pattern {
  id = "standalone_reduction",
  category = "reduce",
  summary = "another reduction that is a bottleneck",
  when = function(row) return row.reduce_class ~= "softmax" and row.bottleneck == 1 and {passes = passes(row)} end,
  title = function(row, it)
    return it.passes >= 3 and "Fuse the {passes} kernels of {op}" or row.compiled ~= 1 and row.module ~= "" and "Fuse {op} with its neighbours" or "Tune the kernel of {op}"
  end,
  issue = function(_, it)
    return it.passes >= 3 and "{op} runs {passes} kernels a call, each over the tensor or what is left of it."
      or "{op} reaches {efficiency}% of peak bandwidth."
  end,
  path_a = function(row, it)
    if it.passes >= 3 then
      return "Compile the function that calls it (`torch.compile`): one kernel reads the tensor once."
    end
    if row.compiled ~= 1 and row.module ~= "" then
      return "Fuse this reduction with the other operators of {module}."
    end
  end,
  path_b = function(_, it)
    return it.passes < 3 and "A reduction should reach 50-70% of peak bandwidth: replay it and compare kernels." or nil
  end,
}

pattern {
  id = "high_softmax_count",
  category = "reduce",
  scope = "category",
  informational = true,
  summary = "a hundred softmax calls or more",
  counter = "a fused attention kernel is in the trace",
  unless = function(category) return category.trace.fused_attention_pct > 0 end,
  when = function(category)
    if not (category.softmax_count >= 100) then return false end
    local rows = {}
    for _, row in ipairs(category.rows) do
      if row.reduce_class == "softmax" then table.insert(rows, row) end
    end
    return {rows = rows, softmax_count = category.softmax_count}
  end,
  issue = "The trace has {softmax_count} softmax calls.",
  path_a = "Check that fused attention is enabled.",
}
