#include "report/compare/sheet_compare.h"

#include "base/arena.h"
#include "base/name_pool.h"
#include "base/out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lists are separated by '|'. */
struct sheet_rule {
    struct str source, result, keys, compared;
    struct str dropped, dropped_candidate; /* columns left out of both, of one */
    enum { AS_ONE, SPLIT, SPLIT_BY_PARAMS } form;
    bool sorted; /* by the first compared column of the reference, largest first */
};

#define CUMULATIVE S_INIT("Cumulative Percentage (%)")
#define CALL_KEYS  S_INIT("name|Input type|Input Dims|Input Strides|Concrete Inputs")
#define FAMILY_RATES                                                                   \
    S_INIT("Kernel Time (µs)_sum|Kernel Time (µs)_mean|name_count|TFLOPS/s_mean|"    \
           "TB/s_mean")
#define FAMILY_DROPPED                                                                 \
    S_INIT("GFLOPS_first|Data Moved (MB)_first|FLOPS/Byte_first|Input type_first|"     \
           "Input Dims_first|Input Strides_first|Concrete Inputs_first")
#define FAMILY(source, result)                                                         \
    {                                                                                  \
        S_INIT(source), S_INIT(result), S_INIT("name"), FAMILY_RATES, S_INIT(""),      \
            FAMILY_DROPPED, SPLIT_BY_PARAMS, true                                      \
    }

static const struct sheet_rule rules[] = {
    {S_INIT("gpu_timeline"), S_INIT("gpu_timeline"), S_INIT("type"), S_INIT("time ms"),
     S_INIT(""), S_INIT(""), AS_ONE, false},
    {S_INIT("ops_summary"), S_INIT("ops_summary"), S_INIT("name"),
     S_INIT("total_direct_kernel_time_ms|Count"),
     S_INIT("total_direct_kernel_time_sum"), CUMULATIVE, AS_ONE, true},
    {S_INIT("kernel_summary"), S_INIT("kernel_summary"), S_INIT("Kernel name"),
     S_INIT("Kernel duration (µs)_sum|Kernel duration (µs)_mean|Kernel duration "
            "(µs)_count"),
     S_INIT("Kernel duration (µs)_min|Kernel duration (µs)_max|Parent op category"),
     CUMULATIVE, AS_ONE, true},
    /* An older layout of the same sheet, told by its key column. */
    {S_INIT("kernel_summary"), S_INIT("kernel_summary"), S_INIT("name"),
     S_INIT("Total Kernel Time (ms)|Mean Kernel Time (µs)|Count"),
     S_INIT("Total Kernel Time (µs)|Median Kernel Time (µs)|Std Kernel Time (µs)|"
            "Min Kernel Time (µs)|Max Kernel Time (µs)|Category"),
     CUMULATIVE, AS_ONE, true},
    {S_INIT("ops_unique_args"), S_INIT("ops_unique_args"), CALL_KEYS,
     S_INIT("total_direct_kernel_time_sum|total_direct_kernel_time_mean|"
            "operation_count"),
     S_INIT(""), S_INIT(""), SPLIT, true},
    {S_INIT("unified_perf_summary"), S_INIT("unified_perf_summary"), CALL_KEYS,
     S_INIT("Kernel Time (µs)_sum|Kernel Time (µs)_mean|operation_count"), S_INIT(""),
     S_INIT(""), SPLIT, true},
    FAMILY("GEMM", "GEMM"),
    FAMILY("SDPA_fwd", "SDPA_fwd"),
    FAMILY("SDPA_bwd", "SDPA_bwd"),
    FAMILY("CONV_fwd", "CONV_fwd"),
    FAMILY("CONV_bwd", "CONV_bwd"),
    FAMILY("UnaryElementwise", "un_eltwise"),
    FAMILY("BinaryElementwise", "bin_eltwise"),
};
enum {
    RULES = sizeof rules / sizeof *rules,
    SIDES = 2,
    KEYS_MAX = 64,
    COMPARED_MAX = 8
};

/* A row of the join; -1: the side has none. */
struct pair {
    int32_t row[SIDES];
};

struct join {
    struct arena *perm;
    const struct sheet_rule *rule;
    const struct report_table *t[SIDES];
    struct str tag[SIDES];
    ptrdiff_t key[KEYS_MAX][SIDES]; /* columns */
    int n_keys;
    ptrdiff_t compared[COMPARED_MAX][SIDES];
    int n_compared;
    struct pair *pairs;
    int32_t n;
    bool missing[SIDES]; /* some row of the join has none of this side */
};

static bool is_repeated(int i) /* the older layout of the sheet before it */
{
    return i > 0 && str_eq(rules[i].source, rules[i - 1].source);
}

int sheet_sources(void)
{
    int n = 0;
    for (int i = 0; i < RULES; i++)
        n += !is_repeated(i);
    return n;
}

struct str sheet_source(int i)
{
    int k = 0;
    for (; is_repeated(k) || i-- > 0; k++)
        ;
    return rules[k].source;
}

static bool is_missing(const struct cell *c)
{
    return c->kind == CELL_NONE || (c->kind == CELL_REAL && isnan(c->as.r)) ||
           ((c->kind == CELL_NAME || c->kind == CELL_TEXT) && c->as.text.n == 0);
}

static bool listed(struct str list, struct str title)
{
    while (list.n)
        if (str_eq(str_take(&list, S("|")), title))
            return true;
    return false;
}

static void add_key(struct join *j, struct str title)
{
    ptrdiff_t a = sheet_column(j->t[0], title), b = sheet_column(j->t[1], title);
    if (a >= 0 && b >= 0 && j->n_keys < KEYS_MAX) {
        j->key[j->n_keys][0] = a;
        j->key[j->n_keys++][1] = b;
    }
}

static int by_title(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static void add_param_keys(struct join *j, struct arena tmp)
{
    const struct report_table *t = j->t[0];
    struct str *titles = arena_new(&tmp, struct str, t->n_columns);
    int n = 0;
    for (ptrdiff_t k = 0; k < t->n_columns; k++)
        if (str_starts(t->columns[k].title, S("param:")))
            titles[n++] = t->columns[k].title;
    qsort(titles, (size_t)n, sizeof *titles, by_title);
    for (int k = 0; k < n; k++)
        add_key(j, titles[k]);
}

/* False if this sheet is not of the form that the rule describes. */
static bool find_columns(struct join *j, struct arena tmp)
{
    struct str keys = j->rule->keys, compared = j->rule->compared;
    int wanted = 0;
    while (keys.n) {
        add_key(j, str_take(&keys, S("|")));
        wanted++;
    }
    if (j->n_keys < wanted)
        return false;
    if (j->rule->form == SPLIT_BY_PARAMS)
        add_param_keys(j, tmp);
    while (compared.n) {
        struct str title = str_take(&compared, S("|"));
        ptrdiff_t a = sheet_column(j->t[0], title), b = sheet_column(j->t[1], title);
        if (a < 0 || b < 0)
            continue;
        j->compared[j->n_compared][0] = a;
        j->compared[j->n_compared++][1] = b;
    }
    return j->n_compared > 0;
}

static void put_key_text(struct out *o, const struct cell *c)
{
    switch (c->kind) {
    case CELL_TEXT:
    case CELL_NAME:
        out_str(o, c->as.text);
        break;
    case CELL_INT:
        out_i64(o, c->as.i);
        break;
    case CELL_REAL:
        out_real(o, c->as.r);
        break;
    case CELL_BOOL:
        out_c(o, c->as.b ? "True" : "False");
        break;
    case CELL_NONE:
        break;
    }
    out_char(o, '\0');
}

/* By row of a side: the id of its key. */
static name_id *key_ids(struct arena *a, const struct join *j, int side,
                        struct name_pool *pool)
{
    const struct report_table *t = j->t[side];
    name_id *ids = arena_new(a, name_id, t->n_rows);
    struct out o;
    out_memory(&o);
    for (ptrdiff_t row = 0; row < t->n_rows; row++) {
        o.n = 0;
        for (int k = 0; k < j->n_keys; k++)
            put_key_text(&o, table_cell(t, row, j->key[k][side]));
        ids[row] = pool_add(pool, out_view(&o));
    }
    out_free(&o);
    return ids;
}

/* Rows of a key as a chain, in their order. */
struct chains {
    int32_t *first, *next;
};

static struct chains chain_rows(struct arena *a, const name_id *ids, ptrdiff_t n_rows,
                                int32_t n_keys)
{
    struct chains c = {arena_new(a, int32_t, n_keys), arena_new(a, int32_t, n_rows)};
    memset(c.first, -1, (size_t)n_keys * sizeof *c.first);
    for (int32_t row = (int32_t)n_rows - 1; row >= 0; row--) {
        c.next[row] = c.first[ids[row]];
        c.first[ids[row]] = row;
    }
    return c;
}

static void add_pair(struct join *j, int32_t a, int32_t b)
{
    arena_grow(j->perm, j->pairs, j->n);
    j->pairs[j->n++] = (struct pair){{a, b}};
    j->missing[0] |= a < 0;
    j->missing[1] |= b < 0;
}

static int64_t chain_rows_of(const struct chains *c, name_id id)
{
    int64_t n = 0;
    for (int32_t row = c->first[id]; row >= 0; row = c->next[row])
        n++;
    return n;
}

/* Rows of one key, each of one side with each of the other; if these are many times as
 * many as the rows, in their order. */
static void pair_rows(struct join *j, const struct chains *x, const struct chains *y,
                      name_id id)
{
    enum { PAIRS_PER_ROW = 8 };
    int32_t a = x->first[id], b = y->first[id];
    int64_t n_x = chain_rows_of(x, id), n_y = chain_rows_of(y, id);
    if (n_x * n_y > PAIRS_PER_ROW * (n_x + n_y)) {
        for (; a >= 0 || b >= 0; b = b < 0 ? b : y->next[b]) {
            add_pair(j, a, b);
            a = a < 0 ? a : x->next[a];
        }
        return;
    }
    for (; a >= 0; a = x->next[a])
        for (int32_t k = b; k >= 0; k = y->next[k])
            add_pair(j, a, k);
}

/* Keys in the order of their first row, those of the reference first. */
static void join_rows(struct join *j, struct arena tmp)
{
    struct name_pool pool;
    pool_open(&pool);
    name_id *ids[SIDES];
    struct chains c[SIDES];
    for (int side = 0; side < SIDES; side++)
        ids[side] = key_ids(&tmp, j, side, &pool);
    for (int side = 0; side < SIDES; side++)
        c[side] = chain_rows(&tmp, ids[side], j->t[side]->n_rows, pool.n);
    for (name_id id = 0; id < pool.n; id++) {
        int32_t a = c[0].first[id], b = c[1].first[id];
        if (a >= 0 && b >= 0)
            pair_rows(j, &c[0], &c[1], id);
        for (; b < 0 && a >= 0; a = c[0].next[a])
            add_pair(j, a, -1);
        for (; c[0].first[id] < 0 && b >= 0; b = c[1].next[b])
            add_pair(j, -1, b);
    }
    pool_close(&pool);
}

static double pair_number(const struct join *j, int32_t i, int side, ptrdiff_t column)
{
    int32_t row = j->pairs[i].row[side];
    return row < 0 ? (double)NAN : cell_number(table_cell(j->t[side], row, column));
}

struct ranked {
    double value;
    int32_t place;
};

static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (isnan(x->value) != isnan(y->value))
        return isnan(x->value) ? 1 : -1;
    if (!isnan(x->value) && x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static void sort_pairs(struct join *j, struct arena tmp)
{
    struct ranked *order = arena_new(&tmp, struct ranked, j->n);
    struct pair *old = arena_new(&tmp, struct pair, j->n);
    for (int32_t i = 0; i < j->n; i++) {
        old[i] = j->pairs[i];
        order[i] = (struct ranked){pair_number(j, i, 0, j->compared[0][0]), i};
    }
    if (j->n)
        qsort(order, (size_t)j->n, sizeof *order, by_value);
    for (int32_t i = 0; i < j->n; i++)
        j->pairs[i] = old[order[i].place];
}

/* A column of the join: of a side, or the difference of a compared one. */
struct out_column {
    enum { FROM_KEY, FROM_SIDE, FROM_DIFF, FROM_PCT } from;
    int k, side; /* k: of key or compared */
    ptrdiff_t column;
    bool whole; /* numbers stay integers */
};

/* Whether all cells are whole numbers, also once rows of the other side are added. */
static bool stays_whole(const struct join *j, int side, ptrdiff_t column)
{
    const struct report_table *t = j->t[side];
    if (j->missing[side])
        return false;
    for (ptrdiff_t row = 0; row < t->n_rows; row++)
        if (table_cell(t, row, column)->kind != CELL_INT)
            return false;
    return true;
}

static struct cell real_cell(double v)
{
    return isfinite(v) ? (struct cell){.kind = CELL_REAL, .as.r = v}
                       : (struct cell){.kind = CELL_NONE};
}

static struct cell copied_cell(const struct join *j, const struct out_column *c,
                               int32_t i)
{
    int side = c->side;
    int32_t row = j->pairs[i].row[side];
    if (row < 0 && c->from == FROM_KEY)
        row = j->pairs[i].row[side = 1];
    if (row < 0)
        return (struct cell){.kind = CELL_NONE};
    ptrdiff_t column = c->from == FROM_KEY ? j->key[c->k][side] : c->column;
    struct cell cell = *table_cell(j->t[side], row, column);
    bool to_real = cell.kind == CELL_INT && c->from == FROM_SIDE && !c->whole;
    return to_real ? real_cell((double)cell.as.i) : cell;
}

static struct cell joined_cell(const struct join *j, const struct out_column *c,
                               int32_t i)
{
    if (c->from == FROM_KEY || c->from == FROM_SIDE)
        return copied_cell(j, c, i);
    double a = pair_number(j, i, 0, j->compared[c->k][0]);
    double b = pair_number(j, i, 1, j->compared[c->k][1]);
    if (c->from == FROM_PCT)
        return real_cell(a == 0 ? (double)NAN : (b - a) / a * 100);
    if (c->whole && fabs(b - a) < 0x1p53)
        return (struct cell){.kind = CELL_INT, .as.i = (int64_t)(b - a)};
    return real_cell(b - a);
}

struct plan { /* the columns of one result */
    struct out_column *columns;
    struct table_column *titles;
    ptrdiff_t n;
};

static void plan_column(struct join *j, struct plan *p, struct out_column c,
                        struct table_column title)
{
    arena_grow(j->perm, p->columns, p->n);
    struct table_column *titles = p->titles;
    arena_grow(j->perm, titles, p->n);
    p->titles = titles;
    p->titles[p->n] = title;
    p->columns[p->n++] = c;
}

static bool is_key(const struct join *j, int side, ptrdiff_t column)
{
    for (int k = 0; k < j->n_keys; k++)
        if (j->key[k][side] == column)
            return true;
    return false;
}

static void plan_side(struct join *j, struct plan *p, int side)
{
    const struct report_table *t = j->t[side];
    for (ptrdiff_t k = 0; k < t->n_columns; k++) {
        struct table_column title = t->columns[k];
        if (is_key(j, side, k) || listed(j->rule->dropped, title.title) ||
            (side == 1 && listed(j->rule->dropped_candidate, title.title)))
            continue;
        title.title =
            str_printf(j->perm, "%.*s::%.*s", STRF(j->tag[side]), STRF(title.title));
        plan_column(j, p,
                    (struct out_column){.from = FROM_SIDE,
                                        .side = side,
                                        .column = k,
                                        .whole = stays_whole(j, side, k)},
                    title);
    }
}

static void plan_differences(struct join *j, struct plan *p)
{
    for (int k = 0; k < j->n_compared; k++) {
        const ptrdiff_t *at = j->compared[k];
        struct table_column of = j->t[0]->columns[at[0]];
        struct str name = of.title, tag = j->tag[1];
        of.title = str_printf(j->perm, "%.*s__%.*s_diff", STRF(name), STRF(tag));
        of.meaning = S("The candidate's value minus the reference's");
        bool whole = stays_whole(j, 0, at[0]) && stays_whole(j, 1, at[1]);
        plan_column(j, p,
                    (struct out_column){.from = FROM_DIFF, .k = k, .whole = whole}, of);
        of = (struct table_column){
            str_printf(j->perm, "%.*s__%.*s_pct", STRF(name), STRF(tag)),
            S("That difference as a share of the reference's value"), UNIT_PERCENT};
        plan_column(j, p, (struct out_column){.from = FROM_PCT, .k = k}, of);
    }
}

enum part { WHOLE, INTERSECT, ONLY_REFERENCE, ONLY_CANDIDATE };

static bool in_part(const struct join *j, enum part part, int32_t i)
{
    bool has[SIDES];
    for (int side = 0; side < SIDES; side++)
        has[side] = !isnan(pair_number(j, i, side, j->compared[0][side]));
    switch (part) {
    case INTERSECT:
        return has[0] && has[1];
    case ONLY_REFERENCE:
        return has[0] && !has[1];
    case ONLY_CANDIDATE:
        return !has[0] && has[1];
    default:
        return true;
    }
}

static bool empty_column(const struct join *j, const struct out_column *c,
                         const int32_t *rows, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        struct cell cell = joined_cell(j, c, rows[i]);
        if (!is_missing(&cell))
            return false;
    }
    return true;
}

/* The rows and columns of a part; a split one has no empty columns. */
static struct report_table part_table(struct join *j, const struct plan *all,
                                      enum part part, struct arena tmp)
{
    struct plan p = {0};
    int32_t *rows = arena_new(&tmp, int32_t, j->n);
    struct report_table t = {0};
    for (int32_t i = 0; i < j->n; i++)
        if (in_part(j, part, i))
            rows[t.n_rows++] = i;
    for (ptrdiff_t k = 0; k < all->n; k++)
        if (part == WHOLE || !empty_column(j, &all->columns[k], rows, t.n_rows))
            plan_column(j, &p, all->columns[k], all->titles[k]);
    t.columns = p.titles;
    t.n_columns = p.n;
    t.cells = arena_new(j->perm, struct cell, t.n_rows * p.n);
    for (ptrdiff_t i = 0; i < t.n_rows; i++)
        for (ptrdiff_t k = 0; k < p.n; k++)
            *table_cell(&t, i, k) = joined_cell(j, &p.columns[k], rows[i]);
    return t;
}

/* Letters, digits, '_' and '-': part of a file name. */
static struct str file_tag(struct arena *perm, struct str tag)
{
    enum { BYTES_MAX = 28 };
    tag = str_head(tag, BYTES_MAX);
    char *p = arena_copy(perm, tag.p, tag.n);
    for (ptrdiff_t i = 0; i < tag.n; i++) {
        char c = p[i], letter = (char)(c | 0x20);
        if (!(letter >= 'a' && letter <= 'z') && !(c >= '0' && c <= '9') && c != '-')
            p[i] = '_';
    }
    return (struct str){p, tag.n};
}

static void add_table(struct sheets *s, struct report_table t, struct str name,
                      const char *purpose)
{
    t.name = name;
    t.purpose = str_of(purpose);
    s->tables[s->n++] = t;
}

static struct plan plan_part(struct join *j, enum part part)
{
    struct plan p = {0};
    for (int k = 0; k < j->n_keys; k++)
        plan_column(j, &p, (struct out_column){.from = FROM_KEY, .k = k},
                    j->t[0]->columns[j->key[k][0]]);
    if (part == WHOLE || part == INTERSECT)
        plan_differences(j, &p);
    if (part != ONLY_CANDIDATE)
        plan_side(j, &p, 0);
    if (part != ONLY_REFERENCE)
        plan_side(j, &p, 1);
    return p;
}

static void add_parts(struct join *j, struct sheets *s, struct arena tmp)
{
    static const struct {
        const char *word, *purpose;
    } parts[] = {[INTERSECT] = {"intersect", "Rows of both sides"},
                 [ONLY_REFERENCE] = {"only_baseline", "Rows of the reference alone"},
                 [ONLY_CANDIDATE] = {"only_variant", "Rows of the candidate alone"}};
    struct plan p;
    if (j->rule->form == AS_ONE) {
        p = plan_part(j, WHOLE);
        add_table(s, part_table(j, &p, WHOLE, tmp), j->rule->result,
                  "Rows of both sides, with their differences");
        return;
    }
    struct str tag = file_tag(j->perm, j->tag[1]);
    for (enum part part = INTERSECT; part <= ONLY_CANDIDATE; part++) {
        p = plan_part(j, part);
        add_table(s, part_table(j, &p, part, tmp),
                  str_printf(j->perm, "%.*s_%s_%.*s", STRF(j->rule->result),
                             parts[part].word, STRF(tag)),
                  parts[part].purpose);
    }
}

struct sheets sheet_compare(struct arena *perm, struct arena tmp,
                            const struct sheet_side *reference,
                            const struct sheet_side *candidate)
{
    struct sheets s = {.tables = arena_new(perm, struct report_table, 3 * RULES)};
    for (int i = 0; i < RULES; i++) {
        struct join j = {.perm = perm,
                         .rule = &rules[i],
                         .t = {sheet_named(&reference->sheets, rules[i].source),
                               sheet_named(&candidate->sheets, rules[i].source)},
                         .tag = {reference->tag, candidate->tag}};
        if (!j.t[0] || !j.t[1] || !find_columns(&j, tmp))
            continue;
        join_rows(&j, tmp);
        if (rules[i].sorted)
            sort_pairs(&j, tmp);
        add_parts(&j, &s, tmp);
    }
    return s;
}
