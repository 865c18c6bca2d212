/* job_document.h - a job as pages of sections: what is said, charts and tables, for the
 * site and for markdown.
 *
 * Cells are text, at most TABLE_ROWS rows of each table; the CSV files have the rest.
 */
#ifndef REPORT_JOB_JOB_DOCUMENT_H
#define REPORT_JOB_JOB_DOCUMENT_H

#include "report/figure/report_figure.h"
#include "report/job/job_report.h"

enum {
    JOB_TABLE_ROWS = 200,
    JOB_COLUMNS = 14,
    JOB_SECTIONS = 6,
    JOB_PAGES = 7,
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
};

struct job_page {
    struct str file, title, question;
    struct job_section sections[JOB_SECTIONS];
    int n_sections;
};

struct job_document {
    const struct job_report *r; /* NULL: a comparison of two */
    struct str title, label, id, made_by;
    struct job_page pages[JOB_PAGES];
    int n_pages;
};

struct job_section *job_section_add(struct job_page *p, const char *id,
                                    const char *title);

/* In perm, as it is large. */
struct job_document *job_document_make(struct arena *perm, struct arena tmp,
                                       const struct job_report *r);

#endif
