#include "ci/metric_gates.h"

#include "base/out.h"
#include "base/terminal.h"
#include "base/unknown.h"
#include "render/text/filter_parts.h"
#include "render/text/html_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIGURES_MOST = 200 };

/* As every report has it, with one category, so that members of categories are known.
 */
static cJSON *plain_summary(struct arena *tmp)
{
    static struct report_category category = {.label = S_INIT("x"), .id = S_INIT("x")};
    static const struct report plain = {.categories = &category, .n_categories = 1};
    return run_summary(tmp, &plain, &(struct run_facts){0});
}

/* Names of the figures in `in`, with its own before each: as many as `names` takes. */
static int figures_in(struct arena *a, const cJSON *in, struct str parent,
                      struct str *names, int n)
{
    const cJSON *c;
    cJSON_ArrayForEach(c, in)
    {
        if (n < FIGURES_MOST && (cJSON_IsNumber(c) || cJSON_IsNull(c)))
            names[n++] = str_printf(a, "%.*s.%s", STRF(parent), c->string);
    }
    return n;
}

/* Those of every part that is no list. */
static int all_figures(struct arena *a, const cJSON *summary, struct str *names)
{
    int n = 0;
    const cJSON *part;
    cJSON_ArrayForEach(part, summary)
    {
        if (cJSON_IsObject(part))
            n = figures_in(a, part, str_of(part->string), names, n);
    }
    return n;
}

/* "categories.gemm.kernel_sum_ns" of "category.gemm.kernel_sum_ns", by the nearest part
 * of the summary; empty: its first word is near none, or is one. */
static struct str with_known_part(struct arena *a, const cJSON *summary,
                                  struct str name)
{
    struct str rest = name, first = str_take(&rest, S("."));
    struct str *parts = arena_new(a, struct str, FIGURES_MOST);
    int n = 0;
    const cJSON *part;
    cJSON_ArrayForEach(part, summary)
    {
        if (n < FIGURES_MOST && (cJSON_IsObject(part) || cJSON_IsArray(part)))
            parts[n++] = str_of(part->string);
    }
    struct str near = nearest_word(first, parts, n);
    if (str_eq(first, S("category"))) /* one of several: too short to be near */
        near = S("categories");
    return near.n && !str_eq(near, first)
               ? str_printf(a, "%.*s.%.*s", STRF(near), STRF(rest))
               : S("");
}

/* A number of the report that a name is not: its neighbours, or of all figures the
 * nearest. */
static bool unknown_figure(struct arena tmp, const cJSON *summary, const cJSON *in,
                           struct str parent, struct str name, struct err *e)
{
    struct str *names = arena_new(&tmp, struct str, FIGURES_MOST);
    struct str meant = parent.n ? S("") : with_known_part(&tmp, summary, name);
    if (meant.n)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "unknown figure '%.*s' (did you mean %.*s?); `analyze "
                       "--print=json` shows all",
                       STRF(str_head(name, 100)), STRF(str_head(meant, 100)));
    int n = parent.n ? figures_in(&tmp, in, parent, names, 0)
                     : all_figures(&tmp, summary, names);
    return err_unknown(e, "figure", str_head(name, 100), names, n,
                       "`analyze --print=json` shows all");
}

/* Whether every report has the figure that a gate names, or may have: what lies in a
 * list (a category, a phase) depends on the trace, but not what is told of each. */
static bool figure_is_known(struct arena tmp, const struct gate_expr *g,
                            const cJSON *summary, struct err *e)
{
    struct str rest = g->metric, parent = {rest.p, 0};
    for (const cJSON *at = summary; rest.n || cJSON_IsObject(at);) {
        struct str word = rest.n ? str_take(&rest, S(".")) : S("");
        const cJSON *next = run_summary_find(at, word);
        if (!word.n || !next)
            return unknown_figure(tmp, summary, at, parent, g->metric, e);
        const cJSON *one = cJSON_IsArray(next) ? next->child : NULL;
        if ((cJSON_IsArray(next) && (!one || !rest.n)) || cJSON_IsNull(next))
            return true;
        bool of_category = one && str_eq(word, S("categories"));
        if (one) /* whatever it is called */
            word = str_take(&rest, S("."));
        if (of_category && !gate_category_is_known(word, false, g->text, e))
            return false;
        next = one ? one : next;
        parent.n = word.p + word.n - parent.p;
        at = next;
    }
    return true;
}

/* "; did you mean window.idle_pct?" of "idle_pct>30%"; or empty. */
static struct str hint_of(struct arena *a, const char *text)
{
    struct str word = {text, (ptrdiff_t)strcspn(text, "<>= ")}, list = S("");
    struct str *names = arena_new(a, struct str, FIGURES_MOST);
    cJSON *summary = plain_summary(a);
    int n = word.n ? all_figures(a, summary, names) : 0;
    for (int i = 0; i < n; i++) {
        struct str name = names[i], part = str_take(&name, S("."));
        if (str_eq(part, word) || str_eq(name, word))
            list = str_printf(a, "%.*s%s%.*s", STRF(list), list.n ? ", " : "",
                              STRF(names[i]));
    }
    cJSON_Delete(summary);
    return list.n ? str_printf(a, "; did you mean %.*s?", STRF(str_head(list, 500)))
                  : S("");
}

static bool unit_fits(const struct gate_expr *g, struct err *e)
{
    enum gate_unit is = str_ends(g->metric, S("_pct"))  ? GATE_PERCENT
                        : str_ends(g->metric, S("_ns")) ? GATE_NS
                                                        : GATE_NUMBER;
    static const char *const says[] = {[GATE_PERCENT] = "in %: '>30%'",
                                       [GATE_NS] = "a time: '>5ms'",
                                       [GATE_NUMBER] = "a plain number: '>2'"};
    return g->unit == is ||
           err_set(e, ERR_USAGE, NULL, -1, "--fail-on '%.*s': the figure is %s",
                   STRF(str_head(g->text, 200)), says[is]);
}

static bool figures_are_known(struct arena tmp, const struct gate_expr *gates, int n,
                              struct err *e)
{
    cJSON *summary = plain_summary(&tmp);
    bool known = true;
    for (int i = 0; known && i < n; i++)
        known =
            gates[i].what != GATE_ON_METRIC ||
            (figure_is_known(tmp, &gates[i], summary, e) && unit_fits(&gates[i], e));
    cJSON_Delete(summary);
    return known;
}

bool report_figure_read(struct arena tmp, const char *name, struct err *e)
{
    struct gate_expr g = {.metric = str_of(name), .text = str_of(name)};
    cJSON *summary = plain_summary(&tmp);
    bool known = figure_is_known(tmp, &g, summary, e);
    cJSON_Delete(summary);
    return known;
}

bool report_gates_read(struct arena *perm, const char *const *texts, int n,
                       struct gate_expr **gates, struct err *e)
{
    *gates = arena_new(perm, struct gate_expr, n);
    for (int i = 0; i < n; i++) {
        struct gate_expr *g = *gates + i;
        struct err other = {0};
        bool read = gate_read(texts[i], g, &other);
        g->text = text_repaired(perm, g->text);
        if (!read || (g->what != GATE_ON_LEVEL && g->what != GATE_ON_METRIC))
            return err_set(
                e, ERR_USAGE, NULL, -1,
                "--fail-on: expected critical, high or medium, or a figure "
                "of summary.json such as 'window.idle_pct>30%%', not '%.100s'%.*s",
                texts[i],
                STRF(read ? S("; that one is of two captures: compare")
                          : hint_of(perm, texts[i])));
    }
    return n == 0 || figures_are_known(*perm, *gates, n, e);
}

static struct str text_in(const cJSON *o, const char *key)
{
    return text_of(cJSON_GetObjectItemCaseSensitive(o, key));
}

bool gate_trips_on(const struct gate_expr *g, const struct cJSON *f)
{
    bool counts = !cJSON_IsTrue(cJSON_GetObjectItem(f, "informational")) &&
                  !cJSON_IsObject(cJSON_GetObjectItem(f, "waived"));
    for (enum priority p = g->level; counts && p < PRIORITIES; p++)
        if (str_eq(text_in(f, "severity"), priority_word(p)))
            return true;
    return false;
}

static struct gate_result on_level(struct arena *perm, const struct gate_expr *g,
                                   const cJSON *summary)
{
    const cJSON *f, *first = NULL;
    int n = 0;
    cJSON_ArrayForEach(f, cJSON_GetObjectItem(summary, "findings"))
    {
        if (!gate_trips_on(g, f))
            continue;
        first = n++ ? first : f;
    }
    struct str level = priority_word(g->level);
    struct gate_result r = {g, n ? GATE_FAILED : GATE_PASSED, S(""), n};
    if (!n)
        r.says = str_printf(perm, "no finding is %.*s%s", STRF(level),
                            g->level == PRIORITY_CRITICAL ? "" : " or more");
    else
        r.says = str_printf(perm, "%d %s, first: \"%.*s\" (%.*s)", n,
                            str_plural(n, "finding", "findings"),
                            STRF(text_in(first, "title")), STRF(text_in(first, "id")));
    return r;
}

/* A value as the gate writes it. */
static struct str limit_text(struct arena *perm, const struct gate_expr *g, double v)
{
    static const struct {
        double least, factor;
        const char *unit;
    } times[] = {{1e9, 1e9, "s"}, {1e6, 1e6, "ms"}, {1e3, 1e3, "us"}, {0, 1, "ns"}};
    int k = 0;
    struct out o;
    if (g->unit == GATE_PERCENT)
        return str_printf(perm, "%.2f%%", v);
    while (g->unit == GATE_NS && v < times[k].least)
        k++;
    if (g->unit == GATE_NS)
        return str_printf(perm, "%.3f %s", v / times[k].factor, times[k].unit);
    out_memory(&o);
    out_real(&o, v);
    struct str text = out_text(&o, perm);
    return str_ends(text, S(".0")) ? str_head(text, text.n - 2) : text;
}

/* "15.87 points over the limit". */
static struct str distance(struct arena *perm, const struct gate_expr *g, double v)
{
    double by = v - g->limit;
    if (by == 0)
        return S("the limit itself");
    struct str size = g->unit == GATE_PERCENT
                          ? str_printf(perm, "%.2f points", fabs(by))
                          : limit_text(perm, g, fabs(by));
    return str_printf(perm, "%.*s %s the limit", STRF(size), by > 0 ? "over" : "under");
}

/* Why there is no number of that name: of "categories.norm.kernel_sum_ns", which
 * categories the trace has in place of it. */
static struct str absence(struct arena *perm, const cJSON *summary, struct str name)
{
    enum { NAMES_MOST = 30 };
    struct str rest = name, list = str_take(&rest, S(".")), has = S("");
    struct str word = str_take(&rest, S("."));
    const cJSON *c;
    int n = 0;
    bool is_there = false;
    cJSON_ArrayForEach(c, run_summary_find(summary, list))
    {
        struct str slug = text_in(c, "slug");
        is_there |= str_eq(slug, word);
        if (slug.n && n++ < NAMES_MOST)
            has = str_printf(perm, "%.*s%s%.*s", STRF(has), has.n ? ", " : "",
                             STRF(slug));
    }
    if (has.n && !is_there)
        return str_printf(perm, "the trace has no %.*s among its %.*s, which are %.*s",
                          STRF(str_head(word, 60)), STRF(list), STRF(has));
    return str_printf(perm, "summary.json has no number %.*s",
                      STRF(str_head(name, 100)));
}

struct gate_result metric_gate(struct arena *perm, const struct gate_expr *g,
                               const struct cJSON *summary)
{
    struct gate_result none = {g, GATE_NOT_EVALUATED, S(""), (double)NAN};
    const cJSON *v = run_summary_find(summary, g->metric);
    if (!cJSON_IsNumber(v)) {
        none.says = absence(perm, summary, g->metric);
        return none;
    }
    return (struct gate_result){
        g, gate_beyond(g, v->valuedouble) ? GATE_FAILED : GATE_PASSED,
        str_printf(perm, "it is %.*s, %.*s", STRF(limit_text(perm, g, v->valuedouble)),
                   STRF(distance(perm, g, v->valuedouble))),
        v->valuedouble};
}

struct gate_result report_gate(struct arena *perm, const struct gate_expr *g,
                               const struct cJSON *summary)
{
    return g->what == GATE_ON_METRIC ? metric_gate(perm, g, summary)
                                     : on_level(perm, g, summary);
}

static void print(const char *kind, const struct str text, struct str says)
{
    terminal_line(stderr, "tracefolio: --fail-on '%.*s'%s: %.*s",
                  STRF(str_head(text, 200)), kind, STRF(says));
}

/* Every finding behind a gate, so that nobody has to open the report to see them. */
static void print_findings(const struct gate_expr *g, const cJSON *summary)
{
    const cJSON *f;
    cJSON_ArrayForEach(f, cJSON_GetObjectItem(summary, "findings"))
    {
        if (gate_trips_on(g, f))
            terminal_line(stderr, "tracefolio:   %s: %.*s (%.*s)",
                          cJSON_GetObjectItem(f, "severity")->valuestring,
                          STRF(text_in(f, "title")), STRF(text_in(f, "id")));
    }
}

bool gates_tell(const struct gate_result *gates, int n, const struct cJSON *summary,
                bool require_all, struct err *e)
{
    int failed = 0, open = 0, judged = 0;
    for (int i = 0; i < n; i++) {
        const struct gate_result *g = &gates[i];
        judged += !g->of->warns;
        if (g->status == GATE_PASSED)
            continue;
        bool fails = g->status == GATE_FAILED;
        failed += fails && !g->of->warns;
        open += !fails;
        print(!fails         ? " was not evaluated"
              : g->of->warns ? " (a warning)"
                             : " failed",
              g->of->text, g->says);
        if (fails && g->of->what == GATE_ON_LEVEL)
            print_findings(g->of, summary);
    }
    if (failed)
        return err_set(e, ERR_GATE, NULL, -1, "%d of %d %s failed", failed, judged,
                       str_plural(judged, "gate", "gates"));
    if (open && require_all)
        return err_set(e, ERR_GATE, NULL, -1,
                       "--require-gates: %d of %d %s not evaluated", open, n,
                       str_plural(n, "gate was", "gates were"));
    return true;
}
