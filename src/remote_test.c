#include "remote.c"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena perm;

/* Whatever the name holds, a shell gives it back as one word. */
static void survives(const char *path)
{
    char line[4096], got[512] = "";
    /* `cat -- 'x'` with echo in its place shows what the command would open. */
    snprintf(line, sizeof line, "printf %%s %s", remote_command(&perm, NULL, path) + 7);
    FILE *f = popen(line, "r");
    size_t n = fread(got, 1, sizeof got - 1, f);
    pclose(f);
    assert_int_equal(n, strlen(path));
    assert_string_equal(got, path);
}

static void test_quoting(void **state)
{
    (void)state;
    perm = arena_reserve(1 << 20);
    survives("/data/trace.json.gz");
    survives("it's a trace.json");
    survives("$(touch /tmp/x) `id` ; rm * | > & \\ \" ! ~");
    survives("''\n''");
    assert_string_equal(remote_command(&perm, "my box", "a"),
                        "docker exec 'my box' cat -- 'a'");
}

/* An ssh of ours in front of PATH: prints the file, or fails. */
static void test_streams_and_fails(void **state)
{
    (void)state;
    char dir[] = "/tmp/tracefolio-XXXXXX", file[64], path[4096];
    assert_non_null(mkdtemp(dir));
    snprintf(file, sizeof file, "%s/ssh", dir);
    FILE *f = fopen(file, "w");
    fputs("#!/bin/sh\nfor last; do :; done\nexec sh -c \"$last\"\n", f);
    fclose(f);
    chmod(file, 0755);
    snprintf(path, sizeof path, "%s:%s", dir, getenv("PATH"));
    setenv("PATH", path, 1);

    struct remote r;
    struct err e = {0};
    char got[64] = "";
    assert_true(remote_open(&r, &perm, "node1", NULL, "/etc/hostname", &e));
    assert_true(read(r.fd, got, sizeof got - 1) > 0);
    close(r.fd);
    assert_true(remote_close(&r, "node1", "/etc/hostname", &e));

    assert_true(remote_open(&r, &perm, "node1", NULL, "/no/such/trace", &e));
    assert_int_equal(read(r.fd, got, sizeof got), 0);
    close(r.fd);
    assert_false(remote_close(&r, "node1", "/no/such/trace", &e));
    assert_non_null(strstr(e.what, "node1"));

    struct err usage = {0};
    assert_false(remote_open(&r, &perm, "-oProxyCommand=x", NULL, "/t", &usage));
    assert_int_equal(usage.kind, ERR_USAGE);
    unlink(file);
    rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quoting),
                                       cmocka_unit_test(test_streams_and_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
