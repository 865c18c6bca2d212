#include "ops/collective_table.h"

#include "base/out.h"
#include "base/python_text.h"
#include "ops/trace_view.h"

#include <math.h>
#include <stdlib.h>

enum { KEY_DTYPE = 4, KEY_IN = 5, KEY_OUT = 6 };

const char *const collective_keys[COLLECTIVE_KEYS] = {"Process Group Name",
                                                      "Process Group Ranks",
                                                      "Collective name",
                                                      "Group size",
                                                      "dtype",
                                                      "In msg nelems",
                                                      "Out msg nelems",
                                                      "In split size",
                                                      "Out split size"};

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
static double mib_of(double elements, struct str dtype)
{
    const double most = 1LL << 50;
    double bytes = element_bytes(dtype);
    return bytes > 0 && elements >= 0 && elements <= most
               ? elements * bytes / (1024.0 * 1024.0)
               : (double)NAN;
}

static double mib(struct str elements, struct str dtype)
{
    int64_t n;
    return str_int(elements, &n) ? mib_of((double)n, dtype) : (double)NAN;
}

static const struct value *fact_of(const struct trace_view *v, event_id gpu,
                                   const char *key)
{
    const struct op_texts *t = store_texts(v->s, gpu);
    return t && t->rest >= 0 ? value_get(store_value(v->s, t->rest), key) : NULL;
}

double collective_in_mib(const struct trace_view *v, event_id gpu)
{
    const struct value *n = fact_of(v, gpu, collective_keys[KEY_IN]);
    struct str dtype = value_text(fact_of(v, gpu, collective_keys[KEY_DTYPE]));
    return value_is(n, VALUE_NUMBER) ? mib_of(n->number, dtype)
                                     : mib(value_text(n), dtype);
}

double collective_type_bytes(const struct trace_view *v, event_id gpu)
{
    return element_bytes(value_text(fact_of(v, gpu, collective_keys[KEY_DTYPE])));
}

struct str collective_name(const struct trace_view *v, event_id gpu)
{
    return value_text(fact_of(v, gpu, collective_keys[2]));
}

/* A value of the event as the reference prints it: texts bare, lists as tuples. */
static struct str printed(struct arena *a, const struct value *value)
{
    if (value->kind == VALUE_TEXT)
        return value_text(value);
    struct out o;
    out_memory(&o);
    python_value(&o, value, true);
    return out_text(&o, a);
}

static bool read_keys(struct arena *a, const struct trace_view *v, event_id gpu,
                      struct collective_row *r)
{
    const struct op_texts *t = store_texts(v->s, gpu);
    if (!t || t->rest < 0)
        return false;
    const struct value *facts = store_value(v->s, t->rest);
    bool whole = true;
    for (int k = 0; k < COLLECTIVE_KEYS; k++) {
        const struct value *value = value_get(facts, collective_keys[k]);
        if (value && value->kind != VALUE_NULL)
            r->key[k] = printed(a, value);
        else if (k == 2 &&
                 str_has_nocase(store_name(v->s, gpu), S("cross_device_reduce")))
            r->key[k] = S("allreduce");
        else
            whole = false;
    }
    r->stream = view_stream(v->s, gpu);
    return whole && r->stream >= 0;
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

/* Durations of the `n` kernels `found`, sorted by their rows (-1: none), and sizes. */
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
    for (int32_t i = 0, from = 0; i < t->n; from = end[i++]) {
        struct collective_row *r = &t->rows[i];
        r->us = stats_of(us + from, end[i] - from);
        r->in_mib = mib(r->key[KEY_IN], r->key[KEY_DTYPE]);
        r->out_mib = mib(r->key[KEY_OUT], r->key[KEY_DTYPE]);
    }
}

struct collective_table collective_table_build(struct arena *perm, struct arena tmp,
                                               const struct trace_view *v)
{
    const struct launch_link *l = &v->launch;
    struct collective_table t = {0};
    struct name_pool keys;
    struct out scratch;
    event_id *found = arena_take_raw(&tmp, sizeof *found, 4, l->n_all);
    int32_t *row = arena_take_raw(&tmp, sizeof *row, 4, l->n_all), n = 0;
    pool_open(&keys);
    out_memory(&scratch);
    for (int32_t k = 0; k < l->n_all; k++)
        if (v->s->cat[l->all[k]] == CAT_KERNEL && view_communicates(v, l->all[k]))
            found[n++] = l->all[k];
    t.rows = arena_new(perm, struct collective_row, n);
    for (int32_t k = 0; k < n; k++) {
        struct collective_row r = {0};
        row[k] = -1;
        if (!read_keys(perm, v, found[k], &r)) {
            t.n_without_facts++;
            continue;
        }
        row[k] = key_of(&keys, &scratch, &r);
        if (row[k] == t.n)
            t.rows[t.n++] = r;
    }
    out_free(&scratch);
    pool_close(&keys);
    measure_rows(tmp, v, &t, found, row, n);
    qsort(t.rows, (size_t)t.n, sizeof *t.rows, by_time);
    return t;
}
