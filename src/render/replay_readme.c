#include "render/replay_readme.h"

#include "base/arena.h"
#include "render/bundle.h"
#include "render/markdown_text.h"
#include "report/replay_text.h"

#include <math.h>

enum { ROWS_SHOWN = 10 };

static void add_rate(struct out *o, double work, double us)
{
    out_lit(o, " | ");
    md_real(o, us > 0 ? work / us / 1e6 : (double)NAN, 3);
}

static bool has_model(const struct replay_package *p)
{
    for (int32_t i = 0; i < p->n_calls; i++)
        if (isfinite(p->calls[i].flop) || isfinite(p->calls[i].byte))
            return true;
    return false;
}

static void add_call(struct out *o, const struct replay_call *c, int32_t number,
                     bool with_rates, struct arena tmp)
{
    out_printf(o, "| %d | `", (int)number);
    out_str(o, replay_tensors_text(&tmp, c)); /* names of ours and of signatures */
    out_printf(o, "` | %lld | ", (long long)c->count);
    md_real(o, c->mean_us, 2);
    out_lit(o, " | ");
    out_str(o, replay_spread_text(&tmp, c));
    if (with_rates) {
        add_rate(o, c->flop, c->mean_us);
        add_rate(o, c->byte, c->mean_us);
    }
    out_lit(o, " |\n");
}

static void add_calls(struct out *o, const struct replay_package *p, struct arena tmp)
{
    int32_t n = p->n_calls < ROWS_SHOWN ? p->n_calls : ROWS_SHOWN;
    bool rates = has_model(p);
    out_printf(o, "| # | Tensors | Calls | Mean, us | Least to most, us |%s\n",
               rates ? " TFLOP/s | TB/s |" : "");
    out_printf(o, "|--:|---|--:|--:|--:|%s\n", rates ? "--:|--:|" : "");
    for (int32_t i = 0; i < n; i++)
        add_call(o, &p->calls[i], i + 1, rates, tmp);
    if (n < p->n_calls)
        out_printf(o, "\n%d more are in `replay_ir.json`.\n", (int)(p->n_calls - n));
    out_printf(o, "\nTimes are of device work in the trace%s.\n",
               rates
                   ? "; rates count the operations and bytes of a model of the operator"
                   : "");
}

static void add_notes(struct out *o, const struct replay_package *p, struct arena tmp)
{
    struct str assumed = replay_assumed_text(replay_assumed(p));
    if (assumed.n) {
        out_lit(o, "\n**Not from the trace.** ");
        md_prose(o, tmp, assumed, MD_LINE);
        out_char(o, '\n');
    }
    if (p->n_left_out) {
        out_printf(o, "\n**Left out.** %d argument set%s cannot be replayed: ",
                   (int)p->n_left_out, p->n_left_out == 1 ? "" : "s");
        md_prose(o, tmp, p->left_out_reason, MD_LINE);
        out_lit(o, ".\n");
    }
}

void replay_readme(struct out *o, const struct replay_package *p, struct arena tmp)
{
    out_lit(o, "# Replay package of ");
    md_name(o, tmp, p->op, MD_LINE);
    out_lit(o,
            "\n\nThe calls of one operation, taken from a profiler trace, described "
            "well enough to run them alone:\nwithout the model, without the tool that "
            "made this package, without a network.\n\nIn the trace");
    if (p->device.n) {
        out_lit(o, ", of ");
        md_name(o, tmp, p->device, MD_LINE);
    }
    out_printf(o, ": %lld call%s of %d argument set%s, ", (long long)p->count,
               p->count == 1 ? "" : "s", (int)p->n_calls, p->n_calls == 1 ? "" : "s");
    md_ms(o, p->total_us / 1e3);
    out_lit(o, " ms, ");
    md_pct(o, p->share_pct);
    out_lit(o, " % of all kernel time.\n\n");
    add_calls(o, p, tmp);
    add_notes(o, p, tmp);
    out_char(o, '\n');
    out_str(o, bundle_file(S("assets/replay/README.md")));
}
