-- elementwise.lua - one result for each element: memory sets the time.

local LAUNCH_SIZED_US = 20 -- below, a launch weighs more than the bytes it moves

-- The time of this category's rows in the chain that the row belongs to.
local function here_ms(row, category)
  local ms = 0
  for _, other in ipairs(category.rows) do
    if other.chain_ops == row.chain_ops and other.chain_ms == row.chain_ms then
      ms = ms + other.time_ms
    end
  end
  return ms
end

pattern {
  id = "elementwise_chain",
  category = "elementwise",
  summary = "three or more small kernels in a row that one could do",
  counter = "they are in a compiled region, where a compiler chose them",
  unless = function(row) return row.compiled == 1 end,
  when = function(row, category)
    if row.chain_light ~= 1 or row.chain_kernels < 3 then return false end
    -- A counter beside a normalisation is not what its chain is about.
    if here_ms(row, category) < 0.2 * row.chain_ms then return false end
    local part = math.min(1, row.time_ms / row.chain_ms) -- the row's share of the saving
    local saving = math.min(row.chain_saving_ms * part, row.time_ms)
    if not known(saving) then return true end
    return {saving_low_ms = 0.8 * saving, saving_high_ms = saving}
  end,
  title = "Chain of element-wise kernels",
  issue = function(row)
    local times = row.chain_instances > 1 and ", {chain_instances} times" or ""
    return "{chain_kernels} kernels run one after another in {chain_module}" .. times .. ": {chain_ops}."
  end,
  path_a = "Fuse the chain ({chain_ops}) into one kernel by compiler-level fusion"
    .. " or a custom fused module; {chain_kernels} launches become one per call.",
  path_b = "If the code must stay, tune the slowest member, {chain_slowest}.",
}

pattern {
  id = "non_row_major",
  category = "elementwise",
  summary = "operands that are transposed or in different orders",
  when = function(row)
    return row.non_row_major == 1 and row.efficiency < 60 and row.p >= 1
  end,
  title = "Element-wise work on transposed operands",
  issue = "{op} reads {transposed_operands} out of row-major order and reaches {efficiency}% of peak.",
  path_a = "Store the operands row-major, or keep one memory order through the block;"
    .. " out of order here: {transposed_operands}.",
  path_b = "Compare with the contiguous variant of the same shape in a replay.",
}

pattern {
  id = "low_baseline",
  category = "elementwise",
  summary = "a plain add, multiply, copy or fill below half of the bandwidth",
  when = function(row)
    return row.elementwise_class == "baseline" and row.time_criterion == 1
      and row.efficiency < 50 and row.mean_us >= LAUNCH_SIZED_US
  end,
  title = "Slow streaming operation",
  issue = "{op} does nothing but stream memory and reaches {tbs} of {peak_tbs} TB/s.",
  path_a = "Check for avoidable copies or type conversions feeding it.",
  path_b = "A simple streaming operation should reach 70-80% of peak; it reaches {efficiency}%."
    .. " Replay package recommended.",
}

pattern {
  id = "very_low_elementwise",
  category = "elementwise",
  summary = "below 30% of the bandwidth though large enough",
  when = function(row)
    return row.efficiency < 30 and row.mean_us >= LAUNCH_SIZED_US and row.p >= 1
  end,
  title = "Element-wise work far below bandwidth",
  issue = "{op} reaches {tbs} of {peak_tbs} TB/s ({efficiency}%).",
  path_a = function(row)
    if row.compiled == 1 then
      return "The compiler left this step by itself: look for a graph break or an operator it does not fuse."
    end
    if not row.name:find("^aten::") then return nil end -- opaque to a compiler
    return "Reduce traffic: fuse this step with its neighbours so the intermediate tensor is not"
      .. " written and re-read; compiler-level fusion (`torch.compile`) is the first thing to try."
  end,
  path_b = function(row)
    if not known(row.baseline_pct) or row.baseline_assumed == 1 then
      return "Well below what a streaming operation reaches. Replay package recommended."
    end
    return "Well below the in-trace baseline ({baseline_pct}%): the kernel is the limit, not the hardware."
  end,
}

pattern {
  id = "high_invocation_count",
  category = "elementwise",
  summary = "more than a thousand launches of one operator",
  counter = "they take 10 us or more on average",
  when = function(row) return row.same_op_count > 1000 end,
  unless = function(row) return not (row.same_op_mean_us < 10) end,
  title = "Very many element-wise launches",
  issue = "{op} is launched {same_op_count} times, {same_op_mean_us} us each on average.",
  path_a = "Batch or fuse; {same_op_count} launches of {op}.",
  path_b = "Launch overhead dominates when the mean is {same_op_mean_us} us.",
}

pattern {
  id = "dtype_cast_traffic",
  category = "elementwise",
  scope = "category",
  summary = "copies between data types take 3% of compute or more",
  when = function(category)
    if not (category.cast_pct >= 3) then return false end
    local rows, share, ms, calls = {}, 0, 0, 0
    for _, row in ipairs(category.rows) do
      if row.dtype_cast == 1 and row.memcpy_only ~= 1 and row.claimed == 0 then
        table.insert(rows, row)
        share, ms, calls = share + row.p, ms + row.time_ms, calls + row.count
      end
    end
    -- Fused into its reader, a cast still reads the wider type.
    return share >= 3 and {rows = rows, share_pct = share, total_ms = ms, calls = calls,
      saving_low_ms = 0.5 * ms, saving_high_ms = ms}
  end,
  title = "Casts between data types",
  issue = "{calls} copies convert between data types: {share_pct}% of compute, {total_ms} ms.",
  path_a = "Keep one data type through the block, or fuse each cast with the kernel that reads it.",
  path_b = "Let the kernel before a cast write the type that the next one reads.",
}

pattern {
  id = "host_copy_in_elementwise",
  category = "elementwise",
  informational = true,
  summary = "a copy from or to the host, counted here by its operator",
  when = function(row) return row.memcpy_only == 1 end,
  issue = "The device work of {op} is a copy from or to the host.",
  path_a = "It is judged with the memory copies of the whole timeline.",
}
