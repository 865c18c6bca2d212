/* Whose experts get more than their share, by what ranks send and receive in
 * all-to-all-v: of the two directions, the one that is less even tells. */
#include "job/job_parts.h"

#include <math.h>

struct direction {
    double sum, most;
    bool known;
};

static struct direction direction_of(const struct job *j, const struct job_instance *x,
                                     bool out, double *of)
{
    struct direction d = {.known = true};
    for (int32_t k = 0; k < x->n_members; k++) {
        const struct job_signature *s =
            &j->signatures[member_of(j, x->first_member + k)->signature];
        int64_t n = out ? s->out_elements : s->in_elements;
        d.known &= n >= 0;
        of[k] = (double)n;
        d.sum += of[k];
        d.most = fmax(d.most, of[k]);
    }
    d.known &= d.sum > 0;
    return d;
}

/* How much more than an even one an all-to-all-v of these takes. */
static void add_instance(struct arena tmp, struct job *j, int32_t instance, double *got,
                         double *share)
{
    struct job_instance *x = &j->instances[instance];
    double *in = arena_new(&tmp, double, x->n_members);
    double *out = arena_new(&tmp, double, x->n_members);
    struct direction a = direction_of(j, x, false, in);
    struct direction b = direction_of(j, x, true, out);
    if (!a.known || !b.known)
        return;
    bool by_out = b.most * a.sum >= a.most * b.sum;
    double sum = by_out ? b.sum : a.sum, most = by_out ? b.most : a.most;
    for (int32_t k = 0; k < x->n_members; k++) {
        int32_t rank = j->members[x->first_member + k].rank;
        got[rank] += by_out ? out[k] : in[k];
        share[rank] += sum / x->n_members;
    }
    x->even_frac = (float)(sum / x->n_members / most);
}

void job_find_uneven(struct arena tmp, struct job *j)
{
    double *got = arena_new(&tmp, double, j->n_ranks);
    double *share = arena_new(&tmp, double, j->n_ranks);
    for (int32_t i = 0; i < j->n_instances; i++) {
        struct job_instance *x = &j->instances[i];
        x->even_frac = 1;
        if (j->signatures[x->signature].kind == COLLECTIVE_ALL_TO_ALL_V &&
            x->is_complete && x->n_members > 1)
            add_instance(tmp, j, i, got, share);
        j->is_uneven |= (double)x->even_frac < UNEVEN_FRAC;
    }
    for (int i = 0; i < j->n_ranks; i++)
        j->ranks[i].load_frac = share[i] > 0 ? got[i] / share[i] : (double)NAN;
}
