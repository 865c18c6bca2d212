#include "base/memory_limit.h"

#include "base/arena.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int64_t most_bytes;

/* What the process has touched and no file backs; -1: not known. */
static int64_t own_bytes(int statm)
{
    char text[128];
    long long all, resident, shared;
    ssize_t n = pread(statm, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    if (sscanf(text, "%lld %lld %lld", &all, &resident, &shared) != 3)
        return -1;
    return (resident - shared) * sysconf(_SC_PAGESIZE);
}

static void *watch(void *unused)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    while (statm >= 0 && own_bytes(statm) <= most_bytes)
        nanosleep(&pause, NULL);
    if (statm >= 0)
        arena_over_limit();
    return unused;
}

void memory_limit_start(int64_t bytes)
{
    pthread_t thread;
    most_bytes = bytes;
    if (pthread_create(&thread, NULL, watch, NULL) == 0)
        pthread_detach(thread);
}
