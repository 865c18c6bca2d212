#include "row_deflate.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <zlib.h>

#include <cmocka.h>

static struct row_deflate deflater; /* one for all: what was before does not show */

struct picture {
    uint8_t *rows;
    ptrdiff_t stride;
    int height;
    struct row_change *change;
};

static struct picture blank(ptrdiff_t stride, int height)
{
    struct picture p = {calloc((size_t)(stride * height) + 8, 1), stride, height,
                        calloc((size_t)height, sizeof(struct row_change))};
    assert_non_null(p.rows);
    assert_non_null(p.change);
    return p;
}

/* What of each row differs from that above, and not a byte more. */
static void find_changes(struct picture *p)
{
    for (int y = 1; y < p->height; y++) {
        const uint8_t *row = p->rows + y * p->stride, *above = row - p->stride;
        int from = 0, to = (int)p->stride;
        while (from < to && row[from] == above[from])
            from++;
        while (to > from && row[to - 1] == above[to - 1])
            to--;
        p->change[y] = (struct row_change){from, to};
    }
}

/* zlib reads it, its checksum too, and finds the rows; returns the bytes it took. */
static ptrdiff_t check(struct picture *p)
{
    uLongf n = (uLongf)(p->stride * p->height);
    uint8_t *back = malloc(n);
    struct out o;
    assert_non_null(back);
    out_memory(&o);
    row_deflate(&deflater, p->rows, p->stride, p->height, p->change, &o);
    struct str s = out_view(&o);
    ptrdiff_t bytes = s.n;
    assert_int_equal(uncompress(back, &n, (const Bytef *)s.p, (uLong)s.n), Z_OK);
    assert_int_equal(n, p->stride * p->height);
    assert_memory_equal(back, p->rows, n);
    out_free(&o);
    free(back);
    free(p->rows);
    free(p->change);
    return bytes;
}

static unsigned next_random(void)
{
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    return state >> 16;
}

static void ground_is_next_to_nothing(void **state)
{
    (void)state;
    struct picture p = blank(1681, 2000);
    /* 3,362,000 bytes are 13,032 matches of 258, of two bits or three each. */
    assert_in_range(check(&p), 100, 13032 * 3 / 8 + 100);
    for (int stride = 3; stride < 9; stride++)
        for (int height = 1; height < 4; height++) {
            p = blank(stride, height);
            check(&p);
        }
}

/* Runs of every length around what one match holds, of ink and of what is above. */
static void runs_of_every_length(void **state)
{
    (void)state;
    struct picture p = blank(1100, 1050);
    for (int y = 0; y < p.height; y++) {
        memset(p.rows + y * p.stride + 7, 3, (size_t)y);
        p.rows[y * p.stride + 1090] = (uint8_t)(y % 2);
    }
    find_changes(&p);
    check(&p);
    for (int height = 1; height < 60; height++) {
        p = blank(86, height); /* whole rows: 86 is a third of 258 */
        for (int y = 0; y < height; y++)
            memset(p.rows + y * p.stride + 20, 5, 40);
        check(&p);
    }
}

/* More tokens than a block holds, none of which helps another. */
static void noise_in_many_blocks(void **state)
{
    (void)state;
    struct picture p = blank(1681, 100);
    for (ptrdiff_t i = 0; i < p.stride * p.height; i++)
        p.rows[i] = (uint8_t)next_random();
    find_changes(&p);
    ptrdiff_t n = p.stride * p.height;
    assert_in_range(check(&p), n, n + n / 100 + 1000);
}

/* Byte k occurs as often as the k-th number of Fibonacci: a tree as deep as there are
 * bytes, were it not limited. */
static void deep_codes(void **state)
{
    (void)state;
    struct picture p = blank(1000, 60);
    ptrdiff_t at = 0;
    long before = 1, count = 1;
    for (int byte = 1; byte < 22; byte++) {
        for (long k = 0; k < count && at < p.stride * p.height; k++)
            p.rows[at++] = (uint8_t)byte;
        long next = before + count;
        before = count;
        count = next;
    }
    for (ptrdiff_t i = at - 1; i > 0; i--) { /* shuffled, so that there are no runs */
        ptrdiff_t k = (ptrdiff_t)((next_random() << 16 | next_random()) % (unsigned)i);
        uint8_t byte = p.rows[i];
        p.rows[i] = p.rows[k];
        p.rows[k] = byte;
    }
    find_changes(&p);
    check(&p);
}

/* Stamps on ground, again and again: found where they were, also far to the left, and
 * not where they are further away than a match may be. */
static void letters_are_found_again(void **state)
{
    (void)state;
    struct picture p = blank(9001, 40);
    uint8_t letter[20][14];
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 14; x++)
            letter[y][x] = (uint8_t)(1 + next_random() % 15);
    for (int x = 40; x < 8900; x += 40)
        for (int y = 0; y < 20; y++)
            memcpy(p.rows + (10 + y) * p.stride + x, letter[y], 14);
    find_changes(&p);
    /* 222 letters of 280 pixels, each row of which is a match of about four bytes. */
    assert_in_range(check(&p), 100, 222 * 20 * 4);
}

/* More may be said to change than does, and at the edges, too. */
static void changes_may_be_wider(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        struct picture p = blank(3 + next_random() % 60, 1 + (int)(next_random() % 30));
        for (ptrdiff_t i = 0; i < p.stride * p.height; i++)
            p.rows[i] = next_random() % 4 ? i >= p.stride ? p.rows[i - p.stride] : 0
                                          : (uint8_t)(next_random() % 3);
        find_changes(&p);
        for (int y = 1; y < p.height; y++) {
            struct row_change *c = &p.change[y];
            c->from -= (int32_t)(next_random() % (unsigned)(c->from + 1));
            c->to += (int32_t)(next_random() % (unsigned)(p.stride - c->to + 1));
        }
        check(&p);
    }
}

/* What is said not to change is not looked at: the promise that makes it quick. */
static void what_does_not_change_is_not_read(void **state)
{
    (void)state;
    struct picture p = blank(100, 4);
    struct out o;
    uint8_t back[400];
    uLongf n = sizeof back;
    memset(p.rows + 1, 1, 50);
    memset(p.rows + 200, 9, 100);
    p.change[3] = (struct row_change){99, 100};
    out_memory(&o);
    row_deflate(&deflater, p.rows, p.stride, p.height, p.change, &o);
    struct str s = out_view(&o);
    uncompress(back, &n, (const Bytef *)s.p, (uLong)s.n);
    assert_memory_equal(back + 100, back, 100);
    assert_memory_equal(back + 200, back, 100);
    out_free(&o);
    free(p.rows);
    free(p.change);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ground_is_next_to_nothing),
        cmocka_unit_test(runs_of_every_length),
        cmocka_unit_test(noise_in_many_blocks),
        cmocka_unit_test(deep_codes),
        cmocka_unit_test(letters_are_found_again),
        cmocka_unit_test(changes_may_be_wider),
        cmocka_unit_test(what_does_not_change_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
