#include "search_index.c"

#include "render/page/site_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <string.h>

static struct arena memory;

static struct str index_of(const struct report *r)
{
    struct out o;
    out_memory(&o);
    struct arena tmp = arena_first_half(&memory);
    struct kernel_lines kernels = kernel_lines_make(&memory, tmp, r);
    search_index(&o, r, &kernels, memory);
    return out_text(&o, &memory);
}

/* The object behind the variable's name; the caller deletes it. */
static cJSON *list_of(struct str script)
{
    struct str head = S("window.tracefolioSearch=");
    assert_true(str_starts(script, head));
    assert_true(str_ends(script, S("]};\n")));
    struct str list = str_skip(str_head(script, script.n - 2), head.n);
    cJSON *parsed = cJSON_ParseWithLength(list.p, (size_t)list.n);
    assert_non_null(parsed);
    return parsed;
}

static const char *text_in(const cJSON *list, int at)
{
    return cJSON_GetArrayItem(list, at)->valuestring;
}

/* "page.html#id" of the first entry whose name holds `name`. */
static const char *href_of(const cJSON *object, const char *name)
{
    const cJSON *entry, *pages = cJSON_GetObjectItem(object, "pages");
    cJSON_ArrayForEach(entry, cJSON_GetObjectItem(object, "entries"))
    {
        assert_int_equal(cJSON_GetArraySize(entry), 4);
        if (strstr(text_in(entry, 0), name))
            return str_c(
                &memory,
                str_printf(&memory, "%s#%s",
                           text_in(pages, cJSON_GetArrayItem(entry, 2)->valueint),
                           text_in(entry, 3)));
    }
    return NULL;
}

static void all_kinds_are_found(void **state)
{
    (void)state;
    memory = arena_reserve(1 << 26);
    struct report r = case_report(&memory);
    cJSON *list = list_of(index_of(&r));
    struct str op = str_printf(&memory, "operations.html#%.*s", STRF(r.ops[0].id));
    struct str first = name_short(&memory, r.ops[0].row->name, 80);
    assert_string_equal(href_of(list, str_c(&memory, first)), str_c(&memory, op));
    assert_string_equal(href_of(list, "Analysed window"),
                        "about.html#g-analysis-window");
    assert_non_null(href_of(list, str_c(&memory, r.findings[0].of->title)));
    assert_true(str_starts(
        str_of(
            href_of(list, str_c(&memory, name_short(&memory, r.kernels[0].name, 80)))),
        S("kernels.html#k-")));
    cJSON_Delete(list);
}

/* A module is found where its line is: on the page of its view. */
static void modules_are_found(void **state)
{
    (void)state;
    memory = arena_reserve(1 << 26);
    struct report r = case_report(&memory);
    struct path_node nodes[] = {
        {.kind = NODE_ALL, .parent = -1, .after = 3, .time_ns = 9},
        {.kind = NODE_MODULE, .name = S("Attention"), .id = S("n-1"), .after = 3},
        {.kind = NODE_OPERATOR,
         .name = S("only_here"),
         .id = S("n-2"),
         .parent = 1,
         .after = 3}};
    struct path_tree tree = {.n_views = 1};
    tree.views[0] = (struct path_view){
        .kind = VIEW_MODULES, .nodes = nodes, .n_nodes = 3, .total_ns = 9};
    r.tree = &tree;
    cJSON *list = list_of(index_of(&r));
    assert_string_equal(href_of(list, "Attention"), "tree.html#n-1");
    assert_null(href_of(list, "only_here"));
    cJSON_Delete(list);
}

static void hostile_names_stay_texts(void **state)
{
    (void)state;
    memory = arena_reserve(1 << 26);
    struct report r = case_report(&memory);
    op_case_row(&r.ops[0])->name = S("</script>eval(1) https://h\xe2\x80\xa8");
    struct str script = index_of(&r);
    assert_false(str_has(script, S("</")));
    assert_false(str_has(script, S("eval(")));
    assert_false(str_has(script, S("https:")));
    cJSON_Delete(list_of(script));
}

static void it_stays_small(void **state)
{
    (void)state;
    memory = arena_reserve(1 << 26);
    struct report r = case_report(&memory);
    enum { MANY = 5000 };
    struct report_op *ops = arena_new(&memory, struct report_op, MANY);
    struct out name; /* short enough to stay whole, and long in bytes */
    out_memory(&name);
    for (int i = 0; i < 80; i++)
        out_lit(&name, "\xF0\x9F\xA6\x8A");
    struct work_row row = *r.ops[0].row;
    row.name = out_text(&name, &memory);
    for (int i = 0; i < MANY; i++) {
        ops[i] = r.ops[0];
        ops[i].row = &row;
    }
    r.ops = ops;
    r.n_ops = MANY;
    struct str script = index_of(&r);
    assert_true(script.n <= SEARCH_BYTES_MAX && script.n > SEARCH_BYTES_MAX - 1000);
    cJSON_Delete(list_of(script));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_are_found), cmocka_unit_test(modules_are_found),
        cmocka_unit_test(hostile_names_stay_texts), cmocka_unit_test(it_stays_small)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
