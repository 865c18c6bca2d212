#include "compare/gate.h"

#include "base/unknown.h"
#include "compare/assumed_noise.h"
#include "compare/parity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row counts from this share of the reference's kernel time. */
static const double ROW_SHARE_MIN = 0.005;
/* Fewer of a side do not show how far its rows scatter. */
enum { ROW_CAPTURES = 4 };

static bool read_level(struct str word, enum priority *level)
{
    for (int p = PRIORITY_MEDIUM; p <= PRIORITY_CRITICAL; p++)
        if (str_eq(word, priority_word((enum priority)p))) {
            *level = (enum priority)p;
            return true;
        }
    return false;
}

/* A dotted name: window.idle_pct. */
static bool read_metric(struct str what, struct gate_expr *g)
{
    bool dotted = false;
    for (ptrdiff_t i = 0; i < what.n; i++) {
        char c = what.p[i];
        dotted = dotted || (c == '.' && i > 0);
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_' &&
            c != '-' && c != '.')
            return false;
    }
    g->what = GATE_ON_METRIC;
    g->metric = what;
    return dotted;
}

static bool read_what(struct str what, struct gate_expr *g)
{
    static const struct {
        struct str word;
        enum gate_what what;
    } words[] = {
        {S_INIT("regression"), GATE_ON_DEVICE},
        {S_INIT("regression(device)"), GATE_ON_DEVICE},
        {S_INIT("regression(wall)"), GATE_ON_WALL},
        {S_INIT("regression(row)"), GATE_ON_ROW},
        {S_INIT("unmatched"), GATE_ON_UNMATCHED},
        {S_INIT("setup"), GATE_ON_SETUP},
        {S_INIT("new-finding"), GATE_ON_FINDING},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eq(what, words[i].word)) {
            g->what = words[i].what;
            return true;
        }
    struct str head = S("regression(category:");
    if (read_metric(what, g))
        return true;
    if (!str_starts(what, head) || !str_ends(what, S(")")) || what.n == head.n + 1)
        return false;
    g->what = GATE_ON_CATEGORY;
    g->category = str_head(str_skip(what, head.n), what.n - head.n - 1);
    return true;
}

static bool read_value(struct str value, struct gate_expr *g)
{
    static const struct {
        struct str unit;
        double factor;
        enum gate_unit is;
    } units[] = {{S_INIT("%"), 1, GATE_PERCENT}, {S_INIT("ns"), 1, GATE_NS},
                 {S_INIT("us"), 1e3, GATE_NS},   {S_INIT("ms"), 1e6, GATE_NS},
                 {S_INIT("s"), 1e9, GATE_NS},    {S_INIT(""), 1, GATE_NUMBER}};
    char buf[32], *end;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        ptrdiff_t n = value.n - units[i].unit.n;
        if (!str_ends(value, units[i].unit) || n <= 0 || n >= (ptrdiff_t)sizeof buf)
            continue;
        struct str number = str_trim(str_head(value, n));
        memcpy(buf, number.p, (size_t)number.n);
        buf[number.n] = '\0';
        g->limit = strtod(buf, &end) * units[i].factor;
        g->unit = units[i].is;
        return end != buf && !*end && isfinite(g->limit) && g->limit >= 0 &&
               (g->unit != GATE_NUMBER || g->what == GATE_ON_METRIC);
    }
    return false;
}

/* WHAT OP VALUE, or WHAT alone for what is there or not. */
static bool read_condition(struct str text, struct gate_expr *g)
{
    ptrdiff_t at = 0;
    while (at < text.n && text.p[at] != '>' && text.p[at] != '<')
        at++;
    struct str what = str_trim(str_head(text, at)), value = str_skip(text, at);
    g->level = PRIORITY_LOW;
    if (!read_what(what, g))
        return false;
    if (!value.n)
        return g->what == GATE_ON_SETUP || g->what == GATE_ON_FINDING;
    g->below = *value.p == '<';
    value = str_skip(value, 1);
    g->or_equal = str_starts(value, S("="));
    value = str_trim(str_skip(value, g->or_equal));
    if (g->what == GATE_ON_FINDING)
        return read_level(value, &g->level) && !g->below;
    return g->what != GATE_ON_SETUP && read_value(value, g);
}

bool gate_read(const char *text, struct gate_expr *g, struct err *e)
{
    struct str rest = str_trim(str_of(text));
    *g = (struct gate_expr){.text = str_of(text), .what = GATE_ON_LEVEL};
    g->warns = str_starts(rest, S("warn:"));
    if (g->warns || str_starts(rest, S("fail:")))
        rest = str_trim(str_skip(rest, 5));
    if (read_level(rest, &g->level)) {
        g->or_equal = true;
        return true;
    }
    return read_condition(rest, g) ||
           err_set(e, ERR_USAGE, NULL, -1,
                   "--fail-on: expected a condition such as 'regression>5%%', "
                   "'warn: regression(wall)>10%%', 'regression(row)>10%%', "
                   "'unmatched>5%%', 'new-finding>=high' or setup, not '%.100s'",
                   text);
}

bool gate_category_is_known(struct str name, bool shown, struct str gate, struct err *e)
{
    enum { CATEGORIES = WORK_COPY + 1 }; /* what follows has no kernels of its own */
    struct str words[2 * CATEGORIES];
    char list[256] = "", hint[64] = "";
    for (int c = 0; c < CATEGORIES; c++) {
        words[c] = work_category_name((enum work_category)c);
        words[CATEGORIES + c] = work_category_display((enum work_category)c);
        if (str_eq(name, words[c]) ||
            (shown && str_eq_nocase(name, words[CATEGORIES + c])))
            return true;
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%.*s", c ? ", " : "",
                 STRF(words[shown ? CATEGORIES + c : c]));
    }
    struct str meant = nearest_word(name, words, (shown ? 2 : 1) * CATEGORIES);
    if (meant.n)
        snprintf(hint, sizeof hint, " (did you mean %.*s?)", STRF(meant));
    return err_set(e, ERR_USAGE, NULL, -1,
                   "no category is called '%.*s'%s, as '%.*s' says; the categories are "
                   "%s",
                   STRF(str_head(name, 60)), hint, STRF(str_head(gate, 100)), list);
}

struct str gate_status_word(enum gate_status s)
{
    static const struct str words[] = {[GATE_PASSED] = S_INIT("passed"),
                                       [GATE_FAILED] = S_INIT("failed"),
                                       [GATE_NOT_EVALUATED] = S_INIT("not evaluated")};
    return words[s];
}

struct str gate_status_key(enum gate_status s)
{
    return s == GATE_NOT_EVALUATED ? S("not_evaluated") : gate_status_word(s);
}

bool gate_beyond(const struct gate_expr *g, double v)
{
    if (g->below)
        return g->or_equal ? v <= g->limit : v < g->limit;
    return g->or_equal ? v >= g->limit : v > g->limit;
}

static struct gate_result gate_says(const struct gate_expr *g, enum gate_status status,
                                    struct str says)
{
    return (struct gate_result){g, status, says, (double)NAN};
}

static double limit_pct(const struct gate_expr *g, const struct gate_measured *m)
{
    if (g->unit == GATE_PERCENT)
        return g->limit;
    double reference_ns = m->ns / (m->pct / 100);
    return m->pct != 0 ? 100 * g->limit / reference_ns : (double)NAN;
}

static struct gate_result result(struct arena *perm, const struct gate_expr *g,
                                 enum gate_status status, const struct gate_measured *m,
                                 struct str why)
{
    struct str says =
        isnan(m->pct) ? why
                      : str_printf(perm, "%.*s %+.1f%% of %.*s%s%.*s", STRF(m->what),
                                   m->pct, STRF(m->base.n ? m->base : S("reference")),
                                   why.n ? "; " : "", STRF(why));
    return gate_says(g, status, says);
}

/* What would show whether it is a difference. */
static struct str what_would_tell(struct arena *perm, const struct gate_measured *m,
                                  double least_pct)
{
    if (m->by_few_steps)
        return str_printf(perm,
                          "%.*s: few steps have most of it; more captures of each side "
                          "show whether they recur",
                          STRF(verdict_words(m->verdict)));
    return str_printf(perm,
                      "%.*s: these captures show no less than %.1f%%; more captures of "
                      "each side show less",
                      STRF(verdict_words(m->verdict)), least_pct);
}

/* By the evidence first: a difference beyond the limit fails, however fine the limit. A
 * value beyond it that is not told from noise, or within it by less than noise, decides
 * nothing. */
struct gate_result gate_decide(struct arena *perm, const struct gate_expr *g,
                               const struct gate_measured *m)
{
    if (isnan(m->pct))
        return result(perm, g, GATE_NOT_EVALUATED, m,
                      S("both captures need such work to be compared"));
    double least = fmax(m->floor_pct, m->mde_pct), limit = limit_pct(g, m);
    bool beyond = gate_beyond(g, g->unit == GATE_PERCENT ? m->pct : m->ns),
         difference = verdict_is_difference(m->verdict) && fabs(m->pct) > m->chance_pct;
    if (beyond && difference)
        return result(perm, g, GATE_FAILED, m, verdict_words(m->verdict));
    bool fine = limit < least && m->pct + least > limit && !g->below;
    if (beyond || fine)
        return result(perm, g, GATE_NOT_EVALUATED, m,
                      what_would_tell(perm, m, fmax(least, m->chance_pct)));
    return result(perm, g, GATE_PASSED, m, verdict_words(m->verdict));
}

/* A side's label, where labels tell the two apart. */
static struct str side_of(const struct comparison *c, int side)
{
    if (!side && c->n_history)
        return S("earlier captures");
    bool told = c->of[side]->label.n && !str_eq(c->of[0]->label, c->of[1]->label);
    return told ? c->of[side]->label : side ? S("candidate") : S("reference");
}

static struct gate_measured of_totals(const struct comparison *c,
                                      const struct judgement *j, const char *what)
{
    return (struct gate_measured){.pct = j->diff_pct,
                                  .ns = j->value[1] - j->value[0],
                                  .floor_pct = j->floor_pct,
                                  .mde_pct = j->mde_pct,
                                  .chance_pct = j->chance_pct,
                                  .by_few_steps = j->by_few_steps,
                                  .verdict = j->verdict,
                                  .what = str_of(what),
                                  .base = side_of(c, 0)};
}

/* The row that is furthest beyond the limit; the first of equals. */
static struct gate_result on_row(struct arena *perm, const struct gate_expr *g,
                                 const struct comparison *c)
{
    struct gate_measured worst = {.pct = (double)NAN};
    double least_ns = ROW_SHARE_MIN * (double)c->device_ns[0];
    int steps = c->selection.n_steps ? c->selection.n_steps : 1;
    for (int32_t i = 0; i < c->n_rows; i++) {
        const struct compared_row *r = &c->rows[i];
        const struct judgement *j = &r->judged;
        if (j->verdict == VERDICT_NONE || (double)r->match->ns[0] < least_ns)
            continue;
        bool few = j->n[0] < ROW_CAPTURES || j->n[1] < ROW_CAPTURES;
        struct gate_measured m = {.pct = j->diff_pct,
                                  .ns = (double)(r->match->ns[1] - r->match->ns[0]) /
                                        steps,
                                  .mde_pct = (double)NAN,
                                  .chance_pct = few ? PART_CHANCE_PCT : 0,
                                  .verdict = j->verdict,
                                  .what = str_head(r->match->name[0], 80),
                                  .base = side_of(c, 0)};
        bool worse =
            isnan(worst.pct) ||
            (verdict_is_difference(m.verdict) > verdict_is_difference(worst.verdict)) ||
            (verdict_is_difference(m.verdict) == verdict_is_difference(worst.verdict) &&
             m.pct > worst.pct);
        if (worse)
            worst = m;
    }
    return gate_decide(perm, g, &worst);
}

static struct gate_result on_category(struct arena *perm, const struct gate_expr *g,
                                      const struct comparison *c)
{
    struct gate_measured m = {.pct = (double)NAN};
    for (int i = 0; i < c->n_bars; i++) {
        const struct compared_bar *b = &c->bars[i];
        if (b->kind == BAR_CLASS && b->category != WORK_CATEGORIES &&
            (str_eq_nocase(b->name, g->category) ||
             str_eq(work_category_name(b->category), g->category))) {
            m = of_totals(c, &b->judged, "");
            m.what = b->name;
        }
    }
    for (int side = 0; isnan(m.pct) && side < 2; side++)
        if (!c->of[side]->n_events && !c->of[side]->has_parts && c->of[side]->n_rows)
            return gate_says(g, GATE_NOT_EVALUATED,
                             str_printf(perm,
                                        "of %.*s there are the tables of a report, "
                                        "which have no times by category; compare "
                                        "traces or captures",
                                        STRF(side_of(c, side))));
    return gate_decide(perm, g, &m);
}

static struct gate_result on_unmatched(struct arena *perm, const struct gate_expr *g,
                                       const struct comparison *c)
{
    double most = 0;
    for (int side = 0; side < 2; side++) {
        int level = side ? MATCH_ONLY_CANDIDATE : MATCH_ONLY_REFERENCE;
        double all = (double)c->device_ns[side];
        double pct = all > 0 ? 100 * (double)c->level_ns[level][side] / all : 0;
        most = pct > most ? pct : most;
    }
    return gate_says(g, gate_beyond(g, most) ? GATE_FAILED : GATE_PASSED,
                     str_printf(perm, "%.1f%% of kernel time has no match", most));
}

static struct gate_result on_setup(struct arena *perm, const struct gate_expr *g,
                                   const struct comparison *c)
{
    int n = 0;
    struct str first = S("");
    for (int i = 0; i < c->n_setup; i++)
        if (c->setup[i].differs && !c->setup[i].allowed) {
            first = n++ ? first : c->setup[i].what;
        }
    return gate_says(g, n ? GATE_FAILED : GATE_PASSED,
                     n ? str_printf(perm, "%d %s, first: %.*s", n,
                                    str_plural(n, "line of the set-up differs",
                                               "lines of the set-up differ"),
                                    STRF(first))
                       : S("the set-up is the same"));
}

/* The id without what binds it. */
static struct str id_stem(const struct finding *f)
{
    ptrdiff_t n = f->id.n;
    while (n > 0 && f->id.p[n - 1] != '.')
        n--;
    return str_head(f->id, n > 0 ? n : f->id.n);
}

bool gate_has_finding(const struct capture *c, const struct finding *f)
{
    for (int i = 0; i < c->n_findings; i++)
        if (str_eq(id_stem(&c->findings[i]), id_stem(f)))
            return true;
    return false;
}

static bool is_waived(const struct comparison *c, const struct finding *f)
{
    int i = 0;
    while (i < c->n_waived && !str_eq(c->waived[i], f->id))
        i++;
    return i < c->n_waived;
}

static struct gate_result on_finding(struct arena *perm, const struct gate_expr *g,
                                     const struct comparison *c)
{
    const struct capture *x = c->of[0], *y = c->of[1];
    if (!x->n_events || !y->n_events)
        return gate_says(g, GATE_NOT_EVALUATED,
                         S("findings are known of traces only, so compare those"));
    for (int i = 0; i < y->n_findings; i++) {
        const struct finding *f = &y->findings[i];
        bool counts = g->or_equal || g->level == PRIORITY_LOW ? f->priority >= g->level
                                                              : f->priority > g->level;
        if (counts && !f->informational && !is_waived(c, f) && !gate_has_finding(x, f))
            return gate_says(g, GATE_FAILED,
                             str_printf(perm, "only in %.*s: \"%.*s\"",
                                        STRF(side_of(c, 1)), STRF(f->title)));
    }
    return gate_says(g, GATE_PASSED, S("no new finding of that level"));
}

struct gate_result gate_evaluate(struct arena *perm, const struct gate_expr *g,
                                 const struct comparison *c)
{
    bool part = g->what == GATE_ON_ROW || g->what == GATE_ON_CATEGORY;
    if (g->what <= GATE_ON_CATEGORY && parity_is_other_task(c))
        return gate_says(
            g, GATE_NOT_EVALUATED,
            str_printf(perm,
                       "operators of both compute %.4g GFLOP in %.*s and %.4g in %.*s; "
                       "record the same batch, lengths and layers, or intend it with "
                       "--allow-setup work",
                       c->shared_gflop[1], STRF(side_of(c, 1)), c->shared_gflop[0],
                       STRF(side_of(c, 0))));
    if (part && parity_is_other_work(c->parity))
        return gate_says(g, GATE_NOT_EVALUATED,
                         str_printf(perm,
                                    "%.*s; regression(wall) and regression(device) are "
                                    "evaluated all the same",
                                    STRF(parity_words(c->parity))));
    struct gate_measured device = of_totals(c, &c->device, "device work"),
                         wall = of_totals(c, &c->wall, "step");
    switch (g->what) {
    case GATE_ON_DEVICE:
        return gate_decide(perm, g, &device);
    case GATE_ON_WALL:
        return gate_decide(perm, g, &wall);
    case GATE_ON_ROW:
        return on_row(perm, g, c);
    case GATE_ON_CATEGORY:
        return on_category(perm, g, c);
    case GATE_ON_UNMATCHED:
        return on_unmatched(perm, g, c);
    case GATE_ON_SETUP:
        return on_setup(perm, g, c);
    default:
        return on_finding(perm, g, c);
    }
}
