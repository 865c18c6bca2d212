/* markdown_rough.h - standalone_analysis_rough.md: the working notes.
 *
 * Every table, every threshold that fired, every call stack, and what the trace could
 * not say. For the person who wants to check or go on. */
#ifndef RENDER_MARKDOWN_ROUGH_H
#define RENDER_MARKDOWN_ROUGH_H

#include "render/markdown_parts.h"

void markdown_rough(const struct md *m);

#endif
