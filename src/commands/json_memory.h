/* json_memory.h - gives cJSON the allocator of small blocks. */
#ifndef JSON_MEMORY_H
#define JSON_MEMORY_H

/* For the rest of the program; call before its first use. */
void json_memory_install(void);

#endif
