#include "device_spec.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/near_case.h"

static struct arena perm;

static int take_memory(void **state)
{
    (void)state;
    perm = arena_reserve(64 << 20);
    return 0;
}

static void good(const char *json, struct device_spec *d)
{
    struct err e = {0};
    if (!device_parse(&perm, str_of(json), "my.json", d, &e))
        fail_msg("refused: %s", e.what);
}

/* The document is refused, the message has `part`, and nothing was written. */
static void refused(struct str json, const char *part)
{
    struct err e = {0};
    struct device_spec d = {.n_peaks = -7};
    assert_false(device_parse(&perm, json, "my.json", &d, &e));
    assert_int_equal(e.kind, ERR_INPUT);
    assert_string_equal(e.file, "my.json");
    if (!strstr(e.what, part))
        fail_msg("'%s' does not have '%s'", e.what, part);
    assert_null(strchr(e.what, '\n'));
    assert_int_equal(d.n_peaks, -7);
}

#define PEAK "\"max_achievable_tflops\": {\"matrix_bf16\": 520}"

static void reads_every_figure(void **state)
{
    (void)state;
    struct device_spec d;
    const char *json =
        "{\"name\": \" My GPU \", \"aliases\": [\"mygpu\"], \"mem_bw_gbps\": "
        "4200, \"memory_gb\": 96.5, \"num_compute_units\": 128, "
        "\"max_achievable_tflops\": {\"matrix_bf16\": 520, \"vector_fp32\": "
        "65.25, \"matrix_fp4\": null}, \"_reference\": \"in-house\"}";
    good(json, &d);
    assert_true(str_eq(d.name, S("My GPU")));
    assert_true(str_eq(d.file_text, str_of(json)));
    assert_true(d.memory_gb_per_s == 4200 && d.memory_gb == 96.5);
    assert_int_equal(d.n_peaks, 2);
    assert_true(device_peak(&d, S("matrix_bf16")) == 520);
    assert_true(device_peak(&d, S("vector_fp32")) == 65.25);
    assert_true(device_peak(&d, S("matrix_fp4")) == 0);
    assert_true(device_peak(&d, S("matrix_bf1")) == 0);
    assert_true(device_peak(&d, S("")) == 0);
}

#define SHEET                                                                          \
    "\"peaks_are\": \"achievable\", \"datasheet_tflops\": {\"matrix_bf16\": 900}, "    \
    "\"datasheet_mem_bw_gbps\": 5000"

/* What a product reaches, and what the vendor prints: either may count, never both. */
static void two_kinds_of_peak(void **state)
{
    (void)state;
    struct device_spec d;
    good("{\"name\": \"x\", \"mem_bw_gbps\": 4000, \"num_compute_units\": 7, " PEAK
         ", " SHEET "}",
         &d);
    assert_int_equal(d.compute_units, 7);
    assert_int_equal(d.kind, PEAKS_ACHIEVABLE);
    assert_true(device_sheet_peak(&d, S("matrix_bf16")) == 900);
    assert_true(device_peak(&d, S("matrix_bf16")) == 520);
    assert_true(device_use_sheet(&d));
    assert_true(device_peak(&d, S("matrix_bf16")) == 900 && d.memory_gb_per_s == 5000);
    assert_int_equal(d.kind, PEAKS_DATASHEET);
    good("{\"name\": \"x\", \"mem_bw_gbps\": 4000, " PEAK "}", &d);
    assert_int_equal(d.kind, PEAKS_UNKNOWN);
    assert_false(device_use_sheet(&d));
    refused(S("{\"name\": \"x\", \"mem_bw_gbps\": 4000, \"peaks_are\": \"good\", " PEAK
              "}"),
            "achievable");
    refused(S("{\"name\": \"x\", \"mem_bw_gbps\": 4000, \"datasheet_tflops\": 3, " PEAK
              "}"),
            "datasheet_tflops");
}

/* Without arithmetic the bandwidth is the roof: 4000 bytes at 1 TB/s. */
static void bytes_alone_are_memory_bound(void **state)
{
    (void)state;
    struct device_spec d = {.memory_gb_per_s = 1000};
    struct roofline r = roofline_of_bytes(&d, 4e6);
    assert_int_equal(r.bound, BOUND_MEMORY);
    assert_true(r.time_us == 4);
    assert_int_equal(roofline_of_bytes(&d, (double)NAN).bound, BOUND_NONE);
}

static void memory_size_may_be_unknown(void **state)
{
    (void)state;
    struct device_spec d;
    good("{\"name\": \"G\", \"mem_bw_gbps\": 1, " PEAK "}", &d);
    assert_true(d.memory_gb == 0);
}

static void refuses_what_is_not_json(void **state)
{
    (void)state;
    refused(S(""), "not valid JSON");
    refused(S("{\"name\": \"G\""), "not valid JSON");
    refused(S("{\"name\": \"G\", \"mem_bw_gbps\": 1, " PEAK "} x"), "not valid JSON");
    /* a C reader would silently drop what follows a NUL */
    refused(S("{\"name\": \"G\", \"mem_bw_gbps\": 1, " PEAK "}\0{}"), "not valid JSON");
    refused(S("[1]"), "one JSON object");
}

static void names_the_byte_of_a_syntax_error(void **state)
{
    (void)state;
    struct err e = {0};
    struct device_spec d;
    /* {"name": "G", oops: the comma is byte 12, the first letter that fits nothing 14
     */
    assert_false(device_parse(&perm, S("{\"name\": \"G\" 5}"), "my.json", &d, &e));
    assert_int_equal(e.offset, 13);
}

static void refuses_bad_names(void **state)
{
    (void)state;
    refused(S("{\"mem_bw_gbps\": 1, " PEAK "}"), "no \"name\"");
    refused(S("{\"name\": 5, \"mem_bw_gbps\": 1, " PEAK "}"), "no \"name\"");
    refused(S("{\"name\": \" \", \"mem_bw_gbps\": 1, " PEAK "}"), "1 to 64 bytes");
    refused(S("{\"name\": \"a\\nb\", \"mem_bw_gbps\": 1, " PEAK "}"), "control");
    refused(S("{\"name\": \"G\", \"aliases\": \"g\", \"mem_bw_gbps\": 1, " PEAK "}"),
            "\"aliases\" must be a list");
    refused(S("{\"name\": \"G\", \"aliases\": [1], \"mem_bw_gbps\": 1, " PEAK "}"),
            "\"aliases\" must hold strings");

    char json[256], name[66] = "";
    memset(name, 'n', 65);
    snprintf(json, sizeof json, "{\"name\": \"%s\", \"mem_bw_gbps\": 1, " PEAK "}",
             name);
    refused(str_of(json), "1 to 64 bytes");
}

static void refuses_bad_figures(void **state)
{
    (void)state;
    refused(S("{\"name\": \"G\", " PEAK "}"), "no \"mem_bw_gbps\"");
    refused(S("{\"name\": \"G\", \"mem_bw_gbps\": \"5\", " PEAK "}"), "above 0");
    refused(S("{\"name\": \"G\", \"mem_bw_gbps\": 0, " PEAK "}"), "above 0");
    refused(S("{\"name\": \"G\", \"mem_bw_gbps\": 1e999, " PEAK "}"), "above 0");
    refused(S("{\"name\": \"G\", \"mem_bw_gbps\": 1, \"memory_gb\": -1, " PEAK "}"),
            "\"memory_gb\" must be");
    refused(
        S("{\"name\": \"G\", \"mem_bw_gbps\": 1, \"num_compute_units\": [], " PEAK "}"),
        "\"num_compute_units\" must be");
}

#define PEAKS_ARE(peaks)                                                               \
    S("{\"name\": \"G\", \"mem_bw_gbps\": 1, \"max_achievable_tflops\": " peaks "}")

static void refuses_bad_peaks(void **state)
{
    (void)state;
    refused(S("{\"name\": \"G\", \"mem_bw_gbps\": 1}"), "no \"max_achievable_tflops\"");
    refused(PEAKS_ARE("[520]"), "no \"max_achievable_tflops\"");
    refused(PEAKS_ARE("{\"matrix_bf16\": 520, \"vector_fp32\": \"65\"}"),
            "\"vector_fp32\"");
    refused(PEAKS_ARE("{\"matrix_bf16\": 520, \"vector_fp32\": -1}"),
            "\"vector_fp32\"");
    refused(PEAKS_ARE("{\"matrix_bf16\": 520, \"matrix_bf16\": 1}"), "given twice");
    refused(PEAKS_ARE("{\"matrix_bf16\": 520, \"\": 1}"), "printable");
}

static void refuses_huge_documents(void **state)
{
    (void)state;
    static char many[1 << 16], huge[(1 << 20) + 1];
    memset(huge, ' ', sizeof huge);
    refused((struct str){huge, sizeof huge}, "too many for a platform file");

    int n = snprintf(many, sizeof many,
                     "{\"name\": \"G\", \"mem_bw_gbps\": 1, "
                     "\"max_achievable_tflops\": {\"matrix_bf16\": 1");
    for (int i = 0; i < 256; i++)
        n += snprintf(many + n, sizeof many - (size_t)n, ", \"k%d\": 1", i);
    snprintf(many + n, sizeof many - (size_t)n, "}}");
    refused(str_of(many), "257 peaks");
}

static struct device_spec mi300x(void)
{
    struct device_spec d;
    good("{\"name\": \"MI300X\", \"mem_bw_gbps\": 5300, \"max_achievable_tflops\": "
         "{\"matrix_bf16\": 708}}",
         &d);
    return d;
}

/* bf16, m = n = k = 4096: 2 * 4096^3 = 137438953472 FLOP / 708e12 = 194.1228...us;
 * 3 * 4096^2 * 2 = 100663296 bytes / 5300e9 = 18.993...us. */
static void large_product_is_compute_bound(void **state)
{
    (void)state;
    struct device_spec d = mi300x();
    struct roofline r = roofline_of(&d, 137438953472.0, 100663296.0, S("matrix_bf16"));
    assert_int_equal(r.bound, BOUND_COMPUTE);
    assert_near((float)r.time_us, 194.12282F, 1e-4F);
}

/* 1 MFLOP at 708e12 takes 1.412 ns, 5.3 MB at 5300e9 1 us. */
static void thin_product_is_memory_bound(void **state)
{
    (void)state;
    struct device_spec d = mi300x();
    struct roofline r = roofline_of(&d, 1e6, 5.3e6, S("matrix_bf16"));
    assert_int_equal(r.bound, BOUND_MEMORY);
    assert_near((float)r.time_us, 1.0F, 1e-6F);
}

/* 708e12 FLOP and 5300e9 byte take 1 s each: the tie is compute, as the reference has
 * it. */
static void tie_is_compute_bound(void **state)
{
    (void)state;
    struct device_spec d = mi300x();
    struct roofline r = roofline_of(&d, 708e12, 5300e9, S("matrix_bf16"));
    assert_int_equal(r.bound, BOUND_COMPUTE);
    assert_near((float)r.time_us, 1e6F, 1.0F);
}

static void no_figures_without_peak_flop_or_bytes(void **state)
{
    (void)state;
    struct device_spec d = mi300x();
    assert_int_equal(roofline_of(&d, 1, 1, S("matrix_fp4")).bound, BOUND_NONE);
    assert_int_equal(roofline_of(&d, 1, 1, S("")).bound, BOUND_NONE);
    assert_int_equal(roofline_of(&d, 0, 1, S("matrix_bf16")).bound, BOUND_NONE);
    assert_int_equal(roofline_of(&d, (double)NAN, 1, S("matrix_bf16")).bound,
                     BOUND_NONE);
    assert_int_equal(roofline_of(&d, 1, (double)NAN, S("matrix_bf16")).bound,
                     BOUND_NONE);
    /* no bytes moved is a known figure */
    assert_int_equal(roofline_of(&d, 1, 0, S("matrix_bf16")).bound, BOUND_COMPUTE);
}

/* The files that ship, read from the tree: tests run at its root. */
static void shipped(const char *stem, double gb_per_s, double gb, double bf16,
                    int n_peaks)
{
    char path[128], text[4096];
    snprintf(path, sizeof path, "assets/platforms/%s.json", stem);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    struct str json = {text, (ptrdiff_t)fread(text, 1, sizeof text, f)};
    fclose(f);
    struct err e = {0};
    struct device_spec d;
    if (!device_parse(&perm, json, path, &d, &e))
        fail_msg("%s: %s", path, e.what);
    assert_true(str_eq(d.name, str_of(stem)));
    assert_true(d.memory_gb_per_s == gb_per_s && d.memory_gb == gb);
    assert_true(device_peak(&d, S("matrix_bf16")) == bf16);
    assert_int_equal(d.n_peaks, n_peaks);
    assert_true(d.kind != PEAKS_UNKNOWN); /* a figure says what it is */
}

/* The published table: bandwidth in TB/s times 1000, memory, BF16 peak. */
static void shipped_devices_have_the_published_figures(void **state)
{
    (void)state;
    shipped("MI300X", 5300, 192, 708, 10);
    shipped("MI325X", 6000, 256, 708, 10);
    shipped("MI325X@e", 6000, 256, 843, 10);
    shipped("MI355X", 6500, 288, 850, 1);
    shipped("MI400", 7000, 320, 1000, 1);
    shipped("H200", 4800, 141, 989.4, 10);
    shipped("H100", 3350, 80, 989.4, 10);
    shipped("A100", 2039, 80, 312, 9);
    shipped("A100-40GB", 1555, 40, 312, 9);
    shipped("B200", 8000, 180, 2250, 9);
    shipped("B300", 8000, 270, 2250, 9);
    shipped("GB200", 8000, 186, 2500, 9);
    shipped("L40S", 864, 48, 362, 9);
    shipped("MI210", 1638, 64, 181, 7);
    shipped("MI250X", 1638, 64, 191.5, 7);
    shipped("MI300A", 5300, 128, 980.6, 9);
    shipped("V100", 900, 32, 0, 4);
}

/* What a sparse figure among dense ones breaks, or that of another type. */
static void has_dense_proportions(const struct device_spec *d)
{
    static const struct {
        struct str spec;
        double times;
    } to_half[] = {{S_INIT("matrix_tf32"), 0.5}, {S_INIT("matrix_fp8"), 2}};
    double half = device_sheet_peak(d, S("matrix_fp16"));
    for (size_t k = 0; k < sizeof to_half / sizeof *to_half; k++) {
        double peak = device_sheet_peak(d, to_half[k].spec);
        if (half > 0 && peak > 0 && fabs(peak / half / to_half[k].times - 1) > 0.02)
            fail_msg("%.*s: %.*s %g of %g", STRF(d->name), STRF(to_half[k].spec), peak,
                     half);
    }
}

static bool is_one_of(double v, const double *of, size_t n, double part)
{
    bool found = false;
    for (size_t k = 0; k < n; k++)
        found |= fabs(v / of[k] - 1) <= part;
    return found;
}
#define ONE_OF(v, part, ...)                                                           \
    is_one_of(v, (const double[]){__VA_ARGS__},                                        \
              sizeof((const double[]){__VA_ARGS__}) / sizeof(double), part)

/* A unit of these has 64 lanes, of all others 128. */
static int lanes_of(struct str arch)
{
    static const char *const narrow[] = {"sm_60",  "sm_70",  "sm_75", "sm_80",
                                         "gfx906", "gfx908", "gfx90a"};
    for (size_t k = 0; k < sizeof narrow / sizeof *narrow; k++)
        if (str_eq(arch, str_of(narrow[k])))
            return 64;
    return 128;
}

/* What a digit too much, a neighbour's cell or half a device breaks: each lane does two
 * FLOP at 1.2 to 3 GHz (of a module for robots, at half of that); fp64 is a power of
 * two slower; links are PCIe of 8 or 16 lanes, or NVLink to the host. */
static void has_sound_units(const struct device_spec *d)
{
    double fp32 = device_sheet_peak(d, S("vector_fp32")),
           half = device_sheet_peak(d, S("matrix_fp16")),
           bf16 = device_sheet_peak(d, S("matrix_bf16")),
           int8 = device_sheet_peak(d, S("matrix_int8")),
           fp64 = device_sheet_peak(d, S("vector_fp64")),
           gb_s_of_gb = d->memory_gb_per_s / d->memory_gb,
           ghz = d->compute_units
                     ? fp32 * 1e3 / 2 / lanes_of(d->arch) / d->compute_units
                     : 0;
    bool is_module = str_eq(d->arch, S("sm_87")),
         is_h20 = str_starts(d->name, S("H20")) && !str_starts(d->name, S("H200"));
    bool good =
        (ghz == 0 || (ghz >= (is_module ? 0.6 : 1.2) && ghz <= 3)) &&
        (fp64 == 0 || is_h20 ||
         ONE_OF(fp64 / fp32, 0.05, 1, 1.0 / 2, 1.0 / 32, 1.0 / 64)) &&
        (half == 0 || bf16 == 0 || ONE_OF(bf16 / half, 0.001, 1, 0.5)) &&
        (half == 0 || int8 == 0 || ONE_OF(int8 / half, 0.03, 1, 2, 4, 1.0 / 15)) &&
        (half == 0 || half / fp32 > 1.9) && gb_s_of_gb >= 2 && gb_s_of_gb <= 80 &&
        (d->host_link_gb_per_s == 0 ||
         ONE_OF(d->host_link_gb_per_s, 0.001, 15.8, 31.5, 63, 126, 450)) &&
        (d->peer_link_gb_per_s == 0 ||
         (d->peer_link_gb_per_s >= 50 && d->peer_link_gb_per_s <= 900)) &&
        (d->l2_mb == 0 || (d->l2_mb >= 2 && d->l2_mb <= 408));
    if (!good)
        fail_msg("%.*s has odd figures, %g GHz", STRF(d->name), ghz);
}

/* One by one as they are listed. */
static void check_file(const char *file)
{
    char path[128], text[4096];
    snprintf(path, sizeof path, "assets/platforms/%.64s", file);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    struct str json = {text, (ptrdiff_t)fread(text, 1, sizeof text, f)};
    fclose(f);
    struct err e = {0};
    struct device_spec d;
    struct device_words name, stem;
    if (!device_parse(&perm, json, path, &d, &e))
        fail_msg("%s: %s", path, e.what);
    device_words_of(d.name, &name);
    device_words_of(str_head(str_of(file), (ptrdiff_t)strlen(file) - 5), &stem);
    if (!device_words_match(&stem, &name) || name.form != stem.form)
        fail_msg("%s names %.*s", path, STRF(d.name));
    assert_true(str_has(json, S("\"source\": \"")) && d.kind != PEAKS_UNKNOWN);
    assert_true(d.memory_gb > 0);
    has_dense_proportions(&d);
    has_sound_units(&d);
}

static void every_file_ships_sound_figures(void **state)
{
    (void)state;
    DIR *all = opendir("assets/platforms");
    int n = 0;
    assert_non_null(all);
    for (struct dirent *file; (file = readdir(all)) != NULL;)
        if (file->d_name[0] != '.') {
            check_file(file->d_name);
            n++;
        }
    closedir(all);
    assert_true(n >= 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_figure),
        cmocka_unit_test(two_kinds_of_peak),
        cmocka_unit_test(bytes_alone_are_memory_bound),
        cmocka_unit_test(memory_size_may_be_unknown),
        cmocka_unit_test(refuses_what_is_not_json),
        cmocka_unit_test(names_the_byte_of_a_syntax_error),
        cmocka_unit_test(refuses_bad_names),
        cmocka_unit_test(refuses_bad_figures),
        cmocka_unit_test(refuses_bad_peaks),
        cmocka_unit_test(refuses_huge_documents),
        cmocka_unit_test(large_product_is_compute_bound),
        cmocka_unit_test(thin_product_is_memory_bound),
        cmocka_unit_test(tie_is_compute_bound),
        cmocka_unit_test(no_figures_without_peak_flop_or_bytes),
        cmocka_unit_test(shipped_devices_have_the_published_figures),
        cmocka_unit_test(every_file_ships_sound_figures),
    };
    return cmocka_run_group_tests(tests, take_memory, NULL);
}
