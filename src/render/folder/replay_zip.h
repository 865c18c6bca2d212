/* replay_zip.h - replay packages as zip files that run without tracefolio.
 *
 * replay_ir.json, utils.py, batched_replay.py, README.md, LICENSE: in this order, with
 * one fixed time, so a package's bytes depend only on its content. */
#ifndef RENDER_FOLDER_REPLAY_ZIP_H
#define RENDER_FOLDER_REPLAY_ZIP_H

#include "base/err.h"
#include "report/replay/replay_set.h"

struct arena;
struct publish;

/* What a page says about the file. */
struct replay_file {
    int64_t bytes;
    char sha256[65];
};

/* Write every package of `s` below the folder. Returns one row per package, in `perm`;
 * NULL on failure. */
struct replay_file *replay_write(const struct replay_set *s,
                                 const struct publish *folder, struct arena *perm,
                                 struct arena tmp, struct err *e);

/* One package at `path`. */
MUST_CHECK bool replay_write_one(const struct replay_package *p, const char *path,
                                 struct replay_file *file, struct arena tmp,
                                 struct err *e);

#endif
