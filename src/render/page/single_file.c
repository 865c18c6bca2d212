#include "render/page/single_file.h"

#include "base/place_file.h"
#include "base/plain_file.h"
#include "base/read_all.h"
#include "base/sha256.h"
#include "render/folder/publish.h"
#include "render/folder/remove_tree.h"
#include "render/page/page_shell.h"
#include "render/page/single_links.h"
#include "render/text/asset_text.h"
#include "render/text/base64.h"
#include "render/text/bundle.h"
#include "render/text/context.h"
#include "render/text/template.h"
#include "render/text/theme.h"

#include <cjson/cJSON.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Of the template, near the beginning of each document. */
#define SINGLE_MARK "<meta name=\"generator\" content=\"tracefolio one file\">"

void single_open(struct single_file *f)
{
    *f = (struct single_file){.perm = arena_reserve(arena_machine_bytes() / 8)};
    f->start = f->perm.at;
    out_memory(&f->document);
}

/* A block of the page's template, as markup. */
static bool page_text(struct single_file *f, struct template_set *set,
                      const char *template_name, struct str block,
                      const struct cJSON *context, struct str *text, struct err *e)
{
    struct out o;
    out_memory(&o);
    bool done =
        template_render_block(&o, set, str_of(template_name), block, context, e);
    *text = out_text(&o, &f->perm);
    return done;
}

bool single_add(struct single_file *f, struct template_set *set, struct str file,
                const char *template_name, const struct cJSON *context, struct err *e)
{
    if (f->n_pages == SINGLE_PAGES_MAX)
        return err_set(e, ERR_INTERNAL, NULL, -1, "more than %d pages",
                       SINGLE_PAGES_MAX);
    arena_grow(&f->perm, f->pages, f->n_pages);
    struct single_page *p = &f->pages[f->n_pages++];
    *p = (struct single_page){.file = str_copy(&f->perm, file)};
    out_memory(&p->body);
    return page_text(f, set, template_name, S("title"), context, &p->title, e) &&
           page_text(f, set, template_name, S("question"), context, &p->question, e) &&
           page_body(&p->body, set, template_name, context, e);
}

void single_last_first(struct single_file *f)
{
    struct single_page last = f->pages[f->n_pages - 1];
    memmove(f->pages + 1, f->pages, (size_t)(f->n_pages - 1) * sizeof last);
    f->pages[0] = last;
}

bool single_embed(struct single_file *f, struct str href, struct str page,
                  struct str id, const char *path, int64_t bytes, struct err *e)
{
    if (f->n_embeds == SINGLE_EMBEDS_MAX)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--embed-replay takes %d packages; name fewer with --replay",
                       SINGLE_EMBEDS_MAX);
    FILE *in = fopen(path, "rb");
    char *at = arena_new(&f->perm, char, bytes + 1);
    bool whole = in && fread(at, 1, (size_t)bytes, in) == (size_t)bytes;
    if (in)
        fclose(in);
    if (!whole)
        return err_set(e, ERR_OUTPUT, path, -1, "cannot be read again");
    arena_grow(&f->perm, f->embeds, f->n_embeds);
    f->embeds[f->n_embeds++] = (struct link_embed){str_copy(&f->perm, href),
                                                   str_copy(&f->perm, page),
                                                   str_copy(&f->perm, id),
                                                   {at, (ptrdiff_t)bytes}};
    return true;
}

/* "sha256-..." as a policy names the bytes between <style> and </style>. */
static struct str policy_hash(struct arena *a, struct str bytes)
{
    uint8_t sum[SHA256_DIGEST_SIZE];
    struct out o;
    sha256_of(bytes, sum);
    out_memory(&o);
    out_lit(&o, "sha256-");
    out_base64(&o, (struct str){(const char *)sum, sizeof sum});
    return out_text(&o, a);
}

/* Headings of pages sink by one level (single_links.h): so do the rules for them. */
static void sink_headings(struct out *o, struct str css)
{
    static const char part_of_name[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    for (ptrdiff_t i = 0; i < css.n; i++) {
        char before = i ? css.p[i - 1] : ' ';
        char after = i + 2 < css.n ? css.p[i + 2] : ' ';
        bool alone = !strchr(part_of_name, before) && !strchr(".#", before) &&
                     !strchr(part_of_name, after);
        out_char(o, css.p[i]);
        if (css.p[i] == 'h' && alone && css.p[i + 1] >= '1' && css.p[i + 1] <= '5')
            out_char(o, (char)(css.p[++i] + 1));
    }
}

static bool make_style(struct out *o, const struct theme *t, struct arena tmp,
                       struct err *e)
{
    struct out css;
    out_memory(&css);
    bool done = theme_css(&css, t, tmp, e);
    if (done)
        sink_headings(o, out_view(&css));
    out_free(&css);
    out_str(o, bundle_file(S("assets/single.css")));
    return done;
}

/* The text would end the element early. */
static bool check_inline(struct str text, const char *what, struct err *e)
{
    return (!str_has(text, S("</")) && !str_has(text, S("<!--"))) ||
           err_set(e, ERR_INTERNAL, NULL, -1, "the %s contains a tag", what);
}

static bool add_style_and_script(struct single_file *f, cJSON *c, const struct theme *t,
                                 struct arena tmp, struct err *e)
{
    struct out style, script;
    out_memory(&style);
    out_memory(&script);
    out_str(&script, f->data);
    asset_script(&script);
    asset_zoom_script(&script);
    bool done = make_style(&style, t, tmp, e);
    struct str css = out_view(&style), js = out_view(&script);
    done = done && check_inline(css, "style", e) && check_inline(js, "script", e);
    if (done) {
        json_put(c, M("style_hash", policy_hash(&tmp, css)),
                 M("script_hash", policy_hash(&tmp, js)),
                 context_markup("style_html", css), context_markup("script_html", js));
        f->style_bytes = css.n;
        f->script_bytes = js.n;
    }
    out_free(&style);
    out_free(&script);
    return done;
}

/* The policy allows pictures that are in the file. */
static void add_logo(cJSON *c, const struct theme *t, struct arena tmp)
{
    if (!t->logo_kind)
        return;
    struct out o;
    out_memory(&o);
    bool svg = str_eq(str_of(t->logo_kind), S("svg"));
    out_printf(&o, "data:image/%s;base64,", svg ? "svg+xml" : t->logo_kind);
    out_base64(&o, t->logo);
    json_put(c, M("logo_src", out_text(&o, &tmp)));
}

/* The markup around the pages, handled like a page: its links are rewritten too. */
static bool add_part(struct single_links *l, struct template_set *set, cJSON *shell,
                     const char *key, const char *template_name, struct err *e)
{
    struct out html, linked;
    out_memory(&html);
    out_memory(&linked);
    bool done = template_render(&html, set, str_of(template_name), shell, e);
    if (done) {
        links_rewrite(l, LINKS_SHELL, out_view(&html), &linked);
        json_put(shell, context_markup(key, out_view(&linked)));
    }
    out_free(&html);
    out_free(&linked);
    return done;
}

/* A page of the folder form whose title an earlier one has: "tree-calls.html". */
static bool is_part(const struct single_file *f, int k)
{
    for (int i = 0; i < k; i++)
        if (str_eq(f->pages[i].title, f->pages[k].title))
            return true;
    return false;
}

static bool add_sheet(struct single_file *f, int k, struct single_links *l,
                      struct template_set *set, struct out *o, struct arena tmp,
                      struct err *e)
{
    struct single_page *p = &f->pages[k];
    struct out body;
    out_memory(&body);
    links_rewrite(l, k, out_view(&p->body), &body);
    cJSON *c = cJSON_CreateObject();
    json_put(c, context_markup("title_html", p->title),
             context_markup("question_html", p->question),
             M("part", is_part(f, k) ? p->file : S("")),
             M("sheet_id", links_page_id(&tmp, p->file)),
             context_markup("body_html", out_view(&body)));
    p->bytes = out_view(&body).n;
    bool done = template_render(o, set, S("single_sheet.html"), c, e);
    cJSON_Delete(c);
    out_free(&body);
    return done;
}

/* How many, if too many to list. */
static struct str folded_count(struct arena *a, int n)
{
    enum { SHOWN_MAX = 12 };
    return n > SHOWN_MAX ? str_printf(a, "%d", n) : S("");
}

/* Files of one folder share a line, those beside the pages have one each. */
static void add_left_out(cJSON *shell, const struct single_links *l, struct arena tmp)
{
    cJSON *groups = json_put_array(shell, "left");
    bool *told = arena_new(&tmp, bool, l->n_left_out + 1);
    for (int i = 0; i < l->n_left_out; i++) {
        if (told[i])
            continue;
        ptrdiff_t slash = str_find(l->left_out[i], S("/"));
        struct str dir = str_head(l->left_out[i], slash < 0 ? 0 : slash + 1);
        cJSON *group = context_push(groups);
        cJSON *names = json_put_array(group, "names");
        for (int k = i; k < l->n_left_out; k++) {
            if (k != i && (dir.n == 0 || !str_starts(l->left_out[k], dir)))
                continue;
            json_row(names, M("name", str_skip(l->left_out[k], dir.n)));
            told[k] = true;
        }
        json_put(group, M("dir", dir),
                 M("many", folded_count(&tmp, cJSON_GetArraySize(names))));
    }
    json_put(shell, json_bool("has_left", l->n_left_out > 0));
}

static void add_sheet_ids(struct single_links *l, struct arena *a, struct str file)
{
    struct str id = links_page_id(a, file);
    links_add(l, LINKS_SHELL, id);
    links_add(l, LINKS_SHELL, str_printf(a, "%.*s-h", STRF(id)));
}

static struct single_links link_pages(struct single_file *f, struct arena *a)
{
    static const char *const of_shell[] = {"main",        "left-out",   "theme-system",
                                           "theme-light", "theme-dark", "top",
                                           "left-out-h"};
    struct str *files = arena_new(a, struct str, f->n_pages);
    for (int k = 0; k < f->n_pages; k++)
        files[k] = f->pages[k].file;
    struct single_links l = links_open(a, files, f->n_pages);
    l.embeds = f->embeds;
    l.n_embeds = f->n_embeds;
    for (size_t k = 0; k < sizeof of_shell / sizeof *of_shell; k++)
        links_add(&l, LINKS_SHELL, str_of(of_shell[k]));
    for (int k = 0; k < f->n_pages; k++)
        add_sheet_ids(&l, a, files[k]);
    for (int k = 0; k < f->n_pages; k++)
        links_scan(&l, k, out_view(&f->pages[k].body));
    links_settle(&l);
    return l;
}

bool single_finish(struct single_file *f, struct template_set *set,
                   const struct theme *t, struct cJSON *shell, struct arena tmp,
                   struct err *e)
{
    struct single_links l = link_pages(f, &f->perm);
    struct out sheets;
    out_memory(&sheets);
    cJSON_DeleteItemFromObject(shell, "foot_files");
    json_put_array(shell, "foot_files"); /* none of them is here */
    add_logo(shell, t, tmp);
    bool done = add_part(&l, set, shell, "nav_html", "nav.html", e) &&
                add_part(&l, set, shell, "footer_html", "footer.html", e) &&
                add_style_and_script(f, shell, t, tmp, e);
    for (int k = 0; k < f->n_pages && done; k++)
        done = add_sheet(f, k, &l, set, &sheets, tmp, e);
    if (done) {
        json_put(shell, context_markup("sheets_html", out_view(&sheets)));
        add_left_out(shell, &l, tmp);
        done = template_render(&f->document, set, S("single.html"), shell, e);
    }
    out_free(&sheets);
    return done;
}

static bool is_ours(const char *path)
{
    return asked_has_mark(path, S(SINGLE_MARK));
}

bool single_check(const char *path, const struct asked_places *b, struct err *e)
{
    const char *slash = strrchr(path, '/');
    if (!(slash ? slash[1] : path[0]))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--single-file: expected the name of a file");
    return asked_check(b, path, is_ours, e);
}

struct part {
    struct str name;
    int64_t bytes;
};

static int compare_parts(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    int by_size = (x->bytes < y->bytes) - (x->bytes > y->bytes);
    return by_size ? by_size : str_cmp(x->name, y->name);
}

static bool refuse(const struct single_file *f, const char *path, int limit_mb,
                   struct err *e)
{
    struct arena tmp = f->perm;
    struct part *parts = arena_new(&tmp, struct part, f->n_pages + 3);
    for (int k = 0; k < f->n_pages; k++)
        parts[k] = (struct part){f->pages[k].file, f->pages[k].bytes};
    parts[f->n_pages] = (struct part){S("the style"), f->style_bytes};
    parts[f->n_pages + 1] = (struct part){S("the script"), f->script_bytes};
    qsort(parts, (size_t)f->n_pages + 2, sizeof *parts, compare_parts);
    struct str list = S("");
    for (int k = 0; k < 3 && parts[k].bytes; k++)
        list = str_printf(&tmp, "%.*s%s%.*s %.1f MB", STRF(list), k ? ", " : "",
                          STRF(parts[k].name), (double)parts[k].bytes / 1e6);
    return err_set(
        e, ERR_OUTPUT, path, -1,
        "not written: it would have %.1f MB, the limit is %d; largest are %.*s. The "
        "folder is written and has everything: send that as a zip, or raise "
        "--single-file-limit",
        (double)out_view(&f->document).n / 1e6, limit_mb, STRF(list));
}

/* mkstemp creates a file only its owner can read; a report gets the usual mode of a new
 * file. */
static void set_mode(int fd)
{
    mode_t mask = umask(0);
    umask(mask);
    (void)!fchmod(fd, 0666 & ~mask);
}

static bool write_all(const char *temporary, struct str document, struct err *e)
{
    struct out o;
    if (!out_open(&o, temporary, e))
        return false;
    out_str(&o, document);
    return out_close(&o, e);
}

/* A file that a killed run left beside the target: named as mkstemp does, begun by us,
 * locked by nobody, and not of just now, as other machines do not see a lock. */
static void remove_if_left(int dir_fd, const char *name)
{
    enum { YOUNG_S = 60 };
    struct stat st;
    char head[4096];
    int fd = plain_open_at(dir_fd, name);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && time(NULL) - st.st_mtime >= YOUNG_S &&
        flock(fd, LOCK_EX | LOCK_NB) == 0) {
        ptrdiff_t n = read_all(fd, head, sizeof head);
        if (n == 0 || (n > 0 && str_has((struct str){head, n}, S(SINGLE_MARK))))
            unlinkat(dir_fd, name, 0);
    }
    close(fd);
}

/* `temporary` ends in a slash, if it has one, and ".NAME.tmp-XXXXXX". */
static void remove_left(const char *temporary)
{
    const char *slash = strrchr(temporary, '/');
    const char *name = slash ? slash + 1 : temporary;
    size_t n = strlen(name);
    char dir[PATH_MAX] = ".";
    if (slash)
        snprintf(dir, sizeof dir, "%.*s", (int)(name - temporary), temporary);
    DIR *d = opendir(dir);
    struct dirent *entry;
    while (d && (entry = readdir(d)))
        if (strlen(entry->d_name) == n && memcmp(entry->d_name, name, n - 6) == 0)
            remove_if_left(dirfd(d), entry->d_name);
    if (d)
        closedir(d);
}

static bool is_too_large(const struct single_file *f, int limit_mb)
{
    return out_view(&f->document).n > (int64_t)limit_mb * 1000000;
}

bool single_write(struct single_file *f, const char *path, int limit_mb, struct err *e)
{
    if (is_too_large(f, limit_mb))
        return true;
    const char *slash = strrchr(path, '/');
    int head = slash ? (int)(slash + 1 - path) : 0;
    char *temporary = str_c(&f->perm, str_printf(&f->perm, "%.*s.%.200s.tmp-XXXXXX",
                                                 head, path, path + head));
    sigset_t before;
    remove_left(temporary);
    signals_hold(&before);
    f->lock_fd = mkostemp(temporary, O_CLOEXEC);
    if (f->lock_fd >= 0) {
        f->temporary = temporary;
        on_signal_remove(ON_SIGNAL_FILE, AT_FDCWD, temporary);
    }
    signals_let(&before);
    if (!f->temporary)
        return err_set(e, ERR_OUTPUT, path, -1, "%s", strerror(errno));
    (void)!flock(f->lock_fd, LOCK_EX | LOCK_NB);
    set_mode(f->lock_fd);
    return write_all(temporary, out_view(&f->document), e) &&
           (place_synced(f->lock_fd) ||
            err_set(e, ERR_OUTPUT, path, -1, "cannot be written: %s", strerror(errno)));
}

static void forget_temporary(struct single_file *f)
{
    on_signal_remove(ON_SIGNAL_FILE, -1, NULL);
    close(f->lock_fd);
    f->temporary = NULL;
}

bool single_place(struct single_file *f, const char *path, int limit_mb, struct err *e)
{
    if (is_too_large(f, limit_mb))
        return refuse(f, path, limit_mb, e);
    if (rename(f->temporary, path) != 0)
        return err_set(e, ERR_OUTPUT, path, -1, "%s", strerror(errno));
    forget_temporary(f);
    return true;
}

void single_close(struct single_file *f)
{
    if (f->temporary) {
        unlink(f->temporary);
        forget_temporary(f);
    }
    for (int k = 0; k < f->n_pages; k++)
        out_free(&f->pages[k].body);
    out_free(&f->document);
    arena_release(f->start, &f->perm);
}
