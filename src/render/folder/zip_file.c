#include "render/folder/zip_file.h"

#include <assert.h>
#include <errno.h>
#include <minizip/zip.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    LEVEL = 6,
    MADE_BY_UNIX = 3 << 8 | 20, /* so that unzip takes the attributes below */
    PART_BYTES = 1 << 20        /* minizip counts in unsigned int */
};
static const int64_t LAST_DATE_S = 4354819198; /* 2107-12-31 23:59:58 UTC */

int64_t source_date_s(void)
{
    const char *text = getenv("SOURCE_DATE_EPOCH");
    int64_t s;
    if (!text || !str_int(str_of(text), &s) || s < SOURCE_DATE_NONE_S ||
        s > LAST_DATE_S)
        return SOURCE_DATE_NONE_S;
    return s;
}

bool zip_name_is_good(struct str name)
{
    bool part_ok = false; /* the part so far has a character that is not a dot */
    for (ptrdiff_t i = 0; i < name.n; i++) {
        char c = name.p[i], letter = (char)(c | 0x20);
        if (c == '/') {
            if (!part_ok)
                return false;
            part_ok = false;
        } else if ((letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') ||
                   c == '_' || c == '-') {
            part_ok = true;
        } else if (c != '.') {
            return false;
        }
    }
    return part_ok && name.n <= ZIP_NAME_BYTES;
}

/* minizip reports that it failed, not why; errno is the best explanation there is. */
static bool fail(struct zip_file *z, struct err *e)
{
    z->failed = true;
    return err_set(e, ERR_OUTPUT, z->path, -1, "cannot be written: %s",
                   strerror(errno ? errno : EIO));
}

bool zip_open(struct zip_file *z, const char *path, int64_t date_s, struct err *e)
{
    *z = (struct zip_file){.path = path, .date_s = date_s};
    errno = 0;
    z->handle = zipOpen64(path, APPEND_STATUS_CREATE);
    return z->handle ? true : fail(z, e);
}

static zip_fileinfo plain_file(int64_t date_s)
{
    time_t when = (time_t)date_s;
    struct tm t;
    gmtime_r(&when, &t);
    return (zip_fileinfo){
        .tmz_date = {.tm_sec = (uInt)t.tm_sec,
                     .tm_min = (uInt)t.tm_min,
                     .tm_hour = (uInt)t.tm_hour,
                     .tm_mday = (uInt)t.tm_mday,
                     .tm_mon = (uInt)t.tm_mon,
                     .tm_year = (uInt)t.tm_year + 1900},
        .external_fa = 0100644ul << 16,
    };
}

static int write_parts(void *handle, struct str bytes)
{
    int rc = ZIP_OK;
    while (bytes.n > 0 && rc == ZIP_OK) {
        struct str part = str_head(bytes, PART_BYTES);
        rc = zipWriteInFileInZip(handle, part.p, (unsigned)part.n);
        bytes = str_skip(bytes, part.n);
    }
    return rc;
}

bool zip_add(struct zip_file *z, const char *name, struct str bytes, struct err *e)
{
    assert(z->handle);
    if (!zip_name_is_good(str_of(name)))
        return err_set(e, ERR_INTERNAL, z->path, -1,
                       "not a name for a zip entry: '%.100s'", name);
    zip_fileinfo info = plain_file(z->date_s);
    errno = 0;
    int rc = zipOpenNewFileInZip4_64(z->handle, name, &info, NULL, 0, NULL, 0, NULL,
                                     Z_DEFLATED, LEVEL, 0, -MAX_WBITS, DEF_MEM_LEVEL,
                                     Z_DEFAULT_STRATEGY, NULL, 0, MADE_BY_UNIX, 0,
                                     bytes.n >= UINT32_MAX);
    if (rc == ZIP_OK)
        rc = write_parts(z->handle, bytes);
    if (rc == ZIP_OK)
        rc = zipCloseFileInZip(z->handle);
    return rc == ZIP_OK ? true : fail(z, e);
}

bool zip_close(struct zip_file *z, struct err *e)
{
    errno = 0;
    int rc = zipClose(z->handle, NULL);
    z->handle = NULL;
    return rc == ZIP_OK && !z->failed ? true : fail(z, e);
}

void zip_discard(struct zip_file *z)
{
    if (z->handle)
        zipClose(z->handle, NULL);
    z->handle = NULL;
    unlink(z->path);
}
