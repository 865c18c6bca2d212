/* capture_lines.h - capture files, a capture a line.
 *
 * A file holds one capture, or several that were joined: gzip members and lines join by
 * `cat`. Plain text is fine too. */
#ifndef CAPTURE_CAPTURE_LINES_H
#define CAPTURE_CAPTURE_LINES_H

#include "base/out.h"

struct byte_source;

/* How the line of a capture begins. */
#define CAPTURE_FIRST_BYTES "{\"_format\":\"tracefolio capture\""

struct capture_lines {
    struct byte_source *source;
    const char *file;
    struct out line;
    char *rest, *rest_end; /* of the window, behind the line */
};

/* Whether a file begins as a capture does; false also if it cannot be read. */
bool capture_is_file(const char *path);

/* `path` is lent until capture_lines_close. */
MUST_CHECK bool capture_lines_open(struct capture_lines *l, const char *path,
                                   struct err *e);

/* The next line, with a NUL behind it, lent until the next call; empty lines are
 * skipped. False at the end of the file and on an error, which sets e. */
bool capture_lines_next(struct capture_lines *l, struct str *line, struct err *e);
void capture_lines_close(struct capture_lines *l);

#endif
