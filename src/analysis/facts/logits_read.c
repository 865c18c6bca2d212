#include "analysis/facts/logits_read.h"

#include "analysis/model/name_match.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>

/* Rows of the first operand if its last dimension is the vocabulary, else 0. */
static double rows_of(const struct event_store *s, event_id op, double vocabulary)
{
    const struct op_texts *t = op < 0 ? NULL : store_texts(s, op);
    const struct value *dims =
        t && t->dims >= 0 ? value_at(store_value(s, t->dims), 0) : NULL;
    int rank = value_count(dims);
    double rows = 1;
    if (rank < 1 || !value_is_whole(value_at(dims, rank - 1)) ||
        value_at(dims, rank - 1)->number != vocabulary)
        return 0;
    for (int k = 0; k + 1 < rank; k++)
        rows *= value_is_whole(value_at(dims, k)) ? value_at(dims, k)->number : 0;
    return rows;
}

static bool reads_logits(struct str op)
{
    return name_has(op, "softmax|argmax|aten::max|topk|sort|multinomial|nll_loss|"
                        "cross_entropy|logsumexp|gather|aten::index");
}

/* Writes as many rows as it reads, so that what comes behind tells how many count. */
static bool passes_on(struct str op)
{
    return name_has(op, "softmax|copy|clone|contiguous|aten::div");
}

/* All rows go through a softmax. */
struct normalised {
    double rows, ms; /* 0: they do not */
    bool read;       /* something else reads them all */
};

static void add_normalised(struct logits_read *l, struct normalised n)
{
    const double MANY = 16;
    if (!n.read && l->rows * MANY <= n.rows) /* NaN: no reader behind it */
        l->beside_ms += n.ms;
    else if (n.rows > 0)
        l->rows = isnan(l->rows) ? n.rows : fmax(l->rows, n.rows);
}

struct logits_read logits_read_of(const struct analysis *a, double rows,
                                  double vocabulary)
{
    const struct op_groups *g = &a->tables->judged;
    const struct event_store *s = a->tables->view->s;
    struct logits_read l = {(double)NAN, 0};
    struct normalised all = {0};
    for (int32_t i = 0; i < g->n; i++) {
        const struct op_call_row *first = g->rows[i].first;
        double of = rows_of(s, first->event, vocabulary);
        struct str op = of > 0 ? store_name(s, first->event) : S("");
        if (!(of > 0) || name_has(op, "aten::mm|addmm|matmul|linear|bmm|embedding"))
            continue;
        bool of_all = of >= 0.9 * rows && of <= rows;
        all.read |= of_all && !passes_on(op);
        if (of_all && name_has(op, "softmax") && !name_has(op, "loss")) {
            all.rows = fmax(all.rows, of);
            all.ms += g->rows[i].direct_us.sum / 1e3;
        } else if (reads_logits(op))
            l.rows = isnan(l.rows) ? of : fmax(l.rows, of);
        else if (of_all)
            l.beside_ms += g->rows[i].direct_us.sum / 1e3;
    }
    add_normalised(&l, all);
    return l;
}
