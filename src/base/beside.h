/* beside.h - work on a thread of its own, or at once where one thread was asked for.
 *
 * The work owns what it writes and shares what is only read, so when it is done does
 * not change what it does. */
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

/* Start `work`; without `own_thread`, and where no thread can be had, do it now. `b`
 * must stay where it is until beside_join. */
void beside_start(struct beside *b, bool own_thread, void (*work)(void *context),
                  void *context);

/* Wait until it is done; nothing to wait for is fine. */
void beside_join(struct beside *b);

#endif
