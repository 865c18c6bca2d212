/* What the run would take with several ranks mended together: all of a node, all that
 * do the same; or with one cause of lateness mended on all ranks. */
#include "job/job_mends.h"

#include "base/int_map.h"
#include "base/sort.h"

#include <string.h>

enum { SETS_MAX = 16, CAUSES_MAX = 8, CAUSES_OF_MANY = 3, NODES_MANY = 1000000 };

#define CAUSE_LEAST_FRAC 0.01 /* of all lateness: less is not asked for */

/* Ranks by the set that each is in. */
struct sets {
    struct job_mend *of;
    double *blame;
    int n;
};

static struct sets sets_by(struct arena *perm, struct arena *tmp, const struct job *j,
                           enum mend_kind kind)
{
    struct int_map at = int_map_make(tmp, 64);
    struct sets s = {0};
    int32_t *set = arena_new(tmp, int32_t, j->n_ranks);
    for (int32_t i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        int64_t key = kind == MEND_NODE ? r->node : r->role;
        int32_t *place = int_map_at(&at, tmp, key);
        set[i] = *place = *place < 0 ? s.n : *place;
        s.n += set[i] == s.n;
    }
    s.of = arena_new(tmp, struct job_mend, s.n);
    s.blame = arena_new(tmp, double, s.n);
    for (int32_t i = 0; i < j->n_ranks; i++) {
        struct job_mend *m = &s.of[set[i]];
        *m = (struct job_mend){
            kind, S(""),          kind == MEND_NODE ? j->ranks[i].node : -1,
            NULL, m->n_ranks + 1, 0};
        s.blame[set[i]] += j->ranks[i].own_blame;
    }
    for (int k = 0; k < s.n; k++) {
        s.of[k].ranks = arena_new(perm, int32_t, s.of[k].n_ranks);
        s.of[k].n_ranks = 0;
    }
    for (int32_t i = 0; i < j->n_ranks; i++)
        s.of[set[i]].ranks[s.of[set[i]].n_ranks++] = i;
    return s;
}

static struct str set_text(struct arena *perm, const struct job *j,
                           const struct job_mend *m)
{
    if (m->kind == MEND_ROLE)
        return str_printf(perm, "%d %s as rank %d", m->n_ranks,
                          str_plural(m->n_ranks, "rank", "ranks"),
                          j->ranks[m->ranks[0]].rank);
    return j->hosts[m->node].n ? j->hosts[m->node]
                               : str_printf(perm, "node %d", m->node);
}

static void add_mends(struct job_graph *w, struct job_mend *list, int n)
{
    struct arena tmp = w->tmp;
    struct sort_row *rows = arena_new(&tmp, struct sort_row, n);
    for (int i = 0; i < n; i++)
        rows[i] = (struct sort_row){list[i].total_ns, i};
    sort_rows(tmp, rows, n);
    for (int i = 0; i < n; i++) {
        arena_grow(w->perm, w->j->mends, w->j->n_mends);
        w->j->mends[w->j->n_mends++] = list[rows[i].row];
    }
}

/* Of many sets those that are blamed most. */
static void mend_sets(struct job_graph *w, enum mend_kind kind)
{
    struct job *j = w->j;
    struct arena keep = w->tmp;
    struct sets s = sets_by(w->perm, &w->tmp, j, kind);
    struct sort_row *rows = arena_new(&w->tmp, struct sort_row, s.n);
    struct job_mend tried[SETS_MAX];
    const uint8_t *modes[REPLAY_LANES];
    int64_t total_ns[REPLAY_LANES];
    int n = s.n < SETS_MAX ? s.n : SETS_MAX;
    for (int i = 0; i < s.n; i++)
        rows[i] = (struct sort_row){-(int64_t)s.blame[i], i};
    sort_rows(w->tmp, rows, s.n);
    for (int from = 0; s.n > 1 && from < n; from += REPLAY_LANES) {
        int lanes = n - from < REPLAY_LANES ? n - from : REPLAY_LANES;
        struct arena own = w->tmp;
        for (int k = 0; k < lanes; k++) {
            struct job_mend *m = &tried[from + k];
            uint8_t *mode = arena_new(&w->tmp, uint8_t, j->n_ranks);
            *m = s.of[rows[from + k].row];
            m->what = set_text(w->perm, j, m);
            for (int i = 0; i < m->n_ranks; i++)
                mode[m->ranks[i]] = REPLAY_MENDED;
            modes[k] = mode;
        }
        job_graph_run(w, modes, lanes, total_ns);
        for (int k = 0; k < lanes; k++)
            tried[from + k].total_ns = total_ns[k];
        w->tmp = own;
    }
    w->tmp = keep;
    if (s.n > 1)
        add_mends(w, tried, n);
}

/* How late all ranks are by a cause; and which they are. */
static int64_t late_by(const struct job *j, int cause, struct arena *a,
                       struct job_mend *m)
{
    int64_t all_ns = 0;
    for (int32_t i = 0; i < j->n_ranks; i++) {
        const struct job_lateness *l = &j->ranks[i].late;
        int64_t ns = cause_of(cause, l->part_ns, l->cause_ns, l->work_ns);
        if (ns <= 0)
            continue;
        all_ns += ns;
        if (!a)
            continue;
        arena_grow(a, m->ranks, m->n_ranks);
        m->ranks[m->n_ranks++] = i;
    }
    return all_ns;
}

static void mend_causes(struct job_graph *w)
{
    struct job *j = w->j;
    struct arena keep = w->tmp;
    struct sort_row rows[JOB_CAUSES];
    struct job_mend tried[CAUSES_MAX];
    uint8_t *all = arena_new(&w->tmp, uint8_t, j->n_ranks);
    const uint8_t *modes[] = {all};
    int n = 0, most = w->g.n > NODES_MANY ? CAUSES_OF_MANY : CAUSES_MAX;
    memset(all, REPLAY_MENDED, (size_t)j->n_ranks);
    for (int cause = 0; cause < JOB_CAUSES; cause++) {
        int64_t ns = late_by(j, cause, NULL, NULL);
        if ((double)ns >= CAUSE_LEAST_FRAC * (double)j->total_late_ns && ns > 0)
            rows[n++] = (struct sort_row){-ns, cause};
    }
    sort_rows(w->tmp, rows, n);
    n = n < most ? n : most;
    for (int i = 0; i < n; i++) {
        struct arena own = w->tmp;
        int cause = rows[i].row;
        tried[i] = (struct job_mend){
            .kind = MEND_CAUSE, .what = cause_text(w->perm, cause), .node = -1};
        (void)late_by(j, cause, w->perm, &tried[i]);
        job_graph_mend(w, job_cause_scales(&w->tmp, j, w->first_row, w->n_rows, cause));
        job_graph_run(w, modes, 1, &tried[i].total_ns);
        w->tmp = own;
    }
    w->tmp = keep;
    add_mends(w, tried, n);
}

void job_mend_together(struct job_graph *w)
{
    mend_sets(w, MEND_NODE);
    mend_sets(w, MEND_ROLE);
    mend_causes(w);
}
