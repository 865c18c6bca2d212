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
    to->host = run_lanes_of_host(perm, tmp, w->tree, to->over_time);
}

static void along_paths(struct views_work *w, struct arena *perm, struct arena tmp)
{
    w->views.paths = path_tree_build(perm, tmp, w->tree);
}

bool run_views_part(struct views_work *w, struct arena *perm, struct arena tmp)
{
    static void (*const parts[RUN_VIEWS_PARTS])(
        struct views_work *, struct arena *, struct arena) = {along_time, along_paths};
    int part = atomic_fetch_add(&w->next, 1);
    if (part >= RUN_VIEWS_PARTS)
        return false;
    parts[part](w, perm, tmp);
    return true;
}
