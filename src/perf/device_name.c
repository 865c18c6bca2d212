#include "perf/device_name.h"

#include <stdlib.h>
#include <string.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return (lower(c) >= 'a' && lower(c) <= 'z') || is_digit(c);
}

/* What vendors put around the name of a device. */
static bool says_nothing(struct str word)
{
    return str_among(word,
                     "nvidia amd intel corporation tesla geforce quadro instinct "
                     "radeon graphics r tm data center gpu generation vf jetson "
                     "agx blackwell edition custom device hbm2 hbm2e hbm3 hbm3e gddr6");
}

/* What makes another device of the one named beside it. */
static bool tells_apart(struct str word)
{
    return str_among(word,
                     "ti super laptop mobile max q maxq ada d xt gre nano nx mini");
}

static char form_of(struct str word)
{
    if (str_starts(word, S("sxm")) && word.n <= 4)
        return 's';
    if (str_eq(word, S("pcie")))
        return 'p';
    if (str_eq(word, S("nvl")))
        return 'n';
    if (str_eq(word, S("workstation")))
        return 's'; /* of the two forms, the one that the plain name means */
    return str_eq(word, S("server")) ? 'e' : 0;
}

/* 80 of "80gb" and of "144g"; else 0. */
static double size_of(struct str word)
{
    ptrdiff_t digits = 0;
    double gb = 0;
    while (digits < word.n && digits < 4 && is_digit(word.p[digits]))
        gb = 10 * gb + (word.p[digits++] - '0');
    struct str unit = str_skip(word, digits);
    return str_eq(unit, S("gb")) || str_eq(unit, S("g")) ? gb : 0;
}

int device_words_bytes(const struct device_words *w)
{
    return w->n ? w->word[w->n - 1].at + w->word[w->n - 1].n : 0;
}

/* Sorts one word in: a hint, nothing, or part of the name. */
static void take(struct device_words *w, struct str name, int at, int n)
{
    struct str word = {w->text + at, n};
    char form = form_of(word);
    double gb = size_of(word);
    if (form)
        w->form = form;
    else if (gb > 0)
        w->memory_gb = gb;
    else if (str_starts(word, S("gfx")))
        w->arch = name;
    else if (!says_nothing(word) && w->n < DEVICE_WORDS) {
        int end = device_words_bytes(w);
        memmove(w->text + end, w->text + at, (size_t)n);
        w->word[w->n].at = end;
        w->word[w->n++].n = n;
    }
}

void device_words_of(struct str name, struct device_words *w)
{
    ptrdiff_t cut = str_find(name, S("@"));
    name = str_head(name, cut > 0 ? cut : name.n);
    name = str_head(name, DEVICE_NAME_BYTES);
    *w = (struct device_words){0};
    for (ptrdiff_t i = 0; i < name.n; i++)
        w->text[i] = lower(name.p[i]);
    for (int i = 0; i < (int)name.n;) {
        int from = i;
        while (i < (int)name.n && is_word(name.p[i]))
            i++;
        if (i > from)
            take(w, (struct str){name.p + from, i - from}, from, i - from);
        else
            i++;
    }
}

static struct str word_at(const struct device_words *w, int k)
{
    return (struct str){w->text + w->word[k].at, w->word[k].n};
}

static struct str all_words(const struct device_words *w)
{
    return (struct str){w->text, device_words_bytes(w)};
}

/* How many words from `k` on read like the device; 0: they do not. */
static int words_like(const struct device_words *name, int k, struct str device)
{
    int from = name->word[k].at;
    for (int end = k; end < name->n; end++) {
        struct str run = {name->text + from,
                          name->word[end].at + name->word[end].n - from};
        if (str_eq(run, device))
            return end + 1 - k;
    }
    return 0;
}

static bool is_told_apart(const struct device_words *name, int from, int n)
{
    for (int k = 0; k < name->n; k++)
        if ((k < from || k >= from + n) && tells_apart(word_at(name, k)))
            return true;
    return false;
}

bool device_words_match(const struct device_words *device,
                        const struct device_words *name)
{
    struct str all = all_words(device);
    for (int k = 0; all.n > 0 && k < name->n; k++) {
        int n = words_like(name, k, all);
        if (n > 0 && !is_told_apart(name, k, n))
            return true;
    }
    return false;
}

bool device_words_near(const struct device_words *device,
                       const struct device_words *name)
{
    struct str one = all_words(device), all = all_words(name), rest;
    for (int k = 0; k < name->n; k++)
        if (str_among(word_at(name, k), "laptop mobile max maxq mini"))
            return false;
    rest = str_starts(all, one) ? str_skip(all, one.n) : S("0");
    return one.n > 0 && !(rest.n > 0 && is_digit(rest.p[0]));
}
