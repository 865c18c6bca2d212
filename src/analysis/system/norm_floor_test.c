#include "norm_floor.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* 1 TB/s, so 1 MB takes 1 us; 1 MB in, 1 MB out. */
static double floor_us(const char *op, const char *kernel, double us, double channels)
{
    struct kernel_flow flow = {.modelled = true,
                               .call_in_byte = 1e6,
                               .call_out_byte = 1e6,
                               .channels = channels};
    return norm_floor_us(str_of(op), str_of(kernel), us, &flow, 1000);
}

#define NEAR(x, y) assert_true(fabs((x) - (y)) < 1e-9)

/* Of 8 channels, 125 kB stay on chip; of 7, 143 kB do not. The statistics kernel is as
 * fast as memory or slower, which a fused form then is, too. */
static void a_batch_is_read_twice_unless_a_channel_fits(void **state)
{
    (void)state;
    NEAR(floor_us("native_batch_norm", "batch_norm_collect_statistics_kernel", 1, 8),
         2);
    NEAR(floor_us("native_batch_norm", "batch_norm_collect_statistics_kernel", 1, 7),
         3);
    NEAR(floor_us("cudnn_batch_norm", "bn_fw_tr_1C11_singleread", 19, 7), 21);
}

/* 32,768 elements of a row are 128 KiB in fp32. */
static void a_row_is_read_once_if_it_fits(void **state)
{
    (void)state;
    NEAR(floor_us("native_layer_norm", "vectorized_layer_norm_kernel", 9, 32768), 2);
    NEAR(floor_us("native_layer_norm", "vectorized_layer_norm_kernel", 9, 32769), 3);
    NEAR(floor_us("native_group_norm", "RowwiseMomentsCUDAKernel", 1, 64), 3);
}

static void others_have_no_floor(void **state)
{
    (void)state;
    NEAR(floor_us("native_batch_norm", "batch_norm_transform_input_kernel", 5, 7), 0);
    NEAR(floor_us("native_batch_norm_backward", "welford", 5, 7), 0);
    NEAR(floor_us("add_", "vectorized_elementwise_kernel", 5, NAN), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_read_twice_unless_a_channel_fits),
        cmocka_unit_test(a_row_is_read_once_if_it_fits),
        cmocka_unit_test(others_have_no_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
