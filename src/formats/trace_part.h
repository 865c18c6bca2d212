/* trace_part.h - files that hold the traces of several processes: FILE:rank=1. */
#ifndef FORMATS_TRACE_PART_H
#define FORMATS_TRACE_PART_H

#include "base/str.h"

enum { PART_PATH_MAX = 4096 };

struct part_path {
    char file[PART_PATH_MAX];
    const char
        *part; /* "rank=1", inside the path that was given; NULL: none is named */
};

/* What the user typed; a file that is there under the whole name is that file. */
bool part_path_of(struct part_path *p, const char *path);

#endif
