/* capture_read.h - capture files: their lines, and a capture from each.
 *
 * Checks what it reads: rows name rows and texts that are there, times fit together, so
 * that whoever uses the capture need not. Unknown keys are skipped. */
#ifndef CAPTURE_CAPTURE_READ_H
#define CAPTURE_CAPTURE_READ_H

#include "base/err.h"
#include "base/out.h"
#include "capture/capture.h"

struct arena;
struct byte_source;

enum capture_wanted {
    CAPTURE_ALL,
    CAPTURE_RANKS_ONLY /* no events, gaps or findings, and operators only if there are
                          no collectives: for jobs */
};

/* `line` as of capture_lines_next, and `file`, which errors name, must live as long as
 * the capture. */
MUST_CHECK bool capture_read(struct arena *perm, struct str line,
                             enum capture_wanted wanted, const char *file,
                             struct capture *c, struct err *e);

/* Capture files, a capture a line.
 *
 * A file holds one capture, or several that were joined: gzip members and lines join by
 * `cat`. Plain text is fine too. */

/* How the line of a capture begins. */
#define CAPTURE_FIRST_BYTES "{\"_format\":\"tracefolio capture\""

struct capture_lines {
    struct byte_source *source;
    const char *file;
    struct out line;
    char *rest, *rest_end; /* of the window, behind the line */
    char *window;          /* its beginning, and where in the file the member of gzip */
    int64_t member_at;     /* begins that it begins with; -1 */
    int64_t line_at; /* the same of the line: capture_lines_open_at finds it; -1 */
    int64_t bytes;   /* unpacked so far */
};

/* Whether a file begins as a capture does; false also if it cannot be read. */
bool capture_is_file(const char *path);

/* `path` is lent until capture_lines_close. */
MUST_CHECK bool capture_lines_open(struct capture_lines *l, const char *path,
                                   struct err *e);

/* The same from a line that was read before, by its line_at. */
MUST_CHECK bool capture_lines_open_at(struct capture_lines *l, const char *path,
                                      int64_t line_at, struct err *e);

/* The next line, with a NUL behind it, lent until the next call; empty lines are
 * skipped. False at the end of the file and on an error, which sets e. */
bool capture_lines_next(struct capture_lines *l, struct str *line, struct err *e);
void capture_lines_close(struct capture_lines *l);

#endif
