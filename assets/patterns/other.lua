-- other.lua - what no other category takes. Texts stay general.

local LABELS = {gemm = true, attention = true, convolution = true, norm = true}

pattern {
  id = "embedding_index",
  category = "other",
  summary = "embedding, gather or scatter that is a bottleneck",
  when = function(row) return row.subcategory == "embedding_index" and row.bottleneck == 1 end,
  title = "Sort the indices of {op}, or fuse it with its neighbours",
  issue = "{op} reaches {efficiency}% of peak bandwidth.",
  path_a = "Sort the indices for locality, or fuse the operator with its neighbours.",
  path_b = "Replay it with the recorded sizes and tune the gather for locality.",
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
  title = "Write into a preallocated tensor instead of concatenating",
  issue = "Concatenation and splitting take {share_pct}% of compute, {total_ms} ms.",
  path_a = "Let the producers write into slices of one preallocated tensor, or fuse the concatenation into its reader.",
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
  title = "Select the top values instead of sorting everything with {op}",
  issue = "{op} takes {p}% of compute: {count} calls sort all of {shape}.",
  path_a = "Use `topk` where only the largest values matter, and sample without a sort (a threshold search gives"
    .. " the same top-p set).",
  path_b = "Replay it and compare sort kernels for this row length.",
}

pattern {
  id = "dequantised_weights",
  category = "other",
  summary = "weights are converted to 16 bits by a separate kernel before each matmul",
  when = function(row)
    if not (row.name:lower():find("dequant") and row.p >= 3) then return false end
    return {saving_low_ms = 0.7 * row.time_ms, saving_high_ms = row.time_ms}
  end,
  title = "Use a GEMM that reads quantised weights instead of {op}",
  issue = "{op} takes {p}% of compute: {count} calls write 16-bit weights that a matmul reads again.",
  path_a = "Use a GEMM that dequantises weights as it loads them (Marlin, Machete); at large batches, keep"
    .. " recurring weights in 16 bits.",
  path_b = "Fuse the dequantisation into the operand load of the GEMM.",
}

-- The gradient of an embedding with sparse=True: rows in any order, each as often as its index.
local function joins_rows(row) return row.name:find("^aten::_?coal%a+$") or row.kernel:find("coal%a+ValuesKernel") end

pattern {
  id = "sparse_gradients",
  category = "other",
  scope = "category",
  summary = "sorting and adding the rows of sparse gradients takes 3% of compute or more",
  when = function(c)
    local rows, share, ms = {}, 0, 0
    for _, row in ipairs(c.rows) do
      if joins_rows(row) then
        table.insert(rows, row)
        share, ms = share + row.p, ms + row.time_ms
      end
    end
    return share >= 3 and {rows = rows, share_pct = share, total_ms = ms,
      saving_low_ms = 0.5 * ms, saving_high_ms = 0.9 * ms}
  end,
  title = "Use dense gradients (sparse=False) or a fused sparse optimizer",
  issue = "{op} takes {total_ms} ms ({share_pct}% of compute): it sorts the rows of sparse gradients and adds those of"
    .. " equal index.",
  path_a = "Give the embedding dense gradients (`sparse=False`) if its table is small, or use an embedding and optimizer in"
    .. " one (FBGEMM's table batched embeddings), which updates rows without joining them first.",
}

pattern {
  id = "uncategorised_significant",
  category = "other",
  summary = "an operation of no category with 5% of compute or more, below 60% of peak",
  when = function(row) return row.p >= 5 and row.efficiency < 60 end,
  title = function(row)
    return (row.name:find("fused") or row.name:find("foreach")) and "Reduce the memory traffic of {op}"
      or "Look for a library or fused form of {op}"
  end,
  issue = "{op} takes {p}% of compute at {efficiency}% of peak; no category has rules for it.",
  path_a = function(row)
    if row.name:find("fused") or row.name:find("foreach") then
      return "It passes over its tensors once already: what remains is to move fewer bytes (optimizer states in lower precision)."
    end
    local where = row.module ~= "" and "the layer ({module})" or "the layer it belongs to"
    return "Identify " .. where .. " and look for a library or fused implementation."
  end,
  path_b = "Replay it and compare kernels for this shape.",
}

pattern {
  id = "possible_miscategorisation",
  category = "other",
  informational = true,
  summary = "kernels that look like those of another category",
  when = function(row) return LABELS[row.kernel_label] and row.kernel_label_pct >= 50 end,
  issue = "{kernel_label_pct}% of the kernels of {op} look like {kernel_label}.",
  path_a = "Name the true category in an extension file, so that its rules apply.",
}

pattern {
  id = "scalar_sync",
  category = "other",
  informational = true,
  summary = "a value read back to the host ten times or more",
  when = function(row) return row.subcategory == "synchronization" and row.count >= 10 end,
  issue = "{op} makes the host wait for the device {count} times.",
  path_a = "Keep the value on the device, or read it less often.",
}

pattern {
  id = "graph_ops",
  category = "other",
  informational = true,
  summary = "captured graphs are replayed",
  when = function(row) return row.subcategory == "graph" end,
  issue = "{op} replays a captured graph.",
  path_a = "Check that the graph is captured once and replayed from then on.",
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
  issue = "Communication ({total_ms} ms) is judged on the system page.",
  path_a = "Run `tracefolio job` on the traces of all ranks to separate waiting from transfer: one rank shows only"
    .. " the type, message size and total time of its collectives.",
}
