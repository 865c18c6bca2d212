-- devices.lua - several GPUs of one process that wait for each other. The program measures how much each works,
-- and how much of that at once.

-- What it does in each step: the model is copied, the batch split, and outputs and gradients collected on one GPU.
local function is_data_parallel(it) return it.data_parallel == 1 end

pattern {
  id = "devices_data_parallel",
  category = "multi_kernel",
  scope = "advice",
  about = "devices",
  summary = "torch.nn.DataParallel: one process copies its model to all GPUs in each step",
  when = is_data_parallel,
  title = "Use DistributedDataParallel in place of DataParallel, which copies the model in every step",
  issue = "Broadcasts and reductions between the {devices} GPUs take {exposed_ms} ms ({exposed_pct}% of the run) in which nothing"
    .. " is computed; GPU {behind} is active for {behind_ms} ms and GPU {busiest} for {busiest_ms} ms.",
  path_a = "Start one process per GPU with DistributedDataParallel: it keeps the model on each, computes each part's loss"
    .. " there, and reduces gradients during the backward pass. DataParallel copies the model to all GPUs in every step,"
    .. " and collects outputs and gradients on one, for which GPU {behind} waits ({waits_ms} ms).",
}

-- A teacher, a reward model: it could be a batch ahead, but its work is launched behind a wait for the other GPU.
local function is_ahead(it) return it.ahead_ms > 0 and not is_data_parallel(it) end

pattern {
  id = "devices_ahead",
  category = "multi_kernel",
  scope = "advice",
  about = "devices",
  summary = "a GPU that needs nothing of the other one gets its work only behind a wait for that one",
  when = is_ahead,
  title = "Launch the next batch on GPU {ahead} before the wait in {ahead_wait}, which keeps it idle",
  issue = "GPU {ahead} needs nothing that the other one computes: it sends data and gets nothing back, not even gradients. Yet the"
    .. " host launches its work behind each of {ahead_waits} waits in {ahead_wait}.",
  path_a = "Launch what GPU {ahead} does for the next batch before the host waits for this one (call that model one batch ahead), or read"
    .. " the value of {ahead_wait} a step later or every few steps: {ahead_ms} ms of its work then run beside the other GPU.",
}

pattern {
  id = "devices_take_turns",
  category = "multi_kernel",
  scope = "advice",
  about = "devices",
  summary = "the GPUs of a process work one after the other",
  when = function(it) return it.take_turns == 1 and not is_data_parallel(it) and not is_ahead(it) end,
  title = "Run the {devices} GPUs concurrently: they take turns",
  issue = function(_, it)
    local copies = it.copies > 0 and "; {copies} copies between them take {copies_ms} ms" or ""
    return "Each of the {devices} GPUs is idle for {idle_low_pct} to {idle_high_pct}% of the time: for {one_ms} ms only one"
      .. " of them is active, and work passes from one to another {turns} times" .. copies .. "."
  end,
  path_a = "Send micro-batches through them (pipeline parallelism), split each layer over all of them (tensor"
    .. " parallelism), or use one GPU if the model fits.",
}

pattern {
  id = "devices_uneven",
  category = "multi_kernel",
  scope = "advice",
  about = "devices",
  summary = "a GPU waits for another one that has more work",
  when = function(it) return it.take_turns == 0 and not is_data_parallel(it) and not is_ahead(it) end,
  title = "Move work from GPU {busiest} to GPU {behind}, which waits for it",
  issue = "GPU {behind} is active for {behind_ms} ms and GPU {busiest} for {busiest_ms} ms; for {waits_ms} ms GPU {behind}"
    .. " is idle while others are active.",
  path_a = "Move layers, or part of the batch, from GPU {busiest} to GPU {behind} until both take the same time.",
}

pattern {
  id = "streams_take_turns",
  category = "multi_kernel",
  scope = "advice",
  about = "streams",
  summary = "kernels of two streams run one after the other, although both fit on the device",
  when = function(it) return it.pairs_ms > 0 end,
  title = "Let kernels of both streams run at once: they take turns",
  issue = "{pairs} times kernels that are queued on a free stream start only when those of another stream end, although both"
    .. " fit: at most {blocks} blocks each for {sms} {units}. Side by side they take {pairs_ms} ms less.",
  path_a = function(_, it)
    local cause = it.event_waits > 0 and "Remove the events between them (the host calls `StreamWaitEvent` {event_waits} times)"
      or "Find out what orders them (a lock, the default stream)"
    return cause .. " and wait only where one stream reads what the other has written, such as where branches join."
      .. " If each step needs the other's result, use one stream and a larger batch."
  end,
}
