#include "base/sha256.h"

#include "base/read_all.h"

#include <errno.h>
#include <unistd.h>

void sha256_hex(struct sha256_ctx *c, char hex[SHA256_HEX_BYTES])
{
    uint8_t sum[SHA256_DIGEST_SIZE];
    sha256_digest(c, sizeof sum, sum);
    for (size_t i = 0; i < sizeof sum; i++) {
        hex[2 * i] = "0123456789abcdef"[sum[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[sum[i] & 15];
    }
    hex[2 * sizeof sum] = '\0';
}

static struct sha256_ctx added(struct str text)
{
    struct sha256_ctx c;
    sha256_init(&c);
    sha256_update(&c, (size_t)text.n, (const uint8_t *)text.p);
    return c;
}

void sha256_of(struct str text, uint8_t sum[SHA256_DIGEST_SIZE])
{
    struct sha256_ctx c = added(text);
    sha256_digest(&c, SHA256_DIGEST_SIZE, sum);
}

void sha256_hex_of(struct str text, char hex[SHA256_HEX_BYTES])
{
    struct sha256_ctx c = added(text);
    sha256_hex(&c, hex);
}

bool sha256_file(int fd, char hex[SHA256_HEX_BYTES], int64_t *bytes)
{
    uint8_t buf[1 << 16];
    struct sha256_ctx c;
    sha256_init(&c);
    ptrdiff_t k;
    *bytes = 0;
    while ((k = read_all(fd, (char *)buf, sizeof buf)) > 0) {
        sha256_update(&c, (size_t)k, buf);
        *bytes += k;
    }
    sha256_hex(&c, hex);
    return k == 0;
}
