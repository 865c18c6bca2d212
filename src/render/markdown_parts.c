#include "render/markdown_parts.h"

#include <math.h>
#include <string.h>

/* ---- words ----------------------------------------------------------------------- */

struct str md_priority_word(enum report_priority p)
{
    const struct str words[] = {S("Low"), S("Medium"), S("High"), S("Critical")};
    return words[p];
}

struct str md_priority_icon(enum report_priority p)
{
    const struct str icons[] = {S("\u26AA"), S("\U0001F7E2"), S("\U0001F7E1"),
                                S("\U0001F534")};
    return icons[p];
}

struct str md_number_icon(int n)
{
    return md_priority_icon(n == 1   ? REPORT_CRITICAL
                            : n == 2 ? REPORT_HIGH
                                     : REPORT_MEDIUM);
}

struct str md_platform(const struct report *r)
{
    if (r->meta.platform.n)
        return r->meta.platform;
    return r->meta.device_name.n ? r->meta.device_name : S("Unknown Platform");
}

void md_title(const struct md *m, const char *ending)
{
    out_lit(m->o, "# ");
    md_prose(m->o, m->tmp, m->r->meta.model.n ? m->r->meta.model : S("Workload"),
             MD_LINE);
    out_lit(m->o, " - ");
    md_prose(m->o, m->tmp, md_platform(m->r), MD_LINE);
    out_printf(m->o, " Standalone Analysis%s\n\n", ending);
}

/* ---- lines ----------------------------------------------------------------------- */

void md_heading(const struct md *m, int down)
{
    for (int i = 0; i < m->level + down; i++)
        out_char(m->o, '#');
    out_char(m->o, ' ');
}

void md_label(const struct md *m, const char *label)
{
    out_printf(m->o, "**%s**: ", label);
}

/* Two spaces make a line of its own in every dialect; a viewer of the plain file does
 * not see them. */
void md_line_end(const struct md *m, bool last)
{
    out_c(m->o, last ? "\n" : "  \n");
}

void md_anchor_line(const struct md *m, const char *id)
{
    out_printf(m->o, "<a id=\"%s\"></a>\n\n", id);
}

void md_modules(const struct md *m, const struct str *modules, int n)
{
    for (int i = 0; i < n; i++) {
        out_c(m->o, i ? " > " : "");
        md_name(m->o, m->tmp, modules[i], MD_LINE);
    }
}

double md_fact(const struct report_named *facts, int n, const char *key)
{
    for (int i = 0; i < n; i++)
        if (strcmp(facts[i].key, key) == 0)
            return facts[i].number;
    return (double)NAN;
}

struct str md_fact_text(const struct report_named *facts, int n, const char *key)
{
    for (int i = 0; i < n; i++)
        if (strcmp(facts[i].key, key) == 0)
            return facts[i].text;
    return S("");
}

void md_bytes(const struct md *m, double bytes)
{
    double mib = bytes / (1 << 20), kib = bytes / (1 << 10);
    md_real(m->o, mib >= 1 ? mib : kib >= 1 ? kib : bytes, kib >= 1 ? 2 : 0);
    if (isfinite(bytes))
        out_c(m->o, mib >= 1 ? " MiB" : kib >= 1 ? " KiB" : " B");
}

/* ---- figures of findings --------------------------------------------------------- */

static void tilde_pct(const struct md *m, double pct)
{
    if (pct < 0.05) {
        out_lit(m->o, "< 0.1%");
        return;
    }
    out_char(m->o, '~');
    md_pct(m->o, pct);
    out_char(m->o, '%');
}

void md_share_range(const struct md *m, double low_pct, double high_pct)
{
    char a[64], b[64];
    fixed_text(a, low_pct, low_pct < 1 ? 2 : 1);
    fixed_text(b, high_pct, high_pct < 1 ? 2 : 1);
    tilde_pct(m, low_pct);
    if (strcmp(a, b) != 0 && high_pct >= 0.05) {
        out_lit(m->o, " to ");
        tilde_pct(m, high_pct);
    }
}

/* Both ends with the decimals of the larger one, so that they read as one range. */
static void range_ms(const struct md *m, double low, double high)
{
    int decimals = high >= 100 ? 1 : high >= 1 ? 2 : 3;
    char a[64], b[64];
    fixed_text(a, low, decimals);
    fixed_text(b, high, decimals);
    out_c(m->o, a);
    if (strcmp(a, b) != 0)
        out_printf(m->o, " to %s", b);
}

void md_impact(const struct md *m, const struct report_range *range)
{
    if (!isfinite(range->low_pct) || !isfinite(range->high_pct)) {
        out_lit(m->o, "not quantifiable from trace data");
        return;
    }
    if (range->high_ms <= 0) {
        out_lit(m->o, "no saving is claimed");
        return;
    }
    md_share_range(m, range->low_pct, range->high_pct);
    out_lit(m->o, " E2E (saves about ");
    range_ms(m, range->low_ms, range->high_ms);
    out_lit(m->o, " ms of ");
    md_ms(m->o, m->r->timeline.total_ms);
    out_lit(m->o, " ms)");
}

void md_finding_efficiency(const struct md *m, const struct report_finding *f)
{
    if (!isfinite(f->efficiency_pct)) {
        out_lit(m->o, "not modelled");
        return;
    }
    md_pct(m->o, f->efficiency_pct);
    out_lit(m->o, "% of ");
    out_c(m->o, f->bound == REPORT_BOUND_COMPUTE  ? "peak MAF"
                : f->bound == REPORT_BOUND_MEMORY ? "peak HBM BW"
                                                  : "the roofline");
    if (f->achieved.n && f->peak.n) {
        out_lit(m->o, " (");
        md_prose(m->o, m->tmp, f->achieved, MD_LINE);
        out_lit(m->o, " of ");
        md_prose(m->o, m->tmp, f->peak, MD_LINE);
        out_char(m->o, ')');
    }
}

void md_row_efficiency(const struct md *m, const struct report_work *w)
{
    if (!isfinite(w->efficiency_pct)) {
        out_lit(m->o, MD_DASH);
        return;
    }
    bool compute = w->bound == REPORT_BOUND_COMPUTE;
    double peak = compute ? w->peak_tflop_per_s : w->peak_tb_per_s;
    md_pct(m->o, w->efficiency_pct);
    out_char(m->o, '%');
    if (peak > 0 && w->bound != REPORT_BOUND_NONE) {
        out_lit(m->o, " of ");
        out_real(m->o, peak);
        m->o->n -= str_ends(out_view(m->o), S(".0")) ? 2 : 0;
        out_c(m->o, compute ? " TFLOPS" : " TB/s");
    }
    if (w->peak_fallback)
        out_lit(m->o, " (BF16 peak)");
    if (w->anomaly)
        out_lit(m->o, " [ANOMALY]");
    else if (w->warning)
        out_lit(m->o, " [WARNING]");
}

/* ---- cards ----------------------------------------------------------------------- */

static bool is_said(struct str s)
{
    return s.n > 0 && !str_eq(s, S("-"));
}

static struct str path_text(const struct report_finding *f, bool path_b)
{
    struct str all = path_b ? f->kernel : f->algorithmic;
    return is_said(all) ? md_first_sentence(all) : S("");
}

struct str md_remedy(const struct report_finding *f)
{
    return path_text(f, false);
}

/* Path B often states a figure and then says "Replay package recommended ...". */
static struct str replay_text(const struct report_finding *f)
{
    struct str rest = is_said(f->kernel) ? md_after_first(f->kernel) : S("");
    return str_starts(rest, S("Replay")) ? md_first_sentence(rest) : S("");
}

static struct str text_of(const struct report_finding *f, int which)
{
    return which == 2 ? replay_text(f) : path_text(f, which == 1);
}

/* The earlier card that says the same, or -1. */
static int earlier(const struct report *r, const int *order, int place, int which)
{
    struct str text = text_of(&r->findings[order[place]], which);
    for (int i = 0; i < place; i++)
        if (str_eq(text_of(&r->findings[order[i]], which), text))
            return order[i];
    return -1;
}

static void action_path(const struct md *m, const int *order, int place, bool path_b)
{
    const struct report_finding *f = &m->r->findings[order[place]];
    int same = earlier(m->r, order, place, path_b);
    if (same < 0) {
        md_prose(m->o, m->tmp, path_text(f, path_b), MD_LINE);
        return;
    }
    out_lit(m->o, "as for ");
    if (f->tier == REPORT_SYSTEM)
        md_prose(m->o, m->tmp, m->r->findings[same].title, MD_LINE);
    else
        md_name_short(m->o, m->tmp, m->r->findings[same].name, MD_LINE);
    out_lit(m->o, " above.");
}

void md_action(const struct md *m, int finding, const int *order, int place)
{
    const struct report_finding *f = &m->r->findings[finding];
    bool a = is_said(f->algorithmic), b = is_said(f->kernel);
    bool paths = f->tier != REPORT_SYSTEM;
    if (a) {
        out_c(m->o, paths ? "Path A: " : "");
        action_path(m, order, place, false);
    }
    out_c(m->o, a && b ? " " : "");
    if (b) {
        out_c(m->o, paths ? "Path B: " : "");
        action_path(m, order, place, true);
    }
    struct str replay = replay_text(f);
    if (replay.n == 0)
        return;
    out_char(m->o, ' ');
    if (earlier(m->r, order, place, 2) < 0)
        md_prose(m->o, m->tmp, replay, MD_LINE);
    else
        out_lit(m->o, "Replay package as above.");
}

static void call_figures(const struct md *m, const struct report_finding *f)
{
    out_lit(m->o, ", ");
    out_i64(m->o, f->count);
    out_c(m->o, f->count == 1 ? " call, " : " calls, ");
    md_ms(m->o, f->time_ms);
    out_lit(m->o, " ms (");
    md_pct(m->o, f->compute_pct);
    out_lit(m->o, "% of compute)");
}

void md_operation(const struct md *m, int finding)
{
    const struct report_finding *f = &m->r->findings[finding];
    const struct report_finding_rows *rows = &m->d->finding_rows[finding];
    if (f->tier == REPORT_SYSTEM) {
        bool idle = str_eq(f->category, S("cpu_idle"));
        out_c(m->o, idle ? "the whole timeline" : "");
        out_c(m->o, idle && f->name.n ? "; the longest waits are at " : "");
        if (f->name.n)
            md_name_short(m->o, m->tmp, f->name, MD_LINE);
        return;
    }
    md_name_short(m->o, m->tmp, f->name, MD_LINE);
    if (f->tier == REPORT_COMPUTE && rows->n_rows > 0 && rows->rows[0]->args.n) {
        out_char(m->o, ' ');
        md_name(m->o, m->tmp, rows->rows[0]->args, MD_LINE);
        if (rows->n_rows > 1)
            out_printf(m->o, " and %d more %s", rows->n_rows - 1,
                       rows->n_rows == 2 ? "shape" : "shapes");
    }
    int others = md_other_operators(m, finding);
    if (others)
        out_printf(m->o, " of %d operators", others + 1);
    call_figures(m, f);
}

int md_other_operators(const struct md *m, int finding)
{
    const struct report_finding_rows *rows = &m->d->finding_rows[finding];
    struct str name = m->r->findings[finding].name;
    int n = 0;
    for (int i = 0; i < rows->n_rows; i++) {
        bool known = str_eq(rows->rows[i]->name, name);
        for (int k = 0; k < i && !known; k++)
            known = str_eq(rows->rows[k]->name, rows->rows[i]->name);
        n += !known;
    }
    return m->r->findings[finding].tier == REPORT_COMPUTE ? n : 0;
}

/* "mul at 6.1% of peak bandwidth", "sum: headroom not known": what stands in front. */
static struct str operator_of_title(const struct report_finding *f)
{
    ptrdiff_t n = -1;
    if (str_eq(f->kind, S("unmodelled")))
        n = str_find(f->title, S(": headroom"));
    else if (str_eq(f->pattern, S("low_efficiency")))
        n = str_find(f->title, S(" at "));
    struct str op = str_head(f->title, n > 0 ? n : 0);
    return str_eq(op, f->category_label) ? S("") : op;
}

void md_title_text(const struct md *m, const struct report_finding *f)
{
    struct str op = operator_of_title(f);
    if (op.n) {
        md_name(m->o, m->tmp, op, MD_LINE);
        if (f->title.p[op.n] == ' ')
            out_char(m->o, ' ');
    }
    md_prose(m->o, m->tmp, str_skip(f->title, op.n), MD_LINE);
}

void md_finding_title(const struct md *m, int finding)
{
    const struct report_finding *f = &m->r->findings[finding];
    bool shared = false;
    for (int i = 0; i < m->r->n_findings; i++)
        shared = shared || (i != finding && m->r->findings[i].tier == f->tier &&
                            str_eq(m->r->findings[i].title, f->title));
    md_title_text(m, f);
    if (shared && f->tier != REPORT_SYSTEM && !str_eq(f->kind, S("unmodelled"))) {
        out_lit(m->o, ": ");
        md_name_short(m->o, m->tmp, f->name, MD_LINE);
    }
}

bool md_is_new_evidence(const struct report_finding *f, struct str sentence)
{
    /* The list of shapes says how many more there are. */
    bool more = str_ends(sentence, S(" more shapes."));
    bool row = f->tier == REPORT_COMPUTE && sentence.n > 0 && sentence.p[0] == '`' &&
               str_has(sentence, S(" ms over "));
    return !row && !more && !str_starts(sentence, S("Longest kernel")) &&
           !str_starts(sentence, S("Called from"));
}

/* ---- which, and in which order --------------------------------------------------- */

static bool is_recommended(const struct report_finding *f)
{
    return f->priority >= REPORT_MEDIUM && f->tier_number > 0;
}

int md_tier_order(const struct report *r, enum report_tier tier, int *order)
{
    enum { MOST_KERNEL_ITEMS = 10 };
    int n = 0, most = tier == REPORT_COMPUTE ? MOST_KERNEL_ITEMS : r->n_findings;
    for (int i = 0; i < r->n_findings; i++)
        if (r->findings[i].tier == tier && is_recommended(&r->findings[i]))
            order[n++] = i;
    for (int i = 1; i < n; i++) /* by number: few, and nearly in order */
        for (int k = i; k > 0 && r->findings[order[k]].tier_number <
                                     r->findings[order[k - 1]].tier_number;
             k--) {
            int other = order[k];
            order[k] = order[k - 1];
            order[k - 1] = other;
        }
    return n < most ? n : most;
}

/* Smaller comes first. Where the device computes less than 95 % of the time the system
 * comes before kernels; else before those of its colour. */
static int fair_key(const struct report *r, int finding)
{
    const struct report_finding *f = &r->findings[finding];
    bool system = f->tier == REPORT_SYSTEM;
    int colour = 2 * (REPORT_CRITICAL - (int)f->priority);
    if (r->timeline.computation_pct < 95)
        return (system ? 0 : 100) + colour;
    return colour + !(system && f->priority >= REPORT_HIGH);
}

int md_fair_order(const struct report *r, int *order)
{
    int n = 0;
    for (int tier = REPORT_COMPUTE; tier <= REPORT_SYSTEM; tier++)
        n += md_tier_order(r, (enum report_tier)tier, order + n);
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0; k--) {
            int a = fair_key(r, order[k]), b = fair_key(r, order[k - 1]),
                was = order[k];
            if (a > b || (a == b && order[k] > order[k - 1]))
                break;
            order[k] = order[k - 1];
            order[k - 1] = was;
        }
    return n;
}

bool md_finding_of(const struct report_finding *f, enum report_tier tier,
                   struct str category)
{
    return f->tier == tier && str_eq(f->category, category);
}

/* ---- the appendix ---------------------------------------------------------------- */

static void peak_bullet(const struct md *m, const char *spec, const char *label)
{
    const struct report_device *d = &m->r->device;
    for (int i = 0; i < d->n_peaks; i++)
        if (str_eq(d->peaks[i].spec, str_of(spec))) {
            out_printf(m->o, "- **%s**: ", label);
            out_real(m->o, d->peaks[i].tflop_per_s);
            m->o->n -= str_ends(out_view(m->o), S(".0")) ? 2 : 0;
            out_lit(m->o, " TFLOPS\n");
        }
}

void md_hardware(const struct md *m, bool all_peaks)
{
    const struct report_device *d = &m->r->device;
    out_lit(m->o, "### Hardware Reference\n\n- **Platform**: ");
    md_prose(m->o, m->tmp, d->known ? d->name : md_platform(m->r), MD_LINE);
    out_char(m->o, '\n');
    if (!d->known) {
        out_lit(m->o,
                "- No platform file was given, so efficiencies are not known.\n\n");
        return;
    }
    out_lit(m->o, "- **Peak HBM BW**: ");
    md_real(m->o, d->memory_tb_per_s > 0 ? d->memory_tb_per_s : (double)NAN, 2);
    out_lit(m->o, " TB/s\n");
    peak_bullet(m, "matrix_bf16", all_peaks ? "Peak MAF (BF16)" : "Peak MAF");
    if (all_peaks) {
        peak_bullet(m, "matrix_fp8", "Peak MAF (FP8)");
        peak_bullet(m, "matrix_fp4", "Peak MAF (FP4)");
    }
    if (d->memory_gb > 0) {
        out_lit(m->o, "- **Memory**: ");
        md_real(m->o, d->memory_gb, 0);
        out_lit(m->o, " GB\n");
    }
    out_char(m->o, '\n');
}

static void kit_line(const struct md *m, const struct report_kit *k)
{
    double compute = m->r->timeline.computation_ms;
    struct str folder = S("replay_packages/");
    struct str file =
        str_starts(k->file, folder) ? str_skip(k->file, folder.n) : k->file;
    out_lit(m->o, "- ");
    md_name(m->o, m->tmp, file, MD_LINE);
    out_printf(m->o, " - %d %s, ", k->sets, k->sets == 1 ? "shape" : "shapes");
    md_ms(m->o, k->time_ms);
    out_lit(m->o, " ms, ");
    md_pct(m->o, compute > 0 ? 100 * k->time_ms / compute : 0);
    out_lit(m->o, "% of compute\n");
}

/* The rows of one reason are one line: that of the first. */
static void no_kit_line(const struct md *m, int first)
{
    const struct report_no_kit *k = &m->r->no_kits[first];
    int n = 0;
    for (int i = 0; i < m->r->n_no_kits; i++) {
        bool same = str_eq(m->r->no_kits[i].reason, k->reason);
        if (same && i < first)
            return;
        n += same;
    }
    out_lit(m->o, "- ");
    md_name(m->o, m->tmp, k->name, MD_LINE);
    if (n > 1)
        out_printf(m->o, " and %d more", n - 1);
    out_lit(m->o, ": ");
    md_prose(m->o, m->tmp, k->reason, MD_LINE);
    out_char(m->o, '\n');
}

static void recommended_line(const struct md *m, const struct report_finding *f)
{
    out_lit(m->o, "- ");
    md_name(m->o, m->tmp, f->name, MD_LINE);
    out_lit(m->o, ": ");
    md_finding_efficiency(m, f);
    out_lit(m->o, ", ");
    md_pct(m->o, f->compute_pct);
    out_lit(m->o, "% of compute\n");
}

/* Kits that were written, then operators that may have one, then those that cannot. */
void md_replays(const struct md *m)
{
    const struct report *r = m->r;
    out_lit(m->o, "### Replay Artifacts\n\n");
    for (int i = 0; i < r->n_kits; i++)
        kit_line(m, &r->kits[i]);
    if (r->n_kits == 0)
        out_lit(m->o, "No replay packages were generated.\n");
    bool lead = false;
    for (int i = 0; i < r->n_findings; i++) {
        const struct report_finding *f = &r->findings[i];
        if (!f->replay_recommended || f->kit.n || f->no_kit.n ||
            f->priority < REPORT_HIGH)
            continue;
        if (!lead)
            out_lit(m->o,
                    "\nReplay artifact recommended for kernel team to investigate "
                    "and optimize.\n\n");
        lead = true;
        recommended_line(m, f);
    }
    if (r->n_no_kits)
        out_lit(m->o, "\nCannot be replayed from this trace:\n\n");
    for (int i = 0; i < r->n_no_kits; i++)
        no_kit_line(m, i);
}
