#include "render/folder/pipeline_write.h"

#include "base/arena.h"
#include "base/out.h"
#include "export/csv_tables.h"
#include "export/json_text.h"
#include "export/report_json.h"
#include "render/folder/publish.h"

static bool open_file(struct out *o, const struct publish *p, struct arena *tmp,
                      struct str path, struct err *e)
{
    const char *inside = publish_path(p, tmp, str_c(tmp, path), e);
    return inside && out_open(o, inside, e);
}

static bool write_one(const struct pipeline_file *f, const struct publish *p,
                      struct arena tmp, struct err *e)
{
    struct out o;
    if (!open_file(&o, p, &tmp, f->path, e))
        return false;
    if (f->tree)
        json_tree(&o, f->tree, JSON_FILE);
    else
        csv_table(&o, f->table, tmp);
    return out_close(&o, e);
}

static bool write_report(const struct report *r, const struct gate_results *gates,
                         const struct publish *p, struct arena tmp, struct err *e)
{
    struct out o;
    if (!open_file(&o, p, &tmp, S("report.json"), e))
        return false;
    report_json_write(&o, r, gates, tmp);
    return out_close(&o, e);
}

bool pipeline_write(const struct pipeline_files *f, const struct report *r,
                    const struct gate_results *gates, unsigned kinds,
                    const struct publish *p, struct arena tmp, struct err *e)
{
    for (int k = 0; k < f->n; k++)
        if (kinds & (f->at[k].tree ? PIPELINE_TREES : PIPELINE_TABLES) &&
            !write_one(&f->at[k], p, tmp, e))
            return false;
    return !(kinds & PIPELINE_TREES) || write_report(r, gates, p, tmp, e);
}
