/* write_early.h - files that need no report, written on a second thread before there is
 * one.
 *
 * The workbook and the CSV files need only the tables, which come first; the capture
 * needs the findings, too. */
#ifndef WRITE_EARLY_H
#define WRITE_EARLY_H

#include "options.h"

#include "base/arena.h"
#include "base/beside.h"
#include "base/err.h"
#include "render/folder/publish.h"
#include "report/sheets.h"

struct trace_result;

struct early {
    const struct options *o;
    const struct sheets *sheets;
    const struct trace_result *trace;
    const struct publish *folder;
    struct arena tmp; /* owned by the second thread; the rest is only read */
    struct err err;
    bool done; /* without a failure so far */
    struct beside tables, capture;
};

/* What is given and what is free of `tmp` is lent until early_finish. */
void early_tables(struct early *w, const struct options *o, const struct sheets *sheets,
                  const struct publish *folder, struct arena tmp);

/* After early_tables, when the analysis is complete. */
void early_capture(struct early *w, const struct trace_result *t);

/* Waits for both. False if one of them could not be written. */
MUST_CHECK bool early_finish(struct early *w, struct err *e);

#endif
