#include "formats/perfetto_read.h"

#include "base/arena.h"
#include "base/wire_write.h"
#include "formats/perfetto_state.h"
#include "store/store_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { SEQUENCE = 1, PID = 9, GPU_QUEUE = 100 };

/* A file that is written packet by packet. */
struct file {
    struct out bytes, packet, event, part, inner;
};

static void file_open(struct file *f)
{
    out_memory(&f->bytes);
    out_memory(&f->packet);
    out_memory(&f->event);
    out_memory(&f->part);
    out_memory(&f->inner);
}

static void file_close(struct file *f)
{
    out_free(&f->bytes);
    out_free(&f->packet);
    out_free(&f->event);
    out_free(&f->part);
    out_free(&f->inner);
}

static void end_packet(struct file *f, uint64_t at_ns)
{
    put_number(&f->packet, 8, at_ns);
    put_number(&f->packet, 10, SEQUENCE);
    put_message(&f->bytes, 1, &f->packet);
}

static void intern(struct file *f, uint32_t field, uint64_t iid, const char *text)
{
    put_number(&f->part, 1, iid);
    put_text(&f->part, field == 1000 ? 3 : 2, str_of(text));
    put_message(&f->event, field, &f->part);
    put_message(&f->packet, 12, &f->event);
    end_packet(f, 0);
}

static void thread(struct file *f, uint64_t uuid, uint64_t tid, const char *name)
{
    put_number(&f->event, 1, uuid);
    put_number(&f->part, 1, PID);
    put_number(&f->part, 2, tid);
    put_text(&f->part, 5, str_of(name));
    put_message(&f->event, 4, &f->part);
    put_message(&f->packet, 60, &f->event);
    put_message(&f->bytes, 1, &f->packet);
}

static void named_track(struct file *f, uint64_t uuid, const char *name)
{
    put_number(&f->event, 1, uuid);
    put_text(&f->event, 2, str_of(name));
    put_message(&f->packet, 60, &f->event);
    put_message(&f->bytes, 1, &f->packet);
}

static void annotate(struct file *f, const char *key, int64_t value)
{
    put_text(&f->part, 10, str_of(key));
    put_number(&f->part, 4, (uint64_t)value);
    put_message(&f->event, 4, &f->part);
}

/* A begin, its annotations written before. */
static void begin(struct file *f, uint64_t at_ns, uint64_t track, const char *cat,
                  const char *name)
{
    put_number(&f->event, 9, 1);
    put_number(&f->event, 11, track);
    put_text(&f->event, 22, str_of(cat));
    put_text(&f->event, 23, str_of(name));
    put_message(&f->packet, 11, &f->event);
    end_packet(f, at_ns);
}

static void end(struct file *f, uint64_t at_ns, uint64_t track)
{
    put_number(&f->event, 9, 2);
    put_number(&f->event, 11, track);
    put_message(&f->packet, 11, &f->event);
    end_packet(f, at_ns);
}

static void extra(struct file *f, const char *key, const char *value)
{
    put_text(&f->part, 1, str_of(key));
    put_text(&f->part, 2, str_of(value));
    put_message(&f->event, 6, &f->part);
}

/* Work of GPU 0, its extra data written before. */
static void stage(struct file *f, uint64_t at_ns, uint64_t dur_ns, uint64_t kind,
                  uint64_t name_iid)
{
    put_number(&f->event, 1, 77);
    put_number(&f->event, 2, dur_ns);
    put_number(&f->event, 11, 0);
    put_number(&f->event, 13, GPU_QUEUE);
    put_number(&f->event, 14, kind);
    if (name_iid)
        put_number(&f->event, 20, name_iid);
    put_message(&f->packet, 53, &f->event);
    end_packet(f, at_ns);
}

static void stages(struct file *f)
{
    intern(f, 24, 1, "Kernel");
    intern(f, 24, 2, "Memcpy");
    intern(f, 24, 4, "Annotation");
    intern(f, 24, GPU_QUEUE, "[0007] stream 7");
    intern(f, 2, 1, "gemm<true>");
}

static bool read_bytes(struct event_store *s, struct str bytes, ptrdiff_t window,
                       struct err *e)
{
    char path[32];
    case_file(path, bytes.p, (size_t)bytes.n);
    struct store_options o = {.source = {.window_bytes = window}};
    bool done = store_read(s, path, &o, e);
    unlink(path);
    return done;
}

static void read_file(struct event_store *s, struct file *f, ptrdiff_t window)
{
    struct err e = {0};
    if (!read_bytes(s, out_view(&f->bytes), window, &e))
        fail_msg("%s", e.what);
}

static struct str text_of(const struct event_store *s, name_id id)
{
    return pool_text(&s->names, id);
}

static void assert_event(const struct event_store *s, event_id i, int cat,
                         const char *name, int64_t start_ns, int64_t dur_ns)
{
    assert_int_equal(s->cat[i], cat);
    assert_true(str_eq(store_name(s, i), str_of(name)));
    assert_int_equal(s->start_ns[i], start_ns);
    assert_int_equal(store_dur_ns(s, i), dur_ns);
}

/* As PyTorch writes: all begins, all ends, then device work; the clock from 1970. */
static void write_torch(struct file *f)
{
    const uint64_t base = 1700000000000000000u;
    for (uint64_t clock = 6; clock; clock = clock == 6 ? 1 : 0) {
        put_number(&f->part, 1, clock);
        put_number(&f->part, 2, base);
        put_message(&f->event, 1, &f->part);
    }
    put_message(&f->packet, 6, &f->event);
    end_packet(f, base);
    thread(f, 5, 12, "main");
    stages(f);
    annotate(f, "External id", 31);
    /* "Input Dims": [[2, 3], []] */
    put_text(&f->part, 10, S("Input Dims"));
    put_number(&f->inner, 4, 2);
    struct out list;
    out_memory(&list);
    put_message(&list, 12, &f->inner);
    put_number(&f->inner, 4, 3);
    put_message(&list, 12, &f->inner);
    put_message(&f->part, 12, &list);
    put_message(&f->part, 12, &list);
    put_message(&f->event, 4, &f->part);
    out_free(&list);
    begin(f, base + 1000, 5, "cpu_op", "aten::mm");
    annotate(f, "correlation", 8);
    annotate(f, "cbid", 211);
    begin(f, base + 2000, 5, "cuda_runtime", "cudaLaunchKernel");
    begin(f, base + 5000, 5, "cpu_op", "aten::add");
    end(f, base + 5000, 5);
    end(f, base + 3000, 5);
    end(f, base + 6000, 5);
    extra(f, "correlation", "8");
    extra(f, "stream id", "42"); /* where it ran before it was moved */
    extra(f, "arch", "sm_90");
    extra(f, "Process Group Name", "0");
    extra(f, "Group size", "2");
    stage(f, base + 9000, 700, 1, 1);
    extra(f, "bytes", "4096");
    stage(f, base + 9800, 100, 2, 0);
    stage(f, base + 9000, 900, 4, 1);
}

static void check_torch(struct event_store *s)
{
    assert_int_equal(s->n, 6);
    assert_event(s, 0, CAT_KERNEL, "gemm<true>", 9000, 700);
    assert_event(s, 1, CAT_MEMCPY, "Memcpy", 9800, 100);
    assert_event(s, 2, CAT_GPU_ANNOTATION, "gemm<true>", 9000, 900);
    assert_event(s, 3, CAT_CPU_OP, "aten::mm", 1000, 4000);
    assert_event(s, 4, CAT_RUNTIME, "cudaLaunchKernel", 2000, 1000);
    assert_event(s, 5, CAT_CPU_OP, "aten::add", 5000, 1000);
    assert_int_equal(store_correlation(s, 0), 8);
    assert_int_equal(store_correlation(s, 4), 8);
    assert_int_equal(store_stream(s, 0), 7);
    assert_int_equal(store_bytes(s, 1), 4096);
    assert_int_equal(store_external_id(s, 3), 31);
    assert_true(str_eq(text_of(s, store_texts(s, 3)->dims), S("[[2,3],[]]")));
    assert_true(str_eq(text_of(s, store_texts(s, 0)->rest),
                       S("{\"Process Group Name\":\"0\",\"Group size\":2}")));
    const struct lane *host = &s->lanes[s->lane[3]], *gpu = &s->lanes[s->lane[0]];
    assert_true(str_eq(text_of(s, host->pid), S("9")));
    assert_true(str_eq(text_of(s, host->thread_name), S("main")));
    assert_true(str_eq(text_of(s, gpu->tid), S("7")));
    assert_true(str_eq(text_of(s, gpu->thread_name), S("stream 7")));
    assert_true(str_eq(text_of(s, gpu->process_label), S("GPU 0")));
    assert_true(s->machine.base_ns == 1700000000e9);
}

static void what_torch_writes(void **state)
{
    (void)state;
    static const ptrdiff_t windows[] = {0, 1, 7, 64};
    struct file f;
    file_open(&f);
    write_torch(&f);
    for (int k = 0; k < 4; k++) {
        struct event_store s;
        read_file(&s, &f, windows[k]);
        check_torch(&s);
        store_close(&s);
    }
    file_close(&f);
}

/* rocprofv3: each end behind its begin, in no order of time; tracks named after what
 * they show; times in steps of a clock of the sequence. */
static void what_rocprof_writes(void **state)
{
    (void)state;
    struct file f;
    struct event_store s;
    file_open(&f);
    static const uint64_t clocks[][3] = {{6, 5000, 0}, {64, 5000, 1}};
    for (int k = 0; k < 2; k++) {
        put_number(&f.part, 1, clocks[k][0]);
        put_number(&f.part, 2, clocks[k][1]);
        put_number(&f.part, 3, clocks[k][2]);
        put_message(&f.event, 1, &f.part);
    }
    put_message(&f.packet, 6, &f.event);
    put_number(&f.part, 58, 64); /* the usual clock */
    put_message(&f.packet, 59, &f.part);
    end_packet(&f, 5000);
    named_track(&f, 1, "COMPUTE AGENT [2] STREAM [1] (GPU)");
    named_track(&f, 2, "COPY to AGENT [2] STREAM [1] (GPU)");
    named_track(&f, 3, "THREAD 1 (908)");
    annotate(&f, "corr_id", 4);
    begin(&f, 100, 3, "hip_api", "hipLaunchKernel"); /* at 5100, 5150 */
    end(&f, 50, 3);
    annotate(&f, "corr_id", 4);
    annotate(&f, "kernel_id", 8);
    begin(&f, 1000, 1, "kernel_dispatch", "k");
    end(&f, 200, 1);
    annotate(&f, "copy_bytes", 64);
    put_number(&f.packet, 58, 6); /* earlier: on the shared clock */
    begin(&f, 5010, 2, "memory_copy", "MEMORY_COPY_HOST_TO_DEVICE");
    put_number(&f.packet, 58, 6);
    end(&f, 5040, 2);
    read_file(&s, &f, 0);
    assert_int_equal(s.n, 3);
    assert_event(&s, 0, CAT_RUNTIME, "hipLaunchKernel", 5100, 50);
    assert_event(&s, 1, CAT_KERNEL, "k", 6150, 200);
    assert_event(&s, 2, CAT_MEMCPY, "Memcpy HtoD (Host -> Device)", 5010, 30);
    assert_int_equal(store_correlation(&s, 0), 4);
    assert_int_equal(store_correlation(&s, 1), 4);
    assert_int_equal(store_stream(&s, 1), 1);
    assert_int_equal(store_bytes(&s, 2), 64);
    assert_true(str_eq(text_of(&s, s.lanes[s.lane[1]].pid), S("2")));
    assert_true(str_eq(text_of(&s, s.lanes[s.lane[0]].tid), S("908")));
    store_close(&s);
    file_close(&f);
}

static void calls_without_an_end(void **state)
{
    (void)state;
    struct file f;
    struct event_store s;
    file_open(&f);
    thread(&f, 5, 12, "main");
    begin(&f, 10, 5, "cpu_op", "open");
    begin(&f, 20, 5, "cpu_op", "closed");
    end(&f, 30, 5);
    end(&f, 40, 6);
    read_file(&s, &f, 0);
    assert_int_equal(s.n, 1);
    assert_event(&s, 0, CAT_CPU_OP, "closed", 20, 10);
    assert_int_equal(s.census.without_duration, 1);
    store_close(&s);
    file_close(&f);
}

static void assert_refused(struct str bytes, const char *part)
{
    struct event_store s;
    struct err e = {0};
    assert_false(read_bytes(&s, bytes, 0, &e));
    if (!strstr(e.what, part))
        fail_msg("\"%s\" has no \"%s\"", e.what, part);
}

static void what_is_refused(void **state)
{
    (void)state;
    struct file f;
    file_open(&f);
    named_track(&f, 1, "Browser");
    begin(&f, 10, 1, "toplevel", "ThreadMain");
    end(&f, 20, 1);
    assert_refused(out_view(&f.bytes), "no GPU work");
    ptrdiff_t whole = f.bytes.n;
    out_lit(&f.bytes, "\x0a\x7f\x08\x01");
    assert_refused(out_view(&f.bytes), "cut off after 3 packets");
    f.bytes.n = whole;
    out_lit(&f.bytes, "\x0a\x02\x08\x80");
    assert_refused(out_view(&f.bytes), "inside a packet");
    f.bytes.n = whole;
    out_lit(&f.bytes, "\x08\x01\x0a\x02");
    assert_refused(out_view(&f.bytes), "begins with no field");
    f.bytes.n = whole;
    put_text(&f.packet, 50, S("deflated"));
    put_message(&f.bytes, 1, &f.packet);
    assert_refused(out_view(&f.bytes), "traceconv");
    file_close(&f);
}

/* Numbers of nothing, times that no 64 bits hold, depth, and sizes: read or refused. */
static void hostile_packets(void **state)
{
    (void)state;
    struct file f;
    struct event_store s;
    file_open(&f);
    stages(&f);
    stage(&f, UINT64_MAX, UINT64_MAX, 1, 1);
    stage(&f, 1, (uint64_t)1 << 62, 99, UINT64_MAX);
    begin(&f, 1, UINT64_MAX, "cpu_op", "");
    end(&f, UINT64_MAX, UINT64_MAX);
    out_lit(&f.part, "\x0a\x01x"); /* an annotation of 1000 levels */
    for (int depth = 0; depth < 1000; depth++) {
        out_str(&f.inner, out_view(&f.part));
        f.part.n = 0;
        put_message(&f.part, 12, &f.inner);
    }
    put_message(&f.event, 4, &f.part);
    begin(&f, 10, 5, "cpu_op", "deep");
    end(&f, 20, 5);
    read_file(&s, &f, 0);
    assert_true(s.n >= 1);
    assert_true(s.census.out_of_bounds + s.census.negative_duration > 0);
    store_close(&s);
    file_close(&f);
}

/* Each operator's text has a number of its own: what is kept is what they share. */
static void ranges_share_their_texts(void **state)
{
    (void)state;
    enum { RANGES = 50 };
    struct file f;
    struct event_source events;
    struct err e = {0};
    char text[80], path[32];
    file_open(&f);
    thread(&f, 5, 12, "main");
    for (int i = 0; i < RANGES; i++) {
        sprintf(text, "aten::mm, seq = %d, op_id = %d, sizes = [[2, 3], [3, 4]]", i,
                i + 1);
        begin(&f, (uint64_t)i * 10, 5, "marker_api", text);
        end(&f, (uint64_t)i * 10 + 5, 5);
    }
    case_file(path, out_view(&f.bytes).p, (size_t)f.bytes.n);
    assert_true(perfetto_events_open(&events, path, (struct source_options){0}, &e));
    for (int i = 0; i < RANGES; i++) {
        const struct event *ev = events.next(events.state, &e);
        assert_non_null(ev);
        assert_int_equal(ev->cat, CAT_CPU_OP);
        assert_true(str_eq(ev->name, S("aten::mm")));
        assert_int_equal(event_args(ev)->sequence, i);
        assert_true(str_eq(event_args(ev)->dims, S("[[2, 3], [3, 4]]")));
    }
    assert_true(((struct perfetto_reader *)events.state)->texts.n < RANGES / 2);
    events.close(events.state);
    unlink(path);
    file_close(&f);
}

static void what_begins_so(void **state)
{
    (void)state;
    assert_true(perfetto_events_is(S("\x0a\x04\x40\x01\x50\x01")));
    assert_true(perfetto_events_is(S("\x0a\xff\x7f\x32\x7f"))); /* goes on */
    assert_false(perfetto_events_is(S("\x0a\x04\x08\x01\x12\x01")));
    assert_false(perfetto_events_is(S("\x0a\x0b\x12\x09/host:CPU")));
    assert_false(perfetto_events_is(S("\x0a")));
    assert_false(perfetto_events_is(S("\n{}")));
    assert_false(perfetto_events_is(S("\n\n  {\"traceEvents\"")));
    assert_false(perfetto_events_is(S("")));
}

/* A text of an interned field, `at` 2 or 3 of its entry, and in the other place. */
static void intern_both(struct file *f, uint64_t iid, uint32_t first, const char *text,
                        const char *other)
{
    put_number(&f->part, 1, iid);
    put_text(&f->part, first, str_of(text));
    if (other)
        put_text(&f->part, 5 - first, str_of(other));
    put_message(&f->event, 1000, &f->part);
    put_message(&f->packet, 12, &f->event);
    end_packet(f, 0);
}

static void kernel_of(struct file *f, uint64_t at_ns, uint64_t kernel_iid)
{
    put_number(&f->event, 2, 5);
    put_number(&f->event, 13, GPU_QUEUE);
    put_number(&f->event, 14, 1);
    put_number(&f->event, 19, kernel_iid);
    put_message(&f->packet, 53, &f->event);
    end_packet(f, at_ns);
}

static void snapshot(struct file *f, uint64_t shared_ns, uint64_t real_ns)
{
    for (int k = 0; k < 2; k++) {
        put_number(&f->part, 1, k ? 1 : 6);
        put_number(&f->part, 2, k ? real_ns : shared_ns);
        put_message(&f->event, 1, &f->part);
    }
    put_message(&f->packet, 6, &f->event);
    end_packet(f, shared_ns);
}

/* A clock that counts from the start of the machine stays as it is; the first snapshot
 * tells when that was. */
static void the_first_snapshot_is_the_base(void **state)
{
    (void)state;
    const uint64_t booted = 1700000000000000000u;
    struct file f;
    struct event_store s;
    file_open(&f);
    snapshot(&f, 5000, booted + 5000);
    snapshot(&f, 9000, booted + 1000000);
    thread(&f, 5, 12, "main");
    begin(&f, 6000, 5, "cpu_op", "aten::mm");
    end(&f, 7000, 5);
    read_file(&s, &f, 0);
    assert_event(&s, 0, CAT_CPU_OP, "aten::mm", 6000, 1000);
    assert_true(s.machine.base_ns == (double)booted);
    store_close(&s);
    file_close(&f);
}

/* Categories, names, keys and values by number; a kernel by its name, or mangled where
 * it has no other. An event without a track is on the usual one of its sequence, and
 * a launch without annotations names what it starts. */
static void texts_are_looked_up_by_number(void **state)
{
    (void)state;
    struct file f;
    struct event_store s;
    file_open(&f);
    thread(&f, 5, 12, "main");
    stages(&f);
    intern(&f, 1, 4, "cpu_op");
    intern(&f, 2, 5, "aten::mm");
    intern(&f, 3, 6, "Input type");
    intern(&f, 29, 7, "float");
    intern_both(&f, 20, 2, "_Z4gemm", "gemm()");
    intern_both(&f, 21, 3, "add()", "_Z3add");
    intern_both(&f, 22, 2, "_Z3mul", NULL);
    put_number(&f.inner, 11, 5);
    put_message(&f.part, 11, &f.inner);
    put_message(&f.packet, 59, &f.part);
    end_packet(&f, 0);

    put_number(&f.part, 1, 6);
    put_number(&f.inner, 17, 7);
    put_message(&f.part, 12, &f.inner);
    put_message(&f.event, 4, &f.part);
    put_number(&f.event, 9, 1);
    put_number(&f.event, 3, 4);
    put_number(&f.event, 10, 5);
    put_message(&f.packet, 11, &f.event);
    end_packet(&f, 100);
    end(&f, 200, 5);
    put_number(&f.part, 1, 77);
    put_message(&f.event, 3000, &f.part);
    begin(&f, 110, 5, "cuda_runtime", "cudaLaunchKernel");
    end(&f, 120, 5);
    for (int k = 0; k < 3; k++)
        kernel_of(&f, 300 + 10 * (uint64_t)k, 20 + (uint64_t)k);
    read_file(&s, &f, 0);
    assert_int_equal(s.n, 5);
    assert_event(&s, 0, CAT_KERNEL, "gemm()", 300, 5);
    assert_event(&s, 1, CAT_KERNEL, "add()", 310, 5);
    assert_event(&s, 2, CAT_KERNEL, "_Z3mul", 320, 5);
    assert_event(&s, 3, CAT_CPU_OP, "aten::mm", 100, 100);
    assert_event(&s, 4, CAT_RUNTIME, "cudaLaunchKernel", 110, 10);
    assert_int_equal(store_correlation(&s, 4), 77);
    assert_int_equal(s.lane[3], s.lane[4]);
    assert_true(str_eq(text_of(&s, s.lanes[s.lane[3]].tid), S("12")));
    assert_true(str_eq(text_of(&s, s.lanes[s.lane[3]].process_label), S("")));
    assert_true(str_eq(text_of(&s, store_texts(&s, 3)->types), S("[\"float\"]")));
    store_close(&s);
    file_close(&f);
}

/* What is of no known category is overhead on the tracks of that process, whose label
 * is that of a host. */
static void tracks_tell_overhead_and_hosts(void **state)
{
    (void)state;
    struct file f;
    struct event_source events;
    struct err e = {0};
    char path[32];
    static const char *const names[] = {"Overhead", "GPU 3", "python3"};
    file_open(&f);
    for (int k = 0; k < 3; k++) {
        uint64_t uuid = 30 + 10 * (uint64_t)k;
        put_number(&f.event, 1, uuid);
        put_number(&f.part, 1, uuid);
        put_text(&f.part, 6, str_of(names[k]));
        put_message(&f.event, 3, &f.part);
        put_message(&f.packet, 60, &f.event);
        put_message(&f.bytes, 1, &f.packet);
        begin(&f, 10 + (uint64_t)k, uuid, "other", "Activity");
        end(&f, 20 + (uint64_t)k, uuid);
    }
    begin(&f, 50, 50, "cpu_op", "aten::mm");
    end(&f, 60, 50);
    case_file(path, out_view(&f.bytes).p, (size_t)f.bytes.n);
    assert_true(perfetto_events_open(&events, path, (struct source_options){0}, &e));
    const struct event *ev;
    int slices = 0, hosts = 0;
    while ((ev = events.next(events.state, &e))) {
        bool overhead = str_eq(ev->pid, S("30")), gpu = str_eq(ev->pid, S("40"));
        slices += ev->ph == 'X';
        if (ev->ph == 'X')
            assert_int_equal(ev->cat == CAT_OVERHEAD, overhead);
        if (!str_eq(ev->name, S("process_labels")))
            continue;
        hosts += !gpu;
        assert_true(str_eq(event_args(ev)->text, gpu ? S("") : S("CPU")));
    }
    assert_int_equal(slices, 4);
    assert_int_equal(hosts, 2);
    events.close(events.state);
    unlink(path);
    file_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_torch_writes),
                                       cmocka_unit_test(what_rocprof_writes),
                                       cmocka_unit_test(calls_without_an_end),
                                       cmocka_unit_test(what_is_refused),
                                       cmocka_unit_test(hostile_packets),
                                       cmocka_unit_test(ranges_share_their_texts),
                                       cmocka_unit_test(the_first_snapshot_is_the_base),
                                       cmocka_unit_test(texts_are_looked_up_by_number),
                                       cmocka_unit_test(tracks_tell_overhead_and_hosts),
                                       cmocka_unit_test(what_begins_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
