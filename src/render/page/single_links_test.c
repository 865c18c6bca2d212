#include "single_links.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena memory;

static const struct str files[] = {S_INIT("index.html"), S_INIT("tree.html")};

static int set_up(void **state)
{
    (void)state;
    memory = arena_reserve(1 << 24);
    return 0;
}

/* The markup of page `page` where the two pages are `a` and `b`. */
static const char *rewritten(struct single_links *l, int page, const char *a,
                             const char *b)
{
    const char *pages[] = {a, b};
    *l = links_open(&memory, files, 2);
    for (int k = 0; k < 2; k++)
        links_add(l, LINKS_SHELL, links_page_id(&memory, files[k]));
    for (int k = 0; k < 2; k++)
        links_scan(l, k, str_of(pages[k]));
    links_settle(l);
    struct out o;
    out_memory(&o);
    links_rewrite(l, page, str_of(pages[page]), &o);
    return str_c(&memory, out_text(&o, &memory));
}

static void the_first_page_keeps_an_id(void **state)
{
    (void)state;
    struct single_links l;
    const char *a = "<p id=\"x\">1</p><a href=\"tree.html#x\">t</a>";
    const char *b = "<p class=\"k\" id=\"x\">2</p><a href=\"#x\">s</a><a "
                    "href=\"index.html#x\">i</a>";
    assert_string_equal(rewritten(&l, 0, a, b),
                        "<p id=\"x\">1</p><a href=\"#tree--x\">t</a>");
    assert_string_equal(rewritten(&l, 1, a, b),
                        "<p class=\"k\" id=\"tree--x\">2</p><a href=\"#tree--x\">s</a>"
                        "<a href=\"#x\">i</a>");
}

static void an_embedded_file_is_saved_from_one_place(void **state)
{
    (void)state;
    static const struct link_embed zip = {S_INIT("kits/a_kit.zip"), S_INIT("tree.html"),
                                          S_INIT("kit"), S_INIT("PK")};
    const char *a = "<b id=\"kit\"></b><a href=\"kits/a_kit.zip\">a</a>";
    const char *b = "<tr id=\"kit\"><a class=\"x\" href=\"kits/a_kit.zip\">a</a>"
                    "<a href=\"kits/b.zip\">b</a>";
    const char *pages[] = {a, b};
    struct single_links l = links_open(&memory, files, 2);
    l.embeds = &zip;
    l.n_embeds = 1;
    struct out o;
    out_memory(&o);
    for (int k = 0; k < 2; k++)
        links_scan(&l, k, str_of(pages[k]));
    links_settle(&l);
    for (int k = 0; k < 2; k++)
        links_rewrite(&l, k, str_of(pages[k]), &o);
    assert_string_equal(
        str_c(&memory, out_text(&o, &memory)),
        "<b id=\"kit\"></b><a href=\"#tree--kit\">a</a>"
        "<tr id=\"tree--kit\"><a class=\"x\" href=\"data:application/zip;base64,UEs=\" "
        "download=\"a_kit.zip\">a</a><span class=\"left-out\">b</span>");
    assert_int_equal(l.n_left_out, 1);
}

static void a_made_name_never_meets_an_id(void **state)
{
    (void)state;
    struct single_links l;
    assert_string_equal(rewritten(&l, 1, "<i id=\"x\"></i><i id=\"tree--x\"></i>",
                                  "<i id=\"x\"></i><i id=\"page-tree\"></i>"),
                        "<i id=\"tree--x-2\"></i><i id=\"tree--page-tree\"></i>");
}

static void links_to_pages_lead_to_their_sections(void **state)
{
    (void)state;
    struct single_links l;
    assert_string_equal(rewritten(&l, 0, "<a class=\"m\" href=\"tree.html\">t</a>", ""),
                        "<a class=\"m\" href=\"#page-tree\">t</a>");
    /* What is not on that page leads to its top. */
    assert_string_equal(rewritten(&l, 0, "<a href=\"tree.html#no\">t</a>", ""),
                        "<a href=\"#page-tree\">t</a>");
}

static void other_files_are_left_out(void **state)
{
    (void)state;
    struct single_links l;
    assert_string_equal(
        rewritten(&l, 0,
                  "<p><a href=\"d/t.csv\">t <b>all</b></a> <a href=\"tree.html\">t</a>"
                  "<a href=\"d/t.csv\">again</a><a href=\"http://h/x\">out</a></p>",
                  ""),
        "<p><span class=\"left-out\">t <b>all</b></span> <a "
        "href=\"#page-tree\">t</a><span class=\"left-out\">again</span><span "
        "class=\"left-out\">out</span></p>");
    assert_int_equal(l.n_left_out, 2);
    assert_true(str_eq(l.left_out[0], S("d/t.csv")));
}

static void every_kind_of_reference_follows(void **state)
{
    (void)state;
    struct single_links l;
    assert_string_equal(
        rewritten(&l, 1, "<i id=\"a\"></i>",
                  "<svg aria-labelledby=\"a b\"><g id=\"a\"/><g id=\"b\"/><rect "
                  "fill=\"url(#a)\" class=\"a\"/></svg>"),
        "<svg aria-labelledby=\"tree--a b\"><g id=\"tree--a\"/><g id=\"b\"/><rect "
        "fill=\"url(#tree--a)\" class=\"a\"/></svg>");
}

static void headings_sink(void **state)
{
    (void)state;
    struct single_links l;
    assert_string_equal(
        rewritten(&l, 0, "<h2 id=\"a\">A</h2><h3>B</h3><hr><header>c</header>", ""),
        "<h3 id=\"a\">A</h3><h4>B</h4><hr><header>c</header>");
}

static void sections_are_named_after_their_page_too(void **state)
{
    (void)state;
    struct single_links l;
    assert_string_equal(
        rewritten(&l, 1, "",
                  "<section class=\"k\" aria-labelledby=\"a\"><h2 id=\"a\">"),
        "<section class=\"k\" aria-labelledby=\"page-tree-h a\"><h3 id=\"a\">");
}

/* A > inside an attribute does not end the tag; a cut tag ends with the text. */
static void quotes_and_cuts(void **state)
{
    (void)state;
    struct single_links l;
    assert_string_equal(rewritten(&l, 0, "<p title=\"a > b\" id=\"q\">x<p id=\"r", ""),
                        "<p title=\"a > b\" id=\"q\">x<p id=\"r");
    assert_int_equal(l.n_ids, 4);
    assert_string_equal(rewritten(&l, 0, "", ""), "");
    assert_string_equal(rewritten(&l, 0, "<", ""), "<");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_first_page_keeps_an_id, set_up),
        cmocka_unit_test_setup(an_embedded_file_is_saved_from_one_place, set_up),
        cmocka_unit_test_setup(a_made_name_never_meets_an_id, set_up),
        cmocka_unit_test_setup(links_to_pages_lead_to_their_sections, set_up),
        cmocka_unit_test_setup(other_files_are_left_out, set_up),
        cmocka_unit_test_setup(every_kind_of_reference_follows, set_up),
        cmocka_unit_test_setup(headings_sink, set_up),
        cmocka_unit_test_setup(sections_are_named_after_their_page_too, set_up),
        cmocka_unit_test_setup(quotes_and_cuts, set_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
