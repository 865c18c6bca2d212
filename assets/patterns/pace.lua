-- pace.lua - the device itself is slow for a while, or slows down: calls of most kinds take longer
-- than the same calls elsewhere in the recording. The program measures that.

-- A lower clock leaves those alone that wait for memory.
local function which(it)
  if it.kinds == it.kinds_compared then return "all {kinds} kinds of calls" end
  return "{kinds} of {kinds_compared} kinds of calls"
end

pattern {
  id = "slow_stretch",
  category = "multi_kernel",
  scope = "advice",
  about = "pace",
  summary = "for a stretch of the recording, calls of most kinds take longer than elsewhere",
  when = function(it) return it.slows_down == 0 and it.stays_slow == 0 end,
  title = "Find out what slowed the kernels by {ratio}x from {from_ms} to {to_ms} ms",
  issue = "From {from_ms} to {to_ms} ms after the start, kernels take {ratio}x as long as the same calls elsewhere,"
    .. " {excess_ms} ms in all.",
  path_a = function(_, it)
    return "Find out what slowed the GPU then (another process on it, a power or clock limit): " .. which(it)
      .. " are slow at once, so no single kernel is the cause."
  end,
}

pattern {
  id = "slowing_device",
  category = "multi_kernel",
  scope = "advice",
  about = "pace",
  summary = "calls of most kinds take longer and longer",
  when = function(it) return it.slows_down == 1 end,
  title = "Log clock, power and temperature: kernels slow down by {ratio}x",
  issue = "Kernels take {ratio}x as long in the last quarter of the recording as in the first, {excess_ms} ms in all.",
  path_a = function(_, it)
    return "Log clock, power and temperature of the GPU during the run: " .. which(it) .. " slow down together, so no"
      .. " single kernel is the cause."
  end,
}

pattern {
  id = "slower_clocks",
  category = "multi_kernel",
  scope = "advice",
  about = "pace",
  summary = "from one moment on calls of most kinds take longer, to the end of the recording",
  when = function(it) return it.stays_slow == 1 end,
  title = "Check the GPU clock: kernels take {ratio}x as long from {from_ms} ms on",
  issue = function(_, it)
    return "From {from_ms} ms after the start to the end, kernels take {ratio}x as long "
      .. (it.by_launch == 1 and "with the same grids" or "on the same shapes") .. " as before, {excess_ms} ms in all."
  end,
  path_a = function(_, it)
    return "Log power, temperature and clocks during the run (`nvidia-smi -q -d PERFORMANCE,CLOCK`, `rocm-smi -a`), and"
      .. " raise the limit or lock the clock: " .. which(it) .. " are slower together, so no single kernel is the cause."
      .. " Efficiencies measured after {from_ms} ms describe the clock, not the code."
  end,
}

pattern {
  id = "time_slices",
  category = "multi_kernel",
  scope = "advice",
  about = "slices",
  summary = "kernels of several kinds take a fixed time longer now and then, or a multiple of it: another process has the GPU meanwhile",
  when = function(it) return it.calls > 0 end,
  title = "Keep other processes off the GPU: kernels stop for {slice_ms} ms",
  issue = "{calls} calls take {slice_ms} ms, or a multiple of it, longer than the fastest call of the same work: {excess_ms} ms in all, in"
    .. " {kinds} kinds of work.",
  path_a = "Look for another process on this GPU (`nvidia-smi`, the node's scheduler): such a fixed time is the slice in which that one runs."
    .. " If both must share it, use MPS or a partition (MIG). No efficiency of the interrupted kernels says anything about the code.",
}
