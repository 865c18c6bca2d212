#include "render/folder/replay_zip.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/plain_file.h"
#include "base/sha256.h"
#include "base/written_files.h"
#include "base/zip_file.h"
#include "render/folder/publish.h"
#include "render/folder/replay_json.h"
#include "render/folder/replay_readme.h"
#include "render/text/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static bool add_members(struct zip_file *z, const struct replay_package *p,
                        struct arena tmp, struct err *e)
{
    struct out ir, readme;
    out_memory(&ir);
    out_memory(&readme);
    replay_json(&ir, p);
    bool done = replay_readme(&readme, p, tmp, e);
    const struct {
        const char *name;
        struct str bytes;
    } members[] = {
        {"replay_ir.json", out_view(&ir)},
        {"utils.py", bundle_file(S("assets/replay/utils.py"))},
        {"batched_replay.py", bundle_file(S("assets/replay/batched_replay.py"))},
        {"README.md", out_view(&readme)},
        {"LICENSE", bundle_file(S("assets/replay/LICENSE"))},
    };
    for (size_t i = 0; done && i < sizeof members / sizeof *members; i++)
        done = zip_add(z, members[i].name, members[i].bytes, e);
    out_free(&ir);
    out_free(&readme);
    return done;
}

/* The written files, as a reader will see them; those of a report are measured already.
 */
static bool measure(const char *path, struct replay_file *file, struct err *e)
{
    struct written_file known;
    if (written_files_find(path, &known)) {
        file->bytes = known.bytes;
        memcpy(file->sha256, known.sha256, sizeof known.sha256);
        return true;
    }
    int fd = plain_open(path);
    bool good = fd >= 0 && sha256_file(fd, file->sha256, &file->bytes);
    if (!good)
        err_set(e, ERR_OUTPUT, path, -1, "cannot be read back: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return good;
}

bool replay_write_one(const struct replay_package *p, const char *path,
                      struct replay_file *file, struct arena tmp, struct err *e)
{
    struct zip_file z;
    if (!zip_open(&z, path, SOURCE_DATE_NONE_S, e))
        return false;
    if (!add_members(&z, p, tmp, e)) {
        zip_discard(&z);
        return false;
    }
    return zip_close(&z, e) && measure(path, file, e);
}

struct replay_file *replay_write(const struct replay_set *s,
                                 const struct publish *folder, struct arena *perm,
                                 struct arena tmp, struct err *e)
{
    struct replay_file *files = arena_new(perm, struct replay_file, s->n_packages + 1);
    for (int32_t i = 0; i < s->n_packages; i++) {
        const struct replay_package *p = &s->packages[i];
        const char *path = publish_path(folder, &tmp, str_c(&tmp, p->file), e);
        if (!path || !replay_write_one(p, path, &files[i], tmp, e)) {
            err_doing(e, "writing a replay package");
            return NULL;
        }
    }
    return files;
}
