#include "render/page/kernel_names.h"

#include "base/arena.h"
#include "render/text/html_text.h"

#include <stdlib.h>

enum { WORDS_SHOWN = 3, WORD_BYTES_MAX = 24, FULL_BYTES_MAX = 4096 };

struct named { /* a kernel's name in full and what it is called so far */
    struct str full, shown;
    int kernel;
};

struct word {
    struct str text;
    union {
        int of;    /* of the names of a group, until each text is there once: */
        int times; /* in how many of them it is */
    };
};

static int by_shown(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = str_cmp(x->shown, y->shown);
    order = order ? order : str_cmp(x->full, y->full);
    return order ? order : x->kernel - y->kernel;
}

static int by_text(const void *a, const void *b)
{
    const struct word *x = a, *y = b;
    int order = str_cmp(x->text, y->text);
    return order ? order : x->of - y->of;
}

/* The next word of a name, and *rest is left behind it; empty at its end. Parts of a
 * library's name for its own variants stand between underscores. */
static struct str next_word(struct str *rest, bool parts)
{
    ptrdiff_t from = 0, n = 0;
    while (from < rest->n && !(rest->p[from] & 0x80) &&
           !str_has(S("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
                    (struct str){rest->p + from, 1}))
        from++;
    *rest = str_skip(*rest, from);
    while (n < rest->n) {
        char c = rest->p[n];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      (c >= '0' && c <= '9') || (c == '_' && !parts) || (c & 0x80);
        if (!letter)
            break;
        n++;
    }
    struct str word = str_head(*rest, n);
    *rest = str_skip(*rest, n);
    return word;
}

static bool has_parts(struct str full)
{
    return str_starts(full, S("Cijk_"));
}

/* All words of a group of names, sorted, each once. */
static int collect_words(struct arena *a, const struct named *list, int n,
                         struct word **words)
{
    ptrdiff_t room = 0;
    for (int k = 0; k < n; k++)
        room += list[k].full.n / 2 + 1;
    *words = arena_new(a, struct word, room);
    int found = 0, kept = 0;
    for (int k = 0; k < n; k++) {
        struct str rest = str_head(list[k].full, FULL_BYTES_MAX), w;
        while ((w = next_word(&rest, has_parts(list[k].full))).n)
            (*words)[found++] = (struct word){w, {.of = k}};
    }
    qsort(*words, (size_t)found, sizeof **words, by_text);
    int before = -1;
    for (int k = 0; k < found; k++) {
        struct word w = (*words)[k];
        if (kept && str_eq((*words)[kept - 1].text, w.text))
            (*words)[kept - 1].times += w.of != before;
        else
            (*words)[kept++] = (struct word){w.text, {.times = 1}};
        before = w.of;
    }
    return kept;
}

/* In how many names of the group the word occurs. */
static int times_of(const struct word *words, int n, struct str text)
{
    int low = 0, high = n;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (str_cmp(words[mid].text, text) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low < n && str_eq(words[low].text, text) ? words[low].times : 0;
}

/* The first words of a name that others of its group lack. */
static struct str words_apart(struct arena *a, struct str full,
                              const struct word *words, int n_words, int n_names)
{
    struct str rest = str_head(full, FULL_BYTES_MAX), w, said[WORDS_SHOWN];
    int n = 0;
    while (n < WORDS_SHOWN && (w = next_word(&rest, has_parts(full))).n) {
        bool known = w.n > WORD_BYTES_MAX || times_of(words, n_words, w) == n_names;
        for (int k = 0; k < n; k++)
            known |= str_eq(said[k], w);
        if (!known)
            said[n++] = w;
    }
    struct str text = S("");
    for (int k = 0; k < n; k++)
        text = str_printf(a, "%.*s%s%.*s", STRF(text), k ? " " : "", STRF(said[k]));
    return text;
}

struct run { /* of equal names in full */
    int first_kernel, from, n;
};

static int by_first(const void *a, const void *b)
{
    const struct run *x = a, *y = b;
    return x->first_kernel - y->first_kernel;
}

/* Names that are still the same are numbered, in the order of their first kernel. */
static void number(struct arena *perm, struct arena tmp, struct named *list, int n)
{
    struct run *runs = arena_new(&tmp, struct run, n);
    int n_runs = 0;
    for (int k = 0; k < n; k++)
        if (k && str_eq(list[k - 1].full, list[k].full))
            runs[n_runs - 1].n++;
        else
            runs[n_runs++] = (struct run){list[k].kernel, k, 1};
    qsort(runs, (size_t)n_runs, sizeof *runs, by_first);
    for (int i = 1; i < n_runs; i++) {
        struct str shown = list[runs[i].from].shown;
        shown = str_printf(perm, "%.*s #%d", STRF(shown), i + 1);
        for (int k = 0; k < runs[i].n; k++)
            list[runs[i].from + k].shown = shown;
    }
}

static int distinct(const struct named *list, int n)
{
    int found = n > 0;
    for (int k = 1; k < n; k++)
        found += !str_eq(list[k - 1].full, list[k].full);
    return found;
}

static int run_length(const struct named *list, int n)
{
    int k = 1;
    while (k < n && str_eq(list[k].shown, list[0].shown))
        k++;
    return k;
}

/* What differs in the names of a group follows what they share. */
static void add_words(struct arena *perm, struct arena tmp, struct named *list, int n)
{
    if (str_starts(list[0].full, S("_Z"))) /* no words, but lengths and letters */
        return;
    struct word *words;
    int n_words = collect_words(&tmp, list, n, &words);
    for (int k = 0; k < n; k++) {
        struct str apart = words_apart(&tmp, list[k].full, words, n_words, n);
        if (apart.n)
            list[k].shown =
                str_printf(perm, "%.*s %.*s", STRF(list[k].shown), STRF(apart));
    }
}

static void tell_apart(struct arena *perm, struct arena tmp, struct named *list, int n)
{
    if (distinct(list, n) < 2)
        return;
    add_words(perm, tmp, list, n);
    qsort(list, (size_t)n, sizeof *list, by_shown);
    for (int from = 0, len; from < n; from += len) {
        len = run_length(list + from, n - from);
        if (distinct(list + from, len) > 1)
            number(perm, tmp, list + from, len);
    }
}

const struct str *kernel_names(struct arena *perm, struct arena tmp,
                               const struct report *r)
{
    struct str *names = arena_new(perm, struct str, r->n_kernels);
    struct named *list = arena_new(&tmp, struct named, r->n_kernels);
    for (int i = 0; i < r->n_kernels; i++)
        list[i] =
            (struct named){name_repaired(&tmp, r->kernels[i].name),
                           name_short(perm, r->kernels[i].name, KERNEL_NAME_CHARS), i};
    qsort(list, (size_t)r->n_kernels, sizeof *list, by_shown);
    for (int from = 0, len; from < r->n_kernels; from += len) {
        len = run_length(list + from, r->n_kernels - from);
        tell_apart(perm, tmp, list + from, len);
    }
    for (int i = 0; i < r->n_kernels; i++)
        names[list[i].kernel] = list[i].shown;
    return names;
}
