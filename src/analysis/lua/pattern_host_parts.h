/* pattern_host_parts.h - internals shared by the files of the pattern host.
 *
 *   extension_declare   pattern {}, model {}, category {} of a file
 *   extension_model     models: calls to figures
 *   pattern_value       rows, categories and the trace as Lua sees them
 *   pattern_text        texts with {placeholders}
 *   pattern_host        asking patterns */
#ifndef ANALYSIS_LUA_PATTERN_HOST_PARTS_H
#define ANALYSIS_LUA_PATTERN_HOST_PARTS_H

#include "analysis/lua/lua_sandbox.h"
#include "analysis/model/finding.h"
#include "base/arena.h"
#include "ops/op_cost.h"
#include "perf/cost.h"

enum {
    HOST_FILES = 64,
    HOST_PATTERNS = 1024,
    HOST_MODELS = 1024,
    HOST_CATEGORIES = 1024
};
enum { CATEGORY_ANY = -1 };
enum pattern_scope { SCOPE_ROW, SCOPE_CATEGORY, SCOPE_ADVICE, SCOPE_GROUP };

struct group_facts { /* of a group of idle time */
    const struct work_fact *facts;
    int n;
};

struct host_file {
    struct lua_sandbox box; /* first: see host_file_of */
    struct pattern_host *host;
    bool user, failed;
    uint64_t text_hash;
};

struct host_pattern {
    struct host_file *file;
    struct str id, summary, error;
    struct str about;   /* of advice: the subject it is asked for by */
    struct str counter; /* what in a trace contradicts it; empty: nothing */
    int category;       /* enum work_category, or CATEGORY_ANY */
    enum pattern_scope scope;
    bool informational, recording, bottleneck_only, failed;
    int table; /* reference of what was declared */
    int64_t hits;
};

struct host_model {
    struct perf_model base; /* first: perf/ hands it back */
    struct host_file *file;
    struct str op; /* a name, or a Lua pattern for names */
    bool is_pattern, failed;
    int when, cost; /* references; LUA_NOREF */
    int64_t calls;  /* distinct calls it gave figures for */
};

struct host_category {
    struct host_file *file;
    struct str op;
    bool is_pattern;
    enum work_category category;
    const struct host_model *model; /* that came with it; NULL: none */
};

struct pattern_host {
    struct arena *perm;
    struct host_file room; /* no file: the libraries of the built-in ones */
    struct host_file *files[HOST_FILES];
    struct host_pattern *patterns[HOST_PATTERNS];
    struct host_model *models[HOST_MODELS];
    struct host_category *categories[HOST_CATEGORIES];
    int n_files, n_patterns, n_models, n_categories;
    struct warning *warnings;
    int n_warnings, n_told;
    struct cost_override override;
};

/* Part of the file failed. `source`: a category, or empty for the file itself. */
void host_warn(struct host_file *f, struct str source, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether `op` equals the name or matches the Lua pattern, within the file's limits. */
bool host_op_matches(struct host_file *f, struct str op, bool is_pattern,
                     struct str name);

/* The file that is running. */
struct host_file *host_file_of(lua_State *L);

/* The text at an index, valid while it stays on the stack; an error if not a string. */
struct str host_text(lua_State *L, int index);
void host_push_text(lua_State *L, struct str s);

/* Push a field of the table at `index`, or nil if that is not a table. An error if the
 * field is neither nil nor of the type; true if it is not nil. */
bool host_get(lua_State *L, int index, const char *key, int type, const char *must_be);
double host_get_figure(lua_State *L, int index, const char *key); /* >= 0; nil: NaN */

/* Define pattern, model, category and the functions for models as globals of the file
 * being opened, and the metatables of rows, categories and the trace. */
void declare_open(lua_State *L);
void model_open(lua_State *L);
struct str model_functions(void); /* the part that is Lua */
void value_open(lua_State *L);

void value_push_row(lua_State *L, const struct work_row *row);
void value_push_category(lua_State *L, const struct category_result *c);
void value_push_trace(lua_State *L); /* of the analysis that is set */
void value_push_group(lua_State *L, const struct group_facts *g);
void value_set_analysis(lua_State *L, const struct analysis *a); /* until the next */
const struct work_row *value_to_row(lua_State *L, int index);    /* NULL: none */

/* Push a field of a row; false, pushing nothing, if rows have no such field. */
bool value_push_row_field(lua_State *L, const struct work_row *row, const char *key);

/* The same of a group. */
bool value_push_group_field(lua_State *L, const struct group_facts *g, const char *key);

/* A recorded argument as nested lists; an empty list if it is not a list. */
void value_push_recorded(lua_State *L, const struct value *v);

struct text_source {                 /* where placeholders come from, in this order */
    int values;                      /* index of a table or nil */
    const struct work_row *row;      /* NULL: none */
    const struct group_facts *group; /* NULL: none */
};

/* The text of a field of the pattern table at `pattern`, a text or a function. */
struct str text_of_field(lua_State *L, struct arena *perm, int pattern,
                         const char *field, struct text_source from);

#endif
