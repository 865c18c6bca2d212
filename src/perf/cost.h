/* cost.h - input and output of a model's function, and the row of the model table.
 *
 * A function of a family reads its operands (op_args.h), names its parameters and sets
 * FLOP, bytes and precision. It may return at any time after a failure, as the figures
 * of a failed call are ignored. NaN bytes means not computable, which is not a
 * failure.  */
#ifndef PERF_COST_H
#define PERF_COST_H

#include "perf/op_args.h"
#include "perf/param_list.h"

/* Only perf/ uses these; elsewhere a model is known by its id (perf_model.h). */
#define MODEL(key, ...) MODEL_##key,
enum model_key {
#include "perf/models.def"
    PERF_MODELS
};
#undef MODEL

struct cost {
    struct param_list params;
    double flop, byte;
    struct str precision; /* "bf16", ... or empty; the unit is the model's */
};

enum perf_unit { UNIT_NONE, UNIT_MATRIX, UNIT_VECTOR };

struct perf_model {
    const char *id, *category, *backward_category; /* the last may be NULL */
    int family;                                    /* -1: no sheet */
    enum perf_unit unit;
    bool backward; /* also computes the cost of its backward */
    enum model_key key;
    void (*cost)(struct op_args *a, struct cost *c);
};

extern const struct perf_model perf_models[PERF_MODELS];
extern const char *const perf_families[]; /* in the order of the report's sheets */

/* The function of each model, in cost_*.c. */
#define MODEL(key, id, category, backward_category, sheet, unit, backward, function,   \
              ...)                                                                     \
    void function(struct op_args *a, struct cost *c);
#include "perf/models.def"
#undef MODEL

/* The types of the operands; the first gives the precision. */
void type_param(struct cost *c, const char *key, struct str type);
void types_param(struct cost *c, const char *key, const struct str *types, int n);

/* A square, a sum and a division, then scale by the root and by the weight. */
double rms_norm_flop(double elements, double channels);

/* Does the name belong to such a kernel, and do the arguments give its sizes? */
bool triton_applies(const struct op_call *call);

bool triton_word(struct str word);
ptrdiff_t triton_word_longest(void); /* bytes */

#endif
