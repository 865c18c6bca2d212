/* base64.h - bytes as text of 64 letters, RFC 4648 section 4. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/out.h"

void out_base64(struct out *o, struct str bytes);

#endif
