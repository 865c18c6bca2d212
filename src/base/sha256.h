/* sha256.h - SHA-256 of texts and files, in hex.
 *
 * Uses Nettle, which uses the processor's SHA instructions if it has them: 1.2 GB/s on
 * a machine where portable C reaches 0.34. Every byte read and nearly every byte
 * written goes through here. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "base/str.h"

#include <nettle/sha2.h>

enum { SHA256_HEX_BYTES = 2 * SHA256_DIGEST_SIZE + 1 };

/* The digest of what was added to `c`, which is empty afterwards. */
void sha256_hex(struct sha256_ctx *c, char hex[SHA256_HEX_BYTES]);

void sha256_of(struct str text, uint8_t sum[SHA256_DIGEST_SIZE]);
void sha256_hex_of(struct str text, char hex[SHA256_HEX_BYTES]);

/* Digests and counts the rest of an open file. False on failure, with errno set. */
bool sha256_file(int fd, char hex[SHA256_HEX_BYTES], int64_t *bytes);

#endif
