#include "perf/cost.h"
#include "perf/perf_model.h"

/* In the order of the report's sheets. */
#define SHEETS(S)                                                                      \
    S(GEMM, "GEMM")                                                                    \
    S(SDPA, "SDPA")                                                                    \
    S(CONV, "CONV")                                                                    \
    S(INFERENCEATTENTION, "InferenceAttention")                                        \
    S(BINARYELEMENTWISE, "BinaryElementwise")                                          \
    S(GROUPEDGEMM, "GroupedGEMM")                                                      \
    S(MOE_COMM, "MoE_comm")                                                            \
    S(SSM, "SSM")                                                                      \
    S(ROPE, "RoPE")                                                                    \
    S(CROSSENTROPY, "CrossEntropy")                                                    \
    S(UNARYELEMENTWISE, "UnaryElementwise")                                            \
    S(MOE_FUSED, "MoE_fused")                                                          \
    S(MOE_UNFUSED, "MoE_unfused")                                                      \
    S(MOE_AUX, "MoE_aux")                                                              \
    S(RMSNORM, "RMSNorm")                                                              \
    S(ELEMENTWISE, "elementwise")                                                      \
    S(GROUPQUANT, "GroupQuant")                                                        \
    S(FUSEDROPE, "FusedRoPE")                                                          \
    S(CUSTOMCOLLECTIVE, "CustomCollective")                                            \
    S(MHC, "mHC")                                                                      \
    S(NORMALIZATION, "Normalization")                                                  \
    S(REDUCE, "Reduce")

#define PLACE(sheet, name) SHEET_##sheet,
enum { SHEETS(PLACE) SHEET_COUNT, SHEET_NONE = -1 };
_Static_assert((int)SHEET_COUNT == (int)PERF_FAMILIES, "each has its name");

#define NAME(sheet, name) name,
const char *const perf_families[PERF_FAMILIES] = {SHEETS(NAME)};

#define MODEL(key, id, category, backward_category, sheet, unit, backward, function,   \
              ...)                                                                     \
    [MODEL_##key] = {id,          category, backward_category, SHEET_##sheet,          \
                     UNIT_##unit, backward, MODEL_##key,       function},
const struct perf_model perf_models[PERF_MODELS] = {
#include "perf/models.def"
};
