/* Kernels, short kernels, collectives. */
#include "report/sheets_parts.h"

#include "analysis/model/number_text.h"
#include "report/table_fields.h"

COLUMNS(category_of_kernel, kernel_row,
        COL(AS("Parent op category", category, NAME), "Kind of the operator above it"));
COLUMNS(op_of_kernel, kernel_row,
        COL(AS("Parent cpu_op", op, NAME), "Operator above it, or launch call"));
COLUMNS(
    figures_of_kernel, kernel_row, COL(AS("Kernel name", kernel, NAME), "Kernel"),
    COL(AS("Kernel stream", stream, KNOWN), "Stream it ran on"),
    COL_IN(US, AS("Kernel duration (µs)_sum", us.sum, US), "Sum of the durations"),
    COL_IN(COUNT, AS("Kernel duration (µs)_count", us.n, COUNT), "Kernels"),
    COL_IN(US, AS("Kernel duration (µs)_mean", us.mean, US), "Mean duration"),
    COL_IN(US, AS("Kernel duration (µs)_min", us.min, US), "Shortest"),
    COL_IN(US, AS("Kernel duration (µs)_max", us.max, US), "Longest"),
    COL_IN(PERCENT, AS("Percent of kernels time (%)", kernels_pct, PCT),
           "Share of all kernels"),
    COL_IN(PERCENT, AS("Percent of total time (%)", total_pct, PCT),
           "Share of the total time; this table also has the kernels that the timeline "
           "leaves out"));
COLUMNS(kernel_columns, kernel_row, WITH(category_of_kernel), WITH(op_of_kernel),
        WITH(figures_of_kernel));
COLUMNS(bare_kernel_columns, kernel_row, WITH(category_of_kernel),
        WITH(figures_of_kernel));

static const struct table_fields *columns_of(const struct op_tables *t)
{
    return t->facts.has_cpu_op ? kernel_columns() : bare_kernel_columns();
}

static void put_kernel_row(struct table_build *b, const void *of, ptrdiff_t row)
{
    const struct op_tables *t = of;
    put_fields(b, columns_of(t), &t->kernels.rows[row], t);
}

struct report_table sheet_kernels(struct arena *perm, const struct op_tables *t)
{
    const struct trace_facts *f = &t->facts;
    struct str about = S("Every kernel of the file, linked or not, by who launched it");
    if (f->unlinked != UNLINKED_ALL && f->n_backlog)
        about = say(perm,
                    "{}; {} device {} of the step before the recording, {} ms in all, "
                    "{} in it and outside the window of all other figures",
                    said(about), said((int64_t)f->n_backlog),
                    said(str_plural(f->n_backlog, "event", "events")),
                    said_fixed((double)f->backlog_ns / 1e6, 3),
                    said(f->n_backlog == 1 ? "is" : "are"));
    struct table_build b =
        table_begin(perm, S("kernel_summary"), str_c(perm, about), t->kernels.n);
    add_columns(&b, columns_of(t));
    return table_of_rows(&b, t, put_kernel_row);
}

struct report_table sheet_histogram(struct arena *perm, const struct op_tables *t)
{
    const struct kernel_tables *k = &t->kernels;
    struct table_build b =
        table_begin(perm, S("short_kernel_histogram"),
                    "Kernels shorter than 10 µs, by duration", k->n_bins);
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

COLUMNS(kernel_of_short, short_kernel_row,
        COL(AS("Kernel name", kernel, NAME), "Kernel"));
COLUMNS(sum_of_name, short_kernel_row,
        COL_IN(US, AS("Kernel duration (µs)", sum_us, US), "Sum of the durations"));
COLUMNS(sum_of_short, short_kernel_row,
        COL_IN(US, AS("Short Kernel duration (µs) sum", sum_us, US),
               "Sum of the durations"));
COLUMNS(means_of_short, short_kernel_row,
        COL_IN(COUNT, AS("Short Kernel count", n, COUNT), "Kernels"),
        COL_IN(US, AS("Short Kernel duration (µs) mean", mean_us, US), "Mean duration"),
        COL_IN(PERCENT,
               AS("Short Kernel duration (µs) percent of total time", total_pct, PCT),
               "Share of the total time"));
COLUMNS(short_columns, short_kernel_row, WITH(kernel_of_short), WITH(sum_of_short),
        WITH(means_of_short));
COLUMNS(named_short_columns, short_kernel_row, WITH(kernel_of_short), WITH(sum_of_name),
        WITH(means_of_short));

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
    put_fields(b, short_columns(), r, k);
}

/* If no short kernel's operator has shapes and strides, the table is by kernel name.
 * The reference then writes only a header, and our first column has the same name as
 * there. */
struct report_table sheet_short_kernels(struct arena *perm, const struct op_tables *t)
{
    const struct kernel_tables *k = &t->kernels;
    struct table_build b = table_begin(
        perm, S("short_kernels_summary"),
        k->short_by_name ? "Kernels shorter than 10 µs, by name"
                         : "Kernels shorter than 10 µs, by operator arguments",
        k->n_short);
    if (!k->short_by_name) {
        add_column(&b, S("Parent cpu_op"), UNIT_NONE, "Operator above it");
        add_column(&b, S("Input dims"), UNIT_NONE, "Shapes of its arguments");
        add_column(&b, S("Input strides"), UNIT_NONE, "Strides of its arguments");
        add_column(&b, S("Concrete Inputs"), UNIT_NONE, "Values of scalar arguments");
    }
    add_columns(&b, k->short_by_name && t->facts.has_cpu_op ? named_short_columns()
                                                            : short_columns());
    return table_of_rows(&b, k, put_short_row);
}

COLUMNS(collective_figures, collective_row, COL(F(stream, KNOWN), "Stream it ran on"),
        COL_IN(MIB, AS("In msg size (MB)_first", in_mib, RATE),
               "Message in, in MiB (2^20)"),
        COL_IN(MIB, AS("Out msg size (MB)_first", out_mib, RATE),
               "Message out, in MiB (2^20)"),
        COL_IN(US, AS("dur_sum", us.sum, US),
               "Sum of the durations on this rank, waiting included"),
        COL_IN(US, AS("dur_mean", us.mean, US), "Mean duration"),
        COL_IN(US, AS("dur_std", us.std, US), "Deviation of the durations"),
        COL_IN(US, AS("dur_min", us.min, US), "Shortest"),
        COL_IN(US, AS("dur_max", us.max, US), "Longest"),
        COL_IN(COUNT, AS("operation_count", us.n, COUNT), "Kernels"));

struct report_table sheet_collectives(struct arena *perm, const struct op_tables *t)
{
    struct table_build b =
        table_begin(perm, S("coll_analysis"),
                    "Communication kernels of this rank that say what they carry",
                    t->collectives.n);
    add_column(&b, S("rank"), UNIT_NONE, "0: the only rank of this report");
    for (int k = 0; k < COLLECTIVE_KEYS; k++)
        add_column(&b, str_of(collective_keys[k]), UNIT_NONE,
                   "As the profiler recorded it");
    add_columns(&b, collective_figures());
    for (int32_t i = 0; i < t->collectives.n; i++) {
        const struct collective_row *r = &t->collectives.rows[i];
        put_int(&b, 0);
        for (int k = 0; k < COLLECTIVE_KEYS; k++)
            put_name(&b, r->key[k]);
        put_fields(&b, collective_figures(), r, t);
    }
    return table_done(&b);
}
