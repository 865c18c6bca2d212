/* param_list.h - the parameters a model read, as Python would print them.
 *
 * Texts live in the arena of the list. Parameters are added in column order. */
#ifndef PERF_PARAM_LIST_H
#define PERF_PARAM_LIST_H

#include "perf/call_cost.h"

struct out;
struct shape;

enum { PARAMS_MAX = 32 };

struct param_list {
    struct arena *perm;
    struct perf_param *at; /* PARAMS_MAX of them */
    int n;
};

void param_none(struct param_list *l, const char *key);
void param_bool(struct param_list *l, const char *key, bool v);
void param_int(struct param_list *l, const char *key, double v); /* NaN: None */

/* Several: param_ints(l, {"M", m}, {"N", n}). */
struct int_param {
    const char *key;
    double v;
};
#define param_ints(l, ...)                                                             \
    param_int_list(l, (const struct int_param[]){__VA_ARGS__, {NULL, 0}})
void param_int_list(struct param_list *l, const struct int_param *v); /* ends in NULL */

void param_real(struct param_list *l, const char *key, double v);
void param_text(struct param_list *l, const char *key, struct str v); /* p NULL: None */

/* A recorded value, arrays as tuples; NULL: None. */
void param_value(struct param_list *l, const char *key, const struct value *v);

void param_shape(struct param_list *l, const char *key, const struct shape *s);

/* A tuple of texts; p NULL: None. */
void param_texts(struct param_list *l, const char *key, const struct str *v, int n);

/* Text that already is Python, such as a list. */
void param_python(struct param_list *l, const char *key, struct str text);

/* A parameter as Python prints it in a container, where texts are quoted. */
void python_param(struct out *o, const struct perf_param *p);

/* Further pieces of Python text, besides base/python_text.h: (1, 2), a truth value. */
void python_shape(struct out *o, const struct shape *s);
struct str python_bool(bool v);

#endif
