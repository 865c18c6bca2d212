/* memory_limit.h - what a run may take of memory at most, by --max-memory. */
#ifndef BASE_MEMORY_LIMIT_H
#define BASE_MEMORY_LIMIT_H

#include <stdint.h>

/* From here on the program ends like one that is out of memory, with its own line, when
 * it takes more. Looked at every few milliseconds, by a thread of its own. */
void memory_limit_start(int64_t bytes);

#endif
