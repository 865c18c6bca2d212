#include "report/compare/compare_action.h"

#include "analysis/model/finding_title.h"
#include "compare/parity.h"
#include "report/compare/compare_layer_words.h"
#include "report/compare/compare_setup.h"
#include "report/compare/compare_side.h"
#include "report/compare/compare_tables.h"
#include "report/compare/compare_words.h"

enum { NAME_BYTES = 75 };

static const struct finding *first_finding(const struct capture *of)
{
    for (int k = 0; k < of->n_findings; k++)
        if (!of->findings[k].informational)
            return &of->findings[k];
    return NULL;
}

/* "; next in `new`: add workers": what its own analysis has first. */
static struct str next_in(struct arena *perm, const struct comparison *c)
{
    const struct finding *f = first_finding(c->of[1]);
    return f ? str_printf(perm, "; next in %.*s: %.*s", STRF(compare_side(perm, c, 1)),
                          STRF(title_within(perm, f)))
             : S("");
}

/* The row that costs the candidate most. */
static const struct compared_row *longest(const struct comparison *c)
{
    for (int32_t k = 0; k < c->n_rows; k++)
        if (c->rows[k].match->ns[1] > c->rows[k].match->ns[0])
            return &c->rows[k];
    return NULL;
}

static struct str about_row(struct arena *perm, const struct comparison *c,
                            const struct compared_row *row)
{
    const struct match *m = row->match;
    struct str name = compare_row_name(perm, c, row), old = compare_side(perm, c, 0),
               new = compare_side(perm, c, 1);
    if (!m->n[0])
        return str_printf(perm, "find out why %.*s runs %.*s, which %.*s does not",
                          STRF(new), STRF(name), STRF(old));
    if (match_is_recast(m))
        return str_printf(perm, "use the implementation of %.*s for %.*s", STRF(old),
                          STRF(name));
    if (m->n[0] == m->n[1] && m->kernel[0].n && str_eq(m->kernel[0], m->kernel[1]))
        return str_printf(perm,
                          "run %.*s alone on both sides: the kernel is the same, so "
                          "its data, the clock or what runs beside it differs",
                          STRF(name));
    if (m->n[0] != m->n[1])
        return str_printf(perm, "find out why %.*s is called more often", STRF(name));
    return str_printf(perm, "find out what chose another kernel for %.*s", STRF(name));
}

/* What the hardware does not explain, on other hardware. */
static struct str about_unexpected(struct arena *perm, const struct comparison *c,
                                   const struct compared_row *row)
{
    const struct expected_ratio *x = &row->expected;
    return str_printf(
        perm,
        "look first at `%.*s` on %.*s: %.2f times the time of %.*s where %.2f was "
        "expected from the hardware, up to %.3f ms%s",
        STRF(str_head(compared_name(row), NAME_BYTES)), STRF(compare_side(perm, c, 1)),
        x->ratio, STRF(compare_side(perm, c, 0)), x->high,
        compare_ms(c, (int64_t)x->saving_ns), c->selection.n_steps ? " a step" : "");
}

static struct str about_idle(struct arena *perm, const struct comparison *c)
{
    const struct finding *f = compare_remedy(c);
    const struct match *read = compare_more_reads(c, 1);
    struct str side = compare_side(perm, c, 1);
    bool input = f && str_among(compare_pattern_of(f),
                                "host_loader host_batch host_no_input host_input");
    if (read && (!input || compare_reads_beside(c, 1, f)))
        return str_printf(
            perm,
            "in %.*s, %.*s%sdrop the added %.*s, or read the value a step later: the "
            "host waits there until the queue is empty",
            STRF(side), STRF(input ? title_within(perm, f) : S("")),
            input ? "; and " : "", STRF(compare_read_name(perm, c, 1, read)));
    if (compare_breaks_said(perm, c).n)
        return str_printf(perm,
                          "in %.*s, find what breaks the compiled graph, as "
                          "TORCH_LOGS=graph_breaks prints it, and keep it out of the "
                          "step",
                          STRF(side));
    if (f && str_among(compare_pattern_of(f), "host_sync host_flatten") &&
        compare_reads_alike(c))
        return str_printf(perm,
                          "see in the timeline of %.*s what its host does between that "
                          "wait and the next launch, which is what takes longer; then, "
                          "%.*s",
                          STRF(side), STRF(title_within(perm, f)));
    bool launches = f && str_among(compare_pattern_of(f), "host_bound host_dispatch");
    if (launches && compare_host_pace(*perm, c) >= COMPARE_SLOWER)
        return str_printf(perm,
                          "find out why the host of %.*s is slower: its CPU and clock, "
                          "other processes, or code around the same operators; next, "
                          "%.*s",
                          STRF(side), STRF(title_within(perm, f)));
    if (f)
        return str_printf(perm, "in %.*s, %.*s", STRF(side),
                          STRF(title_within(perm, f)));
    return str_printf(perm,
                      "see in the timeline of %.*s what its GPU waits for (tracefolio "
                      "analyze)",
                      STRF(side));
}

static bool row_is_new(const struct compared_row *row)
{
    return row && !row->match->n[0];
}

static struct str about_longer(struct arena *perm, const struct comparison *c,
                               const struct compare_cause *cause)
{
    const struct compared_row *row = longest(c);
    enum cause_kind kind = cause->kind;
    struct str layer = compare_name_in(cause->says);
    if (kind == CAUSE_LAYER)
        return str_printf(perm,
                          "find out what %.*s of %.*s does that the other layers do "
                          "not: its shapes, its types, its code",
                          STRF(layer.n ? layer : S("that layer")),
                          STRF(compare_side(perm, c, 1)));
    if (kind == CAUSE_IDLE)
        return about_idle(perm, c);
    if (kind == CAUSE_EXPOSED)
        return str_printf(perm,
                          "see in both timelines what ran beside the transfers of %.*s "
                          "and does not in %.*s",
                          STRF(compare_side(perm, c, 0)),
                          STRF(compare_side(perm, c, 1)));
    if (kind == CAUSE_TRANSFERS && !row_is_new(row))
        return str_printf(perm,
                          "find out why the transfers of %.*s take longer: their size, "
                          "the link, or for collectives a rank that arrives late "
                          "(tracefolio job)",
                          STRF(compare_side(perm, c, 1)));
    if (kind != CAUSE_NONE && row)
        return about_row(perm, c, row);
    const struct finding *f = first_finding(c->of[1]);
    return f ? str_printf(perm, "in %.*s, %.*s", STRF(compare_side(perm, c, 1)),
                          STRF(title_within(perm, f)))
             : S("no single cause is found; start with the largest parts below");
}

/* Steps far from the others. */
static struct str about_steps(struct arena *perm, const struct comparison *c,
                              const struct step_cause *cause)
{
    struct str side = compare_side(perm, c, cause->side);
    bool several = cause->n_steps > 1;
    const char *others = "the other steps account for little of the difference";
    if (cause->side && cause->remedy)
        return str_printf(perm, "in %.*s, %.*s; %s", STRF(side),
                          STRF(title_within(perm, cause->remedy)), others);
    if (cause->side)
        return str_printf(perm, "find out what step %lld of %.*s %s; %s",
                          (long long)cause->step, STRF(side),
                          several ? "and those like it do" : "does", others);
    return several
               ? str_printf(perm, "keep what changed: %.*s has no such steps",
                            STRF(compare_side(perm, c, 1)))
               : str_printf(perm,
                            "nothing in %.*s; compare again without step %lld of %.*s "
                            "(--steps)",
                            STRF(compare_side(perm, c, 1)), (long long)cause->step,
                            STRF(side));
}

struct str compare_action(struct arena *perm, const struct comparison *c,
                          const struct compare_acted_on *on)
{
    bool shorter = c->window_ns[1] < c->window_ns[0];
    if (parity_is_other_work(c->parity) && on->unknown)
        return S("record operators and shapes on both sides, then compare again");
    if (parity_is_other_work(c->parity) && !on->same_task)
        return S(
            "nothing follows for either side; compare recordings of the same work");
    if (on->noise)
        return S("nothing");
    if (on->cause.kind == CAUSE_PACE)
        return S("nothing in the program; lock the clock of the GPU, or let it cool, "
                 "and record again");
    if (on->cause.kind == CAUSE_STEP)
        return about_steps(perm, c, &on->cause.steps);
    if (on->unexpected && !on->unexpected->expected.same_device)
        return about_unexpected(perm, c, on->unexpected);
    if (c->wall.verdict == VERDICT_NOT_JUDGED)
        return S("record each side again first; one recording a side does not show "
                 "whether the difference lasts");
    if (on->cause.kind == CAUSE_HIDDEN)
        return S("nothing: computation hides it");
    if (on->cause.kind == CAUSE_NONE && !verdict_is_difference(c->wall.verdict) &&
        !parity_is_other_work(c->parity))
        return S("nothing");
    if (on->cause.kind == CAUSE_EXCHANGE && longest(c))
        return str_printf(perm, "keep what is shorter; %.*s",
                          STRF(about_row(perm, c, longest(c))));
    if (shorter)
        return str_printf(perm, "keep what changed%.*s", STRF(next_in(perm, c)));
    const char *type = compare_narrower_type(c);
    if (type)
        return str_printf(perm,
                          "compute in %s again, as %.*s does, unless the results of "
                          "%.*s have to be more exact",
                          type, STRF(compare_side(perm, c, 0)),
                          STRF(compare_side(perm, c, 1)));
    return about_longer(perm, c, &on->cause);
}
