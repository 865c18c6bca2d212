/* file_digest.h - the SHA-256 of the input, made beside the reading.
 *
 * A thread of its own reads the file a second time (from memory, as a rule), because
 * the thread that inflates is the one everybody waits for. Standard input cannot be
 * read twice and has no digest. */
#ifndef TRACE_FILE_DIGEST_H
#define TRACE_FILE_DIGEST_H

#include <pthread.h>
#include <stdbool.h>

struct file_digest {
    const char *path;
    pthread_t thread;
    bool runs, whole;
    char hex[65]; /* empty: not known */
};

/* `d` must stay where it is until digest_join. */
void digest_start(struct file_digest *d, const char *path);

/* Wait; afterwards hex is whole, or empty when the file could not be read. */
void digest_join(struct file_digest *d);

#endif
