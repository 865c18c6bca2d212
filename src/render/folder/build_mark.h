/* build_mark.h - the mark in a folder that is being written or removed, and what runs
 * that were killed leave behind. */
#ifndef RENDER_FOLDER_BUILD_MARK_H
#define RENDER_FOLDER_BUILD_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#define BUILD_MARK_TEXT "# tracefolio is writing here; may be removed if it is not\n"

/* Seconds after which a lock that other machines do not see counts no more; a variable,
 * so that a test can simulate an hour that has passed. */
extern time_t build_stale_s;

/* The mark of a folder that is being written, or removed; locked while we run. A last
 * line names this boot if the lock holds. Written at once: a killed run leaves all of
 * it or an empty file. */
int build_mark_make(int fd);

/* A leftover is ours if it has the mark of a run that no process locks any more, or if
 * all in it is ours and it has our target's name. Unless the lock is reliable, it must
 * also be old: on a network share, other machines do not see a lock. */
bool build_is_leftover(int parent_fd, const char *name, bool of_target);

/* What in the open folder we did not write, into `name`; empty: nothing. */
void build_foreign(int fd, char *name, size_t bytes);

#endif
