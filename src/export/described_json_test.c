#include "described_json.c"

#include "base/arena_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum state { UNKNOWN, GOOD, STATES };

struct point {
    double x;
};

struct shelf {
    struct str name, note;
    double wait_ms, share_pct, ratio;
    int64_t span_ns, bytes;
    int rank;
    bool full;
    enum state state;
    const struct point *near; /* NULL: none */
    struct point *points;
    struct str *words;
    int n_points, n_words;
};

static struct str state_word(enum state s)
{
    return s == GOOD ? S("good") : S("");
}

static struct str label(const struct described *in)
{
    const struct shelf *s = in->of;
    const struct str *unit = in->whole;
    return str_printf(in->tmp, "%.*s in %.*s", STRF(s->name), STRF(*unit));
}

static FIELDS(point, F(x, RATE));
static VIEW(sizes, shelf, F(bytes, KNOWN));
static FIELDS(shelf, F(name, TEXT), F(note, TEXT), AS("remark", note, NAME),
              F(wait_ms, MS), AS("wait_ns", wait_ms, MS_IN_NS), F(share_pct, PCT),
              F(ratio, EXACT), AS("span_ms", span_ns, NS_IN_MS), F(rank, SOME),
              F(full, FLAG), ENUM(state, state_word, STATES), PART("sizes", sizes),
              POINTER(near, point), LIST(points, n_points, point),
              LIST(words, n_words, text), CALL(label, TEXT, label));
static VIEW(flat, shelf, PART("sizes", sizes), F(rank, NUMBER));
static VIEW(near, shelf, F(name, TEXT), MEMBERS_OF(near, point));

struct shelf_list {
    struct shelf *first;
    int n;
};
TELL(struct field_items, shelves, shelf_list,
     (struct field_items){.first = it->first, .n = it->n});
static VIEW(ranked, shelf, F(name, TEXT), ITSELF(rank, COUNT));
static VIEW(listed, shelf, F(name, TEXT), F(rank, COUNT), F(share_pct, PCT));
static FIELDS(shelf_list, CALL_MAP(ranks, ranked, shelves),
              CALL_MAP(all, listed, shelves));

static void assert_told(const struct description *d, const void *s,
                        const struct json_name *names, const char *want)
{
    struct str unit = S("cm");
    const struct json_walk w = {&unit, names, &a, NULL};
    const char *before = a.at;
    cJSON *o = described_json(d, s, &w);
    char *text = cJSON_PrintUnformatted(o);
    assert_string_equal(text, want);
    assert_ptr_equal(a.at, before);
    cJSON_free(text);
    cJSON_Delete(o);
}

static void test_each_unit_in_its_own_way(void **state)
{
    (void)state;
    struct point points[] = {{1.006}, {2}};
    struct str words[] = {S_INIT("a"), S_INIT("")};
    struct shelf s = {.name = S("top"),
                      .wait_ms = 1.23456,
                      .share_pct = 12.345678,
                      .ratio = 0.123456789,
                      .span_ns = 1234567,
                      .bytes = 5,
                      .rank = 3,
                      .full = true,
                      .state = GOOD,
                      .near = &points[1],
                      .points = points,
                      .n_points = 2,
                      .words = words,
                      .n_words = 2};
    assert_told(shelf_fields(), &s, NULL,
                "{\"name\":\"top\",\"note\":\"\",\"remark\":null,\"wait_ms\":1.235,"
                "\"wait_ns\":1234560,\"share_pct\":12.35,\"ratio\":0.123456789,"
                "\"span_ms\":1.235,\"rank\":3,\"full\":true,\"state\":\"good\","
                "\"sizes\":{\"bytes\":5},\"near\":{\"x\":2},"
                "\"points\":[{\"x\":1.01},{\"x\":2}],\"words\":[\"a\",\"\"],"
                "\"label\":\"top in cm\"}");
}

static void test_unknown_is_null(void **state)
{
    (void)state;
    struct shelf s = {.wait_ms = (double)NAN, .share_pct = INFINITY, .bytes = -1};
    static const struct json_name less[] = {{"wait_ns", NULL}, {"ratio", NULL}, {0}};
    assert_told(shelf_fields(), &s, less,
                "{\"name\":\"\",\"note\":\"\",\"remark\":null,\"wait_ms\":null,"
                "\"share_pct\":null,\"span_ms\":0,\"rank\":null,\"full\":false,"
                "\"state\":null,\"sizes\":{\"bytes\":null},\"near\":null,\"points\":[],"
                "\"words\":[],\"label\":\" in cm\"}");
}

static void test_members_of_another_struct(void **state)
{
    (void)state;
    struct point p = {7};
    assert_told(near_fields(), &(struct shelf){.name = S("low"), .near = &p}, NULL,
                "{\"name\":\"low\",\"x\":7}");
    assert_told(near_fields(), &(struct shelf){.name = S("low")}, NULL,
                "{\"name\":\"low\"}");
}

static void test_map_has_what_is_under_each_name(void **state)
{
    (void)state;
    struct shelf shelves[] = {{.name = S("low"), .rank = 1, .share_pct = 2},
                              {.name = S("high"), .rank = 3, .share_pct = (double)NAN}};
    struct shelf_list list = {shelves, 2};
    assert_told(shelf_list_fields(), &list, NULL,
                "{\"ranks\":{\"low\":1,\"high\":3},"
                "\"all\":{\"low\":{\"rank\":1,\"share_pct\":2},"
                "\"high\":{\"rank\":3,\"share_pct\":null}}}");
}

static struct field_value rank_or_name(const struct described *in)
{
    const struct shelf *s = in->of;
    return s->rank ? (struct field_value){.kind = FIELD_REAL, .real = s->rank / 3.0}
                   : (struct field_value){.kind = FIELD_TEXT, .text = s->name};
}
static VIEW(either, shelf, F(name, TEXT), ITSELF_ANY(FINE, rank_or_name));
static VIEW(eithers, shelf_list, CALL_MAP(of, either, shelves));
static VIEW(named, shelf, F(name, TEXT), F(rank, COUNT));
static VIEW(first_ones, shelf_list, LIST_WITHIN(100, "list", first, n, named));
TELL(const void *, full, shelf, it->full ? it : NULL);
static VIEW(rank, shelf, F(rank, COUNT));
static VIEW(if_full, shelf, MEMBERS_FROM(rank, full), SAYS(kind, "shelf"));
static VIEW(spans, shelf, AS("us", wait_ms, MS_IN_US), AS("ms", share_pct, US_IN_MS),
            AS("ns", ratio, MS_IN_NS));

static void test_a_value_of_either_kind(void **state)
{
    (void)state;
    struct shelf shelves[] = {{.name = S("low"), .rank = 1}, {.name = S("high")}};
    struct shelf_list list = {shelves, 2};
    assert_told(eithers_fields(), &list, NULL,
                "{\"of\":{\"low\":0.3333,\"high\":\"high\"}}");
}

static void test_list_ends_where_its_room_does(void **state)
{
    (void)state;
    struct shelf shelves[] = {{.name = S("low"), .rank = 1},
                              {.name = S("high"), .rank = 2},
                              {.name = S("top"), .rank = 3}};
    struct shelf_list list = {shelves, 1};
    assert_told(first_ones_fields(), &list, NULL,
                "{\"list\":[{\"name\":\"low\",\"rank\":1}]}");
    list.n = 3;
    assert_told(first_ones_fields(), &list, NULL,
                "{\"list\":[{\"name\":\"low\",\"rank\":1}]}");
}

static void test_members_that_a_function_finds(void **state)
{
    (void)state;
    assert_told(if_full_fields(), &(struct shelf){.rank = 2}, NULL,
                "{\"kind\":\"shelf\"}");
    assert_told(if_full_fields(), &(struct shelf){.rank = 2, .full = true}, NULL,
                "{\"rank\":2,\"kind\":\"shelf\"}");
}

static void test_spans_in_another_unit(void **state)
{
    (void)state;
    assert_told(spans_fields(),
                &(struct shelf){.wait_ms = 1.23456, .share_pct = 1234.5678, .ratio = 2},
                NULL, "{\"us\":1234.56,\"ms\":1.235,\"ns\":2000000}");
    assert_told(spans_fields(), &(struct shelf){.ratio = (double)NAN}, NULL,
                "{\"us\":0,\"ms\":0,\"ns\":null}");
}

static struct str shouted(struct arena *tmp, struct str v)
{
    return str_printf(tmp, "%.*s!", STRF(v));
}

static void test_texts_as_a_format_has_them(void **state)
{
    (void)state;
    struct str words[] = {S_INIT("a")};
    struct shelf s = {.name = S("top"), .words = words, .n_words = 1};
    cJSON *o = described_json(shelf_fields(), &s,
                              &(struct json_walk){&words, NULL, &a, shouted});
    assert_string_equal(cJSON_GetObjectItem(o, "name")->valuestring, "top!");
    assert_string_equal(cJSON_GetObjectItem(o, "words")->child->valuestring, "a!");
    cJSON_Delete(o);
}

static void test_other_names(void **state)
{
    (void)state;
    struct point p = {7};
    static const struct json_name names[] = {
        {"name", "title"}, {"x", "width"}, {"sizes", ""}, {0}};
    assert_told(near_fields(), &(struct shelf){.near = &p}, names,
                "{\"title\":\"\",\"width\":7}");
    assert_told(flat_fields(), &(struct shelf){.rank = 2}, names,
                "{\"bytes\":0,\"rank\":2}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_unit_in_its_own_way),
        cmocka_unit_test(test_unknown_is_null),
        cmocka_unit_test(test_members_of_another_struct),
        cmocka_unit_test(test_map_has_what_is_under_each_name),
        cmocka_unit_test(test_a_value_of_either_kind),
        cmocka_unit_test(test_list_ends_where_its_room_does),
        cmocka_unit_test(test_members_that_a_function_finds),
        cmocka_unit_test(test_spans_in_another_unit),
        cmocka_unit_test(test_texts_as_a_format_has_them),
        cmocka_unit_test(test_other_names),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
