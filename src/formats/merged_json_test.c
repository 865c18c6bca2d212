#include "merged_json.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena_case.h"

#define LABELLED                                                                       \
    "{\"traceEvents\":["                                                               \
    "{\"pid\":\"[TP00] 7\",\"tid\":1,\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\","  \
    "\"ts\":1,\"dur\":1},\n"                                                           \
    "{\"pid\":\"[TP01] 8\",\"tid\":1,\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"b\","  \
    "\"ts\":2,\"dur\":1},\n"                                                           \
    "{\"pid\":\"other\",\"tid\":1,\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"c\","     \
    "\"ts\":3,\"dur\":1}]}"

/* The names of the events of a rank, one after the other. */
static struct source_end read_part(const char *part, char names[8], struct err *e)
{
    char path[] = "/tmp/merged_json_test.XXXXXX";
    struct event_source source;
    struct source_end last = {0};
    int fd = mkstemp(path), n = 0;
    assert_int_equal(write(fd, LABELLED, sizeof LABELLED - 1), sizeof LABELLED - 1);
    close(fd);
    struct source_options o = {.no_digest = true, .part = part};
    if (labelled_json_open(&source, path, o, e)) {
        for (struct event *ev; (ev = source.next(source.state, e));)
            if (ev->name.n == 1 && n < 7) {
                names[n++] = ev->name.p[0];
                assert_true(
                    str_eq(ev->pid, n == 1 && names[0] == 'a' ? S("7") : S("8")));
            }
        last = source.end(source.state, &a);
        source.close(source.state);
    }
    names[n] = '\0';
    unlink(path);
    return last;
}

static void each_rank_is_a_trace(void **state)
{
    (void)state;
    char names[8];
    struct err e = {0};
    struct source_end end = read_part(NULL, names, &e);
    assert_string_equal(names, "a");
    assert_text(end.machine.part, "TP00");
    assert_int_equal(end.machine.rank, 0);
    end = read_part("rank=1", names, &e);
    assert_string_equal(names, "b");
    assert_text(end.machine.part, "TP01");
    assert_int_equal(end.machine.rank, 1);
    assert_int_equal(end.machine.n_parts, 2);
    assert_int_equal(end.machine.world_size, 2); /* nobody says more */
    assert_int_equal(e.kind, ERR_NONE);
}

static void other_ranks_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"rank=2", "rank=-1", "rank=x", "2",
                                        "rank=4096"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char names[8];
        struct err e = {0};
        (void)read_part(wrong[k], names, &e);
        assert_string_equal(names, "");
        assert_int_equal(e.kind, ERR_INPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rank_is_a_trace),
        cmocka_unit_test(other_ranks_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
