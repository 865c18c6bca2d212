#include "commands/options.h"

#include "analysis/analysis_run.h"
#include "base/arena.h"
#include "base/unknown.h"
#include "commands/mistakes.h"
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
    o->formats_asked = true;
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
    end += letter ? 1 + (end[1] == 'B') : 0;
    if (end == text || *end || !(n >= 1) || n > 1e15)
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
    const double least = 1e6;
    return read_quantity(&o->max_memory, "max-memory", text, e) &&
           (o->max_memory >= least ||
            err_set(e, ERR_USAGE, NULL, -1,
                    "--max-memory: %s is in bytes, and too few to begin: 4G is 4e9",
                    text));
}

static bool read_max_output(struct options *o, const char *text, struct err *e)
{
    return read_quantity(&o->max_output, "max-output", text, e);
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

/* --print alone is text; the word may also be the next argument. */
static bool read_print(struct options *o, const char *text, struct err *e)
{
    static const struct str words[] = {S_INIT("text"), S_INIT("json"), S_INIT("md")};
    o->print = text;
    for (int k = 0; k < 3; k++)
        if (str_eq(str_of(text), words[k]))
            return true;
    return err_set(e, ERR_USAGE, NULL, -1,
                   "--print: expected text, json or md, not '%s'", text);
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
    /* OWN: by `read`; MANY: also more than once; MAY: as OWN, and its value may lack.
     */
    enum { WORD, FLAG, REAL, OWN, MANY, MAY } kind;
    size_t at;          /* WORD, FLAG, REAL: its member of struct options */
    double least, most; /* REAL */
    bool (*read)(struct options *o, const char *text,
                 struct err *e); /* OWN, MANY, MAY */
    unsigned of;                 /* the commands that know it */
};

/* Commands in short. */
enum {
    A = 1 << COMMAND_ANALYZE,
    C = 1 << COMMAND_COMPARE,
    S_ = 1 << COMMAND_SUMMARIZE,
    J_ = 1 << COMMAND_JOB,
    T = 1 << COMMAND_CUT,
    E = 1 << COMMAND_TREE,
    W = 1 << COMMAND_WHATIF,
    N = 1 << COMMAND_PATTERNS,
    P = 1 << COMMAND_PUBLISH,
    R = 1 << COMMAND_REINDEX,
    K = 1 << COMMAND_SHARE_CHECK,
    D = 1 << COMMAND_DEMO,
    ALL = -1
};

#define AT(member) offsetof(struct options, member)

static const struct known known[] = {
    {"output", 'o', WORD, AT(out_dir), 0, 0, NULL, A | C | S_ | J_ | T | D},
    {"platform", 'p', WORD, AT(platform), 0, 0, NULL, A | C | S_ | J_ | N | W},
    {"model", 0, WORD, AT(model), 0, 0, NULL, A | C},
    {"node", 0, WORD, AT(node), 0, 0, NULL, A | C | S_ | J_},
    {"container", 0, WORD, AT(container), 0, 0, NULL, A | C | S_ | J_},
    {"extension", 0, MANY, 0, 0, 0, read_extension, A | C | S_ | J_ | N},
    {"replay", 0, WORD, AT(replay), 0, 0, NULL, A},
    {"fail-on", 0, MANY, 0, 0, 0, read_gate, A | C | J_},
    {"strict", 0, FLAG, AT(strict), 0, 0, NULL, A | C | N | S_ | J_},
    {"ci", 0, FLAG, AT(ci.detect), 0, 0, NULL, A | C | J_},
    {"step-summary", 0, WORD, AT(ci.summary), 0, 0, NULL, A | C | J_},
    {"annotations", 0, WORD, AT(ci.annotations), 0, 0, NULL, A | C | J_},
    {"junit", 0, WORD, AT(ci.junit), 0, 0, NULL, A | C | J_},
    {"junit-findings", 0, FLAG, AT(ci.junit_findings), 0, 0, NULL, A | C | J_},
    {"sarif", 0, WORD, AT(ci.sarif), 0, 0, NULL, A | C | J_},
    {"source-root", 0, WORD, AT(ci.source_root), 0, 0, NULL, A},
    {"metrics", 0, WORD, AT(ci.metrics), 0, 0, NULL, A | C | J_},
    {"email", 0, WORD, AT(ci.email), 0, 0, NULL, A | C | J_},
    {"badge", 0, WORD, AT(ci.badge), 0, 0, NULL, A},
    {"waivers", 0, WORD, AT(ci.waivers), 0, 0, NULL, A | C},
    {"keep", 0, REAL, AT(keep), 1, 1e6, NULL, P | R},
    {"keep-days", 0, REAL, AT(keep_days), 1, 1e6, NULL, P | R},
    {"lock-wait", 0, REAL, AT(lock_wait_s), 0, 3600, NULL, P | R},
    {"forbid", 0, WORD, AT(forbid), 0, 0, NULL, A | C | S_ | J_ | K},
    {"share", 0, OWN, 0, 0, 0, read_share, A | C | S_ | J_ | T | P | R},
    {"kits", 0, FLAG, AT(kits), 0, 0, NULL, A | C},
    {"hide-shapes", 0, FLAG, AT(hide_shapes), 0, 0, NULL, A | C | S_ | J_ | T},
    {"date", 0, WORD, AT(ci.date), 0, 0, NULL, A | C | J_},
    {"run-label", 0, WORD, AT(ci.run_label), 0, 0, NULL, A | C | J_},
    {"series", 0, WORD, AT(ci.series), 0, 0, NULL, A},
    {"report-url", 0, WORD, AT(ci.report_url), 0, 0, NULL, A | C | J_},
    {"trace", 0, WORD, AT(trace), 0, 0, NULL, N},
    {"formats", 0, OWN, 0, 0, 0, read_formats, A | C | J_ | D},
    {"all-pictures", 0, FLAG, AT(all_pictures), 0, 0, NULL, A},
    {"theme", 0, WORD, AT(theme), 0, 0, NULL, A | C | J_ | P | R | D},
    {"single-file", 0, WORD, AT(single_file), 0, 0, NULL, A | C | D},
    {"notes", 0, WORD, AT(notes), 0, 0, NULL, A},
    {"tlparse", 0, WORD, AT(tlparse), 0, 0, NULL, A},
    {"base-url", 0, OWN, 0, 0, 0, read_base_url, A},
    {"single-file-limit", 0, OWN, 0, 0, 0, read_limit, A | C},
    {"embed-replay", 0, FLAG, AT(embed_replay), 0, 0, NULL, A},
    {"idle-threshold", 0, REAL, AT(idle_threshold_pct), 0, 100, NULL,
     A | C | S_ | J_ | N},
    {"system-impact", 0, OWN, 0, 0, 0, read_system_impact, A | C | S_ | J_ | N},
    {"fair-style", 0, OWN, 0, 0, 0, read_fair_style, A},
    {"no-markers", 0, FLAG, AT(no_markers), 0, 0, NULL, A},
    {"emit-analysis-md", 0, FLAG, AT(emit_analysis_md), 0, 0, NULL, A},
    {"stamp", 0, FLAG, AT(stamp), 0, 0, NULL, A},
    {"peak-bw-tbs", 0, REAL, AT(figures.memory_tb_per_s), 1e-3, 200, NULL,
     A | C | S_ | J_ | N},
    {"peak-tflops", 0, REAL, AT(figures.tflop_per_s), 1e-3, 1e5, NULL,
     A | C | S_ | J_ | N},
    {"memory-gb", 0, REAL, AT(figures.memory_gb), 1e-3, 1e6, NULL, A | C | S_ | J_ | N},
    {"include-unlinked", 0, FLAG, AT(include_unlinked), 0, 0, NULL, A},
    {"exclude-unlinked", 0, FLAG, AT(exclude_unlinked), 0, 0, NULL,
     A | C | S_ | J_ | N},
    {"include-backlog", 0, FLAG, AT(include_backlog), 0, 0, NULL,
     A | C | S_ | J_ | N | W},
    {"detect-recompute", 0, FLAG, AT(detect_recompute), 0, 0, NULL,
     A | C | S_ | J_ | N},
    {"ref", 0, MANY, 0, 0, 0, read_reference, C},
    {"cand", 0, MANY, 0, 0, 0, read_candidate, C},
    {"steps", 0, WORD, AT(compare.steps), 0, 0, NULL, C | J_},
    {"history", 0, WORD, AT(compare.history), 0, 0, NULL, C},
    {"baseline-out", 0, WORD, AT(baseline_out), 0, 0, NULL, A | C},
    {"match", 0, WORD, AT(compare.match), 0, 0, NULL, C},
    {"floor", 0, MANY, 0, 0, 0, read_floor, C},
    {"capture-trace", 0, MANY, 0, 0, 0, read_capture_trace, A | C | S_ | J_ | N},
    {"allow-setup", 0, WORD, AT(compare.allow_setup), 0, 0, NULL, C},
    {"require-gates", 0, FLAG, AT(require_gates), 0, 0, NULL, A | C | J_},
    {"label-ref", 0, WORD, AT(compare.label[0]), 0, 0, NULL, C},
    {"label-cand", 0, WORD, AT(compare.label[1]), 0, 0, NULL, C},
    {"rank", 0, OWN, 0, 0, 0, read_rank, S_ | J_},
    {"rank-regex", 0, WORD, AT(job.rank_regex), 0, 0, NULL, S_ | J_},
    {"host", 0, WORD, AT(job.host), 0, 0, NULL, S_ | J_},
    {"resume", 0, FLAG, AT(job.resume), 0, 0, NULL, S_},
    {"ranks", 0, OWN, 0, 0, 0, read_ranks, J_},
    {"gpus-per-node", 0, OWN, 0, 0, 0, read_gpus_per_node, J_},
    {"clock", 0, WORD, AT(job.clock), 0, 0, NULL, J_},
    {"link-peak", 0, WORD, AT(job.link_peak), 0, 0, NULL, J_},
    {"topology", 0, WORD, AT(job.topology), 0, 0, NULL, J_},
    {"names", 0, WORD, AT(job.names), 0, 0, NULL, A | C | S_ | J_ | N},
    {"max-memory", 0, OWN, 0, 0, 0, read_max_memory, ALL},
    {"max-output", 0, OWN, 0, 0, 0, read_max_output, ALL},
    {"max-pairs", 0, OWN, 0, 0, 0, read_max_pairs, J_},
    {"redact-hosts", 0, FLAG, AT(job.redact_hosts), 0, 0, NULL, J_},
    {"count-start", 0, FLAG, AT(job.count_start), 0, 0, NULL, J_},
    {"from", 0, WORD, AT(cut.from), 0, 0, NULL, T},
    {"to", 0, WORD, AT(cut.to), 0, 0, NULL, T},
    {"critical-path", 0, FLAG, AT(cut.path), 0, 0, NULL, T},
    {"shift", 0, WORD, AT(cut.shift), 0, 0, NULL, T},
    {"find", 0, WORD, AT(tree.find), 0, 0, NULL, E},
    {"id", 0, REAL, AT(tree.id), 0, INT32_MAX, NULL, E},
    {"parents", 0, FLAG, AT(tree.parents), 0, 0, NULL, E},
    {"subtree", 0, FLAG, AT(tree.subtree), 0, 0, NULL, E},
    {"callers", 0, FLAG, AT(tree.callers), 0, 0, NULL, E},
    {"depth", 0, REAL, AT(tree.depth), 1, 1e6, NULL, E},
    {"fields", 0, WORD, AT(tree.fields), 0, 0, NULL, E},
    {"folded", 0, WORD, AT(tree.stacks[0]), 0, 0, NULL, E},
    {"speedscope", 0, WORD, AT(tree.stacks[1]), 0, 0, NULL, E},
    {"pprof", 0, WORD, AT(tree.stacks[2]), 0, 0, NULL, E},
    {"all", 0, FLAG, AT(tree.all), 0, 0, NULL, E},
    {"print", 0, MAY, 0, 0, 0, read_print, A | E | W},
    {"force", 'f', FLAG, AT(force), 0, 0, NULL, A | C | S_ | J_ | T | D},
    {"jobs", 'j', OWN, 0, 0, 0, read_jobs, ALL},
    {"quiet", 'q', FLAG, AT(quiet), 0, 0, NULL, ALL},
    {"verbose", 'v', FLAG, AT(verbose), 0, 0, NULL, ALL},
    {"help", 'h', FLAG, AT(help), 0, 0, NULL, ALL},
    {"version", 'V', FLAG, AT(version), 0, 0, NULL, ALL},
};

enum { KNOWN = sizeof known / sizeof *known, NO_LETTER = 256 };
_Static_assert(sizeof known / sizeof *known <= OPTIONS_MOST, "command_option");

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
        int value = known[k].kind == FLAG  ? no_argument
                    : known[k].kind == MAY ? optional_argument
                                           : required_argument;
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

/* The value of --print where no = leads to it. */
static char *word_of(const struct known *k, int argc, char **argv)
{
    static char text[] = "text";
    struct options unused;
    struct err none = {0};
    if (optind < argc && k->read(&unused, argv[optind], &none))
        return argv[optind++];
    return text;
}

/* "-o", "--output". */
static bool is_option(struct str word)
{
    bool is_long = str_starts(word, S("--"));
    struct str name = str_skip(word, is_long ? 2 : 1);
    if (!is_long)
        return word.n == 2 && word.p[0] == '-' && known_by(word.p[1]);
    for (int k = 0; k < KNOWN; k++)
        if (str_eq(name, str_of(known[k].name)))
            return true;
    return false;
}

/* The first that "--out" begins; NULL: none. */
static const char *option_begun(struct str word)
{
    int k = 0;
    while (k < KNOWN && !str_starts(str_of(known[k].name), str_skip(word, 2)))
        k++;
    return k < KNOWN ? known[k].name : NULL;
}

/* A value that would be lost, or that is the next option. */
static bool is_meant(const struct known *k, bool again, const char *last, struct err *e)
{
    if (again && k->kind != FLAG && k->kind != MANY)
        return err_set(e, ERR_USAGE, NULL, -1, "--%s is given twice; give it once",
                       k->name);
    if (optarg && optarg == last && is_option(str_of(optarg)))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--%s: expected a value, not the option %s", k->name, optarg);
    return true;
}

static bool read_switches(struct options *o, int argc, char **argv, struct arena *perm,
                          bool given[KNOWN], struct err *e)
{
    struct option longs[KNOWN + 1];
    char letters[2 * KNOWN + 2];
    static const struct option_names names = {is_option, option_begun};
    if (!mistake_spelling(argc, argv, &names, e))
        return false;
    describe(longs, letters);
    opterr = 0;
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
        const struct known *k = known_by(c);
        if (!k)
            return bad_switch(perm, c == ':', argv[optind - 1], e);
        if (!is_meant(k, given[k - known], argv[optind - 1], e))
            return false;
        if (k->kind == MAY && !optarg)
            optarg = word_of(k, argc, argv);
        if (!read_one(o, k, e))
            return false;
        given[k - known] = true;
        if (o->help || o->version) {
            o->command = o->help ? COMMAND_HELP : COMMAND_VERSION;
            for (int i = argc - 1; i > 0; i--) /* the first command of the line */
                if (command_of(str_of(argv[i])) < COMMAND_NAMES)
                    o->trace = argv[i];
            return true;
        }
    }
    return true;
}

static const struct str commands[] = {[COMMAND_ANALYZE] = S_INIT("analyze"),
                                      [COMMAND_PLATFORMS] = S_INIT("platforms"),
                                      [COMMAND_PATTERNS] = S_INIT("patterns"),
                                      [COMMAND_THEMES] = S_INIT("themes"),
                                      [COMMAND_VERIFY] = S_INIT("verify"),
                                      [COMMAND_COMPARE] = S_INIT("compare"),
                                      [COMMAND_SUMMARIZE] = S_INIT("summarize"),
                                      [COMMAND_JOB] = S_INIT("job"),
                                      [COMMAND_CUT] = S_INIT("cut"),
                                      [COMMAND_TREE] = S_INIT("tree"),
                                      [COMMAND_WHATIF] = S_INIT("whatif"),
                                      [COMMAND_PUBLISH] = S_INIT("publish"),
                                      [COMMAND_REINDEX] = S_INIT("reindex"),
                                      [COMMAND_SHARE_CHECK] = S_INIT("share-check"),
                                      [COMMAND_DEMO] = S_INIT("demo"),
                                      [COMMAND_HELP] = S_INIT("help")};
enum { COMMANDS = sizeof commands / sizeof *commands };

struct str command_name(enum command c)
{
    return commands[c];
}

enum command command_of(struct str word)
{
    int k = 0;
    while (k < COMMANDS && !str_eq(word, commands[k]))
        k++;
    return (enum command)k;
}

int command_option(enum command c, struct str option)
{
    struct str name = str_skip(option, 2);
    for (int k = 0; k < KNOWN; k++)
        if (str_eq(name, str_of(known[k].name)))
            return known[k].of & 1u << c ? k : -1;
    return -1;
}

/* The command word, if there is one; a bare trace means analyze. */
static bool read_command(struct options *o, int argc, char **argv, struct err *e)
{
    if (optind == argc)
        return true;
    struct str word = str_of(argv[optind]);
    if (command_of(word) < COMMAND_NAMES) {
        o->command = command_of(word);
        optind++;
        return true;
    }
    bool is_word = !str_has(word, S(".")) && !str_has(word, S("/")) &&
                   !str_eq(word, S("-")) && !o->node && access(word.p, F_OK) != 0;
    return !is_word || (mistake_command(word, e) &&
                        err_unknown(e, "command", word, commands, COMMANDS, ""));
}

/* An option that a command does not know would be without effect, and nobody would see
 * it. */
static bool all_are_known(const struct options *o, const bool given[KNOWN],
                          struct arena *perm, struct err *e)
{
    int k = 0;
    while (k < KNOWN && !(given[k] && !(known[k].of & 1u << o->command)))
        k++;
    if (k == KNOWN)
        return true;
    struct str list = S("");
    for (int c = 0; c < COMMANDS; c++)
        if (known[k].of & 1u << c)
            list = str_printf(perm, "%.*s%s%.*s", STRF(list), list.n ? ", " : "",
                              STRF(commands[c]));
    return err_set(e, ERR_USAGE, NULL, -1,
                   "--%s is not an option of %.*s; it is an option of %.*s",
                   known[k].name, STRF(commands[o->command]), STRF(list));
}

bool options_print_json(const struct options *o)
{
    return str_eq(str_of(o->print), S("json"));
}

bool options_print_alone(const struct options *o)
{
    return o->print && !o->out_dir;
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
                          .tree = {.id = -1},
                          .job = {.rank = -1}};
    o->extensions = arena_new(perm, const char *, argc);
    o->compare.floors = arena_new(perm, const char *, argc);
    o->gates = arena_new(perm, const char *, argc);
    o->job.inputs = arena_new(perm, const char *, argc);
    o->whatif.changes = arena_new(perm, const char *, argc);
    for (int side = 0; side < 2; side++)
        o->compare.inputs[side] = arena_new(perm, const char *, argc);
    bool given[KNOWN] = {0};
    if (!read_switches(o, argc, argv, perm, given, e))
        return false;
    if (o->command == COMMAND_HELP || o->command == COMMAND_VERSION)
        return true;
    o->job.max_bytes = o->max_memory;
    if (!o->platform && options_have_figures(o))
        o->platform = "custom device";
    if (o->level == REDACT_PUBLIC)
        o->formats &= ~(unsigned)(FORMAT_EXCERPTS | (o->kits ? 0 : FORMAT_REPLAY));
    if (!read_command(o, argc, argv, e) || !all_are_known(o, given, perm, e))
        return false;
    for (int side = 0; o->command == COMMAND_COMPARE && side < 2; side++)
        if (!o->compare.n_inputs[side] && optind < argc)
            o->compare.inputs[side][o->compare.n_inputs[side]++] = argv[optind++];
    bool many = o->command == COMMAND_JOB || o->command == COMMAND_SUMMARIZE ||
                o->command == COMMAND_CUT;
    while (many && optind < argc)
        o->job.inputs[o->job.n_inputs++] = argv[optind++];
    bool none = o->command == COMMAND_COMPARE || o->command == COMMAND_REINDEX ||
                o->command == COMMAND_PLATFORMS || o->command == COMMAND_DEMO;
    if (!none && optind < argc)
        o->trace = argv[optind++];
    while (o->command == COMMAND_WHATIF && optind < argc)
        o->whatif.changes[o->whatif.n_changes++] = argv[optind++];
    if ((o->command == COMMAND_PUBLISH || o->command == COMMAND_REINDEX) &&
        optind < argc)
        o->root = argv[optind++];
    if (optind < argc)
        return mistake_argument(commands[o->command], o->print, argv[optind], e);
    return true;
}
