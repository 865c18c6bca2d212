/* Distinct kernels, and how long kernels run. */
#include "report/report_parts.h"

#include "base/out.h"

#include <math.h>
#include <string.h>

/* ---- bins ---------------------------------------------------------------------------
 */

/* 100 ns times 10^(k/8), to a whole ns: the same edges on every machine. */
static int64_t edge_ns(int k)
{
    static const int64_t eighths[8] = {1000000000, 1333521432, 1778279410, 2371373706,
                                       3162277660, 4216965034, 5623413252, 7498942093};
    int64_t edge = eighths[k % 8], divisor = 10000000;
    for (int decade = k / 8; decade > 0; decade--) {
        if (divisor > 1)
            divisor /= 10;
        else
            edge *= 10;
    }
    return (edge + divisor / 2) / divisor;
}

double report_duration_edge_us(int k)
{
    return (double)edge_ns(k) / 1e3;
}

static void add_duration(struct report_durations *d, const int64_t *edges, int64_t ns)
{
    int lo = 0, hi = REPORT_DURATION_BINS - 1;
    while (lo < hi) {
        int mid = (lo + hi + 1) / 2;
        if (ns >= edges[mid])
            lo = mid;
        else
            hi = mid - 1;
    }
    d->count[lo]++;
    d->total_ns[lo] += ns;
}

/* ---- which category an event is of
 * ---------------------------------------------------- */

/* By event: category of the report, -1 for none. */
static int8_t *categories_of_events(const struct report_source *s, struct arena *tmp,
                                    const struct report *r)
{
    const struct op_groups *gs = &s->t->unified;
    int32_t n = s->t->view->s->n;
    int8_t *category = arena_take_raw(tmp, 1, 1, n);
    memset(category, -1, (size_t)n);
    for (int32_t g = 0; g < r->n_ops; g++)
        for (int32_t k = 0; k < gs->rows[g].n; k++) {
            const struct op_call_row *c = &gs->calls.rows[gs->rows[g].members[k]];
            for (int32_t e = 0; e < c->n_kernels; e++)
                category[c->kernels[e]] = (int8_t)r->ops[g].category;
        }
    return category;
}

/* ---- rows
 * ------------------------------------------------------------------------------- */

/* Which row of the kernel table an event is in. The table keeps no members. */
struct row_finder {
    const struct report_source *s;
    struct category_index index;
    struct name_pool texts, keys;
    int32_t *row; /* by key */
};

static struct str key_text(struct row_finder *f, int64_t key[4], struct str category,
                           struct str op, name_id kernel, int64_t stream)
{
    key[0] = pool_add(&f->texts, category);
    key[1] = pool_add(&f->texts, op);
    key[2] = kernel;
    key[3] = stream;
    return (struct str){(const char *)key, 4 * sizeof *key};
}

static struct row_finder finder_open(const struct report_source *s, struct arena *tmp)
{
    const struct kernel_tables *t = &s->t->kernels;
    struct row_finder f = {.s = s};
    f.index = category_index_build(tmp, s->t->view, &s->t->launchers);
    pool_open(&f.texts);
    pool_open(&f.keys);
    f.row = arena_take_raw(tmp, sizeof *f.row, 4, t->n);
    for (int32_t i = 0; i < t->n; i++) {
        int64_t key[4];
        name_id kernel = pool_find(&s->t->view->s->names, t->rows[i].kernel);
        struct str text = key_text(&f, key, t->rows[i].category, t->rows[i].op, kernel,
                                   t->rows[i].stream);
        f.row[pool_add(&f.keys, text)] = i;
    }
    return f;
}

static void finder_close(struct row_finder *f)
{
    pool_close(&f->texts);
    pool_close(&f->keys);
}

static int32_t finder_row(struct row_finder *f, event_id gpu)
{
    const struct trace_view *v = f->s->t->view;
    struct str category = S(""), op = S("");
    event_id call = launch_call(&v->launch, gpu);
    if (call >= 0) {
        event_id at = tree_operator(v->s, &v->tree, call);
        op = store_name(v->s, at >= 0 ? at : call);
        /* As kernel_table.c names what no operator launched. */
        bool graph =
            str_has_nocase(op, S("cudagraph")) || str_has_nocase(op, S("graphlaunch"));
        category = at >= 0 ? category_of(&f->index, at, op)
                   : graph ? S("graph")
                           : S("runtime");
    }
    int64_t key[4];
    struct str text =
        key_text(f, key, category, op, v->s->name[gpu], view_stream(v->s, gpu));
    name_id id = pool_find(&f->keys, text);
    return id < 0 ? -1 : f->row[id];
}

static void fill_row(const struct kernel_row *k, struct report_kernel *out)
{
    *out = (struct report_kernel){
        .name = k->kernel,
        .op = k->op,
        .category = k->category,
        .slot = gpu_name_is_communication(k->kernel) ? SLOT_COMMUNICATION : SLOT_OTHER,
        .stream = k->stream,
        .count = k->us.n,
        .total_ms = k->us.sum / 1e3,
        .share_pct = isnan(k->kernels_pct) ? 0.0 : k->kernels_pct,
        .mean_us = k->us.mean,
        .min_us = k->us.min,
        .max_us = k->us.max,
        .p95_us = (double)NAN,
        .std_us = k->us.std,
    };
}

/* p95 and slot of every row from its events; `row_of` by position in launch.all. */
static void fill_from_events(const struct report_source *s, struct arena tmp,
                             struct report *r, const int32_t *row_of,
                             const int8_t *category)
{
    const struct launch_link *l = &s->t->view->launch;
    const struct event_store *store = s->t->view->s;
    int32_t *start = arena_new(&tmp, int32_t, r->n_kernels + 2);
    double *us = arena_take_raw(&tmp, sizeof *us, 8, l->n_all);
    for (int32_t k = 0; k < l->n_all; k++)
        if (row_of[k] >= 0)
            start[row_of[k] + 2]++;
    for (int i = 0; i < r->n_kernels; i++)
        start[i + 2] += start[i + 1];
    for (int32_t k = 0; k < l->n_all; k++) {
        if (row_of[k] < 0)
            continue;
        struct report_kernel *row = &r->kernels[row_of[k]];
        int c = category[l->all[k]];
        if (row->slot == SLOT_OTHER && c >= 0)
            row->slot = r->categories[c].slot;
        us[start[row_of[k] + 1]++] = (double)store_dur_ns(store, l->all[k]) / 1e3;
    }
    for (int i = 0; i < r->n_kernels; i++)
        r->kernels[i].p95_us = percentile_95(us + start[i], start[i + 1] - start[i]);
}

static struct str identity(struct out *o, const struct kernel_row *k)
{
    o->n = 0;
    out_str(o, k->kernel);
    out_char(o, 0);
    out_str(o, k->op);
    out_char(o, 0);
    out_str(o, k->category);
    out_char(o, 0);
    out_i64(o, k->stream);
    return out_view(o);
}

void report_kernels_fill(const struct report_source *s, struct arena tmp,
                         struct report *r)
{
    const struct kernel_tables *t = &s->t->kernels;
    const struct launch_link *l = &s->t->view->launch;
    const struct event_store *store = s->t->view->s;
    struct id_set ids = id_set_make(s->perm, t->n);
    struct out scratch;
    int64_t edges[REPORT_DURATION_BINS];
    out_memory(&scratch);
    for (int k = 0; k < REPORT_DURATION_BINS; k++)
        edges[k] = edge_ns(k);
    r->n_kernels = t->n;
    r->kernels = arena_new(s->perm, struct report_kernel, t->n);
    for (int32_t i = 0; i < t->n; i++) {
        fill_row(&t->rows[i], &r->kernels[i]);
        r->kernels[i].id = id_take(&ids, "k", identity(&scratch, &t->rows[i]));
    }
    out_free(&scratch);
    int8_t *category = categories_of_events(s, &tmp, r);
    int32_t *row_of = arena_take_raw(&tmp, sizeof *row_of, 4, l->n_all);
    struct row_finder f = finder_open(s, &tmp);
    for (int32_t k = 0; k < l->n_all; k++) {
        event_id gpu = l->all[k];
        row_of[k] = store->cat[gpu] == CAT_KERNEL ? finder_row(&f, gpu) : -1;
        if (row_of[k] < 0)
            continue;
        add_duration(&r->durations, edges, store_dur_ns(store, gpu));
        if (category[gpu] >= 0)
            add_duration(&r->categories[category[gpu]].durations, edges,
                         store_dur_ns(store, gpu));
    }
    finder_close(&f);
    fill_from_events(s, tmp, r, row_of, category);
}
