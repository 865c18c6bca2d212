/* described.h - declares descriptions of structs, which are made with describe.h.
 *
 * For headers: they need not know its short macros. */
#ifndef BASE_DESCRIBED_H
#define BASE_DESCRIBED_H

struct description;

#define DESCRIBED(type) DESCRIBED_AS(type, type)
#define DESCRIBED_AS(name, type)                                                       \
    typedef struct type name##_described;                                              \
    const struct description *name##_fields(void)

#endif
