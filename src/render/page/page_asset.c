#include "render/page/page_asset.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/sha256.h"

bool page_asset(const struct publish *folder, struct arena *perm, const char *stem,
                const char *extension, struct str bytes, struct str *path,
                struct err *e)
{
    char hex[SHA256_HEX_BYTES];
    sha256_hex_of(bytes, hex);
    *path = str_printf(perm, "assets/%s.%.8s.%s", stem, hex, extension);
    const char *file = publish_path(folder, perm, str_c(perm, *path), e);
    struct out o;
    if (!file || !out_open(&o, file, e))
        return false;
    out_known(&o, hex);
    out_str(&o, bytes);
    return out_close(&o, e);
}
