#include "bundle.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <ftw.h>
#include <string.h>

static void paths_are_sorted_and_found(void **state)
{
    (void)state;
    assert_true(FILES > 20);
    for (int i = 0; i < FILES; i++) {
        assert_int_equal(bundle_file(files[i].path).p - files[i].at, 0);
        if (i > 0)
            assert_true(str_cmp(files[i - 1].path, files[i].path) < 0);
    }
}

static void absent_files_have_no_bytes(void **state)
{
    (void)state;
    assert_null(bundle_file(S("templates/none.html")).p);
    assert_null(bundle_file(S("")).p);
    assert_null(bundle_file(S("zzz")).p);
}

static void prefixes_count_their_files(void **state)
{
    (void)state;
    int n = bundle_count(S("templates/"));
    assert_true(n >= 10);
    assert_int_equal(bundle_count(S("none/")), 0);
    assert_int_equal(bundle_count(S("")), FILES);
    assert_true(str_starts(bundle_path(S("templates/"), 0), S("templates/")));
    assert_true(str_starts(bundle_path(S("templates/"), n - 1), S("templates/")));
}

static int seen, wrong;

/* Pictures for the README: a reader of the repository needs them, a report does not. */
static const char not_shipped[] = "assets/screenshots/";

/* Each file on disk ships, under its own path, byte for byte. */
static int compare_file(const char *path, const struct stat *st, int kind,
                        struct FTW *place)
{
    (void)place;
    if (kind != FTW_F || strncmp(path, not_shipped, sizeof not_shipped - 1) == 0)
        return 0;
    struct str shipped = bundle_file(str_of(path));
    seen++;
    if (!shipped.p || shipped.n != (ptrdiff_t)st->st_size) {
        print_error("%s: not in bundle.def, or older than the file\n", path);
        wrong++;
        return 0;
    }
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    for (ptrdiff_t i = 0; i < shipped.n; i++)
        if (fgetc(f) != (unsigned char)shipped.p[i]) {
            wrong++;
            break;
        }
    fclose(f);
    return 0;
}

static void every_file_of_the_folders_ships(void **state)
{
    (void)state;
    static const char *const folders[] = {"assets", "templates", "themes"};
    seen = wrong = 0;
    for (int i = 0; i < 3; i++)
        assert_int_equal(nftw(folders[i], compare_file, 8, FTW_PHYS), 0);
    assert_int_equal(wrong, 0);
    /* The font is the one file that lies elsewhere. */
    assert_int_equal(seen, FILES - 1);
    assert_true(bundle_file(S("fonts/DejaVuSans.ttf")).n > 500000);
    assert_int_equal(bundle_count(str_of(not_shipped)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_sorted_and_found),
        cmocka_unit_test(absent_files_have_no_bytes),
        cmocka_unit_test(prefixes_count_their_files),
        cmocka_unit_test(every_file_of_the_folders_ships),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
