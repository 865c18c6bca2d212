#include "execution_trace.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Of both schemas: inputs in one map, and number and inputs in members of their own. */
static const char nodes[] =
    "{\"schema\":\"1.1.1-chakra.0.0.4\",\"nodes\":[\n"
    "{\"id\":2,\"name\":\"aten::cat\",\"inputs\":{"
    "\"values\":[[[1],[2]],1,[1,-2],true,[false,true],\"sum\",2.5],"
    "\"shapes\":[[[8,4],[8,3]],[],[[],[]],[],[[],[]],[],[]],"
    "\"types\":[\"GenericList[Tensor(float),Tensor(float)]\",\"Int\","
    "\"GenericList[Int,Int]\",\"Bool\",\"GenericList[Bool,Bool]\",\"String\","
    "\"Double\"],"
    "\"strides\":[[[4,1],[3,1]],[],[[],[]],[],[[],[]],[],[]]},"
    "\"attrs\":[{\"name\":\"rf_id\",\"type\":\"uint64\",\"value\":17}]},\n"
    "{\"id\":3,\"name\":\"aten::relu\",\"rf_id\":18,\"inputs\":[[3,4]],"
    "\"input_shapes\":[[5,6]],\"input_types\":[\"Tensor(c10::BFloat16)\"]},\n"
    "{\"id\":4,\"name\":\"aten::none\",\"rf_id\":0,\"inputs\":[1],"
    "\"input_shapes\":[[]],\"input_types\":[\"Int\"]},\n"
    "{\"id\":5,\"name\":\"aten::empty\",\"rf_id\":19,\"inputs\":[],"
    "\"input_shapes\":[],\"input_types\":[]}]}";

static void is(const struct execution_trace *x, name_id text, const char *want)
{
    struct str got = pool_text(&x->texts, text);
    if (!str_eq(got, str_of(want)))
        fail_msg("%.*s, not %s", STRF(got), want);
}

static void inputs_are_those_of_the_profiler(void **state)
{
    (void)state;
    char path[] = "/tmp/execution_trace_test.XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, nodes, sizeof nodes - 1), sizeof nodes - 1);
    close(fd);
    struct execution_trace x;
    struct err e = {0};
    bool is_one = execution_trace_is_file(path);
    bool read =
        execution_trace_read(&x, path, (struct source_options){.no_digest = true}, &e);
    unlink(path);
    assert_true(is_one && read);
    assert_int_equal(x.n, 2);
    const struct shape_row *r = &x.rows[int_map_get(&x.by_id, 17)];
    is(&x, r->name, "aten::cat");
    is(&x, r->dims, "[[[8,4],[8,3]],[],[],[],[],[],[]]");
    is(&x, r->strides, "[[[4,1],[3,1]],[],[],[],[],[],[]]");
    is(&x, r->types,
       "[\"TensorList\",\"Scalar\",\"ScalarList\",\"Scalar\",\"ScalarList\",\"\","
       "\"Scalar\"]");
    is(&x, r->concrete,
       "[\"\",\"1\",\"[1, -2]\",\"True\",\"[False, True]\",\"\",\"2.5\"]");
    r = &x.rows[int_map_get(&x.by_id, 18)];
    is(&x, r->dims, "[[5,6]]");
    is(&x, r->types, "[\"c10::BFloat16\"]");
    assert_int_equal(r->strides, -1);
    assert_int_equal(int_map_get(&x.by_id, 19), -1);
    execution_trace_close(&x);
}

static void other_files_are_none(void **state)
{
    (void)state;
    assert_true(execution_trace_is(S(" {\"schema\": \"1\", \"nodes\": []}")));
    assert_false(execution_trace_is(S("{\"schema\": \"1\"}")));
    assert_false(execution_trace_is(S("[\"schema\", \"nodes\"]")));
    assert_false(
        execution_trace_is(S("{\"schema\": 1, \"traceEvents\": [], \"nodes\": []}")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_are_those_of_the_profiler),
        cmocka_unit_test(other_files_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
