/* Any bytes as a trace, through windows of any size: rows, links and tables, or an
 * error with one line. The first byte chooses the window, so that tokens straddle its
 * edges. */
#include "fuzz_file.h"

#include "formats/execution_trace.h"
#include "ops/op_cost.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"
#include "store/event_store.h"

/* What lends shapes to a trace, and is none. */
static void read_shapes(const char *path, struct source_options o)
{
    struct execution_trace shapes;
    struct err e = {0};
    if (execution_trace_read(&shapes, path, o, &e))
        execution_trace_close(&shapes);
    else if (!e.what[0])
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    struct fuzz_file f = fuzz_file_open(data + 1, size - 1);
    struct store_options o = {
        .source = {.window_bytes = data[0] < 64 ? data[0] : 0, .one_thread = true}};
    struct event_store s;
    struct err e = {0};
    if (execution_trace_is((struct str){(const char *)data + 1, (ptrdiff_t)size - 1}))
        read_shapes(f.path, o.source);
    if (store_read(&s, f.path, &o, &e)) {
        struct arena perm = arena_reserve(1 << 28), tmp = arena_reserve(1 << 28);
        char *perm_start = perm.at, *tmp_start = tmp.at;
        struct trace_view view =
            view_build(&perm, tmp, &s,
                       (struct view_options){.unlinked = data[0] % 3,
                                             .detect_recompute = data[0] & 128});
        struct cost_cache costs;
        cost_cache_open(&costs, &perm, &view);
        op_tables_build(&perm, tmp, &view, &costs, NULL);
        cost_cache_close(&costs);
        arena_release(perm_start, &perm);
        arena_release(tmp_start, &tmp);
        store_close(&s);
    } else if (!e.what[0]) {
        abort(); /* refused without a word */
    }
    close(f.fd);
    return 0;
}
