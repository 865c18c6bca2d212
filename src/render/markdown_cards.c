#include "render/markdown_cards.h"

#include <math.h>

enum { NAMED_MEMBERS = 6 };

struct card { /* findings in order; the first speaks */
    const int *findings;
    int n;
};

static const struct report_finding *finding_of(const struct md *m, const struct card *c,
                                               int i)
{
    return &m->r->findings[c->findings[i]];
}

static bool is_unmodelled(const struct report_finding *f)
{
    return str_eq(f->kind, S("unmodelled"));
}

/* Texts that differ in quoted names and in numbers alone say the same. */
static bool is_figure(char c)
{
    return (c >= '0' && c <= '9') || c == '.';
}

static struct str skip_particulars(struct str s)
{
    while (s.n > 0 && (s.p[0] == '`' || is_figure(s.p[0]))) {
        bool code = s.p[0] == '`';
        s = str_skip(s, 1);
        while (s.n > 0 && (code ? s.p[0] != '`' : is_figure(s.p[0])))
            s = str_skip(s, 1);
        s = str_skip(s, code && s.n > 0);
    }
    return s;
}

static bool same_words(struct str x, struct str y)
{
    for (;;) {
        x = skip_particulars(x);
        y = skip_particulars(y);
        if (x.n == 0 || y.n == 0)
            return x.n == y.n;
        if (x.p[0] != y.p[0])
            return false;
        x = str_skip(x, 1);
        y = str_skip(y, 1);
    }
}

/* One card for findings of one pattern that ask for the same. */
static bool same_card(const struct report_finding *a, const struct report_finding *b)
{
    if (a->tier != REPORT_COMPUTE || b->tier != REPORT_COMPUTE ||
        a->priority != b->priority || !str_eq(a->pattern, b->pattern))
        return false;
    return same_words(md_remedy(a), md_remedy(b));
}

/* Gather the findings of order into cards; *members holds them, card after card. */
static int gather(const struct md *m, const int *order, int n, struct card *cards,
                  int *members)
{
    int n_cards = 0, n_members = 0;
    for (int i = 0; i < n; i++) {
        const struct report_finding *lead = &m->r->findings[order[i]];
        bool taken = false;
        for (int k = 0; k < n_members && !taken; k++)
            taken = members[k] == order[i];
        if (taken)
            continue;
        struct card *c = &cards[n_cards++];
        *c = (struct card){&members[n_members], 0};
        for (int k = i; k < n; k++)
            if (k == i || same_card(lead, &m->r->findings[order[k]])) {
                members[n_members++] = order[k];
                c->n++;
            }
    }
    return n_cards;
}

/* ---- one card -------------------------------------------------------------------- */

static void title(const struct md *m, const struct card *c, int number)
{
    const struct report_finding *f = finding_of(m, c, 0);
    if (m->style.by_number)
        out_printf(m->o, "### %.*s Priority %d: ", STRF(md_number_icon(number)),
                   number);
    else
        out_printf(m->o,
                   "### %.*s %.*s Priority: ", STRF(md_priority_icon(f->priority)),
                   STRF(md_priority_word(f->priority)));
    if (c->n > 1 && is_unmodelled(f)) {
        out_printf(m->o, "Headroom of %d operations not known", c->n);
    } else if (c->n > 1) {
        md_title_text(m, f);
        out_printf(m->o, " (%d operations)", c->n);
    } else {
        md_finding_title(m, c->findings[0]);
    }
    out_lit(m->o, "\n\n");
}

static void members(const struct md *m, const struct card *c)
{
    for (int i = 1; i < c->n; i++) {
        const struct report_finding *f = finding_of(m, c, i);
        if (i > NAMED_MEMBERS) {
            out_printf(m->o, "; and %d more", c->n - i);
            return;
        }
        out_c(m->o, i == 1 ? ". Also " : "; ");
        md_name_short(m->o, m->tmp, f->name, MD_LINE);
        out_char(m->o, ' ');
        md_ms(m->o, f->time_ms);
        out_lit(m->o, " ms (");
        md_pct(m->o, f->compute_pct);
        out_lit(m->o, "%)");
        if (isfinite(f->efficiency_pct)) {
            out_lit(m->o, " at ");
            md_pct(m->o, f->efficiency_pct);
            out_lit(m->o, "% of peak");
        }
    }
}

/* Of several operations without a model there is their time to tell, and no more. */
static void issue(const struct md *m, const struct card *c)
{
    const struct report_finding *f = finding_of(m, c, 0);
    double ms = 0, pct = 0;
    if (c->n == 1 || !is_unmodelled(f)) {
        md_prose(m->o, m->tmp, md_first_sentence(f->issue), MD_LINE);
        return;
    }
    for (int i = 0; i < c->n; i++) {
        ms += finding_of(m, c, i)->time_ms;
        pct += finding_of(m, c, i)->compute_pct;
    }
    out_lit(m->o, "Together they take ");
    md_ms(m->o, ms);
    out_lit(m->o, " ms (");
    md_pct(m->o, pct);
    out_lit(m->o, "% of compute), and their efficiency is not known.");
}

/* Where the device computes for less than half of the time, a share of all of it hides
 * what a kernel's gain is worth once the rest is mended. */
static bool is_busy_little(const struct md *m, const struct report_finding *f)
{
    return f->tier != REPORT_SYSTEM && m->r->timeline.computation_pct < 50 &&
           m->r->timeline.computation_ms > 0;
}

static void impact(const struct md *m, const struct card *c)
{
    struct report_range sum = finding_of(m, c, 0)->impact;
    for (int i = 1; i < c->n; i++) {
        const struct report_range *one = &finding_of(m, c, i)->impact;
        sum.low_pct += one->low_pct;
        sum.high_pct += one->high_pct;
        sum.low_ms += one->low_ms;
        sum.high_ms += one->high_ms;
    }
    md_impact(m, &sum);
    out_c(m->o, c->n > 2   ? ", all of them together"
                : c->n > 1 ? ", both together"
                           : "");
    if (is_busy_little(m, finding_of(m, c, 0)) && sum.high_ms > 0) {
        out_lit(m->o, "; that is up to ");
        md_pct(m->o, 100 * sum.high_ms / m->r->timeline.computation_ms);
        out_lit(m->o, "% of the computation");
    }
    if (is_unmodelled(finding_of(m, c, 0)))
        out_lit(m->o, ", estimated from time share, no performance model");
}

static const struct card_link *link_of(const struct report_finding *f,
                                       const struct card_link *links, int n)
{
    struct str id = f->tier == REPORT_FUSION ? S("kernel_fusion") : f->category;
    for (int i = 0; i < n; i++)
        if (str_eq(links[i].category, id))
            return &links[i];
    return NULL;
}

/* Each section that holds one of the findings, once. */
static void see(const struct md *m, const struct card *c, const struct card_link *links,
                int n_links)
{
    int n = 0;
    for (int i = 0; i < c->n; i++) {
        const struct card_link *l = link_of(finding_of(m, c, i), links, n_links);
        bool seen = false;
        for (int k = 0; k < i; k++)
            seen = seen || link_of(finding_of(m, c, k), links, n_links) == l;
        if (!l || seen)
            continue;
        out_c(m->o, n++ ? ", [" : "\u2192 *See [Detailed Analysis: ");
        md_prose(m->o, m->tmp, l->title, MD_LINE);
        out_printf(m->o, "](#%.*s)", STRF(l->anchor));
    }
    out_c(m->o, n ? " for details*\n\n" : "\n");
}

static void card(const struct md *m, const struct card *c, const int *leads, int place,
                 const struct card_link *links, int n_links)
{
    title(m, c, place + 1);
    md_label(m, "Operation");
    md_operation(m, c->findings[0]);
    members(m, c);
    md_line_end(m, false);
    md_label(m, "Issue");
    issue(m, c);
    md_line_end(m, false);
    md_label(m, "Action");
    md_action(m, c->findings[0], leads, place);
    md_line_end(m, false);
    md_label(m, "Impact");
    impact(m, c);
    md_line_end(m, false);
    see(m, c, links, n_links);
}

/* ---- the section ----------------------------------------------------------------- */

static void closing(const struct md *m, int n_cards)
{
    int low = 0;
    for (int i = 0; i < m->r->n_findings; i++)
        low += m->r->findings[i].priority == REPORT_LOW;
    if (n_cards == 0)
        out_lit(m->o,
                "\u2705 No bottleneck meets the criteria; see Detailed Analysis for "
                "the measured efficiencies.\n\n");
    if (low)
        out_printf(m->o, "%d low-priority %s listed in Detailed Analysis.\n\n", low,
                   low == 1 ? "observation is" : "observations are");
    if (n_cards == 0 || low)
        out_lit(m->o, "---\n\n");
}

void markdown_cards(const struct md *m, const struct card_link *links, int n_links)
{
    struct md inner = *m;
    int most = m->r->n_findings;
    int *order = arena_new(&inner.tmp, int, most);
    int *found = arena_new(&inner.tmp, int, most);
    int *leads = arena_new(&inner.tmp, int, most);
    struct card *cards = arena_new(&inner.tmp, struct card, most);
    int n = gather(m, order, md_fair_order(m->r, order), cards, found);
    for (int i = 0; i < n; i++)
        leads[i] = cards[i].findings[0];
    out_lit(m->o, "## Recommendations\n\n"
                  "**Note:** Recommendations are prioritized based on:\n"
                  "1. Presence in Top Operations list (highest impact)\n"
                  "2. Efficiency gap (how much improvement is possible)\n"
                  "3. Category compute percentage\n\n");
    for (int i = 0; i < n; i++) {
        card(&inner, &cards[i], leads, i, links, n_links);
        out_lit(m->o, "---\n\n");
    }
    closing(m, n);
}
