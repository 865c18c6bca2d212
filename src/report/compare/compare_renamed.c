#include "report/compare/compare_renamed.h"

#include "report/compare/compare_side.h"

/* Of device work: what is worth a word. */
static const double SHARE_MIN = 0.01;
enum { NAME_BYTES = 75 };

static bool is_renamed(const struct match *m)
{
    return m->n[0] > 0 && m->n[1] > 0 && m->kernel[0].n && m->kernel[1].n &&
           !str_eq(m->kernel[0], m->kernel[1]);
}

struct str compare_renamed(struct arena *perm, const struct comparison *c)
{
    const struct match *most = NULL;
    for (int32_t i = 0; i < c->n_rows; i++) {
        const struct match *m = c->rows[i].match;
        if (is_renamed(m) && (!most || m->ns[0] > most->ns[0]))
            most = m;
    }
    if (!most || (double)most->ns[0] < SHARE_MIN * (double)c->device_ns[0])
        return S("");
    return str_printf(
        perm, "; kernels have other names: `%.*s` runs in %.*s in place of `%.*s`",
        STRF(str_head(most->kernel[1], NAME_BYTES)), STRF(compare_side(perm, c, 1)),
        STRF(str_head(most->kernel[0], NAME_BYTES)));
}
