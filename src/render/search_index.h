/* search_index.h - what the search over the site finds: a script file that assigns one
 * variable, tracefolioSearch = [["name", "what it is", "page.html#id"], ...].
 *
 * Findings, categories, operations, kernels and the words of the glossary, the costly
 * ones first: what does not fit in SEARCH_BYTES_MAX is the cheapest. Loaded when the
 * field is used; pages do not need it. Modules are found through their operations. */
#ifndef RENDER_SEARCH_INDEX_H
#define RENDER_SEARCH_INDEX_H

#include "base/out.h"
#include "report/report.h"

struct arena;

enum { SEARCH_BYTES_MAX = 58000 };

void search_index(struct out *o, const struct report *r, struct arena tmp);

#endif
