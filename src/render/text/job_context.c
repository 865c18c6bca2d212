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

static void put_table(cJSON *o, const struct job_section *s)
{
    const struct job_table *t = &s->table;
    cJSON *table = json_put_object(o, "table"), *columns, *rows;
    json_put(table, M("id", s->id), M("caption", t->caption),
             M("n_columns", t->n_columns));
    json_put(table, t->more.n ? context_text("more", t->more) : json_null("more"));
    columns = json_put_array(table, "columns");
    for (int i = 0; i < t->n_columns; i++)
        json_row(columns, M("title", t->columns[i].title),
                 M("numeric", t->columns[i].numeric));
    rows = json_put_array(table, "rows");
    for (int i = 0; i < t->n_rows; i++) {
        cJSON *cells = json_put_array(json_push(rows, json_new()), "cells");
        for (int k = 0; k < t->n_columns; k++) {
            const struct job_cell *c = &t->cells[i * t->n_columns + k];
            json_row(cells, M("text", c->text),
                     c->href.n ? context_text("href", c->href) : json_null("href"),
                     M("numeric", t->columns[k].numeric), json_bool("head", k == 0),
                     json_bool("plain", is_plain(c->text)),
                     json_bool("is_hot", c->heat > 0), M("heat", c->heat));
        }
    }
}

static void put_section(cJSON *list, const struct job_section *s)
{
    cJSON *o = json_push(list, json_new());
    json_put(o, M("id", s->id), M("title", s->title),
             context_texts("paras", s->paras, s->n_paras),
             json_bool("headline", str_eq(s->id, S("verdict"))),
             json_bool("has_figure", s->has_figure),
             json_bool("has_table", s->has_table),
             context_texts("commands", s->commands, s->n_commands),
             json_bool("has_commands", s->n_commands > 0));
    if (s->has_table)
        put_table(o, s);
    else
        json_put(o, json_null("table"));
}

struct cJSON *job_page_context(const struct job_page *p)
{
    cJSON *o = json_object(M("title", p->title), M("question", p->question));
    cJSON *sections = json_put_array(o, "sections");
    for (int i = 0; i < p->n_sections; i++)
        put_section(sections, &p->sections[i]);
    return o;
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

struct cJSON *job_context(struct arena *tmp, const struct job_document *d)
{
    cJSON *root = json_object(M("heading", d->r ? S("Job of many ranks") : d->title));
    cJSON *pages = json_put_array(root, "pages");
    for (int i = 0; i < d->n_pages; i++)
        if (!d->pages[i].under)
            json_push(pages, job_page_context(&d->pages[i]));
    if (d->r)
        put_report(tmp, root, d->r);
    return root;
}
