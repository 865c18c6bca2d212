#include "render/replay_zip.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/sha256.h"
#include "render/bundle.h"
#include "render/publish.h"
#include "render/replay_json.h"
#include "render/replay_readme.h"
#include "render/zip_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool add_members(struct zip_file *z, const struct replay_package *p,
                        struct arena tmp, struct err *e)
{
    struct out ir, readme;
    out_memory(&ir);
    out_memory(&readme);
    replay_json(&ir, p);
    replay_readme(&readme, p, tmp);
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
    bool done = true;
    for (size_t i = 0; done && i < sizeof members / sizeof *members; i++)
        done = zip_add(z, members[i].name, members[i].bytes, e);
    out_free(&ir);
    out_free(&readme);
    return done;
}

/* What was written, as a reader will find it. */
static bool measure(const char *path, struct replay_file *file, struct err *e)
{
    uint8_t buf[1 << 14];
    struct sha256_ctx sha;
    size_t n;
    FILE *f = fopen(path, "rb");
    if (!f)
        return err_set(e, ERR_OUTPUT, path, -1, "cannot be read again: %s",
                       strerror(errno));
    *file = (struct replay_file){0};
    sha256_init(&sha);
    while ((n = fread(buf, 1, sizeof buf, f)) > 0) {
        sha256_update(&sha, n, buf);
        file->bytes += (int64_t)n;
    }
    bool failed = ferror(f) != 0;
    fclose(f);
    sha256_hex(&sha, file->sha256);
    return failed ? err_set(e, ERR_OUTPUT, path, -1, "cannot be read again") : true;
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
