#include "base/beside.h"

static bool forbidden;

void beside_forbid(void)
{
    forbidden = true;
}

static void *run(void *arg)
{
    struct beside *b = arg;
    b->work(b->context);
    return NULL;
}

void beside_start(struct beside *b, bool own_thread, void (*work)(void *context),
                  void *context)
{
    *b = (struct beside){.work = work, .context = context};
    b->runs = own_thread && !forbidden && pthread_create(&b->thread, NULL, run, b) == 0;
    if (!b->runs)
        work(context);
}

void beside_join(struct beside *b)
{
    if (b->runs)
        pthread_join(b->thread, NULL);
    b->runs = false;
}
