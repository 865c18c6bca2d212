/* perf_vectors.c - the performance models against recorded results of the reference.
 *
 * usage: perf_vectors FILE.jsonl
 * One object a line: an operator call and what the reference made of it. Prints each
 * disagreement and a count; exit status 0 only if all agree and there was at least one.
 */
#include "base/arena.h"
#include "base/out.h"
#include "perf/perf_model.h"
#include "trace/json_value.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS_MAX = 64, MEMORY_BYTES = 1 << 28 };

struct vector {
    cJSON *json;
    struct op_call call;
    struct str kernels[KERNELS_MAX];
};

static const cJSON *get(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsNull(v) ? NULL : v;
}

static struct str text(const cJSON *o, const char *key)
{
    const cJSON *v = get(o, key);
    return str_of(cJSON_IsString(v) ? v->valuestring : NULL);
}

/* A recorded argument; null is one that was not. */
static const struct value *recorded(const struct value *line, const char *key)
{
    const struct value *v = value_get(line, key);
    return value_is(v, VALUE_NULL) ? NULL : v;
}

static void read_call(cJSON *json, const struct value *line, struct vector *v)
{
    v->json = json;
    v->call = (struct op_call){
        .name = text(json, "op"),
        .args = {recorded(line, "input_dims"), recorded(line, "input_types"),
                 recorded(line, "input_strides"), recorded(line, "concrete_inputs"),
                 recorded(line, "extra_args")},
        .annotation = text(json, "annotation"),
        .kernels = v->kernels};
    const cJSON *kernels = get(json, "kernel_names");
    for (const cJSON *k = kernels ? kernels->child : NULL; k; k = k->next)
        if (v->call.n_kernels < KERNELS_MAX)
            v->kernels[v->call.n_kernels++] = str_of(k->valuestring);
}

static double sequence(const struct vector *v)
{
    const cJSON *n = get(get(v->json, "extra_args"), "Sequence number");
    return cJSON_IsNumber(n) ? n->valuedouble : (double)NAN;
}

/* "ConvBias_ with the same Sequence number": the one before that, if any. */
static void link_forward(struct vector *all, int i)
{
    struct str want = text(all[i].json, "forward_ref");
    want = str_head(want, str_find(want, S(" ")));
    for (int j = 0; want.n > 0 && j < i; j++)
        if (str_eq(all[j].call.name, want) && sequence(&all[j]) == sequence(&all[i]))
            all[i].call.forward = &all[j].call;
}

/* As Python would print it, every array in round brackets and without the comma of a
 * single element: the file does not tell lists from tuples. */
static void plain(struct out *o, const cJSON *v, bool quoted)
{
    if (cJSON_IsArray(v)) {
        out_char(o, '(');
        for (const cJSON *x = v->child; x; x = x->next) {
            plain(o, x, true);
            if (x->next)
                out_lit(o, ", ");
        }
        out_char(o, ')');
    } else if (cJSON_IsString(v)) {
        out_printf(o, quoted ? "'%s'" : "%s", v->valuestring);
    } else if (cJSON_IsBool(v)) {
        out_c(o, cJSON_IsTrue(v) ? "True" : "False");
    } else if (cJSON_IsNumber(v)) {
        if (v->valuedouble == floor(v->valuedouble))
            out_printf(o, "%.0f", v->valuedouble);
        else
            out_real(o, v->valuedouble);
    } else {
        out_lit(o, "None");
    }
}

/* The same of our text. A whole real loses its ".0", as it does in cJSON. */
static struct str flatten(struct arena *a, struct str s, enum perf_kind kind)
{
    char *p = arena_copy(a, s.p, s.n);
    ptrdiff_t n = 0;
    if (kind == PERF_REAL && str_ends(s, S(".0")))
        s.n -= 2;
    for (ptrdiff_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == ',' && i + 1 < s.n && s.p[i + 1] == ')')
            continue;
        p[n++] = kind != PERF_TUPLE ? c : c == '[' ? '(' : c == ']' ? ')' : c;
    }
    return (struct str){p, n};
}

struct check {
    struct arena *arena;
    const struct vector *v;
    int wrong;
};

static void differ(struct check *c, const char *field, struct str want, struct str got)
{
    if (str_eq(want, got))
        return;
    c->wrong++;
    printf("%d %.*s: %s: want %.*s, got %.*s\n", get(c->v->json, "id")->valueint,
           STRF(c->v->call.name), field, STRF(want), STRF(got));
}

static struct str number(struct arena *a, const cJSON *v, double got)
{
    double d = v ? (cJSON_IsNumber(v) ? v->valuedouble : (double)INFINITY) : got;
    return isnan(d) ? S("null") : str_printf(a, "%.17g", d);
}

static void check_number(struct check *c, const char *field, double got)
{
    const cJSON *want = get(c->v->json, field);
    differ(c, field, want ? number(c->arena, want, 0) : S("null"),
           number(c->arena, NULL, got));
}

static void check_params(struct check *c, const struct perf_cost *cost)
{
    const cJSON *params = get(c->v->json, "params");
    int i = 0;
    for (const cJSON *p = params ? params->child : NULL; p; p = p->next, i++) {
        if (i >= cost->n_params) {
            differ(c, "params", str_of(p->string), S("(none)"));
            return;
        }
        const struct perf_param *got = &cost->params[i];
        struct out o;
        out_memory(&o);
        plain(&o, p, false);
        differ(c, "key", str_of(p->string), str_of(got->key));
        differ(c, p->string, out_text(&o, c->arena),
               flatten(c->arena, perf_param_str(got), got->kind));
    }
    if (i < cost->n_params)
        differ(c, "params", S("(none)"), str_of(cost->params[i].key));
}

static void check_figures(struct check *c, const struct perf_cost *cost)
{
    check_params(c, cost);
    check_number(c, "flops", cost->flop);
    check_number(c, "bytes", cost->byte);
    differ(c, "compute_spec", text(c->v->json, "compute_spec"), cost->compute_spec);
}

static struct str status_text(enum perf_status s)
{
    return s == PERF_OK     ? S("")
           : s == PERF_DROP ? S("row_dropped")
                            : S("metrics_failed");
}

/* A Triton kernel without sizes has no model here: that is how its row is dropped. */
static int check_vector(struct arena *perm, const struct vector *v)
{
    struct check c = {perm, v, 0};
    struct perf_cost cost = {.status = PERF_DROP};
    bool backward = str_eq(text(v->json, "direction"), S("bwd"));
    const struct perf_model *m = perf_model_of_call(&v->call);
    struct str first = v->call.n_kernels ? v->kernels[0] : S("");
    struct str category = perf_category(v->call.name, first);
    if (m) {
        differ(&c, "model", text(v->json, "model"), perf_model_id(m));
        perf_cost_of(perm, m, &v->call, backward ? PERF_BACKWARD : PERF_FORWARD, &cost);
        if (backward)
            category = perf_model_backward_category(m);
    }
    differ(&c, "category", text(v->json, "category"), category);
    differ(&c, "error", text(v->json, "error"), status_text(cost.status));
    if (cost.status == PERF_OK)
        check_figures(&c, &cost);
    return c.wrong;
}

static struct vector *read_file(struct arena *perm, struct arena *values,
                                const char *path, int *n)
{
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    struct vector *all = NULL;
    *n = 0;
    if (!f)
        return NULL;
    while (getline(&line, &size, f) > 0) {
        cJSON *json = cJSON_Parse(line);
        if (!json)
            continue;
        struct vector *v = arena_new(perm, struct vector, 1);
        all = all ? all : v;
        read_call(json, json_value(values, str_copy(values, str_of(line))), v);
        ++*n;
    }
    free(line);
    fclose(f);
    return all;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE.jsonl\n", argv[0]);
        return 2;
    }
    struct arena vectors = arena_reserve(MEMORY_BYTES);
    struct arena values = arena_reserve(MEMORY_BYTES);
    struct arena costs = arena_reserve(MEMORY_BYTES);
    int n, failed = 0;
    /* Nothing else comes from that arena, so the vectors are one array. */
    struct vector *all = read_file(&vectors, &values, argv[1], &n);
    for (int i = 0; i < n; i++) {
        struct arena scratch = costs;
        link_forward(all, i);
        failed += check_vector(&scratch, &all[i]) > 0;
    }
    for (int i = 0; i < n; i++)
        cJSON_Delete(all[i].json);
    printf("%d passed, %d failed\n", n - failed, failed);
    return n > 0 && failed == 0 ? 0 : 1;
}
