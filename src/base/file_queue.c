#include "base/file_queue.h"

#include "base/arena.h"
#include "base/write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WAITING_BYTES_MAX = 16 << 20 };

struct waiting {
    struct waiting *next;
    char *path, *buf;
    ptrdiff_t n;
    int64_t number; /* in the order handed over */
};

/* One for the process, as its writers share no other context. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t more, less;
    struct waiting *first, **end;
    int64_t n_put, failed_number;
    ptrdiff_t bytes; /* of what waits or is being written */
    bool closing;
    struct err failed;
    pthread_t threads[FILE_QUEUE_THREADS];
    int n_threads;
} q = {.lock = PTHREAD_MUTEX_INITIALIZER,
       .more = PTHREAD_COND_INITIALIZER,
       .less = PTHREAD_COND_INITIALIZER};
static atomic_bool runs;

/* errno of what failed, or 0. */
static int write_file(const struct waiting *w)
{
    int fd = open(w->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return errno;
    int why = write_all(fd, (struct str){w->buf, w->n});
    return close(fd) != 0 && !why ? errno : why;
}

static struct waiting *take(void)
{
    pthread_mutex_lock(&q.lock);
    while (!q.first && !q.closing)
        pthread_cond_wait(&q.more, &q.lock);
    struct waiting *w = q.first;
    if (w && !(q.first = w->next))
        q.end = &q.first;
    pthread_mutex_unlock(&q.lock);
    return w;
}

static void done_with(struct waiting *w, int why)
{
    pthread_mutex_lock(&q.lock);
    if (why && (q.failed.kind == ERR_NONE || w->number < q.failed_number)) {
        q.failed = (struct err){0};
        q.failed_number = w->number;
        (void)!err_set(&q.failed, ERR_OUTPUT, w->path, -1, "cannot be written: %s",
                       strerror(why));
    }
    q.bytes -= w->n;
    pthread_cond_broadcast(&q.less);
    pthread_mutex_unlock(&q.lock);
    free(w->buf);
    free(w->path);
    free(w);
}

static void *write_files(void *unused)
{
    for (struct waiting *w; (w = take());)
        done_with(w, write_file(w));
    return unused;
}

void file_queue_start(void)
{
    q.end = &q.first;
    q.closing = false;
    q.failed = (struct err){0};
    while (q.n_threads < FILE_QUEUE_THREADS &&
           pthread_create(&q.threads[q.n_threads], NULL, write_files, NULL) == 0)
        q.n_threads++;
    runs = q.n_threads > 0;
}

bool file_queue_runs(void)
{
    return runs;
}

void file_queue_put(const char *path, char *buf, ptrdiff_t n)
{
    struct waiting *w = malloc(sizeof *w);
    char *copy = strdup(path);
    if (!w || !copy)
        arena_full();
    pthread_mutex_lock(&q.lock);
    while (q.bytes > WAITING_BYTES_MAX)
        pthread_cond_wait(&q.less, &q.lock);
    *w = (struct waiting){.path = copy, .buf = buf, .n = n, .number = q.n_put++};
    q.bytes += n;
    *q.end = w;
    q.end = &w->next;
    pthread_cond_signal(&q.more);
    pthread_mutex_unlock(&q.lock);
}

bool file_queue_finish(struct err *e)
{
    if (!runs)
        return true;
    pthread_mutex_lock(&q.lock);
    q.closing = true;
    pthread_cond_broadcast(&q.more);
    pthread_mutex_unlock(&q.lock);
    while (q.n_threads > 0)
        pthread_join(q.threads[--q.n_threads], NULL);
    runs = false;
    if (q.failed.kind != ERR_NONE && e && e->kind == ERR_NONE)
        *e = q.failed;
    return q.failed.kind == ERR_NONE;
}
