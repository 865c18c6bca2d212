/* json_memory.h - where the nodes and texts of cJSON trees live.
 *
 * A site is some 10^5 nodes that come and go page by page. The allocator of the C
 * library joins what is freed and parts it again; here a block goes to others of its
 * size and back: a thirtieth of the time of a whole run. */
#ifndef BASE_JSON_MEMORY_H
#define BASE_JSON_MEMORY_H

#include <stddef.h>

/* Have cJSON take its memory here, for the rest of the program; before its first use.
 * Does nothing where a sanitizer watches memory, which knows only malloc. */
void json_memory_install(void);

/* What cJSON calls. A block is aligned as malloc aligns; any thread may free it, for
 * itself. Memory that is out ends the program. */
void *json_memory_take(size_t bytes);
void json_memory_free(void *p);

#endif
