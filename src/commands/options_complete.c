#include "commands/options_complete.h"

#include "base/place_file.h"
#include "base/unknown.h"

#include <string.h>
#include <unistd.h>

/* "node:/path" as scp has it. */
static bool is_on_this_machine(const char *trace, struct err *e)
{
    const char *path = strstr(trace, ":/");
    struct str node = {trace, path ? path - trace : 0};
    if (node.n < 2 || str_has(node, S("/")) || access(trace, F_OK) == 0)
        return true;
    return err_set(e, ERR_USAGE, NULL, -1,
                   "'%.200s' is on another machine: tracefolio analyze %.200s --node "
                   "%.*s reads it through ssh",
                   trace, path + 1, STRF(node));
}

bool options_trace_is_file(const char *trace, struct err *e)
{
    if (str_starts(str_of(trace), S("file://")))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "'%.200s' is a URL; name the file by its path", trace);
    if (!strstr(trace, "://"))
        return is_on_this_machine(trace, e);
    return err_set(e, ERR_USAGE, NULL, -1,
                   "'%.200s' is a URL, and tracefolio opens no network connections; "
                   "download it first, or read a trace on another machine with "
                   "--node NODE",
                   trace);
}

static bool are_files(const char *const *paths, int n, struct err *e)
{
    for (int i = 0; i < n; i++)
        if (paths[i] && !options_trace_is_file(paths[i], e))
            return false;
    return true;
}

static bool inputs_are_files(const struct options *o, struct err *e)
{
    const struct compare_request *c = &o->compare;
    const char *const others[] = {o->root, o->node ? NULL : o->trace};
    return are_files(others, 2, e) && are_files(o->job.inputs, o->job.n_inputs, e) &&
           are_files(c->inputs[0], c->n_inputs[0], e) &&
           are_files(c->inputs[1], c->n_inputs[1], e);
}

/* The same capture again would look like a recording without noise. */
static bool captures_differ(const struct compare_request *c, struct err *e)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < c->n_inputs[side]; i++)
            for (int j = 0; j < i; j++)
                if (place_is_same(c->inputs[side][i], c->inputs[side][j]))
                    return err_set(e, ERR_USAGE, NULL, -1,
                                   "%.200s is given twice as a %s; each capture is a "
                                   "recording of its own",
                                   c->inputs[side][i],
                                   side ? "candidate" : "reference");
    return !c->label[0] || !c->label[1] || strcmp(c->label[0], c->label[1]) != 0 ||
           err_set(e, ERR_USAGE, NULL, -1,
                   "--label-ref and --label-cand are the same; give each side its own");
}

/* Both sides, and nothing that only a single trace can have. */
static bool compare_complete(const struct options *o, struct err *e)
{
    const struct compare_request *c = &o->compare;
    if (!c->n_inputs[0] || !c->n_inputs[1])
        return err_set(e, ERR_USAGE, NULL, -1,
                       "missing %s; run tracefolio compare REFERENCE CANDIDATE",
                       c->n_inputs[0] ? "candidate" : "reference");
    int streams = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < c->n_inputs[side]; i++)
            streams += strcmp(c->inputs[side][i], "-") == 0;
    if (streams > 1)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "standard input can be only one of the captures");
    if (o->node || options_have_figures(o))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--node and figures of a device are options of analyze; "
                       "compare reads local files, and devices by -p");
    if (o->share || o->kits)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--share and --kits are not options of compare; compare what "
                       "analyze, summarize or job made with them");
    if (o->capture_trace)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--capture-trace: of which side? Say ref=FILE or cand=FILE");
    return captures_differ(c, e);
}

/* What many traces need: some, and where to write. */
static bool job_complete(const struct options *o, struct err *e)
{
    const char *name = o->command == COMMAND_JOB ? "job" : "summarize";
    if (!o->job.n_inputs)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "missing traces; run tracefolio %s TRACE... -o %s", name,
                       o->command == COMMAND_JOB ? "SITE" : "DIR");
    if (!o->out_dir)
        return err_set(e, ERR_USAGE, NULL, -1, "missing -o %s",
                       o->command == COMMAND_JOB ? "SITE" : "DIR");
    if (o->job.rank_regex && o->job.rank >= 0)
        return err_set(e, ERR_USAGE, NULL, -1, "--rank contradicts --rank-regex");
    if (o->node || o->single_file)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--node and --single-file are options of analyze");
    return true;
}

static bool cut_complete(const struct options *o, struct err *e)
{
    const char *missing = !o->job.n_inputs ? "a trace"
                          : !o->cut.from   ? "--from"
                          : !o->cut.to     ? "--to"
                          : !o->out_dir    ? "-o FILE"
                                           : NULL;
    if (missing)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "missing %s; run tracefolio cut TRACE... --from US --to US -o "
                       "FILE",
                       missing);
    return true;
}

/* Stacks for other tools: all events, and nothing to choose but the side. */
static bool stacks_complete(const struct tree_request *r, int n, struct err *e)
{
    static const struct str sides[] = {S_INIT("host"), S_INIT("device")};
    static const char *const names[] = {"--folded", "--speedscope", "--pprof"};
    const char *other = r->find      ? "--find"
                        : r->id >= 0 ? "--id"
                        : r->parents ? "--parents"
                        : r->subtree ? "--subtree"
                        : r->callers ? "--callers"
                        : r->fields  ? "--fields"
                                     : NULL;
    if (n > 1)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--folded, --speedscope and --pprof: one at a time");
    if (other)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "%s contradicts --folded, --speedscope and --pprof, which "
                       "print the stacks of all events",
                       other);
    for (int k = 0; k < 3; k++)
        if (r->stacks[k] && !str_eq(str_of(r->stacks[k]), sides[0]) &&
            !str_eq(str_of(r->stacks[k]), sides[1]))
            return err_unknown(e, names[k], str_of(r->stacks[k]), sides, 2, "");
    return true;
}

static bool tree_complete(const struct options *o, struct err *e)
{
    const struct tree_request *r = &o->tree;
    int n_stacks = !!r->stacks[0] + !!r->stacks[1] + !!r->stacks[2];
    const char *missing = !o->trace ? "a trace"
                          : !r->find && !(r->id >= 0) && !n_stacks
                              ? "--find NAME or --id N"
                              : NULL;
    if (o->trace && n_stacks)
        return stacks_complete(r, n_stacks, e);
    if (missing)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "missing %s; run tracefolio tree TRACE --find NAME", missing);
    if (r->parents + r->subtree + r->callers > 1)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--parents, --subtree and --callers: one at a time");
    return !(r->depth > 0) || r->subtree ||
           err_set(e, ERR_USAGE, NULL, -1, "--depth requires --subtree");
}

static bool whatif_complete(const struct options *o, struct err *e)
{
    return (o->trace && o->whatif.n_changes) ||
           err_set(e, ERR_USAGE, NULL, -1,
                   "missing %s; run tracefolio whatif TRACE 'kernel:*gemm*=0.5'",
                   o->trace ? "a change" : "a trace and a change");
}

/* What lies in a folder, which --print without -o does not write. */
static bool print_complete(const struct options *o, struct err *e)
{
    if (o->command != COMMAND_ANALYZE)
        return !o->print || strcmp(o->print, "md") != 0 ||
               err_set(e, ERR_USAGE, NULL, -1,
                       "--print=md is for analyze; expected text or json");
    const char *asked = !options_print_alone(o)    ? NULL
                        : o->single_file           ? "--single-file"
                        : o->baseline_out          ? "--baseline-out"
                        : o->forbid                ? "--forbid"
                        : o->formats != FORMAT_ALL ? "--formats"
                                                   : NULL;
    return !asked || err_set(e, ERR_USAGE, NULL, -1,
                             "--print writes no folder, which %s requires: name one "
                             "with -o DIR",
                             asked);
}

static bool ends_as_file(struct str path)
{
    static const struct str ends[] = {S_INIT(".html"), S_INIT(".md"), S_INIT(".pdf"),
                                      S_INIT(".xlsx"), S_INIT(".csv")};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (str_ends(path, ends[i]))
            return access(path.p, F_OK) != 0; /* else whoever opens it says so */
    return false;
}

static bool is_folder_command(const struct options *o)
{
    return o->command == COMMAND_ANALYZE || o->command == COMMAND_COMPARE ||
           o->command == COMMAND_JOB || o->command == COMMAND_DEMO;
}

/* Of comparisons and jobs there are fewer than of a trace. */
static bool formats_fit(const struct options *o, struct err *e)
{
    unsigned without = FORMAT_PNG | FORMAT_REPLAY | FORMAT_EXCERPTS;
    if (o->command == COMMAND_JOB)
        without |= FORMAT_XLSX;
    bool fewer = o->command == COMMAND_JOB || o->command == COMMAND_COMPARE;
    if (!fewer || !o->formats_asked || !(o->formats & without))
        return true;
    struct str name = command_name(o->command);
    return err_set(e, ERR_USAGE, NULL, -1,
                   "--formats: %.*s writes site, md, csv, %sjson and none of the "
                   "others",
                   STRF(name), o->command == COMMAND_JOB ? "" : "xlsx, ");
}

/* What any command writes, and its gates. */
static bool outputs_complete(const struct options *o, struct err *e)
{
    const char *mail = o->ci.email;
    if (o->out_dir && !o->out_dir[0])
        return err_set(
            e, ERR_USAGE, NULL, -1,
            "-o: expected a name, not '': is a variable of the shell empty?");
    if (mail && strchr(mail, '@') && !str_ends(str_of(mail), S(".html")))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--email: expected a file to write, FILE.html, not '%.200s'; "
                       "tracefolio sends no mail",
                       mail);
    if (o->out_dir && ends_as_file(str_of(o->out_dir)) && is_folder_command(o))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "-o names a folder, and '%.200s' ends as a file does%s",
                       o->out_dir,
                       o->command == COMMAND_JOB
                           ? ": choose another name"
                           : "; a site of one file is --single-file FILE.html");
    if (!formats_fit(o, e))
        return false;
    return !o->require_gates || o->n_gates ||
           err_set(e, ERR_USAGE, NULL, -1, "--require-gates requires --fail-on");
}

static bool analyze_complete(const struct options *o, struct err *e)
{
    if (!o->trace)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "missing trace; run tracefolio analyze TRACE -p PLATFORM");
    if (o->idle_threshold_pct > 0 && o->idle_threshold_pct < 1)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--idle-threshold is in per cent, and %g is less than one: "
                       "30 is 30%%",
                       o->idle_threshold_pct);
    if (o->compare.lender[0] || o->compare.lender[1])
        return err_set(
            e, ERR_USAGE, NULL, -1,
            "--capture-trace ref= and cand= are for compare; analyze has one "
            "trace, so say --capture-trace FILE");
    if (o->node && o->capture_trace)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--capture-trace: the trace is read twice, so it must be a file "
                       "of this machine");
    if (o->ci.source_root && !o->ci.sarif && !o->ci.annotations && !o->ci.detect)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--source-root requires --sarif or --annotations");
    if (o->tlparse && (o->level != REDACT_INTERNAL || options_print_alone(o)))
        return err_set(e, ERR_USAGE, NULL, -1,
                       o->level != REDACT_INTERNAL
                           ? "--tlparse: its links name folders of this machine, "
                             "which --share partner and public leave out"
                           : "--tlparse: only a report has links; name one with -o");
    if (o->forbid && o->baseline_out)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--forbid cannot be kept with --baseline-out, which is written "
                       "first; copy capture.json.gz of the report instead");
    if (o->capture_trace && place_is_same(o->capture_trace, o->trace))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--capture-trace: names the trace itself; expected another, of "
                       "the capture of its GPU graphs");
    if (o->kits && o->level != REDACT_PUBLIC)
        return err_set(e, ERR_USAGE, NULL, -1, "--kits requires --share public");
    if (o->container && !o->node)
        return err_set(e, ERR_USAGE, NULL, -1, "--container requires --node");
    if (o->exclude_unlinked && (o->include_backlog || o->include_unlinked))
        return err_set(e, ERR_USAGE, NULL, -1, "--exclude-unlinked contradicts --%s",
                       o->include_backlog ? "include-backlog" : "include-unlinked");
    if (o->embed_replay && (!o->single_file || !(o->formats & FORMAT_REPLAY)))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--embed-replay requires --single-file and the format replay");
    return true;
}

bool options_complete(const struct options *o, struct err *e)
{
    if (!inputs_are_files(o, e) || !print_complete(o, e) || !outputs_complete(o, e))
        return false;
    if (o->command == COMMAND_VERIFY && !o->trace)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "missing folder; run tracefolio verify FOLDER");
    if (o->command == COMMAND_COMPARE)
        return compare_complete(o, e);
    if (o->command == COMMAND_SUMMARIZE || o->command == COMMAND_JOB)
        return job_complete(o, e);
    if (o->command == COMMAND_CUT)
        return cut_complete(o, e);
    if (o->command == COMMAND_TREE)
        return tree_complete(o, e);
    if (o->command == COMMAND_WHATIF)
        return whatif_complete(o, e);
    if (o->command == COMMAND_PUBLISH && !o->root)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "missing %s; run tracefolio publish FOLDER ROOT",
                       o->trace ? "root" : "folder");
    if (o->command == COMMAND_SHARE_CHECK && !o->trace)
        return err_set(
            e, ERR_USAGE, NULL, -1,
            "missing folder; run tracefolio share-check FOLDER --forbid FILE");
    if (o->command == COMMAND_REINDEX && !o->root)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "missing root; run tracefolio reindex ROOT");
    return o->command != COMMAND_ANALYZE || analyze_complete(o, e);
}
