/* publish_case.h - a scratch folder for tests of publish.c, and a small site in it. */
#ifndef RENDER_FOLDER_PUBLISH_CASE_H
#define RENDER_FOLDER_PUBLISH_CASE_H

#include "publish.c"

#include "base/out.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cmocka.h>

static char dir[64], *start;
static struct arena tmp;

static int set_up(void **state)
{
    (void)state;
    tmp = arena_reserve(1 << 24);
    start = tmp.at;
    strcpy(dir, "/tmp/publish_test.XXXXXX");
    rename_flags = renameat2;
    rename_plain = renameat;
    build_stale_s = 3600;
    return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    arena_release(start, &tmp);
    int fd = open("/tmp", FOLDER);
    bool gone = remove_tree(fd, dir + strlen("/tmp/"), NULL);
    close(fd);
    return gone ? 0 : -1;
}

static const char *at(const char *name)
{
    static char path[4][256];
    static int turn;
    char *p = path[turn++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", dir, name);
    return p;
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void check_text(const char *path, const char *want)
{
    char text[64] = {0};
    FILE *f = fopen(path, "r");
    if (!f)
        fail_msg("%s is not there", path);
    assert_true(fread(text, 1, sizeof text - 1, f) < sizeof text - 1);
    fclose(f);
    assert_string_equal(text, want);
}

/* How many entries the scratch folder has: no temporary folder may be among them. */
static int entries(const char *path)
{
    DIR *d = opendir(path);
    assert_non_null(d);
    int n = 0;
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

static void write_site(struct publish *p, const char *text)
{
    struct err e = {0};
    struct arena a = tmp;
    put(publish_path(p, &a, "index.html", &e), text);
    put(publish_path(p, &a, "assets/deep/a.css", &e), text);
}

static bool publish(const char *target, const char *text, bool force, struct err *e)
{
    struct publish p;
    if (!publish_begin(&p, target, force, e))
        return false;
    write_site(&p, text);
    bool good = publish_commit(&p, tmp, e);
    assert_string_equal(p.left_behind, "");
    return good;
}

static void check_whole(const char *target)
{
    struct out o;
    struct err e = {0};
    ptrdiff_t differences;
    out_memory(&o);
    assert_true(manifest_verify(target, tmp, &o, &differences, &e));
    assert_int_equal(differences, 0);
    out_free(&o);
}

static int lacks_flags(int a, const char *b, int c, const char *d, unsigned f)
{
    (void)a, (void)b, (void)c, (void)d, (void)f;
    errno = EINVAL;
    return -1;
}

static int calls;

#endif
