#include "report/compare/compare_tables.h"

#include "capture/capture_nodes.h"
#include "report/table_build.h"

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

static double pct_of(int64_t part, int64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : (double)NAN;
}

static const char *const bar_kinds[] = {[BAR_CLASS] = "kernels",
                                        [BAR_COMM] = "communication",
                                        [BAR_COPY] = "copy",
                                        [BAR_IDLE] = "idle"};

static struct report_table waterfall(struct arena *perm, const struct comparison *c)
{
    struct table_build b = table_begin(
        perm, S("compare_waterfall"),
        "Parts of the compared steps, each exclusive of the others: they add up to the "
        "windows, and their differences to the difference of the windows",
        c->n_bars + 1);
    add_column(&b, S("part"), UNIT_NONE, "What the time goes into");
    add_column(&b, S("kind"), UNIT_NONE,
               "kernels, communication, copy, idle or window");
    add_column(&b, S("reference_ns"), UNIT_NONE, "Time in the reference, ns");
    add_column(&b, S("candidate_ns"), UNIT_NONE, "Time in the candidate, ns");
    add_column(&b, S("diff_ns"), UNIT_NONE, "Candidate less reference, ns");
    add_column(&b, S("diff_pct_of_reference"), UNIT_PERCENT,
               "The difference as a share of this part in the reference");
    add_column(&b, S("share_of_difference_pct"), UNIT_PERCENT,
               "The difference as a share of the difference of the windows");
    int64_t all_ns = c->window_ns[1] - c->window_ns[0];
    for (int i = 0; i <= c->n_bars; i++) {
        struct compared_bar window = {.name = S("window"),
                                      .ns = {c->window_ns[0], c->window_ns[1]}};
        const struct compared_bar *bar = i < c->n_bars ? &c->bars[i] : &window;
        int64_t diff_ns = bar->ns[1] - bar->ns[0];
        put_text(&b, bar->name);
        put_text(&b, str_of(i < c->n_bars ? bar_kinds[bar->kind] : "window"));
        put_int(&b, bar->ns[0]);
        put_int(&b, bar->ns[1]);
        put_int(&b, diff_ns);
        put_real(&b, pct_of(diff_ns, bar->ns[0]));
        put_real(&b, pct_of(diff_ns, all_ns));
    }
    return table_done(&b);
}

static struct report_table classes(struct arena *perm, const struct comparison *c)
{
    struct table_build b = table_begin(
        perm, S("compare_categories"),
        "Why the exclusive time of each class differs: the parts add up to its "
        "difference in compare_waterfall",
        c->n_bars);
    add_column(&b, S("category"), UNIT_NONE,
               "Class of work, by the launching operator");
    add_column(&b, S("kernel_reference_ns"), UNIT_NONE, "Sum of kernel times, ns");
    add_column(&b, S("kernel_candidate_ns"), UNIT_NONE, "Sum of kernel times, ns");
    add_column(&b, S("kernel_diff_pct_of_reference"), UNIT_PERCENT,
               "Their difference as a share of the reference's");
    add_column(&b, S("count_ns"), UNIT_NONE, "By another number of calls, ns");
    add_column(&b, S("speed_ns"), UNIT_NONE, "By another time per call, ns");
    add_column(&b, S("only_ns"), UNIT_NONE, "By work that one side alone has, ns");
    add_column(&b, S("recast_ns"), UNIT_NONE,
               "By work implemented with other kernels: fused, split, replaced, ns");
    add_column(&b, S("overlap_ns"), UNIT_NONE,
               "By time hidden behind, or shared with, other work, ns");
    add_column(&b, S("diff_ns"), UNIT_NONE, "Difference of the exclusive time, ns");
    for (int i = 0; i < c->n_bars; i++) {
        const struct compared_bar *bar = &c->bars[i];
        if (bar->kind != BAR_CLASS)
            continue;
        put_text(&b, bar->name);
        put_int(&b, bar->kernel_ns[0]);
        put_int(&b, bar->kernel_ns[1]);
        put_real(&b, pct_of(bar->kernel_ns[1] - bar->kernel_ns[0], bar->kernel_ns[0]));
        put_int(&b, bar->count_ns);
        put_int(&b, bar->speed_ns);
        put_int(&b, bar->only_ns);
        put_int(&b, bar->recast_ns);
        put_int(&b, bar->overlap_ns);
        put_int(&b, bar->ns[1] - bar->ns[0]);
    }
    return table_done(&b);
}

static void row_columns(struct table_build *b)
{
    static const struct {
        const char *title, *meaning;
        enum column_unit unit;
    } columns[] = {
        {"name", "Operator; of a sequence the first kernel, of a category its name",
         UNIT_NONE},
        {"Input Dims", "Shapes of its arguments", UNIT_NONE},
        {"category", "Class of most of its time", UNIT_NONE},
        {"op category", "Kind of operator in the reference's tables", UNIT_NONE},
        {"level",
         "How both sides were matched: L1 by all arguments, L2 by types and "
         "shapes, L3 by shapes, E by equivalent names, T by the module or operator "
         "around, G by the sequence of "
         "kernels, L4 by name, L5 by category",
         UNIT_NONE},
        {"calls_reference", "Calls; of a sequence device events", UNIT_COUNT},
        {"calls_candidate", "Calls; of a sequence device events", UNIT_COUNT},
        {"kernels_reference", "Device events", UNIT_COUNT},
        {"kernels_candidate", "Device events", UNIT_COUNT},
        {"total_reference_ns", "Sum of kernel times, ns", UNIT_NONE},
        {"total_candidate_ns", "Sum of kernel times, ns", UNIT_NONE},
        {"diff_ns", "Candidate less reference, ns", UNIT_NONE},
        {"diff_pct_of_reference", "That as a share of the reference's time",
         UNIT_PERCENT},
        {"share_of_difference_pct", "Share of the difference of all kernel time",
         UNIT_PERCENT},
        {"count_ns", "By another number of calls, ns", UNIT_NONE},
        {"speed_ns", "By another time per call, ns", UNIT_NONE},
        {"only_ns", "By being on one side only, ns", UNIT_NONE},
        {"ratio", "Candidate by reference, per call; above 1 is longer", UNIT_NONE},
        {"expected_low", "Least ratio that the peaks of both devices explain",
         UNIT_NONE},
        {"expected_high", "Largest ratio that they explain", UNIT_NONE},
        {"dev", "Ratio by the expected ratio", UNIT_NONE},
        {"expected", "Whether the hardware explains the difference", UNIT_NONE},
        {"reason", "Why it is not rated, or what the gap suggests", UNIT_NONE},
        {"noise_floor_pct", "Difference per call that noise usually makes",
         UNIT_PERCENT},
        {"verdict", "Whether the difference per call is more than noise", UNIT_NONE},
        {"median_reference_ns", "Half of the calls take less, ns, within 3%",
         UNIT_NONE},
        {"median_candidate_ns", "Half of the calls take less, ns, within 3%",
         UNIT_NONE},
        {"p90_reference_ns", "Nine in ten calls take less, ns, within 3%", UNIT_NONE},
        {"p90_candidate_ns", "Nine in ten calls take less, ns, within 3%", UNIT_NONE},
        {"kernel_reference", "Kernel with most of its time", UNIT_NONE},
        {"kernel_candidate", "Kernel with most of its time", UNIT_NONE},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        add_column(b, str_of(columns[i].title), columns[i].unit, columns[i].meaning);
}

static void put_expected(struct table_build *b, const struct expected_ratio *x)
{
    put_real(b, x->ratio);
    put_real(b, x->low);
    put_real(b, x->high);
    put_real(b, x->dev);
    put_text(b, explained_word(x->class));
    put_text(b, x->reason.n ? x->reason : x->severity);
}

static void put_row(struct table_build *b, const struct compared_row *r, int64_t all_ns)
{
    const struct match *m = r->match;
    const struct capture_row *row = r->of[told_by(r)];
    put_name(b, compared_name(r));
    put_text(b, compared_args(r));
    put_text(b, work_category_display(m->category));
    put_text(b, row ? row->base : S(""));
    put_text(b, match_level_word(m->level));
    put_int(b, m->n[0]);
    put_int(b, m->n[1]);
    put_int(b, m->n_events[0]);
    put_int(b, m->n_events[1]);
    put_int(b, m->ns[0]);
    put_int(b, m->ns[1]);
    put_int(b, m->ns[1] - m->ns[0]);
    put_real(b, pct_of(m->ns[1] - m->ns[0], m->ns[0]));
    put_real(b, pct_of(m->ns[1] - m->ns[0], all_ns));
    put_int(b, r->count_ns);
    put_int(b, r->speed_ns);
    put_int(b, r->only_ns);
    put_expected(b, &r->expected);
    put_real(b, r->judged.verdict == VERDICT_NONE ? (double)NAN : r->judged.floor_pct);
    put_text(b, verdict_words(r->judged.verdict));
    for (int side = 0; side < 2; side++)
        put_real(b, r->median_ns[side]);
    for (int side = 0; side < 2; side++)
        put_real(b, r->p90_ns[side]);
    put_name(b, m->kernel[0]);
    put_name(b, m->kernel[1]);
}

static struct report_table rows(struct arena *perm, const struct comparison *c)
{
    struct table_build b =
        table_begin(perm, S("compare_rows"),
                    "Work of both sides, matched; every device event is in one row, so "
                    "that the sums are those of the captures",
                    c->n_rows);
    row_columns(&b);
    for (int32_t i = 0; i < c->n_rows; i++)
        put_row(&b, &c->rows[i], c->device_ns[1] - c->device_ns[0]);
    return table_done(&b);
}

static struct report_table levels(struct arena *perm, const struct comparison *c)
{
    struct table_build b = table_begin(perm, S("compare_matching"),
                                       "How much kernel time each level of matching "
                                       "explains",
                                       MATCH_LEVELS);
    add_column(&b, S("level"), UNIT_NONE, "How both sides were matched");
    add_column(&b, S("rows"), UNIT_COUNT, "Rows of compare_rows");
    add_column(&b, S("share_reference_pct"), UNIT_PERCENT, "Share of its kernel time");
    add_column(&b, S("share_candidate_pct"), UNIT_PERCENT, "Share of its kernel time");
    for (int l = 0; l < MATCH_LEVELS; l++) {
        if (!c->level_rows[l])
            continue;
        put_text(&b, match_level_word((enum match_level)l));
        put_int(&b, c->level_rows[l]);
        for (int side = 0; side < 2; side++)
            put_real(&b, pct_of(c->level_ns[l][side], c->device_ns[side]));
    }
    return table_done(&b);
}

static struct report_table steps(struct arena *perm, const struct comparison *c)
{
    ptrdiff_t n = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < c->n_captures[side]; i++)
            n += c->captures[side][i].n_steps;
    struct table_build b =
        table_begin(perm, S("compare_steps"), "Marked steps of all captures", n);
    add_column(&b, S("side"), UNIT_NONE, "reference or candidate");
    add_column(&b, S("capture"), UNIT_NONE, "Its name");
    add_column(&b, S("step"), UNIT_COUNT, "Number of the step");
    add_column(&b, S("length_ns"), UNIT_NONE, "Time of the step, ns");
    add_column(&b, S("phase"), UNIT_NONE, "What it serves");
    add_column(&b, S("new_tokens"), UNIT_COUNT, "New tokens of all requests");
    add_column(&b, S("steady"), UNIT_NONE, "False for a warm-up step");
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < c->n_captures[side]; i++)
            for (int k = 0; k < c->captures[side][i].n_steps; k++) {
                const struct capture_step *s = &c->captures[side][i].steps[k];
                put_text(&b, side ? S("candidate") : S("reference"));
                put_name(&b, c->captures[side][i].label);
                put_int(&b, s->number);
                put_int(&b, s->end_ns - s->start_ns);
                put_text(&b, s->phase);
                put_real(&b, s->new_tokens);
                put_bool(&b, s->steady);
            }
    return table_done(&b);
}

struct sheets compare_tables(struct arena *perm, const struct comparison *c)
{
    struct sheets s = {.tables = arena_new(perm, struct report_table, 5)};
    s.tables[s.n++] = waterfall(perm, c);
    s.tables[s.n++] = classes(perm, c);
    s.tables[s.n++] = rows(perm, c);
    s.tables[s.n++] = levels(perm, c);
    s.tables[s.n++] = steps(perm, c);
    return s;
}
