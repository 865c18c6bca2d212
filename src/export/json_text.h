/* json_text.h - writes JSON to a sink: strict, the same bytes for the same tree.
 *
 * Always valid UTF-8 (a broken byte becomes U+FFFD), numbers with the fewest digits
 * that read back exactly, NaN and infinities as null, keys in the order they were
 * added. Owns nothing. */
#ifndef EXPORT_JSON_TEXT_H
#define EXPORT_JSON_TEXT_H

#include "base/str.h"

struct cJSON;
struct out;

enum json_use {
    JSON_FILE,   /* two-space indent, for files people may open */
    JSON_LINE,   /* no white space but one after ',' and ':' */
    JSON_SCRIPT, /* no white space, and < > & escaped: safe inside a script file */
    JSON_DATA    /* the same with texts as of json_data_string */
};

/* U+2028 and U+2029 are escaped, here and in trees: a script reads them as line ends.
 */
void json_script_string(struct out *o, struct str s);

/* For files that hold names from the trace but must not contain any word that sounds
 * like an instruction, even in a name: a scanner cannot tell the two apart. */
void json_data_string(struct out *o, struct str s);

/* A tree of at most CJSON_NESTING_LIMIT levels; anything deeper becomes null. JSON_FILE
 * ends with a newline. */
void json_tree(struct out *o, const struct cJSON *tree, enum json_use use);

/* A document on standard output; it is deleted. */
void json_print(struct cJSON *root);

/* `tree`, which it deletes, as its text in a JSON_FILE where it lies `depth` levels
 * deep: a fifth of the memory, for one of many rows. */
struct cJSON *json_packed(struct cJSON *tree, int depth);

#endif
