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

-- "one gap of 463.3 ms" where that is nearly all: a mean of that and of little says nothing.
local function is_one(g) return g.gaps > 1 and g.time_ms > 0 and g.longest_part_ms >= 0.8 * g.time_ms end

-- A brace of a name is none of a placeholder.
local function at(place) return place ~= "" and " (" .. place:gsub("{", "{{") .. ")" or "" end

-- What covers the gaps may be unknown: then what they consist of.
local function covering(g)
  if g.blame ~= "" then return "{blame}" .. at(g.blame_place) end
  return "several operators"
end

-- "item()", as its user writes an operator; `key` of what is none.
local function as_written(op, key)
  local name = op:match("^aten::_*([%w_]+)$")
  if name == "local_scalar_dense" then name = "item" end
  return name and "`" .. name .. "()`" or key
end

local function times(n, one, many)
  return string.format("%d %s", n, n == 1 and one or many)
end

-- "; `zoom_shift` (prep.py:12) takes 450 ms of it", unless the leaf is the whole or little of it.
local function mostly(g)
  if g.leaf == "" or g.leaf == g.blame or g.leaf_pct < 15 then return "" end
  return "; {leaf}" .. at(g.leaf_place) .. " takes {leaf_ms} ms of it"
end

local ORDINALS = {[2] = "other", [3] = "third", [4] = "fourth", [5] = "fifth"}

-- "every third step", "one of 5 steps (ProfilerStep#23)"; empty: unknown.
local function which_steps(g)
  if g.steps < 2 or g.in_step_ms == 0 then return "" end
  if g.in_steps == g.steps then return "every step" end
  if g.every_nth > 0 then
    return "every " .. (ORDINALS[g.every_nth] or string.format("%dth", g.every_nth)) .. " step"
  end
  local which = g.in_steps == 1 and g.first_step >= 0 and string.format(" (ProfilerStep#%d)", g.first_step) or ""
  return (g.in_steps == 1 and "one" or "{in_steps}") .. " of {steps} steps" .. which
end

local function each_step(g)
  if g.steps < 2 then return "" end
  local steps = which_steps(g)
  return steps ~= "" and " It costs {in_step_ms} ms in " .. steps .. "." or " It costs {per_step_ms} ms a step on average."
end

-- Copies that have the same cause add to what it costs.
local function in_which(g)
  local steps = which_steps(g)
  return steps ~= "" and " It is in " .. steps .. "." or ""
end

-- Long only now and then, where the frame has nothing to do or is short otherwise: the process stands still, and
-- what it stands in changes from time to time.
local function is_pause(g)
  local short = g.leaf_usual_us > 0 and g.leaf_usual_us < 100 * g.longest_part_ms
  if g.class == "python" and g.gaps == 1 and g.leaf_pct >= 50 and short then return true end
  if g.class ~= "python" or g.leaf_pct < 50 or g.in_step_ms == 0 or g.in_steps == g.steps then return false end
  return g.leaf_usual_us < 100 * g.longest_part_ms or (g.leaf_usual_us > 0 and g.leaf_only_calls == 1)
end

-- What a wait is the cause of is a group of its own.
local function follows_wait(g) return g.after_sync_pct >= 20 and g.sync ~= "" end

-- Where the host then works long, the wait is only why nothing hides that.
local function unhidden(g)
  if not follows_wait(g) then return "" end
  return " This time follows the wait in " .. as_written(g.sync, "{sync}") .. at(g.sync_place) .. ", which leaves the queue"
    .. " empty: without it, kernels launched earlier would run meanwhile."
end

-- A call that only waits: it reads no value.
local function is_plain_wait(call) return has(call, "synchronize") end

-- The device is busy during the wait for longer than the host works after it: without the wait, it would hide all this.
local function wait_exposes(g) return g.sync ~= "" and g.hidden_without_pct >= 80 end

-- A step that stops for values of the GPU cannot be one graph.
local function stops(g) return g.waits_per_step > 1.5 end

-- Of another library than PyTorch's own operators: no compiler sees into it.
local function is_foreign(op)
  return op:find("^[%w_]+::") ~= nil and not has(op, "aten::", "autograd::", "c10d::", "prims::", "profiler::")
end

local function is_foreign_work(g) return g.leaf_pct >= 50 and is_foreign(g.leaf) end

-- The same sizes in every step, and not inside graph launches already.
local function graph_fits(g)
  return not is_foreign_work(g) and g.graph_pct < 50 and g.repeated_pct >= 90 and not stops(g)
end

-- What to compile: code that its user can change. Never an operator, or what a program begins with.
local function code(g)
  if g.leaf_is_code == 1 and g.leaf_pct >= 50 then return "{leaf}" .. at(g.leaf_place) end
  return g.code ~= "" and "{code}" .. at(g.code_place) or ""
end

local function the_step(g) return g.steps > 1 and "the step" or "the model" end

-- Part of it is compiled already, or replayed.
local function is_rest(g) return g.graph_pct >= 5 or g.compiled_pct >= 5 end

local function to_compile(g)
  if g.root ~= "" then
    return (is_rest(g) and "the rest of " or "") .. "{root}" .. (g.root_beside ~= "" and " and {root_beside}" or "")
  end
  if g.code ~= "" then return code(g) end
  local part = g.class ~= "host_bound" and g.step_late == 0
  if part and g.blame ~= "" and not g.blame:find("::") then return "the code inside {blame}" end
  return is_rest(g) and "the rest" or the_step(g)
end

-- Without stacks no code is known. One finding of a report says so.
local function asks_stacks(g)
  return g.has_stacks == 0 and g.code == "" and g.stacks_asked == 0
end

-- Stacks in texts tell who called, and not what runs between operators.
local function has_texts(g) return g.has_stacks == 1 and g.has_frames == 0 end
local function with_stacks(g) return "`" .. g.stacks_how .. "`" .. (has_texts(g) and " of a newer profiler" or "") end

local function ask_stacks(g)
  return asks_stacks(g) and " Record Python stacks (`" .. g.stacks_how .. "`) to see which code this is." or ""
end

local function can_compile(g)
  return g.compiled_pct < 50 and g.dispatch_pct + g.python_pct >= 20 and not is_foreign_work(g)
end

-- What waits is code beside the graphs, launched kernel by kernel.
local function is_beside_graphs(g) return g.class == "host_bound" and g.eager ~= "" and not stops(g) end

-- What waits is the next graph launch: the host's own work comes between them.
local function is_between_graphs(g) return g.graph_pct >= 50 and g.python_pct > g.dispatch_pct and can_compile(g) end

-- The same in a few words; empty: neither helps.
local function graph_or_compile_title(g)
  if is_beside_graphs(g) then return "Capture {eager}" .. at(g.eager_place) .. " as a GPU graph, too: the host launches it kernel by kernel" end
  if is_between_graphs(g) then return "Prepare the next GPU graph launch while this one runs: the host is late" end
  if graph_fits(g) then return "Capture " .. the_step(g) .. " as a GPU graph: the host launches too slowly" end
  if can_compile(g) then return "Compile " .. to_compile(g) .. ": the host launches too slowly" end
  if g.compiled_pct >= 50 and g.graph_pct < 50 then return "Replay the compiled code as a GPU graph: the host launches too slowly" end
  return ""
end

local function first_of(...)
  for _, title in ipairs {...} do
    if title ~= "" then return title end
  end
end

-- On Ascend it is a backend of its own.
local function compiler(g)
  return has(g.activities_how, "torch_npu") and "`torch.compile` with `backend=torchair.get_npu_backend()`" or "`torch.compile`"
end

local function graph_or_compile(g)
  local advice = {}
  if is_beside_graphs(g) then
    return "GPU graphs cover {graph_pct}% of kernel time, but no graph is launched in {eager}" .. at(g.eager_place) .. ": the GPU waits"
      .. " {eager_ms} ms for single launches in it. Capture it once for each batch size and replay it like the rest; if its engine cannot,"
      .. " compile it (" .. compiler(g) .. "), which leaves fewer launches."
  end
  if is_between_graphs(g) then
    return "GPU graphs cover {graph_pct}% of kernel time, and the GPU waits for what the host does between them ({python_pct}% of this"
      .. " time is Python, {dispatch_pct}% operator dispatch): do that one step ahead, while the graph of this one runs (asynchronous"
      .. " scheduling in serving engines), or take more into the graph."
  end
  if graph_fits(g) then
    local so_far = g.graph_pct > 0 and "; graph launches already cover {graph_pct}% of kernel time." or "."
    table.insert(advice, "Capture the step once as a GPU graph and replay it: {repeated_pct}% of its"
      .. " operator calls recur in every step" .. (g.has_shapes == 1 and " with the same shapes" or "") .. so_far)
  end
  if can_compile(g) then
    local time = g.python_pct > 0 and "{python_pct}% of this time is Python and {dispatch_pct}%"
      or "{dispatch_pct}% of this time"
    table.insert(advice, "Compile (" .. compiler(g) .. ") " .. to_compile(g) .. ", which runs eagerly: " .. time
      .. (g.python_pct > 0 and " operator dispatch." or " is operator dispatch.") .. ask_stacks(g))
  elseif g.compiled_pct >= 50 and g.graph_pct < 50 and not graph_fits(g) then
    table.insert(advice, "Replay the compiled region as a GPU graph (`mode=\"reduce-overhead\"`) if its shapes recur:"
      .. " what remains is the launch code between its kernels.")
  end
  return table.concat(advice, " ")
end

-- " in clear_cache (memory.py:41)": who calls gc.collect itself. What Python collects on its own has no frame.
local function collected_in(g)
  local place = has(g.leaf, "function collect") and g.leaf_place or has(g.blame, "function collect") and g.blame_place or ""
  local caller, file = place:match("^([^,]+), (.+)$")
  return caller and " in " .. caller .. at(file) or " in the step"
end

-- Work that is known by its name, and where else it belongs; `reads`: it needs what the wait before it waits for.
local ELSEWHERE = {
  {names = {"function collect", "gc.collect"}, title = function(g) return "Remove the explicit gc.collect()" .. collected_in(g) end,
    advice = "Remove this call of `gc.collect()`, or make it every few hundred steps only: `gc.disable()` does not stop what code"
      .. " collects explicitly."},
  {names = {"cpu_adam", "cpuadam", "cpu_lion", "cpu_adagrad"}, cause = "optimizer on the CPU", title = "Keep the optimizer on the GPU: its step runs on the CPU",
    advice = "Keep the state of the optimizer on the GPU as far as memory allows (offload only a part, or shard it over more"
      .. " GPUs), or let its step on the CPU overlap the forward pass of the next, and copy what it updates back piece by piece.", reads = true,
    memory = true},
  {names = {"serialization.py", "filewriter", "checkpoint"}, cause = "checkpoint", title = "Save the checkpoint in a background thread",
    advice = "Save the checkpoint while the next steps run (`torch.distributed.checkpoint.async_save`): copy the state to pinned"
      .. " memory and let a background thread write it. Or save less often."},
}

-- The same by its callers, as what is deepest is a socket or a lock; `not_in`: the title goes on with the user's code.
local CALLED = {
  {callers = {"mlflow", "wandb", "tensorboard", "event_file_writer", "comet_ml", "neptune/", "clearml"}, not_in = true,
    title = "Log metrics in a background thread, not in ", advice = "Let the tracking client log asynchronously, or hand it the values in a background thread, or log every"
      .. " hundredth step: the step waits up to {longest_ms} ms until they are sent or written."},
  {callers = {"urllib", "http/client", "requests/", "httpx", "aiohttp/client", "botocore"}, not_in = true,
    title = "Wait for the network in a background thread, not in ", advice = "Send the request from a background thread and read its answer a step later: the step waits up to"
      .. " {longest_ms} ms for it."},
}

local function elsewhere(g)
  local names = (g.blame .. g.blame_place .. g.leaf .. g.leaf_place):gsub("utils/checkpoint%.py", "") -- of activations
  for _, known_work in ipairs(ELSEWHERE) do
    if has(names, table.unpack(known_work.names)) then return known_work end
  end
  names = (names .. g.around):lower()
  for _, known_work in ipairs(CALLED) do
    if has(names, table.unpack(known_work.callers)) then return known_work end
  end
end

-- What could be held as well, where memory is recorded.
local function room(g)
  return g.reserved_gib > 0 and g.device_gib > 0 and " The allocator holds at most {reserved_gib} of the device's {device_gib} GiB."
    or ""
end

local function known_title(g, known_way)
  if type(known_way.title) == "function" then return known_way.title(g) end
  if not known_way.not_in then return known_way.title end
  local place = code(g)
  return known_way.title .. (place ~= "" and place or the_step(g))
end

-- Once in the life of a process, or nobody knows: another recording tells.
local function once() return {recording = true} end

-- Where the host is ahead at the end of the one step recorded, it would prepare the next meanwhile.
pattern {
  id = "host_start",
  category = "cpu_idle",
  scope = "idle",
  summary = "the recording of one step begins with idle time, and the host is further ahead at its end",
  when = function(g) return g.start_pct >= 50 and once() end,
  title = "Record several steps: at the start of the only one, the GPU waits for launches",
  issue = "The GPU is idle for {start_ms} ms ({start_share_pct}% of the run) until the host has prepared the only step"
    .. " recorded. At the end of the step the host is further ahead than that, so the wait may not recur.",
  path_a = "Record at least three steps: a loop that prepares the next step while the GPU runs this one has this idle"
    .. " time once, at the start, so no saving is claimed. If it recurs before every step, prepare steps ahead.",
}

-- Compiled code that runs while graphs are captured, and no graph is replayed: what it launches is captured.
local function is_captured(g)
  return (g.class == "host_bound" or g.class == "python") and g.compiled_pct >= 50 and g.captures > 0 and g.graph_pct == 0
end

pattern {
  id = "host_recapture",
  category = "cpu_idle",
  scope = "idle",
  summary = "graphs are captured again and again, between launches of them",
  when = function(g)
    if g.class ~= "graph" or g.recaptures < 2 or 2 * g.recaptures < g.captures then return false end
    return {capture_ms = g.time_ms / g.captures}
  end,
  title = "Capture each GPU graph once, and pad batches to its size",
  issue = function(g)
    local idle = "The GPU is idle for {time_ms} ms ({share_pct}% of the run) "
    if g.blame ~= "graph capture" then return idle .. "in {blame}." end
    return idle .. "while graphs are captured: {recaptures} of {captures} captures replace a graph that was launched since the"
      .. " one before."
  end,
  path_a = function(g)
    if g.compiled_captures > g.captures / 2 then
      return "`torch.compile` records a GPU graph for each new size: pad inputs to a few sizes, and run each before serving."
        .. " Or compile what varies in size without graphs (the default mode instead of \"reduce-overhead\")."
        .. " Each recording leaves the GPU idle for at least {capture_ms} ms."
    end
    return "Capture a graph for each of a few batch sizes before serving, keep them, and pad each batch to the next size:"
      .. " each new capture leaves the GPU idle for at least {capture_ms} ms. If other shapes or addresses change, copy them into the"
      .. " graph's own input tensors."
  end,
}

pattern {
  id = "host_graph",
  category = "cpu_idle",
  scope = "idle",
  summary = "graphs are captured or instantiated while recording",
  when = function(g) return (g.class == "graph" or is_captured(g)) and once() end,
  title = "Record after warm-up: GPU graphs are captured during the recording",
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) in {blame}" .. mostly(g)
      .. (is_captured(g) and ", whose launches are captured." or ".")
  end,
  path_a = "Record after warm-up: a graph is captured once, and replayed from then on.",
}

pattern {
  id = "host_blocking",
  category = "cpu_idle",
  scope = "idle",
  summary = "every launch call waits for its kernel",
  when = function(g) return g.class == "host_bound" and g.blocking_pct >= 80 end,
  title = "Make launches asynchronous: each one waits for its kernel",
  issue = "{blocking_pct}% of launch calls return only after their kernel has finished, so the queue is always"
    .. " empty: {time_ms} ms in {gaps} gaps ({share_pct}% of the run).",
  path_a = "Unset the debugging variables that serialise launches (`*_LAUNCH_BLOCKING`, `AMD_SERIALIZE_KERNEL`),"
    .. " then measure again. A kernel takes {kernel_us} µs on average.",
}

-- One expert after the other: neither a compiler nor a graph gets through the wait in each turn.
pattern {
  id = "host_experts",
  category = "cpu_idle",
  scope = "idle",
  summary = "experts are computed one after the other, each behind a wait for how many tokens it has",
  when = function(g)
    if g.class ~= "host_bound" or g.blame ~= "expert loop" then return false end
    return {saving_low_ms = 0.9 * g.time_ms, saving_high_ms = g.time_ms} -- a few launches are left
  end,
  title = function(g)
    return "Compute the experts" .. (g.root ~= "" and " of {root}" or "") .. " in one grouped GEMM, not in a loop over them"
  end,
  issue = "The GPU is idle for {time_ms} ms ({share_pct}% of the run) in loops over experts: {expert_turns} turns, each of which waits"
    .. " for how many tokens its expert has, and launches small kernels for them ({gaps} gaps of {gap_us} µs on average).",
  path_a = "Sort the tokens by expert once and compute all experts in grouped GEMMs (`torch._grouped_mm`, MegaBlocks, a fused MoE"
    .. " kernel), or run each expert on a padded capacity: neither waits for the {expert_turns} sizes that `nonzero` reads back, and a layer"
    .. " has a few launches in place of some for each expert.",
}

-- Calls of any kind, each fast otherwise: not what they do, but that the thread has no CPU.
-- One input in each call, though the library may take many.
pattern {
  id = "host_foreign_operator",
  category = "cpu_idle",
  scope = "idle",
  summary = "an operator of another library, called once for each input, works on the host or waits",
  when = function(g)
    local op = g.class == "sync" and g.blame or g.leaf_pct >= 50 and g.leaf or ""
    return (g.class == "sync" or g.class == "dispatch" or g.class == "host_bound") and is_foreign(op)
      and g.calls >= 8 * math.max(g.steps, 1) and {op = op}
  end,
  title = function(g)
    return g.class == "sync" and "Batch inputs of {op}: it waits for each" or "Batch inputs of {op}: each keeps the host"
  end,
  issue = "The GPU is idle for {time_ms} ms ({share_pct}% of the run) while the host is in {op}, {calls} times.",
  path_a = function(g)
    return "Give {op} a list of inputs if it takes one, or call it from a few threads, each with its stream, or for the next inputs"
      .. " while the GPU computes: no compiler sees into it, and each of its calls leaves the GPU idle for "
      .. (g.call_us < 1000 and "{call_us} µs." or "{call_ms} ms.") .. each_step(g)
  end,
}

pattern {
  id = "host_stops",
  category = "cpu_idle",
  scope = "idle",
  summary = "the host stops now and then in operators and launches of many kinds: it loses its CPU",
  when = function(g)
    local class = g.class == "dispatch" or g.class == "launch" or g.class == "runtime" or g.class == "cpu_work"
    return class and g.stops > 0 and g.longest_part_ms >= 0.3 and g.stop_ms >= 0.02 * 100 * g.time_ms / g.share_pct
  end,
  title = "Give the host free CPU cores: it stops in calls of all kinds",
  issue = "The GPU is idle for {time_ms} ms ({share_pct}% of the run) while the host stops: {stops} calls of {stop_kinds} kinds,"
    .. " operators and launches, take up to {longest_stop_ms} ms, where such a call is at least ten times faster.",
  path_a = "Find out what takes the CPU from this thread: a limit of the container (`nr_throttled` in its `cpu.stat`), more threads than"
    .. " cores (`OMP_NUM_THREADS`, workers of loaders), other processes on the node. Pin the process to cores near its GPU. A GPU graph"
    .. " needs less of the CPU, and hides this.",
}

-- As autograd does in that mode; a program may format stacks of its own.
local function keeps_stacks(names)
  return has(names, "anomaly_mode") or (has(names, "fx/traceback.py") and has(names, "format_stack"))
end

pattern {
  id = "host_anomaly_mode",
  category = "cpu_idle",
  scope = "idle",
  summary = "autograd's anomaly detection: behind each node of the backward pass the host reads whether a gradient is NaN",
  when = function(g)
    if g.class == "sync" then return g.nan_nodes_pct >= 50 and g.calls >= 10 end
    return (g.class == "host_bound" or g.class == "python") and keeps_stacks(g.leaf .. g.leaf_place .. g.where)
  end,
  title = function(g)
    return g.class == "sync" and "Turn off anomaly detection: it checks each gradient for NaN"
      or "Turn off anomaly detection: it keeps a stack for each operator"
  end,
  issue = function(g)
    if g.class ~= "sync" then
      return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) while the host formats a Python stack for each operator."
    end
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) because the host waits, {calls} times, to read whether a"
      .. " gradient is NaN" .. (g.nan_device_ms > 0 and "; computing the answers takes {nan_device_ms} ms more." or ".")
  end,
  path_a = function(g)
    return "Turn off `torch.autograd.set_detect_anomaly` (`detect_anomaly` of trainers), which is there to find a NaN once: "
      .. (g.class == "sync" and "behind each node of the backward pass it compares every gradient, reduces the result, and waits for it."
        or "in the forward pass it keeps a Python stack for each operator.") .. each_step(g)
  end,
}

pattern {
  id = "host_bound_adapters",
  category = "cpu_idle",
  scope = "idle",
  summary = "many short gaps in inference, a fifth and more of whose launches are of low-rank adapters beside the weights",
  when = function(g) -- a cast, two products, a scale and a sum
    return g.class == "host_bound" and g.training == 0 and g.adapters > 0 and 5 * g.adapters >= 0.2 * g.launches
  end,
  title = "Merge the LoRA adapters into the weights (merge_and_unload)",
  issue = "The GPU waits {time_ms} ms ({share_pct}% of the run) for the next launch, in {gaps} gaps below 1 ms; {adapters} calls"
    .. " of adapter layers launch small kernels of their own beside those of the weights.",
  path_a = function(g)
    local rest = graph_or_compile(g)
    return "Merge the adapters before inference (`merge_and_unload()`): each of the {adapters} calls then is one matmul with"
      .. " merged weights. Serve several adapters with kernels that batch them (punica, S-LoRA)." .. (rest ~= "" and " " .. rest or "")
  end,
}

-- Few launches, for lists of tensors: what is left is what the host does for each tensor.
local function is_foreach(g) return g.foreach_calls >= 1 and g.single_calls <= g.foreach_calls end

-- Neither the fused nor the foreach form of an optimizer takes sparse gradients.
local function fused_title(g, where)
  if g.sparse_calls > 0 then
    return "Batch the updates of sparse embeddings: " .. where .. " makes them table by table"
  end
  if not is_foreach(g) then return "Use the fused form of " .. where .. ": it runs operator by operator" end
  return "Set fused=True for " .. where .. ": its foreach form works through each parameter on the host"
end

local function fused_advice(g)
  if g.sparse_calls > 0 then
    return "The rows of {sparse_calls} sparse gradients are joined and applied one gradient after the other; neither"
      .. " `fused=True` nor `foreach=True` helps these. Hold the tables in one table-batched embedding whose backward pass updates"
      .. " the rows (FBGEMM's TBE, TorchRec), or in one table with offsets; small tables train faster with dense gradients"
      .. " (`sparse=False`)."
  end
  if not is_foreach(g) then
    return "Use the fused form of this optimizer (`fused=True`), which updates all parameters in a few"
      .. " launches; `foreach=True` where there is none."
  end
  return "Set `fused=True`: it takes the place of {foreach_calls} foreach calls a step, "
    .. (g.type_checks >= 10 and "which check each parameter on the host ({type_checks} calls of `result_type` a step)."
      or "each of which goes through the list of parameters on the host.")
end

pattern {
  id = "host_bound_optimizer",
  category = "cpu_idle",
  scope = "idle",
  summary = "most short gaps are in the optimizer, operator by operator",
  when = function(g)
    if g.class ~= "host_bound" or g.where_most_pct < 40 or not has(g.where_most, "optimizer.") or g.graph_pct >= 50 then
      return false
    end
    local its_ms = math.min(1, g.where_most_pct / 100) * g.time_ms -- the other gaps stay
    return {saving_low_ms = 0.8 * its_ms, saving_high_ms = its_ms}
  end,
  title = function(g)
    return has(g.where_most, "zero_grad") and "Set gradients to None in {where_most} instead of zeroing them"
      or fused_title(g, "{where_most}")
  end,
  issue = "The GPU waits {time_ms} ms ({share_pct}% of the run) for the next launch, in {gaps} gaps below 1 ms;"
    .. " {where_most_pct}% of that in {where_most}.",
  path_a = function(g)
    if has(g.where_most, "zero_grad") then
      return "Free gradients instead of zeroing them: with `zero_grad(set_to_none=True)` {where_most}"
        .. " launches nothing."
    end
    return fused_advice(g)
  end,
}

-- Code that goes on behind a break has a name of its own; of regions, a few are functions compiled one by one.
local function has_breaks(g) return g.resumes > 0 or g.regions >= 8 end

pattern {
  id = "host_graph_breaks",
  category = "cpu_idle",
  scope = "idle",
  summary = "short gaps around many compiled regions: the compiler gives up within the step",
  counter = "few regions, and none resumes behind a break",
  when = function(g) return g.class == "host_bound" and g.graph_pct < 50 and g.compiled_pct + g.dispatch_pct + g.python_pct >= 20 end,
  unless = function(g) return not has_breaks(g) end,
  title = function(g)
    return g.resumes > 0 and "Remove the graph breaks: the compiled step resumes in {resumes} places"
      or "Look for graph breaks: the step runs as {regions} compiled regions"
  end,
  issue = "The GPU waits {time_ms} ms ({share_pct}% of the run) for the next launch, in {gaps} gaps below 1 ms"
    .. " ({gap_us} µs on average), with {regions} compiled regions in the trace.",
  path_a = "`TORCH_LOGS=graph_breaks` names the line of each break (values read on the host, prints, calls that the"
    .. " compiler does not know). As one region, and with `mode=\"reduce-overhead\"` as one GPU graph, the step has few launches"
    .. " left to wait for.",
}

pattern {
  id = "breaks_at_waits",
  category = "multi_kernel",
  scope = "advice",
  about = "breaks",
  summary = "compiled regions end where the host reads a value",
  when = function(it) return it.breaks >= 8 end,
  issue = "The compiled graph breaks at these waits: {breaks} times a region begins behind one, with short gaps of {gaps_ms} ms in all.",
  path_a = "Without the read, and what prints it, the compiler goes on there; `fullgraph=True` names what else stops it.",
}

-- Neither a graph nor compilation helps, and nothing tells what would.
local function shows_nothing(g)
  return g.nothing_pct >= 50 and graph_or_compile(g) == "" and not (stops(g) and g.sync ~= "")
end

pattern {
  id = "host_late_copies",
  category = "cpu_idle",
  scope = "idle",
  summary = "short gaps that mostly end in copies to the device: the host prepares data",
  when = function(g) return g.class == "host_bound" and g.blame == "launches of copies" and g.graph_pct < 50 end,
  title = "Prepare what is copied to the GPU ahead, or there: the GPU waits for it",
  issue = "The GPU waits {time_ms} ms ({share_pct}% of the run) for copies to it, in {gaps} gaps below 1 ms ({gap_us} µs on average).",
  path_a = "Make what the copies bring in a thread or in workers while the GPU computes, join it to few large tensors, and copy these from"
    .. " pinned memory with `non_blocking=True`. Or keep the data on the GPU and pick from it there.",
}

pattern {
  id = "host_bound",
  category = "cpu_idle",
  scope = "idle",
  summary = "many short gaps: the device finishes before the next launch arrives",
  when = function(g) return g.class == "host_bound" and {recording = shows_nothing(g)} end,
  title = function(g)
    if shows_nothing(g) then 
      return "Record " .. (g.has_ops == 0 and "operators and Python frames" or "Python frames") .. " to see what runs between launches"
    end
    local waits = stops(g) and g.sync ~= "" and "Remove the waits in {sync}" .. at(g.sync_place) .. " from the step" or ""
    return first_of(graph_or_compile_title(g), waits,
      "Give each launch more work: the host launches too slowly")
  end,
  issue = "The GPU waits {time_ms} ms ({share_pct}% of the run) for the next launch, in {gaps} gaps below 1 ms"
    .. " ({gap_us} µs on average).",
  path_a = function(g)
    local advice = graph_or_compile(g)
    if advice ~= "" then return advice end
    if stops(g) and g.sync ~= "" then
      return "Remove the waits from the step: it waits for the GPU {waits_per_step} times, most often in"
        .. " {sync}" .. at(g.sync_place) .. ", which drains the queue and rules out a GPU graph."
    end
    if shows_nothing(g) then
      return "Record " .. (g.has_ops == 0 and "operators and Python frames" or "Python frames") .. " (" .. with_stacks(g) .. "): for {nothing_pct}% of this time the trace"
        .. " has nothing on the launching thread."
    end
    return "Give each launch more work (a larger batch, fused operators): a gap takes {gap_us} µs on average, a"
      .. " kernel {kernel_us} µs."
  end,
  -- Where launches hold up only some of the work, kernels elsewhere still count.
  path_b = function(g)
    return g.share_pct >= 15
      and "Faster kernels save little before that: the GPU would wait longer for the same launches." or ""
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
  title = function(g)
    return has(g.blame, "zero_grad") and "Set gradients to None in {blame} instead of zeroing them"
      or fused_title(g, "{blame}")
  end,
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) while the host runs "
      .. covering(g) .. mostly(g) .. "."
  end,
  path_a = function(g)
    if has(g.blame, "zero_grad") then
      return "Free gradients instead of zeroing them: `zero_grad(set_to_none=True)`."
        .. each_step(g)
    end
    return fused_advice(g) .. each_step(g)
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
    return once()
  end,
  unless = function(g) return has(g.blame .. g.around .. g.leaf .. g.leaf_place, "dataloader", "_utils/worker") end,
  title = "Record under load: the GPU has no requests to serve",
  issue = function(g)
    return "For {time_ms} ms ({share_pct}% of the run) the launching thread sleeps in {blame}" .. at(g.blame_place)
      .. " until a message arrives."
  end,
  path_a = "Record under load: there is nothing to compute in {gaps} gaps, the longest of {longest_ms} ms. If"
    .. " requests were waiting, profile the process that schedules them.",
}

local function single_process(g) return has(g.blame .. g.leaf .. g.around, "singleprocess") end

-- The first batch of a loader is late by the start of its workers: later batches tell how much of it.
local function starts_workers(g)
  return g.leads == 1 and g.gaps == 1 and has(g.blame .. g.leaf .. g.around, "multiprocessing")
end

-- Nothing tells whether this happens again.
local function unknown_start(g) return g.leads == 1 and g.gaps == 1 and g.leaf == "" end

pattern {
  id = "host_batch",
  category = "cpu_idle",
  scope = "idle",
  summary = "a batch that its loader has returned is not copied to the device yet",
  when = function(g)
    if g.blame ~= "from the DataLoader to the copy of its batch" then return false end
    return unknown_start(g) and once() or true
  end,
  title = function(g)
    return unknown_start(g) and "Record more than one step: the first batch waits for its copy to the GPU"
      or "Prepare batches in the DataLoader's workers: each waits for its copy to the GPU"
  end,
  issue = function(g)
    local rest = g.leaf ~= "" and mostly(g) or "; nothing is recorded on the host meanwhile"
    return "{time_ms} ms ({share_pct}% of the run) pass between the DataLoader returning a batch and its copy"
      .. " to the device" .. rest .. "."
  end,
  path_a = function(g)
    local how = "Move this work into the dataset or `collate_fn`, where workers do it while the GPU computes."
    if unknown_start(g) then
      return "Record more than one step with " .. with_stacks(g) .. ": this may be set-up before the first batch, and the"
        .. " trace does not show what the host does."
    end
    if g.leaf == "" then how = how .. " Record with " .. with_stacks(g) .. " to see what the host does." end
    return how .. each_step(g)
  end,
}

pattern {
  id = "host_loader",
  category = "cpu_idle",
  scope = "idle",
  summary = "the step waits for its input",
  when = function(g)
    return (g.class == "dispatch" or g.class == "python" or g.class == "cpu_work" or g.class == "nothing")
      and (has(g.blame .. g.around, "dataloader") or (g.leaf_pct >= 40 and has(g.leaf, "dataloader")))
      and (starts_workers(g) and once() or true)
  end,
  title = function(g)
    if starts_workers(g) then return "Record more than one step: the first batch waits for the DataLoader" end
    return single_process(g) and "Load data in workers (num_workers): the step waits for its batch"
      or "Add DataLoader workers or make samples cheaper: the step waits for its batch"
  end,
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) in {blame}" .. at(g.blame_place)
      .. mostly(g) .. "."
  end,
  path_a = function(g)
    if single_process(g) then
      return "The DataLoader prepares samples on the training thread: set `num_workers` so that workers prepare"
        .. " them ahead." .. each_step(g)
    end
    if starts_workers(g) then
      return "The DataLoader starts its workers here, and one batch does not show how much of the wait recurs: record"
        .. " more than one step. If later batches wait too, add workers or make samples cheaper; if every epoch"
        .. " starts like this, set `persistent_workers=True`."
    end
    return "The workers do not keep up: add more, or make samples cheaper." .. each_step(g)
  end,
}

pattern {
  id = "host_flatten",
  category = "cpu_idle",
  scope = "idle",
  summary = "tensors are flattened to be sent, and unflattened afterwards",
  when = function(g)
    return (g.class == "dispatch" or g.class == "python")
      and has(g.blame .. g.leaf, "flatten_dense_tensors")
  end,
  title = function(g)
    return has(g.around, "distributeddataparallel.forward") and "Stop broadcasting buffers before each forward pass (broadcast_buffers=False)"
      or "Keep gradients in the communication buffer (gradient_as_bucket_view=True)"
  end,
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) while the host runs "
      .. covering(g) .. mostly(g) .. "."
  end,
  path_a = function(g)
    if has(g.around, "distributeddataparallel.forward") then
      return "Set `broadcast_buffers=False` if ranks may differ in their buffers (running statistics) or the"
        .. " normalisation layers synchronise themselves: the module broadcasts them before each forward pass, flattened"
        .. " and unflattened on every rank." .. each_step(g)
    end
    return "Keep gradients in the buffer that is sent (`gradient_as_bucket_view=True`): they are then not"
      .. " copied out of it tensor by tensor." .. each_step(g)
  end,
}

local function prepares_input(g)
  return has((g.blame .. " " .. g.leaf):lower(), "preprocess", "resize", "augment", "tokeniz", "collate_fn", "imread", "zoom")
end

local function tokenizes(g)
  return has((g.blame .. g.blame_place .. g.leaf .. g.leaf_place .. g.code_place):lower(), "tokeniz")
end

-- Of the user's own code, else of what the trace says.
local function work(g)
  local known_code = code(g)
  local names_leaf = g.leaf ~= "" and (g.leaf_pct >= 50 or g.blame == "")
  return known_code ~= "" and known_code or names_leaf and "{leaf}" .. at(g.leaf_place) or covering(g)
end

-- Batches are prepared ahead already: as much host work lies beside graphs as the GPU waits for between them.
local function works_beside(g) return g.beside_ms >= g.time_ms end

local function beside_graph_title(g)
  if not works_beside(g) then return "Run " .. work(g) .. " one batch ahead, while the GPU graph runs" end
  return g.class == "dispatch" and "Capture " .. work(g) .. " into the GPU graph, which waits for it"
    or "Make " .. work(g) .. " cheaper: the GPU graph waits for it"
end

-- Many short parts, or none that stands out.
local function is_scattered(g) return (g.leaf_pct < 50 and g.gaps > 3) or g.long_ms < 0.5 * g.time_ms end

-- A gap that ends with the copy of an input.
local function makes_input(g) return g.input_pct >= 50 end

-- It takes longer than all else in a step, so that one worker keeps the GPU waiting all the same.
local function outlasts(g) return g.share_pct > 50 end

local function input_ahead(g)
  return outlasts(g) and "in several processes" or g.has_loader == 1 and "in a DataLoader worker" or "in a thread"
end

local function samples(g)
  return has((g.blame .. g.leaf .. g.code .. g.code_place):lower(), "sampl", "top_p", "top_k", "logit")
end

-- What schedules requests, and turns tokens into answers, in engines that serve models.
local function is_engine(g)
  local names = (g.parts .. g.blame .. g.blame_place .. g.leaf .. g.leaf_place):lower()
  if has(names, "update_from_output", "process_batch_result", "get_next_batch_to_run", "output_processor.py") then return true end
  if not has(names, "scheduler.py", "detokeniz", "process_model_outputs") or has(names, "lr_scheduler") then return false end
  return has(names .. g.around .. g.code_place, "engine", "vllm", "sglang")
end

-- The masks of structured output: which tokens the grammar of each request allows next.
local function fills_masks(g)
  return g.leaf_pct >= 50 and has(g.leaf .. g.leaf_place .. g.code .. g.blame, "bitmask", "vocab_mask", "allowed_tokens_mask")
end

pattern {
  id = "host_masks",
  category = "cpu_idle",
  scope = "idle",
  summary = "the host fills the masks of structured output before it launches the forward pass",
  when = function(g) return g.class == "python" and fills_masks(g) end,
  title = "Fill the grammar bitmasks after launching the forward pass, in threads",
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) while the host runs " .. covering(g) .. mostly(g) .. "."
  end,
  path_a = function(g)
    return "Launch the forward pass first and fill the masks while the GPU computes: only sampling needs them. Fill those of"
      .. " all requests in one call, in threads (`batch_fill_next_token_bitmask` of xgrammar): the queue is empty for up to"
      .. " {longest_ms} ms before each pass." .. each_step(g)
  end,
}

pattern {
  id = "host_engine",
  category = "cpu_idle",
  scope = "idle",
  summary = "a serving engine schedules the next step and handles the tokens of the last one while nothing is queued",
  counter = "it is known work that belongs elsewhere",
  when = function(g) return g.class == "python" and g.gaps > 1 and is_engine(g) and not is_pause(g) end, -- one gap lies between no steps
  unless = function(g) return elsewhere(g) ~= nil end,
  title = "Overlap the engine's Python between steps with the GPU: schedule asynchronously",
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) while the engine runs Python between steps"
      .. (g.parts ~= "" and ": " .. g.parts:gsub("{", "{{") or g.leaf ~= "" and ", most of it in {leaf}" .. at(g.leaf_place) or "") .. "."
  end,
  path_a = function(g)
    local what = g.parts ~= "" and g.parts:gsub("{", "{{") or work(g)
    local apart = has((g.parts .. g.leaf .. g.leaf_place):lower(), "detokeniz", "process_output", "output_processor")
      and ", and turn tokens into text in another process" or ""
    return "Schedule the next step while the GPU works on this one (vLLM's `--async-scheduling`, SGLang's overlap scheduler,"
      .. " several decode steps per call)" .. apart .. ": the queue is empty for up to {longest_ms} ms between steps, in " .. what .. "."
      .. each_step(g)
  end,
}

pattern {
  id = "host_results",
  category = "cpu_idle",
  scope = "idle",
  summary = "the host computes with results of the device, which waits for what comes of them",
  counter = "it is known work that belongs elsewhere: garbage, logging, a checkpoint",
  -- Of a few numbers, Python makes decisions: no work for the device.
  when = function(g)
    return (g.class == "python" or g.class == "cpu_work") and g.results_pct >= 50
      and (g.results_bytes < 0 or g.results_bytes > 65536)
  end,
  unless = function(g) return elsewhere(g) ~= nil end,
  title = function(g) return "Run " .. work(g) .. " on the GPU: it works on what it copied from there" end,
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) while the host runs " .. covering(g) .. mostly(g)
      .. ", between a copy from the GPU and one back to it."
  end,
  path_a = function(g)
    return "Compute this on the GPU, for all rows at once" .. (samples(g) and " (`torch.topk`, `torch.sort`, `torch.multinomial`)" or "")
      .. ", and copy only the result: the queue is empty for up to {longest_ms} ms after each copy to the host."
      .. each_step(g)
  end,
}

-- What reads a value of the GPU makes no input.
local function reads_scalar(g) return g.blame == "aten::item" or g.blame == "aten::_local_scalar_dense" end

-- One gap in a function whose name says nothing of inputs: no loop that could run ahead.
local function is_single(g) return g.gaps == 1 and g.class == "python" and not prepares_input(g) end

pattern {
  id = "host_input",
  category = "cpu_idle",
  scope = "idle",
  summary = "the host makes the input of the next step while nothing is queued",
  counter = "its data loader makes it, it is known work that belongs elsewhere or reads a value, or one gap does not show that it recurs, nor a name what it makes",
  when = function(g)
    return makes_input(g)
      and (g.class == "python" or g.class == "dispatch" or g.class == "cpu_work" or g.class == "nothing")
  end,
  unless = function(g) return has(g.blame .. g.around, "dataloader") or is_single(g) or reads_scalar(g) or elsewhere(g) ~= nil end,
  title = function(g)
    if g.class == "nothing" and code(g) == "" then return "Prepare the next input " .. input_ahead(g) .. ", or on the GPU" end
    return "Run " .. work(g) .. " for the next input " .. input_ahead(g) .. (tokenizes(g) and "" or ", or on the GPU")
  end,
  issue = function(g)
    local what = g.class ~= "nothing" and ": the host runs " .. covering(g) .. mostly(g) or ""
    local long = g.long_ms >= 0.99 * g.time_ms and " of 1 ms and more" or ""
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) before an input is copied to it"
      .. (g.gaps > 1 and (g.time_ms < g.gaps and ", in parts of {gaps} gaps" or ", in {gaps} gaps") .. long or "")
      .. what .. "."
  end,
  path_a = function(g)
    return "Prepare the next input " .. input_ahead(g) .. " while the GPU computes"
      .. (tokenizes(g) and (outlasts(g) and ", or use a fast tokenizer" or "") or ", or do it on the GPU") .. ": the queue is empty for "
      .. (g.gaps > 1 and "up to {longest_ms} ms before each copy." or "{longest_ms} ms before the copy.")
      .. each_step(g) .. ask_stacks(g)
  end,
}

pattern {
  id = "host_size_asserts",
  category = "cpu_idle",
  scope = "idle",
  summary = "compiled code checks sizes and strides for half of a gap or more",
  counter = "other work on the host takes more than half",
  when = function(g)
    return g.class == "python" and g.size_asserts > 0
      and {saving_low_ms = 0.3 * g.size_asserts_ms, saving_high_ms = math.min(g.size_asserts_ms, g.time_ms)}
  end,
  unless = function(g) return g.size_asserts_ms < 0.5 * g.time_ms end,
  title = "Turn off the size checks of compiled code (`size_asserts`)",
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) while the host runs " .. covering(g)
      .. ": {size_asserts} calls of `assert_size_stride`, one behind the other, take {size_asserts_ms} ms of it."
  end,
  path_a = function(g)
    return "Set `torch._inductor.config.size_asserts = False` before compiling, once the model is known to work: the code checks"
      .. " size and stride of all of its inputs before the first launch. Recording Python makes each check longer: see what"
      .. " they take without stacks." .. each_step(g)
  end,
}

pattern {
  id = "host_python",
  category = "cpu_idle",
  scope = "idle",
  summary = "the host runs Python while nothing is queued",
  when = of_class("python"),
  cause = function(g)
    local known_way = elsewhere(g)
    return known_way and known_way.cause
  end,
  title = function(g)
    if prepares_input(g) then
      local ahead = g.has_loader == 1 and " in a DataLoader worker" or " one batch ahead in a thread"
      return "Run " .. work(g) .. ahead .. (tokenizes(g) and "" or ", or on the GPU")
    end
    if g.graph_pct >= 50 then return beside_graph_title(g) end
    if g.compiled_pct >= 50 and g.leaf_pct >= 50 then return "Profile the launch code of the compiled region" end
    local known_way = elsewhere(g)
    if known_way and not (g.leaf_pct < 50 and g.gaps > 3) then return known_title(g, known_way) end
    if is_pause(g) then 
      local which = which_steps(g)
      return "Find out what stops Python in {leaf}" .. at(g.leaf_place) .. (which ~= "" and " in " .. which or "")
    end
    if wait_exposes(g) then
      return "Defer the wait in " .. as_written(g.sync, "{sync}") .. at(g.sync_place) .. ": it keeps the host from running ahead"
    end
    local advice = is_scattered(g) and graph_or_compile_title(g) or ""
    return advice ~= "" and advice or "Make " .. work(g) .. " cheaper, or move it out of the step"
  end,
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) while the host runs "
      .. covering(g) .. (wait_exposes(g) and ", after each wait in " .. as_written(g.sync, "{sync}") or "") .. mostly(g) .. "."
  end,
  path_a = function(g)
    local what = work(g)
    if prepares_input(g) then
      local or_else = tokenizes(g) and "" or ", or do " .. what .. " on the GPU"
      return "Prepare the next input in " .. (g.has_loader == 1 and "a worker" or "a thread") .. " while the GPU computes"
        .. or_else .. ": the queue stays empty until " .. covering(g) .. " returns." .. each_step(g) .. unhidden(g)
    end
    if g.graph_pct >= 50 and works_beside(g) then
      return "Make " .. what .. " cheaper, or split it: the host already works for {beside_ms} ms beside GPU graphs,"
        .. " which then wait for " .. covering(g) .. " all the same." .. each_step(g)
    elseif g.graph_pct >= 50 then
      return "GPU graphs cover {graph_pct}% of kernel time, and the GPU waits for " .. covering(g)
        .. " before each launch: run " .. what .. " for the next batch while the graph of this one runs."
        .. each_step(g)
    elseif g.compiled_pct >= 50 and g.leaf_pct >= 50 then
      return "This is the launch code of a compiled region, and no operator below it is recorded for up to"
        .. " {longest_ms} ms: a host profile with native frames (`py-spy --native`) shows where it stops."
        .. each_step(g)
    elseif g.leaf_pct < 50 and g.gaps > 3 then
      local advice = graph_or_compile(g)
      if advice ~= "" then return advice .. each_step(g) end
    end
    local known_way = elsewhere(g)
    if known_way then
      return known_way.advice .. (known_way.memory and room(g) or "") .. (known_way.cause and in_which(g) or each_step(g))
        .. (known_way.reads and "" or unhidden(g))
    end
    if is_pause(g) then
      local usual = g.leaf_usual_us < 100 * g.longest_part_ms and "a call usually takes {leaf_usual_us} µs"
        or "this code only calls operators"
      return "Find out what stops the host in {leaf}" .. at(g.leaf_place) .. " for up to {longest_part_ms} ms, with nothing"
        .. " recorded below: " .. usual .. ". A pause now and then is often Python's garbage collector: try `gc.freeze()`"
        .. " and `gc.disable()` before the loop, and collect every few hundred steps; else look for a thread that holds"
        .. " the GIL." .. each_step(g)
    end
    if wait_exposes(g) then
      local how = is_plain_wait(g.sync) and "Remove the wait, or launch the next work before it"
        or "Keep the value on the GPU and read it every hundredth step, or one step later"
      return how .. ": the GPU is busy during each wait for longer than the host works after it, so without the wait it"
        .. " would hide " .. what .. ". Otherwise make " .. what .. " cheaper: the queue is empty for up to {longest_ms} ms."
        .. each_step(g)
    end
    local advice = g.long_ms < 0.5 * g.time_ms and graph_or_compile(g) or ""
    if advice ~= "" then return advice .. each_step(g) end
    return "Make " .. what .. " cheaper or move it out of the step: the queue is empty for "
      .. (g.gaps > 1 and "up to {longest_ms} ms." or "{longest_ms} ms.") .. each_step(g) .. unhidden(g)
  end,
}

-- One operator that stands still, with nothing of it recorded: as likely set-up as work.
local function stalls(g)
  local one_call = g.gaps == 1 and g.leaf_pct >= 80 and g.leaf_call_us >= 100 * g.leaf_ms
  local recurs = g.steps >= 2 and g.in_steps == g.steps
  return (g.leaf == g.blame or (g.class == "cpu_work" and one_call)) and g.gaps <= 3 and g.call_ms >= 1 and not recurs
end

local function draws(g)
  return has(g.leaf, "aten::normal_", "aten::uniform_", "aten::randn", "aten::rand", "aten::bernoulli", "aten::random_", "aten::exponential_")
end

pattern {
  id = "host_cpu_work",
  category = "cpu_idle",
  scope = "idle",
  summary = "operators compute on the CPU: they take long and launch nothing",
  counter = "it is one long call, which may set something up",
  when = of_class("cpu_work"),
  unless = stalls,
  title = function(g)
    local of = code(g) ~= "" and " of " .. code(g) or g.leaf ~= g.blame and " of {blame}" or ""
    if draws(g) then return "Draw random numbers on the GPU: {leaf}" .. of .. " runs on the CPU" end
    return "Run {leaf}" .. of .. " on the GPU: it computes on the CPU"
  end,
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) while " .. covering(g)
      .. " computes on the CPU; {leaf}" .. at(g.leaf_place) .. " takes {leaf_ms} ms of it and launches nothing."
  end,
  path_a = function(g)
    if draws(g) then
      return "Create them there (`torch.randn(..., device=x.device)`, with a generator of that device): nothing is computed on the"
        .. " CPU, and nothing copied." .. each_step(g)
    end
    return "Keep the tensors that {leaf} reads on the GPU. If they do not fit, compute on the CPU beside the GPU:"
      .. " launch independent GPU work first, and copy the result on its own stream." .. each_step(g)
  end,
}

pattern {
  id = "host_dispatch",
  category = "cpu_idle",
  scope = "idle",
  summary = "the host works through operators that launch little",
  when = function(g)
    if g.class ~= "dispatch" and g.class ~= "cpu_work" then return false end
    return stalls(g) and g.first_call == 1 and once() or {}
  end,
  title = function(g)
    if stalls(g) then
      return g.first_call == 1 and "Record after warm-up: the first call of {leaf} is in the recording"
        or "Profile the host in {leaf} with native frames"
    end
    if g.graph_pct >= 50 then return beside_graph_title(g) end
    return first_of(graph_or_compile_title(g), "Find out why " .. work(g) .. " launches late")
  end,
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) while the host dispatches the"
      .. " operators of " .. (g.blame ~= "" and covering(g) or "several callers") .. mostly(g) .. "."
  end,
  path_a = function(g)
    if stalls(g) and g.first_call == 1 then
      local inside = g.leaf_pct >= 95 and "{call_ms} ms with" or "{call_ms} ms, {leaf_ms} ms of it with"
      return "Record after warm-up: this is the first call of {leaf}, " .. inside .. " nothing recorded inside;"
        .. " later calls with its shapes do not stall, so no saving is claimed."
    elseif stalls(g) then
      return "Profile the host in {leaf} (native frames): " .. (g.calls == 1 and "one call takes" or "its calls take")
        .. " {call_ms} ms with nothing recorded inside, and the trace does not show whether it recurs."
    end
    local advice = graph_or_compile(g)
    if advice == "" then
      advice = "Profile " .. work(g) .. " on the host with native frames: it launches too late."
    end
    if g.graph_pct >= 50 and works_beside(g) then
      advice = "Capture the operators of " .. work(g) .. " into the graph: the host already works for {beside_ms} ms"
        .. " beside GPU graphs."
    elseif g.graph_pct >= 50 then
      advice = "GPU graphs cover {graph_pct}% of kernel time: run " .. work(g) .. " for the next batch while the"
        .. " graph of this one runs, or capture its operators into the graph."
    end
    return advice .. each_step(g)
  end,
}

-- What a library asks for inside its operators, nobody who calls them can keep.
local function launches_late(g) return has(g.leaf, "launch", "memcpy", "memset") end

pattern {
  id = "host_runtime",
  category = "cpu_idle",
  scope = "idle",
  summary = "runtime calls other than launches",
  when = of_class("runtime"),
  title = function(g)
    if launches_late(g) or g.leaf_in_operator == 1 then
      return first_of(graph_or_compile_title(g), "Use fewer, larger operators: their runtime calls hold up the launches")
    end
    return "Call {leaf} once before the loop"
  end,
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) in runtime calls of {blame}"
      .. at(g.blame_place) .. mostly(g) .. "."
  end,
  path_a = function(g)
    if launches_late(g) then
      return "Work finishes before its launch call returns: the host is slower than the GPU here. "
        .. graph_or_compile(g) .. each_step(g)
    elseif g.leaf_in_operator == 1 then
      local advice = graph_or_compile(g)
      return "The library behind the operators calls {leaf}: only fewer operator calls reduce it." .. (advice ~= "" and " " or "") .. advice .. each_step(g)
    end
    return "Call {leaf} once before the loop and keep its result." .. each_step(g)
  end,
}

-- JAX waits for a result in Python, which no runtime call shows.
local function blocks_in_jax(g) return g.class == "nothing" and has(g.blame, "block_until_ready", "try_to_block") end

pattern {
  id = "host_jax_wait",
  category = "cpu_idle",
  scope = "idle",
  summary = "the host waits in JAX's block_until_ready, and the device has nothing queued",
  when = function(g) return blocks_in_jax(g) and {recording = true} end, -- its threads are not linked: no replay
  title = "Queue the next call before `block_until_ready` waits for this one",
  issue = "The GPU is idle for {time_ms} ms ({share_pct}% of the run) while the host waits in `block_until_ready`: nothing else is queued.",
  path_a = function(g)
    return "Start the next call before waiting for this one, or wait once, behind the loop: in the longest gap the host"
      .. " waits {longest_ms} ms in `block_until_ready`, though the device has finished." .. each_step(g)
  end,
}

-- As regular as calls of one operator are, the host is in a loop around them, whatever else it runs there.
pattern {
  id = "host_loop",
  category = "cpu_idle",
  scope = "idle",
  summary = "the host goes through a loop over small tensors, of which only operators are recorded",
  when = function(g)
    local ms = g.longest_ms >= 0.8 * g.time_ms and math.min(g.longest_ms, g.time_ms) or g.time_ms -- where nearly all calls are
    if g.class ~= "nothing" or g.loop_calls < 100 * math.max(g.gaps, 1) or ms > 0.2 * g.loop_calls then return false end
    return {saving_low_ms = 0.5 * ms, saving_high_ms = ms, apart_us = 1e3 * ms / g.loop_calls}
  end,
  title = function(g)
    return "Replace the loop around " .. as_written(g.loop, "{loop}") .. (g.blame ~= "" and " in {blame}" or "") .. " by operations on whole tensors"
  end,
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run)" .. (g.blame ~= "" and " inside {blame}" .. at(g.blame_place) or "")
      .. " while the host calls " .. as_written(g.loop, "{loop}") .. " {loop_calls} times."
  end,
  path_a = function(g)
    return "Replace the loop by operations on whole tensors (`split`, `unbind`, one copy to a NumPy array), or run it in a"
      .. " thread beside the next input: a call comes every {apart_us} µs, and the GPU waits up to {longest_ms} ms." .. each_step(g) .. ask_stacks(g)
  end,
}

-- A few long silences amid launches: Python's garbage collector leaves no event behind, and does not come once a step.
local function collects_garbage(g)
  local once_a_step = g.steps >= 3 and g.in_steps == g.steps and g.gaps == g.steps
  if g.has_ops == 0 or g.gaps < 3 or g.time_ms < 5 * g.gaps or once_a_step then return "" end
  return " Python's garbage collector makes such pauses: see whether `gc.freeze()` after the first step, or `gc.disable()` and a"
    .. " `gc.collect()` every hundred steps, ends the {gaps} of them."
end

pattern {
  id = "host_unseen",
  category = "cpu_idle",
  scope = "idle",
  summary = "nothing is recorded on the launching thread",
  when = function(g)
    if g.class ~= "nothing" or blocks_in_jax(g) then return false end
    local asked = g.has_ops ~= 0 and g.has_frames == 0 and g.stacks_asked == 1
    return not (asked and g.share_pct < 5) and {recording = g.has_ops == 0 or g.has_frames == 0 or g.share_pct >= 25}
  end,
  title = function(g)
    local where = g.blame ~= "" and " in {what}" or ""
    if g.has_ops == 0 then return "Record host activity to see what runs between launches" .. where end
    if g.has_frames == 0 then return "Record Python " .. (has_texts(g) and "frames" or "stacks") .. " to see what runs between operators" .. where end
    return "Profile the host with native frames between operators" .. where
  end,
  issue = function(g)
    local where = g.blame ~= "" and " inside {blame}" .. at(g.blame_place) or ""
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run)" .. where
      .. " while the launching thread has no recorded operator or runtime call."
  end,
  path_a = function(g)
    local how = g.has_ops == 0 and "Record host activity, with Python frames (" .. with_stacks(g) .. "), to see what"
      or g.has_frames == 0 and "Record Python " .. (has_texts(g) and "frames" or "stacks") .. " (" .. with_stacks(g) .. ") to see what"
      or "Profile the host with native frames (`py-spy --native`) to see what"
    return how .. " runs in the longest gap, {longest_ms} ms"
      .. (g.blame ~= "" and ", inside {blame}" or "") .. "." .. each_step(g) .. collects_garbage(g) .. unhidden(g)
  end,
}

local function reads_value(g) return has(g.blame, "item", "_local_scalar_dense", "is_nonzero", "equal", "allclose") end

-- Sizes that only the device knows.
local function makes_size(g) return has(g.blame, "nonzero", "unique", "masked_select", "aten::index", "aten::where", "repeat_interleave", "bincount") end

-- Indices that are on the host are copied first, and the host waits for that.
local function sends_indices(g) return g.sends == 1 and has(g.blame, "aten::index") end

-- Where a wait is called: of the user's own code, rather than what it calls in a library.
local function wait_place(g)
  if g.code_place == "" or g.blame_place:find(g.code_place, 1, true) then return g.blame_place end
  return g.code .. ", " .. g.code_place
end

-- With its place: of a long one, the function.
local function called(g)
  local place = wait_place(g)
  local short = #g.blame + #place > 45 and place:match("^([^,]+), ") or place
  return as_written(g.blame, "{what}") .. at(short)
end

-- Gradients are clipped in the step itself: no value of them can be read later.
local function clips(g)
  return has((g.code .. g.code_place .. g.blame_place .. g.around):lower(), "clip_grad", "clip_norm", "clipgrad", "grad_norm",
    "gradient_clip")
end

local function gathers(g) return g.calls >= 4 * math.max(g.steps, 1) end

-- The device may be busy during the wait, and idle behind it, as nothing is launched ahead.
local function cost_of_wait(g)
  local time = g.call_us < 1000 and "{call_us} µs" or "{call_ms} ms"
  if g.late_ms > 0 and g.late_ms >= 0.8 * g.time_ms then return "the host launches nothing ahead while it waits, so that the GPU idles " .. time .. " behind each wait." end
  return "each wait leaves the GPU idle for " .. time .. "."
end

-- What the host does behind a wait; what it launches there comes too late.
local function works_behind(g)
  return g.late_ms > 0 and g.late_ms >= 0.8 * g.time_ms and g.call_ms >= 1 and g.parts ~= "" and g.where_most_pct >= 50
end

-- "ema.py" is a file of its own, and no end of "schema.py".
local function averages(text)
  return text:find("%f[%w_]ema%.py") ~= nil or has(text, "model_ema", "swa_utils", "multi_avg_fn", "moving_average")
end

-- Names of the trace are no keys of a text.
local function parts_as_they_are(g) return (g.parts:gsub("{", "{{")) end

pattern {
  id = "host_moving_average",
  category = "cpu_idle",
  scope = "idle",
  summary = "a moving average of the weights is updated tensor by tensor",
  when = function(g)
    if g.class == "sync" then return works_behind(g) and averages(g.parts) end
    return (g.class == "python" or g.class == "dispatch" or g.class == "host_bound") and averages(g.blame .. g.blame_place .. g.leaf_place .. g.code_place)
  end,
  title = "Update the moving average in one call, not tensor by tensor",
  issue = function(g)
    local where = g.class == "sync" and parts_as_they_are(g) or covering(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) while the host updates the moving average of the weights"
      .. (where ~= "" and ", in " .. where or "") .. "."
  end,
  path_a = function(g)
    return "Update it with `torch._foreach_lerp_` (`AveragedModel` with `multi_avg_fn=get_ema_multi_avg_fn(...)`, timm's `ModelEmaV3`"
      .. " with `foreach=True`), which takes a few launches, or only every few steps." .. each_step(g)
  end,
}

pattern {
  id = "host_nan_checks",
  category = "cpu_idle",
  scope = "idle",
  summary = "the host reads, tensor by tensor, whether values are finite",
  when = function(g) return g.class == "sync" and g.nan_checks_pct >= 50 and g.nan_nodes_pct < 50 and gathers(g) end,
  title = function(g) return "Check for NaN once a step, not each time in " .. called(g) end,
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) because the host reads {calls} times whether a tensor is"
      .. " finite, in {what}" .. at(wait_place(g)) .. "."
  end,
  path_a = function(g)
    return "Keep the answers on the GPU (`torch.stack` them, or take one norm of all: it is finite only if they are) and read one"
      .. " value, or repair without asking (`torch.clamp`, `nan_to_num`): " .. cost_of_wait(g) .. each_step(g) .. ask_stacks(g)
  end,
}

-- A serving engine needs the tokens that it waits for; behind that, gap after gap, it launches a model that no graph holds.
pattern {
  id = "host_sync_eager",
  category = "cpu_idle",
  scope = "idle",
  summary = "a decode step waits for its tokens and then launches kernel by kernel, 50 gaps and more behind each wait, most of them before kernels",
  when = function(g, trace)
    return g.class == "sync" and trace.decode_tokens > 0 and g.gaps >= 50 * g.calls and g.late_ms >= 0.9 * g.time_ms
      and 2 * g.copy_gaps < g.gaps
  end,
  title = "Capture in a GPU graph what decoding launches kernel by kernel",
  issue = "The GPU is idle for {time_ms} ms ({share_pct}% of the run) in {gaps} gaps: behind each of the {calls} waits in {what} the host"
    .. " launches kernel by kernel, more slowly than the GPU runs them.",
  path_a = function(g)
    return "Let a GPU graph replay what is launched there (a draft model has one of its own, an engine may run eagerly by an option), or"
      .. " launch the next step before the wait (asynchronous scheduling)." .. each_step(g) .. ask_stacks(g)
  end,
}

pattern {
  id = "host_sync",
  category = "cpu_idle",
  scope = "idle",
  summary = "the host waits for the device, and the device then waits for the host",
  when = of_class("sync"),
  title = function(g)
    return sends_indices(g) and "Keep the indices on the GPU: " .. called(g) .. " copies them and waits"
      or "Remove or defer the wait in " .. called(g)
  end,
  issue = function(g)
    local inside = g.leaf ~= "" and g.leaf ~= g.blame and "{inside_ms} ms inside {leaf}" or "{inside_ms} ms inside"
    local behind = g.late_ms > 0 and ", {late_ms} ms after it, until the host has launched again" or ""
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) because the host waits for it in {what}"
      .. at(wait_place(g)) .. ", " .. times(g.calls, "time", "times") .. ": " .. inside .. behind .. "."
  end,
  path_a = function(g)
    local how = g.is_jax == 1 and "Start the copy with `copy_to_host_async()` and read its result a step later"
      or reads_value(g) and clips(g) and "Clip on the GPU: `torch.nn.utils.clip_grad_norm_` with `foreach=True` makes one"
      .. " norm of all gradients and scales them by it without reading it on the host"
      or reads_value(g) and "Keep the value on the GPU (accumulate it there, decide with `torch.where`) and read it every"
      .. " hundredth step, or one step later through a non-blocking copy"
      or sends_indices(g) and "Make them on the GPU (`device=`), or copy them there before the step (pinned, with"
      .. " `non_blocking=True`)"
      or makes_size(g) and gathers(g) and "Make it once a step if all its calls there get the same input, such as a mask; else use a mask,"
      .. " `torch.where` or a padded fixed size instead of a shape that depends on values"
      or makes_size(g) and "Use a mask, `torch.where` or a padded fixed size instead of a shape that depends on values"
      or is_plain_wait(g.blame) and "Remove it, or launch the next step before it; to measure time, record events and read them"
      .. " at the end"
      or g.reads_device == 1 and gathers(g) and "Gather the values on the GPU and copy them together, every few steps or with"
      .. " `non_blocking=True` to be read a step later"
      or "Copy with `non_blocking=True` to or from pinned memory, and wait only where the data is used"
    local behind = works_behind(g) and " It spends them in " .. parts_as_they_are(g) .. "." or ""
    if g.waits_beside > 0 then behind = behind .. " The {waits_beside} other waits in this code go with it." end
    return how .. ": " .. cost_of_wait(g) .. behind .. each_step(g) .. ask_stacks(g)
  end,
}

-- The pool of the allocator grows until it suffices.
local function takes_memory(g)
  return g.class == "memory" and has(g.blame, "malloc", "memcreate") and not has(g.blame, "host")
end

local function gives_back(g) return g.given_back > 0 end

pattern {
  id = "host_pool_grows",
  category = "cpu_idle",
  scope = "idle",
  summary = "device memory is taken from the driver, and none is given back: the pool grows",
  counter = "some of it is given back to the driver",
  when = function(g) return takes_memory(g) and once() end,
  unless = gives_back,
  title = "Record after warm-up: the memory pool is still growing",
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) inside {blame}, "
      .. times(g.calls, "call", "calls") .. " of {call_ms} ms; no call gives memory back."
  end,
  path_a = "Record after a warm-up with the largest shapes: the allocator keeps its memory and calls the driver"
    .. " only when it needs more. Warm steps do not have this time, so no saving is claimed.",
}

pattern {
  id = "host_memory_full",
  category = "cpu_idle",
  scope = "idle",
  summary = "allocations fail, and the allocator empties its cache to repeat them: the device is full",
  counter = "most memory is given back for another reason",
  when = function(g) return g.class == "memory" and g.repeated > 0 and not has(g.blame, "host") end,
  unless = function(g) return 2 * g.freed_to_repeat < g.given_back end,
  title = "Use less device memory: the allocator empties its cache to allocate",
  issue = function(g)
    local from = g.leaf ~= "" and " of {leaf}" .. at(g.leaf_place) or ""
    local held = g.reserved_gib > 0 and " The allocator holds up to {reserved_gib}"
      .. (g.device_gib > 0 and " of the device's {device_gib}" or "") .. " GiB." or ""
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) inside {blame}, because its memory is full: "
      .. times(g.repeated, "allocation", "allocations") .. from .. " failed first, and the allocator waited for the GPU and returned "
      .. times(g.freed_to_repeat, "block", "blocks") .. " to the driver to try again." .. held
  end,
  path_a = function(g)
    local fragments = has(g.blame, "hip") and "inputs of one size, or padded to a few sizes,"
      or "`PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`"
    return "Lower the peak: a smaller batch, recomputed activations (`torch.utils.checkpoint`), or state sharded over ranks."
      .. " If `memory_reserved()` is far above `memory_allocated()`, memory is fragmented: " .. fragments
      .. " would suffice. The counter `num_alloc_retries` of `memory_stats()` must stay at 0." .. each_step(g)
  end,
}

-- All of the trace, of which the GPU waits in some; 0: the group is of other memory.
local function pool_calls(g)
  local pool = has(g.blame, "malloc", "memalloc", "free") and not has(g.blame, "host", "getinfo")
  return pool and g.given_back + g.taken or 0
end

-- By its frame, or by what is returned in a row where none is recorded.
local function empties_cache(g)
  return has(g.leaf, "emptycache", "empty_cache")
    or pool_calls(g) > 0 and g.emptied > 0 and g.emptied >= 0.9 * g.given_back and g.taken > 0
end

pattern {
  id = "host_memory",
  category = "cpu_idle",
  scope = "idle",
  summary = "memory is taken from or returned to the driver",
  when = of_class("memory"),
  title = function(g)
    if empties_cache(g) then return "Do not call empty_cache() in the step" end
    if has(g.blame, "host") then return "Allocate pinned buffers once: the step calls {what}" end
    if has(g.blame, "getinfo", "getattr") then return "Query memory figures outside the step: it calls {what}" end
    if g.calls < 10 then return "Warm up the allocator with the largest shapes: the step calls {what}" end
    return "Keep device memory in the caching allocator: the step calls {what}"
  end,
  issue = function(g)
    local from = g.leaf ~= "" and ", most of it called by {leaf}" .. at(g.leaf_place) or ""
    local all = pool_calls(g)
    local calls = all > g.calls and string.format("{calls} of %d calls, for {call_ms} ms each", all)
      or times(g.calls, "call", "calls") .. " of {call_ms} ms"
    if all > g.calls and g.given_back > 0 and g.taken > 0 then
      calls = string.format("{calls} of them, {call_ms} ms each. The trace has %d that return memory to the driver and %d that take it",
        g.given_back, g.taken)
      return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) in memory calls such as {blame}: " .. calls .. from .. "."
    end
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) inside {blame}, " .. calls .. from .. "."
  end,
  path_a = function(g)
    if empties_cache(g) then
      local again = g.taken > 0 and ", and operators take it again in " .. times(g.taken, "call", "calls") or ""
      local gives = g.given_back > 0 and " in " .. times(g.given_back, "call", "calls") or ""
      return "Do not call `empty_cache()` in the step: memory goes back to the driver" .. gives .. again .. "." .. each_step(g)
    elseif has(g.blame, "host") then
      return "The step allocates pinned memory: allocate the buffers once and reuse them."
        .. each_step(g)
    elseif has(g.blame, "getinfo", "getattr") then
      return "Query memory figures outside the step." .. each_step(g)
    elseif g.calls < 10 then
      return "The pool of the caching allocator grows or shrinks: warm up with the largest shapes before"
        .. " recording, and do not call `empty_cache()` between steps."
    end
    return "The step allocates device memory from the driver or frees it: check whether the caching allocator"
      .. " is switched off and whether `empty_cache()` is called between steps."
      .. each_step(g)
  end,
}

-- Compiled again in step after step; a runtime call that loads code is no compiler.
local function compiles_again(g)
  return g.class == "load" and g.in_steps >= 3 and (has(g.blame_place, ".py") or g.blame == "torch.compile")
end

pattern {
  id = "host_recompile",
  category = "cpu_idle",
  scope = "idle",
  summary = "code is compiled again in several steps",
  when = function(g)
    if not compiles_again(g) then return false end
    return {saving_low_ms = 0.95 * g.time_ms, saving_high_ms = g.time_ms} -- a call that finds its code takes microseconds
  end,
  title = function(g)
    return "Avoid recompilation: " .. (g.steps == 0 and "{in_steps} rounds of the run compile again"
      or g.in_steps == g.steps and "every step compiles again" or "{in_steps} of {steps} steps compile again")
  end,
  issue = function(g)
    local versions = g.versions > 0
      and "; " .. times(g.versions, "later version of a compiled region runs", "later versions of compiled regions run") or ""
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) in {blame}" .. at(g.blame_place)
      .. (g.steps == 0 and ", in {in_steps} rounds" or ", in {in_steps} of {steps} steps") .. versions .. "."
  end,
  path_a = function(g)
    local sizes = g.repeated_pct == g.repeated_pct and g.repeated_pct < 90
      and "Sizes differ from step to step: only {repeated_pct}% of operator calls recur in every step. Mark those that change as"
      .. " dynamic (`torch._dynamo.mark_dynamic`, `dynamic=True`), or pad them to a few sizes; `TORCH_LOGS=recompiles` names the guard"
      .. " that fails."
      or "Find out what changes from step to step (`TORCH_LOGS=recompiles` names the guard that fails), and keep"
      .. " it fixed or mark it dynamic (`mark_dynamic`, `dynamic=True`)."
    return sizes .. each_step(g)
  end,
}

pattern {
  id = "host_set_up",
  category = "cpu_idle",
  scope = "idle",
  summary = "long runtime calls inside first calls of operators, which later calls do not make",
  when = function(g) return g.class == "load" and g.sets_up == 1 and once() end,
  title = "Record after warm-up: libraries initialise during the recording",
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) in " .. times(g.calls, "runtime call", "runtime calls")
      .. " inside first calls of operators" .. (g.leaf ~= "" and ", {leaf_ms} ms of it in {leaf}" or "")
      .. "; later calls with the same shapes do not make them."
  end,
  path_a = "Record after warm-up: a library allocates memory and queries the device when it is first called."
    .. " Warm steps do not have this time, so no saving is claimed.",
}

-- torch_npu's operators without a prebuilt kernel, or all of them if it is told so.
local function compiles_operators(g) return g.class == "load" and has(g.blame, "aclopcompile") end

pattern {
  id = "host_operator_compile",
  category = "cpu_idle",
  scope = "idle",
  summary = "operators are compiled when they are called",
  when = function(g) return compiles_operators(g) and once() end,
  title = "Use prebuilt kernels: operators are compiled when they are called",
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) in " .. times(g.calls, "call", "calls")
      .. " of {blame} ({call_ms} ms each)" .. mostly(g) .. "."
  end,
  path_a = "Call `torch_npu.npu.set_compile_mode(jit_compile=False)` before the first operator. Each new shape is"
    .. " compiled once: a warm step with the same shapes has less of this time, so no saving is claimed.",
}

pattern {
  id = "host_load",
  category = "cpu_idle",
  scope = "idle",
  summary = "code is loaded or compiled while recording",
  when = function(g)
    return g.class == "load" and g.sets_up ~= 1 and not compiles_again(g) and not compiles_operators(g) and once()
  end,
  title = "Record after warm-up: code is loaded or compiled during the recording",
  issue = function(g)
    local from = g.leaf ~= "" and g.leaf ~= g.blame and ", most of it for {leaf}" .. at(g.leaf_place) or ""
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) in {blame}" .. at(g.blame_place)
      .. from .. "."
  end,
  path_a = function(g)
    if g.blame == "torch.compile" and g.versions > 0 then
      return "Record several steps after warm-up: this compiles code again that was compiled before (" .. times(g.versions,
        "later version of a compiled region runs", "later versions of compiled regions run") .. "). If later steps compile too, mark the sizes that change as"
        .. " dynamic (`torch._dynamo.mark_dynamic`); no saving is claimed, as one step does not show that."
    end
    return "This happens once per process: record after warm-up. Warm steps do not have this time, so no"
      .. " saving is claimed."
  end,
}

pattern {
  id = "first_launch",
  category = "cpu_idle",
  scope = "idle",
  summary = "the first launch of a kernel loads or builds it",
  when = function(g) return g.class == "first_launch" and once() end,
  title = "Record after warm-up: the GPU waits for first launches, which load kernels",
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) because of "
      .. times(g.calls, "launch call", "launch calls") .. " of 1 ms or longer, each the first launch of its kernel"
      .. (g.calls == 1 and ": {leaf}." or "; the first launch of {leaf} takes {leaf_ms} ms.")
  end,
  path_a = "The first launch loads or builds the kernel: record after warm-up. Warm steps do not have this time,"
    .. " so no saving is claimed.",
}

pattern {
  id = "slow_launch_call",
  category = "cpu_idle",
  scope = "idle",
  summary = "launch calls themselves take long",
  when = function(g) return g.class == "launch" end,
  title = function(g)
    if has(g.blame, "graphlaunch") then return "Launch the GPU graph earlier, or with fewer nodes" end
    if has(g.blame, "memcpy", "memset") then
      return "Prefetch the tensors that " .. as_written(g.leaf, "{leaf}") .. " copies, from pinned memory"
    end
    return "Find out what holds up {what}" .. (g.leaf ~= "" and g.leaf ~= g.blame and " of {leaf}" or "")
  end,
  issue = function(g)
    local from = g.leaf ~= g.blame and ", called by {leaf}" .. at(g.leaf_place) or at(g.blame_place)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) inside {blame}" .. from .. "."
  end,
  path_a = function(g)
    if has(g.blame, "graphlaunch") then
      if g.calls == 1 then
        return "Record several launches of the graph. If this is its first, upload the graph before it is needed; if all"
          .. " take as long, use fewer nodes or launch the graph while the work before it still runs."
      end
      return "Launch the graph while the work before it still runs, or use fewer nodes: the call takes {call_ms} ms on average,"
        .. " which grows with them. Upload the graph if only its first launch is this long."
    elseif has(g.blame, "memcpy", "memset") then
      return "Copy what {leaf} reads from pinned memory, on a separate stream, before it is needed: the call stages the data itself."
    end
    return "The call takes {call_ms} ms, where a launch takes microseconds: the queue is full, the"
      .. " kernel is set up again each time, or other work holds the CPU."
  end,
}

pattern {
  id = "start_latency",
  category = "cpu_idle",
  scope = "idle",
  summary = "time from the end of a launch call to the start of its work",
  when = of_class("latency"),
  title = function(g)
    if is_one(g) then return "Find out what blocked the GPU in one gap" end
    return g.call_us >= 100 and "Look for another process on the GPU: launched kernels start late"
      or "Queue kernels further ahead: each start takes {call_us} µs"
  end,
  issue = function(g)
    if g.gaps == 1 or is_one(g) then
      return "After a launch into an empty queue the GPU takes {longest_part_ms} ms to start."
    end
    return "After " .. times(g.gaps, "launch", "launches") .. " into an empty queue the GPU takes {call_us} µs"
      .. " on average to start."
  end,
  path_a = function(g)
    if is_one(g) then
      return "Find out what blocked the GPU for {longest_part_ms} ms while nothing of this trace ran (another process,"
        .. " work outside the window): a start takes about 10 µs."
    end
    if g.call_us >= 100 then
      return "Find out what blocked the GPU for {longest_ms} ms while nothing of this trace ran (another process,"
        .. " work outside the window): a start takes about 10 µs."
    end
    return "Queue kernels further ahead: the start latency shows only when the queue is empty."
  end,
}

local function waits_at_nodes(g)
  return g.call_us >= 20 and has(g.blame, "inside a gpu graph", "behind a gpu graph") -- else it is their usual pace
end

-- Kernels so long that starting the next one takes next to nothing, and nothing else holds it up.
local function is_usual_pace(g)
  return g.call_us > 0 and g.call_us < 3 and g.kernel_us >= 20 * g.call_us and g.stalled_ms == 0 and not is_one(g)
    and not has(g.blame, "collective", "another stream", "copies")
end

pattern {
  id = "queued_start",
  category = "cpu_idle",
  scope = "idle",
  summary = "kernels were queued and started late",
  when = function(g) return g.class == "queued" and not is_usual_pace(g) end,
  title = function(g)
    if has(g.blame, "collective") then return "Compare the ranks: others arrive late at a collective" end
    if has(g.blame, "another stream") then return "Synchronise streams only where one needs the other's data" end
    if has(g.blame, "copies") then return "Merge small copies, or move them to their own stream" end
    if waits_at_nodes(g) then return "Record the nodes of GPU graphs: the GPU waits between or after them" end
    if g.stalled_ms > 0 and g.stalled_ms >= 0.5 * g.time_ms then
      return "Look outside this process: the GPU does not start queued kernels"
    end
    if is_one(g) then return "Find out what blocked the GPU in one gap" end
    return "Use fewer, larger kernels: each starts {call_us} µs after the one before"
  end,
  issue = function(g)
    return "The GPU is idle for {time_ms} ms ({share_pct}% of the run) " .. g.blame:gsub("{", "{{")
      .. ", although the next kernel was queued; {leaf_ms} ms of it before {leaf}."
  end,
  path_a = function(g)
    if has(g.blame, "collective") then
      return "Other ranks arrive late: compare the traces of all ranks before tuning this one."
    elseif has(g.blame, "another stream") then
      local pass = is_one(g) and "{longest_part_ms} ms pass once" or "{call_us} µs pass each time"
      return "Record and wait for an event only where one stream needs the other's data: " .. pass
        .. " before a kernel of one stream follows one of the other."
    elseif has(g.blame, "copies") then
      return "Copies and kernels wait for each other on one stream: merge small copies, or move them to"
        .. " their own stream."
    elseif waits_at_nodes(g) then
      return "Record once without GPU graphs, or with a profiler that traces graph nodes, to see what runs in these gaps;"
        .. " if every node is recorded, look for host functions captured in the graph."
    end
    if g.stalled_ms > 0 and g.stalled_ms >= 0.5 * g.time_ms then
      return "Look outside this process (another process on the GPU, the driver, a debugger, a profiler that flushes"
        .. " its buffers): work was queued on the same stream, and the GPU did not start it for {longest_ms} ms."
    end
    if is_one(g) then
      return "Find out what the GPU waited for in one gap of {longest_part_ms} ms: work was queued, and nothing in"
        .. " the trace holds it up."
    end
    local short = g.kernel_us < 10 and " A kernel takes {kernel_us} µs on average: a larger batch costs little more." or ""
    return "{call_us} µs pass between one kernel and the next: only fewer, larger kernels reduce that." .. short
  end,
}

pattern {
  id = "hidden_work",
  category = "cpu_idle",
  scope = "idle",
  informational = true,
  recording = true,
  summary = "the device was most likely busy, but nothing is recorded",
  when = of_class("hidden"),
  title = function(g)
    return has(g.blame, "few kernels") and "Record all kernels of GPU graphs: they cover less than half of the launches' time"
      or has(g.blame, "graph") and "Record the kernels of all GPU graphs: some launches have none"
      or has(g.blame, "burst") and "Record kernels when they run: their time stamps come in bursts"
      or "Record all GPU work: the host waits for work that is not in the trace"
  end,
  issue = "For {time_ms} ms ({share_pct}% of the run) no device work is recorded {blame}: the GPU may be idle or"
    .. " busy, so no saving is claimed.",
  path_a = function(g)
    if has(g.blame, "graph") then
      return "Record once without GPU graphs (the engine's eager mode), or with a profiler that traces graph nodes;"
        .. " otherwise only the span of each launch is known."
    elseif has(g.blame, "burst") then
      return "Switch off whatever defers kernels or their time stamps (batched submission, buffered activity records)"
        .. " while recording, or use a newer profiler."
    end
    return "Find out what the profiler misses: other libraries or streams, other processes on the GPU, activities that"
      .. " are switched off, full buffers. The longest such wait takes {longest_part_ms} ms."
  end,
}

local function decides(g) return g.share_pct >= 25 end

pattern {
  id = "unlinked_idle",
  category = "cpu_idle",
  scope = "idle",
  recording = true,
  summary = "most of the run is idle time before device work whose launch is not in the trace",
  when = function(g) return g.class == "unlinked" and decides(g) end,
  title = "Record launch calls, too: the trace does not show what the GPU waits for",
  issue = "The GPU is idle for {time_ms} ms ({share_pct}% of the run) before device work whose launch call is"
    .. " not in the trace.",
  path_a = "Record the calls of the runtime and the host's operators ({activities_how}), from before the first launch:"
    .. " only they tell whether the GPU waits for the host, for data or for other work.",
}

pattern {
  id = "unlinked_start",
  category = "cpu_idle",
  scope = "idle",
  informational = true,
  recording = true,
  summary = "idle before device work whose launch is not in the trace",
  when = function(g) return g.class == "unlinked" and not decides(g) end,
  title = "Start the profiler earlier: launch calls are missing",
  issue = "The GPU is idle for {time_ms} ms ({share_pct}% of the run) before device work whose launch call is"
    .. " not in the trace.",
  path_a = "Start the profiler before the work is launched, with host activity on, to see why.",
}
