#include "formats/kernel_spelling.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_spelt(const char *name, const char *want)
{
    struct out o;
    out_memory(&o);
    out_lit(&o, "before");
    kernel_spell(&o, str_of(name));
    if (!str_eq(str_skip(out_view(&o), 6), str_of(want)))
        fail_msg("%s\n is %.*s", name, STRF(out_view(&o)));
    out_free(&o);
}

/* What cu++filt and c++filt make of the same symbols. */
static void as_cxxfilt_spells_it(void **state)
{
    (void)state;
    assert_spelt("void k<(int)512, (bool)0, (unsigned long)2, (long)-1>(int)",
                 "void k<512, false, 2ul, -1l>(int)");
    assert_spelt(
        "void at::native::<unnamed>::k<float, std::array<char *, (int)2>>(int, "
        "const T1 *, T2)",
        "void at::native::(anonymous namespace)::k<float, std::array<char*, 2> "
        ">(int, float const*, std::array<char*, 2>)");
    assert_spelt("void e<(int)4, void g<M<float>>(B &, const T1 &)::[lambda(int) "
                 "(instance 1)]>(int, T2)",
                 "void e<4, g<M<float> >(B&, M<float> const&)::{lambda(int)#1}>(int, "
                 "g<M<float> >(B&, M<float> const&)::{lambda(int)#1})");
    assert_spelt("n(S<(unsigned long)4096>)", "n(S<4096ul>)");
    assert_spelt("n(A<int, (unsigned long)1, P>, long)", "n(A<int, 1ul, P>, long)");
    assert_spelt(
        "void d<float>(B &, void h<G *>(const C &, double)::[lambda() (instance "
        "1)], void *)",
        "void d<float>(B&, h<G*>(C const&, double)::{lambda()#1}, void*)");
    assert_spelt("c()::[lambda() (instance 2)]::operator ()() const::[lambda(float) "
                 "(instance 1)]",
                 "c()::{lambda()#2}::operator()() const::{lambda(float)#1}");
}

static void what_is_spelt_so_already_stays(void **state)
{
    (void)state;
    const char *const names[] = {"void k<4, float>(int, std::array<char*, 2ul>)",
                                 "k(unsigned long, void (int))",
                                 "ncclDevKernel_SendRecv",
                                 "",
                                 "triton_poi_fused_T1_0",
                                 "_ZN5mylib5scaleIfLi4EEvPT_",
                                 "k<(int)4",
                                 "[lambda",
                                 "a[lambda (instance 1",
                                 ">>",

                                 "operator>>"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_spelt(names[i], names[i]);
}

static void hostile_names_stay_small(void **state)
{
    (void)state;
    char name[4096] = "k<(int)1, ";
    for (int i = 0; i < 200; i++)
        strcat(name, "f<T1, T1>(");
    assert_spelt(name, name);
    strcpy(name, "a<xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx>");
    for (int i = 0; i < 60; i++)
        strcat(name, "(T1, T1, T1)");
    struct out o;
    out_memory(&o);
    kernel_spell(&o, str_of(name));
    assert_true(o.n <= (OUT_FACTOR + 1) * (ptrdiff_t)strlen(name));
    out_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_cxxfilt_spells_it),
                                       cmocka_unit_test(what_is_spelt_so_already_stays),
                                       cmocka_unit_test(hostile_names_stay_small)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
