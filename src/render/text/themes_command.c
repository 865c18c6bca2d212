#include "render/text/themes_command.h"

#include "base/arena.h"
#include "base/file_head.h"
#include "base/terminal.h"
#include "render/text/bundle.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define THEMES S("themes/")
enum { THEME_BYTES_MAX = 1 << 20 };

static bool read_file(struct arena *perm, const char *path, struct str *text,
                      struct err *e)
{
    if (!file_head(perm, path, THEME_BYTES_MAX, text, e))
        return false;
    return text->n < THEME_BYTES_MAX ||
           err_set(e, ERR_INPUT, path, -1, "not a theme: it is larger than 1 MiB");
}

/* A theme's style sheet or script would silently have no effect, so report it. */
static bool refuse_extras(struct arena *perm, const char *folder, struct err *e)
{
    static const char *const extras[] = {"theme.css", "theme.js", "theme.ini"};
    for (size_t k = 0; k < sizeof extras / sizeof *extras; k++) {
        const char *path = str_c(perm, str_printf(perm, "%s/%s", folder, extras[k]));
        if (access(path, F_OK) == 0)
            return err_set(
                e, ERR_INPUT, path, -1,
                "a theme is its theme.json: colours, fonts, spaces and texts, and "
                "a logo.svg or logo.png");
    }
    return true;
}

static bool read_logo(struct arena *perm, const char *folder, struct theme *t,
                      struct err *e)
{
    static const char *const kinds[] = {"svg", "png"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct str bytes;
        const char *path =
            str_c(perm, str_printf(perm, "%s/logo.%s", folder, kinds[k]));
        if (access(path, F_OK) != 0)
            continue;
        if (t->logo_kind)
            return err_set(e, ERR_INPUT, path, -1, "there is a logo.svg too; keep one");
        if (!read_file(perm, path, &bytes, e) ||
            !theme_logo(t, bytes, kinds[k], path, e))
            return false;
    }
    return true;
}

static bool theme_folder(struct arena *perm, const char *folder, struct theme *out,
                         struct err *e)
{
    struct str json;
    const char *path = str_c(perm, str_printf(perm, "%s/theme.json", folder));
    return refuse_extras(perm, folder, e) && read_file(perm, path, &json, e) &&
           theme_read(perm, json, path, out, e) && read_logo(perm, folder, out, e);
}

bool theme_choose(struct arena *perm, const char *name, struct theme *out,
                  struct err *e)
{
    struct stat st;
    struct err unknown = {0};
    bool is_path = strchr(name, '/') || strchr(name, '.');
    if (!is_path && theme_builtin(perm, str_of(name), out, &unknown))
        return true;
    bool there = stat(name, &st) == 0;
    if (there && !S_ISDIR(st.st_mode))
        return err_set(e, ERR_INPUT, name, -1,
                       "is a file; name the folder of a theme.json");
    if (there || is_path)
        return theme_folder(perm, name, out, e);
    *e = unknown;
    return false;
}

struct contrasts {
    double text, mark; /* the lowest with either ground */
};

static struct contrasts contrasts_of(const struct theme *t, int mode)
{
    struct contrasts c = {21.0, 21.0};
    for (int k = 0; k < THEME_PAIRS; k++) {
        struct theme_pair pair = theme_pair(t, mode, k);
        if (pair.least >= 4.5)
            c.text = fmin(c.text, pair.contrast);
        else if (pair.least >= 3.0)
            c.mark = fmin(c.mark, pair.contrast);
    }
    return c;
}

struct lab {
    double l, a, b;
};

/* Björn Ottosson, "A perceptual color space for image processing", 2020. */
static struct lab oklab(uint32_t rgb)
{
    double c[3];
    for (int i = 0; i < 3; i++)
        c[i] = theme_linear(rgb, i);
    double l = cbrt(0.4122214708 * c[0] + 0.5363325363 * c[1] + 0.0514459929 * c[2]);
    double m = cbrt(0.2119034982 * c[0] + 0.6806995451 * c[1] + 0.1073969566 * c[2]);
    double s = cbrt(0.0883024619 * c[0] + 0.2817188376 * c[1] + 0.6299787005 * c[2]);
    return (struct lab){0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
                        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

/* The distance x 100 of the two category colours that are hardest to distinguish. */
static double closest(const struct theme *t, int mode)
{
    double least = 100.0;
    for (int i = SLOT_GEMM; i <= SLOT_CONVOLUTION; i++)
        for (int k = i + 1; k <= SLOT_CONVOLUTION; k++) {
            struct lab x = oklab(t->slot[mode][i]), y = oklab(t->slot[mode][k]);
            double d =
                100.0 * sqrt((x.l - y.l) * (x.l - y.l) + (x.a - y.a) * (x.a - y.a) +
                             (x.b - y.b) * (x.b - y.b));
            least = fmin(least, d);
        }
    return least;
}

static void print_line(FILE *to, const struct theme *t)
{
    terminal_part(to, "%-16.*s", STRF(t->name));
    for (int mode = 0; mode < THEME_MODES; mode++) {
        struct contrasts c = contrasts_of(t, mode);
        terminal_part(to, " %10.1f %10.1f %12.1f", c.text, c.mark, closest(t, mode));
    }
    terminal_line(to, "%s", "");
}

static void print_head(FILE *to)
{
    terminal_line(to, "%-16s %34s %34s", "", "light", "dark");
    terminal_part(to, "%-16s", "theme");
    for (int mode = 0; mode < THEME_MODES; mode++)
        terminal_part(to, " %10s %10s %12s", "text", "marks", "categories");
    terminal_line(to, "%s", "");
}

static void print_legend(FILE *to)
{
    terminal_text(
        to, S("\ntext, marks: lowest contrast with a ground (4.5 and 3.0 are "
              "needed)\ncategories: distance of the two closest colours (OKLab x 100; "
              "above 14 everybody can\n  tell them apart; below, letters, shapes and "
              "hatching help)\n"));
}

bool themes_run(FILE *to, const char *folder, struct err *e)
{
    struct arena perm = arena_reserve(1 << 24);
    char *start = perm.at;
    struct theme t;
    bool done = true;
    if (folder) {
        done = theme_choose(&perm, folder, &t, e);
        if (done) {
            print_head(to);
            print_line(to, &t);
        }
    } else {
        print_head(to);
        for (int i = 0; i < bundle_count(THEMES) && done; i++) {
            struct str path = bundle_path(THEMES, i);
            done = theme_read(&perm, bundle_file(path), str_c(&perm, path), &t, e);
            if (done)
                print_line(to, &t);
        }
    }
    if (done)
        print_legend(to);
    arena_release(start, &perm);
    return done;
}
