#include "formats/rpd_names.h"

#include "formats/copy_name.h"

bool rpd_is_own(struct str call)
{
    return str_ends(call, S("::writeRows")) || str_eq(call, S("rpdflush")) ||
           str_eq(call, S("hcc_activity_callback"));
}

bool rpd_is_runtime(struct str call)
{
    return str_starts(call, S("hip")) || str_starts(call, S("hsa_")) ||
           str_starts(call, S("cuda"));
}

enum event_cat rpd_op(struct event *ev, struct str type)
{
    if (copy_of_type(ev, type))
        return CAT_MEMCPY;
    if (str_has(type, S("Fill"))) {
        ev->name = S("Memset (Device)");
        return CAT_MEMSET;
    }
    return str_among(type, "KernelExecution Task") ? CAT_KERNEL : CAT_OTHER;
}
