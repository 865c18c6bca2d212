#include "seen.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct leaf {
    double ms;
    unsigned colour;
};

struct tree {
    struct str name;
    int64_t span_ns;
    int rank, known;
    bool tall;
    double height;
    const struct leaf *best;
    struct leaf *leaves;
    struct str *words;
    int n_leaves, n_words;
};

enum leafage { LEAFAGE_NONE, LEAFAGE_GREEN, LEAFAGES };

static struct arena memory;

static struct str leafage_word(enum leafage l)
{
    return l == LEAFAGE_GREEN ? S("green") : S("");
}

static struct str label(const struct described *in)
{
    const struct tree *t = in->of, *whole = in->whole;
    return str_printf(in->tmp, "%.*s of %.*s", STRF(t->name), STRF(whole->name));
}

static const void *first_leaf(const struct described *in)
{
    const struct tree *t = in->of;
    return t->n_leaves ? t->leaves : NULL;
}

static FIELDS(leaf, F(ms, MS), ENUM(colour, leafage_word, LEAFAGES));
static FIELDS(tree, F(name, TEXT), AS("span_ms", span_ns, NS_IN_MS), F(rank, SOME),
              F(known, KNOWN), F(tall, FLAG), F(height, MS),
              LIST(leaves, n_leaves, leaf), LIST(words, n_words, text),
              CALL(label, TEXT, label), CALL_STRUCT(first, leaf, first_leaf),
              MEMBERS_OF(best, leaf));

static struct leaf leaves[] = {{1, LEAFAGE_NONE}, {2, LEAFAGE_GREEN}};
static struct str words[] = {S_INIT("oak"), S_INIT("")};
static struct tree oak = {.name = S_INIT("oak"),
                          .span_ns = 1500000,
                          .rank = 2,
                          .known = 0,
                          .tall = true,
                          .height = 3,
                          .best = &leaves[1],
                          .leaves = leaves,
                          .words = words,
                          .n_leaves = 2,
                          .n_words = 2};
static struct tree bare = {.known = -1, .height = (double)NAN};

static struct seen seen_of(const struct tree *t, const char *key)
{
    struct seen v = {.d = tree_fields(), .of = t, .whole = &oak};
    return seen_member(&v, str_of(key));
}

static const cJSON *node_of(const struct tree *t, const char *key)
{
    static cJSON room;
    struct seen v = seen_of(t, key);
    return seen_value(&v, &memory, &room);
}

static bool is_false(const struct tree *t, const char *key)
{
    struct seen v = seen_of(t, key);
    return seen_is_false(&v, memory);
}

static void test_values_are_those_of_the_struct(void **state)
{
    (void)state;
    assert_string_equal(node_of(&oak, "name")->valuestring, "oak");
    assert_string_equal(node_of(&oak, "label")->valuestring, "oak of oak");
    assert_true(node_of(&oak, "span_ms")->valuedouble == 1.5);
    assert_true(cJSON_IsTrue(node_of(&oak, "tall")));
    assert_true(node_of(&oak, "rank")->valuedouble == 2);
    assert_true(cJSON_IsNull(node_of(&bare, "rank")));
    assert_true(cJSON_IsNull(node_of(&bare, "known")));
    assert_null(node_of(&oak, "nam"));
    assert_null(node_of(&oak, "names"));
}

static void test_texts_are_repaired(void **state)
{
    (void)state;
    struct tree t = {.name = S("a\0b\xff")};
    assert_string_equal(node_of(&t, "name")->valuestring, "a\\u{0}"
                                                          "b\xEF\xBF\xBD");
}

static void test_false_as_nodes_are(void **state)
{
    (void)state;
    static const char *const keys[] = {"name",   "rank",  "known", "tall", "height",
                                       "leaves", "words", "first", "ms"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        if (is_false(&oak, keys[k]))
            fail_msg("%s is false", keys[k]);
        if (!is_false(&bare, keys[k]))
            fail_msg("%s of nothing is true", keys[k]);
    }
    assert_false(is_false(&bare, "span_ms")); /* 0 is a number */
    assert_true(is_false(&oak, "missing"));
}

static void test_structs_inside_are_entered(void **state)
{
    (void)state;
    struct seen first = seen_of(&oak, "first"), ms = seen_member(&first, S("ms"));
    cJSON room;
    assert_true(seen_value(&ms, &memory, &room)->valuedouble == 1);
    assert_true(node_of(&oak, "ms")->valuedouble == 2);
    assert_null(node_of(&bare, "ms"));
    assert_true(cJSON_IsObject(seen_value(&first, &memory, &room)));
}

/* {{#colour.green}} */
static void test_words_are_told_by_their_names(void **state)
{
    (void)state;
    static const struct {
        int leaf;
        const char *word;
        bool is;
    } cases[] = {{1, "green", true},
                 {1, "none", false},
                 {1, "gree", false},
                 {0, "none", true},
                 {0, "green", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct seen leaf = {.d = leaf_fields(), .of = &leaves[cases[k].leaf]},
                    colour = seen_member(&leaf, S("colour")),
                    v = seen_member(&colour, str_of(cases[k].word));
        assert_true(seen_is_false(&v, memory) == !cases[k].is);
    }
}

/* For filters of several numbers. */
static void test_structs_are_objects_of_their_reals(void **state)
{
    (void)state;
    struct seen v = {.d = tree_fields(), .of = &oak, .whole = &oak};
    cJSON room;
    const cJSON *o = seen_value(&v, &memory, &room);
    assert_int_equal(cJSON_GetArraySize(o), 1);
    assert_true(cJSON_GetObjectItemCaseSensitive(o, "height")->valuedouble == 3);
}

static void test_lists_have_their_items(void **state)
{
    (void)state;
    struct seen list = seen_of(&oak, "leaves"), word = seen_of(&oak, "words"), one, ms;
    cJSON room;
    assert_int_equal(seen_count(&list), 2);
    one = seen_item(&list, 1);
    ms = seen_member(&one, S("ms"));
    assert_true(seen_value(&ms, &memory, &room)->valuedouble == 2);
    one = seen_item(&word, 0);
    assert_string_equal(seen_value(&one, &memory, &room)->valuestring, "oak");
    one = seen_item(&word, 1);
    assert_true(seen_is_false(&one, memory));
    assert_int_equal(seen_count(&one), -1);
}

static void test_what_an_object_has_itself_comes_first(void **state)
{
    (void)state;
    cJSON *o = cJSON_CreateObject(), room;
    cJSON_AddItemToArray(o, seen_lent(tree_fields(), &oak, &oak));
    cJSON_AddNumberToObject(o, "name", 5);
    struct seen root = seen_node(o), v = seen_member(&root, S("name"));
    assert_true(seen_lends(o));
    assert_true(seen_value(&v, &memory, &room)->valuedouble == 5);
    v = seen_member(&root, S("height"));
    assert_true(seen_value(&v, &memory, &room)->valuedouble == 3);
    v = seen_member(&root, S("none"));
    assert_true(seen_is_false(&v, memory));
    cJSON_Delete(o);
    o = cJSON_CreateObject();
    assert_false(seen_lends(o));
    cJSON_Delete(o);
}

int main(void)
{
    memory = arena_reserve(1 << 20);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_are_those_of_the_struct),
        cmocka_unit_test(test_texts_are_repaired),
        cmocka_unit_test(test_false_as_nodes_are),
        cmocka_unit_test(test_structs_inside_are_entered),
        cmocka_unit_test(test_words_are_told_by_their_names),
        cmocka_unit_test(test_structs_are_objects_of_their_reals),
        cmocka_unit_test(test_lists_have_their_items),
        cmocka_unit_test(test_what_an_object_has_itself_comes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
