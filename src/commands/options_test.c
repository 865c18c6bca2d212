#include "commands/options.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { WORDS_MAX = 16 };

static struct options o;
static struct err e;

/* The words of a line, read as options of `tracefolio`. */
static bool reads(const char *line)
{
    char *argv[WORDS_MAX + 1] = {str_c(&a, S("tracefolio"))};
    struct str rest = str_of(line);
    int argc = 1;
    while (rest.n) {
        assert_true(argc < WORDS_MAX);
        argv[argc++] = str_c(&a, str_take(&rest, S(" ")));
    }
    e = (struct err){0};
    return options_read(&o, argc, argv, &a, &e);
}

static void refuses(const char *line, const char *part)
{
    if (reads(line))
        fail_msg("'%s' is read", line);
    assert_int_equal(e.kind, ERR_USAGE);
    if (!strstr(e.what, part))
        fail_msg("'%s': %s", line, e.what);
}

static void takes(const char *line)
{
    if (!reads(line))
        fail_msg("'%s': %s", line, e.what);
}

static void a_bare_trace_is_analysed(void **state)
{
    (void)state;
    takes("run/trace.json.gz");
    assert_int_equal(o.command, COMMAND_ANALYZE);
    assert_string_equal(o.trace, "run/trace.json.gz");
    assert_int_equal(o.formats, FORMAT_ALL);
    assert_int_equal(o.threads, 2);
    assert_int_equal(o.job.rank, -1);
    assert_true(o.tree.id == -1);
    assert_string_equal(o.theme, "default");
    assert_null(o.platform);
    takes("-");
    assert_string_equal(o.trace, "-");
    takes("");
    assert_null(o.trace);
}

static void a_command_is_a_word(void **state)
{
    (void)state;
    for (int k = 0; k < COMMANDS; k++) {
        takes(str_c(&a, commands[k]));
        assert_int_equal(o.command, k);
    }
    refuses("anlyze", "unknown command 'anlyze'");
    refuses("anlyze", "analyze");
}

/* Options may come before and after what they are of. */
static void options_and_arguments_are_in_any_order(void **state)
{
    (void)state;
    takes("-q analyze t.json -p MI300X --jobs=4 -o out --force");
    assert_string_equal(o.trace, "t.json");
    assert_string_equal(o.platform, "MI300X");
    assert_string_equal(o.out_dir, "out");
    assert_int_equal(o.threads, 4);
    assert_true(o.quiet && o.force && !o.verbose);
}

static void repeated_options_keep_their_order(void **state)
{
    (void)state;
    takes("t.json --fail-on high --extension a.lua --fail-on low --extension b.lua");
    assert_int_equal(o.n_gates, 2);
    assert_string_equal(o.gates[0], "high");
    assert_string_equal(o.gates[1], "low");
    assert_int_equal(o.n_extensions, 2);
    assert_string_equal(o.extensions[1], "b.lua");
}

static void formats_are_a_set(void **state)
{
    (void)state;
    takes("t.json --formats csv,site");
    assert_int_equal(o.formats, FORMAT_CSV | FORMAT_SITE);
    assert_text(options_formats(&a, o.formats), "site,csv");
    assert_text(options_formats(&a, FORMAT_ALL),
                "site,md,csv,xlsx,json,png,replay,cuts");
    refuses("t.json --formats csv,pdf", "unknown format 'pdf'");
    refuses("t.json --formats=", "at least one format");
}

/* At the level public nothing of the trace itself leaves, unless it is asked for. */
static void what_is_public_has_no_pieces_of_the_trace(void **state)
{
    (void)state;
    takes("t.json --share public");
    assert_int_equal(o.level, REDACT_PUBLIC);
    assert_int_equal(o.formats & (FORMAT_EXCERPTS | FORMAT_REPLAY), 0);
    takes("t.json --share public --kits");
    assert_int_equal(o.formats & (FORMAT_EXCERPTS | FORMAT_REPLAY), FORMAT_REPLAY);
    takes("t.json --share partner");
    assert_int_equal(o.level, REDACT_PARTNER);
    assert_int_equal(o.formats, FORMAT_ALL);
    refuses("t.json --share private", "unknown --share 'private'");
}

static void quantities_have_letters(void **state)
{
    static const struct {
        const char *line;
        double want;
    } cases[] = {{"t --max-memory 800M", 8e8},
                 {"t --max-memory 2G", 2e9},
                 {"t --max-memory 1500K", 1.5e6},
                 {"t --max-memory 4GB", 4e9},
                 {"t --max-memory 1000000", 1e6}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        takes(str_c(&a, str_printf(&a, "analyze %s", cases[i].line)));
        assert_true(o.max_memory == cases[i].want);
    }
    const char *const wrong[] = {"M", "2T", "2GBs", "0", "-1", "nan", "1e16", "0.5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refuses(str_c(&a, str_printf(&a, "t.json --max-output %s", wrong[i])),
                "--max-output: expected a number such as 800M or 2G");
    refuses("t.json --max-memory 4", "--max-memory: 4 is in bytes, and too few");
}

static void numbers_have_limits(void **state)
{
    (void)state;
    takes("t.json -j 256 --idle-threshold 100 --single-file-limit 1000");
    assert_int_equal(o.threads, 256);
    assert_true(o.idle_threshold_pct == 100);
    assert_int_equal(o.single_file_limit_mb, 1000);
    refuses("t.json -j 257", "from 1 to 256, not '257'");
    refuses("t.json -j 0", "from 1 to 256, not '0'");
    refuses("t.json -j 2x", "not '2x'");
    refuses("t.json --idle-threshold 100.1", "a number from 0 to 100, not '100.1'");
    refuses("t.json --idle-threshold nan", "not 'nan'");
    refuses("t.json --single-file-limit 0", "1 to 1000 MB, not '0'");
    refuses("job x --rank -1", "a whole number from 0, not '-1'");
    refuses("job x --ranks 0", "a whole number from 1, not '0'");
    refuses("publish a b --keep 0", "--keep: expected a number from 1 to");
    takes("publish a b --lock-wait 0");
    assert_true(o.lock_wait_s == 0);
}

static void one_of_two_words(void **state)
{
    (void)state;
    takes("t.json --system-impact none --fair-style jarvis");
    assert_true(o.no_system_impact && o.fair_by_number);
    takes("t.json --system-impact range --fair-style standard");
    assert_false(o.no_system_impact || o.fair_by_number);
    refuses("t.json --system-impact all", "expected range or none, not 'all'");
}

static void a_url_is_of_the_web(void **state)
{
    (void)state;
    takes("t.json --base-url https://x.example/a");
    assert_string_equal(o.base_url, "https://x.example/a");
    refuses("t.json --base-url javascript:alert(1)", "--base-url: expected https://");
}

/* What has no effect on a command is refused, with those that know it. */
static void an_option_is_of_some_commands(void **state)
{
    (void)state;
    refuses("job a --history x",
            "--history is not an option of job; it is an option of "
            "compare");
    refuses("compare a b --source-root x", "is not an option of compare; it is an "
                                           "option of analyze");
    refuses("t.json --redact-hosts", "is not an option of analyze");
    takes("platforms --max-memory 1G -q");
}

static void spelling_mistakes_are_told(void **state)
{
    (void)state;
    refuses("t.json --plattform MI300X", "--platform");
    refuses("t.json --max x", "is ambiguous: 3 options begin with it");
    refuses("t.json --output", "--output: expected a value");
    refuses("t.json --quiet=yes", "--quiet: unexpected value");
    refuses("t.json -x", "unknown option '-x'");
    takes("t.json --verb"); /* the only one that begins so */
    assert_true(o.verbose);
    refuses("t.json -output x", "unknown option '-output' (did you mean --output?)");
    refuses("t.json -out", "unknown option '-out' (did you mean --output?)");
    refuses("t.json -out=x", "unknown option '-out' (did you mean --output?)");
    refuses("t.json -gpu A100", "unknown option '-gpu'; here it is: -p NAME");
    refuses("t.json --pdf", "unknown option '--pdf'; here it is: print index.html");
    refuses("t.json --pfd", "unknown option '--pfd'; `tracefolio");
    takes("t.json -oreport");
    assert_string_equal(o.out_dir, "report");
    refuses("t.json -o=x", "'-o=x': an option of one letter has no =; write -o x");
    refuses("t.json --gpu A100", "unknown option '--gpu'; here it is: -p NAME");
    refuses("t.json --gpu=A100", "unknown option '--gpu'; here it is: -p NAME");
    refuses("job x -o y --gpu 8", "unknown option '--gpu'"); /* not --gpus-per-node */
    takes("t.json -ox -qf");
    assert_string_equal(o.out_dir, "x");
    assert_true(o.quiet && o.force);
    takes("t.json --model=-o");
    assert_string_equal(o.model, "-o");
}

static void nothing_is_lost(void **state)
{
    (void)state;
    refuses("t.json -p A100 -p H100", "--platform is given twice");
    refuses("t.json -o a --output b", "--output is given twice");
    refuses("t.json --formats csv --formats md", "--formats is given twice");
    takes("t.json -q -q");
    refuses("t.json --single-file -o x",
            "--single-file: expected a value, not the option -o");
    refuses("t.json --model --quiet",
            "--model: expected a value, not the option --quiet");
    takes("t.json --notes -"); /* what is no option */
    refuses("version", "unknown command 'version'; here it is: tracefolio --version");
    takes("--help compare");
    assert_int_equal(o.command, COMMAND_HELP);
    assert_string_equal(o.trace, "compare");
}

static void two_sides_are_compared(void **state)
{
    (void)state;
    takes("compare a.json b.json");
    assert_string_equal(o.compare.inputs[0][0], "a.json");
    assert_string_equal(o.compare.inputs[1][0], "b.json");
    takes("compare --ref a --ref b --cand c --capture-trace ref=l --capture-trace "
          "cand=m");
    assert_int_equal(o.compare.n_inputs[0], 2);
    assert_int_equal(o.compare.n_inputs[1], 1);
    assert_string_equal(o.compare.inputs[0][1], "b");
    assert_string_equal(o.compare.lender[0], "l");
    assert_string_equal(o.compare.lender[1], "m");
    assert_null(o.capture_trace);
    takes("compare --ref a b"); /* the other side */
    assert_string_equal(o.compare.inputs[1][0], "b");
    refuses("compare a b c", "unexpected argument 'c'");
}

static void a_job_has_many_inputs(void **state)
{
    (void)state;
    takes("job a b c -o out");
    assert_int_equal(o.job.n_inputs, 3);
    assert_string_equal(o.job.inputs[2], "c");
    assert_null(o.trace);
    takes("cut a --from 1 --to 2 --shift 5");
    assert_string_equal(o.cut.shift, "5");
}

static void runs_have_a_folder_and_a_root(void **state)
{
    (void)state;
    takes("publish report root");
    assert_string_equal(o.trace, "report");
    assert_string_equal(o.root, "root");
    takes("reindex root");
    assert_null(o.trace);
    assert_string_equal(o.root, "root");
    refuses("reindex root more", "unexpected argument 'more'");
    refuses("t.json more", "unexpected argument 'more'");
    refuses("platforms more", "unexpected argument 'more'");
}

/* Figures describe a device that has no file. */
static void a_device_may_be_figures(void **state)
{
    (void)state;
    takes("t.json --peak-bw-tbs 5.3");
    assert_true(options_have_figures(&o));
    assert_string_equal(o.platform, "custom device");
    takes("t.json --peak-bw-tbs 5.3 -p X1");
    assert_string_equal(o.platform, "X1");
    takes("t.json");
    assert_false(options_have_figures(&o));
    refuses("t.json --peak-tflops 0", "a number from 0.001 to");
}

/* Whatever else is wrong behind it. */
static void help_and_version_come_first(void **state)
{
    (void)state;
    takes("job --help --nonsense");
    assert_int_equal(o.command, COMMAND_HELP);
    assert_string_equal(o.trace, "job");
    takes("--help --nonsense");
    assert_null(o.trace);
    takes("-V");
    assert_int_equal(o.command, COMMAND_VERSION);
}

static void print_takes_a_word_or_none(void **state)
{
    (void)state;
    takes("t.json --print");
    assert_string_equal(o.print, "text");
    assert_string_equal(o.trace, "t.json");
    takes("analyze --print t.json");
    assert_string_equal(o.print, "text");
    assert_string_equal(o.trace, "t.json");
    takes("analyze --print md t.json");
    assert_string_equal(o.print, "md");
    assert_string_equal(o.trace, "t.json");
    assert_true(options_print_alone(&o));
    takes("t.json --print=json -o out");
    assert_true(options_print_json(&o));
    assert_false(options_print_alone(&o));
    refuses("t.json --print=xml", "--print: expected text, json or md, not 'xml'");
}

/* A number or word of a command is where its member is: no two options share one. */
static void no_two_options_write_one_member(void **state)
{
    (void)state;
    for (int i = 0; i < KNOWN; i++)
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(known[i].name, known[k].name);
            if (known[i].kind < OWN && known[k].kind < OWN)
                assert_true(known[i].at != known[k].at);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bare_trace_is_analysed),
        cmocka_unit_test(a_command_is_a_word),
        cmocka_unit_test(options_and_arguments_are_in_any_order),
        cmocka_unit_test(repeated_options_keep_their_order),
        cmocka_unit_test(formats_are_a_set),
        cmocka_unit_test(what_is_public_has_no_pieces_of_the_trace),
        cmocka_unit_test(quantities_have_letters),
        cmocka_unit_test(numbers_have_limits),
        cmocka_unit_test(one_of_two_words),
        cmocka_unit_test(a_url_is_of_the_web),
        cmocka_unit_test(an_option_is_of_some_commands),
        cmocka_unit_test(spelling_mistakes_are_told),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(two_sides_are_compared),
        cmocka_unit_test(a_job_has_many_inputs),
        cmocka_unit_test(runs_have_a_folder_and_a_root),
        cmocka_unit_test(a_device_may_be_figures),
        cmocka_unit_test(help_and_version_come_first),
        cmocka_unit_test(print_takes_a_word_or_none),
        cmocka_unit_test(no_two_options_write_one_member),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
