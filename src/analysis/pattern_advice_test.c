/* The shipped advice about copies, communication and fusion, each with its evidence and
 * with its counter-evidence beside it. */
#include "analysis/lua/pattern_host.h"

#include "analysis/library_case.h"
#include "analysis/model/work_facts.h"
#include "analysis/pattern_advice_cases.h"
#include "analysis/system/system_advice.h"
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Puts a fact behind the n others if its key is not among them. Returns their number.
 */
static int put_untold(struct work_fact *values, int n, struct work_fact fact)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(values[i].key, fact.key))
            return n;
    values[n] = fact;
    return n + 1;
}

/* Facts that few cases tell; of gradients is all that is exposed. */
static int put_quiet(struct work_fact *values, int n)
{
    static const char *const quiet[] = {"pin_saves_pct",
                                        "host_gb_per_s",
                                        "host_link_gb_per_s",
                                        "pinned_ms",
                                        "batches",
                                        "in_rows",
                                        "most_ms",
                                        "most_needs_ms",
                                        "most_kib",
                                        "late_count",
                                        "late_calls",
                                        "late_ms",
                                        "late_median_us",
                                        "waits_pct",
                                        "fastest_us",
                                        "all_reduce_count",
                                        "send_recv_exposed_ms",
                                        "send_recv_count",
                                        "send_recv_mib",
                                        "send_recv_median_us",
                                        "by_launch",
                                        "slow_link",
                                        "link_gb_per_s",
                                        "typical_mib",
                                        "typical_ranks",
                                        "far",
                                        "typical_gb_per_s",
                                        "queued_count",
                                        "queued_ms",
                                        "all_reduce_row",
                                        "spare_pct",
                                        "scalars_per_step",
                                        "wide_ms",
                                        "scalars_exposed_ms",
                                        "most_gb_per_s",
                                        "norm_exposed_ms",
                                        "data_parallel",
                                        "saved",
                                        "optimizer",
                                        "foreign",
                                        "gb",
                                        "joins_ms",
                                        "buckets",
                                        "buckets_ms",
                                        "split_ratio",
                                        "split_low",
                                        "split_high",
                                        "split_rank",
                                        "split_rank_pct",
                                        "by_hooks",
                                        "device_gib"};
    for (size_t k = 0; k < sizeof quiet / sizeof *quiet; k++)
        n = put_untold(values, n, work_fact_number(quiet[k], 0));
    n = put_untold(values, n, work_fact_text("by", S("by `aten::copy_`")));
    n = put_untold(values, n, work_fact_number("gradients_exposed_ms", 1e9));
    return put_untold(values, n, work_fact_text("most_kind", S("all-reduce")));
}

/* Advice about what is found in C: its facts in words; "trace.training=1" is one of the
 * trace. */
static struct pattern_hit *hits_of(struct pattern_host *host, struct arena *perm,
                                   const char *about, const char *facts, int *n_hits)
{
    enum { MOST = 96 };
    struct analysis a = {0};
    struct work_fact values[MOST];
    int n = 0;
    char text[900], *save, *word;
    snprintf(text, sizeof text, "%s", facts);
    for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '='), *end;
        *value++ = '\0';
        for (char *p = value; *p; p++) /* a blank, as ends a word */
            *p = *p == '+' ? ' ' : *p;
        double v = strtod(value, &end);
        if (strncmp(word, "trace.", 6) == 0)
            work_set(perm, &a, FACT(str_c(perm, str_of(word + 6)), v));
        else
            values[n++] =
                *end ? work_fact_text(word, str_of(value)) : work_fact_number(word, v);
    }
    n = put_quiet(values, n);
    struct pattern_hit *h =
        pattern_host_about(host, perm, &a, str_of(about), values, n, n_hits);
    if (a.n_warnings)
        fail_msg("%s: %.*s", about, STRF(a.warnings[0].text));
    return h;
}

static bool advises(struct pattern_host *host, struct arena *perm, const char *about,
                    const char *id, const char *facts, struct str *title)
{
    int n;
    struct pattern_hit *h = hits_of(host, perm, about, facts, &n);
    bool found = false;
    *title = hits_title(h, n);
    for (int i = 0; i < n; i++)
        found |= str_eq(h[i].id, str_of(id));
    return found;
}

/* Weights of 5.13 GB a step, of a device that has twice that and more, or less; by the
 * hooks of accelerate, or by another wrapper. */
static void an_offload_that_is_not_needed_is_turned_off(void **state)
{
    (void)state;
    static const struct {
        const char *more, *title;
    } cases[] = {{"by_hooks=1 device_gib=23.6",
                  "Turn sequential CPU offload off: its 5.1 GB fit in 24 GB"},
                 {"by_hooks=1 device_gib=8", "Keep more of the model on the GPU"},
                 {"by_hooks=1 device_gib=0", "Keep more of the model on the GPU"},
                 {"by_hooks=0 device_gib=23.6", "Keep more of the model on the GPU"}};
    struct arena perm = arena_reserve(64 << 20);
    char *start = perm.at;
    struct pattern_host *host = library_open(&perm, NULL, 0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct str title;
        char facts[500];
        snprintf(facts, sizeof facts,
                 "direction=H2D total_ms=200 joins_buffers=0 between_devices=0 "
                 "repeated=160 room_ms=500 saves=0 steps=1 count=160 small=0 waited=0 "
                 "mean_us=1290 pageable=0 pinned=160 exposed_ms=200 saved=0 gb=5.13 "
                 "offloads=1 %s",
                 cases[k].more);
        assert_true(advises(host, &perm, "copies", "offloaded_weights", facts, &title));
        assert_true(str_starts(title, str_of(cases[k].title)));
    }
    pattern_host_close(host);
    arena_release(start, &perm);
}

static void advice_asks_the_trace(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(64 << 20);
    char *start = perm.at;
    struct pattern_host *host = library_open(&perm, NULL, 0);
    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++) {
        struct str title;
        if (!advises(host, &perm, advices[i].about, advices[i].id, advices[i].with,
                     &title))
            fail_msg("%s is not given: %s", advices[i].id, advices[i].with);
        if (advises(host, &perm, advices[i].about, advices[i].id, advices[i].without,
                    &title))
            fail_msg("%s is given against: %s", advices[i].id, advices[i].without);
    }
    for (int i = 0; i < pattern_host_count(host); i++) { /* every one has a case */
        struct pattern_info info = pattern_host_info(host, i);
        bool here = str_eq(info.category, S("multi_kernel")) ||
                    str_eq(info.category, S("kernel_fusion"));
        bool found = !here;
        for (size_t k = 0; k < sizeof advices / sizeof *advices; k++)
            found |= str_eq(info.id, str_of(advices[k].id));
        if (!found)
            fail_msg("no case for %.*s", STRF(info.id));
    }
    pattern_host_close(host);
    arena_release(start, &perm);
}

#define LARGE(pin_saves_pct)                                                           \
    "direction=D2H total_ms=108 joins_buffers=0 between_devices=0 repeated=12 "        \
    "room_ms=50 saves=0 count=12 small=0 waited=0 mean_us=9000 pageable=12 pinned=0 "  \
    "exposed_ms=100 pin_saves_pct=" pin_saves_pct

/* Large copies of one size to pageable memory: what pinning leaves of them decides. */
static void pinning_leads_where_it_does_most(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(64 << 20);
    char *start = perm.at;
    struct pattern_host *host = library_open(&perm, NULL, 0);
    struct str title;
    assert_false(advises(host, &perm, "copies", "work_on_device", LARGE("50"), &title));
    assert_true(str_starts(title, S("Pin what is copied to the host")));
    assert_true(advises(host, &perm, "copies", "work_on_device", LARGE("49"), &title));
    assert_true(str_starts(title, S("Compute on the GPU")));
    pattern_host_close(host);
    arena_release(start, &perm);
}

/* Half of what the platform's link does, or less, is the link's fault first. */
static void a_slow_host_link_is_checked_first(void **state)
{
    (void)state;
    static const struct {
        const char *facts;
        bool told;
    } cases[] = {{"host_gb_per_s=6.3 host_link_gb_per_s=31.5 ", true},
                 {"host_gb_per_s=16 host_link_gb_per_s=31.5 ", false},
                 {"host_gb_per_s=0 host_link_gb_per_s=31.5 ", false},
                 {"host_gb_per_s=6.3 host_link_gb_per_s=0 ", false}};
    struct arena perm = arena_reserve(64 << 20);
    char *start = perm.at;
    struct pattern_host *host = library_open(&perm, NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int n;
        char facts[900];
        snprintf(facts, sizeof facts, "%s" LARGE("0"), cases[i].facts);
        struct pattern_hit *h = hits_of(host, &perm, "copies", facts, &n);
        struct str said = hits_text(&perm, h, n, false);
        assert_int_equal(
            str_has(said, S("pinned copies reach 6.3 GB/s of its 31.5 GB/s")),
            cases[i].told);
        assert_true(
            str_has(said, S("on a separate stream while kernels run: 100.0 ms")));
    }
    pattern_host_close(host);
    arena_release(start, &perm);
}

#define QUEUED                                                                         \
    "slow_link=1 queued_count=2 queued_ms=3 queued_mib=16 queued_gb_per_s=4 "          \
    "exposed_ms=10 room_ms=4 trace.training=1 "
#define TOO_MUCH(kind, training)                                                       \
    "most_kind=" kind " exposed_ms=10 room_ms=4 trace.training=" training " "

#define EXCHANGE(experts, attention)                                                   \
    "trace.fused_experts_pct=" experts " trace.fused_attention_pct=" attention         \
    " all_to_all_count=5 all_to_all_ms=12 all_to_all_exposed_ms=10 " COMM(             \
        "exposed_ms=10 room_ms=50 trace.training=0")

/* What the advice says, and what it does not: the rate that calls bound, the link where
 * it is known, and how each kind of collective gets shorter. */
static void advice_says_what_is_known(void **state)
{
    (void)state;
    static const struct {
        const char *facts, *says, *omits;
    } cases[] = {
        {"link_gb_per_s=448 " COMM(QUEUED),
         "16 MiB take 3.00 ms, so a GPU sends about 4 GB/s, where its links do 448 "
         "GB/s.",
         "{"},
        {"link_gb_per_s=0 " COMM(QUEUED), "sends about 4 GB/s.", "where its links"},
        {"far=1 link_gb_per_s=448 " COMM(QUEUED), "sends about 4 GB/s.",
         "where its links"},
        {"late_unsized=2 late_count=2 late_calls=99 late_ms=9 late_median_us=500 " COMM(
             TOO_MUCH("all-reduce", "1")),
         "2 of 99 all-reduce calls take 9.00 ms more than their median",
         "same message size"},
        {EXCHANGE("0", "50"), "exchange heads in chunks", "index exchange"},
        {EXCHANGE("20", "50"), "or the shared experts", "heads"},
        {EXCHANGE("0", "0"), "or the index exchange", "heads"},
        {COMM(TOO_MUCH("all-to-all", "1")),
         "overlap that much (another micro-batch, work that needs no exchange)",
         "compressed gradients"},
        {COMM(TOO_MUCH("all-reduce", "1")), "send fewer bytes (compressed gradients)",
         "each token"},
        {COMM(TOO_MUCH("all-reduce", "0")), "send fewer bytes (activations in 8 bits)",
         "gradients"},
    };
    struct arena perm = arena_reserve(64 << 20);
    char *start = perm.at;
    struct pattern_host *host = library_open(&perm, NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int n;
        char facts[900];
        snprintf(facts, sizeof facts,
                 NO_REDUCE QUIET("all_to_all") QUIET("all_gather") " %s",
                 cases[i].facts);
        struct pattern_hit *h = hits_of(host, &perm, "communication", facts, &n);
        struct str said = hits_text(&perm, h, n, false);
        if (!str_has(said, str_of(cases[i].says)) ||
            str_has(said, str_of(cases[i].omits)))
            fail_msg("%s: %.*s", cases[i].facts, STRF(said));
    }
    pattern_host_close(host);
    arena_release(start, &perm);
}

/* Of ranks that are known, over their link, which inside a machine is known, too. */
static void a_typical_rate_names_its_link(void **state)
{
    (void)state;
    static const struct {
        const char *facts, *says;
    } cases[] = {
        {"typical_gb_per_s=nan",
         "x of 8.0 MiB moves 16.0 GB/s: compare with the links"},
        {"typical_gb_per_s=40 typical_mib=2 typical_ranks=8 link_gb_per_s=450",
         "x of 2.0 MiB moves 40.0 GB/s over the link of each GPU: the link does 450."},
        {"typical_gb_per_s=40 typical_mib=2 typical_ranks=8 link_gb_per_s=0",
         "over the link of each GPU: compare with the links of this node."},
        {"typical_gb_per_s=40 typical_mib=2 typical_ranks=16 far=1 link_gb_per_s=450",
         "over the link of each GPU: its 16 ranks are more than most machines hold"},
        {"typical_gb_per_s=24 typical_mib=48 typical_ranks=16 far=1 link_gb_per_s=300",
         "the network between them. One network card of 200 Gbit/s carries 25 GB/s"},
        {"typical_gb_per_s=2 typical_mib=8 typical_ranks=16 link_gb_per_s=450",
         "slower than any link inside a node"}};
    struct arena perm = arena_reserve(64 << 20);
    char *start = perm.at;
    struct pattern_host *host = library_open(&perm, NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int n;
        char facts[900];
        snprintf(facts, sizeof facts,
                 "exposed_ms=10 comm_ms=20 room_ms=50 trace.training=1 longest_kind=x "
                 "longest_median_gb_per_s=16 longest_median_mib=8 longest_mib=8 "
                 "longest_ms=6 longest_ratio=2 reduce_scatter_per_step=0 "
                 "reduce_scatter_backward=0 reduce_scatter_ms=0 "
                 "reduce_scatter_exposed_ms=0 reduce_scatter_mib=nan "
                 "reduce_scatter_median_us=9 " NO_REDUCE QUIET("all_to_all")
                     QUIET("all_gather") "%s",
                 cases[i].facts);
        struct pattern_hit *h = hits_of(host, &perm, "communication", facts, &n);
        struct str said = hits_text(&perm, h, n, true);
        if (!str_has(said, str_of(cases[i].says)))
            fail_msg("%s: %.*s", cases[i].facts, STRF(said));
    }
    pattern_host_close(host);
    arena_release(start, &perm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_offload_that_is_not_needed_is_turned_off),
        cmocka_unit_test(advice_asks_the_trace),
        cmocka_unit_test(pinning_leads_where_it_does_most),
        cmocka_unit_test(a_slow_host_link_is_checked_first),
        cmocka_unit_test(a_typical_rate_names_its_link),
        cmocka_unit_test(advice_says_what_is_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
