#include "analyze.h"

#include "analysis/analysis_run.h"
#include "analysis/extension_model.h"
#include "analysis/pattern_host.h"
#include "analysis/tree_index.h"
#include "base/sha256.h"
#include "device_choice.h"
#include "patterns_run.h"
#include "progress.h"
#include "remote.h"
#include "render/bundle.h"
#include "render/publish.h"
#include "render/single_file.h"
#include "render/themes_command.h"
#include "render/zip_file.h"
#include "report/pipeline_json.h"
#include "report/replay_choice.h"
#include "report/report_build.h"
#include "report/report_detail.h"
#include "write_book.h"
#include "write_cuts.h"
#include "write_folder.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* What is open for the whole run. */
struct run {
    const struct options *o;
    struct arena perm, tmp, perm2, tmp2; /* 2: of the second thread */
    struct progress progress;
    struct device_spec device;
    bool has_device;
    struct theme theme;
    struct pattern_host *patterns;
    struct beside opening; /* of the patterns */
    struct err patterns_err;
    bool patterns_good;
    struct publish folder;
    struct single_file single;
    struct markdown_style markdown;
};

/* analysis_output beside the trace; in the current folder for standard input and for a
 * trace on another machine. */
static const char *output_dir(struct arena *perm, const struct options *o)
{
    if (o->out_dir)
        return o->out_dir;
    const char *slash = o->node ? NULL : strrchr(o->trace, '/');
    struct str parent = {o->trace, slash ? slash + 1 - o->trace : 0};
    return str_c(perm, str_printf(perm, "%.*sanalysis_output", STRF(parent)));
}

static void open_patterns(void *context)
{
    struct run *r = context;
    const struct options *o = r->o;
    r->patterns_good = patterns_open(&r->patterns, &r->perm2, o->extensions,
                                     o->n_extensions, &r->patterns_err);
}

static bool patterns_finish(struct run *r, struct err *e)
{
    beside_join(&r->opening);
    if (!r->patterns_good && e->kind == ERR_NONE)
        *e = r->patterns_err;
    return r->patterns_good;
}

/* Beside the reading; but what may be wrong with the files of a user is told before. */
static bool patterns_start(struct run *r, struct err *e)
{
    bool own_thread = r->o->threads > 1 && r->o->n_extensions == 0;
    beside_start(&r->opening, own_thread, open_patterns, r);
    return r->opening.runs || patterns_finish(r, e);
}

/* The date of the run, which two runs may share if they are told to. */
static struct str stamp_of(struct arena *perm)
{
    char text[64];
    time_t now = (time_t)source_date_s();
    if (now == SOURCE_DATE_NONE_S)
        now = time(NULL);
    struct tm utc;
    size_t n = gmtime_r(&now, &utc)
                   ? strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &utc)
                   : 0;
    return str_copy(perm, (struct str){text, (ptrdiff_t)n});
}

static struct markdown_style markdown_style(struct arena *perm, const struct options *o)
{
    return (struct markdown_style){.no_markers = o->no_markers,
                                   .by_number = o->fair_by_number,
                                   .analysis_md = o->emit_analysis_md,
                                   .stamp = o->stamp ? stamp_of(perm) : S("")};
}

/* Everything that may be wrong with the command line, before the trace is read. */
static bool open_run(struct run *r, struct err *e)
{
    const struct options *o = r->o;
    return device_choose(&r->perm, o, &r->device, &r->has_device, e) &&
           theme_choose(&r->perm, o->theme, &r->theme, e) && patterns_start(r, e) &&
           publish_begin(&r->folder, output_dir(&r->perm, o), o->force, e) &&
           (!o->single_file || single_check(o->single_file, &r->folder, e));
}

static bool read_trace(struct run *r, struct event_store *s, struct err *e)
{
    const struct options *o = r->o;
    struct store_options read = {.source = {.one_thread = o->threads == 1},
                                 .progress = progress_bytes,
                                 .progress_context = &r->progress};
    progress_stage(&r->progress, "read");
    if (!o->node)
        return store_read(s, o->trace, &read, e);
    struct remote remote;
    if (!remote_open(&remote, &r->perm, o->node, o->container, o->trace, e))
        return false;
    read.source.from_fd = true;
    read.source.fd = remote.fd;
    bool done = store_read(s, o->trace, &read, e);
    if (!remote_close(&remote, o->node, o->trace, e) && done) {
        store_close(s);
        done = false;
    }
    return done;
}

/* Input, version, theme and options in 16 hex digits: equal ids mean equal reports. */
static struct str report_id(struct run *r, struct str digest)
{
    const struct options *o = r->o;
    struct str all = str_printf(
        &r->perm,
        "%.*s " TRACEFOLIO_VERSION " %.*s %s %s %u %d %d %g %d%d%d%d %.*s %016llx "
        "%016llx",
        STRF(digest), STRF(r->has_device ? r->device.file_text : S("none")),
        o->model ? o->model : "", o->replay ? o->replay : "", o->formats,
        o->include_unlinked, o->detect_recompute, o->idle_threshold_pct,
        o->no_system_impact, r->markdown.no_markers, r->markdown.by_number,
        r->markdown.analysis_md, STRF(r->markdown.stamp),
        (unsigned long long)theme_hash(&r->theme),
        (unsigned long long)pattern_host_user_hash(r->patterns));
    char hex[SHA256_HEX_BYTES];
    sha256_hex_of(all, hex);
    return str_copy(&r->perm, str_head(str_of(hex), 16));
}

static struct report build_report(struct run *r, const struct op_tables *tables,
                                  const struct tree_index *tree,
                                  const struct analysis *analysis,
                                  const struct sheets *sheets)
{
    struct str digest = str_of(tables->view->s->sha256);
    struct report_options o = {.trace_path = str_of(r->o->trace),
                               .tool_version = S("tracefolio " TRACEFOLIO_VERSION),
                               .report_id = report_id(r, digest),
                               .input_digest = str_head(digest, 12),
                               .model = str_of(r->o->model),
                               .tree = tree};
    return report_build(&r->perm, r->tmp, tables, analysis, sheets, &o);
}

static struct replay_set build_replay(struct run *r, const struct op_tables *tables,
                                      const struct analysis *analysis)
{
    int32_t n = 0;
    struct replay_request *wanted =
        r->o->formats & FORMAT_REPLAY
            ? replay_choose(&r->perm, r->tmp, analysis, r->o->replay, &n)
            : NULL;
    return replay_build(&r->perm, r->tmp, tables,
                        bundle_file(S("assets/replay/op_schemas.txt")), wanted, n);
}

static struct pipeline_files
build_pipeline(struct run *r, const struct op_tables *tables,
               const struct analysis *analysis, const struct report *report,
               const struct sheets *sheets, const struct tree_index *tree)
{
    const struct options *o = r->o;
    struct pipeline_options asked = {.extensions = o->extensions,
                                     .n_extensions = o->n_extensions,
                                     .formats = options_formats(&r->perm, o->formats),
                                     .include_unlinked = o->include_unlinked,
                                     .detect_recompute = o->detect_recompute,
                                     .no_system_impact = o->no_system_impact,
                                     .fair_style = o->fair_by_number ? S("jarvis")
                                                                     : S("standard"),
                                     .no_markers = o->no_markers,
                                     .idle_threshold_pct = o->idle_threshold_pct};
    struct pipeline_source source = {tables, analysis, report, sheets, tree, &asked};
    return pipeline_files_build(&r->perm, r->tmp, &source);
}

/* The gate of --fail-on: the report is written, the exit status tells. */
static bool check_gate(const struct options *o, const struct report *r, struct err *e)
{
    static const enum report_priority least[] = {[GATE_MEDIUM] = REPORT_MEDIUM,
                                                 [GATE_HIGH] = REPORT_HIGH,
                                                 [GATE_CRITICAL] = REPORT_CRITICAL};
    for (int i = 0; o->fail_on != GATE_NONE && i < r->n_findings; i++) {
        const struct report_finding *f = &r->findings[i];
        if (!f->informational && f->priority >= least[o->fail_on])
            return err_set(e, ERR_GATE, NULL, -1, "--fail-on: \"%.*s\" (%.*s)",
                           STRF(f->title), STRF(f->id));
    }
    return true;
}

/* The one-file form, beside the folder that is already in place. */
static bool write_single(const struct run *r, struct err *e)
{
    const struct options *o = r->o;
    double mb = (double)out_view(&r->single.document).n / 1e6;
    if (!single_save(&r->single, o->single_file, o->single_file_limit_mb, e))
        return false;
    if (mb > SINGLE_WARN_BYTES / 1e6)
        fprintf(stderr,
                "tracefolio: %s has %.1f MB; mail and viewers may refuse it, the "
                "folder form opens faster\n",
                o->single_file, mb);
    return true;
}

/* ---- two threads ---- */

/* What the second thread does while the first one evaluates models: the other half of
 * the tables, and the index of call stacks. */
struct second_half {
    struct run *r;
    struct op_tables *tables;
    struct tree_index tree;
    struct beside beside;
};

static void make_second_half(void *context)
{
    struct second_half *h = context;
    op_tables_of_launchers(&h->r->perm2, h->r->tmp2, h->tables);
    h->tree = tree_index_build(&h->r->perm2, h->r->tmp2, h->tables->view);
}

static struct op_tables build_tables(struct run *r, const struct trace_view *view,
                                     struct cost_cache *costs, struct tree_index *tree)
{
    struct op_tables tables =
        op_tables_start(&r->perm, r->tmp, view, r->has_device ? &r->device : NULL);
    struct second_half second = {.r = r, .tables = &tables};
    beside_start(&second.beside, r->o->threads > 1, make_second_half, &second);
    op_tables_of_models(&r->perm, r->tmp, &tables, costs);
    beside_join(&second.beside);
    arena_trim(r->tmp); /* nothing after the tables needs as much */
    arena_trim(r->tmp2);
    *tree = second.tree;
    return tables;
}

/* Where a stage began to fill what lasts. */
struct mark {
    char *perm, *perm2;
};

static struct mark mark_now(const struct run *r)
{
    return (struct mark){r->perm.at, r->perm2.at};
}

static ptrdiff_t bytes_between(struct mark from, struct mark to)
{
    return (to.perm - from.perm) + (to.perm2 - from.perm2);
}

static void tell_kept(struct run *r, const struct tree_index *tree, struct mark linking,
                      struct mark tables)
{
    const struct trace_view *v = tree->v;
    ptrdiff_t calls = tree_memory_bytes(&v->tree),
              frames = tree_memory_bytes(&tree->frames);
    if (tree->frames.order == v->tree.order) /* one tree */
        frames = 0;
    struct memory_kept k = {
        .store = store_memory_bytes(v->s),
        .trees = calls + frames,
        .links = bytes_between(linking, tables) - calls,
        .tables = bytes_between(tables, mark_now(r)) - frames,
        .events = v->s->census.n_events,
    };
    progress_kept(&r->progress, &k);
}

/* A trace to a folder: one line a stage. */
static bool analyze_store(struct run *r, const struct event_store *s, struct err *e)
{
    progress_stage(&r->progress, "link");
    struct mark linking = mark_now(r);
    struct trace_view view = view_build(
        &r->perm, r->tmp, s,
        (struct view_options){r->o->include_unlinked, r->o->detect_recompute});
    struct cost_cache costs;
    cost_cache_open(&costs, &r->perm, &view);
    costs.override = pattern_host_models(r->patterns);
    progress_stage(&r->progress, "tables");
    struct mark tabling = mark_now(r);
    struct tree_index tree;
    struct op_tables tables = build_tables(r, &view, &costs, &tree);
    struct sheets sheets = sheets_build(&r->perm, r->tmp, &tables);
    struct book book;
    book_start(&book, r->o, &sheets, &r->folder, r->tmp2);
    progress_stage(&r->progress, "analyse");
    tell_kept(r, &tree, linking, tabling);
    struct analysis analysis = analysis_run(
        &r->perm, r->tmp, &tables, &tree, r->patterns,
        (struct analysis_options){r->o->idle_threshold_pct, r->o->no_system_impact});
    progress_stage(&r->progress, "report");
    struct report report = build_report(r, &tables, &tree, &analysis, &sheets);
    report_detail_fill(&r->perm, r->tmp, &report, &analysis, &tree);
    struct replay_set replay = build_replay(r, &tables, &analysis);
    replay_mark_report(&r->perm, &report, &replay);
    struct pipeline_files pipeline =
        build_pipeline(r, &tables, &analysis, &report, &sheets, &tree);
    struct cut_plan cuts = {.n = 0};
    if (r->o->formats & FORMAT_CUTS)
        cuts = cuts_plan(&r->perm, s, &report);
    progress_stage(&r->progress, "write");
    struct single_file *single = r->o->single_file ? &r->single : NULL;
    struct folder_content content = {&report, &r->theme, &replay, &pipeline,  &book,
                                     &cuts,   s,         single,  r->markdown};
    bool done =
        folder_write(r->o, &content, &r->folder, &r->perm, r->tmp, r->tmp2, e) &&
        publish_commit(&r->folder, r->tmp, e);
    done = done && (!single || write_single(r, e));
    progress_stage(&r->progress, NULL);
    pipeline_files_close(&pipeline);
    cost_cache_close(&costs);
    return done && check_gate(r->o, &report, e);
}

bool analyze_run(const struct options *o, struct err *e)
{
    struct run r = {.o = o};
    struct arena *arenas[] = {&r.perm, &r.tmp, &r.perm2, &r.tmp2};
    char *starts[4];
    for (int i = 0; i < 4; i++) {
        *arenas[i] = arena_reserve(arena_machine_bytes() / (i < 2 ? 2 : 4));
        starts[i] = arenas[i]->at;
    }
    r.markdown = markdown_style(&r.perm, o);
    single_open(&r.single);
    progress_open(&r.progress, o->quiet, o->verbose);
    bool open = open_run(&r, e), done = false;
    if (open) {
        struct event_store store;
        done = read_trace(&r, &store, e);
        if (done && !patterns_finish(&r, e)) {
            store_close(&store);
            done = false;
        }
        if (done) {
            done = analyze_store(&r, &store, e);
            store_close(&store);
        }
        if (!done)
            publish_abort(&r.folder, e);
    }
    beside_join(&r.opening);
    if (r.patterns)
        pattern_host_close(r.patterns);
    progress_close(&r.progress);
    single_close(&r.single);
    for (int i = 0; i < 4; i++)
        arena_release(starts[i], arenas[i]);
    return done;
}
