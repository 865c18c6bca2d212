-- all_calls.lua - calls of one row that differ. First of all files, since the efficiency of such a
-- row says nothing of the kernel.

-- What takes several times the median is no spread of the kernel's own.
local function surely(row)
  local over_us = 1000 * row.outlier_excess_ms / row.outlier_calls
  return over_us >= 5 * row.median_us and 0.8 or 0.5
end

for _, category in ipairs {"gemm", "sdpa_fwd", "sdpa_bwd", "elementwise", "reduce", "triton",
  "moe_fused", "batchnorm", "norm", "convolution", "other"} do
  pattern {
    id = "outlier_calls",
    category = category,
    summary = "a few calls of one shape or launch grid take a quarter of the row's time or more",
    counter = "neither shapes nor equal launch grids are recorded, so calls may differ; or the whole device was slow for a while",
    when = function(row)
      return row.outlier_pct >= (row.fp32_kernel == 1 and 50 or 25) and row.p >= 1
        and {calls = row.outlier_calls, saving_low_ms = surely(row) * row.outlier_excess_ms,
          saving_high_ms = row.outlier_excess_ms}
    end,
    unless = function(row, _, trace)
      return row.shape == "" and row.outlier_alike ~= 1 or trace.slow_device == 1
    end,
    title = function(_, v)
      return v.calls == 1 and "Find out what slows one of {count} calls of {op}"
        or "Find out what slows {calls} of {count} calls of {op}"
    end,
    issue = function(row)
      local span = row.outlier_calls == 1 and "takes {outlier_pct}% of its time, at {outlier_first_ms} ms"
        or "take {outlier_pct}% of its time, between {outlier_first_ms} and {outlier_last_ms} ms"
      return "{calls} of {count} calls of {op} on " .. (row.shape == "" and "one launch grid " or "{shape} ") .. span
        .. " after the start; the median call takes {median_us} µs."
    end,
    path_a = function(row)
      return "Check what runs at the same time from {outlier_first_ms} ms on (another stream, a collective, a"
        .. " copy): the median call on this " .. (row.shape == "" and "grid" or "shape") .. " takes {median_us} µs."
    end,
  }
end
