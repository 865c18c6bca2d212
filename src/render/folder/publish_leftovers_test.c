/* What runs that were killed leave behind. */
#include "publish_case.h"

enum { KILL_EARLY, KILL_BEFORE_SWAP, KILL_IN_SWAP, KILLS };

static int dies(int a, const char *b, int c, const char *d, unsigned f)
{
    (void)a, (void)b, (void)c, (void)d, (void)f;
    _exit(7);
}

static int dies_second(int from_fd, const char *from, int to_fd, const char *to)
{
    if (++calls == 2)
        _exit(7);
    return renameat(from_fd, from, to_fd, to);
}

static void run_killed(int when)
{
    pid_t child = fork();
    if (child == 0) {
        struct err e = {0};
        struct publish p;
        calls = 0;
        if (!publish_begin(&p, at("out"), false, &e))
            _exit(1);
        write_site(&p, "two");
        if (when == KILL_EARLY)
            _exit(7);
        rename_flags = when == KILL_IN_SWAP ? lacks_flags : dies;
        rename_plain = dies_second;
        bool good = publish_commit(&p, tmp, &e);
        _exit(good ? 2 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 7);
}

/* As if another machine had made the mark. */
static void forget_boot(void)
{
    struct dirent *entry;
    DIR *d = opendir(dir);
    while ((entry = readdir(d))) {
        char mark[PUBLISH_PATH_BYTES];
        snprintf(mark, sizeof mark, "%s/%s/" BUILD_MARK_NAME, dir, entry->d_name);
        if (strncmp(entry->d_name, ".out.", 5) == 0)
            assert_int_equal(truncate(mark, sizeof BUILD_MARK_TEXT - 1), 0);
    }
    closedir(d);
}

static void test_killed_runs(void **state)
{
    (void)state;
    struct err e = {0};
    for (int when = KILL_EARLY; when < KILL_IN_SWAP; when++) {
        build_stale_s = 3600;
        assert_true(publish(at("out"), "one", false, &e));
        run_killed(when);
        check_text(at("out/index.html"), "one");
        check_whole(at("out"));
        assert_int_equal(entries(dir), 2);
        assert_true(publish(at("out"), "one", false, &e));
        assert_int_equal(entries(dir), 1); /* of this boot, and nobody locks it */
        run_killed(when);
        forget_boot();
        assert_true(publish(at("out"), "one", false, &e));
        assert_int_equal(entries(dir), 2); /* of another machine and young: it stays */
        build_stale_s = -1;
        assert_true(publish(at("out"), "three", false, &e));
        check_text(at("out/index.html"), "three");
        assert_int_equal(entries(dir), 1);
    }
}

/* Between the two renames the old site has another name: it is not cleaned away while
 * nothing is at the target. */
static void test_killed_between_two_renames(void **state)
{
    (void)state;
    struct err e = {0};
    struct publish p;
    assert_true(publish(at("out"), "one", false, &e));
    run_killed(KILL_IN_SWAP);
    assert_int_equal(access(at("out"), F_OK), -1);
    assert_int_equal(entries(dir), 2); /* .out.old-, .out.tmp- */
    build_stale_s = -1;
    assert_true(publish_begin(&p, at("out"), false, &e));
    publish_abort(&p, NULL);
    assert_int_equal(entries(dir), 1); /* the whole old site */
    assert_true(publish(at("out"), "two", false, &e));
    assert_true(publish(at("out"), "three", false, &e));
    assert_int_equal(entries(dir), 1);
}

/* Between the swap and its mark, the old site is a leftover without one, or with an
 * empty one. An empty folder is of a run that was killed, or takes another. */
static void test_killed_before_the_mark(void **state)
{
    (void)state;
    struct err e = {0};
    for (int marked = 0; marked < 2; marked++) {
        assert_true(publish(at("out"), "one", false, &e));
        assert_int_equal(rename(at("out"), at(".out.tmp-abcdef")), 0);
        if (marked)
            put(at(".out.tmp-abcdef/" BUILD_MARK_NAME), "");
        mkdir(at(".out.tmp-ghijkl"), 0777);
        assert_true(publish(at("out"), "two", false, &e));
        assert_int_equal(access(at(".out.tmp-abcdef"), F_OK), -1);
        assert_int_equal(access(at(".out.tmp-ghijkl"), F_OK), -1);
        assert_true(publish(at("out.2"), "one", false, &e));
        assert_int_equal(rename(at("out.2"), at(".out.tmp-abcdef")), 0);
        put(at(".out.tmp-abcdef/note.txt"), "mine");
        assert_true(publish(at("out"), "three", false, &e));
        check_text(at(".out.tmp-abcdef/note.txt"), "mine");
        assert_int_equal(rename(at(".out.tmp-abcdef"), at("kept")), 0);
        assert_int_equal(unlink(at("kept/note.txt")), 0);
        assert_int_equal(rename(at("kept"), at(".out.tmp-abcdef")), 0);
        assert_true(publish(at("out"), "four", false, &e));
        assert_int_equal(entries(dir), 1);
    }
}

/* An empty mark is of a run that is about to lock it, or was killed long ago. */
static void test_empty_marks(void **state)
{
    (void)state;
    struct err e = {0};
    for (build_stale_s = 60; build_stale_s > -2; build_stale_s -= 61) {
        mkdir(at(".out.tmp-abcdef"), 0777);
        put(at(".out.tmp-abcdef/" BUILD_MARK_NAME), "");
        assert_true(publish(at("out"), "one", false, &e));
        assert_int_equal(access(at(".out.tmp-abcdef"), F_OK),
                         build_stale_s < 0 ? -1 : 0);
    }
}

static void test_leftovers_that_stay(void **state)
{
    (void)state;
    struct err e = {0};
    struct publish running;
    build_stale_s = -1;
    mkdir(at(".out.tmp-foreign"), 0777); /* no mark */
    put(at(".out.tmp-foreign/x"), "x");
    assert_true(publish_begin(&running, at("out"), false, &e)); /* locked */
    write_site(&running, "one");
    assert_true(publish(at("out"), "two", false, &e));
    check_text(at(".out.tmp-foreign/x"), "x");
    assert_int_equal(entries(dir), 3);
    assert_true(publish_commit(&running, tmp, &e)); /* the later one wins */
    check_text(at("out/index.html"), "one");
}

/* What a killed run for another target left goes too, if nobody writes there. */
static void test_leftovers_of_other_targets(void **state)
{
    (void)state;
    struct err e = {0};
    struct publish running;
    assert_true(publish_begin(&running, at("elsewhere"), false, &e));
    write_site(&running, "one");
    assert_true(publish(at("out"), "two", false, &e));
    assert_int_equal(entries(dir), 2); /* .elsewhere.tmp- is locked */
    close(running.mark_fd);
    mkdir(at(".x.tmp-abcdef"), 0777);
    assert_true(publish(at("out"), "two", false, &e));
    assert_int_equal(entries(dir), 2); /* .x.tmp-abcdef has no mark */
    close(running.parent_fd);
    on_signal_remove(ON_SIGNAL_FOLDER, -1, NULL);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_killed_runs),
        TEST(test_killed_between_two_renames),
        TEST(test_killed_before_the_mark),
        TEST(test_empty_marks),
        TEST(test_leftovers_that_stay),
        TEST(test_leftovers_of_other_targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
