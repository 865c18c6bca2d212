#include "prompt.h"

#include "base/str.h"
#include "device_choice.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool prompt_possible(void)
{
    return isatty(0) && isatty(2);
}

/* One line of the user's, without space at its ends; NULL at the end of the input. */
static const char *ask(struct arena *perm, const char *question)
{
    char line[4096];
    fprintf(stderr, "%s: ", question);
    fflush(stderr);
    if (!fgets(line, sizeof line, stdin))
        return NULL;
    return str_c(perm, str_trim(str_of(line)));
}

static bool ask_required(const char **answer, struct arena *perm, const char *question,
                         struct err *e)
{
    for (int tries = 0; tries < 3 && !*answer; tries++) {
        const char *text = ask(perm, question);
        if (!text)
            break;
        if (*text)
            *answer = text;
    }
    return *answer ? true
                   : err_set(e, ERR_USAGE, NULL, -1, "no answer to \"%s\"", question);
}

bool prompt_options(struct options *o, struct arena *perm, struct err *e)
{
    fputs("To analyse a trace, this is needed:\n\n", stderr);
    if (!ask_required(&o->trace, perm, "1. Trace file path (.json or .json.gz)", e))
        return false;
    if (!o->platform) {
        fputc('\n', stderr);
        if (!device_list(stderr, e) ||
            !ask_required(&o->platform, perm,
                          "2. Platform (a name of this list, a JSON file, or none)", e))
            return false;
    }
    const char *text;
    if (!o->node &&
        (text = ask(perm, "3. Cluster node the file lies on (Enter: here)")) && *text)
        o->node = text;
    if (o->node && !o->container &&
        (text = ask(perm, "4. Container on that node (Enter: none)")) && *text)
        o->container = text;
    if (!o->out_dir &&
        (text = ask(perm, "5. Output folder (Enter: analysis_output beside "
                          "the trace)")) &&
        *text)
        o->out_dir = text;
    return true;
}
