-- pace.lua - the device itself is slow for a while, or slows down: calls of every kind take longer
-- than the same calls elsewhere in the recording. The program measures that.

pattern {
  id = "slow_stretch",
  category = "multi_kernel",
  scope = "advice",
  about = "pace",
  summary = "for a stretch of the recording, calls of every kind take longer than elsewhere",
  when = function(it) return it.slows_down == 0 end,
  title = "All kernels {ratio} times slower for a while: {excess_ms} ms",
  issue = "From {from_ms} to {to_ms} ms after the start every kind of kernel takes longer than the same calls"
    .. " elsewhere, {ratio} times on average and {excess_ms} ms in all.",
  path_a = "Look for what slowed the GPU then (another process on it, a power or clock limit): {kinds} kinds of"
    .. " calls are slow at once, so that no kernel is the cause.",
}

pattern {
  id = "slowing_device",
  category = "multi_kernel",
  scope = "advice",
  about = "pace",
  summary = "calls of every kind take longer and longer",
  when = function(it) return it.slows_down == 1 end,
  title = "All kernels slow down, to {ratio} times: {excess_ms} ms",
  issue = "The same calls take {ratio} times as long in the last quarter of the recording as in the first,"
    .. " whatever they compute: {excess_ms} ms in all.",
  path_a = "Watch clock, power and temperature of the GPU while it runs: {kinds} kinds of calls slow down"
    .. " together, so that no kernel is the cause.",
}
