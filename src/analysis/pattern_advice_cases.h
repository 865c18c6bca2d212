/* pattern_advice_cases.h - for tests only: facts of what is found in C, and the advice
 * of patterns that is for them.
 */
#ifndef ANALYSIS_PATTERN_ADVICE_CASES_H
#define ANALYSIS_PATTERN_ADVICE_CASES_H

#define COPIES(d, more)                                                                \
    "direction=" d " total_ms=10 joins_buffers=0 between_devices=0 repeated=0 "        \
    "room_ms=50 saves=0 steps=0 " more " "
#define D2D(more)                                                                      \
    "direction=D2D total_ms=10 repeated=0 room_ms=50 saves=0 count=12 small=0 "        \
    "waited=0 mean_us=1000 pageable=0 pinned=0 exposed_ms=9 " more
#define BLOCKS(d, count, calls)                                                        \
    "direction=" d " total_ms=10 joins_buffers=0 between_devices=0 repeated=58 "       \
    "room_ms=50 saves=0 steps=0 small=1 waited=0 mean_us=2 exposed_ms=9 foreign=1 "    \
    "pageable=0 pinned=0 "                                                             \
    "library_op=_C_cache_ops::swap_blocks count=" count " in_calls=" calls " "
#define MANY_TINY "count=60 small=1 waited=0 mean_us=9 pageable=0 pinned=0 exposed_ms=1"
#define COMM(more)                                                                     \
    "comm_ms=20 longest_kind=all-reduce longest_median_gb_per_s=nan "                  \
    "longest_median_mib=nan longest_mib=nan "                                          \
    "longest_ms=1 longest_ratio=1 reduce_scatter_per_step=0 "                          \
    "reduce_scatter_backward=0 reduce_scatter_ms=0 reduce_scatter_exposed_ms=0 "       \
    "reduce_scatter_mib=nan reduce_scatter_median_us=nan " more " "
#define REDUCE(n, mib, us)                                                             \
    "all_reduce_per_step=" n " all_reduce_backward=" n " all_reduce_mib=" mib          \
    " all_reduce_median_us=" us " "
#define CHAIN(known, compiled)                                                         \
    "around=0 place=MLP ops=gelu kernels=8 known=" known " compiled=" compiled
#define TWO_DEVICES                                                                    \
    "devices=2 turns=15 idle_low_pct=50 idle_high_pct=51 one_ms=9 copies=8 "           \
    "copies_ms=1 behind=1 busiest=0 behind_ms=2 busiest_ms=8 waits_ms=6 ahead=1 "      \
    "ahead_wait=aten::item ahead_waits=5 ahead_ms="
#define APART       TWO_DEVICES "0"
#define QUIET(kind) kind "_count=0 " kind "_ms=0 " kind "_exposed_ms=0 "
#define NO_REDUCE   REDUCE("0", "nan", "nan") "all_reduce_ms=0 all_reduce_exposed_ms=0 "

#define WIDE(ms, narrow_pct)                                                           \
    COMM("exposed_ms=10 room_ms=4 trace.training=1 most_ms=20 most_needs_ms=20 "       \
         "wide_ms=" ms " trace.narrow_matmuls_pct=" narrow_pct)                        \
    NO_REDUCE QUIET("all_to_all") QUIET("all_gather")
#define ACTIVATIONS(count, mib)                                                        \
    COMM("exposed_ms=10 room_ms=50 trace.training=1 all_reduce_count=" count)          \
    REDUCE("40", mib, "800")                                                           \
    QUIET("all_to_all")                                                                \
    QUIET("all_gather") "all_reduce_ms=20 all_reduce_exposed_ms=10"
#define PASSES(idle_pct, us)                                                           \
    "passes=2 calls=8 module=M frozen_ms=0 fp64_ms=0 share_pct=0 modules= "            \
    "idle_pct=" idle_pct " kernel_us=" us
#define FROZEN(share_pct, trains, fp64_ms)                                             \
    "passes=0 idle_pct=0 kernel_us=0 calls=2 module= frozen_ms=9 modules=M "           \
    "fp64_ms=" fp64_ms " "                                                             \
    "share_pct=" share_pct " trace.training=" trains
#define LOOPS(share_pct, us)                                                           \
    "kind=turns turns=4 inner=0 loops=2 turn_ops=3 ops=stft place= loop_ms=9 "         \
    "device_ms=3 "                                                                     \
    "device_pct=4 share_pct=" share_pct " kernel_us=" us
#define COPIED(kind, share_pct, device_ms)                                             \
    "kind=" kind " turns=90 loops=2 turn_ops=1 ops=item place= here=99 reads=99 "      \
    "loop_ms=9 "                                                                       \
    "device_pct=4 kernel_us=2 share_pct=" share_pct " device_ms=" device_ms
#define READS(share_pct, device_ms) COPIED("reads", share_pct, device_ms)
#define NORMS(share)                                                                   \
    "norm_count=144 norm_exposed_ms=6 norm_samples=64 norm_waits=9 norm_idle_ms=2 "    \
    "norm_kernels=99 share_pct=" share
#define CELLS(host_pct, device_pct)                                                    \
    "kind=cells turns=100 loops=2 turn_ops=1 ops=lstm_cell place= loop_ms=9 "          \
    "device_ms=3 kernel_us=9 share_pct=" host_pct " device_pct=" device_pct
#define LOOPED(per_step, share, calls)                                                 \
    "loop_kernels=100 loop_ms=9 per_step=" per_step " share_pct=" share                \
    " optimizer_name=Lamb sparse_calls=0 loop_calls=" calls
#define AVERAGES(host_pct, device_pct)                                                 \
    "kind=averages turns=144 loops=3 place= loop_ms=9 device_ms=3 kernel_us=9 "        \
    "share_pct=" host_pct " device_pct=" device_pct

/* Advice with its evidence, and with its counter-evidence beside it. */
static const struct {
    const char *about, *id, *with, *without;
} advices[] = {
    {"copies", "read_less_often",
     COPIES("D2H", "count=60 small=1 waited=60 mean_us=2 pageable=0 pinned=0 "
                   "exposed_ms=1"),
     COPIES("D2H", "count=60 small=1 waited=29 mean_us=2 pageable=0 pinned=0 "
                   "exposed_ms=1")},
    {"copies", "create_on_device",
     COPIES("H2D", "count=60 small=1 waited=0 mean_us=2 pageable=0 pinned=0 "
                   "exposed_ms=1"),
     COPIES("H2D", "count=9 small=1 waited=0 mean_us=2 pageable=0 pinned=0 "
                   "exposed_ms=1")},
    {"copies", "create_on_device", /* of tensors that Python makes */
     COPIES("H2D", "count=60 small=1 waited=0 mean_us=2 foreign=0 pageable=0 "
                   "pinned=0 exposed_ms=1"),
     COPIES("H2D",
            "count=60 small=1 waited=0 mean_us=2 foreign=1 library_op=x::y pageable=0 "
            "pinned=0 exposed_ms=1")},
    {"copies", "merge_equal_copies", BLOCKS("H2D", "60", "15"),
     BLOCKS("H2D", "60", "16")},
    {"copies", "merge_equal_copies", BLOCKS("D2H", "60", "15"),
     BLOCKS("H2D", "49", "4")},
    {"copies", "copies_of_library", BLOCKS("H2D", "60", "16"),
     BLOCKS("H2D", "60", "15")},
    {"copies", "keep_on_device", /* no steps: only inside a model */
     "direction=H2D total_ms=108 joins_buffers=0 between_devices=0 repeated=24 "
     "room_ms=50 saves=0 in_forward=1 steps=0 count=25 small=0 waited=0 "
     "mean_us=9000 pageable=12 pinned=0 exposed_ms=100 batches=0",
     "direction=H2D total_ms=108 joins_buffers=0 between_devices=0 repeated=24 "
     "room_ms=50 saves=0 in_forward=0 steps=0 count=25 small=0 waited=0 "
     "mean_us=9000 pageable=12 pinned=0 exposed_ms=100 batches=0"},
    {"copies", "offloaded_weights",
     "direction=H2D total_ms=108 joins_buffers=0 between_devices=0 repeated=12 "
     "room_ms=50 saves=0 offloads=1 steps=0 count=12 small=0 waited=0 mean_us=9000 "
     "pageable=12 pinned=0 exposed_ms=100 pin_saves_pct=30 pinned_ms=50 batches=0",
     "direction=H2D total_ms=108 joins_buffers=0 between_devices=0 repeated=12 "
     "room_ms=50 saves=0 offloads=0 steps=0 count=12 small=0 waited=0 mean_us=9000 "
     "pageable=12 pinned=0 exposed_ms=100 pin_saves_pct=30 pinned_ms=50 batches=0"},
    {"copies", "offloaded_activations",
     "direction=D2H total_ms=200 joins_buffers=0 between_devices=0 repeated=160 "
     "room_ms=500 saves=0 steps=2 count=160 small=0 waited=0 mean_us=1290 pageable=0 "
     "pinned=160 exposed_ms=200 saved=1 gb=5.4 offloads=0",
     "direction=D2H total_ms=200 joins_buffers=0 between_devices=0 repeated=160 "
     "room_ms=500 saves=0 steps=2 count=160 small=0 waited=0 mean_us=1290 pageable=0 "
     "pinned=160 exposed_ms=200 saved=0 gb=5.4 offloads=0"},
    {"copies", "work_on_device", /* values, not activations */
     "direction=D2H total_ms=200 joins_buffers=0 between_devices=0 repeated=160 "
     "room_ms=500 saves=0 steps=2 count=160 small=0 waited=0 mean_us=1290 pageable=0 "
     "pinned=160 exposed_ms=200 saved=0 gb=5.4 offloads=0",
     "direction=D2H total_ms=200 joins_buffers=0 between_devices=0 repeated=160 "
     "room_ms=500 saves=0 steps=2 count=160 small=0 waited=0 mean_us=1290 pageable=0 "
     "pinned=160 exposed_ms=200 saved=1 gb=5.4 offloads=0"},
    {"copies", "keep_on_device",
     "direction=H2D total_ms=200 joins_buffers=0 between_devices=0 repeated=160 "
     "room_ms=500 saves=0 steps=2 count=160 small=0 waited=0 mean_us=1290 pageable=0 "
     "pinned=160 exposed_ms=200 saved=0 gb=5.4 offloads=0",
     "direction=H2D total_ms=200 joins_buffers=0 between_devices=0 repeated=160 "
     "room_ms=500 saves=0 steps=2 count=160 small=0 waited=0 mean_us=1290 pageable=0 "
     "pinned=160 exposed_ms=200 saved=1 gb=5.4 offloads=0"},
    {"copies", "offloaded_weights",
     "direction=H2D total_ms=200 joins_buffers=0 between_devices=0 repeated=160 "
     "room_ms=500 saves=0 steps=2 count=160 small=0 waited=0 mean_us=1290 pageable=0 "
     "pinned=160 exposed_ms=200 saved=0 gb=5.4 offloads=1",
     "direction=H2D total_ms=200 joins_buffers=0 between_devices=0 repeated=160 "
     "room_ms=500 saves=0 steps=2 count=160 small=0 waited=0 mean_us=1290 pageable=0 "
     "pinned=160 exposed_ms=200 saved=1 gb=5.4 offloads=1"},
    {"copies", "work_on_device",
     "direction=D2H total_ms=10 joins_buffers=0 between_devices=0 repeated=12 "
     "room_ms=50 saves=0 steps=0 "
     "count=12 "
     "small=0 waited=0 mean_us=9000 pageable=12 pinned=0 exposed_ms=9",
     "direction=D2H total_ms=10 joins_buffers=0 between_devices=0 repeated=12 "
     "room_ms=50 saves=1 steps=0 "
     "count=12 "
     "small=0 waited=0 mean_us=9000 pageable=12 pinned=0 exposed_ms=9"},
    {"copies", "save_in_background",
     "direction=D2H total_ms=10 joins_buffers=0 between_devices=0 repeated=12 "
     "room_ms=50 saves=1 steps=8 count=12 small=0 waited=0 mean_us=9000 pageable=12 "
     "pinned=0 exposed_ms=9",
     "direction=D2H total_ms=10 joins_buffers=0 between_devices=0 repeated=12 "
     "room_ms=50 saves=1 steps=8 count=12 small=0 waited=0 mean_us=9000 pageable=12 "
     "pinned=0 exposed_ms=2"},
    {"copies", "keep_on_device", /* 4 of one size in a step, not 3 */
     "direction=H2D total_ms=10 joins_buffers=0 between_devices=0 repeated=12 "
     "room_ms=50 saves=0 steps=3 count=12 small=0 waited=0 mean_us=900 pageable=12 "
     "pinned=0 exposed_ms=9",
     "direction=H2D total_ms=10 joins_buffers=0 between_devices=0 repeated=9 "
     "room_ms=50 saves=0 steps=3 count=9 small=0 waited=0 mean_us=900 pageable=9 "
     "pinned=0 exposed_ms=9"},
    {"copies", "keep_on_device", /* with work between them: no samples of a batch */
     "direction=H2D total_ms=10 joins_buffers=0 between_devices=0 repeated=12 "
     "room_ms=50 saves=0 steps=3 count=12 small=0 waited=0 mean_us=900 pageable=12 "
     "pinned=0 exposed_ms=9 in_rows=8 in_forward=0",
     "direction=H2D total_ms=10 joins_buffers=0 between_devices=0 repeated=12 "
     "room_ms=50 saves=0 steps=3 count=12 small=0 waited=0 mean_us=900 pageable=12 "
     "pinned=0 exposed_ms=9 in_rows=9 in_forward=0"},
    {"copies", "samples_one_by_one", /* but what a layer copies is no batch */
     "direction=H2D total_ms=10 joins_buffers=0 between_devices=0 repeated=12 "
     "room_ms=50 saves=0 steps=3 count=12 small=0 waited=0 mean_us=900 pageable=12 "
     "pinned=0 exposed_ms=9 in_rows=9 in_forward=0",
     "direction=H2D total_ms=10 joins_buffers=0 between_devices=0 repeated=12 "
     "room_ms=50 saves=0 steps=3 count=12 small=0 waited=0 mean_us=900 pageable=12 "
     "pinned=0 exposed_ms=9 in_rows=9 in_forward=1"},
    {"copies", "keep_on_device", /* but of a loader's batches, two tensors each */
     "direction=H2D total_ms=10 joins_buffers=0 between_devices=0 repeated=12 "
     "room_ms=50 saves=0 steps=3 count=12 small=0 waited=0 mean_us=900 pageable=12 "
     "pinned=0 exposed_ms=9 batches=5",
     "direction=H2D total_ms=10 joins_buffers=0 between_devices=0 repeated=12 "
     "room_ms=50 saves=0 steps=3 count=12 small=0 waited=0 mean_us=900 pageable=12 "
     "pinned=0 exposed_ms=9 batches=6"},
    {"copies", "pin_host_memory", /* but a scalar that the host waits for is read */
     COPIES("D2H", "count=60 small=1 waited=0 mean_us=2 pageable=60 pinned=0 "
                   "exposed_ms=1"),
     COPIES("D2H", "count=60 small=1 waited=60 mean_us=2 pageable=60 pinned=0 "
                   "exposed_ms=1")},
    {"communication",
     "slow_transport", /* but little of the time is known to be transfer */
     "slow_link=1 queued_count=2 queued_ms=3 queued_mib=16 queued_gb_per_s=4 "
     "link_gb_per_s=448 " COMM("exposed_ms=10 room_ms=5 trace.training=1")
         NO_REDUCE QUIET("all_to_all") QUIET("all_gather"),
     "slow_link=1 queued_count=2 queued_ms=0.9 queued_mib=16 queued_gb_per_s=4 "
     "link_gb_per_s=448 " COMM("exposed_ms=10 room_ms=5 trace.training=1")
         NO_REDUCE QUIET("all_to_all") QUIET("all_gather")},
    {"communication", "less_communication", /* but the link is hardly used */
     COMM("exposed_ms=10 room_ms=4 trace.training=1") NO_REDUCE QUIET("all_to_all")
         QUIET("all_gather"),
     "slow_link=1 queued_mib=16 queued_gb_per_s=4 link_gb_per_s=448 queued_count=2 "
     "queued_ms=3 " COMM("exposed_ms=10 room_ms=4 trace.training=1")
         NO_REDUCE QUIET("all_to_all") QUIET("all_gather")},
    {"communication", "less_communication", /* but waiting is what takes long */
     "most_ms=10 most_needs_ms=2.6 " COMM("exposed_ms=10 room_ms=4 trace.training=1")
         NO_REDUCE QUIET("all_to_all") QUIET("all_gather"),
     "most_ms=10 most_needs_ms=2.4 " COMM("exposed_ms=10 room_ms=4 trace.training=1")
         NO_REDUCE QUIET("all_to_all") QUIET("all_gather")},
    {"communication", "waits_for_peers",
     "most_ms=10 most_needs_ms=2.4 " COMM("exposed_ms=10 room_ms=4 trace.training=1")
         NO_REDUCE QUIET("all_to_all") QUIET("all_gather"),
     "most_ms=10 most_needs_ms=nan " COMM("exposed_ms=10 room_ms=4 trace.training=1")
         NO_REDUCE QUIET("all_to_all") QUIET("all_gather")},
    {"communication", "less_communication", /* but most of it is waiting */
     "late_ms=5 " COMM("exposed_ms=10 room_ms=4 trace.training=1")
         NO_REDUCE QUIET("all_to_all") QUIET("all_gather"),
     "late_ms=5.1 " COMM("exposed_ms=10 room_ms=4 trace.training=1")
         NO_REDUCE QUIET("all_to_all") QUIET("all_gather")},
    {"communication", "late_rank",
     "late_count=1 late_calls=20 late_ms=9 late_median_us=500 " COMM(
         "exposed_ms=10 room_ms=50 trace.training=1") NO_REDUCE QUIET("all_to_all")
         QUIET("all_gather"),
     "late_count=1 late_calls=20 late_ms=2 late_median_us=500 " COMM(
         "exposed_ms=10 room_ms=50 trace.training=1") NO_REDUCE QUIET("all_to_all")
         QUIET("all_gather")},
    {"communication", "late_rank", /* no single call: all of them wait */
     "most_kind=all-reduce waits_pct=60 fastest_us=370 late_median_us=5000 " COMM(
         "exposed_ms=10 room_ms=1 trace.training=1") NO_REDUCE QUIET("all_to_all")
         QUIET("all_gather"),
     "most_kind=all-reduce waits_pct=59 fastest_us=370 late_median_us=5000 " COMM(
         "exposed_ms=10 room_ms=1 trace.training=1") NO_REDUCE QUIET("all_to_all")
         QUIET("all_gather")},
    {"communication", "less_communication", /* but fewer bytes shorten no waiting */
     "most_kind=all-reduce waits_pct=59 " COMM(
         "exposed_ms=10 room_ms=1 trace.training=1") NO_REDUCE QUIET("all_to_all")
         QUIET("all_gather"),
     "most_kind=all-reduce waits_pct=60 fastest_us=370 late_median_us=5000 " COMM(
         "exposed_ms=10 room_ms=1 trace.training=1") NO_REDUCE QUIET("all_to_all")
         QUIET("all_gather")},
    {"communication", "pipeline_wait",
     "send_recv_exposed_ms=9 send_recv_count=4 send_recv_mib=32 "
     "send_recv_median_us=25000 " COMM("exposed_ms=10 room_ms=50 trace.training=1")
         NO_REDUCE QUIET("all_to_all") QUIET("all_gather"),
     "send_recv_exposed_ms=9 send_recv_count=4 send_recv_mib=32 "
     "send_recv_median_us=900 " COMM("exposed_ms=10 room_ms=50 trace.training=1")
         NO_REDUCE QUIET("all_to_all") QUIET("all_gather")},
    {"communication", "pipeline_wait", /* fast messages, of which some come late */
     "most_kind=send+and+receive late_count=1 late_calls=20 late_ms=9 "
     "late_median_us=500 send_recv_exposed_ms=9 send_recv_count=4 send_recv_mib=32 "
     "send_recv_median_us=500 " COMM("exposed_ms=10 room_ms=50 trace.training=1")
         NO_REDUCE QUIET("all_to_all") QUIET("all_gather"),
     "most_kind=send+and+receive late_count=1 late_calls=20 late_ms=2 "
     "late_median_us=500 send_recv_exposed_ms=9 send_recv_count=4 send_recv_mib=32 "
     "send_recv_median_us=500 " COMM("exposed_ms=10 room_ms=50 trace.training=1")
         NO_REDUCE QUIET("all_to_all") QUIET("all_gather")},
    {"communication", "late_rank", /* but a message from the stage before */
     "late_count=1 late_calls=20 late_ms=9 late_median_us=500 " COMM(
         "exposed_ms=10 room_ms=50 trace.training=1") NO_REDUCE QUIET("all_to_all")
         QUIET("all_gather"),
     "most_kind=send+and+receive late_count=1 late_calls=20 late_ms=9 "
     "late_median_us=500 " COMM("exposed_ms=10 room_ms=50 trace.training=1")
         NO_REDUCE QUIET("all_to_all") QUIET("all_gather")},
    {"communication", "reduce_during_backward",
     COMM("exposed_ms=10 room_ms=50 trace.training=1") REDUCE("0", "25", "2500")
         QUIET("all_to_all") QUIET("all_gather") "all_reduce_ms=20 "
                                                 "all_reduce_exposed_ms=10",
     COMM("exposed_ms=10 room_ms=50 trace.training=1") REDUCE("5", "25", "2500")
         QUIET("all_to_all") QUIET("all_gather") "all_reduce_ms=20 "
                                                 "all_reduce_exposed_ms=10"},
    {"copies", "pin_host_memory",
     COPIES("H2D", "count=12 small=0 waited=0 mean_us=1000 pageable=12 pinned=0 "
                   "exposed_ms=1"),
     COPIES("H2D", "count=12 small=0 waited=0 mean_us=1000 pageable=0 pinned=12 "
                   "exposed_ms=1")},
    {"copies", "merge_copies",
     COPIES("H2D", "count=60 small=1 waited=0 mean_us=9.9 pageable=0 pinned=0 "
                   "exposed_ms=1"),
     COPIES("H2D", "count=60 small=1 waited=0 mean_us=10 pageable=0 pinned=0 "
                   "exposed_ms=1")},
    {"copies", "slow_host_copies",
     COPIES("H2D", "count=12 small=0 waited=0 mean_us=1000 pageable=0 pinned=12 "
                   "exposed_ms=9"),
     COPIES("H2D", "count=12 small=0 waited=0 mean_us=1000 pageable=0 pinned=12 "
                   "exposed_ms=1")},
    {"copies", "copies_within_device", D2D("joins_buffers=0 between_devices=0"),
     D2D("joins_buffers=6 between_devices=0")},
    {"copies", "copies_within_device", D2D("joins_buffers=0 between_devices=0"),
     D2D("joins_buffers=0 between_devices=12")},
    {"copies", "copies_between_devices", D2D("joins_buffers=0 between_devices=12"),
     "direction=D2D total_ms=10 joins_buffers=0 between_devices=12 repeated=0 "
     "room_ms=50 "
     "saves=0 count=12 small=0 waited=0 mean_us=1000 pageable=0 pinned=0 exposed_ms=1"},
    {"copies", "broadcast_buffers", D2D("joins_buffers=6 joins_ms=1 between_devices=0"),
     D2D("joins_buffers=6 joins_ms=0.9 between_devices=0")},
    {"copies", "bucket_copies",
     D2D("joins_buffers=0 buckets=6 buckets_ms=1 between_devices=0"),
     D2D("joins_buffers=0 buckets=6 buckets_ms=0.9 between_devices=0")},
    {"copies", "merge_copies", COPIES("D2D", MANY_TINY " buckets=29"),
     COPIES("D2D", MANY_TINY " buckets=30")},
    {"communication", "all_reduce_per_parameter",
     COMM("exposed_ms=10 room_ms=50 trace.training=1") REDUCE("160", "0.1", "30")
         QUIET("all_to_all") QUIET("all_gather") "all_reduce_ms=20 "
                                                 "all_reduce_exposed_ms=10",
     COMM("exposed_ms=10 room_ms=50 trace.training=1") REDUCE("5", "25", "2500")
         QUIET("all_to_all") QUIET("all_gather") "all_reduce_ms=20 "
                                                 "all_reduce_exposed_ms=10"},
    {"communication", "all_reduce_per_parameter",
     COMM("exposed_ms=10 room_ms=50 trace.training=1") REDUCE("160", "nan", "30")
         QUIET("all_to_all") QUIET("all_gather") "all_reduce_ms=20 "
                                                 "all_reduce_exposed_ms=10",
     COMM("exposed_ms=10 room_ms=50 trace.training=0") REDUCE("160", "nan", "30")
         QUIET("all_to_all") QUIET("all_gather") "all_reduce_ms=20 "
                                                 "all_reduce_exposed_ms=10"},
    {"communication", "gradient_buckets",
     "exposed_ms=10 comm_ms=20 room_ms=50 trace.training=1 longest_kind=x "
     "longest_median_gb_per_s=nan longest_median_mib=nan longest_mib=nan longest_ms=1 "
     "longest_ratio=1 "
     "reduce_scatter_per_step=20 reduce_scatter_backward=20 reduce_scatter_ms=2 "
     "reduce_scatter_exposed_ms=1 reduce_scatter_mib=0.1 "
     "reduce_scatter_median_us=9 " NO_REDUCE QUIET("all_to_all") QUIET("all_gather"),
     COMM("exposed_ms=10 room_ms=50 trace.training=1")
         NO_REDUCE QUIET("all_gather") "all_to_all_count=400 all_to_all_ms=12 "
                                       "all_to_all_exposed_ms=10"},
    {"communication", "overlap_all_reduce",
     COMM("exposed_ms=10 room_ms=50 trace.training=1") REDUCE("5", "25", "2500")
         QUIET("all_to_all") QUIET("all_gather") "all_reduce_ms=20 "
                                                 "all_reduce_exposed_ms=10",
     COMM("exposed_ms=10 room_ms=50 trace.training=1") REDUCE("5", "25", "2500")
         QUIET("all_to_all") QUIET("all_gather") "all_reduce_ms=40 "
                                                 "all_reduce_exposed_ms=10"},
    {"communication", "overlap_all_reduce", /* but the all-to-all leads */
     COMM("exposed_ms=10 room_ms=50 trace.training=1") REDUCE("5", "25", "2500")
         QUIET("all_to_all") QUIET("all_gather") "all_reduce_ms=8 "
                                                 "all_reduce_exposed_ms=4",
     COMM("exposed_ms=10 room_ms=50 trace.training=1") REDUCE("5", "25", "2500")
         QUIET("all_gather") "all_reduce_ms=8 all_reduce_exposed_ms=4 "
                             "all_to_all_count=5 all_to_all_ms=6 "
                             "all_to_all_exposed_ms=6"},
    {"communication", "uneven_split",
     COMM("exposed_ms=10 room_ms=50 split_ratio=1.5 trace.training=1")
         NO_REDUCE QUIET("all_gather") "all_to_all_count=9 all_to_all_ms=12 "
                                       "all_to_all_exposed_ms=10",
     COMM("exposed_ms=10 room_ms=50 split_ratio=1.4 trace.training=1")
         NO_REDUCE QUIET("all_gather") "all_to_all_count=9 all_to_all_ms=12 "
                                       "all_to_all_exposed_ms=10"},
    {"communication", "overlap_all_to_all", /* but it is split unevenly */
     COMM("exposed_ms=10 room_ms=50 split_ratio=1.4 trace.training=1")
         NO_REDUCE QUIET("all_gather") "all_to_all_count=9 all_to_all_ms=12 "
                                       "all_to_all_exposed_ms=10",
     COMM("exposed_ms=10 room_ms=50 split_ratio=1.5 trace.training=1")
         NO_REDUCE QUIET("all_gather") "all_to_all_count=9 all_to_all_ms=12 "
                                       "all_to_all_exposed_ms=10"},
    {"communication", "uneven_all_to_all",
     "most_kind=all-to-all waits_pct=60 fastest_us=40 " COMM(
         "exposed_ms=10 room_ms=1 trace.training=1")
         NO_REDUCE QUIET("all_gather") "all_to_all_count=9 all_to_all_ms=12 "
                                       "all_to_all_exposed_ms=10",
     "most_kind=all-to-all waits_pct=59 fastest_us=40 " COMM(
         "exposed_ms=10 room_ms=1 trace.training=1")
         NO_REDUCE QUIET("all_gather") "all_to_all_count=9 all_to_all_ms=12 "
                                       "all_to_all_exposed_ms=10"},
    {"communication", "overlap_all_to_all", /* but it waits */
     "most_kind=all-to-all waits_pct=59 " COMM("exposed_ms=10 room_ms=50 "
                                               "trace.training=1")
         NO_REDUCE QUIET("all_gather") "all_to_all_count=9 all_to_all_ms=12 "
                                       "all_to_all_exposed_ms=10",
     "most_kind=all-to-all waits_pct=60 fastest_us=40 " COMM(
         "exposed_ms=10 room_ms=50 trace.training=1")
         NO_REDUCE QUIET("all_gather") "all_to_all_count=9 all_to_all_ms=12 "
                                       "all_to_all_exposed_ms=10"},
    {"communication", "overlap_all_to_all", /* but its bytes need a quarter of it */
     "most_kind=all-to-all most_ms=12 most_needs_ms=3 " COMM("exposed_ms=10 "
                                                             "room_ms=50 "
                                                             "trace.training=1")
         NO_REDUCE QUIET("all_gather") "all_to_all_count=5 all_to_all_ms=12 "
                                       "all_to_all_exposed_ms=10",
     "most_kind=all-to-all most_ms=12 most_needs_ms=2.9 " COMM(
         "exposed_ms=10 room_ms=50 trace.training=1")
         NO_REDUCE QUIET("all_gather") "all_to_all_count=5 all_to_all_ms=12 "
                                       "all_to_all_exposed_ms=10"},
    {"communication", "waits_for_peers", /* with room, of an all-to-all alone */
     "most_kind=all-to-all most_ms=12 most_needs_ms=2.9 " COMM(
         "exposed_ms=10 room_ms=50 trace.training=1")
         NO_REDUCE QUIET("all_gather") "all_to_all_count=5 all_to_all_ms=12 "
                                       "all_to_all_exposed_ms=10",
     "most_kind=all-reduce most_ms=12 most_needs_ms=2.9 " COMM(
         "exposed_ms=10 room_ms=50 trace.training=1")
         NO_REDUCE QUIET("all_gather") "all_to_all_count=5 all_to_all_ms=12 "
                                       "all_to_all_exposed_ms=10"},
    {"communication", "overlap_all_to_all", /* but nothing could hide it */
     COMM("exposed_ms=10 room_ms=5 trace.training=1")
         NO_REDUCE QUIET("all_gather") "all_to_all_count=5 all_to_all_ms=12 "
                                       "all_to_all_exposed_ms=10",
     COMM("exposed_ms=10 room_ms=4 trace.training=1")
         NO_REDUCE QUIET("all_gather") "all_to_all_count=5 all_to_all_ms=12 "
                                       "all_to_all_exposed_ms=10"},
    {"communication", "overlap_reduce_scatter",
     "exposed_ms=10 comm_ms=20 room_ms=50 trace.training=1 longest_kind=x "
     "longest_median_gb_per_s=nan longest_median_mib=nan longest_mib=nan longest_ms=1 "
     "longest_ratio=1 "
     "reduce_scatter_per_step=4 reduce_scatter_backward=4 reduce_scatter_ms=20 "
     "reduce_scatter_exposed_ms=10 reduce_scatter_mib=25 "
     "reduce_scatter_median_us=900 " NO_REDUCE QUIET("all_to_all") QUIET("all_gather"),
     COMM("exposed_ms=10 room_ms=50 trace.training=1") NO_REDUCE QUIET("all_to_all")
         QUIET("all_gather")},
    {"communication", "prefetch_in_backward",
     "unprefetched=3 unprefetched_ms=5 " COMM("exposed_ms=10 room_ms=50 "
                                              "trace.training=1")
         NO_REDUCE QUIET("all_to_all") QUIET("all_gather"),
     "unprefetched=3 unprefetched_ms=4 " COMM("exposed_ms=10 room_ms=50 "
                                              "trace.training=1")
         NO_REDUCE QUIET("all_to_all") QUIET("all_gather")},
    {"communication", "overlap_all_to_all",
     COMM("exposed_ms=10 room_ms=50 trace.training=1")
         NO_REDUCE QUIET("all_gather") "all_to_all_count=5 all_to_all_ms=12 "
                                       "all_to_all_exposed_ms=10",
     COMM("exposed_ms=10 room_ms=50 trace.training=1")
         NO_REDUCE QUIET("all_gather") "all_to_all_count=5 all_to_all_ms=100 "
                                       "all_to_all_exposed_ms=10"},
    {"communication", "overlap_all_gather",
     COMM("exposed_ms=10 room_ms=50 trace.training=1") NO_REDUCE QUIET(
         "all_to_all") "all_gather_per_step=5 all_gather_count=5 all_gather_ms=12 "
                       "all_gather_exposed_ms=10",
     COMM("exposed_ms=10 room_ms=50 trace.training=1") NO_REDUCE QUIET(
         "all_to_all") "all_gather_per_step=5 all_gather_count=5 all_gather_ms=100 "
                       "all_gather_exposed_ms=10"},
    {"communication", "larger_units", /* or a few large ones */
     COMM("exposed_ms=10 room_ms=50 trace.training=1")
         NO_REDUCE QUIET("all_to_all") "all_gather_per_step=96 all_gather_median_us=57 "
                                       "all_gather_mib=0.8 all_gather_count=288 "
                                       "all_gather_ms=12 all_gather_exposed_ms=10",
     COMM("exposed_ms=10 room_ms=50 trace.training=1")
         NO_REDUCE QUIET("all_to_all") "all_gather_per_step=96 all_gather_median_us=57 "
                                       "all_gather_mib=3 all_gather_count=288 "
                                       "all_gather_ms=12 all_gather_exposed_ms=10"},
    {"communication", "latency_all_reduce",
     COMM("exposed_ms=10 room_ms=50 trace.training=0") REDUCE("0", "nan", "30")
         QUIET("all_to_all") QUIET("all_gather") "all_reduce_ms=20 "
                                                 "all_reduce_exposed_ms=10",
     COMM("exposed_ms=10 room_ms=50 trace.training=0") REDUCE("0", "8", "30")
         QUIET("all_to_all") QUIET("all_gather") "all_reduce_ms=20 "
                                                 "all_reduce_exposed_ms=10"},
    {"communication", "decode_all_reduce",
     COMM("exposed_ms=10 room_ms=50 trace.training=0 trace.few_tokens=1 "
          "trace.over_pcie=1 "
          "all_reduce_count=20") REDUCE("0", "nan", "300") QUIET("all_to_all")
         QUIET("all_gather") "all_reduce_ms=20 "
                             "all_reduce_exposed_ms=10",
     COMM("exposed_ms=10 room_ms=50 trace.training=0 trace.few_tokens=0 "
          "all_reduce_count=20") REDUCE("0", "nan", "300") QUIET("all_to_all")
         QUIET("all_gather") "all_reduce_ms=20 "
                             "all_reduce_exposed_ms=10"},
    {"communication", "serving_all_reduce",
     COMM("exposed_ms=10 room_ms=50 trace.training=0") REDUCE("0", "nan", "300")
         QUIET("all_to_all") QUIET("all_gather") "all_reduce_ms=20 "
                                                 "all_reduce_exposed_ms=10",
     COMM("exposed_ms=10 room_ms=50 trace.training=0") REDUCE("0", "nan", "30")
         QUIET("all_to_all") QUIET("all_gather") "all_reduce_ms=20 "
                                                 "all_reduce_exposed_ms=10"},
    {"communication", "less_communication",
     COMM("exposed_ms=10 room_ms=4 trace.training=1") NO_REDUCE QUIET("all_to_all")
         QUIET("all_gather"),
     COMM("exposed_ms=10 room_ms=5 trace.training=1") NO_REDUCE QUIET("all_to_all")
         QUIET("all_gather")},
    {"communication", "wide_gradients", WIDE("16", "51"), WIDE("15", "51")},
    {"communication", "wide_gradients", WIDE("16", "51"), WIDE("16", "50")},
    {"communication", "wait_for_other_ranks",
     "exposed_ms=10 comm_ms=20 room_ms=50 trace.training=1 longest_kind=x "
     "longest_median_gb_per_s=nan longest_median_mib=nan longest_mib=nan longest_ms=6 "
     "longest_ratio=12 "
     "reduce_scatter_per_step=0 reduce_scatter_backward=0 reduce_scatter_ms=0 "
     "reduce_scatter_exposed_ms=0 reduce_scatter_mib=nan "
     "reduce_scatter_median_us=9 " NO_REDUCE QUIET("all_to_all") QUIET("all_gather"),
     "exposed_ms=10 comm_ms=20 room_ms=50 trace.training=1 longest_kind=x "
     "longest_median_gb_per_s=16 longest_median_mib=8 longest_mib=8 longest_ms=6 "
     "longest_ratio=12 "
     "reduce_scatter_per_step=0 reduce_scatter_backward=0 reduce_scatter_ms=0 "
     "reduce_scatter_exposed_ms=0 reduce_scatter_mib=nan "
     "reduce_scatter_median_us=9 " NO_REDUCE QUIET("all_to_all") QUIET("all_gather")},
    {"fusion", "fuse_around_products",
     "around=1 place=MLP ops=gelu kernels=2 compiled=0",
     "around=1 place=MLP ops=gelu kernels=2 compiled=1"},
    {"communication", "reduce_once_per_update",
     COMM(
         "exposed_ms=10 room_ms=50 trace.training=1 spare_pct=75 reducing=12 updates=3")
         REDUCE("16", "25", "2500") QUIET("all_to_all")
             QUIET("all_gather") "all_reduce_ms=20 all_reduce_exposed_ms=10",
     COMM(
         "exposed_ms=10 room_ms=50 trace.training=1 spare_pct=0 reducing=12 updates=12")
         REDUCE("16", "25", "2500") QUIET("all_to_all")
             QUIET("all_gather") "all_reduce_ms=20 all_reduce_exposed_ms=10"},
    {"copies", "copies_of_library",
     "direction=H2D small=0 count=66 total_ms=9 exposed_ms=8 steps=3 optimizer=0 "
     "repeated=66 offloads=0 pinned=66 pageable=0 room_ms=9 in_forward=0 saves=0 "
     "mean_us=140 foreign=1 library_op=image::decode",
     "direction=H2D small=0 count=6 total_ms=9 exposed_ms=8 steps=3 optimizer=0 "
     "repeated=6 offloads=0 pinned=6 pageable=0 room_ms=9 in_forward=0 saves=0 "
     "mean_us=140 foreign=1 library_op=image::decode"},
    {"copies", "offloaded_optimizer",
     "direction=H2D small=0 count=66 total_ms=9 exposed_ms=8 steps=3 optimizer=1 "
     "repeated=66 offloads=0 pinned=0 pageable=0 room_ms=9 in_forward=0 saves=0 "
     "mean_us=140",
     "direction=H2D small=0 count=66 total_ms=9 exposed_ms=8 steps=3 optimizer=0 "
     "repeated=66 offloads=0 pinned=0 pageable=0 room_ms=9 in_forward=0 saves=0 "
     "mean_us=140"},
    {"communication", "scalar_collectives",
     COMM("exposed_ms=10 room_ms=50 trace.training=1 scalars_per_step=48 "
          "scalars_exposed_ms=6") REDUCE("16", "25", "2500") QUIET("all_to_all")
         QUIET("all_gather") "all_reduce_ms=20 all_reduce_exposed_ms=10",
     COMM("exposed_ms=10 room_ms=50 trace.training=1 scalars_per_step=48 "
          "scalars_exposed_ms=4") REDUCE("16", "25", "2500") QUIET("all_to_all")
         QUIET("all_gather") "all_reduce_ms=20 all_reduce_exposed_ms=10"},
    {"breaks", "breaks_at_waits", "breaks=8 gaps_ms=2", "breaks=7 gaps_ms=2"},
    {"norms", "sync_batch_norm", NORMS("1"), NORMS("0.9")},
    {"communication", "overlap_all_reduce", /* gradients are the smaller part */
     COMM("exposed_ms=10 room_ms=50 trace.training=1 gradients_exposed_ms=6")
         REDUCE("5", "25", "2500") QUIET("all_to_all")
             QUIET("all_gather") "all_reduce_ms=20 all_reduce_exposed_ms=10",
     COMM("exposed_ms=10 room_ms=50 trace.training=1 gradients_exposed_ms=4")
         REDUCE("5", "25", "2500") QUIET("all_to_all")
             QUIET("all_gather") "all_reduce_ms=20 all_reduce_exposed_ms=10"},
    {"communication", "tensor_parallel_training", ACTIVATIONS("80", "128"),
     ACTIVATIONS("60", "128")},
    {"communication", "tensor_parallel_training", ACTIVATIONS("80", "128"),
     ACTIVATIONS("80", "0.5")},
    {"communication", "overlap_all_reduce", ACTIVATIONS("60", "128"),
     ACTIVATIONS("80", "128")},
    {"communication", "overlap_all_reduce", /* but fewer of them would do */
     COMM("exposed_ms=10 room_ms=50 trace.training=1 spare_pct=0 reducing=4 updates=4")
         REDUCE("5", "25", "2500") QUIET("all_to_all")
             QUIET("all_gather") "all_reduce_ms=20 all_reduce_exposed_ms=10",
     COMM("exposed_ms=10 room_ms=50 trace.training=1 spare_pct=75 reducing=4 updates=1")
         REDUCE("5", "25", "2500") QUIET("all_to_all")
             QUIET("all_gather") "all_reduce_ms=20 all_reduce_exposed_ms=10"},
    {"devices", "devices_data_parallel",
     "take_turns=0 data_parallel=1 exposed_ms=3 exposed_pct=20 " APART,
     "take_turns=0 data_parallel=0 exposed_ms=3 exposed_pct=20 " APART},
    {"devices", "devices_uneven", "take_turns=0 " APART,
     "take_turns=0 data_parallel=1 exposed_ms=3 exposed_pct=20 " APART},
    {"devices", "devices_take_turns", "take_turns=1 " APART, "take_turns=0 " APART},
    {"devices", "devices_uneven", "take_turns=0 " APART, "take_turns=1 " APART},
    {"devices", "devices_ahead", "take_turns=1 " TWO_DEVICES "600",
     "take_turns=1 " APART},
    {"devices", "devices_take_turns", "take_turns=1 " APART,
     "take_turns=1 " TWO_DEVICES "600"},
    {"streams", "streams_take_turns",
     "pairs=9 pairs_ms=3 blocks=40 sms=108 units=SMs event_waits=18",
     "pairs=0 pairs_ms=0 blocks=0 sms=108 units=SMs event_waits=18"},
    {"autotune", "autotune_in_step", "runs=9 runs_ms=3 share_pct=2 recurs=1",
     "runs=9 runs_ms=3 share_pct=1.9 recurs=1"},
    {"modules", "repeated_passes", PASSES("20", "90"), PASSES("19", "20")},
    {"modules", "frozen_modules", FROZEN("5", "1", "4.4"), FROZEN("4.9", "1", "4.4")},
    {"modules", "frozen_modules", FROZEN("5", "1", "0"), FROZEN("5", "0", "0")},
    {"modules", "frozen_modules", FROZEN("5", "1", "4.4"), FROZEN("5", "1", "4.5")},
    {"loops", "turn_by_turn", LOOPS("10", "49"), LOOPS("9.9", "49")},
    {"loops", "turn_by_turn", LOOPS("10", "49"), LOOPS("10", "50")},
    {"loops", "read_one_by_one", READS("5", "4.4"), READS("4.9", "4.4")},
    {"loops", "read_one_by_one", READS("5", "4.4"), READS("5", "4.5")},
    {"loops", "suppress_class_by_class", COPIED("suppresses", "5", "9"),
     COPIED("suppresses", "4.9", "9")},
    {"loops", "send_part_by_part", COPIED("sends", "5", "4.4"),
     COPIED("sends", "4.9", "4.4")},
    {"loops", "send_part_by_part", COPIED("sends", "5", "4.4"),
     COPIED("sends", "5", "4.5")},
    {"loops", "host_bound_cells", CELLS("10", "2"), CELLS("9.9", "2")},
    {"loops", "host_bound_cells", CELLS("2", "10"), CELLS("2", "9.9")},
    {"loops", "moving_average", AVERAGES("2", "3"), AVERAGES("2", "2.9")},
    {"loops", "moving_average", AVERAGES("3", "2"), AVERAGES("2.9", "2")},
    {"gradients", "zeroed_gradients", "zeros=9 zeros_ms=3 share_pct=1",
     "zeros=9 zeros_ms=3 share_pct=0.9"},
    {"optimizer", "optimizer_loop", LOOPED("100", "3", "50"), LOOPED("99", "3", "50")},
    {"optimizer", "optimizer_loop", LOOPED("100", "3", "50"),
     LOOPED("100", "2.9", "50")},
    {"optimizer", "optimizer_loop", LOOPED("100", "3", "50"), LOOPED("100", "3", "49")},
    {"optimizer", "optimizer_loop", LOOPED("100", "3", "50"),
     "loop_kernels=100 loop_ms=9 per_step=100 share_pct=3 optimizer_name=Adagrad "
     "loop_calls=50 sparse_calls=1"},
    {"slices", "time_slices", "slice_ms=2 calls=40 kinds=6 excess_ms=90",
     "slice_ms=0 calls=0 kinds=0 excess_ms=0"},
    {"pace", "slow_stretch",
     "slows_down=0 stays_slow=0 ratio=3 from_ms=1 to_ms=9 excess_ms=6 kinds=5 "
     "kinds_compared=5",
     "slows_down=1 stays_slow=0 ratio=3 from_ms=1 to_ms=9 excess_ms=6 kinds=5 "
     "kinds_compared=5"},
    {"pace", "slowing_device",
     "slows_down=1 stays_slow=0 ratio=3 from_ms=1 to_ms=9 excess_ms=6 kinds=5 "
     "kinds_compared=5",
     "slows_down=0 stays_slow=0 ratio=3 from_ms=1 to_ms=9 excess_ms=6 kinds=5 "
     "kinds_compared=5"},
    {"pace", "slower_clocks",
     "slows_down=0 stays_slow=1 ratio=1.4 from_ms=1 to_ms=9 excess_ms=6 kinds=5 "
     "kinds_compared=5",
     "slows_down=1 stays_slow=0 ratio=1.4 from_ms=1 to_ms=9 excess_ms=6 kinds=5 "
     "kinds_compared=5"},
    {"fusion", "fuse_optimizer", CHAIN("optimizer", "0"), CHAIN("loss", "0")},
    {"fusion", "fuse_loss", CHAIN("loss", "0"), CHAIN("optimizer", "0")},
    {"fusion", "fuse_chain", CHAIN("none", "0"), CHAIN("loss", "0")},
    {"fusion", "fuse_chain", CHAIN("none", "0"), CHAIN("none", "1")},
    {"communication", "collective_bandwidth",
     "exposed_ms=10 comm_ms=20 room_ms=50 trace.training=1 longest_kind=x "
     "longest_median_gb_per_s=16 longest_median_mib=8 longest_mib=8 longest_ms=6 "
     "longest_ratio=2 "
     "reduce_scatter_per_step=0 reduce_scatter_backward=0 reduce_scatter_ms=0 "
     "reduce_scatter_exposed_ms=0 reduce_scatter_mib=nan "
     "reduce_scatter_median_us=9 " NO_REDUCE QUIET("all_to_all") QUIET("all_gather"),
     COMM("exposed_ms=10 room_ms=50 trace.training=1") NO_REDUCE QUIET("all_to_all")
         QUIET("all_gather")},
};

#endif
