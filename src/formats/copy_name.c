#include "formats/copy_name.h"

const struct str copy_unknown = S_INIT("Memcpy Unknown (Unknown -> Unknown)");

/* The place of a word in either of its spellings; -1: none. */
static ptrdiff_t find(struct str type, const char *a, const char *b)
{
    ptrdiff_t at = str_find(type, str_of(a));
    return at >= 0 ? at : str_find(type, str_of(b));
}

static enum memory_place place_of(struct str side)
{
    return find(side, "Device", "DEVICE") >= 0 ? PLACE_DEVICE
           : find(side, "Host", "HOST") >= 0   ? PLACE_HOST
                                               : PLACE_UNKNOWN;
}

bool copy_of_type(struct event *ev, struct str type)
{
    static const struct str names[2][2] = {
        {S_INIT("Memcpy HtoH (Host -> Host)"), S_INIT("Memcpy HtoD (Host -> Device)")},
        {S_INIT("Memcpy DtoH (Device -> Host)"),
         S_INIT("Memcpy DtoD (Device -> Device)")}};
    if (find(type, "Copy", "COPY") < 0)
        return false;
    ptrdiff_t way = find(type, "To", "_TO_");
    enum memory_place from = place_of(str_head(type, way < 0 ? 0 : way)),
                      to = place_of(str_skip(type, way < 0 ? type.n : way));
    bool known = from != PLACE_UNKNOWN && to != PLACE_UNKNOWN;
    ev->name = known ? names[from == PLACE_DEVICE][to == PLACE_DEVICE] : copy_unknown;
    ev->role =
        known ? role_of_copy(from, to) : role_of_copy(PLACE_UNKNOWN, PLACE_UNKNOWN);
    return true;
}
