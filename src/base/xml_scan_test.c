#include "xml_scan.c"

#include "base/arena_case.h"
#include "base/out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The tags of a document: "text<a", "text>a" of a closing one, both of <a/>; behind
 * them what is wrong. */
static const char *told(const char *document)
{
    struct xml_scan x = {.rest = str_of(document)};
    struct xml_tag t;
    struct out o;
    out_memory(&o);
    while (xml_next(&x, &t)) {
        out_str(&o, t.text);
        out_c(&o, t.opens ? t.closes ? "<>" : "<" : ">");
        out_str(&o, t.name);
        out_char(&o, ' ');
    }
    out_c(&o, x.broken ? x.broken : "");
    return str_c(&a, out_text(&o, &a));
}

static void tags_come_one_after_the_other(void **state)
{
    (void)state;
    assert_string_equal(told("<?xml version=\"1.0\"?><a><b x=\"1\">t</b> <c/></a>"),
                        "<a <b t>b  <>c >a ");
    assert_string_equal(told("<x:a y='>' >1</x:a>"), "<a 1>a ");
    assert_string_equal(told("<a><!-- <b> -->2</a>"), "<a 2>a ");
    assert_string_equal(told(""), "");
    assert_string_equal(told("no tag"), "");
}

static void what_is_no_xml_is_said(void **state)
{
    (void)state;
    assert_string_equal(told("<a><b x=\">"), "<a a tag that does not end");
    assert_string_equal(told("<a><!-- "), "<a a tag that does not end");
    assert_string_equal(told("<!DOCTYPE a [<!ENTITY b \"bb\">]><a/>"),
                        "a document type or CDATA, which no workbook has");
    assert_string_equal(told("<"), "a tag that does not end");
}

static struct str value(const char *tag, const char *name)
{
    struct xml_scan x = {.rest = str_of(tag)};
    struct xml_tag t;
    return xml_next(&x, &t) ? xml_attribute(&t, name) : S("none");
}

static void attributes_are_found_by_name(void **state)
{
    (void)state;
    const char *tag = "<sheet name=\"a=b\" sheetId='1' r:id = \"rId7\"/>";
    assert_true(str_eq(value(tag, "name"), S("a=b")));
    assert_true(str_eq(value(tag, "id"), S("rId7")));
    assert_true(str_eq(value(tag, "sheetId"), S("1")));
    assert_int_equal(value(tag, "Id").n, 0);
    assert_int_equal(value("<a b>", "b").n, 0);
    assert_int_equal(value("<a b=>", "b").n, 0);
    assert_int_equal(value("<a>", "b").n, 0);
}

static void references_are_what_they_stand_for(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"plain", "plain"},
        {"a &lt;b&gt; &amp;&quot;&apos;", "a <b> &\"'"},
        {"&#65;&#x42;&#xe9;", "AB\xc3\xa9"},
        {"&nbsp; & &; &#; &#x; &#-5;", "&nbsp; & &; &#; &#x; &#-5;"},
        {"&amp;lt;", "&lt;"},
        {"&#xD800;", "\xef\xbf\xbd"},
        {"&", "&"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_string_equal(str_c(&a, xml_plain(&a, str_of(cases[k][0]))), cases[k][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_come_one_after_the_other),
        cmocka_unit_test(what_is_no_xml_is_said),
        cmocka_unit_test(attributes_are_found_by_name),
        cmocka_unit_test(references_are_what_they_stand_for),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
