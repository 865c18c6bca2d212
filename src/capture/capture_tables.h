/* capture_tables.h - what a capture file holds of a capture, and under which keys.
 *
 * The writer and the reader go by the same descriptions. A list of structs is a table,
 * of a column for each member; what a table or the file holds besides is in neither. */
#ifndef CAPTURE_CAPTURE_TABLES_H
#define CAPTURE_CAPTURE_TABLES_H

#include "base/describe.h"
#include "capture/capture.h"

enum { CAPTURE_VERSION = 1, CAPTURE_COLUMNS_MAX = 32 };

/* Sorted by key, as all that it refers to. */
DESCRIBED_AS(capture_file, capture);

/* Whether a name is one of these words. */
static inline bool capture_among(const struct field *f, const char *words)
{
    return str_among(str_of(f->name), words);
}

/* The name of a part in the file. */
struct str capture_part_name(int part);

#endif
