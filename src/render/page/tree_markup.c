#include "render/page/tree_markup.h"

#include "analysis/model/number_text.h"
#include "base/name_pool.h"
#include "base/utf8.h"
#include "render/page/site_context.h"
#include "render/text/html_text.h"

#include <assert.h>

enum {
    NAME_BYTES = 2000,
    VIA_BYTES = 120,
    KERNEL_CHARS = 90,
    VIA_ENDS = 3,
    OPEN_LEVELS = 4
};

static const char *const kind_class[PATH_KINDS] = {
    [NODE_ALL] = "kind-all",     [NODE_MODULE] = "kind-module",
    [NODE_FRAME] = "kind-frame", [NODE_OPERATOR] = "kind-op",
    [NODE_DEVICE] = "kind-gpu",  [NODE_UNLINKED] = "kind-all",
    [NODE_REST] = "kind-all"};

static bool via_is_cut(const struct path_node *n)
{
    return n->n_chain > 2 * VIA_ENDS;
}

static bool is_inner(const struct path_view *v, int32_t i)
{
    return v->nodes[i].after > i + 1;
}

int tree_node_elements(const struct path_node *n)
{
    return 9 + (n->n_through ? 4 : 0) + (n->calls > 1 || n->bytes > 0);
}

int tree_node_bytes(const struct path_node *n)
{
    ptrdiff_t name = n->name.n < NAME_BYTES ? n->name.n : NAME_BYTES, via = 0;
    for (int k = 0; k < n->n_through; k++)
        via += n->through[k].n < NAME_BYTES ? n->through[k].n : NAME_BYTES;
    return (int)(470 + (n->calls > 1 || n->bytes > 0 ? 60 : 0) + 2 * name + 2 * via);
}

struct str tree_page_name(struct arena *a, const struct tree_part *p, int32_t node)
{
    struct str hex = str_skip(p->view->nodes[node].id, 2);
    return str_printf(a, "tree-%c-%.*s.html", p->letter, STRF(hex));
}

/* At most `bytes` of a name, cut in the middle. */
static void put_cut(struct out *o, struct str name, ptrdiff_t bytes)
{
    if (name.n <= bytes) {
        html_text(o, name);
        return;
    }
    html_text(o, utf8_head(name, bytes * 2 / 3));
    out_lit(o, "…");
    html_text(o, str_skip(name, utf8_head(name, name.n - bytes / 3).n));
}

struct str tree_node_title(struct arena *a, const struct path_node *n)
{
    if (n->kind == NODE_ALL)
        return S("all kernel time");
    return n->n_through
               ? str_printf(a, "%.*s › %.*s", STRF(utf8_head(n->through[0], 80)),
                            STRF(utf8_head(n->name, 120)))
               : utf8_head(n->name, 200);
}

/* "base_model.py(611): profile" of a frame with its folders; any other name as it is.
 */
static struct str without_folders(struct str name)
{
    ptrdiff_t end = str_find(name, S(".py("));
    if (end < 0)
        return name;
    ptrdiff_t from = end;
    while (from > 0 && name.p[from - 1] != '/')
        from--;
    return str_skip(name, from);
}

/* Whether the line is shortened, so that "the whole way" is added. */
static bool via_is_short(const struct path_node *n)
{
    bool folders = false;
    for (int k = 0; k < n->n_through && !folders; k++)
        folders = without_folders(n->through[k]).n < n->through[k].n ||
                  n->through[k].n > VIA_BYTES;
    return folders || via_is_cut(n);
}

/* "a › b › … 34 more … › y › ", muted: the way to the name. */
static void put_via(struct out *o, const struct path_node *n)
{
    if (n->n_through == 0)
        return;
    out_lit(o, "<span class=\"via\">");
    for (int k = 0; k < n->n_through; k++) {
        bool hidden = via_is_cut(n) && k >= VIA_ENDS && k < n->n_through - VIA_ENDS;
        if (hidden && k == VIA_ENDS)
            out_printf(o, "… %d more … › ", n->n_chain - 2 * VIA_ENDS);
        if (hidden)
            continue;
        put_cut(o, without_folders(n->through[k]), VIA_BYTES);
        out_lit(o, " › ");
    }
    out_lit(o, "</span>");
}

struct name_index { /* names, each with the first number it was given */
    struct name_pool names;
    int32_t *number;
};

static struct name_index index_open(struct arena *a, int n)
{
    struct name_index x = {.number = arena_take_raw(a, sizeof *x.number, 4, n)};
    pool_open(&x.names);
    return x;
}

static void index_add(struct name_index *x, struct str name, int32_t number)
{
    name_id next = x->names.n, id = pool_add(&x->names, name);
    if (id == next)
        x->number[id] = number;
}

static int32_t index_find(const struct name_index *x, struct str name)
{
    name_id id = pool_find(&x->names, name);
    return id < 0 ? -1 : x->number[id];
}

/* A line gets the finding of its operator, or of the nearest that it passes. */
static struct tree_links links_of(const struct path_node *n,
                                  const struct name_index *kernels,
                                  const struct name_index *findings)
{
    struct tree_links l = {-1, -1};
    if (n->kind == NODE_OPERATOR)
        l.finding = index_find(findings, n->name);
    if (n->kind == NODE_DEVICE)
        l.kernel = index_find(kernels, n->name);
    for (int k = n->n_through; k > 0 && l.finding < 0; k--)
        l.finding = index_find(findings, n->through[k - 1]);
    return l;
}

void tree_links_build(struct tree_links *links, struct arena tmp,
                      const struct report *r, const struct path_view *v)
{
    struct name_index kernels = index_open(&tmp, r->n_kernels);
    struct name_index findings = index_open(&tmp, r->n_ops);
    for (int i = 0; i < r->n_kernels; i++)
        index_add(&kernels, r->kernels[i].name, i);
    for (int i = 0; i < r->n_ops; i++)
        if (r->ops[i].finding >= 0)
            index_add(&findings, r->ops[i].row->name, r->ops[i].finding);
    for (int32_t i = 0; i < v->n_nodes; i++)
        links[i] = links_of(&v->nodes[i], &kernels, &findings);
    pool_close(&kernels.names);
    pool_close(&findings.names);
}

/* `row`: -1 for no link. */
static void put_kernel(struct out *o, const struct report *r, struct str name, int row,
                       struct arena tmp)
{
    if (row >= 0)
        out_printf(o, "<a class=\"self\" href=\"%.*s#%.*s\">",
                   STRF(site_part_name(&tmp, "kernels", row / SITE_TABLE_ROWS + 1)),
                   STRF(r->kernels[row].id));
    struct str text = name_short(&tmp, name, KERNEL_CHARS);
    html_text(o, str_trim(text).n ? text : S("(no name)"));
    out_c(o, row >= 0 ? "</a>" : "");
}

static const struct report_finding *node_finding(const struct tree_part *p, int32_t i)
{
    int32_t at = p->links[i].finding;
    return at >= 0 && p->r->findings[at].rank.n ? &p->r->findings[at] : NULL;
}

static void put_mark(struct out *o, const struct tree_part *p, int32_t i, bool linked)
{
    const struct report_finding *f = node_finding(p, i);
    if (!f)
        return;
    if (linked)
        out_printf(o, " <a class=\"finding-mark\" href=\"recommendations.html#%.*s\">",
                   STRF(f->anchor));
    else
        out_lit(o, " <b class=\"finding-mark\">");
    out_printf(o, "<span class=\"vh\">finding </span>%.*s", STRF(f->rank));
    out_c(o, linked ? "</a>" : "</b>");
}

/* " 24 instances, 48 calls, 419 MiB": what differs from one call of one instance. */
static void put_module(struct out *o, const struct path_node *n, struct arena tmp)
{
    const char *before = " <small>";
    if (n->kind == NODE_REST)
        return;
    if (n->instances > 1) {
        out_printf(o, "%s%lld instances", before, (long long)n->instances);
        before = ", ";
    }
    if (n->calls > 1 && n->calls != n->instances) {
        out_printf(o, "%s%lld calls", before, (long long)n->calls);
        before = ", ";
    }
    if (n->bytes > 0) {
        out_printf(o, "%s%.*s", before, STRF(number_bytes(&tmp, (double)n->bytes)));
        before = ", ";
    }
    if (*before == ',')
        out_lit(o, "</small>");
}

/* `linked`: false inside a summary, where a link would be a control within a
 * control. */
static void put_name(struct out *o, const struct tree_part *p, int32_t i, bool linked,
                     struct arena tmp)
{
    const struct path_node *n = &p->view->nodes[i];
    out_printf(o, "<span class=\"what %s\">", kind_class[n->kind]);
    put_via(o, n);
    if (n->kind == NODE_REST)
        out_printf(o, "%lld more, each below 0.1%%", (long long)n->instances);
    else if (n->kind == NODE_DEVICE)
        put_kernel(o, p->r, n->name, linked ? p->links[i].kernel : -1, tmp);
    else if (n->name.n)
        put_cut(o, n->name, NAME_BYTES);
    else
        out_lit(o, "(no name)");
    put_module(o, n, tmp);
    put_mark(o, p, i, linked);
    out_lit(o, "</span>");
}

/* `text` at the right end of `width` places, filled with spaces as wide as a digit. */
static void put_padded(struct out *o, struct str text, int width)
{
    for (ptrdiff_t k = text.n; k < width; k++)
        out_lit(o, "\u2007");
    out_str(o, text);
}

static void put_numbers(struct out *o, const struct path_view *v,
                        const struct path_node *n, struct arena tmp)
{
    double total = (double)v->total_ns;
    double pct = total > 0 ? 100.0 * (double)n->time_ns / total : 0.0;
    struct str all = number_fixed(&tmp, total / 1e6, 3);
    struct str most = str_printf(&tmp, "%lld", (long long)v->launches);
    out_lit(o, "<span class=\"num\">");
    put_padded(o, number_fixed(&tmp, (double)n->time_ns / 1e6, 3), (int)all.n);
    out_lit(o, " ms  ");
    bool tiny = n->time_ns > 0 && pct < 0.05;
    put_padded(o, tiny ? S("&lt;0.1") : number_fixed(&tmp, pct, 1), tiny ? 8 : 5);
    out_lit(o, "%  ");
    put_padded(o, str_printf(&tmp, "%lld", (long long)n->launches), (int)most.n);
    out_lit(o, "×</span>");
}

/* As long as the share of the time: BAR_PX is all of it. What is shorter than half a
 * pixel has none. */
static void put_bar(struct out *o, const struct path_view *v, const struct path_node *n)
{
    enum { BAR_PX = 120 };
    double px = v->total_ns > 0 ? BAR_PX * (double)n->time_ns / (double)v->total_ns : 0;
    if (px < 0.5) {
        out_lit(o, "<span></span>");
        return;
    }
    out_lit(o, "<svg class=\"bar\" width=\"");
    out_fixed(o, px, 1);
    out_lit(o, "\" height=\"8\" aria-hidden=\"true\"></svg>");
}

static void put_anchor(struct out *o, const struct path_node *n)
{
    if (n->id.n)
        out_printf(
            o, "<a class=\"anchor\" href=\"#%.*s\" aria-label=\"Link to %.*s\">#</a>",
            STRF(n->id), STRF(n->id));
    else
        out_lit(o, "<span></span>");
}

/* The whole way, if the line leaves some out. */
static void put_chain(struct out *o, const struct path_node *n)
{
    out_lit(o, "<details class=\"chain\"><summary>The whole path</summary><p>");
    for (int k = 0; k < n->n_through; k++) {
        if (k == n->n_through / 2 && n->n_chain > n->n_through)
            out_printf(o, "… %d more … › ", n->n_chain - n->n_through);
        put_cut(o, n->through[k], NAME_BYTES);
        out_lit(o, " › ");
    }
    put_cut(o, n->name, NAME_BYTES);
    out_lit(o, "</p></details>\n");
}

static void put_line(struct out *o, const struct tree_part *p, int32_t i, bool linked,
                     struct arena tmp)
{
    const struct path_node *n = &p->view->nodes[i];
    put_name(o, p, i, linked, tmp);
    put_bar(o, p->view, n);
    put_numbers(o, p->view, n, tmp);
}

/* Links of an open line, which its summary must not contain; and the whole way, if the
 * line leaves some out. */
static void put_links(struct out *o, const struct tree_part *p, int32_t i,
                      struct arena tmp)
{
    const struct path_node *n = &p->view->nodes[i];
    const struct report_finding *f = node_finding(p, i);
    int row = p->links[i].kernel;
    out_lit(o, "<p class=\"links\">");
    if (f)
        out_printf(o, "<a href=\"recommendations.html#%.*s\">Finding %.*s</a> ",
                   STRF(f->anchor), STRF(f->rank));
    if (row >= 0)
        out_printf(o, "<a href=\"%.*s#%.*s\">Kernel %.*s</a> ",
                   STRF(site_part_name(&tmp, "kernels", row / SITE_TABLE_ROWS + 1)),
                   STRF(p->r->kernels[row].id), STRF(p->r->kernels[row].id));
    put_anchor(o, n);
    out_lit(o, "</p>\n");
    if (via_is_short(n))
        put_chain(o, n);
}

/* <details> whose summary is the line of node i; left open. */
static void put_open(struct out *o, const struct tree_part *p, int32_t i, bool open,
                     struct arena tmp)
{
    const struct path_node *n = &p->view->nodes[i];
    out_printf(o, "<details class=\"long\" id=\"%.*s\"%s><summary class=\"line\">",
               STRF(n->id), open ? " open" : "");
    put_line(o, p, i, false, tmp);
    out_lit(o, "</summary>\n");
    put_links(o, p, i, tmp);
}

/* A line with nothing below it here; `link` leads to where it continues. */
static void put_leaf(struct out *o, const struct tree_part *p, int32_t i,
                     struct str link, const char *link_text, struct arena tmp)
{
    const struct path_node *n = &p->view->nodes[i];
    bool folds = via_is_short(n);
    if (folds) {
        put_open(o, p, i, false, tmp);
    } else {
        out_printf(o, "<div class=\"line leaf%s\"",
                   n->kind == NODE_REST ? " rest" : "");
        if (n->id.n)
            out_printf(o, " id=\"%.*s\"", STRF(n->id));
        out_char(o, '>');
        put_line(o, p, i, true, tmp);
        put_anchor(o, n);
    }
    if (link.n)
        out_printf(
            o, "<a class=\"on\" href=\"%.*s\">%s<span class=\"vh\">: %.*s</span></a>",
            STRF(link), link_text, STRF(n->id));
    out_c(o, folds ? "</details>\n" : "</div>\n");
}

int tree_markup(struct out *o, const struct tree_part *p, int32_t root, int32_t *deep,
                int deep_max, struct arena tmp)
{
    const struct path_node *nodes = p->view->nodes;
    int32_t ends[TREE_DEPTH_MAX + 1],
        largest = root; /* largest: the open path so far */
    int depth = 0, n_deep = 0;
    for (int32_t i = root + 1; i < nodes[root].after;) {
        while (depth && ends[depth - 1] <= i) {
            out_lit(o, "</details>\n");
            depth--;
        }
        if (p->has_page[i]) {
            put_leaf(o, p, i, tree_page_name(&tmp, p, i),
                     "continues on a page of its own", tmp);
            i = nodes[i].after;
            continue;
        }
        if (!is_inner(p->view, i)) {
            put_leaf(o, p, i, S(""), "", tmp);
            i++;
            continue;
        }
        if (depth == TREE_DEPTH_MAX) {
            assert(n_deep < deep_max);
            struct str link = str_printf(&tmp, "#%.*s-below", STRF(nodes[i].id));
            put_leaf(o, p, i, link, "continues at the end of the page", tmp);
            deep[n_deep++] = i;
            i = nodes[i].after;
            continue;
        }
        bool open = p->open_largest && depth < OPEN_LEVELS &&
                    nodes[i].parent == largest && i == largest + 1;
        largest = open ? i : largest;
        put_open(o, p, i, open, tmp);
        ends[depth++] = nodes[i].after;
        i++;
    }
    for (; depth; depth--)
        out_lit(o, "</details>\n");
    return n_deep;
}
