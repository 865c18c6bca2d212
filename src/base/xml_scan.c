#include "base/xml_scan.h"

#include "base/arena.h"
#include "base/utf8.h"

#include <stdlib.h>

/* Behind `end` of what begins here; false: it does not end. */
static bool pass(struct xml_scan *x, const char *end)
{
    ptrdiff_t at = str_find(x->rest, str_of(end));
    if (at < 0) {
        x->broken = "a tag that does not end";
        return false;
    }
    x->rest = str_skip(x->rest, at + (ptrdiff_t)strlen(end));
    return true;
}

/* The length of a tag up to its '>', which may also be in a quoted value; -1: it does
 * not end. */
static ptrdiff_t tag_length(struct str s)
{
    char quote = '\0';
    for (ptrdiff_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (quote)
            quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '>')
            return i;
    }
    return -1;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct str without_prefix(struct str name)
{
    ptrdiff_t colon = str_find(name, S(":"));
    return colon < 0 ? name : str_skip(name, colon + 1);
}

/* What stands between '<' and '>'. */
static void read_tag(struct str inside, struct xml_tag *t)
{
    t->closes = str_starts(inside, S("/"));
    inside = str_skip(inside, t->closes);
    t->opens = !t->closes;
    if (t->opens && str_ends(inside, S("/"))) {
        t->closes = true;
        inside = str_head(inside, inside.n - 1);
    }
    ptrdiff_t n = 0;
    while (n < inside.n && !is_space(inside.p[n]))
        n++;
    t->name = without_prefix(str_head(inside, n));
    t->attributes = str_skip(inside, n);
}

bool xml_next(struct xml_scan *x, struct xml_tag *t)
{
    while (!x->broken) {
        ptrdiff_t at = str_find(x->rest, S("<"));
        if (at < 0)
            return false;
        t->text = str_head(x->rest, at);
        x->rest = str_skip(x->rest, at);
        if (str_starts(x->rest, S("<?"))) {
            (void)pass(x, "?>");
        } else if (str_starts(x->rest, S("<!--"))) {
            (void)pass(x, "-->");
        } else if (str_starts(x->rest, S("<!"))) {
            x->broken = "a document type or CDATA, which no workbook has";
        } else {
            ptrdiff_t n = tag_length(x->rest);
            x->broken = n < 0 ? "a tag that does not end" : NULL;
            if (n < 0)
                break;
            read_tag(str_skip(str_head(x->rest, n), 1), t);
            x->rest = str_skip(x->rest, n + 1);
            return true;
        }
    }
    return false;
}

struct str xml_attribute(const struct xml_tag *t, const char *name)
{
    struct str rest = t->attributes;
    while (rest.n) {
        ptrdiff_t equals = str_find(rest, S("="));
        struct str key = str_trim(str_head(rest, equals < 0 ? 0 : equals));
        if (equals < 0)
            break;
        rest = str_trim(str_skip(rest, equals + 1));
        if (!rest.n || (*rest.p != '"' && *rest.p != '\''))
            break;
        struct str quote = str_head(rest, 1);
        rest = str_skip(rest, 1);
        struct str value = str_take(&rest, quote);
        if (str_eq(without_prefix(key), str_of(name)))
            return value;
    }
    return S("");
}

/* The code point of "amp", "#65" or "#x41"; 0: it is none. */
static uint32_t code_of(struct str name)
{
    static const struct {
        struct str name;
        char is;
    } known[] = {{S_INIT("amp"), '&'},
                 {S_INIT("lt"), '<'},
                 {S_INIT("gt"), '>'},
                 {S_INIT("quot"), '"'},
                 {S_INIT("apos"), '\''}};
    enum { DIGITS_MAX = 8 };
    char digits[DIGITS_MAX + 1] = "", *end;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_eq(name, known[i].name))
            return (uint32_t)known[i].is;
    bool hex = str_starts(name, S("#x"));
    struct str number = str_skip(name, hex ? 2 : 1);
    if (!str_starts(name, S("#")) || !number.n || number.n > DIGITS_MAX ||
        number.p[0] == '+' || number.p[0] == '-' || is_space(number.p[0]))
        return 0;
    memcpy(digits, number.p, (size_t)number.n);
    unsigned long code = strtoul(digits, &end, hex ? 16 : 10);
    return *end ? 0 : (uint32_t)code;
}

struct str xml_plain(struct arena *perm, struct str written)
{
    enum { NAME_MAX_BYTES = 12 };
    if (!str_has(written, S("&")))
        return written;
    char *p = arena_take_raw(perm, 1, 1, written.n); /* a reference is longer */
    struct str plain = {p, 0};
    while (written.n) {
        ptrdiff_t end = str_find(str_head(written, NAME_MAX_BYTES), S(";"));
        uint32_t code = *written.p == '&' && end > 0
                            ? code_of(str_skip(str_head(written, end), 1))
                            : 0;
        if (code) {
            plain.n += utf8_bytes(p + plain.n, code);
            written = str_skip(written, end + 1);
        } else {
            p[plain.n++] = *written.p;
            written = str_skip(written, 1);
        }
    }
    return plain;
}
