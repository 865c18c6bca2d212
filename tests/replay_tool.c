/* replay_tool - replay packages of one trace, without the rest of the report.
 *
 *   replay_tool TRACE FOLDER [N | OP]...
 *
 * Writes FOLDER/replay_packages/ (the folder must not hold anything of others) for the
 * N operations with most time, default 20, or for those named. Prints one line for
 * each: "package FILE", "refused OP: reason" or, below a package, "left out N: reason".
 */
#include "base/arena.h"
#include "base/out.h"
#include "export/json_text.h"
#include "ops/op_cost.h"
#include "ops/op_tables.h"
#include "render/folder/publish.h"
#include "render/folder/replay_zip.h"
#include "render/text/bundle.h"
#include "store/event_store.h"

#include <stdio.h>
#include <stdlib.h>

static void print_set(const struct replay_set *s, const struct replay_file *files)
{
    struct out o;
    out_memory(&o);
    for (int32_t i = 0; i < s->n_packages; i++) {
        const struct replay_package *p = &s->packages[i];
        out_printf(&o, "package\t%.*s\t%lld\t%.3f\t%d\t%.*s\t", STRF(p->file),
                   (long long)files[i].bytes, p->share_pct, (int)p->n_left_out,
                   STRF(p->left_out_reason));
        json_script_string(&o, p->op);
        out_char(&o, '\n');
    }
    for (int32_t i = 0; i < s->n_refusals; i++) {
        const struct replay_refusal *r = &s->refusals[i];
        out_printf(&o, "refused\t%.3f\t%.*s\t", r->share_pct, STRF(r->reason));
        json_script_string(&o, r->op);
        out_char(&o, '\n');
    }
    fwrite(out_view(&o).p, 1, (size_t)out_view(&o).n, stdout);
    out_free(&o);
}

static bool write_packages(const struct op_tables *t, const char *folder, char **asked,
                           int n_asked, struct arena *perm, struct arena tmp,
                           struct err *e)
{
    int64_t top = n_asked ? 0 : 20;
    struct publish p;
    struct replay_request *r = arena_new(perm, struct replay_request, n_asked + 1);
    int32_t n = n_asked;
    for (int i = 0; i < n_asked; i++)
        r[i].op = str_of(asked[i]);
    if (n_asked == 1)
        str_int(r[0].op, &top);
    if (top)
        r = replay_top(perm, tmp, t, (int32_t)top, &n);
    struct replay_set s = replay_build(
        perm, tmp, t, bundle_file(S("assets/replay/op_schemas.txt")), r, n);
    if (!publish_begin(&p, folder, true, e))
        return false;
    struct replay_file *files = replay_write(&s, &p, perm, tmp, e);
    if (!files || !publish_commit(&p, tmp, e)) {
        publish_abort(&p, e);
        return false;
    }
    print_set(&s, files);
    return true;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: replay_tool TRACE FOLDER [N | OP]...\n", stderr);
        return 2;
    }
    struct arena perm = arena_reserve(arena_machine_bytes());
    struct arena tmp = arena_reserve(arena_machine_bytes());
    struct event_store s;
    struct err e = {0};
    struct store_options o = {.source = {.one_thread = true}};
    bool done = store_read(&s, argv[1], &o, &e);
    if (done) {
        struct trace_view v =
            view_build(&perm, tmp, &s, (struct view_options){false, false});
        struct cost_cache costs;
        cost_cache_open(&costs, &perm, &v);
        struct op_tables t = op_tables_build(&perm, tmp, &v, &costs, NULL);
        done = write_packages(&t, argv[2], argv + 3, argc - 3, &perm, tmp, &e);
        cost_cache_close(&costs);
        store_close(&s);
    }
    if (done)
        return 0;
    char line[2048];
    err_line(&e, line, sizeof line);
    fprintf(stderr, "replay_tool: %s\n", line);
    return 1;
}
