#include "report/job/job_report.h"

#include "analysis/model/device_word.h"
#include "base/arena.h"
#include "base/sha256.h"

#include <math.h>
#include <stdlib.h>

struct str job_verdict_word(enum job_verdict v)
{
    static const struct str words[] = {[JOB_VERDICT_NONE] = S_INIT("none"),
                                       [JOB_VERDICT_LOW] = S_INIT("low"),
                                       [JOB_VERDICT_MEDIUM] = S_INIT("medium"),
                                       [JOB_VERDICT_HIGH] = S_INIT("high")};
    return words[v];
}

struct str suspect_sentence(struct arena *a, const struct job *j,
                            const struct job_suspect *s)
{
    struct str host = j->hosts[s->node];
    return str_printf(a,
                      "Transfers %s node %d%s%.*s%s%s take %.1f times as long as "
                      "those %s: %d of its %d groups are slow, and few others",
                      s->inside ? "within" : "between", s->node, host.n ? " (" : "",
                      STRF(host), host.n ? ")" : "", s->inside ? "" : " and others",
                      s->ratio, s->inside ? "within other nodes" : "without it",
                      s->n_slow, s->n_groups);
}

static void add(struct job_report *r, struct str sentence)
{
    if (r->n_verdict < JOB_VERDICT_MAX)
        r->verdict[r->n_verdict++] = sentence;
}

/* How long it takes, and how long without late ranks. */
static struct str length_text(struct arena *perm, const struct job *j)
{
    int64_t run_ns = j->end_ns - j->start_ns;
    const char *what = j->n_steps > 1 ? "A step of the job" : "The run";
    struct str takes = duration_text(perm, job_per_step_ns(j, run_ns));
    if (j->n_ranks < 2)
        return str_printf(
            perm, "%s takes %.*s on the one rank in the data; the others are unknown",
            what, STRF(takes));
    struct str why = j->no_replay.n
                         ? j->no_replay
                         : S("the replay of the recorded run does not reproduce it");
    if (!j->whatif_shown)
        return str_printf(perm,
                          "%s takes %.*s on %d ranks; what it would take without late "
                          "ranks is not evaluated: %.*s",
                          what, STRF(takes), j->n_ranks, STRF(why));
    int64_t saved_ns = j->identity_ns - j->ideal_ns;
    struct str outside = job_outside_text(perm, j);
    bool less = (double)saved_ns < LOST_FRAC * (double)j->identity_ns;
    if (less && job_may_be_outside(j))
        return str_printf(
            perm,
            "%s takes %.*s on %d ranks: late ranks among these cost less "
            "than 1%% of it, and %c%.*s at most %.1f%% (estimate); no "
            "collective shows how long moving data takes without waiting",
            what, STRF(takes), j->n_ranks, outside.p[0] - 'A' + 'a',
            STRF(str_skip(outside, 1)),
            job_pct((double)(j->identity_ns - j->bare_ns), (double)j->identity_ns));
    if (less)
        return str_printf(perm,
                          "%s takes %.*s on %d ranks; it would be less than 1%% "
                          "shorter if all ranks arrived at the median time (estimate)",
                          what, STRF(takes), j->n_ranks);
    return str_printf(perm,
                      "%s takes %.*s on %d ranks; if all ranks arrived at the median "
                      "time, it would take %.*s, %.1f%% less (estimate)",
                      what, STRF(takes), j->n_ranks,
                      STRF(duration_text(perm, job_per_step_ns(j, j->ideal_ns))),
                      job_pct((double)saved_ns, (double)j->identity_ns));
}

/* What the first sentence is about, and what to do. What is worth knowing of the length
 * beside a headline that tells a saving has its section: two savings confuse. */
static void add_first(struct arena *perm, struct job_report *r)
{
    struct str length = length_text(perm, r->j);
    r->action = job_advice_text(perm, r->j);
    bool headed = job_headline_of(r->j) != HEADLINE_NONE;
    add(r, headed ? job_headline_text(perm, r->j) : length);
    r->length = headed ? length : S("");
    if (r->action.n)
        add(r, str_printf(perm, "What to do: %.*s", STRF(r->action)));
}

/* Of experts: why it has more to compute. */
static struct str load_clause(struct arena *perm, const struct job_rank *r)
{
    return r->load_frac < LOADED ? S("")
           : isnan(r->load_frac)
               ? S("")
               : str_printf(perm,
                            ", because its experts get %.0f%% more than an even share "
                            "of what all-to-all-v sends",
                            100 * (r->load_frac - 1));
}

/* "97%", "at least 87%" of the lateness of each of several, "all" */
static struct str most_of(struct arena *perm, double frac, bool several)
{
    return frac >= 0.995
               ? S("all")
               : str_printf(perm, "%s%.0f%%", several ? "at least " : "", 100 * frac);
}

/* "no single cause covers 80% of its lateness: copies 144 ms, idle 64.9 ms": parts that
 * made it late, without those in which it was ahead. */
static struct str mixed_clause(struct arena *perm, const struct job_rank *r)
{
    static const struct {
        int part;
        const char *name;
    } parts[] = {{SEGMENT_COMPUTE, "computing"},
                 {SEGMENT_COPY, "copies"},
                 {SEGMENT_IDLE, "idle"}};
    struct str text = S("no single cause covers 80% of its lateness");
    int n = 0;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (r->late.part_ns[parts[k].part] > 0)
            text = str_printf(
                perm, "%.*s%s %s %.*s", STRF(text), n++ ? "," : ":", parts[k].name,
                STRF(duration_text(perm, r->late.part_ns[parts[k].part])));
    return text;
}

/* "97% of its lateness is idle: Python" */
static struct str cause_clause(struct arena *perm, const struct job *j)
{
    const struct job_rank *first = &j->ranks[j->named[0]];
    bool several = j->n_named > 1;
    double frac = job_common_cause(j);
    if (frac < 0)
        return S("the causes differ from rank to rank");
    if (str_eq(first->cause, S("compute")))
        return str_printf(perm,
                          "%scomputes longer than the others (%.*s of its "
                          "lateness)%.*s",
                          several ? "each " : "", STRF(most_of(perm, frac, several)),
                          STRF(load_clause(perm, first)));
    if (str_eq(first->cause, S("mixed")))
        return mixed_clause(perm, first);
    /* The headline says what for; a class of idle time beside it would be another
     * cause. */
    bool told = job_headline_of(j) == HEADLINE_LATE && j->n_reasons &&
                j->reasons[0].because.n && str_starts(first->cause, S("idle"));
    return str_printf(perm,
                      several ? "%.*s of the lateness of each is %.*s"
                              : "%.*s of its lateness is %.*s",
                      STRF(most_of(perm, frac, several)),
                      STRF(told ? S("idle time of its GPU") : first->cause));
}

static struct str shorter(struct arena *perm, const struct job *j, int64_t total_ns)
{
    int64_t ns = j->identity_ns - total_ns;
    return str_printf(perm, "%.*s shorter (%.1f%%, estimate)",
                      STRF(duration_text(perm, ns)),
                      job_pct((double)ns, (double)j->identity_ns));
}

/* What it is worth to have the named ranks at the median, if the headline
 * does not say it. */
static void add_fixed(struct arena *perm, struct job_report *r)
{
    const struct job *j = r->j;
    const struct job_rank *first = &j->ranks[j->named[0]];
    if (job_headline_of(j) != HEADLINE_LATE && j->named_ns >= 0 &&
        j->named_ns < j->identity_ns)
        add(r, str_printf(perm, "With %.*s at the median the run would be %.*s",
                          STRF(j->n_named > 1
                                   ? S("these ranks together")
                                   : str_printf(perm, "rank %d alone", first->rank)),
                          STRF(shorter(perm, j, j->named_ns))));
    if (str_starts(first->cause, S("idle")))
        add(r,
            S("The profiler itself slows the host: confirm this in a run without it"));
}

/* Whether all named ranks are in groups whose transfers are slow, which the headline is
 * about: they come late to others for that. */
static bool are_late_by_links(const struct job *j)
{
    if (job_headline_of(j) != HEADLINE_LINKS)
        return false;
    for (int i = 0; i < j->n_named; i++) {
        bool slow = false;
        for (int g = 0; g < j->n_groups && !slow; g++)
            for (int k = 0; j->groups[g].is_slow && k < j->groups[g].n_ranks; k++)
                slow |= j->groups[g].ranks[k] == j->ranks[j->named[i]].rank;
        if (!slow)
            return false;
    }
    return true;
}

static void add_late(struct arena *perm, struct job_report *r)
{
    const struct job *j = r->j;
    int64_t run_ns = j->end_ns - j->start_ns;
    if (j->n_ranks < 2)
        return;
    if (!j->has_several) {
        add(r, S("Which rank is late is unknown: no collective of one rank matches one "
                 "of another by group, number, kind or time"));
        return;
    }
    if (!j->n_named && job_headline_of(j))
        return;
    if (!j->n_named) {
        add(r,
            str_printf(perm,
                       "No rank is late enough to be named: waiting takes %.1f%% of "
                       "the time of all ranks%s",
                       job_pct((double)j->wait_ns, (double)run_ns * j->n_ranks),
                       j->whatif_shown ? ", and no rank alone costs the run 1%" : ""));
        return;
    }
    double blame = 0;
    for (int i = 0; i < j->n_named; i++)
        blame += j->ranks[j->named[i]].blame;
    struct str who = job_late_text(perm, j), sure = job_verdict_word(j->verdict);
    double pct = job_pct(blame, (double)j->wait_ns);
    if (are_late_by_links(j)) {
        add(r, str_printf(perm,
                          "%.0f%% of the waiting is for %.*s (confidence %.*s: %.*s), "
                          "whose own transfers take longer",
                          pct, STRF(who), STRF(sure), STRF(j->verdict_reason)));
        return;
    }
    add(r,
        str_printf(perm,
                   "%.*s %s late and %s %.0f%% of the waiting (confidence %.*s: %.*s); "
                   "%.*s",
                   STRF(str_capital(perm, who)), j->n_named > 1 ? "arrive" : "arrives",
                   j->n_named > 1 ? "cause" : "causes", pct, STRF(sure),
                   STRF(j->verdict_reason), STRF(cause_clause(perm, j))));
    add_fixed(perm, r);
}

/* Nodes with slow wires. */
static void add_links(struct arena *perm, struct job_report *r)
{
    const struct job *j = r->j;
    for (int i = 0; i < j->n_suspects; i++)
        add(r, str_printf(perm, "%.*s%.*s",
                          STRF(suspect_sentence(perm, j, &j->suspects[i])),
                          STRF(j->n_suspects == 1 && j->links_ns >= 0
                                   ? str_printf(perm,
                                                "; if they were as fast as the others, "
                                                "the run would be %.*s",
                                                STRF(shorter(perm, j, j->links_ns)))
                                   : S(""))));
}

/* Who is missing may be who is late. */
static void add_missing(struct arena *perm, struct job_report *r)
{
    const struct job *j = r->j;
    int64_t run_ns = j->end_ns - j->start_ns;
    struct str who = job_outside_text(perm, j);
    if (j->n_missing || j->n_unread)
        add(r, job_data_text(perm, j));
    if (!j->n_lacking && j->n_missing && !j->has_complete)
        add(r, str_printf(perm,
                          "%.*s may be %s: no collective has all its ranks in the "
                          "data, which would show it",
                          STRF(who), j->n_named ? "later still" : "the late one"));
    /* By chance a rank outside the data comes last as often as others. */
    bool costs = j->joined_ns < 0 ||
                 (double)(j->identity_ns - j->joined_ns) >= LOST_FRAC * (double)run_ns;
    if ((double)j->lacking_ns < LOST_FRAC * (double)run_ns || !costs ||
        job_headline_of(j) == HEADLINE_OUTSIDE)
        return;
    add(r, str_printf(perm,
                      "%.*s may be the late one: %d collectives move data only after "
                      "all ranks in the data wait, %.*s longer than usual in all "
                      "(%.1f%% of the run)",
                      STRF(who), j->n_lacking, STRF(duration_text(perm, j->lacking_ns)),
                      job_pct((double)j->lacking_ns, (double)run_ns)));
}

static void add_check(struct job_report *r, const char *what, bool evaluated, bool good,
                      struct str says)
{
    if (r->n_checks < JOB_CHECKS_MAX)
        r->checks[r->n_checks++] =
            (struct job_check){str_of(what), says, good, evaluated};
}

static void check_data(struct arena *perm, struct job_report *r)
{
    const struct job *j = r->j;
    add_check(r, "All ranks have a trace", true, !j->n_missing,
              j->n_missing
                  ? str_printf(perm,
                               "%d of %d ranks have no trace, the first of them %d",
                               j->n_missing, j->n_expected, j->missing[0])
                  : str_printf(perm, "%d of %d", j->n_ranks, j->n_expected));
    add_check(r, "All inputs can be read", true, !j->n_unread,
              j->n_unread
                  ? str_printf(perm,
                               "%d cannot and %s left out; the warnings of this "
                               "run say why",
                               j->n_unread, str_plural(j->n_unread, "is", "are"))
                  : S("none is left out"));
    add_check(r, "One trace a rank", true, !j->n_duplicates,
              j->n_duplicates ? str_printf(perm,
                                           "%d more traces of ranks that have one "
                                           "are left out",
                                           j->n_duplicates)
                              : S("no rank has two"));
    int differ = 0;
    for (int i = 1; i < j->n_ranks; i++)
        differ += !str_eq(j->ranks[i].options, j->ranks[0].options) ||
                  !str_eq(j->ranks[i].tool, j->ranks[0].tool);
    add_check(r, "Ranks were recorded alike", j->n_ranks > 1, !differ,
              differ ? str_printf(perm,
                                  "%d ranks were recorded with other options or "
                                  "summarised by another version: that alone can "
                                  "make a rank late",
                                  differ)
                     : j->ranks[0].options);
}

/* Ranks that were recorded for a shorter time than others, or cut. */
static void check_steps(struct arena *perm, struct job_report *r)
{
    const struct job *j = r->j;
    int most = 0, fewer = 0, first = -1;
    for (int i = 0; i < j->n_ranks; i++)
        most = j->ranks[i].n_steps > most ? j->ranks[i].n_steps : most;
    for (int i = 0; i < j->n_ranks; i++)
        if (j->ranks[i].n_steps < most) {
            fewer++;
            first = first < 0 ? i : first;
        }
    add_check(r, "Ranks have the same steps", j->n_ranks > 1 && most, !fewer,
              !most   ? S("no steps are marked")
              : fewer ? str_printf(perm,
                                   "%d %s fewer than the %d steps of others, the first "
                                   "of them rank %d with %d; steps that all have "
                                   "are compared",
                                   fewer, str_plural(fewer, "rank has", "ranks have"),
                                   most, j->ranks[first].rank, j->ranks[first].n_steps)
                      : str_printf(perm, "%d on each rank", most));
}

static void check_matching(struct arena *perm, struct job_report *r)
{
    const struct job *j = r->j;
    int64_t n[CONFIDENCE_LEVELS] = {0}, unmatched = 0, mismatched = 0, all = 0;
    for (int g = 0; g < j->n_groups; g++) {
        n[j->groups[g].confidence] += j->groups[g].n_members;
        unmatched += j->groups[g].n_unmatched;
        mismatched += j->groups[g].n_mismatched;
        all += j->groups[g].n_members;
    }
    add_check(
        r, "Collectives of several ranks are matched", j->n_ranks > 1,
        j->has_several && !unmatched && !n[CONFIDENCE_NONE] && !n[CONFIDENCE_ORDER],
        str_printf(perm,
                   "exact %lld, verified %lld, aligned %lld, in order %lld "
                   "of %lld; not matched %lld",
                   (long long)n[CONFIDENCE_EXACT], (long long)n[CONFIDENCE_VERIFIED],
                   (long long)n[CONFIDENCE_ALIGNED], (long long)n[CONFIDENCE_ORDER],
                   (long long)all, (long long)unmatched));
    add_check(r, "Members agree on kind and size", j->n_ranks > 1, !mismatched,
              mismatched ? str_printf(perm, "%lld %s", (long long)mismatched,
                                      str_plural(mismatched, "member differs",
                                                 "members differ"))
                         : S("all do"));
    add_check(r, "No rank outside the data came last",
              j->n_ranks > 1 && (j->has_complete || j->n_lacking), !j->n_lacking,
              j->n_lacking
                  ? str_printf(perm,
                               "%d %s longer than others of their size although the "
                               "ranks in the data are all there",
                               j->n_lacking,
                               str_plural(j->n_lacking, "collective lasts",
                                          "collectives last"))
                  : S("no collective waits when the ranks in the data are there"));
}

static void check_clocks(struct arena *perm, struct job_report *r)
{
    const struct job *j = r->j;
    int64_t most_ns = 0, spread_ns = 0;
    int applied = 0;
    for (int i = 0; i < j->n_ranks; i++) {
        int64_t ns = llabs(j->ranks[i].offset_ns);
        most_ns = ns > most_ns ? ns : most_ns;
        spread_ns =
            j->ranks[i].spread_ns > spread_ns ? j->ranks[i].spread_ns : spread_ns;
        applied += j->ranks[i].clock_applied;
    }
    bool asked = j->options.clock != CLOCK_NONE;
    add_check(
        r, "Clocks agree", asked && j->n_ranks > 1 && j->n_clock_checked > 0,
        j->clock_good,
        !asked ? S("not asked for: arrivals follow from the lengths of collectives")
               : str_printf(
                     perm,
                     "%.*s: at most %.*s apart, spread %.*s; corrected for %d "
                     "ranks; %lld of %lld ends come before the last arrival%s",
                     STRF(j->clock_method), STRF(duration_text(perm, most_ns)),
                     STRF(duration_text(perm, spread_ns)), applied,
                     (long long)j->n_clock_violations, (long long)j->n_clock_checked,
                     j->clock_free
                         ? "; arrivals follow from the lengths of collectives instead"
                         : ""));
    double with = (double)j->wait_ns, without = (double)j->free_wait_ns;
    add_check(
        r, "Waiting with and without clocks agrees",
        !j->clock_free && j->n_ranks > 1 && with > 0,
        fabs(with - without) <= fmax(0.02 * with, 5000.0 * (double)j->n_instances),
        j->clock_free ? S("waiting follows from lengths alone")
                      : str_printf(perm, "%.*s by arrivals, %.*s by lengths alone",
                                   STRF(duration_text(perm, j->wait_ns)),
                                   STRF(duration_text(perm, j->free_wait_ns))));
    int64_t run_ns = j->end_ns - j->start_ns;
    add_check(r, "The replay gives the recorded run", j->n_ranks > 1 && !j->no_replay.n,
              j->whatif_shown,
              j->no_replay.n ? j->no_replay
                             : str_printf(perm, "%.*s for %.*s",
                                          STRF(duration_text(perm, j->identity_ns)),
                                          STRF(duration_text(perm, run_ns))));
}

/* Equal ids mean equal reports: of the same traces, made the same way. */
static struct str id_of(struct arena *perm, const struct job *j, struct str version,
                        struct str setup)
{
    struct sha256_ctx c;
    char hex[SHA256_HEX_BYTES];
    sha256_init(&c);
    sha256_update(&c, (size_t)version.n, (const uint8_t *)(const void *)version.p);
    sha256_update(&c, (size_t)setup.n, (const uint8_t *)(const void *)setup.p);
    for (int i = 0; i < j->n_ranks; i++)
        sha256_update(&c, (size_t)j->ranks[i].sha256.n,
                      (const uint8_t *)(const void *)j->ranks[i].sha256.p);
    sha256_hex(&c, hex);
    return str_copy(perm, str_head(str_of(hex), 16));
}

/* The sentences name the device that all ranks have. */
static void name_device(struct arena *perm, struct job_report *r)
{
    const struct job *j = r->j;
    struct str vendor = j->n_ranks ? j->ranks[0].vendor : S("");
    for (int i = 0; i < j->n_ranks; i++)
        if (!str_eq(j->ranks[i].vendor, vendor))
            return;
    r->vendor = vendor;
    r->action = device_word_put(perm, r->action, vendor, 0, 0);
    for (int i = 0; i < r->n_verdict; i++)
        r->verdict[i] = device_word_put(perm, r->verdict[i], vendor, 0, 0);
    for (int i = 0; i < r->n_checks; i++)
        r->checks[i].says = device_word_put(perm, r->checks[i].says, vendor, 0, 0);
}

struct job_report job_report_make(struct arena *perm, const struct job *j,
                                  struct str tool_version, struct str setup)
{
    struct job_report r = {.share_level = S("internal"),
                           .j = j,
                           .tool_version = tool_version,
                           .id = id_of(perm, j, tool_version, setup)};
    job_spreads(*perm, j, r.spread);
    add_first(perm, &r);
    add_late(perm, &r);
    add_links(perm, &r);
    add_missing(perm, &r);
    check_data(perm, &r);
    check_steps(perm, &r);
    check_matching(perm, &r);
    check_clocks(perm, &r);
    int64_t counting = 0;
    for (int32_t i = 0; i < j->n_instances; i++)
        counting += j->instances[i].n_members > 1;
    r.data =
        str_printf(perm, "%d of %d ranks, %d %s, %lld multi-rank collectives%.*s",
                   j->n_ranks, j->n_expected, j->n_nodes,
                   str_plural(j->n_nodes, "node", "nodes"), (long long)counting,
                   STRF(j->n_steps ? str_printf(perm, ", %d %s", j->n_steps,
                                                str_plural(j->n_steps, "step", "steps"))
                                   : S("; no steps are marked")));
    name_device(perm, &r);
    return r;
}

struct str exact_us_text(struct arena *a, int64_t ns)
{
    int64_t size = ns < 0 ? -ns : ns;
    int rest = (int)(size % 1000);
    return str_printf(a, rest ? "%s%lld.%03d" : "%s%lld", ns < 0 ? "-" : "",
                      (long long)(size / 1000), rest);
}

struct str rank_shift_text(struct arena *a, const struct job *j,
                           const struct job_rank *r, int64_t at_ns)
{
    return exact_us_text(a, at_ns - j->start_ns - rank_trace_ns(r, at_ns));
}
