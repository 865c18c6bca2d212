/* pattern_host_parts.h - what the files of the pattern host share; nobody else's.
 *
 *   extension_declare   pattern {}, model {}, category {} of a file
 *   extension_model     models: calls to figures
 *   pattern_value       rows, categories and the trace as Lua sees them
 *   pattern_text        texts with {placeholders}
 *   pattern_host        asking patterns */
#ifndef ANALYSIS_PATTERN_HOST_PARTS_H
#define ANALYSIS_PATTERN_HOST_PARTS_H

#include "analysis/extension_model.h"
#include "analysis/lua_sandbox.h"
#include "analysis/pattern_host.h"
#include "base/arena.h"
#include "perf/cost.h"

enum {
    HOST_FILES = 64,
    HOST_PATTERNS = 1024,
    HOST_MODELS = 1024,
    HOST_CATEGORIES = 1024
};
enum { CATEGORY_ANY = -1 };
enum pattern_scope { SCOPE_ROW, SCOPE_CATEGORY, SCOPE_ADVICE };

struct host_file {
    struct lua_sandbox box;
    bool user, failed;
    uint64_t text_hash;
};

struct host_pattern {
    struct host_file *file;
    struct str id, summary, error;
    int category; /* enum work_category, or CATEGORY_ANY */
    enum pattern_scope scope;
    bool informational, bottleneck_only, failed;
    int table; /* reference of what was declared */
    int64_t hits;
};

struct host_model {
    struct perf_model base; /* first: perf/ hands it back */
    struct pattern_host *host;
    struct host_file *file;
    struct str op; /* a name, or a Lua pattern for names */
    bool is_pattern, failed;
    int when, cost; /* references; LUA_NOREF */
    int64_t calls;  /* different ones that it gave figures for */
};

struct host_category {
    struct host_file *file;
    struct str op;
    bool is_pattern;
    enum work_category category;
    const struct host_model *model; /* that came with it; NULL: none */
};

struct host_warning {
    struct str source, text;
};

struct pattern_host {
    struct arena *perm;
    struct host_file *files[HOST_FILES];
    struct host_pattern *patterns[HOST_PATTERNS];
    struct host_model *models[HOST_MODELS];
    struct host_category *categories[HOST_CATEGORIES];
    int n_files, n_patterns, n_models, n_categories;
    struct host_warning *warnings;
    int n_warnings, cap_warnings, n_told;
    struct cost_override override;
};

void host_warn(struct pattern_host *h, struct str source, struct str text);

/* Is `op` the name, or does the Lua pattern match it? Within the limits of the file. */
bool host_op_matches(struct host_file *f, struct str op, bool is_pattern,
                     struct str name);

/* ---- inside a call ------------------------------------------------------------------
 */

struct host_file *host_file_of(lua_State *L);
struct pattern_host *host_of(lua_State *L);

/* Make pattern, model and category globals of the file being opened. */
void declare_open(lua_State *L);

/* Functions for calls, and metatables for rows, categories and the trace. */
void model_open(lua_State *L);
struct str model_functions(void); /* the part that is Lua */
void value_open(lua_State *L);

void value_push_row(lua_State *L, const struct work_row *row);
void value_push_category(lua_State *L, const struct category_result *c);
void value_set_analysis(lua_State *L, const struct analysis *a); /* until the next */
const struct work_row *value_to_row(lua_State *L, int index);    /* NULL: none */

/* Push a field of a row; false and nothing pushed if rows have no such field. */
bool value_push_row_field(lua_State *L, const struct work_row *row, const char *key);

/* JSON as nested lists; an empty list for what is none. */
void value_push_json_tree(lua_State *L, const struct cJSON *v);

/* The text of a field of the pattern table at `pattern` (a text or a function), filled
 * from the values at `values` (a table or nil), then from `row` (NULL: none). */
struct str text_of_field(lua_State *L, struct arena *perm, int pattern,
                         const char *field, int values, const struct work_row *row);

#endif
