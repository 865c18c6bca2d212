/* Kernels, short kernels, collectives. */
#include "report/sheets_parts.h"

static void put_or_none(struct table_build *b, struct str text)
{
    if (text.n)
        put_name(b, text);
    else
        put_none(b);
}

static void put_stream(struct table_build *b, int64_t stream)
{
    if (stream >= 0)
        put_int(b, stream);
    else
        put_none(b);
}

static void put_kernel_row(struct table_build *b, const void *of, ptrdiff_t row)
{
    const struct op_tables *t = of;
    const struct kernel_row *r = &t->kernels.rows[row];
    put_or_none(b, r->category);
    if (t->facts.has_cpu_op)
        put_or_none(b, r->op);
    put_name(b, r->kernel);
    put_stream(b, r->stream);
    put_real(b, r->us.sum);
    put_int(b, r->us.n);
    put_real(b, r->us.mean);
    put_real(b, r->us.min);
    put_real(b, r->us.max);
    put_real(b, r->kernels_pct);
    put_real(b, r->total_pct);
}

struct report_table sheet_kernels(struct arena *perm, const struct op_tables *t)
{
    struct table_build b = table_begin(
        perm, S("kernel_summary"),
        "Every kernel of the file, linked or not, by who launched it", t->kernels.n);
    add_column(&b, S("Parent op category"), UNIT_NONE, "Kind of the operator above it");
    if (t->facts.has_cpu_op)
        add_column(&b, S("Parent cpu_op"), UNIT_NONE,
                   "Operator above it, or launch call");
    add_column(&b, S("Kernel name"), UNIT_NONE, "Kernel");
    add_column(&b, S("Kernel stream"), UNIT_NONE, "Stream it ran on");
    add_column(&b, S("Kernel duration (µs)_sum"), UNIT_US, "Sum of the durations");
    add_column(&b, S("Kernel duration (µs)_count"), UNIT_COUNT, "Kernels");
    add_column(&b, S("Kernel duration (µs)_mean"), UNIT_US, "Mean duration");
    add_column(&b, S("Kernel duration (µs)_min"), UNIT_US, "Shortest");
    add_column(&b, S("Kernel duration (µs)_max"), UNIT_US, "Longest");
    add_column(&b, S("Percent of kernels time (%)"), UNIT_PERCENT,
               "Share of all kernels");
    add_column(
        &b, S("Percent of total time (%)"), UNIT_PERCENT,
        "Share of the total time; this table also has the kernels that the timeline "
        "leaves out");
    return table_of_rows(&b, t, put_kernel_row);
}

struct report_table sheet_histogram(struct arena *perm, const struct op_tables *t)
{
    const struct kernel_tables *k = &t->kernels;
    struct table_build b =
        table_begin(perm, S("short_kernel_histogram"),
                    "Kernels shorter than 10 us, by duration", k->n_bins);
    add_column(&b, S("bin_start"), UNIT_US, "Shortest duration of the bin");
    add_column(&b, S("bin_end"), UNIT_US, "Longest duration of the bin");
    add_column(&b, S("count"), UNIT_COUNT, "Kernels in it");
    for (int i = 0; i < k->n_bins; i++) {
        put_real(&b, k->edges[i]);
        put_real(&b, k->edges[i + 1]);
        put_int(&b, k->counts[i]);
    }
    return table_done(&b);
}

static void put_short_row(struct table_build *b, const void *of, ptrdiff_t row)
{
    const struct kernel_tables *k = of;
    const struct short_kernel_row *r = &k->short_rows[row];
    if (!k->short_by_name) {
        put_name(b, r->op);
        put_tuple(b, r->args.dims);
        put_tuple(b, r->args.strides);
        put_tuple(b, r->args.concrete);
    }
    put_name(b, r->kernel);
    put_real(b, r->sum_us);
    put_int(b, r->n);
    put_real(b, r->mean_us);
    put_real(b, r->total_pct);
}

/* If no short kernel's operator has shapes and strides, the table is by kernel name.
 * The reference then writes only a header, and our first column has the same name as
 * there. */
struct report_table sheet_short_kernels(struct arena *perm, const struct op_tables *t)
{
    const struct kernel_tables *k = &t->kernels;
    struct table_build b = table_begin(
        perm, S("short_kernels_summary"),
        k->short_by_name ? "Kernels shorter than 10 us, by name"
                         : "Kernels shorter than 10 us, by operator arguments",
        k->n_short);
    if (!k->short_by_name) {
        add_column(&b, S("Parent cpu_op"), UNIT_NONE, "Operator above it");
        add_column(&b, S("Input dims"), UNIT_NONE, "Shapes of its arguments");
        add_column(&b, S("Input strides"), UNIT_NONE, "Strides of its arguments");
        add_column(&b, S("Concrete Inputs"), UNIT_NONE, "Values of scalar arguments");
    }
    add_column(&b, S("Kernel name"), UNIT_NONE, "Kernel");
    add_column(&b,
               k->short_by_name && t->facts.has_cpu_op
                   ? S("Kernel duration (µs)")
                   : S("Short Kernel duration (µs) sum"),
               UNIT_US, "Sum of the durations");
    add_column(&b, S("Short Kernel count"), UNIT_COUNT, "Kernels");
    add_column(&b, S("Short Kernel duration (µs) mean"), UNIT_US, "Mean duration");
    add_column(&b, S("Short Kernel duration (µs) percent of total time"), UNIT_PERCENT,
               "Share of the total time");
    return table_of_rows(&b, k, put_short_row);
}

struct report_table sheet_collectives(struct arena *perm, const struct op_tables *t)
{
    static const struct {
        const char *title, *meaning;
    } times[] = {{"dur_sum", "Sum of the durations on this rank, waiting included"},
                 {"dur_mean", "Mean duration"},
                 {"dur_std", "Deviation of the durations"},
                 {"dur_min", "Shortest"},
                 {"dur_max", "Longest"}};
    struct table_build b =
        table_begin(perm, S("coll_analysis"),
                    "Communication kernels of this rank that say what they carry",
                    t->collectives.n);
    add_column(&b, S("rank"), UNIT_NONE, "0: the only rank of this report");
    for (int k = 0; k < COLLECTIVE_KEYS; k++)
        add_column(&b, str_of(collective_keys[k]), UNIT_NONE,
                   "As the profiler recorded it");
    add_column(&b, S("stream"), UNIT_NONE, "Stream it ran on");
    add_column(&b, S("In msg size (MB)_first"), UNIT_MIB, "Message in, in MiB (2^20)");
    add_column(&b, S("Out msg size (MB)_first"), UNIT_MIB,
               "Message out, in MiB (2^20)");
    for (size_t k = 0; k < sizeof times / sizeof *times; k++)
        add_column(&b, str_of(times[k].title), UNIT_US, times[k].meaning);
    add_column(&b, S("operation_count"), UNIT_COUNT, "Kernels");
    for (int32_t i = 0; i < t->collectives.n; i++) {
        const struct collective_row *r = &t->collectives.rows[i];
        put_int(&b, 0);
        for (int k = 0; k < COLLECTIVE_KEYS; k++)
            put_name(&b, r->key[k]);
        put_stream(&b, r->stream);
        put_real(&b, r->in_mib);
        put_real(&b, r->out_mib);
        put_real(&b, r->us.sum);
        put_real(&b, r->us.mean);
        put_real(&b, r->us.std);
        put_real(&b, r->us.min);
        put_real(&b, r->us.max);
        put_int(&b, r->us.n);
    }
    return table_done(&b);
}
