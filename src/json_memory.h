/* json_memory.h - the allocator for nodes and strings of cJSON trees.
 *
 * A site makes and frees some 10^5 nodes, page by page. The C library merges freed
 * blocks and splits them again; here a freed block stays in a list of its size. Without
 * it a whole run takes 2.5 % more instructions for a trace of 62 MB, 2.9 % for 2.6 MB.
 */
#ifndef JSON_MEMORY_H
#define JSON_MEMORY_H

#include <stddef.h>

/* Makes cJSON allocate here for the rest of the program; call before its first use.
 * Does nothing under a sanitizer, which watches only malloc. */
void json_memory_install(void);

/* The functions cJSON calls. Blocks are aligned as malloc's are; any thread may free a
 * block and then reuses it. Running out of memory ends the program. */
void *json_memory_take(size_t bytes);
void json_memory_free(void *p);

#endif
