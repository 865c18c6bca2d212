#include "render/page/single_links.h"

#include "base/arena.h"
#include "render/text/base64.h"

#include <stdlib.h>

struct single_links links_open(struct arena *perm, const struct str *files, int n)
{
    return (struct single_links){.perm = perm, .files = files, .n_files = n};
}

void links_add(struct single_links *l, int page, struct str id)
{
    arena_grow(l->perm, l->ids, l->n_ids);
    l->ids[l->n_ids++] = (struct link_id){id, id, page};
}

struct str links_page_id(struct arena *a, struct str file)
{
    struct str stem = str_ends(file, S(".html")) ? str_head(file, file.n - 5) : file;
    return str_printf(a, "page-%.*s", STRF(stem));
}

/* The next tag, from its < to its >; *text is the text before it. False: no more. */
static bool next_tag(struct str *rest, struct str *text, struct str *tag)
{
    ptrdiff_t at = str_find(*rest, S("<")), end = at;
    if (at < 0) {
        *text = *rest;
        return false;
    }
    bool quoted = false;
    for (; end < rest->n && (quoted || rest->p[end] != '>'); end++)
        quoted ^= rest->p[end] == '"';
    end += end < rest->n;
    *text = str_head(*rest, at);
    *tag = (struct str){rest->p + at, end - at};
    *rest = str_skip(*rest, end);
    return true;
}

/* The next ` name="value"` of a tag; *before runs to the value's first byte. */
static bool next_attribute(struct str *rest, struct str *before, struct str *name,
                           struct str *value)
{
    ptrdiff_t open = str_find(*rest, S("=\""));
    if (open < 0)
        return false;
    ptrdiff_t from = open;
    while (from > 0 && rest->p[from - 1] != ' ')
        from--;
    *name = (struct str){rest->p + from, open - from};
    *before = str_head(*rest, open + 2);
    struct str after = str_skip(*rest, open + 2);
    ptrdiff_t close = str_find(after, S("\""));
    *value = str_head(after, close < 0 ? after.n : close);
    *rest = str_skip(after, value->n);
    return true;
}

static struct str attribute(struct str tag, struct str wanted)
{
    struct str before, name, value;
    while (next_attribute(&tag, &before, &name, &value))
        if (str_eq(name, wanted))
            return value;
    return S("");
}

void links_scan(struct single_links *l, int page, struct str html)
{
    struct str text, tag;
    while (next_tag(&html, &text, &tag)) {
        struct str id = attribute(tag, S("id"));
        if (id.n)
            links_add(l, page, id);
    }
}

static int compare_ids(const void *a, const void *b)
{
    const struct link_id *x = a, *y = b;
    int order = str_cmp(x->id, y->id);
    return order ? order : (x->page > y->page) - (x->page < y->page);
}

static const struct link_id *find_id(const struct single_links *l, int page,
                                     struct str id)
{
    struct link_id key = {.id = id, .page = page};
    return l->n_ids
               ? bsearch(&key, l->ids, (size_t)l->n_ids, sizeof *l->ids, compare_ids)
               : NULL;
}

static bool is_taken(const struct single_links *l, struct str id)
{
    int low = 0, high = l->n_ids; /* the first that is not below */
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (str_cmp(l->ids[mid].id, id) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low < l->n_ids && str_eq(l->ids[low].id, id);
}

void links_settle(struct single_links *l)
{
    if (l->n_ids)
        qsort(l->ids, (size_t)l->n_ids, sizeof *l->ids, compare_ids);
    for (int i = 1; i < l->n_ids; i++) {
        struct link_id *k = &l->ids[i];
        if (k->page == LINKS_SHELL || !str_eq(k->id, l->ids[i - 1].id))
            continue;
        struct str file = l->files[k->page];
        struct str stem = str_head(file, file.n - S(".html").n);
        k->name = str_printf(l->perm, "%.*s--%.*s", STRF(stem), STRF(k->id));
        for (int again = 2; is_taken(l, k->name); again++)
            k->name =
                str_printf(l->perm, "%.*s--%.*s-%d", STRF(stem), STRF(k->id), again);
    }
}

static struct str name_of(const struct single_links *l, int page, struct str id)
{
    const struct link_id *k = find_id(l, page, id);
    return k ? k->name : id;
}

static const struct link_embed *embed_of(const struct single_links *l, struct str href)
{
    for (int k = 0; k < l->n_embeds; k++)
        if (str_eq(l->embeds[k].href, href))
            return &l->embeds[k];
    return NULL;
}

/* "#id" and "page.html#id" as in the single file; empty: the target is not a page. */
static struct str resolve(const struct single_links *l, int page, struct str href)
{
    const struct link_embed *embed = embed_of(l, href);
    for (int k = 0; embed && k < l->n_files; k++)
        if (str_eq(l->files[k], embed->page))
            return name_of(l, k, embed->id);
    struct str id = href, file = str_take(&id, S("#"));
    for (int k = 0; file.n && k < l->n_files; k++)
        if (str_eq(l->files[k], file)) {
            const struct link_id *there = id.n ? find_id(l, k, id) : NULL;
            return there ? there->name : links_page_id(l->perm, file);
        }
    return file.n ? S("") : name_of(l, page, id);
}

static void leave_out(struct single_links *l, struct str href)
{
    for (int k = 0; k < l->n_left_out; k++)
        if (str_eq(l->left_out[k], href))
            return;
    arena_grow(l->perm, l->left_out, l->n_left_out);
    l->left_out[l->n_left_out++] = str_copy(l->perm, href);
}

static bool names_ids(struct str attribute_name)
{
    return str_among(
        attribute_name,
        "id aria-labelledby aria-describedby headers aria-controls for list");
}

/* Ids separated by spaces. */
static void put_ids(struct out *o, const struct single_links *l, int page,
                    struct str list)
{
    while (list.n) {
        ptrdiff_t space = str_find(list, S(" "));
        out_str(o, name_of(l, page, space < 0 ? list : str_head(list, space)));
        if (space >= 0)
            out_char(o, ' ');
        list = space < 0 ? S("") : str_skip(list, space + 1);
    }
}

/* The file itself, if the link saves it: the attribute and the next one, up to the last
 * quote. */
static void put_href(struct out *o, const struct single_links *l, int page,
                     struct str href)
{
    const struct link_embed *embed = embed_of(l, href);
    if (!embed || page == LINKS_SHELL || !str_eq(l->files[page], embed->page)) {
        out_char(o, '#');
        out_str(o, resolve(l, page, href));
        return;
    }
    ptrdiff_t slash = str_find(href, S("/"));
    out_lit(o, "data:application/zip;base64,");
    out_base64(o, embed->bytes);
    out_lit(o, "\" download=\"");
    out_str(o, str_skip(href, slash + 1));
}

static void put_value(struct out *o, const struct single_links *l, int page,
                      struct str name, struct str value)
{
    struct str paint = S("url(#");
    if (names_ids(name)) {
        put_ids(o, l, page, value);
    } else if (str_eq(name, S("href"))) {
        put_href(o, l, page, value);
    } else if (str_starts(value, paint) && str_ends(value, S(")"))) {
        struct str id = str_skip(str_head(value, value.n - 1), paint.n);
        out_str(o, paint);
        out_str(o, name_of(l, page, id));
        out_char(o, ')');
    } else {
        out_str(o, value);
    }
}

static bool is_heading(struct str tag)
{
    bool closes = tag.n > 1 && tag.p[1] == '/';
    const char *p = tag.p + 1 + closes;
    return tag.n > 3 + closes && p[0] == 'h' && p[1] >= '1' && p[1] <= '5' &&
           (p[2] == '>' || p[2] == ' ');
}

/* Sections on several pages have the same title, so it is prefixed with the page's. */
static void put_page_title(struct out *o, const struct single_links *l, int page)
{
    struct arena tmp = *l->perm;
    out_str(o, links_page_id(&tmp, l->files[page]));
    out_lit(o, "-h ");
}

/* Up to the first attribute, a heading's level lowered. */
static void put_tag(struct out *o, const struct single_links *l, int page,
                    struct str tag)
{
    if (page != LINKS_SHELL && is_heading(tag)) {
        ptrdiff_t digit = tag.p[1] == '/' ? 3 : 2;
        out_bytes(o, tag.p, digit);
        out_char(o, (char)(tag.p[digit] + 1));
        tag = str_skip(tag, digit + 1);
    }
    bool is_section = page != LINKS_SHELL && str_starts(tag, S("<section "));
    struct str before, name, value;
    while (next_attribute(&tag, &before, &name, &value)) {
        out_str(o, before);
        if (is_section && str_eq(name, S("aria-labelledby")))
            put_page_title(o, l, page);
        put_value(o, l, page, name, value);
    }
    out_str(o, tag);
}

void links_rewrite(struct single_links *l, int page, struct str html, struct out *o)
{
    struct str text, tag;
    bool is_text = false; /* inside what was a link */
    while (next_tag(&html, &text, &tag)) {
        out_str(o, text);
        struct str href = str_starts(tag, S("<a ")) ? attribute(tag, S("href")) : S("");
        if (href.n && resolve(l, page, href).n == 0) {
            out_lit(o, "<span class=\"left-out\">");
            if (!str_starts(href, S("../"))) /* no file of the report */
                leave_out(l, href);
            is_text = true;
        } else if (is_text && str_eq(tag, S("</a>"))) {
            out_lit(o, "</span>");
            is_text = false;
        } else {
            put_tag(o, l, page, tag);
        }
    }
    out_str(o, text);
}
