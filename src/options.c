#include "options.h"

#include "base/arena.h"
#include "render/single_file.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

const char options_help[] =
    "tracefolio - where does GPU time go, and what should we do first?\n"
    "\n"
    "  tracefolio analyze TRACE [-o DIR] [-p PLATFORM] [options]\n"
    "  tracefolio TRACE ...           the same\n"
    "  tracefolio platforms           devices with a roofline, and their figures\n"
    "  tracefolio patterns [--trace TRACE]  the library of symptoms and advice; with\n"
    "                                 a trace how often each was seen\n"
    "  tracefolio themes [FOLDER]     colours and fonts of the site, checked\n"
    "  tracefolio verify FOLDER       whether a written folder is as it was written\n"
    "  tracefolio help | --help | --version\n"
    "\n"
    "TRACE is a profiler trace as torch.profiler exports it (.json or .json.gz, told "
    "by\n"
    "content); - reads standard input. Without a trace or platform on a terminal it "
    "asks.\n"
    "\n"
    "  -o, --output DIR       folder to write; analysis_output beside the trace\n"
    "  -p, --platform NAME    device (see `tracefolio platforms`), a JSON file of the "
    "same\n"
    "                         form, or none: no roofline\n"
    "      --model NAME       what to call the model in the report\n"
    "      --node NODE        read TRACE on another machine, streamed through ssh\n"
    "      --container NAME   in this container there (docker exec)\n"
    "      --extension FILE   a Lua file with performance models, categories, "
    "patterns;\n"
    "                         may be repeated\n"
    "      --replay LIST      operators to make replay packages for; auto (what the\n"
    "                         findings recommend) by default, none for none\n"
    "      --fail-on LEVEL    exit with 10 if a finding is at least critical, high or "
    "medium\n"
    "      --formats LIST     site,md,csv,xlsx,json,png,replay,cuts; all of them by "
    "default\n"
    "      --theme NAME       colours and fonts of the site; a name or a folder\n"
    "      --single-file FILE the whole site as one HTML file too, to mail or upload\n"
    "      --single-file-limit MB  refuse above this; 25 by default\n"
    "      --embed-replay     replay packages in that file too\n"
    "      --include-unlinked count device work whose launch call is not in the trace\n"
    "      --detect-recompute tell activation recomputation apart in the tables\n"
    "  -f, --force            replace a folder that tracefolio did not write\n"
    "  -j, --jobs N           threads, 1 or 2\n"
    "  -q, --quiet            no progress\n"
    "  -v, --verbose          time and memory of each stage\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 wrong use, 3 the trace cannot be read,\n"
    "4 the output cannot be written, 10 written and a finding reached --fail-on.\n";

static const struct {
    const char *name;
    unsigned format;
} formats[] = {{"site", FORMAT_SITE},     {"md", FORMAT_MD},     {"csv", FORMAT_CSV},
               {"xlsx", FORMAT_XLSX},     {"json", FORMAT_JSON}, {"png", FORMAT_PNG},
               {"replay", FORMAT_REPLAY}, {"cuts", FORMAT_CUTS}};

struct str options_formats(struct arena *a, unsigned wanted)
{
    struct str list = S("");
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        if (wanted & formats[k].format)
            list = str_printf(a, "%.*s%s%s", STRF(list), list.n ? "," : "",
                              formats[k].name);
    return list;
}

static bool read_formats(struct options *o, const char *list, struct err *e)
{
    o->formats = 0;
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, ","), k = 0;
        while (k < sizeof formats / sizeof *formats &&
               (strlen(formats[k].name) != n || strncmp(formats[k].name, p, n) != 0))
            k++;
        if (k == sizeof formats / sizeof *formats)
            return err_set(e, ERR_USAGE, NULL, -1,
                           "--formats: '%.*s' is none of site, md, csv, xlsx, json, "
                           "png, replay, cuts",
                           (int)n, p);
        o->formats |= formats[k].format;
        p += n + (p[n] == ',');
    }
    if (!o->formats)
        return err_set(e, ERR_USAGE, NULL, -1, "--formats: no format named");
    return true;
}

static bool read_jobs(struct options *o, const char *text, struct err *e)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (*end || end == text || n < 1 || n > 256)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "-j wants a number of threads from 1, not '%s'", text);
    o->threads = (int)n;
    return true;
}

static bool read_limit(struct options *o, const char *text, struct err *e)
{
    int64_t mb;
    if (!str_int(str_of(text), &mb) || mb < 1 || mb > 1000)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--single-file-limit wants 1 to 1000 MB, not '%s'", text);
    o->single_file_limit_mb = (int)mb;
    return true;
}

static bool read_gate(struct options *o, const char *text, struct err *e)
{
    static const char *const levels[] = {
        [GATE_MEDIUM] = "medium", [GATE_HIGH] = "high", [GATE_CRITICAL] = "critical"};
    for (int k = GATE_MEDIUM; k <= GATE_CRITICAL; k++)
        if (strcmp(levels[k], text) == 0) {
            o->fail_on = (enum gate)k;
            return true;
        }
    return err_set(e, ERR_USAGE, NULL, -1,
                   "--fail-on wants critical, high or medium, not '%s'", text);
}

/* Options without a letter. */
enum {
    MODEL = 256,
    FORMATS,
    THEME,
    UNLINKED,
    RECOMPUTE,
    VERSION,
    NODE,
    CONTAINER,
    EXTENSION,
    REPLAY,
    FAIL_ON,
    TRACE,
    SINGLE_FILE,
    SINGLE_LIMIT,
    EMBED_REPLAY
};

static const struct option longs[] = {
    {"output", required_argument, NULL, 'o'},
    {"platform", required_argument, NULL, 'p'},
    {"model", required_argument, NULL, MODEL},
    {"node", required_argument, NULL, NODE},
    {"container", required_argument, NULL, CONTAINER},
    {"extension", required_argument, NULL, EXTENSION},
    {"replay", required_argument, NULL, REPLAY},
    {"fail-on", required_argument, NULL, FAIL_ON},
    {"trace", required_argument, NULL, TRACE},
    {"formats", required_argument, NULL, FORMATS},
    {"theme", required_argument, NULL, THEME},
    {"single-file", required_argument, NULL, SINGLE_FILE},
    {"single-file-limit", required_argument, NULL, SINGLE_LIMIT},
    {"embed-replay", no_argument, NULL, EMBED_REPLAY},
    {"include-unlinked", no_argument, NULL, UNLINKED},
    {"detect-recompute", no_argument, NULL, RECOMPUTE},
    {"force", no_argument, NULL, 'f'},
    {"jobs", required_argument, NULL, 'j'},
    {"quiet", no_argument, NULL, 'q'},
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, VERSION},
    {NULL, 0, NULL, 0}};

/* Where an option's text is kept as it is; NULL: not this kind. */
static const char **text_of(struct options *o, int option)
{
    switch (option) {
    case 'o':
        return &o->out_dir;
    case 'p':
        return &o->platform;
    case MODEL:
        return &o->model;
    case NODE:
        return &o->node;
    case CONTAINER:
        return &o->container;
    case EXTENSION:
        return &o->extensions[o->n_extensions++];
    case TRACE:
        return &o->trace;
    case REPLAY:
        return &o->replay;
    case THEME:
        return &o->theme;
    case SINGLE_FILE:
        return &o->single_file;
    default:
        return NULL;
    }
}

/* What an option without a value sets; NULL: not this kind. */
static bool *flag_of(struct options *o, int option)
{
    switch (option) {
    case UNLINKED:
        return &o->include_unlinked;
    case RECOMPUTE:
        return &o->detect_recompute;
    case EMBED_REPLAY:
        return &o->embed_replay;
    case 'f':
        return &o->force;
    case 'q':
        return &o->quiet;
    case 'v':
        return &o->verbose;
    default:
        return NULL;
    }
}

/* An option whose value is checked, and what is no option. */
static bool read_checked(struct options *o, int option, const char *word, struct err *e)
{
    switch (option) {
    case FAIL_ON:
        return read_gate(o, optarg, e);
    case SINGLE_LIMIT:
        return read_limit(o, optarg, e);
    case FORMATS:
        return read_formats(o, optarg, e);
    case 'j':
        return read_jobs(o, optarg, e);
    case ':':
        return err_set(e, ERR_USAGE, NULL, -1,
                       "%s wants a value; `tracefolio --help` lists the options", word);
    default:
        return err_set(e, ERR_USAGE, NULL, -1,
                       "%s is no option; `tracefolio --help` lists them", word);
    }
}

static bool read_switches(struct options *o, int argc, char **argv, struct err *e)
{
    opterr = 0;
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, ":o:p:fj:qvh", longs, NULL)) != -1;) {
        if (c == 'h' || c == VERSION) {
            o->command = c == 'h' ? COMMAND_HELP : COMMAND_VERSION;
            return true;
        }
        const char **text = text_of(o, c);
        bool *flag = flag_of(o, c);
        if (text)
            *text = optarg;
        else if (flag)
            *flag = true;
        else if (!read_checked(o, c, argv[optind - 1], e))
            return false;
    }
    return true;
}

/* The command word, where there is one; a bare trace means analyze. */
static void read_command(struct options *o, int argc, char **argv)
{
    static const struct {
        const char *word;
        enum command command;
    } words[] = {{"analyze", COMMAND_ANALYZE},   {"platforms", COMMAND_PLATFORMS},
                 {"patterns", COMMAND_PATTERNS}, {"themes", COMMAND_THEMES},
                 {"verify", COMMAND_VERIFY},     {"help", COMMAND_HELP}};
    for (size_t k = 0; optind < argc && k < sizeof words / sizeof *words; k++)
        if (strcmp(argv[optind], words[k].word) == 0) {
            o->command = words[k].command;
            optind++;
            return;
        }
}

bool options_read(struct options *o, int argc, char **argv, struct arena *perm,
                  struct err *e)
{
    *o = (struct options){.command = COMMAND_ANALYZE,
                          .theme = "default",
                          .replay = "auto",
                          .formats = FORMAT_ALL,
                          .single_file_limit_mb = SINGLE_LIMIT_MB,
                          .threads = 2};
    o->extensions = arena_new(perm, const char *, argc);
    if (!read_switches(o, argc, argv, e))
        return false;
    if (o->command == COMMAND_HELP || o->command == COMMAND_VERSION)
        return true;
    read_command(o, argc, argv);
    if (optind < argc)
        o->trace = argv[optind++];
    if (optind < argc)
        return err_set(e, ERR_USAGE, NULL, -1, "'%s' is one word too many",
                       argv[optind]);
    return true;
}

bool options_complete(const struct options *o, struct err *e)
{
    if (o->command == COMMAND_VERIFY && !o->trace)
        return err_set(e, ERR_USAGE, NULL, -1, "name the folder to verify");
    if (o->command != COMMAND_ANALYZE)
        return true;
    if (!o->trace)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "name a trace: tracefolio analyze TRACE -p PLATFORM");
    if (o->container && !o->node)
        return err_set(e, ERR_USAGE, NULL, -1, "--container goes with --node");
    if (o->embed_replay && (!o->single_file || !(o->formats & FORMAT_REPLAY)))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--embed-replay goes with --single-file and the format replay");
    if (!o->platform)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "name the device the trace was taken on with -p (`tracefolio "
                       "platforms` lists them; -p none works without)");
    return true;
}
