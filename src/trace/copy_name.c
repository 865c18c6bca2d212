#include "trace/copy_name.h"

const struct str copy_unknown = S_INIT("Memcpy Unknown (Unknown -> Unknown)");

/* The place of a word in either of its spellings; -1: none. */
static ptrdiff_t find(struct str type, const char *a, const char *b)
{
    ptrdiff_t at = str_find(type, str_of(a));
    return at >= 0 ? at : str_find(type, str_of(b));
}

bool copy_of_type(struct str *name, struct str type)
{
    static const struct str names[2][2] = {
        {S_INIT("Memcpy HtoH (Host -> Host)"), S_INIT("Memcpy HtoD (Host -> Device)")},
        {S_INIT("Memcpy DtoH (Device -> Host)"),
         S_INIT("Memcpy DtoD (Device -> Device)")}};
    if (find(type, "Copy", "COPY") < 0)
        return false;
    ptrdiff_t way = find(type, "To", "_TO_");
    struct str from = str_head(type, way < 0 ? 0 : way),
               to = str_skip(type, way < 0 ? type.n : way);
    bool from_device = find(from, "Device", "DEVICE") >= 0,
         from_host = find(from, "Host", "HOST") >= 0;
    bool to_device = find(to, "Device", "DEVICE") >= 0,
         to_host = find(to, "Host", "HOST") >= 0;
    *name = (from_device || from_host) && (to_device || to_host)
                ? names[from_device][to_device]
                : copy_unknown;
    return true;
}
