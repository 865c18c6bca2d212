-- copies.lua - copies between host and device, and within the device. The program finds
-- them and measures; `direction` is D2H, H2D or D2D.

local TINY_US = 10 -- below, starting a copy takes as long as the copy

-- Of the exposed time: what pinning leaves, or all of it where memory is pinned.
local function left(it) return it.pinned_ms > 0 and it.pinned_ms or it.exposed_ms end

-- Of buffers and gradients, by a wrapper for data parallelism.
local function of_wrapper(it) return it.joins_buffers + it.buckets end

local function with_host(it) return it.direction ~= "D2D" end

-- Blocks that live in the host's memory (a cache of keys and values): no tensors that Python makes.
local function are_blocks(it)
  return with_host(it) and it.small == 1 and it.foreign == 1 and it.count >= 50 and it.repeated >= 0.9 * it.count
    and it.in_calls > 0 and it.count >= 4 * it.in_calls and 2 * it.waited < it.count
end

pattern {
  id = "merge_equal_copies",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "an operator of another library moves blocks of one size, several small copies in each call",
  when = function(it) return are_blocks(it) end,
  title = "Merge the small copies of {library_op}: blocks of one size, copied one by one",
  path_a = "Copy larger blocks, at best one in each of the {in_calls} calls of {library_op}, which make {count} copies of {mean_us} µs each:"
    .. " lay out what moves together contiguously (all layers of a block side by side), or gather it in a pinned buffer and scatter it"
    .. " with one kernel. Or issue the copies on a separate stream, a step ahead, so that kernels run meanwhile.",
}

pattern {
  id = "read_less_often",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "small copies to the host, inside calls that wait for the device",
  counter = "most of them are not inside a call that waits",
  when = function(it) return it.direction == "D2H" and it.small == 1 end,
  unless = function(it) return 2 * it.waited < it.count end,
  title = "Read values back together, at most once a step, not {by}",
  path_a = function(_, it)
    return "Keep these values on the device and read them together, at most once a step: the host waits for "
      .. (it.waited == it.count and "each of the {count} copies." or "{waited} of {count} copies.")
  end,
}

pattern {
  id = "create_on_device",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "small copies to the device: tensors created on the host inside the step",
  counter = "they are too large for that, or few, or an operator of another library makes them",
  when = function(it) return it.direction == "H2D" and it.small == 1 end,
  unless = function(it) return it.count < 10 or it.foreign == 1 end,
  title = "Create small tensors on the GPU instead of copying them {by}",
  path_a = "Create small tensors on the device (`device=`), or once before the loop: {count} copies take"
    .. " {mean_us} µs each on average.",
}

pattern {
  id = "save_in_background",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  cause = "checkpoint",
  summary = "large copies to the host, exposed: a checkpoint is saved",
  counter = "they are small, or other work hides them",
  when = function(it) return it.direction == "D2H" and it.small == 0 and it.saves == 1 and it.saved == 0 end,
  unless = function(it) return it.exposed_ms < 0.3 * it.total_ms end,
  title = "Save the checkpoint in the background: the step waits for its copies",
  path_a = "Copy the state to pinned memory on its own stream, and let a thread write it while the next steps run"
    .. " (asynchronous checkpoints).",
}

-- Both ways are one decision: the way out leads, the way back says what is left to do if they stay.
pattern {
  id = "offloaded_activations",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "what autograd saves for the backward pass is kept on the host (save_on_cpu)",
  when = function(it) return it.saved == 1 and it.small == 0 end,
  title = "Keep saved activations on the GPU, or recompute them, instead of offloading them",
  path_a = function(_, it)
    local each = it.gb > 0 and " of the {gb} GB" .. (it.steps > 0 and " a step" or "") or ""
    if it.direction == "D2H" then
      return "These are activations that autograd saves for the backward pass: keep on the GPU what memory has room for" .. each
        .. ", and recompute the rest (`torch.utils.checkpoint`). What must be offloaded should be copied on a separate stream"
        .. " into pinned memory: {exposed_ms} ms of {total_ms} ms are exposed."
    end
    return "What stays offloaded should come back on a separate stream, a layer before the backward pass needs it: {exposed_ms}"
      .. " ms of {total_ms} ms are exposed."
  end,
}

-- All that is copied in a step leaves half of the device's memory for the rest.
local function fits(it)
  return it.steps > 0 and it.gb > 0 and (it.device_gib or 0) > 0 and 2 * it.gb * 1e9 <= it.device_gib * 1024 ^ 3
end

-- A wrapper that keeps weights on the host copies them to the device before each use, and whole modules back.
pattern {
  id = "offloaded_weights",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "weights that are kept on the host are copied to the device before each use",
  when = function(it) return with_host(it) and it.small == 0 and it.offloads == 1 and it.saved == 0 and it.saves == 0 end,
  title = function(_, it)
    if fits(it) and it.by_hooks == 1 then
      return string.format("Turn sequential CPU offload off: its %.1f GB fit in %.0f GB", it.gb, it.device_gib)
    end
    return "Keep more of the model on the GPU: its weights are copied there before each use"
  end,
  path_a = function(_, it)
    if it.direction == "H2D" and fits(it) and it.by_hooks == 1 then
      return "Move the whole model to the GPU once (`.to(device)`), or at most one model at a time"
        .. " (`enable_model_cpu_offload()`): the hooks of accelerate copy {count} weights, {gb} GB a step, each right before its"
        .. " module runs, {exposed_ms} ms of it exposed."
    end
    if it.direction == "D2H" then
      return "Weights that do not change need no way back: keep a copy of them in pinned memory, and drop those on the GPU."
    end
    return "Offload less: keep on the GPU what fits (16-bit or quantised weights, whole models in turn in place of layer by"
      .. " layer), and copy the rest ahead from pinned memory: {count} copies move weights, {exposed_ms} ms of it exposed."
  end,
}

-- Each call copies its own input, and computes on it.
pattern {
  id = "copies_of_library",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "an operator of another library copies its input in each of many calls",
  when = function(it) return with_host(it) and it.foreign == 1 and it.count >= 8 * math.max(it.steps, 1) and not are_blocks(it) end,
  title = "Batch inputs of {library_op}: it copies each",
  path_a = "Give {library_op} a list of inputs if it takes one: each call copies its own, {count} in all, and {exposed_ms} ms of"
    .. " {total_ms} ms are exposed.",
}

-- What an optimizer on the CPU has updated.
pattern {
  id = "offloaded_optimizer",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  cause = "optimizer on the CPU",
  summary = "weights that an optimizer on the CPU has updated are copied back",
  when = function(it) return it.direction == "H2D" and it.small == 0 and it.optimizer == 1 end,
  title = "Keep the optimizer on the GPU: what it updates is copied back",
  path_a = "These are weights that the optimizer has updated on the CPU: with its state on the GPU nothing is copied. What must stay"
    .. " on the CPU should go back piece by piece, on a separate stream, while the rest is updated: {exposed_ms} ms of {total_ms} ms"
    .. " are exposed.",
}

-- Samples of a batch: one behind the other, and not for a layer.
local function are_samples(it)
  return it.direction == "H2D" and it.small == 0 and it.steps > 0 and it.in_forward == 0
    and it.repeated >= 4 * it.steps and it.in_rows >= 0.7 * it.count
end

-- Other uses of a tensor, or sizes that differ, or batches of a loader.
local function are_no_parts(it)
  return it.saved == 1 or it.optimizer == 1 or it.foreign == 1 or it.repeated < 0.9 * it.count or 2 * it.batches >= it.repeated
end

pattern {
  id = "samples_one_by_one",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "copies of one size to the device, one behind the other in each step: the samples of a batch",
  counter = "kernels run between them, a layer makes them, or they are weights, activations or of an optimizer",
  when = function(it) return are_samples(it) and {per_step = math.floor(it.repeated / it.steps)} end,
  unless = function(it) return it.offloads == 1 or are_no_parts(it) end,
  title = function(_, it)
    return it.pageable == it.count and "Pin and copy each batch at once {by}" or "Copy each batch at once {by}"
  end,
  path_a = "Put the samples of a batch into one tensor on the host (`collate_fn`) and copy that: {per_step} copies of one size"
    .. " follow one another in each step.",
}

-- One size for several uses in a step is no batch: weights, masks, tables. Unless a loader returns a
-- batch for each, or for two of them: then they are the micro-batches of a step.
pattern {
  id = "keep_on_device",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "copies of one size to the device, several in each step",
  counter = "they are small, or differ, are saved activations, are samples of a batch, or a loader returns as many batches",
  when = function(it)
    if not (it.direction == "H2D" and it.small == 0) then return false end
    if it.steps == 0 then return it.in_forward == 1 and it.repeated >= 8 end -- of layers, not of a loop over inputs
    return it.repeated >= 4 * it.steps and {per_step = math.floor(it.repeated / it.steps)}
  end,
  unless = function(it) return are_samples(it) or are_no_parts(it) end,
  title = "Make or keep on the GPU what is copied to it {by}",
  path_a = function(_, it)
    return "Make these tensors on the GPU (`device=`), or keep there those whose data stays the same (copy a mask once, not in"
      .. " each layer): " .. (it.steps == 0 and "{repeated} of {count} copies have one size."
      or "{per_step} copies of one size in each step.")
  end,
}

-- It saves half of the time and more.
local function pinning_leads(it) return it.pageable == it.count and it.pin_saves_pct >= 50 end

-- The same large tensor again and again, and not to store it.
pattern {
  id = "work_on_device",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "large copies of one size to the host, exposed: the host computes with the values",
  counter = "they differ, are small, are hidden, are saved activations, a checkpoint is written, or pinning does most",
  when = function(it)
    return it.direction == "D2H" and it.small == 0 and it.count >= 3 and 2 * it.repeated >= it.count
      and {mean_ms = it.mean_us / 1000}
  end,
  unless = function(it)
    return it.exposed_ms < 0.3 * it.total_ms or it.saves == 1 or it.saved == 1 or it.offloads == 1 or pinning_leads(it)
  end,
  title = "Compute on the GPU instead of copying to the host {by}",
  path_a = "Compute on the GPU and copy only the result: {repeated} of {count} copies to the host have the same"
    .. " size and take {mean_ms} ms each on average.",
}

pattern {
  id = "pin_host_memory",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "copies of pageable host memory",
  counter = "every copy is named pinned, or none is named pageable; or they are reads that the host waits for",
  when = function(it) return with_host(it) and it.pageable > 0 end,
  unless = function(it)
    return it.pinned == it.count or (it.small == 1 and it.direction == "D2H" and 2 * it.waited >= it.count)
  end,
  title = function(_, it) return it.direction == "D2H" and "Pin what is copied to the host {by}" or "Pin the host memory copied {by}" end,
  path_a = function(it, values)
    local which = values.pageable == values.count and "all {count} copies use"
      or "{pageable} of {count} copies " .. (values.pageable == 1 and "uses" or "use")
    if values.count == 1 then which = "the copy uses" end
    local how = values.direction == "D2H" and "copy into pinned buffers" or "allocate it pinned (`pin_memory=True`)"
    local instead = values.direction == "D2H" and values.count >= 3 and 2 * values.repeated >= values.count and values.saves == 0
      and values.saved == 0 and pinning_leads(values) and " If the host only computes with these values, compute on the GPU and copy the result." or ""
    return "Pin the host memory (" .. how .. ") and copy with `non_blocking=True`: " .. which .. " pageable memory." .. instead
  end,
}

pattern {
  id = "merge_copies",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "many copies of less than 10 µs on average",
  counter = "they take 10 µs or more on average, or a data-parallel wrapper makes most of them",
  when = function(it) return it.count > 50 and not are_blocks(it) end,
  unless = function(it) return not (it.mean_us < TINY_US) or 2 * of_wrapper(it) >= it.count end,
  title = "Merge the small copies {by}",
  path_b = "Pack them into one buffer: one transfer instead of {count} of {mean_us} µs each.",
}

local function copied_less(it)
  local when_pinned = it.pinned_ms > 0 and " Pinned, they still take about {pinned_ms} ms of the {exposed_ms} ms." or ""
  if it.room_ms < 0.5 * left(it) then
    local same = it.direction == "H2D" and 2 * it.repeated >= it.count and it.count > 1
      and " {repeated} of {count} have the same size: if some hold the same data, keep that on the GPU." or ""
    return "Copy less: computation can hide only {room_ms} ms of "
      .. (it.pinned_ms > 0 and "what is left." or "{exposed_ms} ms.") .. when_pinned .. same
  end
  return "Copy on a separate stream while kernels run"
    .. (it.pinned_ms > 0 and "." .. when_pinned or ": {exposed_ms} ms of {total_ms} ms are exposed.")
end

pattern {
  id = "slow_host_copies",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "large copies from or to the host, exposed",
  counter = "they are small, saved activations, or other work hides them",
  when = function(it) return with_host(it) and it.small == 0 and it.exposed_ms > 0 end,
  unless = function(it)
    return it.saved == 1 or it.optimizer == 1 or it.foreign == 1 or it.exposed_ms < 0.3 * it.total_ms
  end,
  title = function(_, it)
    if it.room_ms < 0.5 * left(it) then return "Copy less between host and GPU {by}" end
    return "Overlap the copies {by} with kernels, on their own stream"
  end,
  path_a = function(_, it)
    if it.host_gb_per_s > 0 and it.host_gb_per_s < 0.5 * it.host_link_gb_per_s then
      return "Check the link first: pinned copies reach {host_gb_per_s} GB/s of its {host_link_gb_per_s} GB/s, so look at the slot's lanes and"
        .. " generation (`lspci -vv`), a riser, and the NUMA node. " .. copied_less(it)
    end
    return copied_less(it)
  end,
}

-- A wrapper for data parallelism copies all buffers into one tensor, broadcasts it, and copies
-- them back, before each forward pass.
pattern {
  id = "broadcast_buffers",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "copies around the broadcast of a module's buffers",
  when = function(it) return it.direction == "D2D" and it.joins_ms >= 0.1 * it.total_ms and it.joins_buffers > 0 end,
  title = function(_, it)
    return it.buckets_ms >= 0.1 * it.total_ms and "Let DDP copy less: broadcast_buffers=False and gradient_as_bucket_view=True"
      or "Broadcast the module's buffers less often"
  end,
  path_a = "Broadcast the buffers less often (`broadcast_buffers=False`, or only before evaluation):"
    .. " {joins_buffers} copies ({joins_ms} ms) flatten the module's buffers for a broadcast before each forward pass.",
}

-- It copies each gradient out of the bucket that was reduced, unless the gradient is a view of it.
pattern {
  id = "bucket_copies",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "copies of gradients between a data-parallel wrapper's buckets and the parameters",
  when = function(it) return it.direction == "D2D" and it.buckets_ms >= 0.1 * it.total_ms and it.buckets > 0 end,
  title = "Make gradients views of DDP's buckets (gradient_as_bucket_view=True)",
  path_a = "Create the DDP module with `gradient_as_bucket_view=True`, so that gradients need not be copied out of the"
    .. " reduced buckets: {buckets} copies ({buckets_ms} ms).",
}

pattern {
  id = "copies_between_devices",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "copies named as from one device to another, exposed",
  counter = "most are copies within one device, or other work hides them",
  when = function(it)
    return it.direction == "D2D" and 2 * it.between_devices >= it.count
      and {mean_ms = it.mean_us / 1000}
  end,
  unless = function(it) return it.exposed_ms < 0.3 * it.total_ms end,
  title = function(_, it)
    return it.split == 1 and "Split the model where less data crosses between devices" or "Copy less from one device to the other, or while kernels run"
  end,
  path_a = function(_, it)
    local how = it.split == 1 and "Split the model where less data crosses" or "Copy only what is needed (fewer rows, top values, fewer bits)"
    return how .. ", or copy in chunks on a separate stream while the device computes on the chunk before: {between_devices} of {count}"
      .. " copies go from one device to another, {mean_ms} ms each on average, and {exposed_ms} ms are exposed."
  end,
  path_b = "Check that the two devices reach each other directly (peer access, their link and its width).",
}

pattern {
  id = "copies_within_device",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "copies within the device",
  counter = "they are of a data-parallel wrapper, or go to another device",
  when = function(it) return it.direction == "D2D" end,
  unless = function(it) return 2 * of_wrapper(it) >= it.count or 2 * it.between_devices >= it.count end,
  title = "Avoid the device-to-device copies {by}",
  path_a = function(_, it)
    local most = 2 * it.repeated >= it.count
      and " {repeated} of {count} have the same size." or ""
    return "Write directly into the destination, or use a view: {count} copies of {mean_us} µs each move data"
      .. " that is on the device already." .. most
  end,
  path_b = "Choose kernels that read the layout their producer writes, so that no copy is needed.",
}
