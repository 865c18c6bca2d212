-- loops.lua - loops that one call could replace: cells of a recurrent network, one for each time step,
-- turns that do the same, with their results joined behind, moving averages of many tensors, and values read one
-- by one. The program finds them by their operators.

local function place(it) return type(it.place) == "string" and it.place ~= "" and " in {place}" or "" end

pattern {
  id = "host_bound_cells",
  category = "multi_kernel",
  scope = "advice",
  about = "loops",
  summary = "a recurrent network runs in steps of one cell each, for 10% of the time or more",
  when = function(it) return it.kind == "cells" and math.max(it.share_pct, it.device_pct) >= 10 end,
  title = "Run the whole sequence in one call of nn.LSTM or nn.GRU, not cell by cell",
  issue = function(_, it)
    return "The host calls {ops} step by step" .. place(it) .. ", up to {turns} calls in a row: forward and backward it is there for"
      .. " {loop_ms} ms ({share_pct}% of the time), and the GPU for {device_ms} ms in kernels of {kernel_us} µs."
  end,
  path_a = "Give the sequence to `nn.LSTM` or `nn.GRU`: one call runs all time steps, forward and backward, with the matmuls of the"
    .. " inputs, and of all weights' gradients, as one each. Where the cell must stay, capture the loop as a GPU graph.",
}

pattern {
  id = "turn_by_turn",
  category = "multi_kernel",
  scope = "advice",
  about = "loops",
  summary = "the host is in loops of equal turns, whose results are joined behind, for 10% of the time or more",
  counter = "the kernels of a turn fill the device",
  when = function(it) return it.kind == "turns" and it.share_pct >= 10 and it.turns >= 4 end,
  unless = function(it) return it.kernel_us >= 50 end,
  title = function(_, it)
    return it.turn_ops == 1 and it.inner == 0 and "Call {ops} once on a batch, not {turns} times in a loop"
      or "Compute the {turns} turns of a loop in one batched call"
  end,
  issue = function(_, it)
    return "A loop" .. place(it) .. " calls {ops}" .. (it.turn_ops > 3 and " and more" or "")
      .. (it.inner > 0 and " {inner} times and joins the results, in each of the {turns} turns of a loop around it"
        or " {turns} times and joins the results")
      .. ", {loops} such loops in all: the host is in them for {loop_ms} ms ({share_pct}% of the"
      .. " time), with kernels of {kernel_us} µs."
  end,
  path_a = "Give the loop's operators all inputs at once (one more dimension, joined tables with offsets, `torch.vmap`), so that each is"
    .. " launched once. Where a turn needs the result of the one before, use a kernel that runs all steps (a fused scan, a recurrent layer).",
}

pattern {
  id = "moving_average",
  category = "multi_kernel",
  scope = "advice",
  about = "loops",
  summary = "a moving average of the weights is updated tensor by tensor, for 3% of the time or more",
  when = function(it) return it.kind == "averages" and math.max(it.share_pct, it.device_pct) >= 3 end,
  title = function(_, it)
    return "Update the moving average of " .. (place(it) ~= "" and "{place}" or "the weights") .. " in one call, not tensor by tensor"
  end,
  issue = function(_, it)
    return "The host updates a moving average of {turns} tensors one by one" .. place(it) .. ", {loops} times: it is there for"
      .. " {loop_ms} ms ({share_pct}% of the time), and the GPU for {device_ms} ms in kernels of {kernel_us} µs."
  end,
  path_a = "Update it with `torch._foreach_lerp_` (`AveragedModel` with `multi_avg_fn=get_ema_multi_avg_fn(...)`, timm's `ModelEmaV3`"
    .. " with `foreach=True`): a few launches that read both tensors and write one; or only every few steps.",
}

pattern {
  id = "read_one_by_one",
  category = "multi_kernel",
  scope = "advice",
  about = "loops",
  summary = "the host reads values from the device one by one, waiting for each, for 5% of the time or more",
  counter = "the device is busy meanwhile",
  when = function(it) return it.kind == "reads" and it.share_pct >= 5 end,
  unless = function(it) return it.device_ms >= 0.5 * it.loop_ms end,
  title = function(_, it)
    return place(it) ~= "" and "Read the values of {place} in one copy, not one by one" or "Read values in one copy, not one by one with item()"
  end,
  issue = function(_, it)
    return "{ops} reads up to {turns} single values in a row" .. (it.loops > 1 and ", in {loops} loops" or "") .. (place(it) ~= "" and ", {here} of {reads}" .. place(it) or "")
      .. ": the host launches a copy for each and waits for it, for {loop_ms} ms ({share_pct}% of the time) in all; what it launches takes the"
      .. " GPU {device_ms} ms."
  end,
  path_a = function(_, it)
    local how = type(it.place) == "string" and it.place:lower():find("clip", 1, true)
      and "Clip gradients with `torch.nn.utils.clip_grad_norm_`, which reads no norm and scales all gradients in a few launches. Else copy"
      or "Copy"
    return how .. " all values to the host at once (`.tolist()` of their tensor, `torch.stack(values).tolist()` of results that come one"
      .. " by one), and loop over Python numbers: one wait in place of {turns}. Or decide for all of them at once on the GPU"
      .. " (`torch.where`, masks)."
  end,
}

-- Each class of each image on its own: the loop decides for each whether there is anything to do.
pattern {
  id = "suppress_class_by_class",
  category = "multi_kernel",
  scope = "advice",
  about = "loops",
  summary = "a function that suppresses boxes reads a value from the device in each of its many calls, for 5% of the time or more",
  when = function(it) return it.kind == "suppresses" and it.share_pct >= 5 end,
  title = function(_, it)
    return place(it) ~= "" and "Call batched_nms once for all classes in place of {place}" or "Call batched_nms once for all classes, not class by class"
  end,
  issue = function(_, it)
    return "{ops} reads up to {turns} single values in a row" .. (it.loops > 1 and ", in {loops} loops" or "") .. (place(it) ~= "" and ", {here} of {reads}" .. place(it) or "")
      .. ", each in a call of its own that may suppress boxes: the host waits for each value, and is in these loops for {loop_ms} ms ({share_pct}% of"
      .. " the time); what it launches takes the GPU {device_ms} ms."
  end,
  path_a = "Call `torchvision.ops.batched_nms` once for each image, with the class of each box as `idxs`: it keeps classes apart by an offset,"
    .. " and no value has to be read to decide which class has boxes. One call for a whole batch takes the image into `idxs`, too.",
}

pattern {
  id = "send_part_by_part",
  category = "multi_kernel",
  scope = "advice",
  about = "loops",
  summary = "the host copies a batch to the device part by part, many of one size in a row, for 5% of the time or more",
  counter = "the device is busy meanwhile",
  when = function(it) return it.kind == "sends" and it.share_pct >= 5 end,
  unless = function(it) return it.device_ms >= 0.5 * it.loop_ms end,
  title = function(_, it) return "Collate on the CPU" .. place(it) .. " and copy once per field, not sample by sample" end,
  issue = function(_, it)
    return "{ops} copies up to {turns} tensors of few sizes in a row to the GPU" .. (it.loops > 1 and ", in {loops} loops" or "")
      .. (place(it) ~= "" and ", {here} of {reads}" .. place(it) or "") .. ": the host takes {loop_ms} ms ({share_pct}% of the time) for these copies, which"
      .. " take the GPU {device_ms} ms."
  end,
  path_a = "Join the samples of each field on the CPU (`np.stack`, `torch.stack`, a `collate_fn`), and copy the result once: one copy in place of"
    .. " {turns}, best from pinned memory with `non_blocking=True`. Or keep the data on the GPU and pick the samples there by index.",
}
