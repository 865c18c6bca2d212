/* name_match.h - what an operator or kernel name contains, ignoring ASCII case.
 *
 * Patterns are lists of plain parts, "flash_attn|fmha": the rules of analysis.md are
 * alternatives of substrings, so no regular expression is compiled for each name. */
#ifndef ANALYSIS_MODEL_NAME_MATCH_H
#define ANALYSIS_MODEL_NAME_MATCH_H

#include "base/str_pairs.h"

/* Does `name` contain one of the '|'-separated parts? */
bool name_has(struct str name, const char *parts);

/* The same of a name that is asked several times. */
bool pairs_have(const struct str_pairs *name, const char *parts);

/* Is `name` one of them? */
bool name_is(struct str name, const char *parts);

/* Is it a device of AMD: "AMD Instinct MI300X", or a platform, "MI300X"? */
bool name_is_of_amd(struct str device);

/* Does it begin with one of them? */
bool name_begins(struct str name, const char *parts);

/* "conv2d" of "aten::conv2d": what follows the last "::". */
struct str name_without_namespace(struct str name);

/* Without namespace, leading '_' and one of native_, miopen_, cudnn_, mkldnn_, fused_:
 * launchers and modelled operators are compared in this form. */
struct str name_core(struct str name);

/* "ck::moe_gemm" of "hipGraphLaunch->void ck::moe_gemm<...>(...) (Synthetic Op)":
 * device work without an operator goes by its kernel; other names as they are. */
struct str name_without_launcher(struct str op);

#endif
