#include "render/folder/replay_readme.h"

#include "base/arena.h"
#include "export/json_tree.h"
#include "render/text/bundle.h"
#include "render/text/markdown_filters.h"
#include "report/replay/replay_text.h"

#include <cjson/cJSON.h>
#include <math.h>

enum { ROWS_SHOWN = 10 };

static double rate(double work, double us)
{
    return us > 0 ? work / us / 1e6 : (double)NAN;
}

static bool has_model(const struct replay_package *p)
{
    for (int32_t i = 0; i < p->n_calls; i++)
        if (isfinite(p->calls[i].flop) || isfinite(p->calls[i].byte))
            return true;
    return false;
}

/* The context of templates/md/replay_readme.md. */
static cJSON *context_of(const struct replay_package *p, struct arena tmp)
{
    int32_t shown = p->n_calls < ROWS_SHOWN ? p->n_calls : ROWS_SHOWN;
    cJSON *calls = json_list();
    for (int32_t i = 0; i < shown; i++) {
        const struct replay_call *c = &p->calls[i];
        json_row(calls, J("tensors", replay_tensors_text(&tmp, c)),
                 J("count", c->count), json_exact("mean_us", c->mean_us),
                 J("spread", replay_spread_text(&tmp, c)),
                 json_exact("tflop_per_s", rate(c->flop, c->mean_us)),
                 json_exact("tb_per_s", rate(c->byte, c->mean_us)));
    }
    return json_object(J("op", p->op), J("device", p->device), J("count", p->count),
                       J("sets", p->n_calls), json_exact("total_ms", p->total_us / 1e3),
                       json_exact("share_pct", p->share_pct), J("calls", calls),
                       json_bool("has_rates", has_model(p)),
                       J(shown < p->n_calls ? "more" : NULL, p->n_calls - shown),
                       J("assumed", replay_assumed_text(replay_assumed(p))),
                       J(p->n_left_out ? "left_out" : NULL, p->n_left_out),
                       J("left_out_reason", p->left_out_reason));
}

bool replay_readme(struct out *o, const struct replay_package *p, struct arena tmp,
                   struct err *e)
{
    struct template_set templates = markdown_templates(&tmp);
    cJSON *context = context_of(p, tmp);
    bool done = template_render(o, &templates, S("replay_readme"), context, e);
    cJSON_Delete(context);
    out_str(o, bundle_file(S("assets/replay/README.md")));
    return done;
}
