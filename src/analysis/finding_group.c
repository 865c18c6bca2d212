#include "analysis/finding_group.h"

#include "analysis/facts/row_facts.h"
#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "base/abilities.h"
#include "base/table_seed.h"

#include <math.h>
#include <stdlib.h>

/* Two patterns are not about their rows as a whole: one about the conversions inside,
 * so that the rest of a row may be a second finding, one about copies that are rows of
 * another category. */
static enum finding_about about_of(struct str pattern)
{
    return str_eq(pattern, S("conv_transpose_overhead")) ? ABOUT_CONVERSIONS
           : str_eq(pattern, S("contiguous_copies"))     ? ABOUT_COPIES_BESIDE
                                                         : ABOUT_ROWS;
}

static void note_patterns(struct arena *perm, struct work_row *r,
                          const struct row_hits *h)
{
    r->patterns = arena_new(perm, struct str, h->n);
    for (int i = 0; i < h->n; i++)
        r->patterns[r->n_patterns++] = h->at[i].id;
}

/* Without those of patterns that failed at a later row. */
static int standing(const struct pattern_host *host, struct pattern_hit *hits, int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (pattern_host_stands(host, &hits[i]))
            hits[kept++] = hits[i];
    return kept;
}

static void keep_standing(struct claims *c, const struct pattern_host *host, int k)
{
    struct category_result *r = &c->a->categories[k];
    for (int32_t i = 0; i < r->n_rows && i < PATTERN_ROWS_MOST; i++) {
        struct row_hits *h = &c->of_row[k][i];
        h->n = standing(host, h->at, h->n);
        note_patterns(c->perm, &r->rows[i], h);
    }
    c->of_category[k].n = standing(host, c->of_category[k].at, c->of_category[k].n);
}

void claims_ask(struct claims *c, struct pattern_host *host)
{
    for (int k = 0; k < WORK_COMMUNICATION; k++) {
        struct category_result *r = &c->a->categories[k];
        c->of_row[k] = arena_new(c->perm, struct row_hits, r->n_rows);
        if (!host || r->n_rows == 0)
            continue;
        for (int32_t i = 0; i < r->n_rows && i < PATTERN_ROWS_MOST; i++)
            c->of_row[k][i].at =
                pattern_host_row(host, c->perm, c->a, &r->rows[i], &c->of_row[k][i].n);
        c->of_category[k].at = pattern_host_category(host, c->perm, c->a, r->category,
                                                     &c->of_category[k].n);
    }
    for (int k = 0; k < WORK_COMMUNICATION && host; k++)
        keep_standing(c, host, k);
}

static const struct row_hits *hits_of(const struct claims *c, const struct work_row *r)
{
    return &c->of_row[r->category][r - c->a->categories[r->category].rows];
}

const struct pattern_hit *claims_hit(const struct claims *c, const struct work_row *r,
                                     struct str id)
{
    const struct row_hits *h = hits_of(c, r);
    for (int i = 0; i < h->n; i++)
        if (str_eq(h->at[i].id, id))
            return &h->at[i];
    return NULL;
}

static struct finding_group *add_group(struct claims *c, enum finding_kind kind,
                                       const struct work_row *first, struct str pattern,
                                       const struct pattern_hit *hit)
{
    arena_grow(c->perm, c->groups.at, c->groups.n);
    struct finding_group *g = &c->groups.at[c->groups.n++];
    *g = (struct finding_group){.kind = kind,
                                .category = first->category,
                                .op = first->name,
                                .pattern = pattern,
                                .about = about_of(pattern),
                                .hit = hit,
                                .informational = hit && hit->informational};
    g->saving_low_ms = g->saving_high_ms = g->efficiency_pct = (double)NAN;
    return g;
}

static void add_row(struct arena *perm, struct finding_group *g, struct work_row *r)
{
    arena_grow(perm, g->rows, g->n_rows);
    g->rows[g->n_rows++] = r;
}

/* The group of this operator, pattern and bound, created if missing. Rows come longest
 * first, so the first one names the group. */
static struct finding_group *group_for(struct claims *c, int first,
                                       enum finding_kind kind, struct work_row *r,
                                       const struct pattern_hit *hit)
{
    struct str pattern = hit ? hit->id : S("low_efficiency");
    struct str op = r->name;
    if (kind == FIND_UNMODELLED && !hit)
        pattern = S("unmodelled");
    if (!c->of_key.cap)
        c->of_key = int_map_make(c->perm, 64);
    uint64_t key = hash_fold(str_table_hash(op) ^ (uint64_t)kind,
                             str_table_hash(pattern) ^ (uint64_t)r->category << 8 ^
                                 (uint64_t)r->efficiency.bound);
    int32_t *at = int_map_at(&c->of_key, c->perm, (int64_t)key);
    if (*at >= first && *at < c->groups.n) { /* not one that was released */
        struct finding_group *g = &c->groups.at[*at];
        if (g->kind == kind && g->category == r->category &&
            g->bound == r->efficiency.bound && str_eq(g->op, op) &&
            str_eq(g->pattern, pattern))
            return g;
    }
    *at = c->groups.n;
    struct finding_group *g = add_group(c, kind, r, pattern, hit);
    g->bound = r->efficiency.bound;
    g->advice = hits_of(c, r);
    return g;
}

static void claim(struct claims *c, struct finding_group *g, struct work_row *r)
{
    add_row(c->perm, g, r);
    r->claimed_by = c->first_claim + (int32_t)(g - c->groups.at);
}

/* The rest of a row whose conversions another finding has claimed. */
static double rest_ms(const struct work_row *r)
{
    double t = work_number(r, "transpose_ms");
    return r->time_ms - (isnan(t) ? 0 : t);
}

/* Time, shares and efficiency from the rows: least time over time, for rows with a
 * model only. */
static void sum_up(const struct analysis *a, struct finding_group *g)
{
    g->shapes_hidden = a->tables->facts.shapes_hidden;
    const struct source_abilities *can = abilities_of(a->tables->facts.abilities);
    g->shapes_how = can->has_shapes ? can->shapes : S("");
    double roof_ms = 0, modelled_ms = 0;
    g->time_ms = 0;
    g->count = 0;
    for (int i = 0; i < g->n_rows; i++) {
        const struct work_row *r = g->rows[i];
        double ms = r->time_ms;
        if (g->part)
            ms = g->about == ABOUT_CONVERSIONS ? r->time_ms - rest_ms(r) : rest_ms(r);
        g->time_ms += ms;
        g->count += r->count;
        if (isnan(r->efficiency.percent) || r->efficiency.anomaly)
            continue;
        roof_ms += r->efficiency.percent / 100 * r->time_ms;
        modelled_ms += g->part && g->about != ABOUT_CONVERSIONS ? ms : r->time_ms;
    }
    g->compute_pct = pct_of(g->time_ms, analysis_compute_ms(a));
    g->efficiency_pct = modelled_ms > 0 ? 100 * roof_ms / modelled_ms : (double)NAN;
    if (g->hit && !isnan(g->hit->group_efficiency_pct))
        g->efficiency_pct = g->hit->group_efficiency_pct;
}

static bool makes_finding(const struct pattern_hit *h)
{
    return !h->informational && !h->bottleneck_only;
}

static const struct pattern_hit *first_hit(const struct row_hits *h, int below,
                                           bool informational)
{
    for (int i = 0; i < h->n; i++)
        if (h->at[i].order < below &&
            (informational ? h->at[i].informational && !h->at[i].bottleneck_only
                           : makes_finding(&h->at[i])))
            return &h->at[i];
    return NULL;
}

static bool is_free(const struct work_row *r)
{
    return r->claimed_by < 0 && !r->efficiency.anomaly;
}

/* An efficiency that cannot be says nothing of a row, but a pattern that knows what it
 * saves does without: of copies of expanded tensors, say, which read less than they
 * seem to. */
static bool takes(const struct pattern_hit *hit, const struct work_row *r)
{
    return r->claimed_by < 0 && (!r->efficiency.anomaly || !isnan(hit->saving_high_ms));
}

static struct finding_group *group_of_cause(const struct claims *c, struct str cause)
{
    for (int i = 0; i < c->groups.n && cause.n; i++)
        if (c->groups.at[i].hit && str_eq(c->groups.at[i].hit->cause, cause))
            return &c->groups.at[i];
    return NULL;
}

/* Another category's rows of one cause, longest first again: the longest names the
 * group, and its pattern speaks for all. */
static void join_cause(struct finding_group *g, const struct pattern_hit *hit,
                       int n_before)
{
    bool leads = g->rows[n_before]->time_ms > g->rows[0]->time_ms;
    g->hit = leads ? hit : g->hit;
    for (int i = n_before; i < g->n_rows; i++) {
        struct work_row *r = g->rows[i];
        int k = i;
        for (; k > 0 && g->rows[k - 1]->time_ms < r->time_ms; k--)
            g->rows[k] = g->rows[k - 1];
        g->rows[k] = r;
    }
    g->category = g->rows[0]->category;
    g->op = g->rows[0]->name;
    g->bound = g->rows[0]->efficiency.bound;
}

/* A pattern for the whole category takes the rows that no earlier row pattern took. */
static void claim_for_category(struct claims *c, enum work_category k,
                               const struct pattern_hit *hit)
{
    struct category_result *all = &c->a->categories[k];
    struct finding_group *joined = hit->n_rows ? group_of_cause(c, hit->cause) : NULL;
    struct finding_group *g = joined;
    int n_before = g ? g->n_rows : 0;
    for (int i = 0; i < hit->n_rows; i++) {
        const struct category_result *of = &c->a->categories[hit->rows[i]->category];
        struct work_row *r = &of->rows[hit->rows[i] - of->rows];
        const struct pattern_hit *earlier = first_hit(hits_of(c, r), hit->order, false);
        if (!takes(hit, r) || (earlier && r->category == k))
            continue;
        if (!g) {
            g = add_group(c, FIND_PATTERN, r, hit->id, hit);
            g->category = k;
            g->bound = r->efficiency.bound;
            g->part = g->about == ABOUT_CONVERSIONS;
        }
        claim(c, g, r);
    }
    /* Counters of the whole category name no rows: then the group has all rows but
     * claims none, so that each may have its own finding. */
    if (hit->n_rows == 0 && all->n_rows > 0) {
        g = add_group(c, FIND_PATTERN, &all->rows[0], hit->id, hit);
        for (int32_t i = 0; i < all->n_rows; i++)
            add_row(c->perm, g, &all->rows[i]);
    }
    if (!g || g->n_rows == n_before) /* earlier patterns have all its rows */
        return;
    if (joined)
        join_cause(g, hit, n_before);
    sum_up(c->a, g);
    g->saving_low_ms = (joined ? g->saving_low_ms : 0) + hit->saving_low_ms;
    g->saving_high_ms = (joined ? g->saving_high_ms : 0) + hit->saving_high_ms;
}

/* Savings given by row patterns apply to their row. */
static void add_savings(struct claims *c, struct finding_group *g)
{
    double low = 0, high = 0;
    for (int i = 0; i < g->n_rows; i++) {
        const struct pattern_hit *h = claims_hit(c, g->rows[i], g->pattern);
        low += h ? h->saving_low_ms : (double)NAN;
        high += h ? h->saving_high_ms : (double)NAN;
    }
    g->saving_low_ms = low;
    g->saving_high_ms = high;
}

static bool conversions_claimed(const struct claims *c, const struct work_row *r)
{
    if (r->claimed_by < c->first_claim)
        return false;
    const struct finding_group *g = &c->groups.at[r->claimed_by - c->first_claim];
    return g->part && g->about == ABOUT_CONVERSIONS;
}

/* A finding about attention claims the copies it mentions: those beside attention of
 * its direction. */
static void claim_copies(struct claims *c, int first, enum work_category category)
{
    struct category_result *copies = &c->a->categories[WORK_ELEMENTWISE];
    int beside = category == WORK_SDPA_BWD ? 2 : 1;
    for (int i = first; i < c->groups.n; i++)
        for (int32_t k = 0; k < copies->n_rows; k++) {
            struct work_row *r = &copies->rows[k];
            if (c->groups.at[i].about == ABOUT_COPIES_BESIDE && is_free(r) &&
                work_number(r, "beside_attention") == beside)
                r->claimed_by = c->first_claim + i;
        }
}

void claims_patterns(struct claims *c)
{
    for (int k = 0; k < WORK_COMMUNICATION; k++) {
        struct category_result *all = &c->a->categories[k];
        for (int i = 0; i < c->of_category[k].n; i++)
            if (makes_finding(&c->of_category[k].at[i]))
                claim_for_category(c, (enum work_category)k, &c->of_category[k].at[i]);
        int first = c->groups.n;
        for (int32_t i = 0; i < all->n_rows; i++) {
            struct work_row *r = &all->rows[i];
            const struct pattern_hit *hit = first_hit(hits_of(c, r), INT32_MAX, false);
            bool rest = conversions_claimed(c, r);
            if (!hit || r->efficiency.anomaly || (!is_free(r) && !rest))
                continue;
            struct finding_group *g = group_for(c, first, FIND_PATTERN, r, hit);
            g->part = g->part || rest;
            if (rest)
                add_row(c->perm, g, r);
            else
                claim(c, g, r);
        }
        for (int i = first; i < c->groups.n; i++) {
            sum_up(c->a, &c->groups.at[i]);
            add_savings(c, &c->groups.at[i]);
        }
        claim_copies(c, first, (enum work_category)k);
    }
}

static void release(struct claims *c, int first)
{
    for (int i = 0; i < c->groups.n - first; i++)
        for (int r = 0; r < c->groups.at[first + i].n_rows; r++)
            c->groups.at[first + i].rows[r]->claimed_by = -1;
    c->groups.n = first;
}

/* Keep the groups for which `is_one` is true; the others release their rows. */
typedef bool group_test(const struct claims *c, const struct finding_group *g);

static void keep_groups(struct claims *c, int first, group_test *is_one)
{
    int n = first;
    for (int i = first; i < c->groups.n; i++) {
        struct finding_group *g = &c->groups.at[i];
        sum_up(c->a, g);
        bool stays = is_one(c, g);
        for (int r = 0; r < g->n_rows; r++)
            g->rows[r]->claimed_by = stays ? c->first_claim + n : -1;
        if (stays)
            c->groups.at[n++] = *g;
    }
    c->groups.n = n;
}

/* Where another process interrupts kernels, their efficiency is no fault of theirs. */
static bool is_bottleneck(const struct claims *c, const struct finding_group *g)
{
    const struct category_result *all = &c->a->categories[g->category];
    if (work_trace_number(c->a, "time_sliced") == 1)
        return false;
    double enough = 0, ms = 0;
    for (int i = 0; i < g->n_rows; i++) {
        enough += row_expectation(g->rows[i]).enough * g->rows[i]->time_ms;
        ms += g->rows[i]->time_ms;
    }
    bool enough_time = g->time_ms > bottleneck_ms(g->category) ||
                       (all->time_ms > 0 && 100 * g->time_ms / all->time_ms > 5);
    return enough_time && ms > 0 && g->efficiency_pct < enough / ms;
}

static bool is_any(const struct claims *c, const struct finding_group *g)
{
    (void)c;
    (void)g;
    return true;
}

/* Of a row with a model and no efficiency only a peak is missing, which one check says
 * for all. */
static bool is_of(const struct work_row *r, bool judged)
{
    const struct work_efficiency *e = &r->efficiency;
    bool has_rates = isfinite(e->tflop_per_s) || isfinite(e->tb_per_s);
    return judged ? !isnan(e->percent) : isnan(e->percent) && !has_rates;
}

static void claim_rest(struct claims *c, enum finding_kind kind, bool modelled,
                       group_test *is_one)
{
    for (int k = 0; k < WORK_COMMUNICATION; k++) {
        struct category_result *all = &c->a->categories[k];
        int first = c->groups.n;
        for (int32_t i = 0; i < all->n_rows; i++) {
            struct work_row *r = &all->rows[i];
            if (is_free(r) && is_of(r, modelled))
                claim(c, group_for(c, first, kind, r, NULL), r);
        }
        keep_groups(c, first, is_one);
    }
}

void claims_slow(struct claims *c)
{
    int first = c->groups.n;
    claim_rest(c, FIND_BOTTLENECK, true, is_bottleneck);
    /* Bottleneck advice with specific text names the pattern. */
    for (int i = first; i < c->groups.n; i++) {
        struct finding_group *g = &c->groups.at[i];
        for (int h = 0; h < g->advice->n && !g->hit; h++)
            if (g->advice->at[h].bottleneck_only && g->advice->at[h].issue.n > 0 &&
                !is_general(&g->advice->at[h])) {
                g->hit = &g->advice->at[h];
                g->pattern = g->hit->id;
            }
    }
}

static int longer_first(const void *x, const void *y)
{
    const struct work_row *a = *(struct work_row *const *)x,
                          *b = *(struct work_row *const *)y;
    if (a->time_ms != b->time_ms)
        return a->time_ms > b->time_ms ? -1 : 1;
    int order = (a->category > b->category) - (a->category < b->category);
    return order ? order : (a > b) - (a < b);
}

static double without_model_pct(const struct analysis *a)
{
    double ms = 0;
    for (int k = 0; k < WORK_COMMUNICATION; k++)
        for (int32_t i = 0; i < a->categories[k].n_rows; i++)
            ms += a->categories[k].rows[i].group->cost
                      ? 0
                      : a->categories[k].rows[i].time_ms;
    return pct_of(ms, analysis_compute_ms(a));
}

/* Everything without a model is one line: which operations, and what would give them
 * figures. */
void claims_unmodelled(struct claims *c)
{
    int first = c->groups.n, n = 0, n_rows = 0;
    claim_rest(c, FIND_UNMODELLED, false, is_any);
    for (int i = first; i < c->groups.n; i++)
        n_rows += c->groups.at[i].n_rows;
    struct work_row **rows = arena_new(c->perm, struct work_row *, n_rows);
    for (int i = first; i < c->groups.n; i++)
        for (int k = 0; k < c->groups.at[i].n_rows; k++)
            rows[n++] = c->groups.at[i].rows[k];
    release(c, first);
    if (n == 0)
        return;
    qsort(rows, (size_t)n, sizeof *rows, longer_first);
    struct finding_group *g =
        add_group(c, FIND_UNMODELLED, rows[0], S("unmodelled"), NULL);
    g->advice = hits_of(c, rows[0]);
    g->informational = true;
    for (int i = 0; i < n; i++)
        claim(c, g, rows[i]);
    sum_up(c->a, g);
    g->elsewhere_pct = without_model_pct(c->a) - g->compute_pct;
    if (g->compute_pct < 1)
        release(c, first);
}

static bool is_large(const struct claims *c, const struct finding_group *g)
{
    (void)c;
    return g->compute_pct >= 5;
}

static void claim_category_remark(struct claims *c, enum work_category k,
                                  const struct pattern_hit *hit)
{
    int first = c->groups.n;
    if (hit->n_rows == 0)
        return; /* a note */
    claim_for_category(c, k, hit);
    if (c->groups.n > first && c->groups.at[first].compute_pct < 5)
        release(c, first);
}

void claims_remarks(struct claims *c)
{
    for (int k = 0; k < WORK_COMMUNICATION; k++) {
        struct category_result *all = &c->a->categories[k];
        int first = c->groups.n;
        for (int32_t i = 0; i < all->n_rows; i++) {
            struct work_row *r = &all->rows[i];
            const struct pattern_hit *hit = first_hit(hits_of(c, r), INT32_MAX, true);
            if (hit && is_free(r))
                claim(c, group_for(c, first, FIND_PATTERN, r, hit), r);
        }
        keep_groups(c, first, is_large);
        for (int i = 0; i < c->of_category[k].n; i++)
            if (c->of_category[k].at[i].informational)
                claim_category_remark(c, (enum work_category)k,
                                      &c->of_category[k].at[i]);
    }
}
