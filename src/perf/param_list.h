/* param_list.h - the parameters a model read, as Python would print them.
 *
 * Texts live in the arena of the list. Order of adding is the order of the columns. */
#ifndef PERF_PARAM_LIST_H
#define PERF_PARAM_LIST_H

#include "perf/perf_model.h"

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
void param_real(struct param_list *l, const char *key, double v);
void param_text(struct param_list *l, const char *key, struct str v); /* p NULL: None */

/* A recorded value, arrays as tuples; NULL: None. */
void param_json(struct param_list *l, const char *key, const struct cJSON *v);

void param_shape(struct param_list *l, const char *key, const struct shape *s);

/* A tuple of texts; p NULL: None. */
void param_texts(struct param_list *l, const char *key, const struct str *v, int n);

/* Text that is already Python, such as a list. */
void param_python(struct param_list *l, const char *key, struct str text);

/* Pieces of such text: 'quoted', (1, 2), a recorded value, a truth value. */
void python_quote(struct out *o, struct str v);
void python_shape(struct out *o, const struct shape *s);
void python_json(struct out *o, const struct cJSON *v);
struct str python_bool(bool v);

#endif
