-- gemm.lua - matrix products: D[M,N] = A[M,K] B[K,N], B of them at once.
-- README.md beside this file says what a pattern is. The order is the precedence.

-- Tile counts, alignment and sizes below are those of the analysis specification, 3.4.
local ALIGNMENT = 16 -- elements a matrix unit takes at once

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

pattern {
  id = "misaligned_gemm",
  category = "gemm",
  summary = "compute-bound, and a dimension is not a multiple of 16",
  when = function(row)
    if row.bound ~= "compute" or not (row.efficiency < 60 and row.p >= 1) then return false end
    if not (math.max(row.M, row.N, row.K) >= 512) then return false end
    local dims = {}
    for _, name in ipairs {"M", "N", "K"} do
      if known(row[name]) and row[name] % ALIGNMENT ~= 0 then
        table.insert(dims, string.format("%s=%d", name, row[name]))
      end
    end
    return #dims > 0 and {dims = table.concat(dims, ", ")}
  end,
  title = "Matrix product with unaligned sizes",
  issue = "Not a multiple of 16: {dims}. The product reaches {efficiency}% of peak.",
  path_a = "Pad {dims} to a multiple of 16 (or choose aligned hidden/vocabulary sizes).",
  path_b = function(row)
    if not known(row.tile_eff) then
      return "Check a kernel whose tile divides the shape M={M}, N={N}, K={K}."
    end
    return "Edge tiles are padded (tile efficiency {tile_eff}); check a kernel whose tile divides the shape."
  end,
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
      and {saving_low_ms = 0.75 * row.layout_copy_ms, saving_high_ms = row.layout_copy_ms}
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
  path_b = "Launches dominate; graph capture or grouping helps more than tuning.",
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
  when = function(row)
    return row.bound == "compute" and row.wave_eff < 0.75 and row.p >= 1 and row.split_k ~= 1
  end,
  issue = "Tile count {tiles} does not fill whole waves of {compute_units} compute units.",
  path_a = "Adjust batch or hidden size so the tile count fills whole waves.",
  path_b = "Tile count {tiles} over {compute_units} units leaves the last wave partly empty"
    .. " (geometric estimate {wave_eff}).",
}

-- Advice for bottlenecks that none of the above explains.

pattern {
  id = "compute_bound_gemm",
  category = "gemm",
  bottleneck_only = true,
  summary = "compute-bound below 60% of peak",
  when = function(row)
    return row.bound == "compute" and row.ai > 200 and row.efficiency < 60
  end,
  issue = "The product reaches {tflops} of {peak_tflops} TFLOPS.",
  path_a = "Check whether batching or a narrower data type lowers the compute floor.",
  path_b = "Tile-size and kernel-selection tuning for M={M}, N={N}, K={K}.",
}

pattern {
  id = "memory_bound_gemm",
  category = "gemm",
  bottleneck_only = true,
  summary = "memory-bound below 60% of peak",
  when = function(row)
    return row.bound == "memory" and row.ai < 100 and row.efficiency < 60
  end,
  issue = "The product reaches {tbs} of {peak_tbs} TB/s.",
  path_a = "Cut traffic: fuse the element-wise tail into the multiplication, or store weights"
    .. " in a narrower format (8-bit) since bytes, not FLOPs, set the time.",
  path_b = "The product falls short of the expected bandwidth; replay it and tune the access pattern.",
}

pattern {
  id = "gemm_general",
  category = "gemm",
  bottleneck_only = true,
  summary = "further options for every matrix product that is a bottleneck",
  when = function(row) return row.bottleneck == 1 end,
  path_a = "Further options to weigh: sparsity-aware products if weights are known to be sparse,"
    .. " 8-bit weights (W8A8, FP8) when bytes dominate, compiler batching.",
  path_b = "Compare the selected kernel with the alternatives the vendor GEMM library offers"
    .. " for this shape.",
}
