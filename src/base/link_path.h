/* link_path.h - paths of files as links have them. */
#ifndef BASE_LINK_PATH_H
#define BASE_LINK_PATH_H

#include "base/str.h"

struct arena;

/* Each byte that is not a letter, a digit or one of /-._~ as %XX (RFC 3986, 2.1). */
struct str link_encoded(struct arena *perm, struct str path);

/* From a folder to a file or folder, both absolute and without "." and "..":
 * "../logs/tl_out". Of one folder to itself: ".". Not encoded. */
struct str link_between(struct arena *perm, struct str from, struct str to);

#endif
