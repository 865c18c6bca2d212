#include "analysis/stack/host_profile_build.h"

#include "analysis/stack/tree_index.h"
#include "base/arena.h"
#include "base/sort.h"

#include <string.h>

/* Rows by the name that stands for them, and the state of the walk. */
struct rows {
    struct host_row *rows;
    int32_t n;
    int32_t *row_of;     /* by name of the store; -1: none yet */
    int32_t *open_until; /* by row: position behind its outermost open call */
};

enum { OPERATORS, MODULES, LISTS };

struct walk {
    const struct tree_index *t;
    const struct event_store *s;
    struct host_profile *p;
    struct rows operators, modules;
    struct name_pool classes; /* of modules; their order is that of the rows */
    int64_t *self_ns;         /* by position */
    int32_t *above[LISTS];    /* by position: that of the nearest in the list; -1 */
};

static struct rows rows_open(struct arena *perm, struct arena *tmp, int32_t n_names)
{
    struct rows r = {arena_new(perm, struct host_row, n_names), 0,
                     arena_take_raw(tmp, sizeof *r.row_of, 4, n_names),
                     arena_new(tmp, int32_t, n_names)};
    memset(r.row_of, 0xff, (size_t)n_names * sizeof *r.row_of);
    return r;
}

static void count_call(struct rows *r, int32_t row, const struct call_tree *t,
                       int32_t pos, int64_t dur_ns, int64_t self_ns)
{
    struct host_row *to = &r->rows[row];
    to->calls++;
    to->self_ns += self_ns;
    to->most_ns = dur_ns > to->most_ns ? dur_ns : to->most_ns;
    if (pos < r->open_until[row])
        return;
    to->total_ns += dur_ns;
    r->open_until[row] = t->after[pos];
}

static int32_t operator_row(struct walk *w, name_id name)
{
    struct rows *r = &w->operators;
    if (r->row_of[name] < 0) {
        r->row_of[name] = r->n;
        r->rows[r->n++].name = pool_text(&w->s->names, name);
    }
    return r->row_of[name];
}

/* The row of a module's class; -1: the name is not a module's. */
static int32_t module_row(struct walk *w, name_id name)
{
    enum { NO_MODULE = -2 };
    struct rows *r = &w->modules;
    if (name < 0)
        return -1;
    if (r->row_of[name] == -1) {
        struct str class = tree_module_name(pool_text(&w->s->names, name));
        r->row_of[name] = class.n ? pool_add(&w->classes, class) : NO_MODULE;
        if (class.n && r->row_of[name] == r->n)
            r->rows[r->n++].name = class;
    }
    return r->row_of[name] < 0 ? -1 : r->row_of[name];
}

/* The list that an event is counted in; LISTS: none, as most frames. */
static int list_of(struct walk *w, event_id i)
{
    if (w->s->cat[i] != CAT_PYTHON)
        return OPERATORS;
    return module_row(w, w->s->name[i]) >= 0 ? MODULES : LISTS;
}

/* Each call takes its time from the nearest one around it that is counted in the same
 * list: operators from operators, through frames; modules from modules. */
static void find_self_times(struct walk *w)
{
    const struct call_tree *t = &w->t->frames;
    for (int32_t pos = 0; pos < t->n_order; pos++) {
        event_id i = t->order[pos], caller = tree_parent(t, i);
        int32_t at = caller < 0 ? -1 : tree_rank(t, caller);
        for (int k = 0; k < LISTS; k++)
            w->above[k][pos] = at < 0                    ? -1
                               : list_of(w, caller) == k ? at
                                                         : w->above[k][at];
        int list = list_of(w, i);
        w->self_ns[pos] = store_dur_ns(w->s, i);
        if (list != LISTS && w->above[list][pos] >= 0)
            w->self_ns[w->above[list][pos]] -= w->self_ns[pos];
    }
}

static void count_calls(struct walk *w)
{
    const struct call_tree *t = &w->t->frames;
    for (int32_t pos = 0; pos < t->n_order; pos++) {
        event_id i = t->order[pos];
        int64_t dur_ns = store_dur_ns(w->s, i);
        int list = w->s->name[i] < 0 ? LISTS : list_of(w, i);
        if (list == OPERATORS)
            count_call(&w->operators, operator_row(w, w->s->name[i]), t, pos, dur_ns,
                       w->self_ns[pos]);
        else if (list == MODULES)
            count_call(&w->modules, module_row(w, w->s->name[i]), t, pos, dur_ns,
                       w->self_ns[pos]);
    }
}

static int64_t self_key(const void *rows, int32_t k)
{
    return -((const struct host_row *)rows)[k].self_ns;
}

static int64_t busy_key(const void *threads, int32_t k)
{
    return -((const struct host_thread *)threads)[k].busy_ns;
}

/* Largest first; equal ones keep their order. */
static void order_by(struct arena tmp, void *rows, size_t size, int32_t n,
                     int64_t (*key)(const void *rows, int32_t k))
{
    struct sort_row *order = arena_take_raw(&tmp, sizeof *order, 8, n);
    char *copy = arena_take_raw(&tmp, (ptrdiff_t)size, 8, n);
    for (int32_t k = 0; k < n; k++)
        order[k] = (struct sort_row){key(rows, k), k};
    sort_rows(tmp, order, n);
    memcpy(copy, rows, size * (size_t)n);
    for (int32_t k = 0; k < n; k++)
        memcpy((char *)rows + size * (size_t)k, copy + size * (size_t)order[k].row,
               size);
}

static void fill_shares(const struct rows *r)
{
    int64_t all_ns = 0;
    for (int32_t k = 0; k < r->n; k++)
        all_ns += r->rows[k].self_ns;
    for (int32_t k = 0; k < r->n; k++)
        r->rows[k].self_pct =
            all_ns > 0 ? 100.0 * (double)r->rows[k].self_ns / (double)all_ns : 0;
}

static struct str text_of(const struct event_store *s, name_id id)
{
    return id < 0 ? S("") : pool_text(&s->names, id);
}

static void fill_threads(struct walk *w, struct arena *perm, struct arena tmp)
{
    const struct event_store *s = w->s;
    const struct call_tree *t = &w->t->frames;
    int32_t *row_of = arena_new(&tmp, int32_t, s->n_lanes); /* one more than the row */
    w->p->threads = arena_new(perm, struct host_thread, s->n_lanes);
    for (int32_t pos = 0; pos < t->n_order; pos++) {
        event_id i = t->order[pos], above = tree_parent(t, i);
        const struct lane *lane = &s->lanes[s->lane[i]];
        int32_t *row = &row_of[s->lane[i]];
        if (!*row) {
            *row = ++w->p->n_threads;
            w->p->threads[*row - 1] =
                (struct host_thread){.process = text_of(s, lane->process_name),
                                     .name = text_of(s, lane->thread_name),
                                     .tid = text_of(s, lane->tid)};
        }
        struct host_thread *to = &w->p->threads[*row - 1];
        to->events++;
        to->busy_ns += above < 0 ? store_dur_ns(s, i) : 0;
        to->operator_ns += s->cat[i] != CAT_PYTHON && w->above[OPERATORS][pos] < 0
                               ? store_dur_ns(s, i)
                               : 0;
    }
    for (int32_t k = 0; k < w->p->n_threads; k++)
        w->p->busy_ns += w->p->threads[k].busy_ns;
    order_by(tmp, w->p->threads, sizeof *w->p->threads, w->p->n_threads, busy_key);
}

static bool is_loading(struct str name)
{
    return str_starts(name, S("enumerate(DataLoader)")) ||
           (str_has(name, S("dataloader.py")) && str_ends(name, S(": __next__")));
}

static bool is_compilation(struct str name)
{
    return (str_has(name, S("compile_inner")) && str_has(name, S("dynamo"))) ||
           str_starts(name, S("entire_frame_compile"));
}

static void add_part(struct host_cost *to, int64_t dur_ns)
{
    to->calls++;
    to->total_ns += dur_ns;
    to->most_ns = dur_ns > to->most_ns ? dur_ns : to->most_ns;
}

/* Annotations and frames say the same thing twice: frames count where there are no
 * annotations, and of those inside one another the outermost. */
static void fill_part(const struct walk *w, bool (*is)(struct str),
                      struct host_cost *to)
{
    const struct event_store *s = w->s;
    const struct call_tree *t = &w->t->frames;
    for (event_id i = 0; i < s->n; i++)
        if (s->cat[i] == CAT_ANNOTATION && is(store_name(s, i)))
            add_part(to, store_dur_ns(s, i));
    bool by_frames = to->calls == 0;
    for (int32_t pos = 0; by_frames && pos < t->n_order;) {
        bool counts = is(store_name(s, t->order[pos]));
        if (counts)
            add_part(to, store_dur_ns(s, t->order[pos]));
        pos = counts ? t->after[pos] : pos + 1;
    }
}

static void fill_span(struct walk *w)
{
    int64_t from = INT64_MAX, to = INT64_MIN;
    for (event_id i = 0; i < w->s->n; i++) {
        int64_t end = store_end_ns(w->s, i);
        from = w->s->start_ns[i] < from ? w->s->start_ns[i] : from;
        to = end > to ? end : to;
    }
    w->p->span_ns = to > from ? to - from : 0;
}

static void fill_memory(struct walk *w)
{
    enum { DEVICE_CPU = 0 };
    w->p->peak_bytes = -1;
    for (int32_t k = 0; k < w->s->n_memory; k++) {
        const struct memory_record *m = &w->s->memory[k];
        if (m->device_type != DEVICE_CPU)
            continue;
        w->p->allocations += m->bytes > 0;
        w->p->allocated_bytes += m->bytes > 0 ? m->bytes : 0;
        if (m->total_allocated != NO_ID && m->total_allocated > w->p->peak_bytes)
            w->p->peak_bytes = m->total_allocated;
    }
}

struct host_profile *host_profile_build(struct arena *perm, struct arena tmp,
                                        const struct tree_index *t)
{
    struct walk w = {
        .t = t, .s = t->v->s, .p = arena_new(perm, struct host_profile, 1)};
    int32_t n_order = t->frames.n_order;
    w.operators = rows_open(perm, &tmp, w.s->names.n);
    w.modules = rows_open(perm, &tmp, w.s->names.n);
    w.self_ns = arena_new(&tmp, int64_t, n_order);
    for (int k = 0; k < LISTS; k++)
        w.above[k] = arena_take_raw(&tmp, sizeof **w.above, 4, n_order);
    pool_open(&w.classes);
    find_self_times(&w);
    count_calls(&w);
    pool_close(&w.classes);
    order_by(tmp, w.operators.rows, sizeof *w.operators.rows, w.operators.n, self_key);
    order_by(tmp, w.modules.rows, sizeof *w.modules.rows, w.modules.n, self_key);
    fill_shares(&w.operators);
    fill_shares(&w.modules);
    fill_threads(&w, perm, tmp);
    fill_part(&w, is_loading, &w.p->loading);
    fill_part(&w, is_compilation, &w.p->compilation);
    fill_span(&w);
    fill_memory(&w);
    w.p->operators = w.operators.rows;
    w.p->n_operators = w.operators.n;
    w.p->modules = w.modules.rows;
    w.p->n_modules = w.modules.n;
    return w.p;
}
