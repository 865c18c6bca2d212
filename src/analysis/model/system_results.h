/* system_results.h - what lies between kernels: idle time, copies, communication,
 * fusion.
 *
 * Built from the timeline and the tree, before the findings of the system tier are made
 * from it. Severities as analysis.md 4.1 and 4.2 name them. */
#ifndef ANALYSIS_MODEL_SYSTEM_RESULTS_H
#define ANALYSIS_MODEL_SYSTEM_RESULTS_H

#include "analysis/model/finding.h"
#include "kernels/event_role.h"
#include "kernels/kernel_name.h"
#include "ops/op_tables.h"

struct tree_index;

enum severity {
    SEVERITY_NONE, /* "NONE", "ACCEPTABLE" or "GOOD", by what it rates */
    SEVERITY_LOW,
    SEVERITY_MEDIUM,
    SEVERITY_HIGH,
    SEVERITY_CRITICAL,
    SEVERITY_UNKNOWN
};

/* What a part of idle time is, by the device event that ends the gap, its launch call,
 * and what the launching thread did until then (insight.md 1). */
#define IDLE_CLASSES_LIST(X)                                                           \
    X(QUEUED, "queued", "queued, started late")                                        \
    X(SYNC, "sync", "synchronising call")                                              \
    X(MEMORY, "memory", "memory management")                                           \
    X(LOAD, "load", "module load or compilation")                                      \
    X(GRAPH, "graph", "graph handling")                                                \
    X(RUNTIME, "runtime", "other runtime call")                                        \
    X(DISPATCH, "dispatch", "operator dispatch")                                       \
    X(CPU_WORK, "cpu_work", "operators on the CPU")                                    \
    X(PYTHON, "python", "Python")                                                      \
    X(NOTHING, "nothing", "nothing recorded")                                          \
    X(LAUNCH, "launch", "launch call")                                                 \
    X(FIRST_LAUNCH, "first_launch", "first launch of a kernel")                        \
    X(LATENCY, "latency", "start latency")                                             \
    X(UNLINKED, "unlinked", "no launch call recorded")                                 \
    X(HIDDEN, "hidden", "work that is not recorded")                                   \
    X(HOST_BOUND, "host_bound", "many short gaps between launches")                    \
    X(PEER, "peer", "wait for another GPU")

enum idle_class {
#define X(id, word, label) IDLE_##id,
    IDLE_CLASSES_LIST(X)
#undef X
        IDLE_CLASSES,
    IDLE_CLASSES_OF_ALL =
        IDLE_PEER /* of all devices together: none waits for another */
};

/* What idle time is for the verdict: who would have to act. */
enum idle_pool {
    POOL_HOST,    /* the host is late */
    POOL_INPUT,   /* the host makes or awaits the input of a step */
    POOL_CALLS,   /* the host synchronises, or manages memory */
    POOL_ONCE,    /* first launches, loading, compiling, recording graphs */
    POOL_QUEUED,  /* the device did not take what was queued */
    POOL_GRAPH,   /* between two nodes of one graph launch, or behind the last */
    POOL_HIDDEN,  /* the device most likely worked */
    POOL_UNKNOWN, /* no launch call tells */
    POOL_START,   /* the recording of one step begins with it (idle_start.h) */
    POOL_PEER,    /* another device works, and this one waits for it */
    IDLE_POOLS,
    IDLE_POOLS_OF_ALL = POOL_PEER
};

/* Why time without device work is most likely none without work. */
enum hidden_reason {
    HIDDEN_NOT,
    HIDDEN_GRAPH, /* behind a graph launch without kernels */
    HIDDEN_NODES, /* in or behind one whose kernels cover less than half of its time */
    HIDDEN_BURST, /* before kernels that start faster than they can */
    HIDDEN_WAIT,  /* the host waits for the device */
    HIDDEN_REASONS
};

enum { BURST_KERNELS = 16 }; /* fewer may well start at once */

struct str idle_class_word(enum idle_class c);  /* "python" */
struct str idle_class_label(enum idle_class c); /* "Python" */

struct idle_gap {
    double start_us, duration_us; /* from the start of the timeline */
    struct str before, after;     /* device events at both ends */
    struct str cause;             /* one clause */
    enum idle_class class;        /* of most of it */
    int32_t next;                 /* the device event behind the gap */
};

/* An operation and what it accounts for: idle time behind it, copies it started ... */
struct op_share {
    struct str name, caller; /* operator; Python place, or empty */
    int64_t count;
    double total_us;
    struct str user; /* the nearest place outside of libraries, else the same */
    int64_t calls;   /* of the operator: it may be counted several times in one */
};

/* Part of a gap on a host thread, on the clock of the trace: what a replay of the
 * schedule may remove. */
struct idle_span {
    int32_t lane, event; /* event: deepest recorded at its start; -1 */
    int64_t start_ns, end_ns;
};

/* Idle time with one explanation: a class, and what covers it. Parts of a gap may be in
 * different groups; those of all groups add up to idle time. */
struct idle_group {
    enum idle_class class;
    /* What covers nine tenths of the host's part of a gap, without numbers that change
     * from call to call; of runtime calls and compilation, these themselves. The leaf
     * has most self time under it; of runtime calls: who calls them. Empty: unknown. */
    struct str blame, blame_place, leaf, leaf_place;
    struct str
        blame_frame; /* "src/prep.py(368): preprocess"; empty: no frame of a file */
    struct str code, code_place; /* the nearest code of the user's; empty: unknown */
    struct str root; /* of HOST_BOUND: the outermost module of half of it or more */
    struct str root_beside; /* the next one, of a fifth or more; empty: none */
    int64_t root_beside_ns;
    struct str beside,
        beside_place; /* of HOST_BOUND, where graphs are replayed: the code of half of
                         it or more that launches kernel by kernel; empty: none */
    double beside_us;
    int32_t beside_event; /* a call of it, plus 1; 0 */
    bool leaf_is_code;    /* the leaf is a frame of such code */
    struct str around;    /* annotations and callers of what is blamed first */
    int64_t gaps, calls;  /* calls: of what is blamed */
    int64_t copy_gaps;    /* of the gaps, those that a copy ends */
    int64_t total_ns, pool_ns[IDLE_POOLS];
    int64_t results_ns;    /* where the host works on results of the device */
    int64_t results_bytes; /* of these, the most read at once; -1: unknown */
    int32_t *results;      /* the copies that read them */
    int32_t n_results;
    int64_t longest_part_ns;         /* in one gap */
    double leaf_us, long_us, max_us; /* long_us: in gaps of 100 us and more */
    int64_t longest_from_ns; /* where its longest gap begins, on the trace's clock */
    double per_step_us;      /* NaN without steps */
    double class_us[IDLE_CLASSES]; /* of HOST_BOUND: what it consists of */
    double
        compiled_us; /* below a compiled region: Inductor, Triton, CompiledFunction */
    double after_sync_us; /* in gaps that begin while the host waits for the device */
    double hidden_without_us;    /* of that: were hidden if the host had not waited */
    struct str sync, sync_place; /* the wait before most of them */
    struct op_share
        where[3]; /* of HOST_BOUND: modules with an operator, or these alone; of PYTHON:
                     the calls that begin and end in a gap, and their places; of
                     NOTHING: the operators that do */
    int n_where;
    double leaf_call_us;     /* of the leaf, a call */
    double late_us;          /* of SYNC: behind the call, until work is launched */
    double stalled_us;       /* of QUEUED: in gaps of 100 us and more, on one stream */
    bool crosses;            /* of QUEUED: behind work of another stream */
    bool leaf_in_operator;   /* a runtime call that a library makes */
    bool leaf_launches;      /* it starts device work, as far as is seen */
    bool sets_up;            /* of LOAD: calls inside first calls of operators */
    int32_t event;           /* a call of what is blamed; -1 */
    int32_t leaf_event;      /* one of the leaf's, plus 1; 0 */
    struct idle_span *spans; /* by start */
    struct idle_span *waits; /* of SYNC: all in that operator of that code, also where
                                the device is busy; by thread and start */
    int32_t n_spans, n_waits;
};

/* Most of it is what the recording begins with. */
static inline bool idle_group_starts(const struct idle_group *g)
{
    return g->pool_ns[POOL_START] > 0 && 2 * g->pool_ns[POOL_START] >= g->total_ns;
}

struct launch_stats {        /* linked kernels */
    int64_t launches, calls; /* kernels, and calls that launched them */
    int64_t blocking;        /* kernels that were over when their call returned */
    double median_delay_us, mean_delay_us,
        max_delay_us; /* call to start of its kernel */
    double per_step;  /* launches; NaN without steps */
};

struct system_pattern {
    struct str name, evidence, impact, solution;
    enum severity severity;
};

enum { IDLE_TOP_GAPS = 10 };

/* Calls in which the host stands still now and then: how many, of how many kinds. */
struct host_stops {
    int64_t n, kinds, ns, longest_ns;
};

struct idle_result {
    enum analyser_status status;
    struct str error;
    struct str device; /* whose idle time it is, of several: "1"; else empty */
    enum severity severity;
    bool flagged, critical; /* above 15 %, above 50 % */
    int64_t kernel_count, short_kernel_count, gap_count, sync_point_count, wait_count,
        stream_count, graph_launch_count; /* wait_count: ops/host_waits.h */
    double avg_kernel_us, avg_gap_us, max_gap_us;
    double avg_compute_us; /* without collectives, which wait; if all are, of all */
    double idle_after_sync_pct, idle_in_long_gaps_pct; /* of idle time */
    double short_kernel_pct; /* of kernel time: in short kernels */
    double graph_kernel_pct; /* of kernel time: replayed by graph launches */
    int64_t beside_ns;       /* host work beside these graphs (host_beside.h) */
    struct idle_gap top_gaps[IDLE_TOP_GAPS];
    int n_top_gaps;
    int64_t class_ns[IDLE_CLASSES]; /* none of HOST_BOUND */
    int64_t pool_ns[IDLE_POOLS], hidden_ns[HIDDEN_REASONS];
    int64_t start_gaps, ahead_ns; /* of POOL_START; what the device does meanwhile */
    int64_t expert_turns;         /* of loops over experts */
    struct host_stops stops;
    int64_t captures, recaptures;   /* of graphs; between launches, of a new one each */
    int64_t compiled_captures;      /* of them, by torch.compile */
    int64_t graph_launches_hidden;  /* of graph_launch_count: no kernel is recorded */
    int64_t graph_launches_partial; /* kernels cover less than half of their time, */
    int64_t graph_covered_ns, graph_uncovered_ns; /* as follows */
    int64_t
        *class_bins[IDLE_CLASSES]; /* the same, by bin of the timeline; NULL: none */
    struct idle_group *groups;     /* by time */
    int32_t n_groups;
    struct launch_stats launch;
    int64_t kernels_by_label[KERNEL_LABELS];
    int64_t given_back, taken; /* calls that return memory to the driver, or take it
                                  from there, but for set-up */
    int64_t allocations_repeated, freed_to_repeat, emptied; /* allocator_retry.h */
    bool has_loader; /* a data loader is there, whatever waits for it */
    bool host_known; /* launch calls are recorded, so causes are known */
    struct system_pattern *patterns;
    int n_patterns;
    double potential_speedup, recoverable_low_ms, recoverable_high_ms;
};

enum { COPY_SIZES = 5 }; /* below 4 KiB, 64 KiB, 1 MiB, 16 MiB, and the rest */

struct copy_size {
    int64_t count, bytes;
    double total_us;
};

struct copy_result {
    int64_t count, bytes;               /* bytes: -1 not recorded */
    struct copy_size sizes[COPY_SIZES]; /* copies whose size is recorded */
    int64_t unsized_count;              /* of no recorded size, as inside GPU graphs */
    double unsized_us;
    int64_t repeated_count; /* copies of the most frequent size */
    int64_t in_row_count; /* right behind a copy of the same size, no kernel between */
    int64_t pageable_count, pinned_count; /* by name, of the memory of the host */
    int64_t peer_count;                   /* by name, from one device to another */
    int64_t module_count; /* of a module that moves to another device, by its frames */
    int64_t
        waited_count; /* inside a synchronisation point: scalar reads and the like */
    double slow_us, fast_us; /* total_us, if all were pinned: at the low and at the high
                                end of what the link reaches */
    double room_us; /* computation that it could run beside: before the last copy to the
                       device, after the first to the host */
    double exposed_us;      /* not hidden by other device work, all directions shared */
    double gaps_us;         /* idle time right behind copies while work was queued */
    struct op_share ops[3]; /* that started most of them */
    int n_ops;
    double total_us, max_us;
    enum severity severity, time_severity, count_severity;
};

struct comm_op {
    struct str name;
    double duration_us;
    int64_t stream;
};

/* What a collective does, by its operator, its recorded name or its kernel. */
enum comm_kind_id {
    COMM_ALL_REDUCE,
    COMM_REDUCE_SCATTER,
    COMM_ALL_GATHER,
    COMM_ALL_TO_ALL,
    COMM_BROADCAST,
    COMM_SEND_RECV,
    COMM_OTHER,
    COMM_KINDS
};

struct comm_kind {
    int64_t count, backward; /* backward: launched by the backward pass */
    int64_t scalars;         /* of others, in training: messages of 4 KiB and less */
    double backward_exposed_us, scalars_exposed_us;
    double wide_us; /* of messages of 1 MiB and more in fp32 that the backward pass
                       launched, and of all in training if it launched most */
    double total_us, exposed_us, median_us,
        max_us; /* exposed: nothing is computed meanwhile; median: of receives where
                   there are any */
    double mib; /* mean message of this rank; NaN: not recorded */
    double median_mib, median_gb_per_s; /* of these messages, and of the rate of each */
    double needs_us; /* at most, for the bytes and latency of all calls; NaN: not all
                        sizes are recorded */
    /* Calls that take far longer than the median of their kind and size, some of them
     * of unknown size: how far they are above it together. */
    int64_t late_count, late_unsized;
    double late_us;
    /* Of calls of one size: how long they take, and would if all were as fast as the
     * fastest of their size; that of the fastest. */
    double alike_us, transfer_us, fastest_us;
    /* Of messages of known size: the best that a call shows, and what larger ones take
     * more than the smallest, which is the link without its latency; 0: unknown. */
    double seen_gb_per_s, link_gb_per_s;
    /* Queued right behind another of their group, so that they wait for nobody; of
     * these the ones with large messages of known size. */
    int64_t queued, large;
    double queued_us, large_us, large_bytes;
    int64_t ranks;         /* of the group of the first call; 0: not recorded */
    int64_t rows, in_rows; /* more than ten calls in a row, without work between them */
};

/* Backward passes of DistributedDataParallel, those that reduce gradients, and updates
 * of the weights; 0: not marked. */
struct micro_batches {
    int32_t passes, reducing, updates;
    double hides_us; /* kernels of the passes that reduce */
};

/* Collectives by which SyncBatchNorm layers share statistics; samples: of the batch of
 * a GPU, 0: not recorded. */
struct sync_norm {
    int64_t count, samples;
    double exposed_us;
};

/* Of a sharded model's backward pass: reduce-scatters with an all-gather right behind
 * them that nothing is computed beside, how long they take, and how much of that the
 * computation behind each could hide. */
struct backward_prefetch {
    bool sharded, second; /* hooks of FSDP are recorded; of its second generation */
    int32_t pairs, *gpu;  /* gpu: both events of each */
    double exposed_us, hides_us;
};

struct str comm_kind_word(enum comm_kind_id k); /* "all-to-all" */

/* Classes of device work, as in timeline/gpu_timeline.h. */
enum overlap_class { OVERLAP_COMPUTE, OVERLAP_COMM, OVERLAP_COPY, OVERLAP_CLASSES };

/* Where the rate comes from that copies of pinned memory reach. */
enum link_source {
    LINK_SEEN,     /* such copies of the trace */
    LINK_PLATFORM, /* the platform's host link: protocol and memory take some of it */
    LINK_ASSUMED   /* PCIe 3.0 x16, the slowest that such devices are sold for */
};

struct host_link {
    double low_gb_per_s, high_gb_per_s;
    enum link_source source;
    double pinned_gb_per_s;   /* the fastest of long pinned copies; 0: none */
    double platform_gb_per_s; /* 0: unknown */
};

struct multi_kernel_result {
    enum analyser_status status;
    struct str error;
    struct copy_result copies[COPY_DIRECTIONS];
    struct host_link link;
    enum severity memcpy_severity, blocking_severity, overlap_severity;
    int64_t comm_count;
    double comm_total_us, comm_max_us;
    struct comm_kind comm[COMM_KINDS];
    struct micro_batches batches;
    struct sync_norm sync_norm;
    struct backward_prefetch prefetch;
    int32_t unit_period; /* sharded_units.h; 0: units are whole blocks, or unknown */
    struct comm_op top_comm[10];
    int n_top_comm;
    /* Time in which device work of two classes runs at once; the diagonal holds the
     * time of each class. */
    double overlap_us[OVERLAP_CLASSES][OVERLAP_CLASSES];
    double backward_us;    /* kernels that the backward pass launched; where some passes
                              do not reduce gradients, those of the others */
    double comm_merged_ms; /* time in which any collective runs */
    struct op_share top_collective; /* kernel with most of the communication time */
    struct op_share
        comm_launcher; /* operator that launched most of it; name may be empty */
    double comm_overlap_frac, memcpy_overlap_frac; /* 0 to 1; NaN: nothing to overlap */
    int64_t unlinked_count;
    double unlinked_us;
    int64_t step_count; /* ProfilerStep annotations; 0: none */
    bool training;      /* the trace has backward operators */
    struct system_pattern *patterns;
    int n_patterns;
};

struct fusion_kernel {
    struct str name, label;
    struct str op; /* that launched it, without namespace; empty: none recorded */
    double mean_us, in_mb, out_mb; /* NaN: no model */
    bool stays;                    /* beside others that are fused */
    bool is_setup; /* a memset of an operator that launches a kernel too: no kernel */
};

enum fusion_kind {                    /* what a group of kernels resembles */
                   FUSION_OF_NOTHING, /* known */
                   FUSION_OF_CHAIN,   /* any chain of elementwise kernels */
                   FUSION_OF_ATTENTION,
                   FUSION_OF_OPTIMIZER, /* its update of one parameter */
                   FUSION_OF_LOSS,      /* cross entropy */
                   FUSION_OF_OTHER      /* known operations */
};

struct fusion_candidate {
    struct str module, base, pattern;
    enum fusion_kind kind;
    struct str *parent_chain;
    int n_parents;
    int64_t instances;
    struct fusion_kernel *kernels; /* of one instance */
    int n_kernels, n_eligible;
    int n_products;  /* of the kernels: these stay, the kernels around them are fused */
    double total_ms; /* over all instances, summed */
    double saving_ms, gross_ms; /* over all instances; NaN: not estimated */
    double moved_mb, fused_us;
    struct impact_range impact;
    enum confidence confidence;
    bool accepted, informational, compiled; /* compiled: in a compiled region */
    bool is_run;                            /* neighbours in a place, not all of it */
    bool is_chain;     /* connected by sizes alone; base: its first and last operator */
    struct str reason; /* why not */
    const struct value *input_dims; /* NULL: none */
    struct str source;
    const struct work_row **rows; /* rows it covers */
    int n_rows;
};

struct fusion_result {
    enum analyser_status status;
    struct str error;
    struct fusion_candidate *candidates; /* accepted first, by saving */
    int n_candidates, n_accepted;
};

/* One of several devices that a process uses (ops/device_use.h), in the window of all.
 */
struct device_idle {
    struct idle_result idle;
    int64_t computation_ns, exposed_comm_ns, exposed_memcpy_ns, busy_ns;
    int64_t idle_ns, gaps_ns; /* without a leading artefact; the same, gap by gap */
};

struct system_results {
    struct idle_result idle;     /* of all devices: none of them works */
    struct device_idle *devices; /* in the order of the view's; NULL: one timeline */
    int n_devices, decides;      /* decides: the busiest, which the verdict is about */
    struct multi_kernel_result multi_kernel;
    struct fusion_result fusion;
};

/* The idle time that verdict and findings are about: that of the device that decides
 * how long the run takes. */
const struct idle_result *idle_that_decides(const struct system_results *r);
double idle_result_ms(const struct idle_result *r);

struct str severity_word(enum severity s); /* "CRITICAL" ... "LOW", "NONE", "UNKNOWN" */
struct str severity_or(enum severity s, struct str none); /* `none` for "NONE" */
struct str idle_severity_word(const struct idle_result *r);
struct str blocking_severity_word(const struct multi_kernel_result *r);
struct str overlap_severity_word(const struct multi_kernel_result *r);
/* Of the time of the whole trace. */
double copy_total_pct(const struct copy_result *c, double total_ms);
struct str copy_direction_word(enum copy_direction d); /* "D2H" */
struct str copy_size_word(int size);                   /* "4 KiB to 64 KiB" */

#endif
