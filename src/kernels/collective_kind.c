#include "kernels/collective_kind.h"

#include "base/told_kernels.h"

struct str collective_word(enum collective_kind k)
{
    static const struct str words[] = {
#define X(id, word) [COLLECTIVE_##id] = S_INIT(word),
        COLLECTIVE_KINDS_LIST(X)
#undef X
    };
    return words[k];
}

enum collective_kind collective_of_word(struct str word)
{
    for (int k = 1; k < COLLECTIVE_KINDS; k++)
        if (str_eq(word, collective_word((enum collective_kind)k)))
            return (enum collective_kind)k;
    return COLLECTIVE_UNKNOWN;
}

enum { SPELLED_BYTES = 256 };

/* Lower case without '_', '-' and ':', so that one spelling serves for all. */
static struct str spelled(struct str name, char to[SPELLED_BYTES])
{
    ptrdiff_t n = 0;
    for (ptrdiff_t i = 0; i < name.n && n < SPELLED_BYTES; i++) {
        char c = name.p[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (c != '_' && c != '-' && c != ':')
            to[n++] = c;
    }
    return (struct str){to, n};
}

enum collective_kind collective_kind_of(struct str name)
{
    static const struct {
        const char *parts;
        enum collective_kind kind;
    } words[] = {
#define COLLECTIVE(id, spelled) {spelled, COLLECTIVE_##id},
#include "kernels/kernel_names.def"
    };
    char buf[SPELLED_BYTES];
    struct str text = spelled(name, buf), told = told_kernel(name);
    if (told.n)
        return collective_of_word(told);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (struct str rest = str_of(words[i].parts); rest.n > 0;)
            if (str_has(text, str_take(&rest, S("|"))))
                return words[i].kind;
    return COLLECTIVE_UNKNOWN;
}

int collective_element_bytes(struct str dtype)
{
    static const struct {
        int bytes;
        const char *names;
    } sizes[] = {
        {16, "complexdouble"},
        {8, "double long longint int64 int64t uint64 complexfloat float64"},
        {4, "float int int32 int32t uint32 float32"},
        {2, "bfloat16 half short c10half c10bfloat16 uint16 int16 float16 short int "
            "shortint"},
        {1, "bool byte bytes char int8 int8t uint8 uint8t unsignedchar float8e4m3fn "
            "float8e4m3fnuz float8e5m2 float8e5m2fnuz c10float8e4m3fn "
            "c10float8e4m3fnuz c10float8e5m2 c10float8e5m2fnuz signedchar"}};
    char buf[SPELLED_BYTES], bare[SPELLED_BYTES];
    struct str text = spelled(dtype, buf);
    ptrdiff_t n = 0;
    for (ptrdiff_t i = 0; i < text.n; i++)
        if (text.p[i] != ' ')
            bare[n++] = text.p[i];
    for (size_t i = 0; n && i < sizeof sizes / sizeof *sizes; i++)
        if (str_among((struct str){bare, n}, sizes[i].names))
            return sizes[i].bytes;
    return 0;
}

double collective_bus_factor(enum collective_kind k, int64_t ranks)
{
    double others = (double)(ranks - 1) / (double)ranks;
    switch (k) {
    case COLLECTIVE_ALL_REDUCE:
        return 2 * others;
    case COLLECTIVE_REDUCE_SCATTER:
    case COLLECTIVE_ALL_GATHER:
    case COLLECTIVE_ALL_TO_ALL:
    case COLLECTIVE_ALL_TO_ALL_V:
        return others;
    default:
        return 1;
    }
}
