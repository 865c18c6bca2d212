#include "device_choice.h"

#include "base/arena.h"
#include "base/file_head.h"
#include "base/unknown.h"
#include "export/json_tree.h"
#include "render/text/bundle.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#define PLATFORMS S("assets/platforms/")

/* "NVIDIA H100 SXM" and "h100" name the same device. */
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

static bool goes_by(struct arena *a, struct str path, struct str wanted)
{
    if (str_eq(plain_name(a, stem(path)), wanted))
        return true;
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

/* The file of the built-in device with this name; empty if there is none. */
static struct str built_in(struct arena *perm, const char *platform)
{
    struct str wanted = plain_name(perm, str_of(platform));
    for (int i = 0; i < bundle_count(PLATFORMS); i++)
        if (goes_by(perm, bundle_path(PLATFORMS, i), wanted))
            return bundle_path(PLATFORMS, i);
    return S("");
}

/* The same document as a platform file, made from the figures on the command line. */
static bool from_figures(struct arena *perm, const struct options *o,
                         struct device_spec *d, struct err *e)
{
    const struct device_figures *f = &o->figures;
    const char *name = o->platform;
    if (!(f->memory_tb_per_s > 0) || !(f->tflop_per_s > 0))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--peak-bw-tbs and --peak-tflops must be given together");
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
    for (int i = 0; i < n; i++)
        names[i] = stem(bundle_path(PLATFORMS, i));
    return err_unknown(e, "device", str_of(platform), names, n,
                       "or name a JSON file of your own, or none");
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
    struct err e = {0};
    for (int i = 0; i < bundle_count(PLATFORMS); i++) {
        struct str path = bundle_path(PLATFORMS, i);
        if (device_parse(perm, bundle_file(path), "built in", d, &e) &&
            device_fit(d, recorded) == FIT_YES)
            return true;
    }
    return false;
}

static void print_peak(FILE *to, const struct device_spec *d, struct str spec)
{
    double peak = device_peak(d, spec);
    if (peak > 0)
        fprintf(to, " %12.0f", peak);
    else
        fprintf(to, " %12s", "-");
}

bool device_list(FILE *to, struct err *e)
{
    struct arena perm = arena_reserve(1 << 24);
    static const char *const kinds[] = {"-", "achievable", "data sheet"};
    fprintf(to, "%-12s %10s %10s %12s %12s %12s  %-10s %20s\n", "platform", "HBM TB/s",
            "memory GB", "bf16 TFLOPS", "fp16 TFLOPS", "fp8 TFLOPS", "peaks are",
            "bf16 by data sheet");
    for (int i = 0; i < bundle_count(PLATFORMS); i++) {
        struct str path = bundle_path(PLATFORMS, i);
        struct device_spec d;
        if (!device_parse(&perm, bundle_file(path), str_c(&perm, path), &d, e))
            return false;
        fprintf(to, "%-12.*s %10.2f %10.0f", STRF(stem(path)), d.memory_gb_per_s / 1e3,
                d.memory_gb);
        print_peak(to, &d, S("matrix_bf16"));
        print_peak(to, &d, S("matrix_fp16"));
        print_peak(to, &d, S("matrix_fp8"));
        fprintf(to, "  %-10s", kinds[d.kind]);
        double sheet = device_sheet_peak(&d, S("matrix_bf16"));
        if (sheet > 0)
            fprintf(to, " %20.0f\n", sheet);
        else
            fprintf(to, " %20s\n", "-");
    }
    return true;
}
