-- copies.lua - copies between host and device, and within the device. The program finds
-- them and measures; `direction` is D2H, H2D or D2D.

local TINY_US = 10 -- below, starting a copy takes as long as the copy

local function with_host(it) return it.direction ~= "D2D" end

pattern {
  id = "read_less_often",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "small copies to the host, inside calls that wait for the device",
  counter = "most of them are not inside a call that waits",
  when = function(it) return it.direction == "D2H" and it.small == 1 end,
  unless = function(it) return 2 * it.waited < it.count end,
  path_a = "{waited} of {count} copies to the host are reads that the host waits for:"
    .. " keep these values on the device and read them together, once per step or less often.",
}

pattern {
  id = "create_on_device",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "small copies to the device: tensors made on the host inside the step",
  counter = "they are too large for that, or few",
  when = function(it) return it.direction == "H2D" and it.small == 1 end,
  unless = function(it) return it.count < 10 end,
  path_a = "Make small tensors on the device, or once before the loop:"
    .. " {count} copies to the device take {mean_us} us each.",
}

-- The same large tensor again and again, and not to store it.
pattern {
  id = "work_on_device",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "large copies of one size to the host, exposed: the host computes with the values",
  counter = "they differ, are small, are hidden, or a checkpoint is written",
  when = function(it)
    return it.direction == "D2H" and it.small == 0 and it.count >= 3 and 2 * it.repeated >= it.count
      and {mean_ms = it.mean_us / 1000}
  end,
  unless = function(it) return it.exposed_ms < 0.3 * it.total_ms or it.saves == 1 end,
  path_a = "Do what needs these values on the GPU, and copy only the result: {repeated} of {count} copies"
    .. " to the host have one size and take {mean_ms} ms each.",
}

pattern {
  id = "pin_host_memory",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "copies named pageable",
  counter = "every copy is named pinned, or none is named pageable; or they are reads that the host waits for",
  when = function(it) return with_host(it) and it.pageable > 0 end,
  unless = function(it)
    return it.pinned == it.count or (it.small == 1 and it.direction == "D2H" and 2 * it.waited >= it.count)
  end,
  path_a = function(it, values)
    local way = values.direction == "D2H" and "to" or "from"
    local which = values.pageable == values.count and "all {count} copies are"
      or "{pageable} of {count} copies " .. (values.pageable == 1 and "is" or "are")
    if values.count == 1 then which = "the copy is" end
    return "Pin the host memory that is copied " .. way .. " (" .. which
      .. " named pageable) and copy asynchronously."
  end,
}

pattern {
  id = "merge_copies",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "many copies of less than 10 us on average",
  counter = "they take 10 us or more on average",
  when = function(it) return it.count > 50 end,
  unless = function(it) return not (it.mean_us < TINY_US) end,
  path_b = "Merge them: one transfer of a joined buffer in place of {count} of {mean_us} us each.",
}

pattern {
  id = "slow_host_copies",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "large copies from or to the host, exposed",
  counter = "they are small, or other work hides them",
  when = function(it) return with_host(it) and it.small == 0 and it.exposed_ms > 0 end,
  unless = function(it) return it.exposed_ms < 0.3 * it.total_ms end,
  path_a = function(_, it)
    if it.room_ms < 0.5 * it.exposed_ms then
      local same = 2 * it.repeated >= it.count and it.count > 1
        and " ({repeated} of {count} have one size: keep on the GPU what is copied again)" or ""
      return "Copy less" .. same .. ": computation can hide only {room_ms} ms of {exposed_ms} ms."
    end
    return "Copy on a stream of its own while other work runs:"
      .. " {exposed_ms} ms of {total_ms} ms are exposed."
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
  when = function(it) return it.direction == "D2D" and it.joins_buffers == 1 end,
  path_a = "Broadcast the buffers less often (`broadcast_buffers=False`, or only before evaluation):"
    .. " these {count} copies join the buffers of the module for a broadcast before each forward pass.",
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
  path_a = "Cut the model where less data crosses, or copy in parts on a stream of its own while the device"
    .. " computes on the part before: {between_devices} of {count} copies go from one device to another,"
    .. " {mean_ms} ms each, and {exposed_ms} ms are exposed.",
  path_b = "Check that the two devices reach each other directly (peer access, their link and its width).",
}

pattern {
  id = "copies_within_device",
  category = "multi_kernel",
  scope = "advice",
  about = "copies",
  summary = "copies within the device",
  counter = "they serve the broadcast of buffers, or go to another device",
  when = function(it) return it.direction == "D2D" end,
  unless = function(it) return it.joins_buffers == 1 or 2 * it.between_devices >= it.count end,
  path_a = function(_, it)
    local most = 2 * it.repeated >= it.count
      and " {repeated} of {count} have one size: the same tensors every time." or ""
    return "Write into the destination at once, or use a view: {count} copies of"
      .. " {mean_us} us move data that is on the device already." .. most
  end,
  path_b = "Choose kernels that read and write the layout at hand, so that no copy comes"
    .. " between them.",
}
