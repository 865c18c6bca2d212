/* zip_file.h - a zip whose bytes depend only on its entries and their order.
 *
 * One time for every entry, plain file attributes, no extra fields. Only our own names
 * go in. minizip keeps the directory, deflate.h compresses. Owned from zip_open to
 * zip_close, which also closes after a failure; zip_discard drops an unfinished zip. */
#ifndef BASE_ZIP_FILE_H
#define BASE_ZIP_FILE_H

#include "base/err.h"
#include "base/out.h"
#include "base/str.h"

enum { ZIP_NAME_BYTES = 120, SOURCE_DATE_NONE_S = 315532800 /* 1980-01-01 UTC */ };

struct deflater;

struct zip_file {
    void *handle;
    const char *path; /* lent by the caller until zip_close */
    int64_t date_s;
    bool failed;
    struct deflater *deflater;
    struct out packed;   /* of the entry that is open, not yet written */
    uint32_t crc;        /* of its bytes so far */
    int64_t entry_bytes; /* how many */
};

/* Seconds since 1970 from SOURCE_DATE_EPOCH, between 1980 and 2107 as a zip can hold;
 * else 1980-01-01. The only environment value that may affect an output. */
int64_t source_date_s(void);

/* Create or replace `path`. */
MUST_CHECK bool zip_open(struct zip_file *z, const char *path, int64_t date_s,
                         struct err *e);

/* One file. `name`: a-z A-Z 0-9 . _ - between slashes; no part empty or of dots only.
 */
MUST_CHECK bool zip_add(struct zip_file *z, const char *name, struct str bytes,
                        struct err *e);

/* One file in parts, `name` as it is. zip_end says what failed. */
void zip_begin(struct zip_file *z, const char *name);
void zip_put(struct zip_file *z, struct str bytes);
MUST_CHECK bool zip_end(struct zip_file *z, struct err *e);

MUST_CHECK bool zip_close(struct zip_file *z, struct err *e);
void zip_discard(struct zip_file *z);

/* The rule for names above, which a published folder shares. */
bool zip_name_is_good(struct str name);

#endif
