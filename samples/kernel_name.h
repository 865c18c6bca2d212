/* kernel_name.h - kernel names in the style of the device's libraries.
 *
 * Each is written into the caller's buffer and returned. */
#ifndef SAMPLE_KERNEL_NAME_H
#define SAMPLE_KERNEL_NAME_H

#include <stdbool.h>
#include <stdint.h>

enum { KERNEL_NAME = 1200 };

/* A dense product; *blocks is how many output tiles it has. `b_transposed`: the second
 * operand is stored with the sum along its rows, as weights are. */
const char *kernel_gemm(char buf[KERNEL_NAME], bool hip, int64_t m, int64_t n,
                        bool b_transposed, int64_t *blocks);

/* The same in fp32; and on CUDA for operands whose rows start at odd addresses. */
const char *kernel_gemm_fp32(char buf[KERNEL_NAME], bool hip, bool b_transposed);
const char *kernel_gemm_align1(char buf[KERNEL_NAME], bool b_transposed);

/* An element-wise step with `tensors` operands in all. */
enum pointwise {
    POINT_ADD,
    POINT_MUL,
    POINT_SIGMOID,
    POINT_NEG,
    POINT_COPY,
    POINT_CLAMP,
    POINT_THRESHOLD,
    POINT_FILL,
    POINT_ADD_LONG,
    POINT_KINDS
};
const char *kernel_pointwise(char buf[KERNEL_NAME], bool hip, enum pointwise kind,
                             int tensors);

const char *kernel_attention(bool hip, int64_t head_dim);
const char *kernel_convolution(bool hip, char pass, int64_t out_channels);
const char *kernel_layout(bool hip, bool to_channels_last);
const char *kernel_all_reduce(bool hip);
const char *kernel_moe(bool hip);

extern const char kernel_rms_norm[], kernel_softmax[], kernel_mean[], kernel_argmax[],
    kernel_cat[], kernel_index_select[], kernel_bn_statistics[], kernel_bn_update[],
    kernel_bn_transform[], kernel_bn_backward[], kernel_max_pool[],
    kernel_max_pool_backward[], kernel_multi_tensor[], kernel_log_softmax[],
    kernel_nll[], kernel_log_softmax_backward[], kernel_nll_backward[], kernel_topk[];

#endif
