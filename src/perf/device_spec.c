#include "perf/device_spec.h"

#include "base/arena.h"
#include "perf/device_name.h"

#include <cjson/cJSON.h>
#include <math.h>

enum {
    NAME_BYTES = 64, /* longest device name, which appears in titles and table heads */
    PEAKS = 256,     /* the known Compute Specs are 14 */
    TEXT_BYTES =
        1 << 20, /* a platform file is a page of text; anything longer is not one */
};

/* The error in a document, with its file; this lets each check read like a sentence. */
struct reader {
    struct arena *perm;
    const char *file;
    struct err *e;
};

#define bad(r, ...) err_set((r)->e, ERR_INPUT, (r)->file, -1, __VA_ARGS__)

/* A name is printed everywhere, so control characters and very long texts are
 * rejected. */
static bool is_printable(struct str s)
{
    for (ptrdiff_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
            return false;
    return s.n > 0 && s.n <= NAME_BYTES;
}

static bool read_name(const struct reader *r, const cJSON *doc, struct str *out)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(doc, "name");
    if (!cJSON_IsString(v))
        return bad(r, "no \"name\": add the name of the device as a string");
    struct str name = str_trim(str_of(v->valuestring));
    if (!is_printable(name))
        return bad(r, "\"name\" must be 1 to %d bytes without control characters",
                   NAME_BYTES);
    *out = str_copy(r->perm, name);
    return true;
}

static bool is_figure(const cJSON *v)
{
    return cJSON_IsNumber(v) && isfinite(v->valuedouble) && v->valuedouble > 0;
}

/* An optional positive number: 0 if the key is absent or null. */
static bool read_optional(const struct reader *r, const cJSON *doc, const char *key,
                          double *out)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(doc, key);
    *out = 0;
    if (!v || cJSON_IsNull(v))
        return true;
    if (!is_figure(v))
        return bad(r, "\"%s\" must be a number above 0: correct it or leave it out",
                   key);
    *out = v->valuedouble;
    return true;
}

static bool read_bandwidth(const struct reader *r, const cJSON *doc, double *out)
{
    if (!read_optional(r, doc, "mem_bw_gbps", out))
        return false;
    return *out > 0 ||
           bad(r, "no \"mem_bw_gbps\": add the memory bandwidth in GB/s (1e9 byte/s)");
}

static bool read_aliases(const struct reader *r, const cJSON *doc)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(doc, "aliases"), *alias;
    if (!list)
        return true;
    if (!cJSON_IsArray(list))
        return bad(r, "\"aliases\" must be a list of strings");
    cJSON_ArrayForEach(
        alias,
        list) if (!cJSON_IsString(alias) ||
                  !is_printable(str_of(
                      alias->valuestring))) return bad(r,
                                                       "\"aliases\" must hold "
                                                       "strings of 1 to %d bytes",
                                                       NAME_BYTES);
    return true;
}

static double peak_in(const struct device_peak *peaks, int n, struct str compute_spec)
{
    for (int i = 0; i < n; i++)
        if (str_eq(peaks[i].spec, compute_spec))
            return peaks[i].peak_tflop_per_s;
    return 0;
}

/* Accepts any Compute Spec, such as "matrix_fp4": the models decide which exist. A null
 * is an unknown peak, as if the key were absent. */
static bool read_map(const struct reader *r, const cJSON *map, const char *key,
                     struct device_peak **peaks, int *n_peaks)
{
    const cJSON *v;
    int n = cJSON_GetArraySize(map);
    if (n > PEAKS)
        return bad(r, "\"%s\" has %d peaks: keep at most %d", key, n, PEAKS);
    *peaks = arena_new(r->perm, struct device_peak, n);
    *n_peaks = 0;
    cJSON_ArrayForEach(v, map)
    {
        struct str spec = str_of(v->string);
        if (!is_printable(spec))
            return bad(r, "a key of \"%s\" is not 1 to %d printable bytes", key,
                       NAME_BYTES);
        if (cJSON_IsNull(v))
            continue;
        if (!is_figure(v))
            return bad(r, "\"%s\": \"%.*s\" must be a number above 0 (1e12 FLOP/s)",
                       key, STRF(spec));
        if (peak_in(*peaks, *n_peaks, spec) > 0)
            return bad(r, "\"%s\": \"%.*s\" is given twice: keep one", key, STRF(spec));
        (*peaks)[(*n_peaks)++] =
            (struct device_peak){str_copy(r->perm, spec), v->valuedouble};
    }
    return true;
}

static bool read_peaks(const struct reader *r, const cJSON *doc, struct device_spec *d)
{
    static const char key[] = "max_achievable_tflops";
    const cJSON *map = cJSON_GetObjectItemCaseSensitive(doc, key);
    if (!cJSON_IsObject(map))
        return bad(r, "no \"%s\": add an object such as {\"matrix_bf16\": 708}", key);
    if (!read_map(r, map, key, &d->peaks, &d->n_peaks))
        return false;
    return true;
}

static bool read_text(const struct reader *r, const cJSON *doc, const char *key,
                      struct str *out)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(doc, key);
    if (!v)
        return true;
    if (!cJSON_IsString(v) || !is_printable(str_of(v->valuestring)))
        return bad(r, "\"%s\" must be 1 to %d bytes of text", key, NAME_BYTES);
    *out = str_copy(r->perm, str_of(v->valuestring));
    return true;
}

/* The form of the board is a word of the name, or apart from it where the plain name
 * means one of several. */
static bool read_variant(const struct reader *r, const cJSON *doc,
                         struct device_spec *d)
{
    struct device_words w;
    struct str form = d->name;
    if (!read_text(r, doc, "arch", &d->arch) || !read_text(r, doc, "form", &form))
        return false;
    device_words_of(form, &w);
    d->form = w.form;
    return true;
}

/* What a device has beside peaks and bandwidth. */
static bool read_extent(const struct reader *r, const cJSON *doc, struct device_spec *d)
{
    double units;
    if (!read_optional(r, doc, "memory_gb", &d->memory_gb) ||
        !read_optional(r, doc, "l2_mb", &d->l2_mb) ||
        !read_optional(r, doc, "host_link_gbps", &d->host_link_gb_per_s) ||
        !read_optional(r, doc, "peer_link_gbps", &d->peer_link_gb_per_s) ||
        !read_optional(r, doc, "num_compute_units", &units))
        return false;
    d->compute_units = units >= 1 && units <= 1e6 ? (int)units : 0;
    return true;
}

/* Of which kind the peaks are, and the data sheet's where they are of the other. */
static bool read_kind(const struct reader *r, const cJSON *doc, struct device_spec *d)
{
    static const char key[] = "datasheet_tflops";
    const cJSON *kind = cJSON_GetObjectItemCaseSensitive(doc, "peaks_are");
    const cJSON *sheet = cJSON_GetObjectItemCaseSensitive(doc, key);
    struct str word =
        cJSON_IsString(kind) ? str_of(kind->valuestring) : S(""); /* absent: unknown */
    if (str_eq(word, S("achievable")))
        d->kind = PEAKS_ACHIEVABLE;
    else if (str_eq(word, S("data sheet")))
        d->kind = PEAKS_DATASHEET;
    else if (kind)
        return bad(r, "\"peaks_are\" must be \"achievable\" or \"data sheet\"");
    if (sheet && !cJSON_IsObject(sheet))
        return bad(r, "\"%s\" must be an object such as {\"matrix_bf16\": 1307}", key);
    return (!sheet || read_map(r, sheet, key, &d->sheet, &d->n_sheet)) &&
           read_optional(r, doc, "datasheet_mem_bw_gbps", &d->sheet_gb_per_s);
}

static bool read_device(const struct reader *r, const cJSON *doc, struct device_spec *d)
{
    if (!cJSON_IsObject(doc))
        return bad(r, "a platform file is one JSON object: start it with '{'");
    if (!read_name(r, doc, &d->name) || !read_aliases(r, doc) ||
        !read_bandwidth(r, doc, &d->memory_gb_per_s) || !read_extent(r, doc, d) ||
        !read_variant(r, doc, d) || !read_peaks(r, doc, d))
        return false;
    return read_kind(r, doc, d);
}

bool device_parse(struct arena *perm, struct str json, const char *file,
                  struct device_spec *out, struct err *e)
{
    struct reader r = {perm, file, e};
    if (json.n > TEXT_BYTES)
        return bad(&r,
                   "%td bytes are too many for a platform file: describe one device",
                   json.n);

    /* cJSON needs a final NUL; a NUL before the end would hide what follows it. */
    struct device_spec d = {.file_text = {str_c(perm, json), json.n}};
    const char *end = NULL;
    cJSON *doc = cJSON_ParseWithLengthOpts(d.file_text.p, (size_t)json.n + 1, &end, 1);
    if (!doc || end != d.file_text.p + json.n) {
        int64_t at = end ? end - d.file_text.p : 0;
        cJSON_Delete(doc);
        return err_set(e, ERR_INPUT, file, at,
                       "not valid JSON: a platform file is one JSON object");
    }
    bool ok = read_device(&r, doc, &d);
    cJSON_Delete(doc);
    if (ok)
        *out = d;
    return ok;
}

double device_peak(const struct device_spec *d, struct str compute_spec)
{
    return peak_in(d->peaks, d->n_peaks, compute_spec);
}

double device_half_peak(const struct device_spec *d)
{
    return fmax(device_peak(d, S("matrix_bf16")), device_peak(d, S("matrix_fp16")));
}

double device_sheet_peak(const struct device_spec *d, struct str compute_spec)
{
    return d->kind == PEAKS_DATASHEET ? device_peak(d, compute_spec)
                                      : peak_in(d->sheet, d->n_sheet, compute_spec);
}

double device_type_peak(const struct device_spec *d, struct str compute_spec)
{
    static const struct {
        struct str matrix, vector;
    } wide[] = {{S_INIT("matrix_fp32"), S_INIT("vector_fp32")},
                {S_INIT("matrix_fp64"), S_INIT("vector_fp64")}};
    double peak = device_peak(d, compute_spec);
    if (!(peak > 0))
        peak = device_sheet_peak(d, compute_spec);
    for (size_t k = 0; !(peak > 0) && k < sizeof wide / sizeof *wide; k++)
        if (str_eq(compute_spec, wide[k].matrix))
            peak = device_type_peak(d, wide[k].vector);
    return peak;
}

bool device_use_sheet(struct device_spec *d)
{
    if (d->kind == PEAKS_DATASHEET)
        return true;
    if (d->n_sheet == 0)
        return false;
    d->peaks = d->sheet;
    d->n_peaks = d->n_sheet;
    d->kind = PEAKS_DATASHEET;
    if (d->sheet_gb_per_s > 0)
        d->memory_gb_per_s = d->sheet_gb_per_s;
    return true;
}

static struct roofline roofline_at(const struct device_spec *d, double flop,
                                   double byte, double peak)
{
    if (!(flop > 0) || isnan(byte) || peak <= 0 || d->memory_gb_per_s <= 0)
        return (struct roofline){BOUND_NONE, 0};

    /* Operations in this order, to match the reference to the last bit; it starts from
     * GFLOP, hence the division and multiplication by 1e9. */
    double compute_us = (flop / 1e9 * 1e9 / (peak * 1e12)) * 1e6;
    double memory_us = (byte / (d->memory_gb_per_s * 1e9)) * 1e6;
    if (compute_us >= memory_us)
        return (struct roofline){BOUND_COMPUTE, compute_us};
    return (struct roofline){BOUND_MEMORY, memory_us};
}

struct roofline roofline_of(const struct device_spec *d, double flop, double byte,
                            struct str compute_spec)
{
    return roofline_at(d, flop, byte, device_peak(d, compute_spec));
}

struct roofline roofline_of_type(const struct device_spec *d, double flop, double byte,
                                 struct str compute_spec)
{
    return roofline_at(d, flop, byte, device_type_peak(d, compute_spec));
}

struct roofline roofline_of_bytes(const struct device_spec *d, double byte)
{
    if (!(byte > 0) || d->memory_gb_per_s <= 0)
        return (struct roofline){BOUND_NONE, 0};
    return (struct roofline){BOUND_MEMORY, byte / (d->memory_gb_per_s * 1e9) * 1e6};
}
