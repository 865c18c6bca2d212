#include "analysis/system/system_parts.h"

#include "analysis/model/number_text.h"
#include "base/duration.h"

#include <math.h>

struct str severity_word(enum severity s)
{
    static const struct str words[] = {[SEVERITY_NONE] = S_INIT("NONE"),
                                       [SEVERITY_LOW] = S_INIT("LOW"),
                                       [SEVERITY_MEDIUM] = S_INIT("MEDIUM"),
                                       [SEVERITY_HIGH] = S_INIT("HIGH"),
                                       [SEVERITY_CRITICAL] = S_INIT("CRITICAL"),
                                       [SEVERITY_UNKNOWN] = S_INIT("UNKNOWN")};
    return words[s];
}

struct str severity_or(enum severity s, struct str none)
{
    return s == SEVERITY_NONE ? none : severity_word(s);
}

const struct idle_result *idle_that_decides(const struct system_results *r)
{
    return r->n_devices ? &r->devices[r->decides].idle : &r->idle;
}

double idle_result_ms(const struct idle_result *r)
{
    int64_t ns = 0;
    for (int c = 0; c < IDLE_CLASSES; c++)
        ns += r->class_ns[c];
    return ms_of(ns);
}

struct str idle_severity_word(const struct idle_result *r)
{
    return severity_or(r->severity, S("ACCEPTABLE"));
}

struct str idle_class_word(enum idle_class c)
{
    static const struct str words[IDLE_CLASSES] = {
#define X(id, word, label) S_INIT(word),
        IDLE_CLASSES_LIST(X)
#undef X
    };
    return words[c];
}

struct str idle_class_label(enum idle_class c)
{
    static const struct str labels[IDLE_CLASSES] = {
#define X(id, word, label) S_INIT(label),
        IDLE_CLASSES_LIST(X)
#undef X
    };
    return labels[c];
}

struct str blocking_severity_word(const struct multi_kernel_result *r)
{
    return severity_or(r->blocking_severity,
                       r->comm_count > 0 ? S("ACCEPTABLE") : S("NONE"));
}

struct str overlap_severity_word(const struct multi_kernel_result *r)
{
    bool some = r->comm_count > 0 && isfinite(r->comm_overlap_frac);
    return severity_or(r->overlap_severity, some ? S("GOOD") : S("NONE"));
}

double copy_total_pct(const struct copy_result *c, double total_ms)
{
    return total_ms > 0 ? c->total_us / 10 / total_ms : 0;
}

struct str copy_direction_word(enum copy_direction d)
{
    static const struct str words[COPY_DIRECTIONS] = {[COPY_D2H] = S_INIT("D2H"),
                                                      [COPY_H2D] = S_INIT("H2D"),
                                                      [COPY_D2D] = S_INIT("D2D"),
                                                      [COPY_OTHER] = S_INIT("other")};
    return words[d];
}

struct str copy_size_word(int size)
{
    static const struct str words[COPY_SIZES] = {
        S_INIT("below 4 KiB"), S_INIT("4 KiB to 64 KiB"), S_INIT("64 KiB to 1 MiB"),
        S_INIT("1 MiB to 16 MiB"), S_INIT("16 MiB and more")};
    return words[size];
}

enum severity severity_above(double value, const double bounds[4])
{
    static const enum severity level[] = {SEVERITY_CRITICAL, SEVERITY_HIGH,
                                          SEVERITY_MEDIUM, SEVERITY_LOW};
    for (int k = 0; k < 4; k++)
        if (value > bounds[k])
            return level[k];
    return SEVERITY_NONE;
}

enum severity idle_severity(double idle_pct)
{
    static const double bounds[4] = {70, 50, 30, 20};
    return severity_above(idle_pct, bounds);
}

struct finding *add_system_finding(struct arena *perm, struct analysis *a,
                                   enum work_category c, struct str pattern,
                                   struct str op, double time_ms)
{
    struct finding *f = analysis_add_finding(perm, a);
    bool fusion = c == WORK_KERNEL_FUSION;
    f->tier = fusion ? TIER_FUSION : TIER_SYSTEM;
    f->kind = fusion ? FIND_FUSION : FIND_SYSTEM;
    f->category = c;
    f->pattern = pattern;
    f->op = op;
    f->id = finding_id(perm, f);
    f->time_ms = time_ms;
    f->total_pct = pct_of(time_ms, a->total_ms);
    return f;
}

struct str called_from(struct arena *perm, const struct op_share *op)
{
    return op->caller.n ? say(perm, ", called from {}", said_name(op->caller, 80))
                        : S("");
}

void add_pattern(struct arena *perm, struct system_pattern **list, int *n,
                 struct system_pattern p)
{
    arena_grow(perm, *list, *n);
    (*list)[(*n)++] = p;
}

struct share_table share_table_make(struct arena *a, const struct tree_index *callers)
{
    struct share_table t = {.callers = callers};
    t.row_of = int_map_make(a, 64);
    return t;
}

void share_add(struct arena *a, struct share_table *t, const struct event_store *s,
               event_id named, double us)
{
    name_id caller =
        t->callers ? pool_find(&s->names, tree_launcher_path(t->callers, named)) : -1;
    int32_t *at =
        int_map_at(&t->row_of, a, (int64_t)(caller + 1) << 32 | s->name[named]);
    if (*at < 0) {
        *at = t->n;
        arena_grow(a, t->rows, t->n);
        t->rows[t->n++] = (struct share_row){.example = named, .last = -1};
    }
    if (us > t->rows[*at].longest_us) {
        t->rows[*at].longest_us = us;
        t->rows[*at].example = named;
    }
    t->rows[*at].calls += t->rows[*at].last != named;
    t->rows[*at].last = named;
    t->rows[*at].count++;
    t->rows[*at].total_us += us;
}

static bool comes_first(const struct event_store *s, const struct share_row *a,
                        const struct share_row *b)
{
    if (a->total_us != b->total_us)
        return a->total_us > b->total_us;
    int c = str_cmp(store_name(s, a->example), store_name(s, b->example));
    return c ? c < 0 : a->example < b->example;
}

int share_largest(struct share_table *t, const struct tree_index *x,
                  struct op_share *to, int max)
{
    const struct event_store *s = x->v->s;
    int n = 0;
    for (; n < max && n < t->n; n++) {
        for (int32_t k = n + 1; k < t->n; k++)
            if (comes_first(s, &t->rows[k], &t->rows[n])) {
                struct share_row swap = t->rows[n];
                t->rows[n] = t->rows[k];
                t->rows[k] = swap;
            }
        const struct share_row *r = &t->rows[n];
        to[n] = (struct op_share){store_name(s, r->example),
                                  tree_launcher_path(x, r->example),
                                  r->count,
                                  r->total_us,
                                  tree_user_path(x, r->example),
                                  r->calls};
    }
    return n;
}
