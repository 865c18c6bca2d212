#include "commands/job_explain.h"

#include "analysis/model/finding_title.h"
#include "base/sort.h"
#include "capture/capture_read.h"
#include "commands/job_inputs.h"
#include "compare/compare_captures.h"
#include "render/text/bundle.h"
#include "report/compare/rank_cause.h"
#include "report/job/job_headline.h"

/* Of those that do the same and are not named, the median one by lateness; -1: none. */
static int32_t usual_rank(struct arena tmp, const struct job *j, int32_t late)
{
    struct sort_row *by = arena_new(&tmp, struct sort_row, j->n_ranks);
    int n = 0;
    for (int32_t i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        if (i != late && !r->is_named && r->role == j->ranks[late].role)
            by[n++] = (struct sort_row){r->late.ns, i};
    }
    sort_rows(tmp, by, n);
    return n ? by[(n - 1) / 2].row : -1;
}

static bool read_file(struct arena *perm, const struct job_rank *r, struct capture *c,
                      struct err *e)
{
    struct capture_lines l;
    struct str line = S("");
    bool found = false, at_once = r->input_at >= 0;
    if (!(at_once ? capture_lines_open_at(&l, r->input, r->input_at, e)
                  : capture_lines_open(&l, r->input, e)))
        return false;
    for (int32_t k = at_once ? r->input_line : 0; k <= r->input_line; k++)
        found = capture_lines_next(&l, &line, e);
    if (found)
        line = str_of(str_c(perm, line));
    capture_lines_close(&l);
    return found && capture_read(perm, line, CAPTURE_ALL, r->input, c, e);
}

/* False without an error: nobody has its capture any more. */
static bool read_rank(struct arena *perm, const struct options *o,
                      const struct job_rank *r, struct capture *c, struct err *e)
{
    bool done = r->input &&
                (r->kept.n ? capture_read(perm, r->kept, CAPTURE_ALL, r->input, c, e)
                           : read_file(perm, r, c, e));
    if (!done)
        return false;
    job_redact(perm, c, o);
    c->label = str_printf(perm, "rank %d", r->rank);
    return c->ranks.rank == r->rank;
}

/* A rank that is recorded for a shorter time is compared in the steps that both have.
 */
static struct step_choice steps_of_both(const struct capture of[2])
{
    struct step_choice all = {.asked = STEPS_ALL}, both = {.asked = STEPS_NUMBERED};
    int64_t from = INT64_MIN, to = INT64_MAX;
    if (!of[0].n_steps || !of[1].n_steps)
        return all;
    for (int side = 0; side < 2; side++) {
        int64_t first = of[side].steps[0].number,
                last = of[side].steps[of[side].n_steps - 1].number;
        from = first > from ? first : from;
        to = last < to ? last : to;
    }
    bool same = from == of[0].steps[0].number && from == of[1].steps[0].number &&
                of[0].n_steps == of[1].n_steps;
    for (int side = 0; side < 2; side++) {
        both.from[side] = from;
        both.to[side] = to;
    }
    return same || from > to ? all : both;
}

/* The steps in which the rank is late, if those follow each other and others do not
 * have them so: there alone it shows why. */
static struct step_choice steps_of_late(const struct job *j, int32_t late,
                                        const struct capture of[2])
{
    struct step_choice c = steps_of_both(of);
    int first, last;
    if (c.asked != STEPS_ALL || !job_late_span(j, late, &first, &last))
        return c;
    for (int side = 0; side < 2; side++) {
        c.from[side] = j->steps[first].number;
        c.to[side] = j->steps[last].number;
    }
    c.asked = STEPS_NUMBERED;
    return c;
}

static bool may_say(const struct options *o, const struct job_rank *r, struct str text)
{
    /* Of a trace, names are public by now; a capture file has them as they were. */
    return o->level != REDACT_PUBLIC || r->kept.n || !str_has(text, S("`"));
}

static struct job_reason reason_of(struct arena *perm, struct arena tmp,
                                   struct arena tmp2, const struct options *o,
                                   const struct job *j, int32_t late, struct err *e)
{
    struct job_reason reason = {.rank = late};
    int32_t usual = usual_rank(tmp, j, late);
    struct capture of[2];
    const struct capture *const lent[2] = {&of[0], &of[1]};
    const int n[2] = {1, 1};
    struct comparison c;
    struct err no_steps = {0};
    struct comparison_options asked = {
        .floors = NOISE_FLOORS,
        .match = {.last = MATCH_CATEGORY,
                  .equivalence = bundle_file(S("assets/equivalence.tsv"))}};
    if (usual < 0 || !read_rank(&tmp, o, &j->ranks[usual], &of[0], e) ||
        !read_rank(&tmp, o, &j->ranks[late], &of[1], e))
        return reason;
    asked.steps = steps_of_late(j, late, of);
    if (!comparison_make(&tmp, tmp2, lent, n, &asked, &c, &no_steps))
        return reason;
    struct rank_cause_said said = compare_rank_cause(perm, tmp, &c);
    if (!may_say(o, &j->ranks[late], said.because))
        return reason;
    reason.because = said.because;
    reason.kind = (int)said.cause;
    return reason;
}

/* Where no rank is late, what one of them would do first. A capture file has names of
 * code as they were, which a public job does not tell. */
static void find_first_action(struct arena *perm, struct arena tmp,
                              const struct options *o, struct job *j, struct err *e)
{
    struct capture c;
    if (j->n_ranks < 2 || !j->has_several || o->level == REDACT_PUBLIC ||
        !read_rank(&tmp, o, &j->ranks[0], &c, e))
        return;
    for (int i = 0; i < c.n_findings; i++)
        if (!c.findings[i].informational) {
            j->first_action = str_copy(perm, title_within(&tmp, &c.findings[i]));
            j->first_rank = 0;
            return;
        }
}

/* Whether one reason does not do for all that are named: of other causes, or of one
 * that makes some of them far later. */
static bool are_unlike(const struct job *j)
{
    static const double ALIKE = 1.25;
    int64_t least = INT64_MAX, most = 0;
    for (int i = 0; i < j->n_named; i++) {
        int64_t ns = j->ranks[j->named[i]].late.ns;
        least = ns < least ? ns : least;
        most = ns > most ? ns : most;
    }
    return j->n_named > 1 && j->n_named <= JOB_REASONS && !j->is_node &&
           (job_common_cause(j) < 0 || (double)most > ALIKE * (double)least);
}

bool job_explain(struct arena *perm, struct arena tmp, struct arena tmp2,
                 const struct options *o, struct job *j, struct err *e)
{
    int32_t first = j->n_named ? j->named[0] : j->is_once ? j->once : -1;
    bool each = are_unlike(j);
    for (int i = 0; first >= 0 && i < (each ? j->n_named : 1); i++)
        j->reasons[j->n_reasons++] =
            reason_of(perm, tmp, tmp2, o, j, each ? j->named[i] : first, e);
    if (job_headline_of(j) == HEADLINE_NONE && !j->n_named)
        find_first_action(perm, tmp, o, j, e);
    return e->kind == ERR_NONE;
}
