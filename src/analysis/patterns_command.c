#include "analysis/patterns_command.h"

#include "analysis/pattern_host.h"
#include "base/out.h"

enum { GAP = 2 };

struct widths {
    int id, category, file;
};

static void widen(int *width, struct str s)
{
    if (s.n > *width)
        *width = (int)s.n;
}

static struct widths widths_of(const struct pattern_host *h)
{
    struct widths w = {2, 8, 4}; /* of the headings */
    for (int i = 0; i < pattern_host_count(h); i++) {
        struct pattern_info p = pattern_host_info(h, i);
        widen(&w.id, p.id);
        widen(&w.category, p.category);
        widen(&w.file, p.file);
    }
    return w;
}

static void cell(struct out *o, struct str s, int width)
{
    out_printf(o, "%-*.*s", width + GAP, STRF(s));
}

static struct str kind_of(struct pattern_info p)
{
    return p.failed ? S("FAILED: ") : p.informational ? S("note: ") : S("");
}

void patterns_print(struct out *o, const struct pattern_host *h, bool with_hits)
{
    struct widths w = widths_of(h);
    cell(o, S("id"), w.id);
    cell(o, S("category"), w.category);
    cell(o, S("file"), w.file);
    out_c(o, with_hits ? "    hits  summary\n" : "summary\n");
    for (int i = 0; i < pattern_host_count(h); i++) {
        struct pattern_info p = pattern_host_info(h, i);
        cell(o, p.id, w.id);
        cell(o, p.category, w.category);
        cell(o, p.file, w.file);
        if (with_hits)
            out_printf(o, "%8lld  ", (long long)p.hits);
        out_str(o, kind_of(p));
        out_str(o, p.failed ? p.error : p.summary);
        out_char(o, '\n');
    }
    for (int i = 0; i < pattern_host_faults(h); i++) {
        out_lit(o, "warning: ");
        out_str(o, pattern_host_fault(h, i));
        out_char(o, '\n');
    }
}
