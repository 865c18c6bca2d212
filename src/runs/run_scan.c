#include "runs/run_scan.h"

#include "base/list_next.h"
#include "base/plain_file.h"
#include "base/read_all.h"
#include "base/unknown.h"
#include "ci/run_summary.h"
#include "render/folder/manifest.h"
#include "render/text/filter_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUMMARY_BYTES_MOST = 1 << 24 };

struct str share_word(enum share s)
{
    static const struct str words[] = {[SHARE_INTERNAL] = S_INIT("internal"),
                                       [SHARE_PARTNER] = S_INIT("partner"),
                                       [SHARE_PUBLIC] = S_INIT("public")};
    return words[s];
}

bool share_read(const char *text, enum share *s, struct err *e)
{
    struct str words[SHARES];
    for (int k = 0; k < SHARES; k++) {
        words[k] = share_word((enum share)k);
        *s = (enum share)k;
        if (str_eq(str_of(text), words[k]))
            return true;
    }
    return err_unknown(e, "--share", str_of(text), words, SHARES, "");
}

struct str run_text(const struct run_row *r, const char *dotted)
{
    return text_of(run_summary_find(r->doc, str_of(dotted)));
}

double run_figure(const struct run_row *r, const char *dotted)
{
    return number_of(run_summary_find(r->doc, str_of(dotted)));
}

static bool is_folder(int root_fd, const char *name)
{
    struct stat st;
    return fstatat(root_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* All of summary.json, or nothing; NULL if it is there and cannot be read. */
static struct str read_summary(struct arena *perm, int fd)
{
    struct stat st;
    int file = plain_open_at(fd, "summary.json");
    if (file < 0 && errno == ENOENT)
        file = plain_open_at(fd, "comparison_data.json");
    struct str text = file >= 0 || errno == ENOENT ? S("") : (struct str){0};
    if (file >= 0 && fstat(file, &st) == 0 && st.st_size <= SUMMARY_BYTES_MOST) {
        char *p = arena_take_raw(perm, 1, 1, st.st_size + 1);
        ptrdiff_t n = read_all(file, p, st.st_size);
        text = n == st.st_size ? (struct str){p, n} : (struct str){0};
    }
    if (file >= 0)
        close(file);
    return text;
}

static void take_share(struct run_row *r)
{
    for (enum share s = 0; s < SHARES; s++)
        if (str_eq(run_text(r, "share_level"), share_word(s)))
            r->share = s;
}

/* What a side of a comparison is called: of two jobs it is its name alone. */
static struct str side_of(const struct run_row *r, const char *side,
                          const char *or_side)
{
    const cJSON *is = cJSON_GetObjectItem(r->doc, side);
    if (!is)
        is = cJSON_GetObjectItem(r->doc, or_side);
    if (cJSON_IsObject(is))
        is = cJSON_GetObjectItem(is, "label");
    return cJSON_IsString(is) ? str_of(is->valuestring) : S("unnamed");
}

/* Name and verdict of a job or comparison. */
static void take_words(struct arena *perm, struct run_row *r)
{
    const cJSON *verdict = cJSON_GetObjectItem(r->doc, "verdict");
    if (cJSON_IsArray(verdict))
        verdict = cJSON_GetArrayItem(verdict, 0);
    r->verdict = cJSON_IsString(verdict) ? str_of(verdict->valuestring) : S("");
    double ranks = run_figure(r, "ranks_present");
    if (r->kind == RUN_OF_JOB)
        r->label = str_printf(perm, "%.0f %s", ranks, ranks == 1 ? "rank" : "ranks");
    else
        r->label = str_printf(perm, "%.*s against %.*s",
                              STRF(side_of(r, "target", "candidate")),
                              STRF(side_of(r, "reference", "reference")));
    take_share(r);
}

static void take_document(struct arena *perm, struct run_row *r, struct str text)
{
    r->doc = text.n ? cJSON_ParseWithLength(text.p, (size_t)text.n) : NULL;
    r->kind = str_eq(run_text(r, "kind"), S("job")) ? RUN_OF_JOB
              : cJSON_IsArray(cJSON_GetObjectItem(r->doc, "verdict"))
                  ? RUN_OF_COMPARISON
                  : RUN_OF_TRACE;
    if (!text.p)
        r->unread = S("its summary.json cannot be read");
    else if (!text.n)
        r->unread = S("it has no summary.json");
    else if (!r->doc)
        r->unread = S("its summary.json is not JSON");
    else if (!str_starts(run_text(r, "schema"),
                         r->kind == RUN_OF_JOB ? S("2.") : S("1.")) &&
             r->kind != RUN_OF_COMPARISON)
        r->unread = S("its summary.json is of another version");
    if (r->unread.n)
        return;
    if (r->kind != RUN_OF_TRACE) {
        take_words(perm, r);
        return;
    }
    struct str series = run_text(r, "series"), model = run_text(r, "model");
    r->label = run_text(r, "run_label");
    r->device = run_text(r, "device");
    r->when = run_text(r, "captured_utc");
    if (!r->when.n)
        r->when = run_text(r, "date");
    r->series = series.n ? series
                : r->device.n
                    ? str_printf(perm, "%.*s on %.*s", STRF(model), STRF(r->device))
                    : model;
    take_share(r);
}

/* False if it is not a run at all. */
static bool read_at(struct arena *perm, int root_fd, const char *name, int how,
                    struct run_row *r)
{
    *r = (struct run_row){0};
    int fd = openat(root_fd, name, how | O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ours = manifest_marks(fd, MANIFEST_NAME);
    if (ours) {
        r->folder = str_of(str_c(perm, str_of(name)));
        r->pinned = faccessat(fd, "keep", F_OK, 0) == 0 || errno != ENOENT;
        take_document(perm, r, read_summary(perm, fd));
    }
    close(fd);
    return ours;
}

bool run_read(struct arena *perm, const char *path, struct run_row *r)
{
    return read_at(perm, AT_FDCWD, path, 0, r);
}

void run_free(struct run_row *r)
{
    cJSON_Delete(r->doc);
    r->doc = NULL;
}

bool run_is_of_trace(const struct run_row *r)
{
    return !r->unread.n && r->kind == RUN_OF_TRACE;
}

static int newest_first(const void *a, const void *b)
{
    const struct run_row *x = a, *y = b;
    if (!x->unread.n != !y->unread.n)
        return x->unread.n ? 1 : -1;
    int order = (int)x->kind - (int)y->kind;
    if (!order)
        order = str_cmp(x->series, y->series);
    if (!order)
        order = str_cmp(y->when, x->when);
    if (!order)
        order = str_cmp(y->label, x->label);
    return order ? order : str_cmp(x->folder, y->folder);
}

static DIR *open_listing(int root_fd)
{
    int fd = openat(root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d && fd >= 0)
        close(fd);
    return d;
}

/* Something is wrong with the machine, not with the run. */
static bool is_fault(int why)
{
    return why == EIO || why == EMFILE || why == ENFILE || why == ENOMEM;
}

bool runs_scan(struct arena *perm, int root_fd, const char *path, struct runs *r,
               struct err *e)
{
    DIR *d = open_listing(root_fd);
    struct dirent *entry;
    int why = 0;
    *r = (struct runs){0};
    if (!d)
        return err_set(e, ERR_INPUT, path, -1, "cannot be listed: %s", strerror(errno));
    while (!why && (entry = list_next(d, &why))) {
        struct run_row row;
        errno = 0;
        bool ours = entry->d_name[0] != '.' && is_folder(root_fd, entry->d_name) &&
                    read_at(perm, root_fd, entry->d_name, O_NOFOLLOW, &row);
        why = is_fault(errno) ? errno : 0;
        if (!ours)
            continue;
        arena_grow(perm, r->at, r->n);
        r->at[r->n++] = row;
    }
    closedir(d);
    if (why)
        return err_set(e, ERR_INPUT, path, -1, "cannot be listed: %s", strerror(why));
    if (r->n > 1)
        qsort(r->at, (size_t)r->n, sizeof *r->at, newest_first);
    return true;
}

void runs_close(struct runs *r)
{
    for (int i = 0; i < r->n; i++)
        run_free(&r->at[i]);
    *r = (struct runs){0};
}

uint64_t runs_names_hash(int root_fd)
{
    uint64_t sum = 0;
    DIR *d = open_listing(root_fd);
    struct dirent *entry;
    while (d && (entry = readdir(d)))
        if (entry->d_name[0] != '.' && is_folder(root_fd, entry->d_name))
            sum += str_hash(str_of(entry->d_name)); /* in whatever order they come */
    if (d)
        closedir(d);
    return sum;
}
