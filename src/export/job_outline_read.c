#include "export/job_outline_read.h"

#include "analysis/model/system_results.h"
#include "base/arena.h"

#include <cjson/cJSON.h>
#include <math.h>

struct reader {
    struct arena *perm;
    const char *missing; /* the first key that is not there as it should be */
};

static int64_t int_in(struct reader *r, const cJSON *o, const char *key)
{
    const double most = 9e15; /* every whole number up to it is exact */
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    if (cJSON_IsNumber(v) && fabs(v->valuedouble) < most)
        return (int64_t)v->valuedouble;
    if (!r->missing)
        r->missing = key;
    return 0;
}

/* Of what there cannot be more than `most` of. */
static int count_in(struct reader *r, const cJSON *o, const char *key)
{
    enum { MOST = 1 << 20 };
    int64_t n = int_in(r, o, key);
    if ((n < 0 || n > MOST) && !r->missing)
        r->missing = key;
    return n < 0 || n > MOST ? 0 : (int)n;
}

static int64_t int_or(const cJSON *o, const char *key, int64_t other)
{
    struct reader alone = {0};
    int64_t v = int_in(&alone, o, key);
    return alone.missing ? other : v;
}

static struct str text_in(struct reader *r, const cJSON *o, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, key));
    return text ? str_copy(r->perm, str_of(text)) : S("");
}

static bool bool_in(const cJSON *o, const char *key)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, key));
}

static double real_in(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsNumber(v) ? v->valuedouble : (double)NAN;
}

static void read_parts(struct reader *r, const cJSON *root, struct job_outline *o)
{
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(root, "rank_times");
    for (int p = 0; p < JOB_PARTS; p++) {
        const cJSON *part =
            cJSON_GetObjectItemCaseSensitive(all, job_part_key((enum job_part)p).p);
        o->parts[p] = (struct job_spread){.least_ns = int_in(r, part, "least"),
                                          .middle_ns = int_in(r, part, "middle"),
                                          .most_ns = int_in(r, part, "most"),
                                          .sum_ns = int_in(r, part, "sum")};
    }
}

static void read_lateness(struct reader *r, const cJSON *root, struct job_outline *o)
{
    const cJSON *late = cJSON_GetObjectItemCaseSensitive(root, "lateness"),
                *causes = cJSON_GetObjectItemCaseSensitive(late, "idle_causes_ns");
    o->late_ns[SEGMENT_COMPUTE] = int_in(r, late, "compute_ns");
    o->late_ns[SEGMENT_COPY] = int_in(r, late, "copy_ns");
    o->late_ns[SEGMENT_OTHER] = int_in(r, late, "other_communication_ns");
    o->late_ns[SEGMENT_IDLE] = int_in(r, late, "idle_ns");
    for (int k = 0; k < CAPTURE_CAUSES; k++)
        o->cause_ns[k] = int_or(causes, idle_class_word((enum idle_class)k).p, 0);
}

static void read_ranks(struct reader *r, const cJSON *root, struct job_outline *o)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "ranks"), *x;
    o->ranks = arena_new(r->perm, struct outline_rank, cJSON_GetArraySize(list));
    cJSON_ArrayForEach(x, list)
    {
        const cJSON *late = cJSON_GetObjectItemCaseSensitive(x, "lateness");
        o->ranks[o->n_listed++] =
            (struct outline_rank){.rank = count_in(r, x, "rank"),
                                  .blame_ns = int_in(r, x, "blame_ns"),
                                  .late_ns = int_in(r, late, "late_ns"),
                                  .is_named = bool_in(x, "named"),
                                  .cause = text_in(r, x, "cause")};
    }
}

static void read_speeds(struct reader *r, const cJSON *root, struct job_outline *o)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "bandwidth"), *x;
    o->speeds = arena_new(r->perm, struct outline_speed, cJSON_GetArraySize(list));
    cJSON_ArrayForEach(x, list) o->speeds[o->n_speeds++] =
        (struct outline_speed){.kind = text_in(r, x, "kind"),
                               .dtype = text_in(r, x, "dtype"),
                               .bytes = int_or(x, "bytes", -1),
                               .n_ranks = count_in(r, x, "ranks"),
                               .crosses_nodes = bool_in(x, "between_nodes"),
                               .n = int_in(r, x, "count"),
                               .transfer_ns = int_in(r, x, "transfer_ns"),
                               .wait_ns = int_in(r, x, "wait_ns"),
                               .bus_gb_s = real_in(x, "bus_gb_per_s")};
}

bool job_outline_read(struct arena *perm, const struct cJSON *root, const char *path,
                      struct job_outline *o, struct err *e)
{
    struct reader r = {.perm = perm};
    const cJSON *what_if = cJSON_GetObjectItemCaseSensitive(root, "what_if");
    struct str format = text_in(&r, root, "_format");
    if (!str_eq(format, S("tracefolio job")))
        return err_set(e, ERR_INPUT, path, -1, "not what `tracefolio job` writes");
    *o = (struct job_outline){.label = o->label,
                              .id = text_in(&r, root, "id"),
                              .n_ranks = count_in(&r, root, "ranks_present"),
                              .n_expected = count_in(&r, root, "ranks_expected"),
                              .n_nodes = count_in(&r, root, "nodes"),
                              .n_steps = count_in(&r, root, "steps"),
                              .n_groups = cJSON_GetArraySize(
                                  cJSON_GetObjectItemCaseSensitive(root, "groups")),
                              .n_instances = int_in(&r, root, "instances"),
                              .run_ns = int_in(&r, root, "run_ns"),
                              .step_ns = int_in(&r, root, "step_ns"),
                              .wait_ns = int_in(&r, root, "wait_ns"),
                              .replayed_ns = int_or(what_if, "recorded_ns", -1),
                              .ideal_ns = int_or(what_if, "no_late_ranks_ns", -1)};
    read_parts(&r, root, o);
    read_lateness(&r, root, o);
    read_ranks(&r, root, o);
    read_speeds(&r, root, o);
    if (!r.missing && o->n_ranks < 1)
        r.missing = "ranks_present";
    if (!r.missing && (o->run_ns <= 0 || o->step_ns <= 0 || o->step_ns / 2 > o->run_ns))
        r.missing = "step_ns";
    return !r.missing ||
           err_set(e, ERR_INPUT, path, -1,
                   "has no usable %s: make the job anew with this version", r.missing);
}
