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
#include "folder_command.h"
#include "progress.h"
#include "prompt.h"
#include "remote.h"
#include "render/page/single_file.h"
#include "render/text/bundle.h"
#include "report/replay/replay_choice.h"
#include "stage_options.h"
#include "summary.h"
#include "write_early.h"
#include "write_excerpts.h"
#include "write_folder.h"

#include <stdio.h>
#include <string.h>

/* What stays open from reading the trace to writing the last file. */
struct run {
    struct folder_command w;
    struct progress progress;
    struct single_file single;
    struct sheets sheets;
    struct early early;
    struct ci_run ci;
    struct gate_expr *gates;
    struct str notes;
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

/* What needs the tables alone is written while they are analysed. */
static void begin_stage(void *context, enum trace_stage stage,
                        const struct trace_result *t)
{
    static const char *const names[] = {[TRACE_READ] = "read",
                                        [TRACE_LINK] = "link",
                                        [TRACE_TABLES] = "tables",
                                        [TRACE_ANALYSE] = "analyse"};
    struct run *r = context;
    progress_stage(&r->progress, names[stage]);
    if (stage == TRACE_LINK && !r->w.o->quiet)
        lent_tell(t, stderr);
    if (stage != TRACE_ANALYSE)
        return;
    progress_kept(&r->progress, &t->kept);
    r->sheets = sheets_build(&r->w.perm, r->w.tmp, &t->tables);
    early_begin(&r->early, r->w.o, &r->sheets, t, &r->w.folder, r->w.tmp2);
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
    struct device_spec *d = arena_new(&r->w.perm, struct device_spec, 1);
    struct options asked = *r->w.o;
    bool known = true;
    if (asked.platform)
        return true; /* none */
    if (!device_of_trace(&r->w.perm, recorded, d)) {
        if (!prompt_possible())
            return unknown_device(recorded, e);
        progress_stage(&r->progress, NULL);
        if (!prompt_platform(&asked, &r->w.perm, e) ||
            !device_choose(&r->w.perm, &asked, d, &known, e))
            return false;
    } else if (!r->w.o->quiet) {
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
    const struct options *o = r->w.o;
    struct trace_source source = {.path = o->trace};
    struct remote remote;
    setup->progress = read_bytes;
    setup->stage = begin_stage;
    setup->for_report = true;
    setup->device_of = find_device;
    setup->context = r;
    if (!o->node)
        return trace_analyse(t, &source, setup, e);
    if (!remote_open(&remote, &r->w.perm, o->node, o->container, o->trace, e))
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
        r->w.o->formats & FORMAT_REPLAY
            ? replay_choose(&r->w.perm, r->w.tmp, &t->analysis, r->w.o->replay, &n)
            : NULL;
    return replay_build(&r->w.perm, r->w.tmp, &t->tables,
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
    const struct options *o = r->w.o;
    const struct publish *folder = &r->w.folder;
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
    return extensions_good(r->w.o, t->patterns, e);
}

/* --baseline-out: the capture of the folder, now that the folder is in place. */
static bool place_baseline(struct run *r, struct err *e)
{
    struct arena tmp = r->w.tmp;
    struct str capture;
    if (!r->w.o->baseline_out)
        return true;
    const char *from = str_printf(&tmp, "%s/capture.json.gz", r->w.folder.asked).p;
    return file_head(&tmp, from, CAPTURE_BYTES_MAX, &capture, e) &&
           place_file(r->w.o->baseline_out, capture, e);
}

/* report_options.judge */
static const struct gate_result *judge_report(void *context,
                                              const struct report *report, int *n)
{
    struct run *r = context;
    ci_take(&r->ci, &r->w.perm, report, r->gates, r->w.o->n_gates);
    *n = r->ci.n_results;
    return r->ci.results;
}

/* From an analysed trace to the folder, one line per stage. */
static bool write_result(struct run *r, const struct trace_result *t, struct err *e)
{
    const struct options *o = r->w.o;
    struct excerpt_plan excerpts = {0};
    bool excerpted = o->formats & FORMAT_EXCERPTS;
    progress_stage(&r->progress, "report");
    if (excerpted)
        excerpts = excerpts_plan(&r->w.perm, &t->store, t->view.timeline.start_ns,
                                 t->analysis.system);
    early_go_on(&r->early, excerpted ? &excerpts : NULL);
    struct markdown_style markdown = markdown_style_of(o, &r->w.perm);
    struct report_options said =
        report_options_of(o, &r->w.perm, t, &r->w.theme, &markdown);
    said.run_label = str_of(r->ci.o.run_label);
    said.report_id = ci_report_id(&r->ci, &r->w.perm, said.report_id);
    if (o->level == REDACT_PUBLIC) { /* the name of a file may say whose it is */
        said.trace_path = said.input_digest;
        if (!o->ci.run_label)
            said.run_label = said.input_digest;
    }
    struct replay_set replay = build_replay(r, t);
    said.replay = &replay;
    said.excerpts = excerpts.files;
    said.waivers = ci_waivers(&r->ci, &r->w.perm, &said.n_waivers);
    said.judge = judge_report;
    said.context = r;
    struct report report =
        report_build(&r->w.perm, r->w.tmp, &t->tables, &t->analysis, &r->sheets, &said);
    struct pipeline_options asked = pipeline_options_of(o, &r->w.perm);
    struct pipeline_source data = {&t->tables, &t->analysis, &report,
                                   &r->sheets, &t->tree,     &asked};
    progress_stage(&r->progress, "write");
    struct single_file *single = o->single_file ? &r->single : NULL;
    struct folder_content content = {&report, &r->w.theme, &replay,  &data,   &r->early,
                                     single,  &r->ci,      markdown, r->notes};
    bool done =
        folder_write(o, &content, &r->w.folder, &r->w.perm, r->w.tmp, r->w.tmp2, e) &&
        command_commit(&r->w, single, &r->ci, e) && place_baseline(r, e);
    progress_stage(&r->progress, NULL);
    publish_tell(&r->w.folder, stderr);
    if (done)
        warnings_print(stderr, &t->analysis);
    if (done && !o->quiet)
        summary_print(stdout, o, &report, r->w.folder.asked);
    return done && ci_beside(&r->ci, r->w.tmp, e) && tell_faults(r, t, e) &&
           ci_judge(&r->ci, o->require_gates, e);
}

/* What the user has to say, in markdown: a page of it, not a book. */
static bool read_notes(struct run *r, struct err *e)
{
    enum { NOTES_BYTES_MAX = 64000 };
    const char *path = r->w.o->notes;
    if (!path)
        return true;
    if (!file_head(&r->w.perm, path, NOTES_BYTES_MAX + 1, &r->notes, e))
        return false;
    return r->notes.n <= NOTES_BYTES_MAX ||
           err_set(e, ERR_USAGE, path, -1, "--notes: more than %d bytes",
                   NOTES_BYTES_MAX);
}

bool analyze_run(const struct options *o, struct err *e)
{
    struct run r = {0};
    command_open(&r.w, o);
    single_open(&r.single);
    if (o->include_unlinked && !o->quiet)
        fputs("note: --include-unlinked is the default and does nothing; "
              "--include-backlog also counts work of the step before\n",
              stderr);
    progress_open(&r.progress, o->quiet, o->verbose);
    struct trace_options setup;
    struct trace_result t;
    /* Check everything the command line can get wrong before reading the trace. */
    bool done = trace_options_of(o, &r.w.perm, &setup, e) &&
                ci_begin(&r.ci, &r.w.perm, &o->ci, e) &&
                report_gates_read(&r.w.perm, o->gates, o->n_gates, &r.gates, e) &&
                read_notes(&r, e) && command_begin(&r.w, output_dir(&r.w.perm, o), e);
    if (done) {
        if (r.w.folder.slow && o->threads > 1)
            file_queue_start();
        done = outputs_are_apart(&r, reads_of(&r.w.perm, o), e) &&
               analyse(&r, &setup, &t, e);
        if (done) {
            done = write_result(&r, &t, e);
            arena_process_ends();
            trace_close(&t);
        }
        if (!done)
            publish_abort(&r.w.folder, e);
    }
    progress_close(&r.progress);
    single_close(&r.single);
    ci_close(&r.ci);
    command_close(&r.w);
    return done;
}
