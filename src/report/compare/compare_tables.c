#include "report/compare/compare_tables.h"

#include "capture/capture_names.h"
#include "report/compare/compare_collectives.h"
#include "report/compare/compare_compiled.h"
#include "report/compare/compare_layers.h"
#include "report/compare/compare_measured.h"
#include "report/table_fields.h"

#include <math.h>

/* The side that describes a row: the candidate's where it has it. */
static int told_by(const struct compared_row *r)
{
    return r->match->n_events[1] || r->match->n[1] ? 1 : 0;
}

struct str compared_name(const struct compared_row *r)
{
    if (r->match->level == MATCH_CATEGORY) /* of many operators: none speaks for all */
        return work_category_display(r->match->category);
    return r->match->name[told_by(r)];
}

struct str compared_args(const struct compared_row *r)
{
    const struct capture_row *row = r->of[told_by(r)];
    bool calls =
        r->match->level <= MATCH_EQUIVALENT || r->match->level >= MATCH_ONLY_REFERENCE;
    return row && calls ? row->dims : S("");
}

struct str compared_module(const struct comparison *c, const struct compared_row *r)
{
    int side = told_by(r);
    const struct capture *of = c->of[side];
    int32_t node = r->match->level == MATCH_PATH ? r->of[side]->node : 0;
    while (node > 0 && !of->nodes[node].module)
        node = of->nodes[node].parent;
    return node > 0 ? capture_node_name(&of->nodes[node]) : S("");
}

struct str explained_word(enum explained e)
{
    static const struct str words[] = {[EXPLAINED_NOT_RATED] = S_INIT("N/A"),
                                       [EXPLAINED_BY_HARDWARE] = S_INIT("Yes"),
                                       [EXPLAINED_SLOWER] = S_INIT("No"),
                                       [EXPLAINED_FASTER] = S_INIT("No (faster)")};
    return words[e];
}

double compare_share_pct(int64_t part, int64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : (double)NAN;
}

struct str bar_word(enum bar_kind kind)
{
    static const struct str words[] = {[BAR_CLASS] = S_INIT("kernels"),
                                       [BAR_COMM] = S_INIT("communication"),
                                       [BAR_COPY] = S_INIT("copy"),
                                       [BAR_IDLE] = S_INIT("idle")};
    return words[kind];
}

struct told_bar {
    const struct compared_bar *of;
    struct str kind;
};

TELL(double, bar_pct, compared_bar,
     compare_share_pct(it->ns[1] - it->ns[0], it->ns[0]));
COLUMNS(bar_part, compared_bar, COL(AS("part", name, TEXT), "What the time goes into"));
COLUMNS(bar_figures, compared_bar,
        COL(AS("reference_ns", ns[0], NS), "Time in the reference, ns"),
        COL(AS("candidate_ns", ns[1], NS), "Time in the candidate, ns"),
        COL(SPAN("diff_ns", NS, ns[0], ns[1]), "Candidate minus reference, ns"),
        COL_IN(PERCENT, CALL(diff_pct_of_reference, PCT, bar_pct),
               "The difference as a share of this part in the reference"));
COLUMNS(bar_columns, told_bar, THROUGH(of, bar_part),
        COL(F(kind, TEXT), "kernels, communication, copy, idle or window"),
        THROUGH(of, bar_figures));

static struct report_table waterfall(struct arena *perm, const struct comparison *c)
{
    const struct compared_bar window = {.name = S("window"),
                                        .ns = {c->window_ns[0], c->window_ns[1]}};
    struct told_bar *bars = arena_new(perm, struct told_bar, c->n_bars + 1);
    for (int i = 0; i < c->n_bars; i++)
        bars[i] = (struct told_bar){&c->bars[i], bar_word(c->bars[i].kind)};
    bars[c->n_bars] = (struct told_bar){&window, S("window")};
    return table_told(
        perm, "compare_waterfall",
        "Parts of the compared steps, each exclusive of the others: they add up to the "
        "windows, and their differences to the difference of the windows",
        bar_columns(), TABLE_ITEMS(bars, c->n_bars + 1), c);
}

TELL(double, kernel_pct, compared_bar,
     compare_share_pct(it->kernel_ns[1] - it->kernel_ns[0], it->kernel_ns[0]));
COLUMNS(class_columns, compared_bar,
        COL(AS("category", name, TEXT), "Class of work, by the launching operator"),
        COL(AS("kernel_reference_ns", kernel_ns[0], NS), "Sum of kernel times, ns"),
        COL(AS("kernel_candidate_ns", kernel_ns[1], NS), "Sum of kernel times, ns"),
        COL_IN(PERCENT, CALL(kernel_diff_pct_of_reference, PCT, kernel_pct),
               "Their difference as a share of the reference's"),
        COL(F(count_ns, NS), "By another number of calls, ns"),
        COL(F(speed_ns, NS), "By another time per call, ns"),
        COL(F(only_ns, NS), "By work that one side alone has, ns"),
        COL(F(recast_ns, NS),
            "By work implemented with other kernels: fused, split, replaced, ns"),
        COL(F(overlap_ns, NS), "By time hidden behind, or shared with, other work, ns"),
        COL(SPAN("diff_ns", NS, ns[0], ns[1]), "Difference of the exclusive time, ns"));

static struct report_table classes(struct arena *perm, const struct comparison *c)
{
    const struct compared_bar **list =
        arena_new(perm, const struct compared_bar *, c->n_bars + c->n_sums);
    int n = 0;
    for (int i = 0; i < c->n_bars; i++)
        if (c->bars[i].kind == BAR_CLASS)
            list[n++] = &c->bars[i];
    for (int i = 0; i < c->n_sums; i++)
        list[n++] = &c->sums[i];
    struct field_items rows = {.first = list, .n = n, .pointers = true};
    return table_told(
        perm, "compare_categories",
        "Why the exclusive time of each class differs: the parts add up to its "
        "difference in compare_waterfall",
        class_columns(), rows, c);
}

TELL(struct str, row_name, compared_row, compared_name(it));
TELL(struct str, row_args, compared_row, compared_args(it));
TELL(struct str, row_base, compared_row,
     it->of[told_by(it)] ? it->of[told_by(it)]->base : S(""));
TELL(struct str, row_reason, compared_row,
     it->expected.reason.n ? it->expected.reason : it->expected.severity);
TELL(double, row_floor, compared_row,
     it->judged.verdict == VERDICT_NONE ? (double)NAN : it->judged.floor_pct);
TELL(double, match_pct, match, compare_share_pct(it->ns[1] - it->ns[0], it->ns[0]));
COLUMNS(match_category, match,
        COL(ENUM(category, work_category_display, WORK_CATEGORIES),
            "Class of most of its time"));
COLUMNS(
    match_figures, match,
    COL(ENUM(level, match_level_word, MATCH_LEVELS),
        "How both sides were matched: L1 by all arguments, L2 by types and shapes, L3 "
        "by shapes, E by equivalent names, T by the module or operator around, G by "
        "the sequence of kernels, L4 by name, L5 by category"),
    COL_IN(COUNT, AS("calls_reference", n[0], COUNT),
           "Calls; of a sequence device events"),
    COL_IN(COUNT, AS("calls_candidate", n[1], COUNT),
           "Calls; of a sequence device events"),
    COL_IN(COUNT, AS("kernels_reference", n_events[0], COUNT), "Device events"),
    COL_IN(COUNT, AS("kernels_candidate", n_events[1], COUNT), "Device events"),
    COL(AS("total_reference_ns", ns[0], NS), "Sum of kernel times, ns"),
    COL(AS("total_candidate_ns", ns[1], NS), "Sum of kernel times, ns"),
    COL(SPAN("diff_ns", NS, ns[0], ns[1]), "Candidate minus reference, ns"),
    COL_IN(PERCENT, CALL(diff_pct_of_reference, PCT, match_pct),
           "That as a share of the reference's time"));
COLUMNS(match_kernels, match,
        COL(AS("kernel_reference", kernel[0], NAME), "Kernel with most of its time"),
        COL(AS("kernel_candidate", kernel[1], NAME), "Kernel with most of its time"));
COLUMNS(row_columns, compared_row,
        COL(CALL(name, NAME, row_name),
            "Operator; of a sequence the first kernel, of a category its name"),
        COL(CALL_AS("Input Dims", TEXT, row_args), "Shapes of its arguments"),
        THROUGH(match, match_category),
        COL(CALL_AS("op category", TEXT, row_base),
            "Kind of operator in the reference's tables"),
        THROUGH(match, match_figures),
        COL(F(count_ns, NS), "By another number of calls, ns"),
        COL(F(speed_ns, NS), "By another time per call, ns"),
        COL(F(only_ns, NS), "By being on one side only, ns"),
        COL(AS("ratio", expected.ratio, EXACT),
            "Candidate by reference, per call; above 1 is longer"),
        COL(AS("expected_low", expected.low, EXACT),
            "Least ratio that the peaks of both devices explain"),
        COL(AS("expected_high", expected.high, EXACT),
            "Largest ratio that they explain"),
        COL(AS("dev", expected.dev, EXACT), "Ratio by the expected ratio"),
        COL(ENUM_AS("expected", expected.class, explained_word, EXPLAINED_FASTER + 1),
            "Whether the hardware explains the difference"),
        COL(CALL(reason, TEXT, row_reason),
            "Why it is not rated, or what the gap suggests"),
        COL_IN(PERCENT, CALL(noise_floor_pct, PCT, row_floor),
               "Difference per call that noise usually makes"),
        COL(ENUM_AS("verdict", judged.verdict, verdict_words, VERDICTS),
            "Whether the difference per call is more than noise"),
        COL(AS("median_reference_ns", median_ns[0], EXACT),
            "Half of the calls take less, ns, within 3%"),
        COL(AS("median_candidate_ns", median_ns[1], EXACT),
            "Half of the calls take less, ns, within 3%"),
        COL(AS("p90_reference_ns", p90_ns[0], EXACT),
            "Nine in ten calls take less, ns, within 3%"),
        COL(AS("p90_candidate_ns", p90_ns[1], EXACT),
            "Nine in ten calls take less, ns, within 3%"),
        THROUGH(match, match_kernels));

static struct report_table rows(struct arena *perm, const struct comparison *c)
{
    return table_told(
        perm, "compare_rows",
        "Work of both sides, matched; every device event is in one row, so "
        "that the sums are those of the captures",
        row_columns(), TABLE_ITEMS(c->rows, c->n_rows), c);
}

struct field_items compare_levels(struct arena *a, const struct comparison *c)
{
    struct compared_level *list = arena_new(a, struct compared_level, MATCH_LEVELS);
    int n = 0;
    for (int l = 0; l < MATCH_LEVELS; l++)
        if (c->level_rows[l])
            list[n++] = (struct compared_level){
                match_level_word((enum match_level)l),
                c->level_rows[l],
                {compare_share_pct(c->level_ns[l][0], c->device_ns[0]),
                 compare_share_pct(c->level_ns[l][1], c->device_ns[1])}};
    return TABLE_ITEMS(list, n);
}

COLUMNS(level_columns, compared_level,
        COL(F(level, TEXT), "How both sides were matched"),
        COL_IN(COUNT, F(rows, COUNT), "Rows of compare_rows"),
        COL_IN(PERCENT, AS("share_reference_pct", share_pct[0], PCT),
               "Share of its kernel time"),
        COL_IN(PERCENT, AS("share_candidate_pct", share_pct[1], PCT),
               "Share of its kernel time"));

static struct report_table levels(struct arena *perm, const struct comparison *c)
{
    return table_told(perm, "compare_matching",
                      "How much kernel time each level of matching explains",
                      level_columns(), compare_levels(perm, c), c);
}

struct told_step {
    struct str side, capture;
    const struct capture_step *of;
};

COLUMNS(step_figures, capture_step,
        COL_IN(COUNT, AS("step", number, NUMBER), "Number of the step"),
        COL(SPAN("length_ns", NS, start_ns, end_ns), "Time of the step, ns"),
        COL(F(phase, TEXT), "What it serves"),
        COL_IN(COUNT, F(new_tokens, EXACT), "New tokens of all requests"),
        COL(F(steady, FLAG), "False for a warm-up step"));
COLUMNS(step_columns, told_step, COL(F(side, TEXT), "reference or candidate"),
        COL(F(capture, NAME), "Its name"), THROUGH(of, step_figures));

static struct report_table steps(struct arena *perm, const struct comparison *c)
{
    struct told_step *list = NULL;
    int n = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < c->n_captures[side]; i++)
            for (int k = 0; k < c->captures[side][i].n_steps; k++) {
                const struct capture *of = &c->captures[side][i];
                arena_grow(perm, list, n);
                list[n++] = (struct told_step){side ? S("candidate") : S("reference"),
                                               of->label, &of->steps[k]};
            }
    return table_told(perm, "compare_steps", "Marked steps of all captures",
                      step_columns(), TABLE_ITEMS(list, n), c);
}

struct sheets compare_tables(struct arena *perm, const struct comparison *c)
{
    struct sheets s = {.tables = arena_new(perm, struct report_table, 9)};
    s.tables[s.n++] = waterfall(perm, c);
    s.tables[s.n++] = classes(perm, c);
    s.tables[s.n++] = rows(perm, c);
    s.tables[s.n++] = levels(perm, c);
    s.tables[s.n++] = steps(perm, c);
    s.tables[s.n++] = compare_measured_table(perm, c);
    s.tables[s.n++] = compare_layers_table(perm, c);
    s.tables[s.n++] = compare_compiled_table(perm, c);
    s.tables[s.n++] = compare_collectives_table(perm, c);
    return s;
}
