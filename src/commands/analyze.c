/* One trace in, one folder out: the stages in their order. */
#include "commands/commands.h"

#include "base/file_head.h"
#include "base/file_queue.h"
#include "base/place_file.h"
#include "base/terminal.h"
#include "capture/capture_read.h"
#include "ci/ci_run.h"
#include "ci/metric_gates.h"
#include "commands/folder_command.h"
#include "commands/progress.h"
#include "commands/recorded_device.h"
#include "commands/remote.h"
#include "commands/stage_options.h"
#include "commands/summary.h"
#include "commands/tlparse_folder.h"
#include "commands/trace_folder.h"
#include "commands/write_early.h"
#include "commands/write_excerpts.h"
#include "commands/write_folder.h"
#include "export/capture_file.h"
#include "render/folder/remove_tree.h"
#include "render/folder/tar_write.h"
#include "render/page/single_file.h"
#include "render/text/bundle.h"
#include "report/replay/replay_choice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    struct report_options links; /* of --tlparse alone */
};

/* analysis_output beside the trace; in the current folder for standard input and for a
 * trace on another machine. NULL: nothing is written. */
static const char *output_dir(struct arena *perm, const struct options *o)
{
    if (o->out_dir || options_print_alone(o))
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
/* Of a file with several traces: which this is, and how one names another. */
static void tell_part(const char *path, const struct machine *m)
{
    if (m->n_parts > 1 && !strstr(path, ":rank="))
        terminal_line(stderr,
                      "tracefolio: %s holds %d processes; this report is of rank 0 "
                      "(%.*s). Name another as %s:rank=1, or compare all with "
                      "`tracefolio job`",
                      path, m->n_parts, STRF(m->part), path);
}

static void begin_stage(void *context, enum trace_stage stage,
                        const struct trace_result *t)
{
    static const char *const names[] = {[TRACE_READ] = "read",
                                        [TRACE_LINK] = "link",
                                        [TRACE_TABLES] = "tables",
                                        [TRACE_ANALYSE] = "analyse"};
    struct run *r = context;
    progress_stage(&r->progress, names[stage]);
    if (stage == TRACE_LINK && !r->w.o->quiet) {
        lent_tell(t, stderr);
        tell_part(r->w.o->trace, &t->store.machine);
    }
    if (stage != TRACE_ANALYSE)
        return;
    progress_kept(&r->progress, &t->kept);
    r->sheets = sheets_build(&r->w.perm, r->w.tmp, &t->tables);
    if (!options_print_alone(r->w.o))
        early_begin(&r->early, r->w.o, &r->sheets, t, &r->w.folder, r->w.tmp2);
}

/* Without -p: the built-in device that the trace names. */
static bool find_device(void *context, const struct traced_device *recorded,
                        const struct device_spec **device, struct err *e)
{
    struct run *r = context;
    if (r->w.o->platform)
        return true; /* none */
    progress_stage(&r->progress, NULL);
    return recorded_device_find(&r->w.perm, r->w.o, recorded, device, e);
}

static bool analyse(struct run *r, const struct trace_source *from,
                    struct trace_options *setup, struct trace_result *t, struct err *e)
{
    const struct options *o = r->w.o;
    struct trace_source source = *from;
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

/* What --replay asks for by a name that no operation has. */
static void tell_no_replay(const struct replay_set *s)
{
    for (int32_t i = 0; i < s->n_refusals; i++)
        if (!(s->refusals[i].total_us > 0))
            terminal_warn("--replay: %.*s: %.*s",
                          STRF(str_head(s->refusals[i].op, 100)),
                          STRF(s->refusals[i].reason));
}

/* The paths of what the run reads: replaced by nothing that it writes. NULL ends the
 * list. */
static const char **reads_of(struct arena *perm, const struct options *o)
{
    const char **paths = arena_new(perm, const char *, o->n_extensions + 9);
    int n = 0;
    if (!o->node)
        paths[n++] = strcmp(o->trace, "-") == 0 ? "/proc/self/fd/0" : o->trace;
    for (int k = 0; k < o->n_extensions; k++)
        paths[n++] = o->extensions[k];
    if (o->platform && strpbrk(o->platform, "./"))
        paths[n++] = o->platform;
    if (strpbrk(o->theme, "./"))
        paths[n++] = o->theme;
    const char *const others[] = {o->ci.waivers, o->notes, o->forbid, o->capture_trace,
                                  o->tlparse};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (others[k])
            paths[n++] = others[k];
    return paths;
}

static bool outputs_are_apart(const struct run *r, const char *const *reads,
                              struct err *e)
{
    const struct options *o = r->w.o;
    const struct publish *folder = options_print_alone(o) ? NULL : &r->w.folder;
    for (int k = 0; folder && reads[k]; k++)
        if (!publish_spares(folder, reads[k], e))
            return false;
    const struct asked_places b = {folder, reads, o->force};
    return ci_spares(&r->ci, &b, e) &&
           (!o->baseline_out || asked_check(&b, o->baseline_out, capture_is_file, e)) &&
           (!o->single_file || single_check(o->single_file, &b, e));
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

/* --print */
static enum ci_form form_of(const struct options *o)
{
    return options_print_json(o)         ? CI_JSON
           : strcmp(o->print, "md") == 0 ? CI_MD
                                         : CI_TEXT;
}

/* From an analysed trace to the folder, one line per stage. */
static bool write_result(struct run *r, const struct trace_result *t, struct err *e)
{
    const struct options *o = r->w.o;
    struct excerpt_plan excerpts = {0};
    bool alone = options_print_alone(o),
         excerpted = !alone && o->formats & FORMAT_EXCERPTS;
    progress_stage(&r->progress, "report");
    if (excerpted)
        excerpts = excerpts_plan(&r->w.perm, &t->store, t->view.timeline.start_ns,
                                 t->analysis.system);
    if (!alone)
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
    said.links = r->links.links;
    said.n_links = r->links.n_links;
    said.excerpts = excerpts.files;
    said.waivers = ci_waivers(&r->ci, &r->w.perm, &said.n_waivers);
    struct report report =
        report_build(&r->w.perm, r->w.tmp, &t->tables, &t->analysis, &r->sheets, &said);
    ci_take(&r->ci, &r->w.perm, &report, r->gates, o->n_gates);
    struct pipeline_options asked = pipeline_options_of(o, &r->w.perm);
    struct pipeline_source data = {&t->tables, &t->analysis, &report,
                                   &r->sheets, &t->tree,     &asked};
    progress_stage(&r->progress, "write");
    struct single_file *single = o->single_file ? &r->single : NULL;
    struct folder_content content = {&report, &r->w.theme, &replay,  &data,   &r->early,
                                     single,  &r->ci,      markdown, r->notes};
    bool done =
        alone ||
        (folder_write(o, &content, &r->w.folder, &r->w.perm, r->w.tmp, r->w.tmp2, e) &&
         command_commit(&r->w, single, &r->ci, e) && place_baseline(r, e));
    progress_stage(&r->progress, NULL);
    if (!alone)
        publish_tell(&r->w.folder, stderr);
    if (done) {
        tell_no_replay(&replay);
        warnings_print(stderr, &t->analysis);
    }
    if (done && o->print)
        done = ci_print(&r->ci, form_of(o), r->w.tmp, e);
    else if (done && !o->quiet)
        summary_print(stdout, o, &report, r->w.folder.asked);
    return done && ci_beside(&r->ci, r->w.tmp, e) &&
           extensions_good(o, t->patterns, e) && ci_judge(&r->ci, o->require_gates, e);
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
    if (r->notes.n > NOTES_BYTES_MAX)
        return err_set(e, ERR_USAGE, path, -1, "--notes: more than %d bytes",
                       NOTES_BYTES_MAX);
    return !memchr(r->notes.p, '\0', (size_t)r->notes.n) ||
           err_set(e, ERR_INPUT, path, -1, "--notes: not text; markdown is expected");
}

/* Without -o the place is beside the trace: in a report if that is a page of one, which
 * is what to say then. */
static bool begin(struct run *r, struct err *e)
{
    const struct options *o = r->w.o;
    struct event_store s;
    struct err of_trace = {0};
    if (command_begin(&r->w, output_dir(&r->w.perm, o), e))
        return true;
    if (o->out_dir || o->node || !o->trace || strcmp(o->trace, "-") == 0)
        return false;
    if (store_read(&s, o->trace, &(struct store_options){0}, &of_trace))
        store_close(&s);
    else
        *e = of_trace;
    return false;
}

bool analyze_source(const struct options *o, const struct trace_source *from,
                    struct err *e)
{
    struct run r = {0};
    command_open(&r.w, o);
    single_open(&r.single);
    if (o->include_unlinked && !o->quiet)
        terminal_line(stderr,
                      "note: --include-unlinked is the default and does nothing; "
                      "--include-backlog also counts work of the step before");
    progress_open(&r.progress, o->quiet, o->verbose);
    struct trace_options setup;
    struct trace_result t;
    /* Check everything the command line can get wrong before reading the trace. */
    bool done = trace_options_of(o, &r.w.perm, &setup, e) &&
                ci_begin(&r.ci, &r.w.perm, &o->ci, e) &&
                report_gates_read(&r.w.perm, o->gates, o->n_gates, &r.gates, e) &&
                read_notes(&r, e) && begin(&r, e);
    if (done) {
        if (r.w.folder.slow && o->threads > 1)
            file_queue_start();
        done = outputs_are_apart(&r, reads_of(&r.w.perm, o), e) &&
               (!o->tlparse ||
                tlparse_read(&r.w.perm, o->tlparse, &r.w.folder, &r.links, e)) &&
               analyse(&r, from, &setup, &t, e);
        if (done) {
            done = write_result(&r, &t, e);
            arena_process_ends();
            trace_close(&t);
        }
        if (!done && !options_print_alone(o))
            publish_abort(&r.w.folder, e);
    }
    progress_close(&r.progress);
    single_close(&r.single);
    ci_close(&r.ci);
    command_close(&r.w);
    return done;
}

/* -o -: the report is made in a folder of its own under $TMPDIR, which then goes to
 * standard output as a tar. Standard output has nothing else. */
static bool analyze_to_tar(const struct options *o, const struct trace_source *from,
                           struct err *e)
{
    const char *asked = getenv("TMPDIR"), *root = asked && *asked ? asked : "/tmp";
    char made[4096], report[sizeof made + 8];
    struct options apart = *o;
    if (o->print)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "-o - and --print both write to standard output; give one");
    if (isatty(fileno(stdout)))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "-o - writes a tar to standard output, and that is a terminal; "
                       "give -o FOLDER, or a command that reads it: | tar -x");
    if (snprintf(made, sizeof made, "%s/tracefolio-XXXXXX", root) >= (int)sizeof made ||
        !mkdtemp(made))
        return err_set(e, ERR_OUTPUT, root, -1, "-o - cannot make a folder there: %s",
                       strerror(errno));
    snprintf(report, sizeof report, "%s/report", made);
    apart.out_dir = report;
    apart.quiet = true;
    bool done = analyze_source(&apart, from, e), written = access(report, F_OK) == 0;
    on_signal_remove(ON_SIGNAL_FOLDER, AT_FDCWD, made);
    struct err of_tar = {0};
    if (written && !tar_write(stdout, report, &of_tar)) {
        *e = done ? of_tar : *e;
        done = false;
    }
    remove_tree(AT_FDCWD, made, NULL);
    on_signal_remove(ON_SIGNAL_FOLDER, -1, NULL);
    return done;
}

bool analyze_run(const struct options *o, struct err *e)
{
    struct arena tmp = arena_reserve(1 << 26);
    char *start = tmp.at;
    bool done = o->node || trace_is_no_folder(&tmp, o->trace, e);
    bool to_tar = o->out_dir && strcmp(o->out_dir, "-") == 0;
    arena_release(start, &tmp);
    return done && (to_tar ? analyze_to_tar : analyze_source)(
                       o, &(struct trace_source){.path = o->trace}, e);
}
