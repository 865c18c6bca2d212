#include "report/job/job_pages.h"

#include "analysis/model/system_results.h"
#include "base/shell_word.h"

#include <math.h>

enum {
    WORST = 5,
    ROWS_MAX = 64,
    EARLIEST = 16, /* shown of more ranks: those, as many in the middle, the latest */
    LATEST = 32,
    ROW_MARKS = 6,
    CUT_MAX = 8, /* traces in one file */
    MARGIN_NS = 200000
};

/* One of the worst: its ranks in the order in which they came. */
struct worst {
    const struct job_instance *x;
    const struct job_signature *s;
    int32_t *order; /* places in job.members */
    int32_t n;
    int64_t from_ns; /* of what is drawn */
    const struct job *j;
    struct str name; /* of what is shown of it */
    int number;
};

static const struct job_rank *rank_at(const struct job *j, const struct worst *w,
                                      int32_t k)
{
    return &j->ranks[j->members[w->order[k]].rank];
}

/* Most waiting first; of equal ones the earlier. */
static int find_worst(struct job_maker *m, struct worst to[WORST])
{
    const struct job *j = m->j;
    struct arena tmp = m->tmp;
    struct sort_row *rows = arena_new(&tmp, struct sort_row, j->n_instances);
    int32_t n = 0;
    for (int32_t i = 0; i < j->n_instances; i++) {
        const struct job_instance *x = &j->instances[j->by_time[i]];
        if (x->wait_ns > 0)
            rows[n++] = (struct sort_row){-x->wait_ns, j->by_time[i]};
    }
    sort_rows(tmp, rows, n);
    n = n < WORST ? n : WORST;
    for (int32_t i = 0; i < n; i++) {
        const struct job_instance *x = &j->instances[rows[i].row];
        to[i] = (struct worst){.x = x, .s = &j->signatures[x->signature]};
    }
    return n;
}

static void sort_members(struct job_maker *m, struct worst *w)
{
    struct arena tmp = m->tmp;
    struct sort_row *rows = by_arrival(&tmp, m->j, w->x);
    w->n = w->x->n_members;
    w->order = arena_new(m->perm, int32_t, w->n);
    for (int32_t k = 0; k < w->n; k++)
        w->order[k] = w->x->first_member + rows[k].row;
}

/* Of many ranks, who came first, in the middle and last. */
static bool is_shown(const struct worst *w, int32_t k)
{
    return w->n <= ROWS_MAX || k < EARLIEST || k >= w->n - LATEST ||
           (k >= w->n / 2 - EARLIEST / 2 && k < w->n / 2 + EARLIEST / 2);
}

static enum figure_slot part_slot(int part)
{
    static const enum figure_slot slots[SEGMENT_PARTS] = {[SEGMENT_COMPUTE] =
                                                              SLOT_COMPUTE,
                                                          [SEGMENT_COPY] = SLOT_COPY,
                                                          [SEGMENT_OTHER] = SLOT_OTHER,
                                                          [SEGMENT_IDLE] = SLOT_IDLE};
    return slots[part];
}

static struct str part_word(int part)
{
    static const struct str words[SEGMENT_PARTS] = {
        [SEGMENT_COMPUTE] = S_INIT("computing"),
        [SEGMENT_COPY] = S_INIT("copying"),
        [SEGMENT_OTHER] = S_INIT("communication of other groups"),
        [SEGMENT_IDLE] = S_INIT("idle")};
    return words[part];
}

static void add_mark(struct report_figure *f, int row, double from, double to,
                     enum figure_slot slot)
{
    if (to > from)
        f->marks[f->n_marks++] =
            (struct figure_mark){.x = row, .low = from, .high = to, .slot = slot};
}

static double shown_ms(const struct worst *w, int64_t ns)
{
    return (double)(ns - w->from_ns) / 1e6;
}

/* What it did since its last collective, how long it waited and how long data moved. */
static void add_row(struct job_maker *m, const struct worst *w, struct report_figure *f,
                    struct figure_series *row, int32_t k)
{
    const struct job_member *x = member_of(m->j, w->order[k]);
    int64_t start_ns = arrival_ns(m->j, w->x, x), last_ns = w->x->last_start_ns;
    int64_t from_ns = start_ns - member_segment_ns(x), end_ns = start_ns + x->dur_ns;
    int at = f->n_series++;
    for (int p = 0; p < SEGMENT_PARTS; p++) {
        add_mark(f, at, shown_ms(w, from_ns), shown_ms(w, from_ns + x->part_ns[p]),
                 part_slot(p));
        from_ns += x->part_ns[p];
    }
    add_mark(f, at, shown_ms(w, start_ns), shown_ms(w, last_ns), SLOT_WAITS);
    add_mark(f, at, shown_ms(w, last_ns), shown_ms(w, end_ns), SLOT_COMMUNICATION);
    int64_t waits_ns = last_ns - start_ns;
    bool is_last = k == w->n - 1;
    *row = (struct figure_series){
        .label = str_printf(m->perm, "rank %d%s", rank_at(m->j, w, k)->rank,
                            is_last ? ", last" : ""),
        .value_text =
            str_printf(m->perm, "%.*s, waits %.*s",
                       STRF(duration_text(m->perm, member_segment_ns(x))),
                       STRF(waits_ns > 0 ? duration_text(m->perm, waits_ns) : S("0")))};
}

static int64_t earliest_ns(const struct job *j, const struct worst *w)
{
    int64_t from_ns = w->x->first_start_ns;
    for (int32_t k = 0; k < w->n; k++) {
        const struct job_member *x = member_of(j, w->order[k]);
        int64_t ns = arrival_ns(j, w->x, x) - member_segment_ns(x);
        from_ns = is_shown(w, k) && ns < from_ns ? ns : from_ns;
    }
    return from_ns;
}

static struct report_figure worst_figure(struct job_maker *m, const struct worst *w)
{
    static const struct str labels[FIGURE_SLOTS] = {
        [SLOT_COMPUTE] = S_INIT("before: computing"),
        [SLOT_COPY] = S_INIT("before: copying"),
        [SLOT_OTHER] = S_INIT("before: other groups"),
        [SLOT_IDLE] = S_INIT("before: idle"),
        [SLOT_WAITS] = S_INIT("waits for the last"),
        [SLOT_COMMUNICATION] = S_INIT("data moves")};
    struct report_figure f =
        figure_titled(FIGURE_ROWS, w->name.p, "Arrivals", "", "", "Rank",
                      "Since its last collective; then it waits");
    struct figure_series *rows = arena_new(m->perm, struct figure_series, ROWS_MAX + 2);
    f.marks = arena_new(m->perm, struct figure_mark, ROWS_MAX * ROW_MARKS);
    f.series = rows;
    f.slot_labels = labels;
    f.x_high = shown_ms(w, w->x->last_end_ns);
    f.x_title = str_printf(m->perm, "ms from %.3f ms of the job on",
                           (double)(w->from_ns - m->j->start_ns) / 1e6);
    int32_t left_out = 0;
    for (int32_t k = 0; k < w->n; k++) {
        left_out += !is_shown(w, k);
        if (!is_shown(w, k))
            continue;
        if (left_out)
            rows[f.n_series++].label = str_printf(m->perm, "... %d ranks", left_out);
        left_out = 0;
        add_row(m, w, &f, &rows[f.n_series], k);
    }
    f.caption = str_printf(m->perm, "Ranks in the order of arrival; the parts before "
                                    "show how much of each kind they did, not when");
    f.description = f.caption;
    return f;
}

/* A part of the time since its last collective. */
struct meanwhile {
    struct str what;
    int64_t own_ns, middle_ns;
    bool compares; /* else it is known of the last rank alone */
};

TELL(double, middle_ms, meanwhile,
     it->compares ? (double)it->middle_ns / 1e6 : (double)NAN);
TELL(double, longer_ms, meanwhile,
     it->compares ? (double)(it->own_ns - it->middle_ns) / 1e6 : (double)NAN);
COLUMNS(meanwhile_columns, meanwhile,
        {.title = "Since its last collective", .of = F(what, TEXT)},
        {.title = "#The last, ms", .of = F(own_ns, NS)},
        {.title = "#The median, ms", .of = CALL(middle, MS, middle_ms), .decimals = 3},
        {.title = "#Longer, ms", .of = CALL(longer, MS, longer_ms), .decimals = 3});

/* What the last rank did while the others waited, beside the median rank. */
static void meanwhile(struct job_maker *m, const struct worst *w)
{
    const struct job *j = m->j;
    const struct member_ref *at = &j->members[w->order[w->n - 1]];
    struct member_ref ref =
        pool_middle(m->tmp, j, &j->members[w->x->first_member], w->n);
    const struct job_rank *last = &j->ranks[at->rank], *other = &j->ranks[ref.rank];
    const struct job_member *own = &last->rows[at->row], *mid = &other->rows[ref.row];
    struct meanwhile *rows =
        arena_new(m->perm, struct meanwhile, SEGMENT_PARTS + CAPTURE_CAUSES + 1);
    int n = 0;
    int64_t known_ns[CAPTURE_CAUSES] = {0};
    row_causes(last, at->row, 1, known_ns);
    for (int p = 0; p < SEGMENT_PARTS; p++)
        if (own->part_ns[p] || mid->part_ns[p])
            rows[n++] = (struct meanwhile){part_word(p), own->part_ns[p],
                                           mid->part_ns[p], true};
    for (int c = 0; c < CAPTURE_CAUSES; c++)
        if (known_ns[c] > 0)
            rows[n++] = (struct meanwhile){
                str_printf(m->perm, "of its idle time: %.*s",
                           STRF(idle_class_label((enum idle_class)c))),
                known_ns[c], 0, false};
    rows[n++] = (struct meanwhile){S("together"), member_segment_ns(own),
                                   member_segment_ns(mid), true};
    struct job_table *t =
        job_table(m, w->name, "", meanwhile_columns(), ITEMS(rows, n), NULL, 0);
    t->columns[1].title = str_printf(m->perm, "Rank %d, the last, ms", last->rank);
    t->columns[2].title = str_printf(m->perm, "Rank %d, the median, ms", other->rank);
}

/* The traces of the last rank and of others; without a clock for all they have no
 * window in common. */
static void add_command(struct job_maker *m, const struct worst *w, int place)
{
    const struct job *j = m->j;
    const struct job_member *last = member_of(j, w->order[w->n - 1]);
    if (j->clock_free)
        return;
    int64_t from_ns = last->start_ns - member_segment_ns(last);
    from_ns = from_ns < w->x->first_start_ns ? from_ns : w->x->first_start_ns;
    from_ns -= j->start_ns + MARGIN_NS;
    int64_t to_ns = w->x->last_end_ns - j->start_ns + MARGIN_NS;
    struct str files = S(""), shifts = S("");
    int n = 0, most = w->n < CUT_MAX ? w->n : CUT_MAX;
    for (; n < most; n++) { /* the last, the first, and evenly those between */
        int32_t k =
            n == 0 ? w->n - 1 : (int32_t)((int64_t)(n - 1) * (w->n - 1) / (most - 1));
        const struct job_rank *r = rank_at(j, w, k);
        int64_t at_ns = member_of(j, w->order[k])->start_ns;
        if (!r->file.n)
            return;
        files = str_printf(m->perm, "%.*s %.*s", STRF(files),
                           STRF(shell_word(m->perm, r->file)));
        shifts = str_printf(m->perm, "%.*s%s%.*s", STRF(shifts), n ? "," : "",
                            STRF(rank_shift_text(m->perm, j, r, at_ns)));
    }
    job_shown_at(m->perm, m->d, w->name)->command = str_printf(
        m->perm,
        "tracefolio cut%.*s --shift=%.*s --from=%.*s --to=%.*s -o worst-%d.json.gz",
        STRF(files), STRF(shifts), STRF(exact_us_text(m->perm, from_ns)),
        STRF(exact_us_text(m->perm, to_ns)), place);
}

/* What templates/words/job.txt says of it. */
static const struct job *told_of(const struct described *in)
{
    return ((const struct worst *)in->of)->j;
}

TELL(int64_t, number, worst, it->number);
TELL(int64_t, at_ns, worst, it->x->last_start_ns - told_of(in)->start_ns);
TELL(int64_t, waiting, worst, it->n - 1);
TELL(int64_t, wait_ns, worst, it->x->wait_ns);
TELL(int64_t, last_rank, worst, rank_at(told_of(in), it, it->n - 1)->rank);
TELL(int64_t, skew_ns, worst, it->x->last_start_ns - it->x->first_start_ns);
TELL(struct str, kind, worst, collective_word(it->s->kind));
TELL(int64_t, bytes, worst, it->s->bytes);
TELL(struct str, group, worst, told_of(in)->groups[it->x->group].name);
TELL(bool, has_step, worst, it->x->step >= 0);
TELL(int64_t, step, worst,
     it->x->step < 0 ? -1 : told_of(in)->steps[it->x->step].number);
static FIELDS(worst, F(name, TEXT), CALL(number, COUNT, number), CALL(at_ns, NS, at_ns),
              CALL(waiting, COUNT, waiting), CALL(wait_ns, NS, wait_ns),
              CALL(last_rank, NUMBER, last_rank), CALL(skew_ns, NS, skew_ns),
              CALL(kind, TEXT, kind), CALL(bytes, KNOWN, bytes),
              CALL(group, NAME, group), CALL(has_step, FLAG, has_step),
              CALL(step, NUMBER, step));

struct worst_said {
    struct worst *list;
    int n;
};
TELL(bool, any, worst_said, it->n > 0);
FIELDS(worst_said, CALL(any, FLAG, any), LIST(list, n, worst));

const struct worst_said *job_worst_page(struct job_maker *m)
{
    struct worst_said *said = arena_new(m->perm, struct worst_said, 1);
    said->list = arena_new(m->perm, struct worst, WORST);
    said->n = find_worst(m, said->list);
    for (int i = 0; i < said->n; i++) {
        struct worst *w = &said->list[i];
        w->j = m->j;
        w->number = i + 1;
        w->name = str_printf(m->perm, "worst-%d", i + 1);
        sort_members(m, w);
        w->from_ns = earliest_ns(m->j, w);
        job_figure(m, w->name.p, worst_figure(m, w));
        meanwhile(m, w);
        add_command(m, w, i + 1);
    }
    return said;
}
