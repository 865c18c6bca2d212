/* packed_args.h - arguments of calls that wait for their end: one row after the other,
 * each of the members that it has, in as few bytes as its numbers need.
 *
 * A row is read once, in the order in which they were added. It takes 88 bytes
 * unpacked, and less than a third of that packed: of some million calls, touching the
 * memory is what takes time. */
#ifndef FORMATS_PACKED_ARGS_H
#define FORMATS_PACKED_ARGS_H

#include "formats/perfetto_args.h"

struct packed_args {
    unsigned char *bytes;
    ptrdiff_t n, max;
    ptrdiff_t read;
};

void packed_args_add(struct packed_args *p, const struct arg_row *row);

/* The next row, of as many as were added. */
struct arg_row packed_args_next(struct packed_args *p);

/* What was read is needed no more. */
void packed_args_forget(struct packed_args *p);
void packed_args_close(struct packed_args *p);

#endif
