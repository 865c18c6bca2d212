/* store_redact.h - what a trace says of its makers is removed before anything reads it:
 * what is not in the store cannot be in a report, a table, an excerpt or a package.
 *
 *   internal  paths of a machine to the part that a library or a project has
 *   partner   to the part that a library has, or the name of the file; names of
 *             processes and threads away
 *   public    and modules, annotations, and frames that are of no known library, or whose file
 *             there is called after a model, to numbers, in the order of their first event;
 *             recorded call stacks away
 *
 * Marks of steps, of collectives and of engines stay: the analysis is of them. */
#ifndef STORE_STORE_REDACT_H
#define STORE_STORE_REDACT_H

#include "store/event_store.h"

enum redact_level { REDACT_INTERNAL, REDACT_PARTNER, REDACT_PUBLIC };

void store_redact(struct event_store *s, enum redact_level level);

/* Shapes, strides and values of arguments away, grids of launches too. Types stay, and
 * how much a copy or a collective moved. */
void store_hide_shapes(struct event_store *s);

#endif
