/* Two threads add to one number without a lock: what ThreadSanitizer has to report, so
 * that its silence about the program means something. */
#include "base/beside.h"

#include <stdio.h>

static long count;

static void add(void *context)
{
    (void)context;
    for (int i = 0; i < 100000; i++)
        count++;
}

int main(void)
{
    struct beside other;
    beside_start(&other, true, add, NULL);
    add(NULL);
    beside_join(&other);
    printf("%ld\n", count);
    return 0;
}
