/* merged_json.h - Chrome JSON in which a tool has put the traces of many ranks.
 *
 * SGLang writes each rank's label in front of its processes, "[TP00-DP01] 4242";
 * TraceFusion moves the numbers of processes, and adds to each record its rank and what
 * the number was. Each rank is a trace of its own here: FILE:rank=1 is the second in
 * the order of the file. */
#ifndef FORMATS_MERGED_JSON_H
#define FORMATS_MERGED_JSON_H

#include "trace/byte_source.h"
#include "trace/event_source.h"

/* Whether a file that begins so is of SGLang, and of TraceFusion. */
bool labelled_json_is(struct str head);
bool fused_json_is(struct str head);

MUST_CHECK bool labelled_json_open(struct event_source *events, const char *path,
                                   struct source_options o, struct err *e);
MUST_CHECK bool fused_json_open(struct event_source *events, const char *path,
                                struct source_options o, struct err *e);

#endif
