#include "capture/capture_lines.h"

#include "trace/byte_source.h"

#include <string.h>

/* No capture is longer, uncompressed; a file that is none is not read to its end. */
static const ptrdiff_t LINE_BYTES_MAX = 256 << 20;

bool capture_lines_open(struct capture_lines *l, const char *path, struct err *e)
{
    *l = (struct capture_lines){.file = path};
    struct source_options o = {.one_thread = true, .no_digest = true};
    if (!source_open(&l->source, path, o, e))
        return false;
    out_memory(&l->line);
    return true;
}

/* Appends up to the end of the line; true: it has ended. */
static bool take_rest(struct capture_lines *l)
{
    ptrdiff_t n = l->rest_end - l->rest;
    char *end = n ? memchr(l->rest, '\n', (size_t)n) : NULL;
    out_bytes(&l->line, l->rest, end ? end - l->rest : n);
    l->rest = end ? end + 1 : l->rest_end;
    return end && l->line.n > 0;
}

bool capture_lines_next(struct capture_lines *l, struct str *line, struct err *e)
{
    l->line.n = 0;
    while (!take_rest(l)) {
        if (l->line.n > LINE_BYTES_MAX)
            return err_set(e, ERR_INPUT, l->file, -1, "not a capture file");
        if (!source_next(l->source, 0, &l->rest, &l->rest_end, e))
            break;
    }
    if (!l->line.n || e->kind != ERR_NONE)
        return false;
    out_char(&l->line, '\0');
    *line = str_head(out_view(&l->line), l->line.n - 1);
    return true;
}

void capture_lines_close(struct capture_lines *l)
{
    source_close(l->source);
    out_free(&l->line);
}

bool capture_is_file(const char *path)
{
    return source_begins_with(path, S(CAPTURE_FIRST_BYTES));
}
