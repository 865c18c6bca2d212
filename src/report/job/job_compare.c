#include "report/job/job_compare.h"

#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "base/arena.h"
#include "base/sha256.h"
#include "report/job/job_pages.h"
#include "report/table_build.h"

#include <math.h>

#define WALL_FLOOR_PCT 15.0 /* times observed once a side say nothing below it */

/* A time of the run as that of a step, if times are compared so. */
static double shown_ns(const struct job_comparison *c, int side, double ns)
{
    const struct job_outline *o = c->of[side];
    return c->by_step ? ns / (double)o->run_ns * (double)o->step_ns : ns;
}

double job_compared_length_ns(const struct job_comparison *c, int side)
{
    return shown_ns(c, side, (double)c->of[side]->run_ns);
}

/* Of the mean rank. */
double job_compared_part_ns(const struct job_comparison *c, int side, int part)
{
    const struct job_outline *o = c->of[side];
    return shown_ns(c, side, (double)o->parts[part].sum_ns / o->n_ranks);
}

/* NaN: next to the difference the reference is nothing. */
static double more_pct(double ref, double cand)
{
    return ref > 0 && fabs(cand - ref) <= 10 * ref ? 100 * (cand - ref) / ref
                                                   : (double)NAN;
}

/* Both sides, the difference, and that in percent of the reference. */
static void put_times(struct table_build *b, double ref_ns, double cand_ns)
{
    put_int(b, llround(ref_ns));
    put_int(b, llround(cand_ns));
    put_int(b, llround(cand_ns) - llround(ref_ns));
    put_real(b, more_pct(ref_ns, cand_ns));
}
#define TIMES                                                                          \
    {"reference_ns", "Reference"}, {"candidate_ns", "Candidate"},                      \
        {"difference_ns", "Difference"},                                               \
    {                                                                                  \
        "difference_pct", "Of the reference, %"                                        \
    }

static double per_step(const struct job_outline *o)
{
    return o->n_steps > 0 ? (double)o->n_instances / o->n_steps
                          : (double)o->n_instances;
}

static struct report_table setup_table(struct arena *perm,
                                       const struct job_comparison *c)
{
    static const struct table_heading columns[] = {{"what", "What"},
                                                   {"reference", "Reference"},
                                                   {"candidate", "Candidate"},
                                                   {"differs", "Differs"}};
    struct table_build b =
        TABLE_OF(perm, "job_setup", "What the two jobs are", 6, columns);
    static const char *const whats[] = {
        "Ranks with a trace",   "Ranks of the job", "Nodes", "Groups of ranks", "Steps",
        "Collectives in a step"};
    for (int i = 0; i < (int)(sizeof whats / sizeof *whats); i++) {
        double of[2];
        for (int side = 0; side < 2; side++) {
            const struct job_outline *o = c->of[side];
            const double values[] = {o->n_ranks,  o->n_expected, o->n_nodes,
                                     o->n_groups, o->n_steps,    per_step(o)};
            of[side] = values[i];
        }
        put_text(&b, str_of(whats[i]));
        put_real(&b, of[0]);
        put_real(&b, of[1]);
        put_bool(&b, of[0] != of[1]);
    }
    return table_done(&b);
}

static struct report_table parts_table(struct arena *perm,
                                       const struct job_comparison *c)
{
    static const struct table_heading columns[] = {{"part", "Part"}, TIMES};
    struct table_build b = TABLE_OF(
        perm, "job_parts", "Where the time of the mean rank goes; parts add up",
        JOB_PARTS, columns);
    for (int p = 0; p < JOB_PARTS; p++) {
        put_text(&b, job_part_word((enum job_part)p));
        put_times(&b, job_compared_part_ns(c, 0, p), job_compared_part_ns(c, 1, p));
    }
    return table_done(&b);
}

/* False: both sides are too short for a row. */
static bool put_cause(struct table_build *b, const struct job_comparison *c,
                      struct str cause, int64_t ref_ns, int64_t cand_ns)
{
    enum { LEAST_NS = 1000 };
    double ref = shown_ns(c, 0, (double)ref_ns), cand = shown_ns(c, 1, (double)cand_ns);
    if (fabs(ref) < LEAST_NS && fabs(cand) < LEAST_NS)
        return false;
    put_text(b, cause);
    put_times(b, ref, cand);
    return true;
}

/* Idle time by its causes; the rest of it is a row too. */
static struct report_table causes_table(struct arena *perm,
                                        const struct job_comparison *c)
{
    static const struct table_heading columns[] = {{"cause", "Cause"}, TIMES};
    static const char *const words[] = {[SEGMENT_COMPUTE] = "computing",
                                        [SEGMENT_COPY] = "copying",
                                        [SEGMENT_OTHER] =
                                            "communication of other groups",
                                        [SEGMENT_IDLE] = "idle, other"};
    struct table_build b =
        TABLE_OF(perm, "job_causes", "Why ranks are late: longer than the median rank",
                 SEGMENT_PARTS + CAPTURE_CAUSES, columns);
    int64_t rest_ns[2] = {c->of[0]->late_ns[SEGMENT_IDLE],
                          c->of[1]->late_ns[SEGMENT_IDLE]};
    for (int k = 0; k < SEGMENT_IDLE; k++)
        (void)put_cause(&b, c, str_of(words[k]), c->of[0]->late_ns[k],
                        c->of[1]->late_ns[k]);
    for (int k = 0; k < CAPTURE_CAUSES; k++) {
        const int64_t ns[2] = {c->of[0]->cause_ns[k], c->of[1]->cause_ns[k]};
        struct str label = idle_class_label((enum idle_class)k);
        if (!put_cause(&b, c, str_printf(perm, "idle: %.*s", STRF(label)), ns[0],
                       ns[1]))
            continue;
        rest_ns[0] -= ns[0];
        rest_ns[1] -= ns[1];
    }
    (void)put_cause(&b, c, str_of(words[SEGMENT_IDLE]), rest_ns[0], rest_ns[1]);
    return table_done(&b);
}

static struct report_table spread_table(struct arena *perm,
                                        const struct job_comparison *c)
{
    static const struct table_heading columns[] = {
        {"part", "Part"}, {"rank", "Rank with"}, TIMES};
    static const char *const words[] = {"least of it", "the middle of it",
                                        "most of it"};
    struct table_build b =
        TABLE_OF(perm, "job_spread", "How time differs between ranks",
                 (ptrdiff_t)JOB_PARTS * 3, columns);
    for (int p = 0; p < JOB_PARTS; p++)
        for (int k = 0; k < 3; k++) {
            double of[2];
            for (int side = 0; side < 2; side++) {
                const struct job_spread *s = &c->of[side]->parts[p];
                const int64_t values[] = {s->least_ns, s->middle_ns, s->most_ns};
                of[side] = shown_ns(c, side, (double)values[k]);
            }
            put_text(&b, job_part_word((enum job_part)p));
            put_text(&b, str_of(words[k]));
            put_times(&b, of[0], of[1]);
        }
    return table_done(&b);
}

/* Ranks of both jobs by number: calls of next give each once, with its two outlines. */
struct pairing {
    const struct job_comparison *c;
    int at[2];
    const struct outline_rank *of[2]; /* NULL: not in this job */
};

static bool next_rank(struct pairing *p)
{
    int least = -1;
    for (int side = 0; side < 2; side++) {
        const struct job_outline *o = p->c->of[side];
        p->of[side] = p->at[side] < o->n_listed ? &o->ranks[p->at[side]] : NULL;
        if (p->of[side] && (least < 0 || p->of[side]->rank < least))
            least = p->of[side]->rank;
    }
    for (int side = 0; side < 2; side++) {
        if (p->of[side] && p->of[side]->rank != least)
            p->of[side] = NULL;
        p->at[side] += p->of[side] != NULL;
    }
    return least >= 0;
}

static const char *lateness_word(const struct pairing *p)
{
    bool was = p->of[0] && p->of[0]->is_named, is = p->of[1] && p->of[1]->is_named;
    return was && is ? "late in both" : is ? "newly late" : was ? "no longer late" : "";
}

int job_newly_late(const struct job_comparison *c)
{
    for (struct pairing p = {.c = c}; next_rank(&p);)
        if (p.of[1] && p.of[1]->is_named && !(p.of[0] && p.of[0]->is_named))
            return p.of[1]->rank;
    return -1;
}

static void put_rank_cause(struct table_build *b, const struct outline_rank *r)
{
    if (r && r->cause.n)
        put_text(b, r->cause);
    else
        put_none(b);
}

static struct report_table ranks_table(struct arena *perm,
                                       const struct job_comparison *c)
{
    static const struct table_heading columns[] = {
        {"rank", "Rank"},
        TIMES,
        {"reference_cause", "Reference: cause"},
        {"candidate_cause", "Candidate: cause"},
        {"named", "Named"}};
    struct table_build b = TABLE_OF(
        perm, "job_ranks", "Who makes the others wait: waiting that a rank causes",
        (ptrdiff_t)c->of[0]->n_listed + c->of[1]->n_listed, columns);
    for (struct pairing p = {.c = c}; next_rank(&p);) {
        put_int(&b, p.of[p.of[0] ? 0 : 1]->rank);
        if (p.of[0] && p.of[1]) {
            put_times(&b, shown_ns(c, 0, (double)p.of[0]->blame_ns),
                      shown_ns(c, 1, (double)p.of[1]->blame_ns));
        } else {
            for (int side = 0; side < 2; side++)
                if (p.of[side])
                    put_int(&b,
                            llround(shown_ns(c, side, (double)p.of[side]->blame_ns)));
                else
                    put_none(&b);
            put_none(&b);
            put_none(&b);
        }
        put_rank_cause(&b, p.of[0]);
        put_rank_cause(&b, p.of[1]);
        put_text(&b, str_of(lateness_word(&p)));
    }
    return table_done(&b);
}

static bool same_transfer(const struct outline_speed *a, const struct outline_speed *b)
{
    return str_eq(a->kind, b->kind) && str_eq(a->dtype, b->dtype) &&
           a->bytes == b->bytes && a->n_ranks == b->n_ranks &&
           a->crosses_nodes == b->crosses_nodes;
}

/* Transfers of one kind and size that both jobs have. */
static struct report_table speed_table(struct arena *perm,
                                       const struct job_comparison *c)
{
    enum { MOST = 500 }; /* kinds and sizes of a side that are looked at */
    static const struct table_heading columns[] = {
        {"kind", "Collective"},
        {"dtype", "Type"},
        {"bytes", "Bytes"},
        {"ranks", "Ranks"},
        {"between_nodes", "Between nodes"},
        TIMES,
        {"reference_gb_s", "Reference: bus, GB/s"},
        {"candidate_gb_s", "Candidate: bus, GB/s"}};
    const struct job_outline *ref = c->of[0], *cand = c->of[1];
    struct table_build b =
        TABLE_OF(perm, "job_speed", "How fast data moves, without waiting",
                 ref->n_speeds < MOST ? ref->n_speeds : MOST, columns);
    for (int i = 0; i < ref->n_speeds && i < MOST; i++)
        for (int k = 0; k < cand->n_speeds && k < MOST; k++) {
            const struct outline_speed *x = &ref->speeds[i], *y = &cand->speeds[k];
            if (!same_transfer(x, y))
                continue;
            put_name(&b, x->kind);
            put_name(&b, x->dtype);
            if (x->bytes >= 0)
                put_int(&b, x->bytes);
            else
                put_none(&b);
            put_int(&b, x->n_ranks);
            put_bool(&b, x->crosses_nodes);
            put_times(&b, (double)x->transfer_ns, (double)y->transfer_ns);
            put_real(&b, x->bus_gb_s);
            put_real(&b, y->bus_gb_s);
            break;
        }
    return table_done(&b);
}

static void tell(struct job_comparison *c, struct str sentence)
{
    c->verdict[c->n_verdict++] = sentence;
}

/* Whether the sides have names that tell them apart. */
static bool are_named(const struct job_comparison *c)
{
    return c->of[0]->label.n && c->of[1]->label.n &&
           !str_eq(c->of[0]->label, c->of[1]->label);
}

static struct str name_of(struct arena *perm, const struct job_comparison *c, int side)
{
    return are_named(c) ? quoted_name(perm, c->of[side]->label, 60)
           : side       ? S("the candidate")
                        : S("the reference");
}

/* The same at the beginning of a sentence. */
static struct str opening_name(struct arena *perm, const struct job_comparison *c,
                               int side)
{
    return are_named(c) ? name_of(perm, c, side)
           : side       ? S("The candidate")
                        : S("The reference");
}

/* "takes 17.6% longer per step than". */
static struct str takes_text(struct arena *perm, const struct job_comparison *c,
                             double pct)
{
    const char *of = c->by_step ? " per step" : "";
    return fabs(pct) < 0.05 ? str_printf(perm, "takes as long%s as", of)
                            : str_printf(perm, "takes %.1f%% %s%s than", fabs(pct),
                                         pct > 0 ? "longer" : "less time", of);
}

static struct str ranks_text(struct arena *perm, const struct job_comparison *c,
                             int side)
{
    return c->of[0]->n_ranks == c->of[1]->n_ranks
               ? S("")
               : str_printf(perm, " on %d ranks", c->of[side]->n_ranks);
}

static void say_length(struct arena *perm, struct job_comparison *c)
{
    double ref = job_compared_length_ns(c, 0), cand = job_compared_length_ns(c, 1),
           pct = more_pct(ref, cand);
    tell(c, str_printf(
                perm, "%.*s %.*s %.*s (%.*s%.*s against %.*s%.*s)%s",
                STRF(opening_name(perm, c, 1)), STRF(takes_text(perm, c, pct)),
                STRF(name_of(perm, c, 0)), STRF(duration_text(perm, llround(cand))),
                STRF(ranks_text(perm, c, 1)), STRF(duration_text(perm, llround(ref))),
                STRF(ranks_text(perm, c, 0)),
                fabs(pct) > WALL_FLOOR_PCT || fabs(pct) < 0.05
                    ? ""
                    : ", which is not judged: each job was observed once, and the same "
                      "job recorded twice can differ by 15%"));
}

static struct str signed_text(struct arena *perm, double ns)
{
    return str_printf(perm, "%s%.*s", ns >= 0 ? "+" : "",
                      STRF(duration_text(perm, llround(ns))));
}

/* The two parts that change most. */
static void say_parts(struct arena *perm, struct job_comparison *c)
{
    double change[JOB_PARTS], all = 0;
    int first = 0, second = 1;
    for (int p = 0; p < JOB_PARTS; p++) {
        change[p] = job_compared_part_ns(c, 1, p) - job_compared_part_ns(c, 0, p);
        all += change[p];
    }
    for (int p = 1; p < JOB_PARTS; p++)
        if (fabs(change[p]) > fabs(change[first])) {
            second = first;
            first = p;
        } else if (p != first && fabs(change[p]) > fabs(change[second])) {
            second = p;
        }
    if (fabs(change[first]) < 1e3)
        return;
    tell(c,
         str_printf(
             perm,
             "Of the difference of %.*s on the mean rank, %.*s is %.*s and %.*s %.*s",
             STRF(signed_text(perm, all)), STRF(job_part_word((enum job_part)first)),
             STRF(signed_text(perm, change[first])),
             STRF(job_part_word((enum job_part)second)),
             STRF(signed_text(perm, change[second]))));
}

static void say_late(struct arena *perm, struct job_comparison *c)
{
    enum { MOST = 6 };
    struct str text = S("");
    int told = 0, more = 0;
    for (struct pairing p = {.c = c}; next_rank(&p);) {
        const char *word = lateness_word(&p);
        const struct outline_rank *r = p.of[p.of[1] && p.of[1]->is_named ? 1 : 0];
        if (!*word)
            continue;
        if (told == MOST) {
            more++;
            continue;
        }
        text = str_printf(perm, "%.*s%s%s %d is %s (%.*s)", STRF(text),
                          told ? "; " : "", told ? "rank" : "Rank", r->rank, word,
                          STRF(r->cause.n ? r->cause : S("cause unknown")));
        told++;
    }
    if (more)
        text = str_printf(perm, "%.*s; and %d more", STRF(text), more);
    tell(c, told ? text : S("Neither job has a rank that is late enough to be named"));
    if (job_newly_late(c) >= 0)
        tell(c,
             str_printf(perm,
                        "What to do: run tracefolio job on the traces of %.*s, which "
                        "says what delays rank %d",
                        STRF(name_of(perm, c, 1)), job_newly_late(c)));
}

static double lost_pct(const struct job_outline *o)
{
    return o->ideal_ns > 0 && o->replayed_ns > 0
               ? 100 * (double)(o->replayed_ns - o->ideal_ns) / (double)o->replayed_ns
               : (double)NAN;
}

static void say_lost(struct arena *perm, struct job_comparison *c)
{
    double ref = lost_pct(c->of[0]), cand = lost_pct(c->of[1]);
    if (isfinite(ref) && isfinite(cand))
        tell(c, str_printf(perm,
                           "Without late ranks %.*s would be %.1f%% shorter, %.*s "
                           "%.1f%% (estimates)",
                           STRF(name_of(perm, c, 1)), cand, STRF(name_of(perm, c, 0)),
                           ref));
}

static void say_setup(struct arena *perm, struct job_comparison *c)
{
    const struct job_outline *ref = c->of[0], *cand = c->of[1];
    if (!c->same_work)
        tell(c, str_printf(perm,
                           "The jobs run different work, so the differences rate "
                           "neither of them: %d ranks and %.1f collectives per step, "
                           "against %d and %.1f in %.*s",
                           cand->n_ranks, per_step(cand), ref->n_ranks, per_step(ref),
                           STRF(name_of(perm, c, 0))));
}

struct job_comparison job_compare(struct arena *perm, const struct job_outline *ref,
                                  const struct job_outline *cand)
{
    struct job_comparison c = {.of = {ref, cand}};
    double fewer = fmin(per_step(ref), per_step(cand)),
           more = fmax(per_step(ref), per_step(cand));
    c.by_step = ref->n_steps > 1 && cand->n_steps > 1;
    c.same_work = ref->n_ranks == cand->n_ranks && fewer >= 0.95 * more;
    say_length(perm, &c);
    say_parts(perm, &c);
    say_late(perm, &c);
    say_lost(perm, &c);
    say_setup(perm, &c);
    c.tables[JOB_COMPARE_SETUP] = setup_table(perm, &c);
    c.tables[JOB_COMPARE_PARTS] = parts_table(perm, &c);
    c.tables[JOB_COMPARE_CAUSES] = causes_table(perm, &c);
    c.tables[JOB_COMPARE_SPREAD] = spread_table(perm, &c);
    c.tables[JOB_COMPARE_RANKS] = ranks_table(perm, &c);
    c.tables[JOB_COMPARE_SPEED] = speed_table(perm, &c);
    return c;
}

/* A comparison of two jobs as pages: its tables, with times in ms. */

static struct str cell_shown(struct arena *perm, const struct table_column *column,
                             const struct cell *c)
{
    switch (c->kind) {
    case CELL_INT:
        return str_ends(column->title, S("_ns"))
                   ? str_printf(perm, "%.3f", (double)c->as.i / 1e6)
                   : str_printf(perm, "%lld", (long long)c->as.i);
    case CELL_REAL:
        return isfinite(c->as.r) ? str_printf(perm, "%.*f",
                                              str_ends(column->title, S("_pct")) ||
                                                      c->as.r != floor(c->as.r)
                                                  ? 1
                                                  : 0,
                                              c->as.r)
                                 : S("-");
    case CELL_BOOL:
        return c->as.b ? S("yes") : S("no");
    case CELL_NONE:
        return S("-");
    default:
        return c->as.text.n ? c->as.text : S("-");
    }
}

static bool is_numeric(const struct report_table *t, ptrdiff_t column)
{
    for (ptrdiff_t i = 0; i < t->n_rows; i++) {
        enum cell_kind kind = table_cell(t, i, column)->kind;
        if (kind != CELL_NONE)
            return kind == CELL_INT || kind == CELL_REAL;
    }
    return false;
}

/* The heading of a column, with the name of a side in place of its role. */
static struct str heading(struct arena *perm, const struct job_comparison *c,
                          struct str meaning)
{
    static const struct str roles[] = {S_INIT("Reference"), S_INIT("Candidate"),
                                       S_INIT("Of the reference")};
    enum { WIDE = 24 };
    for (int k = 0; k < 3; k++) {
        struct str name = c->of[k % 2]->label;
        if (are_named(c) && name.n <= WIDE && str_starts(meaning, roles[k]))
            return str_printf(perm, "%s%.*s%.*s", k == 2 ? "Of " : "", STRF(name),
                              STRF(str_skip(meaning, roles[k].n)));
    }
    return meaning;
}

static struct job_table *table_shown(struct arena *perm, const struct job_comparison *c,
                                     const struct report_table *t)
{
    struct job_table *to =
        job_table_sized(perm, t->n_rows, JOB_TABLE_ROWS, (int)t->n_columns, t->name);
    for (int k = 0; k < to->n_columns; k++) {
        const struct table_column *column = &t->columns[k];
        to->columns[k] = (struct job_column){
            str_printf(perm, "%.*s%s", STRF(heading(perm, c, column->meaning)),
                       str_ends(column->title, S("_ns")) ? ", ms" : ""),
            is_numeric(t, k)};
        for (int i = 0; i < to->n_rows; i++)
            job_cell(to, i, k)->text = cell_shown(perm, column, table_cell(t, i, k));
    }
    return to;
}

static struct str id_of(struct arena *perm, const struct job_comparison *c,
                        struct str version)
{
    char hex[SHA256_HEX_BYTES];
    sha256_hex_of(str_printf(perm, "%.*s %.*s %.*s", STRF(version), STRF(c->of[0]->id),
                             STRF(c->of[1]->id)),
                  hex);
    return str_copy(perm, str_head(str_of(hex), 16));
}

static struct field_items verdict_of(const struct described *in)
{
    const struct job_comparison *c = in->of;
    return (struct field_items){.first = c->verdict, .n = c->n_verdict};
}

TELL(bool, any_cause, job_comparison, it->tables[JOB_COMPARE_CAUSES].n_rows > 0);
TELL(bool, any_speed, job_comparison, it->tables[JOB_COMPARE_SPEED].n_rows > 0);
static FIELDS(job_comparison, CALL_LIST(verdict, text, verdict_of), F(by_step, FLAG),
              CALL(any_cause, FLAG, any_cause), CALL(any_speed, FLAG, any_speed));

struct job_document *job_compare_document(struct arena *perm,
                                          const struct job_comparison *c,
                                          struct str tool_version)
{
    struct job_document *d = arena_new(perm, struct job_document, 1);
    *d = (struct job_document){.title = S("Comparison of two jobs"),
                               .label = str_printf(perm, "%.*s against %.*s",
                                                   STRF(c->of[1]->label),
                                                   STRF(c->of[0]->label)),
                               .id = id_of(perm, c, tool_version),
                               .made_by = tool_version,
                               .share_level = S("internal"),
                               .words = S("job_compare"),
                               .facts = job_comparison_fields(),
                               .of = c};
    for (int t = 0; t < JOB_COMPARE_TABLES; t++)
        if (c->tables[t].n_rows > 0)
            job_shown_at(perm, d, c->tables[t].name)->table =
                table_shown(perm, c, &c->tables[t]);
    return d;
}
