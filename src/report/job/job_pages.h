/* job_pages.h - what each page of a job shows and says; nobody else's. Each function
 * adds figures and tables, and returns what the words of its page are made of. */
#ifndef REPORT_JOB_JOB_PAGES_H
#define REPORT_JOB_JOB_PAGES_H

#include "base/arena.h"
#include "base/describe.h"
#include "report/job/job_shown.h"

/* Waiting for another rank stands out from moving data, which is hatched as all
 * communication is. */
#define SLOT_WAITS SLOT_RUNTIME

struct job_maker {
    struct arena *perm, tmp;
    const struct job *j;
    const struct job_report *r;
    struct job_document *d;
    int rows_max; /* of tables; 0: JOB_TABLE_ROWS */
};

/* What has this name; added if nothing has. Valid until the next is added. */
struct job_shown *job_shown_at(struct arena *perm, struct job_document *d,
                               struct str name);

void job_figure(struct job_maker *m, const char *name, struct report_figure f);

/* A column: its title, with '#' before that of numbers, and what its cells hold. Times
 * in ns are shown in ms. */
struct told_column {
    const char *title;
    struct field of;
    int decimals;      /* of real numbers */
    struct field link; /* a text: the page that a cell leads to */
};

struct told_columns {
    const struct told_column *all;
    int n;
};

/* Defines a function that tells the columns of a table with rows of struct `type`. */
#define COLUMNS(name, type, ...)                                                       \
    static struct told_columns name(void)                                              \
    {                                                                                  \
        typedef struct type self;                                                      \
        static const struct told_column all[] = {__VA_ARGS__};                         \
        (void)sizeof(self);                                                            \
        return (struct told_columns){all, sizeof all / sizeof *all};                   \
    }                                                                                  \
    static struct told_columns name(void) /* for the semicolon behind it */

/* `whole` is for functions of fields. `more`: further columns, for the caller. */
struct job_table *job_table(struct job_maker *m, struct str name, const char *csv,
                            struct told_columns columns, struct field_items rows,
                            const void *whole, int more);

/* One that is filled by the cell. */
struct job_table *job_table_sized(struct arena *perm, int64_t rows, int rows_max,
                                  int n_columns, struct str csv);

/* n items of an array. */
#define ITEMS(array, count)                                                            \
    ((struct field_items){.first = (const void *)(array),                              \
                          .n = (int)(count),                                           \
                          .bytes = (ptrdiff_t)sizeof *(array)})

/* All but the k-th. */
struct told_columns columns_without(struct arena *perm, struct told_columns c, int k);

/* Entitles the k-th of further columns, of numbers, which it returns the place of. */
int job_title(struct job_table *t, int k, struct str title);
struct str job_ns_text(struct arena *a, int64_t ns);               /* "0.123": ms */
struct str job_real_text(struct arena *a, double v, int decimals); /* NaN: "-" */

/* Colours n cells of a row, each by its part of the most. */
void job_heat(struct job_cell *cells, const double *value, int n, double most);

DESCRIBED(worst_said);
DESCRIBED(ranks_said);
DESCRIBED(bandwidth_said);
DESCRIBED(exchange_said);

const struct worst_said *job_worst_page(struct job_maker *m);
const struct ranks_said *job_ranks_page(struct job_maker *m);
void job_steps_page(struct job_maker *m);
const struct bandwidth_said *job_bandwidth_page(struct job_maker *m);

/* Who sends how much to whom in all-to-all-v; NULL: nobody does. */
const struct exchange_said *job_exchange(struct job_maker *m);

#endif
