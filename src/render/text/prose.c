#include "render/text/prose.h"

#include "base/arena.h"
#include "render/text/html_text.h"

#include <cmark.h>
#include <stdlib.h>

enum { HEADING_LEVELS = 6 };

static bool is_kept_url(const char *url)
{
    struct str s = str_of(url);
    return str_starts(s, S("https://")) || str_starts(s, S("http://")) ||
           str_starts(s, S("#")) ||
           (!str_has(s, S(":")) && !str_has(s, S("..")) && !str_starts(s, S("/")) &&
            !str_starts(s, S("\\")));
}

/* What cmark's safe mode leaves to us: pages fetch no pictures, links lead only to the
 * web and into the report, and invisible characters are shown as elsewhere. */
static void tame(cmark_node *node, int deeper)
{
    switch (cmark_node_get_type(node)) {
    case CMARK_NODE_HEADING: {
        int level = cmark_node_get_heading_level(node) + deeper;
        cmark_node_set_heading_level(node,
                                     level < HEADING_LEVELS ? level : HEADING_LEVELS);
        break;
    }
    case CMARK_NODE_LINK:
        if (!is_kept_url(cmark_node_get_url(node)))
            cmark_node_set_url(node, "");
        break;
    case CMARK_NODE_TEXT:
    case CMARK_NODE_CODE: {
        struct out clean;
        out_memory(&clean);
        text_repair(&clean, str_of(cmark_node_get_literal(node)));
        out_char(&clean, '\0');
        cmark_node_set_literal(node, out_view(&clean).p);
        out_free(&clean);
        break;
    }
    default:
        break;
    }
}

/* A picture becomes its text: nothing is fetched, ever. */
static void unwrap_image(cmark_node *image)
{
    cmark_node *child;
    while ((child = cmark_node_first_child(image)) != NULL)
        if (!cmark_node_insert_before(image, child))
            break;
    cmark_node_free(image);
}

void prose_html(struct out *o, struct str markdown, int deeper)
{
    int options = CMARK_OPT_VALIDATE_UTF8;
    cmark_node *doc =
        cmark_parse_document(markdown.p ? markdown.p : "", (size_t)markdown.n, options);
    if (!doc)
        arena_full();
    cmark_iter *it = cmark_iter_new(doc);
    cmark_event_type event;
    while ((event = cmark_iter_next(it)) != CMARK_EVENT_DONE) {
        cmark_node *node = cmark_iter_get_node(it);
        if (event == CMARK_EVENT_ENTER)
            tame(node, deeper);
        else if (cmark_node_get_type(node) == CMARK_NODE_IMAGE)
            unwrap_image(node);
    }
    cmark_iter_free(it);
    char *html = cmark_render_html(doc, options);
    if (!html)
        arena_full();
    out_c(o, html);
    free(html);
    cmark_node_free(doc);
}
