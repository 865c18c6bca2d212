/* `tracefolio patterns`: the pattern library, and its matches in a
 * trace. */
#include "commands/commands.h"

#include "analysis/lua/patterns_command.h"
#include "base/out.h"
#include "base/terminal.h"
#include "commands/recorded_device.h"
#include "commands/stage_options.h"

static void print(const struct pattern_host *h, const struct analysis *a)
{
    struct out text;
    out_memory(&text);
    patterns_print(&text, h, a);
    terminal_text(stdout, out_view(&text));
    out_free(&text);
}

/* Analyses the trace up to its findings; writes no files. */
static bool run_on_trace(const struct options *o, struct trace_options *setup,
                         struct arena *perm, struct err *e)
{
    struct trace_result t;
    struct device_question q = {o, perm};
    setup->device_of = recorded_device_of;
    setup->context = &q;
    if (!trace_analyse(&t, &(struct trace_source){.path = o->trace}, setup, e))
        return false;
    print(t.patterns, &t.analysis);
    if (!t.tables.device)
        terminal_line(
            stdout,
            "note: without peaks (-p) efficiencies are unknown, so patterns that "
            "test them cannot match");
    bool good = extensions_good(o, t.patterns, e);
    trace_close(&t);
    return good;
}

bool patterns_run(const struct options *o, struct err *e)
{
    struct arena perm = arena_reserve(1 << 26);
    struct trace_options setup;
    struct pattern_host *h;
    if (!trace_options_of(o, &perm, &setup, e))
        return false;
    if (o->trace)
        return run_on_trace(o, &setup, &perm, e);
    if (!pattern_host_open(&h, &perm, setup.patterns, setup.n_patterns,
                           setup.extensions, setup.n_extensions, e))
        return false;
    print(h, NULL);
    bool good = extensions_good(o, h, e);
    pattern_host_close(h);
    return good;
}
