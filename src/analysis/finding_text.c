#include "analysis/finding_text.h"

#include "analysis/model/finding_title.h"
#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/unmodelled_text.h"
#include "base/out.h"
#include "base/utf8.h"
#include "ops/op_groups.h"
#include "ops/trace_view.h"

#include <math.h>

enum { NAME_MOST = 120 };

struct str finding_quote(struct arena *a, struct str name)
{
    struct out o;
    name = name_without_launcher(name);
    struct str head = utf8_head(name, NAME_MOST);
    out_memory(&o);
    out_char(&o, '`');
    for (ptrdiff_t i = 0; i < head.n; i++) {
        unsigned char c = (unsigned char)head.p[i];
        out_char(&o, c < 0x20 || c == 0x7f ? ' ' : c == '`' ? '\'' : head.p[i]);
    }
    out_c(&o, head.n < name.n ? "...`" : "`");
    return out_text(&o, a);
}

static bool names_a_vendor(struct str s)
{
    return name_has(s, "nccl|rccl|cublas|hipblas|rocblas|cutlass|tensile|cudnn|miopen|"
                       "cuda|rocprof|nsight|hip");
}

/* The innermost module that is more than a layer of the framework. */
static struct str telling_module(const struct work_row *r)
{
    for (int i = r->n_modules - 1; i >= 0; i--)
        if (!name_is(r->module_chain[i],
                     "Linear|LayerNorm|RMSNorm|GroupNorm|Conv1d|Conv2d|Conv3d|"
                     "BatchNorm1d|BatchNorm2d|InstanceNorm2d|ReLU|GELU|SiLU|Dropout|"
                     "Embedding|Sequential|ModuleList|ModuleDict|GraphModule|"
                     "OptimizedModule|"
                     "MSELoss"))
            return r->module_chain[i];
    return S("");
}

/* The module that all rows are called from; empty: several, or none recorded. */
static struct str module_of(const struct finding_group *g)
{
    struct str module = telling_module(g->rows[0]);
    for (int i = 1; i < g->n_rows; i++)
        if (!str_eq(telling_module(g->rows[i]), module))
            return S("");
    return names_a_vendor(module) ? S("") : module;
}

/* "0.51 TB/s" and "5.3 TB/s" for a group; empty if unknown. */
static void set_rates(struct arena *a, struct finding *f, const struct work_row *r)
{
    const struct work_efficiency *e = &r->efficiency;
    bool memory = f->bound == BOUND_MEMORY;
    double peak = memory ? e->peak_tb_per_s : e->peak_tflop_per_s;
    const char *unit = memory ? "TB/s" : "TFLOPS";
    if (f->bound == BOUND_NONE || !(peak > 0) || isnan(f->efficiency_pct))
        return;
    f->peak = say(a, "{} {}", said(text_trimmed(a, peak)), said(unit));
    f->achieved =
        say(a, "{} {}", said_fixed(f->efficiency_pct / 100 * peak, 2), said(unit));
}

static struct str gap_sentence(struct arena *a, const struct finding *f)
{
    if (f->peak.n == 0)
        return S("");
    return say(a, " It achieved {} of {}, a gap of {}%.", said(f->achieved),
               said(f->peak), said_pct(fmax(0, 100 - f->efficiency_pct)));
}

/* Calls so short that launching takes as long as the work (analysis.md 4.1). */
static bool is_launch_sized(const struct finding_group *g)
{
    const double SHORT_US = 10;
    return g->count > 1 && 1e3 * g->time_ms < SHORT_US * (double)g->count &&
           !row_is_bare(g->rows[0]);
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

static struct str generic_algorithmic(struct arena *a, const struct finding *f,
                                      const struct finding_group *g)
{
    const struct work_row *r = g->rows[0];
    bool device_known = r->efficiency.peak_tb_per_s > 0;
    if (is_launch_sized(g) && work_number(r, "compiled") > 0)
        return say(a,
                   "Look for a graph break: the compiler did not fuse these calls, and "
                   "at {} µs each, a launch takes as long as its work.",
                   said_fixed(1e3 * g->time_ms / (double)g->count, 1));
    if (is_launch_sized(g))
        return say(a,
                   "Fuse the calls with their neighbours or merge them (foreach, a "
                   "joined tensor): at {} µs each, a launch takes as long as its work.",
                   said_fixed(1e3 * g->time_ms / (double)g->count, 1));
    if (isnan(f->efficiency_pct) && r->group->cost && !device_known)
        return say(a,
                   "Name the platform (`-p`): without the peaks of the device the "
                   "headroom of {} is unknown.",
                   said(finding_quote(a, f->op)));
    return S("");
}

static struct str generic_kernel(struct arena *a, const struct finding *f,
                                 const struct finding_group *g)
{
    if (row_is_bare(g->rows[0]))
        return S("Measure it in place with a kernel profiler: the trace has no "
                 "arguments to replay it with.");
    if (is_launch_sized(g))
        return S("At this size a faster kernel gains little.");
    if (f->peak.n == 0)
        return S("");
    if (f->bound == BOUND_COMPUTE && f->efficiency_pct > 70)
        return say(a,
                   "{} reaches {} of {}, the peak of its type: another kernel can gain "
                   "little.",
                   said(finding_quote(a, f->op)), said(f->achieved), said(f->peak));
    return say(a, "{} reaches {} of {}: replay it and {}.",
               said(finding_quote(a, f->op)), said(f->achieved), said(f->peak),
               said(f->bound == BOUND_COMPUTE
                        ? "compare kernel selection and tile size"
                        : "tune its memory access and launch configuration"));
}

/* Of a row without advice of its own: what its paths say, in a few words. */
static struct str generic_title(struct arena *a, const struct finding *f,
                                const struct finding_group *g)
{
    struct str op = finding_quote(a, f->op), dtype = work_text(g->rows[0], "dtype");
    bool compiled = work_number(g->rows[0], "compiled") > 0;
    bool is_wide = str_eq(dtype, S("fp32")) || str_eq(dtype, S("fp64"));
    if (row_is_bare(g->rows[0]))
        return say(a, "Measure {} with a kernel profiler", said(op));
    if (compiled && (is_launch_sized(g) || f->bound == BOUND_MEMORY))
        return say(a, "Look for a graph break around {}", said(op));
    if (is_launch_sized(g))
        return say(a, "Merge or fuse the short calls of {}", said(op));
    if (f->bound == BOUND_MEMORY && str_starts(f->op, S("aten::")) &&
        !str_has(f->op, S("fused_")))
        return say(a, "Fuse {} with its neighbours", said(op));
    if (f->bound == BOUND_COMPUTE && is_wide)
        return say(a, "Run {} in lower precision than {}", said(op), said(dtype));
    return f->bound == BOUND_COMPUTE ? say(a, "Choose a faster kernel for {}", said(op))
                                     : say(a, "Tune the kernel of {}", said(op));
}

/* By the library, if it has one. */
static void set_title(struct arena *a, struct finding *f, const struct finding_group *g)
{
    struct str wanted = g->hit ? g->hit->title : S("");
    if (f->kind == FIND_UNMODELLED)
        wanted = unmodelled_title(a, g);
    else if (wanted.n == 0)
        wanted = generic_title(a, f, g);
    finding_title(a, f, wanted, f->kind == FIND_UNMODELLED ? S("") : module_of(g));
}

static struct str generic_issue(struct arena *a, const struct finding *f,
                                const struct finding_group *g)
{
    struct str op = finding_quote(a, f->op), ms = text_ms(a, f->time_ms),
               pct = text_pct(a, f->compute_pct);
    struct str each = S("");
    if (is_launch_sized(g))
        each = say(a, " of {} µs", said_fixed(1e3 * g->time_ms / (double)g->count, 1));
    struct str calls = say(a, "{} {}{}", said(f->count),
                           said(f->count == 1 ? "call" : "calls"), said(each));
    if (isnan(f->efficiency_pct))
        return say(
            a,
            "{} takes {} ms ({}% of compute) over {}, and its efficiency is unknown.",
            said(op), said(ms), said(pct), said(calls));
    return say(a, "{} takes {} ms ({}% of compute) over {} and reaches {}% of peak{}.",
               said(op), said(ms), said(pct), said(calls), said_pct(f->efficiency_pct),
               said(f->bound == BOUND_COMPUTE  ? " compute"
                    : f->bound == BOUND_MEMORY ? " bandwidth"
                                               : ""));
}

static struct str lowering_sentence(struct arena *a, const struct finding_group *g)
{
    for (int i = 0; i < g->n_rows; i++) {
        const struct work_row *r = g->rows[i];
        struct str other = work_text(r, "lowering_kernel");
        if (other.n == 0)
            continue;
        return say(
            a,
            " With the same data type {} reaches {}% elsewhere, {} only {}%: find out "
            "why {} selects the slower kernel.",
            said(finding_quote(a, other)), said_pct(work_number(r, "lowering_pct")),
            said(finding_quote(a, work_text(r, "kernel_short"))),
            said_pct(r->efficiency.percent), said(work_text(r, "shape")));
    }
    return S("");
}

static void put_sentence(struct out *o, struct str s)
{
    s = str_trim(s);
    if (s.n == 0 || (s.n == 1 && s.p[0] == '-'))
        return;
    if (o->n > 0)
        out_char(o, ' ');
    out_str(o, s);
}

static struct str general_advice(const struct finding_group *g, bool kernel)
{
    for (int i = 0; g->advice && i < g->advice->n; i++)
        if (str_starts(g->advice->at[i].id, S("general_")))
            return kernel ? g->advice->at[i].path_b : g->advice->at[i].path_a;
    return S("");
}

/* A finding's own text, then what the library adds to every bottleneck; the general
 * text if there is neither. Its figures are for one row, ours for the group. */
static struct str path_of(struct arena *a, const struct finding_group *g, bool kernel,
                          struct str generic)
{
    struct out o;
    out_memory(&o);
    const struct str in_single = S("Compute in fp32 where accuracy allows: the "
                                   "operands are fp64, twice the bytes.");
    bool is_pattern =
        g->kind == FIND_PATTERN; /* which knows better what to put first */
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
    bool odd = is_launch_sized(g) || row_is_bare(g->rows[0]);
    if (o.n == before && !odd && (g->n_rows == 1 || !kernel))
        put_sentence(&o, general_advice(g, kernel));
    if (o.n == before)
        put_sentence(&o, generic);
    if (wide && is_pattern && !str_has(out_view(&o), S("float32")))
        put_sentence(&o, in_single);
    return out_text(&o, a);
}

static struct str row_sentence(struct arena *a, const struct work_row *r)
{
    struct out o;
    struct str shape = work_text(r, "shape"), dtype = work_text(r, "dtype");
    out_memory(&o);
    out_str(&o, finding_quote(a, r->name));
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
                   STRF(number_fixed(a, r->efficiency.flop_per_byte, 2)));
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
        return say(a, "Longest kernel: {}.", said(finding_quote(a, name)));
    return say(a, "Longest kernel: {}, tile {}x{}x{} by its name.",
               said(finding_quote(a, name)), said_fixed(tile_m, 0),
               said_fixed(work_number(r, "tile_n"), 0),
               said_fixed(work_number(r, "tile_depth"), 0));
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

/* A few calls of one shape that take far longer than the rest, and when. */
static struct str outlier_sentence(struct arena *a, const struct work_row *r)
{
    double calls = work_number(r, "outlier_calls"), pct = work_number(r, "outlier_pct"),
           first_us = work_number(r, "first_call_us");
    if (!work_text(r, "shape").n)
        return S("");
    if (pct >= 25)
        return say(a,
                   " {} of {} calls take {}% of that, {} to {} ms after the start; the "
                   "median call takes {} µs.",
                   said_fixed(calls, 0), said(r->count), said_pct(pct),
                   said_ms(work_number(r, "outlier_first_ms")),
                   said_ms(work_number(r, "outlier_last_ms")),
                   said_ms(work_number(r, "median_us")));
    if (first_us >= 250 * r->time_ms) /* a quarter of the row's time */
        return say(a, " The first call alone takes {} µs: warm-up.", said_ms(first_us));
    return S("");
}

static void add_row_evidence(struct arena *a, struct finding *f,
                             struct work_row *const *rows, int n)
{
    const int MOST_ROWS = 5;
    bool varies = false, no_peak = false;
    int more = 0;
    for (int i = 0; i < n; i++) {
        if (i >= MOST_ROWS)
            more += work_row_shapes(rows[i]);
        else
            finding_evidence_of(a, f, EVIDENCE_ROW,
                                say(a, "{}{}", said(row_sentence(a, rows[i])),
                                    said(outlier_sentence(a, rows[i]))));
        varies = varies || rows[i]->high_variance;
        no_peak = no_peak || rows[i]->efficiency.no_peak;
    }
    if (more)
        finding_evidence_of(a, f, EVIDENCE_MORE,
                            say(a, "{} more {}.", said(more),
                                said(str_plural(more, "shape", "shapes"))));
    finding_evidence_of(a, f, EVIDENCE_KERNEL, kernel_sentence(a, rows[0]));
    finding_evidence_of(a, f, EVIDENCE_CALLER, caller_sentence(a, rows[0]));
    if (varies)
        finding_evidence(a, f, S("Timings vary strongly between calls."));
    if (no_peak)
        finding_evidence(a, f, S("No peak of the device is known for this precision."));
}

void finding_say_group(struct arena *a, struct finding *f,
                       const struct finding_group *g)
{
    set_rates(a, f, g->rows[0]);
    set_title(a, f, g);
    if (f->kind == FIND_UNMODELLED) {
        f->issue = unmodelled_issue(a, f, g);
        f->algorithmic = unmodelled_advice(a, g);
        add_row_evidence(a, f, g->rows, g->n_rows);
        return;
    }
    f->issue = g->hit && g->hit->issue.n > 0 ? g->hit->issue : generic_issue(a, f, g);
    f->algorithmic = path_of(a, g, false, generic_algorithmic(a, f, g));
    struct str kernel = path_of(a, g, true, generic_kernel(a, f, g));
    struct str lowering = lowering_sentence(a, g);
    struct str gap = g->kind == FIND_BOTTLENECK && g->hit ? gap_sentence(a, f) : S("");
    f->kernel = str_trim(say(a, "{}{}{}", said(kernel), said(gap), said(lowering)));
    add_row_evidence(a, f, g->rows, g->n_rows);
}

struct str finding_speedup(struct arena *a, const struct unfused_attention *u)
{
    struct str low = number_fixed(a, unfused_speedup_low(u), 1),
               high = number_fixed(a, unfused_speedup_high(u), 1);
    return str_eq(low, high) ? say(a, "{}x", said(low))
                             : say(a, "{}x-{}x", said(low), said(high));
}

void finding_say_unfused(struct arena *a, struct finding *f,
                         const struct unfused_attention *u,
                         const struct pattern_hit *advice)
{
    finding_title(a, f,
                  advice && advice->title.n > 0 ? advice->title
                                                : S("Use one fused attention call"),
                  S(""));
    bool sized = !isnan(u->n_q);
    struct str over = S("");
    if (sized)
        over = say(a, " over {} queries and {} keys", said_fixed(u->n_q, 0),
                   said_fixed(u->n_kv, 0));
    f->issue = say(
        a,
        "Attention{} runs as separate matmuls and softmax: {} ms ({}% of compute) "
        "in {} {}{}.{}",
        said(over), said_ms(f->time_ms), said_pct(f->compute_pct), said(u->instances),
        said(u->instances == 1 ? "block" : "blocks"),
        said(u->backwards ? " and their backward" : ""),
        said(u->biased ? " A bias that differs by head is added to the scores." : ""));
    f->algorithmic = advice ? advice->path_a : S("");
    f->kernel = advice ? advice->path_b : S("");
    if (u->assumed)
        finding_evidence(
            a, f,
            S("The estimate is an assumption: the FLOP of the block cannot be "
              "counted."));
    else
        finding_evidence(a, f,
                         say(a,
                             "The fused form needs at least {} ms in all; the block "
                             "reaches {}% of that bound.",
                             said_ms(u->roofline_ms), said_pct(f->efficiency_pct)));
    finding_evidence(a, f,
                     u->from_tree ? S("Found by the order of kernels under one parent.")
                     : !sized     ? S("Found by the order of kernels on one stream.")
                                  : S("Found by matching shapes in the table."));
    add_row_evidence(a, f, u->rows, u->n_rows);
}
