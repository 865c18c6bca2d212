#include "render/text/theme.h"

#include "base/arena.h"
#include "base/unknown.h"
#include "base/utf8.h"
#include "render/text/asset_text.h"
#include "render/text/bundle.h"
#include "render/text/context.h"
#include "render/text/template.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const token_names[THEME_TOKEN_COUNT] = {
#define X(id, name) name,
    THEME_TOKENS(X)
#undef X
};

static const char *const mode_names[THEME_MODES] = {"light", "dark"};

static bool theme_fails(struct err *e, const char *file, const char *what,
                        const char *name)
{
    return err_set(e, ERR_INPUT, file, -1, "%s \"%.60s\"", what, name);
}

/* "#rrggbb" and nothing else: what is written here goes into the style sheet. */
static bool read_colour(const cJSON *v, uint32_t *rgb)
{
    if (!cJSON_IsString(v) || strlen(v->valuestring) != 7 || v->valuestring[0] != '#')
        return false;
    uint32_t c = 0;
    for (int i = 1; i < 7; i++) {
        char d = v->valuestring[i];
        int digit = d >= '0' && d <= '9'   ? d - '0'
                    : d >= 'a' && d <= 'f' ? d - 'a' + 10
                    : d >= 'A' && d <= 'F' ? d - 'A' + 10
                                           : -1;
        if (digit < 0)
            return false;
        c = c << 4 | (uint32_t)digit;
    }
    *rgb = c;
    return true;
}

/* Text that can be a css value and nothing more: no ; : { } < > @ \ or function. */
static bool is_css_value(struct str s)
{
    static const char allowed[] = " #.,%-'";
    int quotes = 0;
    for (ptrdiff_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool alnum =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!alnum && (c == '\0' || !strchr(allowed, c)))
            return false;
        quotes += c == '\'';
    }
    return quotes % 2 == 0;
}

static bool read_text(struct arena *perm, const cJSON *group, const char *key,
                      const char *file, struct str *to, struct err *e)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(group, key);
    if (!cJSON_IsString(v))
        return theme_fails(e, file, "theme has no text for", key);
    if (!is_css_value(str_of(v->valuestring)))
        return theme_fails(e, file, "theme has a value that CSS cannot hold for", key);
    *to = str_copy(perm, str_of(v->valuestring));
    return true;
}

/* Text that pages show: anything, but not a page of it. */
static bool read_words(struct arena *perm, const cJSON *doc, const char *key,
                       const char *file, struct str *to, struct err *e)
{
    enum { BYTES_MAX = 120 };
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(doc, key);
    if (!v)
        return true;
    if (!cJSON_IsString(v))
        return theme_fails(e, file, "theme has no text for", key);
    if (str_of(v->valuestring).n > BYTES_MAX)
        return err_set(e, ERR_INPUT, file, -1,
                       "theme has more than %d bytes for \"%s\"", BYTES_MAX, key);
    *to = str_copy(perm, str_of(v->valuestring));
    return true;
}

static bool read_texts(struct arena *perm, const cJSON *doc, const char *file,
                       struct theme *t, struct err *e)
{
    const cJSON *font = cJSON_GetObjectItemCaseSensitive(doc, "font");
    const cJSON *space = cJSON_GetObjectItemCaseSensitive(doc, "space");
    return read_text(perm, doc, "name", file, &t->name, e) &&
           read_words(perm, doc, "header_text", file, &t->header_text, e) &&
           read_words(perm, doc, "footer_text", file, &t->footer_text, e) &&
           read_words(perm, doc, "logo_text", file, &t->logo_text, e) &&
           read_text(perm, font, "text", file, &t->font_text, e) &&
           read_text(perm, font, "mono", file, &t->font_mono, e) &&
           read_text(perm, font, "size", file, &t->font_size, e) &&
           read_text(perm, space, "unit", file, &t->space_unit, e) &&
           read_text(perm, space, "radius", file, &t->space_radius, e) &&
           read_text(perm, space, "measure", file, &t->space_measure, e);
}

/* A theme without colours for the host has those of the device for it, and without one
 * for attention's backward pass that of attention. */
static const cJSON *slot_pair(const cJSON *slots, enum figure_slot slot)
{
    static const enum figure_slot instead[FIGURE_SLOTS] = {
        [SLOT_PYTHON] = SLOT_COMPUTE,
        [SLOT_DISPATCH] = SLOT_GENERATED,
        [SLOT_RUNTIME] = SLOT_OTHER,
        [SLOT_WAITING] = SLOT_IDLE,
        [SLOT_BACKWARD] = SLOT_ATTENTION};
    const cJSON *pair =
        cJSON_GetObjectItemCaseSensitive(slots, figure_slot_name(slot).p);
    if (!pair && (slot >= SLOT_PYTHON || slot == SLOT_BACKWARD))
        pair =
            cJSON_GetObjectItemCaseSensitive(slots, figure_slot_name(instead[slot]).p);
    return pair;
}

static bool read_colours(const cJSON *doc, const char *file, struct theme *t,
                         struct err *e)
{
    const cJSON *slots = cJSON_GetObjectItemCaseSensitive(doc, "slots");
    for (int m = 0; m < THEME_MODES; m++) {
        const cJSON *set = cJSON_GetObjectItemCaseSensitive(doc, mode_names[m]);
        for (int i = 0; i < THEME_TOKEN_COUNT; i++)
            if (!read_colour(cJSON_GetObjectItemCaseSensitive(set, token_names[i]),
                             &t->token[m][i]))
                return theme_fails(e, file, "theme has no colour #rrggbb for",
                                   token_names[i]);
        for (int i = 0; i < FIGURE_SLOTS; i++) {
            const char *name = figure_slot_name((enum figure_slot)i).p;
            const cJSON *pair = slot_pair(slots, (enum figure_slot)i);
            if (!read_colour(cJSON_GetObjectItemCaseSensitive(pair, mode_names[m]),
                             &t->slot[m][i]))
                return theme_fails(e, file, "theme has no colour #rrggbb for slot",
                                   name);
        }
    }
    return true;
}

double theme_linear(uint32_t rgb, int channel)
{
    double c = (rgb >> (16 - 8 * channel) & 0xff) / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* WCAG 2.2, "relative luminance". */
static double luminance(uint32_t rgb)
{
    static const double weight[] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += weight[i] * theme_linear(rgb, i);
    return sum;
}

double theme_contrast(uint32_t a, uint32_t b)
{
    double x = luminance(a), y = luminance(b);
    return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

/* The hairline is decoration: nothing is read from it. */
struct theme_pair theme_pair(const struct theme *t, int mode, int k)
{
    int token = TOKEN_TEXT + k % PAIRS_OF_GROUND, slot = token - THEME_TOKEN_COUNT;
    uint32_t below = t->token[mode][TOKEN_GROUND + k / PAIRS_OF_GROUND];
    if (slot >= 0)
        return (struct theme_pair){figure_slot_name((enum figure_slot)slot).p, 3.0,
                                   theme_contrast(t->slot[mode][slot], below)};
    double want = token == TOKEN_BORDER ? 3.0 : token == TOKEN_HAIRLINE ? 1.0 : 4.5;
    return (struct theme_pair){token_names[token], want,
                               theme_contrast(t->token[mode][token], below)};
}

static bool check_contrast(const struct theme *t, const char *file, struct err *e)
{
    for (int m = 0; m < THEME_MODES; m++)
        for (int k = 0; k < THEME_PAIRS; k++) {
            struct theme_pair pair = theme_pair(t, m, k);
            if (pair.contrast < pair.least)
                return err_set(e, ERR_INPUT, file, -1,
                               "%s \"%s\" has contrast %.2f with a ground; %.1f is "
                               "needed",
                               mode_names[m], pair.name, pair.contrast, pair.least);
        }
    return true;
}

bool theme_read(struct arena *perm, struct str json, const char *file,
                struct theme *out, struct err *e)
{
    cJSON *doc = cJSON_ParseWithLength(json.p, (size_t)json.n);
    if (!doc)
        return err_set(e, ERR_INPUT, file, -1, "not a JSON document");
    struct theme t = {0};
    bool ok = read_texts(perm, doc, file, &t, e) && read_colours(doc, file, &t, e) &&
              check_contrast(&t, file, e);
    cJSON_Delete(doc);
    if (ok)
        *out = t;
    return ok;
}

/* The first thing in a drawing that is more than a drawing; NULL: there is none. */
static const char *forbidden_in(struct str svg, struct str *at)
{
    static const char *const words[] = {
        "<script", "<style",      "style=", "<foreignobject", "<image",
        "<iframe", "javascript:", "data:",  "@import",        "<!entity"};
    for (struct str rest = svg; rest.n > 0;) {
        *at = rest;
        if (utf8_next(&rest) == UTF8_BROKEN)
            return "bytes that are not UTF-8";
    }
    for (*at = svg; at->n > 0; *at = str_skip(*at, 1)) {
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (str_eq_nocase(str_head(*at, str_of(words[k]).n), str_of(words[k])))
                return words[k];
        if (str_eq_nocase(str_head(*at, 5), S("href=")) &&
            !str_eq(str_head(str_skip(*at, 6), 1), S("#")))
            return "a link to another file";
        if (str_eq_nocase(str_head(*at, 4), S("url(")) &&
            !str_eq(str_head(str_skip(*at, 4), 1), S("#")))
            return "a link to another file";
        ptrdiff_t n = 3;
        while (n < at->n && ((at->p[n] | 32) >= 'a' && (at->p[n] | 32) <= 'z'))
            n++;
        if (at->n > n && (at->p[0] == ' ' || at->p[0] == '\n' || at->p[0] == '\t') &&
            str_eq_nocase(str_head(str_skip(*at, 1), 2), S("on")) && at->p[n] == '=')
            return "an event handler";
    }
    return NULL;
}

bool theme_logo(struct theme *t, struct str bytes, const char *kind, const char *file,
                struct err *e)
{
    enum { LOGO_BYTES_MAX = 100000 };
    bool png = str_eq(str_of(kind), S("png"));
    if (bytes.n > LOGO_BYTES_MAX)
        return err_set(e, ERR_INPUT, file, -1,
                       "a logo has at most %d bytes; this one has %td", LOGO_BYTES_MAX,
                       bytes.n);
    if (png ? !str_starts(bytes, S("\x89PNG\r\n\x1a\n")) : !str_has(bytes, S("<svg")))
        return err_set(e, ERR_INPUT, file, -1, "is not a %s picture",
                       png ? "PNG" : "SVG");
    struct str at = {0};
    const char *what = png ? NULL : forbidden_in(bytes, &at);
    if (what) {
        int line = 1;
        for (const char *p = bytes.p; p < at.p; p++)
            line += *p == '\n';
        return err_set(e, ERR_INPUT, file, -1, "line %d: a logo may not hold %s", line,
                       what);
    }
    if (!t->logo_text.n)
        return err_set(e, ERR_INPUT, file, -1,
                       "theme.json needs a \"logo_text\": what the logo says to those "
                       "who cannot see it");
    t->logo = bytes;
    t->logo_kind = kind;
    return true;
}

static bool unknown_theme(struct arena *perm, struct str name, struct err *e)
{
    const struct str folder = S("themes/"), file = S("/theme.json");
    int n = bundle_count(folder);
    struct str *names = arena_new(perm, struct str, n);
    for (int i = 0; i < n; i++) {
        names[i] = str_skip(bundle_path(folder, i), folder.n);
        names[i] = str_head(names[i], names[i].n - file.n);
    }
    return err_unknown(e, "theme", name, names, n,
                       "a folder with a theme.json works, too");
}

bool theme_builtin(struct arena *perm, struct str name, struct theme *out,
                   struct err *e)
{
    char path[160];
    int n = snprintf(path, sizeof path, "themes/%.*s/theme.json",
                     STRF(str_head(name, 100)));
    struct str json = bundle_file((struct str){path, n});
    return json.p ? theme_read(perm, json, path, out, e) : unknown_theme(perm, name, e);
}

static bool escape_css(struct out *o, struct arena tmp, struct str text)
{
    (void)tmp;
    out_str(o, text);
    return is_css_value(text);
}

static struct str find_css(void *self, struct str name)
{
    (void)self;
    return bundle_file(name);
}

static void add_colour(cJSON *list, const char *prefix, struct str name, uint32_t rgb,
                       struct arena tmp)
{
    json_row(list, M("name", str_printf(&tmp, "%s%.*s", prefix, STRF(name))),
             M("value", str_printf(&tmp, "#%06x", (unsigned)rgb)));
}

static cJSON *css_context(const struct theme *t, struct arena tmp)
{
    cJSON *c = json_object(
        F(t, name),
        M("font", json_object(M("text", t->font_text), M("mono", t->font_mono),
                              M("size", t->font_size))),
        M("space", json_object(M("unit", t->space_unit), M("radius", t->space_radius),
                               M("measure", t->space_measure))));
    for (int m = 0; m < THEME_MODES; m++) {
        cJSON *list = json_put_array(c, mode_names[m]);
        for (int i = 0; i < THEME_TOKEN_COUNT; i++)
            add_colour(list, "", str_of(token_names[i]), t->token[m][i], tmp);
        for (int i = 0; i < FIGURE_SLOTS; i++)
            add_colour(list, "slot-", figure_slot_name((enum figure_slot)i),
                       t->slot[m][i], tmp);
    }
    cJSON *slots = json_put_array(c, "slots");
    for (int i = 0; i < FIGURE_SLOTS; i++)
        add_colour(slots, "", figure_slot_name((enum figure_slot)i), 0, tmp);
    return c;
}

uint64_t theme_hash(const struct theme *t)
{
    const struct str parts[] = {t->name,
                                t->font_text,
                                t->font_mono,
                                t->font_size,
                                t->space_unit,
                                t->space_radius,
                                t->space_measure,
                                t->header_text,
                                t->footer_text,
                                t->logo_text,
                                t->logo,
                                {(const char *)t->token, (ptrdiff_t)sizeof t->token},
                                {(const char *)t->slot, (ptrdiff_t)sizeof t->slot}};
    uint64_t all = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].n) /* what it does not have does not change its reports' ids */
            all = all * 0x9e3779b97f4a7c15 + str_hash(parts[i]);
    return all;
}

bool theme_css(struct out *o, const struct theme *t, struct arena tmp, struct err *e)
{
    struct template_set set = {.perm = &tmp, .find = find_css, .escape = escape_css};
    cJSON *context = css_context(t, tmp);
    struct out whole;
    bool ok = true;
    out_memory(&whole);
    for (int i = 0; ok && i < bundle_count(S("assets/css/")); i++)
        ok =
            template_render(&whole, &set, bundle_path(S("assets/css/"), i), context, e);
    asset_lean(o, out_view(&whole));
    out_free(&whole);
    cJSON_Delete(context);
    return ok;
}
