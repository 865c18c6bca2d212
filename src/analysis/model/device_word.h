/* device_word.h - what sentences call a device that is not a GPU: an NPU, an XPU. */
#ifndef ANALYSIS_MODEL_DEVICE_WORD_H
#define ANALYSIS_MODEL_DEVICE_WORD_H

#include "base/str.h"

struct arena;

/* The text with the last word of `vendor` ("Ascend NPU"; trace_kind.h) for "GPU", and
 * with HCCL or XCCL for "NCCL", but in code and in the `n` bytes from `at` on, which
 * are names of the trace. Words are as long as these, so every other byte keeps its
 * place; any other vendor changes nothing.
 *
 * Sentences get it when a report is built, figures when charts are listed, and the
 * words of templates when those are read. */
struct str device_word_put(struct arena *perm, struct str text, struct str vendor,
                           ptrdiff_t at, ptrdiff_t n);

#endif
