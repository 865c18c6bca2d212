#include "analysis/lua/patterns_command.h"

#include "analysis/lua/pattern_host.h"
#include "analysis/model/finding.h"
#include "base/out.h"
#include "base/terminal.h"

enum { GAP = 2 };

struct widths {
    int id, category, file;
};

static int wider(int width, struct str s)
{
    return s.n > width ? (int)s.n : width;
}

/* Every line begins with these three; each column is as wide as its widest entry or
 * heading. */
static struct widths widen(struct widths w, struct str id, struct str category,
                           struct str file)
{
    return (struct widths){wider(w.id, id), wider(w.category, category),
                           wider(w.file, file)};
}

static void begin_line(struct out *o, struct widths w, struct str id,
                       struct str category, struct str file)
{
    out_printf(o, "%-*.*s%-*.*s%-*.*s", w.id + GAP, STRF(id), w.category + GAP,
               STRF(category), w.file + GAP, STRF(file));
}

/* What names and messages hold does not begin another line. */
static void end_line(struct out *o, struct out *line)
{
    out_visible(o, out_view(line));
    out_char(o, '\n');
    line->n = 0;
}

static struct str kind_of(struct pattern_info p)
{
    return p.failed ? S("FAILED: ") : p.informational ? S("note: ") : S("");
}

/* Another pattern may have claimed its hits. */
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

static void print_patterns(struct out *o, const struct pattern_host *h,
                           const struct analysis *a)
{
    struct widths w = {2, 8, 4};
    struct out line;
    out_memory(&line);
    for (int i = 0; i < pattern_host_count(h); i++) {
        struct pattern_info p = pattern_host_info(h, i);
        w = widen(w, p.id, p.category, p.file);
    }
    begin_line(o, w, S("id"), S("category"), S("file"));
    out_c(o, a ? "    hits  findings  summary\n" : "summary\n");
    for (int i = 0; i < pattern_host_count(h); i++) {
        struct pattern_info p = pattern_host_info(h, i);
        begin_line(&line, w, p.id, p.category, p.file);
        if (a)
            out_printf(&line, "%8lld  %8d  ", (long long)p.hits, findings_of(a, p));
        out_str(&line, kind_of(p));
        out_str(&line, p.failed ? p.error : p.summary);
        if (!p.failed && p.counter.n)
            out_printf(&line, "; not if %.*s", STRF(p.counter));
        end_line(o, &line);
    }
    out_free(&line);
}

static void print_operators(struct out *o, const struct pattern_host *h, bool counted)
{
    struct widths w = {8, 8, 4};
    struct out line;
    out_memory(&line);
    for (int i = 0; i < pattern_host_operators(h); i++) {
        struct operator_info k = pattern_host_operator(h, i);
        w = widen(w, k.op, k.category, k.file);
    }
    out_char(o, '\n');
    begin_line(o, w, S("operator"), S("category"), S("file"));
    out_c(o, counted ? "   calls  model\n" : "model\n");
    for (int i = 0; i < pattern_host_operators(h); i++) {
        struct operator_info k = pattern_host_operator(h, i);
        begin_line(&line, w, k.op, k.category, k.file);
        if (counted && k.has_model)
            out_printf(&line, "%8lld  ", (long long)k.calls);
        else if (counted)
            out_printf(&line, "%8s  ", "-");
        out_c(&line, k.failed ? "FAILED" : k.has_model ? "yes" : "no");
        end_line(o, &line);
    }
    out_free(&line);
}

void patterns_print(struct out *o, const struct pattern_host *h,
                    const struct analysis *a)
{
    print_patterns(o, h, a);
    if (pattern_host_operators(h) > 0)
        print_operators(o, h, a != NULL);
    int n = pattern_host_faults(h);
    for (int i = 0; i < n && i < WARNINGS_TOLD; i++) {
        out_lit(o, "warning: ");
        out_visible(o, pattern_host_fault(h, i));
        out_char(o, '\n');
    }
    if (n > WARNINGS_TOLD)
        out_printf(o, "warning: and %d more such failures\n", n - WARNINGS_TOLD);
}
