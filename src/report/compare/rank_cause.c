#include "report/compare/rank_cause.h"

#include "analysis/model/system_results.h"
#include "compare/parity.h"
#include "report/compare/compare_words.h"

#include <math.h>

/* Of lateness: what accounts for it. */
static const double MOST = 0.6;

/* The same operators on larger tensors, as of longer sequences; without words: not so.
 */
static struct rank_cause_said of_size(struct arena *perm, const struct comparison *c)
{
    const double NEARLY_ALL = 0.9, MORE = 1.05;
    if (!parity_is_other_work(c->parity) || !c->of[0]->has_shapes ||
        !(c->gflop[1] > MORE * c->gflop[0]) || !(c->gflop[0] > 0) ||
        parity_frac(c, 0, LEVELS_NAMED) < NEARLY_ALL ||
        parity_frac(c, 1, LEVELS_NAMED) < NEARLY_ALL)
        return (struct rank_cause_said){0};
    return (struct rank_cause_said){
        RANK_CAUSE_WORK,
        str_printf(perm,
                   "its tensors are larger: the same operators compute %.1f times the "
                   "FLOP in a step",
                   c->gflop[1] / c->gflop[0])};
}

/* One operation, or a class of kernels. */
static struct rank_cause_said of_computing(struct arena *perm,
                                           const struct comparison *c, int64_t ns)
{
    int64_t speed_ns = 0, kernel_ns = 0;
    struct rank_cause_said size = of_size(perm, c);
    if (size.because.n)
        return size;
    if (c->drift.found && c->drift.factor > 1 && !parity_is_other_work(c->parity))
        return (struct rank_cause_said){RANK_CAUSE_CLOCKS, compare_pace_text(perm, c)};
    for (int k = 0; k < c->n_bars; k++)
        if (c->bars[k].kind == BAR_CLASS) {
            speed_ns += c->bars[k].speed_ns;
            kernel_ns += c->bars[k].kernel_ns[0];
        }
    for (int32_t k = 0; k < c->n_rows && (double)speed_ns >= MOST * (double)ns; k++) {
        const struct compared_row *row = &c->rows[k];
        if ((double)row->speed_ns < MOST * (double)speed_ns)
            continue;
        const struct match *m = row->match;
        double per_call =
            (double)m->ns[1] / (double)m->n[1] / ((double)m->ns[0] / (double)m->n[0]);
        return (struct rank_cause_said){
            RANK_CAUSE_KERNEL,
            str_printf(perm, "%.*s takes %.1f%% longer per call",
                       STRF(compare_row_name(perm, c, row)), 100 * (per_call - 1))};
    }
    if (kernel_ns > 0 && (double)speed_ns >= MOST * (double)ns)
        return (struct rank_cause_said){
            RANK_CAUSE_KERNEL,
            str_printf(perm, "kernels take %.1f%% longer for the same calls",
                       100 * (double)speed_ns / (double)kernel_ns)};
    if (kernel_ns > 0)
        return (struct rank_cause_said){
            RANK_CAUSE_WORK, str_printf(perm, "there is %.1f%% more to compute",
                                        100 * (double)ns / (double)kernel_ns)};
    return (struct rank_cause_said){0};
}

/* The copy that one side has and the other not, or less of. */
static struct rank_cause_said of_copies(struct arena *perm, const struct comparison *c)
{
    const struct match *most = NULL;
    for (int32_t k = 0; k < c->n_rows; k++) {
        const struct match *m = c->rows[k].match;
        if (c->rows[k].of[1] && c->rows[k].of[1]->part == DEVICE_COPY &&
            (!most || m->ns[1] - m->ns[0] > most->ns[1] - most->ns[0]))
            most = m;
    }
    if (!most || most->ns[1] <= most->ns[0])
        return (struct rank_cause_said){0};
    const struct capture_row *row = &c->of[1]->rows[most->rows[1][0]];
    enum copy_direction way = copy_direction_of(row->kernel);
    const char *to = way == COPY_D2H   ? " to the host"
                     : way == COPY_H2D ? " from the host"
                                       : "";
    if (most->n[0])
        return (struct rank_cause_said){
            RANK_CAUSE_WAITS, str_printf(perm, "copies%s take %.3f ms more in a step",
                                         to, compare_ms(c, most->ns[1] - most->ns[0]))};
    return (struct rank_cause_said){
        way == COPY_D2H ? RANK_CAUSE_COPIES : RANK_CAUSE_WAITS,
        str_printf(perm,
                   "there are %lld copies%s (%.1f ms) that other ranks do not "
                   "make%s",
                   (long long)most->n[1], to, (double)most->ns[1] / 1e6,
                   way == COPY_D2H ? ", as for a checkpoint" : "")};
}

static struct rank_cause_said of_waiting(struct arena *perm, struct arena tmp,
                                         const struct comparison *c, int64_t ns)
{
    double pace = compare_host_pace(tmp, c);
    const struct finding *f = compare_idle_finding(c, 1, (double)ns / 1e6 / 2);
    struct str pattern = f ? compare_pattern_of(f) : S("");
    bool input = str_among(pattern, "host_loader host_batch host_no_input host_input");
    if (pace >= COMPARE_SLOWER && !input)
        return (struct rank_cause_said){
            RANK_CAUSE_HOST,
            str_printf(perm, "the host takes %.0f%% longer for the same calls",
                       100 * (pace - 1))};
    if (!f || str_eq(pattern, S("host_unseen")))
        return (struct rank_cause_said){0};
    struct str name = compare_name_in(f->issue);
    return (struct rank_cause_said){
        input ? RANK_CAUSE_INPUT : RANK_CAUSE_WAITS,
        str_among(pattern, "host_sync host_flatten") && name.n
            ? str_printf(perm, "the host waits for the GPU in %.*s", STRF(name))
            : str_printf(perm, "the GPU waits%.*s",
                         STRF(compare_waits_for(perm, c, 1, f)))};
}

struct rank_cause_said compare_rank_cause(struct arena *perm, struct arena tmp,
                                          const struct comparison *c)
{
    int64_t ns[BAR_IDLE + 1] = {0};
    for (int k = 0; k < c->n_bars; k++)
        ns[c->bars[k].kind] += c->bars[k].ns[1] - c->bars[k].ns[0];
    double late_ns = (double)(ns[BAR_CLASS] + ns[BAR_COPY] + ns[BAR_IDLE]);
    if (late_ns <= 0)
        return (struct rank_cause_said){0};
    if ((double)ns[BAR_CLASS] >= MOST * late_ns)
        return of_computing(perm, c, ns[BAR_CLASS]);
    if ((double)ns[BAR_IDLE] >= MOST * late_ns)
        return of_waiting(perm, tmp, c, ns[BAR_IDLE]);
    if ((double)ns[BAR_COPY] >= (1 - MOST) * late_ns)
        return of_copies(perm, c);
    return (struct rank_cause_said){0};
}
