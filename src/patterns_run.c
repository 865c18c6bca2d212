#include "patterns_run.h"

#include "analysis/analysis_run.h"
#include "analysis/extension_model.h"
#include "analysis/pattern_host.h"
#include "analysis/patterns_command.h"
#include "analysis/tree_index.h"
#include "base/arena.h"
#include "base/out.h"
#include "device_choice.h"
#include "options.h"
#include "render/bundle.h"

#include <stdio.h>

bool patterns_open(struct pattern_host **h, struct arena *perm,
                   const char *const *extensions, int n_extensions, struct err *e)
{
    struct str folder = S("assets/patterns/");
    int n = 0, all = bundle_count(folder);
    struct pattern_source *builtin = arena_new(perm, struct pattern_source, all);
    for (int i = 0; i < all; i++) {
        struct str path = bundle_path(folder, i);
        if (str_ends(path, S(".lua")))
            builtin[n++] = (struct pattern_source){path, bundle_file(path)};
    }
    return pattern_host_open(h, perm, builtin, n, extensions, n_extensions, e);
}

static void print(const struct pattern_host *h, const struct analysis *a)
{
    struct out text;
    out_memory(&text);
    patterns_print(&text, h, a);
    fwrite(out_view(&text).p, 1, (size_t)out_view(&text).n, stdout);
    out_free(&text);
}

/* As far as the findings; nothing is written. */
static bool ask_trace(struct arena *perm, struct arena tmp, const struct options *o,
                      struct pattern_host *h, struct err *e)
{
    struct device_spec device;
    bool has_device;
    struct event_store s;
    struct store_options read = {.source = {.one_thread = o->threads == 1}};
    if (!device_choose(perm, o, &device, &has_device, e) ||
        !store_read(&s, o->trace, &read, e))
        return false;
    struct trace_view view = view_build(
        perm, tmp, &s, (struct view_options){o->include_unlinked, o->detect_recompute});
    struct cost_cache costs;
    cost_cache_open(&costs, perm, &view);
    costs.override = pattern_host_models(h);
    struct op_tables tables =
        op_tables_build(perm, tmp, &view, &costs, has_device ? &device : NULL);
    struct tree_index tree = tree_index_build(perm, tmp, &view);
    struct analysis a = analysis_run(
        perm, tmp, &tables, &tree, h,
        (struct analysis_options){.idle_threshold_pct = o->idle_threshold_pct});
    print(h, &a);
    if (!has_device)
        puts("note: no device is named (-p), so no efficiency is known, and patterns "
             "that ask for one do not hit");
    cost_cache_close(&costs);
    store_close(&s);
    return true;
}

bool patterns_run(const struct options *o, struct err *e)
{
    struct arena perm = arena_reserve(arena_machine_bytes() / 2);
    struct arena tmp = arena_reserve(arena_machine_bytes() / 2);
    struct pattern_host *h;
    if (!patterns_open(&h, &perm, o->extensions, o->n_extensions, e))
        return false;
    bool done = true;
    if (o->trace)
        done = ask_trace(&perm, tmp, o, h, e);
    else
        print(h, NULL);
    pattern_host_close(h);
    return done;
}
