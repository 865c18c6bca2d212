-- gemm.lua - matrix products: D[M,N] = A[M,K] B[K,N], B of them at once.
-- README.md beside this file says what a pattern is. The order is the precedence.

-- Tile counts, alignment and sizes below are those of the analysis specification, 3.4.
-- A product is slow if the same trace does far better on products of its size; where it has
-- no other of that size, below 60% of the peak.
local function slow(row)
  if known(row.best_pct) then return row.efficiency < 0.9 * row.best_pct end
  return row.efficiency < 60
end

pattern {
  id = "tiny_batched_gemm",
  category = "gemm",
  summary = "a thousand products or more, each far too small for the device",
  when = function(row)
    local many = row.B >= 1000 or (row.B == 1 and row.count >= 1000)
    return many and math.min(row.M, row.N, row.K) <= 16
      and row.M * row.N * row.K <= 262144
      and {products = row.B > 1 and row.B or row.count}
  end,
  title = "Tiny batched matrix products",
  issue = "{count} calls multiply {M}x{K} by {K}x{N} blocks ({products} products): too little work each.",
  path_a = "{products} independent multiplications of {M}x{K} by {K}x{N} leave too little work each."
    .. " Combine them into fewer, larger multiplications (grouped or batched form),"
    .. " or fold them into the surrounding operation.",
  path_b = "The batched kernel chosen for tiny blocks dominates; if it is more than 5 times slower"
    .. " than its traffic implies ({roofline_ms} ms), treat kernel selection as the suspect"
    .. " and replay this shape.",
}

-- Lines of memory that start off 16 bytes need narrow accesses; an odd number of such lines
-- costs no more than the padding of the last tile.
pattern {
  id = "misaligned_gemm",
  category = "gemm",
  summary = "a contiguous dimension off 16 bytes, or a kernel of one- or two-element accesses",
  counter = "only the number of lines is odd, and 95% of the tiles are in use",
  when = function(row)
    if row.bound ~= "compute" or not (slow(row) and row.p >= 1) then return false end
    if not (math.max(row.M, row.N, row.K) >= 512) then return false end
    local narrow = row.kernel_align <= 2
    if row.misaligned == "" and not narrow then return false end
    local dims = row.misaligned ~= "" and row.misaligned or "a leading stride"
    return {dims = dims, access = narrow and ", and its kernel takes {kernel_align} at a time" or ""}
  end,
  unless = function(row)
    return row.misaligned:find("^M=%d+$") ~= nil and row.tile_eff > 0.95 and not (row.kernel_align <= 2)
  end,
  title = "Matrix product with misaligned lines",
  issue = function(_, v)
    return "{op} M={M}, N={N}, K={K} reads lines off 16 bytes ({dims})" .. v.access
      .. "; it reaches {efficiency}% of peak."
  end,
  path_a = "Pad {dims} to a multiple of 16 bytes (or choose aligned hidden/vocabulary sizes).",
  path_b = "Check a kernel for this alignment; {kernel_short} serves it now.",
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
  title = "Few output tiles, long reduction",
  issue = "The product M={M}, N={N} has few output tiles for the device while K={K} is long.",
  path_a = "Split the reduction dimension at model level or batch several such products.",
  path_b = function(row)
    local advice = "try a split-reduction kernel."
    if known(row.tiles) and known(row.compute_units) then
      return "Few output tiles ({tiles}) for {compute_units} compute units; " .. advice
    end
    if known(row.tiles) then return "Few output tiles ({tiles}) for the device; " .. advice end
    return "The result of {M}x{N} is small for the device; " .. advice
  end,
}

pattern {
  id = "skinny_gemm",
  category = "gemm",
  summary = "memory-bound, one side long and the others at most 64",
  when = function(row)
    return row.bound == "memory"
      and ((math.min(row.N, row.K) <= 64 and row.M >= 16384)
        or (row.N >= 16384 and math.min(row.M, row.K) <= 64))
  end,
  title = "Tall-skinny matrix product",
  issue = "The product M={M}, N={N}, K={K} streams memory at {efficiency}% of peak bandwidth.",
  path_a = "Merge with neighbouring projections or fuse producer/consumer; the product streams memory.",
  path_b = "Tall-skinny shape; choose a bandwidth-oriented kernel.",
}

pattern {
  id = "layout_copy_in_gemm",
  category = "gemm",
  summary = "transposes and copies are a tenth of the operation or more",
  when = function(row)
    return row.layout_copy_pct >= 10
      and {saving_low_ms = 0.8 * row.layout_copy_ms, saving_high_ms = row.layout_copy_ms}
  end,
  title = "Layout conversion in matrix products",
  issue = "{layout_copy_pct}% of the operation is layout conversion.",
  path_a = "Store the operand in the layout the product needs (avoid non-contiguous views).",
  path_b = "{layout_copy_pct}% of the operation is layout conversion, {layout_copy_ms} ms.",
}

pattern {
  id = "many_small_gemms",
  category = "gemm",
  summary = "a thousand launches or more of less than 10 us",
  when = function(row)
    return row.count >= 1000 and row.mean_us < 10
  end,
  title = "Many small matrix products",
  issue = "{count} launches of {mean_us} us each.",
  path_a = "Batch upstream: each launch does too little work.",
  path_b = function(_, _, trace)
    if trace.replayed_pct >= 50 then return "A grouped product helps more than tuning one of {mean_us} us." end
    return "Launches dominate; graph capture or grouping helps more than tuning."
  end,
}

pattern {
  id = "quantized_gemm",
  category = "gemm",
  informational = true,
  summary = "operands of 8 bits or fewer",
  when = function(row) return row.quantized == 1 end,
  issue = "The product uses operands of 8 bits or fewer.",
  path_a = "Its efficiency profile differs from that of 16-bit products; confirm scaling scheme and calibration"
    .. " before trading accuracy for speed.",
  path_b = "Narrow-type kernels often need shape-specific tuning; replay package recommended.",
}

pattern {
  id = "wave_quantization",
  category = "gemm",
  informational = true,
  summary = "the last wave of tiles leaves a quarter of the device empty or more",
  counter = "the product reaches more of the peak than such waves could",
  when = function(row)
    return row.bound == "compute" and row.wave_eff < 0.75 and row.p >= 1 and row.split_k ~= 1
  end,
  unless = function(row) return row.efficiency > 100 * row.wave_eff end,
  issue = "Tile count {tiles} does not fill whole waves of {compute_units} compute units.",
  path_a = "Adjust batch or hidden size so the tile count fills whole waves.",
  path_b = "Tile count {tiles} over {compute_units} units leaves the last wave partly empty"
    .. " (geometric estimate {wave_eff}).",
}

-- Advice for bottlenecks that none of the above explains.

pattern {
  id = "older_kernel",
  category = "gemm",
  bottleneck_only = true,
  summary = "a kernel compiled for an older device, though the trace uses newer ones",
  counter = "no product of the trace runs on a kernel of the device's own generation",
  when = function(row, _, trace)
    return row.kernel_generation < trace.generation - trace.generation % 10
      and {native = trace.generation}
  end,
  unless = function(_, _, trace) return not (trace.native_kernels > 0) end,
  path_b = "{kernel_short} is compiled for sm{kernel_generation}, the device is sm{native}, and other"
    .. " products of this trace run on kernels of its generation: see why this one does not"
    .. " (alignment, layout, library version).",
}

pattern {
  id = "compute_bound_gemm",
  category = "gemm",
  bottleneck_only = true,
  summary = "compute-bound, and slower than others of its size, or below 60% of peak",
  when = function(row)
    return row.bound == "compute" and row.ai > 200 and slow(row)
  end,
  issue = "The product reaches {tflops} of {peak_tflops} TFLOPS.",
  path_a = "M={M}, N={N}, K={K} is slow for its size: see whether another batch size or layout of the"
    .. " same product runs on a faster kernel.",
  path_b = function(row)
    if known(row.best_pct) then
      return "The trace reaches {best_pct}% of peak on {best_shape}, of the same size class:"
        .. " compare tile and kernel selection."
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
  issue = "The product reaches {tbs} of {peak_tbs} TB/s.",
  path_a = function(row)
    if row.mean_us < 10 then
      return "At {mean_us} us a call is as long as its launch: merge products that share an operand."
    end
    return "Cut traffic: fuse the element-wise tail into the multiplication, or merge products that"
      .. " share an operand, since bytes, not FLOPs, set the time."
  end,
  path_b = function(row)
    if known(row.best_pct) then
      return "The trace reaches {best_pct}% of peak on {best_shape}, of the same size class:"
        .. " compare tile and kernel selection."
    end
    return "The product falls short of the expected bandwidth; replay it and tune the access pattern."
  end,
}
