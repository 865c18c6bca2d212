-- other.lua - what no other category takes. Texts stay general.

local LABELS = {gemm = true, attention = true, convolution = true, norm = true}

-- Rows of a category that are wanted, and what they take together.
local function total(c, wanted)
  local t = {rows = {}, share_pct = 0, total_ms = 0, calls = 0}
  for _, row in ipairs(c.rows) do
    if wanted(row) then
      table.insert(t.rows, row)
      t.share_pct, t.total_ms, t.calls = t.share_pct + row.p, t.total_ms + row.time_ms, t.calls + row.count
    end
  end
  return t
end

-- As many indices as parts, each of half a megabyte or more in 16 bits, again and again.
local function reorders(row)
  return row.name == "aten::index_select" and row.claimed == 0 and row.count > 1 and dim(row, 1, 1) == numel(row, 3)
    and numel(row, 1) >= 2^18 * numel(row, 3)
end

-- Beam search: all hypotheses of a step, each with a cache of its own, copied into the order of the new ones.
pattern {
  id = "reordered_cache",
  category = "other",
  scope = "category",
  summary = "index_select copies large tensors into another order of their first dimension, 3% of compute or more",
  when = function(c)
    local t = total(c, reorders)
    if t.share_pct < 3 then return false end
    t.parts, t.saving_low_ms, t.saving_high_ms = numel(t.rows[1], 3), 0.7 * t.total_ms, t.total_ms
    return t
  end,
  title = "Read through an index table instead of reordering whole tensors with {op}",
  issue = "{calls} calls copy whole tensors into another order of their {parts} parts, as beam search does with its cache:"
    .. " {total_ms} ms ({share_pct}% of compute).",
  path_a = "Keep an index of which hypothesis uses which entry, and let the attention kernel read through it (a paged cache,"
    .. " cache indirection), or copy only the parts that change.",
}

pattern {
  id = "embedding_index",
  category = "other",
  summary = "embedding, gather or scatter that is a bottleneck",
  when = function(row)
    return row.subcategory == "embedding_index" and row.bottleneck == 1 and row.claimed == 0
  end,
  title = "Sort the indices of {op}, or fuse it with its neighbours",
  issue = "{op} reaches {efficiency}% of peak bandwidth.",
  path_a = "Sort the indices for locality, or fuse the operator with its neighbours.",
  path_b = "Replay it with the recorded sizes and tune the gather for locality.",
}

-- "update (cache_utils.py:542)": where Transformers appends to a cache of keys and values.
local function of_cache(row)
  local line, name = row.launcher:match("/cache_utils%.py%((%d+)%): ([%w_]+)")
  return line and name .. " (cache_utils.py:" .. line .. ")"
end

-- Without shapes: a forward pass computes ten times as long with each token as it takes to copy its keys and values,
-- so what takes a fifth of compute copies those of the tokens before.
local function grows_a_little(row)
  if known(row.largest_part_pct) then return row.largest_part_pct >= 90 end
  return of_cache(row) and row.p >= 20
end

pattern {
  id = "cat_traffic",
  category = "other",
  scope = "category",
  summary = "concatenation and splitting take 3% of compute or more, without what a wrapper for data parallelism does",
  when = function(category)
    local rows, share, ms, low_ms, grows_ms = {}, 0, 0, 0, 0
    for _, row in ipairs(category.rows) do
      if row.subcategory == "cat_split" and row.claimed == 0 and row.of_wrapper == 0 then
        table.insert(rows, row)
        share, ms = share + row.p, ms + row.time_ms
        -- At least what a copy at 60% of the peak would save; all that was there before a little is appended.
        local slow = known(row.efficiency) and 1 - row.efficiency / 60 or 0
        local grows = grows_a_little(row)
        low_ms = low_ms + (grows and 0.9 or math.max(0.5, slow)) * row.time_ms
        grows_ms = grows_ms + (grows and row.time_ms or 0)
      end
    end
    -- What is written in its place at once is not copied at all.
    return share >= 3 and {rows = rows, share_pct = share, total_ms = ms, grows_ms = grows_ms,
      cache = rows[1] and of_cache(rows[1]), saving_low_ms = low_ms, saving_high_ms = ms}
  end,
  title = function(_, it)
    if it.cache and it.grows_ms >= 0.8 * it.total_ms then return "Use a StaticCache: {op} in {cache} copies all of it" end
    return it.grows_ms >= 0.8 * it.total_ms and "Append to a preallocated tensor: {op} copies all of it"
      or "Write into a preallocated tensor instead of concatenating"
  end,
  issue = "Concatenation and splitting take {share_pct}% of compute, {total_ms} ms.",
  path_a = function(_, it)
    if it.grows_ms >= 0.8 * it.total_ms then
      local how = it.cache and "Generate with `cache_implementation=\"static\"` (`StaticCache`), which allocates the keys and values for"
        .. " their final length and writes only the new ones" or "Allocate the tensor for its final length and write only the new"
        .. " part (a static or paged KV cache)"
      return how .. ": nearly all of what {op} copies was there before."
    end
    return "Let the producers write into slices of one preallocated tensor, or fuse the concatenation into its reader."
  end,
}

-- Of the transforms' lengths, the one with most time: of the first operand for a real input, else of the result.
local function transform_length(row)
  local last = row.name:find("c2r", 1, true) and concrete_number(row, 4) or dim(row, 1, -1)
  return known(last) and last or 0 / 0
end

local function largest_prime(n)
  local most, p = 1, 2
  while p * p <= n do
    while n % p == 0 do most, n = p, n // p end
    p = p + 1
  end
  return n > 1 and n or most
end

-- The next length that has no factor above seven.
local function smooth_length(n)
  while largest_prime(n) > 7 do n = n + 1 end
  return n
end

-- A length with a large prime factor is computed as a convolution of twice the length and more: three transforms for one.
pattern {
  id = "prime_transform",
  category = "other",
  scope = "category",
  summary = "Fourier transforms of lengths with large prime factors (Bluestein's algorithm), 3% of compute or more",
  when = function(c)
    local t = total(c, function(row) return row.claimed == 0 and row.kernel:lower():find("bluestein", 1, true) end)
    if t.share_pct < 3 then return false end
    for _, row in ipairs(t.rows) do
      local n = transform_length(row)
      if not t.from and known(n) and n % 1 == 0 and n >= 2 and n <= 2^26 and largest_prime(n) > 7 then
        t.from, t.to = ("%d"):format(n), ("%d"):format(smooth_length(n))
      end
    end
    t.saving_low_ms, t.saving_high_ms = 0.6 * t.total_ms, 0.85 * t.total_ms
    return t
  end,
  title = function(_, t)
    return t.from and "Pad the Fourier transforms of {from} to {to}" or "Pad the Fourier transforms to a length of small factors"
  end,
  issue = "{calls} Fourier transforms of a length with a large prime factor run as convolutions of more than twice that length"
    .. " (Bluestein's algorithm): {total_ms} ms ({share_pct}% of compute).",
  path_a = function(_, t)
    return "Give the transforms a length without factors above 7" .. (t.from and " (`n={to}` in place of {from})" or " (`n=`)")
      .. ": a convolution by transforms only needs zeros up to its full length, and may have more. Where the length is that of a"
      .. " spectrum, choose the frame or the window so."
  end,
}

-- Made of the parameters alone, so that it is the same in each call until they change.
local function of_parameters(row) return row.name:find("^aten::_?weight_norm") end

pattern {
  id = "repeated_parametrisation",
  category = "other",
  scope = "category",
  summary = "inference makes weights of their parametrisation (weight norm) in each call, 2% of compute or more",
  counter = "the trace is of training: the parameters change",
  when = function(c)
    local t = total(c, function(row) return row.claimed == 0 and of_parameters(row) end)
    if t.share_pct < 2 then return false end
    t.saving_low_ms, t.saving_high_ms = 0.8 * t.total_ms, t.total_ms
    return t
  end,
  unless = function(_, trace) return trace.training == 1 end,
  title = "Remove the weight normalisation before inference",
  issue = "{calls} calls make the same weights again from their direction and length: {total_ms} ms ({share_pct}% of compute), and a"
    .. " launch before each layer.",
  path_a = "Fold it into the weights once after loading (`remove_weight_norm`, `remove_parametrizations`): in inference the"
    .. " parameters stay as they are.",
}

-- Logits, in rows of no fewer than those of the smallest vocabulary in use; where no shapes are recorded, by the draw beside
-- them.
local LEAST_VOCABULARY = 16384

local function sorts_logits(row, trace)
  local length = numel(row, 1) / dim(row, 1, 1)
  return trace.training ~= 1 and (length >= LEAST_VOCABULARY or not known(length) and trace.draws > 0)
end

-- What picks by the sums of sorted probabilities: masks of what lies beyond a threshold. The sums have a finding of their own.
local PICKS = {sub = true, gt = true, ge = true, lt = true, le = true, masked_fill = true, masked_fill_ = true,
  scatter = true, scatter_ = true}

-- Of sorted logits, in all categories: rows of as many values, called as often. Without sums, none is known to belong to them.
local function picking_rows(sort, trace)
  local rows, sums = {}, false
  for _, category in ipairs {"reduce", "elementwise", "other"} do
    for _, row in ipairs(trace[category].rows) do
      local op = row.name:match("^aten::([%a_]+)")
      if numel(row, 1) == numel(sort, 1) and row.count == sort.count then
        sums = sums or op == "cumsum"
        if PICKS[op] and row.claimed == 0 then rows[#rows + 1] = row end
      end
    end
  end
  return sums and rows or {}
end

-- A sort has several kernels, some of them a row of their own and some elementwise: its calls are those of the rarest.
local SORTS = {"other", "elementwise"}

local function sorting_op(row) return row.name:match("^aten::%a*sort") end

local function sort_calls(sort, trace)
  local calls = sort.count
  for _, category in ipairs(SORTS) do
    for _, row in ipairs(trace[category].rows) do
      if sorting_op(row) == sorting_op(sort) and row.shape == sort.shape then calls = math.min(calls, row.count) end
    end
  end
  return calls
end

-- Selecting reads the rows several times: two to five passes at the peak, or of a twentieth of the time where it is not known.
local function add_sort(it, sort)
  local pass_ms = sort.calls * numel(sort.row, 1) * element_bytes(sort.row, 1) / sort.row.peak_tbs / 1e9
  if not known(pass_ms) then pass_ms = 0.05 * sort.time_ms end
  it.saving_low_ms = it.saving_low_ms + math.max(0.3 * sort.time_ms, sort.time_ms - 5 * pass_ms)
  it.saving_high_ms = it.saving_high_ms + math.max(0.3 * sort.time_ms, sort.time_ms - 2 * pass_ms)
  it.calls = it.calls + sort.calls
end

for _, category in ipairs(SORTS) do
  pattern {
    id = "whole_sort",
    category = category,
    scope = "category",
    summary = "sorting takes 5% of compute or more",
    when = function(c)
      local it, sorts, found = {rows = {}, share_pct = 0, saving_low_ms = 0, saving_high_ms = 0, calls = 0}, {}, {}
      for _, row in ipairs(c.rows) do
        if row.claimed == 0 and sorting_op(row) then
          local sort = found[sorting_op(row) .. row.shape]
          if not sort then
            sort = {row = row, calls = sort_calls(row, c.trace), time_ms = 0}
            found[sorting_op(row) .. row.shape], sorts[#sorts + 1] = sort, sort
          end
          sort.time_ms, it.share_pct, it.rows[#it.rows + 1] = sort.time_ms + row.time_ms, it.share_pct + row.p, row
        end
      end
      if not (it.share_pct >= 5) then return false end
      for _, sort in ipairs(sorts) do add_sort(it, sort) end
      local longest = sorts[1].row
      it.op, it.shape = quote(sorting_op(longest)), longest.shape
      it.logits, it.picking_ms = sorts_logits(longest, c.trace), 0
      if it.logits then
        for _, row in ipairs(picking_rows({dims = longest.dims, count = it.calls}, c.trace)) do
          it.picking_ms, it.rows[#it.rows + 1] = it.picking_ms + row.time_ms, row
        end
      end
      it.saving_low_ms, it.saving_high_ms = it.saving_low_ms + 0.8 * it.picking_ms, it.saving_high_ms + it.picking_ms
      return it
    end,
    title = function(_, it)
      return it.logits and "Sample without sorting the vocabulary"
        or "Select the top values instead of sorting everything with {op}"
    end,
    issue = function(_, it)
      return "{op} takes {share_pct}% of compute: " .. (it.calls == 1 and "one call sorts" or "{calls} calls sort") .. " all of "
        .. (it.shape ~= "" and "{shape}." or "their values.")
        .. (it.picking_ms > 0 and " Masking what is not picked takes another {picking_ms} ms." or "")
    end,
    path_a = "Use `topk` where only the largest values matter, and sample without a sort: a threshold search gives"
      .. " the same top-p set (FlashInfer's sampling kernels).",
    path_b = "Replay it and compare sort kernels for this row length.",
  }
end

-- What PyTorch calls them, without the underscores before and behind.
local DECOMPOSITIONS = "^linalg_eig|^linalg_svd|^linalg_qr$|^linalg_cholesky|^linalg_lu|^linalg_ldl|^linalg_inv|^linalg_solve"
  .. "|^linalg_lstsq$|^cholesky|^symeig$|^svd$|^qr$|^eig$|^lu_factor|^geqrf$|^inverse$|^lstsq$"

local function decomposes(row)
  local name = row.claimed == 0 and row.name:match("^aten::_*(.-)_*$")
  if not name then return false end
  for word in DECOMPOSITIONS:gmatch("[^|]+") do
    if name:find(word) then return true end
  end
  return false
end

pattern {
  id = "matrix_decompositions",
  category = "other",
  summary = "decompositions of matrices take 5% of compute or more",
  when = function(row) return row.p >= 5 and decomposes(row) and {saving_low_ms = 0, saving_high_ms = 0} end,
  title = "Run {op} less often, or on several matrices in one call",
  issue = function(row)
    return "{op} takes {p}% of compute: {count} calls of {mean_us} µs" .. (row.shape ~= "" and " on {shape}." or ".")
  end,
  path_a = "A decomposition works on one column or block after the other, which leaves most of the GPU idle: stack matrices of one"
    .. " size and call it once, decompose every tenth step or later where it is a preconditioner (Shampoo, SOAP, K-FAC), or use an"
    .. " iteration of matmuls (Newton-Schulz).",
}

-- Of 16-bit weights, the part that is left of their bytes: of 4 bits with a scale for each group of 32 or more, or 8.
local LEFT = {{per_byte = 2, part = 4.5 / 16}, {per_byte = 1, part = 0.5}}

-- Matmuls that read what was dequantised, and wait for memory, by the size of the packed weights: a GEMM that reads these
-- takes that part of the time, or twice that, if it reaches half their rate.
local function add_readers(c, it)
  local packed = {}
  for _, row in ipairs(it.rows) do
    for input = 1, 2 do -- the weights are one of them
      local size = numel(row, input)
      if known(size) then packed[size] = true end
    end
  end
  for _, row in ipairs(c.trace.gemm.rows) do
    for _, left in ipairs(LEFT) do
      if row.bound == "memory" and row.claimed == 0 and element_bytes(row, 1) == 2 and packed[row.N * row.K / left.per_byte] then
        table.insert(it.rows, row)
        it.readers_ms = it.readers_ms + row.time_ms
        it.saving_low_ms = it.saving_low_ms + math.max(0, 1 - 2 * left.part) * row.time_ms
        it.saving_high_ms = it.saving_high_ms + (1 - left.part) * row.time_ms
        break
      end
    end
  end
end

pattern {
  id = "dequantised_weights",
  category = "other",
  scope = "category",
  summary = "weights are converted to 16 bits by a separate kernel before each matmul, 3% of compute or more",
  when = function(c)
    local t = total(c, function(row) return row.name:lower():find("dequant") and row.claimed == 0 end)
    if t.share_pct < 3 then return false end
    t.readers_ms, t.saving_low_ms, t.saving_high_ms = 0, 0.7 * t.total_ms, t.total_ms
    add_readers(c, t)
    return t
  end,
  title = "Use a GEMM that reads quantised weights instead of {op}",
  issue = function(_, it)
    return "{op} takes {share_pct}% of compute ({total_ms} ms): {calls} calls write 16-bit weights that a matmul reads again."
      .. (it.readers_ms > 0 and " Such matmuls take another {readers_ms} ms, most of it for reading them." or "")
  end,
  path_a = "Use a GEMM that dequantises weights as it loads them (Marlin, Machete). At large batches, keep the weights in"
    .. " 16 bits if they fit: quantised ones then save memory, not time.",
  path_b = "Fuse the dequantisation into the operand load of the GEMM.",
}

-- The gradient of an embedding with sparse=True: rows in any order, each as often as its index.
local function joins_rows(row) return row.name:find("^aten::_?coal%a+$") or row.kernel:find("coal%a+ValuesKernel") end

pattern {
  id = "sparse_gradients",
  category = "other",
  scope = "category",
  summary = "sorting and adding the rows of sparse gradients takes 3% of compute or more",
  when = function(c)
    local t = total(c, joins_rows)
    if t.share_pct < 3 then return false end
    t.saving_low_ms, t.saving_high_ms = 0.5 * t.total_ms, 0.9 * t.total_ms
    for _, row in ipairs(t.rows) do t.large = t.large or numel(row, 1) >= 2^22 end -- of the whole table
    return t
  end,
  title = function(_, t)
    return t.large and "Use a fused sparse optimizer" or "Use dense gradients (sparse=False) or a fused sparse optimizer"
  end,
  issue = "{op} takes {total_ms} ms ({share_pct}% of compute): it sorts the rows of sparse gradients and adds those of"
    .. " equal index.",
  path_a = function(_, t)
    return (t.large and "Use an embedding and optimizer in"
      or "Give the embedding dense gradients (`sparse=False`) if its table is small, or use an embedding and optimizer in")
      .. " one (FBGEMM's table batched embeddings), which updates rows without joining them first."
  end,
}

-- Tables by the width and the number of indices of forward calls; backward calls of the same have no other record of it where
-- scalars are not recorded. Bags of one size that run several times a step are as many tables; of others `alike` tells.
local function embeddings(c)
  local backward, tables_of, steps = {}, {}, math.huge
  for _, row in ipairs(c.rows) do
    if row.name:find("embedding.*_dense_backward") then
      backward[#backward + 1] = row
    elseif row.name:find("embedding") and rank(row, 1) == 2 then
      local key = dim(row, 1, 2) .. ":" .. numel(row, 2)
      tables_of[key] = tables_of[key] or {}
      table.insert(tables_of[key], {rows = dim(row, 1, 1), calls = row.count, bag = row.name:find("bag")})
      steps = math.min(steps, row.count)
    end
  end
  for _, tables in pairs(tables_of) do
    for _, of in ipairs(tables) do of.alike = of.bag and math.max(1, math.floor(of.calls / steps)) or nil end
  end
  return backward, tables_of
end

-- A table that a matmul multiplies by has a dense gradient anyway.
local function sides_of_matmuls(trace)
  local sides = {}
  for _, row in ipairs(trace.gemm.rows) do
    for _, side in ipairs({row.M, row.N, row.K}) do
      if known(side) then sides[side] = true end
    end
  end
  return sides
end

local function filling_ms(row)
  local us = 0
  for _, kernel in ipairs(row.kernels) do
    local name = kernel.name:lower()
    us = us + ((name:find("fill") or name:find("memset")) and kernel.total_us or 0)
  end
  return us / 1000
end

-- What a call moves of each element at the least, in elements: a fused form reads parameter, gradient and state, and writes
-- parameter and state; a list operator reads and writes once.
local function passes_of(name)
  if name:find("^aten::_fused_adam") then return 7 end
  if name:find("^aten::_fused_adagrad") then return 5 end
  return name:find("^aten::_fused_%a+_$") and 3 or name:find("^aten::_foreach_.*_$") and 2
end

-- How many tables of so many elements these calls are: a table that is used again between two updates has its gradients added.
local function alike(c, calls, elements)
  local updates, longest_ms = math.huge, 0
  for _, row in ipairs(c.rows) do
    if passes_of(row.name) and row.time_ms > longest_ms then updates, longest_ms = row.count, row.time_ms end
  end
  for _, row in ipairs(c.trace.elementwise.rows) do
    if row.name:find("^aten::add") and numel(row, 1) == elements then return 1 end
  end
  return math.max(1, math.floor(calls / updates))
end

-- Large tables of which a call touches a quarter of the rows or less: their elements and rows, the rows touched, the calls
-- of each, and what part of the filled gradients is theirs.
local function sparse_tables(c)
  local t = {elements = 0, touched = 0, rows = 0, calls = 0, tables = 0, filled_ms = 0, backward = {}}
  local backward, tables_of = embeddings(c)
  local sides = #backward > 0 and sides_of_matmuls(c.trace)
  for _, row in ipairs(backward) do
    local width, indices = dim(row, 1, -1), numel(row, 2)
    local tables = tables_of[width .. ":" .. indices]
      or {{rows = row.name:find("bag") and 0 / 0 or concrete_number(row, 3), calls = row.count}}
    local large, all = 0, 0
    for _, of in ipairs(tables) do
      local n = of.rows
      of.alike = of.alike or alike(c, #tables > 1 and of.calls or row.count, n * width)
      all = all + n * of.alike
      if n >= 4 * indices and n * width >= 2^22 and not sides[n] then
        large = large + n * of.alike
        t.touched, t.tables = t.touched + indices * of.alike, t.tables + of.alike
        t.calls = math.max(t.calls, (#tables > 1 and of.calls or row.count) / of.alike)
      end
    end
    if large > 0 then
      t.elements, t.rows = t.elements + large * width, t.rows + large
      t.filled_ms = t.filled_ms + filling_ms(row) * large / all
      t.backward[#t.backward + 1] = row
    end
  end
  return t
end

-- Rows of optimizers whose tensors together are the tables and less again.
local function optimizer_rows(c, elements)
  local rows, ms, calls, passes = {}, 0, 0, 0
  for _, row in ipairs(c.rows) do
    local optimizer = row.name:find("^aten::_foreach") or row.name:find("^aten::_fused_%a+_$")
    local all = optimizer and numel(row, 1)
    if all and elements <= all and all <= 2 * elements and row.claimed == 0 then
      rows[#rows + 1] = row
      ms, calls, passes = ms + row.time_ms * elements / all, math.max(calls, row.count), passes + 1
    end
  end
  return rows, ms, calls, passes
end

-- Where no sizes of its lists are recorded: at the least what the tables' bytes, of the gradient's type, take at the peak
-- bandwidth, at the most all of these rows.
local function unsized_optimizer(c, t)
  local o = {rows = {}, low_ms = 0, high_ms = 0, calls = 0}
  for _, row in ipairs(c.rows) do
    local passes = row.claimed == 0 and passes_of(row.name)
    local bytes = element_bytes(t.backward[1], 1)
    if passes and not (numel(row, 1) > 1) then
      local least_ms = math.min(row.count, t.calls) * t.elements * passes * bytes / row.peak_tbs / 1e9
      o.rows[#o.rows + 1] = row
      o.low_ms = o.low_ms + (known(least_ms) and math.min(row.time_ms, least_ms) or 0)
      o.high_ms, o.calls = o.high_ms + row.time_ms, math.max(o.calls, row.count)
    end
  end
  return o
end

pattern {
  id = "dense_embedding_gradient",
  category = "other",
  scope = "category",
  summary = "a gradient of all rows of an embedding of which a step touches a quarter or less, 3% of compute or more",
  when = function(c)
    local t = sparse_tables(c)
    if t.elements == 0 then return false end
    local rows, ms, calls, passes = optimizer_rows(c, t.elements)
    for _, row in ipairs(t.backward) do
      if filling_ms(row) > 0 then rows[#rows + 1] = row end
    end
    ms = ms + t.filled_ms
    local o = passes == 0 and unsized_optimizer(c, t) or {rows = {}, low_ms = 0, high_ms = 0, calls = 0}
    calls = math.max(calls, o.calls)
    local part = math.min(1, t.touched * math.max(1, t.calls / math.max(calls, 1)) / t.rows)
    for _, row in ipairs(o.rows) do if o.low_ms > 0 then rows[#rows + 1] = row end end
    local share_pct = 100 * (ms + o.low_ms) / c.trace.computation_ms
    return share_pct >= 3 and {rows = rows, total_ms = ms + o.low_ms, share_pct = share_pct, all_rows = t.rows >= 1e6 and ("%.3g million"):format(t.rows / 1e6) or ("%d"):format(t.rows), part_pct = 100 * part,
      tables = t.tables > 1 and ("%d large embeddings"):format(t.tables) or "embedding",
      passes = passes, filled_ms = ms, unsized_ms = o.high_ms, unsized_low_ms = o.low_ms,
      saving_low_ms = 0.8 * (1 - part) * (ms + o.low_ms), saving_high_ms = (1 - part) * (ms + (o.low_ms > 0 and o.high_ms or 0))}
  end,
  title = "Give the embedding sparse gradients (sparse=True)",
  issue = function(_, it)
    local touches = "A step touches at most {part_pct}% of the {all_rows} rows of its {tables}, but its "
    if it.unsized_low_ms > 0 then
      return touches .. "gradient and optimizer pass over all of them: {filled_ms} ms to fill the gradient, and {unsized_low_ms} to"
        .. " {unsized_ms} ms of the optimizer, whose sizes are not recorded (at the least its bytes at the peak bandwidth)."
    end
    local all = touches .. (it.passes > 0 and "gradient and optimizer pass over" or "gradient passes over")
      .. " all of them: {total_ms} ms ({share_pct}% of compute)."
    return it.passes > 0 and all or all .. " What the optimizer takes for them is not known."
  end,
  path_a = function(_, it)
    local fused = it.passes >= 3 and " If the gradient must stay dense, use the fused form of the optimizer (`fused=True`):"
      .. " {passes} kernels a step pass over the same tensors." or ""
    return "Create the embedding with `sparse=True` and update it with an optimizer for sparse gradients (`SparseAdam`, which"
      .. " leaves the moments of other rows as they are), or use an embedding and optimizer in one (FBGEMM's table batched"
      .. " embeddings)." .. fused
  end,
}

-- What lists of tensors of one size have in common; false: it is of none.
local function list_of(row)
  return row.name:find("^aten::_foreach_") and known(numel(row, 1)) and tensors(row, 1) .. ":" .. numel(row, 1)
end

-- The steps of Adam's formula by lists of tensors: the last of them divides. One pass reads four lists and writes three,
-- where the shortest of these reads one and writes one.
pattern {
  id = "foreach_optimizer",
  category = "other",
  scope = "category",
  summary = "Adam's formula in four or more passes over the same lists of tensors, 3% of compute or more",
  when = function(c)
    local lists, rows, ms, least_ms = {}, {}, 0, 0
    for _, row in ipairs(c.rows) do
      local list = row.claimed == 0 and list_of(row)
      if list then
        local l = lists[list] or {n = 0, ms = 0, us = math.huge, calls = 0, rows = {}}
        lists[list] = l
        l.n, l.ms, l.us, l.calls = l.n + 1, l.ms + row.time_ms, math.min(l.us, row.mean_us), math.max(l.calls, row.count)
        l.rows[l.n] = row
        l.divides = l.divides or row.name:find("addcdiv")
      end
    end
    local passes = 0
    for _, row in ipairs(c.rows) do -- in the order of rows, not of the table
      local l = lists[list_of(row)]
      if l and l.divides and l.n >= 4 then
        lists[list_of(row)] = nil
        ms, least_ms, passes = ms + l.ms, least_ms + math.min(l.ms, 3.5 * l.us * l.calls / 1000), math.max(passes, l.n)
        for _, one in ipairs(l.rows) do rows[#rows + 1] = one end
      end
    end
    local share_pct = 100 * ms / c.trace.computation_ms
    return share_pct >= 3 and ms > least_ms and {rows = rows, total_ms = ms, share_pct = share_pct, passes = passes,
      saving_low_ms = 0.8 * (ms - least_ms), saving_high_ms = ms - least_ms}
  end,
  title = "Use the fused form of the optimizer (fused=True)",
  issue = "{passes} kernels a step pass over the same lists of tensors: {total_ms} ms ({share_pct}% of compute).",
  path_a = "Use the fused form of this optimizer (`fused=True`): one kernel reads parameters, gradients and moments once, and"
    .. " writes what it changes.",
}

pattern {
  id = "uncategorised_significant",
  category = "other",
  summary = "an operation of no category with 5% of compute or more, below 60% of peak",
  when = function(row) return row.p >= 5 and row.efficiency < 60 end,
  title = function(row)
    return (row.name:find("fused") or row.name:find("foreach")) and "Reduce the memory traffic of {op}"
      or "Look for a library or fused form of {op}"
  end,
  issue = "{op} takes {p}% of compute at {efficiency}% of peak; no category has rules for it.",
  path_a = function(row)
    if row.name:find("fused") or row.name:find("foreach") then
      return "It passes over its tensors once already: what remains is to move fewer bytes (optimizer states in lower precision)."
    end
    local where = row.module ~= "" and "the layer ({module})" or "the layer it belongs to"
    return "Identify " .. where .. " and look for a library or fused implementation."
  end,
  path_b = "Replay it and compare kernels for this shape.",
}

pattern {
  id = "possible_miscategorisation",
  category = "other",
  informational = true,
  summary = "kernels that look like those of another category",
  when = function(row) return LABELS[row.kernel_label] and row.kernel_label_pct >= 50 end,
  issue = "{kernel_label_pct}% of the kernels of {op} look like {kernel_label}.",
  path_a = "Name the true category in an extension file, so that its rules apply.",
}

pattern {
  id = "scalar_sync",
  category = "other",
  informational = true,
  summary = "a value read back to the host ten times or more",
  when = function(row) return row.subcategory == "synchronization" and row.count >= 10 end,
  issue = "{op} makes the host wait for the device {count} times.",
  path_a = "Keep the value on the device, or read it less often.",
}

pattern {
  id = "graph_ops",
  category = "other",
  informational = true,
  summary = "captured graphs are replayed",
  when = function(row) return row.subcategory == "graph" end,
  issue = "{op} replays a captured graph.",
  path_a = "Check that the graph is captured once and replayed from then on.",
}

pattern {
  id = "communication_note",
  category = "other",
  scope = "category",
  informational = true,
  summary = "communication, which the system tier judges",
  when = function(category)
    return category.communication_count > 0 and {rows_skipped = category.communication_count,
      total_ms = category.communication_ms}
  end,
  issue = "Communication ({total_ms} ms) is judged on the system page.",
  path_a = "Run `tracefolio job` on the traces of all ranks to separate waiting from transfer: one rank shows only"
    .. " the type, message size and total time of its collectives.",
}
