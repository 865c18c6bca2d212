/* write_book.h - the workbook, written beside the analysis.
 *
 * It is the slowest of all files and needs the tables alone, which are made first. */
#ifndef WRITE_BOOK_H
#define WRITE_BOOK_H

#include "options.h"

#include "base/arena.h"
#include "base/beside.h"
#include "base/err.h"
#include "render/publish.h"
#include "report/sheets.h"

struct book {
    const struct sheets *sheets;
    const struct publish *folder;
    struct arena tmp; /* its own: the tables are only read */
    struct err err;
    bool done;
    struct beside beside;
};

/* `sheets`, `folder` and what is free of `tmp` are lent until book_finish. */
void book_start(struct book *b, const struct options *o, const struct sheets *sheets,
                const struct publish *folder, struct arena tmp);

/* Wait; false, with the error, when it could not be written. */
MUST_CHECK bool book_finish(struct book *b, struct err *e);

#endif
