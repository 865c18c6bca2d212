#include "analysis/finding_text.h"

#include "analysis/name_match.h"
#include "analysis/number_text.h"
#include "analysis/work_facts.h"
#include "base/out.h"

#include <math.h>
#include <string.h>

#define REPLAY "Replay package recommended"

enum { NAME_MOST = 120, TITLE_MOST = 60, EVIDENCE_MOST = 12 };

/* ---- names
 * ------------------------------------------------------------------------------ */

static struct str cut(struct str s, ptrdiff_t most)
{
    if (s.n <= most)
        return s;
    ptrdiff_t n = most;
    while (n > 0 && ((unsigned char)s.p[n] & 0xc0) == 0x80)
        n--;
    return str_head(s, n);
}

struct str finding_quote(struct arena *a, struct str name)
{
    struct out o;
    name = name_without_launcher(name);
    struct str head = cut(name, NAME_MOST);
    out_memory(&o);
    out_char(&o, '`');
    for (ptrdiff_t i = 0; i < head.n; i++) {
        unsigned char c = (unsigned char)head.p[i];
        out_char(&o, c < 0x20 || c == 0x7f ? ' ' : c == '`' ? '\'' : head.p[i]);
    }
    out_c(&o, head.n < name.n ? "...`" : "`");
    return out_text(&o, a);
}

static void put_plain(struct out *o, struct str s)
{
    for (ptrdiff_t i = 0; i < s.n && i < NAME_MOST; i++) {
        char c = s.p[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     (c >= '0' && c <= '9') || c == '_' || c == '-';
        out_char(o, plain ? c : '_');
    }
}

static struct str bound_word(enum roofline_bound b)
{
    return b == BOUND_COMPUTE  ? S("compute")
           : b == BOUND_MEMORY ? S("memory")
                               : S("unknown");
}

struct str finding_id(struct arena *a, const struct finding *f)
{
    struct out o;
    out_memory(&o);
    out_str(&o, work_category_name(f->category));
    out_char(&o, '.');
    put_plain(&o, f->pattern);
    out_char(&o, '.');
    put_plain(&o, name_without_launcher(f->op));
    out_char(&o, '.');
    out_str(&o, bound_word(f->bound));
    return out_text(&o, a);
}

static bool names_a_vendor(struct str s)
{
    return name_has(
        s, "nccl|rccl|cublas|hipblas|rocblas|cutlass|tensile|cudnn|miopen|cuda|"
           "rocprof|nsight|hip");
}

/* Titles stand in headings and lists, where nothing is quoted: the operator appears
 * without its namespace and library, or not at all. */
static struct str title_op(struct arena *a, const struct finding *f)
{
    struct str core = name_core(name_without_launcher(f->op));
    struct out o;
    if (core.n == 0 || core.n > 32 || names_a_vendor(core))
        return work_category_display(f->category);
    out_memory(&o);
    for (ptrdiff_t i = 0; i < core.n; i++)
        out_char(&o,
                 (unsigned char)core.p[i] < 0x20 || core.p[i] == '`' ? ' ' : core.p[i]);
    return out_text(&o, a);
}

struct str finding_title(struct arena *a, const struct finding *f, struct str wanted)
{
    if (wanted.n > 0)
        return cut(wanted, TITLE_MOST);
    struct str op = title_op(a, f);
    if (f->kind == FIND_UNMODELLED)
        return cut(str_printf(a, "%.*s: headroom not known", STRF(op)), TITLE_MOST);
    const char *peak = f->bound == BOUND_MEMORY ? "peak bandwidth" : "peak compute";
    return cut(str_printf(a, "%.*s at %.*s%% of %s", STRF(op),
                          STRF(text_pct(a, f->efficiency_pct)), peak),
               TITLE_MOST);
}

/* ---- rates
 * ------------------------------------------------------------------------------- */

void finding_rates(struct arena *a, struct finding *f, const struct work_row *r)
{
    const struct work_efficiency *e = &r->efficiency;
    bool memory = f->bound == BOUND_MEMORY;
    double peak = memory ? e->peak_tb_per_s : e->peak_tflop_per_s;
    const char *unit = memory ? "TB/s" : "TFLOPS";
    if (f->bound == BOUND_NONE || !(peak > 0) || isnan(f->efficiency_pct))
        return;
    f->peak = str_printf(a, "%.*s %s", STRF(text_trimmed(a, peak)), unit);
    f->achieved = str_printf(
        a, "%.*s %s", STRF(text_fixed(a, f->efficiency_pct / 100 * peak, 2)), unit);
}

static struct str gap_sentence(struct arena *a, const struct finding *f)
{
    if (f->peak.n == 0)
        return S("");
    return str_printf(a, " It achieved %.*s of %.*s, gap %.*s%%.", STRF(f->achieved),
                      STRF(f->peak),
                      STRF(text_pct(a, fmax(0, 100 - f->efficiency_pct))));
}

/* ---- what may be said of a group
 * -------------------------------------------------------- */

static bool is_replayed(const struct finding_group *g)
{
    return work_number(g->rows[0], "replayed") > 0;
}

/* Known by its kernel alone: nothing to model, and nothing to replay. */
static bool is_bare(const struct finding_group *g)
{
    return is_replayed(g) || g->rows[0]->group->first->synthetic;
}

/* Calls so short that launching takes as long as the work (analysis.md 4.1). */
static bool is_launch_sized(const struct finding_group *g)
{
    const double SHORT_US = 10;
    return g->count > 1 && 1e3 * g->time_ms < SHORT_US * (double)g->count &&
           !is_bare(g);
}

/* Most of its time is spent on double precision. */
static bool is_double(const struct finding_group *g)
{
    double ms = 0, all_ms = 0;
    for (int i = 0; i < g->n_rows; i++) {
        all_ms += g->rows[i]->time_ms;
        ms +=
            str_eq(work_text(g->rows[i], "dtype"), S("fp64")) ? g->rows[i]->time_ms : 0;
    }
    return ms > 0 && ms >= 0.5 * all_ms;
}

/* ---- generic texts of 3.3
 * --------------------------------------------------------------- */

static bool records_strides(const struct work_row *r)
{
    const struct op_texts *t = r->group->texts;
    return t && t->strides >= 0;
}

/* Why there is no figure, and what would bring one. */
static struct str unmodelled_advice(struct arena *a, const struct finding *f,
                                    const struct finding_group *g)
{
    const struct work_row *r = g->rows[0];
    struct str op = finding_quote(a, f->op);
    if (is_replayed(g))
        return str_printf(a,
                          "Trace the step once without GPU graph replay: of %.*s the "
                          "trace tells the name alone, neither operator nor shapes.",
                          STRF(op));
    if (is_bare(g))
        return str_printf(a,
                          "Record the operators that launch %.*s: the trace tells the "
                          "kernel's name alone, so its headroom is not known.",
                          STRF(op));
    if (r->group->has_model && !r->group->cost && !records_strides(r))
        return str_printf(a,
                          "Record the trace with a profiler that tells strides: the "
                          "performance model of %.*s needs them.",
                          STRF(op));
    if (r->group->has_model)
        return str_printf(
            a,
            "The performance model of %.*s does not know these arguments; "
            "supply one that does (extension file).",
            STRF(op));
    return str_printf(
        a,
        "No performance model covers %.*s; supply one (extension file) so "
        "that its headroom can be quantified, and check whether a fused "
        "library routine exists.",
        STRF(op));
}

static struct str generic_algorithmic(struct arena *a, const struct finding *f,
                                      const struct finding_group *g)
{
    const struct work_row *r = g->rows[0];
    bool device_known = r->efficiency.peak_tb_per_s > 0;
    if (is_launch_sized(g))
        return str_printf(
            a,
            "Fuse the calls with their neighbours or merge them (over a list or a "
            "joined "
            "tensor); at %.*s us each, starting a kernel takes as long as its work.",
            STRF(text_fixed(a, 1e3 * g->time_ms / (double)g->count, 1)));
    if (isnan(f->efficiency_pct) && r->group->cost && !device_known)
        return str_printf(
            a,
            "The peaks of the device are not known; name the platform so that "
            "the headroom of %.*s can be quantified.",
            STRF(finding_quote(a, f->op)));
    if (f->kind == FIND_UNMODELLED || isnan(f->efficiency_pct))
        return unmodelled_advice(a, f, g);
    if (f->bound == BOUND_COMPUTE)
        return S(
            "Give each launch more work: larger batches, merged small operations, or a "
            "narrower data type where accuracy allows.");
    return S(
        "Reduce traffic: fuse this step with its neighbours so the intermediate tensor "
        "is not written and re-read; compiler-level fusion (`torch.compile`) is the "
        "first thing to try.");
}

static struct str generic_kernel(struct arena *a, const struct finding *f,
                                 const struct finding_group *g)
{
    if (is_bare(g))
        return S("No arguments are recorded to replay it with; a kernel profiler can "
                 "measure it in place.");
    if (is_launch_sized(g))
        return S("At this size a faster kernel gains little.");
    if (f->peak.n == 0)
        return S(REPLAY "; achieved bandwidth and throughput must be measured on the "
                        "reproducer.");
    return str_printf(
        a, "%.*s reaches %.*s of %.*s. " REPLAY " so that the kernel team can %s.",
        STRF(finding_quote(a, f->op)), STRF(f->achieved), STRF(f->peak),
        f->bound == BOUND_COMPUTE ? "revisit kernel selection and tile size"
                                  : "tune its memory access and launch shape");
}

static struct str generic_issue(struct arena *a, const struct finding *f,
                                const struct finding_group *g)
{
    struct str op = finding_quote(a, f->op), ms = text_ms(a, f->time_ms),
               pct = text_pct(a, f->compute_pct);
    struct str each = S("");
    if (is_launch_sized(g))
        each = str_printf(a, " of %.*s us",
                          STRF(text_fixed(a, 1e3 * g->time_ms / (double)g->count, 1)));
    struct str calls = str_printf(a, "%lld %s%.*s", (long long)f->count,
                                  f->count == 1 ? "call" : "calls", STRF(each));
    if (isnan(f->efficiency_pct))
        return str_printf(a,
                          "%.*s takes %.*s ms (%.*s%% of compute) over %.*s, and its "
                          "efficiency is not known.",
                          STRF(op), STRF(ms), STRF(pct), STRF(calls));
    return str_printf(a,
                      "%.*s takes %.*s ms (%.*s%% of compute) over %.*s and reaches "
                      "%.*s%% of peak%s.",
                      STRF(op), STRF(ms), STRF(pct), STRF(calls),
                      STRF(text_pct(a, f->efficiency_pct)),
                      f->bound == BOUND_COMPUTE  ? " compute"
                      : f->bound == BOUND_MEMORY ? " bandwidth"
                                                 : "");
}

static struct str lowering_sentence(struct arena *a, const struct finding_group *g)
{
    for (int i = 0; i < g->n_rows; i++) {
        const struct work_row *r = g->rows[i];
        struct str other = work_text(r, "lowering_kernel");
        if (other.n == 0)
            continue;
        return str_printf(a,
                          " The same operation with the same data type is served by "
                          "different kernels "
                          "(%.*s at %.*s%%, %.*s at %.*s%%). Check why the slower "
                          "selection is made for "
                          "%.*s.",
                          STRF(finding_quote(a, other)),
                          STRF(text_pct(a, work_number(r, "lowering_pct"))),
                          STRF(finding_quote(a, work_text(r, "kernel_short"))),
                          STRF(text_pct(a, r->efficiency.percent)),
                          STRF(work_text(r, "shape")));
    }
    return S("");
}

/* ---- paths
 * ------------------------------------------------------------------------------ */

static void put_sentence(struct out *o, struct str s)
{
    s = str_trim(s);
    if (s.n == 0 || (s.n == 1 && s.p[0] == '-'))
        return;
    if (o->n > 0)
        out_char(o, ' ');
    out_str(o, s);
}

/* Advice for any bottleneck stands in where nothing special is said. What another
 * kernel does elsewhere is said here, of all rows and not of the longest alone. */
static bool is_general(const struct pattern_hit *h)
{
    return str_starts(h->id, S("general_")) || str_eq(h->id, S("lowering_difference"));
}

static struct str general_advice(const struct finding_group *g, bool kernel)
{
    for (int i = 0; g->advice && i < g->advice->n; i++)
        if (str_starts(g->advice->at[i].id, S("general_")))
            return kernel ? g->advice->at[i].path_b : g->advice->at[i].path_a;
    return S("");
}

/* A finding's own text, then what the library adds to every bottleneck; the general
 * text when there is neither. Its figures are of one row, ours of the group. */
static struct str path_of(struct arena *a, const struct finding_group *g, bool kernel,
                          struct str generic)
{
    struct out o;
    out_memory(&o);
    const struct str in_single =
        S("Compute in fp32 where accuracy allows: the operands "
          "are fp64, twice the bytes.");
    bool is_pattern = g->kind == FIND_PATTERN; /* which knows better what comes first */
    bool wide = !kernel && is_double(g);
    if (wide && !is_pattern)
        put_sentence(&o, in_single);
    ptrdiff_t before = o.n;
    if (g->hit)
        put_sentence(&o, kernel ? g->hit->path_b : g->hit->path_a);
    bool slow = g->kind == FIND_BOTTLENECK;
    for (int i = 0; slow && g->advice && i < g->advice->n; i++) {
        const struct pattern_hit *h = &g->advice->at[i];
        bool said = g->hit && str_eq(g->hit->id, h->id);
        if (!said && h->bottleneck_only && !is_general(h))
            put_sentence(&o, kernel ? h->path_b : h->path_a);
    }
    bool odd = is_launch_sized(g) || is_bare(g) ||
               (g->kind == FIND_UNMODELLED && g->rows[0]->group->has_model);
    if (o.n == before && !odd && (g->n_rows == 1 || !kernel))
        put_sentence(&o, general_advice(g, kernel));
    if (o.n == before)
        put_sentence(&o, generic);
    if (wide && is_pattern)
        put_sentence(&o, in_single);
    return out_text(&o, a);
}

/* ---- evidence
 * ---------------------------------------------------------------------------- */

static void add_evidence(struct arena *a, struct finding *f, struct str sentence)
{
    if (!f->evidence)
        f->evidence = arena_new(a, struct str, EVIDENCE_MOST);
    if (sentence.n > 0 && f->n_evidence < EVIDENCE_MOST)
        f->evidence[f->n_evidence++] = sentence;
}

static struct str row_sentence(struct arena *a, const struct work_row *r)
{
    struct out o;
    struct str shape = work_text(r, "shape"), dtype = work_text(r, "dtype");
    out_memory(&o);
    out_str(&o, finding_quote(a, r->group->first->name));
    if (shape.n > 0)
        out_printf(&o, " on `%.*s`", STRF(shape));
    if (dtype.n > 0 && shape.n > 0)
        out_printf(&o, " %.*s", STRF(finding_quote(a, dtype)));
    out_printf(&o, ": %.*s ms over %lld %s", STRF(text_ms(a, r->time_ms)),
               (long long)r->count, r->count == 1 ? "call" : "calls");
    if (!isnan(r->efficiency.percent))
        out_printf(&o, ", %.*s%% of peak %s", STRF(text_pct(a, r->efficiency.percent)),
                   r->efficiency.bound == BOUND_COMPUTE ? "compute" : "bandwidth");
    if (!isnan(r->efficiency.flop_per_byte))
        out_printf(&o, ", %.*s FLOP/byte",
                   STRF(text_fixed(a, r->efficiency.flop_per_byte, 2)));
    out_char(&o, '.');
    return out_text(&o, a);
}

static struct str kernel_sentence(struct arena *a, const struct work_row *r)
{
    struct str name = work_text(r, "kernel_short");
    double tile_m = work_number(r, "tile_m");
    if (name.n == 0)
        return S("");
    if (isnan(tile_m))
        return str_printf(a, "Longest kernel: %.*s.", STRF(finding_quote(a, name)));
    return str_printf(a, "Longest kernel: %.*s, tile %.0fx%.0fx%.0f by its name.",
                      STRF(finding_quote(a, name)), tile_m, work_number(r, "tile_n"),
                      work_number(r, "tile_depth"));
}

static struct str caller_sentence(struct arena *a, const struct work_row *r)
{
    struct out o;
    if (r->n_modules == 0 && r->launcher_path.n == 0)
        return S("");
    out_memory(&o);
    out_c(&o, "Called from ");
    for (int i = r->n_modules > 3 ? r->n_modules - 3 : 0; i < r->n_modules; i++) {
        out_str(&o, finding_quote(a, r->module_chain[i]));
        out_c(&o, i + 1 < r->n_modules ? " > " : "");
    }
    if (r->launcher_path.n > 0) {
        out_c(&o, r->n_modules > 0 ? ", " : "");
        out_str(&o, finding_quote(a, r->launcher_path));
    }
    out_char(&o, '.');
    return out_text(&o, a);
}

static void add_row_evidence(struct arena *a, struct finding *f,
                             struct work_row *const *rows, int n)
{
    const int MOST_ROWS = 5;
    bool varies = false, fallback = false;
    for (int i = 0; i < n; i++) {
        if (i < MOST_ROWS)
            add_evidence(a, f, row_sentence(a, rows[i]));
        varies = varies || rows[i]->high_variance;
        fallback = fallback || rows[i]->efficiency.peak_fallback;
    }
    if (n > MOST_ROWS)
        add_evidence(a, f, str_printf(a, "%d more shapes.", n - MOST_ROWS));
    add_evidence(a, f, kernel_sentence(a, rows[0]));
    add_evidence(a, f, caller_sentence(a, rows[0]));
    if (varies)
        add_evidence(a, f, S("Timings vary strongly between calls."));
    if (fallback)
        add_evidence(a, f,
                     S("The device has no peak for this precision; that of 16-bit "
                       "matrix products stands in."));
}

/* ---- whole findings
 * --------------------------------------------------------------------- */

void finding_say_group(struct arena *a, struct finding *f,
                       const struct finding_group *g)
{
    finding_rates(a, f, g->rows[0]);
    f->title = finding_title(a, f, g->hit ? g->hit->title : S(""));
    f->issue = g->hit && g->hit->issue.n > 0 ? g->hit->issue : generic_issue(a, f, g);
    f->algorithmic = path_of(a, g, false, generic_algorithmic(a, f, g));
    struct str kernel = path_of(a, g, true, generic_kernel(a, f, g));
    struct str lowering = lowering_sentence(a, g);
    struct str gap = g->kind == FIND_BOTTLENECK && g->hit ? gap_sentence(a, f) : S("");
    f->kernel = str_printf(a, "%.*s%.*s%.*s", STRF(kernel), STRF(gap), STRF(lowering));
    add_row_evidence(a, f, g->rows, g->n_rows);
}

void finding_say_unfused(struct arena *a, struct finding *f,
                         const struct unfused_attention *u,
                         const struct pattern_hit *advice)
{
    struct str low = text_fixed(a, unfused_speedup_low(u), 1),
               high = text_fixed(a, unfused_speedup_high(u), 1);
    f->title = finding_title(
        a, f,
        advice && advice->title.n > 0 ? advice->title : S("Unfused attention block"));
    f->issue = str_printf(a,
                          "Attention over %.0f queries and %.0f keys is computed as "
                          "separate products and "
                          "softmax: %.*s ms (%.*s%% of compute) over %lld %s.",
                          u->n_q, u->n_kv, STRF(text_ms(a, f->time_ms)),
                          STRF(text_pct(a, f->compute_pct)), (long long)u->instances,
                          u->instances == 1 ? "instance" : "instances");
    f->algorithmic =
        advice && advice->path_a.n > 0
            ? advice->path_a
            : str_printf(
                  a,
                  "Replace the separate score, softmax and value products by the fused "
                  "attention call (`scaled_dot_product_attention` with a flash-style "
                  "backend); expected %.*sx-%.*sx on this block.",
                  STRF(low), STRF(high));
    f->kernel =
        advice && advice->path_b.n > 0
            ? advice->path_b
            : S("If the code must stay, tune the softmax and batched-product kernels "
                "individually; gains are limited (about 10-30% of the block).");
    if (u->assumed)
        add_evidence(a, f,
                     S("Estimate assumed: the FLOP of the block cannot be formed."));
    else
        add_evidence(
            a, f,
            str_printf(a,
                       "The fused form needs at least %.*s ms in all; the block "
                       "reaches %.*s%% of that bound.",
                       STRF(text_ms(a, u->roofline_ms)),
                       STRF(text_pct(a, f->efficiency_pct))));
    add_evidence(a, f,
                 u->from_tree ? S("Found by the order of kernels under one parent.")
                              : S("Found by shapes that fit together in the table."));
    add_row_evidence(a, f, u->rows, u->n_rows);
}
