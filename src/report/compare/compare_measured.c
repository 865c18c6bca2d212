#include "report/compare/compare_measured.h"

#include "report/table_fields.h"

#include <math.h>

static double mean_of(const struct comparison *c, int side, enum measure m)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < c->n_captures[side]; i++) {
        double value = capture_measured(&c->captures[side][i], m);
        sum += isnan(value) ? 0 : value;
        n += !isnan(value);
    }
    return n ? sum / n : (double)NAN;
}

/* A layer of one model says nothing of one of another, and code that was not compiled
 * has no breaks. */
static bool is_told(const struct compared_measure *x)
{
    bool both =
        x->of == MEASURED_BREAKS || x->of == MEASURED_BREAK || x->of == MEASURED_AGAIN;
    int known = !isnan(x->value[0]) + !isnan(x->value[1]);
    return x->of != MEASURED_LAYER && known > (both ? 1 : 0);
}

struct compared_measures compare_measures(struct arena *a, const struct comparison *c)
{
    struct compared_measure *list = arena_new(a, struct compared_measure, MEASURED_ALL);
    int n = 0;
    for (int k = 0; k < MEASURED_ALL; k++) {
        enum measure m = (enum measure)k;
        struct compared_measure x = {m, {mean_of(c, 0, m), mean_of(c, 1, m)}};
        if (is_told(&x))
            list[n++] = x;
    }
    return (struct compared_measures){list, n};
}

static double diff_pct(const struct compared_measure *m)
{
    return m->value[0] > 0 ? 100 * (m->value[1] - m->value[0]) / m->value[0]
                           : (double)NAN;
}

TELL(struct str, name, compared_measure, measure_name(it->of));
TELL(struct str, title, compared_measure, measure_title(it->of));
TELL(double, diff, compared_measure, diff_pct(it));
FIELDS(compared_measure, CALL(name, TEXT, name), CALL(title, TEXT, title),
       AS("reference", value[0], EXACT), AS("candidate", value[1], EXACT),
       CALL_AS("diff_pct_of_reference", EXACT, diff));
COLUMNS(measured_columns, compared_measure,
        COL(CALL(name, TEXT, name), "As in report.json"),
        COL(CALL(title, TEXT, title), "What it is; memory_peak_bytes is in bytes here"),
        COL(AS("reference", value[0], EXACT), "Mean of its captures"),
        COL(AS("candidate", value[1], EXACT), "Mean of its captures"),
        COL_IN(PERCENT, CALL_AS("diff_pct_of_reference", EXACT, diff),
               "Candidate minus reference, of the reference"));

struct report_table compare_measured_table(struct arena *perm,
                                           const struct comparison *c)
{
    struct compared_measures all = compare_measures(perm, c);
    return table_told(perm, "compare_measured",
                      "Utilisation, memory and counters of both sides",
                      measured_columns(), TABLE_ITEMS(all.rows, all.n), c);
}
