#include "render/markdown/markdown_fields.h"

#include "analysis/model/finding_title.h"
#include "analysis/model/work_facts.h"
#include "base/arena.h"
#include "base/describe.h"
#include "render/text/markdown_text.h"
#include "report/finding_argument.h"
#include "report/finding_shown.h"
#include "report/more_shown.h"
#include "report/system_shown.h"

#include <math.h>

/* Savings. */

static bool is_known(double low, double high)
{
    return isfinite(low) && isfinite(high);
}

#define IMPACT_FLAGS(end, low, high, ms)                                               \
    TELL(bool, end##_unknown, impact_range, !is_known(it->low, it->high));             \
    TELL(bool, end##_none, impact_range, is_known(it->low, it->high) && it->ms <= 0);  \
    TELL(bool, end##_some, impact_range, is_known(it->low, it->high) && !(it->ms <= 0))
IMPACT_FLAGS(impact, low_pct, high_pct, high_ms);
IMPACT_FLAGS(low, low_pct, low_pct, low_ms);
IMPACT_FLAGS(high, high_pct, high_pct, high_ms);

TELL(double, mid_pct, impact_range, (it->low_pct + it->high_pct) / 2);

static VIEW(md_impact, impact_range, CALL(unknown, FLAG, impact_unknown),
            CALL(none, FLAG, impact_none), CALL(some, FLAG, impact_some),
            F(low_pct, PCT), CALL(mid_pct, PCT, mid_pct), F(high_pct, PCT),
            F(low_ms, MS), F(high_ms, MS), F(basis, TEXT));
VIEW(md_worth, impact_range, PART("impact", md_impact));

/* One end of a range: both of its ends are that one. */
#define END_OF(end)                                                                    \
    static VIEW(md_just_##end, impact_range, CALL(unknown, FLAG, end##_unknown),       \
                CALL(none, FLAG, end##_none), CALL(some, FLAG, end##_some),            \
                AS("low_pct", end##_pct, PCT), AS("high_pct", end##_pct, PCT),         \
                AS("low_ms", end##_ms, MS), AS("high_ms", end##_ms, MS));              \
    static VIEW(md_##end, impact_range, PART("impact", md_just_##end))
END_OF(low);
END_OF(high);

/* Rows. */

TELL(struct str, row_kernel, work_row, report_row_kernel(it));
TELL(struct str, row_type, work_row, report_row_type(it));

static double peak_rate(const struct described *in)
{
    const struct work_efficiency *e = &((const struct work_row *)in->of)->efficiency;
    double peak = e->bound == BOUND_COMPUTE ? e->peak_tflop_per_s : e->peak_tb_per_s;
    return peak > 0 && e->bound != BOUND_NONE ? peak : (double)NAN;
}

static bool above_peak(const struct described *in)
{
    const struct work_efficiency *e = &((const struct work_row *)in->of)->efficiency;
    return e->warning && !e->anomaly;
}

TELL(struct str, faster_kernel, work_row, work_text(it, "lowering_kernel"));
TELL(double, faster_pct, work_row, work_number(it, "lowering_pct"));

VIEW(md_row, work_row, F(name, TEXT), F(args, TEXT), CALL(kernel, TEXT, row_kernel),
     AS("launcher", launcher_path, TEXT), CALL(type, TEXT, row_type), F(count, COUNT),
     F(time_ms, MS), F(mean_us, US), F(category_pct, PCT), F(compute_pct, PCT),
     F(total_pct, PCT), F(cov, RATE), AS("efficiency_pct", efficiency.percent, PCT),
     CALL(peak_rate, RATE, peak_rate),
     ENUM_AS("bound", efficiency.bound, bound_word, BOUND_MEMORY + 1),
     AS("flop_per_byte", efficiency.flop_per_byte, RATE),
     AS("tflop_per_s", efficiency.tflop_per_s, RATE),
     AS("tb_per_s", efficiency.tb_per_s, RATE), AS("anomaly", efficiency.anomaly, FLAG),
     CALL(warning, FLAG, above_peak), LIST(patterns, n_patterns, text),
     CALL(other, TEXT, faster_kernel), CALL(other_pct, PCT, faster_pct),
     ENUM_AS("label", category, work_category_display, WORK_CATEGORIES));

static VIEW(md_caller, work_row, LIST_AS("modules", module_chain, n_modules, text),
            AS("has_modules", n_modules, SOME), AS("launcher", launcher_path, TEXT));

/* Categories. */

TELL(bool, failed, category_result, it->status == ANALYSER_ERROR);
TELL(bool, empty, category_result, !failed(in) && it->n_rows == 0);

TELL(bool, filled, category_result, !failed(in) && it->n_rows > 0);

/* Share of the time of all categories; NaN: it has none. */
static double kernel_pct(const struct described *in)
{
    const struct report *r = in->whole;
    const struct category_result *c = in->of;
    for (int k = 0; k < r->n_categories; k++)
        if (str_eq(r->categories[k].id, work_category_name(c->category)))
            return r->categories[k].share_pct;
    return (double)NAN;
}

TELL(double, share_pct, category_result,
     it->category == WORK_COMMUNICATION ? it->total_pct : it->compute_pct);
TELL(double, criterion_ms, category_result,
     failed(in) || it->category == WORK_COMMUNICATION ? (double)NAN
                                                      : bottleneck_ms(it->category));

TELL(bool, by_range, category_result,
     str_starts(work_category_name(it->category), S("sdpa")));
TELL(bool, baseline_assumed, category_result,
     work_category_number(it, "baseline_assumed") > 0);

#define NUMBER_OF_CATEGORY(name, key)                                                  \
    TELL(double, name, category_result, work_category_number(it, key))
NUMBER_OF_CATEGORY(softmax_count, "softmax_count");
NUMBER_OF_CATEGORY(transpose_overhead_pct, "transpose_overhead_pct");
NUMBER_OF_CATEGORY(baseline_pct, "baseline_pct");
NUMBER_OF_CATEGORY(baseline_simple, "baseline_tbs_simple");
NUMBER_OF_CATEGORY(baseline_weighted, "baseline_tbs");

static double quantized(const struct described *in)
{
    double n = work_category_number(in->of, "quantized_count");
    return isfinite(n) ? n : 0;
}

#define NAMES_OF_CATEGORY                                                              \
    ENUM_AS("is", category, work_category_name, WORK_CATEGORIES),                      \
        ENUM_AS("label", category, work_category_display, WORK_CATEGORIES)

static VIEW(md_category, category_result, NAMES_OF_CATEGORY,
            ENUM_AS("id", category, work_category_name, WORK_CATEGORIES),
            ENUM(status, analyser_status_word, ANALYSER_ERROR + 1),
            CALL(failed, FLAG, failed), F(error, TEXT), CALL(empty, FLAG, empty),
            CALL(filled, FLAG, filled), F(time_ms, MS), F(compute_pct, PCT),
            CALL(kernel_pct, PCT, kernel_pct), CALL(share_pct, PCT, share_pct),
            AS("efficiency_pct", average_efficiency_pct, PCT),
            AS("calls_count", operation_count, COUNT), AS("rows_table", n_rows, SOME),
            AS("row_count", n_rows, COUNT), CALL(quantized, RATE, quantized),
            CALL(softmax_count, RATE, softmax_count),
            CALL(transpose_overhead_pct, PCT, transpose_overhead_pct),
            CALL(baseline_pct, PCT, baseline_pct),
            CALL(baseline_simple, RATE, baseline_simple),
            CALL(baseline_weighted, RATE, baseline_weighted),
            CALL(baseline_assumed, FLAG, baseline_assumed), LIST(notes, n_notes, text),
            CALL(criterion_ms, MS, criterion_ms), CALL(by_range, FLAG, by_range));
VIEW(md_section, report_section, MEMBERS_OF(of, md_category),
     AS("has_calls", n_calls, SOME));

TELL(struct str, call_args, tree_data, it->row ? it->row->args : S(""));

VIEW(md_call, tree_data, AS("name", op_name, TEXT), CALL(args, TEXT, call_args),
     AS("uid", ex_uid, NUMBER), AS("instances", instance_count, COUNT),
     LIST(modules, n_modules, text), AS("has_modules", n_modules, SOME),
     AS("launcher", launcher_path, TEXT), F(notes, TEXT));

/* Findings. */

const struct work_row *md_longest_row(const struct finding *f)
{
    const struct work_row *longest = f->n_rows ? f->rows[0] : NULL;
    for (int k = 1; k < f->n_rows; k++)
        if (f->rows[k]->time_ms > longest->time_ms)
            longest = f->rows[k];
    return longest;
}

static struct str tier_word(enum finding_tier tier)
{
    static const struct str words[] = {[TIER_COMPUTE] = S_INIT("compute"),
                                       [TIER_FUSION] = S_INIT("fusion"),
                                       [TIER_SYSTEM] = S_INIT("system")};
    return words[tier];
}

TELL(bool, idle_kind, finding, it->category == WORK_CPU_IDLE);
TELL(bool, copies_kind, finding, !idle_kind(in) && str_has(it->pattern, S("memcpy")));

static bool comm_kind(const struct described *in)
{
    return !idle_kind(in) && !copies_kind(in);
}

TELL(struct str, title_op, finding,
     str_head(str_skip(it->title, it->title_at), it->title_op));
TELL(struct str, title_before, finding, str_head(it->title, it->title_at));

TELL(struct str, title_after, finding,
     str_skip(it->title, it->title_at + title_op(in).n));

static bool space_before(const struct described *in)
{
    return str_ends(title_before(in), S(" "));
}

static bool space_after(const struct described *in)
{
    return str_starts(title_after(in), S(" "));
}

/* Two recommendations of a tier have it, so it is said with the operator. */
static bool shared(const struct described *in)
{
    const struct report *r = in->whole;
    const struct finding *f = in->of;
    for (int i = 0; i < r->n_findings; i++) {
        const struct finding *other = r->findings[i].of;
        if (other != f && other->tier == f->tier && str_eq(other->title, f->title))
            return true;
    }
    return false;
}

TELL(bool, title_shared, finding,
     it->tier != TIER_SYSTEM && it->kind != FIND_UNMODELLED && shared(in));

/* "Slow normalisation" of what? Titles of some findings tell. */
static bool named(const struct described *in)
{
    const struct finding *f = in->of;
    struct str name = f->op;
    for (ptrdiff_t at = str_find(name, S("::")); at >= 0; at = str_find(name, S("::")))
        name = str_skip(name, at + 2);
    return f->tier == TIER_COMPUTE && !str_has(f->title, name) &&
           f->kind != FIND_UNMODELLED && !shared(in);
}

TELL(struct str, issue_first, finding, md_first_sentence(it->issue));
TELL(struct str, issue_more, finding, md_after_first(it->issue));

TELL(struct str, algorithmic_first, finding, md_first_sentence(it->algorithmic));
TELL(struct str, algorithmic_more, finding, md_after_first(it->algorithmic));

TELL(bool, how, finding, algorithmic_more(in).n > 0 || it->kernel.n > 0);
TELL(bool, of_peak, finding, it->achieved.n && it->peak.n);

TELL(bool, measures, finding, title_asks_to_measure(it->title));

/* What is saved once the host keeps up. */
TELL(const void *, then, finding, it->until < 0 ? NULL : &it->impact_then);

static const void *path_b(const struct described *in)
{
    const struct finding *f = in->of;
    const struct impact_range *a = &f->impact, *b = &f->impact_kernel;
    bool two =
        isfinite(b->low_pct) && (b->low_pct < a->low_pct || b->high_pct < a->high_pct);
    return two ? b : NULL;
}

/* What saves less than a thousandth in the best case needs no table of cases. */
static bool projected(const struct described *in)
{
    const double LEAST_PCT = 0.1;
    const struct finding *f = in->of;
    return f->n_projection > 0 && !(f->impact.high_pct < LEAST_PCT);
}

static struct str first_args(const struct described *in)
{
    const struct finding *f = in->of;
    const struct work_row *row = md_longest_row(f);
    return row && f->tier == TIER_COMPUTE ? row->args : S("");
}

TELL(int64_t, shape_count, finding, finding_shapes(it));
TELL(int64_t, more_shapes, finding, finding_shapes(it) - 1);

static const void *called_from(const struct described *in)
{
    const struct work_row *w = md_longest_row(in->of);
    return w && (w->n_modules || w->launcher_path.n) ? w : NULL;
}

static FIELDS(projection_row, F(target_pct, PCT), F(time_ms, MS), F(e2e_pct, PCT),
              F(op_pct, PCT));

static VIEW(md_found, finding, F(id, TEXT), AS("name", op, TEXT),
            ENUM(category, work_category_name, WORK_CATEGORIES),
            ENUM_AS("label", category, work_category_display, WORK_CATEGORIES),
            ENUM(tier, tier_word, TIER_SYSTEM + 1), CALL(idle_kind, FLAG, idle_kind),
            CALL(copies_kind, FLAG, copies_kind), CALL(comm_kind, FLAG, comm_kind),
            ENUM(kind, finding_kind_word, FINDING_KINDS),
            ENUM(priority, priority_word, PRIORITIES), F(informational, FLAG),
            F(title, TEXT), CALL(title_op, TEXT, title_op), CALL(named, FLAG, named),
            CALL(title_before, TEXT, title_before),
            CALL(space_before, FLAG, space_before),
            CALL(title_after, TEXT, title_after), CALL(space_after, FLAG, space_after),
            CALL(title_shared, FLAG, title_shared), F(issue, TEXT),
            CALL(issue_first, TEXT, issue_first), CALL(issue_more, TEXT, issue_more),
            F(algorithmic, TEXT), CALL(algorithmic_first, TEXT, algorithmic_first),
            CALL(algorithmic_more, TEXT, algorithmic_more), F(kernel, TEXT),
            CALL(how, FLAG, how), AS("fired", pattern, TEXT), F(priority_basis, TEXT),
            F(count, COUNT), F(time_ms, MS), AS("from_ms", time_ms, MS),
            F(compute_pct, PCT), F(total_pct, PCT), F(efficiency_pct, PCT),
            F(tier_number, NUMBER), ENUM(bound, bound_word, BOUND_MEMORY + 1),
            CALL(of_peak, FLAG, of_peak), F(achieved, TEXT), F(peak, TEXT),
            STRUCT(impact, md_impact), CALL_STRUCT(then, md_worth, then),
            CALL_STRUCT(path_b, md_worth, path_b), STRUCT_AS("low", impact, md_low),
            STRUCT_AS("high", impact, md_high),
            LIST(projection, n_projection, projection_row),
            CALL(measures, FLAG, measures), CALL(projected, FLAG, projected),
            CALL(first_args, TEXT, first_args), CALL(more_shapes, SOME, more_shapes),
            CALL(shape_count, COUNT, shape_count),
            CALL_STRUCT(called_from, md_caller, called_from));

VIEW(md_finding, report_finding, MEMBERS_OF(of, md_found),
     CALL(reasoning, TEXT, finding_reasoning),
     CALL(confidence_basis, TEXT, finding_confidence_basis),
     CALL(refutation, TEXT, finding_refutation), CALL(metric, TEXT, finding_metric));

/* Fusion. */

TELL(bool, has_model, fusion_kernel, isfinite(it->in_mb));
TELL(struct str, place, fusion_candidate, it->base.n ? it->base : it->module);

static bool is_around(const struct fusion_candidate *c)
{
    return c->n_products > 0 && c->fused_us > 0;
}

TELL(double, around_us, fusion_candidate, is_around(it) ? it->fused_us : (double)NAN);
TELL(double, moved_mb, fusion_candidate,
     !is_around(it) && it->fused_us > 0 && it->moved_mb > 0 ? it->moved_mb
                                                            : (double)NAN);

static FIELDS(fusion_kernel, F(name, TEXT), F(label, TEXT), F(mean_us, US),
              CALL(has_model, FLAG, has_model));
VIEW(md_candidate, fusion_candidate, F(module, TEXT), CALL(place, TEXT, place),
     F(pattern, TEXT), ENUM(confidence, confidence_word, CONFIDENCE_HIGH + 1),
     F(instances, COUNT), F(total_ms, MS), F(saving_ms, MS), F(gross_ms, MS),
     CALL(around_us, US, around_us), CALL(moved_mb, RATE, moved_mb), F(fused_us, US),
     STRUCT(impact, md_impact), AS("is_accepted", accepted, FLAG), F(reason, TEXT),
     LIST(kernels, n_kernels, fusion_kernel), AS("kernel_count", n_kernels, COUNT));

TELL(bool, fusion_failed, fusion_result, it->status == ANALYSER_ERROR);
VIEW(md_fusion, fusion_result, ENUM(status, analyser_status_word, ANALYSER_ERROR + 1),
     CALL(failed, FLAG, fusion_failed), F(error, TEXT),
     AS("count", n_candidates, COUNT), AS("any", n_candidates, SOME),
     AS("accepted_count", n_accepted, COUNT), AS("some", n_accepted, SOME));

/* The report. */

static bool unnamed(const struct described *in)
{
    return ((const struct report *)in->whole)->n_measured == 0;
}

TELL(struct str, command, report_meta,
     str_printf(in->tmp, "tracefolio analyze %.*s -p %.*s",
                STRF(it->trace_file.n ? it->trace_file : S("-")),
                STRF(it->platform.n ? it->platform : S("none"))));

static VIEW(md_meta, report_meta, F(trace_file, TEXT), F(n_events, COUNT),
            CALL(unnamed, FLAG, unnamed), AS("shapes", has_shapes, FLAG),
            AS("frames", has_frames, FLAG), AS("graphs", has_graphs, FLAG),
            AS("steps", has_steps, FLAG), AS("cpu_op", has_cpu_op, FLAG),
            AS("gpu", has_gpu, FLAG), CALL(command, TEXT, command));

static FIELDS(report_model, F(model, TEXT), F(architecture, TEXT), F(scale, TEXT),
              F(precision, TEXT));

static double if_known(double v)
{
    return v > 0 ? v : (double)NAN;
}

TELL(double, memory_tb_per_s, report_device, if_known(it->memory_tb_per_s));
TELL(double, memory_gb, report_device, if_known(it->memory_gb));

static double peak_of(const struct report_device *d, struct str spec)
{
    for (int i = 0; i < d->n_peaks; i++)
        if (str_eq(d->peaks[i].spec, spec))
            return d->peaks[i].tflop_per_s;
    return (double)NAN;
}

TELL(double, bf16, report_device, peak_of(it, S("matrix_bf16")));
TELL(double, fp8, report_device, peak_of(it, S("matrix_fp8")));

TELL(double, fp4, report_device, peak_of(it, S("matrix_fp4")));

static FIELDS(report_peak, F(spec, TEXT), F(tflop_per_s, RATE));
static FIELDS(report_device, F(known, FLAG), F(name, TEXT),
              CALL(memory_tb_per_s, RATE, memory_tb_per_s),
              CALL(memory_gb, RATE, memory_gb), CALL(bf16, RATE, bf16),
              CALL(fp8, RATE, fp8), CALL(fp4, RATE, fp4), F(peaks_are, TEXT),
              F(misfit, TEXT), F(missing, TEXT),
              AS("sheet_bf16", sheet_bf16_tflop_per_s, RATE),
              LIST(peaks, n_peaks, report_peak));

VIEW(md_top, top_operation, F(rank, NUMBER), F(name, TEXT),
     ENUM(category, work_category_display, WORK_CATEGORIES), F(mixed, FLAG),
     F(time_ms, MS), F(compute_pct, PCT));
static FIELDS(report_top_op, MEMBERS_OF(of, md_top));

/* Some labels are keys of the trace, "CUDA runtime version": those are quoted. */
TELL(bool, quoted, report_fact,
     str_has(it->label, S("CUDA")) || str_has(it->label, S("HIP")));

static FIELDS(report_fact, CALL(quoted, FLAG, quoted), F(label, TEXT), F(value, TEXT),
              F(origin, TEXT));
static FIELDS(report_check, F(name, TEXT),
              ENUM(result, check_result_word, CHECK_RESULTS), F(value, TEXT),
              F(what_to_do, TEXT));

static const struct category_result *category_in(const struct described *in)
{
    const struct report *r = in->whole;
    const struct report_priority_row *p = in->of;
    for (int k = 0; k < r->detail->n_sections; k++)
        if (r->detail->sections[k].of->category == p->category)
            return r->detail->sections[k].of;
    return NULL;
}

static bool of_compute(const struct described *in)
{
    return category_in(in) != NULL;
}

static double priority_ms(const struct described *in)
{
    const struct category_result *c = category_in(in);
    return c ? c->time_ms : (double)NAN;
}

static double priority_pct(const struct described *in)
{
    const struct category_result *c = category_in(in);
    return c ? c->compute_pct : (double)NAN;
}

static VIEW(md_span, report_priority_row, F(low_pct, PCT), F(high_pct, PCT));
static FIELDS(report_priority_row, F(rank, NUMBER),
              ENUM_AS("label", category, work_category_display, WORK_CATEGORIES),
              CALL(time_ms, MS, priority_ms), CALL(compute_pct, PCT, priority_pct),
              CALL(of_compute, FLAG, of_compute), ALSO(md_span),
              PART("impact", md_span));
static FIELDS(report_detail, AS("attention", attention_use, TEXT),
              LIST(priorities, n_priorities, report_priority_row));

static struct str package_file(const struct described *in)
{
    const struct report_kit *k = in->of;
    struct str folder = S("replay_packages/");
    return str_starts(k->file, folder) ? str_skip(k->file, folder.n) : k->file;
}

static double package_pct(const struct described *in)
{
    const struct report *r = in->whole;
    const struct report_kit *k = in->of;
    double compute_ms = r->timeline.computation_ms;
    return compute_ms > 0 ? 100 * k->time_ms / compute_ms : 0;
}

static FIELDS(report_kit, CALL(file, TEXT, package_file), F(sets, COUNT),
              F(time_ms, MS), CALL(compute_pct, PCT, package_pct));

static struct str platform(const struct described *in)
{
    const struct report_meta *m = &((const struct report *)in->of)->meta;
    return m->platform.n ? m->platform : m->device_name;
}

TELL(struct str, bound, report, report_bound(it));
TELL(struct str, unjudged, report, report_unjudged_text(in->tmp, it));

static struct str unjudged_how(const struct described *in)
{
    const struct finding *f = report_unjudged(in->of);
    return f ? f->algorithmic : S("");
}

TELL(const void *, top_category, report, analysis_most_computed(it->analysis));

static VIEW(md_top_category, category_result, NAMES_OF_CATEGORY, F(compute_pct, PCT));

TELL(const void *, compile, report, it->compile.n ? &it->compile : NULL);
VIEW(md_report, report, STRUCT(meta, md_meta), AS("model", meta.model, TEXT),
     CALL(platform, TEXT, platform), STRUCT_AS("architecture", model, report_model),
     AS("recording", recording.says, TEXT), AS("recorded", recording.beside, TEXT),
     AS("mfu", mfu.says, TEXT), POINTER_AS("counters", counters, shown_counters),
     F(verdict, TEXT), F(lead, TEXT), F(tuned, TEXT), CALL(bound, TEXT, bound),
     CALL_STRUCT(compile, shown_compile, compile), STRUCT(device, report_device),
     LIST_AS("operations", top, n_top, report_top_op),
     LIST(measured, n_measured, report_fact), LIST(checks, n_checks, report_check),
     CALL_STRUCT(top_category, md_top_category, top_category),
     CALL(unjudged, TEXT, unjudged), CALL(unjudged_how, TEXT, unjudged_how),
     LIST_AS("packages", kits, n_kits, report_kit), AS("packages_count", n_kits, SOME),
     MEMBERS_OF(detail, report_detail));
