/* host_context.h - the profile of a host as templates read it. */
#ifndef RENDER_TEXT_HOST_CONTEXT_H
#define RENDER_TEXT_HOST_CONTEXT_H

#include "render/text/context.h"
#include "report/report.h"

/* root.host, null for a trace with device work: operators, modules, threads, each
 * {list: [row], more}; templates/host.html lists the keys. */
void host_context(cJSON *root, const struct report *r);

#endif
