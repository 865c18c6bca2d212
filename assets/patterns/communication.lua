-- communication.lua - collectives. The program finds exposed communication and measures it
-- by kind; a fact of a kind is called after it, such as all_to_all_exposed_ms.

local SMALL_MIB, SHORT_US = 1, 100 -- a message, or a collective, that is all latency

-- Exposed for more than a tenth of all exposed communication.
local function exposed(it, kind)
  return it[kind .. "_exposed_ms"] > 0.1 * it.exposed_ms
end

-- Nothing hides more of it than of any other kind: the one that the title names.
local function leads(it, kind)
  for _, other in ipairs {"all_reduce", "reduce_scatter", "all_to_all", "all_gather"} do
    if it[other .. "_exposed_ms"] > it[kind .. "_exposed_ms"] then return false end
  end
  return exposed(it, kind)
end

-- Computation enough to hide half of it: without that, no order of the work does.
local function has_room(it) return it.room_ms >= 0.5 * it.exposed_ms end

-- Of its time, 70% or more is hidden by computation.
local function hidden(it, kind)
  return not (it[kind .. "_exposed_ms"] > 0.3 * it[kind .. "_ms"])
end

local function many_small(it, kind)
  local mib = it[kind .. "_mib"]
  local small
  if known(mib) then small = mib < SMALL_MIB else small = it[kind .. "_median_us"] < SHORT_US end
  return it[kind .. "_per_step"] > 10 and small
end

local function hidden_pct(it, kind)
  return 100 * (1 - it[kind .. "_exposed_ms"] / it[kind .. "_ms"])
end

pattern {
  id = "all_reduce_per_parameter",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "more than ten small all-reduces per step in the backward pass",
  counter = "there is no backward pass",
  when = function(it)
    return many_small(it, "all_reduce") and {hidden_pct = hidden_pct(it, "all_reduce")}
  end,
  unless = function(_, trace) return trace.training ~= 1 end,
  title = "One all-reduce per parameter: {all_reduce_per_step} a step",
  path_a = "Reduce gradients in buckets of some 25 MiB: the backward pass makes {all_reduce_per_step}"
    .. " all-reduces per step of {all_reduce_median_us} us (median), one for each parameter;"
    .. " {hidden_pct}% of their time is hidden.",
}

-- The calls that move the same show what a transfer takes.
local function is_late(it) return it.late_count > 0 and it.late_ms >= 0.3 * it.exposed_ms end

pattern {
  id = "late_rank",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "some calls take five times the median of their kind and size, and most of the exposed time",
  counter = "they are hidden",
  when = is_late,
  unless = function(it) return it.exposed_ms < 0.2 * it.comm_ms end,
  title = function(_, it)
    return "{late_count} of {late_calls} {most_kind} calls " .. (it.late_count == 1 and "waits" or "wait")
      .. " for another rank"
  end,
  path_a = function(_, it)
    return "Find the rank that is late: {late_count} of {late_calls} {most_kind} calls "
      .. (it.late_count == 1 and "takes" or "take") .. " {late_ms} ms more than the median for"
      .. " the same message ({late_median_us} us), so that this is waiting, not transfer."
  end,
}

pattern {
  id = "pipeline_wait",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "stages of a pipeline wait for each other's messages",
  counter = "messages are sent at the speed of a link",
  when = function(it)
    return it.send_recv_exposed_ms > 0.5 * it.exposed_ms and it.send_recv_count > 1
      and {median_ms = it.send_recv_median_us / 1000}
  end,
  unless = function(it)
    return not (it.send_recv_mib > 0) or it.send_recv_mib / it.send_recv_median_us > 0.01 -- MiB per us
  end,
  path_a = "Shorten the wait between stages (more micro-batches in a step, stages of equal work): a message of"
    .. " {send_recv_mib} MiB takes {median_ms} ms here, of which a link needs a small part.",
}

pattern {
  id = "gradient_buckets",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "more than ten small reduce-scatters per step in the backward pass",
  counter = "there is no backward pass",
  when = function(it) return many_small(it, "reduce_scatter") end,
  unless = function(_, trace) return trace.training ~= 1 end,
  path_a = "Wrap larger parts of the model, so that gradients are reduced in larger pieces: the"
    .. " backward pass makes {reduce_scatter_per_step} reduce-scatters per step of"
    .. " {reduce_scatter_median_us} us (median).",
}

for _, kind in ipairs {"all_reduce", "reduce_scatter"} do
  local word = kind == "all_reduce" and "all-reduce" or "reduce-scatter"
  pattern {
    id = "overlap_" .. kind,
    category = "multi_kernel",
    scope = "advice",
    about = "communication",
    summary = "gradients are reduced, by " .. word .. ", while nothing is computed",
    counter = "70% of it is hidden, nothing could hide half of it, or there is no backward pass",
    when = function(it)
      return it[kind .. "_backward"] > 0 and leads(it, kind) and not many_small(it, kind)
    end,
    unless = function(it, trace)
      return hidden(it, kind) or not has_room(it) or trace.training ~= 1
    end,
    path_a = "Start the reduction of gradients earlier in the backward pass (a smaller first bucket),"
      .. " or accumulate gradients over several steps: {" .. kind .. "_exposed_ms} ms of {"
      .. kind .. "_ms} ms of " .. word .. " are exposed.",
  }
end

pattern {
  id = "reduce_during_backward",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "gradients are reduced after the backward pass",
  counter = "it runs during the backward pass, nothing could hide half of it, or there is no backward pass",
  when = function(it) return it.all_reduce_backward == 0 and leads(it, "all_reduce") and not is_late(it) end,
  unless = function(it, trace)
    return hidden(it, "all_reduce") or not has_room(it) or trace.training ~= 1
  end,
  path_a = "Start each all-reduce in the backward pass, as soon as its gradients are there: none of the"
    .. " {all_reduce_count} is launched from it, and {all_reduce_exposed_ms} ms of {all_reduce_ms} ms are exposed.",
}

pattern {
  id = "overlap_all_to_all",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "more exposed all-to-all than any other collective",
  counter = "70% of it is hidden, or nothing could hide half of it",
  when = function(it) return leads(it, "all_to_all") end,
  unless = function(it) return hidden(it, "all_to_all") or not has_room(it) end,
  path_a = "Run the all-to-all beside work that does not need its result (another micro-batch,"
    .. " the dense layers, the exchange of the next batch's indices): {all_to_all_exposed_ms} ms of"
    .. " {all_to_all_ms} ms in {all_to_all_count} calls are exposed.",
}

pattern {
  id = "overlap_all_gather",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "more exposed all-gather than any other collective",
  counter = "70% of it is hidden, or nothing could hide half of it",
  when = function(it) return leads(it, "all_gather") end,
  unless = function(it) return hidden(it, "all_gather") or not has_room(it) end,
  path_a = "Prefetch: gather the parameters of the next layer while this one computes;"
    .. " {all_gather_exposed_ms} ms of {all_gather_ms} ms of all-gather are exposed.",
}

pattern {
  id = "serving_all_reduce",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "an exposed all-reduce without a backward pass",
  counter = "there is a backward pass, 70% of it is hidden, or nothing could hide half of it",
  when = function(it) return leads(it, "all_reduce") end,
  unless = function(it, trace)
    return trace.training == 1 or hidden(it, "all_reduce") or not has_room(it)
  end,
  path_a = "Split the batch in two and run the tensor-parallel all-reduce of one half beside the"
    .. " computation of the other: {all_reduce_exposed_ms} ms of {all_reduce_ms} ms are exposed.",
}

pattern {
  id = "less_communication",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "more exposed communication than computation could hide",
  counter = "there is computation enough to hide it",
  when = function(it) return it.exposed_ms > 0 end,
  unless = has_room,
  path_a = function(_, _, trace)
    local ways = trace.training == 1 and "a larger batch for each device, or a narrower type on the wire"
      or "a narrower type on the wire, or fewer devices that share a layer"
    return "Computation can hide only {room_ms} ms of {exposed_ms} ms, so shorten the communication"
      .. " itself: " .. ways .. "."
  end,
}

pattern {
  id = "wait_for_other_ranks",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "the longest collective takes ten times the median of its kind",
  counter = "messages of its kind differ, and their sizes are recorded",
  when = function(it) 
    local ratio = math.floor(it.longest_ratio)
    return it.longest_ms > 0.2 * it.exposed_ms and ratio >= 10 and {ratio = ratio}
  end,
  unless = function(it) return known(it.longest_mib) end,
  path_b = "The longest {longest_kind} takes {longest_ms} ms, {ratio} times the median: this rank"
    .. " probably waits for another. Compare the traces of all ranks.",
}

pattern {
  id = "collective_bandwidth",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "large messages whose size is recorded",
  counter = "sizes are not recorded, messages are small, or most of the time is waiting",
  when = function(it) return it.longest_mib >= SMALL_MIB end,
  unless = function(it) return not known(it.longest_mib) or is_late(it) end,
  path_b = function(_, it)
    local gb_per_s = it.longest_mib * 1.048576 / it.longest_median_ms
    local so = gb_per_s < 3 and it.longest_mib >= 4
      and "less than any link inside a node: this rank waits for others, or the network is slow."
      or "compare with the links of this node."
    return string.format("A typical %s moves %.1f MiB at %.1f GB/s: %s", it.longest_kind, it.longest_mib,
      gb_per_s, so)
  end,
}
