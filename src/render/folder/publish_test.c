#include "publish_case.h"

static int failing_call;

static void test_new_then_again(void **state)
{
    (void)state;
    struct err e = {0};
    assert_true(publish(at("out"), "one", false, &e));
    check_text(at("out/index.html"), "one");
    check_text(at("out/assets/deep/a.css"), "one");
    check_whole(at("out"));
    assert_int_equal(entries(at("out")), 3); /* and MANIFEST.txt, no mark */
    assert_true(publish(at("out/"), "two", false, &e));
    check_text(at("out/index.html"), "two");
    check_whole(at("out"));
    assert_int_equal(entries(dir), 1);
}

static void test_parents_are_made(void **state)
{
    (void)state;
    struct err e = {0};
    assert_true(publish(at("a/b/out"), "one", false, &e));
    check_text(at("a/b/out/index.html"), "one");
}

/* But for nothing they go again, if only they were made and nothing else is there. */
static void test_parents_go_with_an_abort(void **state)
{
    (void)state;
    struct err e = {0};
    struct publish p;
    assert_true(publish_begin(&p, at("a/b/out"), false, &e));
    publish_abort(&p, NULL);
    assert_int_equal(entries(dir), 0);
    assert_int_equal(mkdir(at("a"), 0777), 0);
    assert_true(publish_begin(&p, at("a/b/c/out"), false, &e));
    put(at("a/b/mine"), "mine");
    publish_abort(&p, NULL);
    check_text(at("a/b/mine"), "mine");
    assert_int_equal(entries(at("a/b")), 1);
    assert_true(publish_begin(&p, at("a/d/out"), false, &e));
    publish_abort(&p, NULL);
    assert_int_equal(entries(at("a")), 1);
}

static void test_empty_folder_is_fine(void **state)
{
    (void)state;
    struct err e = {0};
    mkdir(at("out"), 0777);
    assert_true(publish(at("out"), "one", false, &e));
    check_text(at("out/index.html"), "one");
}

static int fails_at(int from_fd, const char *from, int to_fd, const char *to)
{
    if (++calls == failing_call) {
        errno = EIO;
        return -1;
    }
    return renameat(from_fd, from, to_fd, to);
}

static bool refused(const char *target, bool force, const char *what)
{
    struct err e = {0};
    bool done = publish(target, "one", force, &e);
    if (!done && !strstr(e.what, what))
        fail_msg("%s", e.what);
    return !done && e.kind == ERR_OUTPUT;
}

static void test_folders_of_others_stay(void **state)
{
    (void)state;
    struct err e = {0};
    mkdir(at("out"), 0777);
    put(at("out/thesis.tex"), "mine");
    assert_true(refused(at("out"), false, "holds 'thesis.tex'"));
    check_text(at("out/thesis.tex"), "mine");
    put(at("out/MANIFEST.txt"), "somebody else's manifest\n");
    assert_true(refused(at("out"), false, "holds 'MANIFEST.txt'"));
    assert_int_equal(entries(dir), 1);
    assert_true(publish(at("out"), "one", true, &e));
    check_text(at("out.replaced-1/thesis.tex"), "mine");
    check_text(at("out/index.html"), "one");
    put(at("file"), "x");
    assert_true(refused(at("file"), true, "is not a folder"));
    assert_int_equal(entries(dir), 3);
}

/* A site of ours with something of the user's in it. */
static void test_what_is_beside_our_files_stays(void **state)
{
    (void)state;
    struct err e = {0};
    assert_true(publish(at("out"), "one", false, &e));
    put(at("out/notes.txt"), "mine");
    assert_true(refused(at("out"), false, "holds 'notes.txt'"));
    assert_true(publish(at("out"), "two", true, &e));
    check_text(at("out.replaced-1/notes.txt"), "mine");
    check_text(at("out.replaced-1/index.html"), "one");
    put(at("out/assets/deep/a.css"), "own"); /* as long as ours */
    assert_true(refused(at("out"), false, "holds 'assets/deep/a.css'"));
    put(at("out/assets/deep/a.css"), "two");
    mkdir(at("out/assets/empty"), 0777);
    assert_true(refused(at("out"), false, "holds 'assets/empty/'"));
    assert_true(publish(at("out"), "three", true, &e));
    assert_int_equal(access(at("out.replaced-2/assets/empty"), F_OK), 0);
    check_text(at("out/index.html"), "three");
    unlink(at("out/index.html")); /* gone: nothing of the user's */
    assert_true(publish(at("out"), "four", false, &e));
    assert_int_equal(entries(dir), 3);
}

/* The moves without flags, and each failing. */
static void test_move_aside_fails(void **state)
{
    (void)state;
    mkdir(at("out"), 0777);
    mkdir(at("out.replaced-1"), 0777);
    put(at("out/thesis.tex"), "mine");
    rename_flags = lacks_flags;
    rename_plain = fails_at;
    for (failing_call = 1; failing_call <= 2; failing_call++) {
        calls = 0;
        assert_true(refused(at("out"), true, "Input/output error"));
        check_text(at("out/thesis.tex"), "mine");
        assert_int_equal(entries(dir), 2);
    }
    struct err e = {0};
    assert_true(publish(at("out"), "one", true, &e));
    check_text(at("out.replaced-2/thesis.tex"), "mine");
    assert_int_equal(entries(dir), 3);
}

static void test_what_the_run_reads_stays(void **state)
{
    (void)state;
    struct err e = {0};
    struct publish p;
    assert_true(publish(at("out"), "one", false, &e));
    put(at("out/t.json"), "{}");
    put(at("t.json"), "{}");
    assert_int_equal(symlink("out/t.json", at("link")), 0);
    assert_true(publish_begin(&p, at("out"), true, &e));
    assert_true(publish_spares(&p, at("t.json"), &e));
    assert_true(publish_spares(&p, "nowhere", &e));
    assert_false(publish_spares(&p, at("link"), &e));
    assert_non_null(strstr(e.what, "out/t.json', which this run reads"));
    publish_abort(&p, NULL);
}

static void test_home_stays(void **state)
{
    (void)state;
    char before[PUBLISH_PATH_BYTES];
    snprintf(before, sizeof before, "%s", getenv("HOME") ? getenv("HOME") : "/");
    mkdir(at("users"), 0777);
    mkdir(at("users/me"), 0777);
    assert_int_equal(setenv("HOME", at("users/me"), 1), 0);
    assert_true(refused(at("users/me"), true, "home folder"));
    assert_true(refused(at("users"), true, "home folder"));
    assert_int_equal(setenv("HOME", before, 1), 0);
}

/* Somebody fills the empty target while we build. */
static void test_asked_again_before_the_swap(void **state)
{
    (void)state;
    struct err e = {0};
    struct publish p;
    assert_true(publish_begin(&p, at("out"), false, &e));
    write_site(&p, "one");
    mkdir(at("out"), 0777);
    put(at("out/thesis.tex"), "mine");
    assert_false(publish_commit(&p, tmp, &e));
    check_text(at("out/thesis.tex"), "mine");
    assert_int_equal(entries(dir), 1);
}

static void test_abort_leaves_the_old_one(void **state)
{
    (void)state;
    struct err e = {0};
    struct publish p;
    assert_true(publish(at("out"), "one", false, &e));
    assert_true(publish_begin(&p, at("out"), false, &e));
    write_site(&p, "two");
    publish_abort(&p, NULL);
    publish_abort(&p, NULL); /* twice does nothing */
    check_text(at("out/index.html"), "one");
    check_whole(at("out"));
    assert_int_equal(entries(dir), 1);
}

static int is_busy(int a, const char *b, int c, const char *d, unsigned f)
{
    (void)a, (void)b, (void)c, (void)d, (void)f;
    errno = EBUSY;
    return -1;
}

static void test_without_exchange(void **state)
{
    (void)state;
    struct err e = {0};
    rename_flags = lacks_flags;
    assert_true(publish(at("out"), "one", false, &e));
    assert_true(publish(at("out"), "two", false, &e));
    check_text(at("out/index.html"), "two");
    assert_int_equal(entries(dir), 1);
}

static void test_each_step_fails_once(void **state)
{
    (void)state;
    struct err e = {0};
    assert_true(publish(at("out"), "one", false, &e));
    rename_flags = lacks_flags;
    rename_plain = fails_at;
    for (failing_call = 1; failing_call <= 2; failing_call++) {
        calls = 0;
        e = (struct err){0};
        assert_false(publish(at("out"), "two", false, &e));
        assert_string_equal(e.what, "cannot be replaced: Input/output error");
        check_text(at("out/index.html"), "one");
        check_whole(at("out"));
        assert_int_equal(entries(dir), 1);
    }
    rename_flags = is_busy;
    e = (struct err){0};
    assert_false(publish(at("out"), "two", false, &e));
    assert_string_equal(e.what, "cannot be replaced: Device or resource busy");
    check_text(at("out/index.html"), "one");
    assert_int_equal(entries(dir), 1);
}

/* Running out of memory removes what a signal would. */
static void test_out_of_memory(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        struct err e = {0};
        struct publish p;
        if (!freopen("/dev/null", "w", stderr) ||
            !publish_begin(&p, at("out"), false, &e))
            _exit(3);
        write_site(&p, "one");
        arena_full();
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 1);
    assert_int_equal(entries(dir), 0);
}

static void test_links(void **state)
{
    (void)state;
    struct err e = {0};
    mkdir(at("real"), 0777);
    mkdir(at("precious"), 0777);
    put(at("precious/x"), "x");
    assert_int_equal(symlink("real", at("out")), 0);
    assert_true(publish(at("out"), "one", false, &e));
    check_text(at("real/index.html"), "one");
    struct stat st;
    assert_int_equal(lstat(at("out"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(symlink("../precious", at("real/link")), 0);
    assert_int_equal(symlink("../../precious", at("real/assets/link")), 0);
    assert_true(refused(at("out"), false, "holds 'assets/link'"));
    assert_true(publish(at("out"), "two", true, &e));
    check_text(at("precious/x"), "x");
    check_text(at("real.replaced-1/link/x"), "x");
    check_text(at("real/index.html"), "two");
    assert_int_equal(symlink("nowhere", at("dangling")), 0);
    assert_false(publish(at("dangling"), "one", true, &e));
}

static void test_deep_old_folder_is_moved(void **state)
{
    (void)state;
    struct err e = {0};
    int fd = open(dir, FOLDER);
    assert_int_equal(mkdirat(fd, "out", 0777), 0);
    for (int i = 0; i < 3000; i++) { /* beyond PATH_MAX and any limit of open files */
        int inner = openat(fd, i ? "deep" : "out", FOLDER);
        close(fd);
        fd = inner;
        assert_int_equal(mkdirat(fd, "deep", 0777), 0);
    }
    close(fd);
    assert_true(publish(at("out"), "one", true, &e));
    assert_int_equal(entries(dir), 2);
    int parent = open(dir, FOLDER);
    assert_true(remove_tree(parent, "out.replaced-1", NULL));
    close(parent);
}

static void test_bad_targets(void **state)
{
    (void)state;
    static const char *const bad[] = {"",           "/",           "/proc/x/y",
                                      "/dev/null/", "/dev/null/x", "/proc"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err e = {0};
        struct publish p;
        assert_false(publish_begin(&p, bad[i], true, &e));
        assert_int_equal(e.kind, ERR_OUTPUT);
        assert_string_equal(e.file, bad[i]);
    }
    struct err e = {0};
    struct publish p;
    char here[PUBLISH_PATH_BYTES];
    assert_non_null(getcwd(here, sizeof here));
    mkdir(at("out"), 0777);
    mkdir(at("out/in"), 0777);
    assert_int_equal(chdir(at("out/in")), 0);
    assert_false(publish_begin(&p, at("out"), true, &e));
    assert_non_null(strstr(e.what, "current folder"));
    assert_int_equal(chdir(here), 0);
}

/* As a user who may not write there; root may write anywhere. */
static void test_unwritable_parent(void **state)
{
    (void)state;
    assert_int_equal(chmod(dir, 0555), 0);
    pid_t child = fork();
    if (child == 0) {
        struct err e = {0};
        struct publish p;
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(3);
        if (publish_begin(&p, at("out"), false, &e))
            _exit(1);
        _exit(e.kind == ERR_OUTPUT && strstr(e.what, "Permission denied") ? 0 : 2);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(chmod(dir, 0755), 0);
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(entries(dir), 0);
}

/* A disk that is full when the manifest is written: no file may grow beyond 40 bytes.
 */
static void test_full_disk_at_commit(void **state)
{
    (void)state;
    struct err e = {0};
    struct publish p;
    struct rlimit before, limit;
    assert_true(publish(at("out"), "one", false, &e));
    assert_true(publish_begin(&p, at("out"), false, &e));
    write_site(&p, "two");
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 40;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    bool good = publish_commit(&p, tmp, &e);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_false(good);
    assert_int_equal(e.kind, ERR_OUTPUT);
    assert_string_equal(e.file, at("out/MANIFEST.txt")); /* not the temporary name */
    check_text(at("out/index.html"), "one");
    check_whole(at("out"));
    assert_int_equal(entries(dir), 1);
}

static int syncs;

static bool sync_fails(int fd, struct arena a)
{
    (void)fd, (void)a;
    syncs++;
    errno = EIO;
    return false;
}

/* What is not on the disk replaces nothing; where nothing is replaced, none waits. */
static void test_the_disk_has_it_before_the_old_one_goes(void **state)
{
    (void)state;
    struct err e = {0};
    sync_folder = sync_fails;
    syncs = 0;
    assert_true(publish(at("out"), "one", false, &e));
    assert_int_equal(syncs, 0);
    assert_false(publish(at("out"), "two", false, &e));
    sync_folder = manifest_sync;
    assert_string_equal(e.what, "cannot be written to the disk: Input/output error");
    check_text(at("out/index.html"), "one");
    check_whole(at("out"));
    assert_int_equal(entries(dir), 1);
    e = (struct err){0};
    assert_true(publish(at("out"), "two", false, &e));
    check_text(at("out/index.html"), "two");
}

/* What is kept nowhere else is on the disk, also if it is new there. */
static void test_what_lasts_is_on_the_disk(void **state)
{
    (void)state;
    struct err e = {0};
    struct publish p;
    struct arena a = tmp;
    for (int fails = 1; fails >= 0; fails--) {
        sync_folder = fails ? sync_fails : manifest_sync;
        syncs = 0;
        e = (struct err){0};
        assert_true(publish_begin(&p, at("out"), false, &e));
        p.lasts = true;
        put(publish_path(&p, &a, "index.html", &e), "one");
        assert_int_equal(publish_commit(&p, tmp, &e), !fails);
        assert_int_equal(syncs, fails);
        assert_int_equal(entries(dir), !fails);
    }
}

static void test_names(void **state)
{
    (void)state;
    struct err e = {0}, inside = {0};
    struct publish p;
    struct arena a = tmp;
    assert_true(publish_begin(&p, at("out"), false, &e));
    assert_null(publish_path(&p, &a, "../x", &e));
    assert_int_equal(e.kind, ERR_INTERNAL);
    put(publish_path(&p, &a, "file", &inside), "x");
    assert_null(publish_path(&p, &a, "file/x/y", &inside));
    assert_int_equal(inside.kind, ERR_OUTPUT);
    publish_abort(&p, NULL);
    assert_int_equal(entries(dir), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_new_then_again),
        TEST(test_parents_are_made),
        TEST(test_parents_go_with_an_abort),
        TEST(test_empty_folder_is_fine),
        TEST(test_folders_of_others_stay),
        TEST(test_what_is_beside_our_files_stays),
        TEST(test_move_aside_fails),
        TEST(test_what_the_run_reads_stays),
        TEST(test_home_stays),
        TEST(test_asked_again_before_the_swap),
        TEST(test_abort_leaves_the_old_one),
        TEST(test_without_exchange),
        TEST(test_each_step_fails_once),
        TEST(test_out_of_memory),
        TEST(test_links),
        TEST(test_deep_old_folder_is_moved),
        TEST(test_bad_targets),
        TEST(test_unwritable_parent),
        TEST(test_full_disk_at_commit),
        TEST(test_the_disk_has_it_before_the_old_one_goes),
        TEST(test_what_lasts_is_on_the_disk),
        TEST(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
