/* What a Lua file declares: pattern {}, model {}, category {}. An invalid entry is left
 * out with a warning; the file goes on. */
#include "analysis/lua/pattern_host_parts.h"

#include "base/out.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

enum { ID_BYTES = 80, OP_BYTES = 400, SUMMARY_BYTES = 200 };

struct entry {
    lua_State *L;
    struct host_file *file;
    const char *kind; /* "pattern" */
    struct str id;    /* once known */
    char wrong[400];  /* empty: fine so far */
};

/* Only the first error is reported. */
static void wrong(struct entry *e, const char *key, const char *what)
{
    if (!e->wrong[0])
        snprintf(e->wrong, sizeof e->wrong, "%s %s", key, what);
}

/* A short text of the entry at 1, copied; empty if absent. */
static struct str entry_text(struct entry *e, const char *key, int max, bool needed)
{
    struct str s = S("");
    int type = lua_getfield(e->L, 1, key);
    if (type == LUA_TSTRING) {
        s = str_copy(e->file->host->perm, host_text(e->L, -1));
        if (s.n == 0 || s.n > max || str_has(s, S("\0")) || str_has(s, S("\n")))
            wrong(e, key, "is empty, too long or not one line");
    } else if (type != LUA_TNIL || needed) {
        wrong(e, key, "must be a text");
    }
    lua_pop(e->L, 1);
    return s;
}

static bool entry_flag(struct entry *e, const char *key)
{
    int type = lua_getfield(e->L, 1, key);
    bool v = lua_toboolean(e->L, -1);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN)
        wrong(e, key, "must be true or false");
    lua_pop(e->L, 1);
    return v;
}

static int entry_function(struct entry *e, const char *key, bool needed)
{
    int type = lua_getfield(e->L, 1, key);
    if (type == LUA_TFUNCTION)
        return luaL_ref(e->L, LUA_REGISTRYINDEX);
    if (type != LUA_TNIL || needed)
        wrong(e, key, "must be a function");
    lua_pop(e->L, 1);
    return LUA_NOREF;
}

static void unknown_category(struct entry *e, struct str name, bool any)
{
    struct out o;
    out_memory(&o);
    out_printf(&o, "\"%.*s\" is not one of", STRF(name));
    for (int c = 0; c < WORK_CATEGORIES; c++)
        out_printf(&o, "%s %.*s", c ? "," : "",
                   STRF(work_category_name((enum work_category)c)));
    out_printf(&o, "%s", any ? ", any" : "");
    out_char(&o, '\0');
    wrong(e, "category", out_view(&o).p);
    out_free(&o);
}

static int entry_category(struct entry *e, bool any)
{
    struct str name = entry_text(e, "category", ID_BYTES, true);
    if (any && str_eq(name, S("any")))
        return CATEGORY_ANY;
    for (int c = 0; c < WORK_CATEGORIES; c++)
        if (str_eq(work_category_name((enum work_category)c), name))
            return c;
    unknown_category(e, name, any);
    return CATEGORY_ANY;
}

static bool known_key(const char *key, const char *const *keys)
{
    for (; *keys; keys++)
        if (strcmp(*keys, key) == 0)
            return true;
    return false;
}

/* An unknown key is a misspelling. Reports the first by name, because the order of a
 * Lua table changes from run to run. */
static void entry_check_keys(struct entry *e, const char *const *keys)
{
    const char *unknown = NULL;
    for (lua_pushnil(e->L); lua_next(e->L, 1);) {
        lua_pop(e->L, 1);
        bool text = lua_type(e->L, -1) == LUA_TSTRING;
        const char *key = text ? lua_tostring(e->L, -1) : "[...]";
        if ((!text || !known_key(key, keys)) && (!unknown || strcmp(key, unknown) < 0))
            unknown = key;
    }
    if (unknown)
        wrong(e, unknown, "is not a known key");
}

static struct entry entry_begin(lua_State *L, const char *kind)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    return (struct entry){.L = L, .file = host_file_of(L), .kind = kind};
}

static bool entry_good(struct entry *e)
{
    if (!e->wrong[0])
        return true;
    struct str id = e->id.n ? e->id : S("(unnamed)");
    host_warn(e->file, S(""), "%s %.*s of %s is left out: %s", e->kind, STRF(id),
              e->file->box.name, e->wrong);
    return false;
}

static void need_room(struct entry *e, int n, int max)
{
    if (n == max)
        luaL_error(e->L, "more than %d entries of the kind %s", max, e->kind);
}

static const char *const texts[] = {"title",  "issue", "path_a",
                                    "path_b", "cause", NULL};

static void check_texts(struct entry *e)
{
    bool advice = false;
    for (const char *const *key = texts; *key; key++) {
        int type = lua_getfield(e->L, 1, *key);
        if (type != LUA_TNIL && type != LUA_TSTRING && type != LUA_TFUNCTION)
            wrong(e, *key, "must be a text or a function");
        advice |= type != LUA_TNIL && strncmp(*key, "path", 4) == 0;
        lua_pop(e->L, 1);
    }
    if (!advice)
        wrong(e, "path_a or path_b", "is needed, or both");
}

static enum pattern_scope entry_scope(struct entry *e)
{
    struct str scope = entry_text(e, "scope", ID_BYTES, false);
    if (str_eq(scope, S("category")))
        return SCOPE_CATEGORY;
    if (str_eq(scope, S("advice")))
        return SCOPE_ADVICE;
    if (str_eq(scope, S("idle")))
        return SCOPE_GROUP;
    if (scope.n && !str_eq(scope, S("row")))
        wrong(e, "scope", "must be row, category, advice or idle");
    return SCOPE_ROW;
}

/* Replaces an entry with the same id, so that users can replace built-in patterns. */
static void add_pattern(struct pattern_host *h, struct host_pattern *p)
{
    for (int i = 0; i < h->n_patterns; i++)
        if (str_eq(h->patterns[i]->id, p->id) &&
            h->patterns[i]->category == p->category) {
            h->patterns[i] = p;
            return;
        }
    h->patterns[h->n_patterns++] = p;
}

static int declare_pattern(lua_State *L)
{
    static const char *const keys[] = {"id",
                                       "category",
                                       "summary",
                                       "scope",
                                       "informational",
                                       "bottleneck_only",
                                       "title",
                                       "issue",
                                       "path_a",
                                       "path_b",
                                       "when",
                                       "about",
                                       "unless",
                                       "counter",
                                       "recording",
                                       "cause",
                                       NULL};
    struct entry e = entry_begin(L, "pattern");
    need_room(&e, e.file->host->n_patterns, HOST_PATTERNS);
    struct host_pattern *p = arena_new(e.file->host->perm, struct host_pattern, 1);
    p->file = e.file;
    p->id = e.id = entry_text(&e, "id", ID_BYTES, true);
    p->category = entry_category(&e, true);
    p->summary = entry_text(&e, "summary", SUMMARY_BYTES, true);
    p->scope = entry_scope(&e);
    p->informational = entry_flag(&e, "informational");
    p->recording = entry_flag(&e, "recording");
    p->bottleneck_only = entry_flag(&e, "bottleneck_only");
    p->about = entry_text(&e, "about", ID_BYTES, false);
    p->counter = entry_text(&e, "counter", SUMMARY_BYTES, false);
    int when = entry_function(&e, "when", p->scope != SCOPE_ADVICE);
    luaL_unref(L, LUA_REGISTRYINDEX, when); /* it stays in the table */
    int unless = entry_function(&e, "unless", p->counter.n > 0);
    luaL_unref(L, LUA_REGISTRYINDEX, unless);
    if (unless != LUA_NOREF && p->counter.n == 0)
        wrong(&e, "counter", "is needed: what `unless` looks for, in words");
    if (p->about.n > 0 && p->scope != SCOPE_ADVICE)
        wrong(&e, "about", "belongs to the scope advice");
    check_texts(&e);
    entry_check_keys(&e, keys);
    if (!entry_good(&e))
        return 0;
    lua_settop(L, 1);
    p->table = luaL_ref(L, LUA_REGISTRYINDEX);
    add_pattern(e.file->host, p);
    return 0;
}

/* op = "aten::mm", or match = "^mylib::" as a Lua pattern. */
static struct str entry_op(struct entry *e, bool *is_pattern)
{
    struct str op = entry_text(e, "op", OP_BYTES, false);
    struct str match = entry_text(e, "match", OP_BYTES, false);
    if ((op.n > 0) == (match.n > 0))
        wrong(e, "either op or match", "is needed");
    *is_pattern = match.n > 0;
    return e->id = match.n ? match : op;
}

static void add_category(struct entry *e, struct str op, bool is_pattern, int category,
                         const struct host_model *model)
{
    struct pattern_host *h = e->file->host;
    need_room(e, h->n_categories, HOST_CATEGORIES);
    struct host_category *c = arena_new(h->perm, struct host_category, 1);
    *c = (struct host_category){e->file, op, is_pattern, (enum work_category)category,
                                model};
    h->categories[h->n_categories++] = c;
}

static int declare_category(lua_State *L)
{
    static const char *const keys[] = {"op", "match", "category", NULL};
    struct entry e = entry_begin(L, "category");
    bool is_pattern;
    struct str op = entry_op(&e, &is_pattern);
    int c = entry_category(&e, false);
    entry_check_keys(&e, keys);
    if (entry_good(&e))
        add_category(&e, op, is_pattern, c, NULL);
    return 0;
}

static enum perf_unit entry_unit(struct entry *e)
{
    struct str unit = entry_text(e, "unit", ID_BYTES, false);
    if (unit.n && !str_eq(unit, S("vector")) && !str_eq(unit, S("matrix")))
        wrong(e, "unit", "must be matrix or vector");
    return unit.n == 0                 ? UNIT_NONE
           : str_eq(unit, S("vector")) ? UNIT_VECTOR
                                       : UNIT_MATRIX;
}

static int declare_model(lua_State *L)
{
    static const char *const keys[] = {"op",   "match", "category", "unit",
                                       "when", "cost",  NULL};
    struct entry e = entry_begin(L, "model");
    struct pattern_host *h = e.file->host;
    need_room(&e, h->n_models, HOST_MODELS);
    struct host_model *m = arena_new(h->perm, struct host_model, 1);
    m->file = e.file;
    m->op = entry_op(&e, &m->is_pattern);
    int category = entry_category(&e, false);
    m->base.unit = entry_unit(&e);
    m->when = entry_function(&e, "when", false);
    m->cost = entry_function(&e, "cost", true);
    entry_check_keys(&e, keys);
    if (!entry_good(&e))
        return 0;
    m->base.id = str_c(h->perm, str_printf(h->perm, "user_%d", h->n_models + 1));
    m->base.category = str_c(h->perm, work_category_name((enum work_category)category));
    m->base.family = -1;
    h->models[h->n_models++] = m;
    add_category(&e, m->op, m->is_pattern, category, m);
    return 0;
}

void declare_open(lua_State *L)
{
    static const luaL_Reg functions[] = {{"pattern", declare_pattern},
                                         {"model", declare_model},
                                         {"category", declare_category},
                                         {NULL, NULL}};
    lua_sandbox_functions(L, functions);
}
