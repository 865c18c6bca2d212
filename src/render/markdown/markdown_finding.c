/* Findings as contexts: one by one, as items of a tier, and gathered into cards. */
#include "render/markdown/markdown_parts.h"

#include "analysis/model/system_results.h"
#include "analysis/model/work_facts.h"
#include "base/name_pool.h"
#include "render/markdown/markdown_fields.h"
#include "render/text/markdown_text.h"
#include "report/finding_shown.h"

#include <math.h>

enum { FAIR_CARDS = 5, OTHER_CARDS = 3 }; /* as pages show; then a table */

cJSON *md_row_node(const struct md *m, const struct work_row *w)
{
    const struct category_result *c = &m->a->categories[w->category];
    ptrdiff_t i = w - c->rows;
    bool listed = m->rows[c->category] && i >= 0 && i < c->n_rows;
    return listed ? m->rows[c->category][i] : NULL;
}

static const struct finding *finding_at(const struct report *r, int i)
{
    return r->findings[i].of;
}

static bool is_recommended(const struct finding *f)
{
    return f->priority >= PRIORITY_MEDIUM && f->tier_number > 0;
}

int md_fair_order(const struct report *r, int *order)
{
    int n = 0;
    for (int i = 0; i < r->n_findings; i++)
        if (is_recommended(finding_at(r, i)))
            order[n++] = i;
    return n;
}

/* Tables and bullets beside it show the rows, the longest kernel and its caller. */
static bool is_new_evidence(const struct evidence *e)
{
    return e->kind == EVIDENCE_FACT && e->text.n > 0;
}

static void put_evidence(struct md *m, cJSON *o, const struct finding *f)
{
    struct arena tmp = *m->tmp;
    struct str *list = arena_new(&tmp, struct str, f->n_evidence);
    int n = 0;
    for (int i = 0; i < f->n_evidence; i++)
        if (is_new_evidence(&f->evidence[i]))
            list[n++] = f->evidence[i].text;
    json_put(o, context_texts("evidence", list, n),
             M("evidence_first", n ? list[0] : S("")),
             json_bool("nothing_more", n == 0 && md_after_first(f->issue).n == 0));
}

struct rows { /* of a finding, longest first */
    const struct work_row **rows;
    int n;
};

static struct rows rows_by_time(struct arena *a, const struct finding *f)
{
    struct rows r = {arena_new(a, const struct work_row *, f->n_rows), 0};
    for (int i = 0; i < f->n_rows; i++) {
        int at = r.n++;
        for (; at > 0 && r.rows[at - 1]->time_ms < f->rows[i]->time_ms; at--)
            r.rows[at] = r.rows[at - 1];
        r.rows[at] = f->rows[i];
    }
    return r;
}

/* How many operators they have beside the one that names the finding. */
static int other_operators(const struct finding *f, struct rows r)
{
    struct name_pool names;
    if (f->tier != TIER_COMPUTE)
        return 0;
    pool_open(&names);
    pool_add(&names, f->op);
    for (int i = 0; i < r.n; i++)
        pool_add(&names, r.rows[i]->name);
    int n = names.n - 1;
    pool_close(&names);
    return n;
}

/* Rows of the same shapes differ in strides or scalars, which are not shown: they are
 * one entry. */
static bool is_repeated(struct rows r, int at)
{
    for (int i = 0; i < at; i++)
        if (str_eq(r.rows[i]->args, r.rows[at]->args))
            return true;
    return r.rows[at]->args.n == 0;
}

static void put_shapes(cJSON *o, struct rows r)
{
    enum { SHAPES = 4, MOST_COMPARED = 500 };
    cJSON *list = json_list();
    int n = 0;
    for (int i = 0; i < r.n && i < MOST_COMPARED; i++) {
        if (is_repeated(r, i) || n++ >= SHAPES)
            continue;
        int64_t calls = 0;
        for (int k = i; k < r.n; k++)
            if (str_eq(r.rows[k]->args, r.rows[i]->args))
                calls += r.rows[k]->count;
        json_row(list, F(r.rows[i], args), M("count", (double)calls));
    }
    json_put(o, context_listed("shapes", list, n - SHAPES));
}

static void put_kernels(cJSON *o, const struct work_row *w)
{
    enum { KERNELS = 6 };
    cJSON *list = json_list();
    int n = w ? w->group->n_kernels : 0;
    for (int i = 0; i < n && i < KERNELS; i++)
        json_row(list, F(&w->group->kernels[i], name),
                 F(&w->group->kernels[i], mean_us));
    struct json_member listed = context_listed("kernels", list, n - KERNELS);
    cJSON *holder = listed.value;
    json_put(o, listed);
    if (n == 0)
        return;
    double tile_m = work_number(w, "tile_m"), tile_n = work_number(w, "tile_n");
    json_put(holder, json_bool("several", n > 1));
    if (!isfinite(tile_m) || !isfinite(tile_n)) {
        json_put(holder, json_null("tile"));
        return;
    }
    cJSON *tile = json_put_object(holder, "tile");
    json_put(tile, M("m", tile_m), M("n", tile_n), M("tiles", work_number(w, "tiles")));
}

static void put_rows(struct md *m, cJSON *o, const struct finding *f)
{
    struct arena tmp = *m->tmp;
    struct rows r = rows_by_time(&tmp, f);
    int others = other_operators(f, r);
    cJSON *list = json_put_array(o, "rows");
    for (int i = 0; i < r.n; i++)
        if (md_row_node(m, r.rows[i]))
            context_push_ref(list, md_row_node(m, r.rows[i]));
    json_put(o, context_some("other_operators", others),
             context_some("operators", others ? others + 1 : 0));
    put_shapes(o, r);
    put_kernels(o, r.n ? r.rows[0] : NULL);
}

/* What lists rows, sentences or kernels; the rest is looked up in the finding. */
static void put_finding(struct md *m, cJSON *o, int i)
{
    const struct finding *f = finding_at(m->r, i);
    put_evidence(m, o, f);
    put_rows(m, o, f);
    const struct fusion_candidate *c =
        f->tier == TIER_FUSION ? md_candidate_of(m, i) : NULL;
    json_put(o, context_told("candidate", md_candidate_fields(), c, m->r));
}

void md_findings(struct md *m)
{
    cJSON *list = json_put_array(m->root, "findings");
    cJSON *idle = json_put_array(m->root, "idle_findings"),
          *multi = json_put_array(m->root, "multi_kernel_findings");
    int low = 0;
    m->findings = arena_new(m->tmp, cJSON *, m->r->n_findings);
    for (int i = 0; i < m->r->n_findings; i++) {
        const struct finding *f = finding_at(m->r, i);
        m->findings[i] = context_lend(context_push(list), md_finding_fields(),
                                      &m->r->findings[i], m->r);
        put_finding(m, m->findings[i], i);
        if (f->tier == TIER_SYSTEM && f->category == WORK_CPU_IDLE)
            context_push_ref(idle, m->findings[i]);
        if (f->tier == TIER_SYSTEM && f->category == WORK_MULTI_KERNEL)
            context_push_ref(multi, m->findings[i]);
        low += f->priority == PRIORITY_LOW;
    }
    json_put(m->root, context_some("low_count", low));
}

enum path { PATH_A, PATH_B, PATH_REPLAY, PATHS };

/* The first sentence of a path. Path B often states a figure and then says "Replay
 * package recommended ...", which is a path of its own. */
static struct str path_text(const struct finding *f, enum path path)
{
    struct str all = path == PATH_A ? f->algorithmic : f->kernel;
    if (path != PATH_REPLAY)
        return md_first_sentence(all);
    struct str rest = md_after_first(all);
    return str_starts(rest, S("Replay")) ? md_first_sentence(rest) : S("");
}

/* `as`: the earlier item that says the same. Of a kernel and of its package it is not
 * said again, unless that is all there is. */
static void put_path(struct md *m, cJSON *action, const char *key, const int *order,
                     int place, enum path path)
{
    const struct finding *f = finding_at(m->r, order[place]), *as = NULL;
    struct str text = path_text(f, path);
    for (int i = 0; text.n && i < place && !as; i++)
        if (str_eq(path_text(finding_at(m->r, order[i]), path), text))
            as = finding_at(m->r, order[i]);
    if (!text.n || (as && path != PATH_A && path_text(f, PATH_A).n)) {
        json_put(action, json_null(key));
        return;
    }
    cJSON *o = json_put_object(action, key);
    if (as)
        json_put(json_put_object(o, "as"), F(as, title), M("name", as->op));
    else
        json_put(o, json_null("as"), M("text", text));
}

static cJSON *put_item(struct md *m, cJSON *list, const int *order, int place)
{
    static const char *const keys[PATHS] = {"a", "b", "replay"};
    cJSON *o = json_row(list, context_ref("finding", m->findings[order[place]]));
    cJSON *action = json_put_object(o, "action");
    for (int p = 0; p < PATHS; p++)
        put_path(m, action, keys[p], order, place, (enum path)p);
    return o;
}

static void put_tiers(struct md *m)
{
    static const char *const keys[] = {
        [TIER_COMPUTE] = "compute", [TIER_FUSION] = "fusion", [TIER_SYSTEM] = "system"};
    struct arena tmp = *m->tmp;
    int *all = arena_new(&tmp, int, m->r->n_findings),
        *order = arena_new(&tmp, int, m->r->n_findings);
    int n_all = md_fair_order(m->r, all);
    cJSON *tiers = json_put_object(m->root, "tiers");
    for (int t = TIER_COMPUTE; t <= TIER_SYSTEM; t++) {
        cJSON *items = json_put_array(json_put_object(tiers, keys[t]), "items");
        for (int i = 0, n = 0; i < n_all; i++)
            if (finding_at(m->r, all[i])->tier == (enum finding_tier)t) {
                order[n] = all[i];
                put_item(m, items, order, n++);
            }
    }
}

struct card { /* findings in order; the first speaks */
    const int *findings;
    int n;
};

/* Texts that differ in quoted names and in numbers alone say the same. */
static bool is_figure(char c)
{
    return (c >= '0' && c <= '9') || c == '.';
}

static struct str skip_particulars(struct str s)
{
    while (s.n > 0 && (s.p[0] == '`' || is_figure(s.p[0]))) {
        bool code = s.p[0] == '`';
        s = str_skip(s, 1);
        while (s.n > 0 && (code ? s.p[0] != '`' : is_figure(s.p[0])))
            s = str_skip(s, 1);
        s = str_skip(s, code && s.n > 0);
    }
    return s;
}

static bool same_words(struct str x, struct str y)
{
    for (;;) {
        x = skip_particulars(x);
        y = skip_particulars(y);
        if (x.n == 0 || y.n == 0)
            return x.n == y.n;
        if (x.p[0] != y.p[0])
            return false;
        x = str_skip(x, 1);
        y = str_skip(y, 1);
    }
}

/* One card for findings of one pattern that ask for the same. */
static bool same_card(const struct finding *a, const struct finding *b)
{
    return a->tier == TIER_COMPUTE && b->tier == TIER_COMPUTE &&
           a->priority == b->priority && str_eq(a->pattern, b->pattern) &&
           same_words(path_text(a, PATH_A), path_text(b, PATH_A));
}

/* Gather the findings of order into cards; *members holds them, card after card. */
static int gather(const struct report *r, const int *order, int n, struct card *cards,
                  int *members)
{
    int n_cards = 0, n_members = 0;
    for (int i = 0; i < n; i++) {
        const struct finding *lead = finding_at(r, order[i]);
        bool taken = false;
        for (int k = 0; k < n_members && !taken; k++)
            taken = members[k] == order[i];
        if (taken)
            continue;
        struct card *c = &cards[n_cards++];
        *c = (struct card){&members[n_members], 0};
        for (int k = i; k < n; k++)
            if (k == i || same_card(lead, finding_at(r, order[k]))) {
                members[n_members++] = order[k];
                c->n++;
            }
    }
    return n_cards;
}

/* Where the device computes for less than half of the time, a share of all of it hides
 * what a kernel's gain is worth once the rest is fixed. A gain above the kernels' own
 * time, `ms`, is the host's. */
static double worth_pct(const struct report *r, const struct finding *f, double high_ms,
                        double ms)
{
    bool little = f->tier != TIER_SYSTEM && r->timeline.computation_pct < 50 &&
                  r->timeline.computation_ms > 0;
    return little && high_ms > 0 && high_ms <= ms
               ? 100 * high_ms / r->timeline.computation_ms
               : (double)NAN;
}

static void add_range(struct impact_range *sum, const struct impact_range *x)
{
    sum->low_pct += x->low_pct;
    sum->high_pct += x->high_pct;
    sum->low_ms += x->low_ms;
    sum->high_ms += x->high_ms;
}

static void put_sums(struct md *m, cJSON *o, const struct card *c)
{
    const struct finding *lead = finding_at(m->r, c->findings[0]);
    struct impact_range *sum = arena_new(m->tmp, struct impact_range, 1),
                        *then = arena_new(m->tmp, struct impact_range, 1);
    double ms = 0, pct = 0;
    for (int i = 0; i < c->n; i++) {
        const struct finding *f = finding_at(m->r, c->findings[i]);
        ms += f->time_ms;
        pct += f->compute_pct;
        add_range(sum, &f->impact);
        add_range(then, f->until < 0 ? &f->impact : &f->impact_then);
    }
    sum->basis = lead->impact.basis;
    cJSON *worth = context_lend(json_new(), md_worth_fields(), sum, m->r);
    json_put(worth, context_told("then", md_worth_fields(),
                                 lead->until < 0 ? NULL : then, m->r));
    json_put(o, M("sum_ms", ms), M("sum_pct", pct), json_branch("sum", worth),
             M("worth_pct", worth_pct(m->r, lead, sum->high_ms, ms)));
}

/* Of a card of one finding: what it saves behind those ranked above it. */
static void put_added(const struct md *m, cJSON *o, const struct card *c)
{
    double ms = finding_added_ms(m->r, &m->r->findings[c->findings[0]]);
    if (c->n > 1 || isnan(ms))
        return;
    cJSON *added = cJSON_AddObjectToObject(o, "added");
    json_put(added, json_exact("low_ms", ms), json_exact("high_ms", ms),
             json_bool("little", finding_adds_little(ms, m->r->timeline.total_ms)));
}

static void put_members(cJSON *o, const struct md *m, const struct card *c)
{
    enum { NAMED_MEMBERS = 3 };
    cJSON *list = json_put_array(o, "members");
    for (int i = 1; i < c->n && i <= NAMED_MEMBERS; i++)
        context_push_ref(list, m->findings[c->findings[i]]);
    json_put(o, context_some("more_members", c->n - 1 - NAMED_MEMBERS),
             M("members_count", c->n), json_bool("several", c->n > 1),
             json_bool("both", c->n == 2),
             json_bool("all_unmodelled",
                       c->n > 1 &&
                           finding_at(m->r, c->findings[0])->kind == FIND_UNMODELLED));
}

static struct str category_of_part(const cJSON *part)
{
    return str_of(context_get(part, "category")->valuestring);
}

/* The parts of the detailed analysis that hold the evidence, each once. */
static void put_links(cJSON *o, const struct md *m, const struct card *c,
                      const cJSON *parts)
{
    cJSON *list = json_list();
    for (int i = 0; i < c->n; i++) {
        enum work_category of = finding_at(m->r, c->findings[i])->category;
        bool seen = false;
        for (int k = 0; k < i && !seen; k++)
            seen = finding_at(m->r, c->findings[k])->category == of;
        for (const cJSON *p = seen ? NULL : parts->child; p; p = p->next)
            if (str_eq(category_of_part(p), work_category_name(of)))
                context_push_ref(list, p);
    }
    json_put(o, context_listed("links", list, 0));
}

static void put_cards(struct md *m, const cJSON *parts)
{
    int most = m->r->n_findings;
    int *order = arena_new(m->tmp, int, most), *found = arena_new(m->tmp, int, most),
        *leads = arena_new(m->tmp, int, most);
    struct card *cards = arena_new(m->tmp, struct card, most);
    int n = gather(m->r, order, md_fair_order(m->r, order), cards, found);
    cJSON *fair = context_get(m->root, "fair"), *first = json_put_array(fair, "cards"),
          *others = json_list(), *rest = json_list();
    for (int i = 0; i < n; i++) {
        leads[i] = cards[i].findings[0];
        bool told = i < FAIR_CARDS + OTHER_CARDS;
        cJSON *o = put_item(m, i < FAIR_CARDS ? first : told ? others : rest, leads, i);
        put_sums(m, o, &cards[i]);
        put_added(m, o, &cards[i]);
        put_members(o, m, &cards[i]);
        put_links(o, m, &cards[i], parts);
    }
    json_put(fair, context_listed("other_cards", others, cJSON_GetArraySize(rest)));
    cJSON_Delete(rest);
    const cJSON *low = context_get(m->root, "low_count");
    json_put(m->root, json_bool("closing_rule", n == 0 || low->valuedouble > 0));
}

/* What the site says first; where it says that nothing is worth it, the first that the
 * report tells. */
static void put_best(struct md *m)
{
    struct arena tmp = *m->tmp;
    int *order = arena_new(&tmp, int, m->r->n_findings);
    int best = md_fair_order(m->r, order) ? order[0] : -1;
    for (int i = 0; i < m->r->n_findings; i++)
        best = finding_at(m->r, i) == m->r->first ? i : best;
    if (best < 0) {
        json_put(m->root, json_null("best"));
        return;
    }
    cJSON *o = json_put_object(m->root, "best");
    json_put(o, context_ref("finding", m->findings[best]),
             json_bool("worth", finding_at(m->r, best)->impact.high_ms > 0));
}

void md_recommendations(struct md *m, const cJSON *parts)
{
    put_tiers(m);
    put_cards(m, parts);
    put_best(m);
}
