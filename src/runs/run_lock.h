/* run_lock.h - one writer of a root at a time, on any shared file system.
 *
 * A file that is created exclusively: neither fcntl locks nor hard links are asked of
 * the share. It says who holds it. A lock is taken over at once if its holder was a
 * process of this machine that is gone, and otherwise if its date is LOCK_STALE_S off
 * the clock of the share, either way, which the times of two of its files give. What
 * has its name and is not a plain file is waited for and never removed. */
#ifndef RUNS_RUN_LOCK_H
#define RUNS_RUN_LOCK_H

#include <stdbool.h>

#define RUN_LOCK_NAME ".tracefolio-lock"

enum { LOCK_STALE_S = 600, LOCK_TEXT_BYTES = 256 };

struct run_lock {
    int root_fd;
    char text[LOCK_TEXT_BYTES]; /* ours; nobody else's is the same */
};

/* False after wait_s in which others held it. */
bool run_lock_take(struct run_lock *l, int root_fd, int wait_s);

/* Removes it if it is still ours. */
void run_lock_drop(struct run_lock *l);

#endif
