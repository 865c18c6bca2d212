/* The opening of a report: what kind of run this is, what to do first and what that is
 * worth, what most of the work is. */
#include "base/cpp_name.h"
#include "report/report_detail.h"
#include "report/report_lead.h"
#include "report/report_parts.h"

#include "analysis/model/device_word.h"
#include "analysis/model/finding_title.h"
#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "analysis/model/work_facts.h"
#include "analysis/system/collective_kinds.h"

#include <math.h>

static const struct str kinds[VERDICT_KINDS] = {
    [VERDICT_UNJUDGED] = S_INIT("cannot be judged"),
    [VERDICT_DEVICE] = S_INIT("device-bound"),
    [VERDICT_HOST] = S_INIT("host-bound"),
    [VERDICT_INPUT] = S_INIT("input-bound"),
    [VERDICT_NO_WORK] = S_INIT("without work"),
    [VERDICT_COMMUNICATION] = S_INIT("communication-bound"),
    [VERDICT_COPIES] = S_INIT("copy-bound"),
    [VERDICT_WARM_UP] = S_INIT("mostly warm-up"),
    [VERDICT_CALLS] = S_INIT("call-bound"),
    [VERDICT_QUEUED] = S_INIT("queue-bound"),
    [VERDICT_GRAPH] = S_INIT("graph-bound"),
    [VERDICT_HIDDEN] = S_INIT("work not recorded"),
    [VERDICT_UNKNOWN] = S_INIT("not explained"),
    [VERDICT_TURNS] = S_INIT("GPUs take turns"),
    [VERDICT_PEERS] = S_INIT("bound by another GPU")};

/* What the verdict is about. */
struct subject {
    struct report_subject of;
    struct str who; /* "the GPU", "GPU 0, the busiest of 2," */
};

static struct subject subject_of(struct arena *a, const struct report *r)
{
    struct subject t = {report_subject(r), S("the GPU")};
    double most_ms = 0;
    if (!t.of.gpu.n)
        return t;
    for (int k = 0; k < r->gpus.n; k++)
        most_ms = fmax(most_ms, r->gpus.list[k].busy_ms);
    struct str why = r->gpus.list[r->gpus.decides].busy_ms < most_ms
                         ? S("which waits least for others")
                         : say(a, "the busiest of {}", said((int64_t)r->gpus.n));
    t.who = say(a, "GPU {}, {},", said(t.of.gpu), said(why));
    return t;
}

struct str verdict_word(enum verdict_kind kind)
{
    return kinds[kind];
}

struct str report_bound(const struct report *r)
{
    static const struct str words[VERDICT_KINDS] = {
        [VERDICT_DEVICE] = S_INIT("Device-bound"),
        [VERDICT_HOST] = S_INIT("Host-bound"),
        [VERDICT_INPUT] = S_INIT("Input-bound"),
        [VERDICT_COMMUNICATION] = S_INIT("Communication-bound"),
        [VERDICT_COPIES] = S_INIT("Copy-bound")};
    return r->gpus.n ? S("") : words[r->verdict_kind];
}

/* The pattern of the idle time that there is most of. */
static struct str idle_pattern(const struct report *r)
{
    const struct finding *most = NULL;
    for (int k = 0; k < r->n_findings; k++) {
        const struct finding *f = r->findings[k].of;
        if (f->category == WORK_CPU_IDLE && (!most || f->time_ms > most->time_ms))
            most = f;
    }
    return most ? most->pattern : S("");
}

/* Most of the time that faster kernels would save is the host's: the device has slack,
 * so the run is as long as what the host does. */
static bool hides_kernels(const struct report *r)
{
    double now_ms = 0, then_ms = 0;
    for (int k = 0; k < r->n_findings; k++) {
        const struct finding *f = r->findings[k].of;
        if (f->tier == TIER_SYSTEM || f->informational || !(f->impact.high_ms >= 0))
            continue;
        now_ms += f->impact.high_ms;
        then_ms += f->until >= 0 ? f->impact_then.high_ms : f->impact.high_ms;
    }
    return then_ms > 0.1 * r->timeline.total_ms && now_ms < 0.25 * then_ms;
}

double report_paced_pct(const struct report *r)
{
    const double BUSY_PCT = 50;
    bool paced = r->verdict_kind == VERDICT_HOST && !r->gpus.n && hides_kernels(r) &&
                 r->timeline.computation_pct >= BUSY_PCT;
    return paced ? r->timeline.computation_pct : (double)NAN;
}

/* So much is enough to bind a run if nothing else but computation takes more. */
static const double MUCH_PCT = 25;

/* Which kind of run a pool of idle time makes. */
static const enum verdict_kind kind_of_pool[IDLE_POOLS] = {
    [POOL_HOST] = VERDICT_HOST,     [POOL_INPUT] = VERDICT_INPUT,
    [POOL_CALLS] = VERDICT_CALLS,   [POOL_ONCE] = VERDICT_WARM_UP,
    [POOL_QUEUED] = VERDICT_QUEUED, [POOL_GRAPH] = VERDICT_GRAPH,
    [POOL_HIDDEN] = VERDICT_HIDDEN, [POOL_UNKNOWN] = VERDICT_UNKNOWN,
    [POOL_START] = VERDICT_UNKNOWN, [POOL_PEER] = VERDICT_PEERS};

double report_pool_pct(const struct report *r, enum idle_pool p)
{
    return pct_of((double)report_idle(r)->pool_ns[p] / 1e6, r->timeline.total_ms);
}

/* Pools of one cause: this process's own host is late, be it with launches, with input
 * or inside calls that wait. Apart, each could be less than what is waited for together
 * is more than. */
static bool is_own(enum idle_pool p)
{
    return p == POOL_HOST || p == POOL_INPUT || p == POOL_CALLS;
}

/* Of a pool and those of the same cause. */
static double cause_pct(const struct report *r, enum idle_pool p)
{
    return is_own(p) ? report_pool_pct(r, POOL_HOST) + report_pool_pct(r, POOL_INPUT) +
                           report_pool_pct(r, POOL_CALLS)
                     : report_pool_pct(r, p);
}

/* The largest of the cause with most time. */
static enum idle_pool largest_pool(const struct report *r)
{
    const int64_t *ns = report_idle(r)->pool_ns;
    int best = POOL_HOST;
    for (int p = 0; p < IDLE_POOLS; p++) {
        double more =
            cause_pct(r, (enum idle_pool)p) - cause_pct(r, (enum idle_pool)best);
        best = more > 0 || (!(more < 0) && ns[p] > ns[best]) ? p : best;
    }
    return (enum idle_pool)best;
}

bool report_sets_up_again(const struct report *r)
{
    struct str pattern = idle_pattern(r);
    return str_eq(pattern, S("host_recompile")) || str_eq(pattern, S("host_recapture"));
}

static enum verdict_kind idle_kind(const struct report *r, enum idle_pool pool)
{
    struct str pattern = idle_pattern(r);
    if (pool == POOL_HOST && str_eq(pattern, S("host_no_input")))
        return VERDICT_NO_WORK;
    if (pool == POOL_ONCE && report_sets_up_again(r))
        return VERDICT_HOST;
    if (pool == POOL_PEER && r->gpus.take_turns)
        return VERDICT_TURNS;
    return kind_of_pool[pool];
}

static enum verdict_kind kind_of(const struct report *r, const struct subject *t)
{
    if (!r->meta.has_gpu || !(r->timeline.total_ms > 0))
        return VERDICT_UNJUDGED;
    enum idle_pool pool = largest_pool(r);
    double most = cause_pct(r, pool);
    enum verdict_kind kind = idle_kind(r, pool);
    bool idle = true;
    if (t->of.exposed_comm_pct > most) {
        most = t->of.exposed_comm_pct;
        kind = VERDICT_COMMUNICATION;
        idle = false;
    }
    if (t->of.exposed_memcpy_pct > most) {
        most = t->of.exposed_memcpy_pct;
        kind = VERDICT_COPIES;
        idle = false;
    }
    if (most >= MUCH_PCT || most > t->of.computation_pct)
        return kind;
    if (r->gpus.take_turns)
        return VERDICT_TURNS;
    return idle && kind == VERDICT_HOST && hides_kernels(r) ? kind : VERDICT_DEVICE;
}

static const double FAR_PCT = 10;

/* What kernels far below their roof wait for is not what the roof is of. */
static struct str bound_by(struct arena *a, enum roofline_bound bound, double pct)
{
    const double NEAR_PCT = 40;
    const char *what = bound == BOUND_COMPUTE ? "compute" : "memory";
    if (pct >= NEAR_PCT)
        return say(a, "most of it {}-bound", said(what));
    if (pct >= FAR_PCT)
        return say(a, "most of it {}-bound by its shapes, at {}% of that roof",
                   said(what), said_fixed(pct, 0));
    return say(a,
               "most of it limited by neither compute nor memory ({}% of the nearer "
               "roof)",
               said_fixed(pct, 1));
}

/* By the name of its longest kernel, or its own in a GPU graph: each weight is read for
 * one product, so memory sets the pace where no shapes tell. */
static bool is_vector_product(const struct work_row *row)
{
    struct str kernel = row->group ? report_row_kernel(row) : S("");
    return name_has(kernel.n ? kernel : row->name, "gemv|mmvq|mmvf");
}

/* Of steps that decode few tokens each, where no shape tells how many. */
static bool reads_weights(const struct report *r, const struct work_row *row)
{
    return row->category == WORK_GEMM && isnan(work_number(row, "M")) && r->analysis &&
           work_trace_number(r->analysis, "few_tokens") > 0;
}

/* "most of it memory-bound", if that is known of half of kernel time. */
static struct str bound_words(struct arena *a, const struct report *r)
{
    double all_ms = 0, by_ms[3] = {0}, roof_ms[3] = {0}, vector_ms = 0, weights_ms = 0;
    for (int k = 0; k < r->n_ops; k++) {
        const struct work_row *row = r->ops[k].row;
        bool known = row->efficiency.percent > 0 && !row->efficiency.anomaly;
        enum roofline_bound bound = known ? row->efficiency.bound : 0;
        all_ms += row->time_ms;
        by_ms[bound] += row->time_ms;
        roof_ms[bound] += known ? row->efficiency.percent * row->time_ms : 0;
        vector_ms += !known && is_vector_product(row) ? row->time_ms : 0;
        weights_ms += !known && reads_weights(r, row) ? row->time_ms : 0;
    }
    const struct idle_result *idle = report_idle(r);
    bool are_short = idle->short_kernel_pct > 50;
    for (int b = 1; b < 3; b++)
        if (by_ms[b] > 0.5 * all_ms && !(are_short && roof_ms[b] < FAR_PCT * by_ms[b]))
            return bound_by(a, (enum roofline_bound)b, roof_ms[b] / by_ms[b]);
    if (vector_ms > 0.5 * all_ms)
        return S("most of it in matrix-vector multiplications, which memory limits");
    if (weights_ms > 0.5 * all_ms)
        return S("most of it in matmuls of few tokens, which reading weights limits");
    return are_short ? S("most of it in kernels shorter than 10 µs") : S("");
}

/* The group with most idle time of a pool; NULL: none. */
static const struct idle_group *pool_group(const struct report *r, enum idle_pool p)
{
    const struct idle_result *idle = report_idle(r);
    const struct idle_group *most = NULL;
    for (int32_t k = 0; k < idle->n_groups; k++)
        if (idle->groups[k].pool_ns[p] > (most ? most->pool_ns[p] : 0))
            most = &idle->groups[k];
    return most;
}

/* Half of what is queued, outside graphs, waits for nothing of this trace. */
static bool is_stalled(const struct report *r)
{
    const struct idle_result *idle = report_idle(r);
    double stalled_us = 0;
    for (int32_t k = 0; k < idle->n_groups; k++)
        stalled_us +=
            idle->groups[k].pool_ns[POOL_QUEUED] ? idle->groups[k].stalled_us : 0;
    return stalled_us * 1e3 >= 0.5 * (double)idle->pool_ns[POOL_QUEUED];
}

static struct str hidden_why(struct arena *a, const struct report *r)
{
    const struct idle_result *idle = report_idle(r);
    enum hidden_reason most = HIDDEN_GRAPH;
    for (int k = 0; k < HIDDEN_REASONS; k++)
        if (idle->hidden_ns[k] > idle->hidden_ns[most])
            most = (enum hidden_reason)k;
    switch (most) {
    case HIDDEN_GRAPH:
        return say(a, "kernels of {} of {} graph {} are not recorded",
                   said(idle->graph_launches_hidden), said(idle->graph_launch_count),
                   said(str_plural(idle->graph_launch_count, "launch", "launches")));
    case HIDDEN_NODES:
        return say(a,
                   "the kernels of {} of {} graph {} cover less than half of the time "
                   "that these take",
                   said(idle->graph_launches_partial), said(idle->graph_launch_count),
                   said(str_plural(idle->graph_launch_count, "launch", "launches")));
    case HIDDEN_BURST:
        return S("kernels start in bursts, long after their launches and faster than a "
                 "GPU can start them, with time stamps that are too late");
    default:
        return S("the host waits for a GPU on which nothing is recorded");
    }
}

/* Gaps so short on average are the pace of a graph's nodes, and hide no work. */
static struct str graph_words(struct arena *a, const struct idle_result *idle,
                              const struct idle_group *g)
{
    enum { PACE_NS = 20000 };
    bool all = !idle->graph_launches_hidden && !idle->graph_launches_partial;
    if (!all || !g || !g->gaps || g->total_ns / g->gaps >= PACE_NS)
        return S(
            "waits inside or behind GPU graphs, whose nodes are not all recorded or "
            "depend on others");
    return say(a,
               "waits between the nodes of GPU graphs: each starts {} µs after the one "
               "before",
               said_fixed((double)g->total_ns / 1e3 / (double)g->gaps, 1));
}

/* What the GPU does meanwhile. */
static struct str waits_words(struct arena *a, const struct report *r,
                              enum idle_pool pool)
{
    const struct idle_group *most = pool_group(r, pool);
    struct str blame = most ? most->blame : S("");
    switch (idle_kind(r, pool)) {
    case VERDICT_INPUT:
        return S("waits for data");
    case VERDICT_NO_WORK:
        return S("has nothing to do until a request arrives");
    case VERDICT_WARM_UP:
        return S("waits for one-time set-up");
    case VERDICT_CALLS:
        if (!blame.n)
            return S("waits while the host is inside synchronising calls");
        return say(a,
                   most->class == IDLE_SYNC ? "waits while the host synchronises in {}"
                                            : "waits while the host is inside {}",
                   said_name(blame, 60));
    case VERDICT_QUEUED:
        return is_stalled(r)
                   ? S("does not start queued kernels: another process, the driver "
                       "or the profiler blocks it")
                   : say(a, "starts queued kernels late, most often {}", said(blame));
    case VERDICT_GRAPH:
        return graph_words(a, report_idle(r), most);
    case VERDICT_HIDDEN:
        return S("may have work that is not recorded");
    case VERDICT_TURNS:
    case VERDICT_PEERS:
        return say(a, "waits for {}", said(blame));
    case VERDICT_UNKNOWN:
        return pool == POOL_START
                   ? S("waits for its first launches; one step does not show whether "
                       "this recurs")
                   : S("waits for work whose launch call is not recorded, so the cause "
                       "is unknown");
    default:
        return S("waits for the host");
    }
}

/* So much of another pool is told. */
static const double TOLD_PCT = 5;

/* ", for 9.2% for data, for 7.8% in synchronising or memory calls": the other pools of
 * the same cause. */
static struct str own_words(struct arena *a, const struct report *r,
                            enum idle_pool pool)
{
    static const struct str words[IDLE_POOLS] = {
        [POOL_HOST] = S_INIT("for the host"),
        [POOL_INPUT] = S_INIT("for data"),
        [POOL_CALLS] = S_INIT("in synchronising or memory calls")};
    struct str all = S("");
    for (int p = 0; p < IDLE_POOLS && is_own(pool); p++)
        if (p != (int)pool && words[p].n &&
            report_pool_pct(r, (enum idle_pool)p) >= TOLD_PCT)
            all = say(a, "{}, for {}% {}", said(all),
                      said(number_pct(a, report_pool_pct(r, (enum idle_pool)p))),
                      said(words[p]));
    return all;
}

/* Collectives that would bind the run if the host did not take more. */
static struct str beside_words(struct arena *a, const struct report *r,
                               enum idle_pool pool, const struct subject *t)
{
    bool much = t->of.exposed_comm_pct >= MUCH_PCT && report_pool_pct(r, pool) > 0;
    return much ? say(a, "; exposed collectives take {}%",
                      said(number_pct(a, t->of.exposed_comm_pct)))
                : S("");
}

/* Of the time before an input comes, what the recording shows nothing of. */
static struct str unseen_words(struct arena *a, const struct report *r,
                               enum idle_pool pool)
{
    const struct idle_result *idle = report_idle(r);
    int64_t ns = 0;
    for (int k = 0; k < idle->n_groups && pool == POOL_INPUT; k++)
        if (idle->groups[k].class == IDLE_NOTHING && !idle->groups[k].leaf.n)
            ns += idle->groups[k].pool_ns[POOL_INPUT];
    double pct = 100.0 * (double)ns / 1e6 / r->timeline.total_ms;
    return pct >= TOLD_PCT
               ? say(a, "; for {}% of the time nothing is recorded on the host",
                     said(number_pct(a, pct)))
               : S("");
}

/* "Host-bound: the GPU is idle for 39.0% of 2.00 s and waits for the host.", or how
 * much of it if that is not nearly all. */
static struct str idle_sentence(struct arena *a, const struct report *r,
                                const struct subject *t)
{
    enum idle_pool pool = largest_pool(r);
    double pct = report_pool_pct(r, pool);
    struct str kind =
                   pool == POOL_START ? S("one step recorded") : kinds[r->verdict_kind],
               total = number_time(a, r->timeline.total_ms),
               idle = number_pct(a, t->of.idle_pct), waits = waits_words(a, r, pool),
               unseen = unseen_words(a, r, pool);
    struct str begin =
        say(a, "{}: {} is idle for {}% of {}", said(str_capital(a, kind)), said(t->who),
            said(idle), said(total));
    if (pct >= 0.9 * t->of.idle_pct)
        return say(a, "{} and {}{}{}.", said(begin), said(waits), said(unseen),
                   said(beside_words(a, r, pool, t)));
    return say(a, "{}; for {}% of the time it {}{}{}{}.", said(begin),
               said(number_pct(a, pct)), said(waits), said(own_words(a, r, pool)),
               said(unseen), said(beside_words(a, r, pool, t)));
}

/* A GPU that always runs a kernel may be nearly empty all the same. */
static struct str empty_words(struct arena *a, const struct report *r)
{
    const double HALF_PCT = 50, KNOWN_PCT = 60;
    const struct op_tables *t = r->analysis ? r->analysis->tables : NULL;
    const struct device_fill *f = t ? &t->fill : NULL;
    if (!f || !f->rows || !(f->work.empty_pct >= HALF_PCT) ||
        !(f->work.known_pct >= KNOWN_PCT))
        return S("");
    return say(a, ", but kernels leave {}% of its {} without a block",
               said_pct(f->work.empty_pct), said(device_fill_units(f)));
}

/* Nothing that waits is worth a recommendation, and of the kernels the trace does not
 * tell how well they run. */
static bool has_kernels_left(const struct report *r, const struct subject *t)
{
    const double NEARLY_ALL_PCT = 90, LITTLE_PCT = 3;
    if (!r->n_findings || !title_asks_to_measure(r->findings[0].of->title) ||
        !(t->of.computation_pct >= NEARLY_ALL_PCT))
        return false;
    for (int k = 0; k < r->n_findings; k++)
        if (r->findings[k].of->impact.high_pct >= LITTLE_PCT)
            return false;
    return true;
}

/* What else there is much of is said beside; several waits that none of them makes the
 * verdict may together be as much as one that would. */
static struct str device_sentence(struct arena *a, const struct report *r,
                                  const struct subject *t)
{
    const double SOME_PCT = 10;
    bool mostly = t->of.computation_pct < 100 - MUCH_PCT;
    enum idle_pool pool = largest_pool(r);
    double pct = report_pool_pct(r, pool);
    struct str how = bound_words(a, r), also = S("");
    if (pct >= SOME_PCT)
        also = say(a, "; for {}% of the time it {}", said(number_pct(a, pct)),
                   said(waits_words(a, r, pool)));
    else if (t->of.idle_pct >= SOME_PCT)
        also = say(a, "; it is idle for {}%", said(number_pct(a, t->of.idle_pct)));
    if (t->of.exposed_comm_pct >= SOME_PCT)
        also = say(a, "{}; exposed collectives take {}%", said(also),
                   said(number_pct(a, t->of.exposed_comm_pct)));
    if (t->of.exposed_memcpy_pct >= SOME_PCT)
        also = say(a, "{}; exposed copies take {}%", said(also),
                   said(number_pct(a, t->of.exposed_memcpy_pct)));
    if (!also.n && has_kernels_left(r, t))
        also = S("; what may be left to gain is in its kernels");
    return say(a, "{}: {} computes for {}% of {}{}{}{}{}.",
               said(mostly ? "Mostly device-bound" : "Device-bound"), said(t->who),
               said(number_pct(a, t->of.computation_pct)),
               said(number_time(a, r->timeline.total_ms)), said(how.n ? ", " : ""),
               said(how), said(empty_words(a, r)), said(also));
}

static struct str hidden_sentence(struct arena *a, const struct report *r)
{
    return say(a,
               "Work is missing from the recording: {}, so the GPU may be idle or busy "
               "for {}% of {}.",
               said(hidden_why(a, r)),
               said(number_pct(a, report_pool_pct(r, POOL_HIDDEN))),
               said(number_time(a, r->timeline.total_ms)));
}

/* "collectives that ...", of which device if there are several. */
static struct str on_which(struct arena *a, const struct subject *t)
{
    return t->of.gpu.n ? say(a, "on {} ", said(t->who)) : S("");
}

/* The host's part, if it would bind the run without the collectives. */
static struct str host_beside_words(struct arena *a, const struct report *r)
{
    double pct = cause_pct(r, POOL_HOST);
    return pct >= MUCH_PCT ? say(a, "; for {}% of the time the GPU waits for the host",
                                 said(number_pct(a, pct)))
                           : S("");
}

/* Most of it, if it is of calls that other calls of their size show to wait. */
static struct str waiting_words(const struct report *r)
{
    const struct analysis *a = r->analysis;
    if (!a || !a->system || r->gpus.n)
        return S("");
    const struct comm_kind *comm = a->system->multi_kernel.comm,
                           *most = &comm[collective_most_exposed(comm)];
    bool waits = collective_is_waiting(most) &&
                 most->exposed_us - most->transfer_us > 500 * a->exposed_comm_ms;
    return waits ? S(", most of it waiting for another rank") : S("");
}

static struct str verdict_sentence(struct arena *a, const struct report *r,
                                   const struct subject *t)
{
    struct str total = number_time(a, r->timeline.total_ms);
    switch (r->verdict_kind) {
    case VERDICT_TURNS:
        return say(a, "{} Together they are active for {}% of {}.",
                   said(r->gpus.headline), said(number_pct(a, r->timeline.busy_pct)),
                   said(total));
    case VERDICT_DEVICE:
        return device_sentence(a, r, t);
    case VERDICT_HIDDEN:
        return hidden_sentence(a, r);
    case VERDICT_COMMUNICATION:
        return say(a,
                   "Communication-bound: {}collectives that computation does not hide "
                   "take {}% of {}{}{}.",
                   said(on_which(a, t)), said(number_pct(a, t->of.exposed_comm_pct)),
                   said(total), said(waiting_words(r)), said(host_beside_words(a, r)));
    case VERDICT_COPIES:
        return say(a, "Copy-bound: {}copies that kernels do not hide take {}% of {}.",
                   said(on_which(a, t)), said(number_pct(a, t->of.exposed_memcpy_pct)),
                   said(total));
    case VERDICT_UNJUDGED: /* report_no_device_verdict */
        return S("");
    default:
        return idle_sentence(a, r, t);
    }
}

/* Where only one of prefill and decode waits for the host, what helps one does not help
 * the other. A phase of less than a tenth of the time is not judged. */
static struct str phase_sentence(struct arena *a, const struct report *r)
{
    const double SOME_PCT = 10;
    const struct report_phase *p[] = {report_phase_of(r, PHASE_PREFILL),
                                      report_phase_of(r, PHASE_DECODE)};
    if ((r->verdict_kind != VERDICT_DEVICE && r->verdict_kind != VERDICT_HOST) ||
        !p[0] || !p[1] || p[0]->wall_pct < SOME_PCT || p[1]->wall_pct < SOME_PCT)
        return S("");
    const struct report_phase *host = p[p[1]->waits_pct >= MUCH_PCT],
                              *device = p[p[1]->waits_pct < MUCH_PCT];
    if (host->waits_pct < MUCH_PCT || device->waits_pct >= MUCH_PCT)
        return S("");
    return say(a,
               "Only {} waits for the host: the GPU is idle for {}% of the time in and "
               "between its steps, in {} for {}%.",
               said(host->id), said(number_pct(a, host->waits_pct)), said(device->id),
               said(number_pct(a, device->waits_pct)));
}

void report_verdict_fill(const struct report_source *s, struct report *r)
{
    struct subject subject = subject_of(s->perm, r);
    r->verdict_kind = kind_of(r, &subject);
    report_lead_fill(s->perm, r);
    r->phases.contrast = phase_sentence(s->perm, r);
    bool judged = r->verdict_kind != VERDICT_UNJUDGED;
    r->verdict_alone = judged ? verdict_sentence(s->perm, r, &subject)
                              : report_no_device_verdict(s->perm, s->t);
    if (r->gpus.n && r->verdict_kind != VERDICT_TURNS)
        r->verdict_alone =
            say(s->perm, "{} {}", said(r->verdict_alone), said(r->gpus.headline));
    r->verdict = say(s->perm, "{}{}{}", said(r->verdict_alone),
                     said(r->phases.contrast.n ? " " : ""), said(r->phases.contrast));
    r->lead = judged
                  ? say(s->perm, "{}{}{}{}", said(report_first_sentence(s->perm, r)),
                        said(report_category_text(s->perm, r)),
                        said(r->device.no_peaks.n ? " " : ""), said(r->device.no_peaks))
                  : report_no_device_lead(s->perm, s->t, r);
    struct str *const texts[] = {&r->verdict_alone, &r->verdict, &r->lead,
                                 &r->recording.says, &r->recording.beside};
    for (size_t i = 0; s->t && i < sizeof texts / sizeof *texts; i++)
        *texts[i] = device_word_put(s->perm, *texts[i], s->t->facts.kind.vendor, 0, 0);
}
