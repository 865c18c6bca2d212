#include "tree_markup.c"

#include "render/page/site_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static struct arena memory;
static struct report report;

static int count(struct str s, const char *part)
{
    int n = 0;
    for (ptrdiff_t at; (at = str_find(s, str_of(part))) >= 0; n++)
        s = str_skip(s, at + (ptrdiff_t)strlen(part));
    return n;
}

static struct path_node node(int32_t parent, int32_t after, const char *name,
                             enum path_kind kind, int64_t time_ns)
{
    static int made;
    return (struct path_node){.id = str_printf(&memory, "n-%08x", ++made),
                              .name = str_of(name),
                              .kind = kind,
                              .time_ns = time_ns,
                              .launches = 1,
                              .instances = 2,
                              .parent = parent,
                              .after = after};
}

static void check_markup(struct str s)
{
    assert_int_equal(count(s, "<details"), count(s, "</details>"));
    assert_int_equal(count(s, "<summary"), count(s, "</summary>"));
    assert_int_equal(count(s, "<div"), count(s, "</div>"));
    assert_int_equal(count(s, "<span"), count(s, "</span>"));
    assert_int_equal(count(s, "<a "), count(s, "</a>"));
    assert_int_equal(count(s, "<p"), count(s, "</p>"));
    assert_false(str_has(s, S("style=")));
    assert_int_equal(count(s, "<svg"), count(s, "<svg class=\"bar\" width=\""));
    assert_false(str_has(s, S("<script")));
}

/* A summary is a control: it may hold no link. */
static void check_summaries(struct str s)
{
    for (ptrdiff_t at; (at = str_find(s, S("<summary"))) >= 0;) {
        s = str_skip(s, at);
        struct str inside = str_head(s, str_find(s, S("</summary>")));
        assert_false(str_has(inside, S("<a ")));
        s = str_skip(s, inside.n);
    }
}

static struct str render(const struct path_view *v, const uint8_t *has_page,
                         int32_t root, int32_t *deep, int *n_deep)
{
    struct tree_links *links = arena_new(&memory, struct tree_links, v->n_nodes);
    tree_links_build(links, memory, &report, v);
    struct tree_part p = {&report, v, has_page, links, 'c', true};
    struct out o;
    out_memory(&o);
    *n_deep = tree_markup(&o, &p, root, deep, v->n_nodes, memory);
    return out_text(&o, &memory);
}

/* Names of every kind that try to be markup. */
static void names_stay_text(void **state)
{
    (void)state;
    struct str via[] = {S(CASE_HOSTILE), S("dir/<b>.py(1): f"),
                        S("\0\xff\xe2\x80\xae")};
    struct path_node nodes[] = {
        node(-1, 6, "", NODE_ALL, 1000),
        node(0, 3, CASE_HOSTILE, NODE_MODULE, 600),
        node(1, 3, CASE_HOSTILE, NODE_DEVICE, 600),
        node(0, 4, CASE_HOSTILE, NODE_FRAME, 300),
        node(0, 5, "", NODE_OPERATOR, 90),
        {.kind = NODE_REST, .time_ns = 10, .instances = 3, .parent = 0, .after = 6}};
    nodes[3].through = via;
    nodes[3].n_through = nodes[3].n_chain = 3;
    struct path_view v = {VIEW_CALLS, nodes, 6, 1000, 6, 6, 3};
    uint8_t has_page[6] = {0};
    int32_t deep[6];
    int n_deep;
    struct str s = render(&v, has_page, 0, deep, &n_deep);
    check_markup(s);
    check_summaries(s);
    assert_int_equal(n_deep, 0);
    assert_true(str_has(s, S("&lt;/script&gt;")));
    assert_true(str_has(s, S("3 more, each below 0.1%")));
    assert_true(str_has(s, S("(no name)")));
    assert_true(str_has(s, S("2 instances")));
    /* 600 of 1000 ns: 60.0 %. */
    assert_true(str_has(s, S("60.0%")));
    /* Bars of 120 px for all: exact, and none where nothing would be seen. */
    assert_true(str_has(s, S("<svg class=\"bar\" width=\"72.0\" height=\"8\"")));
    assert_true(str_has(s, S("width=\"36.0\"")) && str_has(s, S("width=\"10.8\"")));
    /* The folder of a frame is in the whole way alone. */
    assert_int_equal(count(s, "dir/&lt;b&gt;.py"), 1);
    assert_int_equal(count(s, "&lt;b&gt;.py"), 2);
}

/* 100 levels, each with a leaf beside the next one: blocks of forty levels, and a link
 * both ways for each. */
static void deep_trees_go_on_below(void **state)
{
    (void)state;
    enum { LEVELS = 100, N = 2 * LEVELS + 1 };
    static struct path_node nodes[N];
    nodes[0] = node(-1, N, "", NODE_ALL, LEVELS);
    for (int k = 0; k < LEVELS; k++) {
        int32_t inner = 1 + k, leaf = N - 1 - k, up = k;
        nodes[inner] = node(up, leaf, "f", NODE_FRAME, LEVELS - k);
        nodes[leaf] = node(up, leaf + 1, "g", NODE_DEVICE, 1);
    }
    struct path_view v = {VIEW_CALLS, nodes, N, LEVELS, N, N, LEVELS};
    static uint8_t has_page[N];
    static int32_t deep[N];
    int total = 0, n_deep, lines = 0, queued = 0;
    for (int32_t root = 0; root >= 0;) {
        struct str s = render(&v, has_page, root, deep + queued, &n_deep);
        check_markup(s);
        assert_true(count(s, "<details") <= TREE_DEPTH_MAX);
        assert_int_equal(count(s, "-below\""), n_deep);
        lines += count(s, "class=\"line");
        queued += n_deep;
        root = total < queued ? deep[total] : -1;
        total += root >= 0;
    }
    assert_int_equal(total, 2); /* after 40 levels, and after 40 more */
    assert_int_equal(lines, N - 1);
}

/* What has a page of its own is one line with a link. */
static void large_parts_are_links(void **state)
{
    (void)state;
    struct path_node nodes[] = {
        node(-1, 4, "", NODE_ALL, 10), node(0, 3, "op", NODE_OPERATOR, 10),
        node(1, 3, "k", NODE_DEVICE, 10), node(0, 4, "x", NODE_DEVICE, 0)};
    struct path_view v = {VIEW_CALLS, nodes, 4, 10, 2, 3, 2};
    uint8_t has_page[4] = {0, 1, 0, 0};
    int32_t deep[4];
    int n_deep;
    struct str s = render(&v, has_page, 0, deep, &n_deep);
    check_markup(s);
    struct tree_part p = {&report, &v, has_page, NULL, 'c', true};
    struct str page = tree_page_name(&memory, &p, 1);
    assert_true(str_starts(page, S("tree-c-")) && str_ends(page, S(".html")));
    assert_true(str_has(s, page));
    assert_int_equal(count(s, "class=\"line"), 2);
}

/* A link to the line of an operator leads to one that leads back, be it a frame that is
 * all the operator calls. */
static void chains_have_the_findings_they_pass(void **state)
{
    (void)state;
    static struct report_finding finding = {.rank = S_INIT("K1"),
                                            .anchor = S_INIT("f-0a0b0c0d")};
    struct report own = report;
    struct path_node frame = {.kind = NODE_FRAME,
                              .name = S("m.py(1): f"),
                              .through = (struct str[]){S("aten::addmm"), S("g")},
                              .n_through = 2};
    struct path_view v = {.nodes = &frame, .n_nodes = 1};
    struct tree_links link;
    tree_links_build(&link, memory, &own, &v);
    assert_int_equal(link.finding, -1);
    own.findings = &finding;
    own.n_findings = 1;
    own.ops[0].finding = 0;
    tree_links_build(&link, memory, &own, &v);
    assert_int_equal(link.finding, 0);
    frame.n_through = 0;
    tree_links_build(&link, memory, &own, &v);
    assert_int_equal(link.finding, -1);
    own.ops[0].finding = -1;
}

int main(void)
{
    memory = arena_reserve(1 << 26);
    case_ops(&memory, &report);
    case_categories(&memory, &report);
    report.ops[0].finding = -1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_stay_text),
        cmocka_unit_test(deep_trees_go_on_below),
        cmocka_unit_test(large_parts_are_links),
        cmocka_unit_test(chains_have_the_findings_they_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
