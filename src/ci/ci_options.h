/* ci_options.h - what a build asks of a run, as the command line says it.
 *
 * Paths are those the user typed; NULL: not asked for. */
#ifndef CI_CI_OPTIONS_H
#define CI_CI_OPTIONS_H

#include <stdbool.h>

struct ci_options {
    bool detect;             /* --ci: take from the environment what is not given */
    const char *summary;     /* --step-summary: appended to */
    const char *annotations; /* "github", "gitlab", "none" */
    const char *junit, *sarif, *metrics;
    const char *source_root; /* a checkout of what was traced, for places in SARIF */
    const char *email;       /* the HTML file; the text lies beside it */
    const char *waivers;     /* waivers.h */
    const char *date;        /* "2026-01-31": what waivers are judged by */
    const char *badge;       /* a metric, or "gates" */
    const char *run_label, *series, *report_url;
    bool junit_findings;
};

#endif
