#include "device_table.h"

#include <stddef.h>
#include <strings.h>

static const struct sample_device devices[] = {
    {.name = "MI300X",
     .product = "AMD Instinct MI300X",
     .hip = true,
     .memory_bytes = 206141652992,
     .compute_units = 304,
     .warp_threads = 64,
     .major = 9,
     .minor = 4,
     .main_stream = 0,
     .comm_stream = 4,
     .hbm_byte_per_ns = 5300,
     .link_byte_per_ns = 8,
     .host_byte_per_ns = 48,
     .pageable_byte_per_ns = 6,
     .peak_flop_per_ns = {708e3, 163e3, 163e3, 81e3},
     .kernel_floor_ns = 2600,
     .kernel_gap_ns = 900,
     .latency_ns = 7000},
    {.name = "H100",
     .product = "NVIDIA H100 80GB HBM3",
     .hip = false,
     .memory_bytes = 85018279936,
     .compute_units = 132,
     .warp_threads = 32,
     .major = 9,
     .minor = 0,
     .main_stream = 7,
     .comm_stream = 20,
     .hbm_byte_per_ns = 3350,
     .link_byte_per_ns = 6,
     .host_byte_per_ns = 48,
     .pageable_byte_per_ns = 6,
     .peak_flop_per_ns = {990e3, 495e3, 134e3, 67e3},
     .kernel_floor_ns = 1500,
     .kernel_gap_ns = 800,
     .latency_ns = 5200},
};

const struct sample_device *device_find(const char *name)
{
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
        if (strcasecmp(devices[i].name, name) == 0)
            return &devices[i];
    return NULL;
}

double work_roofline_ns(const struct sample_device *d, struct work w)
{
    double math_ns = w.flop / d->peak_flop_per_ns[w.unit];
    double memory_ns = w.byte / d->hbm_byte_per_ns;
    return math_ns > memory_ns ? math_ns : memory_ns;
}
