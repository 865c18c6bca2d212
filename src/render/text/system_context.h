/* system_context.h - idle time, copies and communication as templates read them. */
#ifndef RENDER_TEXT_SYSTEM_CONTEXT_H
#define RENDER_TEXT_SYSTEM_CONTEXT_H

#include "render/text/context.h"
#include "report/report.h"

/* root.idle, root.multi_kernel: templates/md/idle.md and multi_kernel.md list the keys;
 * pages read the same ones. */
void system_context(cJSON *root, const struct report *r);

/* root.timeline: where wall time goes; root.has_device, root.has_comm:
 * whether there is device time or communication. */
void timeline_context(cJSON *root, const struct report *r);

/* windows.items[]: the two windows that figures are of, for windows.html; nothing where
 * they are the same. */
void windows_context(cJSON *root, const struct report *r);

#endif
