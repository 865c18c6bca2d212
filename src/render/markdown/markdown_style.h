/* markdown_style.h - what a user may choose about the markdown reports. */
#ifndef RENDER_MARKDOWN_MARKDOWN_STYLE_H
#define RENDER_MARKDOWN_MARKDOWN_STYLE_H

#include "base/str.h"

struct markdown_style {
    bool no_markers;  /* no comments for programs in standalone_analysis.md */
    bool by_number;   /* fair report: "Priority 1" and "Top Bottlenecks" */
    bool analysis_md; /* standalone_analysis.md under the name analysis.md, too */
    struct str stamp; /* a line of the rough report, "2026-01-31 12:00 UTC"; or empty */
};

#endif
