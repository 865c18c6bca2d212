/* sum_by_index.h - which operator adds rows into indexed places by index_put. */
#ifndef ANALYSIS_FACTS_SUM_BY_INDEX_H
#define ANALYSIS_FACTS_SUM_BY_INDEX_H

#include "base/str.h"

struct op_call_row;
struct trace_view;

/* "index_add" or "scatter_add" above a call of index_put, or "interpolation or padding",
 * whose gradient it is; empty: none of them. PyTorch adds by index_put, which sorts the
 * indices, where algorithms have to be deterministic (ATen's index_add_cuda_,
 * scatter_add_, and torch.nn.functional's interpolate and pad, which then run as single
 * operators around `_unsafe_index`); by atomics otherwise. */
struct str sum_by_index(const struct trace_view *v, const struct op_call_row *call);

#endif
