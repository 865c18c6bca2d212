-- indices.lua - sums by atomics into the places that indices name.

-- Many updates meet in one place; sorted, each place is written once.
local SCATTERS = {"scatter_add", "scatter_reduce", "index_add", "index_reduce"}

local function has_any(text, words)
  for _, word in ipairs(words) do
    if text:find(word, 1, true) then return true end
  end
  return false
end

-- With deterministic algorithms the indices are sorted first, and nothing meets.
local function is_sorted(row)
  for _, kernel in ipairs(row.kernels) do
    if has_any(kernel.name:lower(), {"sort", "indexing_backward", "segment", "csr"}) then return true end
  end
  return false
end

-- By the operator, or where none is recorded by the kernel of it. `add_` itself has indices only of a sparse tensor, most often
-- sorted already, none of them twice.
local function scatters(row)
  local kernel = row.kernel:lower()
  if row.name:find("^aten::add_?$") then return false end
  if kernel:find("atomic", 1, true) then return true end
  if kernel:find("reduceadd", 1, true) and has_any(kernel, {"scatter", "indexfunc"}) then return true end
  if row.name:find("index_put", 1, true) then return concrete_true(row, 4) end
  return row.name:find("^aten::") and has_any(row.name, SCATTERS)
end

-- Rows of less do not make up what matters, and there may be thousands.
local LEAST_PCT = 0.5

local function is_atomic(row)
  return row.p >= LEAST_PCT and row.claimed == 0 and scatters(row) and not is_sorted(row)
end

-- Elements that go into one call, NaN without shapes.
local function sources(row)
  return numel(row, row.name:find("index_put", 1, true) and 3 or 4)
end

-- The least bytes of a call whose indices are sorted: each source read once, each result written once.
local function sorted_bytes(row)
  return (sources(row) + numel(row, 1)) * element_bytes(row, 1)
end

-- What a gather writes for a scatter to read, a product with a sparse matrix keeps in registers.
local function gathered(row)
  if row.p < LEAST_PCT or row.claimed ~= 0 then return 0 / 0 end
  if row.name == "aten::gather" then return numel(row, 3) end
  return row.name == "aten::index_select" and numel(row, 3) * numel(row, 1) / dim(row, 1, 1) or 0 / 0
end

-- At 50% to 90% of the peak; where none is known, from no faster than the atomics to a tenth of their time.
local function saving(row)
  local bytes = sorted_bytes(row) * row.count
  if not (known(bytes) and known(row.tbs)) then return 0.3 * row.time_ms, 0.9 * row.time_ms end
  local function at(tbs) return math.max(0, row.time_ms - bytes / tbs / 1e9) end
  if known(row.peak_tbs) then return at(0.5 * row.peak_tbs), at(0.9 * row.peak_tbs) end
  return at(row.tbs), math.max(at(row.tbs), 0.9 * row.time_ms)
end

local function add_gathers(c, it, sizes)
  for _, row in ipairs(c.rows) do
    if sizes[gathered(row)] then
      table.insert(it.rows, row)
      it.gather_ms = it.gather_ms + row.time_ms
    end
  end
  it.saving_high_ms = it.saving_high_ms + (known(it.rows[1].peak_tbs) and 1 or 0.9) * it.gather_ms
end

-- A padding reads few elements twice; an interpolation has several times as many elements on one side.
local function pads(row)
  local ratio = numel(row, 3) / numel(row, 1)
  return ratio >= 1 and ratio < 1.5
end

-- Calls that take the place of one: a bilinear interpolation reads four neighbours, each by indices of its own.
local function puts_of(row) return row.sum_by_index == "interpolation or padding" and not pads(row) and 4 or 1 end

-- A gather of rows moves as much as a sum of them: the longest of the trace that takes less time than the sum, ms a call.
local function gather_ms(c, row)
  local most = 0 / 0
  for _, rows in ipairs {c.trace.other.rows, c.trace.elementwise.rows} do
    for _, other in ipairs(rows) do
      local ms = other.time_ms / other.count
      if other.name == "aten::index_select" and ms < row.time_ms / row.count and not (ms <= most) then most = ms end
    end
  end
  return most
end

-- What is left of a sum without sorting, ms: from the bytes, at the peak or a quarter of it; without shapes from a gather, or
-- from a tenth of the sum to 40%. An interpolation or padding is left forward and backward.
local function left(c, row)
  local least_ms = row.count * sorted_bytes(row) / row.peak_tbs / 1e9
  if row.sum_by_index == "interpolation or padding" then
    if not known(least_ms) then return 0.3 * row.time_ms, 0.8 * row.time_ms end
    return 2 * least_ms / puts_of(row), 8 * least_ms / puts_of(row)
  end
  if known(least_ms) then return least_ms, 4 * least_ms end
  local gather = gather_ms(c, row)
  if known(gather) then return row.count * gather, 2 * row.count * gather end
  return 0.1 * row.time_ms, 0.4 * row.time_ms
end

-- Sums whose indices are sorted before, rows of equal index added one after the other: those that `is_one` takes, 3% of
-- compute or more; `sure`: the part of what is not left that is saved at least.
local function sorted_sums(c, sure, is_one)
  local it = {rows = {}, total_ms = 0, share_pct = 0, calls = 0, saving_low_ms = 0, saving_high_ms = 0}
  for _, row in ipairs(c.rows) do
    if row.claimed == 0 and row.name:find("index_put", 1, true) and is_sorted(row) and is_one(row) then
      local least_ms, most_ms = left(c, row)
      it.rows[#it.rows + 1] = row
      it.total_ms, it.share_pct, it.calls = it.total_ms + row.time_ms, it.share_pct + row.p, it.calls + row.count
      it.saving_low_ms = it.saving_low_ms + math.max(0, sure * (row.time_ms - most_ms))
      it.saving_high_ms = it.saving_high_ms + math.max(0, row.time_ms - least_ms)
    end
  end
  return it.share_pct >= 3 and it
end

-- `index_add` calls `index_put` only where runs have to repeat bit by bit; atomics otherwise. The gradient of an interpolation
-- that runs as single operators may be rows of its kernels, which are elementwise.
for _, category in ipairs {"other", "elementwise"} do
  pattern {
    id = "deterministic_sums",
    category = category,
    scope = "category",
    summary = "sums into indexed places are sorted and added row by row, as deterministic algorithms do, 3% of compute or more",
    when = function(c)
      local it = sorted_sums(c, 1, function(row) return row.sum_by_index ~= "" end)
      if not it then return false end
      it.sum = it.rows[1].sum_by_index
      it.decomposed = it.sum == "interpolation or padding"
      if it.decomposed and known(numel(it.rows[1], 3)) then it.sum = pads(it.rows[1]) and "padding" or "interpolation" end
      return it
    end,
    title = function(_, it)
      return "Turn deterministic algorithms off: {sum} "
        .. (it.decomposed and "runs as single operations" or "sorts and adds row by row")
    end,
    issue = function(_, it)
      if it.decomposed then
        local what = {padding = "`F.pad`", interpolation = "`F.interpolate`"}
        return "The gradient of " .. (what[it.sum] or "`F.interpolate` or `F.pad`") .. " takes {total_ms} ms ({share_pct}% of compute) to sort its indices and add rows of equal index"
          .. " one after the other, besides the operations that it runs as: PyTorch does so only where algorithms have to be deterministic."
      end
      return "{calls} calls of `{sum}` take {total_ms} ms ({share_pct}% of compute): each sorts its indices and adds rows of equal index"
        .. " one after the other, as PyTorch does only where algorithms have to be deterministic."
    end,
    path_a = function(_, it)
      local off = "Turn `torch.use_deterministic_algorithms` off (`deterministic=True` of trainers): "
      if it.decomposed then return off .. "each call then is one kernel forward and one backward." end
      return off .. "`{sum}` then adds all rows at once, by atomics. Where runs have to repeat bit by bit and indices stay the same, as a"
        .. " graph's edges do, sort them once and use `torch.segment_reduce`."
    end,
  }
end

-- The gradient of `table[indices]`.
pattern {
  id = "sorted_index_gradient",
  category = "other",
  scope = "category",
  summary = "gradients of indexed tensors are sorted and added row by row, 3% of compute or more",
  counter = "the trace is not of training",
  when = function(c) return sorted_sums(c, 0.7, function(row) return row.sum_by_index == "" end) end,
  unless = function(_, trace) return trace.training ~= 1 end,
  title = "Look rows up with index_select or embedding, not by indexing",
  issue = "The gradients of indexed tensors take {total_ms} ms ({share_pct}% of compute) in {calls} calls: each sorts its indices and"
    .. " adds rows of equal index one after the other.",
  path_a = "Read the rows with `index_select`, `F.embedding` or `gather` in place of `table[indices]`: their gradients add in parallel."
    .. " Where the indices never change, as for a table of relative positions, read it once for all layers or blocks that share it.",
}

-- Elementwise: kernels of no operator, known by name.
for _, category in ipairs {"other", "elementwise"} do
  pattern {
    id = "scatter_atomics",
    category = category,
    scope = "category",
    summary = "sums by atomics into indexed places take 5% of compute or more below 60% of the bandwidth, or 10% where no"
      .. " peak is known",
    when = function(c)
      local it = {rows = {}, total_ms = 0, share_pct = 0, calls = 0, gather_ms = 0, roof_ms = 0, saving_low_ms = 0,
        saving_high_ms = 0}
      local sizes, judged = {}, true
      for _, row in ipairs(c.rows) do
        if is_atomic(row) and not (row.efficiency >= 60) then
          local low_ms, high_ms = saving(row)
          table.insert(it.rows, row)
          it.total_ms, it.share_pct, it.calls = it.total_ms + row.time_ms, it.share_pct + row.p, it.calls + row.count
          it.saving_low_ms, it.saving_high_ms = it.saving_low_ms + low_ms, it.saving_high_ms + high_ms
          judged = judged and known(row.efficiency)
          it.roof_ms = it.roof_ms + (known(row.efficiency) and row.efficiency / 100 * row.time_ms or 0)
          if known(sources(row)) then sizes[sources(row)] = true end
        end
      end
      if it.share_pct < (judged and 5 or 10) then return false end
      it.efficiency_pct = judged and 100 * it.roof_ms / it.total_ms or 0 / 0
      add_gathers(c, it, sizes)
      return it
    end,
    title = "Sort the indices of {op} and add without atomics",
    issue = function(_, it)
      local text = "{op} adds into the places that its indices name, one atomic operation for each element: {total_ms} ms"
        .. " ({share_pct}% of compute) in {calls} calls"
      return text .. (known(it.efficiency_pct) and ", at {efficiency_pct}% of the bandwidth that their bytes need." or ".")
    end,
    path_a = function(_, it)
      local text = "Sort the indices once (a graph's edges by destination: CSR) and sum each place without atomics:"
        .. " `torch.segment_reduce`, `segment_csr` of torch_scatter, or a sparse matmul (SpMM)"
      if it.gather_ms > 0 then text = text .. ", which takes the gather along ({gather_ms} ms)" end
      return text .. ". Where the indices change in each step, sorting has to pay as well."
    end,
    path_b = "Sum in shared memory first, and add each block's sum once.",
  }
end

-- Gathers rows for edges, or sums rows of edges into places, each of them through memory.
local function edges_of(row)
  if row.p < LEAST_PCT or row.claimed ~= 0 then return 0 / 0 end
  if row.name:find("^aten::") and has_any(row.name, SCATTERS) then return sources(row), "sums" end
  return gathered(row), "gathers"
end

-- Of a sum over edges a sparse matmul does nothing but scale.
local SCALES = {["aten::mul"] = true, ["aten::mul_"] = true, ["aten::div"] = true, ["aten::div_"] = true, ["aten::copy_"] = true,
  ["aten::fill_"] = true, ["aten::zero_"] = true}

local function most_elements(row)
  local a, b = numel(row, 1), numel(row, 2)
  return math.max(known(a) and a or 0, known(b) and b or 0)
end

pattern {
  id = "message_passing",
  category = "other",
  scope = "category",
  summary = "as many elements are gathered by index as are summed by index, and scaled between, 15% of compute or more",
  when = function(c)
    local of, rows = {}, {}
    for _, row in ipairs(c.rows) do
      local n, does = edges_of(row)
      if known(n) and n >= 2^20 then
        of[n] = of[n] or {}
        of[n][does] = true
        rows[#rows + 1] = {row, n}
      end
    end
    for _, row in ipairs(c.trace.elementwise.rows) do
      local n = most_elements(row)
      if of[n] and row.p >= LEAST_PCT and not SCALES[row.name] then of[n] = {} end
    end
    local it = {rows = {}, total_ms = 0, calls = 0, low_ms = 0, high_ms = 0}
    local function add(row, n)
      it.rows[#it.rows + 1], it.total_ms, it.calls = row, it.total_ms + row.time_ms, it.calls + row.count
    end
    for _, x in ipairs(rows) do
      local row, n = x[1], x[2]
      if of[n].gathers and of[n].sums then
        add(row, n)
        local does = select(2, edges_of(row))
        -- A sparse matmul reads the row of each edge once, through the cache or from memory.
        local pass_ms = does == "sums" and row.count * n * element_bytes(row, 1) / row.peak_tbs / 1e9 or 0
        it.low_ms, it.high_ms = it.low_ms + pass_ms / 0.6, it.high_ms + 0.3 * pass_ms
      end
    end
    for _, row in ipairs(c.trace.elementwise.rows) do
      local n = most_elements(row)
      if row.claimed == 0 and row.name == "aten::mul" and of[n] and of[n].gathers and of[n].sums then add(row, n) end
    end
    it.share_pct = 100 * it.total_ms / c.trace.computation_ms
    local judged = known(it.low_ms)
    it.saving_low_ms = judged and math.max(0, it.total_ms - it.low_ms) or 0.5 * it.total_ms
    it.saving_high_ms = judged and it.total_ms - it.high_ms or 0.85 * it.total_ms
    return it.share_pct >= 15 and it
  end,
  title = "Sum over edges by a sparse matmul, without a row for each edge",
  issue = "{calls} calls gather a row for each edge, scale it and sum the rows into their places, each through memory: {total_ms} ms"
    .. " ({share_pct}% of compute).",
  path_a = "Give the layer the graph as a sparse matrix (`SparseTensor` or `edge_index` as CSR in PyTorch Geometric, `torch.sparse.mm`, DGL's"
    .. " `u_mul_e_sum`): a sparse matmul (SpMM) reads each row, scales it and sums in registers, forward and backward.",
}
