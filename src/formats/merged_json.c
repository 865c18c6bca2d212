#include "formats/merged_json.h"

#include "base/arena.h"
#include "base/name_pool.h"
#include "trace/event_read.h"
#include "trace/json_value.h"
#include "trace/kineto_collective.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MOST = 4096, RANK_LAST = 1 << 30 };

struct merged {
    struct event_source all; /* the events of all ranks */
    const char *path;
    struct name_pool ranks; /* as the file calls them, in its order */
    name_id wanted;
    bool is_fused;
};

__attribute__((hot)) bool labelled_json_is(struct str head)
{
    return json_events_is(head) &&
           (str_has(head, S("\"pid\": \"[")) || str_has(head, S("\"pid\":\"[")));
}

__attribute__((hot)) bool fused_json_is(struct str head)
{
    return json_events_is(head) && str_has(head, S("\"pid_raw\""));
}

/* Bytes of "[TP00-DP01] ", which is the rank's; 0: it is another text. */
static ptrdiff_t label_bytes(struct str pid)
{
    ptrdiff_t close = str_starts(pid, S("[")) ? str_find(pid, S("] ")) : -1;
    return close < 0 ? 0 : close + 2;
}

/* The rank that an event is of, and its process as that rank had it; -1: of none. */
static name_id rank_of(struct merged *m, struct event *ev)
{
    char digits[32];
    if (m->is_fused) {
        int64_t rank = json_fused_rank(m->all.state, ev);
        if (rank < 0 || rank > RANK_LAST)
            return -1;
        int n = snprintf(digits, sizeof digits, "%lld", (long long)rank);
        return pool_add(&m->ranks, (struct str){digits, n});
    }
    ptrdiff_t n = label_bytes(ev->pid);
    struct str label = str_head(ev->pid, n);
    ev->pid = str_skip(ev->pid, n);
    return n ? pool_add(&m->ranks, label) : -1;
}

static bool refuse_rank(const struct merged *m, struct err *e)
{
    return err_set(e, ERR_INPUT, m->path, -1,
                   "holds the traces of %d %s: name one as FILE:rank=0 to FILE:rank=%d",
                   m->ranks.n, m->ranks.n == 1 ? "rank" : "ranks", m->ranks.n - 1);
}

static struct event *merged_next(void *state, struct err *e)
{
    struct merged *m = state;
    struct event *ev;
    while ((ev = m->all.next(m->all.state, e))) {
        name_id rank = rank_of(m, ev);
        if (rank >= 0 && rank == m->wanted)
            return ev;
        if (m->ranks.n > RANKS_MOST) {
            err_set(e, ERR_INPUT, m->path, -1,
                    "more than %d ranks in one file, which is the limit", RANKS_MOST);
            return NULL;
        }
    }
    if (e->kind == ERR_NONE && m->wanted >= m->ranks.n)
        refuse_rank(m, e);
    return NULL;
}

static struct source_progress merged_progress(void *state)
{
    struct merged *m = state;
    return m->all.progress(m->all.state);
}

/* "TP00-DP01", or "rank 8". */
static struct str rank_name(const struct merged *m, struct arena *perm)
{
    if (m->wanted >= m->ranks.n) /* refused */
        return S("");
    struct str name = pool_text(&m->ranks, m->wanted);
    return m->is_fused
               ? str_printf(perm, "rank %.*s", STRF(name))
               : str_copy(perm, (struct str){name.p + 1, label_bytes(name) - 3});
}

/* What is beside the events is the first rank's, as both tools have it. */
static struct source_end merged_end(void *state, struct arena *perm)
{
    struct merged *m = state;
    struct source_end end = m->all.end(m->all.state, perm);
    int64_t rank = m->wanted;
    if (m->is_fused && m->wanted < m->ranks.n)
        str_int(pool_text(&m->ranks, m->wanted), &rank);
    end.machine.n_parts = m->ranks.n;
    end.machine.part = rank_name(m, perm);
    end.machine.rank = (int)rank;
    if (end.machine.world_size < m->ranks.n)
        end.machine.world_size = m->ranks.n;
    return end;
}

static void merged_close(void *state)
{
    struct merged *m = state;
    m->all.close(m->all.state);
    pool_close(&m->ranks);
    free(m);
}

/* "rank=1", or NULL for the first. */
static bool choose(struct merged *m, const char *part, struct err *e)
{
    struct str text = str_of(part ? part : "rank=0"), mark = S("rank=");
    int64_t n;
    if (!str_starts(text, mark) || !str_int(str_skip(text, mark.n), &n) || n < 0 ||
        n >= RANKS_MOST)
        return err_set(e, ERR_INPUT, m->path, -1,
                       "holds the traces of several ranks: name one as FILE:rank=0, "
                       "FILE:rank=1 and so on");
    m->wanted = (name_id)n;
    return true;
}

/* Takes what is open already. */
static bool open_merged(struct event_source *events, const struct event_source *all,
                        const char *path, const char *part, bool is_fused,
                        struct err *e)
{
    struct merged *m = calloc(1, sizeof *m);
    if (!m)
        arena_full();
    *m = (struct merged){.all = *all, .path = path, .is_fused = is_fused};
    pool_open(&m->ranks);
    if (!choose(m, part, e)) {
        merged_close(m);
        return false;
    }
    *events = (struct event_source){
        m,          merged_next,  json_value,       merged_progress,
        merged_end, merged_close, &torch_abilities, kineto_collective};
    return true;
}

bool labelled_json_open(struct event_source *events, const char *path,
                        struct source_options o, struct err *e)
{
    struct event_source all;
    return json_events_open(&all, path, o, e) &&
           open_merged(events, &all, path, o.part, false, e);
}

bool fused_json_open(struct event_source *events, const char *path,
                     struct source_options o, struct err *e)
{
    struct event_source all;
    return json_fused_open(&all, path, o, e) &&
           open_merged(events, &all, path, o.part, true, e);
}
