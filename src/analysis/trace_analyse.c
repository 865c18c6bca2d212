#include "analysis/trace_analyse.h"

#include "analysis/lua/extension_model.h"
#include "analysis/stack/host_profile_build.h"
#include "base/beside.h"
#include "formats/execution_trace.h"
#include "formats/trace_open.h"
#include "store/lane_join.h"
#include "store/store_redact.h"
#include "tree/lent_source.h"

#include <string.h>

/* State that lives only during the analysis. */
struct work {
    struct trace_result *t;
    const struct trace_options *o;
    const struct device_spec *device;
    struct arena tmp, tmp2; /* 2: of the second thread */
    struct call_tree frames;
    struct cost_cache costs;
    ptrdiff_t second_half_bytes; /* of the tables */
    struct beside opening;       /* of the patterns */
    struct err patterns_err;
    bool patterns_good;
};

static void begin(struct work *w, enum trace_stage stage)
{
    if (w->o->stage)
        w->o->stage(w->o->context, stage, w->t);
}

static void open_patterns(void *context)
{
    struct work *w = context;
    const struct trace_options *o = w->o;
    w->patterns_good = pattern_host_open(&w->t->patterns, &w->t->patterns_perm,
                                         o->patterns, o->n_patterns, o->extensions,
                                         o->n_extensions, &w->patterns_err);
}

/* With files of a user's, whose errors come first, before reading; else beside it and
 * what follows, as only the judging needs them. */
static bool begin_patterns(struct work *w, struct err *e)
{
    const struct trace_options *o = w->o;
    struct trace_result *t = w->t;
    enum { PATTERNS_SHARE = 8 };
    t->patterns_perm = arena_reserve((t->perm.end - t->perm.at) / PATTERNS_SHARE);
    t->patterns_start = t->patterns_perm.at;
    beside_start(&w->opening, !o->one_thread && o->n_extensions == 0, open_patterns, w);
    if (!w->opening.runs && !w->patterns_good)
        *e = w->patterns_err;
    return w->opening.runs || w->patterns_good;
}

/* Reads the trace again, with what the lender has for it. */
static bool read_lent(struct work *w, const struct event_store *first,
                      const struct event_store *lender,
                      const struct store_options *read, struct err *e)
{
    struct arena perm = arena_reserve(arena_machine_bytes() / 2);
    struct arena tmp = arena_reserve(arena_machine_bytes() / 2);
    char *perm_start = perm.at, *tmp_start = tmp.at;
    struct lend_plan plan = lend_plan_make(&perm, tmp, first, lender);
    struct lent_source state;
    struct event_source trace;
    w->t->lent = plan.counts;
    memcpy(w->t->lender_sha256, lender->sha256, sizeof lender->sha256);
    bool done =
        trace_open(&trace, first->file, read->source, e) &&
        store_take(&w->t->store, lent_source_open(&state, &w->t->perm, trace, &plan),
                   read, e);
    if (done) {
        w->t->store.file = first->file;
        w->t->store.lender = w->o->lender;
    }
    arena_release(perm_start, &perm);
    arena_release(tmp_start, &tmp);
    return done;
}

static bool read_with_lender(struct work *w, const struct trace_source *source,
                             const struct store_options *read, struct err *e)
{
    struct store_options quiet = {.source = {.one_thread = w->o->one_thread}};
    struct event_store first, lender;
    if (source->from_fd || str_eq(str_of(source->path), S("-")))
        return err_set(
            e, ERR_USAGE, NULL, -1,
            "--capture-trace: the trace is read twice, so it must be a file");
    if (!store_read(&lender, w->o->lender, &quiet, e))
        return err_doing(e, "reading the trace of the capture");
    bool done = store_read(&first, source->path, &quiet, e);
    if (done) {
        done = read_lent(w, &first, &lender, read, e);
        store_close(&first);
    }
    store_close(&lender);
    return done;
}

/* With the shapes that an execution trace has for it. */
static bool read_shaped(struct work *w, const struct trace_source *source,
                        const struct store_options *read, struct err *e)
{
    struct source_options quiet = {.one_thread = w->o->one_thread};
    struct execution_trace shapes;
    struct shaped_source state = {.from = NULL};
    struct event_source trace;
    if (!execution_trace_read(&shapes, w->o->lender, quiet, e))
        return err_doing(e, "reading the execution trace");
    bool done =
        trace_open(&trace, source->path, read->source, e) &&
        store_take(&w->t->store, shaped_source_open(&state, trace, &shapes), read, e);
    if (done)
        w->t->store.file = source->path;
    w->t->lent = (struct lent_counts){.shapes_from = w->o->lender,
                                      .operators = state.operators,
                                      .shaped = state.lent};
    memcpy(w->t->lender_sha256, shapes.sha256, sizeof shapes.sha256);
    execution_trace_close(&shapes);
    return done;
}

static bool read_trace(struct work *w, const struct trace_source *source, struct err *e)
{
    const struct trace_options *o = w->o;
    struct store_options read = {.source = {.one_thread = o->one_thread,
                                            .from_fd = source->from_fd,
                                            .fd = source->fd},
                                 .progress = o->progress,
                                 .progress_context = o->context};
    begin(w, TRACE_READ);
    if (!begin_patterns(w, e) ||
        !(!o->lender ? store_read(&w->t->store, source->path, &read, e)
          : execution_trace_is_file(o->lender) ? read_shaped(w, source, &read, e)
                                               : read_with_lender(w, source, &read, e)))
        return false;
    lanes_join(&w->t->store);
    store_redact(&w->t->store, o->redact);
    if (o->hide_shapes)
        store_hide_shapes(&w->t->store);
    return true;
}

static bool has_device_work(const struct event_store *s)
{
    int64_t n = 0;
    for (int cat = 0; cat < EVENT_CATS; cat++)
        n += cat_is_gpu(cat) ? s->census.by_cat[cat] : 0;
    return n > 0;
}

/* Spans of something else: browsers, eBPF tools, in-kernel profilers. A report of them
 * would be empty. */
static bool refuse_foreign(const struct event_store *s, const char *path, struct err *e)
{
    if (has_device_work(s) || !s->census.foreign || s->census.plain_operators)
        return true;
    struct trace_kind_facts k = trace_kind_of(s);
    if (k.kind != TRACE_FOREIGN)
        return true;
    if (str_fits(k.process, S("GPU?")) || str_fits(k.process, S("GPU??")))
        return err_set(
            e, ERR_INPUT, path, -1,
            "JSON that rpd2tracing wrote, with times in whole us and without "
            "categories; name the .rpd file that it was made from");
    if (k.vendor.n)
        return err_set(e, ERR_INPUT, path, -1,
                       "a trace of a %.*s: none of its events is known as device work",
                       STRF(k.vendor));
    return err_set(e, ERR_INPUT, path, -1,
                   "not a profile of a framework: none of the %d events%s%.*s is an "
                   "operator, a launch or device work; name a trace of a GPU profiler",
                   s->census.n_events, k.process.n ? " of " : "", STRF(k.process));
}

/* Where nothing runs on a device, none is looked for. */
static bool choose_device(struct work *w, struct err *e)
{
    const struct trace_options *o = w->o;
    w->device = o->device;
    if (w->device || !o->device_of)
        return true;
    if (!has_device_work(&w->t->store))
        return true;
    struct traced_device recorded = trace_device(&w->t->store.machine);
    if (!recorded.name.n)
        recorded.name = trace_kind_of(&w->t->store).vendor;
    return o->device_of(o->context, &recorded, &w->device, e);
}

/* In parallel with the view. */
static void make_frames(void *context)
{
    struct work *w = context;
    struct trace_result *t = w->t;
    w->frames = tree_index_frames(&t->perm2, w->tmp2, &t->store, w->o->view);
}

static void build_view(struct work *w)
{
    struct trace_result *t = w->t;
    struct beside second;
    beside_start(&second, !w->o->one_thread, make_frames, w);
    t->view = view_build(&t->perm, w->tmp, &t->store, w->o->view);
    beside_join(&second);
}

/* In parallel with evaluating the models: the other half of the tables, and the index
 * of call stacks; with that, the host can be followed. */
static void make_second_half(void *context)
{
    struct work *w = context;
    struct trace_result *t = w->t;
    const char *before = t->perm2.at;
    op_tables_of_launchers(&t->perm2, w->tmp2, &t->tables);
    if (w->o->for_report)
        op_tables_of_sheets(&t->perm2, w->tmp2, &t->tables);
    t->tree = tree_index_of(&t->perm2, w->tmp2, &t->view, &w->frames);
    if (t->view.launch.n_all == 0 && w->o->for_report)
        t->tables.host = host_profile_build(&t->perm2, w->tmp2, &t->tree);
    w->second_half_bytes = t->perm2.at - before;
    arena_trim(w->tmp2); /* while the tables need the most */
    host_work_start(w->t->host, !w->o->one_thread, &t->perm2, w->tmp2);
}

static void build_tables(struct work *w)
{
    struct trace_result *t = w->t;
    struct beside second;
    cost_cache_open(&w->costs, &t->perm, &t->view);
    if (w->o->n_extensions)
        w->costs.override = pattern_host_models(t->patterns);
    t->tables = op_tables_start(&t->perm, w->tmp, &t->view, w->device);
    t->host = host_work_open(&t->perm, &t->view, &t->tree, w->o->for_report);
    beside_start(&second, !w->o->one_thread, make_second_half, w);
    op_tables_of_models(&t->perm, w->tmp, &t->tables, &w->costs);
    beside_join(&second);
    if (w->o->for_report)
        op_tables_of_families(&t->perm, w->tmp, &t->tables, &w->costs);
}

static void analyse(struct work *w)
{
    struct trace_result *t = w->t;
    begin(w, TRACE_LINK);
    const char *before = t->perm.at;
    build_view(w);
    const char *linked = t->perm.at;
    begin(w, TRACE_TABLES);
    build_tables(w);
    ptrdiff_t calls = tree_memory_bytes(&t->view.tree);
    t->kept = (struct memory_kept){.store = store_memory_bytes(&t->store),
                                   .trees = calls + tree_memory_bytes(&w->frames),
                                   .links = linked - before - calls,
                                   .tables = t->perm.at - linked + w->second_half_bytes,
                                   .events = t->store.census.n_events};
    begin(w, TRACE_ANALYSE);
    struct analysis_options o = w->o->analysis;
    o.host = t->host;
    beside_join(&w->opening);
    t->analysis = analysis_run(&t->perm, w->tmp, &t->tables, &t->tree, t->patterns, o);
    cost_cache_close(&w->costs);
    arena_trim(w->tmp); /* nothing after the analysis needs as much */
    arena_trim(w->tmp2);
    arena_trim(t->perm); /* the rest of its last huge page */
    arena_trim(t->perm2);
}

/* What stays is filled whole; scratch leaves most of its last huge pages empty. */
static void ask_huge(const struct work *w)
{
    arena_ask_huge(w->t->perm);
    arena_ask_huge(w->t->perm2);
}

bool trace_analyse(struct trace_result *t, const struct trace_source *source,
                   const struct trace_options *o, struct err *e)
{
    enum { MANY_EVENTS = 1 << 15 };
    *t = (struct trace_result){0};
    struct work w = {.t = t, .o = o};
    t->perm = arena_reserve(arena_machine_bytes());
    t->perm_start = t->perm.at;
    if (!read_trace(&w, source, e) || !refuse_foreign(&t->store, source->path, e) ||
        !choose_device(&w, e)) {
        beside_join(&w.opening);
        trace_close(t);
        return false;
    }
    /* The store is complete and takes no more: what is left can be shared out. */
    ptrdiff_t left = arena_machine_bytes();
    t->perm2 = arena_reserve(left / 4 * 3);
    w.tmp = arena_reserve(left);
    w.tmp2 = arena_reserve(left / 4 * 3);
    t->perm2_start = t->perm2.at;
    if (t->store.n >= MANY_EVENTS)
        ask_huge(&w);
    analyse(&w);
    arena_release(w.tmp.at, &w.tmp);
    arena_release(w.tmp2.at, &w.tmp2);
    return true;
}

const struct system_results *trace_idle(const struct trace_result *t)
{
    return host_work_wait(t->host);
}

void trace_close(struct trace_result *t)
{
    if (t->patterns)
        pattern_host_close(t->patterns);
    if (t->host)
        host_work_close(t->host);
    if (t->store.max_rows[STORE_EVENTS])
        store_close(&t->store);
    if (t->patterns_start)
        arena_release(t->patterns_start, &t->patterns_perm);
    arena_release(t->perm_start, &t->perm);
    if (t->perm2_start)
        arena_release(t->perm2_start, &t->perm2);
    *t = (struct trace_result){0};
}
