/* `tracefolio whatif`: how long the recorded run would take with
 * changes to it, and what its length would then hang on. */
#include "commands/commands.h"

#include "analysis/finding_savings.h"
#include "analysis/model/finding_label.h"
#include "analysis/model/number_text.h"
#include "analysis/trace_analyse.h"
#include "base/terminal.h"
#include "commands/recorded_device.h"
#include "commands/stage_options.h"
#include "export/json_text.h"
#include "export/json_tree.h"
#include "whatif/asked_change.h"
#include "whatif/critical_path.h"

#include <cjson/cJSON.h>
#include <unistd.h>

enum {
    LOW,  /* lanes: the least that the findings asked for save, */
    HIGH, /* and the most; other changes are the same in both */
    PARTS_MOST = 10,
    NAME_MOST = 90
};

struct request {
    const struct options *o;
    struct arena perm, tmp;
    struct trace_result trace;
    struct asked_change *changes;
    int n_changes, *finding; /* by place: of the findings; -1: none */
    int64_t *n_events;       /* by place */
    struct schedule schedule;
    int64_t saved_ns[WHAT_IF_LANES];
    struct critical_path path;
};

static double now_ms(const struct request *q)
{
    return (double)q->schedule.facts.recorded_ns / 1e6;
}

static double saved_ms(const struct request *q)
{
    return (double)(q->saved_ns[LOW] + q->saved_ns[HIGH]) / 2e6;
}

/* Before the trace is read. */
static bool read_changes(struct request *q, struct err *e)
{
    q->n_changes = q->o->whatif.n_changes;
    q->changes = arena_new(&q->perm, struct asked_change, q->n_changes);
    q->finding = arena_new(&q->perm, int, q->n_changes);
    q->n_events = arena_new(&q->perm, int64_t, q->n_changes);
    for (int k = 0; k < q->n_changes; k++)
        if (access(q->o->whatif.changes[k], F_OK) == 0)
            return err_set(e, ERR_USAGE, NULL, -1,
                           "'%.200s' is a file: the trace comes first, then changes",
                           q->o->whatif.changes[k]);
        else if (!asked_change_read(&q->changes[k], q->o->whatif.changes[k], e))
            return false;
    return true;
}

/* "S1" as in the report, or the finding's own id. */
static bool is_called(const struct request *q, int finding, struct str id)
{
    const struct analysis *a = &q->trace.analysis;
    struct arena tmp = q->tmp;
    return str_eq(a->findings[finding].id, id) ||
           str_eq_nocase(finding_label(&tmp, a, finding), id);
}

static bool find_findings(struct request *q, struct err *e)
{
    const struct analysis *a = &q->trace.analysis;
    for (int k = 0; k < q->n_changes; k++) {
        const struct asked_change *c = &q->changes[k];
        int i = 0;
        while (c->kind == ASKED_FINDING && i < a->n_findings &&
               !is_called(q, i, c->glob))
            i++;
        q->finding[k] = i;
        if (c->kind == ASKED_FINDING && i == a->n_findings)
            return err_set(e, ERR_INPUT, q->o->trace, -1,
                           "finding:%.*s: no such finding; the recommendations of the "
                           "report number them (S1, K2, F1)",
                           STRF(str_head(c->glob, NAME_MOST)));
    }
    return true;
}

static bool replay(struct request *q, struct err *e)
{
    q->schedule = schedule_build(&q->perm, q->tmp, &q->trace.view);
    if (!q->schedule.facts.usable)
        return err_set(e, ERR_INPUT, q->o->trace, -1,
                       "cannot be replayed: the trace does not say which call launched "
                       "most of the device work; record host and device together");
    struct what_if w = what_if_open(&q->perm, &q->schedule);
    for (int k = 0; k < q->n_changes; k++)
        if (q->changes[k].kind == ASKED_FINDING)
            q->n_events[k] =
                finding_change(&w, LOW, q->tmp, &q->trace.analysis, q->finding[k]);
    for (int lane = LOW; lane <= HIGH; lane++)
        asked_changes_apply(&w, lane, q->tmp, &q->trace.tree.frames, q->changes,
                            q->n_changes, q->n_events);
    what_if_run(&w, q->saved_ns);
    q->path = critical_path_find(&q->perm, q->tmp, &w, HIGH, q->saved_ns[HIGH]);
    return true;
}

/* A change of nothing is a name misspelt. */
static bool all_change(const struct request *q, struct err *e)
{
    for (int k = 0; k < q->n_changes; k++)
        if (q->changes[k].kind != ASKED_FINDING && q->n_events[k] == 0)
            return err_set(e, ERR_INPUT, q->o->trace, -1,
                           "'%.200s' is about no event; `tracefolio tree TRACE --find "
                           "NAME` lists names",
                           q->o->whatif.changes[k]);
    return true;
}

static void put_ms(struct out *o, struct arena tmp, double ms)
{
    struct str text = number_ms(&tmp, ms);
    out_printf(o, "%10.*s ms", STRF(text));
}

static void put_path(struct out *o, const struct request *q)
{
    out_lit(o, "\nOn the critical path then\n");
    for (int32_t k = 0; k < q->path.n && k < PARTS_MOST; k++) {
        const struct path_part *p = &q->path.parts[k];
        put_ms(o, q->tmp, (double)p->ns / 1e6);
        struct str kind = path_kind_word(p->kind);
        out_printf(o, "  %-7.*s  ", STRF(kind));
        if (p->kind == PATH_LATENCY)
            out_lit(o, "between the end of one and the start of the next");
        out_visible(o, str_head(p->name, NAME_MOST));
        if (p->name.n > NAME_MOST)
            out_lit(o, "...");
        out_lit(o, "\n");
    }
    if (q->path.n > PARTS_MOST)
        out_printf(o, "%d more\n", (int)(q->path.n - PARTS_MOST));
}

static void print_text(const struct request *q)
{
    struct arena tmp = q->tmp;
    struct out o;
    out_memory(&o);
    out_lit(&o, "now  ");
    put_ms(&o, q->tmp, now_ms(q));
    out_lit(&o, "\nthen ");
    put_ms(&o, q->tmp, now_ms(q) - saved_ms(q));
    out_lit(&o, "\nsaved");
    put_ms(&o, q->tmp, saved_ms(q));
    struct str pct = number_pct(&tmp, pct_of(saved_ms(q), now_ms(q)));
    out_printf(&o, "  (%.*s%%)\n", STRF(pct));
    put_path(&o, q);
    terminal_text(stdout, out_view(&o));
    out_free(&o);
}

static void print_json(const struct request *q)
{
    cJSON *root = json_new();
    json_put(root, J("now_ms", now_ms(q)));
    json_put(root, J("then_ms", now_ms(q) - saved_ms(q)));
    json_put(root, J("saved_ms", saved_ms(q)));
    json_put(root, J("saved_pct", pct_of(saved_ms(q), now_ms(q))));
    cJSON *changes = json_put_array(root, "changes");
    for (int k = 0; k < q->n_changes; k++)
        json_row(changes, J("change", str_of(q->o->whatif.changes[k])),
                 J("events", q->n_events[k]));
    cJSON *path = json_put_array(root, "critical_path");
    for (int32_t k = 0; k < q->path.n; k++)
        json_row(path, J("kind", path_kind_word(q->path.parts[k].kind)),
                 J("name", q->path.parts[k].name),
                 J("ms", (double)q->path.parts[k].ns / 1e6),
                 J("count", q->path.parts[k].count));
    json_print(root);
}

static bool answer(struct request *q, struct err *e)
{
    return find_findings(q, e) && replay(q, e) && all_change(q, e);
}

bool whatif_run(const struct options *o, struct err *e)
{
    struct request q = {.o = o};
    struct trace_options setup;
    bool json = options_print_json(o);
    q.perm = arena_reserve(arena_machine_bytes() / 2);
    q.tmp = arena_reserve(arena_machine_bytes() / 2);
    if (!read_changes(&q, e) || !trace_options_of(o, &q.perm, &setup, e))
        return false;
    setup.device_of = recorded_device_of;
    setup.context = &(struct device_question){o, &q.perm};
    if (!trace_analyse(&q.trace, &(struct trace_source){.path = o->trace}, &setup, e))
        return false;
    bool done = answer(&q, e);
    if (done)
        (json ? print_json : print_text)(&q);
    trace_close(&q.trace);
    return done;
}
