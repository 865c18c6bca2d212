/* A second source of events: an array in C, with no JSON anywhere. Its store gives the
 * tables and costs that the JSON of the same events gives. */
#include "base/out.h"
#include "base/python_text.h"
#include "ops/op_cost.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"
#include "perf/param_list.h"
#include "store/store_case.h"
#include "store/trace_excerpt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NUMBER(v)                                                                      \
    {                                                                                  \
        .kind = VALUE_NUMBER, .number = (v)                                            \
    }
#define TEXT(s)                                                                        \
    {                                                                                  \
        VALUE_TEXT, sizeof(s) - 1, .text = (s)                                         \
    }
#define LIST(a)                                                                        \
    {                                                                                  \
        VALUE_LIST, sizeof(a) / sizeof *(a), .items = (a)                              \
    }

/* C[141,2048] = A[141,512] B[512,2048], and what a collective says of itself. */
static const struct value a[] = {NUMBER(141), NUMBER(512)};
static const struct value b[] = {NUMBER(512), NUMBER(2048)};
static const struct value a_step[] = {NUMBER(512), NUMBER(1)};
static const struct value b_step[] = {NUMBER(1), NUMBER(512)};
static const struct value dims[] = {LIST(a), LIST(b)},
                          steps[] = {LIST(a_step), LIST(b_step)};
static const struct value types[] = {TEXT("c10::BFloat16"), TEXT("c10::BFloat16")};
static const struct value scalars[] = {TEXT(""), TEXT("")};
static const struct value recorded[] = {LIST(dims), LIST(types), LIST(steps),
                                        LIST(scalars), TEXT("comms")};

#define NO_IDS                                                                         \
    .external_id = NO_ID, .sequence = NO_ID, .comms_sequence = NO_ID, .bytes = NO_ID,  \
    .total_allocated = NO_ID, .total_reserved = NO_ID, .device_type = NO_ID,           \
    .device_id = NO_ID

static struct event on_host(enum event_cat cat, const char *name, int64_t at_us,
                            int64_t us, int64_t correlation)
{
    return (struct event){
        .ph = 'X',
        .cat = cat,
        .name = str_of(name),
        .pid = S("9"),
        .tid = S("1"),
        .start_ns = 1000 * at_us,
        .dur_ns = 1000 * us,
        .has_start = true,
        .has_dur = true,
        .flow_id = NO_ID,
        .has_args = true,
        .args = {.correlation = correlation, .stream = NO_ID, NO_IDS}};
}

static struct event on_device(const char *name, int64_t at_us, int64_t us,
                              int64_t correlation)
{
    struct event ev = on_host(CAT_KERNEL, name, at_us, us, correlation);
    ev.pid = S("0");
    ev.tid = S("7");
    ev.args.stream = 7;
    return ev;
}

static const char json[] =
    "{\"traceEvents\":["
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":9,\"tid\":1,"
    "\"ts\":0,\"dur\":20,\"args\":{\"Input Dims\":[[141,512],[512,2048]],"
    "\"Input type\":[\"c10::BFloat16\",\"c10::BFloat16\"],"
    "\"Input Strides\":[[512,1],[1,512]],\"Concrete Inputs\":[\"\",\"\"]}},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipLaunchKernel\",\"pid\":9,"
    "\"tid\":1,\"ts\":5,\"dur\":2,\"args\":{\"correlation\":1}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"Cijk_gemm\",\"pid\":0,\"tid\":7,"
    "\"ts\":30,\"dur\":100,\"args\":{\"correlation\":1,\"stream\":7}},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipLaunchKernel\",\"pid\":9,"
    "\"tid\":1,\"ts\":40,\"dur\":2,\"args\":{\"correlation\":2}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_Generic\",\"pid\":0,"
    "\"tid\":7,\"ts\":150,\"dur\":40,\"args\":{\"correlation\":2,\"stream\":7,"
    "\"Process Group Name\":\"default\",\"Process Group Ranks\":[0,1],"
    "\"Collective name\":\"allreduce\",\"Group size\":2,\"dtype\":\"BFloat16\","
    "\"In msg nelems\":1048576,\"Out msg nelems\":1048576,\"In split size\":[],"
    "\"Out split size\":[]}}]}";

struct array {
    struct event events[5];
    int32_t n;
};

static struct event *next(void *state, struct err *e)
{
    struct array *s = state;
    (void)e;
    if (s->n == 5)
        return NULL;
    struct event *ev = &s->events[s->n];
    ev->uid = s->n++;
    return ev;
}

/* This source records an argument as the letter of its place in `recorded`. */
static const struct value *decode(struct arena *perm, struct str text)
{
    (void)perm;
    return &recorded[text.p[0] - 'a'];
}

/* Says it in fields, without any of the words that PyTorch has for them. */
static void describe(struct arena *perm, const struct value *rest, struct collective *c)
{
    (void)perm;
    assert_true(str_eq(value_text(rest), S("comms")));
    c->kind = COLLECTIVE_ALL_REDUCE;
    c->name = S("allreduce");
    c->dtype = S("BFloat16");
    c->in_elements = c->out_elements = 1048576;
    c->in_split = c->out_split = S("()");
    c->group_name = S("default");
    c->group_ranks = S("(0, 1)");
    c->group_size = 2;
}

static struct source_progress progress(void *state)
{
    (void)state;
    return (struct source_progress){0, -1};
}

static struct source_end end(void *state, struct arena *perm)
{
    (void)perm;
    return (struct source_end){.machine = no_machine,
                               .n_elements = ((struct array *)state)->n};
}

static void close_array(void *state)
{
    *(struct array *)state = (struct array){0};
}

static void store_of_array(struct event_store *s)
{
    struct array array = {{on_host(CAT_CPU_OP, "aten::mm", 0, 20, NO_ID),
                           on_host(CAT_RUNTIME, "hipLaunchKernel", 5, 2, 1),
                           on_device("Cijk_gemm", 30, 100, 1),
                           on_host(CAT_RUNTIME, "hipLaunchKernel", 40, 2, 2),
                           on_device("ncclDevKernel_Generic", 150, 40, 2)},
                          0};
    struct event_args *mm = &array.events[0].args;
    mm->dims = S("a");
    mm->types = S("b");
    mm->strides = S("c");
    mm->concrete = S("d");
    array.events[4].args.rest = S("e");
    struct event_source source = {&array, next,        decode,           progress,
                                  end,    close_array, &torch_abilities, describe};
    struct err e = {0};
    assert_true(store_take(s, source, &(struct store_options){0}, &e));
    assert_int_equal(array.n, 0); /* closed */
}

static void put_args(struct out *o, const struct call_args *c)
{
    const struct value *all[] = {c->dims, c->types, c->strides, c->concrete};
    for (int i = 0; i < 4; i++) {
        out_char(o, ' ');
        python_value(o, all[i], true);
    }
}

/* What the tables say, as one text. */
static void put_tables(struct out *o, struct event_store *s)
{
    struct arena perm = arena_reserve(1 << 26), tmp = arena_reserve(1 << 26);
    char *perm_start = perm.at, *tmp_start = tmp.at;
    struct trace_view v = view_build(&perm, tmp, s, (struct view_options){0});
    struct cost_cache costs;
    cost_cache_open(&costs, &perm, &v);
    struct op_tables t = op_tables_build(&perm, tmp, &v, &costs, NULL);
    out_memory(o);
    for (int32_t i = 0; i < t.judged.n; i++) {
        const struct op_group *g = &t.judged.rows[i];
        out_printf(o, "%.*s %.*s %d %.3f", STRF(g->first->name),
                   STRF(g->first->category), (int)g->n, g->direct_us.sum);
        put_args(o, &g->args);
        if (g->cost)
            out_printf(o, " %.0f FLOP %.0f bytes", g->cost->flop, g->cost->byte);
        for (int k = 0; g->cost && k < g->cost->n_params; k++) {
            out_printf(o, " %s=", g->cost->params[k].key);
            python_param(o, &g->cost->params[k]);
        }
        out_char(o, '\n');
    }
    for (int32_t i = 0; i < t.collectives.n; i++)
        for (int k = 0; k < COLLECTIVE_KEYS; k++)
            out_printf(o, "%.*s\n", STRF(t.collectives.rows[i].key[k]));
    for (int32_t i = 0; i < t.collectives.n; i++)
        out_printf(o, "%.1f MiB\n", t.collectives.rows[i].in_mib);
    out_char(o, '\0');
    cost_cache_close(&costs);
    arena_release(perm_start, &perm);
    arena_release(tmp_start, &tmp);
}

static void same_tables_as_of_json(void **state)
{
    (void)state;
    struct event_store of_array, of_json;
    struct out mine, theirs;
    struct err e = {0};
    store_of_array(&of_array);
    assert_true(case_store(&of_json, json, 0, &e));
    assert_int_equal(of_array.n, of_json.n);
    put_tables(&mine, &of_array);
    put_tables(&theirs, &of_json);
    assert_string_equal(out_view(&mine).p, out_view(&theirs).p);
    /* 2 x 141 x 2048 x 512 FLOP; 2 bytes each of (141 x 512 + 512 x 2048 + 141 x 2048)
     */
    assert_non_null(strstr(out_view(&mine).p, "295698432 FLOP 2819072 bytes M=141"));
    assert_non_null(strstr(out_view(&mine).p, "\nallreduce\n"));
    assert_non_null(strstr(out_view(&mine).p, "\n2.0 MiB\n"));
    out_free(&mine);
    out_free(&theirs);
    store_close(&of_array);
    store_close(&of_json);
}

/* An excerpt is a trace of PyTorch's whatever it was cut from. */
static void excerpts_tell_of_collectives(void **state)
{
    (void)state;
    struct event_store of_array, again;
    struct err e = {0};
    char path[32];
    store_of_array(&of_array);
    struct trace_excerpt cut = {.to_ns = 1000000, .has_args = true};
    case_file(path, "", 0);
    assert_true(trace_excerpt_write(&of_array, &cut, path, &e));
    assert_true(store_read(&again, path, &(struct store_options){0}, &e));
    unlink(path);
    const struct collective *was =
                                store_collective(&of_array, store_texts(&of_array, 4)),
                            *is = store_collective(&again, store_texts(&again, 4));
    assert_int_equal(is->kind, COLLECTIVE_ALL_REDUCE);
    assert_true(is->in_elements == was->in_elements && is->group_size == 2);
    assert_true(is->root == NO_ID && !is->group_description.p);
    assert_true(str_eq(is->dtype, was->dtype) && str_eq(is->group_ranks, S("(0, 1)")));
    store_close(&of_array);
    store_close(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_tables_as_of_json),
                                       cmocka_unit_test(excerpts_tell_of_collectives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
