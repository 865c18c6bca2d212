#include "report/cell_text.h"

#include "base/out.h"
#include "base/plain_run.h"
#include "base/python_text.h"
#include "base/utf8.h"
#include "perf/param_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_NAME_CHARS = 64 };

static void put_literal(struct table_build *b, const struct value *v, bool tuples)
{
    if (!v) {
        put_none(b);
        return;
    }
    struct out o;
    out_memory(&o);
    python_value(&o, v, tuples);
    put_name(b, out_text(&o, b->arena));
}

void put_tuple(struct table_build *b, const struct value *v)
{
    put_literal(b, v, true);
}

void put_list(struct table_build *b, const struct value *v)
{
    put_literal(b, v, false);
}

/* The first characters, not bytes. */
static struct str head_chars(struct str s, int chars)
{
    ptrdiff_t plain = plain_run(str_head(s, chars), "");
    struct str rest = str_skip(s, plain);
    for (ptrdiff_t i = plain; i < chars && rest.n > 0; i++)
        utf8_next(&rest);
    return str_head(s, s.n - rest.n);
}

static void put_details(struct table_build *b, const struct kernel_detail *d, int32_t n)
{
    struct out o;
    out_memory(&o);
    out_char(&o, '[');
    for (int32_t k = 0; k < n; k++) {
        const struct {
            const char *key;
            double us;
        } figures[] = {{"total_duration_us", d[k].total_us},
                       {"mean_duration_us", d[k].mean_us},
                       {"median_duration_us", d[k].median_us},
                       {"std_dev_duration_us", d[k].std_us},
                       {"min_duration_us", d[k].min_us},
                       {"max_duration_us", d[k].max_us}};
        out_c(&o, k ? ", {'name': " : "{'name': ");
        python_string(&o, d[k].name);
        out_lit(&o, ", 'stream': ");
        if (d[k].stream >= 0)
            out_i64(&o, d[k].stream);
        else
            out_lit(&o, "None");
        out_lit(&o, ", 'count': ");
        out_i64(&o, d[k].n);
        for (size_t f = 0; f < sizeof figures / sizeof *figures; f++) {
            out_lit(&o, ", '");
            out_c(&o, figures[f].key);
            out_lit(&o, "': ");
            out_real(&o, figures[f].us);
        }
        out_char(&o, '}');
    }
    out_char(&o, ']');
    put_name(b, out_text(&o, b->arena));
}

static void put_short_details(struct table_build *b, const struct kernel_detail *d,
                              int32_t n)
{
    if (!n) {
        put_none(b);
        return;
    }
    struct out o;
    out_memory(&o);
    for (int32_t k = 0; k < n; k++) {
        struct str head = head_chars(d[k].name, SHORT_NAME_CHARS);
        struct str name =
            head.n < d[k].name.n ? str_printf(b->arena, "%.*s...", STRF(head)) : head;
        out_c(&o, k ? ", {'name': " : "[{'name': ");
        python_string(&o, name);
        out_lit(&o, ", 'stream': ");
        if (d[k].stream >= 0)
            out_i64(&o, d[k].stream);
        else
            out_lit(&o, "None");
        out_lit(&o, ", 'mean_duration_us': ");
        out_real(&o, rint(d[k].mean_us * 100) / 100);
        out_char(&o, '}');
    }
    out_char(&o, ']');
    put_name(b, out_text(&o, b->arena));
}

void put_kernel_details(struct table_build *b, const struct kernel_detail *d, int32_t n)
{
    put_details(b, d, n);
    put_short_details(b, d, n);
}

void put_params(struct table_build *b, const struct perf_cost *cost)
{
    if (!cost) {
        put_none(b);
        return;
    }
    struct out o;
    out_memory(&o);
    out_char(&o, '{');
    for (int k = 0; k < cost->n_params; k++) {
        out_printf(&o, "%s'%s': ", k ? ", " : "", cost->params[k].key);
        python_param(&o, &cost->params[k]);
    }
    out_char(&o, '}');
    put_name(b, out_text(&o, b->arena));
}

void put_param(struct table_build *b, const struct perf_cost *cost, const char *key)
{
    const struct perf_param *p = NULL;
    for (int k = 0; k < cost->n_params && !p; k++)
        if (strcmp(cost->params[k].key, key) == 0)
            p = &cost->params[k];
    int64_t i;
    if (!p || p->kind == PERF_NONE)
        put_none(b);
    else if (p->kind == PERF_INT && str_int(perf_param_str(p), &i))
        put_int(b, i);
    else if (p->kind == PERF_REAL)
        put_real(b, strtod(str_c(b->arena, perf_param_str(p)), NULL));
    else
        put_name(b, perf_param_str(p));
}
