/* beside.h - run work on its own thread, or at once if only one thread is allowed.
 *
 * The work owns what it writes and shares only what nobody writes, so the result does
 * not depend on when it runs. */
#ifndef BASE_BESIDE_H
#define BASE_BESIDE_H

#include <pthread.h>
#include <stdbool.h>

struct beside {
    void (*work)(void *context);
    void *context;
    pthread_t thread;
    bool runs;
};

/* For the whole program, before any work: from now on beside_start creates no thread.
 */
void beside_forbid(void);

/* Starts `work`; without `own_thread`, or if no thread can be created, runs it now. `b`
 * must not move until beside_join. */
void beside_start(struct beside *b, bool own_thread, void (*work)(void *context),
                  void *context);

/* Waits until the work is done, if any was started. */
void beside_join(struct beside *b);

#endif
