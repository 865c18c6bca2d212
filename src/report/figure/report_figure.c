#include "report/figure/report_figure.h"

static const struct {
    struct str name, letter;
} slots[FIGURE_SLOTS] = {
#define X(id, name, letter) {{name, sizeof(name) - 1}, {letter, sizeof(letter) - 1}},
    FIGURE_SLOT_LIST(X)
#undef X
};

struct report_figure figure_titled(enum figure_kind kind, const char *id,
                                   const char *title, const char *x, const char *y,
                                   const char *label, const char *value)
{
    return (struct report_figure){.kind = kind,
                                  .id = str_of(id),
                                  .title = str_of(title),
                                  .x_title = str_of(x),
                                  .y_title = str_of(y),
                                  .label_title = str_of(label),
                                  .value_title = str_of(value)};
}

struct report_figure figure_without_data(struct report_figure f, struct str why)
{
    f.empty = f.caption = f.description = why;
    return f;
}

struct str figure_slot_name(enum figure_slot slot)
{
    return slots[slot].name;
}

struct str figure_slot_letter(enum figure_slot slot)
{
    return slots[slot].letter;
}

static bool is_taken(struct str letter)
{
    for (int i = 0; i < FIGURE_SLOTS; i++)
        if (str_eq(slots[i].letter, letter))
            return true;
    return false;
}

struct str figure_category_letter(struct str category, struct str label)
{
    /* The system tier: first letters would clash with convolution and MoE. */
    static const struct {
        struct str category, letter;
    } system_tier[] = {{S_INIT("cpu_idle"), S_INIT("I")},
                       {S_INIT("multi_kernel"), S_INIT("K")},
                       {S_INIT("kernel_fusion"), S_INIT("F")}};
    enum { KNOWN = sizeof system_tier / sizeof *system_tier };
    enum figure_slot slot = figure_slot_of(category);
    bool capital = label.n > 0 && label.p[0] >= 'A' && label.p[0] <= 'Z';
    if (slot != SLOT_OTHER || str_eq(category, S("other")))
        return figure_slot_letter(slot);
    for (int i = 0; i < KNOWN; i++)
        if (str_eq(category, system_tier[i].category))
            return system_tier[i].letter;
    if (!capital)
        return figure_slot_letter(slot);
    bool taken = is_taken(str_head(label, 1));
    for (int i = 0; i < KNOWN; i++)
        taken = taken || str_eq(system_tier[i].letter, str_head(label, 1));
    return str_head(label, taken && label.n > 1 && (label.p[1] & 0x80) == 0 ? 2 : 1);
}

enum figure_slot figure_slot_of(struct str category)
{
    static const struct {
        const char *prefix;
        enum figure_slot slot;
    } known[] = {{"gemm", SLOT_GEMM},
                 {"sdpa_bwd", SLOT_BACKWARD},
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
