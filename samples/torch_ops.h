/* torch_ops.h - operators of language models, from the Python call down to the kernel.
 *
 * Each call leaves as many frames open as it found. Times come from the shapes: the
 * time of the roofline over the efficiency the plan gives the class. */
#ifndef SAMPLE_TORCH_OPS_H
#define SAMPLE_TORCH_OPS_H

#include "kernel_name.h"
#include "sample_plan.h"

enum product_form {
    PRODUCT_WEIGHT = 1, /* the second operand is a transposed view */
    PRODUCT_FP32 = 2,   /* bf16 otherwise */
    PRODUCT_ALIGN1 = 4  /* a kernel for rows that start at odd addresses */
};

/* One dense product [m,k] x [k,n]. `ideal_ns` counts when `defect` is not DEFECT_NONE.
 */
struct product {
    int64_t b, m, k, n; /* b > 0: batched */
    unsigned form;      /* of enum product_form, added up */
    double eff;
    enum defect defect;
    double ideal_ns;
};
double product_roofline_ns(const struct simulator *s, struct product g);
void ops_product(struct simulator *s, struct product g);

/* nn.Linear without bias on [batch, seq, k]. */
void ops_linear(struct simulator *s, const struct sample_plan *p, int64_t instance,
                int64_t k, int64_t n);
void ops_rms_norm(struct simulator *s, const struct sample_plan *p, int64_t instance);

/* One element-wise operator over its arguments; the output is as large as the largest.
 */
struct pointwise_op {
    const char *name;
    enum pointwise kernel;
    double eff;
    enum defect defect;
    double ideal_ns;
};
void ops_pointwise(struct simulator *s, struct pointwise_op op,
                   const struct op_arg *arg, int n);

/* A generated kernel that changes its first operand in place. */
double triton_roofline_ns(const struct simulator *s, const struct op_arg *arg, int n);
void ops_triton(struct simulator *s, const struct sample_plan *p, const char *name,
                const struct op_arg *arg, int n);

void ops_attention(struct simulator *s, const struct sample_plan *p);
double softmax_roofline_ns(const struct simulator *s, struct op_arg x);
double mean_roofline_ns(const struct simulator *s, struct op_arg x);
void ops_softmax(struct simulator *s, const struct op_arg *x, double eff,
                 enum defect defect, double ideal_ns);
void ops_mean(struct simulator *s, const struct op_arg *x, double eff,
              enum defect defect, double ideal_ns);
/* The fused experts, as the serving library of the device calls them. */
const char *ops_moe_name(bool hip);

void ops_embedding(struct simulator *s, const struct sample_plan *p);
void ops_argmax(struct simulator *s, const struct sample_plan *p);

/* tensor.item(): a copy of four bytes, and the host waits for it. */
void ops_item(struct simulator *s);

/* The batch from the host's memory, where the plan has one of the two kinds. */
void ops_batch_copies(struct simulator *s, const struct sample_plan *p);

/* `count` copies each way of some 100 KiB, nobody waits. */
void ops_small_copies(struct simulator *s, int count);

/* The host decides something that depends on the value just read, for `frac` of the
 * time the device worked since the host last waited. */
void ops_item_and_think(struct simulator *s, double frac);

#endif
