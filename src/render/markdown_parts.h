/* markdown_parts.h - what the markdown reports share: headings, cards, figures of
 * findings.
 *
 * Knows how a finding, its impact and its efficiency read in a markdown file; which of
 * them are recommendations, and in which order. Internal to the markdown writers. */
#ifndef RENDER_MARKDOWN_PARTS_H
#define RENDER_MARKDOWN_PARTS_H

#include "base/arena.h"
#include "render/markdown_style.h"
#include "render/markdown_text.h"
#include "report/report_detail.h"

#define MD_DASH "\xe2\x80\x94"

/* One file being written. */
struct md {
    struct out *o;
    struct arena tmp; /* scratch; callees take copies */
    const struct report *r;
    const struct report_detail *d;
    struct markdown_style style;
    int level;        /* of a heading that a findings file would write as "##" */
    bool projections; /* impact projections follow each bottleneck */
};

struct str md_priority_word(enum report_priority p); /* "Critical" */
struct str md_priority_icon(enum report_priority p);
struct str md_number_icon(int n); /* 1 red, 2 yellow, then green */

/* "## " with the level shifted by `down`; the caller ends the line. */
void md_heading(const struct md *m, int down);

/* "**Label**: " on a line of its own; md_line_end makes the next field a line too. */
void md_label(const struct md *m, const char *label);
void md_line_end(const struct md *m, bool last);

/* "<a id="..."></a>" and a blank line. */
void md_anchor_line(const struct md *m, const char *id);

/* "~3.1% to ~5.2% E2E (saves about 1.1 to 1.8 ms of 33.1 ms)"; the shares alone. */
void md_impact(const struct md *m, const struct report_range *range);
void md_share_range(const struct md *m, double low_pct, double high_pct);

/* "9.6% of peak HBM BW (0.51 TB/s of 5.3 TB/s)", or "not modelled". */
void md_finding_efficiency(const struct md *m, const struct report_finding *f);

/* "9.6% of 5.3 TB/s [ANOMALY]", or a dash. */
void md_row_efficiency(const struct md *m, const struct report_work *w);

/* Path A and path B, first sentences; a remedy that an earlier card of this file gave
 * in the same words is named, not said again. */
void md_action(const struct md *m, int finding, const int *order, int place);

/* The operator of a finding with its first shapes, for a card. */
void md_operation(const struct md *m, int finding);

/* How many operators its rows have beside the one that names it. */
int md_other_operators(const struct md *m, int finding);

/* Its title as it stands, an operator in it as code. */
void md_title_text(const struct md *m, const struct report_finding *f);

/* Its title, with the operator where two recommendations share one. */
void md_finding_title(const struct md *m, int finding);

/* Evidence that a table or a bullet beside it does not show already. */
bool md_is_new_evidence(const struct report_finding *f, struct str sentence);

/* The first sentence of path A, which two findings with one remedy share. */
struct str md_remedy(const struct report_finding *f);

/* The module chain, outermost first, joined by '>'. */
void md_modules(const struct md *m, const struct str *modules, int n);

/* Findings that are recommendations (medium and above, at most ten of kernels), in the
 * order of the fair report. Returns how many; order has room for all findings. */
int md_fair_order(const struct report *r, int *order);

/* Recommendations of one tier by their number in it. */
int md_tier_order(const struct report *r, enum report_tier tier, int *order);

/* A system finding of `category` ("cpu_idle"); a compute finding of a section. */
bool md_finding_of(const struct report_finding *f, enum report_tier tier,
                   struct str category);

/* A fact of a row: NaN or the empty text where there is none. */
double md_fact(const struct report_named *facts, int n, const char *key);
struct str md_fact_text(const struct report_named *facts, int n, const char *key);

/* "# <Model> - <Platform>", and the same in a sentence. */
struct str md_platform(const struct report *r);
void md_title(const struct md *m, const char *ending);

/* A size: 512 B, 1.50 KiB, 12.0 MiB. */
void md_bytes(const struct md *m, double bytes);

/* Hardware bullets of the appendix, and the replay list. */
void md_hardware(const struct md *m, bool all_peaks);
void md_replays(const struct md *m);

/* The warnings section with its heading; nothing where there is nothing to say. */
bool md_has_warnings(const struct md *m);
void md_warnings(const struct md *m);

#endif
