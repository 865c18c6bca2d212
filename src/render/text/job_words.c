#include "render/text/job_words.h"

#include "analysis/model/device_word.h"
#include "base/arena.h"
#include "render/text/bundle.h"
#include "render/text/context.h"
#include "render/text/filter_parts.h"
#include "render/text/template_filters.h"

#include <cjson/cJSON.h>

FILTER(took)
{
    (void)n;
    out_str(o, duration_text(&tmp, (int64_t)number_of(v)));
    return true;
}

FILTER(in_ms)
{
    (void)n;
    out_str(o, str_printf(&tmp, "%.3f", number_of(v) / 1e6));
    return true;
}

#define DIGITS(name, format)                                                           \
    SIMPLE_FILTER(name, out_str(o, str_printf(&tmp, format, number_of(v))))
DIGITS(d0, "%.0f")
DIGITS(d1, "%.1f")
DIGITS(d2, "%.2f")

static const struct template_filter word_filters[] = {
    FILTER_ROW(took), FILTER_ROW(in_ms), FILTER_ROW(d0),
    FILTER_ROW(d1),   FILTER_ROW(d2),    {NULL, NULL}};

static struct str find(void *self, struct str name)
{
    struct arena *tmp = self;
    return bundle_file(str_printf(tmp, "templates/words/%.*s.txt", STRF(name)));
}

/* As it is: a text that is looked up has no line breaks left (seen.h). */
static bool escape(struct out *o, struct arena tmp, struct str text)
{
    (void)tmp;
    out_str(o, text);
    return true;
}

/* What follows a mark at the start of a line. */
static bool take_mark(struct str *line, struct str mark)
{
    if (!str_starts(*line, mark))
        return false;
    *line = str_skip(*line, mark.n);
    return true;
}

static void add_page(struct arena *perm, struct job_words *w, struct str line,
                     bool under)
{
    struct str file = str_take(&line, S(" "));
    arena_grow(perm, w->pages, w->n_pages);
    w->pages[w->n_pages++] =
        (struct words_page){.file = file, .title = line, .under = under};
}

static void add_section(struct arena *perm, struct words_page *p, struct str line)
{
    struct str id = str_take(&line, S(" "));
    arena_grow(perm, p->sections, p->n_sections);
    p->sections[p->n_sections++] = (struct words_section){.id = id, .title = line};
}

static void show(const struct job_document *d, struct words_section *s, struct str line)
{
    struct str name = str_take(&line, S(" "));
    s->caption = line;
    for (int i = 0; i < d->n_shown && !s->shown; i++)
        if (str_eq(d->shown[i].name, name))
            s->shown = &d->shown[i];
}

static void read_line(struct arena *perm, struct job_words *w, struct str line)
{
    struct words_page *p = w->n_pages ? &w->pages[w->n_pages - 1] : NULL;
    struct words_section *s =
        p && p->n_sections ? &p->sections[p->n_sections - 1] : NULL;
    if (take_mark(&line, S("= "))) {
        add_page(perm, w, line, false);
    } else if (take_mark(&line, S("- "))) {
        add_page(perm, w, line, true);
    } else if (p && take_mark(&line, S("? "))) {
        p->question = line;
    } else if (p && take_mark(&line, S("== "))) {
        add_section(perm, p, line);
    } else if (s && take_mark(&line, S("* "))) {
        show(w->d, s, line);
    } else if (s && line.n) {
        arena_grow(perm, s->paras, s->n_paras);
        s->paras[s->n_paras++] = line;
    }
}

bool job_words_read(struct arena *perm, struct arena tmp, const struct job_document *d,
                    struct job_words *w, struct err *e)
{
    struct out o;
    struct template_set set = {.perm = &tmp,
                               .find = find,
                               .self = &tmp,
                               .escape = escape,
                               .filters = {number_filters, word_filters}};
    cJSON *context = context_lend(json_new(), d->facts, d->of, d->of);
    out_memory(&o);
    bool done = template_render(&o, &set, d->words, context, e);
    cJSON_Delete(context);
    *w = (struct job_words){.d = d};
    struct str rest = device_word_put(perm, out_text(&o, perm), d->vendor, 0, 0);
    while (done && rest.n)
        read_line(perm, w, str_take(&rest, S("\n")));
    return done;
}
