/* described_json.h - a described struct (base/describe.h) as a cJSON tree.
 *
 * Times in ms have 3 decimals, other real numbers 2, unless they are EXACT. What is not
 * known is null. */
#ifndef EXPORT_DESCRIBED_JSON_H
#define EXPORT_DESCRIBED_JSON_H

#include "base/arena.h"
#include "base/describe.h"

struct cJSON;

/* How a file of other names calls a member; NULL: it leaves it out, "": it has what is
 * in it as its own. Members that are not listed keep their names. */
struct json_name {
    const char *name, *as;
};

struct json_walk {
    const void *whole;             /* for functions of fields */
    const struct json_name *names; /* ends with {0}; NULL: all keep theirs */
    struct arena *tmp;             /* given back; NULL: no function needs any */
    struct str (*text)(struct arena *tmp, struct str v); /* of each; NULL: as it is */
};

struct cJSON *described_json(const struct description *d, const void *of,
                             const struct json_walk *w);

/* A document: what is described is the whole. */
struct cJSON *document_json(const struct description *d, const void *of,
                            struct arena tmp);

/* Adds the members to an object, in the order of the description. */
struct cJSON *json_put_described(struct cJSON *o, const struct description *d,
                                 const void *of, const struct json_walk *w);

#endif
