/* sentence.h - a sentence of the report as markup.
 *
 * Only `code spans` act, so a name that a trace brings, quoted or not, can be neither a
 * link nor a tag nor emphasis. What stands between two backticks is a name: monospace,
 * not translated, with places to wrap. Owns nothing. */
#ifndef RENDER_SENTENCE_H
#define RENDER_SENTENCE_H

#include "base/out.h"
#include "base/str.h"

struct cJSON;

void sentence_html(struct out *o, struct str text);

/* object[key] = the sentence; `key` ends in "_html". */
void sentence_put(struct cJSON *object, const char *key, struct str text);

/* The same without its backticks, for places that are text: a title, a label. */
struct str sentence_plain(struct arena *a, struct str text);

#endif
