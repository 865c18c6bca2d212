#include "render/search_index.h"

#include "base/arena.h"
#include "render/bundle.h"
#include "render/html_text.h"
#include "render/json_text.h"
#include "render/op_rows.h"

enum { NAME_CHARS = 80, MODULES_MAX = 4 };

/* Our own files may not hold words that call for something, not even inside names of a
 * trace: who scans them cannot tell the two apart. */
static void put_quoted(struct out *o, struct str s)
{
    struct out quoted;
    out_memory(&quoted);
    json_script_string(&quoted, s);
    struct str text = out_view(&quoted);
    for (ptrdiff_t i = 0; i < text.n; i++)
        if (text.p[i] == '(' || text.p[i] == ':' || text.p[i] == '.')
            out_printf(o, "\\u%04x", (unsigned)text.p[i]);
        else
            out_char(o, text.p[i]);
    out_free(&quoted);
}

/* False: it is full. */
static bool add(struct out *o, struct str name, struct str what, struct str href)
{
    struct out entry;
    out_memory(&entry);
    out_lit(&entry, ",\n[");
    put_quoted(&entry, name);
    out_char(&entry, ',');
    put_quoted(&entry, what);
    out_char(&entry, ',');
    json_script_string(&entry, href);
    out_char(&entry, ']');
    struct str text = out_view(&entry), so_far = out_view(o);
    bool fits = so_far.n + text.n + 4 <= SEARCH_BYTES_MAX;
    if (fits)
        out_str(o, str_ends(so_far, S("=[")) ? str_skip(text, 1) : text);
    out_free(&entry);
    return fits;
}

static void add_findings(struct out *o, const struct report *r, struct arena tmp)
{
    for (int i = 0; i < r->n_findings; i++) {
        const struct report_finding *f = &r->findings[i];
        struct arena once = tmp;
        add(o, str_printf(&once, "%.*s %.*s", STRF(f->rank), STRF(f->title)),
            str_printf(&once, "finding, %.*s", STRF(f->category_label)),
            str_printf(&once, "recommendations.html#%.*s", STRF(f->anchor)));
    }
    for (int k = 0; k < r->n_categories; k++)
        add(o, r->categories[k].label, S("category"), r->categories[k].page);
}

/* The terms as the page has them: <div id="g-bound"><dt>Bound</dt>. */
static void add_glossary(struct out *o, struct arena tmp)
{
    struct str page = bundle_file(S("templates/about.html")), mark = S("<div id=\"g-");
    for (ptrdiff_t at; (at = str_find(page, mark)) >= 0;) {
        struct arena once = tmp;
        page = str_skip(page, at + S("<div id=\"").n);
        struct str id = str_head(page, str_find(page, S("\"")));
        struct str term = str_skip(page, str_find(page, S("<dt>")) + S("<dt>").n);
        term = str_head(term, str_find(term, S("</dt>")));
        add(o, term, S("glossary"), str_printf(&once, "about.html#%.*s", STRF(id)));
    }
}

static bool add_op(struct out *o, const struct report *r, int i, struct arena tmp)
{
    const struct report_op *op = &r->ops[i];
    struct str what = S("operation");
    for (int k = 0; k < op->n_modules && k < MODULES_MAX; k++)
        what = str_printf(&tmp, "%.*s%s%.*s", STRF(what), k ? " › " : " in ",
                          STRF(name_short(&tmp, op->modules[k], NAME_CHARS / 2)));
    return add(o,
               str_printf(&tmp, "%.*s %.*s",
                          STRF(name_short(&tmp, op->name, NAME_CHARS)),
                          STRF(name_short(&tmp, op->args, NAME_CHARS))),
               what, op_href(&tmp, r, i));
}

static bool add_kernel(struct out *o, const struct report *r, int i, struct arena tmp)
{
    const struct report_kernel *k = &r->kernels[i];
    struct str page = site_part_name(&tmp, "kernels", i / SITE_TABLE_ROWS + 1);
    return add(o, name_short(&tmp, k->name, NAME_CHARS), S("kernel"),
               str_printf(&tmp, "%.*s#%.*s", STRF(page), STRF(k->id)));
}

void search_index(struct out *o, const struct report *r, struct arena tmp)
{
    out_lit(o, "window.tracefolioSearch=[");
    add_findings(o, r, tmp);
    add_glossary(o, tmp);
    int n = r->n_ops > r->n_kernels ? r->n_ops : r->n_kernels;
    bool fits = true;
    for (int i = 0; i < n && fits; i++) /* both by time: what is cut is small in both */
        fits = (i >= r->n_ops || add_op(o, r, i, tmp)) &&
               (i >= r->n_kernels || add_kernel(o, r, i, tmp));
    out_lit(o, "];\n");
}
