-- norm.lua - batch, layer, group, instance and RMS normalisation.

local function measured(row) return known(row.baseline_pct) and row.baseline_assumed ~= 1 end

-- Elementwise work of the same trace shows what the memory gives.
local function baseline_is_fine(row) return measured(row) and row.baseline_pct > 70 end

-- Transposes are seen around the convolutions, and matter there.
local function converts_layouts(trace)
  return trace.convolution.transpose_overhead_pct > 5
end

for _, category in ipairs {"batchnorm", "norm"} do
  pattern {
    id = "norm_below_baseline",
    category = category,
    summary = "below 20% of peak where elementwise work is above 70%",
    when = function(row) return row.efficiency < 20 and baseline_is_fine(row) end,
    title = "Use another normalisation, or a faster kernel for {op}",
    issue = "Normalisation reaches {efficiency}% of peak, elementwise kernels {baseline_pct}%.",
    path_a = "Where the model allows, try a normalisation with faster kernels (layer, group or RMS norm).",
    path_b = "The kernel is the limit, not the hardware: elementwise kernels reach {baseline_pct}% of peak. Replay"
      .. " and tune it.",
  }

  pattern {
    id = "norm_activation_chain",
    category = category,
    summary = "followed by an activation or a residual add that it could absorb",
    when = function(row)
      if row.chain_next ~= "elementwise" then return false end
      local part = math.min(1, row.time_ms / row.chain_ms)
      local saving = math.min(row.chain_saving_ms * part, row.time_ms)
      if not known(saving) then return true end
      return {saving_low_ms = 0.8 * saving, saving_high_ms = saving}
    end,
    title = "Fuse {op} with the elementwise operators after it",
    issue = "{chain_module} runs {chain_kernels} kernels in a row, {chain_instances} times: {chain_ops}.",
    path_a = "Fuse the chain ({chain_ops}) into one kernel.",
  }

  pattern {
    id = "norm_low",
    category = category,
    summary = "a bottleneck that elementwise work of the trace does not explain",
    when = function(row) return row.bottleneck == 1 and not baseline_is_fine(row) end,
    title = function(row, _, trace)
      if row.chain_next == "elementwise" and row.compiled ~= 1 then
        return "Fuse {op} with the elementwise operators after it"
      elseif row.norm_type == "batch_norm" and converts_layouts(trace) then
        return "Run {op} channels-last, like the convolutions around it"
      end
      return "Tune the kernel of {op}"
    end,
    issue = function(row)
      if measured(row) and row.baseline_pct >= 50 then
        return "Normalisation reaches {efficiency}% of peak;"
          .. " elementwise kernels reach only {baseline_pct}%."
      end
      return "Normalisation reaches {tbs} of {peak_tbs} TB/s ({efficiency}%)."
    end,
    path_a = function(row, _, trace)
      if row.chain_next == "elementwise" and row.compiled ~= 1 then
        return "Fuse the normalisation with the elementwise operators after it in {chain_module}."
      end
      if row.norm_type == "batch_norm" and converts_layouts(trace) then
        return "Run the model channels-last: kernels convert layouts around its convolutions."
      end
    end,
    path_b = "Replay it and compare kernels for this shape.",
  }
end

pattern {
  id = "cnn_batchnorm_share",
  category = "batchnorm",
  scope = "category",
  informational = true,
  summary = "batch normalisation is 10-50% of a convolutional network",
  when = function(category)
    local fits = category.pc >= 10 and category.pc <= 50 and category.convolution_pct > 0
    return fits and {share_pct = category.pc}
  end,
  issue = "Batch normalisation takes {share_pct}% of compute beside convolutions.",
  path_a = function(_, _, trace)
    local layout = converts_layouts(trace) and "Use a channels-last layout. " or ""
    local fold = trace.training == 1 and "Fuse it with the activation after it."
      or "Fold normalisation into the convolution for inference."
    return layout .. fold
  end,
  path_b = "Compare with the vendor library: these are native normalisation kernels.",
}

pattern {
  id = "layernorm_to_rms",
  category = "norm",
  scope = "category",
  informational = true,
  summary = "layer normalisation takes 5% of compute or more",
  when = function(category)
    if not (category.layer_norm_pct >= 5) then return false end
    local rows = {}
    for _, row in ipairs(category.rows) do
      if row.norm_type == "layer_norm" then table.insert(rows, row) end
    end
    return {rows = rows, share_pct = category.layer_norm_pct}
  end,
  issue = "Layer normalisation takes {share_pct}% of compute.",
  path_a = "Where the model allows, use RMS norm: it needs one statistic instead of two.",
}
