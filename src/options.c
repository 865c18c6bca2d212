#include "options.h"

#include "analysis/analysis_run.h"
#include "base/arena.h"
#include "render/single_file.h"

#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

/* One of two words; true for the second. */
static bool read_either(bool *second, const char *option, const char *const words[2],
                        const char *text, struct err *e)
{
    *second = strcmp(text, words[1]) == 0;
    return *second || strcmp(text, words[0]) == 0 ||
           err_set(e, ERR_USAGE, NULL, -1, "--%s wants %s or %s, not '%s'", option,
                   words[0], words[1], text);
}

static bool read_system_impact(struct options *o, const char *text, struct err *e)
{
    return read_either(&o->no_system_impact, "system-impact",
                       (const char *const[]){"range", "none"}, text, e);
}

static bool read_fair_style(struct options *o, const char *text, struct err *e)
{
    return read_either(&o->fair_by_number, "fair-style",
                       (const char *const[]){"standard", "jarvis"}, text, e);
}

static bool read_extension(struct options *o, const char *text, struct err *e)
{
    (void)e;
    o->extensions[o->n_extensions++] = text;
    return true;
}

/* ---- all options ------------------------------------------------------------- */

struct known {
    const char *name;
    char letter; /* 0: none */
    enum { WORD, FLAG, REAL, OWN } kind;
    size_t at;          /* WORD, FLAG, REAL: its member of struct options */
    double least, most; /* REAL */
    bool (*read)(struct options *o, const char *text, struct err *e); /* OWN */
};

#define AT(member) offsetof(struct options, member)

static const struct known known[] = {
    {"output", 'o', WORD, AT(out_dir), 0, 0, NULL},
    {"platform", 'p', WORD, AT(platform), 0, 0, NULL},
    {"model", 0, WORD, AT(model), 0, 0, NULL},
    {"node", 0, WORD, AT(node), 0, 0, NULL},
    {"container", 0, WORD, AT(container), 0, 0, NULL},
    {"extension", 0, OWN, 0, 0, 0, read_extension},
    {"replay", 0, WORD, AT(replay), 0, 0, NULL},
    {"fail-on", 0, OWN, 0, 0, 0, read_gate},
    {"trace", 0, WORD, AT(trace), 0, 0, NULL},
    {"formats", 0, OWN, 0, 0, 0, read_formats},
    {"theme", 0, WORD, AT(theme), 0, 0, NULL},
    {"single-file", 0, WORD, AT(single_file), 0, 0, NULL},
    {"single-file-limit", 0, OWN, 0, 0, 0, read_limit},
    {"embed-replay", 0, FLAG, AT(embed_replay), 0, 0, NULL},
    {"idle-threshold", 0, REAL, AT(idle_threshold_pct), 0, 100, NULL},
    {"system-impact", 0, OWN, 0, 0, 0, read_system_impact},
    {"fair-style", 0, OWN, 0, 0, 0, read_fair_style},
    {"no-markers", 0, FLAG, AT(no_markers), 0, 0, NULL},
    {"emit-analysis-md", 0, FLAG, AT(emit_analysis_md), 0, 0, NULL},
    {"stamp", 0, FLAG, AT(stamp), 0, 0, NULL},
    {"peak-bw-tbs", 0, REAL, AT(figures.memory_tb_per_s), 1e-3, 1e4, NULL},
    {"peak-tflops", 0, REAL, AT(figures.tflop_per_s), 1e-3, 1e7, NULL},
    {"memory-gb", 0, REAL, AT(figures.memory_gb), 1e-3, 1e6, NULL},
    {"include-unlinked", 0, FLAG, AT(include_unlinked), 0, 0, NULL},
    {"detect-recompute", 0, FLAG, AT(detect_recompute), 0, 0, NULL},
    {"force", 'f', FLAG, AT(force), 0, 0, NULL},
    {"jobs", 'j', OWN, 0, 0, 0, read_jobs},
    {"quiet", 'q', FLAG, AT(quiet), 0, 0, NULL},
    {"verbose", 'v', FLAG, AT(verbose), 0, 0, NULL},
    {"help", 'h', FLAG, AT(help), 0, 0, NULL},
    {"version", 0, FLAG, AT(version), 0, 0, NULL},
};

enum { KNOWN = sizeof known / sizeof *known, NO_LETTER = 256 };

static bool read_real(double *value, const struct known *k, const char *text,
                      struct err *e)
{
    char *end;
    *value = strtod(text, &end);
    if (*end || end == text || !(*value >= k->least) || !(*value <= k->most))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--%s wants a number from %g to %g, not '%s'", k->name, k->least,
                       k->most, text);
    return true;
}

static bool read_one(struct options *o, const struct known *k, struct err *e)
{
    void *member = (char *)o + k->at;
    switch (k->kind) {
    case WORD:
        *(const char **)member = optarg;
        return true;
    case FLAG:
        *(bool *)member = true;
        return true;
    case REAL:
        return read_real(member, k, optarg, e);
    default:
        return k->read(o, optarg, e);
    }
}

/* What getopt_long wants to know of them. */
static void describe(struct option longs[KNOWN + 1], char letters[2 * KNOWN + 2])
{
    *letters++ = ':';
    for (int k = 0; k < KNOWN; k++) {
        int value = known[k].kind == FLAG ? no_argument : required_argument;
        longs[k] = (struct option){known[k].name, value, NULL, NO_LETTER + k};
        if (!known[k].letter)
            continue;
        *letters++ = known[k].letter;
        if (value == required_argument)
            *letters++ = ':';
    }
    longs[KNOWN] = (struct option){NULL, 0, NULL, 0};
    *letters = '\0';
}

static const struct known *known_by(int c)
{
    if (c >= NO_LETTER)
        return &known[c - NO_LETTER];
    for (int k = 0; k < KNOWN; k++)
        if (known[k].letter == c)
            return &known[k];
    return NULL;
}

static bool read_switches(struct options *o, int argc, char **argv, struct err *e)
{
    struct option longs[KNOWN + 1];
    char letters[2 * KNOWN + 2];
    describe(longs, letters);
    opterr = 0;
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
        const struct known *k = known_by(c);
        if (!k)
            return err_set(e, ERR_USAGE, NULL, -1,
                           c == ':' ? "%s wants a value; `tracefolio --help` lists the "
                                      "options"
                                    : "%s is no option; `tracefolio --help` lists them",
                           argv[optind - 1]);
        if (!read_one(o, k, e))
            return false;
        if (o->help || o->version) {
            o->command = o->help ? COMMAND_HELP : COMMAND_VERSION;
            return true;
        }
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

bool options_have_figures(const struct options *o)
{
    const struct device_figures *f = &o->figures;
    return f->memory_tb_per_s > 0 || f->tflop_per_s > 0 || f->memory_gb > 0;
}

bool options_read(struct options *o, int argc, char **argv, struct arena *perm,
                  struct err *e)
{
    *o = (struct options){.command = COMMAND_ANALYZE,
                          .theme = "default",
                          .replay = "auto",
                          .formats = FORMAT_ALL,
                          .single_file_limit_mb = SINGLE_LIMIT_MB,
                          .idle_threshold_pct = IDLE_THRESHOLD_PCT,
                          .threads = 2};
    o->extensions = arena_new(perm, const char *, argc);
    if (!read_switches(o, argc, argv, e))
        return false;
    if (o->command == COMMAND_HELP || o->command == COMMAND_VERSION)
        return true;
    if (!o->platform && options_have_figures(o))
        o->platform = "custom device";
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
