#include "write_all.c"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>

#include <cmocka.h>

enum { BYTES = 1 << 20 }; /* sixteen times what a pipe holds */

static char sent[BYTES], got[BYTES];
static int pipe_end[2];
static volatile sig_atomic_t alarms;

static void count_alarm(int signal)
{
    (void)signal;
    alarms++;
}

static void *read_slowly(void *unused)
{
    ptrdiff_t n = 0;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    while (alarms < 3)
        usleep(1000);
    for (ssize_t k; n < BYTES && (k = read(pipe_end[0], got + n, BYTES / 64)) > 0;)
        n += k;
    return unused;
}

/* A pipe that is full takes a part, and a signal ends a write that waits. */
static void test_signals_and_short_writes(void **state)
{
    (void)state;
    struct sigaction counts = {.sa_handler = count_alarm}; /* without SA_RESTART */
    struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    pthread_t reader;
    for (int i = 0; i < BYTES; i++)
        sent[i] = (char)(i * 7 + i / 251);
    assert_int_equal(pipe(pipe_end), 0);
    assert_int_equal(sigaction(SIGALRM, &counts, NULL), 0);
    assert_int_equal(pthread_create(&reader, NULL, read_slowly, NULL), 0);
    setitimer(ITIMER_REAL, &often, NULL);
    int why = write_all(pipe_end[1], (struct str){sent, BYTES});
    setitimer(ITIMER_REAL, &never, NULL);
    close(pipe_end[1]);
    pthread_join(reader, NULL);
    close(pipe_end[0]);
    assert_int_equal(why, 0);
    assert_memory_equal(sent, got, BYTES);
}

static void test_failures_are_told(void **state)
{
    (void)state;
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(full >= 0);
    assert_int_equal(write_all(full, S("x")), ENOSPC);
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(write_all(full, S("")), 0);
    close(full);
    assert_int_equal(write_all(full, S("x")), EBADF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_signals_and_short_writes),
                                       cmocka_unit_test(test_failures_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
