-- loops.lua - loops whose turns do the same, with their results joined behind. The program finds
-- them by their operators.

pattern {
  id = "turn_by_turn",
  category = "multi_kernel",
  scope = "advice",
  about = "loops",
  summary = "the host is in loops of equal turns, whose results are joined behind, for 10% of the time or more",
  counter = "the kernels of a turn fill the device",
  when = function(it) return it.share_pct >= 10 and it.turns >= 4 end,
  unless = function(it) return it.kernel_us >= 50 end,
  title = "Compute the {turns} turns of a loop in one batched call",
  issue = function(_, it)
    return "A loop" .. (it.place ~= "" and " in {place}" or "") .. " calls {ops}" .. (it.turn_ops > 3 and " and more" or "")
      .. " {turns} times and joins the results, {loops} such loops in all: the host is in them for {loop_ms} ms ({share_pct}% of the"
      .. " time), with kernels of {kernel_us} µs."
  end,
  path_a = "Give the loop's operators all inputs at once (one more dimension, joined tables with offsets, `torch.vmap`), so that each is"
    .. " launched once. Where a turn needs the result of the one before, use a kernel that runs all steps (a fused scan, a recurrent layer).",
}
