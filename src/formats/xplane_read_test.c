#include "formats/xplane_read.h"

#include "base/arena.h"
#include "base/wire_write.h"
#include "store/store_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A profile that is written from the inside out. */
struct file {
    struct out bytes, plane, line, event, part, inner;
};

static void file_open(struct file *f)
{
    struct out *const all[] = {&f->bytes, &f->plane, &f->line,
                               &f->event, &f->part,  &f->inner};
    for (int k = 0; k < 6; k++)
        out_memory(all[k]);
}

static void file_close(struct file *f)
{
    struct out *const all[] = {&f->bytes, &f->plane, &f->line,
                               &f->event, &f->part,  &f->inner};
    for (int k = 0; k < 6; k++)
        out_free(all[k]);
}

/* An entry of a map of metadata: of events (4) or statistics (5). */
static void metadata(struct file *f, uint32_t field, uint64_t id, const char *name)
{
    put_number(&f->inner, 1, id);
    put_text(&f->inner, 2, str_of(name));
    put_number(&f->part, 1, id);
    put_message(&f->part, 2, &f->inner);
    put_message(&f->plane, field, &f->part);
}

static void stat(struct file *f, uint64_t id, uint32_t field, uint64_t value)
{
    put_number(&f->part, 1, id);
    put_number(&f->part, field, value);
    put_message(&f->event, 4, &f->part);
}

/* An event, its statistics written before. */
static void event(struct file *f, uint64_t name, uint64_t offset_ps, uint64_t ps)
{
    put_number(&f->event, 1, name);
    put_number(&f->event, 2, offset_ps);
    put_number(&f->event, 3, ps);
    put_message(&f->line, 4, &f->event);
}

static void end_line(struct file *f, uint64_t id, const char *name, uint64_t start_ns)
{
    put_number(&f->line, 1, id);
    put_text(&f->line, 2, str_of(name));
    put_number(&f->line, 3, start_ns);
    put_message(&f->plane, 3, &f->line);
}

static void end_plane(struct file *f, const char *name)
{
    struct out whole;
    out_memory(&whole);
    put_text(&whole, 2, str_of(name));
    out_str(&whole, out_view(&f->plane));
    f->plane.n = 0;
    put_message(&f->bytes, 1, &whole);
    out_free(&whole);
}

enum {
    CORRELATION = 1,
    KERNEL,
    TF_OP,
    HLO_OP,
    DETAILS,
    PATH,
    CONV,
    MEMORY,
    CORES,
    STEP
};

static void write_stats(struct file *f)
{
    metadata(f, 5, CORRELATION, "correlation_id");
    metadata(f, 5, KERNEL, "kernel_details");
    metadata(f, 5, TF_OP, "tf_op");
    metadata(f, 5, HLO_OP, "hlo_op");
    metadata(f, 5, DETAILS, " grid:219,40,1 block:256,1,1 occ_pct:0");
    metadata(f, 5, PATH, "jit(f)/dot_general:");
    metadata(f, 5, CONV, "cudnn-conv.1");
    metadata(f, 5, MEMORY, "memory_size");
    metadata(f, 5, CORES, "core_count");
    metadata(f, 5, STEP, "step_num");
}

static void write_profile(struct file *f)
{
    stat(f, CORRELATION, 3, 7);
    stat(f, KERNEL, 7, DETAILS);
    event(f, 1, 5000, 2999);
    event(f, 2, 9000, 1000);
    end_line(f, 1, "Stream #16(Kernel)", 1000);
    event(f, 1, 5000, 2999);
    end_line(f, 2, "XLA Ops", 1000); /* drawn from the streams */
    metadata(f, 4, 1, "Cijk_gemm.kd");
    metadata(f, 4, 2, "MemcpyH2D");
    write_stats(f);
    put_number(&f->part, 1, MEMORY);
    put_number(&f->part, 3, 1 << 30);
    put_message(&f->plane, 6, &f->part);
    end_plane(f, "/device:GPU:1");
    stat(f, CORRELATION, 3, 7);
    stat(f, TF_OP, 7, PATH);
    stat(f, HLO_OP, 7, CONV);
    event(f, 1, 1000000, 2000000);
    end_line(f, 583, "Host Threads/583", 1000);
    event(f, 2, 0, 900000000);
    stat(f, STEP, 3, 12);
    event(f, 3, 1000, 500000000);
    end_line(f, 5, "python", 1000);
    metadata(f, 4, 1, "hipModuleLaunchKernel");
    metadata(f, 4, 2, "$train.py:12 step");
    metadata(f, 4, 3, "train");
    write_stats(f);
    end_plane(f, "/host:CPU");
}

static void read_profile(struct event_store *s, struct str bytes, ptrdiff_t window,
                         struct err *e)
{
    char path[32];
    case_file(path, bytes.p, (size_t)bytes.n);
    struct store_options o = {.source = {.window_bytes = window}};
    if (!store_read(s, path, &o, e))
        *s = (struct event_store){0};
    unlink(path);
}

static void assert_event(const struct event_store *s, event_id i, int cat,
                         const char *name, int64_t start_ns, int64_t dur_ns)
{
    assert_int_equal(s->cat[i], cat);
    assert_true(str_eq(store_name(s, i), str_of(name)));
    assert_int_equal(s->start_ns[i], start_ns);
    assert_int_equal(store_dur_ns(s, i), dur_ns);
}

static void assert_lane(const struct event_store *s, event_id i, const char *pid,
                        const char *tid, const char *process, const char *thread)
{
    const struct lane *l = &s->lanes[s->lane[i]];
    const name_id ids[] = {l->pid, l->tid, l->process_label, l->thread_name};
    const char *const want[] = {pid, tid, process, thread};
    for (int k = 0; k < 4; k++)
        if (ids[k] < 0 || !str_eq(pool_text(&s->names, ids[k]), str_of(want[k])))
            fail_msg("event %d has no %s", i, want[k]);
}

static void what_jax_writes(void **state)
{
    (void)state;
    static const ptrdiff_t windows[] = {0, 1, 50};
    struct file f;
    file_open(&f);
    write_profile(&f);
    for (int k = 0; k < 3; k++) {
        struct event_store s;
        struct err e = {0};
        read_profile(&s, out_view(&f.bytes), windows[k], &e);
        assert_string_equal(e.what, "");
        assert_int_equal(s.n, 8);
        assert_event(&s, 0, CAT_KERNEL, "Cijk_gemm", 1005, 2);
        assert_event(&s, 1, CAT_MEMCPY, "Memcpy HtoD (Host -> Device)", 1009, 1);
        assert_event(&s, 2, CAT_CPU_OP, "jit(f)", 2000, 2000);
        assert_event(&s, 3, CAT_CPU_OP, "dot_general", 2000, 2000);
        assert_event(&s, 4, CAT_CPU_OP, "cudnn-conv.1", 2000, 2000);
        assert_event(&s, 5, CAT_RUNTIME, "hipModuleLaunchKernel", 2000, 2000);
        assert_event(&s, 6, CAT_PYTHON, "train.py(12): step", 1000, 900000);
        assert_event(&s, 7, CAT_ANNOTATION, "ProfilerStep#12", 1001, 500000);
        assert_int_equal(store_correlation(&s, 0), 7);
        assert_int_equal(store_correlation(&s, 5), 7);
        assert_true(store_correlation(&s, 4) == NO_ID);
        assert_int_equal(store_stream(&s, 0), 16);
        assert_true(str_eq(pool_text(&s.names, store_texts(&s, 0)->rest),
                           S("{\"grid\":[219,40,1],\"block\":[256,1,1]}")));
        assert_lane(&s, 0, "1", "16", "GPU 1", "Stream #16(Kernel)");
        assert_lane(&s, 5, "host", "583", "CPU", "Host Threads/583");
        assert_lane(&s, 6, "host", "5", "CPU", "python");
        assert_int_equal(s.machine.n_devices, 1);
        assert_true(s.machine.devices[0].memory_bytes == 1 << 30);
        store_close(&s);
    }
    file_close(&f);
}

static void assert_refused(struct str bytes, const char *part)
{
    struct event_store s;
    struct err e = {0};
    read_profile(&s, bytes, 0, &e);
    if (!strstr(e.what, part))
        fail_msg("\"%s\" has no \"%s\"", e.what, part);
}

static void what_is_refused(void **state)
{
    (void)state;
    struct file f;
    file_open(&f);
    event(&f, 1, 0, 1000);
    end_line(&f, 1, "python", 0);
    end_plane(&f, "/host:CPU");
    assert_refused(out_view(&f.bytes), "without work of a GPU");
    ptrdiff_t whole = f.bytes.n;
    event(&f, 1, 0, 1000);
    end_line(&f, 1, "XLA Ops", 0);
    end_plane(&f, "/device:TPU:0");
    assert_refused(out_view(&f.bytes), "on a TPU");
    f.bytes.n = whole;
    out_lit(&f.bytes, "\x0a\x7f\x08\x01");
    assert_refused(out_view(&f.bytes), "cut off");
    f.bytes.n = whole;
    out_lit(&f.plane, "\x1a\x7f");
    end_plane(&f, "/device:GPU:0");
    assert_refused(out_view(&f.bytes), "inside a plane");
    file_close(&f);
}

/* Numbers that are used before they are explained, or never; sizes without sense. */
static void hostile_planes(void **state)
{
    (void)state;
    static const char *const details[] = {"grid:",        "grid:1,",
                                          "grid:,1,1",    "grid:01,1,1",
                                          "grid:1,1,1,1", "block:1,1,1 grid:1,1"};
    struct file f;
    struct event_store s;
    struct err e = {0};
    file_open(&f);
    for (uint64_t k = 0; k < 6; k++) {
        stat(&f, 1, 7, 10 + k);
        event(&f, UINT64_MAX, UINT64_MAX, UINT64_MAX);
        metadata(&f, 5, 10 + k, details[k]);
    }
    end_line(&f, UINT64_MAX, "Stream #99999999999999999999", UINT64_MAX);
    stat(&f, 1, 7, 10);
    event(&f, 9, 0, 1000);
    end_line(&f, 1, "Stream #1", 0);
    metadata(&f, 5, 1, "kernel_details");
    end_plane(&f, "/device:GPU:0");
    read_profile(&s, out_view(&f.bytes), 0, &e);
    assert_string_equal(e.what, "");
    assert_int_equal(s.n, 1);
    store_close(&s);
    file_close(&f);
}

/* They become JSON, in which no number begins with a zero. */
static void sizes_are_written_as_numbers(void **state)
{
    (void)state;
    struct file f;
    struct event_store s;
    struct err e = {0};
    file_open(&f);
    stat(&f, 1, 7, 10);
    event(&f, 9, 0, 1000);
    end_line(&f, 1, "Stream #1", 0);
    metadata(&f, 5, 1, "kernel_details");
    metadata(&f, 5, 10, "grid:1,02,1 block:64,0,1");
    end_plane(&f, "/device:GPU:0");
    read_profile(&s, out_view(&f.bytes), 0, &e);
    assert_string_equal(e.what, "");
    assert_true(
        str_eq(pool_text(&s.names, store_texts(&s, 0)->rest), S("{\"grid\":[1,2,1]}")));
    store_close(&s);
    file_close(&f);
}

static void what_begins_so(void **state)
{
    (void)state;
    assert_true(xplane_events_is(S("\x0a\x0b\x12\x09/host:CPU")));
    assert_true(xplane_events_is(S("\x0a\x7f\x08\x03\x12\x09/device:G")));
    assert_false(xplane_events_is(S("\x0a\x04\x40\x01\x50\x01")));
    assert_false(xplane_events_is(S("\x0a\x0b\x12")));
    assert_false(xplane_events_is(S("\n{\"a\":1}")));
    assert_false(xplane_events_is(S("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_jax_writes),
                                       cmocka_unit_test(what_is_refused),
                                       cmocka_unit_test(hostile_planes),
                                       cmocka_unit_test(sizes_are_written_as_numbers),
                                       cmocka_unit_test(what_begins_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
