/* How well kernels fill the device. */
#include "report/report_parts.h"

#include "analysis/facts/matrix_units.h"
#include "analysis/model/device_word.h"
#include "analysis/model/number_text.h"
#include "kernels/kernel_name.h"

/* Products and convolutions of narrow types run on matrix units; those of FP32 where
 * these have that type. */
static struct str matrix_word(const struct kernel_name *k,
                              const struct matrix_units *has)
{
    bool multiplies = kernel_label_is_matrix(k->label) ||
                      k->label == KERNEL_CONVOLUTION || k->label == KERNEL_ATTENTION;
    if (!multiplies || k->precision < PRECISION_FP32)
        return S("");
    return k->precision >= PRECISION_TF32 || has->fp32 ? S("yes") : S("no");
}

static struct str headline(struct arena *a, const struct device_fill *f,
                           struct str units)
{
    struct str text = say(a, "{}% of kernel time has fewer blocks than the GPU has {}",
                          said_pct(f->all.few_pct), said(units));
    if (f->units.n)
        text = say(a, "{} ({})", said(text), said(f->units.n));
    if (f->work.kernel_ns && f->work.kernel_ns < f->all.kernel_ns)
        text = say(a, "{}; without communication {}%", said(text),
                   said_pct(f->work.few_pct));
    if (f->all.known_pct < 99.5)
        text = say(a, "{}; grids are recorded for {}% of it", said(text),
                   said_pct(f->all.known_pct));
    return say(a, "{}.", said(text));
}

void report_fill_fill(const struct report_source *s, struct report *r)
{
    const struct device_fill *f = &s->t->fill;
    const struct matrix_units has = matrix_units_of(s->a);
    if (!f->all.known_ns || !f->rows)
        return;
    r->fill.of = f;
    r->fill.unit = f->says_sm ? S("SM") : S("compute unit");
    r->fill.units = device_fill_units(f);
    r->fill.headline = device_word_put(s->perm, headline(s->perm, f, r->fill.units),
                                       s->t->facts.kind.vendor, 0, 0);
    r->fill.rows = arena_new(s->perm, struct report_fill_row, r->n_kernels);
    for (int i = 0; i < r->n_kernels; i++) {
        if (!f->rows[i].known_ns)
            continue;
        struct kernel_name k = kernel_name_of(r->kernels[i].name);
        r->fill.rows[r->fill.n++] = (struct report_fill_row){
            .kernel = &r->kernels[i],
            .fill = &f->rows[i],
            .precision = k.marks & MARK_COMMUNICATES
                             ? S("")
                             : kernel_precision_word(k.precision),
            .matrix = matrix_word(&k, &has)};
    }
}
