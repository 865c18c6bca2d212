/* triton_words.h - operator names as they occur, joined by '_', in Triton kernel names.
 *
 * Constant data: 960 words of the operator namespaces of torch 2.11. */
#ifndef PERF_TRITON_WORDS_H
#define PERF_TRITON_WORDS_H

#include "base/str.h"

bool triton_word(struct str word);
ptrdiff_t triton_word_longest(void); /* bytes */

#endif
