#include "commands/remote.c"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena perm;

/* Whatever the name holds, a shell gives it back as one word: `printf` in the place of
 * what comes before it shows what would be opened. */
static void survives(const char *command, const char *before, const char *text)
{
    char line[4096], got[512] = "";
    assert_true(strncmp(command, before, strlen(before)) == 0);
    snprintf(line, sizeof line, "printf %%s, %s", command + strlen(before));
    FILE *f = popen(line, "r");
    size_t n = fread(got, 1, sizeof got - 1, f);
    pclose(f);
    assert_true(n >= strlen(text) + 1);
    assert_memory_equal(got, text, strlen(text));
    assert_int_equal(got[strlen(text)], ',');
}

static void test_quoting(void **state)
{
    (void)state;
    perm = arena_reserve(1 << 20);
    static const char *const hostile[] = {
        "/data/trace.json.gz",
        "it's a trace.json",
        "$(touch executed) `id` ; rm * | > & \\ \" ! ~",
        "''\n''",
        "'; touch executed; '",
        "' || touch executed #",
        "a\ntouch executed\n",
        "$(touch executed)",
        "`touch executed`",
        "${IFS}touch${IFS}executed",
        "a && touch executed",
        "a | touch executed",
        "a > executed",
        "a\\'; touch executed; \\'",
        "\"; touch executed; \"",
        "$'\\x27; touch executed'",
        "<(touch executed)",
        "-rf",
        "--",
        "~root/*?[a-z]{a,b}",
        "!!",
        "%s%n",
        "\r touch executed",
        "\xe2\x80\xae\xc2\x9b\x1b[2J",
    };
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        survives(remote_command(&perm, NULL, hostile[i]), "cat -- ", hostile[i]);
        survives(remote_command(&perm, hostile[i], "a"), "docker exec ", hostile[i]);
    }
    assert_int_not_equal(access("executed", F_OK), 0);
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
    usage.kind = ERR_NONE;
    assert_false(remote_open(&r, &perm, "node1", "--privileged", "/t", &usage));
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
