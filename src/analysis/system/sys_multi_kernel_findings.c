/* Findings about copies and communication, from what sys_multi_kernel.c measured. */
#include "analysis/model/number_text.h"
#include "analysis/system/collective_kinds.h"
#include "analysis/system/system_advice.h"
#include "analysis/system/system_parts.h"

#include <math.h>

/* Idle time after scalar reads has its own finding, which includes their copies. */
static bool told_as_idle(const struct analysis *a, const struct copy_result *c)
{
    if (!a->system || a->system->idle.idle_after_sync_pct < 50)
        return false;
    for (int k = 0; k < a->n_findings; k++)
        if (a->findings[k].category == WORK_CPU_IDLE)
            return 2 * c->waited_count >= c->count;
    return false;
}

static struct str joined(struct arena *perm, struct str all, struct str more)
{
    return all.n && more.n ? say(perm, "{} {}", said(all), said(more))
           : all.n         ? all
                           : more;
}

static bool copies_promoted(const struct analysis *a, const struct copy_result *c)
{
    double pct = a->total_ms > 0 ? c->total_us / 10 / a->total_ms : 0;
    return c->severity >= SEVERITY_MEDIUM && (pct >= 0.1 || c->count > 50) &&
           !told_as_idle(a, c);
}

/* A count alone, of copies that take negligible time, is at most MEDIUM. */
static enum severity copy_finding_severity(const struct copy_result *c)
{
    bool count_alone =
        c->time_severity == SEVERITY_NONE && c->severity > SEVERITY_MEDIUM;
    return count_alone ? SEVERITY_MEDIUM : c->severity;
}

static void copy_evidence(struct arena *perm, const struct analysis *a,
                          struct finding *f, enum copy_direction d,
                          const struct multi_kernel_result *r)
{
    const struct copy_result *c = &r->copies[d];
    struct str per_step = S("");
    if (r->step_count)
        per_step = say(perm, ", {} a step",
                       said_fixed((double)c->count / (double)r->step_count, 1));
    evidence(perm, f, "{}{}; the longest takes {} ms.", said(copy_facts(perm, a, d, c)),
             said(per_step), said_ms(c->max_us / 1e3));
    for (int k = 0; k < c->n_ops; k++) {
        struct str many = c->ops[k].count == c->count
                              ? S("All")
                              : say(perm, "{}", said(c->ops[k].count));
        evidence(perm, f, "{} of them: {}{} ({} ms).", said(many),
                 said_name(c->ops[k].name, 60), said(called_from(perm, &c->ops[k])),
                 said_ms(c->ops[k].total_us / 1e3));
    }
    if (c->pageable_count)
        evidence(perm, f, "Pageable host memory is used by {} of them.",
                 said(c->pageable_count));
    finding_evidence(perm, f, copy_cause(d, c));
}

/* Of exposed time: what is hidden at least once it is mended. */
static const double LEAST_FRAC = 0.8;

static struct str copy_issue(struct arena *perm, const struct finding *f,
                             double exposed_ms, double gaps_ms)
{
    const char *copies = f->count == 1 ? "copy takes" : "copies take";
    struct str exposed = text_ms(perm, exposed_ms), all = text_ms(perm, f->time_ms),
               gaps = text_ms(perm, gaps_ms), after = S("");
    if (!str_eq(gaps, text_ms(perm, 0)))
        after = say(perm, ", nor for {} ms right after {}", said(gaps),
                    said(f->count == 1 ? "it" : "them"));
    if (str_eq(exposed, all))
        return say(perm, "{} memory {} {} ms while nothing else runs{}.",
                   said(f->count), said(copies), said(all), said(after));
    return say(perm, "{} memory {} {} ms; for {} ms of it nothing else runs{}.",
               said(f->count), said(copies), said(all), said(exposed), said(after));
}

/* "58 copies to the host: 1.20 ms, 4.1%", "1 copy to ...". */
static struct str copy_title(struct arena *perm, const struct finding *f,
                             struct str what)
{
    return say(perm, "{} {}{}: {} ms, {}% of the time", said(f->count),
               said(str_plural(f->count, "copy", "copies")),
               said(str_skip(what, S("copies").n)), said_ms(f->time_ms),
               said_pct(f->total_pct));
}

/* Pinned already, they can only be hidden, and only as far as there is work to hide
 * them. */
static struct impact_range copy_impact(const struct analysis *a, double ms,
                                       bool is_pinned)
{
    double room = a->computation_ms;
    if (is_pinned && room < 0.5 * ms)
        return impact_of_ms(a, room, ms,
                            S("from what computation can still hide of the exposed "
                              "copies to all of them"));
    return impact_of_ms(a, LEAST_FRAC * ms, ms,
                        S("from four fifths of the exposed copy time, with the gaps "
                          "right after queued copies, to all of it"));
}

/* One finding for directions [from, to]: both ways between host and device go together.
 */
static void copy_finding(struct arena *perm, struct analysis *a,
                         const struct multi_kernel_result *r, enum copy_direction from,
                         enum copy_direction to)
{
    enum severity severity = severity_worse(copy_finding_severity(&r->copies[from]),
                                            copy_finding_severity(&r->copies[to]));
    const struct copy_result *first = &r->copies[from];
    const struct copy_words *words = &copy_words[from == to ? from : COPY_DIRECTIONS];
    double total_us =
        from == to ? first->total_us : first->total_us + r->copies[to].total_us;
    struct finding *f = add_system_finding(
        perm, a, WORK_MULTI_KERNEL, words->pattern,
        first->n_ops ? first->ops[0].name : S("memory copies"), total_us / 1e3);
    f->priority = severity_priority(severity);
    f->confidence = CONFIDENCE_HIGH;
    double exposed_us = 0, gaps_us = 0;
    bool is_pinned = true;
    struct str paths[2] = {S(""), S("")};
    for (enum copy_direction d = from; d <= to; d++) {
        const struct copy_result *c = &r->copies[d];
        f->count += c->count;
        f->copies |= 1u << d;
        is_pinned &= c->pinned_count == c->count;
        exposed_us += c->exposed_us;
        gaps_us += c->gaps_us;
        copy_evidence(perm, a, f, d, r);
        int n;
        const struct pattern_hit *hits = copy_advice(perm, a, d, c, &n);
        for (int p = 0; p < 2; p++)
            paths[p] = joined(perm, paths[p], hits_text(perm, hits, n, p == 1));
    }
    bool peers = from == COPY_D2D && first->peer_count == first->count;
    f->title = copy_title(perm, f, peers ? S("copies between devices") : words->what);
    f->priority_basis =
        say(perm, "copies: severity {} by time {}% of total and count {}",
            said(severity_word(severity)), said_pct(f->total_pct), said(f->count));
    f->issue = copy_issue(perm, f, exposed_us / 1e3, gaps_us / 1e3);
    f->algorithmic = paths[0];
    f->kernel = paths[1];
    f->impact = copy_impact(a, (exposed_us + gaps_us) / 1e3, is_pinned);
}

static void copy_findings(struct arena *perm, struct analysis *a,
                          const struct multi_kernel_result *r)
{
    bool to_host = copies_promoted(a, &r->copies[COPY_D2H]);
    bool from_host = copies_promoted(a, &r->copies[COPY_H2D]);
    if (to_host && from_host)
        copy_finding(perm, a, r, COPY_D2H, COPY_H2D);
    else if (to_host)
        copy_finding(perm, a, r, COPY_D2H, COPY_D2H);
    else if (from_host)
        copy_finding(perm, a, r, COPY_H2D, COPY_H2D);
    if (copies_promoted(a, &r->copies[COPY_D2D]))
        copy_finding(perm, a, r, COPY_D2D, COPY_D2D);
}

/* There is more communication than computation to hide it. */
static bool is_too_much(const struct analysis *a, const struct multi_kernel_result *r)
{
    return comm_room_ms(a, r) < 0.5 * a->exposed_comm_ms;
}

static struct impact_range comm_impact(const struct analysis *a,
                                       const struct multi_kernel_result *r)
{
    double most = LEAST_FRAC * a->exposed_comm_ms, room = comm_room_ms(a, r);
    return most <= room
               ? impact_of_ms(a, most, a->exposed_comm_ms,
                              S("from four fifths to all of the exposed communication "
                                "hidden"))
               : impact_of_ms(a, room, a->exposed_comm_ms,
                              S("from what computation can still hide to all of it"));
}

static void comm_evidence(struct arena *perm, const struct analysis *a,
                          struct finding *f, const struct multi_kernel_result *r)
{
    evidence(perm, f, "{} {} {} ms; {} ms of that ({}% of total time) is exposed.",
             said(r->comm_count),
             said(str_plural(r->comm_count, "collective takes", "collectives take")),
             said_ms(r->comm_merged_ms), said_ms(a->exposed_comm_ms),
             said_pct(100 * a->exposed_comm_ms / a->total_ms));
    for (int k = 0; k < COMM_KINDS; k++)
        if (r->comm[k].count > 0)
            evidence(perm, f, "{}: {} {}, median {} us, {} of {} ms exposed.",
                     said(comm_kind_word((enum comm_kind_id)k)), said(r->comm[k].count),
                     said(str_plural(r->comm[k].count, "call", "calls")),
                     said_ms(r->comm[k].median_us),
                     said_ms(r->comm[k].exposed_us / 1e3),
                     said_ms(r->comm[k].total_us / 1e3));
    evidence(perm, f,
             "{}% of communication time overlaps computation; the target is 70%.",
             said_pct(100 * r->comm_overlap_frac));
    if (is_too_much(a, r))
        evidence(perm, f,
                 "The device computes for {} ms, {} ms of that beside communication.",
                 said_ms(a->computation_ms),
                 said_ms(r->comm_merged_ms - a->exposed_comm_ms));
    if (2 * r->top_collective.total_us >= r->comm_total_us)
        evidence(perm, f, "{} takes {} ms over {} {}.",
                 said_name(r->top_collective.name, 60),
                 said_ms(r->top_collective.total_us / 1e3),
                 said(r->top_collective.count),
                 said(str_plural(r->top_collective.count, "call", "calls")));
    finding_evidence(perm, f,
                     S("One rank cannot separate waiting for other ranks from moving "
                       "data: that needs traces of all ranks."));
}

/* The mechanism, if the library names one, else the kind that is exposed. */
static struct str comm_title(struct arena *perm, const struct analysis *a,
                             const struct multi_kernel_result *r,
                             const struct pattern_hit *hits, int n)
{
    struct str what = comm_kind_word(collective_most_exposed(r->comm));
    for (int i = 0; i < n; i++)
        if (hits[i].title.n)
            return hits[i].title;
    return say(perm, "Exposed {}: {} ms, {}% of the time", said(what),
               said_ms(a->exposed_comm_ms),
               said_pct(pct_of(a->exposed_comm_ms, a->total_ms)));
}

static void comm_finding(struct arena *perm, struct analysis *a,
                         const struct multi_kernel_result *r)
{
    double exposed_pct = pct_of(a->exposed_comm_ms, a->total_ms);
    bool blocks = r->blocking_severity >= SEVERITY_MEDIUM;
    bool apart = r->overlap_severity >= SEVERITY_MEDIUM && exposed_pct >= 1;
    if (!blocks && !apart)
        return;
    enum severity severity =
        blocks && apart ? severity_worse(r->blocking_severity, r->overlap_severity)
        : blocks        ? r->blocking_severity
                        : r->overlap_severity;
    struct str op =
        r->comm_launcher.name.n ? r->comm_launcher.name : r->top_collective.name;
    struct str pattern =
        blocks ? S("nccl_blocking_compute") : S("poor_comm_compute_overlap");
    struct finding *f =
        add_system_finding(perm, a, WORK_MULTI_KERNEL, pattern, op, a->exposed_comm_ms);
    f->priority = severity_priority(severity);
    f->confidence = CONFIDENCE_HIGH;
    int n;
    const struct pattern_hit *hits = comm_advice(perm, a, r, &n);
    f->title = comm_title(perm, a, r, hits, n);
    f->count = r->comm_count;
    f->priority_basis = say(
        perm, "exposed {}% of total time: {}; overlap {}%: {}", said_pct(exposed_pct),
        said(severity_word(r->blocking_severity)), said_pct(100 * r->comm_overlap_frac),
        said(severity_word(r->overlap_severity)));
    struct str most = S("");
    if (is_too_much(a, r))
        most = say(perm, "; computation could hide at most {} ms of that",
                   said_ms(comm_room_ms(a, r)));
    f->issue = say(
        perm,
        "The device computes nothing for {} ms while collective communication runs{}.",
        said_ms(a->exposed_comm_ms), said(most));
    f->algorithmic = hits_text(perm, hits, n, false);
    f->kernel = hits_text(perm, hits, n, true);
    f->impact = comm_impact(a, r);
    comm_evidence(perm, a, f, r);
}

void multi_kernel_findings(struct arena *perm, struct analysis *a,
                           const struct multi_kernel_result *r)
{
    if (r->status != ANALYSER_OK)
        return;
    copy_findings(perm, a, r);
    comm_finding(perm, a, r);
}
