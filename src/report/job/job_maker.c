#include "report/job/job_maker.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>

struct job_page *job_page_add(struct arena *perm, struct job_document *d,
                              const char *file, const char *title, const char *question)
{
    arena_grow(perm, d->pages, d->n_pages);
    struct job_page *p = &d->pages[d->n_pages++];
    *p = (struct job_page){
        .file = str_of(file), .title = str_of(title), .question = str_of(question)};
    return p;
}

struct job_section *job_section_add(struct job_page *p, const char *id,
                                    const char *title)
{
    struct job_section *s = &p->sections[p->n_sections++];
    s->id = str_of(id);
    s->title = str_of(title);
    return s;
}

void job_say(struct job_section *s, struct str para)
{
    s->paras[s->n_paras++] = para;
}

/* Titles that begin with '#' are of numbers. */
void job_table_add(struct job_maker *m, struct job_section *s, const char *caption,
                   const char *const *titles, int64_t rows, const char *csv)
{
    struct job_table *t = m->t = &s->table;
    s->has_table = true;
    t->caption = str_of(caption);
    for (int i = 0; titles[i]; i++) {
        bool numeric = titles[i][0] == '#';
        t->columns[t->n_columns++] =
            (struct job_column){str_of(titles[i] + numeric), numeric};
    }
    int most = m->rows_max ? m->rows_max : JOB_TABLE_ROWS;
    t->n_rows = (int)(rows < most ? rows : most);
    t->cells = arena_new(m->perm, struct job_cell, (ptrdiff_t)t->n_rows * t->n_columns);
    m->at = 0;
    if (rows > t->n_rows)
        t->more = str_printf(m->perm, "%lld more rows are in `job_csvs/%s.csv`",
                             (long long)(rows - t->n_rows), csv);
}

void job_put(struct job_maker *m, struct str text)
{
    m->t->cells[m->at++].text = text;
}

/* What rounds to nothing has no sign. */
void job_put_ns(struct job_maker *m, int64_t ns)
{
    job_put(m, llabs(ns) < 500 ? S("0.000")
                               : str_printf(m->perm, "%.3f", (double)ns / 1e6));
}

void job_put_n(struct job_maker *m, int64_t n)
{
    job_put(m, str_printf(m->perm, "%lld", (long long)n));
}

void job_put_pct(struct job_maker *m, double part, double whole)
{
    job_put(m, whole > 0 ? str_printf(m->perm, "%.1f", 100 * part / whole) : S("-"));
}

void job_put_real(struct job_maker *m, double v, int decimals)
{
    double shown = fabs(v) * pow(10, decimals) < 0.5 ? 0 : v; /* without a sign */
    job_put(m, isfinite(v) ? str_printf(m->perm, "%.*f", decimals, shown) : S("-"));
}

/* Colours cells from the one at `from`, each by its part of the most. */
void job_heat(struct job_maker *m, int from, const double *value, int n, double most)
{
    for (int i = 0; most > 0 && i < n; i++)
        m->t->cells[from + i].heat =
            value[i] > 0 ? (int)ceil(JOB_HEATS * value[i] / most - 0.5) : 0;
}

void job_put_rank(struct job_maker *m, const struct job_rank *r)
{
    m->t->cells[m->at].href = r->page;
    job_put_n(m, r->rank);
}

void job_put_bytes(struct job_maker *m, int64_t bytes)
{
    if (bytes < 0)
        job_put(m, S("-"));
    else
        job_put_n(m, bytes);
}
