#include "render/replay_page.h"

#include "base/arena.h"
#include "base/out.h"
#include "render/page_shell.h"
#include "render/template.h"
#include "report/replay_text.h"
#include "report/report_numbers.h"

#include <cjson/cJSON.h>
#include <string.h>

enum { NAME_CHARS = 90 };

static void real_key(cJSON *object, const char *key, double v)
{
    char buf[32];
    template_text(object, key, (struct str){buf, real_text(buf, v)});
}

/* "12.4 KiB" */
static struct str size_text(struct arena *a, int64_t bytes)
{
    return str_printf(a, "%.*s KiB", STRF(number_fixed(a, (double)bytes / 1024.0, 1)));
}

struct str replay_row_id(struct arena *a, const struct replay_package *p)
{
    return str_printf(a, "kit-%08x", (unsigned)(str_hash(p->op) >> 32));
}

static void add_package(cJSON *rows, const struct replay_package *p,
                        const struct replay_file *file, struct arena tmp)
{
    const struct replay_call *c = &p->calls[0];
    struct str folder = S("replay_packages/");
    cJSON *row = cJSON_CreateObject();
    cJSON_AddItemToArray(rows, row);
    template_text(row, "row_id", replay_row_id(&tmp, p));
    page_name(row, "name_html", p->op, NAME_CHARS, tmp);
    template_text(row, "sets", str_printf(&tmp, "%d", p->n_calls));
    template_text(row, "calls", str_printf(&tmp, "%lld", (long long)p->count));
    template_text(row, "total", number_ms(&tmp, p->total_us / 1e3));
    real_key(row, "total_v", p->total_us / 1e3);
    template_text(row, "share", number_pct(&tmp, p->share_pct));
    real_key(row, "share_v", p->share_pct);
    template_text(row, "tensors", replay_tensors_text(&tmp, c));
    template_text(row, "expected", number_us(&tmp, c->mean_us));
    real_key(row, "expected_v", c->mean_us);
    struct str spread = replay_spread_text(&tmp, c);
    template_text(row, "spread", c->min_us < c->max_us ? spread : S(""));
    template_text(row, "href", p->file);
    template_text(row, "name", str_skip(p->file, folder.n));
    template_text(row, "size", size_text(&tmp, file->bytes));
    template_text(row, "sha256", str_of(file->sha256));
    struct replay_assumed assumed = replay_assumed(p);
    template_text(row, "assumed",
                  assumed.strides && assumed.values ? S("strides and numbers assumed")
                  : assumed.strides                 ? S("strides assumed")
                  : assumed.values                  ? S("numbers assumed")
                                                    : S(""));
    template_text(row, "left_out",
                  p->n_left_out == 0
                      ? S("")
                      : str_printf(&tmp, "not in it: %d argument set%s, as %.*s",
                                   p->n_left_out, p->n_left_out == 1 ? "" : "s",
                                   STRF(p->left_out_reason)));
    template_text(row, "finding", S(""));
    template_text(row, "link", S(""));
    cJSON_AddBoolToObject(row, "category", false);
}

static void add_refusal(cJSON *rows, const struct replay_refusal *r, struct arena tmp)
{
    cJSON *row = cJSON_CreateObject();
    cJSON_AddItemToArray(rows, row);
    page_name(row, "name_html", r->op, NAME_CHARS, tmp);
    template_text(row, "reason", r->reason);
    template_text(row, "share", number_pct(&tmp, r->share_pct));
}

/* "Three packages hold 12 argument sets and 61.2 % of kernel time." */
static struct str answer(struct arena *a, const struct replay_set *s)
{
    int64_t sets = 0;
    double share_pct = 0.0;
    for (int32_t i = 0; i < s->n_packages; i++) {
        sets += s->packages[i].n_calls;
        share_pct += s->packages[i].share_pct;
    }
    if (s->n_packages == 0)
        return S("No replay packages were generated.");
    struct str n = number_word(a, s->n_packages);
    char *first = str_c(a, n);
    if (first[0] >= 'a' && first[0] <= 'z')
        first[0] = (char)(first[0] - 'a' + 'A');
    return str_printf(a,
                      "%s package%s %s %.*s argument set%s and %.*s %% of kernel time.",
                      first, s->n_packages == 1 ? "" : "s",
                      s->n_packages == 1 ? "holds" : "hold", STRF(number_word(a, sets)),
                      sets == 1 ? "" : "s", STRF(number_pct(a, share_pct)));
}

/* Once for all rows that are marked. */
static struct str assumed_of_all(const struct replay_set *s)
{
    struct replay_assumed all = {false, false};
    for (int32_t i = 0; i < s->n_packages; i++) {
        struct replay_assumed one = replay_assumed(&s->packages[i]);
        all.strides |= one.strides;
        all.values |= one.values;
    }
    return replay_assumed_text(all);
}

void replay_page_fill(struct cJSON *context, const struct replay_set *s,
                      const struct replay_file *files, struct arena tmp)
{
    template_text(context, "answer", answer(&tmp, s));
    template_text(context, "assumed_all", assumed_of_all(s));
    cJSON_AddBoolToObject(context, "has_packages", s->n_packages > 0);
    cJSON_AddBoolToObject(context, "has_refused", s->n_refusals > 0);
    if (s->n_packages == 0)
        template_text(
            context, "no_packages",
            s->n_refusals
                ? S("None of the operations asked for can be replayed; the reasons are "
                    "below.")
                : S("A package is made for a finding of more than 10 % of compute time "
                    "below 30 % of peak, and for every operation named with --replay. "
                    "Neither was the case."));
    cJSON *packages = cJSON_AddArrayToObject(context, "packages");
    for (int32_t i = 0; i < s->n_packages; i++)
        add_package(packages, &s->packages[i], &files[i], tmp);
    cJSON *refused = cJSON_AddArrayToObject(context, "refused");
    for (int32_t i = 0; i < s->n_refusals; i++)
        add_refusal(refused, &s->refusals[i], tmp);
}
