#include "tree_pages.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { GROUPS = 60, LEAVES = 60, N = 1 + GROUPS * (1 + LEAVES) };
static struct path_node nodes[N];

/* 60 operators of 60 kernels each: 3661 lines of 8 elements are 29,288, and a page
 * holds 6,000. */
static void large_trees_are_divided(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 26);
    nodes[0] = (struct path_node){.parent = -1, .after = N};
    for (int g = 0; g < GROUPS; g++) {
        int32_t at = 1 + g * (1 + LEAVES);
        nodes[at] = (struct path_node){.name = S("op"), .after = at + 1 + LEAVES};
        for (int k = 1; k <= LEAVES; k++)
            nodes[at + k] = (struct path_node){
                .name = S("kernel"), .parent = at, .after = at + k + 1};
    }
    struct path_view v = {.nodes = nodes, .n_nodes = N};
    const uint8_t *has_page = tree_pages_divide(&a, &v);
    int pages = 0, on_first = 0;
    for (int32_t i = 0; i < N; i++) {
        pages += has_page[i];
        bool hidden = nodes[i].parent > 0 && has_page[nodes[i].parent];
        on_first += hidden ? 0 : tree_node_elements(&nodes[i]);
    }
    assert_true(pages > 0 && pages < PAGES_MAX);
    assert_true(on_first <= PAGE_ELEMENTS);
    /* No more left than was needed: with one part more the page would be too large. */
    assert_true(on_first + LEAVES * 8 > PAGE_ELEMENTS);
}

static void small_trees_are_one_page(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 20);
    struct path_node two[] = {{.parent = -1, .after = 2}, {.after = 2}};
    struct path_view v = {.nodes = two, .n_nodes = 2};
    const uint8_t *has_page = tree_pages_divide(&a, &v);
    assert_int_equal(has_page[0] + has_page[1], 0);
}

/* A name of a megabyte costs what is shown of it. */
static void long_names_cost_what_is_shown(void **state)
{
    (void)state;
    static char text[1 << 20];
    struct path_node n = {.name = {text, sizeof text}};
    assert_true(tree_node_bytes(&n) < 6000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_trees_are_divided),
        cmocka_unit_test(small_trees_are_one_page),
        cmocka_unit_test(long_names_cost_what_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
