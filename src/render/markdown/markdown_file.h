/* markdown_file.h - one markdown file of a folder, from a template. */
#ifndef RENDER_MARKDOWN_MARKDOWN_FILE_H
#define RENDER_MARKDOWN_MARKDOWN_FILE_H

#include "render/folder/publish.h"
#include "render/text/template.h"

#include <cjson/cJSON.h>

MUST_CHECK bool markdown_file(const struct publish *p, struct template_set *templates,
                              const char *name, const char *template,
                              const cJSON *context, struct arena tmp, struct err *e);

#endif
