#include "replay_zip.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <ftw.h>
#include <stdlib.h>
#include <unistd.h>

static struct arena perm, tmp;
static char scratch[64];

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *place)
{
    (void)st, (void)kind, (void)place;
    return remove(path);
}

static int start(void **state)
{
    (void)state;
    snprintf(scratch, sizeof scratch, "/tmp/replay_zip_test.XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    return nftw(scratch, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static struct replay_package package_of(struct replay_call *c)
{
    *c = (struct replay_call){.op = S("../../x::y\n"), .count = 1};
    return (struct replay_package){.op = c->op,
                                   .file = S("replay_packages/x_y_replay_package.zip"),
                                   .calls = c,
                                   .n_calls = 1};
}

static struct str read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *p = arena_new(&perm, char, 1 << 16);
    struct str s = {p, (ptrdiff_t)fread(p, 1, 1 << 16, f)};
    fclose(f);
    return s;
}

static struct replay_file write_to(const char *name, struct replay_set *s,
                                   struct str *bytes)
{
    struct publish p;
    struct err e = {0};
    char dir[128];
    snprintf(dir, sizeof dir, "%s/%s", scratch, name);
    assert_true(publish_begin(&p, dir, false, &e));
    struct replay_file *files = replay_write(s, &p, &perm, tmp, &e);
    assert_non_null(files);
    assert_true(publish_commit(&p, tmp, &e));
    *bytes = read_file(
        str_c(&perm, str_printf(&perm, "%s/%.*s", dir, STRF(s->packages[0].file))));
    return files[0];
}

static void two_runs_give_the_same_bytes(void **state)
{
    struct replay_call c;
    struct replay_package p = package_of(&c);
    struct replay_set s = {.packages = &p, .n_packages = 1};
    struct str first, second;
    (void)state;
    struct replay_file a = write_to("a", &s, &first), b = write_to("b", &s, &second);
    assert_true(first.n > 1000);
    assert_int_equal(a.bytes, first.n);
    assert_true(str_eq(first, second));
    assert_string_equal(a.sha256, b.sha256);
    assert_int_equal(strlen(a.sha256), 64);
}

/* The names in the order of the archive's directory: central headers start PK\1\2, the
 * name's length is at 28, the name at 46. */
static void the_members_are_ours_and_in_order(void **state)
{
    static const char *const want[] = {"replay_ir.json", "utils.py",
                                       "batched_replay.py", "README.md", "LICENSE"};
    struct replay_call c;
    struct replay_package p = package_of(&c);
    struct replay_set s = {.packages = &p, .n_packages = 1};
    struct str bytes;
    int n = 0;
    (void)state;
    write_to("a", &s, &bytes);
    for (ptrdiff_t at; (at = str_find(bytes, S("PK\1\2"))) >= 0;
         bytes = str_skip(bytes, at + 46)) {
        struct str name = {bytes.p + at + 46, bytes.p[at + 28] | bytes.p[at + 29] << 8};
        assert_true(n < 5);
        assert_true(str_eq(name, str_of(want[n])));
        /* Day 1 of month 1 of 1980: (0 << 9) | (1 << 5) | 1. */
        assert_int_equal(bytes.p[at + 14] | bytes.p[at + 15] << 8, 33);
        n++;
    }
    assert_int_equal(n, 5);
}

static void a_folder_that_is_not_there_is_told(void **state)
{
    struct replay_call c;
    struct replay_package p = package_of(&c);
    struct replay_file file;
    struct err e = {0};
    (void)state;
    char path[96];
    snprintf(path, sizeof path, "%s/none/x.zip", scratch);
    assert_false(replay_write_one(&p, path, &file, tmp, &e));
    assert_int_equal(e.kind, ERR_OUTPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_runs_give_the_same_bytes, start, stop),
        cmocka_unit_test_setup_teardown(the_members_are_ours_and_in_order, start, stop),
        cmocka_unit_test_setup_teardown(a_folder_that_is_not_there_is_told, start,
                                        stop),
    };
    perm = arena_reserve(1 << 26);
    tmp = arena_reserve(1 << 26);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
