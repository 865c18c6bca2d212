#include "analysis/patterns_command.h"

#include "analysis/finding.h"
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

/* Another pattern may have claimed what it hit. */
static int findings_of(const struct analysis *a, struct pattern_info p)
{
    int n = 0;
    for (int i = 0; i < a->n_findings; i++) {
        const struct finding *f = &a->findings[i];
        n += str_eq(f->pattern, p.id) &&
             (p.any_category || str_eq(p.category, work_category_name(f->category)));
    }
    return n;
}

static void print_operators(struct out *o, const struct pattern_host *h, bool counted)
{
    struct widths w = {8, 8, 4};
    for (int i = 0; i < pattern_host_operators(h); i++) {
        struct operator_info k = pattern_host_operator(h, i);
        widen(&w.id, k.op);
        widen(&w.category, k.category);
        widen(&w.file, k.file);
    }
    if (pattern_host_operators(h) == 0)
        return;
    out_char(o, '\n');
    cell(o, S("operator"), w.id);
    cell(o, S("category"), w.category);
    cell(o, S("file"), w.file);
    out_c(o, counted ? "   calls  model\n" : "model\n");
    for (int i = 0; i < pattern_host_operators(h); i++) {
        struct operator_info k = pattern_host_operator(h, i);
        cell(o, k.op, w.id);
        cell(o, k.category, w.category);
        cell(o, k.file, w.file);
        if (counted && k.has_model)
            out_printf(o, "%8lld  ", (long long)k.calls);
        else if (counted)
            out_printf(o, "%8s  ", "-");
        out_c(o, k.failed ? "FAILED\n" : k.has_model ? "yes\n" : "no\n");
    }
}

void patterns_print(struct out *o, const struct pattern_host *h,
                    const struct analysis *a)
{
    struct widths w = widths_of(h);
    cell(o, S("id"), w.id);
    cell(o, S("category"), w.category);
    cell(o, S("file"), w.file);
    out_c(o, a ? "    hits  findings  summary\n" : "summary\n");
    for (int i = 0; i < pattern_host_count(h); i++) {
        struct pattern_info p = pattern_host_info(h, i);
        cell(o, p.id, w.id);
        cell(o, p.category, w.category);
        cell(o, p.file, w.file);
        if (a)
            out_printf(o, "%8lld  %8d  ", (long long)p.hits, findings_of(a, p));
        out_str(o, kind_of(p));
        out_str(o, p.failed ? p.error : p.summary);
        out_char(o, '\n');
    }
    print_operators(o, h, a != NULL);
    for (int i = 0; i < pattern_host_faults(h); i++) {
        out_lit(o, "warning: ");
        out_str(o, pattern_host_fault(h, i));
        out_char(o, '\n');
    }
}
