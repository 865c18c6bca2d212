#include "base/unknown.h"

#include <stdio.h>
#include <string.h>

enum { LETTERS = 40, CHANGES = 2, LISTED = 20 };

static int least_of(int a, int b, int c)
{
    int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* Letters changed, added, left out or swapped with the next one, to make b of a. */
static int distance(struct str a, struct str b)
{
    int d[LETTERS + 1][LETTERS + 1];
    if (a.n > LETTERS || b.n > LETTERS)
        return LETTERS;
    for (int i = 0; i <= a.n; i++)
        for (int j = 0; j <= b.n; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            char p = lower(a.p[i - 1]), q = lower(b.p[j - 1]);
            int changed = d[i - 1][j - 1] + (p != q);
            d[i][j] = least_of(d[i - 1][j] + 1, d[i][j - 1] + 1, changed);
            if (i > 1 && j > 1 && p == lower(b.p[j - 2]) && q == lower(a.p[i - 2]))
                d[i][j] = least_of(d[i][j], d[i - 2][j - 2] + 1, d[i][j]);
        }
    return d[a.n][b.n];
}

/* Of an option, those behind its dashes, which all have. */
static ptrdiff_t letters_of(struct str word)
{
    return word.n - (str_starts(word, S("--")) ? 2 : 0);
}

struct str nearest_word(struct str typed, const struct str *words, int n)
{
    struct str nearest = S(""), begun = S("");
    int best = CHANGES + 1, n_begun = 0; /* begun: or ended, as "nsys" of "from-nsys" */
    for (int i = 0; i < n; i++) {
        int d = distance(typed, words[i]);
        if (d < best && 2 * d < letters_of(words[i])) {
            best = d;
            nearest = words[i];
        }
        bool ends = typed.n > 2 && typed.n < words[i].n &&
                    str_eq_nocase(typed, str_skip(words[i], words[i].n - typed.n));
        if (ends || (typed.n && str_eq_nocase(typed, str_head(words[i], typed.n)))) {
            begun = words[i];
            n_begun++;
        }
    }
    return nearest.n || n_begun != 1 ? nearest : begun;
}

bool err_unknown(struct err *e, const char *kind, struct str typed,
                 const struct str *words, int n, const char *more)
{
    struct str meant = nearest_word(typed, words, n);
    char hint[2 * LETTERS] = "", list[sizeof e->what] = "";
    if (meant.n)
        snprintf(hint, sizeof hint, " (did you mean %.*s?)", STRF(meant));
    for (int i = 0; i < n && n <= LISTED; i++) {
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%.*s", at ? ", " : "", STRF(words[i]));
    }
    bool option = kind[0] == '-'; /* whose values have no name of their own */
    const char *lead = !list[0] ? "" : option ? "; expected one of " : "; the ";
    return err_set(e, ERR_USAGE, NULL, -1, "unknown %s '%.*s'%s%s%s%s%s%s%s", kind,
                   (int)(typed.n < 60 ? typed.n : 60), typed.p, hint, lead,
                   list[0] && !option ? kind : "", list[0] && !option ? "s are " : "",
                   list, more[0] ? "; " : "", more);
}
