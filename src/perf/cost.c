#include "perf/cost.h"

#include "perf/dtype.h"

void type_param(struct cost *c, const char *key, struct str type)
{
    param_text(&c->params, key, type);
    c->precision = dtype_precision(type);
}

void types_param(struct cost *c, const char *key, const struct str *types, int n)
{
    param_texts(&c->params, key, types, n);
    c->precision = dtype_precision(types[0]);
}
