#include "whatif/asked_change.h"

#include <stdlib.h>
#include <string.h>

static const struct str kinds[ASKED_KINDS] = {
    [ASKED_KERNEL] = S_INIT("kernel"), [ASKED_OP] = S_INIT("op"),
    [ASKED_COPY] = S_INIT("copy"),     [ASKED_COLLECTIVE] = S_INIT("collective"),
    [ASKED_HOST] = S_INIT("host"),     [ASKED_FINDING] = S_INIT("finding"),
};

/* "S1", as the report numbers findings. */
static bool is_label(struct str text)
{
    return text.n > 1 && text.n < 4 && text.p[0] >= 'A' && text.p[0] <= 'Z' &&
           text.p[1] >= '0' && text.p[1] <= '9';
}

static bool refuse(const char *text, struct err *e)
{
    if (is_label(str_of(text)))
        return err_set(e, ERR_USAGE, NULL, -1, "'%s': a finding is finding:%s", text,
                       text);
    return err_set(
        e, ERR_USAGE, NULL, -1,
        "'%.200s': expected kernel:, op:, copy:, collective: or "
        "host:NAME=FACTOR with a factor from 0 to 1, as in 'kernel:*gemm*=0.5', "
        "or finding:ID",
        text);
}

bool asked_change_read(struct asked_change *c, const char *text, struct err *e)
{
    struct str rest = str_of(text), word = str_take(&rest, S(":"));
    int kind = 0;
    while (kind < ASKED_KINDS && !str_eq(word, kinds[kind]))
        kind++;
    *c = (struct asked_change){(enum asked_kind)kind, rest, 0};
    if (kind == ASKED_FINDING && str_has(rest, S("=")))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "'%.200s': a finding has no factor; write finding:ID", text);
    if (kind == ASKED_FINDING && rest.n)
        return true;
    const char *equals = strrchr(text, '=');
    char *end;
    if (kind == ASKED_KINDS || !equals || equals <= rest.p || !equals[1])
        return refuse(text, e);
    double factor = strtod(equals + 1, &end);
    if (*end || !(factor >= 0 && factor <= 1))
        return refuse(text, e);
    c->glob.n = equals - rest.p;
    c->factor = factor;
    return true;
}

/* Which names of the store fit, by name; each is looked at once. */
static bool *names_that_fit(struct arena *a, const struct event_store *s,
                            struct str glob)
{
    bool *fits = arena_new(a, bool, s->names.n + 1);
    for (int32_t k = 0; k < s->names.n; k++)
        fits[k] = str_fits(pool_text(&s->names, k), glob);
    return fits;
}

/* By position in the order of calls: whether an operator that fits is it or above it.
 */
static bool *calls_below(struct arena *a, const struct trace_view *v, const bool *fits)
{
    const struct call_tree *t = &v->tree;
    bool *below = arena_new(a, bool, t->n_order + 1);
    int32_t until = 0;
    for (int32_t pos = 0; pos < t->n_order; pos++) {
        event_id i = t->order[pos];
        if (pos >= until && v->s->cat[i] == CAT_CPU_OP && fits[v->s->name[i]])
            until = t->after[pos];
        below[pos] = pos < until;
    }
    return below;
}

/* What tells whether a device event is meant. */
struct meant {
    const struct asked_change *c;
    const bool *fits, *below;
};

static bool means(const struct meant *m, const struct trace_view *v, event_id gpu)
{
    bool kernel = v->s->cat[gpu] == CAT_KERNEL;
    if (m->c->kind != ASKED_OP && !m->fits[v->s->name[gpu]])
        return false;
    switch (m->c->kind) {
    case ASKED_KERNEL:
        return kernel;
    case ASKED_COPY:
        return !kernel;
    case ASKED_COLLECTIVE:
        return view_communicates(v, gpu);
    default: {
        event_id call = view_issue(v, gpu);
        int32_t pos = call < 0 ? -1 : tree_rank(&v->tree, call);
        return kernel && pos >= 0 && m->below[pos];
    }
    }
}

static int64_t change_device(struct what_if *w, int lane, struct arena tmp,
                             const struct asked_change *c)
{
    const struct trace_view *v = w->o->view;
    struct meant m = {.c = c, .fits = names_that_fit(&tmp, v->s, c->glob)};
    if (c->kind == ASKED_OP)
        m.below = calls_below(&tmp, v, m.fits);
    int64_t n = 0;
    for (int32_t k = 0; k < v->launch.n_all; k++) {
        event_id gpu = v->launch.all[k];
        if (!means(&m, v, gpu))
            continue;
        int64_t dur_ns = store_dur_ns(v->s, gpu),
                saved_ns = dur_ns - (int64_t)(c->factor * (double)dur_ns + 0.5);
        saved_ns -= saved_ns > 0 && saved_ns == dur_ns; /* free, but still launched */
        what_if_shorten(w, 1u << lane, gpu, saved_ns);
        n++;
    }
    return n;
}

/* By name: the place of the first change of the host that it fits, plus one; 0: none.
 */
static int32_t *changes_of_names(struct arena *a, struct arena tmp,
                                 const struct event_store *s,
                                 const struct asked_change *c, int n)
{
    int32_t *change = arena_new(a, int32_t, s->names.n + 1);
    for (int k = n - 1; k >= 0; k--) {
        struct arena mine = tmp;
        const bool *fits =
            c[k].kind == ASKED_HOST ? names_that_fit(&mine, s, c[k].glob) : NULL;
        for (int32_t name = 0; fits && name < s->names.n; name++)
            change[name] = fits[name] ? k + 1 : change[name];
    }
    return change;
}

static void change_call(struct what_if *w, int lane, event_id i,
                        const struct asked_change *c)
{
    const struct event_store *s = w->o->view->s;
    int64_t from_ns = s->start_ns[i], to_ns = store_end_ns(s, i);
    bool gone =
        cat_is_runtime(s->cat[i]) && !(c->factor > 0) && !str_eq(c->glob, S("*"));
    if (gone)
        what_if_cut(w, 1u << lane, s->lane[i], from_ns, to_ns);
    else
        what_if_quicken(w, 1u << lane, s->lane[i], from_ns, to_ns, 1 - c->factor);
}

static void change_host(struct what_if *w, int lane, struct arena tmp,
                        const struct call_tree *calls, const struct asked_change *c,
                        int n, int64_t n_events[])
{
    const struct event_store *s = w->o->view->s;
    struct arena far = tmp, near = arena_first_half(&far);
    const int32_t *change = changes_of_names(&near, far, s, c, n);
    int32_t until = 0;
    for (int32_t pos = 0; pos < calls->n_order; pos++) {
        event_id i = calls->order[pos];
        int32_t k = change[s->name[i]] - 1;
        if (k < 0)
            continue;
        n_events[k]++;
        if (pos < until)
            continue;
        until = calls->after[pos];
        change_call(w, lane, i, &c[k]);
    }
}

void asked_changes_apply(struct what_if *w, int lane, struct arena tmp,
                         const struct call_tree *calls, const struct asked_change *c,
                         int n, int64_t n_events[])
{
    bool host = false;
    for (int k = 0; k < n; k++) {
        if (c[k].kind == ASKED_FINDING)
            continue;
        n_events[k] = 0;
        if (c[k].kind == ASKED_HOST)
            host = true;
        else
            n_events[k] = change_device(w, lane, tmp, &c[k]);
    }
    if (host)
        change_host(w, lane, tmp, calls, c, n, n_events);
}
