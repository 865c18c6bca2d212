/* plain_file.h - opens what others can write: a plain file, or nothing.
 *
 * A pipe would hold its reader until somebody writes, and a device never ends. Every
 * read of what others may have put there goes through here
 * (.ci/gates.py).
 *
 * Both return a descriptor, or -1 with errno; plain_why says it in words. */
#ifndef BASE_PLAIN_FILE_H
#define BASE_PLAIN_FILE_H

/* A file of an open folder (or AT_FDCWD); never through a link. */
int plain_open_at(int folder_fd, const char *name);

/* A file that the user names, which may be a link. What a process has open itself, as
 * /dev/fd/63 of a shell's <(...), may be a pipe: the user filled it. */
int plain_open(const char *path);

const char *plain_why(int why);

#endif
