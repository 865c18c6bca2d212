#include "analysis/system_parts.h"

#include "base/out.h"
#include "base/utf8.h"

#include <string.h>

/* ---- words
 * --------------------------------------------------------------------------- */

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

struct str idle_cause_word(enum idle_cause c)
{
    static const struct str words[IDLE_CAUSES] = {
        [IDLE_SYNC] = S_INIT("the host waited for the device"),
        [IDLE_COPY] = S_INIT("the host waited for a memory copy"),
        [IDLE_HOST] = S_INIT("nothing was queued"),
        [IDLE_CALL] = S_INIT("a slow launch call"),
        [IDLE_DEVICE] = S_INIT("queued, but started late"),
        [IDLE_UNKNOWN] = S_INIT("not determinable")};
    return words[c];
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

enum priority severity_priority(enum severity s)
{
    switch (s) {
    case SEVERITY_CRITICAL:
        return PRIORITY_CRITICAL;
    case SEVERITY_HIGH:
        return PRIORITY_HIGH;
    case SEVERITY_MEDIUM:
        return PRIORITY_MEDIUM;
    default:
        return PRIORITY_LOW;
    }
}

struct str quoted_name(struct arena *a, struct str name, int width)
{
    struct out o;
    out_memory(&o);
    out_char(&o, '`');
    while (name.n) {
        int32_t code = utf8_next(&name);
        if (out_view(&o).n > width - 3 && name.n) {
            out_lit(&o, "...");
            break;
        }
        bool odd = code < 0x20 || code == '`' || (code >= 0x7f && code < 0xa0);
        if (code == UTF8_BROKEN)
            code = UTF8_REPLACEMENT;
        utf8_write(&o, odd && code != UTF8_REPLACEMENT ? ' ' : (uint32_t)code);
    }
    out_char(&o, '`');
    return out_text(&o, a);
}

/* ---- figures
 * ------------------------------------------------------------------------- */

static char id_letter(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c + 32);
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ? c : '_';
}

struct str system_finding_id(struct arena *a, enum work_category c, const char *pattern,
                             struct str op)
{
    struct str name = str_head(op, 60);
    char *p = arena_copy(a, name.p, name.n);
    for (ptrdiff_t k = 0; k < name.n; k++)
        p[k] = id_letter(p[k]);
    struct str clean = {p, name.n};
    char *kind = str_c(a, str_of(pattern));
    for (char *k = kind; *k; k++)
        *k = id_letter(*k);
    return str_printf(a, "%.*s.%s.%.*s.none", STRF(work_category_name(c)), kind,
                      STRF(clean));
}

int64_t profiler_steps(const struct event_store *s)
{
    int64_t n = 0;
    for (event_id i = 0; i < s->n; i++)
        n += s->cat[i] == CAT_ANNOTATION &&
             str_starts(store_name(s, i), S("ProfilerStep#"));
    return n;
}

struct impact_range impact_of_ms(const struct analysis *a, double low_ms,
                                 double high_ms, struct str basis)
{
    double per_ms = a->total_ms > 0 ? 100 / a->total_ms : 0;
    return (struct impact_range){low_ms * per_ms, high_ms * per_ms, low_ms, high_ms,
                                 basis};
}

/* ---- lists
 * --------------------------------------------------------------------------- */

/* Lists of a dozen entries: each grows by a copy, in powers of two. */
static void *with_room(struct arena *perm, void *old, ptrdiff_t size, int n)
{
    if (n & (n - 1) || n == 1)
        return old;
    char *p = arena_take(perm, size, 16, n ? 2 * (ptrdiff_t)n : 2);
    if (n)
        memcpy(p, old, (size_t)(n * size));
    return p;
}

void add_pattern(struct arena *perm, struct system_pattern **list, int *n,
                 struct system_pattern p)
{
    *list = with_room(perm, *list, sizeof **list, *n);
    (*list)[(*n)++] = p;
}

void add_evidence(struct arena *perm, struct finding *f, struct str sentence)
{
    f->evidence = with_room(perm, f->evidence, sizeof *f->evidence, f->n_evidence);
    f->evidence[f->n_evidence++] = sentence;
}

/* ---- shares
 * -------------------------------------------------------------------------- */

struct share_table share_table_make(struct arena *a, const struct event_store *s)
{
    struct share_table t = {0};
    t.rows = arena_take_raw(a, sizeof *t.rows, 8, s->names.n);
    t.row_of = int_map_make(a, 64);
    return t;
}

void share_add(struct arena *a, struct share_table *t, const struct event_store *s,
               event_id named, double us)
{
    int32_t *at = int_map_at(&t->row_of, a, s->name[named]);
    if (*at < 0) {
        *at = t->n;
        t->rows[t->n++] = (struct share_row){named, 0, 0};
    }
    t->rows[*at].count++;
    t->rows[*at].total_us += us;
}

static bool comes_first(const struct event_store *s, const struct share_row *a,
                        const struct share_row *b)
{
    if (a->total_us != b->total_us)
        return a->total_us > b->total_us;
    return str_cmp(store_name(s, a->example), store_name(s, b->example)) < 0;
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
        to[n] =
            (struct op_share){store_name(s, r->example),
                              tree_launcher_path(x, r->example), r->count, r->total_us};
    }
    return n;
}
