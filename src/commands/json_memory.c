#include "commands/json_memory.h"

#include "base/small_blocks.h"

#include <cjson/cJSON.h>

void json_memory_install(void)
{
#ifdef SMALL_BLOCKS
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = small_take, .free_fn = small_free});
#endif
}
