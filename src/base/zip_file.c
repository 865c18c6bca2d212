#include "base/zip_file.h"

#include "base/deflate.h"
#include "base/written_files.h"

#include <assert.h>
#include <errno.h>
#include <isa-l/crc.h>
#include <minizip/zip.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
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
    if (!z->handle)
        return fail(z, e);
    z->deflater = deflater_open();
    out_memory(&z->packed);
    return true;
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

static void write_packed(struct zip_file *z)
{
    struct str bytes = out_view(&z->packed);
    while (bytes.n > 0 && !z->failed) {
        struct str part = str_head(bytes, PART_BYTES);
        z->failed = zipWriteInFileInZip(z->handle, part.p, (unsigned)part.n) != ZIP_OK;
        bytes = str_skip(bytes, part.n);
    }
    z->packed.n = 0;
}

void zip_begin(struct zip_file *z, const char *name)
{
    zip_fileinfo info = plain_file(z->date_s);
    errno = 0;
    z->crc = 0;
    z->entry_bytes = 0;
    deflater_begin(z->deflater, DEFLATE_RAW);
    z->failed = z->failed ||
                zipOpenNewFileInZip4_64(z->handle, name, &info, NULL, 0, NULL, 0, NULL,
                                        Z_DEFLATED, Z_BEST_SPEED, 1, -MAX_WBITS,
                                        DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY, NULL, 0,
                                        MADE_BY_UNIX, 0, 0) != ZIP_OK;
}

static void put(struct zip_file *z, struct str bytes, bool last)
{
    z->crc = crc32_gzip_refl(z->crc, (const unsigned char *)bytes.p, (uint64_t)bytes.n);
    z->entry_bytes += bytes.n;
    deflater_feed(z->deflater, bytes, last, &z->packed);
    write_packed(z);
}

void zip_put(struct zip_file *z, struct str bytes)
{
    put(z, bytes, false);
}

bool zip_end(struct zip_file *z, struct err *e)
{
    put(z, S(""), true);
    if (z->failed)
        return fail(z, e);
    int rc = zipCloseFileInZipRaw64(z->handle, (ZPOS64_T)z->entry_bytes, z->crc);
    return rc == ZIP_OK ? true : fail(z, e);
}

bool zip_add(struct zip_file *z, const char *name, struct str bytes, struct err *e)
{
    assert(z->handle);
    if (!zip_name_is_good(str_of(name)))
        return err_set(e, ERR_INTERNAL, z->path, -1,
                       "not a name for a zip entry: '%.100s'", name);
    zip_begin(z, name);
    zip_put(z, bytes);
    return zip_end(z, e);
}

static int let_go(struct zip_file *z)
{
    int rc = z->handle ? zipClose(z->handle, NULL) : ZIP_OK;
    if (z->deflater)
        deflater_close(z->deflater);
    out_free(&z->packed);
    z->handle = NULL;
    z->deflater = NULL;
    return rc;
}

bool zip_close(struct zip_file *z, struct err *e)
{
    errno = 0;
    int rc = let_go(z);
    if (rc != ZIP_OK || z->failed)
        return fail(z, e);
    written_files_read(z->path);
    return true;
}

void zip_discard(struct zip_file *z)
{
    struct stat st;
    let_go(z);
    if (lstat(z->path, &st) == 0 && S_ISREG(st.st_mode))
        unlink(z->path);
}
