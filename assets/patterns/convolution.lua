-- convolution.lua - convolutions, and the layout conversions inside them.

-- Of the peak, without what is only conversions of a layout.
local function reached(row) return known(row.main_pct) and row.main_pct or row.efficiency end

-- PyTorch's own kernels, of one thread for each output and one reduction for each weight.
local function is_native_depthwise(row)
  return row.claimed == 0 and row.kernel:lower():find("conv_depthwise", 1, true)
end

pattern {
  id = "native_depthwise",
  category = "convolution",
  scope = "category",
  summary = "depthwise convolutions run on PyTorch's own kernels, 5% of compute or more",
  when = function(c)
    local rows, ms, share_pct = {}, 0, 0
    for _, row in ipairs(c.rows) do
      if is_native_depthwise(row) then
        table.insert(rows, row)
        ms, share_pct = ms + row.time_ms, share_pct + row.p
      end
    end
    -- Kernels that tile take a half to a seventh of it.
    return share_pct >= 5 and {rows = rows, total_ms = ms, share_pct = share_pct,
      saving_low_ms = 0.5 * ms, saving_high_ms = 0.85 * ms}
  end,
  title = "Replace the native kernels of the depthwise convolutions",
  issue = "The depthwise convolutions take {total_ms} ms, {share_pct}% of compute, in kernels that use neither tiles nor matrix units.",
  path_a = "Run them channels-last in fp16 or bf16 (`model.to(memory_format=torch.channels_last)`): filters of 1, 3 and 5 then go to the"
    .. " library's depthwise kernels. For larger filters use an implementation as implicit GEMM, or one that a compiler writes.",
  path_b = "Write tiled kernels, above all for the gradient of the weights, whose reduction over the batch is the longest.",
}

-- Whether there is another key.
local function next_of(set, key)
  for other in pairs(set) do
    if other ~= key then return true end
  end
  return false
end

-- Kernels that convolve, and none that only converts a layout or a type.
local CONVOLVES = {"conv", "gemm", "xmma", "tensorop", "fprop", "dgrad", "wgrad", "engine", "winograd", "fft"}

local function convolves(kernel)
  local name = kernel.name:lower()
  for _, word in ipairs(CONVOLVES) do
    if name:find(word, 1, true) then return true end
  end
  return false
end

-- Where every call tries them, each twice or more: kinds of kernels, and their time but for that of one kernel of a forward
-- call, two of a backward call.
local function repeated(row)
  local kinds, launches, us = 0, 0, 0
  for _, kernel in ipairs(row.kernels) do
    if convolves(kernel) then
      kinds, launches, us = kinds + 1, launches + kernel.count, us + kernel.total_us
    end
  end
  local kept = row.count * (row.name:find("backward", 1, true) and 2 or 1)
  if kinds < 4 or launches < 4 * kept then return 0, 0 end
  return kinds, us * (1 - kept / launches) / 1000
end

-- A kernel that is tried twice, or on two grids, is one.
local function names_of(kernels)
  local seen, n = {}, 0
  for _, kernel in ipairs(kernels) do
    if not seen[kernel.name] then seen[kernel.name], n = true, n + 1 end
  end
  return n
end

-- What a library tries before it chooses, and how long that takes: the first call of a row launches kernels that the others do
-- not. Where there are no others, more of them than a convolution and its conversions have.
local function tried(row)
  if known(row.trials_ms) then return names_of(row.kernels), row.trials_ms end
  local rare, rare_us, us, calls, kernels = 0, 0, 0, 0, row.kernels
  for _, kernel in ipairs(kernels) do
    us, calls = us + kernel.total_us, math.max(calls, kernel.count)
    if 2 * kernel.count <= row.count then
      rare, rare_us = rare + 1, rare_us + kernel.total_us
    elseif kernel.count > row.count then
      rare_us = rare_us + (kernel.count - row.count) * kernel.mean_us
    end
  end
  if rare >= 3 then return #kernels, rare_us / 1000 end
  local kinds, trials_ms = repeated(row)
  if kinds > 0 then return kinds, trials_ms end
  if calls ~= row.count or #kernels < 10 then return 0, 0 end
  return #kernels, (us - us / #kernels) / 1000
end

-- What is chosen without a search may take half as long again as the best. Which launches are trials is a guess where no
-- call times them.
local function saved_at_least(row, ms)
  return math.max(0.9 * ms, known(row.trials_ms) and ms - 0.5 * (row.time_ms - ms) or 0)
end

local function sizes_of(row, place)
  local text = ""
  for k = 1, rank(row, place) do text = text .. dim(row, place, k) .. "x" end
  return text
end

-- Sizes of input and filter, without strides and padding if need be; backward calls begin with the gradient.
local function operands(row)
  if known(row.input_shape) and known(row.filter_shape) then return row.input_shape, row.filter_shape end
  local first = row.name:find("backward", 1, true) and 2 or 1
  if not known(rank(row, first + 1)) then return nil end
  return sizes_of(row, first), sizes_of(row, first + 1)
end

-- One filter and batch on inputs of several sizes, each of which is tried on several kernels.
pattern {
  id = "searched_for_each_size",
  category = "convolution",
  scope = "category",
  summary = "each new input size makes the library try kernels for its convolutions, 5% of compute or more",
  when = function(c)
    local it, sizes, several = {rows = {}, total_ms = 0, share_pct = 0, kinds = 0, saving_low_ms = 0}, {}, 0
    for _, row in ipairs(c.rows) do
      local kinds, ms = tried(row)
      if row.claimed == 0 and ms > 0 then
        it.rows[#it.rows + 1] = row
        it.saving_low_ms = it.saving_low_ms + saved_at_least(row, ms)
        it.total_ms, it.kinds = it.total_ms + ms, math.max(it.kinds, kinds)
        local input, filter = operands(row)
        if input then
          sizes[filter] = sizes[filter] or {}
          local other = next_of(sizes[filter], input)
          sizes[filter][input] = true
          several = several + (other and 1 or 0)
        end
      end
    end
    -- Without shapes: whoever searches to the end, does so for something new.
    if c.trace.shapes_recorded ~= 1 and c.search_goes_on == 1 then several = 2 end
    it.share_pct = 100 * it.total_ms / c.trace.computation_ms
    it.saving_high_ms = it.total_ms
    return it.share_pct >= 5 and several >= 2 and it
  end,
  title = "Keep to a few input sizes: each new one searches for kernels",
  issue = "For each new input size the library tries up to {kinds} kernels on every convolution: {total_ms} ms ({share_pct}% of compute),"
    .. " besides the memory of these trials.",
  path_a = "Turn the library's search off (`benchmark = False` of its `torch.backends`), or resize or pad inputs to a few fixed sizes, so that"
    .. " each is searched for once.",
}

-- A library's last resort, where no other solver takes the shape, type or layout: one thread for each result, no matrix units.
local function is_naive(row) return row.claimed == 0 and row.kernel:lower():find("naive_conv", 1, true) end

pattern {
  id = "naive_convolution",
  category = "convolution",
  scope = "category",
  summary = "a library falls back to naive convolutions, 2% of compute or more",
  when = function(c)
    local rows, ms, calls, share_pct = {}, 0, 0, 0
    for _, row in ipairs(c.rows) do
      if is_naive(row) then
        table.insert(rows, row)
        ms, calls, share_pct = ms + row.time_ms, calls + row.count, share_pct + row.p
      end
    end
    return share_pct >= 2 and {rows = rows, total_ms = ms, calls = calls, share_pct = share_pct,
      saving_low_ms = 0.8 * ms, saving_high_ms = 0.97 * ms}
  end,
  title = "Find another solver: convolutions fall back to a naive one",
  issue = "{calls} convolutions run on naive kernels, which use no matrix units: {total_ms} ms, {share_pct}% of compute.",
  path_a = "Let the library search (`MIOPEN_FIND_ENFORCE=search`), update it, or change what other solvers"
    .. " refuse: the layout (`channels_last`, `channels_last_3d`), the type (fp16 or bf16), or odd channel counts."
    .. " `MIOPEN_LOG_LEVEL=5` tells why each one was refused.",
}

-- PyTorch's own fallback where no library takes the type, the dilation or the shape: a loop over samples, each unfolded into a
-- matrix and multiplied.
pattern {
  id = "unfolded_convolution",
  category = "convolution",
  scope = "category",
  summary = "convolutions fall back to unfolding and multiplying each sample alone, 2% of compute or more",
  when = function(c)
    local it = {rows = {}, total_ms = 0, calls = 0, launches = 0, share_pct = 0, spared_calls_pct = 100}
    for _, row in ipairs(c.rows) do
      if row.claimed == 0 and row.unfolds == 1 then
        it.rows[#it.rows + 1] = row
        it.total_ms, it.calls, it.share_pct = it.total_ms + row.time_ms, it.calls + row.count, it.share_pct + row.p
        for _, kernel in ipairs(row.kernels) do it.launches = it.launches + kernel.count end
      end
    end
    it.nearly_all = it.total_ms >= 0.8 * c.time_ms and #it.rows > 1
    it.saving_low_ms, it.saving_high_ms = 0.8 * it.total_ms, 0.97 * it.total_ms
    if it.nearly_all then it.saving_low_ms, it.saving_high_ms = 0.3 * it.total_ms, 0.8 * it.total_ms end
    return it.share_pct >= 2 and it
  end,
  title = function(_, it)
    return it.nearly_all and "Switch the convolution library on: convolutions multiply each sample alone"
      or "Replace the convolution that multiplies each sample alone"
  end,
  issue = function(_, it)
    return "{calls} calls of " .. (#it.rows > 1 and "convolutions" or "{op}") .. " launch {launches} kernels, {total_ms} ms ({share_pct}% of"
      .. " compute): each sample is unfolded into a matrix and multiplied alone, as PyTorch does where no library takes the type,"
      .. " dilation or shape."
  end,
  path_a = function(_, it)
    if it.nearly_all then
      return "See whether the library is switched off (`enabled = False` of its `torch.backends`) or missing: nearly all convolutions"
        .. " take this way, which it leaves only what it has no kernel for."
    end
    return "Where windows do not overlap, as in a patch embedding, write it as `reshape` and `F.linear`: one matmul for all samples."
      .. " Otherwise use a type and a dilation that the library takes, or two convolutions of one dimension less."
  end,
}

-- Rows in 16 bits of which a matrix unit cannot read 8 channels at a time, and which take at least as long as on vector units,
-- whose peak is a quarter of theirs or less. A network's input has few channels whatever one does.
local function off_by_channels(row)
  local few, many = math.min(row.in_channels, row.out_channels), math.max(row.in_channels, row.out_channels)
  return row.claimed == 0 and (row.dtype == "fp16" or row.dtype == "bf16") and row.conv_class ~= "depthwise" and few >= 8
    and (few % 8 ~= 0 or many % 8 ~= 0) and reached(row) <= 25 and reached(row) < row.expected_lo_pct
end

local function joined(list, word)
  return #list < 2 and list[1] or table.concat(list, ", ", 1, #list - 1) .. " " .. word .. " " .. list[#list]
end

local function rounded_up(channels) return 8 * math.ceil(channels / 8) end

pattern {
  id = "odd_channels",
  category = "convolution",
  scope = "category",
  summary = "16-bit convolutions whose channels are not multiples of 8, as slow as on vector units, 5% of compute or more",
  when = function(c)
    local it, seen, list = {rows = {}, total_ms = 0, calls = 0, saving_low_ms = 0, saving_high_ms = 0}, {}, {}
    for _, row in ipairs(c.rows) do
      if off_by_channels(row) then
        it.rows[#it.rows + 1] = row
        it.total_ms, it.calls = it.total_ms + row.time_ms, it.calls + row.count
        local more = 1
        for _, channels in ipairs({row.in_channels, row.out_channels}) do
          more = more * rounded_up(channels) / channels
          if channels % 8 ~= 0 and not seen[channels] then
            seen[channels] = true
            list[#list + 1] = channels
          end
        end
        it.saving_low_ms = it.saving_low_ms + row.time_ms * math.max(0, 1 - more * reached(row) / row.expected_lo_pct)
        it.saving_high_ms = it.saving_high_ms + row.time_ms * math.max(0, 1 - more * reached(row) / row.expected_hi_pct)
      end
    end
    it.share_pct = 100 * it.total_ms / c.trace.computation_ms
    if not (it.share_pct >= 5) then return false end
    table.sort(list)
    local rounded = {}
    for k, channels in ipairs(list) do
      list[k], rounded[k] = ("%d"):format(channels), ("%d"):format(rounded_up(channels))
    end
    it.few = #list <= 4
    it.odd, it.even, it.any = joined(list, "and"), joined(rounded, "and"), joined(list, "or")
    return it
  end,
  title = function(_, it)
    return it.few and "Pad the channels of the convolutions from {odd} to {even}"
      or "Pad the channels of the convolutions to multiples of 8"
  end,
  issue = "{calls} convolutions of {any} channels run in 16 bits, but no faster than vector units would: {total_ms} ms, {share_pct}% of"
    .. " compute. Kernels of matrix units read 8 channels of 16 bits at a time.",
  path_a = "Give the layers {even} channels instead of {odd} (a checkpoint is padded with zeros), and check that the kernels then"
    .. " are those of matrix units.",
}

-- What PyTorch calls a layout in which channels are last; inputs of one dimension have none.
local function channels_last(c)
  return {format = c.conv_layout_rank == 3 and "torch.channels_last_3d" or "torch.channels_last", flat = c.conv_layout_rank == 1}
end

local function channels_last_title(_, it)
  return it.flat and "Run the Conv1d layers as Conv2d of height 1, channels-last" or "Run the model channels-last to avoid layout conversions"
end

local function channels_last_path(it, why)
  return (it.flat and "Give the inputs a height of 1 (`x.unsqueeze(2)`, `Conv2d`) and use `memory_format={format}`, which PyTorch has for images"
      .. " and volumes alone: " or "Run the model channels-last (`model.to(memory_format={format})`, inputs too): ") .. why
end

-- Kernels expect one memory layout; tensors in another are converted before and after.
pattern {
  id = "conv_transpose_overhead",
  category = "convolution",
  scope = "category",
  summary = "layout conversion takes a tenth of the convolution time or more",
  counter = "no transpose is seen inside a convolution",
  unless = function(category) return not (category.transpose_count > 0) end,
  when = function(category)
    local ms = category.transpose_ms
    if not (category.transpose_overhead_pct > 10
      and ms >= 0.005 * category.trace.computation_ms) then
      return false
    end
    local rows = {}
    for _, row in ipairs(category.rows) do
      if row.transpose_ms > 0 then table.insert(rows, row) end
    end
    local layout = channels_last(category)
    return {rows = rows, pct = category.transpose_overhead_pct, total_ms = ms, format = layout.format, flat = layout.flat,
      saving_low_ms = 0.8 * ms, saving_high_ms = ms, share_pct = category.transpose_overhead_pct}
  end,
  title = channels_last_title,
  issue = "Layout conversions take {share_pct}% of convolution time ({total_ms} ms).",
  path_a = function(_, it) return channels_last_path(it, "the convolution kernels read NHWC, but the tensors are NCHW.") end,
  path_b = "If the layout must stay, use convolution kernels that read NCHW.",
}

-- A layout is converted for convolutions, by kernels that no operator names.
local function is_layout(row)
  if not (row.transpose_pct >= 99) then return false end
  local kernel = row.kernel:lower()
  for _, word in ipairs {"batched_transpose", "nchw", "nhwc"} do
    if kernel:find(word, 1, true) then return true end
  end
  return false
end

pattern {
  id = "layout_kernels",
  category = "elementwise",
  scope = "category",
  summary = "kernels that convert layouts, known by name alone, take a tenth of the time of convolutions or more",
  counter = "there are no convolutions beside them",
  unless = function(c) return not (c.convolution_pct > 0) end,
  when = function(c)
    local rows, ms, calls = {}, 0, 0
    for _, row in ipairs(c.rows) do
      if is_layout(row) then
        table.insert(rows, row)
        ms, calls = ms + row.time_ms, calls + row.count
      end
    end
    local share_pct, layout = 100 * ms / c.trace.computation_ms, channels_last(c.trace.convolution)
    return #rows > 0 and share_pct >= 0.5 and share_pct > 0.1 * c.convolution_pct and {rows = rows, total_ms = ms,
      calls = calls, share_pct = share_pct, conv_pct = c.convolution_pct, format = layout.format, flat = layout.flat,
      saving_low_ms = 0.8 * ms, saving_high_ms = ms}
  end,
  title = channels_last_title,
  issue = "{calls} kernels convert between NCHW and NHWC: {total_ms} ms, {share_pct}% of compute; convolutions take"
    .. " {conv_pct}%.",
  path_a = function(_, it)
    return channels_last_path(it, "kernels that transpose run around the convolutions, so the two expect different layouts.")
  end,
  path_b = "If the layout must stay, use convolution kernels that read NCHW.",
}

pattern {
  id = "conv_below_expected",
  category = "convolution",
  summary = "below the efficiency expected of its class",
  when = function(row)
    local e = reached(row)
    if not (e < row.expected_lo_pct and row.time_criterion == 1) then return false end
    -- "standard"; of a finding about several rows also "pointwise and large"
    local class, mixed = row.conv_class, row.conv_class:find(" and ", 1, true)
    local what = class:sub(1, 1):upper() .. class:sub(2) .. " convolutions"
    return {reached_pct = e, What = what, which = mixed and "convolutions" or class .. " convolutions",
      classes = mixed and "these classes" or "their class"}
  end,
  title = "Choose faster kernels for {which}",
  issue = "{What} reach {reached_pct}% of peak;"
    .. " {expected_lo_pct}-{expected_hi_pct}% is expected for {classes}.",
  path_b = function(_, _, trace)
    return "{What} reach {reached_pct}% of peak: "
      .. (trace.shapes_recorded == 1 and "replay these shapes and compare kernels." or "compare kernels of other layouts and types.")
  end,
}

pattern {
  id = "depthwise_conv",
  category = "convolution",
  informational = true,
  summary = "one filter for each channel",
  when = function(row) return row.conv_class == "depthwise" end,
  issue = "The convolution is depthwise: {groups} groups.",
  path_a = "Merge channels into groups: one filter per channel leaves little parallelism.",
  path_b = "Use a specialised depthwise kernel.",
}

pattern {
  id = "pointwise_conv",
  category = "convolution",
  informational = true,
  summary = "a 1x1 filter that memory limits",
  when = function(row) return row.conv_class == "pointwise" and row.bound == "memory" end,
  issue = "The convolution has a 1x1 filter and is memory-bound.",
  path_a = "Fuse it with the elementwise operators after it.",
  path_b = "Tune its memory access pattern.",
}

pattern {
  id = "conv_helper_kernels",
  category = "convolution",
  informational = true,
  summary = "fills and casts take a tenth of the operation or more",
  when = function(row) return row.helper_pct >= 10 end,
  issue = "Fills and casts take {helper_ms} ms of the operation.",
  path_b = "Use a kernel that needs no fill or cast: they take {helper_pct}%.",
}
