#include "run_lock.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

static char dir[] = "/tmp/run_lock_test.XXXXXX";
static int fd = -1;

static int make_dir(void **state)
{
    (void)state;
    fd = mkdtemp(dir) ? open(dir, O_RDONLY | O_DIRECTORY) : -1;
    return fd < 0;
}

static int remove_dir(void **state)
{
    (void)state;
    unlinkat(fd, RUN_LOCK_NAME, 0);
    close(fd);
    return rmdir(dir);
}

static void write_lock(const char *text, int age_s)
{
    int lock = openat(fd, RUN_LOCK_NAME, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(write(lock, text, strlen(text)) == (ssize_t)strlen(text));
    struct timespec then[2];
    clock_gettime(CLOCK_REALTIME, &then[0]);
    then[0].tv_sec -= age_s;
    then[1] = then[0];
    futimens(lock, then);
    close(lock);
}

static void test_one_at_a_time(void **state)
{
    (void)state;
    struct run_lock first, second;
    assert_true(run_lock_take(&first, fd, 0));
    assert_false(run_lock_take(&second, fd, 0));
    run_lock_drop(&first);
    assert_true(run_lock_take(&second, fd, 0));
    run_lock_drop(&first); /* no longer its own */
    assert_false(run_lock_take(&first, fd, 0));
    run_lock_drop(&second);
    assert_int_equal(faccessat(fd, RUN_LOCK_NAME, F_OK, 0), -1);
}

/* A process of this machine that is gone, and one whose number another has by now. */
static void test_dead_holder(void **state)
{
    (void)state;
    struct run_lock lock;
    int child = fork();
    if (child == 0)
        _exit(run_lock_take(&lock, fd, 0) ? 0 : 1);
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(faccessat(fd, RUN_LOCK_NAME, F_OK, 0), 0);
    assert_true(run_lock_take(&lock, fd, 1));
    run_lock_drop(&lock);
    char space[96], text[LOCK_TEXT_BYTES];
    this_space(space);
    snprintf(text, sizeof text, "%s %ld %llu x\n", space, (long)getpid(),
             start_of(getpid()) - 1);
    write_lock(text, 0);
    assert_true(run_lock_take(&lock, fd, 1));
    run_lock_drop(&lock);
}

/* Of another machine only its age tells. */
static void test_old_lock(void **state)
{
    (void)state;
    struct run_lock lock;
    write_lock("00000000-other/pid:[1] 1 1 x\n", LOCK_STALE_S - 60);
    assert_false(run_lock_take(&lock, fd, 0));
    write_lock("00000000-other/pid:[1] 1 1 x\n", LOCK_STALE_S + 60);
    assert_true(run_lock_take(&lock, fd, 1));
    run_lock_drop(&lock);
    write_lock("", 0); /* between creation and writing */
    assert_false(run_lock_take(&lock, fd, 0));
    write_lock("", EMPTY_STALE_S + 5);
    assert_true(run_lock_take(&lock, fd, 1));
    run_lock_drop(&lock);
}

/* What another machine dates a year ahead does not block until then. */
static void test_lock_of_the_future(void **state)
{
    (void)state;
    struct run_lock lock;
    write_lock("00000000-other/pid:[1] 1 1 x\n", 60 - LOCK_STALE_S);
    assert_false(run_lock_take(&lock, fd, 0));
    write_lock("00000000-other/pid:[1] 1 1 x\n", -365 * 86400);
    assert_true(run_lock_take(&lock, fd, 1));
    run_lock_drop(&lock);
}

/* A pipe of that name is neither waited in nor removed. */
static void test_pipe_in_place_of_the_lock(void **state)
{
    (void)state;
    struct run_lock lock;
    struct timespec long_ago[2] = {0};
    assert_int_equal(mkfifoat(fd, RUN_LOCK_NAME, 0666), 0);
    assert_int_equal(utimensat(fd, RUN_LOCK_NAME, long_ago, 0), 0);
    alarm(20);
    assert_false(run_lock_take(&lock, fd, 1));
    alarm(0);
    assert_int_equal(unlinkat(fd, RUN_LOCK_NAME, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_at_a_time), cmocka_unit_test(test_dead_holder),
        cmocka_unit_test(test_old_lock), cmocka_unit_test(test_lock_of_the_future),
        cmocka_unit_test(test_pipe_in_place_of_the_lock)};
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
