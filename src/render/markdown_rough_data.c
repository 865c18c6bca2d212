/* The data half of the working notes: tables, call trees, gaps, questions. */
#include "render/markdown_rough_parts.h"

#include <math.h>

/* ---- raw data -------------------------------------------------------------------- */

static void work_row(const struct md *m, const struct report_work *w)
{
    out_lit(m->o, "| ");
    md_name(m->o, m->tmp, w->name, MD_CELL);
    if (w->args.n) {
        out_char(m->o, ' ');
        md_name(m->o, m->tmp, w->args, MD_CELL);
    }
    out_printf(m->o, " | %lld | ", (long long)w->count);
    md_ms(m->o, w->time_ms);
    out_lit(m->o, " | ");
    md_real(m->o, w->mean_us, 2);
    out_lit(m->o, " | ");
    md_pct(m->o, w->compute_pct);
    out_lit(m->o, "% | ");
    md_real(m->o, w->flop_per_byte, 1);
    out_lit(m->o, " | ");
    md_real(m->o, w->tflop_per_s, 2);
    out_lit(m->o, " | ");
    md_real(m->o, w->tb_per_s, 2);
    out_lit(m->o, " | ");
    md_row_efficiency(m, w);
    out_lit(m->o, " | ");
    md_kernel(m->o, m->tmp, w->kernel, MD_CELL);
    out_lit(m->o, " | ");
    for (int i = 0; i < w->n_patterns; i++) {
        out_c(m->o, i ? ", " : "");
        md_name(m->o, m->tmp, w->patterns[i], MD_CELL);
    }
    out_lit(m->o, " |\n");
}

static void section_table(const struct md *m, const struct report_section *s)
{
    out_printf(m->o, "### %.*s\n\n", STRF(s->label));
    out_lit(m->o,
            "| Operation | Count | Time (ms) | Mean (us) | % of Compute | FLOPS/Byte | "
            "TFLOPS | TB/s | Efficiency | Kernel | Patterns |\n"
            "|-----------|-------|-----------|-----------|--------------|------------|"
            "--------|------|------------|--------|----------|\n");
    for (int i = 0; i < s->n_rows; i++)
        work_row(m, &s->rows[i]);
    out_char(m->o, '\n');
    double simple = md_fact(s->facts, s->n_facts, "baseline_tbs_simple");
    double weighted = md_fact(s->facts, s->n_facts, "baseline_tbs");
    double pct = md_fact(s->facts, s->n_facts, "baseline_pct");
    if (!isfinite(pct))
        return;
    out_lit(m->o, "Elementwise baseline: ");
    md_real(m->o, weighted, 2);
    out_lit(m->o, " TB/s weighted by time (plain mean ");
    md_real(m->o, simple, 2);
    out_lit(m->o, "), ");
    md_pct(m->o, pct);
    out_c(m->o, md_fact(s->facts, s->n_facts, "baseline_assumed") > 0
                    ? "% of peak, assumed since no row qualifies.\n\n"
                    : "% of peak.\n\n");
}

static void copies(const struct md *m)
{
    const struct report_multi_kernel *k = &m->d->multi_kernel;
    out_lit(m->o, "### Memory Copies and Communication\n\n"
                  "| What | Count | Time (ms) | Longest (us) | Bytes |\n"
                  "|------|-------|-----------|--------------|-------|\n");
    for (int i = 0; i < 4; i++) {
        out_printf(m->o, "| %.*s | %lld | ", STRF(k->copies[i].direction),
                   (long long)k->copies[i].count);
        md_ms(m->o, k->copies[i].total_ms);
        out_lit(m->o, " | ");
        md_real(m->o, k->copies[i].max_us, 2);
        out_lit(m->o, " | ");
        if (k->copies[i].bytes >= 0)
            out_i64(m->o, k->copies[i].bytes);
        else
            out_lit(m->o, MD_DASH);
        out_lit(m->o, " |\n");
    }
    out_printf(m->o, "| Communication | %lld | ", (long long)k->comm_count);
    md_ms(m->o, k->comm_total_ms);
    out_lit(m->o, " | ");
    md_real(m->o, k->comm_max_us, 2);
    out_lit(m->o, " | " MD_DASH " |\n\n");
}

static void lowering(const struct md *m)
{
    int n = 0;
    out_lit(m->o, "### Kernel Lowering Differences\n\n");
    for (int i = 0; i < m->d->n_sections; i++)
        for (int k = 0; k < m->d->sections[i].n_rows; k++) {
            const struct report_work *w = &m->d->sections[i].rows[k];
            struct str other = md_fact_text(w->facts, w->n_facts, "lowering_kernel");
            if (other.n == 0)
                continue;
            out_lit(m->o, "- ");
            md_name(m->o, m->tmp, w->name, MD_LINE);
            out_char(m->o, ' ');
            md_name(m->o, m->tmp, w->args, MD_LINE);
            out_lit(m->o, " runs ");
            md_kernel(m->o, m->tmp, w->kernel, MD_LINE);
            out_lit(m->o, " at ");
            md_pct(m->o, w->efficiency_pct);
            out_lit(m->o, "%; another shape runs ");
            md_kernel(m->o, m->tmp, other, MD_LINE);
            out_lit(m->o, " at ");
            md_pct(m->o, md_fact(w->facts, w->n_facts, "lowering_pct"));
            out_lit(m->o, "%\n");
            n++;
        }
    out_c(m->o, n ? "\n"
                  : "None: no operator is served by kernels of clearly different "
                    "efficiency.\n\n");
}

static void validation(const struct md *m)
{
    static const char *const words[] = {[CHECK_PASSED] = "passed",
                                        [CHECK_WARNING] = "warning",
                                        [CHECK_FAILED] = "failed",
                                        [CHECK_NOT_EVALUATED] = "not evaluated"};
    out_lit(m->o, "### Validation\n\n| Check | Result | Measured |\n"
                  "|-------|--------|----------|\n");
    for (int i = 0; i < m->r->n_checks; i++) {
        const struct report_check *c = &m->r->checks[i];
        out_lit(m->o, "| ");
        md_prose(m->o, m->tmp, c->name, MD_CELL);
        out_printf(m->o, " | %s | ", words[c->result]);
        md_prose(m->o, m->tmp, c->value, MD_CELL);
        out_lit(m->o, " |\n");
    }
    out_char(m->o, '\n');
}

void rough_raw_data(const struct md *m)
{
    out_lit(m->o, "## Raw Data Exploration\n\n");
    for (int i = 0; i < m->d->n_sections; i++)
        if (m->d->sections[i].n_rows > 0)
            section_table(m, &m->d->sections[i]);
    copies(m);
    lowering(m);
    validation(m);
}

/* ---- call trees ------------------------------------------------------------------ */

static void siblings(const struct md *m, const struct report_call *c)
{
    enum { MOST = 12 };
    if (c->n_siblings == 0)
        return;
    out_lit(m->o, "- Siblings with device work: ");
    for (int i = 0; i < c->n_siblings && i < MOST; i++) {
        out_c(m->o, i ? "; " : "");
        md_name(m->o, m->tmp, c->siblings[i].name, MD_LINE);
        out_char(m->o, ' ');
        md_real(m->o, c->siblings[i].gpu_us, 2);
        out_lit(m->o, " us");
    }
    if (c->n_siblings > MOST)
        out_printf(m->o, " and %d more", c->n_siblings - MOST);
    out_char(m->o, '\n');
}

static void call(const struct md *m, const struct report_call *c)
{
    out_lit(m->o, "#### ");
    md_name(m->o, m->tmp, c->name, MD_LINE);
    out_printf(m->o, " (UID %lld)\n\n", (long long)c->uid);
    if (c->args.n) {
        out_lit(m->o, "- Arguments: ");
        md_name(m->o, m->tmp, c->args, MD_LINE);
        out_char(m->o, '\n');
    }
    out_printf(m->o, "- Instances: %lld\n", (long long)c->instances);
    if (c->n_modules) {
        out_lit(m->o, "- Modules: ");
        md_modules(m, c->modules, c->n_modules);
        out_char(m->o, '\n');
    }
    if (c->launcher.n) {
        out_lit(m->o, "- Launched at: ");
        md_name(m->o, m->tmp, c->launcher, MD_LINE);
        out_char(m->o, '\n');
    }
    siblings(m, c);
    if (c->notes.n) {
        out_lit(m->o, "- Note: ");
        md_prose(m->o, m->tmp, c->notes, MD_LINE);
        out_char(m->o, '\n');
    }
    out_lit(m->o, "\nParent chain of its first call, root first:\n\n");
    md_block(m->o, m->tmp, c->stack.n ? c->stack : S("(no host event above it)"));
    out_lit(m->o, "\nIts subtree, with device time:\n\n");
    md_block(m->o, m->tmp, c->subtree.n ? c->subtree : S("(no host event)"));
    out_char(m->o, '\n');
}

static void candidate(const struct md *m, const struct report_fusion *c)
{
    out_lit(m->o, "| ");
    md_name(m->o, m->tmp, c->module, MD_CELL);
    out_lit(m->o, " | ");
    md_prose(m->o, m->tmp, c->pattern.n ? c->pattern : S(MD_DASH), MD_CELL);
    out_printf(m->o, " | %d kernels x %lld instances | ", c->n_kernels,
               (long long)c->instances);
    md_ms(m->o, c->total_ms);
    out_lit(m->o, " | ");
    md_ms(m->o, c->saving_ms);
    out_lit(m->o, " | ");
    if (c->accepted)
        out_lit(m->o, "accepted");
    else
        md_prose(m->o, m->tmp, c->reason.n ? c->reason : S("rejected"), MD_CELL);
    out_lit(m->o, " |\n");
}

void rough_trees(const struct md *m)
{
    enum { MOST_CANDIDATES = 60 };
    const struct report_detail *d = m->d;
    int n = 0;
    out_lit(m->o, "## Tree Analysis\n\n");
    for (int i = 0; i < d->n_sections; i++) {
        if (d->sections[i].n_calls == 0)
            continue;
        out_printf(m->o, "### Calls of %.*s\n\n", STRF(d->sections[i].label));
        for (int k = 0; k < d->sections[i].n_calls; k++, n++)
            call(m, &d->sections[i].calls[k]);
    }
    if (n == 0)
        out_lit(m->o, "The trace holds no host events to build a call tree from.\n\n");
    out_lit(m->o, "### Fusion Candidates\n\n");
    if (d->n_fusion == 0) {
        out_lit(m->o, "None found.\n\n");
        return;
    }
    out_lit(m->o, "| Module | Pattern | Size | Total (ms) | Saving (ms) | Verdict |\n"
                  "|--------|---------|------|------------|-------------|---------|\n");
    for (int i = 0; i < d->n_fusion && i < MOST_CANDIDATES; i++)
        candidate(m, &d->fusion[i]);
    if (d->n_fusion > MOST_CANDIDATES)
        out_printf(m->o, "\n%d more candidates were rejected.\n",
                   d->n_fusion - MOST_CANDIDATES);
    out_char(m->o, '\n');
}

/* ---- gaps ------------------------------------------------------------------------ */

static void unmodelled(const struct md *m)
{
    int n = 0;
    for (int i = 0; i < m->d->n_sections; i++)
        for (int k = 0; k < m->d->sections[i].n_rows; k++) {
            const struct report_work *w = &m->d->sections[i].rows[k];
            if (w->has_model || m->d->sections[i].communication ||
                !(w->compute_pct >= 0.1))
                continue;
            out_c(m->o, n++ ? ""
                            : "Operations without a performance model (0.1% of "
                              "compute and more):\n\n"
                              "| Operation | Time (ms) | % of Compute |\n"
                              "|-----------|-----------|--------------|\n");
            out_lit(m->o, "| ");
            md_name(m->o, m->tmp, w->name, MD_CELL);
            out_c(m->o, w->args.n ? " " : "");
            if (w->args.n)
                md_name(m->o, m->tmp, w->args, MD_CELL);
            out_lit(m->o, " | ");
            md_ms(m->o, w->time_ms);
            out_lit(m->o, " | ");
            md_pct(m->o, w->compute_pct);
            out_lit(m->o, "% |\n");
        }
    out_c(m->o, n ? "\n" : "");
}

static void fallback_gap(const struct md *m)
{
    int n = 0;
    for (int i = 0; i < m->d->n_sections; i++)
        for (int k = 0; k < m->d->sections[i].n_rows; k++)
            n += m->d->sections[i].rows[k].peak_fallback;
    if (n)
        out_printf(
            m->o,
            "- The platform file has no peak for the precision of %d %s; the BF16 "
            "matrix peak stands in.\n",
            n, n == 1 ? "row" : "rows");
}

void rough_gaps(const struct md *m)
{
    const struct report_meta *t = &m->r->meta;
    out_lit(m->o, "## TraceLens Gaps\n\n");
    unmodelled(m);
    if (m->r->timeline.unlinked_events > 0) {
        out_printf(m->o, "- %lld device events have no launch call in the trace; ",
                   (long long)m->r->timeline.unlinked_events);
        md_ms(m->o, m->r->timeline.unlinked_ms);
        out_c(m->o, m->r->timeline.unlinked_included
                        ? " ms of the timeline are theirs alone.\n"
                        : " ms that only they keep the device busy are left out.\n");
    }
    if (!t->has_shapes)
        out_lit(m->o,
                "- Shapes were not recorded, so patterns that need dimensions were "
                "skipped.\n");
    if (!t->has_frames)
        out_lit(m->o, "- Python frames were not recorded, so operations cannot be "
                      "traced to modules.\n");
    if (t->has_graphs)
        out_lit(m->o,
                "- GPU graph launches hide the operators behind their kernels.\n");
    if (!t->has_cpu_op)
        out_lit(m->o,
                "- Host operators were not recorded, so kernels stay unattributed.\n");
    fallback_gap(m);
    out_lit(m->o,
            "- Idle time is measured per gap, but why the host was late is not in "
            "the trace.\n");
    if (m->d->multi_kernel.comm_count > 0)
        out_lit(m->o,
                "- Communication is seen from one rank: waiting and transfer cannot "
                "be told apart.\n");
    out_char(m->o, '\n');
}

/* ---- questions ------------------------------------------------------------------- */

static int variance_questions(const struct md *m)
{
    int n = 0;
    for (int i = 0; i < m->d->n_sections; i++)
        for (int k = 0; k < m->d->sections[i].n_rows; k++) {
            const struct report_work *w = &m->d->sections[i].rows[k];
            if (!w->high_variance && !w->anomaly)
                continue;
            out_lit(m->o, "- ");
            md_name(m->o, m->tmp, w->name, MD_LINE);
            out_c(m->o, w->anomaly ? " exceeds the peak: is its model right for this "
                                     "kernel, or the platform file?\n"
                                   : " varies strongly from call to call: what differs "
                                     "between the calls?\n");
            n++;
        }
    return n;
}

static bool is_unknown(const struct report_work *w)
{
    struct str label = md_fact_text(w->facts, w->n_facts, "kernel_label");
    return w->compute_pct >= 1 && str_eq_nocase(label, S("unknown"));
}

/* One question for all operations of which the kernels' names tell nothing. */
static int kind_question(const struct md *m)
{
    enum { NAMED = 6 };
    struct str seen[NAMED];
    int n = 0, more = 0;
    for (int i = 0; i < m->d->n_sections; i++)
        for (int k = 0; k < m->d->sections[i].n_rows; k++) {
            const struct report_work *w = &m->d->sections[i].rows[k];
            bool known = !is_unknown(w);
            for (int s = 0; s < n && !known; s++)
                known = str_eq(seen[s], w->name);
            if (known || n == NAMED) {
                more += !known;
                continue;
            }
            seen[n++] = w->name;
            out_c(m->o, n > 1 ? ", " : "- What do the kernels of ");
            md_name_short(m->o, m->tmp, w->name, MD_LINE);
        }
    if (more)
        out_printf(m->o, " and %d more %s", more, more == 1 ? "row" : "rows");
    out_c(m->o, n ? " do? Their names tell no kind.\n" : "");
    return n > 0;
}

static int lowering_questions(const struct md *m)
{
    int n = 0;
    for (int i = 0; i < m->d->n_sections; i++)
        for (int k = 0; k < m->d->sections[i].n_rows; k++) {
            const struct report_work *w = &m->d->sections[i].rows[k];
            if (md_fact_text(w->facts, w->n_facts, "lowering_kernel").n == 0 ||
                w->compute_pct < 1)
                continue;
            out_lit(m->o, "- Why is a slower kernel chosen for ");
            md_name(m->o, m->tmp, w->name, MD_LINE);
            out_c(m->o, w->args.n ? " " : "");
            if (w->args.n)
                md_name(m->o, m->tmp, w->args, MD_LINE);
            out_lit(m->o, "?\n");
            n++;
        }
    return n;
}

/* What the host did in a gap is open; a launch call that took long is known. */
static int gap_questions(const struct md *m)
{
    const struct report_idle *idle = &m->d->idle;
    int n = 0, calls = 0;
    double longest_us = 0;
    for (int i = 0; i < idle->n_gaps; i++) {
        const struct report_gap *g = &idle->gaps[i];
        if (!(g->duration_us > 1000))
            continue;
        if (str_starts(g->cause, S("the call that launched"))) {
            longest_us = g->duration_us > longest_us ? g->duration_us : longest_us;
            calls++;
            continue;
        }
        out_lit(m->o, "- What does the host do for ");
        md_real(m->o, g->duration_us / 1000, 2);
        out_lit(m->o, " ms after ");
        md_kernel(m->o, m->tmp, g->before, MD_LINE);
        out_lit(m->o, "?\n");
        n++;
    }
    if (calls) {
        out_lit(m->o, "- Do launch calls that keep the device waiting for up to ");
        md_real(m->o, longest_us / 1000, 2);
        out_lit(m->o, " ms come back in a process that is warm?\n");
    }
    return n + (calls > 0);
}

/* One question for all operations that could have a package. */
static int replay_question(const struct md *m)
{
    enum { NAMED = 5 };
    int n = 0;
    for (int i = 0; i < m->r->n_findings; i++) {
        const struct report_finding *f = &m->r->findings[i];
        bool known = !f->replay_recommended || f->kit.n > 0 || f->no_kit.n > 0;
        for (int k = 0; k < i && !known; k++)
            known = str_eq(m->r->findings[k].name, f->name);
        if (known || n++ >= NAMED)
            continue;
        out_c(m->o,
              n > 1 ? ", " : "- Are these as slow when they are replayed alone: ");
        md_name(m->o, m->tmp, f->name, MD_LINE);
    }
    if (n > NAMED)
        out_printf(m->o, " and %d more", n - NAMED);
    out_c(m->o, n ? "? `--replay NAME` makes a package.\n" : "");
    return n > 0;
}

void rough_questions(const struct md *m)
{
    out_lit(m->o, "## Questions for Further Investigation\n\n");
    int n = variance_questions(m) + kind_question(m) + lowering_questions(m) +
            gap_questions(m);
    for (int i = 0; i < m->d->n_sections; i++)
        if (str_eq(m->d->sections[i].id, S("moe_fused")) && m->d->sections[i].n_rows) {
            out_lit(m->o, "- Are tokens spread evenly over experts? Cannot be assessed "
                          "from trace data; byte counts assume that they are.\n");
            n++;
        }
    n += replay_question(m);
    out_c(m->o, n ? "" : "None.\n");
}
