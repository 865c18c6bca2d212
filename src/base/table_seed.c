#include "base/table_seed.h"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

uint64_t table_seed = 0x9e3779b97f4a7c15u;

/* Before main, so that no thread is there yet. */
__attribute__((constructor)) static void draw_seed(void)
{
    uint64_t noise;
    struct timespec now;
    if (getrandom(&noise, sizeof noise, GRND_NONBLOCK) != sizeof noise) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        noise = hash_fold((uint64_t)now.tv_nsec ^ table_seed,
                          (uint64_t)getpid() ^ (uint64_t)(uintptr_t)&now);
    }
    table_seed = noise | 1;
}
