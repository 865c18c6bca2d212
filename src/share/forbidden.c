#include "share/forbidden.h"

#include "base/file_head.h"

#include <string.h>

enum { LIST_BYTES_MAX = 1 << 20 };

enum kind { KIND_OTHER, KIND_DIGIT, KIND_SMALL, KIND_LARGE };

static enum kind kind_of(char c)
{
    return c >= 'a' && c <= 'z'   ? KIND_SMALL
           : c >= 'A' && c <= 'Z' ? KIND_LARGE
           : c >= '0' && c <= '9' ? KIND_DIGIT
                                  : KIND_OTHER; /* no letters of other scripts: some are
                                                 * written without spaces */
}

static struct str lowered(struct arena *a, struct str s)
{
    char *p = arena_take_raw(a, 1, 1, s.n + 1);
    for (ptrdiff_t i = 0; i < s.n; i++)
        p[i] = (char)(kind_of(s.p[i]) == KIND_LARGE ? s.p[i] | 0x20 : s.p[i]);
    return (struct str){p, s.n};
}

static struct forbidden_word word_of(struct arena *perm, struct str text)
{
    bool open = str_starts(text, S("*"));
    struct str bare = open ? str_skip(text, 1) : text;
    bool goes_on = str_ends(bare, S("*"));
    bare.n -= goes_on;
    return (struct forbidden_word){text, lowered(perm, bare),
                                   !open && bare.n && kind_of(bare.p[0]),
                                   !goes_on && bare.n && kind_of(bare.p[bare.n - 1])};
}

bool forbidden_parse(struct arena *perm, struct str text, const char *path,
                     struct forbidden *f, struct err *e)
{
    *f = (struct forbidden){0};
    while (text.n) {
        struct str line = str_trim(str_take(&text, S("\n")));
        if (!line.n || *line.p == '#')
            continue;
        struct forbidden_word w = word_of(perm, line);
        if (w.low.n < 3)
            return err_set(e, ERR_INPUT, path, -1,
                           "'%.*s' is too short a word: it would be found by chance",
                           STRF(line));
        if (w.low.n > FORBIDDEN_BYTES_MAX)
            return err_set(e, ERR_INPUT, path, -1, "a word of it is too long");
        arena_grow(perm, f->words, f->n);
        f->words[f->n++] = w;
    }
    return f->n ? true : err_set(e, ERR_INPUT, path, -1, "names no word");
}

bool forbidden_read(struct arena *perm, const char *path, struct forbidden *f,
                    struct err *e)
{
    struct str text;
    return file_head(perm, path, LIST_BYTES_MAX, &text, e) &&
           forbidden_parse(perm, text, path, f, e);
}

struct text_part text_part_of(struct arena *a, struct str text, bool first, bool last)
{
    return (struct text_part){text, lowered(a, text), first, last};
}

/* Whether a word of a name ends in front of `at`, which is inside the text. */
static bool is_edge(struct str s, ptrdiff_t at)
{
    enum kind before = kind_of(s.p[at - 1]), here = kind_of(s.p[at]);
    if (before == KIND_LARGE && here == KIND_LARGE) /* MLP|Model */
        return at + 1 < s.n && kind_of(s.p[at + 1]) == KIND_SMALL;
    return before != here && !(before == KIND_LARGE && here == KIND_SMALL);
}

static bool fits(const struct forbidden_word *w, const struct text_part *t,
                 ptrdiff_t at)
{
    ptrdiff_t end = at + w->low.n;
    if ((at == 0 && !t->first) || (end == t->text.n && !t->last))
        return false; /* another part holds it too, with what is around it */
    return (!w->begins || at == 0 || is_edge(t->text, at)) &&
           (!w->ends || end == t->text.n || is_edge(t->text, end));
}

ptrdiff_t forbidden_find(const struct forbidden_word *w, const struct text_part *t,
                         ptrdiff_t from)
{
    while (from + w->low.n <= t->low.n) {
        const char *p = memmem(t->low.p + from, (size_t)(t->low.n - from), w->low.p,
                               (size_t)w->low.n);
        if (!p)
            break;
        if (fits(w, t, p - t->low.p))
            return p - t->low.p;
        from = p - t->low.p + 1;
    }
    return -1;
}
