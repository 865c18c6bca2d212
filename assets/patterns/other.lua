-- other.lua - what no other category takes. Texts stay general.

local LABELS = {gemm = true, attention = true, convolution = true, norm = true}

pattern {
  id = "embedding_index",
  category = "other",
  summary = "embedding, gather or scatter that is a bottleneck",
  when = function(row) return row.subcategory == "embedding_index" and row.bottleneck == 1 end,
  title = "Slow indexed access",
  issue = "{op} reaches {efficiency}% of peak bandwidth.",
  path_a = "Fuse it with its neighbours; sort indices for locality.",
  path_b = "A streaming operation should approach peak bandwidth.",
}

pattern {
  id = "cat_traffic",
  category = "other",
  scope = "category",
  summary = "concatenation and splitting take 3% of compute or more",
  when = function(category)
    local rows, share, ms, low_ms = {}, 0, 0, 0
    for _, row in ipairs(category.rows) do
      if row.subcategory == "cat_split" and row.claimed == 0 then
        table.insert(rows, row)
        share, ms = share + row.p, ms + row.time_ms
        -- At least what a copy at 60% of the peak would save.
        local slow = known(row.efficiency) and 1 - row.efficiency / 60 or 0
        low_ms = low_ms + math.max(0.5, slow) * row.time_ms
      end
    end
    -- What is written in its place at once is not copied at all.
    return share >= 3 and {rows = rows, share_pct = share, total_ms = ms,
      saving_low_ms = low_ms, saving_high_ms = ms}
  end,
  title = "Concatenation traffic",
  issue = "Concatenation and splitting take {share_pct}% of compute, {total_ms} ms.",
  path_a = "Write into a preallocated tensor or fuse the concatenation.",
}

pattern {
  id = "whole_sort",
  category = "other",
  summary = "sorting takes 5% of compute or more",
  when = function(row)
    if row.subcategory ~= "sort_topk" or not row.name:find("sort") or row.p < 5 then return false end
    -- Selecting reads the rows several times: two to five times what a pass at the peak takes.
    local roof = known(row.efficiency) and row.efficiency / 100 * row.time_ms or 0.05 * row.time_ms
    return {saving_low_ms = math.max(0.3 * row.time_ms, row.time_ms - 5 * roof),
      saving_high_ms = math.max(0.3 * row.time_ms, row.time_ms - 2 * roof)}
  end,
  title = "Sorting",
  issue = "{op} takes {p}% of compute: {count} calls order all of {shape}.",
  path_a = "Order only what is used: `topk` where the largest few values decide, and sampling"
    .. " without a sort (a threshold search gives the same top-p set).",
  path_b = "Compare with another sort of this row length; replay package recommended.",
}

pattern {
  id = "dequantised_weights",
  category = "other",
  summary = "weights are converted to 16 bits by a kernel of its own before each product",
  when = function(row)
    if not (row.name:lower():find("dequant") and row.p >= 3) then return false end
    return {saving_low_ms = 0.7 * row.time_ms, saving_high_ms = row.time_ms}
  end,
  title = "Weights dequantised apart: {op}",
  issue = "{op} takes {p}% of compute, {count} calls that write weights in 16 bits for a product to read again.",
  path_a = "Use a product that takes the quantised weights and converts them as it loads them (as Marlin and"
    .. " Machete do); if the same weights recur at large batches, keep them in 16 bits.",
  path_b = "Fuse the conversion into the load of the product's operand.",
}

pattern {
  id = "uncategorised_significant",
  category = "other",
  summary = "an operation of no category with 5% of compute or more, below 60% of peak",
  when = function(row) return row.p >= 5 and row.efficiency < 60 end,
  title = "{op}, of no category",
  issue = "{op} takes {p}% of compute at {efficiency}% of peak and fits no category with rules of its own.",
  path_a = function(row)
    if row.name:find("fused") or row.name:find("foreach") then
      return "It is one pass over its lists already: what remains is to read and write less (narrower states)."
    end
    local where = row.module ~= "" and "the layer ({module})" or "the layer it belongs to"
    return "Identify " .. where .. " and check for a library or fused equivalent."
  end,
  path_b = "Replay package recommended.",
}

pattern {
  id = "possible_miscategorisation",
  category = "other",
  informational = true,
  summary = "kernels that look like those of another category",
  when = function(row) return LABELS[row.kernel_label] and row.kernel_label_pct >= 50 end,
  issue = "{kernel_label_pct}% of the row's kernels look like {kernel_label}.",
  path_a = "Note the true class so that category rules can be extended.",
}

pattern {
  id = "scalar_sync",
  category = "other",
  informational = true,
  summary = "a value read back to the host ten times or more",
  when = function(row) return row.subcategory == "synchronization" and row.count >= 10 end,
  issue = "{op} waits for the device {count} times.",
  path_a = "Keep the value on the device, or read it less often.",
}

pattern {
  id = "graph_ops",
  category = "other",
  informational = true,
  summary = "captured graphs are replayed",
  when = function(row) return row.subcategory == "graph" end,
  issue = "{op} replays a captured graph.",
  path_a = "Check that the graph is captured once and then reused.",
}

pattern {
  id = "communication_note",
  category = "other",
  scope = "category",
  informational = true,
  summary = "communication, which the system tier judges",
  when = function(category)
    return category.communication_count > 0 and {rows_skipped = category.communication_count,
      total_ms = category.communication_ms}
  end,
  issue = "Communication ({total_ms} ms) is left to the system tier.",
  path_a = "One rank shows the type, message size and total time of collectives; to separate waiting"
    .. " from transfer takes the traces of all ranks. If overhead is high, check topology"
    .. " and configuration.",
}
