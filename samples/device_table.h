/* device_table.h - the two devices a sample can pretend to have run on.
 *
 * Peaks are achievable ones, in the units the simulator counts in: a GB/s is a byte per
 * ns, a TFLOPS is 1000 flop per ns. */
#ifndef SAMPLE_DEVICE_TABLE_H
#define SAMPLE_DEVICE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

enum compute_unit {
    UNIT_MATRIX_BF16,
    UNIT_MATRIX_FP32,
    UNIT_VECTOR_BF16,
    UNIT_VECTOR_FP32,
    COMPUTE_UNITS
};

struct sample_device {
    const char *name;    /* as the user types it */
    const char *product; /* as in deviceProperties */
    bool hip;            /* HIP calls and kernel names; otherwise CUDA ones */
    int64_t memory_bytes;
    int compute_units, warp_threads, major, minor;
    int main_stream, comm_stream;
    double hbm_byte_per_ns;
    double link_byte_per_ns;     /* what one rank gets of the network in a ring */
    double host_byte_per_ns;     /* pinned copies */
    double pageable_byte_per_ns; /* copies through a buffer of the driver */
    double peak_flop_per_ns[COMPUTE_UNITS];
    int64_t kernel_floor_ns; /* the shortest kernel */
    int64_t kernel_gap_ns;   /* between two kernels of one stream */
    int64_t latency_ns;      /* from the launch call to the start, on an idle stream */
};

/* By name, ignoring case; NULL when there is none. */
const struct sample_device *device_find(const char *name);

/* What a kernel has to do, and the shortest time the device could need for it. */
struct work {
    double flop, byte;
    enum compute_unit unit;
};
double work_roofline_ns(const struct sample_device *d, struct work w);

#endif
