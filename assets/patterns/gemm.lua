-- gemm.lua - matmuls: D[M,N] = A[M,K] B[K,N], B of them at once.
-- README.md beside this file says what a pattern is. The order is the precedence.

-- Tile counts, alignment and sizes below are those of the analysis specification, 3.4.
-- A matmul is slow if the same trace does far better on matmuls of its size; where it has
-- no other of that size, below 60% of the peak.
local function slow(row)
  if known(row.best_pct) then return row.efficiency < 0.9 * row.best_pct end
  return row.efficiency < 60
end

-- "50257" and "50304", of two dimensions at most: multiples of 64 fill tiles, if that adds little work; 16 bytes are
-- one access.
local function padded(row, dims)
  local from, to = {}, {}
  for extent in dims:gmatch("=(%d+)") do
    local n = tonumber(extent)
    local wide = math.ceil(n / 64) * 64
    local access = 16 // (known(element_bytes(row, 1)) and element_bytes(row, 1) or 1)
    if #from < 2 then
      from[#from + 1] = extent
      to[#to + 1] = ("%d"):format(wide <= 1.03 * n and wide or math.ceil(n / access) * access)
    end
  end
  return table.concat(from, " and "), table.concat(to, " and ")
end

-- Dimensions off 16 bytes where nothing says which of them memory runs along.
local function odd_sides(row)
  local odd = {}
  for _, name in ipairs({"M", "N", "K"}) do
    if row[name] * element_bytes(row, 1) % 16 > 0 then odd[#odd + 1] = ("%s=%d"):format(name, row[name]) end
  end
  return table.concat(odd, ", ")
end

-- By their types or, where none is recorded, by what their kernels are called.
local function are_quantised(rows)
  local marks = {"e4m3", "e5m2", "fp8", "fp4", "int8", "int4", "s8s8", "i8i8", "w8a8", "w4a", "marlin", "machete", "awq", "gptq", "gguf"}
  local ms, all_ms = 0, 0
  for _, row in ipairs(rows) do
    local name, found = ((row.kernel or "") .. row.name):lower(), row.quantized == 1
    for _, mark in ipairs(marks) do found = found or name:find(mark, 1, true) end
    ms, all_ms = ms + (found and row.time_ms or 0), all_ms + row.time_ms
  end
  return ms > 0.5 * all_ms
end

-- Of unknown shape: a matrix times one vector, or the few of a step that decodes, with weights of 16 bits or more.
local function is_vector_product(row, trace)
  local kernel = row.kernel:lower()
  return row.claimed == 0 and not known(row.efficiency)
    and (kernel:find("gemv", 1, true) or kernel:find("mmvf", 1, true) or trace.few_tokens == 1 and not known(row.M))
    and not (kernel:find("4bit", 1, true) or kernel:find("int%d") or kernel:find("awq", 1, true) or kernel:find("fp[48]"))
end

-- Tokens that go through a matmul.
local function tokens(row) return row.M * (known(row.B) and row.B or 1) end

-- Lengths n of attention in which each call has one token more than the call of a step before, all of them as queries: for
-- each new token the model runs over all that it has read. By length: sequences, layers.
local function without_cache(trace)
  local of = {}
  for _, row in ipairs(trace.sdpa_fwd.rows) do
    if row.n_q == row.n_kv and row.n_q >= 64 and known(row.batch) then of[row.n_q] = {batch = row.batch, calls = row.count} end
  end
  local lengths, found = {}, 0
  for n, it in pairs(of) do
    local near = of[n - 1] or of[n + 1]
    if near and near.batch == it.batch and near.calls == it.calls then
      lengths[n * it.batch], found = n, found + 1
    end
  end
  return found >= 3 and lengths or {}
end

-- Keys that a few queries of each step read, always as many: of an encoder, say. By number of them: calls of that
-- attention, and of one with as many queries, which makes them.
local function fixed_keys(trace)
  local keys = {}
  for _, row in ipairs(trace.sdpa_fwd.rows) do
    if row.decode == 1 and row.n_kv >= 16 * row.n_q and known(row.batch) then
      local all = row.n_kv * row.batch
      keys[all] = keys[all] or {length = row.n_kv, calls = 0, made = 0}
      keys[all].calls = keys[all].calls + row.count
    end
  end
  for _, row in ipairs(trace.sdpa_fwd.rows) do
    local it = row.decode ~= 1 and keys[row.n_q * row.batch]
    if it then it.made = it.made + row.count end
  end
  return keys
end

-- What of a matmul a step need not do again: over all tokens but the new one, or the keys of others than the first step.
-- Reading the weights is left.
local function spared(row, lengths, keys)
  local n = lengths[tokens(row)]
  if n then
    local weights_ms = row.count * row.N * row.K * element_bytes(row, 1) / row.peak_tbs / 1e9
    return row.time_ms * (1 - 1 / n) - (known(weights_ms) and weights_ms or 0)
  end
  local it = keys[tokens(row)]
  -- An attention over as many queries has four such matmuls beside it; the rest serves the few queries.
  local rest = it and row.count - 4 * it.made or 0
  return it and rest >= it.calls and row.time_ms * rest / row.count or 0
end

-- Copies, sums and norms of as many tokens, a quarter as often as the matmuls of one length or more.
local function add_beside(it, trace, sizes, calls)
  for _, category in ipairs {"elementwise", "norm", "sdpa_fwd"} do
    for _, row in ipairs(trace[category].rows) do
      local n = numel(row, 1)
      if row.claimed == 0 and known(n) and sizes[n] and row.count >= calls / 4 then
        it.rows[#it.rows + 1] = row
        it.total_ms, it.high_ms = it.total_ms + row.time_ms, it.high_ms + row.time_ms
      end
    end
  end
end

pattern {
  id = "repeated_context",
  category = "gemm",
  scope = "category",
  summary = "for each new token, the model runs over all tokens again, or makes keys and values of a fixed context again",
  counter = "the trace is of training",
  when = function(c)
    local lengths, keys = without_cache(c.trace), fixed_keys(c.trace)
    local it = {rows = {}, total_ms = 0, high_ms = 0, share_pct = 0, calls = 0}
    local sizes, most_ms, cached = {}, 0, true
    for _, row in ipairs(c.rows) do
      local ms = row.claimed == 0 and spared(row, lengths, keys) or 0
      if ms > 0 then
        it.rows[#it.rows + 1] = row
        it.total_ms, it.high_ms, it.calls = it.total_ms + row.time_ms, it.high_ms + ms, it.calls + row.count
        sizes[tokens(row) * row.N], sizes[tokens(row) * row.K] = true, lengths[tokens(row)] ~= nil
        if ms > most_ms then
          most_ms, cached = ms, not lengths[tokens(row)]
          it.tokens = lengths[tokens(row)] or keys[tokens(row)].length
        end
      end
    end
    if #it.rows == 0 then return false end
    local passes = 0 -- over sequences of one length each
    for _ in pairs(cached and {} or lengths) do passes = passes + 1 end
    add_beside(it, c.trace, sizes, it.calls / math.max(1, passes))
    it.share_pct, it.cached = 100 * it.total_ms / c.trace.computation_ms, cached
    it.saving_low_ms, it.saving_high_ms = 0.8 * it.high_ms, it.high_ms
    return it.share_pct >= 3 and it
  end,
  unless = function(_, trace) return trace.training == 1 end,
  title = function(_, it)
    return it.cached and "Keep the keys and values of the {tokens} positions: each step makes them again"
      or "Use a KV cache: each token runs over all {tokens} again"
  end,
  issue = function(_, it)
    return it.cached and "{calls} matmuls make keys or values of all {tokens} positions, which the next step makes again from the same"
        .. " input: {total_ms} ms ({share_pct}% of compute) with the copies of them."
      or "From step to step the sequence is one token longer, and all of it goes through the model: {total_ms} ms ({share_pct}% of"
        .. " compute) where the last token would do."
  end,
  path_a = function(_, it)
    return it.cached and "Project the context (an encoder's output, a prompt, an image) to keys and values once, and keep them for all"
        .. " steps (`use_cache=True` and `EncoderDecoderCache` in transformers)."
      or "Pass the keys and values of the tokens before on to the next step (`use_cache=True`, `past_key_values`), in tensors of the"
        .. " final length, and run the model on the new token alone."
  end,
}

-- The output layer over all positions of the prompts, of which the next token needs the last alone.
local function reads_few(row)
  return row.logits_read >= 1 and tokens(row) >= 16 * row.logits_read and row.p >= 1 and row.claimed == 0
end

-- What goes over all that a matmul has made, takes as long for the positions that nobody reads.
local function add_logits(it, trace, row)
  local size, ms = tokens(row) * row.N, row.time_ms
  for _, category in ipairs {"elementwise", "reduce", "other"} do
    for _, other in ipairs(trace[category].rows) do
      if numel(other, 1) == size and other.claimed == 0 and not it.seen[size] then
        it.rows[#it.rows + 1] = other
        ms = ms + other.time_ms
      end
    end
  end
  it.seen[size] = true
  it.total_ms, it.high_ms = it.total_ms + ms, it.high_ms + ms * (1 - row.logits_read / tokens(row))
end

pattern {
  id = "unread_logits",
  category = "gemm",
  scope = "category",
  summary = "logits of many positions are computed, and those of one in sixteen or fewer are read",
  counter = "the trace is of training: its loss reads all of them",
  when = function(c)
    local it = {rows = {}, seen = {}, total_ms = 0, high_ms = 0}
    for _, row in ipairs(c.rows) do
      if reads_few(row) then
        if not it.all then it.all, it.read = tokens(row), row.logits_read end
        it.rows[#it.rows + 1] = row
        add_logits(it, c.trace, row)
      end
    end
    it.saving_low_ms, it.saving_high_ms = 0.9 * it.high_ms, it.high_ms
    return #it.rows > 0 and it
  end,
  unless = function(c) return c.trace.training == 1 end,
  title = "Compute the logits of the last positions only",
  issue = "{op} makes the logits of {all} positions, and {read} of them are read: {total_ms} ms with what else goes over all of them.",
  path_a = "Take the hidden state of the last positions before the output layer (`logits_to_keep=1` in `generate`, `hidden[:, -1]`):"
    .. " what is computed of the other logits goes with them.",
}

-- Log-probabilities of tokens, of logits that are written and read again for each step of the formula. A kernel that makes
-- the logits of a block of positions at a time needs one pass over them, or two.
local function logits_rows(it, trace)
  for _, category in ipairs {"reduce", "elementwise", "other"} do
    for _, row in ipairs(trace[category].rows) do
      local positions = numel(row, 1) / it.vocabulary
      if dim(row, 1, -1) == it.vocabulary and positions >= 64 and row.claimed == 0 then
        it.rows[#it.rows + 1] = row
        it.total_ms, it.share_pct = it.total_ms + row.time_ms, it.share_pct + row.p
        for _, kernel in ipairs(row.kernels) do it.kernels = it.kernels + kernel.count end
        if row.name:find("log_softmax") or row.name:find("logsumexp") then
          it.calls[row.name] = (it.calls[row.name] or 0) + row.count
          it.values[row.name] = (it.values[row.name] or 0) + numel(row, 1) * row.count
          it.longest = (not it.longest or row.time_ms > it.longest.time_ms) and row or it.longest
        end
      end
    end
  end
end

pattern {
  id = "logprob_passes",
  category = "gemm",
  scope = "category",
  summary = "without backward work, log-probabilities take several passes over the logits of many positions, 5% of compute or more",
  when = function(c)
    local it = {vocabulary = c.trace.logprob_vocabulary, rows = {}, calls = {}, values = {}, kernels = 0, total_ms = 0, share_pct = 0}
    if not (it.vocabulary > 0) then return false end
    logits_rows(it, c.trace)
    local calls, values = 0, 0
    for name, n in pairs(it.calls) do calls, values = math.max(calls, n), math.max(values, it.values[name]) end
    if calls == 0 or it.kernels < 3 * calls then return false end
    it.passes = math.floor(it.kernels / calls + 0.5)
    it.positions, it.dtype = numel(it.longest, 1) / it.vocabulary, it.longest.dtype
    it.gb = numel(it.longest, 1) * element_bytes(it.longest, 1) / 1e9
    local pass_ms = values * 2 / it.longest.peak_tbs / 1e9
    it.saving_low_ms = known(pass_ms) and math.max(0, it.total_ms - 2 * pass_ms / 0.6) or 0.7 * it.total_ms
    it.saving_high_ms = known(pass_ms) and math.max(it.saving_low_ms, it.total_ms - pass_ms) or 0.9 * it.total_ms
    it.calls, it.values, it.longest = nil, nil, nil
    return it
  end,
  title = "Compute the log-probs block by block, not in {passes} passes over all logits",
  issue = "{passes} kernels a call go over the logits, {positions} positions x {vocabulary} tokens of the vocabulary, {gb} GB in {dtype}:"
    .. " {total_ms} ms ({share_pct}% of compute).",
  path_a = "Use a fused matmul and log-softmax (Liger's fused linear cross entropy with `reduction=\"none\"`, a chunked `logsumexp`): the"
    .. " logits of a block of positions are made, reduced to one value a position, and dropped, with no {dtype} copy of all. Compute them"
    .. " for the positions whose log-probs are read, not for the prompt.",
  path_b = "Let `torch.compile` fuse the passes: the maximum and sum of a row fit on chip.",
}

pattern {
  id = "matrix_vector",
  category = "gemm",
  scope = "category",
  summary = "matmuls of unknown shape that take 30% of compute or more read each weight for one token, or for few",
  when = function(c)
    local rows, ms, share_pct, wide_ms = {}, 0, 0, 0
    for _, row in ipairs(c.rows) do
      if is_vector_product(row, c.trace) then
        table.insert(rows, row)
        ms, share_pct = ms + row.time_ms, share_pct + row.p
        wide_ms = wide_ms + (row.fp32_kernel == 1 and row.time_ms or 0)
      end
    end
    -- What else limits the batch or the precision, the trace does not say.
    return share_pct >= 30 and c.trace.training ~= 1 and {rows = rows, total_ms = ms, share_pct = share_pct, wide_ms = wide_ms,
      quantised = are_quantised(rows),
      tokens = c.trace.few_tokens == 1 and c.trace.decode_tokens > 1 and c.trace.decode_tokens or 1,
      saving_low_ms = 0.4 * wide_ms, saving_high_ms = 0.5 * wide_ms}
  end,
  title = function(_, it)
    return it.wide_ms >= 0.5 * it.total_ms and "Load the weights in bf16 or fp16: decoding reads them in fp32"
      or it.quantised and "Decode more requests at once"
      or "Decode more requests at once, or quantise the weights"
  end,
  issue = function(_, it)
    return (it.tokens > 1 and "Matmuls of steps that decode take {total_ms} ms, {share_pct}% of compute: each reads a matrix of weights for"
        .. " {tokens} tokens"
      or "Matrix-vector multiplications take {total_ms} ms, {share_pct}% of compute: each reads a matrix of weights for one token")
      .. ", so bandwidth limits them."
  end,
  path_a = function(_, it)
    local wide = it.wide_ms >= 0.5 * it.total_ms
    return (wide and "Load the weights in 16 bits (`torch_dtype`, `.to(torch.bfloat16)`), which halves what each token reads. Then decode"
      or "Decode") .. " more requests in a batch, which reads the weights once for all of them, or predict several tokens a step"
      .. " (speculative decoding)." .. (it.quantised and "" or " Weights of 8 bits halve the time" .. (wide and " again" or "")
        .. ", those of 4 bits quarter it, at some cost in accuracy.")
  end,
}

pattern {
  id = "tiny_batched_gemm",
  category = "gemm",
  summary = "a thousand matmuls or more, each far too small for the device",
  when = function(row)
    local many = row.B >= 1000 or (row.B == 1 and row.count >= 1000)
    return many and math.min(row.M, row.N, row.K) <= 16
      and row.M * row.N * row.K <= 262144
      and {products = row.B > 1 and row.B or row.count}
  end,
  title = "Combine the tiny {M}x{K} by {K}x{N} matmuls of {op}",
  issue = "{count} calls compute {products} matmuls of {M}x{K} by {K}x{N}, too little work each for the device.",
  path_a = "Combine them into fewer, larger matmuls (grouped or batched), or fold them into the surrounding"
    .. " operation.",
  path_b = "If the kernel is more than 5 times slower than the roofline ({roofline_ms} ms), suspect kernel"
    .. " selection and replay this shape.",
}

-- Lines of memory that start off 16 bytes need narrow accesses: of A, B or the result, whichever way they run.
pattern {
  id = "misaligned_gemm",
  category = "gemm",
  summary = "a contiguous dimension off 16 bytes, or a kernel of one- or two-element accesses",
  when = function(row)
    if row.bound ~= "compute" or not (slow(row) and row.p >= 1) then return false end
    if not (math.max(row.M, row.N, row.K) >= 512) then return false end
    local narrow = row.kernel_align <= 2
    if row.misaligned == "" and not narrow then return false end
    local dims = row.misaligned ~= "" and row.misaligned or odd_sides(row)
    local from, to = padded(row, dims)
    local elements = row.kernel_align == 1 and "element" or "elements"
    return {dims = dims ~= "" and dims or "a leading stride", from = from, to = to,
      access = narrow and ", and its kernel loads {kernel_align} " .. elements .. " at a time" or ""}
  end,
  title = function(_, v)
    return v.to ~= "" and "Pad {from} to {to} in {op}" or "Pad {dims} of {op} to a multiple of 16 bytes"
  end,
  issue = function(_, v)
    return "{op} M={M}, N={N}, K={K} reads rows that are not 16-byte aligned ({dims})" .. v.access
      .. "; it reaches {efficiency}% of peak."
  end,
  path_a = function(row, v)
    if v.to == "" then
      return "Pad {dims} to a multiple of 16 bytes (or choose aligned hidden/vocabulary sizes)."
    end
    local vocabulary = math.max(row.M, row.N, row.K) >= 16384
      and " If that is the vocabulary, round up its size in the embedding and the output layer: no token uses the added rows."
      or ""
    return "Pad {from} to {to}: full tiles, and 16 bytes in each access." .. vocabulary
  end,
  path_b = "Look for a kernel tuned for this alignment; {kernel_short} runs now.",
}

pattern {
  id = "few_tiles",
  category = "gemm",
  summary = "fewer output tiles than half of the compute units, and a long reduction",
  when = function(row)
    if row.bound ~= "compute" or not (row.K >= 16 * math.max(row.M, row.N)) then return false end
    if known(row.tiles) and known(row.compute_units) then
      return row.tiles <= row.compute_units / 2
    end
    return row.M * row.N <= 512 * 512
  end,
  title = "Split the reduction of {op}: {M}x{N} outputs, K={K}",
  issue = "The matmul M={M}, N={N} has few output tiles for the device while K={K} is long.",
  path_a = "Split the reduction dimension in the model, or batch several such matmuls.",
  path_b = function(row)
    local advice = "try a split-K kernel."
    if known(row.tiles) and known(row.compute_units) then
      return "Few output tiles ({tiles}) for {compute_units} compute units; " .. advice
    end
    if known(row.tiles) then return "Few output tiles ({tiles}) for the device; " .. advice end
    return "The {M}x{N} output is small for the device; " .. advice
  end,
}

-- About as long as a launch: the time is not that of its bytes.
local function is_short(row) return row.mean_us < 10 end

pattern {
  id = "merge_projections",
  category = "gemm",
  summary = "memory-bound, slow and short, and some run right behind another one on the same shapes",
  when = function(row)
    if not (row.bound == "memory" and row.ai < 100 and slow(row) and row.time_criterion == 1) then return false end
    if not (is_short(row) and row.adjoining_calls > 0) then return false end
    -- What the calls that go take now, and no more than the roofline leaves.
    local spared = row.adjoining_calls / row.count
    local high = math.min(spared, 1 - row.efficiency / 100) * row.time_ms
    return {saving_low_ms = 0.5 * high, saving_high_ms = high, spared_calls_pct = 100 * spared}
  end,
  title = "Merge {op} calls that share an operand",
  issue = "{adjoining_calls} of {count} calls run right behind another one on the same shapes; a call takes {mean_us} µs, as long as"
    .. " its launch.",
  path_a = "Merge those that share an operand, as the projections of Q, K and V do: one matmul with their weights side by side.",
  path_b = "Batch or group what shares none (`torch.bmm`, a grouped GEMM).",
}

-- An output layer, or a table: few rows go through it, and it has no neighbour to be merged with.
local function reads_weights(row) return row.M <= 64 and row.K > 64 end

pattern {
  id = "skinny_gemm",
  category = "gemm",
  summary = "memory-bound, one side of the result long, and its other side or the sum at most 64",
  when = function(row)
    return row.bound == "memory"
      and ((math.min(row.N, row.K) <= 64 and row.M >= 16384)
        or (row.N >= 16384 and math.min(row.M, row.K) <= 64))
  end,
  title = function(row)
    if reads_weights(row) then
      return "Process more than {M} " .. (row.M == 1 and "row" or "rows") .. " at once"
        .. (are_quantised {row} and ": {op} reads {N}x{K} weights for them" or ", or quantise the {N}x{K} weights of {op}")
    end
    return "Merge or fuse {op} at {M}x{N}x{K}: it only streams memory"
  end,
  issue = "The matmul M={M}, N={N}, K={K} streams memory at {efficiency}% of peak bandwidth.",
  path_a = function(row)
    if reads_weights(row) then
      return "Each call reads all of the weights, for {M} " .. (row.M == 1 and "row" or "rows") .. ": more rows at once take little longer"
        .. (are_quantised {row} and "." or ", and weights of 8 bits half the time.")
    end
    return "Merge it with neighbouring projections, or fuse it with its producer or consumer."
  end,
  path_b = "Choose a bandwidth-oriented kernel for this tall-skinny shape.",
}

pattern {
  id = "layout_copy_in_gemm",
  category = "gemm",
  summary = "transposes and copies are a tenth of the operation or more",
  when = function(row)
    return row.layout_copy_pct >= 10
      and {saving_low_ms = 0.8 * row.layout_copy_ms, saving_high_ms = row.layout_copy_ms}
  end,
  title = "Store the operands of {op} in the layout its kernel reads",
  issue = "Layout conversion takes {layout_copy_pct}% of the operation, {layout_copy_ms} ms.",
  path_a = "Store the operands in the layout the matmul reads (avoid non-contiguous views).",
  path_b = "Use a kernel that reads the operands in the layout they have.",
}

pattern {
  id = "many_small_gemms",
  category = "gemm",
  summary = "a thousand launches or more of less than 10 µs",
  when = function(row)
    return row.count >= 1000 and row.mean_us < 10
  end,
  title = "Batch the {count} small matmuls of {op}",
  issue = "{op} is launched {count} times, {mean_us} µs each on average.",
  path_a = "Batch the calls upstream: each launch does too little work.",
  path_b = function(_, _, trace)
    if trace.replayed_pct >= 50 then return "A grouped GEMM helps more than tuning a kernel of {mean_us} µs." end
    return "Launches dominate: GPU graph capture or a grouped GEMM helps more than tuning the kernel."
  end,
}

pattern {
  id = "quantized_gemm",
  category = "gemm",
  informational = true,
  summary = "operands of 8 bits or fewer",
  when = function(row) return row.quantized == 1 end,
  issue = "The matmul has operands of 8 bits or fewer.",
  path_a = "Confirm the scaling scheme and calibration before trading accuracy for more speed.",
  path_b = "Low-precision kernels often need shape-specific tuning: replay this shape.",
}

pattern {
  id = "wave_quantization",
  category = "gemm",
  informational = true,
  summary = "the last wave of tiles leaves a quarter of the device empty or more",
  counter = "the matmul reaches more of the peak than such waves could",
  when = function(row)
    return row.bound == "compute" and row.wave_eff < 0.75 and row.p >= 1 and row.split_k ~= 1
  end,
  unless = function(row) return row.efficiency > 100 * row.wave_eff end,
  issue = "{tiles} output tiles do not fill whole waves of {compute_units} compute units.",
  path_a = "Adjust batch or hidden size so that the tiles fill whole waves.",
  path_b = "The last wave leaves compute units empty: useful fraction {wave_eff} by geometry. Try another tile size.",
}

-- Advice for bottlenecks that none of the above explains.

pattern {
  id = "older_kernel",
  category = "gemm",
  bottleneck_only = true,
  summary = "a kernel compiled for an older device, though the trace uses newer ones",
  counter = "no matmul of the trace runs on a kernel of the device's own generation",
  when = function(row, _, trace)
    return row.kernel_generation < trace.generation - trace.generation % 10
      and {native = trace.generation}
  end,
  unless = function(_, _, trace) return not (trace.native_kernels > 0) end,
  title = "Find out why {op} runs a kernel for an older device",
  path_b = "{kernel_short} is compiled for sm{kernel_generation}, but the device is sm{native}, and other matmuls"
    .. " of this trace run on native kernels: find out why this one does not (alignment, layout, library"
    .. " version).",
}

-- Rates of several rows are their mean.
local function reaching(row, rate)
  return known(row.group_rows) and row.group_rows > 1 and "Its {group_rows} shapes together reach " .. rate .. "."
    or "The matmul reaches " .. rate .. "."
end

pattern {
  id = "compute_bound_gemm",
  category = "gemm",
  bottleneck_only = true,
  summary = "compute-bound, and slower than others of its size, or below 60% of peak",
  when = function(row)
    return row.bound == "compute" and row.ai > 200 and slow(row)
  end,
  issue = function(row) return reaching(row, "{tflops} of {peak_tflops} TFLOPS") end,
  title = function(row)
    return row.all_slow == 1 and "Find out why all large matmuls are slow, {op} first"
      or "Choose a faster kernel, size or layout for {op}"
  end,
  path_a = function(row)
    if row.all_slow == 1 then
      return "M={M}, N={N}, K={K} fills the device, and no matmul of this trace does better: check clocks and power limit, other"
        .. " processes on the GPU, and whether the library has kernels for this device and type."
    end
    return "M={M}, N={N}, K={K} is slow for its size: check whether another batch size or layout selects a faster kernel."
  end,
  path_b = function(row)
    if known(row.best_pct) then
      return "{best_shape}, of similar size, reaches {best_pct}% of peak in this trace: compare tile and kernel"
        .. " selection."
    end
    return "Tile-size and kernel-selection tuning for M={M}, N={N}, K={K}."
  end,
}

pattern {
  id = "memory_bound_gemm",
  category = "gemm",
  bottleneck_only = true,
  summary = "memory-bound, and slower than others of its size, or below 60% of peak",
  when = function(row)
    return row.bound == "memory" and row.ai < 100 and slow(row)
  end,
  issue = function(row) return reaching(row, "{tbs} of {peak_tbs} TB/s") end,
  title = function(row)
    if is_short(row) then return "Raise the batch for {op}: a call is as short as its launch" end
    return "Fuse the elementwise operators after {op} into it"
  end,
  path_a = function(row)
    if is_short(row) then
      return "A call takes {mean_us} µs, as long as its launch: a larger batch takes little longer."
    end
    return "Reduce memory traffic, which sets the time: fuse the elementwise epilogue into the matmul, or merge"
      .. " matmuls that share an operand."
  end,
  path_b = function(row)
    if known(row.best_pct) then
      return "{best_shape}, of similar size, reaches {best_pct}% of peak in this trace: compare tile and kernel"
        .. " selection."
    end
    return "Replay the matmul and tune its memory access pattern."
  end,
}
