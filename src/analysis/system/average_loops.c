#include "analysis/system/average_loops.h"

#include "analysis/model/name_match.h"
#include "analysis/system/launched_within.h"
#include "ops/trace_view.h"
#include "perf/dtype.h"
#include "perf/op_args.h"

enum {
    FEWEST_TURNS = 16,
    FEWEST_UNSIZED = 64, /* without recorded shapes */
    OTHERS_BETWEEN = 3,  /* counters of batches, and what launches nothing */
    STEPS_MOST = 4
};

enum step { STEP_NONE, STEP_SCALE, STEP_ADD, STEP_COPY, STEP_LERP, STEP_KINDS };

/* Forms of a turn, and the tensors that each moves; whether its names alone may be
 * those of momentum, or of weight decay and an update. */
struct form {
    enum step steps[STEPS_MOST];
    int n, tensors;
    bool vague;
};

static const struct form forms[] = {
    {{STEP_LERP}, 1, 3, false},
    {{STEP_SCALE, STEP_ADD}, 2, 5, true},
    {{STEP_SCALE, STEP_SCALE, STEP_ADD, STEP_COPY}, 4, 9, false},
};
enum { FORMS = sizeof forms / sizeof *forms, LEAST_TENSORS = 3 };

struct search {
    const struct trace_view *v;
    const struct tree_index *t;
    bool sized;                    /* shapes are recorded */
    struct named_spans optimizers; /* once a turn is found */
    bool asked;
    struct arena *tmp;
    uint8_t *step_of; /* by name, plus one; 0: not asked */
    event_id *at;     /* operators that no other one calls, a thread after the other */
    int32_t n;
};

static enum step step_by_name(struct str name)
{
    return name_is(name, "aten::mul|aten::mul_")   ? STEP_SCALE
           : name_is(name, "aten::add|aten::add_") ? STEP_ADD
           : str_eq(name, S("aten::copy_"))        ? STEP_COPY
           : str_eq(name, S("aten::lerp_"))        ? STEP_LERP
                                                   : STEP_NONE;
}

static enum step step_of(struct search *x, event_id i)
{
    uint8_t *known = &x->step_of[x->v->s->name[i]];
    if (!*known)
        *known = (uint8_t)(1 + step_by_name(store_name(x->v->s, i)));
    return (enum step)(*known - 1);
}

static const struct value *dims_of(const struct search *x, event_id i, int k)
{
    const struct op_texts *t = store_texts(x->v->s, i);
    return t ? value_at(store_value(x->v->s, t->dims), k) : NULL;
}

static bool same_dims(const struct value *a, const struct value *b)
{
    int n = value_count(a), k = 0;
    while (k < n && n == value_count(b) &&
           value_at(a, k)->number == value_at(b, k)->number)
        k++;
    return n > 0 && n == value_count(b) && k == n;
}

/* A recorded number of the third argument; NaN: none. */
static double number_of(const struct search *x, event_id i)
{
    const struct op_texts *t = store_texts(x->v->s, i);
    double v = (double)NAN;
    if (t &&
        !python_real(value_text(value_at(store_value(x->v->s, t->concrete), 2)), &v))
        v = (double)NAN;
    return v;
}

static bool is_small(double weight)
{
    const double MOST = 0.1;
    return weight > 0 && weight <= MOST;
}

/* Kernels tell a tensor times a number from one times another, and a sum of tensors
 * from one of a tensor and a number. */
static bool kernel_fits(const struct search *x, enum step step, event_id i)
{
    int32_t n = 0;
    const event_id *gpu = launch_range(&x->v->launch, &x->v->tree, i, &n);
    struct str name = n ? store_name(x->v->s, gpu[0]) : S("");
    return step == STEP_SCALE ? !str_has(name, S("::BinaryFunctor<"))
           : step == STEP_ADD ? !str_has(name, S("CUDAFunctorOnSelf_add"))
                              : true;
}

/* An operator as step k of a form, on tensors of one size. */
static bool is_step(struct search *x, const struct form *f, int k, event_id i,
                    const struct value *dims)
{
    const struct value *other = dims_of(x, i, 1);
    if (step_of(x, i) != f->steps[k])
        return false;
    if (!x->sized)
        return kernel_fits(x, f->steps[k], i);
    if (!same_dims(dims_of(x, i, 0), dims))
        return false;
    switch (f->steps[k]) {
    case STEP_SCALE:
        return value_count(other) == 0;
    case STEP_ADD:
        return same_dims(other, dims) && (f->n > 2 || is_small(number_of(x, i)));
    case STEP_LERP:
        return same_dims(other, dims) && is_small(number_of(x, i));
    default:
        return same_dims(other, dims);
    }
}

static bool launches(const struct search *x, event_id i)
{
    int32_t n = 0;
    (void)launch_range(&x->v->launch, &x->v->tree, i, &n);
    return n > 0;
}

/* The position behind a turn that begins at one; 0: none does. */
static int32_t turn_end(struct search *x, int32_t at, const struct form *f)
{
    const struct event_store *s = x->v->s;
    const struct value *dims = dims_of(x, x->at[at], 0);
    int32_t p = at;
    for (int k = 0; k < f->n; k++) {
        while (k && p < x->n && p - at < 2 * STEPS_MOST && !launches(x, x->at[p]))
            p++;
        if (p == x->n || s->lane[x->at[p]] != s->lane[x->at[at]] ||
            !is_step(x, f, k, x->at[p], dims) || !launches(x, x->at[p]))
            return 0;
        p++;
    }
    return p;
}

struct row {                   /* turns that follow each other */
    int32_t first, end, turns; /* positions */
    const struct form *form;
    bool differ; /* in size */
    double bytes;
};

/* Without shapes, all tensors count as one. */
static double bytes_of(const struct search *x, event_id i)
{
    if (!x->sized)
        return 1;
    const struct op_texts *t = store_texts(x->v->s, i);
    const struct value *dims = dims_of(x, i, 0);
    double bytes = dtype_bytes(value_text(value_at(store_value(x->v->s, t->types), 0)));
    for (int k = 0; k < value_count(dims); k++)
        bytes *= value_at(dims, k)->number;
    return bytes;
}

static bool is_of_average(struct str frame)
{
    return str_starts(frame, S("ema.py(")) ||
           name_has(frame, "/ema.py(|model_ema|_ema(|: ema_|swa_utils|modelema|"
                           "moving_average|averagedmodel|update_parameters|"
                           "update_ema|soft_update|polyak|momentum_update");
}

static bool is_of_optimizer(struct str frame)
{
    return name_has(frame, "optim/|optimizer") || str_ends(frame, S(": step"));
}

/* The innermost frame that says so tells an average from an optimizer; of an average,
 * where it is called. */
static bool frames_fit(struct search *x, const struct row *r, struct str *frame)
{
    enum { FEW = 12 };
    struct str frames[FEW];
    int n = tree_launchers(frames, FEW, x->t, x->at[r->first]), k = 0;
    while (k < n && !is_of_average(frames[k]) && !is_of_optimizer(frames[k]))
        k++;
    bool found = k < n && is_of_average(frames[k]);
    for (; k < n && is_of_average(frames[k]); k++)
        *frame = frames[k];
    return found || (k == n && !r->form->vague);
}

static bool is_average(struct search *x, const struct row *r, struct str *frame)
{
    return x->sized ? r->turns >= FEWEST_TURNS && r->differ
                    : r->turns >= FEWEST_UNSIZED && frames_fit(x, r, frame);
}

static void end_row(struct arena *perm, struct search *x, const struct row *r,
                    struct average_loops *to)
{
    const struct event_store *s = x->v->s;
    struct str frame = S("");
    if (!is_average(x, r, &frame))
        return;
    event_id first = x->at[r->first], last = x->at[r->end - 1];
    arena_grow(perm, to->at, to->n);
    to->at[to->n++] = (struct loop_span){s->lane[first], r->turns, s->start_ns[first],
                                         store_end_ns(s, last), 0};
    if (to->first < 0) {
        to->first = first;
        to->frame = frame;
    }
    to->turns += r->turns;
    to->moved += r->form->tensors * r->bytes;
    to->least += LEAST_TENSORS * r->bytes;
}

static void add_turn(struct search *x, struct row *r, int32_t at, int32_t end,
                     const struct form *f)
{
    if (!r->turns)
        *r = (struct row){.first = at, .form = f};
    else
        r->differ |=
            !same_dims(dims_of(x, x->at[at], 0), dims_of(x, x->at[r->first], 0));
    r->turns++;
    r->end = end;
    r->bytes += bytes_of(x, x->at[at]);
}

static void find_outermost(struct arena *tmp, struct search *x)
{
    const struct call_tree *tree = &x->v->tree;
    for (int32_t pos = 0; pos < tree->n_order; pos = tree->after[pos]) {
        event_id i = tree->order[pos];
        if (x->v->s->cat[i] != CAT_CPU_OP)
            continue;
        arena_grow(tmp, x->at, x->n);
        x->at[x->n++] = i;
    }
}

static bool in_optimizer(struct search *x, event_id i)
{
    if (!x->asked)
        x->optimizers =
            named_spans_of(x->tmp, x->v->s, CAT_ANNOTATION, "optimizer.step");
    x->asked = true;
    return named_spans_hold(&x->optimizers, x->v->s, i);
}

static const struct form *form_at(struct search *x, int32_t at, int32_t *end)
{
    enum step step = step_of(x, x->at[at]);
    if (step != STEP_SCALE && step != STEP_LERP)
        return NULL;
    for (int k = 0; k < FORMS; k++)
        if (forms[k].steps[0] == step && (*end = turn_end(x, at, &forms[k])) > 0)
            return in_optimizer(x, x->at[at]) ? NULL : &forms[k];
    return NULL;
}

static bool has_shapes(const struct event_store *s)
{
    int32_t k = 0;
    while (k < s->n_texts && s->texts[k].dims < 0)
        k++;
    return k < s->n_texts;
}

struct average_loops average_loops_find(struct arena *perm, struct arena tmp,
                                        const struct tree_index *t)
{
    struct search x = {.v = t->v, .t = t, .sized = has_shapes(t->v->s), .tmp = &tmp};
    struct average_loops to = {.first = -1, .sized = x.sized};
    struct row r = {0};
    x.step_of = arena_new(&tmp, uint8_t, t->v->s->names.n + 1);
    find_outermost(&tmp, &x);
    for (int32_t at = 0, end = 0; at < x.n;) {
        const struct form *f = form_at(&x, at, &end);
        bool goes_on = r.turns && at - r.end <= OTHERS_BETWEEN &&
                       (f || x.sized || !launches(&x, x.at[at])) &&
                       t->v->s->lane[x.at[at]] == t->v->s->lane[x.at[r.first]] &&
                       (!f || f == r.form);
        if (!goes_on) {
            end_row(perm, &x, &r, &to);
            r = (struct row){0};
        }
        if (f)
            add_turn(&x, &r, at, end, f);
        at = f ? end : at + 1;
    }
    end_row(perm, &x, &r, &to);
    return to;
}
