/* stack_files.h - stacks with their time for tools that draw flame graphs: folded text
 * (flamegraph.pl, inferno), JSON of speedscope, profile.proto of pprof. */
#ifndef EXPORT_STACK_FILES_H
#define EXPORT_STACK_FILES_H

#include "analysis/stack/stack_paths.h"

struct out;

enum stack_form { STACKS_FOLDED, STACKS_SPEEDSCOPE, STACKS_PPROF, STACK_FORMS };

/* `title`: what was traced. Paths without time are left out. */
void stack_file_write(struct out *o, enum stack_form form, const struct stack_paths *p,
                      struct str title);

#endif
