#include "job/topology.h"

#include "base/name_pool.h"
#include "base/sort.h"

enum { RANK_MAX = 1 << 20 };

static bool wrong(struct err *e, const char *path, int line, const char *what)
{
    return err_set(e, ERR_INPUT, path, -1, "line %d: %s", line, what);
}

/* Which columns count: their places; -1: missing. */
struct columns {
    int rank, host;
};

static struct columns columns_of(struct str line)
{
    struct columns c = {-1, -1};
    for (int i = 0; line.n; i++) {
        struct str name = str_trim(str_take(&line, S(",")));
        if (str_eq_nocase(name, S("rank")))
            c.rank = i;
        else if (str_eq_nocase(name, S("host")) ||
                 (c.host < 0 && str_eq_nocase(name, S("node"))))
            c.host = i;
    }
    return c;
}

static bool read_place(struct str line, const struct columns *c, struct job_place *p)
{
    int64_t rank = -1;
    *p = (struct job_place){.rank = -1};
    for (int i = 0; line.n; i++) {
        struct str cell = str_trim(str_take(&line, S(",")));
        if (i == c->rank && str_int(cell, &rank) && rank >= 0 && rank < RANK_MAX)
            p->rank = (int32_t)rank;
        if (i == c->host)
            p->host = cell;
    }
    return p->rank >= 0 && p->host.n > 0;
}

/* By rank, each once, with the numbers of their nodes. */
static bool order(struct arena *perm, struct arena tmp, struct job_topology *t,
                  const char *path, struct err *e)
{
    struct sort_row *rows = arena_new(&tmp, struct sort_row, t->n);
    struct job_place *sorted = arena_new(perm, struct job_place, t->n);
    struct name_pool hosts;
    for (int i = 0; i < t->n; i++)
        rows[i] = (struct sort_row){t->places[i].rank, i};
    sort_rows(tmp, rows, t->n);
    pool_open(&hosts);
    for (int i = 0; i < t->n; i++) {
        sorted[i] = t->places[rows[i].row];
        sorted[i].node = pool_add(&hosts, sorted[i].host);
        t->n_nodes = sorted[i].node >= t->n_nodes ? sorted[i].node + 1 : t->n_nodes;
    }
    pool_close(&hosts);
    t->places = sorted;
    for (int i = 1; i < t->n; i++)
        if (sorted[i].rank == sorted[i - 1].rank)
            return err_set(e, ERR_INPUT, path, -1, "rank %d is in it twice",
                           sorted[i].rank);
    return true;
}

bool topology_read(struct arena *perm, struct arena tmp, struct str text,
                   const char *path, struct job_topology *t, struct err *e)
{
    struct columns c = {-1, -1};
    *t = (struct job_topology){0};
    for (int line = 1; text.n; line++) {
        struct str row = str_trim(str_take(&text, S("\n")));
        struct job_place place;
        if (!row.n || row.p[0] == '#')
            continue;
        if (c.rank < 0) {
            c = columns_of(row);
            if (c.rank < 0 || c.host < 0)
                return wrong(e, path, line, "expected columns rank and host");
            continue;
        }
        if (!read_place(row, &c, &place))
            return wrong(e, path, line, "expected a rank and its host");
        arena_grow(perm, t->places, t->n);
        t->places[t->n++] = place;
    }
    return t->n ? order(perm, tmp, t, path, e)
                : err_set(e, ERR_INPUT, path, -1, "names no rank");
}

const struct job_place *topology_place(const struct job_topology *t, int32_t rank)
{
    int low = 0, high = t->n;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (t->places[mid].rank < rank)
            low = mid + 1;
        else
            high = mid;
    }
    return low < t->n && t->places[low].rank == rank ? &t->places[low] : NULL;
}
