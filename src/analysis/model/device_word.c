#include "analysis/model/device_word.h"

#include "base/arena.h"

#include <ctype.h>

enum { WORD_BYTES = 3 };

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the word is there, or its plural. */
static bool is_at(struct str text, ptrdiff_t i, struct str word)
{
    struct str rest = str_skip(text, i);
    if (!str_starts(rest, word) || (i > 0 && is_word(text.p[i - 1])))
        return false;
    rest = str_skip(rest, word.n);
    return !rest.n || !is_word(rest.p[0]) ||
           (rest.p[0] == 's' && (rest.n == 1 || !is_word(rest.p[1])));
}

struct str device_word_put(struct arena *perm, struct str text, struct str vendor,
                           ptrdiff_t at, ptrdiff_t n)
{
    ptrdiff_t space = vendor.n - WORD_BYTES - 1;
    if (space < 0 || vendor.p[space] != ' ' ||
        !str_among(str_skip(vendor, space + 1), "NPU XPU HPU TPU") ||
        (str_find(text, S("GPU")) < 0 && str_find(text, S("NCCL")) < 0))
        return text;
    const char *word = vendor.p + space + 1, *library = word[0] == 'X' ? "X" : "H";
    char *to = arena_copy(perm, text.p, text.n);
    bool in_code = false;
    for (ptrdiff_t i = 0; i < text.n; i++) {
        in_code ^= text.p[i] == '`';
        bool ours = !in_code && (i < at || i >= at + n);
        if (ours && is_at(text, i, S("GPU")))
            memcpy(to + i, word, WORD_BYTES);
        else if (ours && is_at(text, i, S("NCCL")))
            to[i] = *library;
    }
    return (struct str){to, text.n};
}
