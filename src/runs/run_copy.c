#include "runs/run_copy.h"

#include "base/file_head.h"
#include "base/out.h"
#include "base/sha256.h"
#include "base/zip_file.h"
#include "render/folder/manifest.h"
#include "render/folder/publish.h"
#include "runs/run_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MANIFEST_BYTES = 1 << 26 };
static const int64_t FILE_BYTES_MAX = (int64_t)1 << 36;

static const char *in(struct arena *a, const char *folder, struct str name)
{
    return str_c(a, str_printf(a, "%s/%.*s", folder, STRF(name)));
}

static bool read_manifest(struct arena *perm, const char *folder, struct str *text,
                          struct err *e)
{
    const char *path = in(perm, folder, S(MANIFEST_NAME));
    if (access(path, F_OK) != 0)
        return err_set(e, ERR_INPUT, folder, -1,
                       "not a report: it has no " MANIFEST_NAME);
    if (!file_head(perm, path, MANIFEST_BYTES, text, e))
        return false;
    return str_starts(*text, S(MANIFEST_MARK)) ||
           err_set(e, ERR_INPUT, folder, -1, "not a report of tracefolio");
}

/* Digits of a date; nothing for a run that recorded none. */
static struct str date_digits(struct arena *perm, struct str when)
{
    struct str digits = S("");
    for (ptrdiff_t i = 0; i < when.n && digits.n < 14; i++)
        if (when.p[i] >= '0' && when.p[i] <= '9')
            digits = str_printf(perm, "%.*s%c", STRF(digits), when.p[i]);
    return digits;
}

bool run_name(struct arena *perm, const char *folder, struct str *name, struct err *e)
{
    struct str manifest;
    struct run_row row = {0};
    char hex[SHA256_HEX_BYTES];
    if (!read_manifest(perm, folder, &manifest, e))
        return false;
    if (!run_read(perm, folder, &row) || row.unread.n)
        return err_set(e, ERR_INPUT, folder, -1,
                       "cannot be a run: %.*s; write it with the formats site and json",
                       STRF(row.unread.n ? row.unread : S("it cannot be opened")));
    struct str date = date_digits(perm, row.when);
    sha256_hex_of(manifest, hex);
    *name = str_printf(perm, "run-%.*s%s%.8s", STRF(date), date.n ? "-" : "", hex);
    return true;
}

static bool copy_one(const char *folder, const struct publish *p, struct str line,
                     struct arena tmp, struct err *e)
{
    char hex[SHA256_HEX_BYTES];
    int64_t bytes;
    struct str text, digest = str_take(&line, S("  "));
    bool sized = str_int(str_take(&line, S("  ")), &bytes);
    if (digest.n != SHA256_HEX_BYTES - 1 || !sized || bytes < 0 ||
        bytes > FILE_BYTES_MAX || !zip_name_is_good(line))
        return err_set(e, ERR_INPUT, folder, -1, "its " MANIFEST_NAME " is damaged");
    const char *to = publish_path(p, &tmp, str_c(&tmp, line), e);
    const char *from = in(&tmp, folder, line);
    if (!to || !file_head(&tmp, from, bytes + 1, &text, e))
        return false;
    sha256_hex_of(text, hex);
    if (text.n != bytes || !str_eq(str_of(hex), digest))
        return err_set(e, ERR_INPUT, from, -1,
                       "is not as its manifest says; analyse the trace again");
    struct out o;
    if (!out_open(&o, to, e))
        return false;
    out_str(&o, text);
    return out_close(&o, e);
}

static bool copy_all(const char *folder, const struct publish *p, struct str manifest,
                     struct arena tmp, struct err *e)
{
    str_take(&manifest, S("\n"));
    while (manifest.n)
        if (!copy_one(folder, p, str_take(&manifest, S("\n")), tmp, e))
            return false;
    return true;
}

/* A folder that several people publish into, and what it lacks for that. */
static bool may_write(const char *root, struct err *e)
{
    return faccessat(AT_FDCWD, root, W_OK, AT_EACCESS) == 0 ||
           err_set(
               e, ERR_OUTPUT, root, -1,
               "cannot be written: %s; for several users it needs a group of theirs "
               "(chgrp), chmod 2775, and umask 002 when they publish",
               strerror(errno));
}

bool run_copy(const char *folder, const char *root, struct str name, struct arena tmp,
              struct err *e)
{
    struct publish p;
    struct str manifest;
    struct stat st;
    const char *target = in(&tmp, root, name);
    if (stat(target, &st) == 0 && S_ISDIR(st.st_mode))
        return true; /* its name is of what it holds */
    if (!read_manifest(&tmp, folder, &manifest, e) || !may_write(root, e) ||
        !publish_begin(&p, target, false, e))
        return false;
    p.lasts = true; /* the next that publishes it finds its name, and copies nothing */
    if (!publish_spares(&p, folder, e) || !copy_all(folder, &p, manifest, tmp, e)) {
        publish_abort(&p, e);
        return false;
    }
    return publish_commit(&p, tmp, e);
}
