/* job_shown.h - a job as pages: figures, and tables whose columns are each told once.
 * The words are in templates/words/NAME.txt, which say by name where each is. */
#ifndef REPORT_JOB_JOB_SHOWN_H
#define REPORT_JOB_JOB_SHOWN_H

#include "base/described.h"
#include "report/figure/report_figure.h"
#include "report/job/job_report.h"

enum { JOB_TABLE_ROWS = 256, JOB_HEATS = 4 };

struct job_column {
    struct str title;
    bool numeric;
};

struct job_cell {
    struct str text, href; /* of the trace: hostile; href empty: no link */
    int heat; /* 0 to JOB_HEATS: how much, beside others; the number tells */
};

struct job_table {
    struct str csv; /* that has the rows left out */
    int64_t n_left_out;
    struct job_column *columns;
    struct job_cell *cells;        /* by row */
    int n_columns, n_rows, n_told; /* n_told: columns that job_table_add filled */
};

/* All of one name belongs together. */
struct job_shown {
    struct str name;
    struct report_figure *figure; /* each may be NULL */
    struct job_table *table;
    struct str command; /* to be copied to a shell; hostile, quoted; may be empty */
};

struct job_document {
    const struct job_report *r; /* NULL: a comparison of two */
    struct str title, label, id, made_by, share_level;
    struct str vendor; /* of all devices, if these are no GPUs */
    struct str words; /* templates/words/WORDS.txt: pages, sections and sentences */
    const struct description *facts; /* that they tell, of `of` */
    const void *of;
    struct job_shown *shown;
    int n_shown;
};

static inline struct job_cell *job_cell(const struct job_table *t, int row, int column)
{
    return &t->cells[row * t->n_columns + column];
}

/* The tables have at most JOB_TABLE_ROWS rows, most of them; the CSV files have the
 * rest. */
struct job_document *job_document_make(struct arena *perm, struct arena tmp,
                                       const struct job_report *r);

#endif
