#include "html_text.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena memory;

enum use { TEXT, ATTR, REPAIR, NAME };

static void expect(enum use use, struct str in, const char *want)
{
    struct out o;
    out_memory(&o);
    if (use == TEXT)
        html_text(&o, in);
    else if (use == ATTR)
        html_attr(&o, in);
    else if (use == NAME)
        html_name(&o, in);
    else
        text_repair(&o, in);
    out_char(&o, '\0');
    assert_string_equal(out_view(&o).p, want);
    out_free(&o);
}

static void markup_is_escaped(void **state)
{
    (void)state;
    expect(TEXT, S("a<b>&&c \"q\" 'r'"), "a&lt;b&gt;&amp;&amp;c \"q\" 'r'");
    expect(ATTR, S("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
    expect(TEXT, S("</script><script>"), "&lt;/script&gt;&lt;script&gt;");
    expect(ATTR, S("\"><svg onload=x>"), "&quot;&gt;&lt;svg onload=x&gt;");
    expect(REPAIR, S("<&>\"'"), "<&>\"'");
    expect(TEXT, S(""), "");
}

static void hidden_characters_are_shown(void **state)
{
    (void)state;
    expect(TEXT, S("a\0b"), "a\\u{0}b");
    expect(TEXT, S("a\nb\rc\td"), "a\\nb\\u{d}c\\u{9}d");
    expect(TEXT, S("\x7f\xc2\x85"), "\\u{7f}\\u{85}");
    expect(TEXT, S("\xe2\x80\xae"), "\\u{202e}"); /* RLO */
    expect(TEXT, S("\xe2\x81\xa6\xd8\x9c"), "\\u{2066}\\u{61c}");
    expect(TEXT, S("\xe2\x80\x8b\xef\xbb\xbf"), "\\u{200b}\\u{feff}");
    expect(TEXT, S("\xee\x80\x80\xf3\xb0\x80\x80"), "\\u{e000}\\u{f0000}");
    expect(TEXT, S("\xef\xbf\xbe\xef\xb7\x90"), "\\u{fffe}\\u{fdd0}");
    /* What people write stays: an accent, Arabic, an emoji, a thin space. */
    expect(TEXT, S("\xc3\xa9 \xd8\xa7 \xf0\x9f\x98\x80 \xe2\x80\x89"),
           "\xc3\xa9 \xd8\xa7 \xf0\x9f\x98\x80 \xe2\x80\x89");
}

static void broken_bytes_become_replacements(void **state)
{
    (void)state;
    expect(TEXT, S("\xff"), "\xef\xbf\xbd");
    expect(TEXT, S("a\xc3"), "a\xef\xbf\xbd");
    expect(TEXT, S("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd"); /* "/" made overlong */
    expect(TEXT, S("\xed\xa0\x80"),                          /* a lone surrogate */
           "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

/* 0x301 is CC 81; eight in a row stand, the ninth and tenth are shown. */
static void marks_do_not_pile_up(void **state)
{
    (void)state;
    expect(TEXT,
           S("e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81"
             "\xcc\x81\xcc\x81x\xcc\x81"),
           "e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81"
           "\\u{301}\\u{301}x\xcc\x81");
}

static void repairs_are_counted(void **state)
{
    (void)state;
    struct out o;
    out_memory(&o);
    assert_int_equal(text_repair(&o, S("a\nb\xff\xe2\x80\xae")), 3);
    assert_int_equal(text_repair(&o, S("plain <text> \xc3\xa9")), 0);
    out_free(&o);
}

/* Whatever comes in: what comes out is UTF-8 without controls and markup, and repairing
 * it again changes nothing. */
static void check_safe(struct str in)
{
    struct out once, twice;
    out_memory(&once);
    out_memory(&twice);
    html_attr(&once, in);
    struct str rest = out_view(&once);
    while (rest.n > 0) {
        int32_t c = utf8_next(&rest);
        assert_true(c >= 0x20 && c != '<' && c != '>' && c != '"' && c != '\'');
    }
    struct out clean;
    out_memory(&clean);
    text_repair(&clean, in);
    assert_int_equal(text_repair(&twice, out_view(&clean)), 0);
    assert_true(str_eq(out_view(&clean), out_view(&twice)));
    out_free(&once);
    out_free(&twice);
    out_free(&clean);
}

static void every_byte_is_safe(void **state)
{
    (void)state;
    char two[2];
    for (int a = 0; a < 256; a++)
        for (int b = 0; b < 256; b++) {
            two[0] = (char)a;
            two[1] = (char)b;
            check_safe((struct str){two, 2});
        }
    /* Random bytes, with those that begin sequences twice as likely. */
    uint32_t seed = 12345;
    char many[64];
    for (int round = 0; round < 4000; round++) {
        for (int i = 0; i < 64; i++) {
            seed = seed * 1664525 + 1013904223;
            many[i] = (char)(seed >> 24 | (seed >> 16 & 1 ? 0x80 : 0));
        }
        check_safe((struct str){many, 64});
    }
}

static void expect_short(const char *name, int max, const char *want)
{
    struct arena tmp = memory;
    struct str s = name_short(&tmp, str_of(name), max);
    assert_string_equal(str_c(&tmp, s), want);
}

static void names_are_shortened_by_rule(void **state)
{
    (void)state;
    expect_short("aten::mm", 60, "aten::mm");
    expect_short("attn_fwd", 60, "attn_fwd");
    expect_short("void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64>(P)", 60,
                 "cutlass_80_tensorop_s1688gemm_64x64");
    expect_short("void own::Kernel2<float>(P)", 60, "Kernel2");
    expect_short("void cutlass::device_kernel<flash::enable_sm90_or_later<flash::"
                 "FlashAttnFwdSm90<flash::CollectiveMainloopFwdSm90<2> > > >(P)",
                 60, "FlashAttnFwdSm90");
    expect_short(
        "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<int> >", 60,
        "GemmUniversal");
    expect_short("void cutlass::device_kernel<mine>(P)", 60, "mine");
    expect_short("void at::native::vectorized_elementwise_kernel<4, "
                 "at::native::FillFunctor<int>, std::array<char*, 1ul> >(int, x)",
                 60, "vectorized_elementwise_kernel<FillFunctor>");
    expect_short("void at::native::vectorized_elementwise_kernel<4, at::native::"
                 "CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)",
                 60, "vectorized_elementwise_kernel<CUDAFunctor_add>");
    /* What a lambda is written in, not the machinery around it. */
    expect_short(
        "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl<at::"
        "native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::"
        "operator()() const::{lambda(float)#1}>(at::TensorIteratorBase&, float)::"
        "{lambda(int)#1}>(int, x)",
        60, "elementwise_kernel<direct_copy_kernel_cuda>");
    expect_short(
        "void at::native::elementwise_kernel_manual_unroll<128, 8, at::native::gpu_"
        "kernel_impl_nocast<at::native::BinaryFunctor<float, float, at::native::"
        "binary_internal::MulFunctor<float> > >(at::TensorIteratorBase&)::"
        "{lambda(int, bool)#1}>(int)",
        60, "elementwise_kernel_manual_unroll<MulFunctor>");
    expect_short("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
                 "at::native::func_wrapper_t<float, at::native::sum_functor<float, "
                 "float>::operator()(at::TensorIterator&)::{lambda(float)#1}>, 4> >(x)",
                 60, "reduce_kernel<sum_functor>");
    expect_short("f<)::{lambda>(x)", 60, "f");
    expect_short("f<a()::{lambda()#1}", 60, "f<a>");
    expect_short("Cijk_Alik_Bljk_B_BS_BH_MT128x224x64_MI16x16x1_SN", 60,
                 "Cijk_Alik_Bljk MT128x224x64");
    expect_short("void ck_tile::kentry<2, ck_tile::SortingKernel<int> >(int)", 60,
                 "kentry<SortingKernel>");
    expect_short("_ZN5aiter8add_normIDF16bLi64EEEvPT_", 60, "add_norm");
    expect_short("<lambda>", 60, "<lambda>");
    expect_short("std::operator<< (int)", 60, "operator<< ");
    expect_short("void (anonymous namespace)::softmax_warp<float, 8>(float*)", 60,
                 "softmax_warp");
    expect_short("", 60, "");
    /* 16 characters: 10 from the start, an ellipsis, 5 from the end. */
    expect_short("abcdefghijklmnopqrstuvwxyz", 16, "abcdefghij\xe2\x80\xa6vwxyz");
    expect_short("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
                 "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
                 16,
                 "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
                 "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
}

static void names_wrap_and_do_not_run(void **state)
{
    (void)state;
    expect(NAME, S("a::b_c(1, 2)"),
           "<code class=\"name\" translate=\"no\" dir=\"ltr\">a::b_c(1, 2)</code>");
    /* Ten bytes without a break, at least, before a place to break. */
    expect(NAME, S("aten::convolution_overrideable(1,2, 3)"),
           "<code class=\"name\" translate=\"no\" dir=\"ltr\">aten::convolution_<wbr>"
           "overrideable(<wbr>1,2, 3)</code>");
    expect(NAME, S("<b>&"),
           "<code class=\"name\" translate=\"no\" dir=\"ltr\">"
           "&lt;b&gt;&amp;</code>");
    expect(NAME, S(""),
           "<code class=\"name\" translate=\"no\" dir=\"ltr\">(no name)</code>");
}

/* Each break is an element of the page: 2,000 words have a hundred. */
static void names_without_end_have_few_breaks(void **state)
{
    (void)state;
    char name[22 * 2000 + 1] = "";
    for (size_t i = 0; i < 2000; i++)
        memcpy(name + 22 * i, "a_word_of_twenty_one__", 23);
    struct out o;
    out_memory(&o);
    html_name(&o, (struct str){name, 22 * 2000});
    int breaks = 0;
    for (struct str s = out_view(&o); str_has(s, S("<wbr>")); breaks++)
        str_take(&s, S("<wbr>"));
    out_free(&o);
    assert_in_range(breaks, 20, 130);
}

static void long_names_fold_and_are_cut(void **state)
{
    (void)state;
    struct out o;
    out_memory(&o);
    html_name_folded(&o, memory, S("short"), 60);
    assert_false(str_has(out_view(&o), S("<details")));
    out_free(&o);
    char *big = malloc(200000);
    assert_non_null(big);
    memset(big, 'k', 200000);
    html_name_folded(&o, memory, (struct str){big, 200000}, 60);
    struct str s = out_view(&o);
    assert_true(str_has(s, S("<details")));
    assert_true(str_has(s, S("Shortened to 16384 of 200000 bytes")));
    assert_true(s.n > HTML_NAME_BYTES_MAX && s.n < HTML_NAME_BYTES_MAX + 500);
    out_free(&o);
    free(big);
}

int main(void)
{
    memory = arena_reserve(1 << 24);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_is_escaped),
        cmocka_unit_test(hidden_characters_are_shown),
        cmocka_unit_test(broken_bytes_become_replacements),
        cmocka_unit_test(marks_do_not_pile_up),
        cmocka_unit_test(repairs_are_counted),
        cmocka_unit_test(every_byte_is_safe),
        cmocka_unit_test(names_are_shortened_by_rule),
        cmocka_unit_test(names_wrap_and_do_not_run),
        cmocka_unit_test(names_without_end_have_few_breaks),
        cmocka_unit_test(long_names_fold_and_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
