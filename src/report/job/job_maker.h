/* job_maker.h - what the pages of a job are built with: sections, sentences, cells in
 * the order of a table.
 *
 * Internal to the pages of a job. Titles of columns that begin with '#' are of numbers.
 */
#ifndef REPORT_JOB_JOB_MAKER_H
#define REPORT_JOB_JOB_MAKER_H

#include "base/arena.h"
#include "report/figure/report_figure.h"
#include "report/job/job_report.h"

enum {
    JOB_TABLE_ROWS = 256,
    JOB_COLUMNS = 36,
    JOB_SECTIONS = 6,
    JOB_COMMANDS = 2,
    JOB_HEATS = 4
};

struct job_column {
    struct str title;
    bool numeric;
};

struct job_cell {
    struct str text, href; /* of the trace: hostile; href empty: no link */
    int heat; /* 0 to JOB_HEATS: how much, beside others; the number tells */
};

struct job_table {
    struct str caption, more; /* more: what is left out, and where it is */
    struct job_column columns[JOB_COLUMNS];
    int n_columns;
    struct job_cell *cells; /* by row */
    int n_rows;
};

struct job_section {
    struct str id, title;
    struct str paras[JOB_VERDICT_MAX + 2];
    int n_paras;
    struct report_figure figure;
    bool has_figure;
    struct job_table table;
    bool has_table;
    struct str commands[JOB_COMMANDS]; /* to be copied to a shell; hostile, quoted */
    int n_commands;
};

struct job_page {
    struct str file, title, question;
    struct job_section sections[JOB_SECTIONS];
    int n_sections;
    bool
        under; /* another page leads to it: not in the list of pages, nor in markdown */
};

struct job_document {
    const struct job_report *r; /* NULL: a comparison of two */
    struct str title, label, id, made_by;
    struct job_page *pages;
    int n_pages;
};

/* Waiting for another rank stands out from moving data, which is hatched as all
 * communication is. */
#define SLOT_WAITS SLOT_RUNTIME

struct job_maker {
    struct arena *perm, tmp;
    const struct job *j;
    const struct job_report *r;
    struct job_document *d;
    struct job_table *t; /* being filled */
    int at;              /* cell */
    int rows_max;        /* of tables; 0: JOB_TABLE_ROWS */
};

/* Valid until the next. */
struct job_page *job_page_add(struct arena *perm, struct job_document *d,
                              const char *file, const char *title,
                              const char *question);

struct job_section *job_section_add(struct job_page *p, const char *id,
                                    const char *title);

void job_say(struct job_section *s, struct str para);

/* Begins the table of a section, with up to the asked number of rows; `csv` has the
 * rest.
 */
void job_table_add(struct job_maker *m, struct job_section *s, const char *caption,
                   const char *const *titles, int64_t rows, const char *csv);

void job_put(struct job_maker *m, struct str text);
void job_put_ns(struct job_maker *m, int64_t ns); /* as ms */
void job_put_n(struct job_maker *m, int64_t n);
void job_put_pct(struct job_maker *m, double part, double whole);
void job_put_real(struct job_maker *m, double v, int decimals);
void job_put_rank(struct job_maker *m, const struct job_rank *r); /* with its link */
void job_put_bytes(struct job_maker *m, int64_t bytes);

/* Colours cells from the one at `from`, each by its part of the most. */
void job_heat(struct job_maker *m, int from, const double *value, int n, double most);

#endif
