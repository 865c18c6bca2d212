#include "commands/mistakes.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define RECORDS                                                                        \
    "the profiler of your framework; `tracefolio help inputs` says how to record"

#define OPENS                                                                          \
    "open index.html of a report in a browser; it is files, and no server runs"

/* What it is here; NULL: not known. */
static const char *option_here(struct str typed)
{
    static const struct {
        const char *theirs, *ours;
    } known[] = {
        /* of TraceLens */
        {"--profile_json_path", "name the trace without an option"},
        {"--output_xlsx_path", "-o DIR; the workbook is perf_report.xlsx in it"},
        {"--output_csvs_dir", "-o DIR; the tables are in perf_report_csvs in it"},
        {"--gpu_arch_json_path", "-p NAME or -p FILE.json"},
        {"--extension_file", "--extension FILE.lua"},
        {"--include_unlinked_kernels",
         "the default; --exclude-unlinked is the opposite"},
        {"--topk_ops", "nothing is cut; the report has all operations"},
        {"--topk_short_kernels", "nothing is cut; kernels.html has all kernels"},
        {"--short_kernel_study", "kernels.html; short kernels are a finding"},
        {"--short_kernel_threshold_us", "kernels.html; short kernels are a finding"},
        {"--topk_roofline_ops", "nothing is cut; roofline.html has all operations"},
        {"--enable_kernel_summary", "the default: kernel_summary.csv"},
        {"--collective_analysis", "tracefolio job TRACE... -o SITE"},
        {"--trace_dir", "tracefolio job DIR -o SITE"},
        {"--trace_pattern", "tracefolio job 'PATTERN' -o SITE"},
        {"--world_size", "--ranks N of tracefolio job"},
        {"--world-size", "--ranks N of tracefolio job"},
        {"--nranks", "--ranks N of tracefolio job"},
        {"--np", "--ranks N of tracefolio job"},
        {"--disable_coll_analysis", "tracefolio job has collectives; analyze has none"},
        {"--python_path", "no Python is needed"},
        {"--sheets", "all sheets are compared"},
        /* of TensorBoard and its profiler */
        {"--logdir", "name the trace in it, *.pt.trace.json, without an option"},
        {"--port", "a report is files: open its index.html, no server runs"},
        {"--bind_all", "a report is files: open its index.html, no server runs"},
        {"--step", "steps are found; --steps of tracefolio compare and job chooses"},
        {"--warmup", "steps that are not steady are left out of what is compared"},
        /* of Nsight Systems and others */
        {"--report", "-o DIR; --print for text"},
        {"--topk", "nothing is cut; `tree --find` lists by time"},
        {"--top", "nothing is cut; `tree --find` lists by time, --all all of it"},
        {"--limit", "nothing is cut; `tree --find` lists 60 lines, --all all of it"},
        {"--start", "--from US of tracefolio cut"},
        {"--end", "--to US of tracefolio cut"},
        {"--html", "the default; --single-file FILE.html is one file"},
        {"--json", "--print=json of analyze, tree and whatif"},
        {"--output-format", "--print=json, or --formats LIST"},
        {"--csv", "--formats csv"},
        {"--md", "--print=md, or --formats md"},
        {"--open", "open index.html of the report yourself"},
        {"--pdf", "print index.html of the report from a browser"},
        {"--flamegraph", "--folded host or device of tracefolio tree"},
        {"--flame-graph", "--folded host or device of tracefolio tree"},
        {"--gpu", "-p NAME"},
        {"--device", "-p NAME"},
        {"--arch", "-p NAME"},
        {"--outdir", "-o DIR"},
        {"--output-dir", "-o DIR"},
        {"--out-dir", "-o DIR"},
        {"--threads", "-j N"},
        {"--input", "name the trace without an option"},
        {"--file", "name the trace without an option"},
        {"--baseline", "tracefolio compare BASELINE CANDIDATE"},
        {"--against", "tracefolio compare BASELINE CANDIDATE"},
        {"--threshold", "--fail-on 'regression>5%', a gate; --floor, what is noise"},
        {"--fail-on-regression", "--fail-on 'regression>5%' of tracefolio compare"},
        {"--overwrite", "-f, --force; reports of tracefolio are replaced without it"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_eq(typed, str_of(known[i].theirs)))
            return known[i].ours;
    return NULL;
}

/* "-output", "-out", "-gpu": long options with one dash, which would be read as an
 * option of one letter and its value, "-o ut". False: it is one. */
static bool has_two_dashes(struct str word, const struct option_names *names,
                           struct err *e)
{
    enum { LEAST = 4, MOST = 50 }; /* "-out" */
    char longer[MOST + 2];
    if (word.n < LEAST || word.n > MOST || str_starts(word, S("--")))
        return true;
    snprintf(longer, sizeof longer, "-%.*s", STRF(word));
    struct str as_long = str_of(longer);
    const char *ours = names->is(as_long) ? NULL : option_here(as_long);
    if (ours)
        return err_set(e, ERR_USAGE, NULL, -1, "unknown option '%.*s'; here it is: %s",
                       STRF(word), ours);
    const char *meant = names->is(as_long) ? longer + 2 : names->begun(as_long);
    return !meant ||
           err_set(e, ERR_USAGE, NULL, -1, "unknown option '%.*s' (did you mean --%s?)",
                   STRF(word), meant);
}

bool mistake_spelling(int argc, char **argv, const struct option_names *names,
                      struct err *e)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        struct str typed = str_of(argv[i]), rest = typed,
                   word = str_take(&rest, S("="));
        struct str two = str_head(typed, 2);
        const char *ours = names->is(word) ? NULL : option_here(word);
        if (ours)
            return err_set(e, ERR_USAGE, NULL, -1,
                           "unknown option '%.*s'; here it is: %s", STRF(word), ours);
        if (!str_starts(typed, S("-")) || str_starts(typed, S("--")) || typed.n < 3)
            continue;
        if (names->is(two) && typed.p[2] == '=')
            return err_set(e, ERR_USAGE, NULL, -1,
                           "'%.200s': an option of one letter has no =; write %.*s "
                           "%.200s",
                           typed.p, STRF(two), typed.p + 3);
        if (!has_two_dashes(word, names, e))
            return false;
    }
    return true;
}

bool mistake_command(struct str word, struct err *e)
{
    static const struct {
        const char *theirs, *ours;
    } known[] = {
        {"version", "tracefolio --version"},
        {"diff", "tracefolio compare REFERENCE CANDIDATE"},
        {"merge", "tracefolio cut TRACE... --from US --to US -o FILE"},
        {"report", "tracefolio analyze TRACE"},
        {"run", "tracefolio analyze TRACE"},
        {"stats", "tracefolio analyze TRACE --print"},
        {"print", "tracefolio analyze TRACE --print"},
        {"show", "tracefolio analyze TRACE --print"},
        {"find", "tracefolio tree TRACE --find NAME"},
        {"topics", "tracefolio help"},
        {"summary", "tracefolio analyze TRACE --print"},
        {"info", "tracefolio analyze TRACE --print"},
        {"list", "tracefolio tree TRACE --find NAME"},
        {"query", "tracefolio tree TRACE --find NAME"},
        {"serve", OPENS},
        {"view", OPENS},
        {"open", OPENS},
        {"gui", OPENS},
        {"profile", RECORDS},
        {"record", RECORDS},
    };
    bool of_report =
        str_starts(word, S("TraceLens_")) || str_starts(word, S("generate_"));
    if (of_report)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "unknown command '%.*s'; here it is: tracefolio %s",
                       STRF(str_head(word, 100)),
                       str_has(word, S("compare"))      ? "compare A.xlsx B.xlsx -o DIR"
                       : str_has(word, S("collective")) ? "job TRACE... -o SITE"
                                                        : "analyze TRACE -o DIR");
    if (!word.n)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "an empty word in place of a trace: is a variable of the shell "
                       "empty?");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_eq(word, str_of(known[i].theirs)))
            return err_set(e, ERR_USAGE, NULL, -1,
                           "unknown command '%.*s'; here it is: %s", STRF(word),
                           known[i].ours);
    return true;
}

bool mistake_argument(struct str command, const char *print, const char *argument,
                      struct err *e)
{
    bool is_file = access(argument, F_OK) == 0;
    if (str_eq(command, S("analyze")) && is_file)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "unexpected argument '%.200s': analyze takes one trace; two are "
                       "compared by `tracefolio compare`, the ranks of a job read by "
                       "`tracefolio job`",
                       argument);
    if (str_eq(str_of(print), S("text")) && !is_file)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "unexpected argument '%.200s'; --print takes text, json or md",
                       argument);
    if (str_eq(command, S("tree")) && !is_file)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "unexpected argument '%.200s'; a name to look for is --find "
                       "'%.200s'",
                       argument, argument);
    if (str_eq(command, S("share-check")) && is_file)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "unexpected argument '%.200s'; a file of words is --forbid "
                       "%.200s",
                       argument, argument);
    if (str_eq(command, S("compare")))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "unexpected argument '%.200s': several captures of a side are "
                       "named with --ref and --cand",
                       argument);
    return err_set(e, ERR_USAGE, NULL, -1,
                   "unexpected argument '%.200s'; `tracefolio help %.*s` says what it "
                   "takes",
                   argument, STRF(command));
}
