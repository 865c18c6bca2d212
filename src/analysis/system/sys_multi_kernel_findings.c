/* Findings about copies and communication, from what sys_multi_kernel.c measured. */
#include "analysis/model/finding_title.h"
#include "analysis/model/number_text.h"
#include "analysis/system/collective_kinds.h"
#include "analysis/system/collective_queue.h"
#include "analysis/system/comm_merge.h"
#include "analysis/system/comm_sizes.h"
#include "analysis/system/copy_source.h"
#include "analysis/system/micro_batches.h"
#include "analysis/system/one_cause.h"
#include "analysis/system/sharded_units.h"
#include "analysis/system/system_advice.h"
#include "analysis/system/system_parts.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>

/* Idle time after scalar reads has its own finding, which includes their copies; so
 * have loops over experts that read a size in each turn. */
static bool told_as_idle(const struct analysis *a, const struct copy_result *c)
{
    const struct idle_result *idle = a->system ? &a->system->idle : NULL;
    if (!idle || (idle->idle_after_sync_pct < 50 && 2 * idle->expert_turns < c->count))
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

/* Of exposed time: what is hidden at least once it is fixed. */
static const double LEAST_FRAC = 0.8;

/* "3480 memory copies take", "51 memory copies to the host and 51 to the GPU take". */
static struct str copies_take(struct arena *perm, const struct finding *f,
                              const struct copy_result *copies)
{
    const struct copy_result *out = &copies[COPY_D2H], *in = &copies[COPY_H2D];
    if (f->copies == (1u << COPY_D2H | 1u << COPY_H2D))
        return say(perm, "{} memory {} to the host and {} to the GPU take",
                   said(out->count), said(str_plural(out->count, "copy", "copies")),
                   said(in->count));
    return say(perm, "{} memory {}", said(f->count),
               said(str_plural(f->count, "copy takes", "copies take")));
}

static struct str copy_issue(struct arena *perm, const struct finding *f,
                             const struct copy_result *copies, double exposed_ms,
                             double gaps_ms)
{
    struct str take = copies_take(perm, f, copies);
    struct str exposed = text_ms(perm, exposed_ms), all = text_ms(perm, f->time_ms),
               gaps = text_ms(perm, gaps_ms), after = S("");
    if (gaps_ms >= 0.01 * f->time_ms)
        after = say(perm, ", and the GPU is then idle for {} ms right after {}",
                    said(gaps), said(f->count == 1 ? "it" : "them"));
    if (str_eq(exposed, all))
        return say(perm, "{} {} ms while nothing else runs{}.", said(take), said(all),
                   said(after));
    return say(perm, "{} {} ms; for {} ms of it nothing else runs{}.", said(take),
               said(all), said(exposed), said(after));
}

/* Of the copies of a finding, in ms. */
struct copy_time {
    double all, exposed, gaps; /* gaps: right behind queued copies */
    double slow, fast, room;   /* as in struct copy_result */
    bool is_pinned, are_large;
};

static void add_copies(struct copy_time *to, const struct copy_result *c)
{
    to->all += c->total_us / 1e3;
    to->exposed += c->exposed_us / 1e3;
    to->gaps += c->gaps_us / 1e3;
    to->slow += c->slow_us / 1e3;
    to->fast += c->fast_us / 1e3;
    to->room += c->room_us / 1e3;
    to->is_pinned &= c->pinned_count == c->count;
    to->are_large |= c->count && !copies_are_small(c);
}

/* Small copies are merged or not made; so are those within a device. */
static struct impact_range all_copies(const struct analysis *a, double ms)
{
    return impact_of_ms(a, LEAST_FRAC * ms, ms,
                        S("from 80% of the exposed copy time, with the gaps "
                          "right after queued copies, to all of it"));
}

/* Large copies between host and device still have to cross the link: pinning saves what
 * they take beyond that, and computation that they do not run beside yet hides what is
 * left, as far as there is some. */
static struct impact_range host_impact(const struct analysis *a,
                                       const struct copy_time *t)
{
    double room = fmax(0, fmin(a->computation_ms, t->room) - (t->all - t->exposed));
    double share = t->all > 0 ? t->exposed / t->all : 0; /* hidden ones save nothing */
    double slow = t->is_pinned ? t->all : t->slow,
           fast = t->is_pinned ? t->all : t->fast;
    double hidden = fmin(fast * share, room);
    if (t->is_pinned)
        return impact_of_ms(a, LEAST_FRAC * hidden, hidden,
                            S("80% to all of what computation can still "
                              "hide of the exposed copies"));
    return impact_of_ms(a, (t->all - slow) * share, (t->all - fast) * share + hidden,
                        S("from copies at the speed of pinned memory alone to what is "
                          "left of them hidden as far as there is computation"));
}

/* Whether what a step copies takes no more than half of the device's memory, as far as
 * sizes are recorded. */
static bool fits(const struct analysis *a, const struct multi_kernel_result *r)
{
    double steps = (double)(r->step_count > 0 ? r->step_count : 1),
           bytes = (double)r->copies[COPY_H2D].bytes / steps;
    return bytes > 0 && 2 * bytes <= trace_device(a->tables->facts.machine).bytes;
}

/* Of weights that stay on the device nothing is copied: at best all do, and if the
 * device has room for them. */
static struct impact_range kept_impact(const struct analysis *a,
                                       const struct multi_kernel_result *r,
                                       const struct copy_time *t)
{
    struct impact_range x = host_impact(a, t);
    if (fits(a, r))
        return impact_of_ms(a, LEAST_FRAC * t->exposed, t->exposed,
                            S("80% to all of the exposed copies: the device has twice "
                              "the memory for what they carry in a step"));
    return impact_of_ms(a, x.low_ms, fmax(x.high_ms, t->exposed),
                        S("from copies at the speed of pinned memory alone to none, if "
                          "all that they carry stays on the device"));
}

static void link_evidence(struct arena *perm, struct finding *f,
                          const struct multi_kernel_result *r, double ms)
{
    static const char *const sources[] = {
        [LINK_SEEN] = "as pinned copies here do",
        [LINK_PLATFORM] = "75 to 90% of the platform's link",
        [LINK_ASSUMED] = "75 to 90% of PCIe 3.0 x16, assumed"};
    double bytes = 0;
    for (int d = 0; d < COPY_DIRECTIONS; d++)
        if (f->copies >> d & 1 && r->copies[d].bytes > 0) {
            bytes += (double)r->copies[d].bytes;
            ms -= r->copies[d].unsized_us / 1e3;
        }
    if (bytes > 0 && ms > 0)
        evidence(perm, f, "They reach {} GB/s; pinned ones {} to {} ({}).",
                 said_fixed(bytes / ms / 1e6, 1), said_fixed(r->link.low_gb_per_s, 1),
                 said_fixed(r->link.high_gb_per_s, 1), said(sources[r->link.source]));
}

/* What one direction adds to the advice of both ways: the words are alike. */
static struct str way(struct arena *perm, struct str advice, enum copy_direction d,
                      bool both)
{
    return both && advice.n
               ? say(perm, "{}: {}", said(d == COPY_D2H ? "To the host" : "To the GPU"),
                     said(advice))
               : advice;
}

/* One finding for directions [from, to]: both ways between host and device go together,
 * the longer one first. */
static void copy_finding(struct arena *perm, struct arena tmp, struct analysis *a,
                         const struct tree_index *t,
                         const struct multi_kernel_result *r, enum copy_direction from,
                         enum copy_direction to)
{
    const struct copy_result *first = &r->copies[from];
    const struct copy_words *words = &copy_words[from == to ? from : COPY_DIRECTIONS];
    double total_us =
        from == to ? first->total_us : first->total_us + r->copies[to].total_us;
    struct finding *f = add_system_finding(
        perm, a, WORK_MULTI_KERNEL, words->pattern,
        first->n_ops ? first->ops[0].name : S("memory copies"), total_us / 1e3);
    f->confidence = CONFIDENCE_HIGH;
    struct copy_time time = {.is_pinned = true};
    struct str paths[2] = {S(""), S("")}, title = S("");
    bool kept = false;   /* what they carry could stay on the device */
    bool made = false;   /* or be made there */
    bool blocks = false; /* or go as larger ones */
    bool turned = r->copies[to].total_us > first->total_us;
    for (int k = 0; k <= (int)to - (int)from; k++) {
        enum copy_direction d = (enum copy_direction)(turned ? to - k : from + k);
        const struct copy_result *c = &r->copies[d];
        f->count += c->count;
        f->copies |= 1u << d;
        add_copies(&time, c);
        copy_evidence(perm, a, f, d, r);
        int n;
        const struct pattern_hit *hits = copy_advice(perm, a, d, r, &n);
        if (!title.n || hits_have(hits, n, S("offloaded_optimizer"))) /* of both ways */
            title = hits_title(hits, n);
        for (int h = 0; h < n && !f->cause.n; h++)
            f->cause = hits[h].cause;
        kept |= hits_have(hits, n, S("offloaded_weights")) ||
                hits_have(hits, n, S("offloaded_optimizer"));
        blocks |= hits_have(hits, n, S("merge_equal_copies"));
        made |= from == COPY_H2D && (hits_have(hits, n, S("keep_on_device")) ||
                                     hits_have(hits, n, S("create_on_device")));
        for (int p = 0; p < 2; p++)
            paths[p] =
                joined(perm, paths[p],
                       way(perm, hits_text(perm, hits, n, p == 1), d, from != to));
    }
    finding_title(perm, f, title.n ? title : say(perm, "Avoid {}", said(words->what)),
                  S(""));
    f->priority_basis =
        say(perm, "{} {}, {}% of total time", said(f->count),
            said(str_plural(f->count, "copy", "copies")), said_pct(f->total_pct));
    f->issue = copy_issue(perm, f, r->copies, time.exposed, time.gaps);
    f->algorithmic = paths[0];
    f->kernel = paths[1];
    if (from == COPY_D2D || !time.are_large) {
        f->impact = all_copies(a, time.exposed + time.gaps);
    } else {
        f->impact = kept ? kept_impact(a, r, &time) : host_impact(a, &time);
        f->whole_ms = time.exposed;
        if (!time.is_pinned)
            link_evidence(perm, f, r, time.all);
    }
    if (blocks)
        copy_calls_claim(perm, tmp, a, t, f);
    else if (made)
        copy_source_claim(perm, a, t, f);
    else if (from == COPY_H2D && copies_of_weights(first))
        one_cause_add_late(perm, a);
    else
        one_cause_join(perm, a, time.exposed);
}

/* Most copies to the host are of results that it computes with: findings about that
 * idle time take them away. */
static bool taken_by_idle(const struct analysis *a, const struct copy_result *to_host)
{
    int64_t n = 0;
    for (int k = 0; k < a->n_findings; k++)
        n += a->findings[k].idle ? a->findings[k].n_gpu : 0;
    return 2 * n >= to_host->count;
}

static void copy_findings(struct arena *perm, struct arena tmp, struct analysis *a,
                          const struct tree_index *t,
                          const struct multi_kernel_result *r)
{
    bool to_host = copies_promoted(a, &r->copies[COPY_D2H]) &&
                   !taken_by_idle(a, &r->copies[COPY_D2H]);
    bool from_host = copies_promoted(a, &r->copies[COPY_H2D]);
    if (to_host && from_host)
        copy_finding(perm, tmp, a, t, r, COPY_D2H, COPY_H2D);
    else if (to_host)
        copy_finding(perm, tmp, a, t, r, COPY_D2H, COPY_D2H);
    else if (from_host)
        copy_finding(perm, tmp, a, t, r, COPY_H2D, COPY_H2D);
    if (copies_promoted(a, &r->copies[COPY_D2D]))
        copy_finding(perm, tmp, a, t, r, COPY_D2D, COPY_D2D);
}

/* There is more communication than computation to hide it. */
static bool is_too_much(const struct analysis *a, const struct multi_kernel_result *r)
{
    return comm_room_ms(a, r) < 0.5 * a->exposed_comm_ms;
}

/* A narrower type halves what a transfer takes; waiting for other ranks can end whole,
 * but is not in the fastest calls of a size. */
static double shortened_ms(const struct multi_kernel_result *r, double ms)
{
    double transfer_us = 0, all_us = 0;
    for (int k = 0; k < COMM_KINDS; k++) {
        transfer_us += r->comm[k].transfer_us;
        all_us += r->comm[k].total_us;
    }
    return all_us > 0 ? ms * (1 - 0.5 * fmin(1, transfer_us / all_us)) : ms;
}

static bool are_far(const struct analysis *a, enum comm_kind_id id)
{
    struct comm_size most = comm_size_most(a, id);
    return comm_size_is_far(&most);
}

/* A network of 100 gigabits per second joins machines. 0: not known. */
static double usual_link(const struct analysis *a, enum comm_kind_id id, double link)
{
    const double NETWORK_GB_PER_S = 12.5;
    if (!are_far(a, id))
        return link;
    return link > 0 ? fmin(link, NETWORK_GB_PER_S) : NETWORK_GB_PER_S;
}

/* A link moves the same in less: what waits for nobody at a quarter of its peak at
 * least saves that much; all of it at four fifths, and nobody late, at most. Where
 * calls of one size take about the same, none of them waits. */
static struct impact_range transport_impact(const struct analysis *a,
                                            const struct multi_kernel_result *r,
                                            enum comm_kind_id id, double link)
{
    const double LOW_FRAC = 0.25, HIGH_FRAC = 0.8;
    const struct comm_kind *k = &r->comm[id];
    double used = collective_queue_gb_per_s(k, id) / link;
    double even = k->alike_us / k->total_us * (1 - collective_waits_pct(k) / 100);
    double exposed_ms =
        k->exposed_us / 1e3 * fmin(1, fmax(even, k->large_us / k->total_us));
    return impact_of_ms(
        a, exposed_ms * (1 - used / LOW_FRAC),
        a->exposed_comm_ms * (1 - used / HIGH_FRAC),
        S("from what collectives that wait for no rank take beyond 25% of "
          "the peak of the link, or of a network of 100 Gbit/s between machines, to "
          "what all of them take beyond 80% of it"));
}

/* Kernels in which each GPU reads the others' memory once take 8 to 15 us within a
 * node, whatever small messages they have. */
static struct impact_range latency_impact(const struct analysis *a,
                                          const struct comm_kind *k)
{
    const double FAST_US = 8, SLOW_US = 15;
    double exposed_ms = k->exposed_us / 1e3;
    return impact_of_ms(a, exposed_ms * fmax(0, 1 - SLOW_US / k->median_us),
                        exposed_ms * fmax(0, 1 - FAST_US / k->median_us),
                        S("from calls of 15 µs to calls of 8 µs, as one-shot kernels "
                          "take within a node"));
}

static double peer_link_gb_per_s(const struct analysis *a)
{
    const struct device_spec *d = a->tables ? a->tables->device : NULL;
    return d ? d->peer_link_gb_per_s : 0;
}

static bool is_slow_link(const struct analysis *a, const struct multi_kernel_result *r)
{
    enum comm_kind_id k = collective_most_exposed(r->comm);
    return collective_queue_is_slow(&r->comm[k], k, peer_link_gb_per_s(a));
}

/* "; all-reduce moves about 3.95 GB/s, where a link does 448" */
static struct str link_clause(struct arena *perm, const struct analysis *a,
                              const struct multi_kernel_result *r)
{
    enum comm_kind_id k = collective_most_exposed(r->comm);
    double link = peer_link_gb_per_s(a);
    if (!is_slow_link(a, r))
        return S("");
    return say(perm, "; {} moves about {} GB/s{}", said(comm_kind_word(k)),
               said(number_rate(perm, collective_queue_gb_per_s(&r->comm[k], k))),
               said(link > 0 && !are_far(a, k) ? say(perm, ", where the link does {}",
                                                     said(number_rate(perm, link)))
                                               : S("")));
}

static struct impact_range comm_impact(const struct analysis *a,
                                       const struct multi_kernel_result *r)
{
    enum comm_kind_id k = collective_most_exposed(r->comm);
    double link = usual_link(a, k, peer_link_gb_per_s(a));
    if (link > 0 && is_slow_link(a, r))
        return transport_impact(a, r, k, link);
    double most = LEAST_FRAC * a->exposed_comm_ms, room = comm_room_ms(a, r),
           spare = micro_batches_spare_frac(&r->batches);
    if (spare > 0)
        return impact_of_ms(a, spare * most, spare * a->exposed_comm_ms,
                            S("80% to all of what reductions that no update needs have "
                              "of the exposed communication"));
    return most <= room
               ? impact_of_ms(a, most, a->exposed_comm_ms,
                              S("80% to all of the exposed communication "
                                "hidden"))
               : impact_of_ms(a, room,
                              room + shortened_ms(r, a->exposed_comm_ms - room),
                              S("from what computation can still hide to all of it, "
                                "but half of what transfers surely take"));
}

/* Calls that can be left out, or merged into one; the rest stays as it is. */
static struct impact_range spared_impact(const struct analysis *a, double exposed_us)
{
    double ms = exposed_us / 1e3;
    return impact_of_ms(a, LEAST_FRAC * ms, ms,
                        S("80% to all of the exposed time of these collectives"));
}

/* Beyond the fastest calls of its size it waits for the last rank: two ranks that share
 * their work evenly each give half of that, and where the last one is only slow, all of
 * it ends. */
static double waiting_ms(const struct comm_kind *k)
{
    return fmax(0, k->exposed_us - k->transfer_us) / 1e3;
}

static struct impact_range waiting_impact(const struct analysis *a,
                                          const struct comm_kind *k)
{
    double ms = waiting_ms(k);
    return impact_of_ms(a, ms / 2, ms,
                        S("from half of the exposed time beyond the fastest calls of "
                          "their size, as where two ranks share their work evenly, to "
                          "all of it"));
}

/* A pipeline of p stages with m micro-batches stands still for (p - 1) / m of its work:
 * a bubble shrinks, but does not end. */
static struct impact_range bubble_impact(const struct analysis *a,
                                         const struct comm_kind *k)
{
    double ms = waiting_ms(k);
    return impact_of_ms(a, ms / 2, 0.75 * ms,
                        S("50% to 75% of the exposed time that messages "
                          "wait, with two to four times the micro-batches"));
}

static struct impact_range prefetch_impact(const struct analysis *a,
                                           const struct backward_prefetch *p)
{
    double ms = fmin(a->exposed_comm_ms, p->hides_us / 1e3);
    return impact_of_ms(a, LEAST_FRAC * ms, ms,
                        S("from a replay without these waits to all that the "
                          "computation behind each of them can hide"));
}

/* Half as many bytes take half as long, and what is left hides as far as it does
 * today. */
static struct impact_range narrow_impact(const struct analysis *a,
                                         const struct comm_kind *k)
{
    double ms = fmin(a->exposed_comm_ms, 0.5 * k->wide_us / 1e3);
    return impact_of_ms(a, LEAST_FRAC * ms, ms,
                        S("80% to all of half the time of what is exchanged in fp32"));
}

/* Of collectives that are to be left out or merged; NaN: of none. */
static double spared_exposed_us(const struct multi_kernel_result *r,
                                const struct pattern_hit *hits, int n)
{
    return hits_have(hits, n, S("scalar_collectives"))
               ? r->comm[collective_most_exposed(r->comm)].scalars_exposed_us
               : (double)NAN;
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
            evidence(perm, f, "{}: {} {}, median {} µs, {} of {} ms exposed.",
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
    const struct comm_kind *most = &r->comm[collective_most_exposed(r->comm)];
    if (collective_is_waiting(most))
        evidence(perm, f,
                 "{} of {} ms is beyond what calls of a size take at best: waiting for "
                 "another rank.",
                 said_ms((most->alike_us - most->transfer_us) / 1e3),
                 said_ms(most->alike_us / 1e3));
    else
        finding_evidence(perm, f,
                         S("One rank cannot separate waiting for other ranks from "
                           "moving data: that needs traces of all ranks."));
}

/* The first mechanism that the library names, else the kind that is exposed. */
static struct str comm_title(struct arena *perm, const struct multi_kernel_result *r,
                             const struct pattern_hit *hits, int n)
{
    struct str title = hits_title(hits, n);
    return title.n ? title
                   : say(perm, "Hide or shorten the {}",
                         said(comm_kind_word(collective_most_exposed(r->comm))));
}

/* No mechanism fits what is recorded, as where messages have no sizes. */
static struct str no_way_known(struct arena *perm, const struct multi_kernel_result *r)
{
    return say(perm,
               "Compare the traces of all ranks (`tracefolio job`): one alone does not "
               "show whether the {} waits for others or moves data.",
               said(comm_kind_word(collective_most_exposed(r->comm))));
}

static bool is_data_parallel(const struct analysis *a)
{
    const struct trace_view *v = a->tables ? a->tables->view : NULL;
    return v && v->devices && v->devices->data_parallel;
}

/* The hooks and calls of all units of a round but one. */
static void larger_units(struct arena *perm, struct arena tmp, const struct analysis *a,
                         int32_t period, struct finding *f)
{
    struct loop_work w = sharded_units_work(perm, tmp, a->tables->view, period);
    finding_ends_loops(f, a, &w,
                       S("the wrapper's hooks of all units of a block but one, and the "
                         "latency of their collectives"));
    evidence(perm, f,
             "Sizes of all-gathers repeat after {} calls; hooks of the wrapper take {} "
             "ms of the host beyond those of one unit for each round.",
             said(period), said_ms(w.host_ms));
}

/* "; 395 ms of that is messages (13 a step, in a group of 4 ranks) that wait for other
 * stages, and 100 ms single values ..." */
static struct str bubble_clause(struct arena *perm, const struct analysis *a,
                                const struct multi_kernel_result *r)
{
    const struct comm_kind *k = &r->comm[COMM_SEND_RECV];
    double scalars_ms = r->comm[COMM_ALL_REDUCE].scalars_exposed_us / 1e3;
    struct str each = S(""), group = S(""), scalars = S("");
    if (r->step_count > 0 && k->count % r->step_count == 0)
        each = say(perm, "{} a step", said(k->count / r->step_count));
    if (k->ranks > 2)
        group = say(perm, "{}in a group of {} ranks", said(each.n ? ", " : ""),
                    said(k->ranks));
    if (each.n || group.n)
        each = say(perm, " ({}{})", said(each), said(group));
    if (scalars_ms > 0.05 * a->exposed_comm_ms)
        scalars = say(perm,
                      ", and {} ms is all-reduces of single values, which wait for the "
                      "last of them",
                      said_ms(scalars_ms));
    return say(perm, "; {} ms of that is messages{} that wait for other stages{}",
               said_ms(waiting_ms(k)), said(each), said(scalars));
}

/* What of the exposed time the advice is about. */
static struct str prefetch_clause(struct arena *perm, const struct backward_prefetch *p)
{
    return say(perm,
               "; {} ms of that is {} reduce-scatters of the backward pass and the "
               "all-gathers queued behind them, which the next layer waits for",
               said_ms(p->exposed_us / 1e3), said(p->pairs));
}

/* Other collectives stay as they are. */
static void about_pairs(struct finding *f, const struct backward_prefetch *p)
{
    f->about = ABOUT_EVENTS;
    f->gpu = p->gpu;
    f->n_gpu = 2 * p->pairs;
    f->whole_ms = p->exposed_us / 1e3;
    f->reorders = true;
}

static void comm_finding(struct arena *perm, struct arena tmp, struct analysis *a,
                         const struct multi_kernel_result *r)
{
    double exposed_pct = pct_of(a->exposed_comm_ms, a->total_ms);
    bool blocks = r->blocking_severity >= SEVERITY_MEDIUM;
    bool apart = r->overlap_severity >= SEVERITY_MEDIUM && exposed_pct >= 1;
    if ((!blocks && !apart) || is_data_parallel(a)) /* devices_finding.c tells of it */
        return;
    struct str op =
        r->comm_launcher.name.n ? r->comm_launcher.name : r->top_collective.name;
    struct str pattern =
        blocks ? S("nccl_blocking_compute") : S("poor_comm_compute_overlap");
    struct finding *f =
        add_system_finding(perm, a, WORK_MULTI_KERNEL, pattern, op, a->exposed_comm_ms);
    f->confidence = CONFIDENCE_HIGH;
    int n;
    const struct pattern_hit *hits = comm_advice(perm, a, r, &n);
    finding_title(perm, f, comm_title(perm, r, hits, n), S(""));
    f->count = r->comm_count;
    f->priority_basis = say(
        perm, "{}% of total time is exposed; {}% of communication overlaps computation",
        said_pct(exposed_pct), said_pct(100 * r->comm_overlap_frac));
    struct str most = link_clause(perm, a, r);
    double spared_us = spared_exposed_us(r, hits, n);
    enum comm_kind_id exposed = collective_most_exposed(r->comm);
    bool waits =
        hits_have(hits, n, S("late_rank")) && collective_is_waiting(&r->comm[exposed]);
    if (waits)
        most = say(perm, "; {}% of the {} is waiting for another rank",
                   said_pct(collective_waits_pct(&r->comm[exposed])),
                   said(comm_kind_word(exposed)));
    bool prefetch = hits_have(hits, n, S("prefetch_in_backward")),
         bubble = hits_have(hits, n, S("pipeline_wait"));
    if (prefetch)
        most = prefetch_clause(perm, &r->prefetch);
    if (bubble)
        most = bubble_clause(perm, a, r);
    if (!most.n && isnan(spared_us) && is_too_much(a, r))
        most = say(perm, "; computation could hide at most {} ms of that",
                   said_ms(comm_room_ms(a, r)));
    f->issue = say(
        perm,
        "The device computes nothing for {} ms while collective communication runs{}.",
        said_ms(a->exposed_comm_ms), said(most));
    f->algorithmic = hits_text(perm, hits, n, false);
    f->kernel = hits_text(perm, hits, n, true);
    if (!f->algorithmic.n && !f->kernel.n)
        f->kernel = no_way_known(perm, r);
    f->impact = hits_have(hits, n, S("latency_all_reduce"))
                    ? latency_impact(a, &r->comm[COMM_ALL_REDUCE])
                : hits_have(hits, n, S("wide_gradients"))
                    ? narrow_impact(a, &r->comm[exposed])
                : waits            ? waiting_impact(a, &r->comm[exposed])
                : prefetch         ? prefetch_impact(a, &r->prefetch)
                : bubble           ? bubble_impact(a, &r->comm[COMM_SEND_RECV])
                : isnan(spared_us) ? comm_impact(a, r)
                                   : spared_impact(a, spared_us);
    f->whole_ms = a->exposed_comm_ms;
    if (prefetch)
        about_pairs(f, &r->prefetch);
    comm_merge(perm, tmp, a, r, hits, n, f);
    if (r->unit_period && hits_have(hits, n, S("larger_units")))
        larger_units(perm, tmp, a, r->unit_period, f);
    comm_evidence(perm, a, f, r);
}

void multi_kernel_findings(struct arena *perm, struct arena tmp, struct analysis *a,
                           const struct tree_index *t,
                           const struct multi_kernel_result *r)
{
    if (r->status != ANALYSER_OK)
        return;
    copy_findings(perm, tmp, a, t, r);
    comm_finding(perm, tmp, a, r);
}
