#include "render/folder/manifest.h"

#include "base/arena.h"
#include "base/beside.h"
#include "base/out.h"
#include "base/place_file.h"
#include "base/plain_file.h"
#include "base/read_all.h"
#include "base/utf8.h"
#include "base/written_files.h"
#include "base/zip_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MANIFEST_BYTES_MAX = 1 << 28 };

struct file {
    struct str path; /* below the folder, terminated */
    int64_t bytes;
    bool regular;
    int failed; /* errno of reading it */
    char sha256[SHA256_HEX_BYTES];
    struct file *next;
};

struct listing {
    struct file **at; /* sorted by path */
    ptrdiff_t n;
};

static int by_path(const void *a, const void *b)
{
    return str_cmp((*(struct file *const *)a)->path, (*(struct file *const *)b)->path);
}

static struct listing sorted(struct arena *a, struct file *first, ptrdiff_t n)
{
    struct listing l = {arena_new(a, struct file *, n), n};
    for (ptrdiff_t i = 0; first; first = first->next)
        l.at[i++] = first;
    if (n > 1)
        qsort(l.at, (size_t)n, sizeof *l.at, by_path);
    return l;
}

/* Open a folder below root_fd part by part, so that no link is followed on the way. */
static int open_below(int root_fd, const char *path)
{
    const int how = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int fd = *path ? root_fd : openat(root_fd, ".", how);
    while (fd >= 0 && *path) {
        char part[256];
        size_t n = strcspn(path, "/");
        if (n >= sizeof part) {
            if (fd != root_fd)
                close(fd);
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(part, path, n);
        part[n] = '\0';
        int inner = openat(fd, part, how);
        if (fd != root_fd)
            close(fd);
        fd = inner;
        path += n + (path[n] == '/');
    }
    return fd;
}

/* Whether a listed file lies in the folder. */
static bool leads_to_one(const struct listing *l, struct str folder)
{
    ptrdiff_t low = 0, high = l->n;
    while (low < high) {
        ptrdiff_t mid = low + (high - low) / 2;
        if (str_cmp(l->at[mid]->path, folder) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low < l->n && str_starts(l->at[low]->path, folder);
}

/* The entries of one folder: files onto *files, folders onto *folders. Folders that
 * lead to no file of `only` (NULL: all do) go to the files, with a slash at the end. */
static bool list_one(int root_fd, struct str folder, const struct listing *only,
                     struct arena *a, struct file **files, struct file **folders,
                     ptrdiff_t *n_files)
{
    int fd = open_below(root_fd, folder.p);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    struct dirent *entry;
    int why = 0;
    while (errno = 0, (entry = readdir(d))) {
        struct stat st;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
            why = errno == ENOENT ? why : errno; /* or removed meanwhile */
            continue;
        }
        struct file *f = arena_new(a, struct file, 1);
        f->path = str_printf(a, "%s%s%s", folder.p, folder.n ? "/" : "", entry->d_name);
        f->bytes = st.st_size;
        f->regular = S_ISREG(st.st_mode);
        bool down = S_ISDIR(st.st_mode);
        if (down && only) {
            struct str inside = str_printf(a, "%.*s/", STRF(f->path));
            down = leads_to_one(only, inside);
            f->path = down ? f->path : inside;
        }
        struct file **list = down ? folders : files;
        *n_files += !down;
        f->next = *list;
        *list = f;
    }
    why = errno ? errno : why;
    closedir(d);
    errno = why;
    return why == 0;
}

/* On failure errno says why. */
static bool list_folder(int root_fd, const struct listing *only, struct arena *a,
                        struct listing *l)
{
    struct file *files = NULL, *folders = arena_new(a, struct file, 1);
    ptrdiff_t n = 0;
    folders->path = S("");
    while (folders) {
        struct file *folder = folders;
        folders = folders->next;
        if (!list_one(root_fd, folder->path, only, a, &files, &folders, &n))
            return false;
    }
    *l = sorted(a, files, n);
    return true;
}

/* Digest of one listed file; the size is what was read. */
static bool digest(int root_fd, struct file *f)
{
    const char *slash = strrchr(f->path.p, '/');
    char folder[4096] = "";
    if (slash && slash - f->path.p >= (ptrdiff_t)sizeof folder)
        return false;
    if (slash)
        memcpy(folder, f->path.p, (size_t)(slash - f->path.p));
    int at = slash ? open_below(root_fd, folder) : root_fd;
    int fd = at < 0 ? -1 : plain_open_at(at, slash ? slash + 1 : f->path.p);
    if (at >= 0 && at != root_fd)
        close(at);
    if (fd < 0)
        return false;
    bool good = sha256_file(fd, f->sha256, &f->bytes);
    close(fd);
    return good;
}

bool manifest_marks(int folder_fd, const char *name)
{
    char buf[sizeof MANIFEST_MARK];
    int fd = plain_open_at(folder_fd, name);
    if (fd < 0)
        return false;
    ptrdiff_t k = read_all(fd, buf, sizeof buf - 1);
    close(fd);
    return k == sizeof buf - 1 && memcmp(buf, MANIFEST_MARK, sizeof buf - 1) == 0;
}

bool manifest_is_elsewhere(const char *folder, const char *asked, struct err *e)
{
    char at[PATH_MAX];
    snprintf(at, sizeof at, "%s", folder);
    while (at[0] && at[1]) {
        int fd = open(at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        bool is_report = fd >= 0 && manifest_marks(fd, MANIFEST_NAME);
        if (fd >= 0)
            close(fd);
        if (is_report)
            return err_set(e, ERR_USAGE, asked, -1,
                           "is in the report %.300s, which it would change: name a "
                           "place outside it",
                           at);
        *strrchr(at, '/') = '\0';
    }
    return true;
}

struct hashing {
    int root_fd;
    struct listing files;
    _Atomic ptrdiff_t next;
};

/* Each thread takes the next file; the output depends only on the listing. */
static void hash_files(void *shared)
{
    struct hashing *h = shared;
    for (ptrdiff_t i; (i = h->next++) < h->files.n;) {
        struct file *f = h->files.at[i];
        if (f->regular && !digest(h->root_fd, f))
            f->failed = errno ? errno : EIO;
    }
}

/* With a second thread; without it, the first does it all. */
static void hash_all(struct hashing *h)
{
    struct beside other;
    beside_start(&other, h->files.n > 1, hash_files, h);
    hash_files(h);
    beside_join(&other);
}

static bool is_not_listed(struct str path)
{
    return str_eq(path, S(MANIFEST_NAME)) || str_eq(path, S(BUILD_MARK_NAME));
}

static bool put_file(struct out *o, const struct file *f, struct err *e)
{
    if (is_not_listed(f->path))
        return true;
    if (!f->regular || !zip_name_is_good(f->path))
        return err_set(e, ERR_INTERNAL, f->path.p, -1, "not a file of this report");
    if (f->failed)
        return err_set(e, ERR_OUTPUT, f->path.p, -1, "cannot be read back: %s",
                       strerror(f->failed));
    out_printf(o, "%s  %lld  %s\n", f->sha256, (long long)f->bytes, f->path.p);
    return true;
}

/* Whether its digest was taken when it was written. */
static bool is_known(const char *dir, struct file *f, struct arena tmp)
{
    struct written_file w;
    struct str path = str_printf(&tmp, "%s/%s", dir, f->path.p);
    if (!written_files_find(path.p, &w) || w.bytes != f->bytes)
        return false;
    memcpy(f->sha256, w.sha256, sizeof f->sha256);
    return true;
}

static bool put_all(struct out *o, int root_fd, const char *dir, struct arena tmp,
                    struct err *e)
{
    struct listing all;
    if (!list_folder(root_fd, NULL, &tmp, &all))
        return err_set(e, ERR_OUTPUT, NULL, -1,
                       "the new folder cannot be read back: %s", strerror(errno));
    struct hashing unknown = {.root_fd = root_fd};
    unknown.files.at = arena_new(&tmp, struct file *, all.n);
    for (ptrdiff_t i = 0; i < all.n; i++)
        if (!is_known(dir, all.at[i], tmp))
            unknown.files.at[unknown.files.n++] = all.at[i];
    hash_all(&unknown);
    out_lit(o, MANIFEST_MARK);
    for (ptrdiff_t i = 0; i < all.n; i++)
        if (!put_file(o, all.at[i], e))
            return false;
    return true;
}

bool manifest_write(const char *dir, struct arena tmp, struct err *e)
{
    struct out o;
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_set(e, ERR_OUTPUT, dir, -1, "cannot be read: %s", strerror(errno));
    struct str path = str_printf(&tmp, "%s/" MANIFEST_NAME, dir);
    bool good = out_open(&o, path.p, e);
    if (good) {
        good = put_all(&o, fd, dir, tmp, e);
        good = out_close(&o, e) && good;
    }
    close(fd);
    return good;
}

static bool is_digest(struct str s)
{
    for (ptrdiff_t i = 0; i < s.n; i++)
        if (!(s.p[i] >= '0' && s.p[i] <= '9') && !(s.p[i] >= 'a' && s.p[i] <= 'f'))
            return false;
    return s.n == SHA256_HEX_BYTES - 1;
}

/* "digest  bytes  path" */
static bool parse_line(struct arena *a, struct str line, struct file *f)
{
    struct str hex = str_head(line, SHA256_HEX_BYTES - 1);
    struct str rest = str_skip(line, hex.n);
    if (!is_digest(hex) || !str_starts(rest, S("  ")))
        return false;
    rest = str_skip(rest, 2);
    ptrdiff_t gap = str_find(rest, S("  "));
    if (gap < 0 || !str_int(str_head(rest, gap), &f->bytes))
        return false;
    f->path = str_copy(a, str_skip(rest, gap + 2));
    memcpy(f->sha256, hex.p, (size_t)hex.n);
    return zip_name_is_good(f->path);
}

static bool parse(struct arena *a, struct str text, struct listing *l, int64_t *bad_at)
{
    struct file *files = NULL;
    ptrdiff_t n = 0;
    const char *start = text.p;
    text = str_skip(text, (ptrdiff_t)sizeof MANIFEST_MARK - 1);
    while (text.n > 0) {
        ptrdiff_t end = str_find(text, S("\n"));
        struct file *f = arena_new(a, struct file, 1);
        *bad_at = text.p - start;
        if (end < 0 || !parse_line(a, str_head(text, end), f))
            return false;
        f->next = files;
        files = f;
        n++;
        text = str_skip(text, end + 1);
    }
    *l = sorted(a, files, n);
    return true;
}

static bool read_manifest(int fd, const char *path, struct arena *a, struct listing *l,
                          struct err *e)
{
    if (!manifest_marks(fd, MANIFEST_NAME))
        return err_set(
            e, ERR_INPUT, path, -1,
            "missing, or not a manifest: was this folder written by tracefolio?");
    int file = plain_open_at(fd, MANIFEST_NAME);
    struct stat st;
    bool good = file >= 0 && fstat(file, &st) == 0 && st.st_size <= MANIFEST_BYTES_MAX;
    struct str text = {"", 0};
    if (good) {
        char *buf = arena_take_raw(a, 1, 1, (ptrdiff_t)st.st_size + 1);
        text = (struct str){buf, read_all(file, buf, (ptrdiff_t)st.st_size)};
    }
    if (file >= 0)
        close(file);
    if (!good || text.n < 0)
        return err_set(e, ERR_INPUT, path, -1, "cannot be read");
    int64_t bad_at = 0;
    if (!parse(a, text, l, &bad_at))
        return err_set(e, ERR_INPUT, path, bad_at, "not a line of a manifest");
    return true;
}

static void put_path(struct out *o, const char *word, struct str path)
{
    char seen[4 * PATH_MAX];
    utf8_visible(seen, sizeof seen, path);
    out_c(o, word);
    out_c(o, seen);
}

/* One file that is in both lists; true if it is unchanged. */
static bool same(int fd, struct file *found, const struct file *wanted, struct out *o)
{
    bool readable = found->regular;
    if (readable && found->bytes == wanted->bytes) {
        readable = digest(fd, found);
        if (readable && strcmp(found->sha256, wanted->sha256) == 0)
            return true;
    }
    put_path(o, "changed  ", found->path);
    if (!readable)
        out_lit(o, " (cannot be read as a file)\n");
    else if (found->bytes != wanted->bytes)
        out_printf(o, " (%lld bytes, %lld expected)\n", (long long)found->bytes,
                   (long long)wanted->bytes);
    else
        out_lit(o, " (same size, other content)\n");
    return false;
}

static ptrdiff_t compare(int fd, struct listing found, struct listing wanted,
                         struct out *o)
{
    ptrdiff_t i = 0, k = 0, differences = 0;
    while (i < found.n || k < wanted.n) {
        int order = i == found.n    ? 1
                    : k == wanted.n ? -1
                                    : str_cmp(found.at[i]->path, wanted.at[k]->path);
        if (order == 0) {
            differences += !same(fd, found.at[i++], wanted.at[k++], o);
        } else if (order > 0) {
            put_path(o, "missing  ", wanted.at[k++]->path);
            out_char(o, '\n');
            differences++;
        } else if (!is_not_listed(found.at[i]->path)) {
            put_path(o, "extra    ", found.at[i++]->path);
            out_char(o, '\n');
            differences++;
        } else {
            i++;
        }
    }
    return differences;
}

bool manifest_verify(const char *dir, struct arena tmp, struct out *report,
                     ptrdiff_t *differences, struct err *e)
{
    struct listing found, wanted;
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_set(e, ERR_INPUT, dir, -1, "cannot be read: %s%s", strerror(errno),
                       errno == ENOTDIR ? "; name the folder of a report" : "");
    struct str path = str_printf(&tmp, "%s/" MANIFEST_NAME, dir);
    bool good = read_manifest(fd, path.p, &tmp, &wanted, e);
    if (good && !list_folder(fd, NULL, &tmp, &found))
        good = err_set(e, ERR_INPUT, dir, -1, "cannot be read: %s", strerror(errno));
    if (good)
        *differences = compare(fd, found, wanted, report);
    close(fd);
    return good;
}

/* The first of `found` that is not listed or has another size. The rest are put into
 * `same`, beside what is listed of them. */
static struct str unlisted(struct listing found, struct listing wanted,
                           struct listing *same, struct file **as)
{
    ptrdiff_t k = 0;
    for (ptrdiff_t i = 0; i < found.n; i++) {
        struct file *f = found.at[i];
        if (is_not_listed(f->path))
            continue;
        while (k < wanted.n && str_cmp(wanted.at[k]->path, f->path) < 0)
            k++;
        if (k == wanted.n || !str_eq(wanted.at[k]->path, f->path) || !f->regular ||
            f->bytes != wanted.at[k]->bytes)
            return f->path;
        as[same->n] = wanted.at[k];
        same->at[same->n++] = f;
    }
    return S("");
}

struct str manifest_foreign(int folder_fd, struct arena *a)
{
    struct listing found, wanted = {0};
    struct hashing h = {.root_fd = folder_fd};
    struct err e = {0};
    bool marked = manifest_marks(folder_fd, MANIFEST_NAME);
    if (marked && !read_manifest(folder_fd, "", a, &wanted, &e))
        return S(MANIFEST_NAME);
    if (!list_folder(folder_fd, &wanted, a, &found))
        return S("a folder in it that cannot be read");
    if (!marked)
        return found.n ? found.at[0]->path : S("");
    h.files.at = arena_new(a, struct file *, found.n);
    struct file **as = arena_new(a, struct file *, found.n);
    struct str first = unlisted(found, wanted, &h.files, as);
    if (first.n == 0)
        hash_all(&h);
    for (ptrdiff_t i = 0; first.n == 0 && i < h.files.n; i++)
        if (h.files.at[i]->failed || strcmp(h.files.at[i]->sha256, as[i]->sha256) != 0)
            first = h.files.at[i]->path;
    return first;
}

static bool sync_below(int root_fd, struct str path, int how)
{
    int fd = openat(root_fd, path.n ? path.p : ".", how | O_NOFOLLOW | O_CLOEXEC);
    bool good = fd >= 0 && place_synced(fd);
    int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return good;
}

bool manifest_sync(int folder_fd, struct arena tmp)
{
    struct listing l;
    if (!list_folder(folder_fd, NULL, &tmp, &l))
        return false;
    struct str before = {0};
    for (ptrdiff_t i = 0; i < l.n; i++) {
        struct str path = l.at[i]->path;
        const char *slash = strrchr(path.p, '/');
        struct str folder = str_head(path, slash ? slash - path.p : 0);
        if (!sync_below(folder_fd, path, O_RDONLY))
            return false;
        if (!str_eq(folder, before) &&
            !sync_below(folder_fd, str_of(str_c(&tmp, folder)), O_RDONLY | O_DIRECTORY))
            return false;
        before = folder;
    }
    return sync_below(folder_fd, S(""), O_RDONLY | O_DIRECTORY);
}
