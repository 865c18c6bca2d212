#include "analysis/lua/pattern_host.h"

#include "analysis/lua/pattern_host_parts.h"
#include "base/file_head.h"

#include <assert.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MEMBERS = 10000 };

void pattern_host_warn(struct pattern_host *h, struct arena *perm, struct analysis *a)
{
    for (; h->n_told < h->n_warnings; h->n_told++)
        analysis_warn(perm, a, h->warnings[h->n_told]);
}

static struct str category_text(int category)
{
    return category == CATEGORY_ANY ? S("any")
                                    : work_category_name((enum work_category)category);
}

static int open_room(lua_State *L)
{
    value_open(L);
    model_open(L);
    declare_open(L);
    return 0;
}

static bool furnish(struct lua_sandbox *box, struct sandbox_error *e)
{
    return lua_sandbox_do(box, open_room, NULL, e) &&
           lua_sandbox_load(box, model_functions(), e);
}

static void open_builtin_room(struct pattern_host *h)
{
    struct sandbox_error e;
    lua_sandbox_open(&h->room.box, S("built-in"));
    bool done = furnish(&h->room.box, &e);
    assert(done && "the functions are ours");
    (void)done;
}

static void add_file(struct pattern_host *h, struct str path, struct str text,
                     bool user)
{
    struct host_file *f = arena_new(h->perm, struct host_file, 1);
    struct sandbox_error e;
    *f = (struct host_file){.host = h, .user = user, .text_hash = str_hash(text)};
    if (user)
        lua_sandbox_open(&f->box, path);
    else
        lua_sandbox_open_in(&f->box, &h->room.box, path);
    h->files[h->n_files++] = f;
    if ((!user || furnish(&f->box, &e)) && lua_sandbox_load(&f->box, text, &e))
        return;
    f->failed = true;
    host_warn(f, S(""), "the rest of %s is left out: %s", f->box.name, e.text);
}

/* By category in report order, patterns for any category last; else as declared: users'
 * after the built-in ones. */
static void sort_patterns(struct pattern_host *h)
{
    struct host_pattern *sorted[HOST_PATTERNS];
    int n = 0;
    for (int c = 0; c <= WORK_CATEGORIES; c++)
        for (int i = 0; i < h->n_patterns; i++)
            if (h->patterns[i]->category == (c == WORK_CATEGORIES ? CATEGORY_ANY : c))
                sorted[n++] = h->patterns[i];
    memcpy(h->patterns, sorted, (size_t)n * sizeof *sorted);
}

bool pattern_host_open(struct pattern_host **host, struct arena *perm,
                       const struct pattern_source *builtin, int n_builtin,
                       const char *const *extensions, int n_extensions, struct err *e)
{
    struct pattern_host *h = arena_new(perm, struct pattern_host, 1);
    h->perm = perm;
    if (n_builtin + n_extensions > HOST_FILES)
        return err_set(e, ERR_USAGE, NULL, -1, "more than %d extension files",
                       HOST_FILES - n_builtin);
    open_builtin_room(h);
    for (int i = 0; i < n_builtin; i++)
        add_file(h, builtin[i].name, builtin[i].text, false);
    for (int i = 0; i < n_extensions; i++) {
        struct str text; /* a byte too many is refused with the file */
        if (!file_head(perm, extensions[i], SANDBOX_SOURCE_BYTES + 1, &text, e)) {
            pattern_host_close(h);
            return false;
        }
        add_file(h, str_of(extensions[i]), text, true);
    }
    sort_patterns(h);
    *host = h;
    return true;
}

void pattern_host_close(struct pattern_host *h)
{
    for (int i = 0; i < h->n_files; i++)
        lua_sandbox_close(&h->files[i]->box);
    lua_sandbox_close(&h->room.box);
    h->n_files = h->n_patterns = h->n_models = h->n_categories = 0;
}

uint64_t pattern_host_user_hash(const struct pattern_host *h)
{
    uint64_t all = 0;
    for (int i = 0; i < h->n_files; i++)
        if (h->files[i]->user)
            all =
                all * UINT64_C(0x100000001b3) ^ h->files[i]->text_hash; /* FNV prime */
    return all;
}

bool pattern_host_category_of(const struct pattern_host *h, struct str op,
                              enum work_category *c)
{
    for (int i = h->n_categories - 1; i >= 0; i--) {
        const struct host_category *k = h->categories[i];
        if (host_op_matches(k->file, k->op, k->is_pattern, op)) {
            *c = k->category;
            return true;
        }
    }
    return false;
}

struct pattern_job {
    const struct host_pattern *p;
    const struct analysis *a;
    struct arena *perm;
    const struct work_row *row;             /* NULL: the whole category */
    const struct category_result *category; /* NULL: advice */
    const struct work_fact *values;         /* of advice */
    int n_values;
    const struct group_facts *group; /* NULL: not about idle time */
    bool found;
    struct pattern_hit hit;
};

/* Stack of a job: 1 the job, 2 the pattern, 3 what `when` returned. */
enum { PATTERN = 2, ANSWER = 3 };

static bool answer_flag(lua_State *L, const char *key, bool otherwise)
{
    bool given = host_get(L, ANSWER, key, LUA_TBOOLEAN, "true or false");
    bool v = given ? lua_toboolean(L, -1) : otherwise;
    lua_pop(L, 1);
    return v;
}

/* Members in the order the pattern gave them; none: the row alone. */
static void answer_rows(lua_State *L, struct pattern_job *job)
{
    bool given = host_get(L, ANSWER, "rows", LUA_TTABLE, "a list of rows");
    lua_Integer n = given ? luaL_len(L, -1) : 0;
    if (n > MAX_MEMBERS)
        luaL_error(L, "more than %d rows", MAX_MEMBERS);
    job->hit.rows = arena_new(job->perm, const struct work_row *, n);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_rawgeti(L, -1, i);
        const struct work_row *r = value_to_row(L, -1);
        if (!r)
            luaL_error(L, "rows[%d] is not a row", (int)i);
        job->hit.rows[job->hit.n_rows++] = r;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void fill_hit(lua_State *L, struct pattern_job *job)
{
    struct pattern_hit *hit = &job->hit;
    *hit = (struct pattern_hit){.id = job->p->id};
    hit->bottleneck_only = job->p->bottleneck_only;
    hit->informational = answer_flag(L, "informational", job->p->informational);
    hit->recording = answer_flag(L, "recording", job->p->recording);
    hit->saving_low_ms = host_get_figure(L, ANSWER, "saving_low_ms");
    hit->saving_high_ms = host_get_figure(L, ANSWER, "saving_high_ms");
    hit->group_efficiency_pct = host_get_figure(L, ANSWER, "group_efficiency_pct");
    hit->spared_calls_pct = host_get_figure(L, ANSWER, "spared_calls_pct");
    if (hit->saving_high_ms < hit->saving_low_ms)
        luaL_error(L, "saving_high_ms is below saving_low_ms");
    answer_rows(L, job);
    struct text_source from = {ANSWER, job->row, job->group};
    if (!from.row && hit->n_rows > 0)
        from.row = hit->rows[0];
    hit->title = text_of_field(L, job->perm, PATTERN, "title", from);
    hit->issue = text_of_field(L, job->perm, PATTERN, "issue", from);
    hit->path_a = text_of_field(L, job->perm, PATTERN, "path_a", from);
    hit->path_b = text_of_field(L, job->perm, PATTERN, "path_b", from);
    hit->cause = text_of_field(L, job->perm, PATTERN, "cause", from);
    job->found = true;
}

/* The arguments of `when` and `unless`: the row, its category and the trace; the
 * category and the trace; the facts of an advice, or a group, and the trace. */
static int push_subject(lua_State *L, struct pattern_job *job)
{
    if (job->p->scope == SCOPE_ADVICE) {
        lua_newtable(L);
        for (int i = 0; i < job->n_values; i++) {
            const struct work_fact *v = &job->values[i];
            if (v->text && v->n)
                host_push_text(L, work_fact_str(v));
            else
                lua_pushnumber(L, work_fact_real(v));
            lua_setfield(L, -2, v->key);
        }
    } else {
        if (job->row)
            value_push_row(L, job->row);
        if (job->group)
            value_push_group(L, job->group);
        else
            value_push_category(L, job->category);
    }
    value_push_trace(L);
    return job->row ? 3 : 2;
}

/* Push what one of them returns; without such a function, `otherwise`. */
static void call_gate(lua_State *L, struct pattern_job *job, const char *gate,
                      bool otherwise)
{
    if (lua_getfield(L, PATTERN, gate) != LUA_TFUNCTION) {
        lua_pop(L, 1);
        lua_pushboolean(L, otherwise);
        return;
    }
    lua_call(L, push_subject(L, job), 1);
    int type = lua_type(L, -1);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN && type != LUA_TTABLE)
        luaL_error(L, "%s: %s must return true, false or a table, not a %s",
                   job->p->file->box.name, gate, luaL_typename(L, -1));
}

/* The facts of an advice, with what `when` adds to them, are the values of its texts.
 */
static void merge_facts(lua_State *L, struct pattern_job *job)
{
    push_subject(L, job);
    lua_pop(L, 1); /* the trace */
    if (lua_type(L, ANSWER) == LUA_TTABLE)
        for (lua_pushnil(L); lua_next(L, ANSWER);) {
            lua_pushvalue(L, -2);
            lua_insert(L, -2);
            lua_settable(L, -4);
        }
    lua_replace(L, ANSWER);
}

static int run_pattern(lua_State *L)
{
    struct pattern_job *job = lua_touserdata(L, 1);
    value_set_analysis(L, job->a);
    lua_rawgeti(L, LUA_REGISTRYINDEX, job->p->table);
    call_gate(L, job, "when", true);
    if (!lua_toboolean(L, ANSWER))
        return 0;
    call_gate(L, job, "unless", false);
    bool contradicted = lua_toboolean(L, -1);
    lua_settop(L, ANSWER);
    if (contradicted)
        return 0;
    if (job->p->scope == SCOPE_ADVICE)
        merge_facts(L, job);
    fill_hit(L, job);
    return 0;
}

static bool ask(struct host_pattern *p, struct pattern_job *job)
{
    struct sandbox_error e;
    job->p = p;
    job->found = false;
    if (!lua_sandbox_do(&p->file->box, run_pattern, job, &e)) {
        p->failed = true;
        p->error = str_copy(p->file->host->perm, str_of(e.text));
        host_warn(p->file, category_text(p->category),
                  "pattern %.*s of %s failed and is left out: %s", STRF(p->id),
                  p->file->box.name, e.text);
        return false;
    }
    p->hits += job->found;
    return job->found;
}

static struct pattern_hit *ask_all(struct pattern_host *h, struct arena *perm,
                                   struct analysis *a, enum pattern_scope scope,
                                   const struct work_row *row, enum work_category c,
                                   int *n_hits)
{
    struct pattern_hit *hits = NULL;
    struct pattern_job job = {
        .a = a, .perm = perm, .row = row, .category = &a->categories[c]};
    int n = 0;
    for (int i = 0; i < h->n_patterns; i++) {
        struct host_pattern *p = h->patterns[i];
        if (p->failed || p->scope != scope ||
            (p->category != CATEGORY_ANY && p->category != (int)c) || !ask(p, &job))
            continue;
        arena_grow(perm, hits, n);
        hits[n] = job.hit;
        hits[n++].order = i;
    }
    pattern_host_warn(h, perm, a);
    *n_hits = n;
    return hits;
}

struct pattern_hit *pattern_host_row(struct pattern_host *h, struct arena *perm,
                                     struct analysis *a, const struct work_row *row,
                                     int *n_hits)
{
    return ask_all(h, perm, a, SCOPE_ROW, row, row->category, n_hits);
}

struct pattern_hit *pattern_host_category(struct pattern_host *h, struct arena *perm,
                                          struct analysis *a, enum work_category c,
                                          int *n_hits)
{
    return ask_all(h, perm, a, SCOPE_CATEGORY, NULL, c, n_hits);
}

bool pattern_host_stands(const struct pattern_host *h, const struct pattern_hit *hit)
{
    return !h->patterns[hit->order]->failed;
}

bool pattern_host_advice(struct pattern_host *h, struct arena *perm, struct analysis *a,
                         struct str id, const struct work_fact *values, int n_values,
                         struct pattern_hit *hit)
{
    struct pattern_job job = {
        .a = a, .perm = perm, .values = values, .n_values = n_values};
    for (int i = 0; i < h->n_patterns; i++) {
        struct host_pattern *p = h->patterns[i];
        if (p->failed || !str_eq(p->id, id))
            continue;
        bool found = ask(p, &job);
        pattern_host_warn(h, perm, a);
        *hit = job.hit;
        hit->order = i;
        return found;
    }
    return false;
}

struct pattern_hit *pattern_host_about(struct pattern_host *h, struct arena *perm,
                                       struct analysis *a, struct str about,
                                       const struct work_fact *values, int n_values,
                                       int *n_hits)
{
    struct pattern_hit *hits = NULL;
    struct pattern_job job = {
        .a = a, .perm = perm, .values = values, .n_values = n_values};
    int n = 0;
    for (int i = 0; h && i < h->n_patterns; i++) {
        struct host_pattern *p = h->patterns[i];
        if (p->failed || !str_eq(p->about, about) || !ask(p, &job))
            continue;
        arena_grow(perm, hits, n);
        hits[n] = job.hit;
        hits[n++].order = i;
    }
    if (h)
        pattern_host_warn(h, perm, a);
    *n_hits = n;
    return hits;
}

bool pattern_host_group(struct pattern_host *h, struct arena *perm, struct analysis *a,
                        const struct work_fact *facts, int n_facts,
                        struct pattern_hit *hit)
{
    struct group_facts group = {facts, n_facts};
    struct pattern_job job = {.a = a, .perm = perm, .group = &group};
    bool found = false;
    for (int k = 0; k < 2 * h->n_patterns && !found; k++) {
        struct host_pattern *p = h->patterns[k % h->n_patterns];
        bool turn = p->file->user == (k < h->n_patterns);
        found = turn && !p->failed && p->scope == SCOPE_GROUP && ask(p, &job);
        job.hit.order = k % h->n_patterns;
    }
    pattern_host_warn(h, perm, a);
    *hit = job.hit;
    return found;
}

int pattern_host_count(const struct pattern_host *h)
{
    return h->n_patterns;
}

struct pattern_info pattern_host_info(const struct pattern_host *h, int i)
{
    const struct host_pattern *p = h->patterns[i];
    return (struct pattern_info){.id = p->id,
                                 .category = category_text(p->category),
                                 .file = str_of(p->file->box.name),
                                 .summary = p->summary,
                                 .counter = p->counter,
                                 .error = p->error,
                                 .informational = p->informational,
                                 .failed = p->failed,
                                 .user = p->file->user,
                                 .any_category = p->scope == SCOPE_ADVICE ||
                                                 p->category == CATEGORY_ANY,
                                 .hits = p->hits};
}

int pattern_host_operators(const struct pattern_host *h)
{
    return h->n_categories;
}

struct operator_info pattern_host_operator(const struct pattern_host *h, int i)
{
    const struct host_category *c = h->categories[i];
    return (struct operator_info){.op = c->op,
                                  .category = work_category_name(c->category),
                                  .file = str_of(c->file->box.name),
                                  .has_model = c->model != NULL,
                                  .failed = c->model && c->model->failed,
                                  .calls = c->model ? c->model->calls : 0};
}

int pattern_host_faults(const struct pattern_host *h)
{
    return h->n_warnings;
}

struct str pattern_host_fault(const struct pattern_host *h, int i)
{
    return h->warnings[i].text;
}
