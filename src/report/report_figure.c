#include "report/report_figure.h"

static const struct {
    struct str name, letter;
} slots[FIGURE_SLOTS] = {
#define X(id, name, letter) {{name, sizeof(name) - 1}, {letter, sizeof(letter) - 1}},
    FIGURE_SLOT_LIST(X)
#undef X
};

struct str figure_slot_name(enum figure_slot slot)
{
    return slots[slot].name;
}

struct str figure_slot_letter(enum figure_slot slot)
{
    return slots[slot].letter;
}

enum figure_slot figure_slot_of(struct str category)
{
    static const struct {
        const char *prefix;
        enum figure_slot slot;
    } known[] = {{"gemm", SLOT_GEMM},
                 {"sdpa", SLOT_ATTENTION},
                 {"attention", SLOT_ATTENTION},
                 {"elementwise", SLOT_ELEMENTWISE},
                 {"moe", SLOT_MOE},
                 {"norm", SLOT_NORM},
                 {"batchnorm", SLOT_NORM},
                 {"reduce", SLOT_REDUCE},
                 {"triton", SLOT_GENERATED},
                 {"generated", SLOT_GENERATED},
                 {"conv", SLOT_CONVOLUTION},
                 {"communication", SLOT_COMMUNICATION},
                 {"copy", SLOT_COPY},
                 {"memcpy", SLOT_COPY}};
    for (int i = 0; i < (int)(sizeof known / sizeof *known); i++) {
        struct str prefix = str_of(known[i].prefix);
        if (str_eq_nocase(str_head(category, prefix.n), prefix))
            return known[i].slot;
    }
    return SLOT_OTHER;
}
