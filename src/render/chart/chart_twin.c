#include "render/chart/chart_twin.h"

#include "base/arena.h"
#include "base/out.h"
#include "render/text/context.h"

#include <math.h>

static void add_column(cJSON *columns, struct str title, bool numeric)
{
    json_row(columns, M("title", title), M("numeric", numeric));
}

static void add_cell(cJSON *cells, struct str text, bool numeric, bool head)
{
    json_row(cells, M("text", text), M("numeric", numeric), M("head", head));
}

/* Three significant digits, as everywhere for a number that sums up many. */
static void add_number(cJSON *cells, double v)
{
    char text[64];
    int whole = v > 0 && isfinite(v) ? (int)floor(log10(v)) : 0;
    int decimals = whole >= 2 ? 0 : whole < -6 ? 8 : 2 - whole;
    if (v == floor(v))
        decimals = 0;
    add_cell(cells, (struct str){text, fixed_text(text, v, decimals)}, true, false);
}

static bool has_axes(const struct report_figure *f)
{
    return f->kind == FIGURE_ROOFLINE || f->kind == FIGURE_SCATTER;
}

static void add_columns(cJSON *columns, const struct report_figure *f)
{
    if (f->kind == FIGURE_HISTOGRAM) {
        add_column(columns, f->x_title, true);
        add_column(columns, S("to"), true);
        add_column(columns, f->y_title, true);
        if (f->second_title.n)
            add_column(columns, f->second_title, true);
        return;
    }
    add_column(columns, f->label_title, false);
    if (has_axes(f)) {
        add_column(columns, f->x_title, true);
        add_column(columns, f->y_title, true);
    }
    add_column(columns, f->value_title, true);
}

static void add_cells(cJSON *cells, const struct report_figure *f,
                      const struct figure_mark *m)
{
    if (f->kind == FIGURE_HISTOGRAM) {
        add_number(cells, m->low);
        add_number(cells, m->high);
        add_number(cells, m->value);
        if (f->second_title.n)
            add_number(cells, m->second);
        return;
    }
    add_cell(cells, m->label, false, true);
    if (has_axes(f)) {
        add_number(cells, m->x);
        add_number(cells, m->value);
    }
    add_cell(cells, m->value_text, true, false);
}

static cJSON *add_row(cJSON *rows)
{
    return json_put_array(context_push(rows), "cells");
}

static void add_series(cJSON *rows, const struct report_figure *f)
{
    for (int i = 0; i < f->n_series; i++) {
        cJSON *cells = add_row(rows);
        add_cell(cells, f->series[i].label, false, true);
        add_cell(cells, f->series[i].value_text, true, false);
    }
}

void chart_twin(struct cJSON *object, const char *key, const struct report_figure *f,
                struct arena tmp)
{
    cJSON *twin = json_put_object(object, key);
    cJSON *columns = json_put_array(twin, "columns");
    add_columns(columns, f);
    cJSON *rows = json_put_array(twin, "rows");
    if (f->kind == FIGURE_ROWS) {
        add_series(rows, f);
        return;
    }
    int shown =
        f->n_marks <= CHART_TWIN_ROWS_MAX ? f->n_marks : CHART_TWIN_ROWS_MAX - 1;
    for (int i = 0; i < shown; i++)
        add_cells(add_row(rows), f, &f->marks[i]);
    if (shown == f->n_marks)
        return;
    cJSON *cells = add_row(rows);
    add_cell(cells,
             str_printf(&tmp, "and %d more in the %s", f->n_marks - shown,
                        f->kind == FIGURE_ICICLE ? "tree itself" : "CSV file"),
             false, true);
    for (int i = 1; i < cJSON_GetArraySize(columns); i++)
        add_cell(cells, S(""), true, false);
}
