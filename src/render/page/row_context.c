#include "render/page/row_context.h"

#include "analysis/model/number_text.h"
#include "base/arena.h"
#include "render/text/html_text.h"
#include "render/text/shown_fields.h"
#include "report/finding_shown.h"
#include "report/more_shown.h"
#include "report/page_shown.h"

#include <math.h>
#include <string.h>

/* Columns that a table of operations may lack, in order. */
enum op_column {
    OP_LAUNCHES,
    OP_EFFICIENCY,
    OP_BOUND,
    OP_FINDING,
    OP_MEAN,
    OP_P95,
    OP_SPREAD,
    OP_INTENSITY,
    OP_FLOP,
    OP_RATE,
    OP_KERNELS,
    OP_REPLAY,
    OP_COLUMNS
};

static struct str op_part_text(struct arena *a, const struct op_part *p)
{
    struct str share = number_pct(a, p->pct), sum = number_pct(a, p->sum_pct);
    return str_printf(a, "%.*s %.*s", STRF(share), STRF(sum));
}

struct op_part *op_parts(struct arena *a, const struct report *r)
{
    struct op_part *parts = arena_new(a, struct op_part, r->n_ops);
    double *sum_ms = arena_new(a, double, r->n_categories + 1);
    for (int i = 0; i < r->n_ops; i++) {
        int c = r->ops[i].category;
        double ms = r->ops[i].row->time_ms,
               whole_ms = c < 0 ? (double)NAN : r->categories[c].time_ms;
        sum_ms[c + 1] += ms;
        parts[i] = (struct op_part){100.0 * ms / whole_ms,
                                    fmin(100.0, 100.0 * sum_ms[c + 1] / whole_ms)};
        if (c < 0)
            parts[i] = (struct op_part){(double)NAN, (double)NAN};
    }
    return parts;
}

struct str kit_row_id(struct arena *a, struct str file)
{
    return str_printf(a, "kit-%08x", (unsigned)(str_hash(file) >> 32));
}

struct str kit_href(struct arena *a, struct str file)
{
    return str_printf(a, "replay.html#%.*s", STRF(kit_row_id(a, file)));
}

static struct json_member finding_of(const struct report *r, int k)
{
    return context_told("finding", shown_finding_fields(), &r->findings[k], r);
}

cJSON *op_row(cJSON *list, const struct report *r, int index, struct arena tmp)
{
    const struct report_op *op = &r->ops[index];
    cJSON *row = context_lend(context_push(list), shown_op_fields(), op, r);
    int n = op->group->n_kernels; /* the longest is the last */
    /* The name is the permalink, unless it needs a fold: a link may not hold one. */
    struct str brief = name_short(&tmp, op->row->name, OP_NAME_CHARS);
    json_put(row, M("op_id", op->id), M("href", op_href(&tmp, r, index)),
             N(op->row, name), json_bool("folds", !str_eq(brief, op->row->name)),
             N(op->row, args),
             context_name("kernel", n ? op->group->kernels[n - 1].name : S("")),
             row_category(r, op->row->category),
             M("kit", op->kit.n ? kit_href(&tmp, op->kit) : S("")));
    if (op->finding >= 0)
        json_put(row, finding_of(r, op->finding));
    return row;
}

void op_table_row(cJSON *list, const struct report *r, int index,
                  const struct op_part *parts, struct arena tmp)
{
    int category = r->ops[index].category;
    cJSON *row = op_row(list, r, index, tmp);
    json_put(row, M("part_pct", parts[index].pct),
             M("part_sum_pct", parts[index].sum_pct));
    if (category >= 0 && r->categories[category].n_ops > SITE_CATEGORY_ROWS)
        json_put(row, M("of_category", op_part_text(&tmp, &parts[index])));
}

static struct str known(double v, struct str text)
{
    return isnan(v) ? S("") : text;
}

/* The text of an operation in a column that some tables leave out. */
static struct str column_text(struct arena *a, const struct report *r,
                              const struct report_op *op, enum op_column c)
{
    const struct op_group *g = op->group;
    double pct = op->row->efficiency.percent, spread_pct = report_op_spread_pct(op);
    switch (c) {
    case OP_LAUNCHES:
        return str_printf(a, "%lld", (long long)op->row->count);
    case OP_EFFICIENCY:
        return known(pct, number_pct(a, pct));
    case OP_BOUND:
        return bound_word(op->row->efficiency.bound);
    case OP_FINDING:
        return op->finding < 0 ? S("") : finding_rank(&r->findings[op->finding]);
    case OP_MEAN:
        return number_us(a, op->row->mean_us);
    case OP_P95:
        return number_us(a, op->p95_us);
    case OP_SPREAD:
        return known(spread_pct, number_fixed(a, spread_pct, 1));
    case OP_INTENSITY:
        return known(g->flop_per_byte, number_fixed(a, g->flop_per_byte, 2));
    case OP_FLOP:
        return known(g->tflop_per_s, number_fixed(a, g->tflop_per_s, 2));
    case OP_RATE:
        return known(g->tb_per_s, number_fixed(a, g->tb_per_s, 3));
    case OP_KERNELS:
        return str_printf(a, "%d", g->n_kernels);
    default:
        return op->kit;
    }
}

static const struct {
    const char *key, *word; /* word: "the same in every row: 24 launches" */
    int cell;               /* of a row in rows_file.h */
} op_column_list[OP_COLUMNS] = {
    [OP_LAUNCHES] = {"launches", "launches", 2},
    [OP_EFFICIENCY] = {"efficiency", "% of roof", 5},
    [OP_BOUND] = {"bound", "bound", 6},
    [OP_FINDING] = {"finding", "finding", 7},
    [OP_MEAN] = {"mean", "µs a launch", 9},
    [OP_P95] = {"p95", "µs at the 95th percentile", 10},
    [OP_SPREAD] = {"spread", "% of spread", 11},
    [OP_INTENSITY] = {"intensity", "FLOP/byte", 12},
    [OP_FLOP] = {"flop", "TFLOP/s", 13},
    [OP_RATE] = {"rate", "TB/s", 14},
    [OP_KERNELS] = {"kernels", "kernels", 15},
    [OP_REPLAY] = {"replay", "replay", 16},
};

/* Whether the column tells rows apart; else its text, the same in all of them. */
static bool column_differs(const struct report *r, const int *at, int n,
                           enum op_column c, struct arena *a, struct str *same)
{
    *same = column_text(a, r, &r->ops[at[0]], c);
    for (int k = 1; k < n; k++) {
        struct arena tmp = *a;
        if (!str_eq(*same, column_text(&tmp, r, &r->ops[at[k]], c)))
            return true;
    }
    return n == 1 && same->n > 0;
}

static struct str same_text(struct arena *a, enum op_column c, struct str text)
{
    const char *word = op_column_list[c].word;
    if (c == OP_BOUND)
        return str_printf(a, "bound by %s",
                          str_eq(text, S("memory")) ? "memory" : "computation");
    if (c == OP_FINDING)
        return str_printf(a, "finding %.*s", STRF(text));
    if (c == OP_LAUNCHES && str_eq(text, S("1")))
        word = "launch";
    if (c == OP_KERNELS && str_eq(text, S("1")))
        word = "kernel";
    return str_printf(a, "%.*s %s", STRF(text), word);
}

enum { COLUMNS_KEPT = 5, COLUMNS_SHOWN = 8 }; /* kept: name, total, shares; category */

static void put_columns(cJSON *col, bool category, int n)
{
    json_put(col, json_bool("category", category), M("n", n),
             json_bool("more", n > COLUMNS_SHOWN));
}

void op_columns_all(cJSON *context)
{
    cJSON *col = json_put_object(context, "col");
    for (int c = 0; c < OP_COLUMNS; c++)
        json_put(col, json_bool(op_column_list[c].key, true));
    put_columns(col, true, COLUMNS_KEPT + OP_COLUMNS);
}

void op_columns(cJSON *context, const struct report *r, const int *at, int n,
                struct arena tmp)
{
    cJSON *col = json_put_object(context, "col");
    struct str cells = S("0"), same[OP_COLUMNS], text;
    int n_columns = COLUMNS_KEPT - 1, n_same = 0;
    for (int c = 0; c < OP_COLUMNS; c++) {
        bool has = column_differs(r, at, n, (enum op_column)c, &tmp, &text);
        json_put(col, json_bool(op_column_list[c].key, has));
        n_columns += has;
        if (has)
            cells = str_printf(&tmp, "%.*s %d", STRF(cells), op_column_list[c].cell);
        else if (text.n && c != OP_REPLAY)
            same[n_same++] = same_text(&tmp, (enum op_column)c, text);
        if (c == OP_LAUNCHES) /* total, share and sum stand after them */
            cells = str_printf(&tmp, "%.*s 3 17 18", STRF(cells));
    }
    put_columns(col, false, n_columns);
    json_put(context, M("cells", cells), context_items("same", same, n_same));
}

struct str kernel_op(const struct report_kernel *k)
{
    return k->op.n && !str_trim(k->op).n ? S("(no name)") : k->op;
}

struct json_member row_category(const struct report *r, enum work_category c)
{
    return ctx_category("category", r, work_category_name(c), work_category_display(c));
}

void kernel_row(cJSON *list, const struct site *s, int index, struct arena tmp)
{
    const struct report_kernel *k = &s->r->kernels[index];
    const struct kernel_line *line = &s->kernels.at[index];
    cJSON *row = context_lend(context_push(list), shown_kernel_fields(), k, s->r);
    context_lend(row, kernel_line_fields(), line, s->r);
    json_put(row, M("href", kernel_href(&tmp, s->r, index)),
             row_category(s->r, k->work), context_name("op", kernel_op(k)));
    if (line->op >= 0 && line->op < report_listed(s->r->n_ops))
        json_put(row, M("op_href", op_href(&tmp, s->r, line->op)));
    if (line->finding >= 0)
        json_put(row, finding_of(s->r, line->finding));
}

static cJSON *put_csv(cJSON *context, const char *folder, struct str name,
                      struct arena tmp)
{
    cJSON *csv = json_put_object(context, "csv");
    json_put(csv, M("href", str_printf(&tmp, "%s/%.*s", folder, STRF(name))),
             M("name", name));
    return csv;
}

/* Named and not linked: a link says the size, and another thread may yet have to write
 * it. */
void ctx_own_csv(cJSON *context, const struct site *s, const char *table,
                 struct arena tmp)
{
    if (s->o->csv)
        put_csv(context, "own_tables", str_printf(&tmp, "%s.csv", table), tmp);
}

void ctx_more(cJSON *context, const struct site *s, const char *page, struct arena tmp)
{
    for (int k = 0; k < n_more_shown; k++) {
        const struct more_shown *m = &more_shown[k];
        const void *of = strcmp(m->page, page) == 0 ? m->of(s->r) : NULL;
        if (!of)
            continue;
        cJSON *to =
            context_lend(json_put_object(context, m->name), m->told(), of, s->r);
        json_put(to, context_some("left", m->n_rows(s->r) - m->page_rows));
        ctx_own_csv(to, s, m->file, tmp);
    }
}

void ctx_csv(cJSON *context, const struct site *s, const char *table, struct arena tmp)
{
    bool there = false;
    for (ptrdiff_t k = 0; k < s->r->n_tables; k++)
        there |= str_eq(s->r->tables[k].name, str_of(table)) && s->r->tables[k].n_rows;
    if (!s->o->csv || !there)
        return;
    struct str name = str_printf(&tmp, "%s.csv", table);
    json_put(
        put_csv(context, "perf_report_csvs", name, tmp),
        M("bytes",
          ctx_bytes(s, tmp, str_printf(&tmp, "perf_report_csvs/%.*s", STRF(name)))));
}
