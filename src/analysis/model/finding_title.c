#include "analysis/model/finding_title.h"

#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "base/out.h"
#include "base/utf8.h"

#include <string.h>

enum { NAME_MOST = 40 };

static struct str shortened(struct arena *a, struct str s, ptrdiff_t most)
{
    return s.n <= most ? s : say(a, "{}...", said(utf8_head(s, most - 3)));
}

/* "backward" of "## backward ##": what some draw around the names of their annotations.
 */
static struct str without_rule(struct str s)
{
    struct str in = s;
    while (in.n > 2 && in.p[0] == in.p[in.n - 1] && strchr("#*=-~ ", in.p[0]))
        in = str_head(str_skip(in, 1), in.n - 2);
    return in.n && !strchr("#*=-~ ", in.p[0]) ? in : s;
}

static struct str without_wrapping(struct str s)
{
    static const struct str heads[] = {S_INIT("<built-in method "),
                                       S_INIT("<built-in function ")};
    for (int k = 0; k < 2; k++)
        if (str_starts(s, heads[k])) {
            ptrdiff_t end = str_find(s = str_skip(s, heads[k].n), S(" of "));
            return str_head(s, end > 0 ? end : s.n - str_ends(s, S(">")));
        }
    if (str_starts(s, S("AscendCL@"))) /* the library that a call is of */
        return str_skip(s, str_find(s, S("@")) + 1);
    if (str_starts(s, S("Optimizer.")))
        return str_skip(s, str_find(s, S("#")) + 1);
    if (!str_starts(s, S("aten::")))
        return without_rule(s);
    struct str core = name_core(s), fused = S("fused_"); /* says what it is */
    ptrdiff_t at = core.p - s.p - fused.n;
    return at >= 0 && str_starts(str_skip(s, at), fused) ? str_skip(s, at) : core;
}

struct str title_name(struct arena *a, struct str name)
{
    return shortened(a, without_wrapping(name), NAME_MOST);
}

/* Where the next name in backticks is; both -1: there is none. */
static ptrdiff_t next_name(struct str s, ptrdiff_t *end)
{
    ptrdiff_t at = str_find(s, S("`"));
    *end = at < 0 ? -1 : str_find(str_skip(s, at + 1), S("`"));
    return *end < 0 ? -1 : at;
}

ptrdiff_t title_action_end(struct str text)
{
    bool in_name = false;
    int depth =
        0; /* of parentheses: a place in the program is in one, "(step, a.py:9)" */
    for (ptrdiff_t i = 0; i + 1 < text.n; i++) {
        in_name ^= text.p[i] == '`';
        depth += (text.p[i] == '(') - (text.p[i] == ')');
        if (!in_name && depth <= 0 && (text.p[i] == ':' || text.p[i] == ',') &&
            text.p[i + 1] == ' ')
            return i;
    }
    return text.n;
}

static struct str plain(struct arena *a, struct finding *f, struct str text)
{
    struct out o;
    ptrdiff_t at, n;
    out_memory(&o);
    f->title_at = f->title_op = 0;
    while ((at = next_name(text, &n)) >= 0) {
        struct str name = title_name(a, str_head(str_skip(text, at + 1), n));
        out_str(&o, str_head(text, at));
        if (!f->title_op) {
            f->title_at = o.n;
            f->title_op = name.n;
        }
        out_str(&o, name);
        text = str_skip(text, at + n + 2);
    }
    out_str(&o, text);
    return out_text(&o, a);
}

void finding_title(struct arena *a, struct finding *f, struct str text,
                   struct str module)
{
    struct str title = plain(a, f, text);
    ptrdiff_t at = title_action_end(text);
    bool reasoned = at < text.n && text.p[at] == ':';
    struct str action = reasoned ? str_head(text, at) : text;
    bool placed = module.n == 0 || str_has(title, S(" in ")) ||
                  str_has(title, module) ||
                  title.n + module.n + (ptrdiff_t)sizeof " in " > TITLE_MOST;
    if (!placed)
        title = plain(a, f,
                      say(a, "{} in {}{}", said(action), said(module),
                          said(str_skip(text, action.n))));
    if (title.n > TITLE_MOST && at < text.n) /* what to do outranks why, or how else */
        title = plain(a, f, str_head(text, at));
    f->title = shortened(a, title, TITLE_MOST);
    if (f->title_at + f->title_op > f->title.n)
        f->title_at = f->title_op = 0;
}

bool title_asks_to_measure(struct str title)
{
    static const struct str begins[] = {
        S_INIT("Compare "), S_INIT("Find out "), S_INIT("Find the rank "),
        S_INIT("Find what "), S_INIT("Log "), S_INIT("Look for "),
        S_INIT("Look outside "), S_INIT("Measure "), S_INIT("Profile ")};
    for (size_t k = 0; k < sizeof begins / sizeof *begins; k++)
        if (str_starts(title, begins[k]))
            return !str_starts(title, S("Log metrics "));
    return false;
}

struct str title_within(struct arena *a, const struct finding *f)
{
    struct str s = f->title;
    bool begins = s.n > 1 && s.p[0] >= 'A' && s.p[0] <= 'Z' && s.p[1] >= 'a' &&
                  s.p[1] <= 'z' && !(f->title_op && f->title_at == 0);
    char first = (char)(begins ? s.p[0] - 'A' + 'a' : 0);
    return begins ? str_printf(a, "%c%.*s", first, STRF(str_skip(s, 1))) : s;
}
