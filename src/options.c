#include "options.h"

#include "analysis/analysis_run.h"
#include "base/arena.h"
#include "base/unknown.h"
#include "render/page/single_file.h"

#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In the order of the bits in enum format. */
static const struct str formats[] = {S_INIT("site"),   S_INIT("md"),   S_INIT("csv"),
                                     S_INIT("xlsx"),   S_INIT("json"), S_INIT("png"),
                                     S_INIT("replay"), S_INIT("cuts")};
enum { FORMATS = sizeof formats / sizeof *formats };

struct str options_formats(struct arena *a, unsigned wanted)
{
    struct str list = S("");
    for (int k = 0; k < FORMATS; k++)
        if (wanted & 1u << k)
            list = str_printf(a, "%.*s%s%.*s", STRF(list), list.n ? "," : "",
                              STRF(formats[k]));
    return list;
}

static bool read_formats(struct options *o, const char *list, struct err *e)
{
    o->formats = 0;
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, ",");
        struct str name = {p, (ptrdiff_t)n};
        int k = 0;
        while (k < FORMATS && !str_eq(formats[k], name))
            k++;
        if (k == FORMATS)
            return err_unknown(e, "format", name, formats, FORMATS, "");
        o->formats |= 1u << k;
        p += n + (p[n] == ',');
    }
    if (!o->formats)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--formats: expected at least one format");
    return true;
}

static bool read_jobs(struct options *o, const char *text, struct err *e)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (*end || end == text || n < 1 || n > 256)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "-j: expected a number of threads from 1 to 256, not '%s'",
                       text);
    o->threads = (int)n;
    return true;
}

static bool read_limit(struct options *o, const char *text, struct err *e)
{
    int64_t mb;
    if (!str_int(str_of(text), &mb) || mb < 1 || mb > 1000)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--single-file-limit: expected 1 to 1000 MB, not '%s'", text);
    o->single_file_limit_mb = (int)mb;
    return true;
}

static bool read_gate(struct options *o, const char *text, struct err *e)
{
    (void)e;
    o->gates[o->n_gates++] = text;
    return true;
}

/* One of two words; *second is true for the second. */
static bool read_either(bool *second, const char *option, const char *const words[2],
                        const char *text, struct err *e)
{
    *second = strcmp(text, words[1]) == 0;
    return *second || strcmp(text, words[0]) == 0 ||
           err_set(e, ERR_USAGE, NULL, -1, "--%s: expected %s or %s, not '%s'", option,
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

static bool read_count(int *to, int least, const char *option, const char *text,
                       struct err *e)
{
    int64_t n;
    if (!str_int(str_of(text), &n) || n < least || n > 1 << 20)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--%s: expected a whole number from %d, not '%s'", option, least,
                       text);
    *to = (int)n;
    return true;
}

static bool read_rank(struct options *o, const char *text, struct err *e)
{
    return read_count(&o->job.rank, 0, "rank", text, e);
}

static bool read_ranks(struct options *o, const char *text, struct err *e)
{
    return read_count(&o->job.ranks, 1, "ranks", text, e);
}

static bool read_gpus_per_node(struct options *o, const char *text, struct err *e)
{
    return read_count(&o->job.gpus_per_node, 1, "gpus-per-node", text, e);
}

/* "250000", "0.5G": thousands, millions and thousands of millions by K, M and G. */
static bool read_quantity(double *to, const char *option, const char *text,
                          struct err *e)
{
    char *end;
    double n = strtod(text, &end);
    const char *unit = "KMG", *letter = *end ? strchr(unit, *end) : NULL;
    for (const char *u = unit; letter && u <= letter; u++)
        n *= 1000;
    if (end == text || (*end && (!letter || end[1])) || !(n >= 1) || n > 1e15)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--%s: expected a number such as 800M or 2G, not '%s'", option,
                       text);
    *to = n;
    return true;
}

static bool read_max_pairs(struct options *o, const char *text, struct err *e)
{
    return read_quantity(&o->job.max_pairs, "max-pairs", text, e);
}

static bool read_max_memory(struct options *o, const char *text, struct err *e)
{
    return read_quantity(&o->job.max_bytes, "max-memory", text, e);
}

static bool read_share(struct options *o, const char *text, struct err *e)
{
    static const struct str words[] = {[REDACT_INTERNAL] = S_INIT("internal"),
                                       [REDACT_PARTNER] = S_INIT("partner"),
                                       [REDACT_PUBLIC] = S_INIT("public")};
    o->share = text;
    for (int k = 0; k < 3; k++)
        if (str_eq(str_of(text), words[k])) {
            o->level = (enum redact_level)k;
            return true;
        }
    return err_unknown(e, "--share", str_of(text), words, 3, "");
}

static bool read_extension(struct options *o, const char *text, struct err *e)
{
    (void)e;
    o->extensions[o->n_extensions++] = text;
    return true;
}

static bool read_reference(struct options *o, const char *text, struct err *e)
{
    (void)e;
    o->compare.inputs[0][o->compare.n_inputs[0]++] = text;
    return true;
}

static bool read_candidate(struct options *o, const char *text, struct err *e)
{
    (void)e;
    o->compare.inputs[1][o->compare.n_inputs[1]++] = text;
    return true;
}

static bool read_floor(struct options *o, const char *text, struct err *e)
{
    (void)e;
    o->compare.floors[o->compare.n_floors++] = text;
    return true;
}

static bool read_capture_trace(struct options *o, const char *text, struct err *e)
{
    struct str s = str_of(text);
    (void)e;
    if (str_starts(s, S("ref=")))
        o->compare.lender[0] = text + 4;
    else if (str_starts(s, S("cand=")))
        o->compare.lender[1] = text + 5;
    else
        o->capture_trace = text;
    return true;
}

static bool read_base_url(struct options *o, const char *text, struct err *e)
{
    struct str url = str_of(text);
    if (!str_starts(url, S("https://")) && !str_starts(url, S("http://")))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--base-url: expected https://... or http://..., not '%s'",
                       text);
    o->base_url = text;
    return true;
}

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
    {"strict", 0, FLAG, AT(strict), 0, 0, NULL},
    {"ci", 0, FLAG, AT(ci.detect), 0, 0, NULL},
    {"step-summary", 0, WORD, AT(ci.summary), 0, 0, NULL},
    {"annotations", 0, WORD, AT(ci.annotations), 0, 0, NULL},
    {"junit", 0, WORD, AT(ci.junit), 0, 0, NULL},
    {"junit-findings", 0, FLAG, AT(ci.junit_findings), 0, 0, NULL},
    {"sarif", 0, WORD, AT(ci.sarif), 0, 0, NULL},
    {"source-root", 0, WORD, AT(ci.source_root), 0, 0, NULL},
    {"metrics", 0, WORD, AT(ci.metrics), 0, 0, NULL},
    {"email", 0, WORD, AT(ci.email), 0, 0, NULL},
    {"badge", 0, WORD, AT(ci.badge), 0, 0, NULL},
    {"waivers", 0, WORD, AT(ci.waivers), 0, 0, NULL},
    {"keep", 0, REAL, AT(keep), 1, 1e6, NULL},
    {"keep-days", 0, REAL, AT(keep_days), 1, 1e6, NULL},
    {"lock-wait", 0, REAL, AT(lock_wait_s), 0, 3600, NULL},
    {"forbid", 0, WORD, AT(forbid), 0, 0, NULL},
    {"share", 0, OWN, 0, 0, 0, read_share},
    {"kits", 0, FLAG, AT(kits), 0, 0, NULL},
    {"hide-shapes", 0, FLAG, AT(hide_shapes), 0, 0, NULL},
    {"date", 0, WORD, AT(ci.date), 0, 0, NULL},
    {"run-label", 0, WORD, AT(ci.run_label), 0, 0, NULL},
    {"series", 0, WORD, AT(ci.series), 0, 0, NULL},
    {"report-url", 0, WORD, AT(ci.report_url), 0, 0, NULL},
    {"trace", 0, WORD, AT(trace), 0, 0, NULL},
    {"formats", 0, OWN, 0, 0, 0, read_formats},
    {"all-pictures", 0, FLAG, AT(all_pictures), 0, 0, NULL},
    {"theme", 0, WORD, AT(theme), 0, 0, NULL},
    {"single-file", 0, WORD, AT(single_file), 0, 0, NULL},
    {"notes", 0, WORD, AT(notes), 0, 0, NULL},
    {"base-url", 0, OWN, 0, 0, 0, read_base_url},
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
    {"exclude-unlinked", 0, FLAG, AT(exclude_unlinked), 0, 0, NULL},
    {"include-backlog", 0, FLAG, AT(include_backlog), 0, 0, NULL},
    {"detect-recompute", 0, FLAG, AT(detect_recompute), 0, 0, NULL},
    {"ref", 0, OWN, 0, 0, 0, read_reference},
    {"cand", 0, OWN, 0, 0, 0, read_candidate},
    {"steps", 0, WORD, AT(compare.steps), 0, 0, NULL},
    {"history", 0, WORD, AT(compare.history), 0, 0, NULL},
    {"baseline-out", 0, WORD, AT(baseline_out), 0, 0, NULL},
    {"match", 0, WORD, AT(compare.match), 0, 0, NULL},
    {"floor", 0, OWN, 0, 0, 0, read_floor},
    {"capture-trace", 0, OWN, 0, 0, 0, read_capture_trace},
    {"allow-setup", 0, WORD, AT(compare.allow_setup), 0, 0, NULL},
    {"require-gates", 0, FLAG, AT(require_gates), 0, 0, NULL},
    {"label-ref", 0, WORD, AT(compare.label[0]), 0, 0, NULL},
    {"label-cand", 0, WORD, AT(compare.label[1]), 0, 0, NULL},
    {"rank", 0, OWN, 0, 0, 0, read_rank},
    {"rank-regex", 0, WORD, AT(job.rank_regex), 0, 0, NULL},
    {"host", 0, WORD, AT(job.host), 0, 0, NULL},
    {"resume", 0, FLAG, AT(job.resume), 0, 0, NULL},
    {"ranks", 0, OWN, 0, 0, 0, read_ranks},
    {"gpus-per-node", 0, OWN, 0, 0, 0, read_gpus_per_node},
    {"clock", 0, WORD, AT(job.clock), 0, 0, NULL},
    {"link-peak", 0, WORD, AT(job.link_peak), 0, 0, NULL},
    {"topology", 0, WORD, AT(job.topology), 0, 0, NULL},
    {"names", 0, WORD, AT(job.names), 0, 0, NULL},
    {"max-memory", 0, OWN, 0, 0, 0, read_max_memory},
    {"max-pairs", 0, OWN, 0, 0, 0, read_max_pairs},
    {"redact-hosts", 0, FLAG, AT(job.redact_hosts), 0, 0, NULL},
    {"count-start", 0, FLAG, AT(job.count_start), 0, 0, NULL},
    {"from", 0, WORD, AT(cut.from), 0, 0, NULL},
    {"to", 0, WORD, AT(cut.to), 0, 0, NULL},
    {"shift", 0, WORD, AT(cut.shift), 0, 0, NULL},
    {"force", 'f', FLAG, AT(force), 0, 0, NULL},
    {"jobs", 'j', OWN, 0, 0, 0, read_jobs},
    {"quiet", 'q', FLAG, AT(quiet), 0, 0, NULL},
    {"verbose", 'v', FLAG, AT(verbose), 0, 0, NULL},
    {"help", 'h', FLAG, AT(help), 0, 0, NULL},
    {"version", 'V', FLAG, AT(version), 0, 0, NULL},
};

enum { KNOWN = sizeof known / sizeof *known, NO_LETTER = 256 };

static bool read_real(double *value, const struct known *k, const char *text,
                      struct err *e)
{
    char *end;
    *value = strtod(text, &end);
    if (*end || end == text || !(*value >= k->least) || !(*value <= k->most))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--%s: expected a number from %g to %g, not '%s'", k->name,
                       k->least, k->most, text);
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

/* The options as getopt_long expects them. */
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

/* getopt_long sets optopt to the option with a missing or unexpected value, to the
 * unknown letter, or to 0 for an unknown or ambiguous long option. */
static bool bad_switch(struct arena *perm, bool lacks_value, const char *typed,
                       struct err *e)
{
    const struct known *k = optopt ? known_by(optopt) : NULL;
    struct str names[KNOWN], word = {typed, (ptrdiff_t)strcspn(typed, "=")};
    if (lacks_value)
        return err_set(e, ERR_USAGE, NULL, -1, "--%s: expected a value", k->name);
    if (k)
        return err_set(e, ERR_USAGE, NULL, -1, "--%s: unexpected value", k->name);
    int n_begun = 0;
    for (int i = 0; i < KNOWN; i++) {
        names[i] = str_printf(perm, "--%s", known[i].name);
        n_begun += str_starts(names[i], word);
    }
    if (optopt)
        word = str_printf(perm, "-%c", optopt);
    else if (n_begun > 1)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "option '%.*s' is ambiguous: %d options begin with it; "
                       "`tracefolio --help` lists them",
                       STRF(word), n_begun);
    return err_unknown(e, "option", word, names, KNOWN,
                       "`tracefolio --help` lists the options");
}

static bool read_switches(struct options *o, int argc, char **argv, struct arena *perm,
                          struct err *e)
{
    struct option longs[KNOWN + 1];
    char letters[2 * KNOWN + 2];
    describe(longs, letters);
    opterr = 0;
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
        const struct known *k = known_by(c);
        if (!k)
            return bad_switch(perm, c == ':', argv[optind - 1], e);
        if (!read_one(o, k, e))
            return false;
        if (o->help || o->version) {
            o->command = o->help ? COMMAND_HELP : COMMAND_VERSION;
            return true;
        }
    }
    return true;
}

/* The command word, if there is one; a bare trace means analyze. */
static bool read_command(struct options *o, int argc, char **argv, struct err *e)
{
    static const struct str words[] = {[COMMAND_ANALYZE] = S_INIT("analyze"),
                                       [COMMAND_PLATFORMS] = S_INIT("platforms"),
                                       [COMMAND_PATTERNS] = S_INIT("patterns"),
                                       [COMMAND_THEMES] = S_INIT("themes"),
                                       [COMMAND_VERIFY] = S_INIT("verify"),
                                       [COMMAND_COMPARE] = S_INIT("compare"),
                                       [COMMAND_SUMMARIZE] = S_INIT("summarize"),
                                       [COMMAND_JOB] = S_INIT("job"),
                                       [COMMAND_CUT] = S_INIT("cut"),
                                       [COMMAND_PUBLISH] = S_INIT("publish"),
                                       [COMMAND_REINDEX] = S_INIT("reindex"),
                                       [COMMAND_SHARE_CHECK] = S_INIT("share-check"),
                                       [COMMAND_HELP] = S_INIT("help")};
    const int n = sizeof words / sizeof *words;
    if (optind == argc)
        return true;
    struct str word = str_of(argv[optind]);
    for (int k = 0; k < n; k++)
        if (str_eq(word, words[k])) {
            o->command = (enum command)k;
            optind++;
            return true;
        }
    bool is_word = !str_has(word, S(".")) && !str_has(word, S("/")) &&
                   !str_eq(word, S("-")) && !o->node && access(word.p, F_OK) != 0;
    return !is_word || err_unknown(e, "command", word, words, n, "");
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
                          .lock_wait_s = 60,
                          .threads = 2,
                          .job = {.rank = -1}};
    o->extensions = arena_new(perm, const char *, argc);
    o->compare.floors = arena_new(perm, const char *, argc);
    o->gates = arena_new(perm, const char *, argc);
    o->job.inputs = arena_new(perm, const char *, argc);
    for (int side = 0; side < 2; side++)
        o->compare.inputs[side] = arena_new(perm, const char *, argc);
    if (!read_switches(o, argc, argv, perm, e))
        return false;
    if (o->command == COMMAND_HELP || o->command == COMMAND_VERSION)
        return true;
    if (!o->platform && options_have_figures(o))
        o->platform = "custom device";
    if (o->level == REDACT_PUBLIC)
        o->formats &= ~(unsigned)(FORMAT_EXCERPTS | (o->kits ? 0 : FORMAT_REPLAY));
    if (!read_command(o, argc, argv, e))
        return false;
    for (int side = 0; o->command == COMMAND_COMPARE && side < 2; side++)
        if (!o->compare.n_inputs[side] && optind < argc)
            o->compare.inputs[side][o->compare.n_inputs[side]++] = argv[optind++];
    bool many = o->command == COMMAND_JOB || o->command == COMMAND_SUMMARIZE ||
                o->command == COMMAND_CUT;
    while (many && optind < argc)
        o->job.inputs[o->job.n_inputs++] = argv[optind++];
    bool none = o->command == COMMAND_COMPARE || o->command == COMMAND_REINDEX ||
                o->command == COMMAND_PLATFORMS;
    if (!none && optind < argc)
        o->trace = argv[optind++];
    if ((o->command == COMMAND_PUBLISH || o->command == COMMAND_REINDEX) &&
        optind < argc)
        o->root = argv[optind++];
    if (optind < argc)
        return err_set(e, ERR_USAGE, NULL, -1, "unexpected argument '%s'",
                       argv[optind]);
    return true;
}

bool options_trace_is_file(const char *trace, struct err *e)
{
    return !strstr(trace, "://") ||
           err_set(e, ERR_USAGE, NULL, -1,
                   "'%.200s' is a URL, and tracefolio opens no network connections; "
                   "download it first, or read a trace on another machine with "
                   "--node NODE",
                   trace);
}

static bool are_files(const char *const *paths, int n, struct err *e)
{
    for (int i = 0; i < n; i++)
        if (paths[i] && !options_trace_is_file(paths[i], e))
            return false;
    return true;
}

static bool inputs_are_files(const struct options *o, struct err *e)
{
    const struct compare_request *c = &o->compare;
    const char *const others[] = {o->root, o->node ? NULL : o->trace};
    return are_files(others, 2, e) && are_files(o->job.inputs, o->job.n_inputs, e) &&
           are_files(c->inputs[0], c->n_inputs[0], e) &&
           are_files(c->inputs[1], c->n_inputs[1], e);
}

/* Both sides, and nothing that only a single trace can have. */
static bool compare_complete(const struct options *o, struct err *e)
{
    const struct compare_request *c = &o->compare;
    if (!c->n_inputs[0] || !c->n_inputs[1])
        return err_set(e, ERR_USAGE, NULL, -1,
                       "missing %s; run tracefolio compare REFERENCE CANDIDATE",
                       c->n_inputs[0] ? "candidate" : "reference");
    int streams = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < c->n_inputs[side]; i++)
            streams += strcmp(c->inputs[side][i], "-") == 0;
    if (streams > 1)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "standard input can be only one of the captures");
    if (o->node || options_have_figures(o))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--node and figures of a device are options of analyze; "
                       "compare reads local files, and devices by -p");
    if (o->share || o->kits)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--share and --kits are not options of compare; compare what "
                       "analyze, summarize or job made with them");
    if (o->capture_trace)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--capture-trace: of which side? Say ref=FILE or cand=FILE");
    if (o->ci.badge || o->ci.series || o->ci.source_root)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--badge, --series and --source-root are options of analyze");
    return true;
}

/* What many traces need: some, and where to write. */
static bool job_complete(const struct options *o, struct err *e)
{
    const char *name = o->command == COMMAND_JOB ? "job" : "summarize";
    if (!o->job.n_inputs)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "missing traces; run tracefolio %s TRACE... -o %s", name,
                       o->command == COMMAND_JOB ? "SITE" : "DIR");
    if (!o->out_dir)
        return err_set(e, ERR_USAGE, NULL, -1, "missing -o %s",
                       o->command == COMMAND_JOB ? "SITE" : "DIR");
    if (o->job.rank_regex && o->job.rank >= 0)
        return err_set(e, ERR_USAGE, NULL, -1, "--rank contradicts --rank-regex");
    if (o->node || o->single_file)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--node and --single-file are options of analyze");
    return true;
}

static bool cut_complete(const struct options *o, struct err *e)
{
    const char *missing = !o->job.n_inputs ? "a trace"
                          : !o->cut.from   ? "--from"
                          : !o->cut.to     ? "--to"
                          : !o->out_dir    ? "-o FILE"
                                           : NULL;
    if (missing)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "missing %s; run tracefolio cut TRACE... --from US --to US -o "
                       "FILE",
                       missing);
    return true;
}

bool options_complete(const struct options *o, struct err *e)
{
    if (!inputs_are_files(o, e))
        return false;
    if (o->command == COMMAND_VERIFY && !o->trace)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "missing folder; run tracefolio verify FOLDER");
    if (o->command == COMMAND_COMPARE)
        return compare_complete(o, e);
    if (o->command == COMMAND_SUMMARIZE || o->command == COMMAND_JOB)
        return job_complete(o, e);
    if (o->command == COMMAND_CUT)
        return cut_complete(o, e);
    if (o->command == COMMAND_PUBLISH && o->ci.series)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--series is an option of analyze: a report says itself where "
                       "it belongs");
    if (o->command == COMMAND_PUBLISH && !o->root)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "missing %s; run tracefolio publish FOLDER ROOT",
                       o->trace ? "root" : "folder");
    if (o->command == COMMAND_SHARE_CHECK && !o->trace)
        return err_set(
            e, ERR_USAGE, NULL, -1,
            "missing folder; run tracefolio share-check FOLDER --forbid FILE");
    if (o->command == COMMAND_REINDEX && !o->root)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "missing root; run tracefolio reindex ROOT");
    if (o->command != COMMAND_ANALYZE)
        return true;
    if (!o->trace)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "missing trace; run tracefolio analyze TRACE -p PLATFORM");
    if (o->compare.lender[0] || o->compare.lender[1])
        return err_set(
            e, ERR_USAGE, NULL, -1,
            "--capture-trace ref= and cand= are for compare; analyze has one "
            "trace, so say --capture-trace FILE");
    if (o->node && o->capture_trace)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--capture-trace: the trace is read twice, so it must be a file "
                       "of this machine");
    if (o->ci.source_root && !o->ci.sarif)
        return err_set(e, ERR_USAGE, NULL, -1, "--source-root requires --sarif");
    if (o->forbid && o->baseline_out)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--forbid cannot be kept with --baseline-out, which is written "
                       "first; copy capture.json.gz of the report instead");
    if (o->container && !o->node)
        return err_set(e, ERR_USAGE, NULL, -1, "--container requires --node");
    if (o->exclude_unlinked && (o->include_backlog || o->include_unlinked))
        return err_set(e, ERR_USAGE, NULL, -1, "--exclude-unlinked contradicts --%s",
                       o->include_backlog ? "include-backlog" : "include-unlinked");
    if (o->embed_replay && (!o->single_file || !(o->formats & FORMAT_REPLAY)))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--embed-replay requires --single-file and the format replay");
    return true;
}
