/* Timeline and summaries: where time goes, in a few rows. */
#include "base/out.h"
#include "base/python_text.h"
#include "report/sheets_parts.h"

static void add_recompute(struct table_build *b, const struct op_tables *t)
{
    if (t->facts.has_recompute)
        add_column(b, S("is_recompute"), UNIT_NONE,
                   "True for work that activation checkpointing runs a second time");
}

static void timeline_rows(struct table_build *b, const struct wall_time *g,
                          const struct op_tables *t, bool recompute)
{
    const struct {
        struct str type;
        int64_t ns;
    } rows[] = {{S_INIT("computation_time"), g->computation_ns},
                {S_INIT("exposed_comm_time"), g->exposed_comm_ns},
                {S_INIT("exposed_memcpy_time"), g->exposed_memcpy_ns},
                {S_INIT("busy_time"), g->busy_ns},
                {S_INIT("idle_time"), g->idle_ns},
                {S_INIT("total_time"), g->total_ns},
                {S_INIT("total_comm_time"), g->total_comm_ns},
                {S_INIT("total_memcpy_time"), g->total_memcpy_ns}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put_text(b, rows[i].type);
        put_real(b, (double)rows[i].ns / 1e6);
        put_real(b,
                 g->total_ns ? 100.0 * (double)rows[i].ns / (double)g->total_ns : 0.0);
        if (t->facts.has_recompute)
            put_bool(b, recompute);
    }
}

/* What the rows above leave out, where there is any. The reference's tables never do.
 */
static void left_out_rows(struct table_build *b, const struct op_tables *t)
{
    const struct trace_facts *f = &t->facts;
    const struct {
        struct str type;
        int64_t ns;
    } rows[] = {{S_INIT("backlog_time"), f->backlog_ns},
                {S_INIT("leading_artefact_time"), f->artefact_ns},
                {S_INIT("recording_time"), f->recording_ns}};
    if (f->unlinked != UNLINKED_IN_WINDOW || !(f->backlog_ns || f->artefact_ns))
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].ns)
            continue;
        put_text(b, rows[i].type);
        put_real(b, (double)rows[i].ns / 1e6);
        put_none(b);
        if (f->has_recompute)
            put_bool(b, false);
    }
}

struct report_table sheet_timeline(struct arena *perm, const struct op_tables *t)
{
    const struct trace_facts *f = &t->facts;
    struct table_build b = table_begin(perm, S("gpu_timeline"),
                                       "How the wall time of the devices divides", 19);
    add_column(
        &b, S("type"), UNIT_NONE,
        "Part of the time; computation, exposed communication, exposed copies and "
        "idle add up to the total, which the backlog of the step before and a leading "
        "artefact are not in");
    add_column(&b, S("time ms"), UNIT_MS, "Length of the union of its intervals");
    add_column(&b, S("percent"), UNIT_PERCENT, "Share of the total time");
    add_recompute(&b, t);
    if (!f->has_recompute)
        timeline_rows(&b, &f->time, t, false);
    for (int marked = 0; marked < 2 && f->has_recompute; marked++)
        if (f->split[marked].n_events)
            timeline_rows(&b, &f->split[marked], t, marked);
    left_out_rows(&b, t);
    return table_done(&b);
}

struct report_table sheet_by_category(struct arena *perm, const struct op_tables *t)
{
    const struct op_summary *s = &t->by_category;
    struct table_build b =
        table_begin(perm, S("ops_summary_by_category"),
                    "Operators that launched device work, by category", s->n);
    add_column(&b, S("op category"), UNIT_NONE, "Kind of operator");
    add_recompute(&b, t);
    add_column(&b, S("Count"), UNIT_COUNT, "Operator calls that launched device work");
    add_column(&b, S("total_direct_kernel_time_ms"), UNIT_MS,
               "Time of the device work they launched themselves");
    add_column(&b, S("Percentage (%)"), UNIT_PERCENT, "Share of all rows");
    add_column(&b, S("Cumulative Percentage (%)"), UNIT_PERCENT,
               "Share up to this row");
    for (int32_t i = 0; i < s->n; i++) {
        const struct summary_row *r = &s->rows[i];
        put_text(&b, r->name);
        if (t->facts.has_recompute)
            put_bool(&b, r->recompute);
        put_int(&b, r->count);
        put_real(&b, (double)r->direct_ns / 1e6);
        put_real(&b, r->share_pct);
        put_real(&b, r->cumulative_pct);
    }
    return table_done(&b);
}

static void put_categories(struct table_build *b, const struct summary_row *r)
{
    struct out o;
    out_memory(&o);
    for (int k = 0; k < r->n_categories; k++) {
        out_c(&o, k ? ", " : "[");
        python_string(&o, r->categories[k]);
    }
    out_char(&o, ']');
    put_text(b, out_text(&o, b->arena));
}

static void put_name_row(struct table_build *b, const void *of, ptrdiff_t row)
{
    const struct op_tables *t = of;
    const struct summary_row *r = &t->by_name.rows[row];
    put_name(b, r->name);
    if (t->facts.has_recompute)
        put_bool(b, r->recompute);
    put_real(b, (double)r->direct_ns / 1e3);
    put_real(b, (double)r->subtree_ns / 1e3);
    put_real(b, (double)r->direct_ns / 1e6);
    put_real(b, (double)r->subtree_ns / 1e6);
    put_int(b, r->count);
    put_categories(b, r);
    put_real(b, r->share_pct);
    put_real(b, r->cumulative_pct);
}

struct report_table sheet_by_name(struct arena *perm, const struct op_tables *t)
{
    const struct op_summary *s = &t->by_name;
    struct table_build b = table_begin(
        perm, S("ops_summary"), "Operators that launched device work, by name", s->n);
    add_column(&b, S("name"), UNIT_NONE,
               "Operator, or launch call without an operator");
    add_recompute(&b, t);
    add_column(&b, S("total_direct_kernel_time_sum"), UNIT_US,
               "Time of the device work they launched themselves");
    add_column(&b, S("total_subtree_kernel_time_sum"), UNIT_US,
               "The same with all that operators below launched");
    add_column(&b, S("total_direct_kernel_time_ms"), UNIT_MS, "Direct time");
    add_column(&b, S("total_subtree_kernel_time_ms"), UNIT_MS, "Subtree time");
    add_column(&b, S("Count"), UNIT_COUNT, "Calls that launched device work");
    add_column(&b, S("Categories"), UNIT_NONE, "Categories that occur under this name");
    add_column(&b, S("Percentage (%)"), UNIT_PERCENT, "Share of all direct time");
    add_column(&b, S("Cumulative Percentage (%)"), UNIT_PERCENT,
               "Share up to this row");
    return table_of_rows(&b, t, put_name_row);
}
