/* json_put.h - arguments of other formats, as JSON for json_value. */
#ifndef FORMATS_JSON_PUT_H
#define FORMATS_JSON_PUT_H

#include "base/out.h"

/* With quotes; bytes that are not UTF-8 stay as they are, as json_value reads them. */
void json_put_string(struct out *o, struct str s);

/* A number as it is; NaN and infinities as null. */
void json_put_real(struct out *o, double v);

/* Whether the whole of s is one JSON value. */
bool json_is_value(struct str s);

#endif
