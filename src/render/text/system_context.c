#include "render/text/system_context.h"

#include "analysis/model/number_text.h"
#include "base/out.h"
#include "render/text/shown_fields.h"
#include "report/report_detail.h"
#include "report/system_shown.h"

#include <math.h>

static void put_gpus(cJSON *root, const struct report *r)
{
    if (!r->gpus.n)
        return;
    cJSON *o = context_lend(json_put_object(root, "gpus"), shown_gpus_fields(),
                            &r->gpus, r),
          *list = json_put_array(o, "list");
    for (const struct report_gpu *g = r->gpus.list; g < r->gpus.list + r->gpus.n; g++)
        json_put(context_lend(context_push(list), shown_gpu_fields(), g, r),
                 N(g, name));
}

void windows_context(cJSON *root, const struct report *r)
{
    const struct report_timeline *t = &r->timeline;
    json_put(root, context_told("windows", shown_windows_fields(),
                                t->n_windows ? t : NULL, r));
}

void timeline_context(cJSON *root, const struct report *r)
{
    const struct report_timeline *t = &r->timeline;
    json_put(root, json_bool("has_device", t->total_ms > 0),
             json_bool("has_comm", t->total_comm_ms > 0),
             context_told("timeline", shown_timeline_fields(), t, r),
             context_told("decides", shown_subject_fields(), r, r),
             context_told("run_steps", shown_steps_fields(),
                          r->steps.n ? &r->steps : NULL, r),
             context_told("phases", shown_phases_fields(),
                          r->phases.n ? &r->phases : NULL, r));
    windows_context(root, r);
    put_gpus(root, r);
}

static struct json_member shares(const char *key, const struct op_share *s, int n)
{
    cJSON *list = json_list();
    for (int i = 0; i < n; i++)
        json_put(context_lend(context_push(list), shown_share_fields(), &s[i], NULL),
                 N(&s[i], name));
    return context_listed(key, list, 0);
}

static void put_causes(cJSON *o, const struct analysis *a)
{
    cJSON *list = json_put_array(o, "causes");
    struct report_idle_cause causes[IDLE_CLASSES];
    int n = report_idle_causes(a, causes);
    for (const struct report_idle_cause *c = causes; c < causes + n; c++)
        json_row(list, F(c, label), F(c, total_ms), F(c, idle_pct));
    json_put(o, json_bool("has_causes", n > 0));
}

/* Groups of a thousandth of idle time and more. */
static struct json_member groups(const struct report *r, const struct idle_result *idle)
{
    enum { MOST = 25 };
    cJSON *list = json_list();
    double idle_ms = idle_result_ms(idle);
    int n = 0, left = 0;
    for (int32_t k = 0; k < idle->n_groups; k++) {
        const struct idle_group *g = &idle->groups[k];
        if (n == MOST || pct_of((double)g->total_ns / 1e6, idle_ms) < 0.1) {
            left++;
            continue;
        }
        n++;
        context_lend(context_push(list), shown_group_fields(), g, r);
    }
    return context_listed("groups", list, left);
}

/* Two gaps of the same cause between the same work, and as long to a tenth. */
static bool gaps_are_equal(const struct idle_gap *a, const struct idle_gap *b)
{
    return str_eq(a->cause, b->cause) && str_eq(a->before, b->before) &&
           str_eq(a->after, b->after) && b->duration_us >= 0.9 * a->duration_us;
}

/* The longest gaps, equal ones that follow one another as one row. */
static struct json_member gap_rows(const struct idle_result *idle)
{
    cJSON *rows = json_list();
    for (int i = 0, next; i < idle->n_top_gaps; i = next) {
        const struct idle_gap *g = &idle->top_gaps[i];
        double sum_us = 0;
        struct out starts;
        out_memory(&starts);
        for (next = i; next < idle->n_top_gaps && gaps_are_equal(g, g + (next - i));
             next++) {
            const struct idle_gap *one = &idle->top_gaps[next];
            sum_us += one->duration_us;
            if (next > i + 1)
                out_lit(&starts, ", ");
            if (next > i)
                out_fixed(&starts, one->start_us / 1e3, 3);
        }
        json_put(context_lend(context_push(rows), shown_gap_fields(), g, NULL),
                 M("first", i + 1), M("last", next), M("count", next - i),
                 json_bool("equal", next > i + 1), M("starts", out_view(&starts)),
                 M("mean_ms", sum_us / 1e3 / (next - i)));
        out_free(&starts);
    }
    return context_listed("gap_rows", rows, 0);
}

static void put_idle(cJSON *root, const struct report *r)
{
    const struct idle_result *idle = report_idle(r);
    cJSON *o =
        context_lend(json_put_object(root, "idle"), shown_idle_fields(), idle, r);
    if (r->analysis)
        json_put(o, groups(r, idle));
    put_causes(o, r->analysis);
    json_put(o, gap_rows(idle));
}

/* A copy on the host, or one of whose direction the trace says nothing. */
static struct str direction_said(int d)
{
    return d == COPY_OTHER ? S("other or unknown")
                           : copy_direction_word((enum copy_direction)d);
}

static cJSON *put_copies(cJSON *list, const struct report *r, enum copy_direction d)
{
    const struct copy_result *all = report_system(r)->multi_kernel.copies, *c = &all[d];
    bool unknown = all[COPY_OTHER].count > 0; /* then none of a direction says little */
    return json_put(context_lend(context_push(list), shown_copies_fields(), c, r),
                    M("way", direction_said(d)),
                    M("told", (bool)(c->count > 0 || !unknown)),
                    shares("by", c->ops, c->n_ops));
}

static struct json_member sizes(const struct multi_kernel_result *k)
{
    cJSON *list = json_list();
    for (int d = 0; d < COPY_DIRECTIONS; d++)
        for (int i = 0; i < COPY_SIZES; i++) {
            const struct copy_size *z = &k->copies[d].sizes[i];
            if (z->count)
                json_put(
                    context_lend(context_push(list), shown_copy_size_fields(), z, NULL),
                    M("direction", direction_said(d)), M("label", copy_size_word(i)));
        }
    return context_listed("sizes", list, 0);
}

/* `copies` by name; lists of them: `listed` all but an empty rest, `between` those that
 * happened, but for the rest, `happened` with the rest. */
static void put_directions(cJSON *o, const struct report *r)
{
    cJSON *all = json_put_array(o, "directions"), *named = json_put_object(o, "copies"),
          *between = json_put_array(o, "between"),
          *listed = json_put_array(o, "listed"), *happened = json_list();
    int64_t n = 0;
    for (int d = 0; r->analysis && d < COPY_DIRECTIONS; d++) {
        cJSON *one = put_copies(all, r, (enum copy_direction)d);
        int64_t count = report_system(r)->multi_kernel.copies[d].count;
        n += count;
        if (d == COPY_D2H || d == COPY_H2D)
            json_put(named, context_ref(d == COPY_D2H ? "d2h" : "h2d", one));
        if (d != COPY_OTHER && count > 0)
            context_push_ref(between, one);
        if (d != COPY_OTHER || count > 0)
            context_push_ref(listed, one);
        if (count > 0)
            context_push_ref(happened, one);
    }
    json_put(o, M("copy_count", n), context_listed("happened", happened, 0));
}

/* Null if only one kind of work runs: nothing can overlap. */
static struct json_member overlap(const struct multi_kernel_result *k)
{
    static const struct {
        const char *kind, *key;
    } classes[OVERLAP_CLASSES] = {{"Computation", "computation_ms"},
                                  {"Communication", "communication_ms"},
                                  {"Copies", "copies_ms"}};
    int some = 0;
    cJSON *list = json_list();
    for (int x = 0; x < OVERLAP_CLASSES; x++) {
        cJSON *row = json_row(list, M("kind", str_of(classes[x].kind)));
        for (int y = 0; y < OVERLAP_CLASSES; y++)
            json_put(row, M(classes[y].key, k->overlap_us[x][y] / 1e3));
        some += k->overlap_us[x][x] > 0;
    }
    struct json_member all = context_listed("overlap", list, 0);
    if (some > 1)
        return all;
    cJSON_Delete(all.value);
    return json_null("overlap");
}

static void put_multi_kernel(cJSON *root, const struct report *r)
{
    const struct multi_kernel_result *k = &report_system(r)->multi_kernel;
    cJSON *o = context_lend(json_put_object(root, "multi_kernel"),
                            shown_multi_kernel_fields(), k, r),
          *top = json_list();
    for (const struct comm_op *c = k->top_comm; c < k->top_comm + k->n_top_comm; c++)
        json_put(context_lend(context_push(top), shown_comm_fields(), c, r),
                 N(c, name));
    put_directions(o, r);
    json_put(o, sizes(k), overlap(k), context_listed("top_comm", top, 0));
}

void system_context(cJSON *root, const struct report *r)
{
    put_idle(root, r);
    put_multi_kernel(root, r);
}
