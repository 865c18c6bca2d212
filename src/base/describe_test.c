#include "base/describe.c"

#include "base/arena_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum colour { RED, GREEN, COLOURS };

struct wheel {
    double mm;
    bool spare;
};

struct car {
    struct str name;
    int64_t made_ns, sold_ns;
    enum colour colour;
    int seats;
    uint64_t key;
    struct wheel steering;
    const struct wheel *rear; /* NULL: none */
    struct wheel *wheels;
    int n_wheels;
    const struct wheel **spares;
    int n_spares;
    struct wheel own[2];
    int n_own;
};

static struct str colour_word(enum colour c)
{
    return c == GREEN ? S("green") : S("red");
}

static struct str label(const struct described *in)
{
    const struct car *c = in->of, *of = in->whole;
    return str_printf(in->tmp, "%.*s of %.*s", STRF(c->name), STRF(of->name));
}

static double weight(const struct described *in)
{
    const struct car *c = in->of;
    return 100.0 * c->seats;
}

static const void *first_wheel(const struct described *in)
{
    const struct car *c = in->of;
    return c->n_wheels ? c->wheels : NULL;
}

static int64_t doors(const struct described *in)
{
    const struct car *c = in->of;
    return c->seats + 1;
}

static bool is_sold(const struct described *in)
{
    const struct car *c = in->of;
    return c->sold_ns > 0;
}

TELL(struct str, shout, car, str_printf(in->tmp, "%.*s!", STRF(it->name)));
TELL(struct field_items, but_first, car,
     (struct field_items){.first = it->wheels + 1, .n = it->n_wheels - 1});
static struct field_items ends(const struct described *in)
{
    const struct car *c = in->of;
    const struct wheel **list = arena_new(in->tmp, const struct wheel *, 2);
    list[0] = &c->wheels[c->n_wheels - 1];
    list[1] = &c->wheels[0];
    return (struct field_items){.first = list, .n = 2, .pointers = true};
}

static FIELDS(wheel, F(mm, RATE), F(spare, FLAG));
static VIEW(times, car, F(made_ns, NS), F(sold_ns, NS));
static FIELDS(car, F(name, TEXT), SPAN("stock_ns", NS, made_ns, sold_ns),
              ENUM(colour, colour_word, COLOURS),
              ENUM_AS("paint", colour, NULL, COLOURS), AS("places", seats, COUNT),
              F(key, HEX), STRUCT(steering, wheel),
              AS("steering_mm", steering.mm, RATE), POINTER(rear, wheel),
              LIST(wheels, n_wheels, wheel), PART("times", times),
              CALL(label, TEXT, label), CALL(weight, RATE, weight),
              CALL(doors, COUNT, doors), CALL(sold, FLAG, is_sold),
              CALL_STRUCT(first, wheel, first_wheel), CALL(shout, TEXT, shout),
              CALL_LIST(but_first, wheel, but_first), CALL_LIST(ends, wheel, ends),
              POINTERS("spares", spares, n_spares, wheel),
              ARRAY("own", own, n_own, wheel), SAYS(maker, "us"));

static struct wheel wheels[] = {{400, false}, {401, true}, {402, false}};
static struct car beetle = {.name = S_INIT("beetle"),
                            .made_ns = 5,
                            .sold_ns = 12,
                            .colour = GREEN,
                            .seats = 4,
                            .key = UINT64_MAX,
                            .steering = {30, false},
                            .wheels = wheels,
                            .n_wheels = 3};

static struct field_value value_of(const struct car *c, const char *name)
{
    static const struct car maker = {.name = S_INIT("the maker")};
    const struct field *f = field_of(car_fields(), name);
    assert_non_null(f);
    return field_value(f, &(struct described){c, &maker, &a});
}

static void test_members_are_read_where_they_are(void **state)
{
    (void)state;
    assert_text(value_of(&beetle, "name").text, "beetle");
    assert_int_equal(value_of(&beetle, "places").whole, 4);
    assert_true(value_of(&beetle, "key").bits == UINT64_MAX);
    assert_true(value_of(&beetle, "steering_mm").real == 30);
    struct field_value stock = value_of(&beetle, "stock_ns");
    assert_int_equal(stock.kind, FIELD_I64);
    assert_int_equal(stock.whole, 7);
}

static void test_enum_has_its_word_or_its_number(void **state)
{
    (void)state;
    assert_text(value_of(&beetle, "colour").text, "green");
    struct field_value paint = value_of(&beetle, "paint");
    assert_int_equal(paint.kind, FIELD_I32);
    assert_int_equal(paint.whole, GREEN);
}

static void test_functions_tell_what_is_no_member(void **state)
{
    (void)state;
    assert_text(value_of(&beetle, "label").text, "beetle of the maker");
    assert_true(value_of(&beetle, "weight").real == 400);
    assert_int_equal(value_of(&beetle, "doors").whole, 5);
    assert_true(value_of(&beetle, "sold").flag);
    assert_ptr_equal(value_of(&beetle, "first").item, wheels);
    assert_null(value_of(&(struct car){0}, "first").item);
}

static void test_structs_inside_and_elsewhere(void **state)
{
    (void)state;
    struct field_value v = value_of(&beetle, "steering");
    assert_int_equal(v.kind, FIELD_POINTER);
    assert_ptr_equal(v.item, &beetle.steering);
    assert_null(value_of(&beetle, "rear").item);
    struct car trike = beetle;
    trike.rear = &wheels[2];
    assert_ptr_equal(value_of(&trike, "rear").item, &wheels[2]);
    const struct field *part = field_of(car_fields(), "times");
    assert_ptr_equal(value_of(&beetle, "times").item, &beetle);
    const struct field *sold = field_of(part->item(), "sold_ns");
    assert_int_equal(field_value(sold, &(struct described){&beetle, NULL, &a}).whole,
                     12);
}

static void test_list_has_its_items(void **state)
{
    (void)state;
    const struct field *f = field_of(car_fields(), "wheels"),
                       *mm = field_of(f->item(), "mm"),
                       *spare = field_of(f->item(), "spare");
    struct car none = {.n_wheels = 0};
    struct field_items items = field_items(f, &(struct described){.of = &beetle});
    assert_int_equal(items.n, 3);
    for (int i = 0; i < items.n; i++) {
        struct described in = {.of = field_item(&items, i)};
        assert_true(field_value(mm, &in).real == 400 + i);
        assert_int_equal(field_value(spare, &in).flag, i == 1);
    }
    assert_int_equal(field_items(f, &(struct described){.of = &none}).n, 0);
}

static double mm_of(const struct car *c, const char *list, int n, int k)
{
    const struct field *f = field_of(car_fields(), list);
    struct field_items items = field_items(f, &(struct described){c, NULL, &a});
    assert_int_equal(items.n, n);
    return ((const struct wheel *)field_item(&items, k))->mm;
}

static void test_list_that_a_function_finds(void **state)
{
    (void)state;
    assert_text(value_of(&beetle, "shout").text, "beetle!");
    assert_true(mm_of(&beetle, "but_first", 2, 0) == 401);
    assert_true(mm_of(&beetle, "but_first", 2, 1) == 402);
    assert_true(mm_of(&beetle, "ends", 2, 0) == 402);
    assert_true(mm_of(&beetle, "ends", 2, 1) == 400);
}

static void test_list_of_pointers(void **state)
{
    (void)state;
    const struct wheel *spares[] = {&wheels[2], &wheels[1]};
    struct car van = {.spares = spares, .n_spares = 2};
    assert_true(mm_of(&van, "spares", 2, 0) == 402);
    assert_true(mm_of(&van, "spares", 2, 1) == 401);
}

static void test_list_inside_the_struct(void **state)
{
    (void)state;
    struct car van = {.own = {{7, false}, {8, true}}, .n_own = 2};
    assert_true(mm_of(&van, "own", 2, 0) == 7);
    assert_true(mm_of(&van, "own", 2, 1) == 8);
}

static void test_what_is_said_of_all(void **state)
{
    (void)state;
    assert_text(value_of(&beetle, "maker").text, "us");
}

static void test_a_number_is_told_in_its_unit(void **state)
{
    (void)state;
    assert_true(field_told(FIELD_UNIT_MS_IN_NS, 1.5) == 1.5e6);
    assert_true(field_told(FIELD_UNIT_MS_IN_US, 1.5) == 1500);
    assert_true(field_told(FIELD_UNIT_US_IN_MS, 1500) == 1.5);
    assert_true(field_told(FIELD_UNIT_NS_IN_MS, 1.5e6) == 1.5);
    assert_true(field_told(FIELD_UNIT_US, 1.5) == 1.5);
}

static struct str spare_word(unsigned k)
{
    return k ? S("rear") : S("front");
}

static void test_numbers_are_named_where_not_0(void **state)
{
    (void)state;
    struct field_items all = named_wholes(&a, (const int64_t[]){0, 5}, 2, spare_word);
    const struct named_whole *first = field_item(&all, 0);
    assert_int_equal(all.n, 1);
    assert_text(first->name, "rear");
    assert_int_equal(first->whole, 5);
}

static void test_no_member_of_that_name(void **state)
{
    (void)state;
    assert_null(field_of(car_fields(), "wheel"));
    assert_null(field_of(car_fields(), "wheels2"));
    assert_null(field_of(car_fields(), ""));
    assert_int_equal(car_fields()->bytes, sizeof(struct car));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_are_read_where_they_are),
        cmocka_unit_test(test_enum_has_its_word_or_its_number),
        cmocka_unit_test(test_functions_tell_what_is_no_member),
        cmocka_unit_test(test_structs_inside_and_elsewhere),
        cmocka_unit_test(test_list_has_its_items),
        cmocka_unit_test(test_list_that_a_function_finds),
        cmocka_unit_test(test_list_of_pointers),
        cmocka_unit_test(test_list_inside_the_struct),
        cmocka_unit_test(test_what_is_said_of_all),
        cmocka_unit_test(test_a_number_is_told_in_its_unit),
        cmocka_unit_test(test_numbers_are_named_where_not_0),
        cmocka_unit_test(test_no_member_of_that_name),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
