/* kineto_collective.h - the members of args in which PyTorch describes a collective, of
 * a kernel or of the operator that launched it. */
#ifndef TRACE_KINETO_COLLECTIVE_H
#define TRACE_KINETO_COLLECTIVE_H

#include "trace/collective.h"

#include <stddef.h>

collective_read kineto_collective;

enum { KINETO_COLLECTIVE_TERMS = 15 };
extern const struct kineto_collective_term {
    const char *key;
    bool is_text; /* a struct str, else an int64_t */
    size_t at;    /* offset in struct collective */
} kineto_collective_terms[KINETO_COLLECTIVE_TERMS];

#endif
