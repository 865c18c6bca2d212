/* ci_run.h - what a build gets of a run: gates, and the files that its host shows.
 *
 * ci_begin reads all that the command line says before any work; ci_take judges the
 * report; ci_in_folder writes what lies in the report's folder, ci_beside what lies
 * elsewhere, once the folder is in place. Owns the trees from ci_take to ci_close. */
#ifndef CI_CI_RUN_H
#define CI_CI_RUN_H

#include "ci/annotations.h"
#include "ci/ci_options.h"
#include "ci/waivers.h"
#include "compare/gate.h"
#include "render/folder/asked_file.h"
#include "report/compare/compare_report.h"
#include "report/job/job_compare.h"
#include "report/job/job_report.h"
#include "report/report.h"
#include "share/word_scan.h"

struct ci_run {
    struct ci_options o; /* with what --ci found */
    enum annotation_host host;
    struct waivers waivers;
    struct str date; /* empty: not known */
    struct cJSON *summary, *view;
    bool of_comparison; /* whose findings are the new ones alone */
    struct gate_results gates;
    const struct source_place *places; /* by finding; NULL: no --source-root */
};

MUST_CHECK bool ci_begin(struct ci_run *c, struct arena *perm,
                         const struct ci_options *asked, struct err *e);

/* Checks that each file may be written where it is asked for. */
MUST_CHECK bool ci_spares(const struct ci_run *c, const struct asked_places *b,
                          struct err *e);

/* The id of a report that these waivers change; without any, as it is. */
struct str ci_report_id(const struct ci_run *c, struct arena *perm, struct str id);

/* Of the waivers those that hold on the day of the run: report_options.waivers. */
const struct waiver *ci_waivers(const struct ci_run *c, struct arena *perm, int *n);

/* The report in figures, and its gates: c->gates. */
void ci_take(struct ci_run *c, struct arena *perm, const struct report *r,
             const struct gate_expr *gates, int n_gates);

/* Of the findings of a capture, by their ids, those that a waiver holds for. */
const struct str *ci_waived(const struct ci_run *c, struct arena *perm,
                            const struct finding *findings, int n, int *n_waived);

/* The same of a comparison, whose gates of metrics are still open: `gates`. */
void ci_take_comparison(struct ci_run *c, struct arena *perm,
                        const struct compare_report *r);

/* The same of a job, and of how one differs from another. */
void ci_take_job(struct ci_run *c, struct arena *perm, const struct job_report *r,
                 const struct gate_result *gates, int n);
void ci_take_jobs(struct ci_run *c, struct arena *perm, const struct job_comparison *d,
                  struct str tool, const struct gate_result *gates, int n);

/* summary.json, badge.svg, comment.md. */
MUST_CHECK bool ci_in_folder(const struct ci_run *c, const struct publish *folder,
                             bool json, bool md, bool site, struct arena tmp,
                             struct err *e);

/* Files elsewhere, and annotations on standard output. */
MUST_CHECK bool ci_beside(const struct ci_run *c, struct arena tmp, struct err *e);

/* Looks for words in what ci_beside will write. */
void ci_scan(const struct ci_run *c, const struct forbidden *f, struct arena *perm,
             struct arena tmp, struct word_hits *hits);

enum ci_form { CI_TEXT, CI_MD, CI_JSON };

/* On standard output: the text of the mail in 80 columns, the step summary, or
 * summary.json. */
MUST_CHECK bool ci_print(const struct ci_run *c, enum ci_form form, struct arena tmp,
                         struct err *e);

/* As gates_tell says. Also names waivers that are over or waive nothing. */
MUST_CHECK bool ci_judge(const struct ci_run *c, bool require_all, struct err *e);

void ci_close(struct ci_run *c);

#endif
