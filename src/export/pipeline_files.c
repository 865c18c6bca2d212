#include "export/pipeline_files.h"

#include "base/arena.h"
#include "export/described_json.h"
#include "export/json_tree.h"

#include <cjson/cJSON.h>

static void add(struct pipeline_files *f, struct pipeline_file file)
{
    arena_grow(f->perm, f->at, f->n);
    f->at[f->n++] = file;
}

cJSON *pipeline_add(struct pipeline_files *f, struct str path)
{
    cJSON *tree = json_new();
    add(f, (struct pipeline_file){.path = path, .tree = tree});
    return tree;
}

void pipeline_tell(struct pipeline_files *f, struct str path,
                   const struct description *d, const void *of)
{
    struct arena tmp = *f->tmp;
    const struct json_walk w = {.whole = f->source, .tmp = &tmp};
    add(f, (struct pipeline_file){.path = path, .tree = described_json(d, of, &w)});
}

void pipeline_add_table(struct pipeline_files *f, struct str path,
                        const struct report_table *table)
{
    add(f, (struct pipeline_file){.path = path, .table = table});
}

void pipeline_files_close(struct pipeline_files *f)
{
    for (int k = 0; k < f->n; k++)
        cJSON_Delete(f->at[k].tree);
    f->n = 0;
}
