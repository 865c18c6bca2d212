/* Findings about copies and communication, from what sys_multi_kernel.c measured. */
#include "analysis/number_text.h"
#include "analysis/system_parts.h"

#include <math.h>

/* ---- findings: copies
 * ---------------------------------------------------------------- */

/* Idle time behind scalar reads is told by its own finding, the copies in them too. */
static bool told_as_idle(const struct analysis *a, const struct copy_result *c)
{
    for (int k = 0; k < a->n_findings; k++)
        if (a->findings[k].category == WORK_CPU_IDLE &&
            str_eq(a->findings[k].pattern, S("synchronization")))
            return 2 * c->waited_count >= c->count;
    return false;
}

static bool copies_promoted(const struct analysis *a, const struct copy_result *c)
{
    double pct = a->total_ms > 0 ? c->total_us / 10 / a->total_ms : 0;
    return c->severity >= SEVERITY_MEDIUM && (pct >= 0.1 || c->count > 50) &&
           !told_as_idle(a, c);
}

/* A count alone, of copies that take no time to speak of, is at most MEDIUM. */
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
        per_step = str_printf(
            perm, ", %.*s a step",
            STRF(text_fixed(perm, (double)c->count / (double)r->step_count, 1)));
    add_evidence(perm, f,
                 str_printf(perm, "%.*s%.*s; the longest takes %.*s ms.",
                            STRF(copy_facts(perm, a, d, c)), STRF(per_step),
                            STRF(text_ms(perm, c->max_us / 1e3))));
    for (int k = 0; k < c->n_ops; k++) {
        struct str from = S("");
        if (c->ops[k].caller.n)
            from = str_printf(perm, ", called from %.*s",
                              STRF(quoted_name(perm, c->ops[k].caller, 80)));
        struct str many = c->ops[k].count == c->count
                              ? S("All")
                              : str_printf(perm, "%lld", (long long)c->ops[k].count);
        add_evidence(perm, f,
                     str_printf(perm, "%.*s of them belong to %.*s%.*s (%.*s ms).",
                                STRF(many), STRF(quoted_name(perm, c->ops[k].name, 60)),
                                STRF(from),
                                STRF(text_ms(perm, c->ops[k].total_us / 1e3))));
    }
    if (c->pageable_count)
        add_evidence(perm, f,
                     str_printf(perm, "%lld of them use pageable host memory.",
                                (long long)c->pageable_count));
    struct str cause = copy_cause(perm, d, c);
    if (cause.n)
        add_evidence(perm, f, cause);
}

static struct finding *system_finding(struct arena *perm, struct analysis *a,
                                      const char *pattern, struct str op,
                                      enum severity s)
{
    struct finding *f = analysis_add_finding(perm, a);
    f->tier = TIER_SYSTEM;
    f->kind = FIND_SYSTEM;
    f->category = WORK_MULTI_KERNEL;
    f->pattern = str_of(pattern);
    f->op = op;
    f->id = system_finding_id(perm, WORK_MULTI_KERNEL, pattern, op);
    f->priority = severity_priority(s);
    f->confidence = CONFIDENCE_HIGH;
    return f;
}

static struct str copy_title(enum copy_direction d, bool both, bool small)
{
    if (both)
        return small ? S("Many small copies between host and device")
                     : S("Copies between host and device");
    if (d == COPY_D2D)
        return S("Copies within the device");
    if (d == COPY_H2D)
        return small ? S("Many small host-to-device copies")
                     : S("Host-to-device copies");
    return small ? S("Many small device-to-host copies") : S("Device-to-host copies");
}

static struct str copy_issue(struct arena *perm, const struct finding *f,
                             double exposed_ms)
{
    const char *copies = f->count == 1 ? "copy takes" : "copies take";
    struct str exposed = text_ms(perm, exposed_ms), all = text_ms(perm, f->time_ms);
    if (str_eq(exposed, all))
        return str_printf(perm,
                          "%lld memory %s %.*s ms, and nothing else runs meanwhile.",
                          (long long)f->count, copies, STRF(all));
    return str_printf(perm,
                      "%lld memory %s %.*s ms; for %.*s ms of it nothing else runs.",
                      (long long)f->count, copies, STRF(all), STRF(exposed));
}

/* One finding for directions [from, to]: both ways between host and device go together.
 */
static void copy_finding(struct arena *perm, struct analysis *a,
                         const struct multi_kernel_result *r, enum copy_direction from,
                         enum copy_direction to)
{
    static const char *const ids[] = {[COPY_D2H] = "high_d2h_memcpy",
                                      [COPY_H2D] = "high_h2d_memcpy",
                                      [COPY_D2D] = "high_d2d_memcpy"};
    enum severity severity = severity_worse(copy_finding_severity(&r->copies[from]),
                                            copy_finding_severity(&r->copies[to]));
    const struct copy_result *first = &r->copies[from];
    struct str op = first->n_ops ? first->ops[0].name : S("memory copies");
    struct finding *f = system_finding(
        perm, a, from != to ? "high_host_memcpy" : ids[from], op, severity);
    double exposed_us = 0, gaps_us = 0, total_us = 0;
    for (enum copy_direction d = from; d <= to; d++) {
        const struct copy_result *c = &r->copies[d];
        f->count += c->count;
        total_us += c->total_us;
        exposed_us += c->exposed_us;
        gaps_us += c->gaps_us;
        copy_evidence(perm, a, f, d, r);
    }
    f->title = copy_title(from, from != to, copies_are_small(first));
    f->time_ms = total_us / 1e3;
    f->total_pct = a->total_ms > 0 ? 100 * f->time_ms / a->total_ms : 0;
    f->priority_basis =
        str_printf(perm, "copies: severity %.*s by time %.*s%% of total and count %lld",
                   STRF(severity_word(severity)), STRF(text_pct(perm, f->total_pct)),
                   (long long)f->count);
    f->issue = copy_issue(perm, f, exposed_us / 1e3);
    f->algorithmic = from == to ? copy_action(from)
                                : str_printf(perm, "%.*s %.*s", STRF(copy_action(from)),
                                             STRF(copy_action(to)));
    f->kernel =
        from == COPY_D2D
            ? S("Choose kernels that read and write the layout at hand, so that no "
                "copy "
                "stands between them.")
            : S("With the same code: pinned staging buffers and one merged transfer in "
                "place of many.");
    f->impact = impact_of_ms(
        a, exposed_us / 2e3, (exposed_us + gaps_us) / 1e3,
        S("half of the copy time that nothing hides, to all of it with the "
          "gaps right behind queued copies"));
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

/* ---- findings: communication
 * --------------------------------------------------------- */

/* Communication that computation could still hide: what it has none beside it yet. */
static double room_ms(const struct analysis *a, const struct multi_kernel_result *r)
{
    return fmax(0, a->computation_ms - (r->comm_merged_ms - a->exposed_comm_ms));
}

/* There is more communication than computation to hide it behind. */
static bool is_too_much(const struct analysis *a, const struct multi_kernel_result *r)
{
    return room_ms(a, r) < 0.5 * a->exposed_comm_ms;
}

static struct str comm_action(struct arena *perm, const struct analysis *a,
                              const struct multi_kernel_result *r)
{
    struct str overlap =
        r->training ? S("Overlap collectives with compute: start gradient reduction "
                        "during the backward pass, in buckets; micro-batch "
                        "pipelining hides more.")
                    : S("Overlap collectives with compute: run tensor-parallel "
                        "collectives on a separate stream beside decode compute; "
                        "pipeline prefill and decode.");
    if (!is_too_much(a, r))
        return overlap;
    return str_printf(perm, "%s %.*s",
                      r->training ? "Shorten the communication itself: a narrower "
                                    "gradient type or compression, "
                                    "fewer reductions (gradients accumulated over "
                                    "several steps), or a larger "
                                    "batch for each device."
                                  : "Shorten the communication itself: a narrower "
                                    "type, a smaller payload, or "
                                    "fewer devices that share a layer.",
                      STRF(overlap));
}

static struct impact_range comm_impact(const struct analysis *a,
                                       const struct multi_kernel_result *r)
{
    double low = a->exposed_comm_ms - (1 - TARGET_OVERLAP_FRAC) * r->comm_merged_ms;
    double room = room_ms(a, r);
    return low <= room
               ? impact_of_ms(a, fmax(0, low), a->exposed_comm_ms,
                              S("overlap raised to 70 %, to all communication hidden"))
               : impact_of_ms(a, room, a->exposed_comm_ms,
                              S("what computation can still hide, to all of it"));
}

static void comm_evidence(struct arena *perm, const struct analysis *a,
                          struct finding *f, const struct multi_kernel_result *r)
{
    add_evidence(
        perm, f,
        str_printf(perm,
                   "%lld collectives are busy for %.*s ms, %.*s ms of which (%.*s%% of "
                   "total time) nothing hides.",
                   (long long)r->comm_count, STRF(text_ms(perm, r->comm_merged_ms)),
                   STRF(text_ms(perm, a->exposed_comm_ms)),
                   STRF(text_pct(perm, 100 * a->exposed_comm_ms / a->total_ms))));
    add_evidence(
        perm, f,
        str_printf(perm,
                   "%.*s%% of communication time overlaps computation; the target is "
                   "70%%.",
                   STRF(text_pct(perm, 100 * r->comm_overlap_frac))));
    if (is_too_much(a, r))
        add_evidence(
            perm, f,
            str_printf(perm,
                       "The device computes for %.*s ms, %.*s ms of which have "
                       "communication beside them already.",
                       STRF(text_ms(perm, a->computation_ms)),
                       STRF(text_ms(perm, r->comm_merged_ms - a->exposed_comm_ms))));
    if (2 * r->top_collective.total_us >= r->comm_total_us)
        add_evidence(perm, f,
                     str_printf(perm,
                                "%.*s holds %.*s ms in %lld calls: a smaller payload, "
                                "compression or a narrower type would shorten it.",
                                STRF(quoted_name(perm, r->top_collective.name, 60)),
                                STRF(text_ms(perm, r->top_collective.total_us / 1e3)),
                                (long long)r->top_collective.count));
    add_evidence(
        perm, f,
        S("Waiting for other ranks and moving data cannot be told apart from one rank: "
          "traces of all ranks are needed."));
}

static void comm_finding(struct arena *perm, struct analysis *a,
                         const struct multi_kernel_result *r)
{
    double exposed_pct = a->total_ms > 0 ? 100 * a->exposed_comm_ms / a->total_ms : 0;
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
    struct finding *f = system_finding(
        perm, a, blocks ? "nccl_blocking_compute" : "poor_comm_compute_overlap", op,
        severity);
    f->title = blocks ? S("Collective communication blocks computation")
                      : S("Collective communication overlaps too little");
    f->count = r->comm_count;
    f->time_ms = a->exposed_comm_ms;
    f->total_pct = exposed_pct;
    f->priority_basis = str_printf(
        perm, "exposed %.*s%% of total time: %.*s; overlap %.*s%%: %.*s",
        STRF(text_pct(perm, exposed_pct)), STRF(severity_word(r->blocking_severity)),
        STRF(text_pct(perm, 100 * r->comm_overlap_frac)),
        STRF(severity_word(r->overlap_severity)));
    struct str most = S("");
    if (is_too_much(a, r))
        most = str_printf(perm, "; computation could hide at most %.*s ms of that",
                          STRF(text_ms(perm, room_ms(a, r))));
    f->issue = str_printf(perm,
                          "The device computes nothing for %.*s ms while collective "
                          "communication runs%.*s.",
                          STRF(text_ms(perm, a->exposed_comm_ms)), STRF(most));
    f->algorithmic = comm_action(perm, a, r);
    f->kernel = S(
        "With the same code: launch collectives earlier and on a stream of their own, "
        "and check the achieved bandwidth of the largest ones.");
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
