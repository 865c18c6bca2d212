/* Facts of matrix products: dimensions, tiles, conversions inside the operation. */
#include "analysis/facts/fact_maker.h"

#include "analysis/facts/kernel_tile.h"
#include "analysis/facts/logits_read.h"
#include "analysis/facts/matrix_facts.h"
#include "analysis/facts/work_category.h"
#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"

#include <math.h>

struct product {
    double b, m, n, k; /* NaN: unknown */
};

/* The n-th tensor with at least two dimensions, or NULL. */
static const struct row_arg *matrix(const struct row_args *args, int nth)
{
    for (int i = 0; i < args->n; i++)
        if (args->at[i].rank >= 2 && nth-- == 0)
            return &args->at[i];
    return NULL;
}

/* From parameters, else from shapes: the operands are arguments 0 and 1, or follow the
 * added matrix in addmm and its variants. */
static struct product product_of(const struct work_row *r, const struct row_args *args)
{
    const struct perf_cost *c = r->group->cost;
    struct product p = {cost_number(c, "B"), cost_number(c, "M"), cost_number(c, "N"),
                        cost_number(c, "K")};
    if (!isnan(p.m) && !isnan(p.n) && !isnan(p.k)) {
        p.b = isnan(p.b) ? 1 : p.b;
        return p;
    }
    bool added = name_is(name_core(r->name), "addmm|baddbmm|addbmm");
    const struct row_arg *x = NULL, *y = NULL;
    if (added && args->n >= 3) {
        x = &args->at[1];
        y = &args->at[2];
    } else {
        x = matrix(args, 0);
        y = matrix(args, 1);
    }
    p = (struct product){(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    if (!x || !y || x->rank < 2 || y->rank < 2 ||
        x->dim[x->rank - 1] != y->dim[y->rank - 2])
        return p;
    p = (struct product){1, (double)x->dim[x->rank - 2], (double)y->dim[y->rank - 1],
                         (double)x->dim[x->rank - 1]};
    for (int i = 0; i + 2 < x->rank; i++)
        p.b *= (double)x->dim[i];
    return p;
}

static bool narrow(struct str type)
{
    return row_type_bytes(type) <= 1 || name_has(type, "float4|float8|int8|uint8|char");
}

static bool is_quantized(const struct work_row *r, const struct row_args *args)
{
    const struct row_arg *x = matrix(args, 0), *y = matrix(args, 1);
    return work_is_quantized_name(r->name) ||
           name_is(r->group->compute_spec, "matrix_fp8|matrix_int8|matrix_fp4") ||
           (x && y && narrow(x->type) && narrow(y->type));
}

static void add_tiles(struct fact_maker *m, struct work_row *r, struct product p)
{
    struct str kernel = work_text(r, "kernel");
    struct kernel_tile t = kernel_tile_of(kernel);
    bool split = t.split_k;
    for (int32_t i = 0; i < r->group->n_kernels; i++)
        split = split || kernel_splits_k(r->group->kernels[i].name);
    work_set(m->perm, r, FACT("split_k", split));
    if (t.a_transposed || t.b_transposed)
        work_set(m->perm, r,
                 FACT("transposes", t.a_transposed && t.b_transposed ? S("AB")
                                    : t.a_transposed                 ? S("A")
                                                                     : S("B")));
    if (t.m == 0)
        return;
    work_set(m->perm, r, FACT("tile_m", t.m), FACT("tile_n", t.n),
             FACT("tile_depth", t.depth));
    if (!(p.b >= 1 && p.m >= 1 && p.n >= 1))
        return;
    struct tile_use u = tile_use_of(t, p.b, p.m, p.n, m->compute_units);
    work_set(m->perm, r, FACT("tiles", u.tiles), FACT("tile_eff", u.tile_eff),
             FACT("wave_eff", u.wave_eff), FACT("dim_eff", u.tile_eff * u.wave_eff));
}

static void add_layout_copies(struct fact_maker *m, struct work_row *r)
{
    const struct op_group *g = r->group;
    double us = 0, all_us = kernels_total_us(g);
    for (int32_t i = 0; i < g->n_kernels; i++)
        if (kernel_label_of(g->kernels[i].name) == KERNEL_TRANSPOSE ||
            name_has(g->kernels[i].name, "copy_kernel|direct_copy"))
            us += g->kernels[i].total_us;
    work_set(m->perm, r, FACT("layout_copy_ms", us / 1e3),
             FACT("layout_copy_pct", pct_of(us, all_us)));
}

/* 16 bytes are what one access of a matrix kernel takes. */
static bool is_off(double extent, struct str type)
{
    double bytes = row_type_bytes(type);
    return bytes > 0 && extent > 0 && fmod(extent * bytes, 16) != 0;
}

/* The extent of an operand along memory: of its last dimension, or of the one before
 * if that is the one without a stride; and the stride between its lines. */
static bool line_is_off(const struct row_arg *x, bool *last)
{
    int a = x->rank - 2, b = x->rank - 1;
    *last = !(x->has_strides && x->stride[a] == 1 && x->stride[b] != 1);
    double extent = (double)x->dim[*last ? b : a];
    double stride = x->has_strides ? (double)x->stride[*last ? a : b] : extent;
    double lines = (double)x->dim[*last ? a : b];
    return is_off(extent, x->type) || (lines > 1 && is_off(stride, x->type));
}

static void add_misaligned(struct fact_maker *m, struct work_row *r,
                           const struct row_args *args, struct product p)
{
    bool added = name_is(name_core(r->name), "addmm|baddbmm|addbmm");
    const struct row_arg *x = added ? (args->n > 2 ? &args->at[1] : NULL)
                                    : matrix(args, 0),
                         *y = added ? (args->n > 2 ? &args->at[2] : NULL)
                                    : matrix(args, 1);
    bool last, off_m = false, off_n = false, off_k = false;
    if (!x || !y || x->rank < 2 || y->rank < 2 || isnan(p.m) ||
        (double)x->dim[x->rank - 1] != p.k || (double)y->dim[y->rank - 1] != p.n)
        return; /* the model reads its operands in another way */
    if (line_is_off(x, &last))
        *(last ? &off_k : &off_m) = true;
    if (line_is_off(y, &last))
        *(last ? &off_n : &off_k) = true;
    off_n = off_n || is_off(p.n, y->type); /* the result is row-major */
    struct str s = S("");
    const struct {
        bool off;
        const char *name;
        double extent;
    } of[] = {{off_m, "M", p.m}, {off_n, "N", p.n}, {off_k, "K", p.k}};
    for (int i = 0; i < 3; i++)
        if (of[i].off)
            s = say(m->perm, "{}{}{}={}", said(s), said(s.n ? ", " : ""),
                    said(of[i].name), said_fixed(of[i].extent, 0));
    work_set(m->perm, r, FACT("misaligned", s));
}

/* The output layer of a language model, by its width: what is read of its result. */
static void add_logits(struct fact_maker *m, struct work_row *r, struct product p)
{
    enum { SMALLEST_VOCABULARY = 16384 };
    if (!(p.n >= SMALLEST_VOCABULARY) || !(p.b * p.m > 1))
        return;
    struct logits_read l = logits_read_of(m->a, p.b * p.m, p.n, r->count);
    work_set(m->perm, r, FACT("logits_read", l.rows), FACT("logits_ms", l.beside_ms));
}

void facts_gemm_row(struct fact_maker *m, struct work_row *r,
                    const struct row_args *args)
{
    struct product p = product_of(r, args);
    work_set(m->perm, r, FACT("B", p.b), FACT("M", p.m), FACT("N", p.n),
             FACT("K", p.k));
    bool quantized = is_quantized(r, args);
    work_set(m->perm, r, FACT("quantized", quantized),
             FACT("gemm_type", quantized ? S("quantized") : S("regular")));
    add_tiles(m, r, p);
    add_layout_copies(m, r);
    add_misaligned(m, r, args, p);
    add_logits(m, r, p);
    matrix_facts_row(m, r);
}

void facts_gemm_category(struct fact_maker *m, struct category_result *c)
{
    int n = 0;
    for (int32_t i = 0; i < c->n_rows; i++)
        n += work_number(&c->rows[i], "quantized") > 0;
    work_set(m->perm, c, FACT("quantized_count", n));
}
