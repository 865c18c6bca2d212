#include "ci/waivers.h"

#include "base/file_head.h"

enum { WAIVER_BYTES_MAX = 1 << 16 };

static int digits(struct str s, ptrdiff_t from, ptrdiff_t n)
{
    int v = 0;
    for (ptrdiff_t i = from; i < from + n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return -1;
        v = 10 * v + s.p[i] - '0';
    }
    return v;
}

bool date_is_good(struct str date)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (date.n != 10 || date.p[4] != '-' || date.p[7] != '-')
        return false;
    int year = digits(date, 0, 4), month = digits(date, 5, 2), day = digits(date, 8, 2);
    if (year < 1970 || month < 1 || month > 12 || day < 1)
        return false;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return day <= days[month - 1] + (month == 2 && leap);
}

/* The next word of a line, and what follows it. */
static struct str word(struct str *rest)
{
    ptrdiff_t n = 0;
    *rest = str_trim(*rest);
    while (n < rest->n && rest->p[n] != ' ' && rest->p[n] != '\t')
        n++;
    struct str w = str_head(*rest, n);
    *rest = str_trim(str_skip(*rest, n));
    return w;
}

bool waivers_read(struct arena *perm, const char *path, struct str today,
                  struct waivers *w, struct err *e)
{
    struct str text;
    *w = (struct waivers){.today = today};
    if (!file_head(perm, path, WAIVER_BYTES_MAX, &text, e))
        return false;
    if (text.n == WAIVER_BYTES_MAX)
        return err_set(e, ERR_INPUT, path, -1,
                       "no list of waivers: it has 64 KiB or more");
    for (int line = 1; text.n; line++) {
        struct str rest = str_trim(str_take(&text, S("\n")));
        if (!rest.n || *rest.p == '#')
            continue;
        struct waiver x = {.line = line};
        x.id = word(&rest);
        x.until = word(&rest);
        x.why = rest;
        if (!date_is_good(x.until) || !x.why.n)
            return err_set(e, ERR_INPUT, path, -1,
                           "line %d: expected a finding, the last day of its waiver "
                           "as 2026-12-31, and why",
                           line);
        arena_grow(perm, w->at, w->n);
        w->at[w->n++] = x;
    }
    return true;
}

bool waiver_is_over(const struct waivers *w, const struct waiver *of)
{
    return str_cmp(of->until, w->today) < 0;
}
