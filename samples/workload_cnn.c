/* workload_cnn.c - training steps of a convolutional network; for now one forward layer. */
#include "workload.h"

void cnn_step(struct simulator *s, const struct sample_plan *p, int64_t step)
{
    (void)step;
    sim_leaf(s, "aten::zeros", ARGS(tensor1(BF16, p->layers)));
}
