-- counters.lua - what the device's own counters say: a clock that falls while kernels run, SMs without
-- work. The program measures both over time; a sample of activity counts if kernels fill it.

-- Some tools record an average of seconds: then the same kernels take as long as elsewhere.
local function is_low(it)
  return it.clock_low_pct >= 5 and not (it.slower < 1.05)
end

local function beside(it)
  local slower = known(it.slower) and " The same kernels take {slower}x as long then."
    or " No kernel runs often enough in both parts to tell what that costs."
  local power = known(it.low_w) and known(it.high_w) and " Power is {low_w} W then and {high_w} W otherwise." or ""
  local heat = known(it.low_c) and " The device is at {low_c} °C then." or ""
  return slower .. power .. heat
end

pattern {
  id = "clock_falls",
  category = "multi_kernel",
  scope = "advice",
  about = "counters",
  informational = true,
  summary = "for a twentieth of kernel time or more, the clock is more than a tenth below what it reaches",
  when = function(it) return is_low(it) and it.clock_rises == 0 end,
  title = "Keep the clock steady before judging kernels: it falls to {clock_low_mhz} of {clock_high_mhz} MHz",
  issue = function(_, it)
    return "The clock is at {clock_low_mhz} MHz on average in {clock_low_pct}% of kernel time, from {clock_from_ms} to "
      .. "{clock_to_ms} ms after the start, and at {clock_high_mhz} MHz otherwise." .. beside(it)
  end,
  path_a = "Find out what limits the GPU then (power, temperature, other work on the host's cooling), raise the limit or "
    .. "lock the clock, and record again. Times and efficiencies of kernels in that part describe the clock, not the "
    .. "code: draw no advice about kernels from them.",
}

pattern {
  id = "clock_rises",
  category = "multi_kernel",
  scope = "advice",
  about = "counters",
  informational = true,
  summary = "the clock still rises when the recording begins",
  when = function(it) return is_low(it) and it.clock_rises == 1 end,
  title = "Record after the clock has risen: it is at {clock_low_mhz} of {clock_high_mhz} MHz at first",
  issue = function(_, it)
    return "Until {clock_to_ms} ms after the start, {clock_low_pct}% of kernel time, the clock is at {clock_low_mhz} MHz on "
      .. "average, and at {clock_high_mhz} MHz from then on." .. beside(it)
  end,
  path_a = "Let the model run for a few seconds before recording (in PyTorch, wait and warmup of the profiler's schedule). "
    .. "Kernels before that are slower than they are in a long run: draw no advice from them.",
}

pattern {
  id = "inactive_sms",
  category = "multi_kernel",
  scope = "advice",
  about = "counters",
  informational = true,
  summary = "while kernels run, SMs are active for less than half of the time",
  when = function(it) return it.sm_pct < 50 and it.filled_pct >= 20 end,
  title = "Fill the GPU: SMs are active {sm_pct}% of the time while kernels run",
  issue = "Where kernels run without a pause, counters find the SMs active {sm_pct}% of the time, and below half in "
    .. "{sm_low_pct}% of it ({filled_pct}% of kernel time is covered by such samples).",
  path_a = function(_, _, trace)
    return (trace.training == 1 and "Use a larger batch" or "Serve more requests in a batch")
      .. ", or launch more blocks: split long reductions, combine small operations, run independent work on a second stream."
  end,
}
