#include "export/estimates_json.h"

#include "base/arena.h"
#include "base/describe.h"
#include "export/described_json.h"
#include "export/json_tree.h"
#include "ops/op_groups.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

/* The possible saving of one row, in % of wall time. */
struct estimate {
    const struct work_row *row;
    double low, mid, high;
    bool modelled;
};

static bool estimate_of(const struct work_row *w, struct estimate *e)
{
    double pct = w->group->roofline_pct, q = w->total_pct;
    *e = (struct estimate){.row = w, .modelled = !isnan(pct)};
    if (e->modelled) {
        double gap = pct < 100.0 ? 1.0 - pct / 100.0 : 0.0;
        e->high = gap * q;
        e->mid = 0.875 * e->high;
        e->low = 0.75 * e->high;
    } else {
        e->high = 0.45 * q;
        e->mid = 0.30 * q;
        e->low = 0.15 * q;
    }
    return e->high >= 0.01;
}

/* Every row with a possible saving, category by category. */
static int collect(struct arena *perm, const struct analysis *a,
                   const struct category_result *only, struct estimate **list)
{
    int n = 0, most = 0;
    for (int c = 0; c < WORK_COMMUNICATION; c++)
        most += a->categories[c].n_rows;
    *list = arena_new(perm, struct estimate, most);
    for (int c = 0; c < WORK_COMMUNICATION; c++) {
        const struct category_result *r = &a->categories[c];
        for (int32_t k = 0; k < r->n_rows && (!only || only == r); k++)
            n += estimate_of(&r->rows[k], &(*list)[n]);
    }
    return n;
}

TELL(struct str, method, estimate, it->modelled ? S("roofline") : S("time_share"));
static FIELDS(op_call_row, AS("ex_uid", uid, NUMBER));
static VIEW(first_uid, op_group, MEMBERS_OF(first, op_call_row));
static VIEW(reached, op_group, AS("efficiency_percent", roofline_pct, PCT));
static VIEW(named_row, work_row, ENUM(category, work_category_name, WORK_CATEGORIES),
            AS("op", name, TEXT), MEMBERS_OF(group, first_uid));
static VIEW(measured_row, work_row, AS("percent_of_total", total_pct, PCT),
            MEMBERS_OF(group, reached));
static FIELDS(estimate, MEMBERS_OF(row, named_row), CALL(method, TEXT, method),
              MEMBERS_OF(row, measured_row), F(low, RATE), F(mid, RATE), F(high, RATE));

/* Of the list of rows. */
enum { ESTIMATES_BYTES = 3 << 17 };

cJSON *estimates_json(struct arena tmp, const struct analysis *a,
                      const struct category_result *only)
{
    struct estimate *e;
    int n = collect(&tmp, a, only, &e);
    cJSON *list = json_list();
    ptrdiff_t room = ESTIMATES_BYTES;
    for (int k = 0; k < n && room > 0; k++)
        json_push_within(list, document_json(estimate_fields(), &e[k], tmp), &room);
    return list;
}

/* Rows of one category of the peer, bound, library and band of efficiency; rows without
 * a model by name. */
struct e_group {
    struct str category, library, op;
    enum roofline_bound bound;
    int band; /* 0: 0-30, 1: 30-60, 2: 60-100, 3: no model */
    double low, mid, high, time_ms;
    int n;
};

static int band_of(double pct)
{
    return isnan(pct) ? 3 : pct < 30.0 ? 0 : pct < 60.0 ? 1 : 2;
}

static bool is_group(const struct e_group *x, const struct e_group *y)
{
    return str_eq(x->category, y->category) && x->bound == y->bound &&
           x->band == y->band && str_eq(x->library, y->library) && str_eq(x->op, y->op);
}

static void add_to_group(struct e_group *groups, int *n, const struct estimate *e)
{
    const struct work_row *w = e->row;
    struct e_group g = {.category = w->group->first->category,
                        .bound = w->group->bound,
                        .band = band_of(w->group->roofline_pct)};
    if (e->modelled)
        g.library = w->library;
    else
        g.op = w->name;
    int k = 0;
    while (k < *n && !is_group(&groups[k], &g))
        k++;
    if (k == *n)
        groups[(*n)++] = g;
    groups[k].low += e->low;
    groups[k].mid += e->mid;
    groups[k].high += e->high;
    groups[k].time_ms += w->time_ms;
    groups[k].n++;
}

static int by_mid(const void *a, const void *b)
{
    const struct e_group *x = a, *y = b;
    if (x->mid != y->mid)
        return x->mid > y->mid ? -1 : 1;
    int c = str_cmp(x->category, y->category);
    c = c ? c : str_cmp(x->op, y->op);
    c = c ? c : str_cmp(x->library, y->library);
    c = c ? c : x->band - y->band;
    return c ? c : (int)x->bound - (int)y->bound;
}

static struct str lower_case(const struct described *in)
{
    const struct e_group *g = in->of;
    char *lower = str_c(in->tmp, g->category);
    for (char *c = lower; *c; c++)
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    return str_of(lower);
}

static struct str band_word(const struct described *in)
{
    static const struct str bands[] = {S_INIT("0-30"), S_INIT("30-60"),
                                       S_INIT("60-100"), S_INIT("unknown")};
    return bands[((const struct e_group *)in->of)->band];
}

TELL(struct str, group_type, e_group,
     it->band == 3 ? S("time_share") : S("kernel_tuning"));
static FIELDS(e_group, CALL(category, TEXT, lower_case), CALL(type, TEXT, group_type),
              F(op, NAME), ENUM_AS("bound_type", bound, bound_word, BOUND_MEMORY + 1),
              F(library, NAME), CALL(efficiency_band, TEXT, band_word),
              AS("rows", n, COUNT), F(time_ms, MS), F(low, RATE), F(mid, RATE),
              F(high, RATE));

cJSON *estimate_groups_json(struct arena tmp, const struct analysis *a,
                            const struct category_result *only)
{
    struct estimate *e;
    int n_rows = collect(&tmp, a, only, &e), n = 0;
    struct e_group *groups = arena_new(&tmp, struct e_group, n_rows);
    for (int k = 0; k < n_rows; k++)
        add_to_group(groups, &n, &e[k]);
    qsort(groups, (size_t)n, sizeof *groups, by_mid);
    cJSON *list = json_list();
    for (int k = 0; k < n && groups[k].mid >= 0.5; k++)
        json_push(list, document_json(e_group_fields(), &groups[k], tmp));
    return list;
}
