/* Caches that beam search copies into the order of its new hypotheses. */
#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Reordered are whole slabs, all of them, again and again: neither rows of a table nor a
 * choice of some parts. */
static void a_reordered_cache_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *dims;
        int calls;
        bool told;
    } cases[] = {{"[40,16,1500,64],[],[40]", 8, true},
                 {"[40,16,256,64],[],[40]", 8, true},
                 {"[40,16,255,64],[],[40]", 8, false},  /* small parts */
                 {"[40,16,1500,64],[],[20]", 8, false}, /* some of them */
                 {"[51200,1024],[],[40]", 8, false},    /* a table */
                 {"[40,16,1500,64],[],[40]", 1, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        case_begin(&c);
        for (int i = 0; i < cases[k].calls; i++)
            op(&c, "aten::index_select", cases[k].dims, 30 * i, "indexSelectSmallIndex",
               1000 + 700 * i, 600, i + 1);
        op(&c, "aten::mm", "[512,512],[512,512]", 900, "gemm", 99000, 2400, 90);
        struct analysis a = analyse_with(&c, library);
        const struct finding *f = of_pattern(&a, "reordered_cache");
        assert_int_equal(a.n_warnings, 0);
        assert_int_equal(f != NULL, cases[k].told);
        if (k == 0) {
            assert_near(f->impact.high_ms, 4.8, 0.01);
            assert_near(f->impact.low_ms, 0.7 * 4.8, 0.01);
            assert_true(str_has(f->issue, S("8 calls")));
            assert_true(str_has(f->issue, S("their 40 parts")));
        }
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reordered_cache_is_named),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
