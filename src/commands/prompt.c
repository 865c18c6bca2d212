#include "commands/prompt.h"

#include "base/str.h"
#include "base/terminal.h"
#include "commands/options_complete.h"
#include "commands/remote.h"
#include "formats/trace_open.h"
#include "render/folder/publish.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool prompt_possible(void)
{
    return isatty(0) && isatty(2);
}

struct prompt {
    struct options *o;
    struct arena *perm;
    int number; /* of the last question asked */
};

typedef bool check_answer(struct prompt *p, struct err *e);

/* Reads the trace as far as its first event, before the next question. */
static bool check_trace(struct prompt *p, struct err *e)
{
    const char *path = p->o->trace;
    struct event_source events;
    if (!options_trace_is_file(path, e))
        return false;
    if (strcmp(path, "-") == 0)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "standard input is the terminal; name a file");
    if (p->o->node)
        return true;
    if (access(path, F_OK) != 0)
        return err_set(
            e, ERR_INPUT, path, -1,
            "no such file; for a trace on another machine, start with --node "
            "NODE");
    if (!trace_open(&events, path, (struct source_options){.one_thread = true}, e))
        return false;
    events.next(events.state, e);
    events.close(events.state);
    return e->kind == ERR_NONE;
}

static bool check_names(struct prompt *p, struct err *e)
{
    return remote_check(p->o->node, p->o->container, e);
}

static bool check_output(struct prompt *p, struct err *e)
{
    struct publish folder;
    if (!publish_begin(&folder, p->o->out_dir, p->o->force, e))
        return false;
    publish_abort(&folder, NULL);
    return true;
}

/* Asks for what the command line did not give, until the answer is valid. An empty
 * answer or end of input skips an optional question. */
static bool ask(struct prompt *p, const char **answer, const char *question,
                bool required, check_answer *check, struct err *e)
{
    char line[4096];
    if (*answer)
        return true;
    p->number++;
    for (;;) {
        struct err wrong = {0};
        terminal_part(stderr, "%d. %s: ", p->number, question);
        fflush(stderr);
        if (!fgets(line, sizeof line, stdin))
            return !required ||
                   err_set(e, ERR_USAGE, NULL, -1, "no answer to \"%s\"", question);
        struct str text = str_trim(str_of(line));
        if (!text.n && !required)
            return true;
        if (!text.n)
            continue;
        *answer = str_c(p->perm, text);
        if (check(p, &wrong))
            return true;
        *answer = NULL;
        err_line(&wrong, line, sizeof line);
        terminal_line(stderr, "   %s", line);
    }
}

bool prompt_options(struct options *o, struct arena *perm, struct err *e)
{
    struct prompt p = {.o = o, .perm = perm};
    bool has_trace = o->trace != NULL;
    terminal_text(stderr, S("Please answer a few questions about the trace.\n\n"));
    if (has_trace ? !check_trace(&p, e)
                  : !ask(&p, &o->trace, "Trace file path", true, check_trace, e))
        return false;
    return ask(&p, &o->node,
               "Cluster node that holds the file (optional, default: this machine)",
               false, check_names, e) &&
           (!o->node || ask(&p, &o->container, "Container on that node (optional)",
                            false, check_names, e)) &&
           ask(&p, &o->out_dir,
               "Output folder (optional, default: analysis_output beside the trace)",
               false, check_output, e);
}
