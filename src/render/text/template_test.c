#include "template.c"

#include "render/text/bundle.h"
#include "render/text/context.h"
#include "render/text/html_filters.h"
#include "render/text/html_text.h"
#include "render/text/template_bundle.h"
#include "render/text/template_filters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Our own cases for each rule that the public Mustache specification documents. */

static struct arena memory;

/* Partials of one case: name, text, name, text ... NULL. */
static struct str find_case(void *self, struct str name)
{
    for (const char *const *p = self; p && *p; p += 2)
        if (str_eq(str_of(p[0]), name))
            return str_of(p[1]);
    return (struct str){NULL, 0};
}

static bool escape_html(struct out *o, struct arena tmp, struct str text)
{
    (void)tmp;
    html_attr(o, text);
    return true;
}

static bool render(const char *text, const char *json, const char *const *partials,
                   struct out *o, struct err *e)
{
    const char *all[40] = {"main", text};
    for (int i = 0; partials && partials[i]; i++)
        all[i + 2] = partials[i];
    struct arena tmp = memory;
    struct template_set set = {.perm = &tmp,
                               .find = find_case,
                               .self = all,
                               .escape = escape_html,
                               .filters = {number_filters, html_filters}};
    cJSON *context = cJSON_Parse(json);
    assert_non_null(context);
    out_memory(o);
    bool ok = template_render(o, &set, S("main"), context, e);
    cJSON_Delete(context);
    return ok;
}

static void expect_with(const char *text, const char *json, const char *const *partials,
                        const char *want)
{
    struct out o;
    struct err e = {0};
    if (!render(text, json, partials, &o, &e))
        fail_msg("%s: %s: %s", text, e.file, e.what);
    out_char(&o, '\0');
    assert_string_equal(out_view(&o).p, want);
    out_free(&o);
}

static void expect(const char *text, const char *json, const char *want)
{
    expect_with(text, json, NULL, want);
}

static void expect_error(const char *text, const char *json,
                         const char *const *partials, const char *what)
{
    struct out o;
    struct err e = {0};
    assert_false(render(text, json, partials, &o, &e));
    if (!str_has(str_of(e.what), str_of(what)))
        fail_msg("%s: got %s: %s (%s)", text, e.file, e.what, e.doing);
    out_free(&o);
}

static void interpolation(void **state)
{
    (void)state;
    expect("no tags\n", "{}", "no tags\n");
    expect("", "{}", "");
    expect("[{{a}}]", "{\"a\":\"x\"}", "[x]");
    expect("[{{ a }}|{{\ta\t}}]", "{\"a\":\"x\"}", "[x|x]");
    expect("{{a}}", "{\"a\":\"& \\\" < >\"}", "&amp; &quot; &lt; &gt;");
    expect("{{a}} {{b}} {{c}}", "{\"a\":85,\"b\":1.21,\"c\":-0.5}", "85 1.21 -0.5");
    expect("{{a}} {{b}}", "{\"a\":1e300,\"b\":true}", "1e+300 true");
    expect("[{{a}}{{none}}{{a.b}}]", "{\"a\":null}", "[]");
    expect("{{.}}", "\"self\"", "self");
    expect("  {{a}}\n", "{\"a\":\"x\"}", "  x\n");         /* never standalone */
    expect("{{a}}", "{\"a\":\"{{b}}\",\"b\":1}", "{{b}}"); /* not rendered twice */
    expect("{ {a}} }}", "{\"a\":1}", "{ {a}} }}");
}

static void dotted_names(void **state)
{
    (void)state;
    const char *json = "{\"a\":{\"b\":{\"c\":\"deep\"}},\"b\":{\"c\":\"top\"}}";
    expect("{{a.b.c}}", json, "deep");
    expect("[{{a.none.c}}]", json, "[]");
    expect("{{#a}}{{b.c}}{{/a}}", json, "deep");
    /* The first part decides: a.b exists inside, so the outer b.c is not looked for. */
    expect("{{#a}}[{{b.c}}]{{/a}}", "{\"a\":{\"b\":{}},\"b\":{\"c\":\"no\"}}", "[]");
    expect("{{#a.b}}yes{{/a.b}}{{^a.b}}no{{/a.b}}", "{\"a\":{\"b\":[]}}", "no");
}

static void sections(void **state)
{
    (void)state;
    expect("[{{#a}}x{{/a}}]", "{\"a\":true}", "[x]");
    expect("[{{#a}}x{{/a}}]", "{\"a\":false}", "[]");
    expect("[{{#a}}x{{/a}}]", "{\"a\":null}", "[]");
    expect("[{{#a}}x{{/a}}]", "{}", "[]");
    expect("[{{#a}}x{{/a}}]", "{\"a\":[]}", "[]");
    expect("[{{#a}}x{{/a}}]", "{\"a\":\"\"}", "[]");
    expect("[{{#a}}{{b}}{{/a}}]", "{\"a\":{\"b\":1}}", "[1]");
    expect("{{#a}}{{n}},{{/a}}", "{\"a\":[{\"n\":1},{\"n\":2},{\"n\":3}]}", "1,2,3,");
    expect("{{#a}}({{.}}){{/a}}", "{\"a\":[1,\"b\",2.5]}", "(1)(b)(2.5)");
    expect("{{#a}}({{#.}}{{.}}{{/.}}){{/a}}", "{\"a\":[[1,2],[3]]}", "(12)(3)");
    expect("{{#a}}{{b}}{{c}}{{/a}}", "{\"b\":\"outer\",\"a\":{\"c\":1}}", "outer1");
    expect("{{#a}}{{#a}}x{{/a}}{{/a}}", "{\"a\":true}", "x");
    expect("{{# a }}x{{/ a }}", "{\"a\":true}", "x");
}

static void inverted_sections(void **state)
{
    (void)state;
    expect("[{{^a}}x{{/a}}]", "{\"a\":false}", "[x]");
    expect("[{{^a}}x{{/a}}]", "{}", "[x]");
    expect("[{{^a}}x{{/a}}]", "{\"a\":[]}", "[x]");
    expect("[{{^a}}x{{/a}}]", "{\"a\":{}}", "[]");
    expect("[{{^a}}x{{/a}}]", "{\"a\":[1]}", "[]");
    expect("[{{^a}}{{^b}}x{{/b}}{{/a}}]", "{}", "[x]");
}

static void standalone_lines(void **state)
{
    (void)state;
    const char *yes = "{\"a\":true}";
    expect("|\n{{#a}}\nx\n{{/a}}\n|", yes, "|\nx\n|");
    expect("|\n  {{#a}}  \nx\n\t{{/a}}\n|", yes, "|\nx\n|");
    expect("|\r\n{{#a}}\r\nx\r\n{{/a}}\r\n|", yes, "|\r\nx\r\n|");
    expect("  {{#a}}\nx{{/a}}\n", yes, "x\n");
    expect("{{#a}}\nx\n  {{/a}}", yes, "x\n");
    expect("{{#a}}x{{/a}}\n", yes, "x\n");
    expect(" {{#a}} x {{/a}} \n", yes, "  x  \n");
    expect("{{^b}}\nx\n{{/b}}\n", yes, "x\n");
    expect("a\n  {{! note }}  \nb", yes, "a\nb");
    expect("a {{! note }}\nb", yes, "a \nb");
    expect("a\n{{!\nmany\nlines\n}}\nb", yes, "a\nb");
    expect("a{{! x }}b", yes, "ab");
}

static void partials(void **state)
{
    (void)state;
    const char *const p[] = {"t",    "[{{a}}]", "lines", "1\n{{a}}\n3\n",
                             "tail", "x",       NULL};
    expect_with("{{>t}} {{> t }}", "{\"a\":1}", p, "[1] [1]");
    expect_with("  {{>lines}}\nend", "{\"a\":\"u\"}", p, "  1\n  u\n  3\nend");
    /* What is inserted is not indented, only the partial's own lines are. */
    expect_with(" {{>t}}\n", "{\"a\":\"u\"}", p, " [u]");
    expect_with("a {{>t}} b\n", "{\"a\":1}", p, "a [1] b\n");
    expect_with("|\r\n{{>t}}\r\n|", "{\"a\":1}", p, "|\r\n[1]|");
    expect_with("\t{{>tail}}\n>", "{}", p, "\tx>");
    const char *const tree[] = {"n", "{{v}}<{{#k}}{{>n}}{{/k}}>", NULL};
    expect_with(
        "{{>n}}",
        "{\"v\":1,\"k\":[{\"v\":2,\"k\":[]},{\"v\":3,\"k\":[{\"v\":4,\"k\":[]}]}]}",
        tree, "1<2<>3<4<>>>");
}

static void delimiters(void **state)
{
    (void)state;
    expect("{{=<% %>=}}<%a%>{{a}}", "{\"a\":1}", "1{{a}}");
    expect("{{= | | =}}|a||#b|x|/b|", "{\"a\":1,\"b\":true}", "1x");
    expect("{{=<% %>=}}\n<%a%>\n  <%={{ }}=%>  \n{{a}}", "{\"a\":1}", "1\n1");
    expect("a {{=<% %>=}} b", "{}", "a  b");
    const char *const p[] = {"t", "{{a}}<%a%>", NULL};
    expect_with("{{=<% %>=}}<%>t%>", "{\"a\":1}", p, "1<%a%>");
}

static void raw_needs_a_name_and_markup(void **state)
{
    (void)state;
    expect_error("x\n{{{a}}}", "{\"a\":\"<b>\"}", NULL,
                 "line 2: only a name that ends");
    expect_error("{{&a}}", "{\"a\":\"<b>\"}", NULL, "ends in _html");
    expect_error("{{{.}}}", "{\"a\":\"<b>\"}", NULL, "ends in _html");
    expect_error("{{{a_html}}}", "{\"a_html\":\"<b>\"}", NULL, "not markup");
    struct arena tmp = memory;
    const char *all[] = {"main", "{{{a_html}}}{{&a_html}}{{{b.c_html}}}{{a_html}}",
                         NULL};
    struct template_set set = {
        .perm = &tmp, .find = find_case, .self = all, .escape = escape_html};
    cJSON *c = cJSON_CreateObject();
    json_put(c, context_markup("a_html", S("<b>")));
    struct out o;
    struct err e = {0};
    out_memory(&o);
    assert_false(template_render(&o, &set, S("main"), c, &e));
    /* Up to the last tag it went well; markup where text is wanted is a mistake, too.
     */
    assert_true(str_eq(out_view(&o), S("<b><b>")));
    out_free(&o);
    cJSON_Delete(c);
}

static void filters(void **state)
{
    (void)state;
    expect("{{a | time}}, {{b | time}}, {{none | time}}", "{\"a\":33.126,\"b\":1171.6}",
           "33.13\u00a0ms, 1.17\u00a0s, —");
    expect("{{ms | ms}} {{ ms|pct }}", "{\"ms\":12.345}", "12.35 12.3");
    expect("{{n}} row{{n | s}}, {{m | word}} row{{m | s}}", "{\"n\":1,\"m\":3}",
           "1 row, three rows");
    expect("{{none | ms}}{{text | pct}}", "{\"text\":\"<b>\"}", "——");
    expect("{{none | word}}{{none | Word}}, {{n | Word}}, {{u | Word}}",
           "{\"n\":2,\"u\":\"steps\"}", "——, Two, Steps");
    expect("{{#a}}{{. | fixed1}} {{/a}}", "{\"a\":[1, 2.25]}", "1.0 2.3 ");
    expect_error("{{a | shout}}", "{}", NULL, "unknown filter");
}

static void filters_of_pages(void **state)
{
    (void)state;
    expect("{{a | name 16}}", "{\"a\":\"void f<int>(int)\"}",
           "<code class=\"name\" translate=\"no\" dir=\"ltr\">f</code>");
    expect("{{a | short 16}}", "{\"a\":\"operator<<\"}", "operator&lt;&lt;");
    expect("{{a | sentence}}", "{\"a\":\"< `b`\"}",
           "&lt; <code class=\"name\" translate=\"no\" dir=\"ltr\">b</code>");
    expect("{{a | plain}}", "{\"a\":\"\\\"`b`\"}", "&quot;b");
    expect("<td{{a | v}}{{b | v}}>", "{\"a\":1.23456789}", "<td data-v=\"1.234568\">");
    expect("[{{a | exact}}{{b | exact}}]", "{\"a\":7}", "[7.0]");
    expect("{{a | bytes}} {{b | Word}}", "{\"a\":12698,\"b\":3}",
           "12.4\u00a0KiB Three");
    expect("{{a | pct_range}}, {{a | ms_pct}}", "{\"a\":[1.2,3.4]}",
           "1.2 to 3.4, 1.20 ms, 3.4%");
    expect_error("{{a | mark}}", "{}", NULL, "unknown filter");
    expect_error("{{a | name x}}", "{}", NULL, "not a number for a filter");
}

static void blocks_of_a_parent(void **state)
{
    (void)state;
    static const char *const parents[] = {
        "p",    "[{{$a}}A{{/a}}|{{$b}}{{x}}{{/b}}]",
        "q",    "{{<p}}{{$a}}Q{{$c}}{{/c}}{{/a}}{{/p}}",
        "list", "({{$a}}{{/a}})",
        "self", "{{<self}}{{/self}}",
        NULL};
    expect_with("{{<p}}{{/p}}", "{\"x\":1}", parents, "[A|1]");
    expect_with("{{<p}} ignored {{$b}}<{{x}}>{{/b}} {{/p}}", "{\"x\":1}", parents,
                "[A|<1>]");
    /* The outermost child's block is taken, also within another's. */
    expect_with("{{<q}}{{$b}}B{{/b}}{{$c}}C{{/c}}{{/q}}", "{}", parents, "[QC|B]");
    expect_with("{{<q}}{{$a}}Z{{/a}}{{/q}}", "{}", parents, "[Z|]");
    /* A block sees the children around the place where it was written, not its own. */
    expect_with("{{<p}}{{$a}}{{<list}}{{/list}}{{<list}}{{$a}}1{{/a}}{{/list}}{{/a}}"
                "{{$b}}2{{/b}}{{/p}}",
                "{}", parents, "[()(1)|2]");
    expect_with("{{#l}}{{<list}}{{$a}}{{.}}{{/a}}{{/list}}{{/l}}", "{\"l\":[1,2]}",
                parents, "(1)(2)");
    expect_with("{{<p}}\n  {{$a}}\n  x\n  {{/a}}\n{{/p}}\n", "{}", parents, "[  x\n|]");
    expect_error("{{<self}}{{/self}}", "{}", parents, "too deep");
    expect_error("{{<p}}{{$a}}{{/p}}", "{}", parents, "the section open here is not");
}

static void hostile_text_is_repaired_on_the_way(void **state)
{
    (void)state;
    cJSON *c = cJSON_CreateObject();
    json_put(c, context_text("a", S("a\0b\xff")));
    assert_string_equal(cJSON_GetObjectItem(c, "a")->valuestring,
                        "a\\u{0}b\xef\xbf\xbd");
    cJSON_Delete(c);
    expect("{{a}}", "{\"a\":\"\xe2\x80\xae<\"}", "\\u{202e}&lt;");
}

static void mistakes_have_a_place(void **state)
{
    (void)state;
    expect_error("a\n{{#b}}\n", "{}", NULL,
                 "line 2: this section is never closed: \"b\"");
    expect_error("{{#a}}{{/b}}", "{}", NULL, "the section open here is not");
    expect_error("\n\n{{/b}}", "{}", NULL, "line 3: no section is open");
    expect_error("{{a", "{}", NULL, "a tag is not closed");
    expect_error("{{}}", "{}", NULL, "without a name");
    expect_error("{{=x=}}", "{}", NULL, "delimiters");
    expect_error("{{a}}", "{\"a\":{}}", NULL, "is not a text");
    expect_error("{{>none}}", "{}", NULL, "no template of this name");
    const char *const loop[] = {"t", "{{>t}}", "u", " {{>u}}\n", NULL};
    expect_error("{{>t}}", "{}", loop, "included too deep");
    expect_error("{{>u}}", "{}", loop, "included too deep");
    char deep[40 * 6 + 1] = "";
    for (int i = 0; i < 40; i++)
        strcat(deep, "{{#a}}");
    expect_error(deep, "{}", NULL, "too many sections");
}

/* Every template of the bundle can be read, though not each is a page of its own. */
static void the_bundle_parses(void **state)
{
    (void)state;
    struct arena tmp = memory;
    struct template_set set = template_bundled(&tmp);
    for (int i = 0; i < bundle_count(S("templates/")); i++) {
        struct err e = {0};
        struct str name = str_skip(bundle_path(S("templates/"), i), 10);
        if (str_starts(name, S("md/")) || str_starts(name, S("words/")))
            continue; /* of other sets: markdown_reports_test.c, job_words_test.c */
        if (!find_template(&set, name, S(""), &e))
            fail_msg("%s: %s", e.file, e.what);
    }
}

static void test_place_in_a_list(void **state)
{
    (void)state;
    expect("{{#a}}{{^@first}}, {{/@first}}{{@number}}: {{.}}{{/a}}",
           "{\"a\": [7, 8, 9]}", "1: 7, 2: 8, 3: 9");
    /* That of the innermost list, whatever sections lie between. */
    expect("{{#a}}{{#b}}{{#c}}{{@number}}{{/c}}{{/b}}{{#c}}{{#@first}}!{{@number}}{{/"
           "@first}}"
           "{{/c}} {{/a}}",
           "{\"a\": [{\"b\": [1, 2]}, {\"b\": [3]}], \"c\": true}", "12!1 1 ");
    expect("{{@number}}{{#@first}}no{{/@first}}", "{}", "0");
}

/* Room for tokens is that of the tags, of which text has few. */
static void text_needs_few_tokens(void **state)
{
    (void)state;
    assert_int_equal(tokens_bound(S("body { margin: 0 } a { color: red }")), 2);
    assert_int_equal(tokens_bound(S("a{{b}}c{{{d_html}}}")), 6);
    assert_true(tokens_bound(S("{{=| |=}}|a||b||c|")) >= 4);
}

int main(void)
{
    memory = arena_reserve(1 << 26);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_place_in_a_list),
        cmocka_unit_test(interpolation),
        cmocka_unit_test(dotted_names),
        cmocka_unit_test(sections),
        cmocka_unit_test(inverted_sections),
        cmocka_unit_test(standalone_lines),
        cmocka_unit_test(partials),
        cmocka_unit_test(delimiters),
        cmocka_unit_test(raw_needs_a_name_and_markup),
        cmocka_unit_test(filters),
        cmocka_unit_test(filters_of_pages),
        cmocka_unit_test(blocks_of_a_parent),
        cmocka_unit_test(hostile_text_is_repaired_on_the_way),
        cmocka_unit_test(mistakes_have_a_place),
        cmocka_unit_test(the_bundle_parses),
        cmocka_unit_test(text_needs_few_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
