-- attention.lua - fused attention calls, and attention written by hand.

-- Head sizes that fused kernels are commonly built for.
local USUAL_HEADS = {[32] = true, [64] = true, [96] = true, [128] = true, [256] = true}

-- What has no sequence, such as a store to the cache, is not attention by itself.
local function below_band(row)
  return known(row.seq) and row.efficiency < row.expected_lo_pct
end

-- A batch of one; what is packed has no dimension of its own for sequences.
local function one_sequence(row) return dim(row, 1, 1) == 1 and known(dim(row, 1, 4)) end

local function has_dims(row, i, a, b, c, d)
  return dim(row, i, 1) == a and dim(row, i, 2) == b and dim(row, i, 3) == c and dim(row, i, 4) == d
end

-- Attention over the keys or values that a copy writes, of as many heads as the queries have: (sequences, key heads, repeats,
-- length, head size), or the length before the heads. And the repeats.
local function repeats_keys(row, trace)
  local batch, b, c, d, size = dim(row, 1, 1), dim(row, 1, 2), dim(row, 1, 3), dim(row, 1, 4), dim(row, 1, 5)
  if row.claimed ~= 0 or row.name ~= "aten::copy_" or not known(size) or known(dim(row, 1, 6)) then return end
  for _, call in ipairs(trace.sdpa_fwd.rows) do
    if c >= 2 and has_dims(call, 2, batch, b * c, d, size) and dim(call, 1, 2) == b * c then return call, c end
    if d >= 2 and has_dims(call, 2, batch, b, c * d, size) and dim(call, 1, 3) == c * d then return call, d end
  end
end

pattern {
  id = "repeated_heads",
  category = "sdpa_fwd",
  scope = "category",
  summary = "each head of keys and values is copied for all query heads that share it, 3% of compute or more",
  when = function(c)
    local it = {rows = {}, total_ms = 0, calls = 0, high_ms = 0}
    local seen = {}
    for _, row in ipairs(c.trace.elementwise.rows) do
      local call, repeats = repeats_keys(row, c.trace)
      if call then
        table.insert(it.rows, 1, row)
        it.repeats, it.total_ms, it.calls = repeats, it.total_ms + row.time_ms, it.calls + row.count
        -- Few queries: the time is that of reading keys and values.
        if 16 * numel(call, 1) <= numel(call, 2) and not seen[call] then
          seen[call], it.high_ms = true, it.high_ms + call.time_ms * (1 - 1 / repeats)
          it.rows[#it.rows + 1] = call
        end
      end
    end
    it.share_pct = 100 * it.total_ms / c.trace.computation_ms
    it.saving_low_ms, it.saving_high_ms = 0.9 * it.total_ms + 0.6 * it.high_ms, it.total_ms + it.high_ms
    return it.share_pct >= 3 and it
  end,
  title = "Pass keys and values to attention as they are: each head is copied {repeats} times",
  issue = "{calls} copies write each head of keys and values {repeats} times, once for each query head that shares it: {total_ms} ms"
    .. " ({share_pct}% of compute). Attention then reads {repeats} times as many bytes.",
  path_a = "Use a call that takes fewer key heads than query heads (`enable_gqa=True` of `scaled_dot_product_attention`, flash or paged"
    .. " attention) without `repeat_kv` or `repeat_interleave` before it.",
}

-- A flash kernel in its place needs the time of the lowest efficiency expected; half of it where the mask is causal, as the
-- mask itself does not tell.
local function masked_rows(it, rows, is_one)
  for _, row in ipairs(rows) do
    if is_one(row) and below_band(row) and row.claimed == 0 then
      local flash_ms = row.time_ms * row.efficiency / row.expected_lo_pct
      it.rows[#it.rows + 1] = row
      it.saving_low_ms = it.saving_low_ms + row.time_ms - flash_ms
      it.saving_high_ms = it.saving_high_ms + row.time_ms - flash_ms / 2
      it.time_criterion = it.time_criterion or row.time_criterion == 1
    end
  end
end

-- The backward call has no sizes of its own, but those of its forward call; all calls of that size have a mask, or none is known
-- to.
local function follows_masked(back, trace)
  local masked = false
  for _, row in ipairs(trace.sdpa_fwd.rows) do
    if row.n_q == back.n_q and row.n_kv == back.n_kv and row.batch == back.batch and row.h_q == back.h_q and row.d_qk == back.d_qk then
      if row.dense_mask ~= 1 then return false end
      masked = true
    end
  end
  return masked
end

-- Copies and casts that write a mask of as many positions, for all heads or one.
local function mask_copies(it, trace, mask_of)
  it.copies_ms, it.copies = 0, 0
  for _, row in ipairs(trace.elementwise.rows) do
    local queries, keys = dim(row, 1, 3), dim(row, 1, 4)
    if row.name == "aten::copy_" and row.claimed == 0 and queries == dim(mask_of, 4, 3) and keys == dim(mask_of, 4, 4)
      and not known(dim(row, 1, 5)) and row.count >= mask_of.count then
      it.rows[#it.rows + 1] = row
      it.copies_ms, it.copies = it.copies_ms + row.time_ms, it.copies + row.count
    end
  end
  it.saving_low_ms, it.saving_high_ms = it.saving_low_ms + 0.9 * it.copies_ms, it.saving_high_ms + it.copies_ms
end

pattern {
  id = "dense_mask",
  category = "sdpa_fwd",
  scope = "category",
  summary = "attention with a mask for each pair of positions, forward or backward below the expected range",
  when = function(c)
    local it = {rows = {}, saving_low_ms = 0, saving_high_ms = 0}
    masked_rows(it, c.rows, function(row) return row.dense_mask == 1 and row.seq >= 1024 end)
    local first = it.rows[1]
    if not first then return end
    local forward = #it.rows
    masked_rows(it, c.trace.sdpa_bwd.rows, function(row) return row.seq >= 1024 and follows_masked(row, c.trace) end)
    if not it.time_criterion then return end
    it.efficiency, it.seq, it.expected_lo_pct, it.expected_hi_pct = first.efficiency, first.seq, first.expected_lo_pct, first.expected_hi_pct
    local back = it.rows[forward + 1]
    it.backward_pct = back and back.efficiency
    mask_copies(it, c.trace, first)
    return it
  end,
  title = "Replace the dense mask of {op}: it rules out the flash kernel",
  issue = function(_, it)
    return "Attention reaches {efficiency}% of peak at N={seq}" .. (it.backward_pct and ", backward {backward_pct}%" or "")
      .. "; expected: {expected_lo_pct}-{expected_hi_pct}%. It takes a mask of all pairs of positions"
      .. (it.copies > 0 and ", which {copies} copies write: {copies_ms} ms." or ".")
  end,
  path_a = "Pass `is_causal=True` where the mask is causal, packed sequences where it is of padding, or a block mask (FlexAttention):"
    .. " with a mask of all pairs, flash kernels are refused, and every layer reads it.",
}

-- The block is found in the call tree, or by shapes; its figures come with it.
pattern {
  id = "unfused_attention",
  category = "sdpa_fwd",
  scope = "advice",
  summary = "matmul, softmax, matmul where one fused attention call would do",
  counter = "a fused attention kernel is among its kernels",
  unless = function(block) return block.fused == 1 end,
  title = function(_, block)
    if block.biased == 1 then return "Use a fused attention kernel that takes a bias, for {n_q} queries by {n_kv} keys" end
    return known(block.n_q) and "Use one fused attention call for {n_q} queries by {n_kv} keys"
      or "Use one fused attention call for {instances} blocks"
  end,
  issue = "Attention runs as a score matmul, a softmax and a value matmul: {time_ms} ms in {instances} blocks.",
  path_a = function(_, block)
    if block.biased == 1 then
      return "Replace the separate kernels with one that adds the bias, which flash kernels do not: FlexAttention (`score_mod`), the"
        .. " memory-efficient backend of `scaled_dot_product_attention` with the bias as `attn_mask`, or a kernel for pair biases; expected"
        .. " speedup {speedup} on this block."
    end
    return "Replace the separate kernels with one fused attention call"
      .. " (`scaled_dot_product_attention`" .. (block.fp32 == 1 and "" or " with a flash backend") .. ");"
      .. " expected speedup {speedup} on this block" .. (block.fp32 == 1 and ", in fp32. Flash kernels need 16-bit"
      .. " inputs (`torch.autocast`); this figure does not include them." or ".")
  end,
  path_b = "If the model code must stay, tune the softmax and batched GEMM kernels one by one; that gains about"
    .. " 10-30% of the block.",
}

for _, category in ipairs {"sdpa_fwd", "sdpa_bwd"} do
  pattern {
    id = "large_head_dim",
    category = category,
    summary = "a head size with few tuned kernels, below the expected range",
    when = function(row)
      local odd = row.d_qk > 128 or (known(row.d_qk) and not USUAL_HEADS[row.d_qk])
      return odd and below_band(row)
    end,
    title = "Choose a head size that fused kernels support instead of {d_qk}",
    issue = "Head size {d_qk} reaches {efficiency}% of peak, below the"
      .. " {expected_lo_pct}-{expected_hi_pct}% expected at N={seq}.",
    path_a = "If the architecture is still open, choose a head size that fused kernels are tuned for (64, 128).",
    path_b = "Few kernels are tuned for head size {d_qk}: replay this shape.",
  }

  pattern {
    id = "attention_below_band",
    category = category,
    summary = "below the efficiency expected at its sequence length",
    when = function(row) return below_band(row) and row.time_criterion == 1 end,
    title = function(row)
      if row.fused_kernel ~= 1 then return "Check that {op} runs on the fused backend" end
      if row.seq < 1024 then
        return one_sequence(row) and "Raise the batch for {op}: one sequence of N={seq} is too short"
          or "Pack sequences: {op} is slow at N={seq}"
      end
      if row.name:find("cudnn_", 1, true) then return "Update the library of {op}: slow at N={seq}, head size {d_qk}" end
      return "Try another backend for {op} at N={seq}, head size {d_qk}"
    end,
    issue = "Attention reaches {efficiency}% of peak at N={seq};"
      .. " expected: {expected_lo_pct}-{expected_hi_pct}%.",
    path_a = function(row)
      if row.fused_kernel ~= 1 then
        return "Check that the fused backend is active for this head size and mask."
      end
      if row.seq < 1024 then
        return one_sequence(row) and "The backend is fused already: give it more than one sequence at once."
          or "The backend is fused already: pack sequences so that N exceeds {seq}."
      end
      if row.name:find("cudnn_", 1, true) then
        return "The other backends of PyTorch are slower on such devices: a newer version of the library may have a better kernel for N={seq},"
          .. " head size {d_qk}."
      end
      return "The backend is fused already ({kernel_short}): try another one for N={seq}, head size {d_qk}."
    end,
    path_b = "Replay the fused kernel: it stays below the {expected_lo_pct}-{expected_hi_pct}% of peak expected at"
      .. " N={seq}.",
  }

  pattern {
    id = "contiguous_copies",
    category = category,
    summary = "three copies or more of Q, K or V beside each call",
    when = function(row)
      return row.contiguous_copies >= 3 and {
        saving_low_ms = 0.8 * row.contiguous_copies_ms,
        saving_high_ms = row.contiguous_copies_ms,
      }
    end,
    title = "Pass Q, K and V to {op} without copying them",
    issue = "{contiguous_copies} copies with the shapes of Q, K or V surround each attention call,"
      .. " {contiguous_copies_ms} ms in all.",
    path_a = "Pass strided tensors if the backend accepts them, and remove explicit `contiguous()` calls.",
    path_b = "Let the attention kernel read strided operands: that removes {contiguous_copies_ms} ms of copies.",
  }

  pattern {
    id = "kv_cache_overhead",
    category = category,
    summary = "paged attention that spends a tenth of its time storing the cache",
    when = function(row) return row.paged == 1 and row.reshape_cache_pct > 10 end,
    title = "Tune the KV cache block size of {op}",
    issue = "Writing the KV cache takes {reshape_cache_pct}% of the attention time.",
    path_a = "Tune the cache block size (16, 32, 64).",
    path_b = "Check the memory access pattern of the kernel that writes the cache.",
  }

  pattern {
    id = "short_sequence_attention",
    category = category,
    informational = true,
    summary = "short sequences, as fast as expected",
    when = function(row) return row.seq < 1024 and row.efficiency >= row.expected_lo_pct end,
    title = function(row)
      return one_sequence(row) and "Raise the batch for {op} at N={seq}" or "Pack sequences or raise the batch for {op} at N={seq}"
    end,
    issue = function(row)
      return "Attention reaches {efficiency}% of peak, "
        .. (row.efficiency > row.expected_hi_pct and "above" or "within")
        .. " the {expected_lo_pct}-{expected_hi_pct}% expected at N={seq}."
    end,
    path_a = function(row)
      return "Low efficiency is normal at N={seq}; " .. (one_sequence(row) and "" or "pack sequences or ")
        .. "raise batch x heads to fill the device."
    end,
    path_b = "Nothing to do, unless another platform is much faster at the same N.",
  }

  pattern {
    id = "decode_heavy",
    category = category,
    informational = true,
    summary = "most tokens are generated, one at a time",
    when = function(row) return row.workload == "decode_heavy" end,
    issue = "The calls mostly decode: {gen_tokens} decode tokens, {ctx_tokens} prefill tokens.",
    path_a = "Use a larger decode batch or speculative decoding.",
    path_b = "Tune the kernel with most of the time.",
  }

  pattern {
    id = "prefill_heavy",
    category = category,
    informational = true,
    summary = "most tokens are read, not generated",
    when = function(row) return row.workload == "prefill_heavy" end,
    issue = "The calls mostly prefill: {ctx_tokens} prefill tokens, {gen_tokens} decode tokens.",
    path_a = "Use chunked prefill.",
    path_b = "Tune the kernel with most of the time.",
  }

  pattern {
    id = "gqa_note",
    category = category,
    informational = true,
    summary = "query heads share key and value heads",
    when = function(row) return row.gqa_ratio > 1 end,
    issue = "{gqa_ratio} query heads share each KV head (GQA).",
    path_b = "Check that the kernel handles grouped heads without repeating K and V.",
  }
end
