/* Operators by arguments, and the family sheets. */
#include "report/sheets_parts.h"

#include "perf/call_cost.h"
#include "report/table_fields.h"

#include <math.h>

static void add_key_columns(struct table_build *b, const struct op_tables *t)
{
    add_column(b, S("name"), UNIT_NONE, "Operator, or launch call without an operator");
    add_column(b, S("op category"), UNIT_NONE, "Kind of operator");
    add_column(b, S("process_name"), UNIT_NONE, "Process that called it");
    add_column(b, S("process_label"), UNIT_NONE, "Label of the process in the trace");
    add_column(b, S("thread_name"), UNIT_NONE, "Thread that called it");
    add_column(b, S("Input Dims"), UNIT_NONE, "Shapes of the arguments");
    add_column(b, S("Input type"), UNIT_NONE, "Types of the arguments");
    add_column(b, S("Input Strides"), UNIT_NONE,
               "Strides of the arguments, in elements");
    add_column(b, S("Concrete Inputs"), UNIT_NONE, "Values of scalar arguments");
    if (t->facts.has_recompute)
        add_column(b, S("is_recompute"), UNIT_NONE,
                   "True for calls that activation checkpointing runs a second time");
}

static void put_key(struct table_build *b, const struct op_tables *t,
                    const struct op_group *g)
{
    put_name(b, g->first->name);
    put_text(b, g->first->category);
    put_name(b, g->lane->process);
    put_name(b, g->lane->label);
    put_name(b, g->lane->thread);
    put_tuple(b, g->args.dims);
    put_tuple(b, g->args.types);
    put_tuple(b, g->args.strides);
    put_tuple(b, g->args.concrete);
    if (t->facts.has_recompute)
        put_bool(b, g->first->recompute);
}

static void add_share_columns(struct table_build *b, const char *of)
{
    add_column(b, S("Percentage (%)"), UNIT_PERCENT, of);
    add_column(b, S("Cumulative Percentage (%)"), UNIT_PERCENT, "Share up to this row");
}

static void put_unique_row(struct table_build *b, const void *of, ptrdiff_t row)
{
    const struct op_tables *t = of;
    const struct op_group_row *r = groups_row(b->arena, &t->unique_args, (int32_t)row);
    const struct op_group *g = &r->group;
    const struct sample_stats *d = &g->direct_us, *u = &r->subtree_us;
    const double pairs[][2] = {{d->mean, u->mean}, {d->median, u->median},
                               {d->std, u->std},   {d->min, u->min},
                               {d->max, u->max},   {d->sum, u->sum}};
    put_key(b, t, g);
    put_int(b, g->n);
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        put_real(b, pairs[k][0]);
        put_real(b, pairs[k][1]);
    }
    put_int(b, g->first->uid);
    put_kernel_details(b, g->placed, g->n_placed);
    put_real(b, g->share_pct);
    put_real(b, g->cumulative_pct);
}

struct report_table sheet_unique_args(struct arena *perm, const struct op_tables *t)
{
    static const char *const direct =
        "Time of the device work that a call launched itself";
    static const char *const subtree = "The same with what operators below it launched";
    static const struct str of[] = {S_INIT("mean"), S_INIT("median"), S_INIT("std"),
                                    S_INIT("min"),  S_INIT("max"),    S_INIT("sum")};
    struct table_build b = table_begin(
        perm, S("ops_unique_args"),
        "Operators that launched device work, by name and arguments", t->unique_args.n);
    add_key_columns(&b, t);
    add_column(&b, S("operation_count"), UNIT_COUNT, "Calls with these arguments");
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        add_column(&b, str_printf(perm, "total_direct_kernel_time_%.*s", STRF(of[k])),
                   UNIT_US, direct);
        add_column(&b, str_printf(perm, "total_subtree_kernel_time_%.*s", STRF(of[k])),
                   UNIT_US, subtree);
    }
    add_column(&b, S("ex_UID"), UNIT_COUNT, "Place in the file of the first such call");
    add_column(
        &b, S("kernel_details_summary"), UNIT_NONE,
        "Kernels by position, with statistics over the calls; std is of the whole "
        "population");
    add_column(&b, S("trunc_kernel_details"), UNIT_NONE, "The same, short");
    add_share_columns(&b, "Share of all direct time");
    return table_of_rows(&b, t, put_unique_row);
}

static struct str bound_text(enum roofline_bound bound)
{
    return bound == BOUND_COMPUTE  ? S("COMPUTE_BOUND")
           : bound == BOUND_MEMORY ? S("MEMORY_BOUND")
                                   : S("");
}

#define MEAN_STD(title, from, in, meaning)                                             \
    COL_IN(in, AS(title "_mean", from.mean, RATE), meaning),                           \
        COL_IN(in, AS(title "_std", from.std, RATE), meaning)
#define MEDIAN_TO_MAX(title, from, in, meaning)                                        \
    COL_IN(in, AS(title "_median", from.median, RATE), meaning),                       \
        COL_IN(in, AS(title "_min", from.min, RATE), meaning),                         \
        COL_IN(in, AS(title "_max", from.max, RATE), meaning)
#define STATS(title, from, in, meaning)                                                \
    COL_IN(in, AS(title "_mean", from.mean, RATE), meaning),                           \
        COL_IN(in, AS(title "_median", from.median, RATE), meaning),                   \
        COL_IN(in, AS(title "_std", from.std, RATE), meaning),                         \
        COL_IN(in, AS(title "_min", from.min, RATE), meaning),                         \
        COL_IN(in, AS(title "_max", from.max, RATE), meaning)

#define TB_MEANS   "Bytes moved over device time, 1e12 byte/s"
#define TF_MEANS   "Arithmetic over device time, 1e12 FLOP/s"
#define TIME_MEANS "Device time of a call: union of its kernels"
#define HOST_MEANS "Time of the call on the host; not comparable with device time"
#define ROOF_MEANS "Least time on this device over device time"

TELL(int64_t, first_uid, op_group_row, it->group.first->uid);
TELL(double, moved_mib, op_group_row, it->group.byte / (1024.0 * 1024.0));
TELL(struct str, reference_spec, op_group_row,
     it->group.cost ? it->group.cost->compute_spec : S(""));

COLUMNS(call_columns, op_group_row,
        COL_IN(COUNT, CALL(ex_UID, NUMBER, first_uid),
               "Place in the file of the first such call"),
        COL_IN(COUNT, AS("operation_count", group.n, COUNT),
               "Calls with these arguments"),
        COL_IN(US, AS("total_duration_us", host_us.sum, US), HOST_MEANS),
        COL_IN(US, AS("mean_duration_us", host_us.mean, US), HOST_MEANS),
        COL_IN(US, AS("std_duration_us", host_us.std, US), HOST_MEANS),
        COL_IN(GFLOP, AS("GFLOPS", group.gflop, RATE),
               "Arithmetic of one call, 1e9 FLOP; not a rate"),
        COL_IN(MIB, CALL_AS("Data Moved (MB)", RATE, moved_mib),
               "Bytes of one call, in MiB (2^20)"),
        COL_IN(FLOP_PER_BYTE, AS("FLOPS/Byte", group.flop_per_byte, RATE),
               "Arithmetic intensity"),
        COL(CALL_AS("Compute Spec", TEXT, reference_spec),
            "Unit and precision that bound it"));
COLUMNS(bound_column, op_group_row,
        COL(ENUM_AS("Roofline Bound", group.bound, bound_text, BOUND_MEMORY + 1),
            "Which roof binds on this device"));
COLUMNS(rate_columns, op_group_row, MEAN_STD("TB/s", tb_per_s, TB_PER_S, TB_MEANS),
        MEAN_STD("TFLOPS/s", tflop_per_s, TFLOP_PER_S, TF_MEANS),
        MEAN_STD("Kernel Time (µs)", group.direct_us, US, TIME_MEANS),
        COL_IN(US, AS("Kernel Time (µs)_sum", group.direct_us.sum, US), TIME_MEANS),
        MEDIAN_TO_MAX("duration_us", host_us, US, HOST_MEANS),
        MEDIAN_TO_MAX("TB/s", tb_per_s, TB_PER_S, TB_MEANS),
        MEDIAN_TO_MAX("TFLOPS/s", tflop_per_s, TFLOP_PER_S, TF_MEANS));
COLUMNS(roofline_columns, op_group_row,
        COL_IN(US, AS("Roofline Time (µs)_first", group.roofline_us, US),
               "Least time on this device"),
        STATS("Pct Roofline", roofline_pct, PERCENT, ROOF_MEANS));
COLUMNS(time_columns, op_group_row,
        MEDIAN_TO_MAX("Kernel Time (µs)", group.direct_us, US, TIME_MEANS));

static void add_unified_columns(struct table_build *b, const struct op_tables *t)
{
    add_key_columns(b, t);
    add_columns(b, call_columns());
    if (t->device)
        add_columns(b, bound_column());
    add_columns(b, rate_columns());
    if (t->device)
        add_columns(b, roofline_columns());
    add_columns(b, time_columns());
    add_column(
        b, S("kernel_details_summary"), UNIT_NONE,
        "Kernels by position, with statistics over the calls; std is of the whole "
        "population");
    add_column(b, S("trunc_kernel_details"), UNIT_NONE, "The same, short");
    add_column(b, S("perf_params"), UNIT_NONE, "What the performance model read");
    add_column(b, S("has_perf_model"), UNIT_NONE,
               "True if a performance model describes it, or its forward operator");
    add_share_columns(b, "Share of all device time of this table");
}

static void put_unified_row(struct table_build *b, const struct op_tables *t,
                            const struct op_group_row *r, double cumulative_pct)
{
    const struct op_group *g = &r->group;
    put_key(b, t, g);
    put_fields(b, call_columns(), r, t);
    if (t->device)
        put_fields(b, bound_column(), r, t);
    put_fields(b, rate_columns(), r, t);
    if (t->device)
        put_fields(b, roofline_columns(), r, t);
    put_fields(b, time_columns(), r, t);
    put_kernel_details(b, g->placed, g->n_placed);
    put_params(b, g->cost);
    put_bool(b, g->has_model);
    put_real(b, g->share_pct / t->unified.linked_frac);
    put_real(b, cumulative_pct);
}

static bool is_own(const struct perf_cost *cost)
{
    return cost && cost->origin >= PERF_OWN_BYTES;
}

static struct sample_stats unknown_stats(void)
{
    return stats_of(NULL, 0);
}

/* The row without what the reference does not know: all figures, or those of bytes. */
static struct op_group_row as_reference(const struct op_group_row *row)
{
    struct op_group_row r = *row;
    if (!is_own(row->group.cost))
        return r;
    if (r.group.cost->origin == PERF_OWN) {
        r.group.gflop = (double)NAN;
        r.group.cost = NULL;
        r.tflop_per_s = unknown_stats();
    }
    r.group.byte = r.group.flop_per_byte = r.group.roofline_us = (double)NAN;
    r.group.bound = BOUND_NONE;
    r.tb_per_s = r.roofline_pct = unknown_stats();
    return r;
}

/* Which groups are rows, and the share up to each; for the reference, or with what our
 * own models know. */
struct unified_rows {
    const struct op_tables *t;
    int32_t *group;
    double *cumulative_pct;
    bool own;
};

static void put_unified(struct table_build *b, const void *of, ptrdiff_t row)
{
    const struct unified_rows *u = of;
    const struct op_group_row *r = groups_row(b->arena, &u->t->unified, u->group[row]);
    struct op_group_row shown = u->own ? *r : as_reference(r);
    shown.group.has_model |= u->own;
    put_unified_row(b, u->t, &shown, u->cumulative_pct[row]);
}

static struct unified_rows *unified_rows(struct arena *perm, const struct op_tables *t,
                                         bool own)
{
    struct unified_rows *u = arena_new(perm, struct unified_rows, 1);
    u->t = t;
    u->own = own;
    u->group = arena_take_raw(perm, sizeof *u->group, 4, t->unified.n);
    u->cumulative_pct =
        arena_take_raw(perm, sizeof *u->cumulative_pct, 8, t->unified.n);
    return u;
}

static struct report_table unified_table(struct table_build *b,
                                         const struct unified_rows *u)
{
    add_unified_columns(b, u->t);
    return table_of_rows(b, u, put_unified);
}

/* Kernels without a launch call belong to no operator: kernel_summary lists them. */
struct report_table sheet_unified(struct arena *perm, const struct op_tables *t,
                                  struct report_table *own, int32_t *own_of)
{
    const struct op_groups *g = &t->unified;
    struct unified_rows *all = unified_rows(perm, t, false);
    struct unified_rows *ours = unified_rows(perm, t, true);
    int32_t n_own = 0, n = 0;
    double cumulative_pct = 0.0;
    for (int32_t i = 0; i < g->n; i++) {
        if (groups_first(g, i)->unlinked)
            continue;
        cumulative_pct += groups_share_pct(g, i) / g->linked_frac;
        bool ours_too = is_own(groups_cost(g, i));
        own_of[n] = ours_too ? n_own : -1;
        all->group[n] = i;
        all->cumulative_pct[n++] = cumulative_pct;
        if (!ours_too)
            continue;
        ours->group[n_own] = i;
        ours->cumulative_pct[n_own++] = cumulative_pct;
    }
    struct table_build b = table_begin(perm, S("unified_perf_summary"),
                                       "All device work: the outermost modelled "
                                       "operator, else the launcher, by arguments",
                                       n);
    struct table_build o =
        table_begin(perm, S("own_rows"), "Rows with figures of our own models", n_own);
    *own = unified_table(&o, ours);
    return unified_table(&b, all);
}

TELL(struct str, process, op_group_row, it->group.lane->process);
TELL(struct str, process_label, op_group_row, it->group.lane->label);
TELL(struct str, thread, op_group_row, it->group.lane->thread);
COLUMNS(family_figures, op_group_row,
        COL_IN(GFLOP, AS("GFLOPS_first", group.gflop, RATE),
               "Arithmetic of one call, 1e9 FLOP"),
        COL_IN(MIB, CALL_AS("Data Moved (MB)_first", RATE, moved_mib),
               "Bytes of one call, in MiB (2^20)"),
        COL_IN(FLOP_PER_BYTE, AS("FLOPS/Byte_first", group.flop_per_byte, RATE),
               "Arithmetic intensity"),
        STATS("TB/s", tb_per_s, TB_PER_S, "Bytes over device time, 1e12 byte/s"),
        STATS("TFLOPS/s", tflop_per_s, TFLOP_PER_S, TF_MEANS),
        COL(CALL(process_name_first, NAME, process), "Process of the first call"),
        COL(CALL(process_label_first, NAME, process_label), "Its label"),
        COL(CALL(thread_name_first, NAME, thread), "Its thread"),
        COL(CALL_AS("Compute Spec", TEXT, reference_spec),
            "Unit and precision that bound it"));
COLUMNS(family_roofline, op_group_row,
        COL_IN(US, AS("Roofline Time (µs)_first", group.roofline_us, US),
               "Least time on this device"),
        COL(ENUM_AS("Roofline Bound_first", group.bound, bound_text, BOUND_MEMORY + 1),
            "Which roof binds"),
        STATS("Pct Roofline", roofline_pct, PERCENT, ROOF_MEANS));
COLUMNS(family_times, op_group_row,
        STATS("Kernel Time (µs)", group.direct_us, US, "Device time of a call"),
        COL_IN(US, AS("Kernel Time (µs)_sum", group.direct_us.sum, US),
               "Over all calls; inner and outer operators both count"),
        COL_IN(COUNT, AS("name_count", group.n, COUNT),
               "Calls, also those that launched nothing"),
        COL_IN(COUNT, CALL(UID_first, NUMBER, first_uid),
               "Place in the file of the first call"));

static void add_family_columns(struct table_build *b, const struct op_tables *t,
                               const struct family_sheet *f)
{
    add_column(b, S("name"), UNIT_NONE, "Operator");
    for (int k = 0; k < f->n_params; k++)
        add_column(b, str_printf(b->arena, "param: %s", f->params[k]), UNIT_NONE,
                   "Parameter of the performance model");
    if (t->facts.has_recompute)
        add_column(b, S("is_recompute"), UNIT_NONE,
                   "True for calls that activation checkpointing runs a second time");
    add_columns(b, family_figures());
    if (t->device)
        add_columns(b, family_roofline());
    add_column(b, S("kernel_details__summarize_kernel_stats"), UNIT_NONE,
               "Kernels by position, with statistics over the calls");
    add_column(b, S("trunc_kernel_details"), UNIT_NONE, "The same, short");
    add_column(b, S("Input Dims_first"), UNIT_NONE, "Shapes of the first call");
    add_column(b, S("Input type_first"), UNIT_NONE, "Types of the first call");
    add_column(b, S("Input Strides_first"), UNIT_NONE, "Strides of the first call");
    add_column(b, S("Concrete Inputs_first"), UNIT_NONE, "Scalars of the first call");
    add_columns(b, family_times());
}

struct family_rows {
    const struct op_tables *t;
    const struct family_sheet *f;
};

static void put_family_row(struct table_build *b, const void *of, ptrdiff_t row)
{
    const struct family_rows *rows = of;
    const struct op_tables *t = rows->t;
    const struct family_sheet *f = rows->f;
    const struct op_group_row *r = groups_row(b->arena, &f->groups, (int32_t)row);
    const struct op_group *g = &r->group;
    put_name(b, g->first->name);
    for (int k = 0; k < f->n_params; k++)
        put_param(b, g->cost, f->params[k]);
    if (t->facts.has_recompute)
        put_bool(b, g->first->recompute);
    put_fields(b, family_figures(), r, t);
    if (t->device)
        put_fields(b, family_roofline(), r, t);
    put_kernel_details(b, g->placed, g->n_placed);
    put_list(b, g->args.dims);
    put_list(b, g->args.types);
    put_list(b, g->args.strides);
    put_list(b, g->args.concrete);
    put_fields(b, family_times(), r, t);
}

struct report_table sheet_family(struct arena *perm, const struct op_tables *t,
                                 const struct family_sheet *f)
{
    struct table_build b = table_begin(
        perm, f->name, "Every call of the family, by name and model parameters",
        f->groups.n);
    add_family_columns(&b, t, f);
    struct family_rows *rows = arena_new(perm, struct family_rows, 1);
    *rows = (struct family_rows){t, f};
    return table_of_rows(&b, rows, put_family_row);
}
