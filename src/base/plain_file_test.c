#include "plain_file.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cmocka.h>

static char dir[] = "/tmp/plain_file_test.XXXXXX";
static int folder = -1;

static const char *at(const char *name)
{
    static char path[100];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static int make_files(void **state)
{
    (void)state;
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    folder = mkdtemp(dir) ? open(dir, O_RDONLY | O_DIRECTORY) : -1;
    int plain = openat(folder, "plain", O_WRONLY | O_CREAT, 0666);
    close(plain);
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(name.sun_path, sizeof name.sun_path, "%s", at("socket"));
    bool bound = bind(s, (struct sockaddr *)&name, sizeof name) == 0;
    close(s);
    return !(plain >= 0 && bound && mkfifo(at("pipe"), 0666) == 0 &&
             symlinkat("plain", folder, "link") == 0 &&
             symlinkat("pipe", folder, "to-pipe") == 0 &&
             mkdirat(folder, "folder", 0777) == 0);
}

static int remove_files(void **state)
{
    (void)state;
    const char *const names[] = {"plain", "pipe", "socket", "link", "to-pipe"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlinkat(folder, names[i], 0);
    unlinkat(folder, "folder", AT_REMOVEDIR);
    close(folder);
    return rmdir(dir);
}

/* What opening a name says. */
static const char *said(int fd)
{
    if (fd < 0)
        return plain_why(errno);
    close(fd);
    return "opened";
}

static void test_in_a_folder(void **state)
{
    (void)state;
    alarm(20); /* a pipe must not be waited for */
    assert_string_equal(said(plain_open_at(folder, "plain")), "opened");
    assert_string_equal(said(plain_open_at(folder, "pipe")), "not a plain file");
    assert_string_equal(said(plain_open_at(folder, "socket")), "not a plain file");
    assert_string_equal(said(plain_open_at(folder, "link")), "not a plain file");
    assert_string_equal(said(plain_open_at(folder, "folder")), strerror(EISDIR));
    assert_string_equal(said(plain_open_at(folder, "none")), strerror(ENOENT));
    alarm(0);
}

static void test_named(void **state)
{
    (void)state;
    int ends[2];
    char own[64];
    alarm(20);
    assert_string_equal(said(plain_open(at("link"))), "opened");
    assert_string_equal(said(plain_open(at("to-pipe"))), "not a plain file");
    assert_string_equal(said(plain_open("/dev/zero")), "not a plain file");
    assert_string_equal(said(plain_open("/dev/null")), "opened");
    assert_int_equal(pipe(ends), 0);
    snprintf(own, sizeof own, "/dev/fd/%d", ends[0]);
    assert_string_equal(said(plain_open(own)), "opened");
    close(ends[0]);
    close(ends[1]);
    alarm(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_in_a_folder),
                                       cmocka_unit_test(test_named)};
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
