#include "job/job_make.h"

#include "base/int_map.h"
#include "base/name_pool.h"
#include "base/sort.h"
#include "capture/capture_fit.h"
#include "capture/capture_names.h"
#include "job/job_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ranks and their tables by number; of two captures of one rank, the one with the
 * smaller digest first. */
struct ranked {
    struct job_rank rank;
    struct rank_tables tables;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->rank.rank != y->rank.rank)
        return x->rank.rank < y->rank.rank ? -1 : 1;
    int order = str_cmp(x->rank.sha256, y->rank.sha256);
    order = order ? order : str_cmp(x->rank.file, y->rank.file);
    return order ? order : strcmp(x->tables.path, y->tables.path);
}

/* Of two jobs, or two traces of one rank: nothing can be said of them together. The
 * same trace again is left out. */
static bool fit_together(const struct ranked *a, const struct ranked *b, struct err *e)
{
    int x = a->tables.world, y = b->tables.world;
    if (x > 0 && y > 0 && x != y)
        return err_set(e, ERR_INPUT, b->tables.path, -1,
                       "of a job of %d ranks, and %.100s of one of %d; give the traces "
                       "of one job",
                       y, a->tables.path, x);
    return a->rank.rank != b->rank.rank ||
           (a->rank.sha256.n && str_eq(a->rank.sha256, b->rank.sha256)) ||
           err_set(e, ERR_INPUT, b->tables.path, -1,
                   "of rank %d, and so is %.100s; give one trace of a rank",
                   b->rank.rank, a->tables.path);
}

static bool sort_ranks(struct arena tmp, struct job_builder *b, struct job *j,
                       struct err *e)
{
    struct ranked *all = arena_new(&tmp, struct ranked, b->n);
    for (int i = 0; i < b->n; i++)
        all[i] = (struct ranked){b->ranks[i], b->tables[i]};
    qsort(all, (size_t)b->n, sizeof *all, by_rank);
    const struct ranked *told = &all[0]; /* the last that tells the size of its job */
    for (int i = 1; i < b->n; i++) {
        if (!fit_together(told, &all[i], e))
            return false;
        told = all[i].tables.world > 0 ? &all[i] : told;
    }
    for (int i = 1; i < b->n; i++)
        if (!fit_together(&all[i - 1], &all[i], e))
            return false;
    for (int i = 0; i < b->n; i++) {
        if (j->n_ranks && j->ranks[j->n_ranks - 1].rank == all[i].rank.rank) {
            j->n_duplicates++;
            continue;
        }
        j->ranks[j->n_ranks] = all[i].rank;
        b->tables[j->n_ranks++] = all[i].tables;
    }
    return true;
}

/* Groups of the job, by name and ranks. */
struct tables {
    struct arena *perm;
    struct job *j;
    struct int_map group_of; /* by key */
    struct name_pool signatures;
};

static int32_t group_place(struct tables *t, const struct capture_group *g)
{
    struct job *j = t->j;
    int32_t *at = int_map_at(&t->group_of, t->perm, (int64_t)g->key);
    if (*at < 0) {
        *at = j->n_groups;
        arena_grow(t->perm, j->groups, j->n_groups);
        j->groups[j->n_groups++] = (struct job_group){.name = g->name,
                                                      .description = g->description,
                                                      .key = g->key,
                                                      .ranks = g->ranks,
                                                      .n_ranks = g->n_ranks,
                                                      .size = g->size,
                                                      .slow_ratio = (double)NAN};
    }
    return *at;
}

static int64_t bytes_of(const struct capture_signature *s, enum collective_kind kind)
{
    int64_t size = collective_element_bytes(s->dtype), n = s->in_elements;
    if (kind == COLLECTIVE_ALL_GATHER || kind == COLLECTIVE_RECV || n < 0)
        n = s->out_elements >= 0 ? s->out_elements : n;
    return n < 0 || !size || n > INT64_MAX / 64 ? -1 : n * size;
}

/* Ranks of one all-to-all-v or an uneven gather have sizes of their own. */
static int32_t signature_place(struct tables *t, const struct capture_signature *s,
                               int32_t group)
{
    struct job *j = t->j;
    struct str key =
        str_printf(t->perm, "%d %lld %lld %d %d\1%.*s\1%.*s\1%.*s\1%.*s\1%.*s", group,
                   (long long)s->in_elements, (long long)s->out_elements, s->root,
                   s->custom, STRF(s->kind), STRF(s->name), STRF(s->dtype),
                   STRF(s->in_split), STRF(s->out_split));
    name_id id = pool_add(&t->signatures, key);
    if (id < j->n_signatures)
        return id;
    enum collective_kind kind = collective_of_word(s->kind);
    arena_grow(t->perm, j->signatures, j->n_signatures);
    j->signatures[j->n_signatures++] =
        (struct job_signature){.kind = kind,
                               .dtype = s->dtype,
                               .name = s->name,
                               .in_split = s->in_split,
                               .out_split = s->out_split,
                               .group = group,
                               .root = s->root,
                               .in_elements = s->in_elements,
                               .out_elements = s->out_elements,
                               .bytes = bytes_of(s, kind),
                               .kind_source = s->kind_source,
                               .size_source = s->size_source,
                               .custom = s->custom};
    return id;
}

/* Rows of every rank name signatures of the job. */
static void join_tables(struct arena *perm, struct arena tmp, struct job_builder *b,
                        struct job *j)
{
    struct tables t = {.perm = perm, .j = j, .group_of = int_map_make(perm, 64)};
    pool_open(&t.signatures);
    for (int i = 0; i < j->n_ranks; i++) {
        struct arena scratch = tmp;
        const struct rank_tables *own = &b->tables[i];
        int32_t *of = arena_new(&scratch, int32_t, own->n_signatures);
        for (int32_t k = 0; k < own->n_signatures; k++) {
            const struct capture_signature *s = &own->signatures[k];
            static const struct capture_group none;
            int32_t g = group_place(&t, s->group < 0 ? &none : &own->groups[s->group]);
            of[k] = signature_place(&t, s, g);
        }
        for (int32_t k = 0; k < j->ranks[i].n_rows; k++)
            j->ranks[i].rows[k].signature = of[j->ranks[i].rows[k].signature];
    }
    pool_close(&t.signatures);
}

static void count_present(struct arena tmp, struct job *j)
{
    int *last = arena_new(&tmp, int, j->n_groups);
    for (int g = 0; g < j->n_groups; g++)
        j->groups[g].n_members = j->groups[g].n_present = 0;
    for (int i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        for (int32_t k = 0; k < r->n_rows; k++) {
            int32_t g = j->signatures[r->rows[k].signature].group;
            j->groups[g].n_members++;
            if (last[g] != i + 1)
                j->groups[g].n_present++;
            last[g] = i + 1;
        }
    }
    for (int g = 0; g < j->n_groups; g++)
        if (!j->groups[g].size)
            j->groups[g].size = j->groups[g].n_present;
}

static void find_missing(struct arena *perm, const struct job_builder *b, struct job *j)
{
    j->world = -1;
    for (int i = 0; i < j->n_ranks; i++)
        if (b->tables[i].world > j->world)
            j->world = b->tables[i].world;
    int most = 0;
    for (int g = 0; g < j->n_groups; g++)
        most = j->groups[g].size > most ? j->groups[g].size : most;
    j->n_expected = j->options.n_expected ? j->options.n_expected
                    : j->world > 0        ? j->world
                                          : most;
    if (j->n_expected < j->n_ranks)
        j->n_expected = j->n_ranks;
    for (int rank = 0, i = 0; rank < j->n_expected && rank < 1 << 20; rank++) {
        while (i < j->n_ranks && j->ranks[i].rank < rank)
            i++;
        if (i < j->n_ranks && j->ranks[i].rank == rank)
            continue;
        arena_grow(perm, j->missing, j->n_missing);
        j->missing[j->n_missing++] = rank;
    }
}

/* Folders are of nodes if some are of several ranks, and none is of more than a node
 * has; a folder for all, or one for each rank, tells nothing. */
static bool folders_tell(struct arena tmp, const struct job_builder *b,
                         const struct job *j)
{
    struct name_pool names;
    int *n = arena_new(&tmp, int, j->n_ranks), most = 0, devices = 0;
    bool named = true;
    pool_open(&names);
    for (int i = 0; named && i < j->n_ranks; i++) {
        named = b->tables[i].folder.n > 0;
        int own = ++n[pool_add(&names, b->tables[i].folder)];
        most = own > most ? own : most;
        devices = b->tables[i].n_devices > devices ? b->tables[i].n_devices : devices;
    }
    named &= names.n > 1 && most > 1 && (!devices || most <= devices);
    pool_close(&names);
    return named;
}

/* By host where all captures name one, else by the folders of the traces, else by the
 * number of devices. */
static void number_nodes(struct arena tmp, const struct job_builder *b, struct job *j)
{
    bool named = j->n_ranks > 0;
    int devices = j->options.gpus_per_node;
    bool folders = !devices && folders_tell(tmp, b, j);
    for (int i = 0; i < j->n_ranks; i++)
        folders &= !j->ranks[i].host.n;
    for (int i = 0; folders && i < j->n_ranks; i++)
        j->ranks[i].host = b->tables[i].folder;
    for (int i = 0; i < j->n_ranks; i++) {
        named &= j->ranks[i].host.n > 0;
        if (!devices)
            devices = b->tables[i].n_devices;
    }
    j->gpus_per_node = devices;
    struct name_pool hosts;
    pool_open(&hosts);
    for (int i = 0; i < j->n_ranks; i++) {
        struct job_rank *r = &j->ranks[i];
        r->node = named && !j->options.gpus_per_node ? pool_add(&hosts, r->host)
                  : devices > 0                      ? r->rank / devices
                                                     : 0;
        j->n_nodes = r->node >= j->n_nodes ? r->node + 1 : j->n_nodes;
    }
    pool_close(&hosts);
}

/* As the table of the user has them. */
static bool place_nodes(struct job *j, struct err *e)
{
    const struct job_topology *t = &j->options.topology;
    for (int i = 0; i < j->n_ranks; i++) {
        const struct job_place *p = topology_place(t, j->ranks[i].rank);
        if (!p)
            return err_set(e, ERR_INPUT, NULL, -1,
                           "--topology has no line for rank %d, of which there is a "
                           "trace",
                           j->ranks[i].rank);
        j->ranks[i].node = p->node;
        j->ranks[i].host = p->host;
    }
    j->n_nodes = t->n_nodes;
    return true;
}

/* A path to the report of a rank cannot be another: it goes. */
static void redact_file(struct arena *perm, struct job_rank *r, struct str folder)
{
    const struct str hosts[] = {r->host, host_of_path(r->file), folder};
    for (int k = 0; k < 3; k++)
        if (hosts[k].n && str_has(r->page, hosts[k]))
            r->page = S("");
    r->file = file_without_host(perm, r->file, r->host, S("host"));
}

static bool find_nodes(struct arena *perm, const struct job_builder *b, struct job *j,
                       struct err *e)
{
    for (int i = 0; j->options.redact_hosts && i < j->n_ranks; i++)
        redact_file(perm, &j->ranks[i], b->tables[i].folder);
    if (!j->options.topology.n)
        number_nodes(*perm, b, j);
    else if (!place_nodes(j, e))
        return false;
    j->hosts = arena_new(perm, struct str, j->n_nodes);
    for (int i = 0; i < j->n_ranks; i++) {
        struct job_rank *r = &j->ranks[i];
        if (j->options.redact_hosts && r->host.n)
            r->host = str_printf(perm, "node-%04d", r->node + 1);
        j->hosts[r->node] = r->host;
    }
    return true;
}

/* Everything counts from the start of the first rank. A rank whose clock counts from
 * another time begins with the one in the middle. */
static void from_zero(struct arena tmp, struct job *j)
{
    int64_t *starts = arena_new(&tmp, int64_t, j->n_ranks);
    for (int i = 0; i < j->n_ranks; i++)
        starts[i] = j->ranks[i].start_ns;
    int64_t middle_ns = nth_ns(starts, j->n_ranks, (j->n_ranks - 1) / 2);
    int64_t zero_ns = middle_ns;
    for (int i = 0; i < j->n_ranks; i++) {
        struct job_rank *r = &j->ranks[i];
        if (r->start_ns > middle_ns + JOB_APART_MAX_NS ||
            r->start_ns < middle_ns - JOB_APART_MAX_NS) {
            rank_shift(r, -r->start_ns);
            rank_shift(r, middle_ns);
        }
        zero_ns = r->start_ns < zero_ns ? r->start_ns : zero_ns;
    }
    for (int i = 0; i < j->n_ranks; i++)
        rank_shift(&j->ranks[i], -zero_ns);
}

/* Sums over all collectives are whole numbers of 64 bits. */
static bool adds_up(const struct job *j, struct err *e)
{
    double n = 1, most = 0, least = 0;
    for (int i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        n += r->n_rows;
        least = fmin(least, (double)r->start_ns);
        most = fmax(most, (double)r->end_ns);
    }
    return n * (most - least) < (double)CAPTURE_TIME_MAX_NS ||
           err_set(e, ERR_INPUT, NULL, -1,
                   "%.0f collectives over %.0f hours are more than can be added up", n,
                   (most - least) / 3600e9);
}

static int by_time_then_name(const void *a, const void *b)
{
    const struct job_kernel *x = a, *y = b;
    return x->ns != y->ns ? (x->ns < y->ns) - (x->ns > y->ns)
                          : str_cmp(x->name, y->name);
}

/* Captures come in any order, and so do names. */
static void list_kernels(struct job_builder *b, struct job *j)
{
    j->kernels = b->silent;
    j->n_kernels = b->n_silent < JOB_KERNELS_TOLD ? b->n_silent : JOB_KERNELS_TOLD;
    if (b->n_silent)
        qsort(b->silent, (size_t)b->n_silent, sizeof *b->silent, by_time_then_name);
}

static bool has_collectives(struct job_builder *b, struct job *j, struct err *e)
{
    int64_t n = 0;
    for (int i = 0; i < j->n_ranks; i++)
        n += j->ranks[i].n_rows;
    if (n)
        return true;
    list_kernels(b, j);
    return err_set(e, ERR_INPUT, j->ranks[0].file.p ? "the captures" : NULL, -1,
                   "no collective is known among the kernels of %d %s: none has a name "
                   "that a communication library gives; --names tells others",
                   j->n_ranks, str_plural(j->n_ranks, "rank", "ranks"));
}

static bool fits(const struct job_builder *b, struct err *e)
{
    double needed = job_bytes(b->n_pairs);
    return b->max_bytes <= 0 || needed <= b->max_bytes ||
           err_set(
               e, ERR_INPUT, NULL, -1,
               "the %lld collectives of %lld captures take about %.0f MB of memory; "
               "--max-memory allows %.0f MB: give %.0fM or more, or the captures of "
               "fewer ranks",
               (long long)b->n_pairs, (long long)b->n_captures, ceil(needed / 1e6),
               b->max_bytes / 1e6, ceil(needed / 1e6));
}

bool job_make(struct arena *perm, struct arena tmp, struct job_builder *b,
              const struct job_options *o, struct job *j, struct err *e)
{
    *j = (struct job){
        .n_unread = b->n_unread, .options = *o, .has_blocks = b->blocks_start};
    if (!b->n_captures)
        return err_set(e, ERR_USAGE, NULL, -1, "no captures to make a job of");
    if (!fits(b, e))
        return false;
    j->ranks = arena_new(perm, struct job_rank, b->n);
    if (!sort_ranks(tmp, b, j, e) || !has_collectives(b, j, e))
        return false;
    join_tables(perm, tmp, b, j);
    count_present(tmp, j);
    job_join_groups(tmp, j);
    job_split_unnamed(perm, tmp, j);
    count_present(tmp, j);
    find_missing(perm, b, j);
    if (!find_nodes(perm, b, j, e))
        return false;
    from_zero(tmp, j);
    job_match(perm, tmp, j);
    job_align(perm, tmp, j);
    if (!adds_up(j, e))
        return false;
    job_hide(tmp, j);
    job_roles(tmp, j);
    job_blame(perm, tmp, j);
    job_rank_roles(tmp, j);
    job_balances(tmp, j);
    job_causes(perm, tmp, j);
    job_drop_covers(b, j->ranks, j->n_ranks);
    job_find_uneven(tmp, j);
    job_slow_links(perm, tmp, j);
    job_what_ifs(perm, tmp, j);
    job_judge(perm, tmp, j);
    job_what_if_fixed(perm, tmp, j);
    job_drop_blocks(b, j->ranks, j->n_ranks);
    job_bandwidths(perm, tmp, j);
    return true;
}
