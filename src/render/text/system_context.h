/* system_context.h - idle time, copies and communication as templates read them. */
#ifndef RENDER_TEXT_SYSTEM_CONTEXT_H
#define RENDER_TEXT_SYSTEM_CONTEXT_H

#include "render/text/context.h"
#include "report/report.h"

/* root.idle, root.multi_kernel: templates/md/idle.md and multi_kernel.md list the keys;
 * pages read the same ones. */
void system_context(cJSON *root, const struct report *r);

/* root.timeline: where wall time goes, also returned; root.has_device, root.has_comm:
 * whether there is device time or communication. */
cJSON *timeline_context(cJSON *root, const struct report *r);

/* o.status: {ok: true}; o.failed, o.error: of one analyser. */
void status_context(cJSON *o, enum analyser_status status, struct str error);

#endif
