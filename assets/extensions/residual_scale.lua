-- residual_scale.lua - a pattern learnt from an issue that a report missed.
--
--   tracefolio analyze TRACE -p MI300X --extension residual_scale.lua
--
-- (samples/residual_scale.json is such a trace.)
--
-- Missed: a vision model multiplies by a scale for each channel and adds the residual right
-- after, two passes over the activation where one would do. Each of the two kernels is close
-- to the memory bandwidth, so nothing looked slow.

-- [.., C] times [C]: the second operand is a vector as long as the last dimension.
local function is_channel_scale(row)
  return row.name == "aten::mul" and rank(row, 1) >= 3 and rank(row, 2) == 1
    and dim(row, 2, 1) == dim(row, 1, -1)
end

-- An add of the same tensor sizes, at least as often.
local function residual_add(row, category)
  for _, other in ipairs(category.rows) do
    if (other.name == "aten::add" or other.name == "aten::add_") and other.count >= row.count
      and rank(other, 1) == rank(row, 1) and numel(other, 1) == numel(row, 1) then
      return other
    end
  end
end

pattern {
  id = "user.residual_scale",
  category = "elementwise",
  summary = "a multiply by channel followed by a residual add",
  when = function(row, category)
    if not is_channel_scale(row) or row.p < 1 then return false end
    local add = residual_add(row, category)
    -- One pass writes what the other reads: the multiply is saved, at least in half.
    return add and {rows = {row, add}, adds = add.count,
      saving_low_ms = 0.5 * row.time_ms, saving_high_ms = row.time_ms}
  end,
  title = "Fold the scale by {op} into the residual add",
  issue = "{op} scales {shape} by channel {count} times, and tensors of that size are added {adds} times.",
  path_a = "Fold the per-channel scale into the residual add or the previous projection.",
  path_b = "Fused multiply-add elementwise kernel for {shape}.",
}
