-- host.lua - groups of idle time: what the host did while the device had nothing to do.
--
-- The group says what it is (class), where (blame) and what takes most time there (leaf).

local function has(name, ...)
  for _, part in ipairs {...} do
    if name:lower():find(part, 1, true) then return true end
  end
  return false
end

local function of_class(...)
  local set = {}
  for _, class in ipairs {...} do set[class] = true end
  return function(g) return set[g.class] or false end
end

local function at(place) return place ~= "" and " (" .. place .. ")" or "" end

-- What covers the gaps may be unknown: then what they consist of.
local function covering(g)
  if g.blame ~= "" then return "{blame}" .. at(g.blame_place) end
  return "several operators"
end

local function times(n, one, many)
  return string.format("%d %s", n, n == 1 and one or many)
end

-- "; 450 ms of that in `zoom_shift` (prep.py:12)", unless the leaf is the whole or little of it.
local function mostly(g)
  if g.leaf == "" or g.leaf == g.blame or g.leaf_pct < 15 then return "" end
  return "; {leaf_ms} ms of that in {leaf}" .. at(g.leaf_place)
end

local function each_step(g)
  return g.steps > 1 and " That is {per_step_ms} ms in every step." or ""
end

-- A wait that empties the queue explains why the host is late afterwards.
local function follows_wait(g) return g.after_sync_pct >= 20 and g.sync ~= "" end

local function after_wait(g)
  if not follows_wait(g) then return "" end
  return "Remove or defer the wait in {sync}" .. at(g.sync_place) .. ": {after_sync_pct}% of this"
    .. " time follows such a wait, which empties the queue. "
end

-- Where the host then works long, the wait is only why nothing hides that.
local function unhidden(g)
  if not follows_wait(g) then return "" end
  return " The wait in {sync}" .. at(g.sync_place) .. " comes before {after_sync_pct}% of this time:"
    .. " without it, work queued earlier would hide some."
end

-- A step that stops for values of the GPU cannot be one graph.
local function stops(g) return g.waits_per_step > 1.5 end

-- The same sizes in every step, and not inside graph launches already.
local function graph_fits(g)
  return g.graph_pct < 50 and g.repeated_pct >= 90 and not stops(g)
end

local function graph_or_compile(g)
  local advice = {}
  if graph_fits(g) then
    local so_far = g.graph_pct > 0 and ", and {graph_pct}% of kernel time is inside graph launches." or "."
    table.insert(advice, "Record the step once as a GPU graph and replay it: {repeated_pct}% of its"
      .. " operator calls recur in every step with the same sizes" .. so_far)
  end
  if g.compiled_pct < 50 and g.dispatch_pct + g.python_pct >= 20 then
    local python = g.python_pct > 0 and "{python_pct}% of this time is Python and" or "of this time"
    table.insert(advice, "Compile (`torch.compile`) " .. (g.where ~= "" and "the code around {where}"
      or g.blame ~= "" and "{blame}" or "the code around {leaf}") .. ", which runs eagerly: " .. python .. " {dispatch_pct}% is operator dispatch.")
  elseif g.compiled_pct >= 50 and g.graph_pct < 50 and not graph_fits(g) then
    table.insert(advice, "The region is compiled already, and what remains is the launch code between"
      .. " its kernels: if sizes recur, `mode=\"reduce-overhead\"` replays them as a GPU graph.")
  end
  return table.concat(advice, " ")
end

-- Work that is known by its name, and where else it belongs.
local ELSEWHERE = {
  {names = {"function collect", "gc.collect"},
    advice = "Collect garbage between steps that matter: `gc.disable()`, and `gc.collect()` every few hundred"
      .. " steps."},
  {names = {"serialization.py", "filewriter", "checkpoint"},
    advice = "Write the checkpoint beside the next steps: copy the state to pinned memory, and let another"
      .. " thread save it."},
}

local function elsewhere(g)
  local names = g.blame .. g.blame_place .. g.leaf .. g.leaf_place
  for _, known_work in ipairs(ELSEWHERE) do
    if has(names, table.unpack(known_work.names)) then return known_work.advice end
  end
end

-- Once in the life of a process.
local function once() return {saving_low_ms = 0, saving_high_ms = 0} end

pattern {
  id = "host_blocking",
  category = "cpu_idle",
  scope = "idle",
  summary = "every launch call waits for its kernel",
  when = function(g) return g.class == "host_bound" and g.blocking_pct >= 80 end,
  title = "GPU idle {time_ms} ms: each launch waits for its kernel",
  issue = "{blocking_pct}% of launch calls return only when their kernel has ended, so that nothing is ever"
    .. " queued: {time_ms} ms in {gaps} gaps ({share_pct}% of the run).",
  path_a = "Let launches be asynchronous: unset what serialises them for debugging (`*_LAUNCH_BLOCKING`,"
    .. " `AMD_SERIALIZE_KERNEL`) before anything else is measured." .. " The kernel takes {kernel_us} us on"
    .. " average.",
}

pattern {
  id = "host_bound_optimizer",
  category = "cpu_idle",
  scope = "idle",
  summary = "most short gaps are in the optimizer, operator by operator",
  when = function(g)
    return g.class == "host_bound" and g.where_most_pct >= 40 and has(g.where_most, "optimizer.")
      and g.graph_pct < 50
  end,
  title = "GPU idle {time_ms} ms: the optimizer runs operator by operator",
  issue = "In {gaps} gaps below 1 ms the GPU waits {time_ms} ms ({share_pct}% of the run) for the next"
    .. " launch; {where_most_pct}% of that in {where_most}.",
  path_a = function(g)
    if has(g.where_most, "zero_grad") then
      return "Free gradients instead of filling them with zeros: `zero_grad(set_to_none=True)` leaves"
        .. " {where_most} without launches."
    end
    return "Use the fused form of this optimizer (`fused=True`), which updates all parameters in a few"
      .. " launches; `foreach=True` where there is none."
  end,
}

pattern {
  id = "host_bound",
  category = "cpu_idle",
  scope = "idle",
  summary = "many short gaps: the device finishes before the next launch arrives",
  when = of_class("host_bound"),
  title = function(g)
    return g.after_sync_pct >= 50 and g.sync ~= "" and #g.sync <= 25 and "GPU idle {time_ms} ms after waits in " .. g.sync
      or "GPU idle {time_ms} ms: the host launches too slowly"
  end,
  issue = function(g)
    local waits = follows_wait(g) and "{after_sync_pct}% of it follows a wait for the GPU in {sync}"
      .. at(g.sync_place) .. "." or "the host reaches {launches_per_s} launches per second."
    return "In {gaps} gaps below 1 ms the GPU waits {time_ms} ms ({share_pct}% of the run) for the next"
      .. " launch; " .. waits
  end,
  path_a = function(g)
    local advice = after_wait(g) .. graph_or_compile(g)
    if advice ~= "" then return advice end
    if stops(g) and g.sync ~= "" then
      return "Take the waits out of the step: it stops {waits_per_step} times for the GPU, most often in"
        .. " {sync}" .. at(g.sync_place) .. ", so that neither a graph nor a queue can form."
    end
    if g.nothing_pct >= 50 then
      return "Record what the host does (operators and Python frames): for {nothing_pct}% of this time"
        .. " the launching thread shows nothing."
    end
    return "Give each launch more work (a larger batch, fused operators): the host reaches"
      .. " {launches_per_s} launches per second, and a kernel takes {kernel_us} us on average."
  end,
  -- Where launches hold up only some of the work, kernels elsewhere still count.
  path_b = function(g)
    return g.share_pct >= 15
      and "Faster kernels save nothing here: the GPU would wait longer for the same launches." or ""
  end,
}

pattern {
  id = "host_optimizer",
  category = "cpu_idle",
  scope = "idle",
  summary = "the optimizer step runs operator by operator",
  when = function(g)
    return (g.class == "dispatch" or g.class == "python") and has(g.blame, "optimizer.step", "zero_grad")
      and not has(g.leaf, "fused")
  end,
  title = "GPU idle {time_ms} ms while the host runs {what}",
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) while the host runs "
      .. covering(g) .. mostly(g) .. "."
  end,
  path_a = function(g)
    if has(g.blame, "zero_grad") then
      return "Free gradients instead of filling them with zeros: `zero_grad(set_to_none=True)`."
        .. each_step(g)
    end
    return "Use the fused form of this optimizer (`fused=True`), which updates all parameters in a few"
      .. " launches; `foreach=True` where there is none." .. each_step(g)
  end,
}

-- Where a process sleeps until another one, or a client, sends something.
local function sleeps(name)
  return has(name, "select.epoll", "select.poll", "select.select", "selectors.py", "zmq", "asyncio/base_events",
    "'recv' of '_socket", "queue.py", "multiprocessing/connection", "shm_broadcast")
end

pattern {
  id = "host_no_input",
  category = "cpu_idle",
  scope = "idle",
  summary = "the launching thread sleeps until something comes in: requests, or another process",
  counter = "it is a data loader that it waits for",
  when = function(g)
    if g.class ~= "python" and g.class ~= "nothing" then return false end
    local deepest = g.leaf_pct >= 50 and g.leaf .. g.leaf_place or ""
    if not sleeps(g.blame .. g.blame_place .. deepest) then return false end
    return {saving_low_ms = 0, saving_high_ms = 0}
  end,
  unless = function(g) return has(g.blame .. g.around .. g.leaf .. g.leaf_place, "dataloader", "_utils/worker") end,
  title = "GPU idle {time_ms} ms while nothing comes in",
  issue = function(g)
    return "For {time_ms} ms ({share_pct}% of the run) the launching thread sleeps in {blame}" .. at(g.blame_place)
      .. " until something is sent to it."
  end,
  path_a = "Measure under load: in {gaps} gaps, the longest of {longest_ms} ms, there is nothing to compute. If"
    .. " requests were waiting, look at the process that passes them on.",
}

pattern {
  id = "host_loader",
  category = "cpu_idle",
  scope = "idle",
  summary = "the step waits for its input",
  when = function(g)
    return (g.class == "dispatch" or g.class == "python" or g.class == "nothing")
      and (has(g.blame .. g.around, "dataloader") or (g.leaf_pct >= 40 and has(g.leaf, "dataloader")))
  end,
  title = "GPU idle {time_ms} ms while the step waits for its input",
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) in {blame}" .. at(g.blame_place)
      .. mostly(g) .. "."
  end,
  path_a = function(g)
    if has(g.blame .. g.leaf .. g.around, "singleprocess") then
      return "Samples are made on the training thread: give the loader workers (`num_workers`) and let"
        .. " them run ahead." .. each_step(g)
    end
    return "The workers do not keep up: add workers, or make a sample cheaper." .. each_step(g)
  end,
}

pattern {
  id = "host_flatten",
  category = "cpu_idle",
  scope = "idle",
  summary = "tensors are made one flat tensor to be sent, and taken apart",
  when = function(g)
    return (g.class == "dispatch" or g.class == "python")
      and has(g.blame .. g.leaf, "flatten_dense_tensors")
  end,
  title = "GPU idle {time_ms} ms while the host runs {what}",
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) while the host runs "
      .. covering(g) .. mostly(g) .. "."
  end,
  path_a = function(g)
    if has(g.around, "distributeddataparallel.forward") then
      return "Before each forward pass the module sends its buffers (running statistics) to all ranks, as"
        .. " one flat tensor that is then taken apart: with `broadcast_buffers=False` it does not, where"
        .. " ranks may differ in them or the normalisation synchronises itself." .. each_step(g)
    end
    return "Keep gradients in the buffer that is sent (`gradient_as_bucket_view=True`), so that they are"
      .. " not taken apart tensor by tensor." .. each_step(g)
  end,
}

pattern {
  id = "host_python",
  category = "cpu_idle",
  scope = "idle",
  summary = "the host runs Python while nothing is queued",
  when = of_class("python"),
  title = "GPU idle {time_ms} ms while the host runs {what}",
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) while the host runs "
      .. covering(g) .. mostly(g) .. "."
  end,
  path_a = function(g)
    local name = (g.blame .. " " .. g.leaf):lower()
    local input = has(name, "preprocess", "resize", "augment", "tokeniz", "collate_fn", "imread", "zoom")
    local what = g.leaf ~= "" and g.leaf_pct >= 50 and "{leaf}" or "{blame}"
    if input then
      local or_else = has(name, "tokeniz") and "" or ", or do " .. what .. " on the GPU"
      return "Prepare the next input in a worker while the GPU computes" .. or_else
        .. ": it has nothing queued until {blame} is done." .. each_step(g) .. unhidden(g)
    end
    if g.graph_pct >= 50 then
      return "{graph_pct}% of kernel time is inside GPU graphs, and the GPU waits for {blame} before it"
        .. " gets the next: run " .. what .. " for the next batch while the graph of this one runs."
        .. each_step(g)
    elseif g.compiled_pct >= 50 and g.leaf_pct >= 50 then
      return after_wait(g) .. "This is the launch code of a compiled region, with nothing recorded below"
        .. " it for {longest_ms} ms: a host profile with native frames shows what stops it there."
        .. each_step(g)
    elseif g.leaf_pct < 50 and g.gaps > 3 then
      return after_wait(g) .. graph_or_compile(g) .. each_step(g)
    end
    local known_way = elsewhere(g)
    if known_way then return known_way .. each_step(g) .. unhidden(g) end
    if g.long_ms < 0.5 * g.time_ms then return after_wait(g) .. graph_or_compile(g) .. each_step(g) end
    return "Make " .. what .. " cheaper or take it out of the step: nothing is queued for {longest_ms} ms"
      .. (g.gaps > 1 and " in one of these gaps." or ".") .. each_step(g) .. unhidden(g)
  end,
}

pattern {
  id = "host_dispatch",
  category = "cpu_idle",
  scope = "idle",
  summary = "the host works through operators that launch little",
  when = of_class("dispatch"),
  title = "GPU idle {time_ms} ms while the host runs {what}",
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) while the host works through the"
      .. " operators of " .. (g.blame ~= "" and covering(g) or "no single caller") .. mostly(g) .. "."
  end,
  path_a = function(g)
    if g.leaf:find("^aten::") and g.leaf_launches == 0 and g.leaf_call_us >= 300 and g.gaps > 2
      and g.leaf_pct >= 40 and not has(g.leaf, "item", "_local_scalar") then
      return "Keep the input of {leaf} on the GPU: it runs on the CPU here, {leaf_call_us} us a call, and"
        .. " launches nothing." .. each_step(g)
    end
    if g.leaf == g.blame and g.gaps <= 3 and g.call_ms >= 1 then
      return "One call takes {call_ms} ms on the host, with nothing recorded inside: a first call that"
        .. " sets something up. Record after warm-up; if it recurs, ask for a host profile of {blame}."
    end
    local advice = after_wait(g) .. graph_or_compile(g)
    if g.graph_pct >= 50 then
      advice = "{graph_pct}% of kernel time is inside GPU graphs: run {blame} for the next batch while the"
        .. " graph of this one runs, or record its operators into the graph."
    end
    return advice .. each_step(g)
  end,
}

pattern {
  id = "host_runtime",
  category = "cpu_idle",
  scope = "idle",
  summary = "runtime calls other than launches",
  when = of_class("runtime"),
  title = "GPU idle {time_ms} ms in runtime calls of {what}",
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) in runtime calls of {blame}"
      .. at(g.blame_place) .. mostly(g) .. "."
  end,
  path_a = function(g)
    if has(g.leaf, "launch", "memcpy", "memset") then
      return "Launch calls return after their work is done: the host is slower than the GPU here. "
        .. graph_or_compile(g) .. each_step(g)
    end
    return "Ask for what {leaf} returns once, before the loop, and keep it." .. each_step(g)
  end,
}

pattern {
  id = "host_unseen",
  category = "cpu_idle",
  scope = "idle",
  summary = "nothing is recorded on the launching thread",
  when = of_class("nothing"),
  title = function(g)
    return g.blame ~= "" and "GPU idle {time_ms} ms inside {what}, host work not recorded"
      or "GPU idle {time_ms} ms, host work not recorded"
  end,
  issue = function(g)
    local where = g.blame ~= "" and " inside {blame}" .. at(g.blame_place) or ""
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run)" .. where
      .. " while the launching thread records neither operator nor runtime call."
  end,
  path_a = function(g)
    local more = g.has_ops == 1 and "Python frames (`with_stack=True`)" or "host activity, with Python frames,"
    return "Record " .. more .. " to see what the host runs for the {longest_ms} ms of the longest gap"
      .. (g.blame ~= "" and ", inside {blame}" or "") .. "." .. each_step(g) .. unhidden(g)
  end,
}

pattern {
  id = "host_sync",
  category = "cpu_idle",
  scope = "idle",
  summary = "the host waits in a synchronising call although the device is idle",
  when = of_class("sync"),
  title = function(g)
    return "GPU idle {time_ms} ms inside {what} (" .. times(g.calls, "call", "calls") .. ")"
  end,
  issue = function(g)
    local from = g.leaf ~= "" and ", called by {leaf}" .. at(g.leaf_place) or ""
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) inside {blame}" .. from .. "."
  end,
  path_a = function(g)
    return "Remove this wait or move it behind the launches of the next step"
      .. (g.leaf ~= "" and ": {leaf}" .. at(g.leaf_place) .. " asks for it." or ".") .. each_step(g)
  end,
}

pattern {
  id = "host_memory",
  category = "cpu_idle",
  scope = "idle",
  summary = "memory is taken from or returned to the driver",
  when = of_class("memory"),
  title = function(g)
    return "GPU idle {time_ms} ms inside {what} (" .. times(g.calls, "call", "calls") .. ")"
  end,
  issue = function(g)
    local from = g.leaf ~= "" and ", most of it called by {leaf}" .. at(g.leaf_place) or ""
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) inside {blame}, "
      .. times(g.calls, "call", "calls") .. " of {call_ms} ms" .. from .. "."
  end,
  path_a = function(g)
    if has(g.leaf, "emptycache", "empty_cache") then
      return "Do not call `empty_cache()` in the step: its {calls} calls of {blame} return memory that the"
        .. " next operators ask the driver for again." .. each_step(g)
    elseif has(g.blame, "host") then
      return "Pinned memory is allocated inside the step: allocate the buffers once and reuse them."
        .. each_step(g)
    elseif has(g.blame, "getinfo", "getattr") then
      return "Ask for memory figures outside the step." .. each_step(g)
    elseif g.calls < 10 then
      return "The pool of the caching allocator grows or shrinks: warm up with the largest sizes before"
        .. " measuring, and do not call `empty_cache()` between steps."
    end
    return "Device memory goes back to the driver, or comes from it, inside the step: check whether the"
      .. " caching allocator is switched off, and whether `empty_cache()` is called between steps."
      .. each_step(g)
  end,
}

-- Compiled again in step after step; a runtime call that loads code is no compiler.
local function compiles_again(g)
  return g.class == "load" and g.in_steps >= 3 and has(g.blame_place, ".py")
end

pattern {
  id = "host_recompile",
  category = "cpu_idle",
  scope = "idle",
  summary = "code is compiled again in several steps",
  when = function(g)
    if not compiles_again(g) then return false end
    return {saving_low_ms = 0.8 * g.time_ms, saving_high_ms = g.time_ms}
  end,
  title = "GPU idle {time_ms} ms: compiled again in {in_steps} steps",
  issue = "The GPU is idle for {time_ms} ms ({share_pct}% of the run) in {blame} ({blame_place}), in {in_steps} of"
    .. " {steps} steps.",
  path_a = "Find what changes from step to step (`TORCH_LOGS=recompiles` names the guard that fails), and keep it"
    .. " fixed or mark it dynamic (`mark_dynamic`, `dynamic=True`).",
}

pattern {
  id = "host_load",
  category = "cpu_idle",
  scope = "idle",
  summary = "code is loaded or compiled while recording",
  when = function(g) return g.class == "load" and not compiles_again(g) and once() end,
  title = "GPU idle {time_ms} ms while code is loaded or compiled",
  issue = function(g)
    local from = g.leaf ~= "" and g.leaf ~= g.blame and ", most of it for {leaf}" .. at(g.leaf_place) or ""
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) in {blame}" .. at(g.blame_place)
      .. from .. "."
  end,
  path_a = "This happens once per process: record after warm-up. A warm step does not have it, so no"
    .. " saving is claimed.",
}

pattern {
  id = "host_graph",
  category = "cpu_idle",
  scope = "idle",
  summary = "graphs are captured or instantiated while recording",
  when = function(g) return g.class == "graph" and once() end,
  title = "GPU idle {time_ms} ms while GPU graphs are recorded",
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) in {blame}" .. mostly(g) .. "."
  end,
  path_a = "Graphs are recorded once: record the trace after warm-up. If this recurs, sizes change and"
    .. " graphs are made again: pad them to a few fixed sizes.",
}

pattern {
  id = "first_launch",
  category = "cpu_idle",
  scope = "idle",
  summary = "the first launch of a kernel loads or builds it",
  when = function(g) return g.class == "first_launch" and once() end,
  title = function(g)
    return "GPU idle {time_ms} ms in " .. (g.calls == 1 and "the first launch of a kernel"
      or string.format("first launches of %d kernels", g.calls))
  end,
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) in "
      .. times(g.calls, "launch call", "launch calls") .. " of 1 ms and more, each the first of its kernel"
      .. (g.calls == 1 and ": {leaf}." or "; {leaf_ms} ms in that of {leaf}.")
  end,
  path_a = "The first launch loads or builds the kernel: record after warm-up. A warm step does not have"
    .. " it, so no saving is claimed.",
}

pattern {
  id = "slow_launch_call",
  category = "cpu_idle",
  scope = "idle",
  summary = "launch calls themselves take long",
  when = function(g) return g.class == "launch" end,
  title = function(g)
    return "GPU idle {time_ms} ms inside {what} (" .. times(g.calls, "call", "calls") .. ")"
  end,
  issue = function(g)
    local from = g.leaf ~= g.blame and ", called by {leaf}" .. at(g.leaf_place) or at(g.blame_place)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) inside {blame}" .. from .. "."
  end,
  path_a = function(g)
    if has(g.blame, "graphlaunch") then
      return "Starting the graph takes the host {call_ms} ms while the GPU waits: upload it ahead of its"
        .. " launch, and launch the next one while this one runs."
    elseif has(g.blame, "memcpy", "memset") then
      return "The call stages the data itself: copy {leaf} from pinned memory, on a stream of its own,"
        .. " ahead of its use."
    end
    return "The call takes {call_ms} ms, where a launch takes microseconds: the queue is full or the"
      .. " kernel is set up anew each time."
  end,
}

pattern {
  id = "start_latency",
  category = "cpu_idle",
  scope = "idle",
  summary = "time from the end of a launch call to the start of its work",
  when = of_class("latency"),
  title = function(g)
    return "GPU idle {time_ms} ms before work starts (" .. times(g.gaps, "launch", "launches") .. ")"
  end,
  issue = function(g)
    return "After " .. times(g.gaps, "launch call", "launch calls") .. " with an empty queue the GPU takes"
      .. " {call_ms} ms" .. (g.gaps == 1 and "" or " each") .. " to start."
  end,
  path_a = function(g)
    if g.call_us >= 100 then
      return "Look for what held the GPU for {longest_ms} ms although nothing of this trace ran (another"
        .. " process, work cut off by the window): a start takes some 10 us."
    end
    return "Queue further ahead of the GPU: this latency counts only where its queue is empty."
  end,
}

pattern {
  id = "queued_start",
  category = "cpu_idle",
  scope = "idle",
  summary = "work was queued and started late",
  when = of_class("queued"),
  title = function(g)
    return "GPU idle {time_ms} ms " .. g.blame .. " (" .. times(g.gaps, "gap", "gaps") .. ")"
  end,
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) " .. g.blame
      .. ", although the next work was queued; {leaf_ms} ms of that before {leaf}."
  end,
  path_a = function(g)
    if has(g.blame, "collective") then
      return "Other ranks arrive later: compare the ranks before tuning this one."
    elseif has(g.blame, "another stream") then
      return "Let the streams wait for each other only where data does: {call_us} us pass each time until work of"
        .. " one follows work of the other."
    elseif has(g.blame, "copies") then
      return "Copies and kernels wait for each other on one stream: merge small copies, or move them to"
        .. " a stream of their own."
    end
    if g.stalled_ms > 0 and g.stalled_ms >= 0.5 * g.time_ms then
      return "Look outside this process (another process on the GPU, the driver, a debugger or a profiler that"
        .. " writes out): work was queued on the same stream, and for {longest_ms} ms the GPU did not take it."
    end
    return "{call_us} us pass between one kernel and the next: only fewer, larger kernels shorten that."
  end,
}

pattern {
  id = "unlinked_start",
  category = "cpu_idle",
  scope = "idle",
  informational = true,
  summary = "idle before device work whose launch is not in the trace",
  when = of_class("unlinked"),
  title = "GPU idle {time_ms} ms before work without a launch call",
  issue = "Before device work without a launch call in the trace the GPU is idle for {time_ms} ms"
    .. " ({share_pct}% of the run).",
  path_a = "Let the profiler start before the work is launched, with host activity, to see why.",
}
