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
  path_a = "See the unfused attention block: the fused call removes this softmax.",
}

pattern {
  id = "standalone_softmax",
  category = "reduce",
  summary = "a softmax outside of any attention block that was recognised",
  when = function(row)
    return row.reduce_class == "softmax" and row.in_unfused_attention ~= 1 and row.p >= 5
  end,
  title = "Standalone softmax",
  issue = "{op} takes {p}% of compute and is not part of a fused attention call.",
  path_a = function(_, _, trace)
    if trace.fused_attention_pct > 0 then
      return "Attention of this trace is fused already, so this softmax belongs to something else"
        .. " ({module}): fuse it with the loss or the sampling around it."
    end
    return "Check whether it belongs to attention written by hand; a fused attention call removes it."
  end,
  path_b = "50-70% of peak bandwidth is expected; replay package recommended if it falls short.",
}

pattern {
  id = "standalone_reduction",
  category = "reduce",
  summary = "another reduction that is a bottleneck",
  when = function(row) return row.reduce_class ~= "softmax" and row.bottleneck == 1 end,
  title = "Slow standalone reduction",
  issue = "{op} reaches {efficiency}% of peak bandwidth.",
  path_a = function(row)
    if row.compiled ~= 1 and row.module ~= "" then
      return "One fused kernel can do this reduction with the rest of {module}."
    end
  end,
  path_b = "50-70% of peak is expected; replay package recommended.",
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
  path_a = "Confirm that the fused attention path is enabled.",
}
