/* value_pool.h - recorded arguments, each decoded once, when first needed.
 *
 * Knows how to decode, and that equal texts are equal values and describe equal
 * collectives. Safe to call from any
 * thread. Owns its values until values_close. */
#ifndef STORE_VALUE_POOL_H
#define STORE_VALUE_POOL_H

#include "base/name_pool.h"
#include "base/value.h"
#include "trace/collective.h"

struct value_pool; /* NULL: nothing was recorded */

typedef const struct value *value_decode(struct arena *perm, struct str recorded);

/* Of the texts that `names` holds now. The names live longer. */
struct value_pool *values_open(const struct name_pool *names, value_decode *decode);
void values_close(struct value_pool *p);

/* The value of a text; NULL for -1. */
const struct value *values_get(struct value_pool *p, name_id id);

/* The same, decoded into `a` for the caller alone. */
const struct value *values_apart(const struct value_pool *p, name_id id,
                                 struct arena *a);

/* What the value of a text says of a collective, by the one `read` of the pool, which
 * may be NULL. Of most texts that is nothing. Never NULL. */
const struct collective *values_collective(struct value_pool *p, name_id id,
                                           collective_read *read);

#endif
