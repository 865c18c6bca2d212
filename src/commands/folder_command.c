#include "commands/folder_command.h"

#include "base/terminal.h"
#include "ci/ci_run.h"
#include "commands/summary.h"
#include "export/json_text.h"
#include "export/table_files.h"
#include "render/markdown/job_markdown.h"
#include "render/page/job_pages.h"
#include "render/page/single_file.h"
#include "render/text/themes_command.h"

#include <cjson/cJSON.h>
#include <string.h>

void command_open(struct folder_command *c, const struct options *o)
{
    struct arena *arenas[] = {&c->perm, &c->tmp, &c->tmp2};
    c->o = o;
    for (int i = 0; i < 3; i++) {
        *arenas[i] = arena_reserve(arena_machine_bytes() / 4);
        c->starts[i] = arenas[i]->at;
    }
}

void command_close(struct folder_command *c)
{
    struct arena *arenas[] = {&c->perm, &c->tmp, &c->tmp2};
    for (int i = 0; i < 3; i++)
        arena_release(c->starts[i], arenas[i]);
}

bool command_begin(struct folder_command *c, const char *target, struct err *e)
{
    const struct options *o = c->o;
    return (!o->forbid || forbidden_read(&c->perm, o->forbid, &c->forbidden, e)) &&
           theme_choose(&c->perm, o->theme, &c->theme, e) &&
           (!target ||
            publish_begin(&c->folder, o->out_dir ? o->out_dir : target, o->force, e));
}

bool command_csvs(const struct folder_command *c, const char *folder,
                  const struct report_table *tables, ptrdiff_t n, struct arena tmp,
                  struct err *e)
{
    struct table_files files = {.csv_dir = publish_folder(&c->folder, &tmp, folder, e)};
    return files.csv_dir && table_files_write(&files, tables, n, tmp, e);
}

bool command_json(const struct folder_command *c, const char *file, cJSON *tree,
                  struct err *e)
{
    struct arena tmp = c->tmp;
    struct out o;
    const char *path = publish_path(&c->folder, &tmp, file, e);
    bool done = path && out_open(&o, path, e);
    if (done) {
        json_tree(&o, tree, JSON_FILE);
        done = out_close(&o, e);
    }
    cJSON_Delete(tree);
    return done;
}

/* --forbid: everything that is about to leave, before any of it is in place. */
static bool words_allowed(struct folder_command *c, const struct single_file *single,
                          const struct ci_run *ci, struct err *e)
{
    struct arena tmp = c->tmp;
    struct word_hits hits = {0};
    if (!c->forbidden.n)
        return true;
    if (!scan_folder(&c->forbidden, publish_dir(&c->folder, &tmp), &c->perm, tmp, &hits,
                     e))
        return false;
    if (single)
        scan_bytes(&c->forbidden, S("--single-file"), out_view(&single->document),
                   &c->perm, tmp, &hits);
    if (ci)
        ci_scan(ci, &c->forbidden, &c->perm, tmp, &hits);
    return scan_tell(&hits, c->o->forbid, e);
}

/* The site as one file, after the folder is in place. */
static bool place_single(const struct options *o, struct single_file *single,
                         struct err *e)
{
    double mb = (double)out_view(&single->document).n / 1e6;
    if (!single_place(single, o->single_file, o->single_file_limit_mb, e))
        return false;
    if (mb > SINGLE_WARN_BYTES / 1e6)
        terminal_warn("--single-file is %.1f MB, too large for some mail servers and "
                      "viewers; the folder opens faster",
                      mb);
    return true;
}

bool command_document(struct folder_command *c, const struct job_document *d,
                      struct err *e)
{
    unsigned formats = c->o->formats;
    struct job_words words;
    return job_words_read(&c->perm, c->tmp, d, &words, e) &&
           (!(formats & FORMAT_MD) ||
            job_markdown_write(&words, &c->folder, c->tmp, c->tmp2, e)) &&
           (!(formats & FORMAT_SITE) ||
            job_pages_write(&words, &c->theme, &c->folder, c->tmp, c->tmp2, e));
}

bool command_commit(struct folder_command *c, struct single_file *single,
                    const struct ci_run *ci, struct err *e)
{
    const struct options *o = c->o;
    return words_allowed(c, single, ci, e) &&
           (!single ||
            single_write(single, o->single_file, o->single_file_limit_mb, e)) &&
           publish_commit(&c->folder, c->tmp, e) &&
           (!single || place_single(o, single, e));
}

void command_print(const struct folder_command *c, const struct str *verdict, int n,
                   const char *end)
{
    if (c->o->quiet)
        return;
    for (int i = 0; i < n; i++)
        terminal_line(stdout, "%.*s%s", STRF(verdict[i]), end);
    summary_place(stdout, c->o, c->folder.asked);
}
