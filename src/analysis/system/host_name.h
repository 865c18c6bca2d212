/* host_name.h - names of host events without what changes from call to call.
 *
 * "src/prep.py(368): preprocess" is preprocess at prep.py:368; addresses, step numbers,
 * the numbers of modules and the hashes of compiled code go. Texts are in the arena. */
#ifndef ANALYSIS_SYSTEM_HOST_NAME_H
#define ANALYSIS_SYSTEM_HOST_NAME_H

#include "base/str.h"

struct host_name {
    struct str name;  /* "preprocess", "aten::mm", "BertLayer" */
    struct str place; /* "prep.py:368"; empty for what is not a frame of a file */
};

struct host_name host_name_of(struct arena *a, struct str event_name);

/* "`preprocess` (prep.py:368)", or the name alone. */
struct str host_name_text(struct arena *a, struct str name, struct str place);

/* Equal for events that are one in a table: name and file, without line. */
uint64_t host_name_key(struct arena tmp, struct str event_name);

#endif
