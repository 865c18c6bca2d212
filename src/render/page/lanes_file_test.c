#include "lanes_file.c"

#include "render/page/site_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

static struct arena memory;

/* A stream of n kernels of 700 ns, 300 ns apart. */
static struct report report_of(struct run_lanes *lanes, struct run_lane *lane, int n)
{
    static struct timeline_data d;
    static struct lane_name names[2];
    struct report r = case_report(&memory);
    d = (struct timeline_data){.total_ns = 1000 * (int64_t)n, .n_bins = 400};
    names[0] = (struct lane_name){S(CASE_HOSTILE), 0};
    names[1] = (struct lane_name){S("lib/step.py(7): run"), LANE_PYTHON};
    *lane = (struct run_lane){.kind = RUN_STREAM,
                              .name = S("stream 7"),
                              .boxes = lane_boxes_make(&memory, n)};
    for (int k = 0; k < n; k++)
        lane_boxes_add(&lane->boxes, 1000 * (int64_t)k, 1000 * (int64_t)k + 700, k & 1);
    lane->busy_ns = 700 * (int64_t)n;
    lane->n_events = n;
    *lanes = (struct run_lanes){.at = lane, .n = 1, .names = names, .n_names = 2};
    r.over_time = &d;
    r.lanes = lanes;
    r.analysis = NULL;
    return r;
}

static double number(const cJSON *o, const char *key)
{
    return cJSON_GetObjectItem(o, key)->valuedouble;
}

/* Sums over the boxes of a lane, as the script makes them. */
static void check_sums(const cJSON *lane)
{
    const cJSON *at = cJSON_GetObjectItem(lane, "at");
    const cJSON *more = cJSON_GetObjectItem(lane, "more"), *v;
    double busy = 0, events = cJSON_GetArraySize(at) / 3;
    int k = 0;
    cJSON_ArrayForEach(v, at) busy += k++ % 3 == 1 ? v->valuedouble : 0;
    k = 0;
    cJSON_ArrayForEach(v, more)
    {
        busy -= k % 4 == 2 ? v->valuedouble : 0;
        events += k % 4 == 1 ? v->valuedouble - 1 : 0;
        k++;
    }
    assert_int_equal((int64_t)busy, (int64_t)number(lane, "busy"));
    assert_true(events == number(lane, "events"));
}

static cJSON *file_of(const struct report *r, struct lanes_count *count,
                      ptrdiff_t *bytes)
{
    struct out o;
    out_memory(&o);
    *count = lanes_file(&o, r, memory);
    struct str text = out_view(&o), head = S("window.tracefolioLanes=");
    assert_true(str_starts(text, head) && str_ends(text, S("]};\n")));
    assert_false(str_has(text, S("<")));
    *bytes = text.n;
    cJSON *parsed = cJSON_ParseWithLength(text.p + head.n, (size_t)(text.n - head.n));
    assert_non_null(parsed);
    out_free(&o);
    return parsed;
}

static void test_each_event(void **state)
{
    (void)state;
    struct run_lanes lanes;
    struct run_lane lane;
    struct lanes_count count;
    ptrdiff_t bytes;
    struct report r = report_of(&lanes, &lane, 10);
    cJSON *all = file_of(&r, &count, &bytes);
    const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(all, "lanes"), 0);
    const cJSON *names = cJSON_GetObjectItem(all, "names");
    const cJSON *slots = cJSON_GetObjectItem(all, "kinds");
    const cJSON *frame = cJSON_GetArrayItem(names, 1);
    const cJSON *gemm = cJSON_GetArrayItem(
        slots, (int)cJSON_GetArrayItem(cJSON_GetArrayItem(names, 0), 1)->valuedouble);
    assert_int_equal(count.events, 10);
    assert_int_equal(count.merged, 0);
    assert_true(number(first, "below") == 0);
    assert_string_equal(cJSON_GetArrayItem(frame, 0)->valuestring, "step.py(7): run");
    assert_string_equal(cJSON_GetArrayItem(gemm, 0)->valuestring, "gemm");
    check_sums(first);
    cJSON_Delete(all);
}

/* A launch 250 ns before its start, its operation and shape; those of boxes that are
 * merged are left out. */
static void test_what_boxes_come_from(void **state)
{
    (void)state;
    struct run_lanes lanes;
    struct run_lane lane;
    struct lanes_count count;
    ptrdiff_t bytes;
    struct report r = report_of(&lanes, &lane, 3);
    static struct lane_start starts[] = {{-250, 0, 1, 1}, {0, -1, -1, -1}};
    static struct str shapes[] = {S_INIT("grid 1 x 1 x 1"), S_INIT("grid </script>")};
    lane.boxes.at[0].more = 0;
    lane.boxes.at[1].more = 1;
    lane.boxes.at[2].n = 2;
    lanes.starts = starts;
    lanes.n_starts = 2;
    lanes.shapes = shapes;
    lanes.n_shapes = 2;
    lanes.threads[0] = S("thread 1");
    lanes.n_threads = 1;
    assert_true(r.n_ops > 1);
    cJSON *all = file_of(&r, &count, &bytes);
    const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(all, "lanes"), 0);
    const cJSON *calls = cJSON_GetObjectItem(first, "calls");
    const cJSON *ops = cJSON_GetObjectItem(all, "ops");
    static const int want[] = {250, 0, 0, 0, -1, -1};
    assert_int_equal(cJSON_GetArraySize(calls), 6);
    for (int k = 0; k < 6; k++)
        assert_true(k == 3 ? cJSON_IsNull(cJSON_GetArrayItem(calls, k))
                           : cJSON_GetArrayItem(calls, k)->valuedouble == want[k]);
    assert_int_equal(cJSON_GetArraySize(ops), 1);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(all, "shapes")), 1);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(all, "threads")), 1);
    cJSON_Delete(all);
}

/* 100,000 boxes are 900 kB: they are merged until the file is small. */
static void test_small_whatever_the_trace(void **state)
{
    (void)state;
    struct run_lanes lanes;
    struct run_lane lane;
    struct lanes_count count;
    ptrdiff_t bytes;
    struct report r = report_of(&lanes, &lane, 100000);
    cJSON *all = file_of(&r, &count, &bytes);
    const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(all, "lanes"), 0);
    assert_true(bytes <= LANES_BYTES_MAX);
    assert_true(bytes > LANES_BYTES_MAX / 10);
    assert_int_equal(count.events, 100000);
    assert_true(count.merged > 90000);
    assert_true(number(first, "below") > 0);
    check_sums(first);
    assert_int_equal(lane.boxes.n, 100000); /* the report is as it was */
    cJSON_Delete(all);
}

int main(void)
{
    memory = arena_reserve((ptrdiff_t)1 << 30);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_event),
                                       cmocka_unit_test(test_what_boxes_come_from),
                                       cmocka_unit_test(test_small_whatever_the_trace)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
