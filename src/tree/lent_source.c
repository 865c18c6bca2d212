#include "tree/lent_source.h"

static struct str lane_text(const struct event_store *s, name_id id)
{
    return pool_text(&s->names, id);
}

static void set_lane(struct event *ev, const struct event_store *s, event_id i)
{
    const struct lane *lane = &s->lanes[s->lane[i]];
    ev->pid = lane_text(s, lane->pid);
    ev->tid = lane_text(s, lane->tid);
}

static int64_t id_of(const struct lent_source *l, int32_t k)
{
    return l->plan->first_id + k;
}

/* An operator, frame or launch as the lender recorded it, but for its time and thread;
 * numbers that pair operators are those of another run. */
static void put_event(struct lent_source *l, struct event *ev, int32_t k)
{
    const struct lent_event *x = &l->plan->events[k];
    const struct event_store *from = l->plan->from;
    const struct op_texts *t = store_texts(from, x->from);
    ev->ph = 'X';
    ev->cat = (enum event_cat)from->cat[x->from];
    ev->name = store_name(from, x->from);
    set_lane(ev, l->plan->to, x->graph);
    ev->start_ns = x->start_ns;
    ev->dur_ns = x->dur_ns;
    ev->has_start = ev->has_dur = true;
    struct event_args *args = event_args_set(ev);
    if (x->device >= 0)
        args->correlation = id_of(l, k);
    if (t) {
        args->dims = pool_text(&from->names, t->dims);
        args->types = pool_text(&from->names, t->types);
        args->strides = pool_text(&from->names, t->strides);
        args->concrete = pool_text(&from->names, t->concrete);
        args->rest = pool_text(&from->names, t->rest);
    }
}

/* One end of the arrow from a lent launch to its device event. */
static void put_arrow(struct lent_source *l, struct event *ev, int32_t k, bool end)
{
    const struct lent_event *x = &l->plan->events[k];
    ev->ph = end ? 'f' : 's';
    ev->cat = CAT_LAUNCH_FLOW;
    ev->flow_id = id_of(l, k);
    ev->start_ns = x->start_ns;
    ev->has_start = true;
    set_lane(ev, l->plan->to, end ? x->device : x->graph);
}

static struct event *next_of_trace(struct lent_source *l, struct err *e)
{
    struct event *ev = l->trace.next(l->trace.state, e);
    if (!ev)
        return NULL;
    int32_t k = cat_is_gpu(ev->cat) ? int_map_get(&l->plan->device_of, ev->uid) : -1;
    if (k >= 0)
        event_args_set(ev)->correlation = id_of(l, k);
    return ev;
}

static struct event *next(void *state, struct err *e)
{
    struct lent_source *l = state;
    struct event *ev = l->ended ? NULL : next_of_trace(l, e);
    if (ev)
        return ev;
    if (!l->ended) {
        l->end = l->trace.end(l->trace.state, l->perm);
        l->uid = l->end.n_elements;
    }
    l->ended = true;
    if (e->kind != ERR_NONE || (!l->arrows && l->next >= l->plan->n))
        return NULL;
    ev = &l->event;
    event_clear(ev);
    ev->uid = l->uid++;
    if (l->arrows) {
        put_arrow(l, ev, l->next - 1, l->arrows == 1);
        l->arrows--;
        return ev;
    }
    put_event(l, ev, l->next);
    l->arrows = l->plan->events[l->next++].device >= 0 ? 2 : 0;
    return ev;
}

static struct source_progress progress(void *state)
{
    struct lent_source *l = state;
    return l->trace.progress(l->trace.state);
}

static struct source_end end(void *state, struct arena *perm)
{
    (void)perm;
    return ((struct lent_source *)state)->end;
}

static void close_source(void *state)
{
    struct lent_source *l = state;
    l->trace.close(l->trace.state);
}

struct event_source lent_source_open(struct lent_source *l, struct arena *perm,
                                     struct event_source trace,
                                     const struct lend_plan *plan)
{
    *l = (struct lent_source){.trace = trace, .plan = plan, .perm = perm};
    return (struct event_source){l,   next,         trace.decode,    progress,
                                 end, close_source, trace.abilities, trace.collective};
}
