/* markdown_filters.h - how the markdown templates show text and numbers.
 *
 * A plain {{value}} is a sentence in a line (markdown_text.h). Filters:
 *   cell                  a sentence in a cell of a table
 *   name, short, kernel   a name in a code span; name_cell, kernel_cell in a cell
 *   code_cell             code, whole, in a cell
 *   args_cell             arguments, each a code span on a line of its cell
 *   block                 lines between fences
 *   id                    letters, digits and -_./ alone: anchors, paths, comments
 *   ms, pct, bytes        as markdown_text.h says
 *   real                  the shortest decimal, without ".0"
 *   length                a time with its unit
 *   factor, megabytes     decimals by size
 *   mark                  two decimals, or null: for programs
 *   share_range, range_ms of {low_pct, high_pct, low_ms, high_ms}: a saving in a
 * sentence; share_span in a table ies, are, verb_s      opportunit{{n | ies}}, is or
 * are, last{{n | verb_s}} yes_no and those of template_filters.h.
 *
 * Templates are templates/md/NAME.md. Those of templates/md/line/ go inside a line:
 * their final newline is dropped. */
#ifndef RENDER_TEXT_MARKDOWN_FILTERS_H
#define RENDER_TEXT_MARKDOWN_FILTERS_H

#include "render/text/template.h"

struct template_set markdown_templates(struct arena *perm);

#endif
