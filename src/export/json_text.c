#include "export/json_text.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/plain_run.h"
#include "base/terminal.h"
#include "base/utf8.h"

#include <cjson/cJSON.h>
#include <math.h>

static bool is_escaped(int32_t code, bool script)
{
    return code < 0x20 || code == 0x7F || code == '"' || code == '\\' ||
           code == 0x2028 || code == 0x2029 ||
           (script && (code == '<' || code == '>' || code == '&'));
}

/* \u and four digits. */
static void put_code_unit(struct out *o, unsigned code)
{
    char text[6] = "\\u";
    for (int i = 5; i > 1; i--, code >>= 4)
        text[i] = "0123456789abcdef"[code & 15];
    out_bytes(o, text, sizeof text);
}

static void put_escape(struct out *o, int32_t code)
{
    static const char letters[] = "btn.fr";
    if (code == '"' || code == '\\') {
        out_char(o, '\\');
        out_char(o, (char)code);
    } else if (code >= '\b' && code <= '\r' && code != '\v') {
        out_char(o, '\\');
        out_char(o, letters[code - '\b']);
    } else {
        put_code_unit(o, (unsigned)code);
    }
}

static ptrdiff_t plain_bytes(struct str s, bool script)
{
    return script ? plain_run(s, "\"\\<>&") : plain_run(s, "\"\\");
}

static void put_escaped(struct out *o, struct str s, bool script)
{
    while (s.n > 0) {
        ptrdiff_t plain = plain_bytes(s, script);
        out_bytes(o, s.p, plain);
        s = str_skip(s, plain);
        if (s.n == 0)
            break;
        int32_t code = utf8_next(&s);
        if (code == UTF8_BROKEN)
            code = UTF8_REPLACEMENT;
        if (is_escaped(code, script))
            put_escape(o, code);
        else
            out_code_point(o, (uint32_t)code);
    }
}

static void put_string(struct out *o, struct str s, bool script)
{
    out_char(o, '"');
    put_escaped(o, s, script);
    out_char(o, '"');
}

void json_script_string(struct out *o, struct str s)
{
    put_string(o, s, true);
}

/* Whether one of the words below begins with it. */
static bool may_call(char c)
{
    switch (c) {
    case 'f':
    case 'X':
    case 'i':
    case 'W':
    case 'e':
    case 'F':
    case 'o':
    case 'A':
    case 'd':
    case 'b':
    case 'h':
        return true;
    default:
        return false;
    }
}

/* The length of such a word at the start of s; its last letter is what gets escaped. */
static ptrdiff_t calling_word(struct str s)
{
    static const char *const words[] = {
        "fetch",    "XMLHttpRequest", "import",    "Worker",       "eval",
        "Function", "innerHTML",      "outerHTML", "AdjacentHTML", "document",
        "blob",     "http",           "https"};
    ptrdiff_t n = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i][0] == s.p[0] && str_starts(s, str_of(words[i])))
            n = str_of(words[i]).n;
    return n;
}

void json_data_string(struct out *o, struct str s)
{
    struct out escaped;
    out_memory(&escaped);
    struct str text = s;
    if (plain_bytes(s, true) < s.n) {
        put_escaped(&escaped, s, true);
        text = out_view(&escaped);
    }
    ptrdiff_t from = 0;
    out_char(o, '"');
    for (ptrdiff_t i = 0; i < text.n;) {
        ptrdiff_t n = may_call(text.p[i]) ? calling_word(str_skip(text, i)) : 0;
        if (n) {
            out_bytes(o, text.p + from, i + n - 1 - from);
            put_code_unit(o, (unsigned char)text.p[i + n - 1]);
            from = i + n;
        }
        i += n ? n : 1;
    }
    out_bytes(o, text.p + from, text.n - from);
    out_char(o, '"');
    out_free(&escaped);
}

/* Whole numbers below 2^53 without a point, as cJSON's readers expect of a count. */
static void put_real(struct out *o, double v)
{
    const double most = 9007199254740992.0;
    if (!isfinite(v))
        out_lit(o, "null");
    else if (v > -most && v < most && v == (double)(int64_t)v)
        out_i64(o, (int64_t)v);
    else
        out_real(o, v);
}

/* In a file, each item has its own line. */
static void new_line(struct out *o, enum json_use use, int depth, bool comma)
{
    static const char indent[] = ",\n                                ";
    enum { LEVELS = (sizeof indent - 3) / 2 };
    if (use != JSON_FILE) {
        out_bytes(o, ", ", !comma ? 0 : use == JSON_LINE ? 2 : 1);
        return;
    }
    out_bytes(o, indent + !comma, comma + 1 + 2 * (depth < LEVELS ? depth : LEVELS));
    for (int i = LEVELS; i < depth; i++)
        out_lit(o, "  ");
}

static void put_text(struct out *o, const char *text, enum json_use use)
{
    if (use == JSON_DATA)
        json_data_string(o, str_of(text));
    else
        put_string(o, str_of(text), use == JSON_SCRIPT);
}

static int kind_of(const cJSON *item)
{
    return item->type & 0xff;
}

static bool is_container(const cJSON *item)
{
    return kind_of(item) & (cJSON_Array | cJSON_Object);
}

static void put_scalar(struct out *o, const cJSON *item, enum json_use use)
{
    switch (kind_of(item)) {
    case cJSON_String:
        put_text(o, item->valuestring, use);
        break;
    case cJSON_Number:
        put_real(o, item->valuedouble);
        break;
    case cJSON_True:
        out_lit(o, "true");
        break;
    case cJSON_False:
        out_lit(o, "false");
        break;
    case cJSON_Raw:
        out_c(o, item->valuestring);
        break;
    case cJSON_Array: /* empty, or nested too deep */
        out_c(o, item->child ? "null" : "[]");
        break;
    case cJSON_Object:
        out_c(o, item->child ? "null" : "{}");
        break;
    default:
        out_lit(o, "null");
    }
}

/* The separator before an item, and its key. */
static void put_prefix(struct out *o, const cJSON *item, const cJSON *parent,
                       enum json_use use, int depth)
{
    new_line(o, use, depth, item != parent->child);
    if (kind_of(parent) == cJSON_Object) {
        put_text(o, item->string, use);
        out_bytes(o, ": ", use >= JSON_SCRIPT ? 1 : 2);
    }
}

/* Its own lines are `inside` levels deep. */
static void put_tree(struct out *o, const cJSON *tree, enum json_use use, int inside)
{
    const cJSON *open[CJSON_NESTING_LIMIT];
    const cJSON *item = tree;
    int depth = 0;
    while (item) {
        if (is_container(item) && item->child && depth < CJSON_NESTING_LIMIT) {
            out_char(o, kind_of(item) == cJSON_Array ? '[' : '{');
            open[depth++] = item;
            item = item->child;
            put_prefix(o, item, open[depth - 1], use, inside + depth);
            continue;
        }
        put_scalar(o, item, use);
        while (depth > 0 && !item->next) {
            item = open[--depth];
            new_line(o, use, inside + depth, false);
            out_char(o, kind_of(item) == cJSON_Array ? ']' : '}');
        }
        item = depth > 0 ? item->next : NULL;
        if (item)
            put_prefix(o, item, open[depth - 1], use, inside + depth);
    }
}

void json_tree(struct out *o, const cJSON *tree, enum json_use use)
{
    put_tree(o, tree, use, 0);
    if (use == JSON_FILE)
        out_char(o, '\n');
}

void json_print(cJSON *root)
{
    struct out o;
    out_memory(&o);
    json_tree(&o, root, JSON_FILE);
    terminal_raw(stdout, out_view(&o)); /* escaped as JSON is */
    out_free(&o);
    cJSON_Delete(root);
}

cJSON *json_packed(cJSON *tree, int depth)
{
    struct out o;
    out_memory(&o);
    put_tree(&o, tree, JSON_FILE, depth);
    out_char(&o, '\0');
    cJSON *packed = cJSON_CreateRaw(out_view(&o).p);
    out_free(&o);
    cJSON_Delete(tree);
    if (!packed)
        arena_full();
    return packed;
}
