#include "commands/help_text.h"

#include "base/terminal.h"
#include "base/unknown.h"
#include "render/text/bundle.h"

/* What templates/help.txt holds, one after the other, with a line of %% between. In a
 * replay package, that package's own heading comes before its README. */
enum part { PART_USAGE, PART_FIRST, PART_OPTIONS, PART_REPLAY, PART_NONE };

static struct str part_of(enum part wanted)
{
    struct str rest = bundle_file(S("templates/help.txt")), text = rest;
    for (int k = 0; k <= (int)wanted; k++)
        text = str_take(&rest, S("%%\n"));
    return text;
}

static const struct {
    struct str topic;
    const char *file;
    enum part head;
} guides[] = {
    {S_INIT("inputs"), "assets/inputs/README.md", PART_NONE},
    {S_INIT("ranks"), "assets/job/README.md", PART_NONE},
    {S_INIT("agents"), "assets/agents/README.md", PART_NONE},
    {S_INIT("from-tensorboard"), "assets/coming-from/tensorboard.md", PART_NONE},
    {S_INIT("from-tracelens"), "assets/coming-from/tracelens.md", PART_NONE},
    {S_INIT("from-hta"), "assets/coming-from/hta.md", PART_NONE},
    {S_INIT("from-nsys"), "assets/coming-from/nsys.md", PART_NONE},
    {S_INIT("from-chrome"), "assets/coming-from/chrome.md", PART_NONE},
    {S_INIT("writing-patterns"), "assets/patterns/README.md", PART_NONE},
    {S_INIT("replay"), "assets/replay/README.md", PART_REPLAY},
    {S_INIT("softmax_model.lua"), "assets/extensions/softmax_model.lua", PART_NONE},
    {S_INIT("residual_scale.lua"), "assets/extensions/residual_scale.lua", PART_NONE},
    {S_INIT("github.yml"), "assets/ci/github.yml", PART_NONE},
    {S_INIT("gitlab.yml"), "assets/ci/gitlab.yml", PART_NONE},
    {S_INIT("Jenkinsfile"), "assets/ci/Jenkinsfile", PART_NONE},
    {S_INIT("waivers.txt"), "assets/ci/waivers.txt", PART_NONE}};
enum { GUIDES = sizeof guides / sizeof *guides };

void help_first(FILE *to)
{
    terminal_raw(to, part_of(PART_FIRST));
}

/* Topics and exit status, which end the list of options. */
static struct str closing(struct str options)
{
    return str_skip(options, str_find(options, S("Help topics:")));
}

static void print_commands(FILE *to)
{
    terminal_raw(to, part_of(PART_USAGE));
    terminal_raw(to, closing(part_of(PART_OPTIONS)));
}

static void print_all(FILE *to)
{
    terminal_raw(to, part_of(PART_USAGE));
    terminal_raw(to, part_of(PART_OPTIONS));
}

/* The lines of a command in the list of commands: its own, and those that go on. */
static void print_synopsis(FILE *to, struct str command)
{
    struct str usage = part_of(PART_USAGE), begins = S("  tracefolio ");
    for (bool mine = false; usage.n;) {
        struct str line = str_take(&usage, S("\n"));
        struct str after = str_skip(line, begins.n);
        if (!line.n || str_starts(line, begins))
            mine = line.n && str_starts(after, command) && after.n > command.n &&
                   after.p[command.n] == ' ';
        if (mine)
            terminal_line(to, "%.*s", STRF(line));
    }
}

/* Whose options are under a heading: those of `command`, of any, or of others: "Runs
 * (publish, reindex; ...)". */
enum owner { OWNER_COMMAND, OWNER_ANY, OWNER_OTHERS, OWNERS };

static enum owner owner_of(struct str heading, struct str command)
{
    str_take(&heading, S("("));
    if (!heading.n)
        return OWNER_ANY;
    struct str words = str_take(&heading, S(")")), list = str_take(&words, S(";"));
    while (list.n)
        if (str_eq(str_trim(str_take(&list, S(","))), command))
            return OWNER_COMMAND;
    return OWNER_OTHERS;
}

/* "--steps" of "      --steps LIST   steps to ...", "--output" of "  -o, --output DIR";
 * empty for any other line. */
static struct str option_of(struct str line)
{
    struct str word = str_trim(line);
    if (word.n > 4 && word.p[0] == '-' && word.p[2] == ',')
        word = str_skip(word, 4);
    return str_starts(word, S("--")) ? str_take(&word, S(" ")) : S("");
}

/* What is told of one command: first the options under its own headings, then those
 * under the headings of any, then those of others that it takes, each once. */
struct telling {
    FILE *to;
    enum command command;
    struct str heading;     /* empty: printed, or none */
    enum owner pass, owner; /* whose headings this time; whose this one is */
    bool keeps;             /* the lines that follow belong to what was printed */
    bool told[OPTIONS_MOST];
};

static void print_line(struct telling *t, struct str line)
{
    if (t->heading.n)
        terminal_raw(t->to, S("\n"));
    if (t->heading.n)
        terminal_line(t->to, "%.*s", STRF(t->heading));
    t->heading = S("");
    terminal_line(t->to, "%.*s", STRF(line));
}

static void tell_line(struct telling *t, struct str line)
{
    bool goes_on = str_starts(line, S("            "));
    if (!line.n) {
        t->heading = S("General");
        t->owner = OWNER_ANY;
        t->keeps = false;
    } else if (line.p[0] != ' ') {
        t->heading = line;
        t->owner = owner_of(line, command_name(t->command));
        t->keeps = false;
    } else if (!goes_on) {
        struct str option = option_of(line);
        int k = command_option(t->command, option);
        t->keeps = t->owner == t->pass &&
                   (option.n ? k >= 0 && !t->told[k] : t->pass == OWNER_COMMAND);
        if (t->keeps && k >= 0)
            t->told[k] = true;
    }
    if (t->keeps)
        print_line(t, line);
}

static void print_command(FILE *to, enum command command)
{
    struct telling t = {.to = to, .command = command};
    struct str all = part_of(PART_OPTIONS);
    all = str_head(all, all.n - closing(all).n);
    str_take(&all, S("\n\n")); /* what TRACE is */
    print_synopsis(to, command_name(command));
    for (int pass = 0; pass < OWNERS; pass++) {
        t.pass = (enum owner)pass;
        t.owner = OWNER_ANY;
        for (struct str rest = all; rest.n;)
            tell_line(&t, str_take(&rest, S("\n")));
    }
}

static void print_guide(FILE *to, int k)
{
    if (guides[k].head != PART_NONE)
        terminal_raw(to, part_of(guides[k].head));
    terminal_raw(to, bundle_file(str_of(guides[k].file)));
}

/* Where what people look for by another name is told; empty: not known. */
static struct str place_of_topic(struct str topic)
{
    static const struct {
        struct str topic, at;
    } known[] = {{S_INIT("ci"), S_INIT("github.yml, gitlab.yml, Jenkinsfile")},
                 {S_INIT("gates"), S_INIT("analyze, compare")},
                 {S_INIT("json"), S_INIT("agents, analyze")},
                 {S_INIT("exit-codes"), S_INIT("options")},
                 {S_INIT("slurm"), S_INIT("ranks")},
                 {S_INIT("dask"), S_INIT("ranks")},
                 {S_INIT("formats"), S_INIT("inputs, analyze")},
                 {S_INIT("tensorboard"), S_INIT("from-tensorboard")},
                 {S_INIT("tracelens"), S_INIT("from-tracelens")}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_eq_nocase(topic, known[i].topic))
            return known[i].at;
    return S("");
}

static bool print_topic(FILE *to, struct str topic, struct err *e)
{
    struct str at = place_of_topic(topic);
    struct str names[GUIDES + COMMAND_NAMES];
    for (int k = 0; k < GUIDES; k++) {
        names[k] = guides[k].topic;
        if (!str_eq(topic, names[k]))
            continue;
        print_guide(to, k);
        return true;
    }
    if (at.n)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "unknown topic '%.*s'; `tracefolio help TOPIC` tells it under "
                       "%.*s",
                       STRF(topic), STRF(at));
    for (int k = 0; k < COMMAND_NAMES; k++)
        names[GUIDES + k] = command_name((enum command)k);
    return err_unknown(e, "topic", topic, names, GUIDES + COMMAND_NAMES,
                       "`tracefolio help` lists them");
}

bool help_print(FILE *to, const char *topic, struct err *e)
{
    struct str word = str_of(topic);
    enum command command = command_of(word);
    if (!topic || str_eq(word, S("topics")))
        print_commands(to);
    else if (str_eq(word, S("options")))
        print_all(to);
    else if (command < COMMAND_NAMES)
        print_command(to, command);
    else
        return print_topic(to, word, e);
    return true;
}
