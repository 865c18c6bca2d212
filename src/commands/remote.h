/* remote.h - a trace on another machine, streamed through ssh.
 *
 * Nothing is installed or written there: the remote side runs `cat`, in a container
 * through `docker exec`. Names are quoted for the remote shell and never pass through a
 * local one. */
#ifndef REMOTE_H
#define REMOTE_H

#include "base/arena.h"
#include "base/err.h"

#include <sys/types.h>

struct remote {
    pid_t pid;
    int fd; /* the bytes of the file; owned by who reads them */
};

/* Whether ssh and docker would read these as names, not options. `container` may be
 * NULL. */
MUST_CHECK bool remote_check(const char *node, const char *container, struct err *e);

MUST_CHECK bool remote_open(struct remote *r, struct arena *perm, const char *node,
                            const char *container, const char *path, struct err *e);

/* Waits for ssh. False if it failed, or if `e` already held an error. */
MUST_CHECK bool remote_close(struct remote *r, const char *node, const char *path,
                             struct err *e);

/* The command that the remote shell runs. */
const char *remote_command(struct arena *perm, const char *container, const char *path);

#endif
