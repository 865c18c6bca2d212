#include "commands/options_complete.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct options o;
static struct err e;

static void begin(enum command command)
{
    o = (struct options){.command = command,
                         .trace = "t.json",
                         .formats = FORMAT_ALL,
                         .tree.id = -1,
                         .job.rank = -1};
    e = (struct err){0};
}

static void accepted(void)
{
    e = (struct err){0};
    if (!options_complete(&o, &e))
        fail_msg("%s", e.what);
}

static void refused(const char *start)
{
    e = (struct err){0};
    if (options_complete(&o, &e))
        fail_msg("accepted, not: %s", start);
    if (strncmp(e.what, start, strlen(start)) != 0)
        fail_msg("\"%s\" does not begin with \"%s\"", e.what, start);
    assert_int_equal(e.kind, ERR_USAGE);
}

static void what_is_read_is_a_file(void **state)
{
    (void)state;
    begin(COMMAND_ANALYZE);
    accepted();
    o.trace = "https://x/t.json";
    refused("'https://x/t.json' is a URL, and tracefolio opens no network");
    o.trace = "file:///t.json";
    refused("'file:///t.json' is a URL; name the file by its path");
    o.trace = "node7:/data/t.json";
    refused(
        "'node7:/data/t.json' is on another machine: tracefolio analyze /data/t.json "
        "--node node7");
    o.trace = "C:/t.json"; /* one letter is no machine */
    accepted();
    o.trace = "a/b:/t.json";
    accepted();
    o.node = "node7"; /* which reads any name */
    o.trace = "s3://x";
    accepted();
    begin(COMMAND_ANALYZE);
    o.trace = NULL;
    refused("missing trace");
}

static void compare_needs_two_sides(void **state)
{
    const char *old[] = {"a.json", "-"}, *new[] = {"b.json", "-"};
    (void)state;
    begin(COMMAND_COMPARE);
    o.compare.inputs[0] = old;
    o.compare.inputs[1] = new;
    refused("missing reference");
    o.compare.n_inputs[0] = 1;
    refused("missing candidate");
    o.compare.n_inputs[1] = 1;
    accepted();
    o.compare.n_inputs[0] = 2;
    accepted();
    o.compare.n_inputs[1] = 2;
    refused("standard input can be only one");
    o.compare.n_inputs[1] = 1;
    old[0] = old[1] = "/dev/null";
    refused("/dev/null is given twice as a reference");
    o.compare.n_inputs[0] = 1;
    o.compare.label[0] = o.compare.label[1] = "x";
    refused("--label-ref and --label-cand are the same");
    o.compare.label[1] = "y";
    accepted();
    o.capture_trace = "c.json";
    refused("--capture-trace: of which side?");
    o.kits = true;
    refused("--share and --kits are not options of compare");
    o.node = "n";
    refused("--node and figures of a device");
}

static void jobs_need_traces_and_a_place(void **state)
{
    const char *inputs[] = {"r0.json"};
    (void)state;
    begin(COMMAND_JOB);
    o.job.inputs = inputs;
    refused("missing traces; run tracefolio job TRACE... -o SITE");
    o.job.n_inputs = 1;
    refused("missing -o SITE");
    o.command = COMMAND_SUMMARIZE;
    refused("missing -o DIR");
    o.out_dir = "out";
    accepted();
    o.job.rank = 0;
    accepted();
    o.job.rank_regex = "r([0-9]+)";
    refused("--rank contradicts --rank-regex");
    o.job.rank = -1;
    o.single_file = "x.html";
    refused("--node and --single-file are options of analyze");
}

static void a_cut_needs_both_ends(void **state)
{
    const char *inputs[] = {"r0.json"};
    (void)state;
    begin(COMMAND_CUT);
    refused("missing a trace");
    o.job.inputs = inputs;
    o.job.n_inputs = 1;
    refused("missing --from");
    o.cut.from = "1";
    refused("missing --to");
    o.cut.to = "2";
    refused("missing -o FILE");
    o.out_dir = "f";
    accepted();
}

static void a_tree_is_asked_for_one_thing(void **state)
{
    (void)state;
    begin(COMMAND_TREE);
    refused("missing --find NAME or --id N");
    o.tree.id = 0;
    accepted();
    o.tree.parents = o.tree.callers = true;
    refused("--parents, --subtree and --callers: one at a time");
    o.tree.callers = false;
    o.tree.depth = 2;
    refused("--depth requires --subtree");
    o.tree.parents = false;
    o.tree.subtree = true;
    accepted();
    o.tree.stacks[0] = "host";
    refused("--id contradicts --folded");
    begin(COMMAND_TREE);
    o.tree.stacks[1] = "device";
    accepted();
    o.tree.stacks[2] = "device";
    refused("--folded, --speedscope and --pprof: one at a time");
    o.tree.stacks[2] = NULL;
    o.tree.stacks[1] = "gpu";
    assert_false(options_complete(&o, &e));
    o.trace = NULL;
    refused("missing a trace");
}

static void other_commands_need_their_names(void **state)
{
    (void)state;
    begin(COMMAND_WHATIF);
    refused("missing a change");
    o.whatif.n_changes = 1;
    accepted();
    o.trace = NULL;
    refused("missing a trace and a change");
    begin(COMMAND_PUBLISH);
    refused("missing root");
    o.root = "r";
    accepted();
    begin(COMMAND_VERIFY);
    accepted();
    o.trace = NULL;
    refused("missing folder; run tracefolio verify");
    o.command = COMMAND_SHARE_CHECK;
    refused("missing folder; run tracefolio share-check");
    o.command = COMMAND_REINDEX;
    refused("missing root; run tracefolio reindex");
}

static void print_writes_no_folder(void **state)
{
    (void)state;
    begin(COMMAND_ANALYZE);
    o.print = "text";
    accepted();
    o.single_file = "x.html";
    refused("--print writes no folder, which --single-file requires");
    o.single_file = NULL;
    o.formats = FORMAT_PNG;
    refused("--print writes no folder, which --formats requires");
    o.out_dir = "out";
    accepted();
    begin(COMMAND_COMPARE);
    o.print = "md";
    refused("--print=md is for analyze");
}

static void outputs_are_what_they_are_named(void **state)
{
    (void)state;
    begin(COMMAND_ANALYZE);
    o.out_dir = "";
    refused("-o: expected a name, not ''");
    o.out_dir = "report.html";
    refused("-o names a folder, and 'report.html' ends as a file does; a site of one");
    o.command = COMMAND_TREE; /* of which it is none */
    o.tree.id = 1;
    accepted();
    begin(COMMAND_ANALYZE);
    o.ci.email = "me@x.org";
    refused("--email: expected a file to write");
    o.ci.email = "me@x.html";
    accepted();
    o.require_gates = true;
    refused("--require-gates requires --fail-on");
    o.n_gates = 1;
    accepted();
    begin(COMMAND_JOB);
    o.formats_asked = true;
    o.formats = FORMAT_XLSX;
    refused("--formats: job writes site, md, csv, json and none of the others");
    o.command = COMMAND_COMPARE;
    refused("missing reference"); /* which has a workbook */
    o.formats |= FORMAT_REPLAY;
    refused("--formats: compare writes site, md, csv, xlsx, json and none");
}

static void options_of_analyze_fit_each_other(void **state)
{
    (void)state;
    begin(COMMAND_ANALYZE);
    o.idle_threshold_pct = 0.3;
    refused("--idle-threshold is in per cent, and 0.3 is less than one");
    o.idle_threshold_pct = 1;
    accepted();
    o.compare.lender[1] = "c.json";
    refused("--capture-trace ref= and cand= are for compare");
    begin(COMMAND_ANALYZE);
    o.capture_trace = "c.json";
    accepted();
    o.trace = o.capture_trace = "/dev/null";
    refused("--capture-trace: names the trace itself");
    o.node = "n";
    refused("--capture-trace: the trace is read twice");
    begin(COMMAND_ANALYZE);
    o.container = "c";
    refused("--container requires --node");
    begin(COMMAND_ANALYZE);
    o.exclude_unlinked = o.include_backlog = true;
    refused("--exclude-unlinked contradicts --include-backlog");
    o.include_backlog = false;
    o.include_unlinked = true;
    refused("--exclude-unlinked contradicts --include-unlinked");
    begin(COMMAND_ANALYZE);
    o.kits = true;
    refused("--kits requires --share public");
    o.level = REDACT_PUBLIC;
    accepted();
    o.tlparse = "tl";
    refused("--tlparse: its links name folders of this machine");
    begin(COMMAND_ANALYZE);
    o.embed_replay = true;
    o.single_file = "x.html";
    accepted();
    o.formats = FORMAT_PNG;
    refused("--embed-replay requires --single-file and the format replay");
    begin(COMMAND_ANALYZE);
    o.ci.source_root = "src";
    refused("--source-root requires --sarif or --annotations");
    o.ci.detect = true;
    accepted();
    o.forbid = "words";
    o.baseline_out = "b";
    refused("--forbid cannot be kept with --baseline-out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_is_a_file),
        cmocka_unit_test(compare_needs_two_sides),
        cmocka_unit_test(jobs_need_traces_and_a_place),
        cmocka_unit_test(a_cut_needs_both_ends),
        cmocka_unit_test(a_tree_is_asked_for_one_thing),
        cmocka_unit_test(other_commands_need_their_names),
        cmocka_unit_test(print_writes_no_folder),
        cmocka_unit_test(outputs_are_what_they_are_named),
        cmocka_unit_test(options_of_analyze_fit_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
