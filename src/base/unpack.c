#include "base/unpack.h"

#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>

static uint32_t little(struct str s, ptrdiff_t at, int bytes)
{
    uint32_t v = 0;
    for (int k = 0; k < bytes && at + k < s.n; k++)
        v |= (uint32_t)(unsigned char)s.p[at + k] << (8 * k);
    return v;
}

static uint32_t big(struct str s, ptrdiff_t at)
{
    uint32_t v = 0;
    for (int k = 0; k < 4 && at + k < s.n; k++)
        v = v << 8 | (unsigned char)s.p[at + k];
    return v;
}

static ptrdiff_t room_for(ptrdiff_t packed)
{
    ptrdiff_t room = UNPACK_TIMES * packed + UNPACK_BYTES_ANYWAY;
    return room < UNPACK_BYTES_MAX ? room : UNPACK_BYTES_MAX;
}

/* Everything that inflates, members of a gzip one after the other. NULL in *why: all of
 * it. */
static ptrdiff_t inflate_into(char *p, ptrdiff_t room, struct str in, uint32_t kind,
                              const char **why)
{
    struct inflate_state state;
    ptrdiff_t n = 0;
    *why = NULL;
    isal_inflate_init(&state);
    state.crc_flag = kind;
    state.next_in = (uint8_t *)(uintptr_t)in.p;
    state.avail_in = (uint32_t)in.n;
    for (bool ended = false; !ended && !*why;) {
        state.next_out = (uint8_t *)p + n;
        state.avail_out = (uint32_t)(room - n);
        uint32_t before = state.avail_in;
        bool failed = isal_inflate(&state) != 0;
        ptrdiff_t made = room - n - (ptrdiff_t)state.avail_out;
        n += made;
        if (failed) {
            *why = "it is corrupt";
        } else if (state.block_state == ISAL_BLOCK_FINISH) {
            ended = kind != ISAL_GZIP || state.avail_in < 2 ||
                    memcmp(state.next_in, "\x1f\x8b", 2) != 0;
            isal_inflate_reset(&state);
            state.crc_flag = kind;
        } else if (n == room) {
            *why = "it expands to many times its size";
        } else if (!made && before == state.avail_in) {
            *why = "it is truncated";
        }
    }
    return n;
}

/* What is not whole is shown as far as it goes. Room that is not written is not
 * touched, and costs nothing. */
static void inflate_part(const struct unpacking *u, struct str name, struct str packed,
                         uint32_t kind, struct arena tmp)
{
    ptrdiff_t room = room_for(packed.n);
    char *p = pages_reserve(room);
    const char *why;
    ptrdiff_t n = inflate_into(p, room, packed, kind, &why);
    bool is_one = kind != ISAL_ZLIB || !why; /* any text may begin as zlib does */
    if (is_one)
        u->part(u->context, name, (struct str){p, n}, tmp);
    if (is_one && why)
        u->unread(u->context, name, why);
    pages_release(p, room);
}

/* Where the record at the end of a zip is; -1: there is none. */
static ptrdiff_t zip_end(struct str s)
{
    enum { END = 22, REMARK_MAX = 1 << 16 };
    ptrdiff_t last = s.n - END, first = last > REMARK_MAX ? last - REMARK_MAX : 0;
    for (ptrdiff_t at = last; at >= first; at--)
        if (memcmp(s.p + at, "PK\5\6", 4) == 0)
            return at;
    return -1;
}

/* Where it begins, by its directory: an archive may follow other bytes. */
static ptrdiff_t zip_base(struct str s, ptrdiff_t end)
{
    ptrdiff_t base = end - (ptrdiff_t)little(s, end + 12, 4) - little(s, end + 16, 4);
    return base > 0 ? base : 0;
}

struct zip_entry {
    struct str name, bytes; /* packed */
    uint32_t method;
    const char *why; /* it cannot be read; or NULL */
};

/* The entry at `at` of the directory. */
static struct zip_entry entry_at(struct str s, ptrdiff_t at, ptrdiff_t base)
{
    enum { HEADER = 46, LOCAL = 30, ENCRYPTED = 1, OF_ZIP64 = -1 };
    uint32_t packed = little(s, at + 20, 4), local_at = little(s, at + 42, 4);
    struct zip_entry e = {.name =
                              str_head(str_skip(s, at + HEADER), little(s, at + 28, 2)),
                          .method = little(s, at + 10, 2)};
    ptrdiff_t local = base + (ptrdiff_t)local_at;
    ptrdiff_t from =
        local + LOCAL + little(s, local + 26, 2) + little(s, local + 28, 2);
    bool there = from <= s.n && str_starts(str_skip(s, local), S("PK\3\4"));
    if (little(s, at + 8, 2) & ENCRYPTED)
        e.why = "it is encrypted";
    else if (packed == (uint32_t)OF_ZIP64 || local_at == (uint32_t)OF_ZIP64)
        e.why = "it is a zip64 archive";
    else if (!there || packed > s.n - from)
        e.why = "it is corrupt";
    else
        e.bytes = (struct str){s.p + from, (ptrdiff_t)packed};
    return e;
}

static void unpack_entry(struct zip_entry e, struct arena tmp,
                         const struct unpacking *u)
{
    enum { STORED = 0, DEFLATED = 8 };
    if (!e.why && e.method == DEFLATED) {
        inflate_part(u, e.name, e.bytes, ISAL_DEFLATE, tmp);
        return;
    }
    u->part(u->context, e.name, e.bytes, tmp);
    if (e.why || e.method != STORED)
        u->unread(u->context, e.name,
                  e.why ? e.why : "its compression method is not supported");
}

/* Where bytes of a zip are accounted for. */
struct extent {
    ptrdiff_t from, end;
};

static int by_from(const void *a, const void *b)
{
    const struct extent *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* An entry outside of those listed would be found by readers that go by no directory.
 */
static bool hides_entries(struct str s, struct extent *listed, ptrdiff_t n)
{
    ptrdiff_t at = 0, found, k = 0, covered = 0;
    if (n > 1)
        qsort(listed, (size_t)n, sizeof *listed, by_from);
    while ((found = str_find(str_skip(s, at), S("PK\3\4"))) >= 0) {
        at += found;
        for (; k < n && listed[k].from <= at; k++)
            covered = listed[k].end > covered ? listed[k].end : covered;
        if (at >= covered)
            return true;
        at = covered;
    }
    return false;
}

/* By the central directory: that is what a reader goes by. */
static void unpack_zip(struct str s, struct arena tmp, const struct unpacking *u)
{
    ptrdiff_t end = zip_end(s), base = end < 0 ? 0 : zip_base(s, end), n = 0;
    ptrdiff_t at = end < 0 ? s.n : base + little(s, end + 16, 4);
    struct extent *listed = NULL;
    struct arena kept = arena_first_half(&tmp);
    while (at + 46 <= s.n && memcmp(s.p + at, "PK\1\2", 4) == 0) {
        struct zip_entry e = entry_at(s, at, base);
        if (!u->wanted || u->wanted(u->context, e.name))
            unpack_entry(e, tmp, u);
        arena_grow(&kept, listed, n);
        ptrdiff_t local = base + little(s, at + 42, 4);
        listed[n++] =
            (struct extent){local, e.why ? local + 4 : e.bytes.p - s.p + e.bytes.n};
        at +=
            46 + little(s, at + 28, 2) + little(s, at + 30, 2) + little(s, at + 32, 2);
    }
    if (end < 0 || (!n && little(s, end + 10, 2)))
        u->unread(u->context, S(""), "it has no central directory");
    else if (hides_entries(s, listed, n))
        u->unread(u->context, S(""), "its central directory does not list all entries");
}

/* The two bytes of zlib, which any text may begin with: what unpacks is one. */
static bool is_zlib(struct str s)
{
    return s.n > 8 && (s.p[0] & 0x0F) == 8 &&
           ((unsigned char)s.p[0] * 256 + (unsigned char)s.p[1]) % 31 == 0;
}

/* A text of a PNG that may be packed: behind its keyword, and what else an iTXt has.
 * Empty: it is not packed. */
static struct str packed_text(struct str kind, struct str body)
{
    const struct str nul = {"", 1};
    bool is_i = str_eq(kind, S("iTXt"));
    ptrdiff_t end = str_find(body, nul);
    if ((!is_i && !str_eq(kind, S("zTXt"))) || end < 0)
        return S("");
    if (is_i && end + 1 < body.n && !body.p[end + 1])
        return S("");
    struct str packed = str_skip(body, end + 2);
    if (is_i) { /* method, language, translated keyword */
        packed = str_skip(packed, 1);
        for (int k = 0; k < 2; k++) {
            ptrdiff_t stop = str_find(packed, nul);
            packed = str_skip(packed, stop < 0 ? packed.n : stop + 1);
        }
    }
    return packed;
}

static void unpack_png(struct str s, struct arena tmp, const struct unpacking *u)
{
    for (ptrdiff_t at = 8; at + 12 <= s.n;) {
        struct str kind = str_head(str_skip(s, at + 4), 4);
        ptrdiff_t n = big(s, at);
        struct str packed = packed_text(kind, str_head(str_skip(s, at + 8), n));
        bool cut = n > s.n - at - 12;
        at += 12 + n;
        if (cut)
            u->unread(u->context, S(""), "it is truncated");
        else if (packed.n && !is_zlib(packed))
            u->unread(u->context, kind, "it is corrupt");
        else if (packed.n)
            inflate_part(u, kind, packed, ISAL_ZLIB, tmp);
    }
}

/* How files begin that are packed in a way that this program does not unpack. */
static const struct str others[] = {
    S_INIT("\xfd\x37zXZ"), S_INIT("\x28\xb5\x2f\xfd"),
    S_INIT("BZh"),         S_INIT("7z\xbc\xaf\x27"),
    S_INIT("Rar!"),        S_INIT("\x04\x22\x4d\x18"),
    S_INIT("\x1f\x9d"),    S_INIT("\x1f\xa0"),
    S_INIT("LZIP"),        S_INIT("%PDF-"),
    S_INIT("wOF2"),        S_INIT("wOFF"),
};

static bool is_other(struct str bytes)
{
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (str_starts(bytes, others[k]))
            return true;
    return false;
}

static bool is_zip(struct str bytes)
{
    return str_starts(bytes, S("PK\3\4")) || zip_end(bytes) >= 0;
}

bool unpack_is_packed(struct str bytes)
{
    return is_zip(bytes) || is_other(bytes) || str_starts(bytes, S("\x1f\x8b")) ||
           str_starts(bytes, S("\x89PNG\r\n"));
}

void unpack(struct str bytes, struct arena tmp, const struct unpacking *u)
{
    if (is_zip(bytes))
        unpack_zip(bytes, tmp, u);
    else if (str_starts(bytes, S("\x89PNG\r\n")))
        unpack_png(bytes, tmp, u);
    else if (is_other(bytes))
        u->unread(u->context, S(""), "its compression method is not supported");
    else if (str_starts(bytes, S("\x1f\x8b")))
        inflate_part(u, S("unpacked"), bytes, ISAL_GZIP, tmp);
    else if (is_zlib(bytes))
        inflate_part(u, S("unpacked"), bytes, ISAL_ZLIB, tmp);
}
