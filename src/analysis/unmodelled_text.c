#include "analysis/unmodelled_text.h"

#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "ops/op_groups.h"

#include <stdlib.h>

/* Why a row has no figure, and what would give it one. */
enum reason {
    ONLY_REPLAYED,
    NO_OPERATOR,
    NO_SHAPES,
    NO_TYPES, /* as in ranges of NVTX and rocTX, which have sizes alone */
    NO_SCALARS,
    NO_PEAKS,
    NO_MODEL,
    REASONS
};

static bool is_replayed(const struct work_row *r)
{
    return work_number(r, "replayed") > 0;
}

bool row_is_bare(const struct work_row *r)
{
    return is_replayed(r) || r->group->first->synthetic;
}

static enum reason reason_of(const struct work_row *r)
{
    const struct op_group *g = r->group;
    if (is_replayed(r))
        return ONLY_REPLAYED;
    if (g->first->synthetic && !g->first->in_op)
        return NO_OPERATOR;
    if (!g->args.dims)
        return NO_SHAPES;
    if (g->cost && !(r->efficiency.peak_tb_per_s > 0))
        return NO_PEAKS;
    if (!g->has_model || g->cost)
        return NO_MODEL;
    return !g->args.types ? NO_TYPES : !g->args.concrete ? NO_SCALARS : NO_MODEL;
}

/* Time by operator; the operators beyond the first few hundred do not matter. */
struct op_time {
    struct str op;
    double ms;
};

static int longer_first(const void *x, const void *y)
{
    const struct op_time *a = x, *b = y;
    if (a->ms != b->ms)
        return a->ms > b->ms ? -1 : 1;
    return str_cmp(a->op, b->op);
}

/* "`aten::copy_` 3.20 ms, `aten::cat` 1.10 ms and 4 others", of one reason or of all.
 */
static struct str ops_text(struct arena *a, const struct finding_group *g,
                           enum reason only, int most)
{
    enum { KNOWN = 300 };
    struct op_time ops[KNOWN];
    int n = 0;
    for (int i = 0; i < g->n_rows; i++) {
        const struct work_row *r = g->rows[i];
        struct str name = name_without_launcher(r->name);
        int at = 0;
        if (only != REASONS && reason_of(r) != only)
            continue;
        while (at < n && !str_eq(ops[at].op, name))
            at++;
        if (at == KNOWN)
            continue;
        if (at == n)
            ops[n++] = (struct op_time){name, 0};
        ops[at].ms += r->time_ms;
    }
    qsort(ops, (size_t)n, sizeof *ops, longer_first);
    struct str all = S("");
    for (int i = 0; i < n && i < most; i++)
        all = say(a, "{}{}{} {} ms", said(all), said(i ? ", " : ""),
                  said_name(ops[i].op, 60), said_ms(ops[i].ms));
    if (n > most)
        all = say(a, "{} and {} {}", said(all), said(n - most),
                  said(n - most == 1 ? "other" : "others"));
    return all;
}

struct str unmodelled_issue(struct arena *a, const struct finding *f,
                            const struct finding_group *g)
{
    struct str beside = g->elsewhere_pct >= 0.1
                            ? say(a, ", besides the {}% that other findings name",
                                  said_pct(g->elsewhere_pct))
                            : S("");
    return say(a, "{}% of kernel time, {} ms, has no performance model{}: {}.",
               said_pct(g->compute_pct), said_ms(f->time_ms), said(beside),
               said(ops_text(a, g, REASONS, 5)));
}

static struct str remedy(struct arena *a, const struct finding_group *g,
                         enum reason why, double ms)
{
    switch (why) {
    case ONLY_REPLAYED:
        return say(a,
                   "{} ms are replayed by graphs, of which a trace has only kernel "
                   "names: record the step once without graph replay.",
                   said_ms(ms));
    case NO_OPERATOR:
        return say(a, "{} ms have no operator: record those that launch {}.",
                   said_ms(ms), said(ops_text(a, g, why, 2)));
    case NO_SHAPES:
        return g->shapes_hidden
                   ? say(a, "{} ms lack shapes, which were left out on request.",
                         said_ms(ms))
               : !g->shapes_how.n
                   ? say(a, "{} ms lack shapes, which this profiler does not record.",
                         said_ms(ms))
                   : say(a, "{} ms lack shapes: record with `{}`.", said_ms(ms),
                         said(g->shapes_how));
    case NO_TYPES:
        return say(a,
                   "{} ms lack the types of tensors: record with a profiler that keeps "
                   "them, as PyTorch's own does.",
                   said_ms(ms));
    case NO_SCALARS:
        return say(
            a, "{} ms lack scalar arguments: record with a profiler that keeps them.",
            said_ms(ms));
    case NO_PEAKS:
        return say(a, "{} ms need the peaks of the device: name it with `-p`.",
                   said_ms(ms));
    default:
        return say(a, "{} ms need a model of {} (extension file).", said_ms(ms),
                   said(ops_text(a, g, why, 3)));
    }
}

static enum reason most_of(const struct finding_group *g)
{
    double ms[REASONS] = {0};
    int most = NO_MODEL;
    for (int i = 0; i < g->n_rows; i++)
        ms[reason_of(g->rows[i])] += g->rows[i]->time_ms;
    for (int k = 0; k < REASONS; k++)
        most = ms[k] > ms[most] ? k : most;
    return (enum reason)most;
}

struct str unmodelled_title(struct arena *a, const struct finding_group *g)
{
    enum reason why = most_of(g);
    const struct work_row *longest = NULL;
    for (int i = 0; i < g->n_rows; i++)
        if (reason_of(g->rows[i]) == why &&
            (!longest || g->rows[i]->time_ms > longest->time_ms))
            longest = g->rows[i];
    struct str op = quoted_name(a, name_without_launcher(longest->name), 60);
    switch (why) {
    case ONLY_REPLAYED:
        return S("Record the step once without graph replay to judge its kernels");
    case NO_OPERATOR:
        return say(a, "Record the operators that launch {}", said(op));
    case NO_SHAPES:
        return g->shapes_hidden
                   ? say(a, "Keep the shapes in the report, to judge {}", said(op))
               : !g->shapes_how.n
                   ? say(a, "Compare {} with what its sizes need", said(op))
                   : say(a, "Record shapes ({}) to judge {}", said(g->shapes_how),
                         said(op));
    case NO_TYPES:
        return say(a, "Record types of tensors to judge {}", said(op));
    case NO_SCALARS:
        return say(a, "Record scalar arguments to judge {}", said(op));
    case NO_PEAKS:
        return say(a, "Name the device or its peaks (-p) to judge {}", said(op));
    default:
        return say(a, "Supply a performance model for {}", said(op));
    }
}

struct str unmodelled_advice(struct arena *a, const struct finding_group *g)
{
    double ms[REASONS] = {0}, all_ms = 0;
    struct str text = S("");
    for (int i = 0; i < g->n_rows; i++) {
        ms[reason_of(g->rows[i])] += g->rows[i]->time_ms;
        all_ms += g->rows[i]->time_ms;
    }
    for (int k = 0; k < REASONS; k++)
        if (ms[k] > 0.05 * all_ms)
            text = say(a, "{}{}{}", said(text), said(text.n ? " " : ""),
                       said(remedy(a, g, (enum reason)k, ms[k])));
    return text;
}
