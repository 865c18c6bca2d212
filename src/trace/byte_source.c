#include "trace/byte_source.h"

#include "base/arena.h"
#include "base/plain_file.h"
#include "trace/gunzip.h"
#include "trace/unzstd.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SLOTS = SOURCE_SLOTS, /* some parts of a trace keep one thread busy longer, some the
                             other */
    AHEAD_SLOTS = 4, /* that are ready before the thread that makes them does more */
    WINDOW_BYTES = 1 << 16, /* a slot stays in the second-level cache between threads */
    HEAD_BYTES = 1 << 14,   /* room in front of a slot for what the caller keeps */
    FILE_BYTES = 1 << 16
};

enum form { FORM_UNKNOWN, FORM_PLAIN, FORM_GZIP, FORM_ZSTD };

struct slot {
    char *data; /* HEAD_BYTES before it belong to the slot, and behind it the NUL */
    ptrdiff_t n;
    bool last, ahead; /* ahead: the caller's function has had it */
};

struct byte_source {
    const char *path;
    int fd;
    ptrdiff_t window_bytes;
    bool one_thread, no_digest, by_member;
    void (*ahead)(void *context, int slot, const char *data, ptrdiff_t n);
    void *ahead_context;

    /* The producer's. */
    unsigned char *file_buf;
    ptrdiff_t file_at, file_n;
    _Atomic int64_t file_bytes;
    struct sha256_ctx sha;
    int64_t file_size, member_at;
    enum form form;
    bool file_ended;
    struct gunzip gunzip;
    struct unzstd unzstd;
    struct err err; /* what stopped the producer; read after its last slot */

    /* The ring: slots [taken, made) hold data. */
    struct slot slot[SLOTS];
    int n_slots; /* one alone where nobody fills others meanwhile */
    pthread_t thread;
    bool thread_runs;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t made, taken;
    bool stop;

    /* The consumer's. */
    char *begin, *end; /* the window it holds */
    char *spill;       /* windows whose kept part outgrew HEAD_BYTES */
    ptrdiff_t spill_cap;
    bool has_slot, at_end;
    int slot_ahead;
    int64_t bytes;
};

/* Appends to the file buffer; false on an error. Sets file_ended at the end. */
static bool read_file(struct byte_source *s)
{
    ssize_t k;
    do
        k = read(s->fd, s->file_buf + s->file_n, (size_t)(FILE_BYTES - s->file_n));
    while (k < 0 && errno == EINTR);
    if (k < 0)
        return err_set(&s->err, ERR_INPUT, s->path, -1, "cannot be read: %s",
                       errno == EBADF ? "standard input is closed" : strerror(errno));
    if (!s->no_digest)
        sha256_update(&s->sha, (size_t)k, s->file_buf + s->file_n);
    s->file_ended = k == 0;
    s->file_n += k;
    atomic_fetch_add(&s->file_bytes, k);
    return true;
}

/* What was read before, as if read now. */
static void take_head(struct byte_source *s, const struct source_options *o)
{
    if (!o->head_n)
        return;
    if (o->head_n > FILE_BYTES) {
        free(s->file_buf);
        s->file_buf = malloc((size_t)o->head_n);
        if (!s->file_buf)
            arena_full();
    }
    memcpy(s->file_buf, o->head, (size_t)o->head_n);
    s->file_n = o->head_n;
    s->file_bytes = o->head_n;
    if (!s->no_digest)
        sha256_update(&s->sha, (size_t)o->head_n, s->file_buf);
}

static bool fill_file(struct byte_source *s)
{
    if (s->file_at < s->file_n)
        return true;
    if (s->file_ended)
        return false;
    s->file_at = s->file_n = 0;
    return read_file(s) && !s->file_ended;
}

/* File formats that people pass by mistake, by their first bytes. */
const char *source_refuses(struct str head)
{
    static const struct {
        const char *magic, *what;
    } forms[] = {{"PK\3\4", "a zip archive; unpack it first"},
                 {"\xfd"
                  "7zXZ",
                  "compressed with xz; unpack it first"},
                 {"BZh", "compressed with bzip2; unpack it first"},
                 {"\xff\xfe", "UTF-16; convert it to UTF-8"},
                 {"\xfe\xff", "UTF-16; convert it to UTF-8"}};
    bool is_book = str_has(head, S("[Content_Types].xml")) ||
                   str_has(head, S("docProps/")) || str_has(head, S("xl/work"));
    if (str_starts(head, S("PK\3\4")) && is_book) /* whoever wrote it */
        return "a workbook (.xlsx), not a trace; a report of TraceLens can be a side "
               "of `tracefolio compare`, which has its tables and no timeline";
    if (str_starts(head, S("PK\3\4")) && str_has(head, S("data.pkl")))
        return "a checkpoint of PyTorch (.pt), not a trace";
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (str_starts(head, str_of(forms[i].magic)))
            return forms[i].what;
    return NULL;
}

static bool refuse_form(struct byte_source *s)
{
    const char *what = source_refuses((struct str){(char *)s->file_buf, s->file_n});
    return !what || err_set(&s->err, ERR_INPUT, s->path, 0, "the file is %s", what);
}

/* The bytes of the file for gunzip. */
static bool more_packed(void *context)
{
    struct byte_source *s = context;
    s->file_at = s->file_n; /* it has used all of them */
    if (!fill_file(s))
        return false;
    s->gunzip.in = s->file_buf + s->file_at;
    s->gunzip.in_end = s->file_buf + s->file_n;
    return true;
}

static bool start_form(struct byte_source *s)
{
    /* A pipe may hand over one byte at a time: collect enough to see the form. */
    while (s->file_n < 6 && !s->file_ended)
        if (!read_file(s))
            return false;
    struct str head = {(char *)s->file_buf, s->file_n};
    if (unzstd_is(head)) {
        s->form = FORM_ZSTD;
        return unzstd_start(&s->unzstd) ||
               err_set(&s->err, ERR_INPUT, s->path, 0, "zstd cannot be started");
    }
    bool gzip = gunzip_is(head);
    s->form = gzip ? FORM_GZIP : FORM_PLAIN;
    if (!gzip)
        return refuse_form(s);
    gunzip_start(&s->gunzip, more_packed, s);
    s->gunzip.in = s->file_buf;
    s->gunzip.in_end = s->file_buf + s->file_n;
    s->gunzip.by_member = s->by_member;
    return true;
}

/* Fills one slot; false after the last one. */
static bool fill_gzip(struct byte_source *s, struct slot *t)
{
    struct gunzip *g = &s->gunzip;
    if (s->by_member && gunzip_at_member(g))
        s->member_at = s->file_bytes - (g->in_end - g->in);
    t->n = gunzip_fill(g, (unsigned char *)t->data, s->window_bytes);
    if (g->broken && s->err.kind == ERR_NONE)
        err_set(&s->err, ERR_INPUT, s->path, -1,
                "gzip data %s after %lld compressed bytes; copy or record the trace "
                "again",
                g->broken, (long long)(s->file_bytes - (g->in_end - g->in)));
    return !g->ended && s->err.kind == ERR_NONE;
}

/* Fills one slot; false after the last one. */
static bool fill_zstd(struct byte_source *s, struct slot *t)
{
    t->n = 0;
    while (t->n < s->window_bytes) {
        bool more = fill_file(s);
        if (s->err.kind != ERR_NONE)
            return false;
        struct str in = {(char *)s->file_buf + s->file_at,
                         more ? s->file_n - s->file_at : 0};
        ptrdiff_t made = 0, room = s->window_bytes - t->n, before = in.n;
        const char *broken = unzstd_some(&s->unzstd, &in, t->data + t->n, room, &made);
        s->file_at += before - in.n;
        t->n += made;
        if (broken)
            return err_set(&s->err, ERR_INPUT, s->path, -1,
                           "zstd data %s after %lld compressed bytes; copy or record "
                           "the trace again",
                           broken, (long long)(s->file_bytes - in.n));
        if (!more && !made)
            return false;
    }
    return true;
}

static bool fill_plain(struct byte_source *s, struct slot *t)
{
    t->n = 0;
    while (t->n < s->window_bytes && fill_file(s)) {
        ptrdiff_t k = s->file_n - s->file_at;
        if (k > s->window_bytes - t->n)
            k = s->window_bytes - t->n;
        memcpy(t->data + t->n, s->file_buf + s->file_at, (size_t)k);
        t->n += k;
        s->file_at += k;
    }
    bool more = s->file_at < s->file_n || !s->file_ended;
    return more && s->err.kind == ERR_NONE;
}

static void fill_slot(struct byte_source *s, struct slot *t)
{
    t->n = 0;
    s->member_at = -1;
    t->last = s->form == FORM_UNKNOWN && !start_form(s);
    if (!t->last)
        t->last = !(s->form == FORM_GZIP   ? fill_gzip(s, t)
                    : s->form == FORM_ZSTD ? fill_zstd(s, t)
                                           : fill_plain(s, t));
}

/* Once the ring is full, the producer waits until half of it is used: a wake-up for
 * each slot would cost both threads time. */
static bool wait_for_room(struct byte_source *s)
{
    pthread_mutex_lock(&s->lock);
    if (s->made - s->taken == SLOTS)
        while (s->made - s->taken > SLOTS / 2 && !s->stop)
            pthread_cond_wait(&s->changed, &s->lock);
    bool goes_on = !s->stop;
    pthread_mutex_unlock(&s->lock);
    return goes_on;
}

/* If there is time, lets the caller's `ahead` work on a slot before it is handed over.
 */
static void look_ahead(struct byte_source *s, struct slot *t)
{
    pthread_mutex_lock(&s->lock);
    t->ahead = s->ahead && s->made - s->taken >= AHEAD_SLOTS;
    pthread_mutex_unlock(&s->lock);
    if (!t->ahead)
        return;
    memset(t->data + t->n, 0, 1 + SOURCE_PAD_BYTES);
    s->ahead(s->ahead_context, (int)(t - s->slot), t->data, t->n);
}

static void *produce(void *arg)
{
    struct byte_source *s = arg;
    for (bool last = false; !last && wait_for_room(s);) {
        struct slot *t = &s->slot[s->made % SLOTS]; /* only this thread makes slots */
        fill_slot(s, t);
        look_ahead(s, t);
        last = t->last;
        pthread_mutex_lock(&s->lock);
        if (s->made++ == s->taken)
            pthread_cond_signal(&s->changed);
        pthread_mutex_unlock(&s->lock);
    }
    return NULL;
}

static bool cannot_open(const char *path, struct err *e)
{
    struct stat st;
    if (errno == EISDIR)
        return err_set(e, ERR_INPUT, path, -1, "is a folder; name a trace file");
    const char *why = plain_why(errno);
    bool is_absent = errno == ENOENT;
    bool is_pipe = stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
    return err_set(e, ERR_INPUT, path, -1, "cannot be opened: %s%s", why,
                   is_pipe ? "; a pipe is read as the standard input: - <PIPE"
                   : is_absent && strpbrk(path, "*?{")
                       ? "; the shell found no file for this pattern, or it is quoted"
                       : "");
}

int source_fd(const char *path, struct source_options o, struct err *e)
{
    int fd = o.from_fd ? o.fd : strcmp(path, "-") == 0 ? dup(0) : plain_open(path);
    struct stat st = {0};
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(fd);
        fd = -1;
        errno = EISDIR;
    }
    if (fd < 0)
        cannot_open(path, e);
    return fd;
}

bool source_open(struct byte_source **out, const char *path, struct source_options o,
                 struct err *e)
{
    int fd = source_fd(path, o, e);
    struct stat st = {0};
    if (fd < 0)
        return false;
    (void)fstat(fd, &st);
    struct byte_source *s = calloc(1, sizeof *s);
    if (!s)
        arena_full();
    s->path = path;
    s->fd = fd;
    s->one_thread = o.one_thread;
    s->no_digest = o.no_digest;
    s->by_member = o.by_member;
    s->ahead = o.ahead;
    s->ahead_context = o.ahead_context;
    s->slot_ahead = -1;
    sha256_init(&s->sha);
    s->window_bytes = o.window_bytes ? o.window_bytes : WINDOW_BYTES;
    s->file_size = S_ISREG(st.st_mode) ? st.st_size : -1;
    s->file_buf = malloc(FILE_BYTES);
    if (!s->file_buf)
        arena_full();
    take_head(s, &o);
    s->n_slots = s->one_thread ? 1 : SLOTS;
    for (int i = 0; i < s->n_slots; i++) {
        char *p = malloc((size_t)(HEAD_BYTES + s->window_bytes + 1 + SOURCE_PAD_BYTES));
        if (!p)
            arena_full();
        s->slot[i].data = p + HEAD_BYTES;
    }
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    if (!s->one_thread)
        s->thread_runs = pthread_create(&s->thread, NULL, produce, s) == 0;
    *out = s;
    return true;
}

/* The next full slot, or NULL after the last one. */
static struct slot *take_slot(struct byte_source *s)
{
    if (s->at_end)
        return NULL;
    struct slot *t = &s->slot[s->taken % s->n_slots];
    if (s->thread_runs) {
        pthread_mutex_lock(&s->lock);
        while (s->made == s->taken)
            pthread_cond_wait(&s->changed, &s->lock);
        pthread_mutex_unlock(&s->lock);
    } else {
        fill_slot(s, t);
    }
    s->at_end = t->last;
    s->bytes += t->n;
    return t;
}

static void give_slot(struct byte_source *s)
{
    pthread_mutex_lock(&s->lock);
    s->taken++;
    if (s->made - s->taken == SLOTS / 2)
        pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void spill_room(struct byte_source *s, ptrdiff_t n)
{
    n += 1 + SOURCE_PAD_BYTES;
    if (n <= s->spill_cap)
        return;
    s->spill_cap = 2 * n;
    s->spill = realloc(s->spill, (size_t)s->spill_cap);
    if (!s->spill)
        arena_full();
}

/* If the kept part is long, gathers slots until the window has at least doubled, so
 * that a value of any length is scanned a bounded number of times. */
static void gather(struct byte_source *s, ptrdiff_t keep)
{
    ptrdiff_t n = keep, want = 2 * keep;
    if (s->has_slot) {
        spill_room(s, keep);
        memcpy(s->spill, s->end - keep, (size_t)keep);
        give_slot(s);
        s->has_slot = false;
    } else {
        memmove(s->spill, s->end - keep, (size_t)keep);
    }
    for (struct slot *t; n < want && (t = take_slot(s));) {
        spill_room(s, n + t->n);
        memcpy(s->spill + n, t->data, (size_t)t->n);
        n += t->n; /* before it is given back: then the producer writes there */
        give_slot(s);
    }
    s->begin = s->spill;
    s->end = s->spill + n;
}

bool source_next(struct byte_source *s, ptrdiff_t keep, char **begin, char **end,
                 struct err *e)
{
    ptrdiff_t before = keep;
    s->slot_ahead = -1;
    if (s->at_end) {
        s->begin = keep ? s->end - keep : s->end;
    } else if (keep > HEAD_BYTES) {
        gather(s, keep);
    } else {
        char tail[HEAD_BYTES];
        if (keep) /* the first window has nothing before it */
            memcpy(tail, s->end - keep, (size_t)keep);
        if (s->has_slot)
            give_slot(s);
        struct slot *t = take_slot(s);
        if (keep)
            memcpy(t->data - keep, tail, (size_t)keep);
        s->has_slot = true;
        s->slot_ahead = t->ahead ? (int)(t - s->slot) : -1;
        s->begin = t->data - keep;
        s->end = t->data + t->n;
    }
    *begin = s->begin;
    *end = s->end;
    if (s->end)
        memset(s->end, 0, 1 + SOURCE_PAD_BYTES);
    if (s->end - s->begin > before)
        return true;
    if (s->at_end && s->err.kind != ERR_NONE) {
        if (s->err.offset < 0)
            s->err.offset = s->bytes;
        *e = s->err;
        return false;
    }
    return false; /* only the last slot is empty */
}

int source_slot_ahead(const struct byte_source *s)
{
    return s->slot_ahead;
}

int64_t source_member_at(const struct byte_source *s)
{
    return s->member_at;
}

int64_t source_bytes(const struct byte_source *s)
{
    return s->bytes;
}

int64_t source_file_bytes(const struct byte_source *s)
{
    return s->file_bytes;
}

int64_t source_file_size(const struct byte_source *s)
{
    return s->file_size;
}

bool source_digest(struct byte_source *s, char hex[SHA256_HEX_BYTES])
{
    if (!s->at_end || !s->file_ended || s->err.kind != ERR_NONE)
        return false;
    sha256_hex(&s->sha, hex);
    return true;
}

void source_close(struct byte_source *s)
{
    if (s->thread_runs) {
        pthread_mutex_lock(&s->lock);
        s->stop = true;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
        pthread_join(s->thread, NULL);
    }
    if (s->form == FORM_GZIP)
        gunzip_stop(&s->gunzip);
    unzstd_stop(&s->unzstd);
    for (int i = 0; i < s->n_slots; i++)
        free(s->slot[i].data - HEAD_BYTES);
    free(s->file_buf);
    free(s->spill);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
    close(s->fd);
    free(s);
}

bool source_begins_with(const char *path, struct str bytes)
{
    struct byte_source *s;
    struct err e = {0};
    char *begin, *end;
    ptrdiff_t keep = 0;
    struct source_options o = {
        .one_thread = true, .no_digest = true, .window_bytes = SOURCE_HEAD_BYTES};
    if (!source_open(&s, path, o, &e))
        return false;
    while (source_next(s, keep, &begin, &end, &e) && end - begin < bytes.n)
        keep = end - begin;
    bool is = e.kind == ERR_NONE && end - begin >= bytes.n &&
              memcmp(begin, bytes.p, (size_t)bytes.n) == 0;
    source_close(s);
    return is;
}
