#include "analyze.h"

#include "base/file_head.h"
#include "base/file_queue.h"
#include "base/place_file.h"
#include "base/utf8.h"
#include "capture/capture_lines.h"
#include "ci/ci_run.h"
#include "ci/metric_gates.h"
#include "device_choice.h"
#include "export/capture_file.h"
#include "progress.h"
#include "prompt.h"
#include "remote.h"
#include "render/folder/publish.h"
#include "render/page/single_file.h"
#include "render/text/bundle.h"
#include "render/text/themes_command.h"
#include "report/replay/replay_choice.h"
#include "share/word_scan.h"
#include "stage_options.h"
#include "summary.h"
#include "write_early.h"
#include "write_excerpts.h"
#include "write_folder.h"

#include <stdio.h>
#include <string.h>

/* What stays open from reading the trace to writing the last file. */
struct run {
    const struct options *o;
    struct arena perm, tmp, tmp2; /* tmp2: for the second thread */
    struct progress progress;
    struct theme theme;
    struct publish folder;
    struct single_file single;
    struct sheets sheets;
    struct early early;
    struct ci_run ci;
    struct gate_expr *gates;
    struct str notes;
    struct forbidden forbidden; /* none: nothing is looked for */
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

static void read_bytes(void *context, int64_t bytes, double frac, int64_t events)
{
    struct run *r = context;
    progress_bytes(&r->progress, bytes, frac, events);
}

/* What needs no findings is written while they are made: before, the second processor
 * follows the host. */
static void begin_stage(void *context, enum trace_stage stage,
                        const struct trace_result *t)
{
    static const char *const names[] = {[TRACE_READ] = "read",
                                        [TRACE_LINK] = "link",
                                        [TRACE_TABLES] = "tables",
                                        [TRACE_ANALYSE] = "analyse"};
    struct run *r = context;
    if (stage < TRACE_JUDGE)
        progress_stage(&r->progress, names[stage]);
    if (stage == TRACE_LINK && !r->o->quiet)
        lent_tell(t, stderr);
    if (stage == TRACE_ANALYSE)
        progress_kept(&r->progress, &t->kept);
    if (stage != TRACE_JUDGE)
        return;
    r->sheets = sheets_build(&r->perm, r->tmp, &t->tables);
    early_begin(&r->early, r->o, &r->sheets, t, &r->folder, r->tmp2);
}

static bool unknown_device(const struct traced_device *recorded, struct err *e)
{
    const double GIB = 1073741824.0;
    char size[40] = "";
    if (str_trim(recorded->name).n == 0)
        return err_set(
            e, ERR_USAGE, NULL, -1,
            "the trace does not name its device; name it with -p "
            "(`tracefolio platforms` lists those built in), or give -p none");
    if (recorded->bytes > 0)
        snprintf(size, sizeof size, " with %.0f GiB", recorded->bytes / GIB);
    return err_set(
        e, ERR_USAGE, NULL, -1,
        "the trace is of \"%.*s\"%s, which is not built in; give a device "
        "with -p (`tracefolio platforms` lists them), a JSON file of yours, or "
        "-p none",
        STRF(str_head(recorded->name, 80)), size);
}

/* Without -p: the built-in device that the trace names, or else ask. */
static bool find_device(void *context, const struct traced_device *recorded,
                        const struct device_spec **device, struct err *e)
{
    struct run *r = context;
    struct device_spec *d = arena_new(&r->perm, struct device_spec, 1);
    struct options asked = *r->o;
    bool known = true;
    if (asked.platform)
        return true; /* none */
    if (!device_of_trace(&r->perm, recorded, d)) {
        if (!prompt_possible())
            return unknown_device(recorded, e);
        progress_stage(&r->progress, NULL);
        if (!prompt_platform(&asked, &r->perm, e) ||
            !device_choose(&r->perm, &asked, d, &known, e))
            return false;
    } else if (!r->o->quiet) {
        progress_stage(&r->progress, NULL);
        fprintf(stderr, "tracefolio: platform %.*s, as the trace names its device\n",
                STRF(d->name));
    }
    *device = known ? d : NULL;
    return true;
}

static bool analyse(struct run *r, struct trace_options *setup, struct trace_result *t,
                    struct err *e)
{
    const struct options *o = r->o;
    struct trace_source source = {.path = o->trace};
    struct remote remote;
    setup->progress = read_bytes;
    setup->stage = begin_stage;
    setup->for_report = true;
    setup->device_of = find_device;
    setup->context = r;
    if (!o->node)
        return trace_analyse(t, &source, setup, e);
    if (!remote_open(&remote, &r->perm, o->node, o->container, o->trace, e))
        return false;
    source.from_fd = true;
    source.fd = remote.fd;
    bool done = trace_analyse(t, &source, setup, e);
    if (remote_close(&remote, o->node, o->trace, e) || !done)
        return done;
    trace_close(t);
    return false;
}

static struct replay_set build_replay(struct run *r, const struct trace_result *t)
{
    int32_t n = 0;
    struct replay_request *wanted =
        r->o->formats & FORMAT_REPLAY
            ? replay_choose(&r->perm, r->tmp, &t->analysis, r->o->replay, &n)
            : NULL;
    return replay_build(&r->perm, r->tmp, &t->tables,
                        bundle_file(S("assets/replay/op_schemas.txt")), wanted, n);
}

/* The paths of what the run reads: replaced by nothing that it writes. NULL ends the
 * list. */
static const char **reads_of(struct arena *perm, const struct options *o)
{
    const char **paths = arena_new(perm, const char *, o->n_extensions + 8);
    int n = 0;
    if (!o->node)
        paths[n++] = strcmp(o->trace, "-") == 0 ? "/proc/self/fd/0" : o->trace;
    for (int k = 0; k < o->n_extensions; k++)
        paths[n++] = o->extensions[k];
    if (o->platform && strpbrk(o->platform, "./"))
        paths[n++] = o->platform;
    if (strpbrk(o->theme, "./"))
        paths[n++] = o->theme;
    const char *const others[] = {o->ci.waivers, o->notes, o->forbid, o->capture_trace};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (others[k])
            paths[n++] = others[k];
    return paths;
}

static bool outputs_are_apart(const struct run *r, const char *const *reads,
                              struct err *e)
{
    const struct options *o = r->o;
    const struct publish *folder = &r->folder;
    for (int k = 0; reads[k]; k++)
        if (!publish_spares(folder, reads[k], e))
            return false;
    const struct asked_places b = {folder, reads, o->force};
    return ci_spares(&r->ci, &b, e) &&
           (!o->baseline_out || asked_check(&b, o->baseline_out, capture_is_file, e)) &&
           (!o->single_file || single_check(o->single_file, &b, e));
}

/* What failed in the extensions, where it is seen without opening the report. */
static bool tell_faults(const struct run *r, const struct trace_result *t,
                        struct err *e)
{
    enum { LINE_BYTES = 2048 };
    int n = pattern_host_faults(t->patterns);
    for (int i = 0; i < n; i++) {
        char line[LINE_BYTES];
        utf8_visible(line, sizeof line, pattern_host_fault(t->patterns, i));
        fprintf(stderr, "tracefolio: warning: %s\n", line);
    }
    return extensions_good(r->o, t->patterns, e);
}

/* The site as one file, after the folder is in place. */
static bool place_single(struct run *r, struct err *e)
{
    const struct options *o = r->o;
    double mb = (double)out_view(&r->single.document).n / 1e6;
    if (!single_place(&r->single, o->single_file, o->single_file_limit_mb, e))
        return false;
    if (mb > SINGLE_WARN_BYTES / 1e6)
        fprintf(
            stderr,
            "tracefolio: warning: --single-file is %.1f MB, too large for some mail "
            "servers and viewers; the folder opens faster\n",
            mb);
    return true;
}

/* --baseline-out: the capture of the folder, now that the folder is in place. */
static bool place_baseline(struct run *r, struct err *e)
{
    struct arena tmp = r->tmp;
    struct str capture;
    if (!r->o->baseline_out)
        return true;
    const char *from = str_printf(&tmp, "%s/capture.json.gz", r->folder.asked).p;
    return file_head(&tmp, from, CAPTURE_BYTES_MAX, &capture, e) &&
           place_file(r->o->baseline_out, capture, e);
}

/* What builds read, in the folder. */
static bool write_ci(struct run *r, struct err *e)
{
    unsigned formats = r->o->formats;
    return ci_in_folder(&r->ci, &r->folder, formats & FORMAT_JSON, formats & FORMAT_MD,
                        formats & FORMAT_SITE, r->tmp, e);
}

/* --forbid: everything that is about to leave, before any of it is in place. */
static bool words_allowed(struct run *r, struct err *e)
{
    struct arena tmp = r->tmp;
    struct word_hits hits = {0};
    if (!r->forbidden.n)
        return true;
    if (!scan_folder(&r->forbidden, publish_dir(&r->folder, &tmp), &r->perm, tmp, &hits,
                     e))
        return false;
    if (r->o->single_file)
        scan_bytes(&r->forbidden, S("--single-file"), out_view(&r->single.document),
                   &r->perm, tmp, &hits);
    ci_scan(&r->ci, &r->forbidden, &r->perm, tmp, &hits);
    return scan_tell(&hits, r->o->forbid, e);
}

/* report_options.judge */
static const struct gate_result *judge_report(void *context,
                                              const struct report *report, int *n)
{
    struct run *r = context;
    ci_take(&r->ci, &r->perm, report, r->gates, r->o->n_gates);
    *n = r->ci.n_results;
    return r->ci.results;
}

/* From an analysed trace to the folder, one line per stage. */
static bool write_result(struct run *r, const struct trace_result *t, struct err *e)
{
    const struct options *o = r->o;
    early_go_on(&r->early);
    progress_stage(&r->progress, "report");
    struct markdown_style markdown = markdown_style_of(o, &r->perm);
    struct report_options said =
        report_options_of(o, &r->perm, t, &r->theme, &markdown);
    said.run_label = str_of(r->ci.o.run_label);
    said.report_id = ci_report_id(&r->ci, &r->perm, said.report_id);
    if (o->level == REDACT_PUBLIC) { /* the name of a file may say whose it is */
        said.trace_path = said.input_digest;
        if (!o->ci.run_label)
            said.run_label = said.input_digest;
    }
    struct replay_set replay = build_replay(r, t);
    struct excerpt_plan excerpts = {0};
    if (o->formats & FORMAT_EXCERPTS)
        excerpts = excerpts_plan(&r->perm, &t->store, t->view.timeline.start_ns,
                                 t->analysis.system);
    said.replay = &replay;
    said.excerpts = excerpts.files;
    said.waivers = ci_waivers(&r->ci, &r->perm, &said.n_waivers);
    said.judge = judge_report;
    said.context = r;
    struct report report =
        report_build(&r->perm, r->tmp, &t->tables, &t->analysis, &r->sheets, &said);
    struct pipeline_options asked = pipeline_options_of(o, &r->perm);
    struct pipeline_source data = {&t->tables, &t->analysis, &report,
                                   &r->sheets, &t->tree,     &asked};
    progress_stage(&r->progress, "write");
    struct single_file *single = o->single_file ? &r->single : NULL;
    struct folder_content content = {&report,   &r->theme, &replay, &data,    &r->early,
                                     &excerpts, t,         single,  markdown, r->notes};
    bool done =
        folder_write(o, &content, &r->folder, &r->perm, r->tmp, r->tmp2, e) &&
        write_ci(r, e) && words_allowed(r, e) &&
        (!single || single_write(single, o->single_file, o->single_file_limit_mb, e)) &&
        publish_commit(&r->folder, r->tmp, e) && (!single || place_single(r, e)) &&
        place_baseline(r, e);
    progress_stage(&r->progress, NULL);
    publish_tell(&r->folder, stderr);
    if (done)
        warnings_print(stderr, o, &t->analysis);
    if (done && !o->quiet)
        summary_print(stdout, o, &report, r->folder.asked);
    return done && ci_beside(&r->ci, r->tmp, e) && tell_faults(r, t, e) &&
           ci_judge(&r->ci, o->require_gates, e);
}

/* What the user has to say, in markdown: a page of it, not a book. */
static bool read_notes(struct run *r, struct err *e)
{
    enum { NOTES_BYTES_MAX = 64000 };
    const char *path = r->o->notes;
    if (!path)
        return true;
    if (!file_head(&r->perm, path, NOTES_BYTES_MAX + 1, &r->notes, e))
        return false;
    return r->notes.n <= NOTES_BYTES_MAX ||
           err_set(e, ERR_USAGE, path, -1, "--notes: more than %d bytes",
                   NOTES_BYTES_MAX);
}

bool analyze_run(const struct options *o, struct err *e)
{
    struct run r = {.o = o};
    struct arena *arenas[] = {&r.perm, &r.tmp, &r.tmp2};
    char *starts[3];
    for (int i = 0; i < 3; i++) {
        *arenas[i] = arena_reserve(arena_machine_bytes() / 4);
        starts[i] = arenas[i]->at;
    }
    single_open(&r.single);
    if (o->include_unlinked && !o->quiet)
        fputs("note: --include-unlinked is the default and does nothing; "
              "--include-backlog also counts work of the step before\n",
              stderr);
    progress_open(&r.progress, o->quiet, o->verbose);
    struct trace_options setup;
    struct trace_result t;
    /* Check everything the command line can get wrong before reading the trace. */
    bool done = trace_options_of(o, &r.perm, &setup, e) &&
                theme_choose(&r.perm, o->theme, &r.theme, e) &&
                ci_begin(&r.ci, &r.perm, &o->ci, e) &&
                report_gates_read(&r.perm, o->gates, o->n_gates, &r.gates, e) &&
                read_notes(&r, e) &&
                (!o->forbid || forbidden_read(&r.perm, o->forbid, &r.forbidden, e)) &&
                publish_begin(&r.folder, output_dir(&r.perm, o), o->force, e);
    if (done) {
        if (r.folder.slow && o->threads > 1)
            file_queue_start();
        done = outputs_are_apart(&r, reads_of(&r.perm, o), e) &&
               analyse(&r, &setup, &t, e);
        if (done) {
            done = write_result(&r, &t, e);
            trace_close(&t);
        }
        if (!done)
            publish_abort(&r.folder, e);
    }
    progress_close(&r.progress);
    single_close(&r.single);
    ci_close(&r.ci);
    for (int i = 0; i < 3; i++)
        arena_release(starts[i], arenas[i]);
    return done;
}
