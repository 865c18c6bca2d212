#include "render/text/sentence.h"

#include "base/arena.h"
#include "render/text/html_text.h"

void sentence_html(struct out *o, struct str text)
{
    while (text.n > 0) {
        ptrdiff_t open = str_find(text, S("`"));
        struct str rest = open < 0 ? S("") : str_skip(text, open + 1);
        ptrdiff_t close = str_find(rest, S("`"));
        if (open < 0 || close <= 0) { /* none, or not closed */
            html_text(o, text);
            return;
        }
        html_text(o, str_head(text, open));
        html_name(o, str_head(rest, close));
        text = str_skip(rest, close + 1);
    }
}

struct str sentence_plain(struct arena *a, struct str text)
{
    char *p = arena_take_raw(a, 1, 1, text.n);
    ptrdiff_t n = 0;
    for (ptrdiff_t i = 0; i < text.n; i++)
        if (text.p[i] != '`')
            p[n++] = text.p[i];
    return (struct str){p, n};
}
