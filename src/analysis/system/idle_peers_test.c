#include "idle_peers.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { US = 1000 };

/* GPU 0 works until 10 us and from 1000 us on; what its gap is, by what happens in it.
 * Times in us; from 0 to 0: not at all. */
struct peer_case {
    double work[2]; /* of GPU 2; GPU 1 works from 100 to 120 us if GPU 2 does at all */
    double wait[2]; /* a call of the host waits for a device */
    double call_us; /* that launches what ends the gap */
    double hole[2];
    int wait_thread, before_thread; /* 0: thread 1 */
    bool queued, ends_the_run, has_no_call;
    double launches[2]; /* of a kernel for another device, by thread 1 */
    const char *want;
    int device; /* that it waited for last */
};

static struct span span_of(const double us[2])
{
    return (struct span){(int64_t)(us[0] * US), (int64_t)(us[1] * US)};
}

/* The rest of the gap is when no device works. */
static int rows_of_all(struct gap_row *rows, const struct interval_set *others)
{
    int64_t at = 10 * US;
    int n = 0;
    for (ptrdiff_t k = 0; k <= others->n; k++) {
        int64_t to = k < others->n ? others->spans[k].start_ns : 1000 * US;
        if (to > at)
            rows[n++] = (struct gap_row){at, to - at, -1, -1, false, -1};
        at = k < others->n ? others->spans[k].end_ns : to;
    }
    return n;
}

/* clang-format off */
#define WORKS_ON "all 100, works 500, "

static const struct peer_case cases[] = {
    /* the host waits as long as others work, or longer, and then takes its time */
    {.work = {110, 500}, .wait = {200, 600}, .call_us = 900,
     .want = WORKS_ON "all 600, own 1000", .device = 2},
    {.work = {110, 500}, .wait = {200, 300}, .call_us = 900,
     .want = "all 100, works 300, own 1000", .device = 2},
    /* a short wait: until they are done, or for something else */
    {.work = {110, 500}, .wait = {450, 510}, .call_us = 900,
     .want = WORKS_ON "all 510, own 1000", .device = 2},
    {.work = {110, 500}, .wait = {200, 299}, .call_us = 900, .want = "own 1000", .device = -1},
    {.work = {110, 500}, .wait = {510, 700}, .call_us = 900, .want = "own 1000", .device = -1},
    /* the launch was early enough, whatever the host waits for then */
    {.work = {110, 500}, .wait = {200, 600}, .call_us = 350,
     .want = WORKS_ON "all 1000", .device = 2},
    /* launched: others work until just before it starts, or some time before */
    {.work = {110, 990}, .call_us = 20, .want = "all 100, works 990, all 1000", .device = 2},
    {.work = {110, 980}, .call_us = 950, .want = "all 100, works 980, all 1000", .device = 2},
    {.work = {110, 970}, .call_us = 950, .want = "own 1000", .device = -1},
    {.work = {110, 920}, .call_us = 898, .want = "all 100, works 920, all 1000", .device = 2},
    {.work = {110, 920}, .call_us = 901, .want = "own 1000", .device = -1},
    {.work = {110, 120}, .call_us = 20, .want = "all 100, works 120, all 1000", .device = 1},
    {.work = {110, 500}, .call_us = 5, .queued = true,
     .want = WORKS_ON "all 1000", .device = 2},
    {.call_us = 20, .want = "own 1000", .device = -1},
    /* behind its last work; nobody knows who launched it */
    {.work = {110, 500}, .call_us = 950, .ends_the_run = true,
     .want = WORKS_ON "all 1000", .device = 2},
    {.work = {110, 500}, .call_us = 950, .has_no_call = true, .want = "own 1000", .device = -1},
    /* what is no time at all */
    {.work = {110, 990}, .call_us = 20, .hole = {300, 400},
     .want = "all 100, works 300, hole 400, works 990, all 1000", .device = 2},
    {.work = {110, 500}, .call_us = 950, .hole = {300, 400},
     .want = "own 300, hole 400, own 1000", .device = -1},
    /* the thread of the work before waits, or a third one */
    {.work = {110, 500}, .wait = {200, 600}, .call_us = 900, .wait_thread = 1,
     .before_thread = 1, .want = WORKS_ON "all 600, own 1000", .device = 2},
    {.work = {110, 500}, .wait = {200, 600}, .call_us = 900, .wait_thread = 2,
     .before_thread = 1, .want = "own 1000", .device = -1},
    /* the launches for others are what takes long */
    {.work = {140, 990}, .call_us = 995, .launches = {100, 140},
     .want = "all 100, own 120, all 140, own 990, all 1000", .device = -1},
};
/* clang-format on */

static void gap_is(const struct peer_case *x)
{
    static const char *const words[] = {"own", "all", "works", "hole"};
    struct trace_case c;
    char got[200] = "";
    case_begin(&c);
    case_event(&c, "cuda_runtime", "cudaLaunchKernel", x->before_thread + 1, 1, 1,
               "\"correlation\":1");
    case_kernel(&c, "k0", 7, 2, 8, 1);
    if (x->wait[1] > 0)
        case_event(&c, "cuda_runtime", "cudaStreamSynchronize", x->wait_thread + 1,
                   x->wait[0], x->wait[1] - x->wait[0], "");
    for (int k = 0; k < 2 && x->launches[1] > 0; k++)
        case_launch(&c, "other", x->launches[k] - 20, x->launches[k], 5, 10 + k);
    case_call(&c, "cudaLaunchKernel", x->call_us, 1, 2);
    case_kernel(&c, "k1", 7, 1000, 8, 2);
    case_open(&c, NULL);
    struct span spans[] = {{100 * US, 120 * US}, span_of(x->work)},
                both[] = {spans[0], spans[1]};
    struct interval_set busy[] = {{0}, {spans, 1}, {spans + 1, 1}};
    struct gap_row rows[8];
    struct idle_gaps all = {.rows = rows};
    struct idle_peers p = {.busy = busy, .n = 3, .all = &all, .hole = span_of(x->hole)};
    if (x->work[1] > 0)
        p.others = interval_union(c.tmp, both, 2);
    all.n = rows_of_all(rows, &p.others);
    for (int k = 0; k < 2 && x->launches[1] > 0; k++)
        rows[k].after = case_find(&c, "other", k);
    struct gap_row gap = {.start_ns = 10 * US,
                          .dur_ns = 990 * US,
                          .before = case_find(&c, "k0", 0),
                          .after = x->ends_the_run ? -1 : case_find(&c, "k1", 0),
                          .queued = x->queued};
    event_id call =
        x->ends_the_run || x->has_no_call ? -1 : view_issue(&c.view, gap.after);
    struct peer_walk w = peer_walk_of(&p, &c.view, &gap, call);
    enum peer_part part;
    for (struct span to; peer_walk_next(&w, &part, &to);)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s %d",
                 *got ? ", " : "", words[part], (int)(to.end_ns / US));
    if (strcmp(got, x->want) != 0 || w.device != x->device)
        fail_msg("case %d: %s (%d), not %s (%d)", (int)(x - cases), got, w.device,
                 x->want, x->device);
    case_close(&c);
}

static void a_gap_by_what_others_do(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        gap_is(&cases[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_gap_by_what_others_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
