#include "analysis/facts/matrix_units.h"

#include "analysis/model/finding.h"
#include "base/machine.h"
#include "kernels/kernel_name.h"
#include "ops/op_tables.h"

#include <math.h>

double device_generation(const struct trace_facts *f)
{
    struct machine_device d = machine_first(f->machine);
    bool counts = str_has_nocase(d.name, S("nvidia")) ||
                  str_has_nocase(d.name, S("tesla")) ||
                  str_has_nocase(d.name, S("geforce"));
    return counts ? d.generation : (double)NAN;
}

double matrix_peak_half(const struct device_spec *d)
{
    return d ? fmax(device_peak(d, S("matrix_bf16")), device_peak(d, S("matrix_fp16")))
             : 0;
}

/* Where the platform names none: half the 16-bit rate, on devices that have it. Only
 * NVIDIA's have a generation, and of others most multiply in no such type. */
double matrix_peak_tf32(const struct device_spec *d, double generation)
{
    double named =
        d ? fmax(device_peak(d, S("matrix_tf32")), device_peak(d, S("matrix_xf32")))
          : 0;
    return named > 0 || !(generation >= 80) ? named : matrix_peak_half(d) / 2;
}

/* The newest that a kernel of the trace is compiled for: the device is no older. */
static double generation_of_kernels(const struct op_groups *gs)
{
    double newest = 0;
    for (int32_t g = 0; g < gs->n; g++)
        for (int32_t k = 0; k < gs->rows[g].n_kernels; k++)
            newest =
                fmax(newest, kernel_name_of(gs->rows[g].kernels[k].name).generation);
    return newest;
}

/* Volta has them for 16 bits, Ampere for TF32; but no GeForce GTX, whatever its number.
 */
static struct matrix_units by_generation(double generation, struct str name)
{
    bool without = str_has_nocase(name, S("gtx"));
    return (struct matrix_units){.half = generation >= 70 && !without,
                                 .tf32 = generation >= 80 && !without};
}

static bool is_instinct_with_matrix_units(struct str name)
{
    static const struct str before[] = {S_INIT("MI25"), S_INIT("MI50"), S_INIT("MI60")};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        ptrdiff_t at = str_find(name, before[i]);
        struct str rest = str_skip(name, at + before[i].n);
        if (at >= 0 && !(rest.n && rest.p[0] >= '0' && rest.p[0] <= '9'))
            return false;
    }
    return str_has_nocase(name, S("instinct"));
}

/* CDNA, whatever its data sheet says of FP32. */
static bool multiplies_fp32(const struct device_spec *d)
{
    static const struct str archs[] = {S_INIT("gfx908"), S_INIT("gfx90a"),
                                       S_INIT("gfx94"), S_INIT("gfx95")};
    bool cdna = false;
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
        cdna |= str_starts(d->arch, archs[i]);
    return cdna || device_peak(d, S("matrix_fp32")) > 0;
}

/* By the generation where it is recorded, else by the peaks: a device with one for fp16
 * and none for bf16 has no such units. */
static bool multiplies_bf16(const struct device_spec *d, double generation)
{
    if (!isnan(generation))
        return generation >= 80;
    return !d || device_peak(d, S("matrix_bf16")) > 0 ||
           !(device_peak(d, S("matrix_fp16")) > 0);
}

struct matrix_units matrix_units_of(const struct analysis *a)
{
    const struct op_tables *t = a->tables;
    const struct device_spec *d = t->device;
    struct str name = trace_device_name(&t->facts);
    double generation = device_generation(&t->facts);
    if (d && d->n_peaks)
        return (struct matrix_units){.half = matrix_peak_half(d) > 0,
                                     .bf16 = multiplies_bf16(d, generation),
                                     .tf32 = matrix_peak_tf32(d, generation) > 0,
                                     .fp32 = multiplies_fp32(d)};
    if (isnan(generation))
        generation = generation_of_kernels(&t->judged);
    struct matrix_units has = by_generation(generation, name);
    has.fp32 = is_instinct_with_matrix_units(name);
    has.half |= has.fp32;
    has.bf16 = multiplies_bf16(NULL, device_generation(&t->facts));
    return has;
}
