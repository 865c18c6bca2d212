-- unknown.lua - kernels that nothing else is said of, whatever they are for. Last of all files: what
-- another pattern explains is not told here.

local CATEGORIES = {"gemm", "sdpa_fwd", "sdpa_bwd", "elementwise", "reduce", "triton", "moe_fused",
  "batchnorm", "norm", "convolution", "other"}

-- Up to the last whole word of a name, "fmhaSm100fKernel", if that is half of it.
local function whole_words(name, most)
  local head = name:sub(1, most)
  if name:sub(most + 1, most + 1):find("[^%w]") then return head end
  local words = head:match("^(.*[%w])[_:%.<(%- ]")
  return words and #words >= most / 2 and words or head
end

-- A title has at most 60 characters.
local function shorter(name)
  local plain = name:gsub("^void ", ""):gsub("%(anonymous namespace%)::", "")
  plain = plain:gsub("%b<>", ""):gsub("[<(].*$", ""):gsub("^.* ", ""):gsub("^.*::", "")
  name = plain ~= "" and plain or name
  return #name <= 32 and name or whole_words(name, 29) .. "..."
end

-- Whole names are in the tables; here a template's arguments would fill the page.
local function quoted(name)
  return quote(#name <= 80 and name or name:sub(1, 77) .. "...")
end

-- Of the rows whose kernel leaves most of the device empty, those of the kernel with most time.
local function nearly_empty(rows)
  local of, best = {}, nil
  for _, row in ipairs(rows) do
    if row.blocks < row.sms / 4 and row.claimed == 0 then
      local k = of[row.kernel] or {rows = {}, ms = 0, calls = 0, kernel = row.kernel, grid = row.grid,
        blocks = row.blocks, sms = row.sms, units = row.units}
      of[row.kernel] = k
      table.insert(k.rows, row)
      k.ms, k.calls = k.ms + row.time_ms, k.calls + row.count
      if row.blocks > k.blocks then k.blocks, k.grid = row.blocks, row.grid end
      if not best or k.ms > best.ms then best = k end
    end
  end
  return best
end

-- Blocks for every SM take blocks/sms of the time if they share nothing. Of memory one SM draws up to
-- four times its share, so where memory sets the pace more blocks gain that much less; and no
-- call gets below its roofline.
local SHARE_MOST = 4

-- Streams that take turns fill twice as much side by side, which has a finding of its own: this is what is left then.
local function spread(k, turns_pct)
  local turns = known(turns_pct) and math.min(turns_pct, 50) / 100 or 0
  local used, ms, roof_ms = k.blocks / k.sms * (turns > 0 and 2 or 1), k.ms * (1 - turns), 0
  for _, row in ipairs(k.rows) do
    if known(row.efficiency) then roof_ms = roof_ms + row.time_ms * math.min(1, row.efficiency / 100) end
  end
  local function left(part) return math.max(0, ms - math.max(roof_ms, ms * math.min(1, part))) end
  return left(SHARE_MOST * used), left(used)
end

local function in_blocks(v) return v.blocks == 1 and "{blocks} block" or "{blocks} blocks" end

-- A call that takes little longer than its launch gets no shorter by more blocks.
local function is_short(call_us) return call_us < 10 end

-- A row is one block's to sort, however long it is.
local function picks(kernel) return kernel:find("TopK") or kernel:find("topk") end

local function time_of(row, kernel)
  local us = 0
  for _, k in ipairs(row.kernels) do
    if k.name == kernel then us = us + k.total_us end
  end
  return us / 1000
end

for _, category in ipairs(CATEGORIES) do
  -- A library derives the grid of these from their shapes.
  local by_shape = category == "gemm" or category == "convolution"

  pattern {
    id = "few_blocks",
    category = category,
    scope = "category",
    summary = "a kernel of 5% of compute or more has fewer blocks than a quarter of the SMs or compute units",
    when = function(c)
      local k = nearly_empty(c.rows)
      if not (k and k.ms >= 0.05 * c.trace.computation_ms) then return false end
      local low_ms, high_ms = spread(k, c.trace.turns_pct)
      local call_us = 1000 * k.ms / k.calls
      if is_short(call_us) then low_ms, high_ms = math.min(low_ms, 0.5 * k.ms), math.min(high_ms, 0.75 * k.ms) end -- two to four in one
      return {rows = k.rows, kernel = k.kernel, short = shorter(k.kernel), grid = k.grid, blocks = k.blocks,
        saving_low_ms = low_ms, saving_high_ms = high_ms, sms = k.sms, units = k.units, calls = k.calls, kernel_ms = k.ms, call_us = call_us,
        share_pct = 100 * k.ms / c.trace.computation_ms}
    end,
    title = function(_, v)
      if by_shape then return "Use a larger batch: {short} fills at most {blocks} of {sms} {units}" end
      if is_short(v.call_us) and v.calls == 1 then return "Fuse {short} with its neighbours: it has at most " .. in_blocks(v) end
      if is_short(v.call_us) then return "Merge or fuse the calls of {short}, each of at most " .. in_blocks(v) end
      if picks(v.kernel) then return "Split the rows of topk: {short} has at most " .. in_blocks(v) end
      return "Give {short} more than " .. in_blocks(v)
    end,
    issue = function(_, v)
      return quoted(v.kernel) .. " runs on a grid of {grid} at most, so no more than {blocks} of {sms} {units} are busy: "
        .. (v.calls == 1 and "one call" or "{calls} calls") .. " of {call_us} µs, {share_pct}% of compute."
    end,
    path_a = function(_, v)
      if is_short(v.call_us) and v.calls == 1 then
        return "Fuse it with the kernel before or after it: it takes little longer than its launch. A larger batch costs little"
          .. " more time if the grid grows with it."
      end
      if is_short(v.call_us) then
        return "Merge those of the {calls} calls that do not depend on one another, and fuse the others with the kernel"
          .. " before or after them: a call takes little longer than its launch. A larger batch costs little more time if the"
          .. " grid grows with it."
      end
      if by_shape then
        return "Put more rows or images into a call (a larger batch, requests served together), or run independent calls on"
          .. " other streams: the library derives the grid from the shapes."
      end
      if picks(v.kernel) then
        return "Pick in two stages: cut each row into many (`x.view(256, -1).topk(k)`), each of which has a block of its own, and take the"
          .. " topk of what they return. Newer versions of PyTorch have a topk of several blocks for long rows."
      end
      return "Let more blocks share the work: add another axis to the grid (batch, heads, rows), or split the"
        .. " reduction; a larger batch helps if the grid grows with it."
    end,
  }

  pattern {
    id = "unknown_kernel",
    category = category,
    scope = "category",
    summary = "most of compute, or a quarter of it in one kernel, has no model, and that kernel is here",
    when = function(c)
      local t, rows, ms = c.trace, {}, 0
      local least_pct = t.unmodelled_pct > 50 and t.unknown_peaks ~= 1 and 5 or 25
      if not (t.unknown_pct >= least_pct) then return false end
      for _, row in ipairs(c.rows) do
        local part_ms = row.claimed == 0 and time_of(row, t.unknown_kernel) or 0
        if part_ms > 0 then
          table.insert(rows, row)
          ms = ms + part_ms
        end
      end
      -- A template has several kernels of one short name.
      local alike_ms = 0
      for _, row in ipairs(c.rows) do
        local other = row.kernel ~= "" and row.kernel ~= t.unknown_kernel and shorter(row.kernel) == shorter(t.unknown_kernel)
        if other and not known(row.efficiency) then alike_ms = alike_ms + row.time_ms end
      end
      return 2 * ms >= t.unknown_ms and {rows = rows, short = shorter(t.unknown_kernel),
        kernel_ms = t.unknown_ms, kernel_pct = t.unknown_pct, calls = t.unknown_calls, mean_us = t.unknown_us,
        least_us = t.unknown_min_us, most_us = t.unknown_max_us, grid = t.unknown_grid,
        alike_ms = alike_ms, both_pct = t.unknown_pct * (1 + alike_ms / t.unknown_ms),
        peaks = t.unknown_peaks, caller = t.unknown_caller, kernel = t.unknown_kernel, command = t.unknown_command,
        saving_low_ms = 0, saving_high_ms = 0}
    end,
    title = "Measure one call of {short}",
    issue = function(_, v)
      local text = quoted(v.kernel) .. " takes {kernel_ms} ms in "
        .. (v.calls == 1 and "one call" or "{calls} calls of {least_us} to {most_us} µs, {mean_us} µs on average")
      if v.grid ~= "" then text = text .. ", on {grid}" end
      if v.caller ~= "" then text = text .. ", launched by {caller}" end
      if v.alike_ms > 0.1 * v.kernel_ms then text = text .. "; others of this name take {alike_ms} ms more, {both_pct}% of compute with it" end
      if v.peaks == 1 then return text .. ". The peaks of the device are not known, so neither is its efficiency." end
      return text .. ". No model covers it, so its efficiency is unknown."
    end,
    path_a = "It takes {kernel_pct}% of compute, and how well is not known: measure one call with a kernel profiler (COMMAND is how you"
      .. " start the program): `{command}`.",
  }
end
