/* json_text.h - JSON onto a sink: strict, the same bytes for the same tree.
 *
 * Valid UTF-8 whatever comes in (a broken byte becomes U+FFFD), numbers with the
 * shortest digits that read back, NaN and infinities as null, keys in the order they
 * were added. Owns nothing. */
#ifndef RENDER_JSON_TEXT_H
#define RENDER_JSON_TEXT_H

#include "base/str.h"

struct cJSON;
struct out;

enum json_use {
    JSON_FILE,  /* two spaces of indent: a file people may open */
    JSON_LINE,  /* no white space but one after ',' and ':' */
    JSON_SCRIPT /* no white space, and < > & escaped: may stand inside a script file */
};

/* U+2028 and U+2029 are escaped everywhere: a script reads them as line ends. */
void json_string(struct out *o, struct str s);
void json_script_string(struct out *o, struct str s);

/* For files of ours that hold names of a trace and may not hold a word that calls for
 * something, not even in a name: who scans them cannot tell the two apart. */
void json_data_string(struct out *o, struct str s);

/* Whole numbers below 2^53 without a point, as cJSON's readers expect of a count. */
void json_real(struct out *o, double v);

/* A tree of at most CJSON_NESTING_LIMIT levels; what is deeper becomes null. JSON_FILE
 * ends with a newline. */
void json_tree(struct out *o, const struct cJSON *tree, enum json_use use);

#endif
