#include "analysis/facts/logits_read.h"

#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A softmax over the logits of 4 x 64 positions, 100 us, and then what else is read. */
static struct logits_read read_by(const char *name, const char *dims)
{
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::mm", "[256,64],[64,20000]", 10, "gemm", 100, 50, 1);
    op(&c, "aten::copy_", "[4,64,20000],[4,64,20000]", 30, "copy", 200, 40, 2);
    op(&c, "aten::_log_softmax", "[4,64,20000]", 50, "softmax", 300, 100, 3);
    if (name)
        op(&c, name, dims, 70, "kernel", 500, 3, 4);
    struct analysis a = analyse(&c);
    struct logits_read l = logits_read_of(&a, 256, 20000);
    case_close(&c);
    return l;
}

static void what_follows_a_softmax_tells_how_much_of_it_is_read(void **state)
{
    (void)state;
    assert_near(read_by("aten::index", "[4,20000],[2]").rows, 4, 1e-9);
    assert_near(read_by("aten::index", "[4,20000],[2]").beside_ms, 0.14, 1e-9);
    assert_near(read_by(NULL, "").rows, 256, 1e-9); /* nobody knows by whom */
    assert_near(read_by(NULL, "").beside_ms, 0.04, 1e-9);
    assert_near(read_by("aten::gather", "[4,64,20000],[4,64,1]").rows, 256, 1e-9);
    assert_near(read_by("aten::sum", "[4,64,20000]").rows, 256, 1e-9);
    assert_near(read_by("aten::index", "[32,20000],[2]").rows, 256, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_follows_a_softmax_tells_how_much_of_it_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
