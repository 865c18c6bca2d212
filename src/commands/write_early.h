/* write_early.h - files that need no report, written on a second thread before there is
 * one.
 *
 * The workbook and the CSV files need only the tables, which come before the analysis,
 * and most of the capture what is known before the analysis judges; its findings and
 * the small traces of gaps follow. */
#ifndef WRITE_EARLY_H
#define WRITE_EARLY_H

#include "commands/options.h"

#include "base/arena.h"
#include "base/beside.h"
#include "base/err.h"
#include "capture/capture.h"
#include "render/folder/publish.h"
#include "report/sheets.h"

#include <stdatomic.h>

struct excerpt_plan;
struct trace_result;

struct early {
    const struct options *o;
    const struct sheets *sheets;
    const struct trace_result *trace;
    const struct publish *folder;
    const struct excerpt_plan *excerpts; /* NULL: none are asked for */
    struct arena perm, tmp; /* owned by the second thread; the rest is only read */
    struct capture capture;
    struct err err;
    bool done;             /* without a failure so far */
    atomic_bool excerpted; /* somebody writes the small traces */
    struct beside before, after;
};

/* From TRACE_ANALYSE on. What is given and what is free of `tmp` is lent until
 * early_finish. */
void early_begin(struct early *w, const struct options *o, const struct sheets *sheets,
                 const struct trace_result *t, const struct publish *folder,
                 struct arena tmp);

/* When the analysis is complete. The plan, which may be NULL, is lent, too. */
void early_go_on(struct early *w, const struct excerpt_plan *excerpts);

/* Writes the small traces, unless that has been begun: whoever is free first. */
MUST_CHECK bool early_excerpts(struct early *w, struct arena tmp, struct err *e);

/* Waits for all of it. False if a file could not be written. */
MUST_CHECK bool early_finish(struct early *w, struct err *e);

#endif
