/* Timeline and summaries: where time goes, in a few rows. */
#include "base/out.h"
#include "base/python_text.h"
#include "report/sheets_parts.h"
#include "report/table_fields.h"

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
        "Part of the time from the first device event to the end of the last; "
        "computation, exposed communication, exposed copies and "
        "idle add up to the total, which the backlog of the step before and a leading "
        "artefact are not in");
    add_column(&b, S("time ms"), UNIT_MS, "Length of the union of its intervals");
    add_column(&b, S("percent"), UNIT_PERCENT, "Share of the total time");
    add_recompute(&b, t);
    if (!f->has_recompute)
        timeline_rows(&b, &f->device_time, t, false);
    for (int marked = 0; marked < 2 && f->has_recompute; marked++)
        if (f->split[marked].n_events)
            timeline_rows(&b, &f->split[marked], t, marked);
    left_out_rows(&b, t);
    return table_done(&b);
}

COLUMNS(recompute_column, summary_row,
        COL(AS("is_recompute", recompute, FLAG),
            "True for work that activation checkpointing runs a second time"));
COLUMNS(category_column, summary_row,
        COL(AS("op category", name, TEXT), "Kind of operator"));
COLUMNS(category_figures, summary_row,
        COL_IN(COUNT, AS("Count", count, COUNT),
               "Operator calls that launched device work"),
        COL_IN(MS, AS("total_direct_kernel_time_ms", direct_ns, NS_IN_MS),
               "Time of the device work they launched themselves"),
        COL_IN(PERCENT, AS("Percentage (%)", share_pct, PCT), "Share of all rows"),
        COL_IN(PERCENT, AS("Cumulative Percentage (%)", cumulative_pct, PCT),
               "Share up to this row"));
COLUMNS(category_columns, summary_row, WITH(category_column), WITH(category_figures));
COLUMNS(marked_category_columns, summary_row, WITH(category_column),
        WITH(recompute_column), WITH(category_figures));

struct report_table sheet_by_category(struct arena *perm, const struct op_tables *t)
{
    const struct op_summary *s = &t->by_category;
    return table_told(perm, "ops_summary_by_category",
                      "Operators that launched device work, by category",
                      t->facts.has_recompute ? marked_category_columns()
                                             : category_columns(),
                      TABLE_ITEMS(s->rows, s->n), t);
}

static struct str categories(const struct described *in)
{
    const struct summary_row *r = in->of;
    struct out o;
    out_memory(&o);
    for (int k = 0; k < r->n_categories; k++) {
        out_c(&o, k ? ", " : "[");
        python_string(&o, r->categories[k]);
    }
    out_char(&o, ']');
    return out_text(&o, in->tmp);
}

TELL(double, direct_us, summary_row, (double)it->direct_ns / 1e3);
TELL(double, subtree_us, summary_row, (double)it->subtree_ns / 1e3);
COLUMNS(name_column, summary_row,
        COL(F(name, NAME), "Operator, or launch call without an operator"));
COLUMNS(
    name_figures, summary_row,
    COL_IN(US, CALL(total_direct_kernel_time_sum, US, direct_us),
           "Time of the device work they launched themselves"),
    COL_IN(US, CALL(total_subtree_kernel_time_sum, US, subtree_us),
           "The same with all that operators below launched"),
    COL_IN(MS, AS("total_direct_kernel_time_ms", direct_ns, NS_IN_MS), "Direct time"),
    COL_IN(MS, AS("total_subtree_kernel_time_ms", subtree_ns, NS_IN_MS),
           "Subtree time"),
    COL_IN(COUNT, AS("Count", count, COUNT), "Calls that launched device work"),
    COL(CALL(Categories, TEXT, categories), "Categories that occur under this name"),
    COL_IN(PERCENT, AS("Percentage (%)", share_pct, PCT), "Share of all direct time"),
    COL_IN(PERCENT, AS("Cumulative Percentage (%)", cumulative_pct, PCT),
           "Share up to this row"));
COLUMNS(name_columns, summary_row, WITH(name_column), WITH(name_figures));
COLUMNS(marked_name_columns, summary_row, WITH(name_column), WITH(recompute_column),
        WITH(name_figures));

static const struct table_fields *by_name_columns(const struct op_tables *t)
{
    return t->facts.has_recompute ? marked_name_columns() : name_columns();
}

static void put_name_row(struct table_build *b, const void *of, ptrdiff_t row)
{
    const struct op_tables *t = of;
    put_fields(b, by_name_columns(t), &t->by_name.rows[row], t);
}

struct report_table sheet_by_name(struct arena *perm, const struct op_tables *t)
{
    struct table_build b =
        table_begin(perm, S("ops_summary"),
                    "Operators that launched device work, by name", t->by_name.n);
    add_columns(&b, by_name_columns(t));
    return table_of_rows(&b, t, put_name_row);
}
