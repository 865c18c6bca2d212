/* What kind of model ran, by fixed rules (analysis.md 1.11). */
#include "report/report_parts.h"

#include "analysis/model/work_facts.h"
#include "analysis/stack/module_classes.h"
#include "base/arena.h"
#include "base/int_map.h"
#include "base/name_pool.h"

#include <math.h>

static const struct str unknown = S_INIT("Cannot be inferred from trace");

struct weights {
    struct arena *arena;
    struct name_pool names;
    double *weight; /* by name_id */
    int32_t cap;
};

static void weights_open(struct weights *w, struct arena *a, int32_t cap)
{
    w->arena = a;
    w->cap = cap;
    w->weight = arena_new(a, double, cap);
    pool_open(&w->names);
}

static void weights_add(struct weights *w, struct str name, double weight)
{
    if (w->names.n < w->cap || pool_find(&w->names, name) >= 0)
        w->weight[pool_add(&w->names, name)] += weight;
}

/* The heaviest name, or -1; of equal ones the first in byte order. */
static name_id heaviest(const struct weights *w, name_id except)
{
    name_id best = -1;
    for (name_id i = 0; i < w->names.n; i++) {
        if (i == except)
            continue;
        bool better = best < 0 || w->weight[i] > w->weight[best] ||
                      (w->weight[i] == w->weight[best] &&
                       str_cmp(w->names.name[i], w->names.name[best]) < 0);
        best = better ? i : best;
    }
    return best;
}

enum { MAX_MODULES = 4096 };

static void weigh_rows(const struct report_source *s, struct weights *w)
{
    for (int c = 0; c < WORK_CATEGORIES; c++)
        for (int32_t k = 0; k < s->a->categories[c].n_rows; k++) {
            const struct work_row *row = &s->a->categories[c].rows[k];
            int m = 0;
            while (m < row->n_modules && module_is_wrapper(row->module_chain[m]))
                m++;
            if (m < row->n_modules)
                weights_add(w, row->module_chain[m], row->time_ms);
        }
}

/* A module with almost no time is not the model: if graphs replay the model, only the
 * work beside it has modules. */
static struct str model_name(const struct report_source *s, struct arena tmp,
                             const struct module_classes *modules)
{
    const double LEAST_FRAC = 0.1;
    struct weights w;
    struct str name = unknown;
    double whole =
        modules->n ? (double)s->t->facts.time.computation_ns : s->a->computation_ms;
    weights_open(&w, &tmp, MAX_MODULES);
    for (int32_t k = 0; k < modules->n; k++)
        weights_add(&w, modules->rows[k].name, (double)modules->rows[k].outermost_ns);
    if (!modules->n)
        weigh_rows(s, &w);
    name_id best = heaviest(&w, -1);
    if (best >= 0 && w.weight[best] > 0.0 && w.weight[best] >= LEAST_FRAC * whole)
        name = str_copy(s->perm, w.names.name[best]);
    pool_close(&w.names);
    return name;
}

static double share(const struct report_source *s, enum work_category c)
{
    double pct = s->a->categories[c].compute_pct;
    return isnan(pct) ? 0.0 : pct;
}

static bool has_attention(const struct report_source *s)
{
    if (s->a->categories[WORK_SDPA_FWD].n_rows ||
        s->a->categories[WORK_SDPA_BWD].n_rows)
        return true;
    for (int k = 0; k < s->a->n_findings; k++)
        if (str_eq(s->a->findings[k].pattern, S("unfused_attention")))
            return true;
    return false;
}

static bool has_recurrence(const struct report_source *s)
{
    for (int c = 0; c < WORK_CATEGORIES; c++)
        for (int32_t k = 0; k < s->a->categories[c].n_rows; k++) {
            struct str name = s->a->categories[c].rows[k].name;
            if (str_has_nocase(name, S("lstm")) || str_has_nocase(name, S("gru")) ||
                str_has_nocase(name, S("_rnn")))
                return true;
        }
    return false;
}

static struct str architecture(const struct report_source *s)
{
    bool attention = has_attention(s);
    double conv = share(s, WORK_CONVOLUTION);
    double attention_share = share(s, WORK_SDPA_FWD) + share(s, WORK_SDPA_BWD);
    if (share(s, WORK_MOE_FUSED) >= 5.0 && attention)
        return S("MoE Transformer");
    if (conv >= 20.0 && attention_share >= 20.0)
        return S("Hybrid CNN-Transformer");
    if (attention)
        return S("Transformer");
    if (conv >= 20.0)
        return S("CNN");
    return has_recurrence(s) ? S("RNN") : unknown;
}

/* 768 of "(1,25089,768) bf16 (768,) bf16": the last size of the first tensor. */
static int64_t first_width(struct str args)
{
    ptrdiff_t open = str_find(args, S("(")), close = str_find(args, S(")"));
    int64_t width = -1, value;
    if (open < 0 || close < open)
        return -1;
    struct str dims = str_head(str_skip(args, open + 1), close - open - 1);
    while (dims.n > 0) {
        struct str one = str_trim(str_take(&dims, S(",")));
        if (one.n && str_int(one, &value))
            width = value;
    }
    return width;
}

/* The K with the most GEMM time among those that are also the width of a
 * normalisation; -1 if it has less than a tenth of GEMM time: that is a part of the
 * model, such as the text encoder of one that draws. */
static int64_t hidden_size(const struct report_source *s, struct arena tmp)
{
    const struct category_result *gemm = &s->a->categories[WORK_GEMM];
    const struct category_result *norm = &s->a->categories[WORK_NORM];
    struct int_map widths = int_map_make(&tmp, norm->n_rows);
    struct int_map index = int_map_make(&tmp, gemm->n_rows);
    double *time_ms = arena_new(&tmp, double, gemm->n_rows);
    int64_t best = -1;
    double best_ms = 0.0, all_ms = 0.0;
    for (int32_t k = 0; k < norm->n_rows; k++)
        *int_map_at(&widths, &tmp, first_width(norm->rows[k].args)) = 1;
    for (int32_t k = 0; k < gemm->n_rows; k++) {
        double K = work_number(&gemm->rows[k], "K");
        all_ms += gemm->rows[k].time_ms;
        if (!(K >= 1.0 && K < 1e15) || int_map_get(&widths, (int64_t)K) < 0)
            continue;
        int32_t *at = int_map_at(&index, &tmp, (int64_t)K);
        *at = *at < 0 ? k : *at;
        time_ms[*at] += gemm->rows[k].time_ms;
        if (time_ms[*at] > best_ms) {
            best_ms = time_ms[*at];
            best = (int64_t)K;
        }
    }
    return best_ms >= all_ms / 10 ? best : -1;
}

/* Instances of the layer class that has the most. */
static int32_t layer_count(const struct module_classes *modules)
{
    int32_t most = 0;
    for (int32_t k = 0; k < modules->n; k++) {
        const struct module_class *m = &modules->rows[k];
        if ((str_ends(m->name, S("Layer")) || str_ends(m->name, S("Block"))) &&
            m->instances > most)
            most = m->instances;
    }
    return most;
}

static struct str scale(const struct report_source *s, struct arena tmp,
                        const struct module_classes *modules)
{
    int64_t hidden = hidden_size(s, tmp);
    int32_t layers = layer_count(modules);
    if (hidden < 0 || layers < 2)
        return unknown;
    return str_printf(s->perm, "hidden %lld, %d layers", (long long)hidden,
                      (int)layers);
}

/* "BF16" of "matrix_bf16"; else the type of the first tensor. */
static struct str precision_of(struct arena *a, const struct work_row *row)
{
    struct str spec = row->efficiency.compute_spec.n ? row->efficiency.compute_spec
                                                     : row->group->compute_spec;
    ptrdiff_t cut = str_find(spec, S("_"));
    struct str type = cut >= 0 ? str_skip(spec, cut + 1) : work_text(row, "dtype");
    char *upper = str_c(a, type);
    for (char *p = upper; *p; p++)
        if (*p >= 'a' && *p <= 'z')
            *p = (char)(*p - 'a' + 'A');
    return str_of(upper);
}

/* 64-bit index arithmetic is not a model's precision. */
static bool is_precision(struct str type)
{
    return str_among(type, "BF16 FP16 FP32 TF32 FP64 FP8 FP4 INT8 INT4");
}

static bool is_matrix(const struct work_row *row)
{
    return str_starts(row->group->compute_spec, S("matrix"));
}

static double rows_ms(const struct report_source *s)
{
    double ms = 0.0;
    for (int k = 0; k < s->a->n_by_time; k++) {
        const struct category_result *c = &s->a->categories[s->a->by_time[k]];
        for (int32_t i = 0; i < c->n_rows; i++)
            ms += c->rows[i].time_ms;
    }
    return ms;
}

static double weigh_precisions(const struct report_source *s, struct weights *w,
                               bool only_matrix)
{
    double total = 0.0;
    for (int k = 0; k < s->a->n_by_time; k++) {
        const struct category_result *c = &s->a->categories[s->a->by_time[k]];
        for (int32_t i = 0; i < c->n_rows; i++) {
            if (only_matrix && !is_matrix(&c->rows[i]))
                continue;
            struct str type = precision_of(w->arena, &c->rows[i]);
            if (!is_precision(type))
                continue;
            weights_add(w, type, c->rows[i].time_ms);
            total += c->rows[i].time_ms;
        }
    }
    return total;
}

/* Unknown where types are recorded of next to nothing. */
static struct str precision(const struct report_source *s, struct arena tmp)
{
    const double LEAST_FRAC = 0.1;
    struct weights w;
    struct str text = unknown;
    weights_open(&w, &tmp, 64);
    double total = weigh_precisions(s, &w, true);
    if (total <= 0.0)
        total = weigh_precisions(s, &w, false);
    name_id first = heaviest(&w, -1), second = heaviest(&w, first);
    if (total < LEAST_FRAC * rows_ms(s))
        first = -1;
    if (first >= 0 && second >= 0 && w.weight[second] > 0.2 * total &&
        w.weight[first] > 0.2 * total)
        text = str_printf(s->perm, "%.*s/%.*s mixed", STRF(w.names.name[first]),
                          STRF(w.names.name[second]));
    else if (first >= 0)
        text = str_copy(s->perm, w.names.name[first]);
    pool_close(&w.names);
    return text;
}

void report_model_fill(const struct report_source *s, struct arena tmp,
                       struct report *r)
{
    const struct module_classes modules =
        module_classes_build(s->perm, tmp, s->o->tree);
    r->model = (struct report_model){
        .model = model_name(s, tmp, &modules),
        .architecture = architecture(s),
        .scale = scale(s, tmp, &modules),
        .precision = precision(s, tmp),
    };
}
