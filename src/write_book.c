#include "write_book.h"

#include "export/xlsx_book.h"
#include "render/folder/zip_file.h"

static void write_book(void *context)
{
    struct book *b = context;
    const char *path = publish_path(b->folder, &b->tmp, "perf_report.xlsx", &b->err);
    b->done = path && xlsx_write(b->sheets->tables, b->sheets->n, path, source_date_s(),
                                 b->tmp, &b->err);
}

void book_start(struct book *b, const struct options *o, const struct sheets *sheets,
                const struct publish *folder, struct arena tmp)
{
    *b = (struct book){.sheets = sheets, .folder = folder, .tmp = tmp, .done = true};
    if (o->formats & FORMAT_XLSX)
        beside_start(&b->beside, o->threads > 1, write_book, b);
}

bool book_finish(struct book *b, struct err *e)
{
    beside_join(&b->beside);
    if (!b->done && e->kind == ERR_NONE)
        *e = b->err;
    return b->done;
}
