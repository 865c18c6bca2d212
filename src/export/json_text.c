#include "export/json_text.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/plain_run.h"
#include "base/utf8.h"

#include <cjson/cJSON.h>
#include <math.h>

static bool is_escaped(int32_t code, bool script)
{
    return code < 0x20 || code == 0x7F || code == '"' || code == '\\' ||
           code == 0x2028 || code == 0x2029 ||
           (script && (code == '<' || code == '>' || code == '&'));
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
        out_printf(o, "\\u%04x", (unsigned)code);
    }
}

static void put_string(struct out *o, struct str s, bool script)
{
    out_char(o, '"');
    while (s.n > 0) {
        ptrdiff_t plain = script ? plain_run(s, "\"\\<>&") : plain_run(s, "\"\\");
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
    struct out quoted;
    out_memory(&quoted);
    put_string(&quoted, s, true);
    struct str text = out_view(&quoted);
    ptrdiff_t from = 0;
    for (ptrdiff_t i = 0; i < text.n;) {
        ptrdiff_t n = may_call(text.p[i]) ? calling_word(str_skip(text, i)) : 0;
        if (n) {
            out_bytes(o, text.p + from, i + n - 1 - from);
            out_printf(o, "\\u%04x", (unsigned)text.p[i + n - 1]);
            from = i + n;
        }
        i += n ? n : 1;
    }
    out_bytes(o, text.p + from, text.n - from);
    out_free(&quoted);
}

/* Whole numbers below 2^53 without a point, as cJSON's readers expect of a count. */
static void put_real(struct out *o, double v)
{
    if (!isfinite(v))
        out_lit(o, "null");
    else if (v == floor(v) && fabs(v) < 9007199254740992.0)
        out_i64(o, (int64_t)v);
    else
        out_real(o, v);
}

static void new_line(struct out *o, enum json_use use, int depth)
{
    static const char indent[] = "\n                                ";
    enum { LEVELS = (sizeof indent - 2) / 2 };
    if (use != JSON_FILE)
        return;
    out_bytes(o, indent, 1 + 2 * (depth < LEVELS ? depth : LEVELS));
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

static bool is_container(const cJSON *item)
{
    return cJSON_IsArray(item) || cJSON_IsObject(item);
}

static void put_scalar(struct out *o, const cJSON *item, enum json_use use)
{
    if (cJSON_IsString(item))
        put_text(o, item->valuestring, use);
    else if (cJSON_IsNumber(item))
        put_real(o, item->valuedouble);
    else if (cJSON_IsBool(item))
        out_c(o, cJSON_IsTrue(item) ? "true" : "false");
    else if (cJSON_IsRaw(item) && item->valuestring)
        out_c(o, item->valuestring);
    else if (is_container(item) && !item->child)
        out_c(o, cJSON_IsArray(item) ? "[]" : "{}");
    else
        out_lit(o, "null");
}

/* The separator before an item, and its key. */
static void put_prefix(struct out *o, const cJSON *item, const cJSON *parent,
                       enum json_use use, int depth)
{
    if (item != parent->child)
        out_c(o, use == JSON_LINE ? ", " : ",");
    new_line(o, use, depth);
    if (cJSON_IsObject(parent)) {
        put_text(o, item->string, use);
        out_c(o, use >= JSON_SCRIPT ? ":" : ": ");
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
            out_char(o, cJSON_IsArray(item) ? '[' : '{');
            open[depth++] = item;
            item = item->child;
            put_prefix(o, item, open[depth - 1], use, inside + depth);
            continue;
        }
        put_scalar(o, item, use);
        while (depth > 0 && !item->next) {
            item = open[--depth];
            new_line(o, use, inside + depth);
            out_char(o, cJSON_IsArray(item) ? ']' : '}');
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
