/* seen.h - what a name in a template stands for: a node of a tree, or a member of a
 * struct that is described (base/describe.h), which no tree was made of.
 *
 * context_lend (context.h) puts such structs into a tree. */
#ifndef RENDER_TEXT_SEEN_H
#define RENDER_TEXT_SEEN_H

#include "base/str.h"

#include <cjson/cJSON.h>

struct arena;
struct description;
struct field;

struct seen {
    const cJSON *node;           /* NULL: what follows */
    const struct description *d; /* of the struct `of`; NULL: `f`, or nothing */
    const struct field *f;       /* a member of `of` that is no struct */
    const void *of, *whole;      /* whole: for functions of fields */
};

/* A struct lent to an object: a child of it without a name. */
cJSON *seen_lent(const struct description *d, const void *of, const void *whole);

static inline struct seen seen_node(const cJSON *v)
{
    return (struct seen){.node = v};
}

/* Where the members of a name are in structs of one description: once it is found,
 * looking up is an addition. Another one, asked before, has none. It begins as {0}. */
enum { SEEN_HOPS = 4 };
struct seen_path {
    const struct description *in, *not_in;
    int16_t hops[SEEN_HOPS]; /* fields of `in`, of what that is, ...; the last has the
                                name */
};

bool seen_lends(const cJSON *object); /* whether a struct is lent to it */

/* Among the members of a node from one to another, which may be NULL. */
const cJSON *seen_among(const cJSON *from, const cJSON *end, struct str key);

/* A member of the structs lent to a node, or of a struct. False: there is none, and
 * *to stays as it was. */
bool seen_lent_member(const cJSON *object, struct str key, struct seen_path *p,
                      struct seen *to);
bool seen_struct_member(const struct seen *v, struct str key, struct seen_path *p,
                        struct seen *to);

/* A member of whatever it is. That of a word is true if it is the word's own name. */
struct seen seen_member(const struct seen *v, struct str key);

/* A missing name, null, false, NaN, an empty text or list. */
bool seen_is_false(const struct seen *v, struct arena tmp);

/* The items of a list of a struct; -1: it is something else. */
int seen_count(const struct seen *v);
struct seen seen_item(const struct seen *list, int k);

/* As a node, in `room` if it is none yet: a text is repaired, and lies in `tmp`. NULL:
 * there is nothing. What is a list has no value: an empty object; a struct is one of
 * its real numbers, for filters. */
const cJSON *seen_value(const struct seen *v, struct arena *tmp, cJSON *room);

#endif
