#include "analysis/run_views.h"

#include "analysis/stack/path_tree.h"
#include "analysis/stack/tree_index.h"
#include "analysis/system/lanes_build.h"
#include "base/arena.h"
#include "ops/timeline_data.h"

static void along_time(struct views_work *w, struct arena *perm, struct arena tmp)
{
    struct run_views *to = &w->views;
    to->over_time = timeline_data_build(perm, tmp, w->tree->v);
    to->host = run_lanes_of_host(perm, tmp, w->host, to->over_time);
}

static void along_paths(struct views_work *w, struct arena *perm, struct arena tmp)
{
    w->views.paths = path_tree_build(perm, tmp, w->tree, w->memory);
}

void run_views_build(struct views_work *w, enum run_views_part part, struct arena *perm,
                     struct arena tmp)
{
    static void (*const builds[VIEWS_PARTS])(struct views_work *, struct arena *,
                                             struct arena) = {
        [VIEWS_ALONG_TIME] = along_time, [VIEWS_ALONG_PATHS] = along_paths};
    if (!atomic_exchange(&w->begun[part], true))
        builds[part](w, perm, tmp);
}
