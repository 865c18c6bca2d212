#include "render/text/markdown_filters.h"

#include "analysis/model/number_text.h"
#include "base/arena.h"
#include "render/text/bundle.h"
#include "render/text/filter_parts.h"
#include "render/text/markdown_text.h"
#include "render/text/template_filters.h"

#include <stdio.h>
#include <string.h>

SIMPLE_FILTER(cell, md_prose(o, tmp, text_of(v), MD_CELL))
SIMPLE_FILTER(name, md_name(o, tmp, text_of(v), MD_LINE))
SIMPLE_FILTER(name_cell, md_name(o, tmp, text_of(v), MD_CELL))
SIMPLE_FILTER(short, md_name_short(o, tmp, text_of(v), MD_LINE))
SIMPLE_FILTER(kernel, md_kernel(o, tmp, text_of(v), MD_LINE))
SIMPLE_FILTER(kernel_cell, md_kernel(o, tmp, text_of(v), MD_CELL))
SIMPLE_FILTER(code_cell, md_code(o, tmp, text_of(v), MD_CELL))
SIMPLE_FILTER(block, md_block(o, tmp, text_of(v)))

FILTER(id)
{
    (void)tmp, (void)n;
    for (struct str s = text_of(v); s.n > 0; s = str_skip(s, 1))
        if (strchr("./~", s.p[0]))
            out_char(o, s.p[0]);
        else
            md_anchor(o, str_head(s, 1));
    return true;
}

FILTER(args_cell)
{
    struct str args = text_of(v);
    (void)n;
    if (args.n == 0)
        out_lit(o, "—");
    for (int first = 1; args.n > 0; first = 0) {
        ptrdiff_t cut = str_find(args, S("<br>")), skip = 4;
        if (cut < 0 && (cut = str_find(args, S(", ("))) >= 0)
            skip = 2;
        out_c(o, first ? "" : "<br>");
        md_name(o, tmp, cut < 0 ? args : str_head(args, cut), MD_CELL);
        args = cut < 0 ? S("") : str_skip(args, cut + skip);
    }
    return true;
}

#define NUMBER_FILTER(name, statement)                                                 \
    FILTER(name)                                                                       \
    {                                                                                  \
        double x = number_of(v);                                                       \
        (void)tmp, (void)n;                                                            \
        statement;                                                                     \
        return true;                                                                   \
    }

static void real(struct out *o, double x)
{
    char text[32];
    struct str s = {text, real_text(text, x)};
    out_str(o, str_ends(s, S(".0")) ? str_head(s, s.n - 2) : s);
}

static void length(struct out *o, double us)
{
    if (us >= 1000)
        md_ms(o, us / 1e3);
    else
        md_real(o, us, 1);
    out_c(o, us >= 1000 ? " ms" : " µs");
}

static void bytes(struct out *o, double bytes)
{
    double mib = bytes / (1 << 20), kib = bytes / (1 << 10);
    md_real(o, mib >= 1 ? mib : kib >= 1 ? kib : bytes, kib >= 1 ? 2 : 0);
    if (isfinite(bytes))
        out_c(o, mib >= 1 ? " MiB" : kib >= 1 ? " KiB" : " B");
}

static void mark(struct out *o, double x)
{
    if (isfinite(x))
        out_fixed(o, x, 2);
    else
        out_lit(o, "null");
}

NUMBER_FILTER(ms, md_ms(o, x))
NUMBER_FILTER(pct, md_pct(o, x))
NUMBER_FILTER(real, real(o, x))
NUMBER_FILTER(length, length(o, x))
NUMBER_FILTER(bytes, bytes(o, x))
NUMBER_FILTER(mark, mark(o, x))
NUMBER_FILTER(factor, md_real(o, x, x >= 100 ? 0 : x >= 10 ? 1 : 2))
NUMBER_FILTER(megabytes, md_real(o, x, x >= 10 ? 0 : 2))
NUMBER_FILTER(ies, out_c(o, x == 1 ? "y" : "ies"))
NUMBER_FILTER(are, out_c(o, x == 1 ? "is" : "are"))
SIMPLE_FILTER(yes_no, out_c(o, cJSON_IsTrue(v) ? "yes" : "no"))

static double member(const cJSON *range, const char *key)
{
    return number_of(cJSON_GetObjectItemCaseSensitive(range, key));
}

typedef struct str range_text(struct arena *a, double low, double high);

static void tilde_pct(struct out *o, struct arena tmp, double pct, range_text *text)
{
    if (pct < 0.05)
        out_lit(o, "< 0.1%");
    else
        out_printf(o, "~%.*s%%", STRF(text(&tmp, pct, pct)));
}

/* "~3.1% to ~5.2%", or one of them if both read alike. */
static void share(struct out *o, struct arena tmp, const cJSON *range, range_text *text)
{
    double low = member(range, "low_pct"), high = member(range, "high_pct");
    tilde_pct(o, tmp, low, text);
    if (high < 0.05 || str_eq(text(&tmp, low, low), text(&tmp, high, high)))
        return;
    out_lit(o, " to ");
    tilde_pct(o, tmp, high, text);
}

FILTER(share_range)
{
    (void)n;
    share(o, tmp, v, number_range_pct);
    return true;
}

FILTER(share_span)
{
    (void)n;
    share(o, tmp, v, number_span_pct);
    return true;
}

FILTER(range_ms)
{
    (void)n;
    out_str(o, number_range_ms(&tmp, member(v, "low_ms"), member(v, "high_ms")));
    return true;
}

static const struct template_filter markdown_filters[] = {FILTER_ROW(cell),
                                                          FILTER_ROW(name),
                                                          FILTER_ROW(name_cell),
                                                          FILTER_ROW(short),
                                                          FILTER_ROW(kernel),
                                                          FILTER_ROW(kernel_cell),
                                                          FILTER_ROW(code_cell),
                                                          FILTER_ROW(block),
                                                          FILTER_ROW(id),
                                                          FILTER_ROW(args_cell),
                                                          FILTER_ROW(ms),
                                                          FILTER_ROW(pct),
                                                          FILTER_ROW(real),
                                                          FILTER_ROW(length),
                                                          FILTER_ROW(bytes),
                                                          FILTER_ROW(mark),
                                                          FILTER_ROW(factor),
                                                          FILTER_ROW(megabytes),
                                                          FILTER_ROW(ies),
                                                          FILTER_ROW(are),
                                                          FILTER_ROW(yes_no),
                                                          FILTER_ROW(share_range),
                                                          FILTER_ROW(share_span),
                                                          FILTER_ROW(range_ms),
                                                          {NULL, NULL}};

static bool escape(struct out *o, struct arena tmp, struct str text)
{
    md_prose(o, tmp, text, MD_LINE);
    return true;
}

static struct str find(void *self, struct str name)
{
    (void)self;
    char path[120];
    int n = snprintf(path, sizeof path, "templates/md/%.*s.md", STRF(name));
    if (n >= (int)sizeof path)
        return (struct str){NULL, 0};
    struct str text = bundle_file((struct str){path, n});
    bool line = str_starts(name, S("line/")) && str_ends(text, S("\n"));
    return line ? str_head(text, text.n - 1) : text;
}

struct template_set markdown_templates(struct arena *perm)
{
    return (struct template_set){.perm = perm,
                                 .find = find,
                                 .escape = escape,
                                 .filters = {markdown_filters, number_filters}};
}
