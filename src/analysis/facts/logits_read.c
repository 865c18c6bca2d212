#include "analysis/facts/logits_read.h"

#include "analysis/model/name_match.h"
#include "analysis/model/work_facts.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>

/* Rows of an operand if its last dimension is the vocabulary, else 0. */
static double rows_in(const struct value *dims, double vocabulary)
{
    int rank = value_count(dims);
    double rows = 1;
    if (rank < 1 || !value_is_whole(value_at(dims, rank - 1)) ||
        value_at(dims, rank - 1)->number != vocabulary)
        return 0;
    for (int k = 0; k + 1 < rank; k++)
        rows *= value_is_whole(value_at(dims, k)) ? value_at(dims, k)->number : 0;
    return rows;
}

static double rows_of(const struct event_store *s, event_id op, double vocabulary)
{
    const struct op_texts *t = op < 0 ? NULL : store_texts(s, op);
    return t && t->dims >= 0 ? rows_in(value_at(store_value(s, t->dims), 0), vocabulary)
                             : 0;
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

static bool goes_to_host(const struct event_store *s, const struct op_group *g)
{
    for (int32_t i = 0; i < g->first->n_kernels; i++)
        if (role_way(store_role(s, g->first->kernels[i])) == COPY_D2H)
            return true;
    return false;
}

/* Views launch nothing: the rows that they take of each of `calls` products, such as
 * `logits[:, -1, token]`. How many a selection of all leaves, the selection from what
 * it leaves tells. NaN: none. */
static double rows_selected(const struct event_store *s, double rows, double vocabulary,
                            int64_t calls)
{
    double of_all = 0, left = 0;
    for (event_id i = 0; i < s->n; i++) {
        if (!str_eq(store_name(s, i), S("aten::select")))
            continue;
        double of = rows_of(s, i, vocabulary);
        of_all += of == rows;
        left = of < rows ? fmax(left, of) : left;
    }
    return of_all > 0 && left > 0 ? fmin(rows, ceil(of_all * left / (double)calls))
                                  : (double)NAN;
}

struct logits_read logits_read_of(const struct analysis *a, double rows,
                                  double vocabulary, int64_t calls)
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
        all.read |= of_all && (!passes_on(op) || goes_to_host(s, &g->rows[i]));
        if (of_all && name_has(op, "softmax") && !name_has(op, "loss")) {
            all.rows = fmax(all.rows, of);
            all.ms += g->rows[i].direct_us.sum / 1e3;
        } else if (reads_logits(op))
            l.rows = isnan(l.rows) ? of : fmax(l.rows, of);
        else if (of_all)
            l.beside_ms += g->rows[i].direct_us.sum / 1e3;
    }
    add_normalised(&l, all);
    if (isnan(l.rows) && !all.read)
        l.rows = rows_selected(s, rows, vocabulary, calls);
    return l;
}

bool row_passes_logits(const struct work_row *r, double vocabulary)
{
    const double MANY = 64; /* a batch that decodes has fewer */
    return r->category != WORK_GEMM && vocabulary > 0 &&
           rows_in(value_at(r->group->args.dims, 0), vocabulary) >= MANY;
}

static bool takes_logprobs(const struct category_result *reduce, double vocabulary)
{
    for (int32_t i = 0; i < reduce->n_rows; i++)
        if (name_has(reduce->rows[i].name, "log_softmax|logsumexp") &&
            row_passes_logits(&reduce->rows[i], vocabulary))
            return true;
    return false;
}

static double passes_pct(const struct analysis *a, double vocabulary)
{
    double pct = 0;
    for (int c = 0; c < WORK_CATEGORIES; c++)
        for (int32_t i = 0; i < a->categories[c].n_rows; i++) {
            const struct work_row *r = &a->categories[c].rows[i];
            pct += row_passes_logits(r, vocabulary) ? r->compute_pct : 0;
        }
    return pct;
}

/* If most are not read, the matmul itself is too large. */
double logprob_vocabulary(const struct analysis *a)
{
    const double LEAST = 16384, LEAST_PCT = 5, MANY = 16;
    const struct category_result *gemm = &a->categories[WORK_GEMM];
    for (int32_t i = 0; i < gemm->n_rows && !a->tables->traits.training; i++) {
        const struct work_row *r = &gemm->rows[i];
        double columns = work_number(r, "N"), read = work_number(r, "logits_read");
        if (columns >= LEAST && read * MANY > work_number(r, "M") &&
            takes_logprobs(&a->categories[WORK_REDUCE], columns) &&
            passes_pct(a, columns) >= LEAST_PCT)
            return columns;
    }
    return 0;
}
