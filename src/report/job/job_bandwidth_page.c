#include "report/job/job_pages.h"

#include <math.h>

enum { KINDS_MAX = 6, POINTS_MAX = 300, CURVES_MAX = 8, BYTES_LEAST = 64 };

/* Of the kinds that are drawn: a shape each. Others share the last. */
static const enum figure_slot shapes[KINDS_MAX] = {
    SLOT_COMPUTE, SLOT_WAITING, SLOT_PYTHON, SLOT_DISPATCH, SLOT_RUNTIME, SLOT_IDLE};

static const char *span_word(bool crosses_nodes)
{
    return crosses_nodes ? "between nodes" : "within a node";
}

struct shaped {
    enum figure_slot of[COLLECTIVE_KINDS];
    struct str *labels;
    int n;
};

static enum figure_slot shape_of(struct shaped *s, enum collective_kind kind)
{
    if (s->of[kind] != SLOT_OTHER)
        return s->of[kind];
    bool shared = s->n >= KINDS_MAX - 1;
    s->of[kind] = shapes[shared ? KINDS_MAX - 1 : s->n];
    s->labels[s->of[kind]] = shared ? S("other kinds") : collective_word(kind);
    s->n += !shared;
    return s->of[kind];
}

/* Smaller messages tell of latency alone, and would take most of the drawing. */
static bool is_drawn(const struct job_bandwidth *b)
{
    return b->bytes >= BYTES_LEAST && isfinite(b->bus_gb_s) && b->bus_gb_s > 0;
}

static void add_points(struct job_maker *m, struct report_figure *f)
{
    const struct job *j = m->j;
    struct shaped s = {.labels = arena_new(m->perm, struct str, FIGURE_SLOTS)};
    double all_ns = 0;
    for (int i = 0; i < j->n_bandwidth; i++)
        all_ns += (double)j->bandwidth[i].transfer_ns * (double)j->bandwidth[i].n;
    f->marks = arena_new(m->perm, struct figure_mark, POINTS_MAX);
    f->slot_labels = s.labels;
    for (int i = 0; i < j->n_bandwidth && f->n_marks < POINTS_MAX; i++) {
        const struct job_bandwidth *b = &j->bandwidth[i];
        double ns = (double)b->transfer_ns * (double)b->n;
        if (!is_drawn(b))
            continue;
        struct str peak =
            isfinite(b->peak_frac)
                ? str_printf(m->perm, ", %.1f%% of the link's peak", 100 * b->peak_frac)
                : S("");
        f->marks[f->n_marks++] = (struct figure_mark){
            .label =
                str_printf(m->perm, "%.*s, %d ranks%s", STRF(collective_word(b->kind)),
                           b->ranks, b->crosses_nodes ? ", between nodes" : ""),
            .value_text =
                str_printf(m->perm, "%lld times %.*s%.*s", (long long)b->n,
                           STRF(duration_text(m->perm, b->transfer_ns)), STRF(peak)),
            .slot = shape_of(&s, b->kind),
            .value = b->bus_gb_s,
            .x = (double)b->bytes,
            .weight = all_ns > 0 ? ns / all_ns : 0};
    }
}

static void add_peaks(struct job_maker *m, struct report_figure *f)
{
    const struct job *j = m->j;
    f->roofs = arena_new(m->perm, struct figure_roof, 2);
    for (int crosses = 0; crosses < 2; crosses++) {
        double peak = j->options.link_gb_s[crosses];
        bool used = false;
        for (int i = 0; i < j->n_bandwidth; i++)
            used |=
                is_drawn(&j->bandwidth[i]) && j->bandwidth[i].crosses_nodes == crosses;
        if (used && peak > 0)
            f->roofs[f->n_roofs++] = (struct figure_roof){
                str_printf(m->perm, "peak %s: %g GB/s", span_word(crosses), peak), peak,
                str_printf(m->perm, "peak: %g", peak)};
    }
}

/* What the bus carries of a message, by its kind: as of the row of the fit. */
static double bus_factor(const struct job *j, const struct job_fit *fit)
{
    for (int i = 0; i < j->n_bandwidth; i++) {
        const struct job_bandwidth *b = &j->bandwidth[i];
        if (is_drawn(b) && b->kind == fit->kind && b->ranks == fit->ranks &&
            b->crosses_nodes == fit->crosses_nodes)
            return b->bus_gb_s / b->algorithm_gb_s;
    }
    return 0;
}

static void add_fits(struct job_maker *m, struct report_figure *f)
{
    const struct job *j = m->j;
    struct figure_curve *curves = arena_new(m->perm, struct figure_curve, CURVES_MAX);
    f->curves = curves;
    for (int i = 0; i < j->n_fits && f->n_curves < CURVES_MAX; i++) {
        const struct job_fit *fit = &j->fits[i];
        double factor = bus_factor(j, fit);
        if (factor > 0)
            curves[f->n_curves++] = (struct figure_curve){
                str_printf(m->perm, "%.*s: %.1f GB/s", STRF(collective_word(fit->kind)),
                           factor * fit->gb_s),
                fmax(0, fit->latency_us) * 1e3 / factor, factor * fit->gb_s};
    }
}

/* C11 */
static struct report_figure rates_figure(struct job_maker *m)
{
    struct report_figure f =
        figure_titled(FIGURE_ROOFLINE, "c11", "Rates of transfers by size",
                      "message, bytes", "bus, GB/s", "Transfer", "Count and time");
    add_points(m, &f);
    if (!f.n_marks)
        return figure_without_data(f, S("No collective of several ranks tells how much "
                                        "it moves."));
    add_peaks(m, &f);
    add_fits(m, &f);
    int most = 0;
    for (int i = 1; i < f.n_marks; i++)
        most = f.marks[i].weight > f.marks[most].weight ? i : most;
    f.caption = str_printf(
        m->perm, "%.0f%% of all time in which data moves is %.*s at %.1f GB/s%s%s",
        100 * f.marks[most].weight, STRF(f.marks[most].label), f.marks[most].value,
        f.n_curves ? "; dashed: the fit of latency and rate" : "",
        f.n_roofs ? "" : "; --link-peak draws what the links can do");
    f.description = f.caption;
    return f;
}

TELL(struct str, what, job_bandwidth,
     str_printf(in->tmp, "%.*s %.*s", STRF(collective_word(it->kind)),
                STRF(it->dtype)));
TELL(struct str, span, job_bandwidth, it->crosses_nodes ? S("between") : S("inside"));
TELL(double, transfer_us, job_bandwidth, (double)it->transfer_ns / 1e3);
TELL(double, p95_us, job_bandwidth, (double)it->p95_ns / 1e3);
TELL(double, skew_us, job_bandwidth,
     it->skew_ns < 0 ? (double)NAN : (double)it->skew_ns / 1e3);
TELL(double, peak_pct, job_bandwidth, 100 * it->peak_frac);
COLUMNS(
    speed_columns, job_bandwidth, {.title = "Collective", .of = CALL(what, TEXT, what)},
    {.title = "#Bytes", .of = F(bytes, BYTES)},
    {.title = "#Ranks", .of = F(ranks, NUMBER)},
    {.title = "Nodes", .of = CALL(span, TEXT, span)},
    {.title = "#Count", .of = F(n, NUMBER)},
    {.title = "#Transfer, µs", .of = CALL(transfer, US, transfer_us), .decimals = 1},
    {.title = "#p95, µs", .of = CALL(p95, US, p95_us), .decimals = 1},
    {.title = "#Skew, µs", .of = CALL(skew, US, skew_us), .decimals = 1},
    {.title = "#Waiting, ms", .of = F(wait_ns, NS)},
    {.title = "#Algorithm, GB/s", .of = F(algorithm_gb_s, RATE), .decimals = 2},
    {.title = "#Bus, GB/s", .of = F(bus_gb_s, RATE), .decimals = 2},
    {.title = "#Of peak, %", .of = CALL(peak, PCT, peak_pct), .decimals = 1});

struct bandwidth_said {
    const struct job_fit *fits;
    int n_fits;
};
TELL(struct str, fit_kind, job_fit, collective_word(it->kind));
TELL(struct str, fit_span, job_fit, str_of(span_word(it->crosses_nodes)));
static FIELDS(job_fit, CALL(kind, TEXT, fit_kind), F(ranks, COUNT),
              CALL(span, TEXT, fit_span), F(latency_us, US), F(gb_s, RATE),
              F(n_sizes, COUNT));
FIELDS(bandwidth_said, LIST(fits, n_fits, job_fit));

const struct bandwidth_said *job_bandwidth_page(struct job_maker *m)
{
    const struct job *j = m->j;
    struct bandwidth_said *said = arena_new(m->perm, struct bandwidth_said, 1);
    said->fits = j->fits;
    said->n_fits = j->n_fits < JOB_VERDICT_MAX ? j->n_fits : JOB_VERDICT_MAX;
    job_figure(m, "rates", rates_figure(m));
    job_table(m, S("speed"), "job_bandwidth", speed_columns(),
              ITEMS(j->bandwidth, j->n_bandwidth), j, 0);
    return said;
}
