/* base64.h - base64 encoding, RFC 4648 section 4. */
#ifndef RENDER_TEXT_BASE64_H
#define RENDER_TEXT_BASE64_H

#include "base/out.h"

void out_base64(struct out *o, struct str bytes);

#endif
