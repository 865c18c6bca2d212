/* source_place.h - where the code of a Python frame is in a checkout.
 *
 * A trace names files as the machine that ran them knew them: absolute, of which the
 * store keeps the part behind ".../" (store/path_redact.h), or relative to a folder of
 * sys.path. */
#ifndef CI_SOURCE_PLACE_H
#define CI_SOURCE_PLACE_H

#include "base/arena.h"
#include "base/str.h"

struct source_place {
    struct str uri;  /* "src/my%20model.py": relative to the checkout, encoded */
    struct str path; /* the same, as it is */
    int64_t line;    /* from 1 */
};

/* Of "models/vit.py(210): forward". A relative path has to be there as it is; of an
 * absolute one the longest end that is. False: no frame, no such file, a file of an
 * installed library, or a longer path than a file can have. */
bool source_place_find(struct arena *perm, const char *root, struct str frame,
                       struct source_place *p);

#endif
