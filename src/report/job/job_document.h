/* job_document.h - a job as pages of sections: what is said, charts and tables, for the
 * site and for markdown.
 *
 * Cells are text, at most JOB_TABLE_ROWS rows of most tables; the CSV files have the
 * rest.
 */
#ifndef REPORT_JOB_JOB_DOCUMENT_H
#define REPORT_JOB_JOB_DOCUMENT_H

#include "report/figure/report_figure.h"
#include "report/job/job_report.h"

enum {
    JOB_TABLE_ROWS = 256,
    JOB_COLUMNS = 14,
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

/* In perm, as it is large. */
struct job_document *job_document_make(struct arena *perm, struct arena tmp,
                                       const struct job_report *r);

#endif
