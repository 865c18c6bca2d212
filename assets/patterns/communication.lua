-- communication.lua - collectives. The program finds exposed communication and measures it
-- by kind; a fact of a kind is called after it, such as all_to_all_exposed_ms.

local SMALL_MIB, SHORT_US = 1, 100 -- a message, or a collective, that is all latency
local NIC_GB_PER_S = 25 -- of 200 Gbit/s, of which machines for training have one for each GPU or two
local SLOW_GB_PER_S = 6 -- of the largest messages: half of what PCIe 3.0 gives

-- Exposed for more than a tenth of all exposed communication.
local function exposed(it, kind)
  return it[kind .. "_exposed_ms"] > 0.1 * it.exposed_ms
end

-- Most of what is exposed shares the statistics of batch normalisation.
local function is_of_norms(it) return it.norm_exposed_ms > 0.5 * it.exposed_ms end

-- Or is of a few values each, between the layers or the steps: metrics, flags, barriers.
local function is_of_scalars(it) return it.scalars_exposed_ms > 0.5 * it.exposed_ms and it.scalars_per_step >= 4 end

-- Calls that can be spared: no order of the work is advised for them.
local function can_be_spared(it) return is_of_norms(it) or is_of_scalars(it) end

-- Nothing hides more of it than of any other kind: the one that the title names.
local function leads(it, kind)
  if can_be_spared(it) then return false end
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

local function are_small(it, kind)
  local mib = it[kind .. "_mib"]
  if known(mib) then return mib < SMALL_MIB end
  return it[kind .. "_median_us"] < SHORT_US
end

local function many_small(it, kind) return it[kind .. "_per_step"] > 10 and are_small(it, kind) end

-- Small ones that follow each other, whatever is around them: a loop over parameters behind the
-- backward pass, or where none is recorded. Layers compute between theirs.
local function small_in_a_row(it) return it.all_reduce_row > 10 and are_small(it, "all_reduce") end

local function hidden_pct(it, kind)
  return 100 * (1 - it[kind .. "_exposed_ms"] / it[kind .. "_ms"])
end

-- Nobody waits in a collective that was queued behind another of its group.
local function link_is_slow(it) return it.slow_link == 1 end

-- The sizes of all-gathers repeat after so many calls: a block of the model is as many units.
local function in_small_units(it) return (it.unit_period or 0) >= 3 end

-- In the backward pass of a sharded model, the all-gather of the next layer waits for the reduce-scatter of the last.
local function gathers_late(it) return (it.unprefetched or 0) >= 3 and it.unprefetched_ms >= 0.5 * it.exposed_ms end

-- More backward passes reduce gradients than there are updates of the weights.
local function accumulates(it) return it.spare_pct > 0 end

pattern {
  id = "reduce_once_per_update",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "gradients accumulate over several backward passes, and each of them reduces them",
  when = function(it) return accumulates(it) and leads(it, "all_reduce") end,
  title = "Reduce gradients once per update (no_sync): every micro-batch does",
  path_a = "Run all micro-batches but the last before `optimizer.step()` under `model.no_sync()`: {reducing} backward passes"
    .. " reduce gradients for {updates} updates, so {spare_pct}% of these all-reduces are not needed.",
}

pattern {
  id = "sync_batch_norm",
  category = "multi_kernel",
  scope = "advice",
  about = "norms",
  summary = "SyncBatchNorm layers share their statistics for 1% of the time or more: collectives that nothing hides, and waits",
  when = function(it) return it.share_pct >= 1 end,
  title = "Do without SyncBatchNorm: each layer waits for all ranks",
  issue = function(_, it)
    return "Layers of SyncBatchNorm share their statistics in {norm_count} collectives, of which {norm_exposed_ms} ms are exposed"
      .. (it.norm_waits > 0 and "; the host waits {norm_waits} times to read which ranks had samples" or "")
      .. (it.norm_idle_ms > 0 and ", and the GPU is idle for {norm_idle_ms} ms behind these waits" or "") .. "."
  end,
  path_a = function(_, it)
    local enough = it.norm_samples >= 16 and "; this one has {norm_samples} samples a batch" or ""
    return "Use the statistics of each GPU (`BatchNorm2d`" .. enough .. "), a normalisation that needs no others (`GroupNorm`, frozen"
      .. " statistics), or share them within a node only (`process_group`), and compare the accuracy: the next kernel needs the result"
      .. " of each collective, so nothing hides it, and what the host reads in between keeps it from launching ahead. Waits, collectives"
      .. " and {norm_kernels} small kernels and copies go together."
  end,
}

pattern {
  id = "scalar_collectives",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "most of the exposed communication is of messages of 4 KiB and less that the backward pass does not make",
  when = function(it) return is_of_scalars(it) and not is_of_norms(it) and {per_step = math.floor(it.scalars_per_step)} end,
  title = "Merge the {most_kind} calls of single values, or make them rarer",
  path_a = "Put these values into one tensor and reduce it once a step, or every fiftieth: {per_step} calls of a few bytes in each step"
    .. " wait for all ranks, {scalars_exposed_ms} ms in all. Trainers make one for each metric that is logged across ranks"
    .. " (`sync_dist=True`), and a barrier is one, too.",
}

pattern {
  id = "slow_transport",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "collectives queued behind others of their group, with no rank to wait for, use little of the link",
  counter = "they take less than a fifth of the exposed time",
  when = link_is_slow,
  unless = function(it) return it.queued_ms * it.queued_count < 0.2 * it.exposed_ms end,
  title = "Check the transport of the {most_kind}: it uses little of the link",
  path_a = function(_, it, trace)
    local read = trace.other_device == 1 and "Read in the log of the communication library which transport and algorithm it picks: sockets or"
        .. " host memory in place of direct links are this slow."
      or "Run with `NCCL_DEBUG=INFO` and read which transport and algorithm it picks: sockets or host memory (`NET/Socket`,"
        .. " `SHM`) in place of P2P or InfiniBand (`P2P/CUMEM`, `NET/IB`) are this slow."
    local of = it.link_gb_per_s > 0 and it.far == 0 and ", where its links do {link_gb_per_s} GB/s" or ""
    return read .. " {queued_count} {most_kind} "
      .. (it.queued_count == 1 and "call follows" or "calls follow") .. " another on the same stream, so "
      .. (it.queued_count == 1 and "it waits" or "they wait") .. " for no rank: {queued_mib} MiB take {queued_ms} ms, so"
      .. " a GPU sends about {queued_gb_per_s} GB/s" .. of .. "."
  end,
}

pattern {
  id = "all_reduce_per_parameter",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "more than ten small all-reduces per step in the backward pass, or in a row",
  counter = "there is no backward pass, and they do not follow each other",
  when = function(it)
    return (many_small(it, "all_reduce") or small_in_a_row(it)) and {hidden_pct = hidden_pct(it, "all_reduce")}
  end,
  unless = function(it, trace) return can_be_spared(it) or (trace.training ~= 1 and not small_in_a_row(it)) end,
  title = function(_, _, trace)
    return trace.training == 1 and "Reduce gradients in buckets instead of parameter by parameter"
      or "Merge small all-reduces that follow each other"
  end,
  path_a = function(_, it, trace)
    if not small_in_a_row(it) then
      return "Reduce gradients in buckets of about 25 MiB: the backward pass makes {all_reduce_per_step}"
        .. " all-reduces per step, one per parameter, {all_reduce_median_us} µs at the median; {hidden_pct}% of"
        .. " their time is hidden."
    end
    return (trace.training == 1 and "Reduce gradients in buckets of about 25 MiB"
      or "Reduce one flat tensor in place of many (gradients in buckets of about 25 MiB, as DistributedDataParallel does)")
      .. ": {all_reduce_row} all-reduces follow each other, {all_reduce_median_us} µs at the median, with next to no"
      .. " computation between them."
  end,
}

-- The calls that move the same show what a transfer takes.
local function is_late(it) return it.late_count > 0 and it.late_ms >= 0.3 * it.exposed_ms end

-- A stage of a pipeline receives a message long after it asks for it where the pipeline fills and drains.
local function between_stages(it) return it.most_kind == "send and receive" end

-- "all-reduce calls"; where no kind is recorded, "collectives".
local function calls_of(it) return it.most_kind == "communication" and "collectives" or it.most_kind .. " calls" end

local function fills_and_drains(it) return between_stages(it) and is_late(it) end

-- Calls of one size need what the fastest of them does; beyond that, they wait for the last rank. As collective_is_waiting.
local function waits_for_the_last(it) return it.waits_pct >= 60 and not between_stages(it) end

-- Between what the ranks compute, not in an exchange of what each has more or less of.
local function waits_for_a_rank(it) return waits_for_the_last(it) and it.most_kind ~= "all-to-all" end

pattern {
  id = "late_rank",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "some calls take five times the median of their kind and size, or most time of all calls is beyond the fastest of their size",
  counter = "they are hidden, or messages from one rank to the next",
  when = function(it)
    return (is_late(it) or waits_for_a_rank(it)) and {waits_pct = math.floor(it.waits_pct)}
  end,
  unless = function(it) return it.exposed_ms < 0.2 * it.comm_ms or between_stages(it) end,
  title = function(_, it) return "Find the rank that arrives late at " .. calls_of(it) end,
  path_a = function(_, it)
    if waits_for_a_rank(it) then
      return "Record all ranks and find the late one (`tracefolio job`), then compare what it does in a step: longer inputs or a larger"
        .. " batch, which need balancing over the ranks (a sampler that groups by length, equal numbers of tokens), or a slower host or"
        .. " GPU. Of one size, {most_kind} calls take {fastest_us} µs at best and {late_median_us} µs at the median: {waits_pct}% of"
        .. " their time is waiting, which neither fewer bytes nor a faster network shortens."
    end
    if it.late_unsized == it.late_count then
      return "Record all ranks and find the late one (`tracefolio job`): {late_count} of {late_calls} " .. calls_of(it) .. " "
        .. (it.late_count == 1 and "takes" or "take") .. " {late_ms} ms more than their median ({late_median_us} µs)."
        .. " Sizes are not recorded, but a link sends half a gigabyte in 10 ms: so long a call is waiting, not transfer."
    end
    return "Find the late rank: {late_count} of {late_calls} " .. calls_of(it) .. " "
      .. (it.late_count == 1 and "takes" or "take") .. " {late_ms} ms more than the median for the same"
      .. " message size ({late_median_us} µs), which is waiting, not transfer."
  end,
}

pattern {
  id = "pipeline_wait",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "stages of a pipeline wait for each other's messages",
  counter = "messages are sent at the speed of a link, all of them",
  when = function(it)
    return it.send_recv_exposed_ms > 0.5 * it.exposed_ms and it.send_recv_count > 1
      and {median_ms = it.send_recv_median_us / 1000}
  end,
  unless = function(it)
    if fills_and_drains(it) then return false end
    return not (it.send_recv_mib > 0) or it.send_recv_mib / it.send_recv_median_us > 0.01 -- MiB per us
  end,
  title = "Use more micro-batches or balance the pipeline stages: they wait for each other",
  path_a = function(_, it)
    if fills_and_drains(it) then
      return "Use more micro-batches per step, an interleaved schedule, or stages of equal work: {late_count} of {late_calls}"
        .. " messages take {late_ms} ms more than the median of their size ({late_median_us} µs), as where a pipeline"
        .. " fills and drains. Outside a pipeline, find the rank that sends late."
    end
    return "Use more micro-batches per step, or stages of equal work: a message of {send_recv_mib} MiB takes"
      .. " {median_ms} ms, far longer than its transfer over a link."
  end,
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
  title = "Wrap larger parts of the model to reduce gradients in larger pieces",
  path_a = "Use larger FSDP units: the backward pass makes {reduce_scatter_per_step} reduce-scatters per step,"
    .. " {reduce_scatter_median_us} µs at the median.",
}

pattern {
  id = "prefetch_in_backward",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "FSDP gathers the parameters of each layer in the backward pass only behind the reduce-scatter of the layer before",
  counter = "hooks of FSDP are not recorded or some of them prefetch, computation runs beside, or the calls wait for other ranks",
  when = gathers_late,
  unless = function(it, trace) return trace.training ~= 1 or waits_for_a_rank(it) or link_is_slow(it) or in_small_units(it) end,
  title = "Prefetch the next all-gather in the backward pass: it waits for the reduce-scatter",
  path_a = function(_, it)
    local how = it.fsdp2 == 1 and "`set_modules_to_backward_prefetch` of FSDP2" or "`backward_prefetch=BackwardPrefetch.BACKWARD_PRE` of FSDP"
    return "Prefetch in the backward pass (" .. how .. "): {unprefetched} times the all-gather of a layer is launched only behind the"
      .. " reduce-scatter of the one before it, and nothing is computed for these {unprefetched_ms} ms. Gathered one layer earlier, a layer"
      .. " computes beside both. It takes memory for the parameters of one more layer."
  end,
}

-- Gradients are reduced by the backward pass: large messages of the forward pass, nearly as many, are activations that each
-- rank has a part of.
local function of_activations(it)
  return it.all_reduce_backward < it.all_reduce_count and it.all_reduce_count <= 2.5 * (it.all_reduce_count - it.all_reduce_backward)
    and it.all_reduce_mib >= 1
end

pattern {
  id = "tensor_parallel_training",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "a training step reduces activations in its forward pass, too, while nothing is computed",
  counter = "it reduces gradients alone, 70% is hidden, or there is no backward pass",
  when = function(it) return it.all_reduce_backward > 0 and leads(it, "all_reduce") and of_activations(it) end,
  unless = function(it, trace) return hidden(it, "all_reduce") or trace.training ~= 1 or waits_for_a_rank(it) end,
  title = "Overlap the tensor-parallel all-reduces with matmuls, or split the model over fewer GPUs",
  path_a = function(_, it)
    return "Use sequence parallelism with asynchronous tensor parallelism (all-gather and reduce-scatter in pieces, each beside a part of the"
      .. " matmul), or fewer GPUs to a layer and more data parallelism: " .. ("%d"):format(it.all_reduce_count - it.all_reduce_backward)
      .. " of {all_reduce_count} all-reduces are of the forward pass, {all_reduce_mib} MiB on average, so these are activations and no"
      .. " gradients; {all_reduce_exposed_ms} ms of {all_reduce_ms} ms are exposed."
  end,
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
        and it.gradients_exposed_ms >= 0.5 * it[kind .. "_exposed_ms"]
    end,
    unless = function(it, trace)
      return hidden(it, kind) or not has_room(it) or trace.training ~= 1 or accumulates(it) or waits_for_a_rank(it)
        or (kind == "all_reduce" and of_activations(it)) or gathers_late(it)
    end,
    title = function(_, it) -- a sharded layer reduces its gradients as soon as it has them
      return it.sharded == 1 and "Run the backward pass of the next layers beside the " .. word .. " of gradients"
        or "Start the " .. word .. " of gradients earlier in the backward pass"
    end,
    path_a = function(_, it)
      return (it.sharded == 1 and "Let the backward pass of the next layers run beside the reduction of gradients (their parameters gathered ahead)"
        or "Start the reduction of gradients earlier in the backward pass (a smaller first bucket)")
        .. ", or accumulate gradients over several steps: {" .. kind .. "_exposed_ms} ms of {"
        .. kind .. "_ms} ms of " .. word .. " are exposed."
    end,
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
    return hidden(it, "all_reduce") or not has_room(it) or trace.training ~= 1 or accumulates(it) or waits_for_a_rank(it)
  end,
  title = "Start each all-reduce during the backward pass",
  path_a = "Start each all-reduce during the backward pass, as soon as its gradients are ready: none of the"
    .. " {all_reduce_count} is launched there, and {all_reduce_exposed_ms} ms of {all_reduce_ms} ms are exposed.",
}

-- The ranks exchange as much in each call, and one of them comes late to most.
local function is_uneven(it) return it.most_kind == "all-to-all" and waits_for_the_last(it) end

-- Tokens go to experts, by the kernels that compute these.
local function has_experts(trace)
  if trace.fused_experts_pct > 0 then return true end
  for _, of in ipairs {trace.gemm, trace.moe_fused, trace.triton, trace.other} do
    for _, row in ipairs(of.rows) do
      local name = (row.name .. row.kernel):lower()
      for _, mark in ipairs {"grouped_mm", "grouped_gemm", "groupedgemm", "group_gemm", "moe", "expert", "permute_tokens"} do
        if name:find(mark, 1, true) then return true end
      end
    end
  end
  return false
end

-- Far longer than the bytes and the latency of the calls need, even over a slow network: what
-- remains is waiting, whose calls fewer bytes do not shorten.
local function waits_for_peers(it) return it.most_ms > 4 * it.most_needs_ms end

-- Whoever overlaps such an exchange waits for the late rank behind it.
local function exchanges_late(it) return it.most_kind == "all-to-all" and waits_for_peers(it) end

-- By the sizes it sends each rank: one gets twice what the others do, or nearly.
local function is_split_unevenly(it) return it.split_ratio >= 1.5 and not hidden(it, "all_to_all") end

pattern {
  id = "uneven_split",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "all-to-all calls send one rank at least half more than the mean, by the split sizes recorded",
  counter = "70% of it is hidden",
  when = function(it, trace)
    return leads(it, "all_to_all") and it.split_ratio >= 1.5 and {experts = has_experts(trace), one = it.split_rank_pct >= 80}
  end,
  unless = function(it) return hidden(it, "all_to_all") end,
  title = function(_, it)
    local ratio = ("%.1f"):format(it.split_ratio)
    local most = it.one and "rank " .. ("%d"):format(it.split_rank) .. " gets" or "one rank gets"
    return "Balance the " .. (it.experts and "experts: " or "ranks: ") .. most .. " " .. ratio .. " times the mean of the all-to-all"
  end,
  path_a = function(_, it)
    local whose = it.one and "rank {split_rank} has the largest part in " .. ("%.0f"):format(it.split_rank_pct) .. "% of the calls" or "another rank has the largest part in each call"
    local how = it.experts and "Balance the tokens per expert (a larger auxiliary loss or a bias in the router, a capacity factor), or place busy"
        .. " experts on different ranks and give them replicas" or "Divide the work so that each rank gets as much"
    local overlap = has_room(it) and " Only then is it worth overlapping what remains." or ""
    return how .. ": by the split sizes recorded, {split_low} to {split_high} times the mean goes to one rank, and " .. whose
      .. ". All others wait for it in the all-to-all behind: {all_to_all_exposed_ms} ms of {all_to_all_ms} ms are exposed." .. overlap
  end,
}

pattern {
  id = "uneven_all_to_all",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "all-to-all of one size takes far longer than its fastest call: it waits for the last rank",
  counter = "70% of it is hidden",
  when = function(it) return leads(it, "all_to_all") and is_uneven(it) and not is_split_unevenly(it) end,
  unless = function(it) return hidden(it, "all_to_all") end,
  title = "Balance the ranks: the all-to-all waits for the last of them",
  path_a = "Balance what the ranks compute before it (tokens per expert, capacity, where experts are placed): a call takes"
    .. " {fastest_us} µs at best, and {waits_pct}% of the {all_to_all_ms} ms in {all_to_all_count} calls of like size is waiting."
    .. " `tracefolio job` on the traces of all ranks names the late one.",
}

pattern {
  id = "overlap_all_to_all",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "more exposed all-to-all than any other collective",
  counter = "70% of it is hidden, nothing could hide half of it, or it waits for another rank",
  when = function(it) return leads(it, "all_to_all") end,
  unless = function(it) return hidden(it, "all_to_all") or not has_room(it) or is_uneven(it) or is_split_unevenly(it) or exchanges_late(it) end,
  title = "Overlap the all-to-all with work that does not need its result",
  path_a = function(_, _, trace)
    local work = has_experts(trace) and "another micro-batch, or the shared experts"
      or trace.fused_attention_pct > 0 and "another micro-batch, or exchange heads in chunks while other heads are computed"
      or "another micro-batch, the dense layers, or the index exchange of the next batch"
    return "Overlap the all-to-all with " .. work .. ": {all_to_all_exposed_ms} ms of {all_to_all_ms} ms in {all_to_all_count} calls"
      .. " are exposed."
  end,
}

pattern {
  id = "overlap_all_gather",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "more exposed all-gather than any other collective",
  counter = "70% of it is hidden, nothing could hide half of it, or a block of the model is several units",
  when = function(it) return leads(it, "all_gather") end,
  unless = function(it)
    return hidden(it, "all_gather") or not has_room(it) or waits_for_a_rank(it) or in_small_units(it)
      or gathers_late(it)
  end,
  title = "Prefetch the parameters of the next layer while this one computes",
  path_a = "Prefetch: start the all-gather of the next layer's parameters while this layer computes;"
    .. " {all_gather_exposed_ms} ms of {all_gather_ms} ms of all-gather are exposed.",
}

-- Each unit of a sharded model gathers its parameters in a call of its own.
pattern {
  id = "larger_units",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "more than ten small all-gathers per step of a model in training, or sizes that repeat: it is sharded in small units",
  counter = "70% of them is hidden, or small reduce-scatters say so already",
  when = function(it, trace)
    return trace.training == 1 and leads(it, "all_gather") and (many_small(it, "all_gather") or in_small_units(it))
  end,
  unless = function(it) return hidden(it, "all_gather") or many_small(it, "reduce_scatter") end,
  title = function(_, it)
    if in_small_units(it) then return "Wrap whole blocks as FSDP units: each block is {unit_period} of them" end
    return "Wrap larger parts of the model, to gather parameters in larger pieces"
  end,
  path_a = function(_, it)
    local how = in_small_units(it) and " (`transformer_auto_wrap_policy`, or `fully_shard` of each block)" or ""
    return "Wrap whole blocks as FSDP units" .. how .. ", not single layers: {all_gather_count} all-gathers take {all_gather_median_us} µs"
      .. " at the median, and each of them costs a latency, its calls on the host and a wait before its layer."
  end,
}

-- Between the layers of a decoder: each costs its latency, however the work is split.
local function is_latency(it, trace)
  return trace.training == 0 and are_small(it, "all_reduce") and not small_in_a_row(it)
    and not waits_for_peers(it)
end

pattern {
  id = "latency_all_reduce",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "an exposed all-reduce of small messages without a backward pass: its latency is what it costs",
  counter = "there is a backward pass, they follow each other, 70% is hidden, messages are large, or they wait for a late rank",
  when = function(it) return leads(it, "all_reduce") end,
  unless = function(it, trace) return hidden(it, "all_reduce") or not is_latency(it, trace) end,
  title = "Lower the latency of the all-reduce: a one-shot kernel, or fused with what follows it",
  path_a = "Use a one-shot all-reduce (the custom or symmetric-memory kernels of the serving framework), or one that is fused with the"
    .. " addition and normalisation behind it: {all_reduce_count} calls of {all_reduce_median_us} µs are mostly latency. A larger batch costs"
    .. " little more, and fewer GPUs to a layer shorten each call. Splitting the batch would double the calls.",
}

-- An all-reduce without a backward pass, of large messages that computation could hide.
local function serves_exposed(it, trace)
  return trace.training ~= 1 and not are_small(it, "all_reduce") and not hidden(it, "all_reduce") and has_room(it)
end

pattern {
  id = "serving_all_reduce",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "an exposed all-reduce without a backward pass",
  counter = "there is a backward pass, messages are small, 70% is hidden, nothing could hide half of it, or reading weights limits matmuls",
  when = function(it) return leads(it, "all_reduce") end,
  unless = function(it, trace)
    return not serves_exposed(it, trace) or trace.few_tokens == 1
  end,
  title = "Split the batch: overlap the all-reduce of one half with the other half",
  path_a = "Split the batch in two and overlap the tensor-parallel all-reduce of one half with the"
    .. " computation of the other: {all_reduce_exposed_ms} ms of {all_reduce_ms} ms are exposed.",
}

-- Half of the tokens read all weights again, so that splitting the batch costs what it hides.
pattern {
  id = "decode_all_reduce",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "an exposed all-reduce in steps that decode so few tokens that reading weights limits their matmuls",
  counter = "there is a backward pass, messages are small, 70% is hidden, or matmuls are not limited by reading weights",
  when = function(it) return leads(it, "all_reduce") end,
  unless = function(it, trace)
    return not serves_exposed(it, trace) or trace.few_tokens ~= 1
  end,
  title = function(_, _, trace)
    return trace.over_pcie == 1 and "Share layers between fewer GPUs: the all-reduce crosses PCIe"
      or "Share layers between fewer GPUs, or use a faster all-reduce"
  end,
  path_a = function(_, _, trace)
    return "{all_reduce_count} all-reduces take {all_reduce_median_us} µs at the median; {all_reduce_exposed_ms} ms are exposed. "
      .. (trace.over_pcie == 1 and "No NVLink of this device is known: check that its peers are reached directly (`nvidia-smi topo -p2p r`), use"
        .. " fewer ranks for tensor parallelism and more pipeline stages or replicas, or an all-reduce of quantised values."
      or "Use fewer ranks for tensor parallelism and more replicas, or an all-reduce of the serving framework's own (custom,"
        .. " symmetric memory).") .. " Splitting the batch to overlap halves saves little: each half reads all weights again."
  end,
}

pattern {
  id = "waits_for_peers",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "collectives take four times what their bytes need over a slow network, and more than computation could hide",
  counter = "sizes are not recorded, computation could hide it (but an all-to-all), or single calls are late",
  when = function(it)
    return waits_for_peers(it) and {kib = string.format("%.0f", it.most_kib)}
  end,
  unless = function(it)
    return has_room(it) and not (exchanges_late(it) and leads(it, "all_to_all") and not hidden(it, "all_to_all") and not is_uneven(it))
      or is_late(it) or waits_for_a_rank(it) or accumulates(it) or between_stages(it) or can_be_spared(it)
  end,
  title = "Find what the {most_kind} waits for: its bytes need little of its time",
  path_a = function(_, it)
    return "Compare the traces of all ranks (`tracefolio job`) to find who arrives late: in all, this rank sends"
      .. " {kib} KiB in its {most_kind} calls, which with their latency take at most {most_needs_ms} ms even at 1 GB/s;"
      .. " they take {most_ms} ms. The rest is waiting, which fewer bytes do not shorten" .. (has_room(it) and "."
      or "; computation can hide only {room_ms} ms of the {exposed_ms} ms of exposed communication.")
  end,
}

-- Gradients cross the link in 32 bits.
local function is_wide(it, trace)
  return it.wide_ms > 0 and it.wide_ms >= 0.8 * it.most_ms and trace.narrow_matmuls_pct > 50
end

pattern {
  id = "wide_gradients",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "gradients are exchanged in fp32 where matmuls run in 16 bits, and computation cannot hide it",
  counter = "computation could hide it, the calls wait for other ranks, or the link is hardly used",
  when = function(it, trace) return it.exposed_ms > 0 and is_wide(it, trace) end,
  unless = function(it, trace)
    return has_room(it) or link_is_slow(it) or accumulates(it) or waits_for_peers(it) or can_be_spared(it)
      or waits_for_a_rank(it) or it.late_ms > 0.5 * it.exposed_ms or trace.training ~= 1
  end,
  title = "Exchange gradients in bf16: they cross the link in fp32",
  path_a = "The {most_kind} of gradients moves fp32, {wide_ms} ms of it, while the matmuls run in 16 bits: exchange bf16, which is half as"
    .. " much (`bf16_compress_hook` of DistributedDataParallel, `reduce_dtype` of FSDP, `grad_reduce_in_fp32=False` of Megatron), or"
    .. " accumulate over several micro-batches before one exchange.",
}

pattern {
  id = "less_communication",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "more exposed communication than computation could hide",
  counter = "there is computation enough to hide it, the link is hardly used, or the calls wait for other ranks",
  when = function(it) return it.exposed_ms > 0 end,
  unless = function(it, trace)
    return has_room(it) or is_wide(it, trace) or link_is_slow(it) or accumulates(it) or waits_for_peers(it) or can_be_spared(it)
      or waits_for_a_rank(it) or it.late_ms > 0.5 * it.exposed_ms
  end,
  title = "Shorten the {most_kind}: there is too little computation to hide it",
  path_a = function(_, it, trace)
    local ways = it.most_kind == "all-to-all" and "overlap that much (another micro-batch, work that needs no exchange), and send"
        .. " fewer bytes (8 bits, each token to fewer nodes)"
      or trace.training == 1 and "send fewer bytes (compressed gradients), or compute more per exchange (a larger batch)"
      or "send fewer bytes (activations in 8 bits), or split each layer over fewer devices"
    local link = it.most_gb_per_s > 0 and it.most_gb_per_s < SLOW_GB_PER_S and " The fastest call moves {most_gb_per_s} GB/s, little even"
      .. " for PCIe: see whether GPUs reach each other directly" .. (trace.other_device == 1 and "." or " (`NCCL_DEBUG=INFO` names the transport, P2P or host"
      .. " memory).") or ""
    return "Computation can hide only {room_ms} ms of the {exposed_ms} ms of exposed communication: " .. ways .. "." .. link
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
  title = "Compare the traces of all ranks: this one waits in {longest_kind}",
  path_b = "Compare the traces of all ranks (`tracefolio job`): the longest {longest_kind} takes {longest_ms} ms, {ratio} times the"
    .. " median, so this rank probably waits for another.",
}

pattern {
  id = "collective_bandwidth",
  category = "multi_kernel",
  scope = "advice",
  about = "communication",
  summary = "large messages whose size is recorded",
  counter = "sizes are not recorded, messages are small, most of the time is waiting, or the link is known to be slow",
  when = function(it) return it.longest_mib >= SMALL_MIB end,
  unless = function(it) return not known(it.longest_median_gb_per_s) or is_late(it) or waits_for_a_rank(it) or link_is_slow(it)
    or (it.longest_kind == "all-to-all" and is_split_unevenly(it)) end,
  path_b = function(_, it)
    local has_ranks = known(it.typical_gb_per_s) -- of the group, which rates of a link depend on
    local gb_per_s = has_ranks and it.typical_gb_per_s or it.longest_median_gb_per_s
    local mib = has_ranks and it.typical_mib or it.longest_median_mib
    local so = gb_per_s < 3 and mib >= 4
      and "slower than any link inside a node, so this rank waits for others or the network is slow."
      or has_ranks and it.far == 1
        and ("its %d ranks are more than most machines hold: compare with the network between them."):format(it.typical_ranks)
          .. (gb_per_s < NIC_GB_PER_S and mib >= 4 and " One network card of 200 Gbit/s carries 25 GB/s: if a machine has several, measure with the"
            .. " benchmark of the communication library whether all of them are used." or "")
      or has_ranks and it.link_gb_per_s > 0 and ("the link does %.0f."):format(it.link_gb_per_s) or "compare with the links of this node."
    return string.format("A typical %s of %.1f MiB moves %.1f GB/s%s: %s", it.longest_kind, mib, gb_per_s,
      has_ranks and " over the link of each GPU" or "", so)
  end,
}
