-- memory.lua - how much of the device's memory the allocator holds, and what that is.

pattern {
  id = "memory_nearly_full",
  category = "multi_kernel",
  scope = "advice",
  about = "memory",
  informational = true,
  summary = "the allocator holds 90% of the device's memory, or more",
  when = function(it) return it.reserved_pct >= 90 end,
  title = "Free device memory: the allocator holds nearly all of it",
  issue = function(_, it)
    local activations = it.activation_gib >= 0.01
        and " Activations kept for the backward pass hold {activation_gib} GiB at the peak." or ""
    local workspace = it.workspace_gib >= 0.01 and " Workspaces of operators hold {workspace_gib} GiB of it." or ""
    return "The allocator reserves up to {reserved_gib} of {device_gib} GiB ({reserved_pct}%); {peak_gib} GiB are allocated at the peak." .. activations .. workspace
  end,
  path_a = function(_, it)
    return it.activation_gib >= 0.01
      and "Recompute activations (torch.utils.checkpoint) in the modules that hold most of them, or use a smaller batch."
      or "Use a smaller batch, or shard parameters and optimizer state over ranks."
  end,
}

pattern {
  id = "memory_fragmented",
  category = "multi_kernel",
  scope = "advice",
  about = "memory",
  informational = true,
  summary = "a fifth of what the allocator holds at the peak is not allocated, and it holds half of the device",
  when = function(it) return it.unused_pct >= 20 and it.reserved_pct >= 50 end,
  title = "Reduce fragmentation of device memory",
  issue = function()
    return "At the peak {unused_pct}% of what the allocator holds is not allocated, though it holds {reserved_pct}% "
      .. "of the device's {device_gib} GiB."
  end,
  path_a = function(_, _, trace)
    return trace.other_device == 1 and "Keep the sizes of inputs the same from step to step."
      or "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, or keep the sizes of inputs the same from step to step."
  end,
}

-- Computing activations again saves memory: where that is free, it only costs time.
pattern {
  id = "recompute_with_free_memory",
  category = "multi_kernel",
  scope = "advice",
  about = "recompute",
  summary = "activations are computed again for the backward pass, and a quarter of device memory or more is never reserved",
  when = function(it) return it.share_pct >= 5 and it.free_pct >= 25 end,
  title = "Checkpoint fewer layers: memory is free for their activations",
  issue = "The backward pass computes activations again for {again_ms} ms ({share_pct}% of the run), while the allocator"
    .. " reserves at most {reserved_gib} of the device's {device_gib} GiB.",
  path_a = "Checkpoint fewer layers (or none), beginning with those that cost most time per byte that they spare, until"
    .. " memory is used; or use the memory for a larger batch.",
}

pattern {
  id = "recompute_selectively",
  category = "multi_kernel",
  scope = "advice",
  about = "recompute",
  summary = "activations are computed again for the backward pass, and nothing is recorded of memory",
  when = function(it) return it.share_pct >= 5 and it.reserved_gib == 0 end,
  title = "Checkpoint fewer layers, or only what is cheap to compute again",
  issue = "The backward pass computes activations again for {again_ms} ms ({share_pct}% of the run). Whether memory is free"
    .. " for them is not recorded.",
  path_a = function(_, it)
    local device = it.device_gib > 0 and ": the device has {device_gib} GiB" or ""
    return "Record memory (`profile_memory=True` of torch.profiler)" .. device .. ". Where some is free, checkpoint fewer layers; else"
      .. " checkpoint selectively: keep the results of matmuls and attention, and compute only cheap operators again"
      .. " (`create_selective_checkpoint_contexts`)."
  end,
}
