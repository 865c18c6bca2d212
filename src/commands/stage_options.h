/* stage_options.h - the command line as options of each stage: analysis, report,
 * markdown, data files. */
#ifndef STAGE_OPTIONS_H
#define STAGE_OPTIONS_H

#include "commands/options.h"

#include "analysis/trace_analyse.h"
#include "export/pipeline_json.h"
#include "render/markdown/markdown_style.h"
#include "render/text/theme.h"
#include "report/report_build.h"

#include <stdio.h>

/* False if the device is unknown; trace_analyse checks the extensions. */
MUST_CHECK bool trace_options_of(const struct options *o, struct arena *perm,
                                 struct trace_options *t, struct err *e);

/* Says which graph launches were lent operators; nothing without --capture-trace. */
void lent_tell(const struct trace_result *t, FILE *to);

struct markdown_style markdown_style_of(const struct options *o, struct arena *perm);

struct report_options report_options_of(const struct options *o, struct arena *perm,
                                        const struct trace_result *t,
                                        const struct theme *theme,
                                        const struct markdown_style *markdown);

struct pipeline_options pipeline_options_of(const struct options *o,
                                            struct arena *perm);

/* With --strict false, and e, if anything in an extension failed. Other output has been
 * written by then: only the exit status changes. */
MUST_CHECK bool extensions_good(const struct options *o, const struct pattern_host *h,
                                struct err *e);

#endif
