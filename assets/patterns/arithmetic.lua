-- arithmetic.lua - the precision of kernels, first that of matmuls and convolutions. Early, since in another type
-- another kernel runs, and what is said of this one no longer holds.

-- Is it the type that sets the time? Not of calls as short as a launch, nor far above what
-- matrix units need, nor where a slow stream of bytes does.
-- A depthwise convolution multiplies no matrices: no matrix unit takes part in it, in whatever type. Of a matrix and a
-- vector the time is that of reading the matrix.
local function type_limits(row)
  local names = (row.name .. row.kernel):lower()
  return row.fp32_kernel == 1 and not names:find("depthwise", 1, true) and not names:find("gemv", 1, true)
    and not row.anomaly and row.mean_us >= 20
    and not (row.time_ms > 40 * row.half_ms)
    and not (row.bound == "memory" and row.efficiency < 30)
end

-- What narrower types would take, where every row has a model.
local function narrower(v)
  if not known(v.half_ms) then return "" end
  if not known(v.tf32_ms) then return "; the roofline for 16-bit inputs is {half_ms} ms" end
  return "; the roofline is {tf32_ms} ms for TF32 and {half_ms} ms for 16-bit inputs"
end

-- So long, without shapes, a kernel of a matmul computes: it would read a hundred megabytes and more meanwhile.
local LONG_US = 100

-- Of matmuls without a model, at rates that are to each other as the peaks: from TF32 (or 16 bits, where there is none) at
-- 60% of what that promises, for long kernels alone, to 16 bits at 80% for all.
local function saving_by_peaks(trace, sum)
  local widest = trace.tf32_units == 1 and trace.tf32_rate or trace.half_rate
  if trace.fp32_units == 1 or not (0.6 * widest > 1) then return end
  return sum.long_ms * (1 - 1 / (0.6 * widest)), sum.ms * (1 - 1 / (0.8 * trace.half_rate))
end

-- Attention multiplies as matmuls do, and one change of type serves both.
local together = {gemm = {"gemm", "sdpa_fwd", "sdpa_bwd"}, convolution = {"convolution"}}

local function fp32_rows(trace, categories)
  local sum = {rows = {}, ms = 0, tf32 = 0, half = 0, known_ms = 0, known_half = 0, known_tf32 = 0,
    first_ms = 0, long_ms = 0}
  for i, name in ipairs(categories) do
    for _, row in ipairs(trace[name].rows) do
      if type_limits(row) and row.unfolds ~= 1 then -- those no flag of a library reaches
        table.insert(sum.rows, row)
        sum.ms, sum.tf32, sum.half = sum.ms + row.time_ms, sum.tf32 + row.tf32_ms, sum.half + row.half_ms
        if i == 1 and row.mean_us >= LONG_US then sum.long_ms = sum.long_ms + row.time_ms end
        if known(row.half_ms) then
          sum.known_ms, sum.known_half = sum.known_ms + row.time_ms, sum.known_half + row.half_ms
          sum.known_tf32 = sum.known_tf32 + row.tf32_ms
        end
      end
    end
    if i == 1 then sum.first_ms = sum.ms end
  end
  return sum
end

-- Containers and the layers that multiply, whose owner is the module around them.
local layers = {Linear = true, Sequential = true, ModuleList = true, NonDynamicallyQuantizableLinear = true}

local function owner(row)
  for i = #row.modules, 1, -1 do
    if not layers[row.modules[i]] then return row.modules[i] end
  end
end

-- Where most calls of matmuls take 16 bits already: their number, and the one or two modules of which that is not so.
local function left_in_fp32(trace, rows)
  local half, wide, of_half, seen, names = 0, 0, {}, {}, {}
  for _, row in ipairs(trace.gemm.rows) do
    if row.dtype == "fp16" or row.dtype == "bf16" then
      half = half + row.count
      if owner(row) then of_half[owner(row)] = true end
    end
  end
  for _, row in ipairs(rows) do
    local name = owner(row)
    wide = wide + row.count
    if name and not seen[name] and not of_half[name] then names[#names + 1] = name end
    if name then seen[name] = true end
  end
  if half <= wide then return 0, {} end
  return half, #names <= 2 and names or {}
end

for _, category in ipairs {"gemm", "convolution"} do
  local what = category == "gemm" and "matmuls" or "convolutions"
  pattern {
    id = "fp32_matrix",
    category = category,
    scope = "category",
    summary = "fp32 " .. what .. " on a device with matrix units for lower precision",
    counter = "the device has no such units; calls below 20 µs, or 40 times the roofline, never count",
    when = function(c)
      local sum = fp32_rows(c.trace, together[category])
      local all_ms = c.trace.computation_ms
      if not (sum.first_ms >= 0.02 * all_ms and sum.first_ms > 0) then return false end
      local values = {rows = sum.rows, fp32_ms = sum.ms, tf32_ms = sum.tf32, half_ms = sum.half,
        products_ms = sum.first_ms, attention_ms = sum.ms - sum.first_ms,
        tf32_units = c.trace.tf32_units, fp32_units = c.trace.fp32_units, share_pct = 100 * sum.ms / all_ms}
      local names = {}
      values.half_calls = 0
      if category == "gemm" then values.half_calls, names = left_in_fp32(c.trace, sum.rows) end
      if #names > 0 then values.modules, values.their = table.concat(names, " and "), #names == 1 and "its" or "their" end
      local one = true
      for _, row in ipairs(sum.rows) do one = one and row.name == sum.rows[1].name end
      values.of = one and "{op}: it runs in fp32"
        or "the fp32 " .. what .. (values.attention_ms > 0 and " and attention" or "")
      -- 60% of the peak of the widest type that is advised are in reach, 80% of that of the narrowest; of rows
      -- without a model, the same part.
      local widest_ms = values.tf32_units == 1 and not values.modules and known(sum.known_tf32) and sum.known_tf32 > 0 and sum.known_tf32 or sum.known_half
      if sum.known_half < 0.6 * sum.known_ms then
        values.saving_low_ms = math.max(0, sum.known_ms - widest_ms / 0.6)
        values.saving_high_ms = sum.ms * (1 - sum.known_half / sum.known_ms / 0.8)
      elseif sum.known_ms == 0 then
        values.saving_low_ms, values.saving_high_ms = saving_by_peaks(c.trace, sum)
      end
      return values
    end,
    unless = function(c) return c.trace.matrix_units ~= 1 end,
    title = function(_, v)
      if v.modules then return "Let {modules} run under autocast: {their} matmuls are fp32" end
      return (v.tf32_units == 1 and "Use TF32 or autocast" or "Use autocast") .. " for " .. v.of
    end,
    issue = function(_, v)
      local parts = v.attention_ms > 0
        and "{products_ms} ms of matmuls and {attention_ms} ms of attention" or "{fp32_ms} ms of " .. what
      -- Attention in fp32 may be summed up from TF32 matmuls, whatever its kernel is called.
      local units = v.fp32_units == 1 and ", which the matrix units multiply several times slower than 16-bit values"
        or v.attention_ms > 0 and "" or ", without the matrix units"
      return parts .. " ({share_pct}% of compute) run in fp32" .. units .. narrower(v) .. "."
    end,
    path_a = function(_, v)
      if v.modules then
        return "Remove what keeps {their} matmuls in fp32 (`torch.autocast(enabled=False)`, `.float()`): {half_calls} calls of matmuls in"
          .. " this trace take 16-bit inputs already. What must stay in fp32 for its range is seldom the matmul itself."
      end
      local switch = category == "gemm" and " (`torch.set_float32_matmul_precision('high')`)" or " in convolutions"
      if v.tf32_units == 1 then
        local worth = v.saving_low_ms and " The low end of the saving is that of TF32, the high end that of 16 bits." or ""
        return "Allow TF32" .. switch .. ", or use mixed precision (`torch.autocast`), which saves more where 16 bits suffice." .. worth
      end
      return v.half_calls > 0 and "Find what keeps these in fp32 (`torch.autocast(enabled=False)`, `.float()`): {half_calls} calls of"
        .. " matmuls in this trace take 16-bit inputs already." or "Use mixed precision (`torch.autocast`)."
    end,
  }
end

for _, category in ipairs {"gemm", "convolution"} do
  pattern {
    id = "bf16_without_units",
    category = category,
    scope = "category",
    summary = "matmuls or convolutions in bf16 on a device whose matrix units take fp16 but not bf16, 5% of compute or more",
    counter = "the device has such units",
    when = function(c)
      local it = {rows = {}, total_ms = 0, share_pct = 0}
      for _, row in ipairs(c.rows) do
        if row.dtype == "bf16" and row.claimed == 0 and row.mean_us >= 20 then
          it.rows[#it.rows + 1] = row
          it.total_ms, it.share_pct = it.total_ms + row.time_ms, it.share_pct + row.p
        end
      end
      -- fp16 units do four to eight times what such a device does without them.
      it.saving_low_ms, it.saving_high_ms = 0.6 * it.total_ms, 0.88 * it.total_ms
      return it.share_pct >= 5 and it
    end,
    unless = function(c) return c.trace.matrix_units ~= 1 or c.trace.bf16_units ~= 0 end,
    title = "Use fp16: this device has no matrix units for bf16",
    issue = "{total_ms} ms ({share_pct}% of compute) multiply bf16, for which this device has no matrix units: it converts to fp32 and"
      .. " multiplies there.",
    path_a = "Load the model in fp16 (`torch_dtype=torch.float16`, `torch.autocast(dtype=torch.float16)`; with a `GradScaler` in training),"
      .. " which the matrix units take, or run it on a device from Ampere on.",
  }
end

-- A copy of doubles to another type, which is not needed where they are none.
local function casts_fp64(row) return row.dtype_cast == 1 and (dtype(row, 2) == "double" or dtype(row, 1) == "double") end

-- By its operands; else the first type that a kernel is compiled for, behind a count, is that of its elements.
-- Libraries name their matmuls of doubles after BLAS or the instruction.
local function is_fp64(row)
  local kernel = row.kernel
  if row.dtype == "fp64" or casts_fp64(row) then return true end
  if not kernel:find("double", 1, true) then return kernel:find("dgemm", 1, true) or kernel:find("d884gemm", 1, true) end
  return kernel:find("<double", 1, true) or kernel:find("<%d+, ?double") or kernel:find("fft", 1, true) and kernel:find("double>", 1, true)
end

local COMPUTED = {sin = true, cos = true, tan = true, exp = true, log = true, pow = true, tanh = true, sigmoid = true, erf = true,
  sqrt = true, rsqrt = true}

-- Half the bytes take half the time, at best. What arithmetic bounds reaches `part` of the peak of fp32, but no more than
-- it does in fp64.
local function in_fp32_ms(row, part)
  if casts_fp64(row) then return 0 end
  local name = row.name:match("^aten::(%l+)_?$")
  -- What computes much for each value waits for that in fp64, and for half the bytes in fp32.
  if name and COMPUTED[name] and known(row.efficiency) then return 0.5 * row.efficiency / 100 * row.time_ms / part end
  return known(row.fp32_ms) and row.fp32_ms / math.min(part, row.efficiency / 100) or row.time_ms
end

local FP64_CATEGORIES = {"gemm", "convolution", "elementwise", "reduce", "norm", "batchnorm", "other"}

-- Lists of tensors are recorded without types: elements of 8 bytes that take no longer to join than to compute.
local function joins_fp64(row, trace)
  if not (row.subcategory == "cat_split" and row.kernel:find("OpaqueType<8", 1, true)) then return false end
  for _, name in ipairs {"elementwise", "gemm"} do
    for _, from in ipairs(trace[name].rows) do
      if from.time_ms < row.time_ms then break end
      if from.dtype == "fp64" then return true end
    end
  end
  return false
end

-- Rows in double precision, and their time; of a row so long that it matters: names are long, and rows many.
local function fp64_of(category)
  local rows, ms, least_ms = {}, 0, 0.0005 * category.trace.computation_ms
  for _, row in ipairs(category.rows) do
    if row.time_ms < least_ms then break end -- the longest come first
    if row.memcpy_only ~= 1 and (is_fp64(row) or joins_fp64(row, category.trace)) then
      table.insert(rows, row)
      ms = ms + row.time_ms
    end
  end
  return rows, ms
end

-- One conversion ends them in all categories.
for _, category in ipairs(FP64_CATEGORIES) do
  pattern {
    id = "fp64_kernels",
    category = category,
    scope = "category",
    summary = "kernels in double precision take 3% of compute or more",
    cause = "double precision",
    when = function(c)
      local rows = fp64_of(c)
      if #rows == 0 then return false end
      local all_ms, low_ms, high_ms = 0, 0, 0
      for _, name in ipairs(FP64_CATEGORIES) do
        local _, ms = fp64_of(c.trace[name])
        all_ms = all_ms + ms
      end
      for _, row in ipairs(rows) do
        low_ms = low_ms + row.time_ms - math.min(0.6 * row.time_ms, in_fp32_ms(row, 0.5))
        high_ms = high_ms + row.time_ms - math.min(0.5 * row.time_ms, in_fp32_ms(row, 0.8))
      end
      return all_ms >= 0.03 * c.trace.computation_ms
        and {rows = rows, all_ms = all_ms, share_pct = 100 * all_ms / c.trace.computation_ms, kernel = rows[1].kernel,
          saving_low_ms = low_ms, saving_high_ms = high_ms}
    end,
    title = "Use fp32 instead of fp64",
    issue = "Kernels in double precision take {all_ms} ms ({share_pct}% of compute).",
    path_a = "Find where float64 enters (NumPy arrays, Python numbers made tensors, `.double()`) and convert the"
      .. " tensor to float32 there: half the bytes, and no fp64 arithmetic.",
  }
end

-- A model of its own that computes in fp32 beside one in 16 bits, such as the decoder of an image pipeline: its matmuls,
-- convolutions and attention, and what is in its module, or goes over tensors of the sizes that these read.
local PRODUCTS = {"convolution", "gemm", "sdpa_fwd"}

local function wide_part(trace)
  local it = {sizes = {}, wide_ms = 0, half_ms = 0, wide_calls = 0, half_calls = 0, of = {}, module = nil}
  for _, name in ipairs(PRODUCTS) do
    for _, row in ipairs(trace[name].rows) do
      if row.dtype == "fp16" or row.dtype == "bf16" then
        it.half_ms = it.half_ms + row.time_ms
        it.half_calls = it.half_calls + row.count
      elseif row.dtype == "fp32" and row.claimed == 0 and not type_limits(row) then
        it.wide_ms = it.wide_ms + row.time_ms
        it.wide_calls = it.wide_calls + row.count
        for i = 1, 2 do
          if numel(row, i) > 1 then it.sizes[numel(row, i)] = true end
        end
        local module = row.modules[1]
        if module then
          it.of[module] = (it.of[module] or 0) + row.time_ms
          if it.of[module] > 0.8 * it.wide_ms then it.module = module end
        end
      end
    end
  end
  if it.module and not (it.of[it.module] > 0.8 * it.wide_ms) then it.module = nil end
  local most_calls = it.half_calls >= 4 * it.wide_calls and it.half_ms >= 0.25 * it.wide_ms
  it.found = it.wide_ms >= 0.05 * trace.computation_ms and (it.half_ms >= it.wide_ms or most_calls)
  return it
end

local function is_of_part(row, it)
  return row.dtype == "fp32" and row.claimed == 0 and row.dtype_cast ~= 1 and not type_limits(row)
    and (it.sizes[numel(row, 1)] or it.module and row.modules[1] == it.module)
end

local WIDE_CATEGORIES = {"convolution", "gemm", "sdpa_fwd", "norm", "batchnorm", "elementwise", "other"}

for _, category in ipairs(WIDE_CATEGORIES) do
  pattern {
    id = "fp32_part",
    category = category,
    scope = "category",
    summary = "without a backward pass, matmuls and convolutions of one part run in fp32 (5% of compute or more), most others in 16 bits",
    cause = "fp32 beside 16 bits",
    when = function(c)
      if c.trace.training == 1 or c.trace.matrix_units ~= 1 then return false end
      local it = wide_part(c.trace)
      if not it.found then return false end
      local rows, ms, all_ms = {}, 0, 0
      for _, name in ipairs(WIDE_CATEGORIES) do
        for _, row in ipairs(c.trace[name].rows) do
          if is_of_part(row, it) then
            all_ms = all_ms + row.time_ms
            if name == category then
              table.insert(rows, row)
              ms = ms + row.time_ms
            end
          end
        end
      end
      -- Half the bytes and twice the peak of TF32, of what does not wait for something else.
      return #rows > 0 and {rows = rows, all_ms = all_ms, share_pct = 100 * all_ms / c.trace.computation_ms, part = it.module or "",
        saving_low_ms = 0.4 * ms, saving_high_ms = 0.5 * ms}
    end,
    title = function(_, it)
      return it.part ~= "" and "Run {part} in 16 bits: it computes in fp32, the rest of the model does not"
        or "Run the fp32 part in 16 bits, as the rest of the model"
    end,
    issue = "{all_ms} ms ({share_pct}% of compute) are kernels in fp32 of one part, while most matmuls of this trace take 16 bits.",
    path_a = function(_, it)
      return "Load " .. (it.part ~= "" and "{part}" or "it") .. " in bf16, which has the range of fp32, or in fp16 if its values fit: half the bytes, and"
        .. " twice the rate of TF32. Pipelines raise the decoder of images to fp32 (`force_upcast`) because the original overflows in"
        .. " fp16: bf16, or weights that are made for fp16, do not."
    end,
  }
end
