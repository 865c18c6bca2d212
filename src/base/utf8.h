/* utf8.h - code points in and out of bytes.
 *
 * A writer that must not emit broken text walks a name with utf8_next and decides
 * itself what a byte that is not UTF-8 becomes. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/str.h"

struct out;

enum { UTF8_BROKEN = -1, UTF8_REPLACEMENT = 0xFFFD };

/* Take the next code point off s, which must not be empty. UTF8_BROKEN takes one byte:
 * it begins no well-formed sequence (overlong forms and surrogates are not
 * well-formed). */
int32_t utf8_next(struct str *s);

/* The bytes of a code point; U+FFFD stands for a surrogate or a number above U+10FFFF.
 */
int utf8_bytes(char buf[4], uint32_t code);
void utf8_write(struct out *o, uint32_t code);

#endif
