#include "compare_command.h"

#include "compare_inputs.h"
#include "export/csv_tables.h"
#include "export/xlsx_book.h"
#include "render/folder/publish.h"
#include "render/folder/zip_file.h"
#include "report/compare/sheet_compare.h"

#include <stdio.h>
#include <string.h>

/* What stays open from the first input to the last file. */
struct compare {
    const struct options *o;
    struct arena perm, tmp;
    struct publish folder;
    struct compare_inputs in;
};

static bool write_csv(struct compare *c, const struct sheets *s, struct err *e)
{
    struct arena tmp = c->tmp;
    const char *path =
        publish_path(&c->folder, &tmp, "compare_csvs/gpu_timeline.csv", e);
    if (!path)
        return false;
    struct str dir = {path, strrchr(path, '/') - path};
    return csv_write_all(s->tables, s->n, str_c(&tmp, dir), tmp, e);
}

static bool write_book(struct compare *c, const struct sheets *s, struct err *e)
{
    struct arena tmp = c->tmp;
    const char *path = publish_path(&c->folder, &tmp, "comparison.xlsx", e);
    return path && xlsx_write(s->tables, s->n, path, source_date_s(), tmp, e);
}

static bool write_tables(struct compare *c, struct err *e)
{
    struct sheet_side sides[2];
    for (int side = 0; side < 2; side++) {
        const struct compare_input *first = &c->in.of[side][0];
        sides[side] = (struct sheet_side){first->label, first->sheets};
    }
    struct sheets s = sheet_compare(&c->perm, c->tmp, &sides[0], &sides[1]);
    return (!(c->o->formats & FORMAT_CSV) || write_csv(c, &s, e)) &&
           (!(c->o->formats & FORMAT_XLSX) || write_book(c, &s, e));
}

static bool write_all(struct compare *c, struct err *e)
{
    bool done = write_tables(c, e) && publish_commit(&c->folder, c->tmp, e);
    publish_tell(&c->folder, stderr);
    if (done && !c->o->quiet)
        printf("written to %s\n", c->folder.asked);
    return done;
}

static bool spares_inputs(const struct compare *c, struct err *e)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < c->o->compare.n_inputs[side]; i++)
            if (!publish_spares(&c->folder, c->o->compare.inputs[side][i], e))
                return false;
    return true;
}

bool compare_run(const struct options *o, struct err *e)
{
    struct compare c = {.o = o};
    c.perm = arena_reserve(arena_machine_bytes() / 4);
    c.tmp = arena_reserve(arena_machine_bytes() / 4);
    char *perm_start = c.perm.at, *tmp_start = c.tmp.at;
    const char *target = o->out_dir ? o->out_dir : "comparison_output";
    bool done = publish_begin(&c.folder, target, o->force, e);
    if (done) {
        done = spares_inputs(&c, e) && inputs_open(&c.in, o, &c.perm, c.tmp, e);
        if (done) {
            done = write_all(&c, e);
            inputs_close(&c.in);
        }
        if (!done)
            publish_abort(&c.folder, e);
    }
    arena_release(perm_start, &c.perm);
    arena_release(tmp_start, &c.tmp);
    return done;
}
