#include "whatif/what_if.c"

#include "base/out.h"
#include "store/store_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Times are us; a call and its device work share a number. */
#define HOST(name, tid, ts, end, corr)                                                 \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"" name                          \
    "\",\"pid\":1,\"tid\":" #tid ",\"ts\":" #ts                                        \
    ",\"dur\":" SPAN(ts, end) ",\"args\":{\"correlation\":" #corr "}},"
#define DEVICE(cat, name, stream, ts, end, corr)                                       \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name                               \
    "\",\"pid\":0,\"tid\":" #stream ",\"ts\":" #ts                                     \
    ",\"dur\":" SPAN(ts, end) ",\"args\":{\"correlation\":" #corr                      \
                              ",\"stream\":" #stream "}},"
#define OP(tid, ts, end)                                                               \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\",\"pid\":1,\"tid\":" #tid         \
    ",\"ts\":" #ts ",\"dur\":" SPAN(ts, end) "},"
/* A duration as written in the trace: "@from,to@", filled in by `durations`. */
#define SPAN(from, to)                "@" #from "," #to "@"
#define LAUNCH(tid, ts, end, corr)    HOST("cudaLaunchKernel", tid, ts, end, corr)
#define KERNEL(stream, ts, end, corr) DEVICE("kernel", "k", stream, ts, end, corr)
#define COPY(stream, ts, end, corr)   DEVICE("gpu_memcpy", "c", stream, ts, end, corr)
#define SYNC(name, ts, end)           HOST(name, 1, ts, end, 900)

enum { US = 1000 };

static struct arena perm, tmp;
static char *perm_start, *tmp_start;
static struct event_store s;
static struct trace_view view;
static struct schedule o;
static struct what_if w;

static int set_up(void **state)
{
    (void)state;
    perm = arena_reserve((ptrdiff_t)1 << 26);
    tmp = arena_reserve((ptrdiff_t)1 << 26);
    perm_start = perm.at;
    tmp_start = tmp.at;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    store_close(&s);
    arena_release(perm_start, &perm);
    arena_release(tmp_start, &tmp);
    return 0;
}

/* The text with each "@from,to@" replaced by to - from. */
static const char *durations(const char *json)
{
    struct out to;
    out_memory(&to);
    for (; *json; json++)
        if (*json == '@') {
            char *end;
            long from = strtol(json + 1, &end, 10), until = strtol(end + 1, &end, 10);
            out_printf(&to, "%ld", until - from);
            json = end; /* the second @ */
        } else
            out_c(&to, (char[]){*json, 0});
    return str_c(&tmp, out_text(&to, &tmp));
}

static void replay_json(const char *json)
{
    struct err e = {0};
    assert_true(case_store(&s, durations(json), 0, &e));
    view = view_build(&perm, tmp, &s, (struct view_options){0});
    o = schedule_build(&perm, tmp, &view);
    w = what_if_open(&perm, &o);
    int64_t saved_ns[WHAT_IF_LANES];
    what_if_run(&w, saved_ns);
    assert_true(o.facts.exact);
    assert_int_equal(o.facts.recorded_ns, view.timeline.total_ns);
    for (int l = 0; l < WHAT_IF_LANES; l++)
        assert_int_equal(saved_ns[l], 0);
}
#define END         "{\"ph\":\"i\",\"name\":\"end\",\"ts\":1}]"
#define REPLAY(...) replay_json("[" __VA_ARGS__ END)

/* The k-th device event in the order of the file. */
static void shorten(int lane, int k, int64_t us)
{
    what_if_shorten(&w, 1u << lane, view.launch.all[k], us * US);
}

/* The thread of the k-th event. */
static void cut(int lane, event_id of, int64_t from_us, int64_t to_us)
{
    what_if_cut(&w, 1u << lane, s.lane[of], from_us * US, to_us * US);
}

#define SAVES(...)                                                                     \
    do {                                                                               \
        const int64_t want[WHAT_IF_LANES] = {__VA_ARGS__};                             \
        int64_t saved_ns[WHAT_IF_LANES];                                               \
        what_if_run(&w, saved_ns);                                                     \
        for (int lane = 0; lane < WHAT_IF_LANES; lane++)                               \
            assert_int_equal(saved_ns[lane], want[lane] * US);                         \
    } while (0)

/* A call of 20 us, of which what comes before it stays; on a stream of its own, cut
 * twice it takes no more than the 25 us from the call before. */
static void a_call_goes_with_its_kernel(void **state)
{
    (void)state;
    REPLAY(LAUNCH(1, 0, 2, 1) LAUNCH(1, 90, 95, 2) LAUNCH(1, 100, 120, 3)
               KERNEL(7, 4, 5, 1) KERNEL(7, 96, 97, 2) KERNEL(8, 122, 140, 3));
    what_if_skip_call(&w, 1u << 0, view.launch.all[2], 1);
    what_if_skip_call(&w, 1u << 1, view.launch.all[2], 0.5);
    for (int k = 0; k < 2; k++)
        what_if_skip_call(&w, 1u << 2, view.launch.all[2], 1);
    what_if_skip_call(&w, 1u << 3, view.launch.all[1], 1);
    SAVES(20, 10, 25, 5);
}

/* Three kernels wait in the queue: what one saves, the run saves, to the full time of
 * the kernel and not beyond. Afterwards the changes are forgotten. */
static void a_device_bound_run_saves_in_full(void **state)
{
    (void)state;
    REPLAY(LAUNCH(1, 0, 2, 1) LAUNCH(1, 3, 5, 2) LAUNCH(1, 6, 8, 3) KERNEL(7, 10, 40, 1)
               KERNEL(7, 40, 80, 2) KERNEL(7, 80, 100, 3));
    shorten(0, 1, 15);
    shorten(1, 1, 40);
    shorten(2, 1, 1000);
    shorten(3, 0, 10);
    shorten(3, 2, 10);
    SAVES(15, 40, 40, 20);
    SAVES(0);
    assert_int_equal(o.facts.events_by[START_QUEUE], 2);
    assert_int_equal(o.facts.events_by[START_LAUNCH], 1);
    assert_true(o.facts.usable);
}

/* What is noted changes nothing; made again, it is as if it had been said of these
 * lanes, and goes together with what else is. */
static void noted_changes_are_made_again(void **state)
{
    (void)state;
    struct what_if_gains noted = {0};
    REPLAY(LAUNCH(1, 0, 2, 1) LAUNCH(1, 3, 5, 2) LAUNCH(1, 6, 8, 3) KERNEL(7, 10, 40, 1)
               KERNEL(7, 40, 80, 2) KERNEL(7, 80, 100, 3));
    what_if_note(&w, &perm, &noted);
    shorten(0, 1, 15);
    shorten(1, 1, 30);
    shorten(1, 2, 5);
    what_if_note(&w, NULL, NULL);
    SAVES(0);
    shorten(4, 0, 10);
    shorten(4, 1, 10);
    what_if_again(&w, 1u << 2 | 1u << 4, &noted);
    SAVES(0, 0, 15, 35, 25, 35);
}

/* A call that waits by what its name means, and whose own copy ends a little after it
 * on the device's clock: it and all that follows come as much earlier as the kernel
 * that it waits for. A call that does not wait keeps its time. */
#define AFTER_A_KERNEL(call)                                                           \
    REPLAY(LAUNCH(1, 0, 2, 1) HOST(call, 1, 5, 130, 2) LAUNCH(1, 140, 142, 3)          \
               KERNEL(7, 10, 110, 1) COPY(8, 112, 131, 2) KERNEL(7, 150, 160, 3))

static void calls_that_wait_end_with_what_they_wait_for(void **state)
{
    (void)state;
    AFTER_A_KERNEL("hipMemcpyWithStream");
    shorten(0, 0, 50);
    SAVES(50);
    store_close(&s);
    AFTER_A_KERNEL("cudaMemcpyToSymbol");
    shorten(0, 0, 50);
    SAVES(50);
    store_close(&s);
    AFTER_A_KERNEL("cudaMemcpyAsync");
    shorten(0, 0, 50);
    SAVES(0);
}

/* A copy made by a kernel inside a call that waits. */
static void a_copy_by_a_kernel_is_waited_for(void **state)
{
    (void)state;
    REPLAY(LAUNCH(1, 0, 2, 1) HOST("hipMemcpyWithStream", 1, 5, 135, 2)
               LAUNCH(1, 140, 142, 3) KERNEL(7, 10, 110, 1) KERNEL(7, 112, 131, 2)
                   KERNEL(7, 150, 160, 3));
    shorten(0, 0, 50);
    shorten(1, 1, 10);
    SAVES(50, 10);
}

#define ASK(ts)              HOST("cudaEventQuery", 1, ts, ts, 900)
#define ASK_FROM(a, b, c, d) ASK(a) ASK(b) ASK(c) ASK(d)

/* The host asks every 10 us whether the kernel is done: it goes on when it is. */
static void a_loop_of_questions_ends_with_what_it_asks_for(void **state)
{
    (void)state;
    REPLAY(LAUNCH(1, 0, 2, 1) ASK_FROM(5, 15, 25, 35) ASK_FROM(45, 55, 65, 75)
               ASK_FROM(85, 95, 105, 115) LAUNCH(1, 120, 122, 2) KERNEL(7, 10, 110, 1)
                   KERNEL(7, 130, 140, 2));
    shorten(0, 0, 50);
    SAVES(50);
}

/* The device waits for each launch: only the last kernel's end can move. */
static void a_host_bound_run_saves_nothing(void **state)
{
    (void)state;
    REPLAY(LAUNCH(1, 0, 2, 1) LAUNCH(1, 50, 52, 2) LAUNCH(1, 100, 102, 3)
               KERNEL(7, 5, 10, 1) KERNEL(7, 55, 60, 2) KERNEL(7, 105, 110, 3));
    shorten(0, 0, 5);
    shorten(0, 1, 5);
    shorten(1, 2, 5);
    cut(2, 0, 10, 40); /* 30 us before the second launch */
    cut(3, 0, 10, 40);
    cut(3, 0, 60, 90);
    cut(4, 0, -20, 0); /* before the window: all of it moves */
    SAVES(0, 5, 30, 60, 0);
    assert_int_equal(o.facts.events_by[START_LAUNCH], 3);
}

/* A gap of 3 us behind the first kernel stays, whatever the kernel takes. */
static void a_gap_in_the_queue_stays(void **state)
{
    (void)state;
    REPLAY(LAUNCH(1, 0, 2, 1) LAUNCH(1, 3, 5, 2) KERNEL(7, 10, 40, 1)
               KERNEL(7, 43, 80, 2));
    shorten(0, 0, 30);
    SAVES(30);
}

/* A kernel that shrinks lets the next one start only as soon as that one's launch
 * allows: 5 us after 30, not at 10. */
static void a_saving_ends_where_the_host_binds(void **state)
{
    (void)state;
    REPLAY(LAUNCH(1, 0, 2, 1) LAUNCH(1, 30, 32, 2) KERNEL(7, 10, 50, 1)
               KERNEL(7, 50, 80, 2));
    shorten(0, 0, 10);
    shorten(1, 0, 40);
    SAVES(10, 15);
}

/* B on stream 8 starts 2 us after A on stream 7, launched long before: it moves with A.
 * C ends early: nothing waits for it. */
static void another_stream_is_waited_for(void **state)
{
    (void)state;
    REPLAY(LAUNCH(1, 0, 2, 1) LAUNCH(1, 3, 5, 2) LAUNCH(1, 6, 8, 3) KERNEL(7, 10, 40, 1)
               KERNEL(8, 42, 70, 2) KERNEL(7, 40, 50, 3));
    shorten(0, 0, 20);
    shorten(1, 2, 10);
    SAVES(20, 0);
    assert_int_equal(o.facts.events_by[START_OTHER], 1);
}

/* Of streams that only take turns, the time between two events of one stream is no
 * usual gap: what all of one stream save, the run saves. */
static void streams_that_take_turns_shorten(void **state)
{
    (void)state;
    struct out to;
    out_memory(&to);
    out_c(&to, "[");
    for (int k = 1; k <= 20; k++)
        out_printf(&to,
                   "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":"
                   "\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1,"
                   "\"args\":{\"correlation\":%d}},",
                   k, k);
    for (int k = 1; k <= 20; k++)
        out_printf(&to,
                   "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,"
                   "\"tid\":%d,\"ts\":%d,\"dur\":200,"
                   "\"args\":{\"correlation\":%d,\"stream\":%d}},",
                   7 + k % 2, 202 * k, k, 7 + k % 2);
    out_c(&to, END);
    replay_json(str_c(&tmp, out_text(&to, &tmp)));
    for (int k = 1; k < 20; k += 2)
        shorten(0, k, 100);
    SAVES(1000);
    assert_int_equal(o.facts.events_by[START_OTHER], 19);
}

/* B was launched late, so its launch bound it; but an event wait before the launch says
 * that it follows A. Without the host's 40 us, A would hold it back. */
static void an_event_wait_orders_streams(void **state)
{
    (void)state;
    REPLAY(LAUNCH(1, 0, 2, 1) HOST("cudaStreamWaitEvent", 1, 58, 59, 90)
               LAUNCH(1, 60, 62, 2) KERNEL(7, 5, 55, 1) KERNEL(8, 65, 75, 2));
    cut(0, 0, 10, 50);
    SAVES(10);
}

/* The host waits for the first kernel and launches again. A shorter kernel brings all
 * forward; a host that does not wait is held up by the queue: the second kernel would
 * start at 17, but the first ends at 50. */
static void a_synchronising_call_waits(void **state)
{
    (void)state;
    REPLAY(LAUNCH(1, 0, 2, 1) SYNC("cudaStreamSynchronize", 4, 52) LAUNCH(1, 60, 62, 2)
               KERNEL(7, 5, 50, 1) KERNEL(7, 65, 75, 2));
    shorten(0, 0, 20);
    shorten(1, 0, 45);
    cut(2, 0, 52, 60);
    cut(3, 0, 10, 40); /* inside the wait: not the host's own time */
    cut(4, 0, 4, 52);  /* the call is gone */
    cut(5, 0, 50, 60); /* its last 2 us, and what comes behind */
    SAVES(20, 45, 8, 0, 15, 10);
}

/* A device synchronisation waits for the stream that ends last: if that one shrinks,
 * for the other. */
static void a_device_synchronisation_waits_for_all(void **state)
{
    (void)state;
    REPLAY(LAUNCH(1, 0, 2, 1) LAUNCH(1, 3, 5, 2) SYNC("cudaDeviceSynchronize", 6, 52)
               LAUNCH(1, 60, 62, 3) KERNEL(7, 5, 50, 1) KERNEL(8, 8, 40, 2)
                   KERNEL(7, 65, 75, 3));
    shorten(0, 0, 5);
    shorten(1, 0, 30);
    shorten(2, 0, 30);
    shorten(2, 1, 15);
    SAVES(5, 10, 25);
}

/* A copy inside its own call: the call ends with the copy, which waits for the kernel.
 */
static void a_pageable_copy_waits(void **state)
{
    (void)state;
    REPLAY(LAUNCH(1, 0, 2, 1) HOST("cudaMemcpyAsync", 1, 10, 100, 2) LAUNCH(
        1, 110, 112, 3) KERNEL(7, 5, 90, 1) COPY(7, 92, 95, 2) KERNEL(7, 115, 120, 3));
    shorten(0, 0, 30);
    shorten(1, 1, 3);
    SAVES(30, 3);
}

/* 200 kernels of 100 us are launched 2 us apart; the next launch, at 400, returns only
 * at 1012, after the tenth kernel ended at 1010. Long after the queue is empty the host
 * launches once more. What kernels save before 1010, the host saves too; what later
 * ones save is lost while the device waits for the host. */
static void a_full_queue_holds_the_host(void **state)
{
    (void)state;
    enum { QUEUED = 200 };
    struct out text;
    out_memory(&text);
    out_c(&text, "[");
    for (int k = 0; k <= QUEUED; k++) {
        out_printf(&text, LAUNCH(1, % d, % d, % d), 2 * k, 2 * k,
                   k < QUEUED ? 2 * k + 1 : 1012, k);
        out_printf(&text, KERNEL(7, % d, % d, % d), 10 + 100 * k, 10 + 100 * k,
                   110 + 100 * k, k);
    }
    out_c(&text, LAUNCH(1, 30000, 30002, 500) KERNEL(7, 30005, 30010, 500));
    out_c(&text, END);
    replay_json(str_c(&tmp, out_text(&text, &tmp)));
    shorten(0, 3, 50);
    shorten(1, 100, 50);
    SAVES(50, 0);
}

/* Without 58 us of host time the second launch comes at 2, but its kernel waits for the
 * first one, until 45 in place of 65. */
static void a_fixed_host_leaves_the_device_bound(void **state)
{
    (void)state;
    REPLAY(LAUNCH(1, 0, 2, 1) LAUNCH(1, 60, 62, 2) KERNEL(7, 5, 45, 1)
               KERNEL(7, 65, 75, 2));
    cut(0, 0, 2, 60);
    cut(1, 0, 2, 60);
    shorten(1, 0, 10); /* worth nothing until the host is fixed */
    shorten(2, 0, 10);
    SAVES(20, 30, 0);
}

/* Kernels of a GPU graph queue behind one another, whether or not the call that
 * launched them has returned; what others launch on another stream holds none of them,
 * and how long they wait says nothing of the latency of a launch. */
static void work_of_a_graph_queues_behind_its_own(void **state)
{
    (void)state;
    REPLAY(HOST("cudaGraphLaunch", 1, 0, 100, 1) LAUNCH(2, 20, 22, 2)
               KERNEL(7, 10, 40, 1) KERNEL(8, 30, 79, 2) KERNEL(7, 40, 70, 1)
                   KERNEL(7, 80, 120, 1) KERNEL(7, 120, 200, 1));
    shorten(0, 0, 20);
    shorten(1, 2, 20);
    shorten(2, 1, 40);
    SAVES(20, 20);
}

/* The main thread launches, autograd's does, and the main thread again: each follows
 * the other, so host time of either moves all that comes later. */
static void threads_hand_over(void **state)
{
    (void)state;
    REPLAY(LAUNCH(1, 0, 2, 1) LAUNCH(2, 50, 52, 2) LAUNCH(1, 100, 102, 3)
               KERNEL(7, 5, 10, 1) KERNEL(7, 55, 60, 2) KERNEL(7, 105, 110, 3));
    cut(0, 1, 10, 50);
    cut(1, 0, 60, 90);
    SAVES(40, 30);
}

/* The main thread begins operators while the other one launches: it does not wait. */
static void threads_run_side_by_side(void **state)
{
    (void)state;
    REPLAY(LAUNCH(1, 0, 2, 1) LAUNCH(2, 50, 52, 2) LAUNCH(1, 100, 102, 3) OP(1, 51, 55)
               KERNEL(7, 5, 10, 1) KERNEL(7, 55, 60, 2) KERNEL(7, 105, 110, 3));
    cut(0, 1, 10, 50);
    cut(1, 0, 60, 90);
    SAVES(0, 30);
}

/* Two events of one stream at once: the second does not wait for the end of the first.
 */
static void overlapping_events_share_a_start(void **state)
{
    (void)state;
    REPLAY(LAUNCH(1, 0, 2, 1) LAUNCH(1, 3, 5, 2) KERNEL(7, 10, 100, 1)
               KERNEL(7, 20, 30, 2));
    shorten(0, 0, 90);
    SAVES(70);
}

/* 30 of 100 us have no launch: exact, but of no use. */
static void a_trace_without_launches_is_not_used(void **state)
{
    (void)state;
    REPLAY(LAUNCH(1, 0, 2, 1) KERNEL(7, 5, 75, 1) KERNEL(7, 200, 230, 2));
    assert_false(o.facts.usable);
    assert_int_equal(o.facts.unlinked_ns, 30 * US);
    assert_int_equal(o.facts.events_by[START_NONE], 1);
}

/* The window of a step: the host needs 100 us before its launch, and 60 behind its
 * wait.
 */
static void the_edges_of_the_window_are_replayed(void **state)
{
    (void)state;
    replay_json(
        "{\"traceEvents\":["
        "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":"
        "\"ProfilerStep#1\",\"pid\":1,\"tid\":1,\"ts\":100,\"dur\":210}," LAUNCH(1, 200,
                                                                                 205, 1)
            KERNEL(7, 210, 240, 1) SYNC("cudaDeviceSynchronize", 206, 250) "{}]}");
    assert_int_equal(o.facts.recorded_ns, 210 * US);
    int64_t saved_ns[WHAT_IF_LANES];
    int32_t host = view.s->lane[o.points.at[0].call];
    what_if_cut(&w, 1u << 0, host, 100 * US, 150 * US); /* before the launch */
    what_if_cut(&w, 1u << 1, host, 260 * US, 300 * US); /* behind the wait */
    what_if_shorten(&w, 1u << 2, view.counted[0], 30 * US);
    what_if_free_host(&w, 1u << 3);
    what_if_run(&w, saved_ns);
    assert_int_equal(saved_ns[0], 50 * US);
    assert_int_equal(saved_ns[1], 40 * US);
    assert_int_equal(saved_ns[2], 30 * US);
    assert_true(saved_ns[3] >= 160 * US && saved_ns[3] < 180 * US);
}

/* Three calls of 8 us, one after the other, with kernels of 2 us: half of each call is
 * 8 of the 16 us between the first kernel and the last. A cut of half the calls besides
 * takes nothing more, and a cut of all of them is all. */
static void launches_get_cheaper_by_a_part(void **state)
{
    (void)state;
    REPLAY(LAUNCH(1, 0, 8, 1) KERNEL(7, 10, 12, 1) LAUNCH(1, 8, 16, 2)
               KERNEL(7, 18, 20, 2) LAUNCH(1, 16, 24, 3) KERNEL(7, 26, 28, 3));
    event_id call = view_issue(&view, view.launch.all[0]);
    what_if_ease_launches(&w, 1u << 0, 0.5);
    what_if_ease_launches(&w, 1u << 1, 1);
    cut(2, call, 0, 24);
    what_if_ease_launches(&w, 1u << 2, 1);
    cut(3, call, 8, 12);
    cut(3, call, 16, 20);
    what_if_ease_launches(&w, 1u << 3, 0.5);
    int64_t saved_ns[WHAT_IF_LANES];
    what_if_run(&w, saved_ns);
    assert_int_equal(saved_ns[0], 8 * US);
    assert_int_equal(saved_ns[1], saved_ns[2]);
    assert_true(saved_ns[1] > saved_ns[0]);
    assert_int_equal(saved_ns[3], saved_ns[0]); /* half is gone already */
}

/* What takes 2 ms before a launch is work of its own. */
static void long_host_work_is_not_eased(void **state)
{
    (void)state;
    REPLAY(LAUNCH(1, 0, 8, 1) KERNEL(7, 10, 12, 1) LAUNCH(1, 2000, 2008, 2)
               KERNEL(7, 2010, 2012, 2));
    what_if_ease_launches(&w, 1u << 0, 1);
    SAVES(0, 0, 0, 0, 0, 0, 0, 0);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_device_bound_run_saves_in_full),
        CASE(a_call_goes_with_its_kernel),
        CASE(noted_changes_are_made_again),
        CASE(launches_get_cheaper_by_a_part),
        CASE(long_host_work_is_not_eased),
        CASE(a_host_bound_run_saves_nothing),
        CASE(a_gap_in_the_queue_stays),
        CASE(a_saving_ends_where_the_host_binds),
        CASE(another_stream_is_waited_for),
        CASE(streams_that_take_turns_shorten),
        CASE(an_event_wait_orders_streams),
        CASE(a_synchronising_call_waits),
        CASE(a_device_synchronisation_waits_for_all),
        CASE(a_pageable_copy_waits),
        CASE(calls_that_wait_end_with_what_they_wait_for),
        CASE(a_copy_by_a_kernel_is_waited_for),
        CASE(a_loop_of_questions_ends_with_what_it_asks_for),
        CASE(a_full_queue_holds_the_host),
        CASE(a_fixed_host_leaves_the_device_bound),
        CASE(work_of_a_graph_queues_behind_its_own),
        CASE(threads_hand_over),
        CASE(threads_run_side_by_side),
        CASE(overlapping_events_share_a_start),
        CASE(a_trace_without_launches_is_not_used),
        CASE(the_edges_of_the_window_are_replayed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
