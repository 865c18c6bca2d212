/* A comparison of two jobs as pages: its tables, with times in ms. */
#include "base/arena.h"
#include "base/sha256.h"
#include "report/job/job_compare.h"
#include "report/job/job_maker.h"

#include <math.h>

static struct str cell_shown(struct arena *perm, const struct table_column *column,
                             const struct cell *c)
{
    switch (c->kind) {
    case CELL_INT:
        return str_ends(column->title, S("_ns"))
                   ? str_printf(perm, "%.3f", (double)c->as.i / 1e6)
                   : str_printf(perm, "%lld", (long long)c->as.i);
    case CELL_REAL:
        return isfinite(c->as.r) ? str_printf(perm, "%.*f",
                                              str_ends(column->title, S("_pct")) ||
                                                      c->as.r != floor(c->as.r)
                                                  ? 1
                                                  : 0,
                                              c->as.r)
                                 : S("-");
    case CELL_BOOL:
        return c->as.b ? S("yes") : S("no");
    case CELL_NONE:
        return S("-");
    default:
        return c->as.text.n ? c->as.text : S("-");
    }
}

static bool is_numeric(const struct report_table *t, ptrdiff_t column)
{
    for (ptrdiff_t i = 0; i < t->n_rows; i++) {
        enum cell_kind kind = table_cell(t, i, column)->kind;
        if (kind != CELL_NONE)
            return kind == CELL_INT || kind == CELL_REAL;
    }
    return false;
}

static struct job_table table_shown(struct arena *perm, const struct report_table *t)
{
    struct job_table to = {.caption = t->purpose, .n_columns = (int)t->n_columns};
    to.n_rows = t->n_rows < JOB_TABLE_ROWS ? (int)t->n_rows : JOB_TABLE_ROWS;
    to.cells = arena_new(perm, struct job_cell, to.n_rows * t->n_columns);
    for (ptrdiff_t k = 0; k < t->n_columns; k++) {
        const struct table_column *column = &t->columns[k];
        to.columns[k] = (struct job_column){
            str_printf(perm, "%.*s%s", STRF(column->meaning),
                       str_ends(column->title, S("_ns")) ? ", ms" : ""),
            is_numeric(t, k)};
        for (ptrdiff_t i = 0; i < to.n_rows; i++)
            to.cells[i * t->n_columns + k].text =
                cell_shown(perm, column, table_cell(t, i, k));
    }
    if (t->n_rows > to.n_rows)
        to.more = str_printf(perm, "%lld more rows are in `compare_csvs/%.*s.csv`",
                             (long long)(t->n_rows - to.n_rows), STRF(t->name));
    return to;
}

static void table_section(struct arena *perm, struct job_page *p,
                          const struct job_comparison *c, enum job_compare_table t,
                          const char *id, const char *title, const char *empty)
{
    struct job_section *s = job_section_add(p, id, title);
    s->has_table = c->tables[t].n_rows > 0;
    if (s->has_table)
        s->table = table_shown(perm, &c->tables[t]);
    else
        s->paras[s->n_paras++] = str_of(empty);
}

static struct str id_of(struct arena *perm, const struct job_comparison *c,
                        struct str version)
{
    char hex[SHA256_HEX_BYTES];
    sha256_hex_of(str_printf(perm, "%.*s %.*s %.*s", STRF(version), STRF(c->of[0]->id),
                             STRF(c->of[1]->id)),
                  hex);
    return str_copy(perm, str_head(str_of(hex), 16));
}

struct job_document *job_compare_document(struct arena *perm,
                                          const struct job_comparison *c,
                                          struct str tool_version)
{
    struct job_document *d = arena_new(perm, struct job_document, 1);
    d->title = S("Comparison of two jobs");
    d->label = str_printf(perm, "%.*s against %.*s", STRF(c->of[1]->label),
                          STRF(c->of[0]->label));
    d->id = id_of(perm, c, tool_version);
    d->made_by = tool_version;
    struct job_page *p = job_page_add(perm, d, "index.html", "Summary",
                                      "What differs between these two jobs, and why?");
    struct job_section *s = job_section_add(p, "verdict", "Verdict");
    for (int i = 0; i < c->n_verdict; i++)
        s->paras[s->n_paras++] = c->verdict[i];
    table_section(perm, p, c, JOB_COMPARE_SETUP, "setup", "What the jobs are", "");
    table_section(perm, p, c, JOB_COMPARE_PARTS, "parts",
                  c->by_step ? "Where a step of the mean rank goes"
                             : "Where the time of the mean rank goes",
                  "");
    table_section(perm, p, c, JOB_COMPARE_CAUSES, "causes", "Why ranks are late",
                  "No rank of either job is late");
    p = job_page_add(perm, d, "ranks.html", "Ranks",
                     "Which ranks differ between the jobs?");
    table_section(perm, p, c, JOB_COMPARE_RANKS, "blame", "Who makes the others wait",
                  "");
    table_section(perm, p, c, JOB_COMPARE_SPREAD, "spread",
                  "How time differs between ranks", "");
    p = job_page_add(perm, d, "collectives.html", "Collectives",
                     "How fast does data move?");
    table_section(perm, p, c, JOB_COMPARE_SPEED, "speed",
                  "Transfers that both jobs have",
                  "The jobs have no transfers of one kind, size and number of ranks");
    return d;
}
