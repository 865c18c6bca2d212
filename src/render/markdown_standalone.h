/* markdown_standalone.h - standalone_analysis.md: the system tier, the kernel tier and
 * fusion, each fit to be cut out and passed on alone.
 *
 * Comments mark impacts for programs: `impact-begin`, `top-ops-row`, `impact-end`,
 * `reasoning-candidate` (analysis.md 6.4). Programs should rather read report.json. */
#ifndef RENDER_MARKDOWN_STANDALONE_H
#define RENDER_MARKDOWN_STANDALONE_H

#include "render/markdown_parts.h"

void markdown_standalone(const struct md *m);

#endif
