#include "write_book.h"

#include "render/xlsx_book.h"
#include "render/zip_file.h"

static void write_book(void *context)
{
    struct book *b = context;
    const char *path = publish_path(b->folder, &b->memory, "perf_report.xlsx", &b->err);
    b->done = path && xlsx_write(b->sheets->tables, b->sheets->n, path, source_date_s(),
                                 b->memory, &b->err);
}

void book_start(struct book *b, const struct options *o, const struct sheets *sheets,
                const struct publish *folder)
{
    *b = (struct book){.sheets = sheets, .folder = folder, .done = true};
    if (!(o->formats & FORMAT_XLSX))
        return;
    b->memory = arena_reserve(arena_machine_bytes() / 8);
    b->memory_start = b->memory.at;
    beside_start(&b->beside, o->threads > 1, write_book, b);
}

bool book_finish(struct book *b, struct err *e)
{
    beside_join(&b->beside);
    if (b->memory_start)
        arena_release(b->memory_start, &b->memory);
    b->memory_start = NULL;
    if (!b->done && e->kind == ERR_NONE)
        *e = b->err;
    return b->done;
}
