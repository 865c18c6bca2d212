#include "analysis/finding_order.h"

#include "analysis/finding_priority.h"
#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double mid_pct(const struct impact_range *x)
{
    double mid = (x->low_pct + x->high_pct) / 2;
    return isnan(mid) ? 0 : mid;
}

/* First launches, module loads, graphs recorded: no step saves them, but they are what
 * the recording shows. */
static bool happens_once(const struct finding *f)
{
    return f->idle && !(f->impact.high_ms > 0) &&
           (f->idle->class == IDLE_FIRST_LAUNCH || f->idle->class == IDLE_LOAD ||
            f->idle->class == IDLE_GRAPH);
}

/* What a finding is worth to whoever reads the recording. */
static double worth_pct(const struct finding *f)
{
    return happens_once(f) ? f->total_pct : mid_pct(&f->impact);
}

/* For the order: less than a thousandth of the time is nothing. */
static double place_pct(double pct)
{
    return pct < 0.1 ? 0 : pct;
}

static int compare(double x, double y)
{
    return (x < y) - (x > y); /* larger first */
}

/* The one order of findings, on every page and in every file: the middle of what they
 * save (of what happens once: its time), of what they save once the host keeps up,
 * priority, time, category, operator; ties keep the order in which they were found.
 * Remarks come last, and "Other" after named categories. */
static int in_final_order(const void *x, const void *y)
{
    const struct finding *a = *(const struct finding *const *)x,
                         *b = *(const struct finding *const *)y;
    const int differences[] = {
        a->informational - b->informational,
        compare(place_pct(worth_pct(a)), place_pct(worth_pct(b))),
        compare(place_pct(mid_pct(&a->impact_then)),
                place_pct(mid_pct(&b->impact_then))),
        compare(mid_pct(&a->impact), mid_pct(&b->impact)),
        (a->priority < b->priority) - (a->priority > b->priority),
        compare(isnan(a->time_ms) ? 0 : a->time_ms, isnan(b->time_ms) ? 0 : b->time_ms),
        (a->category == WORK_OTHER) - (b->category == WORK_OTHER),
        str_cmp(work_category_name(a->category), work_category_name(b->category)),
        str_cmp(a->op, b->op),
        (a > b) - (a < b)};
    int k = 0;
    while (!differences[k] && a != b)
        k++;
    return differences[k];
}

static void renumber_claims(struct analysis *a, const int32_t *place)
{
    for (int c = 0; c < WORK_CATEGORIES; c++)
        for (int32_t i = 0; i < a->categories[c].n_rows; i++) {
            struct work_row *r = &a->categories[c].rows[i];
            if (r->claimed_by >= 0)
                r->claimed_by = place[r->claimed_by];
        }
}

/* A chain of element-wise kernels that a finding about its operators already covers,
 * the same kernels, seen from the module around them; or the kernels of one operator,
 * of which there is a finding. */
static bool is_told_twice(const struct analysis *a, const struct finding *f)
{
    double ms = 0, told_ms = 0;
    if (f->tier != TIER_FUSION || f->claims_rows)
        return false;
    for (int i = 0; i < f->n_rows; i++) {
        int32_t other = f->rows[i]->claimed_by;
        ms += f->rows[i]->time_ms;
        if (other >= 0 && a->findings[other].tier == TIER_COMPUTE &&
            (str_ends(a->findings[other].pattern, S("_chain")) ||
             str_has(f->op, S("::"))))
            told_ms += f->rows[i]->time_ms;
    }
    return ms > 0 && told_ms >= 0.5 * ms;
}

static void sort_findings(struct arena tmp, struct analysis *a)
{
    int n = 0;
    const struct finding **order =
        arena_new(&tmp, const struct finding *, a->n_findings);
    int32_t *place = arena_new(&tmp, int32_t, a->n_findings);
    struct finding *sorted = arena_new(&tmp, struct finding, a->n_findings);
    for (int i = 0; i < a->n_findings; i++)
        if (!is_told_twice(a, &a->findings[i]))
            order[n++] = &a->findings[i];
    qsort(order, (size_t)n, sizeof *order, in_final_order);
    for (int i = 0; i < n; i++) {
        sorted[i] = *order[i];
        place[order[i] - a->findings] = i;
    }
    renumber_claims(a, place);
    for (int i = 0; i < n; i++)
        if (sorted[i].until >= 0)
            sorted[i].until = place[sorted[i].until];
    if (n > 0)
        memcpy(a->findings, sorted, (size_t)n * sizeof *sorted);
    a->n_findings = n;
}

/* What saves little is not of high priority, however slow; idle time, copies and
 * collectives that cost much are not of a low one. What has to wait for another finding
 * counts with what it saves then. */
static void weigh_priorities(struct arena *perm, struct analysis *a)
{
    for (int i = 0; i < a->n_findings; i++) {
        struct finding *f = &a->findings[i];
        double pct = f->until < 0 ? worth_pct(f) : mid_pct(&f->impact_then);
        enum priority weighed = f->priority;
        if (!f->asked)
            weighed = priority_capped(weighed, pct);
        if (f->tier == TIER_SYSTEM)
            weighed = priority_raised(weighed, pct);
        if (f->informational || isnan(f->impact.high_pct) || weighed == f->priority)
            continue;
        f->priority = weighed;
        f->priority_basis =
            pct > 0 ? say(perm, "{}; saves {}% of the time", said(f->priority_basis),
                          said_pct(pct))
                    : say(perm, "{}; saves nothing", said(f->priority_basis));
    }
}

/* The list to act on: at most ten items each about kernels and fusion, none of them
 * low; about the system, everything except remarks. */
static void number_findings(struct analysis *a)
{
    enum { MOST_ITEMS = 10 };
    int in_category[WORK_CATEGORIES] = {0}, in_tier[3] = {0};
    for (int i = 0; i < a->n_findings; i++) {
        struct finding *f = &a->findings[i];
        bool item = f->tier == TIER_SYSTEM
                        ? !f->informational
                        : f->priority > PRIORITY_LOW && in_tier[f->tier] < MOST_ITEMS;
        f->global_rank = i + 1;
        f->category_rank = ++in_category[f->category];
        f->tier_number = item ? ++in_tier[f->tier] : 0;
    }
}

/* Two findings share an id only if their names differ in characters an id cannot
 * hold. */
static void set_ids(struct arena *perm, struct analysis *a)
{
    for (int i = 0; i < a->n_findings; i++) {
        struct finding *f = &a->findings[i];
        int twins = 1;
        if (f->id.n == 0)
            f->id = finding_id(perm, f);
        for (int k = 0; k < i; k++) {
            struct str other = a->findings[k].id;
            twins += str_eq(other, f->id) ||
                     (other.n > f->id.n && str_starts(other, f->id) &&
                      other.p[f->id.n] == '~');
        }
        if (twins > 1)
            f->id = say(perm, "{}~{}", said(f->id), said(twins));
    }
}

void finding_order(struct arena *perm, struct arena tmp, struct analysis *a)
{
    weigh_priorities(perm, a);
    sort_findings(tmp, a);
    number_findings(a);
    set_ids(perm, a);
}
