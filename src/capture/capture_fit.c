#include "capture/capture_fit.h"

#include "capture/call_durations.h"
#include "capture/capture_names.h"

#include <stddef.h>

enum { RANKS_MAX = 1 << 20 };

static const int64_t ELEMENTS_MAX = INT64_C(1) << 53;

static const struct capture_misfit fits = {NULL, NULL};

static struct capture_misfit misfit(const char *where, const char *what)
{
    return (struct capture_misfit){where, what};
}

static struct capture_misfit of_events(const struct capture *c)
{
    int64_t left_ns = CAPTURE_TIME_MAX_NS;
    for (int32_t i = 0; i < c->n_events; i++) {
        const struct capture_event *e = &c->events[i];
        if (e->end_ns - e->start_ns > left_ns)
            return misfit("events", "too long in sum");
        left_ns -= e->end_ns - e->start_ns;
        if (e->row < 0 || e->row >= c->n_rows)
            return misfit("events", "a row that is not there");
        if (i && e->start_ns < e[-1].start_ns)
            return misfit("events", "not by start");
    }
    return fits;
}

static struct capture_misfit of_tables(const struct capture *c)
{
    for (int32_t i = 0; i < c->n_nodes; i++) {
        const struct capture_node *n = &c->nodes[i];
        bool top = i == 0 && n->parent == -1 && n->depth == 0;
        if (!top &&
            (i == 0 || n->parent < 0 || n->parent >= i ||
             n->depth != c->nodes[n->parent].depth + 1 || n->depth > CAPTURE_DEPTH_MAX))
            return misfit("paths", "no tree");
    }
    for (int32_t i = 0; i < c->n_rows; i++)
        if (c->rows[i].node < 0 || (c->rows[i].node >= c->n_nodes && c->rows[i].node))
            return misfit("operators", "a path that is not there");
    for (int32_t i = 0; i < c->n_bins; i++) {
        const struct capture_bin *b = &c->bins[i];
        if (b->row < 0 || b->row >= c->n_rows || b->bin < 0 || b->bin >= CALL_BINS ||
            b->n <= 0 || b->n > INT32_MAX || (i && b->row < b[-1].row))
            return misfit("histograms", "no counts by row");
    }
    return c->end_ns >= c->start_ns ? fits : misfit("meta", "window");
}

static bool parts_fit(const int64_t parts_ns[CAPTURE_PARTS])
{
    int64_t left_ns = CAPTURE_TIME_MAX_NS;
    for (int k = 0; k < CAPTURE_PARTS; k++) {
        if (parts_ns[k] < 0 || parts_ns[k] > left_ns)
            return false;
        left_ns -= parts_ns[k];
    }
    return true;
}

static struct capture_misfit of_steps(const struct capture *c)
{
    for (int i = 0; i < c->n_steps; i++) {
        if (i && c->steps[i].start_ns < c->steps[i - 1].end_ns)
            return misfit("steps", "not one after the other");
        if (!parts_fit(c->steps[i].parts_ns))
            return misfit("parts", "too long in sum");
    }
    return parts_fit(c->parts_ns) ? fits : misfit("parts", "too long in sum");
}

/* The whole recording; with its base a time of a rank is one of the job. */
static struct capture_misfit of_recording(const struct capture *c)
{
    const struct capture_ranks *r = &c->ranks;
    const int64_t parts_ns[] = {r->computation_ns, r->exposed_comm_ns,
                                r->exposed_copy_ns, r->idle_ns, r->kernel_ns};
    bool base = c->origin.base_ns > -2 * CAPTURE_TIME_MAX_NS &&
                c->origin.base_ns < 2 * CAPTURE_TIME_MAX_NS &&
                c->origin.trace_base_ns > -2 * CAPTURE_TIME_MAX_NS &&
                c->origin.trace_base_ns < 2 * CAPTURE_TIME_MAX_NS;
    if (!base)
        return misfit("meta", "base_ns");
    if (r->rank >= RANKS_MAX || r->world_size > RANKS_MAX || r->n_devices > RANKS_MAX)
        return misfit("meta", "more ranks than there can be");
    if (r->end_ns < r->start_ns)
        return misfit("meta", "recording");
    for (size_t i = 0; i < sizeof parts_ns / sizeof *parts_ns; i++)
        if (parts_ns[i] < 0 || parts_ns[i] > CAPTURE_TIME_MAX_NS)
            return misfit("meta", "recording");
    return fits;
}

/* One after the other, within the recording. */
static bool blocks_fit(const struct capture_ranks *r, const struct capture_block *b,
                       int32_t n)
{
    int64_t from_ns = r->start_ns;
    for (int32_t i = 0; i < n; i++) {
        if (b[i].start_ns < from_ns || b[i].start_ns > r->end_ns || b[i].dur_ns < 0 ||
            b[i].dur_ns > r->end_ns - b[i].start_ns)
            return false;
        from_ns = b[i].start_ns + b[i].dur_ns;
    }
    return true;
}

static bool collective_fits(const struct capture_ranks *r,
                            const struct capture_collective *x)
{
    int64_t left_ns = x->start_ns - r->start_ns;
    const int64_t parts_ns[] = {x->compute_ns, x->copy_ns, x->idle_ns,
                                x->other_wait_ns};
    if (left_ns < 0 || x->start_ns > r->end_ns || x->dur_ns < 0 ||
        x->dur_ns > r->end_ns - x->start_ns)
        return false;
    for (size_t k = 0; k < sizeof parts_ns / sizeof *parts_ns; k++) {
        if (parts_ns[k] < 0 || parts_ns[k] > left_ns)
            return false;
        left_ns -= parts_ns[k];
    }
    left_ns = CAPTURE_TIME_MAX_NS;
    for (int k = 0; k < CAPTURE_CAUSES; k++) {
        if (x->cause_ns[k] < 0 || x->cause_ns[k] > left_ns)
            return false;
        left_ns -= x->cause_ns[k];
    }
    return true;
}

static struct capture_misfit of_collectives(const struct capture_ranks *r,
                                            const struct capture_collective *list,
                                            int32_t n, const char *where)
{
    for (int32_t i = 0; i < n; i++) {
        const struct capture_collective *x = &list[i];
        if (x->signature < 0 || x->signature >= r->n_signatures)
            return misfit(where, "a signature that is not there");
        if (x->peer < -1 || x->peer >= RANKS_MAX)
            return misfit(where, "a rank that cannot be");
        if (i && x->start_ns < x[-1].start_ns)
            return misfit(where, "not by start");
        if (!collective_fits(r, x))
            return misfit(where, "times outside the recording");
    }
    return fits;
}

static struct capture_misfit of_names(const struct capture_ranks *r)
{
    for (int32_t i = 0; i < r->n_groups; i++)
        if (r->groups[i].size < 0 || r->groups[i].size > RANKS_MAX)
            return misfit("groups", "a size that cannot be");
    for (int32_t i = 0; i < r->n_signatures; i++) {
        const struct capture_signature *s = &r->signatures[i];
        if (s->group < -1 || s->group >= r->n_groups)
            return misfit("signatures", "a group that is not there");
        if (s->in_elements < -1 || s->in_elements > ELEMENTS_MAX ||
            s->out_elements < -1 || s->out_elements > ELEMENTS_MAX)
            return misfit("signatures", "a size that cannot be");
    }
    return fits;
}

struct capture_misfit capture_misfit_of(const struct capture *c)
{
    const struct capture_ranks *r = &c->ranks;
    const struct capture_misfit all[] = {
        of_events(c),
        of_tables(c),
        of_steps(c),
        of_recording(c),
        blocks_fit(r, r->blocks, r->n_blocks)
            ? fits
            : misfit("blocks", "not in the recording"),
        blocks_fit(r, r->covers, r->n_covers)
            ? fits
            : misfit("covers", "not in the recording"),
        of_names(r),
        of_collectives(r, r->collectives, r->n_collectives, "collectives"),
        of_collectives(r, r->p2p, r->n_p2p, "p2p")};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].what)
            return all[i];
    return fits;
}
