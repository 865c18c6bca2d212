#include "commands/device_choice.h"

#include "base/arena.h"
#include "base/file_head.h"
#include "base/terminal.h"
#include "base/unknown.h"
#include "export/json_tree.h"
#include "perf/device_name.h"
#include "render/text/bundle.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PLATFORMS S("assets/platforms/")

/* Letter for letter but for case, spaces and the vendor. */
static struct str plain_name(struct arena *a, struct str name)
{
    char *p = arena_new(a, char, name.n);
    struct str plain = {p, 0};
    for (ptrdiff_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (c != ' ')
            p[plain.n++] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
    }
    if (str_starts(plain, S("amd")))
        plain = str_skip(plain, 3);
    if (str_starts(plain, S("nvidia")))
        plain = str_skip(plain, 6);
    if (str_ends(plain, S("sxm")))
        plain = str_head(plain, plain.n - 3);
    return plain;
}

/* The file name without its folder and ".json". */
static struct str stem(struct str path)
{
    struct str file = str_skip(path, PLATFORMS.n);
    return str_head(file, file.n - S(".json").n);
}

static bool has_alias(struct arena *a, struct str path, struct str wanted)
{
    struct str json = bundle_file(path);
    cJSON *doc = cJSON_ParseWithLength(json.p, (size_t)json.n), *alias;
    bool found = false;
    cJSON_ArrayForEach(alias, cJSON_GetObjectItemCaseSensitive(doc, "aliases"))
    {
        struct str name = str_of(cJSON_GetStringValue(alias));
        found |= name.n && str_eq(plain_name(a, name), wanted);
    }
    cJSON_Delete(doc);
    return found;
}

/* Whether the name of a built-in file is that of the recorded device: what tells
 * variants apart is in the file. Files are many, so only those in question are read. */
static bool is_candidate(struct str path, const struct device_words *recorded)
{
    struct device_words own;
    if (recorded->n == 0)
        return true;
    device_words_of(stem(path), &own);
    return device_words_match(&own, recorded);
}

/* Where only memory and compute units tell, two devices of other rates may fit. */
static bool is_alike(const struct device_spec *a, const struct device_spec *b)
{
    struct str bf16 = S("matrix_bf16");
    return a->memory_gb_per_s == b->memory_gb_per_s &&
           device_sheet_peak(a, bf16) == device_sheet_peak(b, bf16);
}

/* The file that fits best; empty if none does, or if several do that differ. */
static struct str best_fit(struct arena *perm, const struct traced_device *recorded,
                           struct device_spec *d)
{
    struct device_words words;
    struct err e = {0};
    struct str best = S("");
    double most = -1;
    bool alike = true;
    device_words_of(recorded->name, &words);
    for (int i = 0, n = bundle_count(PLATFORMS); i < n; i++) {
        struct str path = bundle_path(PLATFORMS, i);
        struct device_spec one;
        if (!is_candidate(path, &words) ||
            !device_parse(perm, bundle_file(path), "built in", &one, &e))
            continue;
        double like = device_likeness(&one, recorded);
        if (like < 0)
            continue;
        alike = best.n == 0 || words.n > 0 || (alike && is_alike(&one, d));
        if (like <= most)
            continue;
        most = like;
        best = path;
        *d = one;
    }
    return alike ? best : S("");
}

/* The file of the built-in device with this name; empty if there is none. */
static struct str built_in(struct arena *perm, const char *platform)
{
    struct str wanted = plain_name(perm, str_of(platform));
    struct device_words words;
    struct device_spec d;
    for (int i = 0, n = bundle_count(PLATFORMS); i < n; i++)
        if (str_eq(plain_name(perm, stem(bundle_path(PLATFORMS, i))), wanted))
            return bundle_path(PLATFORMS, i);
    for (int i = 0, n = bundle_count(PLATFORMS); i < n; i++)
        if (has_alias(perm, bundle_path(PLATFORMS, i), wanted))
            return bundle_path(PLATFORMS, i);
    device_words_of(str_of(platform), &words);
    struct traced_device named = {.name = str_of(platform)};
    return words.n ? best_fit(perm, &named, &d) : S("");
}

/* The same document as a platform file, made from the figures on the command line. */
static bool from_figures(struct arena *perm, const struct options *o,
                         struct device_spec *d, struct err *e)
{
    const struct device_figures *f = &o->figures;
    const char *name = o->platform;
    if (!(f->memory_tb_per_s > 0) || !(f->tflop_per_s > 0))
        return err_set(e, ERR_USAGE, NULL, -1,
                       f->memory_gb > 0
                           ? "--memory-gb requires --peak-bw-tbs and --peak-tflops"
                           : "--peak-bw-tbs and --peak-tflops must be given together");
    if (strcmp(name, "none") == 0 || built_in(perm, name).n)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "-p %s cannot be combined with --peak-bw-tbs, --peak-tflops or "
                       "--memory-gb; choose another name, or leave them out",
                       name);
    bool sized = f->memory_gb > 0;
    cJSON *doc = json_object(J("name", name),
                             json_fixed("mem_bw_gbps", 1e3 * f->memory_tb_per_s, 6),
                             json_fixed(sized ? "memory_gb" : NULL, f->memory_gb, 6));
    cJSON *peaks = json_put_object(doc, "max_achievable_tflops");
    json_put(peaks, json_fixed("matrix_bf16", f->tflop_per_s, 6),
             json_fixed("matrix_fp16", f->tflop_per_s, 6));
    char *text = cJSON_PrintUnformatted(doc);
    struct str json = str_copy(perm, str_of(text));
    cJSON_free(text);
    cJSON_Delete(doc);
    return device_parse(perm, json, "-p", d, e);
}

static bool unknown_device(struct arena *perm, const char *platform, struct err *e)
{
    int n = bundle_count(PLATFORMS);
    struct str *names = arena_new(perm, struct str, n);
    struct str wanted = str_of(platform), has = S("");
    int n_has = 0;
    for (int i = 0; i < n; i++) {
        names[i] = stem(bundle_path(PLATFORMS, i));
        if (wanted.n < 3 || !str_has_nocase(names[i], wanted))
            continue;
        has = n_has ? str_printf(perm, "%.*s, %.*s", STRF(has), STRF(names[i]))
                    : names[i];
        n_has++;
    }
    if (n_has && n_has < 8)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "unknown device '%.60s'; did you mean %.*s?", platform,
                       STRF(str_head(has, 300)));
    return err_unknown(
        e, "device", str_of(platform), names, n,
        "`tracefolio platforms` lists them; or name a JSON file of your own, or none");
}

bool device_choose(struct arena *perm, const struct options *o, struct device_spec *d,
                   bool *known, struct err *e)
{
    const char *platform = o->platform ? o->platform : "none";
    struct str json;
    *known = true;
    if (options_have_figures(o))
        return from_figures(perm, o, d, e);
    *known = strcmp(platform, "none") != 0;
    if (!*known)
        return true;
    struct str path = built_in(perm, platform);
    if (strchr(platform, ',') && access(platform, F_OK) != 0)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "-p '%.100s': expected one device; only compare has two",
                       platform);
    if (path.n)
        return device_parse(perm, bundle_file(path), str_c(perm, path), d, e);
    if (!strchr(platform, '.') && !strchr(platform, '/'))
        return unknown_device(perm, platform, e);
    enum { MAX_BYTES = 1 << 20 };
    if (!file_head(perm, platform, MAX_BYTES, &json, e))
        return false;
    if (json.n == MAX_BYTES)
        return err_set(e, ERR_INPUT, platform, -1,
                       "not a platform file: larger than 1 MiB");
    return device_parse(perm, json, platform, d, e);
}

bool device_of_trace(struct arena *perm, const struct traced_device *recorded,
                     struct device_spec *d)
{
    return best_fit(perm, recorded, d).n > 0;
}

struct str device_relative(const struct traced_device *recorded)
{
    struct device_words words, own;
    struct str best = S("");
    ptrdiff_t most = 0;
    device_words_of(recorded->name, &words);
    for (int i = 0, n = bundle_count(PLATFORMS); i < n; i++) {
        struct str name = stem(bundle_path(PLATFORMS, i));
        device_words_of(name, &own);
        if (!device_words_near(&own, &words))
            continue;
        ptrdiff_t like = device_words_bytes(&own);
        if (like < most || (like == most && name.n >= best.n))
            continue;
        most = like;
        best = name;
    }
    return best;
}

/* The widths of a row, which its head shares. */
#define ROW "%-17.*s %7s %7s %6s %6s %6s %6s %6s %6s %6s %6s  %s"

/* "-" where it is unknown. */
static const char *figure(struct arena *a, double v)
{
    return v > 0 ? str_printf(a, "%.*f", v < 99.95 ? 1 : 0, v).p : "-";
}

static void print_device(FILE *to, struct arena tmp, struct str name,
                         const struct device_spec *d)
{
    static const char *const kinds[] = {"-", "achievable", "data sheet"};
    static const struct str specs[] = {S_INIT("vector_fp64"), S_INIT("vector_fp32"),
                                       S_INIT("matrix_tf32"), S_INIT("matrix_bf16"),
                                       S_INIT("matrix_fp16"), S_INIT("matrix_fp8"),
                                       S_INIT("matrix_fp4"),  S_INIT("matrix_int8")};
    enum { SPECS = sizeof specs / sizeof *specs };
    const char *p[SPECS];
    for (int k = 0; k < SPECS; k++)
        p[k] = figure(&tmp, device_peak(d, specs[k]));
    terminal_line(to, ROW, STRF(name), str_printf(&tmp, "%.0f", d->memory_gb).p,
                  str_printf(&tmp, "%.2f", d->memory_gb_per_s / 1e3).p, p[0], p[1],
                  p[2], p[3], p[4], p[5], p[6], p[7], kinds[d->kind]);
}

bool device_list(FILE *to, struct err *e)
{
    struct arena perm = arena_reserve(1 << 24);
    struct str head = S("platform");
    terminal_line(to, ROW, STRF(head), "GB", "TB/s", "v64", "v32", "tf32", "bf16",
                  "fp16", "fp8", "fp4", "int8", "TFLOPS are");
    for (int i = 0, n = bundle_count(PLATFORMS); i < n; i++) {
        struct str path = bundle_path(PLATFORMS, i);
        struct device_spec d;
        if (!device_parse(&perm, bundle_file(path), str_c(&perm, path), &d, e))
            return false;
        print_device(to, perm, stem(path), &d);
    }
    return true;
}
