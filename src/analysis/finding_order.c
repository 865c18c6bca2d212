#include "analysis/finding_order.h"

#include "analysis/finding_events.h"
#include "analysis/finding_priority.h"
#include "analysis/finding_titles.h"
#include "analysis/model/device_word.h"
#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double mid_pct(const struct impact_range *x)
{
    double mid = impact_worth_pct(x);
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

/* Nothing is known of this time until it is recorded, or recorded again. */
static bool is_unseen(const struct finding *f)
{
    return f->recording && f->idle &&
           (f->idle->class == IDLE_NOTHING || f->idle->class == IDLE_UNLINKED ||
            idle_group_starts(f->idle));
}

/* So much of the run that other findings wait for what it shows. */
static bool hides_much(const struct finding *f)
{
    const double MUCH_PCT = 5;
    return is_unseen(f) && f->total_pct >= MUCH_PCT;
}

/* So much that it decides what bounds the run, as in the verdict. */
static bool decides(const struct finding *f)
{
    const double DECIDES_PCT = 25;
    return f->total_pct >= DECIDES_PCT;
}

/* What a finding is worth to whoever reads the recording: what it saves, and of what
 * happens once, or of much that nobody saw, its time. */
static double worth_pct(const struct finding *f)
{
    return happens_once(f) || (is_unseen(f) && decides(f)) ? f->total_pct
                                                           : mid_pct(&f->impact);
}

/* The same for the order: less than a thousandth of the time is nothing. */
static double place_pct(const struct finding *f)
{
    double pct = worth_pct(f);
    return pct < 0.1 ? 0 : pct;
}

/* What it saves once the host keeps up. */
static double place_then_pct(const struct finding *f)
{
    double pct = mid_pct(&f->impact_then);
    return pct < 0.1 ? 0 : pct;
}

static int compare(double x, double y)
{
    return (x < y) - (x > y); /* larger first */
}

/* The one order of findings, on every page and in every file: priority, the middle of
 * what they save (of what happens once: its time), of what they save once the host
 * keeps up, time, category, operator; ties keep the order in which they were found.
 * Remarks come last, and "Other" after named categories. */
static int in_final_order(const void *x, const void *y)
{
    const struct finding *a = *(const struct finding *const *)x,
                         *b = *(const struct finding *const *)y;
    const int differences[] = {
        a->informational - b->informational,
        (a->priority < b->priority) - (a->priority > b->priority),
        compare(place_pct(a), place_pct(b)),
        hides_much(b) - hides_much(a),
        compare(place_then_pct(a), place_then_pct(b)),
        compare(mid_pct(&a->impact), mid_pct(&b->impact)),
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

/* A chain of elementwise kernels that a finding about its operators already covers,
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

/* A loop that one call replaces takes its device work away with it. */
static bool is_loop(const struct finding *f)
{
    return f->n_gone > 0 && f->about == ABOUT_EVENTS;
}

/* Nearly all of its device work goes with a loop, whose finding has the cause, and is
 * worth as much. */
static bool goes_with_loop(struct arena tmp, const struct analysis *a,
                           const struct finding *f, const struct finding *loop)
{
    const double NEARLY = 0.8;
    if (f == loop || !is_loop(loop) || is_loop(f) || f->informational ||
        mid_pct(&f->impact) > mid_pct(&loop->impact))
        return false;
    const struct event_store *s = a->tables->view->s;
    uint8_t *gone = arena_new(&tmp, uint8_t, s->n);
    for (int32_t k = 0; k < loop->n_gpu; k++)
        gone[loop->gpu[k]] = 1;
    struct device_events gpu = finding_events(&tmp, a, f);
    double all = 0, told = 0;
    for (int32_t k = 0; k < gpu.n; k++) {
        double ns = (double)store_dur_ns(s, gpu.at[k]);
        all += ns;
        told += gone[gpu.at[k]] ? ns : 0;
    }
    return all > 0 && told >= NEARLY * all;
}

static bool is_told(struct arena tmp, const struct analysis *a, const struct finding *f)
{
    bool told = is_told_twice(a, f);
    for (int i = 0; i < a->n_findings && !told; i++)
        told = goes_with_loop(tmp, a, f, &a->findings[i]);
    return told;
}

static void sort_findings(struct arena tmp, struct analysis *a)
{
    int n = 0;
    const struct finding **order =
        arena_new(&tmp, const struct finding *, a->n_findings);
    int32_t *place = arena_new(&tmp, int32_t, a->n_findings);
    struct finding *sorted = arena_new(&tmp, struct finding, a->n_findings);
    for (int i = 0; i < a->n_findings; i++) {
        place[i] = -1;
        if (!is_told(tmp, a, &a->findings[i]))
            order[n++] = &a->findings[i];
    }
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

/* The share of the run that acting on a finding gives: what it is worth, or saves once
 * the host keeps up. Where nobody knows, as of a kernel to measure, a tenth of its time
 * stands for it. */
static double share_pct(const struct finding *f)
{
    const double UNKNOWN_PART = 0.1;
    if (f->informational || f->kind == FIND_UNMODELLED) /* a line, not a card */
        return 0;
    if (f->until >= 0)
        return mid_pct(&f->impact_then);
    return isnan(f->impact.high_pct) ? UNKNOWN_PART * f->total_pct
           : is_unseen(f)            ? f->total_pct
                                     : worth_pct(f);
}

static void say_share(struct arena *perm, struct finding *f)
{
    double pct = share_pct(f);
    if (f->informational || isnan(f->impact.high_pct))
        return;
    if (f->recording || !(pct > 0))
        f->priority_basis = say(perm, "{}; saves nothing", said(f->priority_basis));
    else
        f->priority_basis =
            say(perm, "{}; saves {}% of the time{}", said(f->priority_basis),
                said_pct(pct), said(f->until < 0 ? "" : " once the host keeps up"));
}

/* What asks for a measurement is not known to save anything, nor is what nobody saw,
 * and what the user asked for is in the report. */
static enum priority own_priority(const struct finding *f)
{
    enum priority p = priority_of_share(share_pct(f));
    bool unknown = isnan(f->impact.high_pct) || (is_unseen(f) && !decides(f));
    if (unknown && p > PRIORITY_MEDIUM)
        return PRIORITY_MEDIUM;
    return f->asked && p < PRIORITY_MEDIUM ? PRIORITY_MEDIUM : p;
}

/* The one place where priorities are decided. What saves more once the host keeps up is
 * for that no more severe than the finding about the host, behind which it stands. */
static void set_priorities(struct arena *perm, struct analysis *a)
{
    for (int i = 0; i < a->n_findings; i++) {
        a->findings[i].priority = own_priority(&a->findings[i]);
        say_share(perm, &a->findings[i]);
    }
    for (int i = 0; i < a->n_findings; i++) {
        struct finding *f = &a->findings[i];
        enum priority now = priority_of_share(worth_pct(f));
        if (f->until >= 0 && f->priority > a->findings[f->until].priority)
            f->priority = a->findings[f->until].priority;
        if (f->until >= 0 && f->priority < now)
            f->priority = now;
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

/* An NPU is not called a GPU. */
static void name_device(struct arena *perm, struct finding *f, struct str vendor)
{
    struct str *const texts[] = {&f->issue, &f->algorithmic, &f->kernel};
    f->title = device_word_put(perm, f->title, vendor, f->title_at, f->title_op);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = device_word_put(perm, *texts[i], vendor, 0, 0);
    for (int i = 0; i < f->n_evidence; i++)
        f->evidence[i].text = device_word_put(perm, f->evidence[i].text, vendor, 0, 0);
}

void finding_order(struct arena *perm, struct arena tmp, struct analysis *a)
{
    set_priorities(perm, a);
    sort_findings(tmp, a);
    number_findings(a);
    finding_titles_part(perm, tmp, a);
    if (a->tables && a->tables->facts.kind.vendor.n)
        for (int i = 0; i < a->n_findings; i++)
            name_device(perm, &a->findings[i], a->tables->facts.kind.vendor);
    set_ids(perm, a);
}
