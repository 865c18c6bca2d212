#include "list_next.c"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void test_all_but_itself_and_its_parent(void **state)
{
    (void)state;
    char folder[] = "list_next-XXXXXX";
    int why = -1, files = 0, dots = 0;
    assert_non_null(mkdtemp(folder));
    int fd = open(folder, O_RDONLY | O_DIRECTORY);
    assert_int_equal(mkdirat(fd, "...", 0777), 0);
    assert_int_equal(mkdirat(fd, "a", 0777), 0);
    DIR *d = opendir(folder);
    errno = EINTR; /* of what was before */
    for (struct dirent *entry; (entry = list_next(d, &why)); files++)
        dots += entry->d_name[0] == '.';
    assert_int_equal(why, 0);
    assert_int_equal(files, 2);
    assert_int_equal(dots, 1);
    closedir(d);
    unlinkat(fd, "...", AT_REMOVEDIR);
    unlinkat(fd, "a", AT_REMOVEDIR);
    close(fd);
    rmdir(folder);
}

/* As on a share that went away: the end of a listing that cannot be read is no end. */
static void test_what_cannot_be_read_on(void **state)
{
    (void)state;
    int why = 0;
    DIR *d = opendir(".");
    assert_true(dup2(open("/dev/null", O_RDONLY), dirfd(d)) >= 0);
    assert_null(list_next(d, &why));
    assert_int_equal(why, ENOTDIR);
    closedir(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_but_itself_and_its_parent),
        cmocka_unit_test(test_what_cannot_be_read_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
