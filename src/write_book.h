/* write_book.h - the workbook, written while the analysis runs.
 *
 * It takes longer than any other file and needs only the tables, which come first. */
#ifndef WRITE_BOOK_H
#define WRITE_BOOK_H

#include "options.h"

#include "base/arena.h"
#include "base/beside.h"
#include "base/err.h"
#include "render/folder/publish.h"
#include "report/sheets.h"

struct book {
    const struct sheets *sheets;
    const struct publish *folder;
    struct arena tmp; /* owned by this thread; the tables are only read */
    struct err err;
    bool done;
    struct beside beside;
};

/* `sheets`, `folder` and what is free of `tmp` are lent until book_finish. */
void book_start(struct book *b, const struct options *o, const struct sheets *sheets,
                const struct publish *folder, struct arena tmp);

/* Waits for the workbook. False if it could not be written. */
MUST_CHECK bool book_finish(struct book *b, struct err *e);

#endif
