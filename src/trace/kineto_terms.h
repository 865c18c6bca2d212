/* kineto_terms.h - the words of PyTorch's records: categories, and members of args.
 *
 * They are the same in every file that its exporters write, JSON or not, and other
 * profilers use some of them. */
#ifndef TRACE_KINETO_TERMS_H
#define TRACE_KINETO_TERMS_H

#include "trace/event.h"

/* "cpu_op", "kernel", "privateuse1_driver" ... CAT_OTHER: unknown. */
enum event_cat kineto_cat(struct str text);

enum arg_kind {
    ARG_REST,  /* distinguishes calls: kept as recorded */
    ARG_NOISE, /* of no use, and different from event to event */
    ARG_INT,
    ARG_TEXT, /* any value, as raw JSON */
    ARG_LABEL,
    ARG_STACK,
    ARG_TASK /* only tasks of an Ascend device have it */
};

extern const struct kineto_arg {
    struct str key;
    enum arg_kind kind;
    size_t at; /* offset in struct event_args */
} kineto_args[];

/* The index of a key, or 0, which is any other key. */
int kineto_arg_of(struct str key);

/* What Kineto calls a copy, "Memcpy HtoD (Pageable -> Device)", of its direction "HtoD"
 * and kinds of memory "pageable"; lasts for ever. Empty: no such direction. */
struct str kineto_copy_name(struct str way, struct str from, struct str to);

/* Whether what has no member of its own distinguishes calls of this category. */
static inline bool kineto_keeps(enum event_cat cat)
{
    return cat == CAT_CPU_OP || cat == CAT_KERNEL || cat == CAT_MEMCPY ||
           cat == CAT_MEMSET;
}

#endif
