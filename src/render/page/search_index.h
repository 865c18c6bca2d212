/* search_index.h - what the search over the site finds: a script file that assigns one
 * variable,
 *
 *   tracefolioSearch = {"pages": ["index.html", ...],
 *                       "entries": [["name", "what it is", page, "id"], ...]}
 *
 * Findings, categories and the words of the glossary first, then operations, kernels
 * and the modules of the call tree in turns, the costly ones first: what does not fit
 * in SEARCH_BYTES_MAX is the cheapest. Loaded when the field is used; pages do not need
 * it.
 */
#ifndef RENDER_PAGE_SEARCH_INDEX_H
#define RENDER_PAGE_SEARCH_INDEX_H

#include "base/out.h"
#include "render/page/kernel_rows.h"
#include "report/report.h"

struct arena;

enum { SEARCH_BYTES_MAX = 290000 };

void search_index(struct out *o, const struct report *r,
                  const struct kernel_lines *kernels, struct arena tmp);

#endif
