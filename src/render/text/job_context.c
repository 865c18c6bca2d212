#include "render/text/job_context.h"

#include "base/arena.h"
#include "render/text/context.h"

/* A number, or short words: nothing that a name of the trace could bring, so such a
 * cell needs no care. */
static bool is_plain(struct str s)
{
    enum { WORD_BYTES = 24 };
    ptrdiff_t word = 0;
    for (ptrdiff_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool safe = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                    (c >= 'A' && c <= 'Z') ||
                    str_has(S(" .,:;-%"), (struct str){&c, 1});
        word = c == ' ' ? 0 : word + 1;
        if (!safe || word > WORD_BYTES)
            return false;
    }
    return true;
}

static void put_cells(cJSON *rows, const struct job_table *t, int row)
{
    cJSON *cells = json_put_array(json_push(rows, json_new()), "cells");
    for (int k = 0; k < t->n_columns; k++) {
        const struct job_cell *c = job_cell(t, row, k);
        json_row(cells, M("text", c->text),
                 c->href.n ? context_text("href", c->href) : json_null("href"),
                 M("numeric", t->columns[k].numeric), json_bool("head", k == 0),
                 json_bool("plain", is_plain(c->text)),
                 json_bool("is_hot", c->heat > 0), M("heat", c->heat));
    }
}

static void put_table(struct arena *tmp, cJSON *o, const struct words_section *s,
                      const char *folder)
{
    const struct job_table *t = s->shown->table;
    cJSON *table = json_put_object(o, "table"), *columns, *rows;
    struct str csv = str_printf(tmp, "%s/%.*s.csv", folder, STRF(t->csv));
    json_put(table, M("id", s->id), M("caption", s->caption),
             M("n_columns", t->n_columns), context_some("n_left_out", t->n_left_out),
             M("csv", csv));
    columns = json_put_array(table, "columns");
    for (int i = 0; i < t->n_columns; i++)
        json_row(columns, M("title", t->columns[i].title),
                 M("numeric", t->columns[i].numeric));
    rows = json_put_array(table, "rows");
    for (int i = 0; i < t->n_rows; i++)
        put_cells(rows, t, i);
}

/* The sentences of a verdict: the first, what to do, the rest. */
static void put_verdict(cJSON *o, const struct words_section *s,
                        const struct job_report *r)
{
    struct str action = r ? r->action : S(""); /* of one job alone */
    int n = action.n ? 2 : 1;
    json_put(o, json_bool("headline", true), M("first", s->paras[0]),
             M("action", action), context_texts("rest", s->paras + n, s->n_paras - n));
}

static void put_section(struct arena *tmp, cJSON *list, const struct words_section *s,
                        const struct job_report *r, const char *folder)
{
    const struct job_shown *x = s->shown;
    bool has_table = x && x->table;
    cJSON *o = json_push(list, json_new());
    json_put(o, M("id", s->id), M("title", s->title),
             context_texts("paras", s->paras, s->n_paras),
             json_bool("worded", s->n_paras > 0 || has_table),
             json_bool("has_figure", x && x->figure), json_bool("has_table", has_table),
             M("command", x ? x->command : S("")));
    if (str_eq(s->id, S("verdict")) && s->n_paras)
        put_verdict(o, s, r);
    if (has_table)
        put_table(tmp, o, s, folder);
    else
        json_put(o, json_null("table"));
}

struct cJSON *job_page_context(struct arena *tmp, struct cJSON *o,
                               const struct job_words *w, int page)
{
    const struct words_page *p = &w->pages[page];
    json_put(o, M("title", p->title), M("question", p->question));
    cJSON *sections = json_put_array(o, "sections");
    for (int i = 0; i < p->n_sections; i++)
        put_section(tmp, sections, &p->sections[i], w->d->r,
                    w->d->r ? "job_csvs" : "compare_csvs");
    return sections;
}

static void put_late_rank(struct arena *tmp, cJSON *list, const struct job *j,
                          const struct job_rank *r)
{
    json_row(
        list, M("rank", r->rank),
        M("share", str_printf(tmp, "%.1f",
                              j->wait_ns ? 100 * r->blame / (double)j->wait_ns : 0)),
        M("late", duration_text(tmp, r->late.ns)),
        M("cause", r->cause.n ? r->cause : S("-")),
        M("save", r->has_whatif ? duration_text(tmp, r->save_ns) : S("-")));
}

/* Those that are named; else those with much of the waiting. */
static void put_late(struct arena *tmp, cJSON *root, const struct job *j)
{
    cJSON *list = json_put_array(root, "late");
    for (int i = 0; i < j->n_named; i++)
        put_late_rank(tmp, list, j, &j->ranks[j->named[i]]);
    for (int i = 0; !j->n_named && i < j->n_ranks; i++)
        if (j->ranks[i].blame * j->n_ranks >= 2 * (double)j->wait_ns && j->wait_ns)
            put_late_rank(tmp, list, j, &j->ranks[i]);
}

static void put_report(struct arena *tmp, cJSON *root, const struct job_report *r)
{
    json_put(root, context_texts("verdict", r->verdict, r->n_verdict),
             M("data", r->data));
    put_late(tmp, root, r->j);
    json_put(root, json_bool("several_late", r->j->n_named > 1));
    cJSON *checks = json_put_array(root, "checks");
    for (int i = 0; i < r->n_checks; i++) {
        const struct job_check *c = &r->checks[i];
        json_row(checks, M("what", c->what),
                 M("result", !c->evaluated ? S("not evaluated")
                             : c->good     ? S("passed")
                                           : S("failed")),
                 M("says", c->says));
    }
}

struct cJSON *job_context(struct arena *tmp, const struct job_words *w)
{
    const struct job_report *r = w->d->r;
    cJSON *root = json_object(M("heading", r ? S("Job of many ranks") : w->d->title));
    cJSON *pages = json_put_array(root, "pages");
    for (int i = 0; i < w->n_pages; i++)
        if (!w->pages[i].under)
            job_page_context(tmp, context_push(pages), w, i);
    if (r)
        put_report(tmp, root, r);
    return root;
}
