/* capture_file.h - writes capture.json.gz: one capture as a line of JSON, compressed.
 *
 * Keys are sorted, times count from the start of the window, texts are places in one
 * list, and columns in which all is 0 are left out. The same capture gives the same
 * bytes. Read by capture/capture_read.h; the schema is
 * assets/schemas/capture.schema.json. */
#ifndef EXPORT_CAPTURE_FILE_H
#define EXPORT_CAPTURE_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "capture/capture.h"

struct out;

enum { CAPTURE_BYTES_MAX = 1 << 20 };

/* The line, uncompressed, with its newline. */
void capture_line(struct out *o, const struct capture *c);

/* At most CAPTURE_BYTES_MAX as a gzip member: of a capture that is larger, the events
 * of ever fewer steps, and of none if it has none; then of the operators the 600 with
 * most time, and a row for the others of each category. Parts and sums stay those of
 * all. */
MUST_CHECK bool capture_write(const struct capture *c, const char *path,
                              struct arena tmp, struct err *e);

/* The same beside the target, then in its place: a reader sees a whole file or none. */
MUST_CHECK bool capture_place(const struct capture *c, const char *path,
                              struct arena tmp, struct err *e);

#endif
