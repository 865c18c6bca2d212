-- arithmetic.lua - the precision of products and convolutions. Early, since in another type
-- another kernel runs, and what is said of this one no longer holds.

-- Is it the type that sets the time? Not of calls as short as a launch, nor far above what
-- matrix units need, nor where a slow stream of bytes does.
local function type_limits(row)
  return row.fp32_kernel == 1 and not row.anomaly and row.mean_us >= 20
    and not (row.time_ms > 40 * row.half_ms)
    and not (row.bound == "memory" and row.efficiency < 30)
end

-- What narrower types would take, where every row has a model.
local function narrower(v)
  if not known(v.half_ms) then return "" end
  if not known(v.tf32_ms) then return "; at the roofline, 16 bits would take {half_ms} ms" end
  return "; at the roofline, TF32 would take {tf32_ms} ms and 16 bits {half_ms} ms"
end

for _, category in ipairs {"gemm", "convolution"} do
  local what = category == "gemm" and "products" or "convolutions"
  pattern {
    id = "fp32_matrix",
    category = category,
    scope = "category",
    summary = "fp32 " .. what .. " beside matrix units for narrower types",
    counter = "the device has no such units; calls below 20 us, or 40 times the roofline, never count",
    when = function(c)
      local rows, ms, tf32, half, known_ms, known_half = {}, 0, 0, 0, 0, 0
      for _, row in ipairs(c.rows) do
        if type_limits(row) then
          table.insert(rows, row)
          ms, tf32, half = ms + row.time_ms, tf32 + row.tf32_ms, half + row.half_ms
          if known(row.half_ms) then
            known_ms, known_half = known_ms + row.time_ms, known_half + row.half_ms
          end
        end
      end
      if not (ms >= 0.02 * c.trace.computation_ms and ms > 0) then return false end
      local values = {rows = rows, fp32_ms = ms, tf32_ms = tf32, half_ms = half,
        share_pct = 100 * ms / c.trace.computation_ms}
      -- 60 to 80% of the 16-bit peak are in reach; of rows without a model, the same part.
      if known_half < 0.6 * known_ms then
        values.saving_low_ms = known_ms - known_half / 0.6
        values.saving_high_ms = ms * (1 - known_half / known_ms / 0.8)
      end
      return values
    end,
    unless = function(c) return c.trace.matrix_units ~= 1 end,
    title = "fp32 " .. what .. ": {fp32_ms} ms, {share_pct}% of compute",
    issue = function(_, v)
      return "{fp32_ms} ms of " .. what .. " ({share_pct}% of compute) run in fp32, without the matrix"
        .. " units" .. narrower(v) .. "."
    end,
    path_a = function(_, v)
      local tf32 = known(v.tf32_ms) and ", or allow TF32 (`torch.set_float32_matmul_precision('high')`)" or ""
      return "Run these " .. what .. " in mixed precision (`torch.autocast`)" .. tf32 .. "."
    end,
  }
end
