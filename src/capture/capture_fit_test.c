#include "capture_fit.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Two of each, which fit: a misfit is made of it by one number. */
struct fit {
    struct capture c;
    struct capture_node nodes[2];
    struct capture_row rows[2];
    struct capture_event events[2];
    struct capture_bin bins[2];
    struct capture_step steps[2];
    struct capture_block blocks[2], covers[2];
    struct capture_group groups[1];
    struct capture_signature signatures[1];
    struct capture_collective collectives[2], p2p[1];
};

static void make(struct fit *x)
{
    struct capture_collective one = {
        .peer = -1, .start_ns = 50, .dur_ns = 10, .compute_ns = 20, .idle_ns = 20};
    *x = (struct fit){
        .nodes = {{.parent = -1}, {.parent = 0, .depth = 1}},
        .rows = {{.node = 1}, {.node = 0}},
        .events = {{.start_ns = 10, .end_ns = 20, .row = 1},
                   {.start_ns = 15, .end_ns = 30, .row = 0}},
        .bins = {{0, 5, 1}, {1, 4, 2}},
        .steps = {{.start_ns = 10, .end_ns = 20}, {.start_ns = 20, .end_ns = 30}},
        .blocks = {{10, 10}, {20, 80}},
        .covers = {{10, 10}, {20, 80}},
        .groups = {{.size = 2}},
        .collectives = {one, one},
        .p2p = {one}};
    x->collectives[1].start_ns = 90;
    x->c = (struct capture){.nodes = x->nodes,
                            .n_nodes = 2,
                            .rows = x->rows,
                            .n_rows = 2,
                            .events = x->events,
                            .n_events = 2,
                            .bins = x->bins,
                            .n_bins = 2,
                            .steps = x->steps,
                            .n_steps = 2,
                            .start_ns = 10,
                            .end_ns = 30,
                            .ranks = {.start_ns = 10,
                                      .end_ns = 100,
                                      .groups = x->groups,
                                      .n_groups = 1,
                                      .signatures = x->signatures,
                                      .n_signatures = 1,
                                      .collectives = x->collectives,
                                      .n_collectives = 2,
                                      .p2p = x->p2p,
                                      .n_p2p = 1,
                                      .blocks = x->blocks,
                                      .n_blocks = 2,
                                      .covers = x->covers,
                                      .n_covers = 2}};
}

#define MISFIT(at, change)                                                             \
    do {                                                                               \
        struct fit x;                                                                  \
        make(&x);                                                                      \
        change;                                                                        \
        struct capture_misfit m = capture_misfit_of(&x.c);                             \
        if (!m.where || strcmp(m.where, at) != 0)                                      \
            fail_msg("%s: %s, not %s", #change, m.where ? m.where : "fits", at);       \
    } while (0)

static void what_fits_has_no_fault(void **state)
{
    (void)state;
    struct fit x;
    make(&x);
    assert_null(capture_misfit_of(&x.c).what);
    x.collectives[1].compute_ns = 60; /* all of the time before it */
    x.collectives[1].dur_ns = 10;     /* to the end of the recording */
    assert_null(capture_misfit_of(&x.c).what);
}

static void each_fault_is_found(void **state)
{
    (void)state;
    MISFIT("events", x.events[1].row = 2);
    MISFIT("events", x.events[1].start_ns = 9);
    MISFIT("events", x.events[1].end_ns = INT64_MAX);
    MISFIT("paths", x.nodes[1].parent = 1);
    MISFIT("paths", x.nodes[1].depth = 2);
    MISFIT("paths", x.nodes[0].parent = 0);
    MISFIT("operators", x.rows[0].node = 2);
    MISFIT("histograms", x.bins[1].row = 2);
    MISFIT("histograms", x.bins[0].row = 1; x.bins[1].row = 0);
    MISFIT("histograms", x.bins[1].bin = CALL_BINS);
    MISFIT("histograms", x.bins[1].n = 0);
    MISFIT("meta", x.c.end_ns = 9);
    MISFIT("steps", x.steps[1].start_ns = 19);
    MISFIT("parts", x.steps[1].parts_ns[0] = -1);
    MISFIT("parts", x.c.parts_ns[1] = CAPTURE_TIME_MAX_NS + 1);
    MISFIT("meta", x.c.origin.base_ns = 2 * CAPTURE_TIME_MAX_NS);
    MISFIT("meta", x.c.ranks.rank = RANKS_MAX);
    MISFIT("meta", x.c.ranks.idle_ns = -1);
    MISFIT("blocks", x.blocks[1].start_ns = 19);
    MISFIT("blocks", x.blocks[1].dur_ns = 81);
    MISFIT("blocks", x.blocks[0].start_ns = 9);
    MISFIT("covers", x.covers[1].start_ns = 19);
    MISFIT("groups", x.groups[0].size = -1);
    MISFIT("signatures", x.signatures[0].group = 1);
    MISFIT("signatures", x.signatures[0].out_elements = ELEMENTS_MAX + 1);
    MISFIT("collectives", x.collectives[0].signature = 1);
    MISFIT("collectives", x.collectives[0].peer = -2);
    MISFIT("collectives", x.collectives[1].start_ns = 49);
    MISFIT("collectives", x.collectives[1].dur_ns = 11);
    MISFIT("collectives", x.collectives[0].copy_ns = 1); /* more than lies before it */
    MISFIT("collectives", x.collectives[0].cause_ns[0] = -1);
    MISFIT("p2p", x.p2p[0].signature = -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_has_no_fault),
        cmocka_unit_test(each_fault_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
