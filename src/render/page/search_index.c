#include "render/page/search_index.h"

#include "analysis/model/number_text.h"
#include "base/arena.h"
#include "export/json_text.h"
#include "ops/timeline_data.h"
#include "render/page/row_context.h"
#include "render/page/tree_pages.h"
#include "render/text/bundle.h"
#include "render/text/html_text.h"
#include "report/more_shown.h"

#include <stdlib.h>

enum { NAME_CHARS = 80, MODULES_MAX = 4, PAGES_MAX = 400 };

struct search {
    const struct report *r;
    const struct kernel_line *kernels;
    struct out pages, entries;
    struct str page[PAGES_MAX]; /* those that are named so far */
    int n_pages;
    struct arena perm; /* their names */
};

static int page_number(struct search *s, struct str page)
{
    for (int k = s->n_pages - 1; k >= 0; k--) /* mostly one of the last */
        if (str_eq(s->page[k], page))
            return k;
    if (s->n_pages == PAGES_MAX)
        return -1;
    s->page[s->n_pages] = str_copy(&s->perm, page);
    if (s->n_pages)
        out_char(&s->pages, ',');
    json_script_string(&s->pages, page);
    return s->n_pages++;
}

/* False: it is full. `href`: "page.html#id", or a page alone. */
static bool add(struct search *s, struct str name, struct str what, struct str href)
{
    struct str id = href;
    int page = page_number(s, str_take(&id, S("#")));
    struct out entry;
    out_memory(&entry);
    out_c(&entry, out_view(&s->entries).n ? ",\n[" : "\n[");
    json_data_string(&entry, name);
    out_char(&entry, ',');
    json_data_string(&entry, what);
    out_printf(&entry, ",%d,\"%.*s\"]", page, STRF(id));
    enum { AROUND = 100 }; /* the words around both lists */
    bool fits = page >= 0 && out_view(&s->entries).n + out_view(&s->pages).n +
                                     out_view(&entry).n + AROUND <=
                                 SEARCH_BYTES_MAX;
    if (fits)
        out_str(&s->entries, out_view(&entry));
    out_free(&entry);
    return fits;
}

static void add_findings(struct search *s, struct arena tmp)
{
    const struct report *r = s->r;
    for (int i = 0; i < r->n_findings; i++) {
        const struct report_finding *f = &r->findings[i];
        struct arena once = tmp;
        add(s, str_printf(&once, "%.*s %.*s", STRF(f->rank), STRF(f->of->title)),
            str_printf(&once, "finding, %.*s",
                       STRF(work_category_display(f->of->category))),
            str_printf(&once, "recommendations.html#%.*s", STRF(f->anchor)));
    }
    for (int k = 0; k < r->n_categories; k++)
        add(s, r->categories[k].label, S("category"), r->categories[k].page);
}

/* Pages that every report has, and those that this one's data make. */
static void add_pages(struct search *s)
{
    const struct report *r = s->r;
    bool device = r->meta.has_gpu;
    const struct {
        bool there;
        const char *title, *file;
    } pages[] = {{true, "Summary", "index.html"},
                 {device, "Recommendations", "recommendations.html"},
                 {device, "System", "system.html"},
                 {r->n_ops > 0, "Operations", "operations.html"},
                 {r->n_kernels > 0, "Kernels", "kernels.html"},
                 {r->over_time && r->over_time->n_bins, "Timeline", "timeline.html"},
                 {more_on_page(r, "layers.html"), "Layers", "layers.html"},
                 {more_on_page(r, "counters.html"), "Counters", "counters.html"},
                 {r->tree && r->tree->n_views, "Call tree", "tree.html"},
                 {device, "Roofline", "roofline.html"},
                 {true, "Checks", "checks.html"},
                 {true, "About", "about.html"}};
    for (size_t k = 0; k < sizeof pages / sizeof *pages; k++)
        if (pages[k].there)
            add(s, str_of(pages[k].title), S("page"), str_of(pages[k].file));
}

/* The terms as the page has them: <div id="g-bound"><dt>Bound</dt>. */
static void add_glossary(struct search *s, struct arena tmp)
{
    struct str page = bundle_file(S("templates/about.html")), mark = S("<div id=\"g-");
    for (ptrdiff_t at; (at = str_find(page, mark)) >= 0;) {
        struct arena once = tmp;
        page = str_skip(page, at + S("<div id=\"").n);
        struct str id = str_head(page, str_find(page, S("\"")));
        struct str term = str_skip(page, str_find(page, S("<dt>")) + S("<dt>").n);
        term = str_head(term, str_find(term, S("</dt>")));
        add(s, term, S("glossary"), str_printf(&once, "about.html#%.*s", STRF(id)));
    }
}

static bool add_op(struct search *s, int i, struct arena tmp)
{
    const struct report_op *op = &s->r->ops[i];
    struct str what = S("operation");
    for (int k = 0; k < op->row->n_modules && k < MODULES_MAX; k++)
        what = str_printf(
            &tmp, "%.*s%s%.*s", STRF(what), k ? " › " : " in ",
            STRF(name_short(&tmp, op->row->module_chain[k], NAME_CHARS / 2)));
    return add(s,
               str_printf(&tmp, "%.*s %.*s",
                          STRF(name_short(&tmp, op->row->name, NAME_CHARS)),
                          STRF(name_short(&tmp, op->row->args, NAME_CHARS))),
               what, op_href(&tmp, s->r, i));
}

static bool add_kernel(struct search *s, int i, struct arena tmp)
{
    return add(s, s->kernels[i].shown, S("kernel"), kernel_href(&tmp, s->r, i));
}

struct module_line {
    int64_t time_ns;
    int32_t node;
};

struct modules {
    struct tree_part part;
    int view, n;
    struct module_line *lines; /* by time, longest first */
};

static int by_time(const void *a, const void *b)
{
    const struct module_line *x = a, *y = b;
    return x->time_ns != y->time_ns ? (x->time_ns > y->time_ns ? -1 : 1)
                                    : x->node - y->node;
}

/* The lines of the first view that has modules; the others repeat them. */
static struct modules modules_of(struct arena *a, const struct report *r)
{
    struct modules m = {.view = -1};
    for (int k = 0; r->tree && k < r->tree->n_views && m.view < 0; k++)
        if (r->tree->views[k].kind != VIEW_OPERATIONS)
            m.view = k;
    if (m.view < 0)
        return m;
    const struct path_view *v = &r->tree->views[m.view];
    m.part = (struct tree_part){.r = r,
                                .view = v,
                                .has_page = tree_pages_divide(a, v),
                                .letter = tree_view_letter(v->kind)};
    m.lines = arena_new(a, struct module_line, v->n_nodes);
    for (int32_t i = 0; i < v->n_nodes; i++)
        if (v->nodes[i].kind == NODE_MODULE)
            m.lines[m.n++] = (struct module_line){v->nodes[i].time_ns, i};
    if (m.n)
        qsort(m.lines, (size_t)m.n, sizeof *m.lines, by_time);
    return m;
}

static bool add_module(struct search *s, const struct modules *m, int i,
                       struct arena tmp)
{
    int32_t node = m->lines[i].node;
    const struct path_node *n = &m->part.view->nodes[node];
    struct str title = name_short(&tmp, tree_node_title(&tmp, n), NAME_CHARS);
    struct str time = number_ms(&tmp, (double)n->time_ns / 1e6);
    struct str file = tree_node_file(&tmp, &m->part, m->view, node);
    return add(s, title, str_printf(&tmp, "module, %.*s ms", STRF(time)),
               str_printf(&tmp, "%.*s#%.*s", STRF(file), STRF(n->id)));
}

/* All by time, so that only small entries are cut. */
static void add_rows(struct search *s, struct arena tmp)
{
    const struct report *r = s->r;
    struct modules m = modules_of(&tmp, r);
    int n_ops = report_listed(r->n_ops), n_kernels = report_listed(r->n_kernels);
    int n = n_ops > n_kernels ? n_ops : n_kernels;
    bool fits = true;
    for (int i = 0; i < (n > m.n ? n : m.n) && fits; i++)
        fits = (i >= n_ops || add_op(s, i, tmp)) &&
               (i >= n_kernels || add_kernel(s, i, tmp)) &&
               (i >= m.n || add_module(s, &m, i, tmp));
}

void search_index(struct out *o, const struct report *r,
                  const struct kernel_lines *kernels, struct arena tmp)
{
    struct search s = {.r = r, .kernels = kernels->at};
    enum { PAGE_NAME_BYTES = 64 };
    s.perm.at = arena_new(&tmp, char, PAGES_MAX *PAGE_NAME_BYTES);
    s.perm.end = s.perm.at + PAGES_MAX * PAGE_NAME_BYTES;
    out_memory(&s.pages);
    out_memory(&s.entries);
    add_pages(&s);
    add_findings(&s, tmp);
    add_glossary(&s, tmp);
    add_rows(&s, tmp);
    out_lit(o, "window.tracefolioSearch={\"pages\":[");
    out_str(o, out_view(&s.pages));
    out_lit(o, "],\"entries\":[");
    out_str(o, out_view(&s.entries));
    out_lit(o, "]};\n");
    out_free(&s.pages);
    out_free(&s.entries);
}
