/* utf8.h - encoding and decoding code points.
 *
 * A writer that must not emit invalid text walks a name with utf8_next and decides what
 * to write for a byte that is not UTF-8. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/str.h"

enum { UTF8_BROKEN = -1, UTF8_REPLACEMENT = 0xFFFD };

/* Removes the next code point from s, which must not be empty. UTF8_BROKEN consumes one
 * byte, which starts no well-formed sequence (overlong forms and surrogates are not
 * well-formed). */
int32_t utf8_next(struct str *s);

/* At most the first n bytes of s, and no part of a character at the end. */
struct str utf8_head(struct str s, ptrdiff_t n);

/* The bytes of a code point; U+FFFD stands for a surrogate or a number above U+10FFFF.
 */
int utf8_bytes(char buf[4], uint32_t code);

/* `s` as one line that is safe to print on a terminal, truncated to fit into buf. Bytes
 * that move the cursor or reverse the text, or are not UTF-8, are shown as \x1b. */
void utf8_visible(char *buf, int buf_bytes, struct str s);

#endif
