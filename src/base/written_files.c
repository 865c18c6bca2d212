#include "base/written_files.h"

#include "base/arena.h"
#include "base/plain_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUCKETS = 1 << 10 }; /* two pages of memory; most runs write a hundred files */

struct entry {
    struct entry *next;
    struct written_file file;
    char path[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *buckets[BUCKETS];
static atomic_bool runs;

static struct entry **bucket_of(const char *path)
{
    return &buckets[str_hash(str_of(path)) % BUCKETS];
}

static struct entry *entry_of(const char *path)
{
    struct entry *k = *bucket_of(path);
    while (k && strcmp(k->path, path) != 0)
        k = k->next;
    return k;
}

void written_files_end(void)
{
    runs = false;
    pthread_mutex_lock(&lock);
    for (int b = 0; b < BUCKETS; b++)
        for (struct entry *k; (k = buckets[b]); free(k))
            buckets[b] = k->next;
    pthread_mutex_unlock(&lock);
}

void written_files_start(void)
{
    written_files_end();
    runs = true;
}

bool written_files_run(void)
{
    return runs;
}

void written_files_add(const char *path, struct written_file f)
{
    pthread_mutex_lock(&lock);
    struct entry *k = entry_of(path), **bucket = bucket_of(path);
    if (!k) {
        size_t n = strlen(path) + 1;
        k = malloc(sizeof *k + n);
        if (!k)
            arena_full();
        memcpy(k->path, path, n);
        k->next = *bucket;
        *bucket = k;
    }
    k->file = f;
    pthread_mutex_unlock(&lock);
}

void written_files_read(const char *path)
{
    struct written_file f;
    int fd = runs ? plain_open_at(AT_FDCWD, path) : -1;
    if (fd < 0)
        return;
    if (sha256_file(fd, f.sha256, &f.bytes))
        written_files_add(path, f);
    close(fd);
}

bool written_files_find(const char *path, struct written_file *f)
{
    pthread_mutex_lock(&lock);
    const struct entry *k = entry_of(path);
    if (k)
        *f = k->file;
    pthread_mutex_unlock(&lock);
    return k;
}
