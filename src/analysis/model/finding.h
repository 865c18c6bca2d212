/* finding.h - what the analysis concludes: the facts of a row, the findings, the whole.
 *
 * The interface between the analysers, which fill it, and the report, which reads it.
 * All texts and arrays live in the run's arena. Percentages are 0 to 100, names of
 * times end in their unit, NaN means "unknown". Independent of any format. */
#ifndef ANALYSIS_MODEL_FINDING_H
#define ANALYSIS_MODEL_FINDING_H

#include "ops/op_row.h"
#include "whatif/schedule_facts.h"

#include <math.h>

/* Categories of analysis.md 2.2, in the order of its table; the system tier follows. */
#define WORK_CATEGORIES_LIST(X)                                                        \
    X(GEMM, "gemm", "GEMM")                                                            \
    X(SDPA_FWD, "sdpa_fwd", "SDPA")                                                    \
    X(SDPA_BWD, "sdpa_bwd", "SDPA (backward)")                                         \
    X(ELEMENTWISE, "elementwise", "Elementwise")                                       \
    X(REDUCE, "reduce", "Reduce")                                                      \
    X(TRITON, "triton", "Triton")                                                      \
    X(MOE_FUSED, "moe_fused", "MoE Fused")                                             \
    X(BATCHNORM, "batchnorm", "BatchNorm")                                             \
    X(NORM, "norm", "Normalization")                                                   \
    X(CONVOLUTION, "convolution", "Convolution")                                       \
    X(OTHER, "other", "Other")                                                         \
    X(COMMUNICATION, "communication", "Communication")                                 \
    X(COPY, "copy", "Copies")                                                          \
    X(CPU_IDLE, "cpu_idle", "CPU/Idle Analysis")                                       \
    X(MULTI_KERNEL, "multi_kernel", "Multi-Kernel Issues")                             \
    X(KERNEL_FUSION, "kernel_fusion", "Kernel Fusion Opportunities")

enum work_category {
#define X(id, name, display) WORK_##id,
    WORK_CATEGORIES_LIST(X)
#undef X
        WORK_CATEGORIES
};

struct str work_category_name(enum work_category c);    /* "sdpa_fwd" */
struct str work_category_display(enum work_category c); /* "SDPA" */

/* Time in ms above which a group of a category matters, whatever its share. */
double bottleneck_ms(enum work_category c);

enum bound_source {
    BOUND_BY_NOTHING,
    BOUND_BY_ROOFLINE,
    BOUND_BY_INTENSITY,
    BOUND_BY_CATEGORY
};

struct work_efficiency {
    double percent; /* of the peak that binds; NaN: no model */
    enum roofline_bound bound;
    enum bound_source source;
    double tflop_per_s, tb_per_s, flop_per_byte; /* achieved, mean; NaN */
    struct str compute_spec;
    double peak_tflop_per_s, peak_tb_per_s; /* 0: unknown */
    bool no_peak;                           /* the device has none for compute_spec */
    bool by_tf32;          /* the peak is TF32's, as the kernels' names say so */
    bool warning, anomaly; /* above 100 %, above 110 % */
};

/* A named fact of a row that patterns and reports read: M, K, tiles, transpose_ms, ...
 */
struct work_fact {
    const char *key;  /* from a fixed set, listed in work_facts.h */
    const char *text; /* NULL: it is a number */
    union {
        double number;
        ptrdiff_t n; /* bytes of the text */
    };
};

/* The empty text of a number, and NaN of a text. */
static inline struct str work_fact_str(const struct work_fact *f)
{
    return f->text ? (struct str){f->text, f->n} : S("");
}

static inline double work_fact_real(const struct work_fact *f)
{
    return f->text ? (double)NAN : f->number;
}

/* The same as a row keeps it, as there may be many rows. */
struct row_fact {
    union {
        const char *text;
        double number;
    };
    int32_t n;   /* bytes of the text; -1: it is a number */
    int32_t key; /* its place in the list */
};

/* One row of unified_perf_summary as an analyser sees it. */
struct work_row {
    const struct op_group *group; /* its calls, and what a model says of them */
    struct str name;
    enum work_category category;
    double time_ms, mean_us;
    double compute_pct;  /* p: of computation time C */
    double category_pct; /* pcat: of its category */
    double total_pct;    /* q: of wall time T */
    int64_t count;
    struct work_efficiency efficiency;
    struct str args; /* "(24576,8,64) bf16<br>(24576,64,8) bf16" without the breaks */
    struct str library;      /* "Tensile", or empty */
    struct row_fact *facts;  /* read by work_facts.h */
    int n_facts, facts_room; /* room: for as many */
    int top_rank; /* in top_operations, from 1; 0: not listed, or below 1 % of C */
    double cov;   /* std over mean; NaN with few calls */
    bool high_variance;
    struct str *patterns; /* ids that hit, informational ones too */
    int n_patterns;
    int32_t claimed_by;       /* finding; -1 */
    struct str *module_chain; /* outermost first; 0: no Python frames */
    int n_modules;
    struct str launcher_path;
};

/* How many sets of arguments its calls have. */
int32_t work_row_shapes(const struct work_row *r);

enum finding_tier { TIER_COMPUTE, TIER_FUSION, TIER_SYSTEM };
enum finding_kind {
    FIND_BOTTLENECK,
    FIND_PATTERN,
    FIND_UNMODELLED,
    FIND_SYSTEM,
    FIND_FUSION,
    FINDING_KINDS
};
enum priority {
    PRIORITY_LOW,
    PRIORITY_MEDIUM,
    PRIORITY_HIGH,
    PRIORITY_CRITICAL,
    PRIORITIES
};
enum confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };

struct impact_range { /* of wall time T */
    double low_pct, high_pct, low_ms, high_ms;
    struct str basis; /* how it was computed, one clause */
};

struct projection_row {
    double target_pct, time_ms, e2e_pct, op_pct;
};

/* The device events that a finding of kernels is about. */
enum finding_about {
    ABOUT_ROWS,          /* those of its rows' calls */
    ABOUT_CONVERSIONS,   /* of these, the layout conversions */
    ABOUT_COPIES_BESIDE, /* those of the copies beside attention that it has claimed */
    ABOUT_OPTIMIZER,     /* those that an optimizer's step launches */
    ABOUT_ZEROS,         /* those that set gradients to zero */
    ABOUT_AUTOTUNE,      /* those that a compiler's benchmark launches */
    ABOUT_EVENTS,        /* those that it names itself */
    ABOUT_PACE           /* those from when it is slow on, or none: it is about how fast
                            the device runs, or several */
};

enum evidence_kind {
    EVIDENCE_FACT,
    EVIDENCE_ROW,    /* one of its rows: arguments, time, share of the peak */
    EVIDENCE_MORE,   /* how many rows are not told */
    EVIDENCE_KERNEL, /* the longest kernel of its longest row */
    EVIDENCE_CALLER  /* where that row is called from */
};

struct evidence { /* a sentence with numbers */
    struct str text;
    enum evidence_kind kind; /* so that nobody repeats what a table beside it shows */
};

struct idle_group; /* system_results.h */

/* What a thread of the host (a lane of the store) does, on the clock of the trace. */
struct host_span {
    int32_t lane;
    int64_t start_ns, end_ns;
};

enum { FINDING_MOMENTS = 256 }; /* equal parts of the window */

struct finding {
    struct str
        id; /* <category>.<pattern>.<sanitised op>.<bound>; the same on every run */
    enum finding_tier tier;
    enum finding_kind kind;
    enum work_category category;
    struct str pattern; /* id, or "low_efficiency" */
    struct str cause;   /* of its pattern; empty: it shares none */
    struct str title;   /* what to do (finding_title.h); no severity word, no figures */
    ptrdiff_t title_at, title_op; /* its first name of the trace, bytes; 0, 0: none */
    struct str op;                /* operator, or the system issue */
    enum finding_about about;
    const struct work_row **rows; /* of its category or categories */
    int n_rows;
    int64_t count;
    double time_ms, compute_pct, total_pct, category_pct; /* category_pct: pc */
    double efficiency_pct;                                /* of the group; NaN */
    enum roofline_bound bound;
    struct str peak, achieved; /* "5.3 TB/s", "0.51 TB/s" */
    int top_rank;
    enum priority priority;
    struct str priority_basis;
    struct str issue;       /* one sentence */
    struct str algorithmic; /* path A: change the model or the API */
    struct str kernel;      /* path B: the same code, other kernels */
    unsigned copies;        /* directions it is about, as bits */
    const int32_t *gpu;     /* of ABOUT_EVENTS: device events */
    int32_t n_gpu;
    const struct idle_group *idle;    /* the idle time it is about; NULL: none */
    const struct idle_group *between; /* of kernels to fuse: the idle time between their
                                         launches, or of a search: inside its calls;
                                         it goes too; NULL: none */
    const struct host_span *gone;     /* all that the host does here goes, waits too */
    int32_t n_gone;
    double slow_from_ms; /* the device is slow from here on; 0: not that */
    double slow_ratio;   /* so many times as long calls take from there on, or in all of
                            a run that slows down; 0 */
    double merged_part;  /* of its calls, those that need not be made; 0: none */
    double whole_ms; /* of which the saving of a transfer or of a slow device is a part;
                        0: of what it saves at best */
    double part_low, part_high; /* of its own time that it takes away; NaN: unknown */
    struct impact_range impact, impact_kernel; /* replayed, see finding_savings.h */
    struct {
        double low_ms, high_ms;
    } over; /* what its replay saves beyond these, more than it can */
    /* Kernels that save little while the device waits for the host: the finding that
     * is about the host (-1: none), and what they save once it keeps up. */
    int32_t until;
    struct impact_range impact_then;
    struct projection_row *projection;
    int n_projection;
    struct evidence *evidence;
    int n_evidence;
    bool asked; /* by the user's threshold, so its priority stands */
    bool replay_recommended, informational;
    bool recording; /* it asks for another recording, which by itself saves nothing */
    bool reorders; /* it changes the order of work, which a replay of the order recorded
                      undervalues: that is the low end, its own high end stays */
    bool claims_rows; /* of kernel fusion: nothing else is said of them */
    enum confidence confidence;
    int global_rank, category_rank; /* from 1: final order */
    int tier_number; /* P<n> of its tier, from 1; 0: not in the report's list */
    uint64_t moments[FINDING_MOMENTS / 64]; /* those with idle time or device work that
                                               it is about; finding_moments.h */
};

/* How many sets of arguments it is about. */
int32_t finding_shapes(const struct finding *f);

/* These values as spelled in data files and sentences. */
struct str finding_kind_word(enum finding_kind k); /* "bottleneck" */
struct str priority_word(enum priority p);         /* "critical" */
struct str confidence_word(enum confidence c);     /* "high" */
struct str bound_word(enum roofline_bound b);      /* "compute", "memory", or empty */

enum analyser_status { ANALYSER_OK, ANALYSER_NO_DATA, ANALYSER_ERROR };

/* One category, analysed. Rows by time, longest first. */
struct category_result {
    enum work_category category;
    enum analyser_status status;
    struct str error; /* when ANALYSER_ERROR: message, function and line */
    struct work_row *rows;
    int32_t n_rows;
    int64_t operation_count;
    double time_ms, compute_pct, total_pct;
    double average_efficiency_pct, average_efficiency_unweighted_pct; /* NaN */
    struct work_fact *facts; /* category_specific of its metrics */
    int n_facts;
    struct str *notes; /* sentences for Additional Notes */
    int n_notes;
    double host_ms; /* of its operators; never used for ranking */
    double sync_ms; /* host beyond device time, rows where the host takes five times
                       more */
    int sync_rows;
    bool sync_flagged; /* above 10 % of device time and 1 ms */
};

struct top_operation {
    int rank;
    struct str name;
    struct str *unified_names;
    int n_unified;
    enum work_category category; /* of most of its time */
    bool mixed;                  /* other categories hold a tenth of it or more */
    double time_ms, compute_pct, total_pct;
    int64_t count;
};

struct op_tables;
struct counters;          /* counters.h */
struct critical_path;     /* critical_path.h */
struct memory_peak;       /* memory_peak.h */
struct path_tree;         /* path_tree.h */
struct run_lanes;         /* run_lanes.h */
struct timeline_data;     /* timeline_data.h */
struct unfused_attention; /* unfused_attention.h */
struct pattern_host;      /* pattern_host.h */

struct warning {
    struct str source; /* category or check */
    struct str text;   /* one sentence */
    bool failure;      /* an analyser or a pattern failed */
    bool of_user;      /* in a file of the user's, which he can fix */
};

enum { SAVINGS_TOGETHER = 5 };

/* What a finding and those before it save at once, in one replay. */
struct saving_stage {
    int32_t finding;
    struct impact_range saved;
};

/* The run as it was, for reports; NULL: not asked for. */
struct run_views {
    const struct timeline_data *over_time;
    const struct run_lanes *host; /* streams need the categories of a report */
    const struct path_tree *paths;
};

/* Everything known about one trace once the analysis is done. */
struct analysis {
    const struct op_tables *tables;
    struct pattern_host *patterns; /* NULL: no library */
    bool no_system_impact;         /* on request: claim savings for kernels only */
    double total_ms, computation_ms, idle_ms, exposed_comm_ms, exposed_memcpy_ms;
    double rows_ms;               /* of all rows that compute; streams add up */
    struct schedule_facts replay; /* of the run, from which savings are simulated */
    struct work_fact *facts;      /* of the trace as a whole */
    int n_facts;
    struct category_result categories[WORK_CATEGORIES]; /* by enum; compute and comm */
    enum work_category by_time[WORK_CATEGORIES]; /* compute categories that have rows */
    int n_by_time;
    struct top_operation top[10];
    int n_top;
    const struct system_results *system; /* system_results.h; NULL before they ran */
    const struct memory_peak *memory;    /* NULL: not recorded */
    const uint8_t *recomputed;           /* by event (recomputed.h); NULL: nothing is */
    struct counters *counters;           /* the same */
    const struct model_use *use;         /* facts/model_use.h */
    const struct comm_sizes *comm;       /* system/comm_sizes.h; NULL: no sizes */
    const struct layers *layers;         /* stack/layers.h; of none n is 0 */
    const struct compiled *compiled;     /* stack/compiled.h; the same */
    const struct critical_path *path;    /* of a report; NULL: it cannot be replayed */
    struct finding *findings;            /* final order */
    int n_findings;
    struct saving_stage
        stages[SAVINGS_TOGETHER]; /* the first findings, one more each */
    int n_together;               /* of the stages */
    struct impact_range sets[1 << SAVINGS_TOGETHER]; /* of any of them at once: bit k is
                                                        stage k; [0]: nothing */
    int n_sets;                   /* 0: only stages and single findings are replayed */
    struct impact_range together; /* the last of them; NaN: none */
    struct warning *warnings;
    int n_warnings;
    struct unfused_attention *unfused; /* blocks written by hand, longest first */
    int n_unfused;
    struct run_views views;
};

/* What every compute_pct is a share of: the computation; where kernels of several
 * streams overlap, or operators without a model copy as well, all rows, so that shares
 * never add up to more than the whole. */
static inline double analysis_compute_ms(const struct analysis *a)
{
    return fmax(a->rows_ms, a->computation_ms);
}

/* The category that computes most. NULL: there is none. */
static inline const struct category_result *
analysis_most_computed(const struct analysis *a)
{
    return a->n_by_time ? &a->categories[a->by_time[0]] : NULL;
}

/* Append one: zeroed, rows empty, figures NaN. */
struct finding *analysis_add_finding(struct arena *perm, struct analysis *a);
/* <category>.<pattern>.<operator>.<bound>, made of letters, digits, '_' and '-'. A
 * finding that is not about kernels has no bound and a lower-case id. */
struct str finding_id(struct arena *a, const struct finding *f);

/* A sentence with numbers; an empty text is left out. */
void finding_evidence_of(struct arena *perm, struct finding *f, enum evidence_kind kind,
                         struct str sentence);
/* The same for facts. */
void finding_evidence(struct arena *perm, struct finding *f, struct str sentence);
#define evidence(perm, f, ...) finding_evidence((perm), (f), say((perm), __VA_ARGS__))

/* Takes the finding at `at`, which claims no rows, out of the list; rows stay with the
 * findings that claim them. */
void finding_remove(struct analysis *a, int at);

/* What a saving counts for in order and priority, in % of the run: the middle of its
 * range; where the ends lie far apart, no more than four times what is sure, and no
 * less than a quarter of the middle. NaN: not known. */
double impact_worth_pct(const struct impact_range *x);

/* Saving of low to high ms. */
struct impact_range impact_of_ms(const struct analysis *a, double low_ms,
                                 double high_ms, struct str basis);

void analysis_warn(struct arena *perm, struct analysis *a, struct warning w);

#endif
