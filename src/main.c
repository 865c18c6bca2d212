/* tracefolio - options, then one command. The stages of the main one are in analyze.c.
 */
#include "base/arena.h"
#include "base/beside.h"
#include "base/memory_limit.h"
#include "base/out.h"
#include "base/str.h"
#include "base/terminal.h"
#include "base/version.h"
#include "base/write_all.h"
#include "commands/commands.h"
#include "commands/device_choice.h"
#include "commands/help_text.h"
#include "commands/json_memory.h"
#include "commands/kernel_names.h"
#include "commands/options_complete.h"
#include "commands/prompt.h"
#include "render/folder/manifest.h"
#include "render/text/theme.h"
#include "render/text/themes_command.h"
#include "runs/run_publish.h"
#include "share/leaves.h"
#include "share/word_scan.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static bool run_verify(const struct options *o, struct err *e)
{
    struct arena tmp = arena_reserve(arena_machine_bytes());
    struct out lines;
    ptrdiff_t differences = 0;
    out_memory(&lines);
    bool read = manifest_verify(o->trace, tmp, &lines, &differences, e);
    if (!o->quiet)
        terminal_text(stdout, out_view(&lines));
    out_free(&lines);
    if (read && differences)
        return err_set(e, ERR_INPUT, o->trace, -1,
                       "%td %s from the manifest; analyse the trace again", differences,
                       str_plural(differences, "file differs", "files differ"));
    if (read && !o->quiet)
        terminal_line(stdout, "all files match the manifest");
    return read;
}

/* What would leave with a folder: forbidden words, or else what kinds of text. */
static bool run_share_check(const struct options *o, struct err *e)
{
    struct arena perm = arena_reserve(arena_machine_bytes() / 4);
    struct arena tmp = arena_reserve(arena_machine_bytes() / 4);
    struct forbidden words;
    struct word_hits hits = {0};
    if (o->forbid && !forbidden_read(&perm, o->forbid, &words, e))
        return false;
    if (!o->quiet && !leaves_print(stdout, o->trace, &perm, tmp, e))
        return false;
    return !o->forbid || (scan_folder(&words, o->trace, &perm, tmp, &hits, e) &&
                          scan_tell(&hits, o->forbid, e));
}

static bool run_publish(const struct options *o, struct err *e)
{
    struct arena perm = arena_reserve(1 << 26);
    struct theme theme;
    struct publish_request q = {.folder = o->trace,
                                .root = o->root,
                                .share = o->share,
                                .keep = (int)o->keep,
                                .keep_days = (int)o->keep_days,
                                .lock_wait_s = (int)o->lock_wait_s,
                                .quiet = o->quiet};
    return theme_choose(&perm, o->theme, &theme, e) && runs_publish(&q, &theme, e);
}

static bool run(const struct options *o, struct err *e)
{
    if (o->threads == 1)
        beside_forbid();
    switch (o->command) {
    case COMMAND_HELP:
        return help_print(stdout, o->trace, e);
    case COMMAND_VERSION:
        terminal_line(stdout, "tracefolio " TRACEFOLIO_VERSION);
        return true;
    case COMMAND_PLATFORMS:
        return device_list(stdout, e);
    case COMMAND_PATTERNS:
        return patterns_run(o, e);
    case COMMAND_THEMES:
        return themes_run(stdout, o->trace, e);
    case COMMAND_VERIFY:
        return run_verify(o, e);
    case COMMAND_COMPARE:
        return compare_run(o, e);
    case COMMAND_SUMMARIZE:
        return summarize_run(o, e);
    case COMMAND_JOB:
        return job_run(o, e);
    case COMMAND_CUT:
        return cut_run(o, e);
    case COMMAND_DEMO:
        return demo_run(o, e);
    case COMMAND_TREE:
        return tree_run(o, e);
    case COMMAND_WHATIF:
        return whatif_run(o, e);
    case COMMAND_SHARE_CHECK:
        return run_share_check(o, e);
    case COMMAND_PUBLISH:
    case COMMAND_REINDEX:
        return run_publish(o, e);
    default:
        return analyze_run(o, e);
    }
}

/* A standard stream that is closed would be whatever is opened next: a folder as the
 * input, or a page that the summary is written into. One that fails is written there
 * instead. */
static void hold_closed_streams(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
            _exit(1);
}

/* A large block goes back to the system when it is freed. Left alone, glibc raises the
 * threshold with each that is, and then keeps up to 10 MB of them. The heaps of threads
 * begin with a step of address space instead of asking for each page of it: that locks
 * the page faults of the other thread out. Each heap reserves 64 MiB: where address
 * space is limited, one has to do for all threads, or which of them began first would
 * decide whether there is enough. */
static void set_malloc(void)
{
    enum { LARGE_BYTES = 128 << 10, STEP_BYTES = 1 << 20 };
    struct rlimit space;
    mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
    mallopt(M_TOP_PAD, STEP_BYTES);
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
        mallopt(M_ARENA_MAX, 1);
}

/* A job counts its captures itself, so that it does without a replay that would be too
 * large: what the program takes besides is not much more than this. */
static int64_t memory_of(const struct options *o)
{
    enum { JOB_LEAST = 256000000 };
    bool least = o->command == COMMAND_JOB && o->max_memory < JOB_LEAST;
    return least ? JOB_LEAST : (int64_t)o->max_memory;
}

int main(int argc, char **argv)
{
    static const int status[ERR_KINDS] = {
        [ERR_NONE] = 0,       [ERR_USAGE] = 2,     [ERR_INPUT] = 3,
        [ERR_OUTPUT] = 4,     [ERR_INTERNAL] = 1,  [ERR_GATE] = 10,
        [ERR_INCOMPLETE] = 5, [ERR_FORBIDDEN] = 12};
    struct options o;
    struct err e = {0};
    hold_closed_streams();
    signal(SIGXFSZ, SIG_IGN); /* a file too large is an error like a full disk */
    set_malloc();
    json_memory_install();
    struct arena perm = arena_reserve(1 << 24);
    bool done = options_read(&o, argc, argv, &perm, &e);
    bool asks = done && o.command == COMMAND_ANALYZE && !o.trace;
    if (argc == 1) {
        help_first(stdout);
        return fflush(stdout) == 0 ? 0 : status[ERR_OUTPUT];
    }
    if (asks && prompt_possible())
        done = prompt_options(&o, &perm, &e);
    if (done && o.max_output > 0)
        write_limit_set((int64_t)o.max_output);
    if (done && o.max_memory > 0)
        memory_limit_start(memory_of(&o));
    done = done && options_complete(&o, &e) &&
           kernel_names_read(&perm, o.job.names, &e) && run(&o, &e);
    /* Text longer than the buffer fails before the flush, which then has nothing left
     * to write. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && done)
        done = err_set(&e, ERR_OUTPUT, "standard output", -1, "cannot be written");
    if (done)
        return 0;
    if (write_limit_met())
        err_doing(&e, "--max-output allows %.0f bytes", o.max_output);
    char line[2048];
    err_line(&e, line, sizeof line);
    terminal_line(stderr, "tracefolio: %s", line);
    return status[e.kind] ? status[e.kind] : 1;
}
