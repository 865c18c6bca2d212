#include "runs/run_index.h"

#include "base/out.h"
#include "base/place_file.h"
#include "base/plain_file.h"
#include "base/read_all.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "base/version.h"
#include "base/write_all.h"
#include "export/json_text.h"
#include "render/folder/manifest.h"
#include "render/page/page_shell.h"
#include "render/page/site_frame.h"
#include "render/text/asset_text.h"
#include "render/text/context.h"
#include "render/text/template_bundle.h"
#include "render/text/theme.h"
#include "runs/trend_context.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RUNS_HEAD  "{\"tracefolio_runs\": \"1.0\""
#define NEW_PREFIX ".tracefolio-new-"

enum { RENAMES = 20, LABEL_BYTES = 48, DEVICE_BYTES = 24, VERDICT_BYTES = 300 };

struct root {
    int fd;
    const char *path;
    const struct runs *runs;
    const struct theme *theme;
    struct site_frame frame;
    enum share share;
    ptrdiff_t json_bytes; /* of runs.json */
};

static bool fail(const struct root *r, const char *name, struct err *e)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", r->path, name);
    return err_set(e, ERR_OUTPUT, path, -1, "cannot be written: %s", strerror(errno));
}

/* Under another name, then renamed. A share may refuse that while a reader has the old
 * one open: it is tried again for a second. */
static bool put_file(const struct root *r, const char *name, struct str text,
                     struct err *e)
{
    char made[64];
    snprintf(made, sizeof made, NEW_PREFIX "%ld", (long)getpid());
    int fd = openat(r->fd, made, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
                    0666);
    bool done = fd >= 0 && write_all(fd, text) == 0 && place_synced(fd);
    done = fd >= 0 && close(fd) == 0 && done;
    bool renamed = false;
    for (int k = 0; done && !renamed && k < RENAMES; k++) {
        renamed = renameat(r->fd, made, r->fd, name) == 0;
        if (!renamed)
            nanosleep(&(struct timespec){0, 50000000}, NULL);
    }
    if (!renamed) {
        fail(r, name, e);
        unlinkat(r->fd, made, 0);
    }
    return renamed;
}

/* Of a writer that was killed as it began: an hour old, with nothing in it but at most
 * a mark without a word. */
static void remove_empty(const struct root *r, const char *name)
{
    enum { HOUR_S = 3600 };
    struct stat st;
    if (strncmp(name, ".run-", 5) == 0 &&
        fstatat(r->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) &&
        time(NULL) - st.st_ctime > HOUR_S) {
        char mark[512];
        snprintf(mark, sizeof mark, "%.400s/" BUILD_MARK_NAME, name);
        if (fstatat(r->fd, mark, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size == 0)
            unlinkat(r->fd, mark, 0);
        unlinkat(r->fd, name, AT_REMOVEDIR);
    }
}

/* What killed writers left: only one writes at a time. */
static void remove_leftovers(const struct root *r)
{
    int fd = openat(r->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    if (!d && fd >= 0)
        close(fd);
    while (d && (entry = readdir(d)))
        if (strncmp(entry->d_name, NEW_PREFIX, strlen(NEW_PREFIX)) == 0 ||
            strncmp(entry->d_name, ".tracefolio-now-", 16) == 0 ||
            strncmp(entry->d_name, ".tracefolio-stale-", 18) == 0)
            unlinkat(r->fd, entry->d_name, 0);
        else
            remove_empty(r, entry->d_name);
    if (d)
        closedir(d);
}

/* assets/NAME, by its content: written once. */
static bool put_asset(const struct root *r, const char *extension, struct str text,
                      struct arena *perm, struct str *path, struct err *e)
{
    char hex[SHA256_HEX_BYTES];
    struct stat st;
    sha256_hex_of(text, hex);
    *path = str_printf(perm, "assets/runs.%.8s.%s", hex, extension);
    if (mkdirat(r->fd, "assets", 0777) != 0 && errno != EEXIST)
        return fail(r, "assets", e);
    const char *name = str_c(perm, *path);
    if (fstatat(r->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size == text.n)
        return true;
    return put_file(r, name, text, e);
}

static bool put_assets(struct root *r, struct arena *perm, struct arena tmp,
                       struct err *e)
{
    struct out css, script;
    out_memory(&css);
    out_memory(&script);
    asset_script(&script);
    bool done = theme_css(&css, r->theme, tmp, e) &&
                put_asset(r, "css", out_view(&css), perm, &r->frame.css, e) &&
                put_asset(r, "js", out_view(&script), perm, &r->frame.js, e);
    out_free(&css);
    out_free(&script);
    return done;
}

/* What is there was written by us: runs.json, which we write first, says so. */
static bool is_ours(const struct root *r, struct err *e)
{
    struct stat st;
    char head[sizeof RUNS_HEAD] = "";
    if (fstatat(r->fd, "index.html", &st, AT_SYMLINK_NOFOLLOW) != 0)
        return true;
    int fd = plain_open_at(r->fd, "runs.json");
    ptrdiff_t n = fd < 0 ? 0 : read_all(fd, head, sizeof head - 1);
    if (fd >= 0)
        close(fd);
    return (n > 0 && strcmp(head, RUNS_HEAD) == 0) ||
           err_set(
               e, ERR_OUTPUT, r->path, -1,
               "has an index.html that tracefolio did not write: name a folder that "
               "is for runs alone");
}

static struct str kind_word(const struct run_row *r)
{
    return r->kind == RUN_OF_JOB ? S("job") : S("comparison");
}

static cJSON *line_of(const struct run_row *r)
{
    cJSON *o = json_object(J("run", r->folder));
    if (r->unread.n)
        return json_put(o, J("unread", r->unread));
    if (r->kind != RUN_OF_TRACE)
        return json_put(o, J("kind", kind_word(r)),
                        context_text("label", utf8_head(r->label, LABEL_BYTES)),
                        context_text("verdict", utf8_head(r->verdict, VERDICT_BYTES)));
    return json_put(o, context_text("label", utf8_head(r->label, LABEL_BYTES)),
                    context_text("series", utf8_head(r->series, LABEL_BYTES)),
                    J("when", r->when),
                    context_text("device", utf8_head(r->device, DEVICE_BYTES)),
                    json_exact("total_ns", run_figure(r, "window.total_ns")),
                    json_exact("busy_pct", run_figure(r, "window.busy_pct")),
                    json_exact("high", run_figure(r, "counts.critical") +
                                           run_figure(r, "counts.high")),
                    json_exact("medium", run_figure(r, "counts.medium")),
                    json_opt("gates", r->gates));
}

static bool put_list(struct root *r, struct err *e)
{
    struct out o;
    out_memory(&o);
    out_printf(&o, RUNS_HEAD ", \"share_level\": \"%.*s\", \"runs\": [",
               STRF(share_word(r->share)));
    for (int i = 0; i < r->runs->n; i++) {
        cJSON *line = line_of(&r->runs->at[i]);
        out_c(&o, i ? ",\n" : "\n");
        json_tree(&o, line, JSON_LINE);
        cJSON_Delete(line);
    }
    out_lit(&o, "\n]}\n");
    r->json_bytes = out_view(&o).n;
    bool done = put_file(r, "runs.json", out_view(&o), e);
    out_free(&o);
    return done;
}

/* "2025-07-18" and "11:51" of "2025-07-18T11:51:01Z", as runs have their time. */
static struct str day_of(struct str when)
{
    return str_head(when, when.n < 10 ? when.n : 10);
}

static struct str minute_of(struct str when)
{
    return when.n < 16 ? S("") : str_head(str_skip(when, 11), 5);
}

static cJSON *row_context(const struct run_row *r)
{
    const struct run_category *largest = r->n_categories ? r->categories : NULL;
    double high = run_figure(r, "counts.critical") + run_figure(r, "counts.high");
    double bad = run_figure(r, "checks.warning") + run_figure(r, "checks.failed");
    return json_object(
        J("folder", r->folder), context_text("label", r->label),
        context_text("when", r->when), context_text("day", day_of(r->when)),
        context_text("minute", minute_of(r->when)),
        context_text("run_device", r->device),
        json_exact("total_ns", run_figure(r, "window.total_ns")),
        json_exact("busy_pct", run_figure(r, "window.busy_pct")),
        context_text("largest", largest ? largest->label : S("")),
        json_exact("largest_pct", largest ? largest->pct : (double)NAN),
        json_exact("high", high), json_exact("medium", run_figure(r, "counts.medium")),
        json_exact("bad", bad),
        context_word("gates", r->gates.n ? r->gates : S("none")),
        J("share", share_word(r->share)), J("is_pinned", r->pinned));
}

/* What is around the pages. */
static void begin_frame(struct root *r, struct arena *perm)
{
    struct out id;
    char hex[SHA256_HEX_BYTES];
    out_memory(&id);
    for (int i = 0; i < r->runs->n; i++)
        out_str(&id, r->runs->at[i].folder);
    sha256_hex_of(out_view(&id), hex);
    out_free(&id);
    r->frame = (struct site_frame){.title = S("GPU trace reports"),
                                   .run_label = S("all runs"),
                                   .id = str_copy(perm, str_head(str_of(hex), 16)),
                                   .tool_version = S("tracefolio " TRACEFOLIO_VERSION),
                                   .share_level = share_word(r->share)};
    frame_theme(&r->frame, r->theme);
}

/* How many runs from `i` on are of one series. */
static int series_length(const struct runs *r, int i)
{
    int n = 1;
    while (i + n < r->n && run_is_of_trace(&r->at[i + n]) &&
           str_eq(r->at[i + n].series, r->at[i].series))
        n++;
    return n;
}

/* By how many per cent the last run differs from the one before it; NaN: not known. */
static double last_pct(const struct run_row *last)
{
    double now = run_figure(last, "window.total_ns"),
           before = run_figure(last + 1, "window.total_ns");
    return now > 0 && before > 0 ? 100 * fabs(now - before) / before : (double)NAN;
}

/* The first run of the series whose last run differs most from the one before it, which
 * opens the page; -1: none has two. */
static int most_changed(const struct runs *r)
{
    int most = -1;
    for (int i = 0; i < r->n && run_is_of_trace(&r->at[i]); i += series_length(r, i))
        if (series_length(r, i) > 1 && !isnan(last_pct(&r->at[i])) &&
            (most < 0 || last_pct(&r->at[i]) > last_pct(&r->at[most])))
            most = i;
    return most;
}

/* The last run against the one before it. */
static void put_last(cJSON *o, const struct run_row *last, bool leads)
{
    double now = run_figure(last, "window.total_ns"),
           before = run_figure(last + 1, "window.total_ns");
    if (isnan(last_pct(last)))
        return;
    json_put(json_put_object(o, "last"), context_text("label", last->label),
             J("folder", last->folder), context_text("previous", last[1].label),
             json_exact("now_ns", now), json_exact("before_ns", before),
             json_exact("pct", last_pct(last)), json_bool("leads", leads),
             now < 2 * before ? json_null("times") : json_exact("times", now / before),
             json_bool("longer", now > before));
}

/* What the run says that the page opens with. */
static void put_newest(cJSON *c, const struct run_row *run)
{
    if (run_is_of_trace(run) && run->verdict.n)
        json_put(json_put_object(c, "newest"), context_text("label", run->label),
                 J("folder", run->folder), context_text("verdict", run->verdict),
                 context_text("lead", run->lead));
}

/* A trend needs two runs of a series. */
static bool has_trend(const struct runs *r)
{
    for (int i = 0; i < r->n && run_is_of_trace(&r->at[i]); i++)
        if (series_length(r, i) > 1)
            return true;
    return false;
}

static void put_series(cJSON *c, const struct runs *r, bool trend, struct arena *perm)
{
    cJSON *all = json_put_array(c, "all_series"), *unread = json_put_array(c, "unread"),
          *others = json_put_array(c, "others");
    int i = 0, number = 0, lead = most_changed(r);
    while (i < r->n && run_is_of_trace(&r->at[i])) {
        int n = series_length(r, i);
        number++;
        if (trend && n > 1)
            json_push(all, trend_context(perm, &r->at[i], n, number));
        if (!trend) {
            cJSON *rows = json_list();
            for (int k = 0; k < n; k++)
                json_push(rows, row_context(&r->at[i + k]));
            cJSON *o = context_push(all);
            json_put(o, context_text("series_name", r->at[i].series),
                     J("number", number), J("n", n), J("rows", rows));
            if (n > 1)
                put_last(o, &r->at[i], i == lead);
        }
        i += n;
    }
    json_put(c, J("n_runs", i), J("n_series", number), json_bool("some_runs", i > 0),
             json_bool("several_series", number > 1), json_bool("has_lead", lead >= 0),
             json_bool("has_trend", has_trend(r)));
    if (!trend && i)
        put_newest(c, &r->at[lead < 0 ? 0 : lead]);
    int first = i;
    for (; i < r->n && !r->at[i].unread.n; i++)
        json_row(others, J("folder", r->at[i].folder), J("kind", kind_word(&r->at[i])),
                 context_text("label", r->at[i].label),
                 context_text("verdict", r->at[i].verdict),
                 J("is_pinned", r->at[i].pinned));
    json_put(c, json_bool("some_others", i > first),
             json_bool("some_unread", i < r->n));
    for (; i < r->n; i++)
        json_row(unread, J("folder", r->at[i].folder), J("why", r->at[i].unread));
}

static bool put_page(struct root *r, bool trend, struct arena *perm, struct arena tmp,
                     struct err *e)
{
    struct template_set set = template_bundled(&tmp);
    struct out o;
    struct frame_link nav[] = {{S("Runs"), S("index.html"), !trend, false},
                               {S("Trends"), S("trend.html"), trend, false}};
    struct frame_file all = {S("runs.json"), S("runs.json"), (double)r->json_bytes};
    r->frame.nav = nav;
    r->frame.n_nav = has_trend(r->runs) ? 2 : 1;
    r->frame.foot_files = &all;
    r->frame.n_foot_files = 1;
    cJSON *c = frame_context(&r->frame);
    put_series(c, r->runs, trend, perm);
    out_memory(&o);
    bool done =
        page_render(&o, &set, trend ? "runs/trend.html" : "runs/index.html", c, e) &&
        put_file(r, trend ? "trend.html" : "index.html", out_view(&o), e);
    out_free(&o);
    cJSON_Delete(c);
    return done;
}

bool runs_write(int root_fd, const char *path, const struct runs *runs,
                const struct theme *theme, struct arena tmp, struct arena tmp2,
                struct err *e)
{
    struct root r = {.fd = root_fd,
                     .path = path,
                     .runs = runs,
                     .theme = theme,
                     .share = SHARE_PUBLIC};
    for (int i = 0; i < runs->n; i++)
        if (runs->at[i].share < r.share)
            r.share = runs->at[i].share;
    if (!runs->n)
        r.share = SHARE_INTERNAL;
    remove_leftovers(&r);
    begin_frame(&r, &tmp2);
    return is_ours(&r, e) && put_assets(&r, &tmp2, tmp, e) && put_list(&r, e) &&
           put_page(&r, true, &tmp2, tmp, e) && put_page(&r, false, &tmp2, tmp, e);
}
