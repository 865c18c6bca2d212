-- elementwise.lua - one result for each element: memory sets the time.

local LAUNCH_SIZED_US = 20 -- below, a launch weighs more than the bytes it moves

local function has_any(text, words)
  for _, word in ipairs(words) do
    if text:find(word, 1, true) then return true end
  end
  return false
end

-- What quantises a tensor, one pass over it each, before it is cast to 8 bits.
local QUANTISES = {abs = true, amax = true, amin = true, aminmax = true, max = true, min = true, div = true, mul = true, clamp = true,
  clamp_min = true, clamp_max = true, round = true, copy = true}

local function quantises(row)
  local name = row.name:gsub("^aten::", ""):gsub("_$", "")
  return QUANTISES[name] and element_bytes(row, 1) >= 2 and not (name == "mul" and numel(row, 2) == numel(row, 1))
end

-- Casts to 8 bits that matmuls read, by elements: how often, how long, the width of what they read; and one such matmul.
local function quantised_operands(category)
  local read, casts, gemm = {}, {}, nil
  for _, row in ipairs(category.trace.gemm.rows) do
    for i = 1, row.quantized == 1 and 2 or 0 do
      if element_bytes(row, i) == 1 then read[numel(row, i)], gemm = true, gemm or row.op end
    end
  end
  for _, row in ipairs(gemm and category.rows or {}) do
    local elements = numel(row, 1)
    if row.name == "aten::copy_" and row.dtype_cast == 1 and row.claimed == 0 and element_bytes(row, 1) == 1 and read[elements] then
      local it = casts[elements] or {count = 0, ms = 0, from = element_bytes(row, 2), source = element_bytes(row, 2), rows = {}}
      it.count, it.ms = it.count + row.count, it.ms + row.time_ms
      table.insert(it.rows, row)
      casts[elements] = it
    end
  end
  return casts, gemm
end

-- Without shapes, by counts: what runs once or twice for each 8-bit matmul, if rounding or the maximum does, and a clamp.
local AROUND = {abs = true, amax = true, amin = true, aminmax = true, minimum = true, maximum = true, div = true, mul = true, add = true,
  clamp = true, round = true, copy = true, reciprocal = true}

local function quantised_around(category)
  local matmuls, gemm = 0, nil
  for _, row in ipairs(category.trace.gemm.rows) do
    if has_any(row.name, {"_int_mm", "_scaled_mm"}) then matmuls, gemm = matmuls + row.count, gemm or row.op end
  end
  local it = {rows = {}, share_pct = 0, total_ms = 0, calls = 0, gemm = gemm, around = true}
  local finds, clamps = false, false
  for _, of in ipairs {category, category.trace.reduce} do
    for _, row in ipairs(matmuls > 0 and of.rows or {}) do
      local name = row.name:gsub("^aten::", ""):gsub("_$", "")
      if AROUND[name] and row.claimed == 0 and row.count >= matmuls then
        local part = math.min(1, 2 * matmuls / row.count) -- the rest is of something else
        finds = finds or part == 1 and has_any(name, {"round", "abs", "amax", "amin"})
        clamps = clamps or part == 1 and name == "clamp"
        table.insert(it.rows, row)
        it.share_pct, it.total_ms, it.calls = it.share_pct + part * row.p, it.total_ms + part * row.time_ms, it.calls + part * row.count
      end
    end
  end
  it.steps = math.floor(it.calls / math.max(1, matmuls) + 0.5)
  it.calls = math.floor(it.calls + 0.5)
  it.saving_low_ms, it.saving_high_ms = 0.7 * it.total_ms, 0.95 * it.total_ms
  return finds and clamps and it.steps >= 5 and it.share_pct >= 3 and it
end

pattern {
  id = "quantised_in_steps",
  category = "elementwise",
  scope = "category",
  summary = "operands of 8-bit matmuls are quantised by several kernels, one after the other",
  when = function(category)
    if category.trace.shapes_recorded ~= 1 then return quantised_around(category) end
    if not (category.cast_pct >= 1) then return false end
    local casts, gemm = quantised_operands(category)
    if not gemm then return false end
    local rows, share, ms, calls = {}, 0, 0, 0
    local function take(row)
      table.insert(rows, row)
      share, ms, calls = share + row.p, ms + row.time_ms, calls + row.count
    end
    local calls_of = {} -- by operator and elements: tensors of several shapes may have as many
    local function candidates(visit)
      for _, of in ipairs {category, category.trace.reduce} do
        for _, row in ipairs(of.rows) do
          local it = row.claimed == 0 and quantises(row) and casts[numel(row, 1)]
          if it then visit(row, it, row.name .. numel(row, 1)) end
        end
      end
    end
    candidates(function(row, _, key) calls_of[key] = (calls_of[key] or 0) + row.count end)
    candidates(function(row, it, key)
        if calls_of[key] >= it.count and calls_of[key] <= 2 * it.count then
          -- A cast to fp32 reads the source; all others read what is listed first.
          it.source = math.min(it.source, element_bytes(row, row.dtype_cast == 1 and 2 or 1))
          it.steps = true
          take(row)
        end
    end)
    local n, once_ms, twice_ms = 0, 0, 0
    for _, it in pairs(casts) do
      if it.steps then
        for _, row in ipairs(it.rows) do take(row) end
        n = n + it.count
        -- One kernel reads the source and writes 8 bits; where the scale is one for all, it reads it twice.
        once_ms = once_ms + it.ms * (it.source + 1) / (it.from + 1)
        twice_ms = twice_ms + it.ms * (2 * it.source + 1) / (it.from + 1)
      end
    end
    local steps = math.floor(calls / math.max(n, 1) + 0.5)
    return share >= 3 and steps >= 3 and {rows = rows, share_pct = share, total_ms = ms, calls = calls, steps = steps, gemm = gemm,
      saving_low_ms = 0.9 * (ms - twice_ms), saving_high_ms = ms - once_ms}
  end,
  title = function(_, it)
    return "Quantise to 8 bits in one kernel, not in {steps} " .. (it.around and "around" or "before") .. " each matmul"
  end,
  issue = function(_, it)
    return (it.around and "{calls} kernels quantise what {gemm} reads and scale what it writes, {steps} for each call"
      or "{calls} kernels quantise what {gemm} reads, {steps} after one another for each tensor")
      .. ": {share_pct}% of compute, {total_ms} ms. Each of them goes over the whole tensor again."
  end,
  path_a = "Quantise in one kernel that reads the 16-bit tensor and writes 8 bits with the scale (`torch.compile` around the function,"
    .. " vLLM's `scaled_fp8_quant`, torchao), or let the normalisation or activation before it write 8 bits. With a scale that is fixed"
    .. " beforehand, the pass for the maximum goes, too.",
  path_b = "Let the kernel before the matmul write 8 bits, with the maximum of each row as its scale.",
}

-- Work on fp32 that is not claimed: half of what it moves.
local function add_wide(it, row)
  if row.claimed ~= 0 or row.dtype_cast == 1 or dtype(row, 1) ~= "float" then return end
  table.insert(it.rows, row)
  local moves = known(row.efficiency) and math.min(1, row.efficiency / 100) or 0.5
  it.wide_ms = it.wide_ms + row.time_ms
  it.low_ms, it.high_ms = it.low_ms + 0.5 * moves * row.time_ms, it.high_ms + 0.5 * row.time_ms
end

-- Casts of weights, and of the layers' inputs: what goes over fp32 tensors of their sizes moves half if nothing is to be cast.
local function autocasts(category)
  local it = {rows = {}, inputs = {}, share_pct = 0, total_ms = 0, calls = 0, casts = 0, weights_ms = 0, wide_ms = 0}
  for _, row in ipairs(category.rows) do
    local inputs, weights = known(row.input_casts) and row.input_casts or 0, known(row.weight_casts) and row.weight_casts or 0
    if row.claimed == 0 and inputs + weights > 0 then
      table.insert(it.rows, row)
      if inputs > 0 then it.inputs[numel(row, 1)] = true end
      it.share_pct, it.total_ms, it.calls = it.share_pct + row.p, it.total_ms + row.time_ms, it.calls + weights
      it.casts = it.casts + row.count
      it.weights_ms = it.weights_ms + row.time_ms * weights / row.count
    end
  end
  return it
end

pattern {
  id = "autocast_weights",
  category = "elementwise",
  scope = "category",
  summary = "without a backward pass, autocast casts weights in each forward pass (3% of compute or more)",
  when = function(category)
    if category.trace.training == 1 or not (category.weight_cast_pct >= 3) then return false end
    local it = autocasts(category)
    if not (it.weights_ms > 0) then return false end
    it.low_ms, it.high_ms = 0.9 * it.total_ms, it.total_ms
    for _, of in ipairs {category, category.trace.norm, category.trace.batchnorm} do
      for _, row in ipairs(of.rows) do
        if it.inputs[numel(row, 1)] then add_wide(it, row) end
      end
    end
    it.inputs_ms, it.saving_low_ms, it.saving_high_ms = it.total_ms - it.weights_ms, it.low_ms, it.high_ms
    local all = 0
    for _, row in ipairs(it.rows) do all = all + row.count end
    it.spared_calls_pct = 100 * it.casts / all
    return it
  end,
  title = "Convert the model to 16 bits once: autocast casts its weights in every forward pass",
  issue = function(_, it)
    return "{calls} casts of weights and biases from fp32 to 16 bits take {weights_ms} ms"
      .. (it.inputs_ms > 0 and ", those of the layers' inputs {inputs_ms} ms" or "") .. ": {share_pct}% of compute."
      .. (it.wide_ms > 0 and " What runs in fp32 between the layers takes {wide_ms} ms, and would move half the bytes." or "")
  end,
  path_a = "Convert the model when it is loaded (`model.half()` or `model.to(torch.bfloat16)`) and drop autocast: the weights are then"
    .. " read in 16 bits, and nothing is cast. Keep single layers in fp32 where the results need it.",
  path_b = "Fuse what is still cast with the kernel before it.",
}

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
  title = "Fuse {op} with the kernels before and after it",
  issue = function(row)
    local times = row.chain_instances > 1 and ", {chain_instances} times" or ""
    return "{chain_module} runs {chain_kernels} kernels in a row" .. times .. ": {chain_ops}."
  end,
  path_a = "Fuse the chain ({chain_ops}) into one kernel with a compiler or by hand: {chain_kernels}"
    .. " launches per call become one.",
  path_b = "If the model code must stay, tune the slowest kernel of the chain, {chain_slowest}.",
}

pattern {
  id = "non_row_major",
  category = "elementwise",
  summary = "operands that are transposed or in different orders",
  when = function(row)
    return row.non_row_major == 1 and row.efficiency < 60 and row.p >= 1
  end,
  title = "Store the operands of {op} row-major",
  issue = "{op} reads {transposed_operands} in another order than row-major and reaches {efficiency}% of peak.",
  path_a = "Store {transposed_operands} row-major, or keep one memory format through the block.",
  path_b = "Replay this shape with contiguous operands and compare.",
}

-- It makes nothing new.
local function only_moves(row)
  return row.name:find("copy") or row.name:find("fill") or row.name:find("zero") or row.name:find("clone") or row.name:find("contiguous")
end

pattern {
  id = "low_baseline",
  category = "elementwise",
  summary = "a plain add, multiply, copy or fill below half of the bandwidth",
  when = function(row)
    return row.elementwise_class == "baseline" and row.time_criterion == 1
      and row.efficiency < 50 and row.mean_us >= LAUNCH_SIZED_US
  end,
  title = function(row)
    return only_moves(row) and "Avoid {op}, or tune its memory access" or "Fuse {op} with the operators around it"
  end,
  issue = "{op} only streams memory and reaches {tbs} of {peak_tbs} TB/s.",
  path_a = function(row)
    if only_moves(row) then return "Check whether it is a copy or type conversion that the code can do without." end
    return "Fuse it with the operators before and after it, by a compiler or by hand: its operands are then not written and read once more."
  end,
  path_b = "A streaming kernel should reach 70-80% of peak bandwidth; this one reaches {efficiency}%: replay it and"
    .. " compare kernels.",
}

-- Opaque to a compiler: what is no operator of PyTorch's, and what is one fused kernel already.
local function could_fuse(row) return row.name:find("^aten::") and not row.name:find("fused_") end

-- Sorting passes over its values several times.
local function sorts(row) return row.name:find("^aten::%a*sort") or row.name:find("topk") end

pattern {
  id = "very_low_elementwise",
  category = "elementwise",
  summary = "below 30% of the bandwidth though large enough",
  when = function(row)
    return row.efficiency < 30 and row.mean_us >= LAUNCH_SIZED_US and row.p >= 1 and not sorts(row)
  end,
  title = function(row)
    if row.compiled == 1 then return "Look for a graph break around {op}" end
    return could_fuse(row) and "Fuse {op} with its neighbours" or "Tune the kernel of {op}"
  end,
  issue = "{op} reaches {tbs} of {peak_tbs} TB/s ({efficiency}%).",
  path_a = function(row)
    if row.compiled == 1 then
      return "The compiler did not fuse this operator: look for a graph break or an operator that it cannot fuse."
    end
    if not could_fuse(row) then return nil end
    return "Fuse it with its neighbours so that the intermediate tensor is not written and read again; try"
      .. " `torch.compile` first."
  end,
  path_b = function(row)
    if not known(row.baseline_pct) or row.baseline_assumed == 1 then
      return "A streaming kernel should reach 70-80% of peak bandwidth: replay this shape and compare kernels."
    end
    return "Plain elementwise kernels of this trace reach {baseline_pct}%, so the kernel is the limit, not the"
      .. " hardware: replay and tune it."
  end,
}

pattern {
  id = "high_invocation_count",
  category = "elementwise",
  summary = "more than a thousand launches of one operator",
  counter = "they take 10 µs or more on average",
  when = function(row) return row.same_op_count > 1000 end,
  unless = function(row) return not (row.same_op_mean_us < 10) end,
  title = "Batch or fuse the {same_op_count} launches of {op}",
  issue = "{op} is launched {same_op_count} times, {same_op_mean_us} µs each on average.",
  path_a = "Batch the calls (foreach, a joined tensor) or fuse them into their neighbours.",
  path_b = "At {same_op_mean_us} µs each, launch overhead is a large part: merge launches before tuning the kernel.",
}

-- Both sides of matrices that products multiply by, either way round; of gradients of weights, which sum over all rows of
-- a batch, neither operand is a weight.
local function sides_of_products(trace)
  local sides = {}
  for _, row in ipairs(trace.gemm.rows) do
    if known(row.N) and known(row.K) and not (row.K > 64 * math.max(row.M, row.N)) then
      sides[("%d:%d"):format(row.N, row.K)], sides[("%d:%d"):format(row.K, row.N)] = true, true
    end
  end
  return sides
end

local function is_weight(row, sides)
  return rank(row, 1) == 2 and sides[("%d:%d"):format(dim(row, 1, 1), dim(row, 1, 2))]
end

-- A cast of 8-bit weights: none that a wider type of the weights would spare.
local function dequantises(row, sides)
  local writes_first = row.name == "aten::copy_" -- to make 8-bit numbers is no such cast
  local from = not writes_first and element_bytes(row, 1) == 1 and 1 or element_bytes(row, 2) == 1 and 2
  return row.dtype_cast == 1 and from and dtype(row, from) ~= "bool" and is_weight(row, sides)
end

local function side_of(row) return ("%d:%d"):format(dim(row, 1, 1), dim(row, 1, 2)) end

-- Products with such weights are bound by what they compute: they take longer where they dequantise, too.
local function compute_bound(trace, sizes)
  for _, row in ipairs(trace.gemm.rows) do
    local sides = known(row.N) and known(row.K) and row.bound == "compute"
    if sides and (sizes[("%d:%d"):format(row.N, row.K)] or sizes[("%d:%d"):format(row.K, row.N)]) then return true end
  end
  return false
end

pattern {
  id = "dequantised_by_hand",
  category = "elementwise",
  scope = "category",
  summary = "8-bit weights are cast and scaled by kernels of their own before each matmul",
  when = function(category)
    if not (category.cast_pct >= 3) then return false end
    local rows, sizes, share, ms, calls = {}, {}, 0, 0, 0
    local sides = sides_of_products(category.trace)
    for _, row in ipairs(category.rows) do
      if dequantises(row, sides) then sizes[side_of(row)] = row.count end
    end
    local low = compute_bound(category.trace, sizes) and 0.5 or 0.9
    -- What has a weight's size, no more often than it is cast, scales it.
    for _, row in ipairs(category.rows) do
      local casts = rank(row, 1) == 2 and sizes[side_of(row)]
      if casts and row.claimed == 0 and row.memcpy_only ~= 1 and row.count <= casts
          and (row.dtype_cast ~= 1 or dequantises(row, sides)) then
        table.insert(rows, row)
        share, ms, calls = share + row.p, ms + row.time_ms, calls + row.count
      end
    end
    return share >= 3 and {rows = rows, share_pct = share, total_ms = ms, calls = calls,
      saving_low_ms = low * ms, saving_high_ms = ms}
  end,
  title = "Use a GEMM that reads 8-bit weights: {op} converts them before each",
  issue = "{calls} kernels cast and scale 8-bit weights into 16-bit ones that a matmul reads again: {share_pct}% of compute, {total_ms} ms.",
  path_a = "Use a GEMM that dequantises weights as it loads them (Marlin, Machete, `torch.ops.aten._weight_int8pack_mm`, a compiled"
    .. " region): nothing is written between, and the matmul reads half the bytes. At large batches, keep the weights in 16 bits"
    .. " if they fit: quantised ones then save memory, not time.",
  path_b = "Fuse the cast and the scale into the operand load of the GEMM.",
}

-- Normalisations of fp32 tensors, by the elements of their input: calls, time, and the name of the longest.
local function wide_norms(trace)
  local sizes, longest = {}, nil
  for _, category in ipairs {trace.norm, trace.batchnorm} do
    for _, row in ipairs(category.rows) do
      local elements = numel(row, 1)
      if dtype(row, 1) == "float" and known(elements) then
        sizes[elements] = (sizes[elements] or 0) + row.count
        if not longest or row.time_ms > longest.time_ms then longest = row end
      end
    end
  end
  return sizes, longest
end

-- Forward and backward, of what it reads and what it gives.
local CASTS_OF_NORM = 4

-- What works in fp32 between the casts, where a normalisation has one on either side, moves half the bytes in 16 bits.
local function add_between(it, category)
  for _, of in ipairs {category, category.trace.norm, category.trace.batchnorm} do
    for _, row in ipairs(of.rows) do
      local elements = numel(row, 1)
      local casts, norms = it.counts[elements], it.sizes[elements]
      if casts and casts >= 2 * norms then add_wide(it, row) end
    end
  end
end

local function casts_16_bits(row)
  return row.dtype_cast == 1 and row.memcpy_only ~= 1 and (element_bytes(row, 1) == 2 or element_bytes(row, 2) == 2)
end

local function norm_casts(category)
  local sizes, norm = wide_norms(category.trace)
  local it = {rows = {}, counts = {}, sizes = sizes, norm = norm, share_pct = 0, total_ms = 0, calls = 0, wide_ms = 0}
  for _, row in ipairs(category.rows) do
    local elements = numel(row, 1)
    if row.claimed == 0 and sizes[elements] and casts_16_bits(row) then
      table.insert(it.rows, row)
      it.counts[elements] = (it.counts[elements] or 0) + row.count
      it.share_pct, it.total_ms, it.calls = it.share_pct + row.p, it.total_ms + row.time_ms, it.calls + row.count
    end
  end
  return it
end

pattern {
  id = "casts_around_norm",
  category = "elementwise",
  scope = "category",
  summary = "16-bit tensors are cast to fp32 for a normalisation, and back",
  counter = "more or fewer tensors of that size are cast than it reads and gives",
  when = function(category)
    local it = category.cast_pct >= 3 and norm_casts(category)
    if not it or it.share_pct < 3 then return false end
    it.low_ms, it.high_ms = 0.8 * it.total_ms, it.total_ms
    add_between(it, category)
    return {rows = it.rows, share_pct = it.share_pct, total_ms = it.total_ms, calls = it.calls, wide_ms = it.wide_ms,
      norm = quote(it.norm.modules[#it.norm.modules] or it.norm.name:gsub("_backward$", "")), saving_low_ms = it.low_ms, saving_high_ms = it.high_ms}
  end,
  unless = function(category)
    local it = norm_casts(category)
    for elements, count in pairs(it.counts) do
      if count < it.sizes[elements] or count > CASTS_OF_NORM * it.sizes[elements] then return true end
    end
    return false
  end,
  title = "Run {norm} in 16 bits, without the casts to fp32 around it",
  issue = function(_, it)
    return "{calls} casts take what {norm} reads to fp32, and what it gives back to 16 bits: {share_pct}% of compute, {total_ms} ms."
      .. (it.wide_ms > 0 and " What runs in fp32 between them takes {wide_ms} ms, and would move half the bytes." or "")
  end,
  path_a = "Let it take 16-bit tensors: its kernels sum in fp32 all the same, and then move half the bytes, too. Where autocast makes the"
    .. " casts, keep the weights of the model in 16 bits, or call the module under `torch.autocast(..., enabled=False)`.",
  path_b = "Use a kernel of this normalisation that reads and writes 16 bits.",
}

pattern {
  id = "dtype_cast_traffic",
  category = "elementwise",
  scope = "category",
  summary = "copies between data types take 3% of compute or more",
  when = function(category)
    if not (category.cast_pct >= 3) then return false end
    local rows, share, ms, calls, weights_ms, told = {}, 0, 0, 0, 0, 0
    local sides = sides_of_products(category.trace)
    for _, row in ipairs(category.rows) do
      if row.dtype_cast ~= 1 or row.memcpy_only == 1 then goto continue end
      if row.claimed ~= 0 then
        told = told + row.count
      elseif not dequantises(row, sides) then
        table.insert(rows, row)
        share, ms, calls = share + row.p, ms + row.time_ms, calls + row.count
        weights_ms = weights_ms + (is_weight(row, sides) and row.time_ms or 0)
      end
      ::continue::
    end
    -- Fused into its reader, a cast still reads the wider type; weights of that type need none.
    return share >= 3 and {rows = rows, share_pct = share, total_ms = ms, calls = calls, weights_ms = weights_ms, told = told,
      saving_low_ms = 0.5 * ms + 0.4 * weights_ms, saving_high_ms = ms}
  end,
  title = function(_, it)
    if 2 * it.weights_ms > it.total_ms then return "Keep the weights in the type of the matmuls: {op} casts them" end
    return "Keep one data type to avoid casts by {op}"
  end,
  issue = function(_, it)
    return (it.told > 0 and "Another {calls}" or "{calls}") .. " copies convert between data types: {share_pct}% of compute, {total_ms} ms"
      .. (it.told > 0 and ", beside the {told} of other findings." or ".")
  end,
  path_a = function(_, it)
    if 2 * it.weights_ms > it.total_ms then
      return "Keep the weights in the type that the matmuls read (with a wider copy in the optimizer), or convert each once a"
        .. " step: casts of weights and of their gradients take {weights_ms} ms."
    end
    return "Keep one data type through the block, or fuse each cast with the kernel that reads it."
  end,
  path_b = "Let the kernel before a cast write the type that the next one reads.",
}
