/* sqlite_source.h - events from tables of an SQLite file, one table after the other.
 *
 * What formats in SQLite share: each is a list of tables, and for each a function that
 * makes an event of a row. Texts that rows name by number are held in memory. */
#ifndef FORMATS_SQLITE_SOURCE_H
#define FORMATS_SQLITE_SOURCE_H

#include "base/arena.h"
#include "base/int_map.h"
#include "base/out.h"
#include "formats/sqlite_file.h"

struct sqlite_source;

struct sqlite_feed {
    const char *table;   /* or what its name begins with, before "_" and a uuid */
    const char *columns; /* of sqlite_select */
    const char *where;   /* its parameter is the part that is read; NULL: all rows */
    /* Fills ev, which is cleared; false: the row is no event. */
    bool (*row)(struct sqlite_source *s, struct sqlite3_stmt *rows, struct event *ev);
};

enum { SQLITE_VALUES = 6 };

/* Rows of a table by their number, which stands before the `width` values of each; the
 * last of equal ones counts. Most tables have them in rising order; those that fall out
 * of it are in `later`. */
struct sqlite_rows {
    int64_t *value;
    int32_t n, n_rising;
    int width;
    struct int_map later;
};

struct sqlite_texts {
    struct sqlite_rows rows; /* no values */
    struct str *text;
};

/* A process whose device work a file holds, as one trace of its own. */
struct sqlite_part {
    int64_t id; /* as tables name it */
    int64_t process, device;
};

enum { SQLITE_PARTS_MOST = 4096 };

struct sqlite_source {
    struct sqlite_file file;
    struct trace_file from; /* its fd is the file's */
    const struct sqlite_feed *feeds;
    int n_feeds, feed;
    struct sqlite3_stmt *rows;
    struct arena perm;
    char *perm_start;
    struct sqlite_texts texts;
    struct sqlite_part *parts;    /* in the order of ranks; at least one */
    int n_parts, part, last_part; /* last: added to */
    int32_t uid;
    struct event event;
    struct last_digits {
        int64_t number;
        int n; /* 0: none yet */
        char text[28];
    } pid, tid;
    struct out name, rest; /* of the event */
    struct machine machine;
    void *own; /* the format's */
};

/* A source of a file, with nothing but texts, or a failure; takes f->fd. */
MUST_CHECK bool sqlite_source_open(struct sqlite_source **out, const char *path,
                                   const struct trace_file *f, struct err *e);

/* Reads a table of texts by number, "id value"; false on an error. A table that is not
 * there has no rows. */
MUST_CHECK bool sqlite_texts_read(struct sqlite_source *s, struct sqlite_texts *to,
                                  const char *table, const char *columns,
                                  struct err *e);
struct str sqlite_text_of(const struct sqlite_texts *texts, int64_t id);
void sqlite_text_add(struct sqlite_source *s, struct sqlite_texts *to, int64_t id,
                     struct str text);

/* The same with numbers: that of the row, then `n` values. */
MUST_CHECK bool sqlite_rows_read(struct sqlite_source *s, struct sqlite_rows *to,
                                 const char *table, const char *columns, int n,
                                 struct err *e);
/* A row whose values are to be set before another is added. */
int64_t *sqlite_row_add(struct sqlite_source *s, struct sqlite_rows *rows, int64_t id);
int32_t sqlite_row_at(const struct sqlite_rows *rows, int64_t id);        /* or -1 */
const int64_t *sqlite_row_of(const struct sqlite_rows *rows, int64_t id); /* or NULL */
int64_t sqlite_value_of(const struct sqlite_rows *rows, int64_t id); /* first; NO_ID */

/* Rows of a table that may have a uuid behind its name; NULL: it is not there. */
struct sqlite3_stmt *sqlite_rows_of(struct sqlite_source *s, const char *table,
                                    const char *columns, struct err *e);

/* There is device work of this process on this device. */
void sqlite_part_add(struct sqlite_source *s, int64_t id, int64_t process,
                     int64_t device);

/* The parts in the order of devices, then processes, and the one that is asked for:
 * "rank=1", or NULL for the first. False if there is none such. */
MUST_CHECK bool sqlite_part_choose(struct sqlite_source *s, const char *asked,
                                   struct err *e);

/* An event of this length; one that ends before it begins has a negative one. */
void sqlite_span(struct event *ev, int64_t start_ns, int64_t end_ns);
void sqlite_lane(struct sqlite_source *s, struct event *ev, int64_t pid, int64_t tid);

/* Whether a row is of the part that is read: by its process, if that is known. */
bool sqlite_is_of_part(const struct sqlite_source *s, int64_t process, int64_t device);

/* Grid and block of a kernel, as Kineto has them: six numbers; NULL: not recorded. */
void sqlite_put_grid(struct sqlite_source *s, struct event *ev, const int64_t *grid);

/* A sample of a counter of a device, which is its process. False: it is no number. */
bool sqlite_counter(struct sqlite_source *s, struct event *ev, int64_t at_ns,
                    int64_t device, struct str name, struct str number);

/* The list of tables makes a source of events of it; arguments are JSON. */
struct event_source sqlite_source_events(struct sqlite_source *s,
                                         const struct sqlite_feed *feeds, int n,
                                         const struct source_abilities *abilities);
void sqlite_source_close(struct sqlite_source *s);

#endif
