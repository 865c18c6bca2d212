#include "report/job/reference_tables.h"

#include "report/job/reference_parts.h"

/* Each row has the ranks of its group: with many ranks that is all it has. */
enum { ROW_BYTES = 160, LONG_BYTES_MAX = 16 << 20 };

static bool long_fits(const struct reference *m)
{
    const struct job *j = m->j;
    int64_t bytes = 0;
    for (int32_t i = 0; i < j->n_instances; i++) {
        const struct job_instance *x = &j->instances[i];
        int32_t group = j->signatures[x->signature].group;
        bytes += x->n_members * (ROW_BYTES + (int64_t)m->ranks_of[group].n);
    }
    return bytes <= LONG_BYTES_MAX;
}

static struct report_table long_table(struct reference *m)
{
    const struct job *j = m->j;
    bool fits = long_fits(m);
    int64_t n = m->first_row[j->n_ranks - 1] + j->ranks[j->n_ranks - 1].n_rows;
    struct table_build b = table_begin(m->perm, S("nccl_long"),
                                       "Every collective of every rank", fits ? n : 0);
    reference_columns(
        &b, "collective_id|index_in_group|rank|Process Group Name|"
            "Process Group Ranks|Collective name|Group size|dtype|In msg nelems|"
            "In msg size (MB)|Out msg nelems|Out msg size (MB)|In split size|"
            "Out split size|stream|ts|dur|node_id|node_span");
    for (int i = 0; i < j->n_ranks && fits; i++) {
        const struct job_rank *r = &j->ranks[i];
        for (int32_t k = 0; k < r->n_rows; k++) {
            const struct job_member *x = &r->rows[k];
            const struct place *p = &m->places[m->place_of[m->first_row[i] + k]];
            const struct job_signature *s = reference_signature(m, x);
            put_id(&b, m, p);
            put_int(&b, p->index);
            put_int(&b, r->rank);
            put_group(&b, m, s);
            put_known(&b, reference_says(s), s->in_elements);
            put_mib(&b, reference_says(s), s->in_elements, s->dtype);
            put_known(&b, reference_says(s), s->out_elements);
            put_mib(&b, reference_says(s), s->out_elements, s->dtype);
            put_some(&b, reference_says(s), s->in_split);
            put_some(&b, reference_says(s), s->out_split);
            put_int(&b, x->stream);
            put_us(&b, m, reference_ns(r, x));
            put_us(&b, m, x->dur_ns);
            put_int(&b, r->node);
            put_span(&b, m, s);
        }
    }
    return table_done(&b);
}

/* Kinds that wait for each other; the reference leaves out the rest. */
static bool is_implicit(const struct reference *m, const struct job_signature *s)
{
    static const char *const words =
        "allreduce allreduce_coalesced reducescatter _reduce_scatter_base "
        "reduce_scatter_tensor_coalesced allgather all_gather _allgather_base "
        "all_gather_into_tensor_coalesced allgather_into_tensor_coalesced all_to_all";
    return reference_says(s) && s->name.n ? str_among(s->name, words) : m->simplified;
}

static void put_sync_row(struct table_build *b, struct reference *m, int32_t place)
{
    const struct job *j = m->j;
    const struct place *p = &m->places[place];
    const struct job_signature *s = p->s;
    const struct sync y = *reference_sync(m, place);
    put_id(b, m, p);
    put_group(b, m, s);
    put_known(b, reference_says(s), s->in_elements);
    put_known(b, reference_says(s), s->out_elements);
    put_mib(b, reference_says(s), s->in_elements, s->dtype);
    put_mib(b, reference_says(s), s->out_elements, s->dtype);
    put_real(b, y.full_mib);
    put_us(b, m, y.latency_ns);
    put_us(b, m, y.last_ns - y.first_ns);
    put_int(b, j->ranks[y.earliest].rank);
    put_real(b, (double)y.wait_ns / 1e3 / y.n);
    put_us(b, m, y.last_end_ns - y.first_end_ns);
    put_real(b, y.algorithm);
    put_real(b, y.bus);
    bool wide = j->n_ranks <= RANKS_WIDE_MAX;
    for (int i = 0; wide && i < j->n_ranks; i++) {
        const struct job_member *x = reference_member(m, place, i);
        if (x) {
            put_us(b, m, reference_ns(&j->ranks[i], x));
            put_us(b, m, x->dur_ns);
        } else {
            put_none(b);
            put_none(b);
        }
    }
    for (int i = 0; wide && i < j->n_ranks; i++) {
        const struct job_member *x = reference_member(m, place, i);
        if (x)
            put_us(b, m, y.last_ns - reference_ns(&j->ranks[i], x));
        else
            put_none(b);
    }
    put_span(b, m, s);
}

static int32_t implicit_places(struct reference *m, int32_t **to)
{
    int32_t n = 0;
    *to = arena_new(&m->tmp, int32_t, m->n_places);
    for (int32_t i = 0; i < m->n_places; i++)
        if (is_implicit(m, m->places[i].s))
            (*to)[n++] = i;
    return n;
}

static struct report_table sync_table(struct reference *m, const int32_t *places,
                                      int32_t n)
{
    const struct job *j = m->j;
    struct table_build b =
        table_begin(m->perm, S("nccl_implicit_sync"),
                    "Collectives in which ranks wait for each other", n);
    reference_columns(
        &b, "collective_id|Process Group Name|Process Group Ranks|Collective name|"
            "Group size|dtype|In msg nelems|Out msg nelems|In msg size (MB)|"
            "Out msg size (MB)|Full msg size (MB)|comm_latency|skew in start time|"
            "earliest arrival rank|avg_wait_time|skew in end time|algo bw (GB/s)|"
            "bus bw (GB/s)");
    for (int i = 0; j->n_ranks <= RANKS_WIDE_MAX && i < j->n_ranks; i++) {
        int rank = j->ranks[i].rank;
        add_column(&b, str_printf(m->perm, "rank_%d_ts", rank), UNIT_NONE, "Its start");
        add_column(&b, str_printf(m->perm, "rank_%d_dur", rank), UNIT_NONE, "Its time");
    }
    for (int i = 0; j->n_ranks <= RANKS_WIDE_MAX && i < j->n_ranks; i++)
        add_column(&b, str_printf(m->perm, "rank_%d_wait_time", j->ranks[i].rank),
                   UNIT_NONE, "From its start to that of the last");
    reference_columns(&b, "node_span");
    for (int32_t i = 0; i < n; i++)
        put_sync_row(&b, m, places[i]);
    return table_done(&b);
}

int job_reference_tables(struct arena *perm, struct arena tmp, const struct job *j,
                         struct report_table to[REFERENCE_TABLES])
{
    struct reference m = reference_open(perm, tmp, j);
    int32_t *places, n;
    n = implicit_places(&m, &places);
    to[0] = reference_summary(&m, places, n);
    to[1] = reference_long_summary(&m);
    to[2] = long_table(&m);
    to[3] = sync_table(&m, places, n);
    to[4] = reference_stragglers(&m, places, n);
    int n_made = 5 + reference_uneven(&m, to + 5);
    reference_close(&m);
    return n_made;
}
