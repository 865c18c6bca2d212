#include "runs/run_scan.h"

#include "base/list_next.h"
#include "base/plain_file.h"
#include "base/read_all.h"
#include "base/unknown.h"
#include "ci/run_summary.h"
#include "render/folder/manifest.h"
#include "render/text/filter_parts.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
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

/* The figures that are kept. */
static const char *const kept[] = {"window.total_ns",   "window.busy_ns",
                                   "window.busy_pct",   "window.exposed_comm_ns",
                                   "window.idle_ns",    "counts.critical",
                                   "counts.high",       "counts.medium",
                                   "checks.warning",    "checks.failed",
                                   "mfu.mfu_pct",       "counters.sm_pct",
                                   "counters.step_j",   "fill.work_few_pct",
                                   "memory.peak_bytes", "collectives.best_bus_gb_per_s",
                                   "layers.call_ns",    "compiled.break_ms"};
_Static_assert(sizeof kept / sizeof *kept == RUN_FIGURES, "one place for each");

static struct str text_at(const cJSON *doc, const char *dotted)
{
    return text_of(run_summary_find(doc, str_of(dotted)));
}

static double category_ns(const struct run_row *r, struct str name)
{
    struct str slug = str_take(&name, S("."));
    assert(str_eq(name, S("kernel_sum_ns")));
    for (int i = 0; i < r->n_categories; i++)
        if (str_eq(r->categories[i].slug, slug))
            return r->categories[i].ns;
    return (double)NAN;
}

static double size_gb_s(const struct run_row *r, struct str name)
{
    str_take(&name, S("."));
    struct str slug = str_take(&name, S("."));
    assert(str_eq(name, S("bus_gb_per_s")));
    for (int i = 0; i < r->n_sizes; i++)
        if (str_eq(r->sizes[i].slug, slug))
            return r->sizes[i].bus_gb_s;
    return (double)NAN;
}

double run_figure(const struct run_row *r, const char *dotted)
{
    struct str name = str_of(dotted), list = str_take(&name, S("."));
    if (str_eq(list, S("categories")))
        return category_ns(r, name);
    if (str_eq(list, S("collectives")) && str_starts(name, S("sizes.")))
        return size_gb_s(r, name);
    int k = 0;
    while (k < RUN_FIGURES && strcmp(kept[k], dotted) != 0)
        k++;
    assert(k < RUN_FIGURES);
    return r->figures[k];
}

static double number_in(const cJSON *o, const char *key)
{
    return number_of(cJSON_GetObjectItem(o, key));
}

static void keep_sizes(struct arena *perm, struct run_row *r, const cJSON *doc)
{
    enum { SIZES_KEPT = 16 };
    const cJSON *c, *all = cJSON_GetObjectItem(doc, "collectives");
    cJSON_ArrayForEach(c, cJSON_GetObjectItem(all, "sizes"))
    {
        if (r->n_sizes == SIZES_KEPT)
            break;
        arena_grow(perm, r->sizes, r->n_sizes);
        r->sizes[r->n_sizes++] =
            (struct run_size){str_copy(perm, text_of(cJSON_GetObjectItem(c, "slug"))),
                              str_copy(perm, text_of(cJSON_GetObjectItem(c, "kind"))),
                              number_in(c, "bytes"),
                              number_in(c, "ranks"),
                              number_in(c, "bus_gb_per_s"),
                              cJSON_IsTrue(cJSON_GetObjectItem(c, "small"))};
    }
}

void run_keep(struct arena *perm, struct run_row *r, const cJSON *doc)
{
    enum { CATEGORIES_MAX = 64 };
    const cJSON *c;
    for (int k = 0; k < RUN_FIGURES; k++)
        r->figures[k] = number_of(run_summary_find(doc, str_of(kept[k])));
    r->gates = str_of(str_c(perm, text_at(doc, "verdict.gates")));
    r->verdict = str_copy(perm, text_at(doc, "verdict.text"));
    r->lead = str_copy(perm, text_at(doc, "verdict.lead"));
    keep_sizes(perm, r, doc);
    cJSON_ArrayForEach(c, cJSON_GetObjectItem(doc, "categories"))
    {
        if (r->n_categories == CATEGORIES_MAX)
            break;
        arena_grow(perm, r->categories, r->n_categories);
        r->categories[r->n_categories++] = (struct run_category){
            str_copy(perm, text_of(cJSON_GetObjectItem(c, "slug"))),
            str_copy(perm, text_of(cJSON_GetObjectItem(c, "label"))),
            number_in(c, "kernel_sum_ns"), number_in(c, "kernel_sum_pct")};
    }
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

static void take_share(struct run_row *r, const cJSON *doc)
{
    for (enum share s = 0; s < SHARES; s++)
        if (str_eq(text_at(doc, "share_level"), share_word(s)))
            r->share = s;
}

/* What a side of a comparison is called: of two jobs it is its name alone. */
static struct str side_of(const cJSON *doc, const char *side, const char *or_side)
{
    const cJSON *is = cJSON_GetObjectItem(doc, side);
    if (!is)
        is = cJSON_GetObjectItem(doc, or_side);
    if (cJSON_IsObject(is))
        is = cJSON_GetObjectItem(is, "label");
    return cJSON_IsString(is) ? str_of(is->valuestring) : S("unnamed");
}

/* Name and verdict of a job or comparison. */
static void take_words(struct arena *perm, struct run_row *r, const cJSON *doc)
{
    const cJSON *verdict = cJSON_GetObjectItem(doc, "verdict");
    if (cJSON_IsArray(verdict))
        verdict = cJSON_GetArrayItem(verdict, 0);
    r->verdict =
        cJSON_IsString(verdict) ? str_copy(perm, str_of(verdict->valuestring)) : S("");
    double ranks = number_in(doc, "ranks_present");
    if (r->kind == RUN_OF_JOB)
        r->label = str_printf(perm, "%.0f %s", ranks, ranks == 1 ? "rank" : "ranks");
    else
        r->label = str_printf(perm, "%.*s against %.*s",
                              STRF(side_of(doc, "target", "candidate")),
                              STRF(side_of(doc, "reference", "reference")));
}

static void take_names(struct arena *perm, struct run_row *r, const cJSON *doc)
{
    struct str series = text_at(doc, "series"), model = text_at(doc, "model"),
               when = text_at(doc, "captured_utc");
    r->label = str_copy(perm, text_at(doc, "run_label"));
    r->device = str_copy(perm, text_at(doc, "device"));
    r->when = str_copy(perm, when.n ? when : text_at(doc, "date"));
    r->series = series.n ? str_copy(perm, series)
                : r->device.n
                    ? str_printf(perm, "%.*s on %.*s", STRF(model), STRF(r->device))
                    : str_copy(perm, model);
}

/* Why the document is none that can be listed; or empty. */
static struct str why_unread(const struct run_row *r, struct str text, const cJSON *doc)
{
    struct str version = r->kind == RUN_OF_JOB ? S("2.") : S("1.");
    if (!text.p)
        return S("its summary.json cannot be read");
    if (!text.n)
        return S("it has no summary.json");
    if (!doc)
        return S("its summary.json is not JSON");
    if (r->kind != RUN_OF_COMPARISON && !str_starts(text_at(doc, "schema"), version))
        return S("its summary.json is of another version");
    return S("");
}

/* What is kept of the document of a run, which is read into what is free of `perm` and
 * then forgotten. */
static void take_document(struct arena *perm, struct run_row *r, int fd)
{
    struct arena before = *perm;
    struct str text = read_summary(perm, fd);
    cJSON *doc = text.n ? cJSON_ParseWithLength(text.p, (size_t)text.n) : NULL;
    *perm = before;
    r->kind = str_eq(text_at(doc, "kind"), S("job"))               ? RUN_OF_JOB
              : cJSON_IsArray(cJSON_GetObjectItem(doc, "verdict")) ? RUN_OF_COMPARISON
                                                                   : RUN_OF_TRACE;
    r->unread = why_unread(r, text, doc);
    if (!r->unread.n) {
        take_share(r, doc);
        if (r->kind != RUN_OF_TRACE) {
            take_words(perm, r, doc);
        } else {
            take_names(perm, r, doc);
            run_keep(perm, r, doc);
        }
    }
    cJSON_Delete(doc);
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
        take_document(perm, r, fd);
    }
    close(fd);
    return ours;
}

bool run_read(struct arena *perm, const char *path, struct run_row *r)
{
    return read_at(perm, AT_FDCWD, path, 0, r);
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
