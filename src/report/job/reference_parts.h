/* reference_parts.h - what the tables of the reference have in common; nobody else's.
 */
#ifndef REPORT_JOB_REFERENCE_PARTS_H
#define REPORT_JOB_REFERENCE_PARTS_H

#include "base/arena.h"
#include "base/name_pool.h"
#include "job/job.h"
#include "report/table_build.h"

enum { RANKS_WIDE_MAX = 1024 }; /* with more, there are no columns for each */

/* One collective as the reference sees it: a place in the list of a group name. */
struct place {
    int32_t group, index; /* name: of `names`; index among those of a rank */
    const struct job_signature *s;
};

struct reference {
    struct arena *perm, tmp;
    const struct job *j;
    bool simplified; /* no group has a name, and each rank one stream at most */
    bool whole_us;   /* all times are whole us: they are written as such */
    struct name_pool names;
    int32_t *place_of; /* by row, ranks one after the other */
    int32_t *first_row;
    struct place *places;
    int32_t n_places;
    int32_t *rows;        /* by place and rank: the row on that rank, or -1 */
    struct str *ranks_of; /* by group: "[0, 1, 2]" */
    struct sync *syncs;   /* by place */
};

/* Times of one place over the ranks that have it. */
struct sync {
    int64_t latency_ns, last_ns, first_ns, last_end_ns, first_end_ns, wait_ns;
    int n, earliest, latest; /* places of ranks */
    double full_mib, algorithm, bus;
};

struct reference reference_open(struct arena *perm, struct arena tmp,
                                const struct job *j);
void reference_close(struct reference *m);

const struct sync *reference_sync(const struct reference *m, int32_t place);

/* What a kernel says of itself; the reference asks nobody else. */
bool reference_says(const struct job_signature *s);

const struct job_signature *reference_signature(const struct reference *m,
                                                const struct job_member *x);

/* The row of a rank at a place, or NULL. */
const struct job_member *reference_member(const struct reference *m, int32_t place,
                                          int rank);

/* The double nearest to it in us. */
double reference_us(int64_t ns);

/* On the clock of the trace. */
int64_t reference_ns(const struct job_rank *r, const struct job_member *x);

struct str reference_group(const struct reference *m, const struct job_signature *s);
double reference_mib(int64_t elements, struct str dtype);

/* "dtype|stream": a column each. */
void reference_columns(struct table_build *b, const char *titles);
void put_known(struct table_build *b, bool known, int64_t v);
void put_some(struct table_build *b, bool known, struct str v);

/* Name, ranks, kind, size and type of its group. */
void put_group(struct table_build *b, struct reference *m,
               const struct job_signature *s);

/* Times in us as the trace has them. */
void put_us(struct table_build *b, const struct reference *m, int64_t ns);
void put_id(struct table_build *b, const struct reference *m, const struct place *p);
void put_mib(struct table_build *b, bool known, int64_t elements, struct str dtype);
void put_span(struct table_build *b, const struct reference *m,
              const struct job_signature *s);

/* The tables of the reference that sum up; for reference_tables. */
/* Sums by kind and by rank, and of ranks. */
struct report_table reference_summary(struct reference *m, const int32_t *places,
                                      int32_t n);
struct report_table reference_long_summary(struct reference *m);
struct report_table reference_stragglers(struct reference *m, const int32_t *places,
                                         int32_t n);

/* The reference's tables of all-to-all-v; for reference_tables. */
enum { UNEVEN_TABLES = 3 };

/* nccl_all2allv, nccl_summary_all2allv, and nccl_all2allv_heatmap if splits are
 * recorded. Returns how many; 0: there is no all-to-all-v. */
int reference_uneven(struct reference *m, struct report_table to[UNEVEN_TABLES]);

#endif
