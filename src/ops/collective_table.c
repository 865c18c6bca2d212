#include "ops/collective_table.h"

#include "base/int_map.h"
#include "base/out.h"
#include "ops/trace_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const collective_keys[COLLECTIVE_KEYS] = {
    [COLLECTIVE_GROUP] = "Process Group Name",
    [COLLECTIVE_RANKS] = "Process Group Ranks",
    [COLLECTIVE_NAME] = "Collective name",
    [COLLECTIVE_GROUP_SIZE] = "Group size",
    [COLLECTIVE_DTYPE] = "dtype",
    [COLLECTIVE_IN_COUNT] = "In msg nelems",
    [COLLECTIVE_OUT_COUNT] = "Out msg nelems",
    [COLLECTIVE_IN_SPLIT] = "In split size",
    [COLLECTIVE_OUT_SPLIT] = "Out split size"};

/* Bytes of an element as the profiler names types; 0: unknown. */
static double element_bytes(struct str dtype)
{
    static const struct {
        struct str name;
        int bytes;
    } types[] = {{S_INIT("Float"), 4},    {S_INIT("Int"), 4},  {S_INIT("Long"), 8},
                 {S_INIT("BFloat16"), 2}, {S_INIT("Bool"), 1}, {S_INIT("Byte"), 1},
                 {S_INIT("Double"), 8},   {S_INIT("Half"), 2}, {S_INIT("Short"), 2},
                 {S_INIT("bytes"), 1} /* the type is not recorded */};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (str_eq(types[i].name, dtype))
            return types[i].bytes;
    return 0;
}

/* Of what no message can be, nothing is known. */
static double mib_of(int64_t elements, struct str dtype)
{
    const int64_t most = 1LL << 50;
    double bytes = element_bytes(dtype);
    return bytes > 0 && elements >= 0 && elements <= most
               ? (double)elements * bytes / (1024.0 * 1024.0)
               : (double)NAN;
}

/* p is NULL if it is not recorded. */
static struct str number_text(struct arena *a, int64_t n)
{
    return n == NO_ID ? (struct str){0} : str_printf(a, "%lld", (long long)n);
}

static const struct collective *facts_of(const struct trace_view *v, event_id gpu)
{
    return store_collective(v->s, store_texts(v->s, gpu));
}

double collective_in_mib(const struct trace_view *v, event_id gpu)
{
    const struct collective *c = facts_of(v, gpu);
    return mib_of(c->in_elements, c->dtype);
}

double collective_type_bytes(const struct trace_view *v, event_id gpu)
{
    return element_bytes(facts_of(v, gpu)->dtype);
}

int64_t collective_ranks(const struct trace_view *v, event_id gpu)
{
    int64_t n = facts_of(v, gpu)->group_size;
    return n > 0 ? n : 0;
}

enum collective_kind collective_kind(const struct trace_view *v, event_id gpu)
{
    return facts_of(v, gpu)->kind;
}

/* As the reference prints them; false: one is missing. */
static bool read_keys(struct arena *a, const struct trace_view *v,
                      const struct collective *c, event_id gpu,
                      struct collective_row *r)
{
    const struct str texts[COLLECTIVE_KEYS] = {c->group_name,
                                               c->group_ranks,
                                               c->name,
                                               number_text(a, c->group_size),
                                               c->dtype,
                                               number_text(a, c->in_elements),
                                               number_text(a, c->out_elements),
                                               c->in_split,
                                               c->out_split};
    bool whole = true;
    memcpy(r->key, texts, sizeof texts);
    if (!c->name.p && str_has_nocase(store_name(v->s, gpu), S("cross_device_reduce")))
        r->key[COLLECTIVE_NAME] = S("allreduce");
    for (int k = 0; k < COLLECTIVE_KEYS; k++)
        whole &= r->key[k].p != NULL;
    r->in_mib = mib_of(c->in_elements, c->dtype);
    r->out_mib = mib_of(c->out_elements, c->dtype);
    return whole;
}

static int by_time(const void *a, const void *b)
{
    const struct collective_row *x = a, *y = b;
    if (x->us.sum != y->us.sum)
        return x->us.sum > y->us.sum ? -1 : 1;
    for (int k = 0; k < COLLECTIVE_KEYS; k++)
        if (str_cmp(x->key[k], y->key[k]))
            return str_cmp(x->key[k], y->key[k]);
    return 0;
}

/* While the rows are made. */
struct row_builder {
    struct arena *perm;
    struct collective_table *t;
    struct name_pool keys;
    struct out scratch;
};

static name_id key_of(struct name_pool *keys, struct out *scratch,
                      const struct collective_row *r)
{
    scratch->n = 0;
    for (int k = 0; k < COLLECTIVE_KEYS; k++) {
        out_str(scratch, r->key[k]);
        out_char(scratch, '\1');
    }
    out_i64(scratch, r->stream);
    return pool_add(keys, out_view(scratch));
}

/* The row of a kernel; -1: none. */
static int32_t row_of(struct row_builder *b, const struct trace_view *v, event_id gpu,
                      const struct collective *c)
{
    struct collective_row r = {.stream = view_stream(v->s, gpu)};
    if (r.stream < 0 || !read_keys(b->perm, v, c, gpu, &r))
        return -1;
    int32_t row = key_of(&b->keys, &b->scratch, &r);
    if (row == b->t->n)
        b->t->rows[b->t->n++] = r;
    return row;
}

/* Durations of the `n` kernels `found`, sorted by their rows (-1: none). */
static void measure_rows(struct arena tmp, const struct trace_view *v,
                         struct collective_table *t, const event_id *found,
                         const int32_t *row, int32_t n)
{
    double *us = arena_take_raw(&tmp, sizeof *us, 8, n);
    int32_t *end = arena_new(&tmp, int32_t, t->n + 1);
    for (int32_t k = 0; k < n; k++)
        end[row[k] + 1]++;
    end[0] = 0;
    for (int32_t i = 0; i < t->n; i++)
        end[i + 1] += end[i];
    for (int32_t k = 0; k < n; k++)
        if (row[k] >= 0)
            us[end[row[k]]++] = (double)store_dur_ns(v->s, found[k]) / 1e3;
    for (int32_t i = 0, from = 0; i < t->n; from = end[i++])
        t->rows[i].us = stats_of(us + from, end[i] - from);
}

struct collective_table collective_table_build(struct arena *perm, struct arena tmp,
                                               const struct trace_view *v)
{
    const struct launch_link *l = &v->launch;
    struct collective_table t = {0};
    struct row_builder b = {.perm = perm, .t = &t};
    event_id *found = arena_take_raw(&tmp, sizeof *found, 4, l->n_all);
    int32_t *row = arena_take_raw(&tmp, sizeof *row, 4, l->n_all), n = 0;
    for (int32_t k = 0; k < l->n_all; k++)
        if (v->s->cat[l->all[k]] == CAT_KERNEL && view_communicates(v, l->all[k]))
            found[n++] = l->all[k];
    t.rows = arena_new(perm, struct collective_row, n);
    pool_open(&b.keys);
    out_memory(&b.scratch);
    struct int_map rows = int_map_make(&tmp, 0); /* by what is recorded of a kernel */
    for (int32_t k = 0; k < n; k++) {
        const struct collective *c = facts_of(v, found[k]);
        int32_t none = -1,
                *known = c->name.p ? int_map_at(&rows, &tmp, (intptr_t)c) : &none;
        bool again =
            *known >= 0 && t.rows[*known].stream == view_stream(v->s, found[k]);
        row[k] = again ? *known : (*known = row_of(&b, v, found[k], c));
        t.n_without_facts += row[k] < 0;
    }
    out_free(&b.scratch);
    pool_close(&b.keys);
    measure_rows(tmp, v, &t, found, row, n);
    qsort(t.rows, (size_t)t.n, sizeof *t.rows, by_time);
    return t;
}
