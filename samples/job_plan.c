#include "job_plan.h"

#include "base/str.h"
#include "sample_options.h"

#include <string.h>

enum { JOB_LAYERS = 4, JOB_STEPS = 6 };

/* clang-format off */
const struct plant_info plant_infos[PLANT_KINDS] = {
    [PLANT_LATE_COMPUTE] = {"late-compute", "compute", "percent", "kernels of rank R take N % longer", 1, 1000, false},
    [PLANT_LATE_INPUT] = {"late-input", "input", "us_per_step", "its data loader takes N us longer a step", 1, 10000000, false},
    [PLANT_LATE_HOST] = {"late-host", "host", "us_per_step", "its host reads a value in each layer and thinks, N us a step", 1, 10000000, false},
    [PLANT_LATE_COPY] = {"late-copy", "copy", "us_per_step", "its batch comes from pageable memory, N us a step", 1, 10000000, false},
    [PLANT_SLOW_NODE] = {"slow-node", "compute", "percent", "kernels of all ranks of node R take N % longer", 1, 1000, true},
    [PLANT_SLOW_LINK] = {"slow-link", "transfer", "percent", "transfers between node R and others take N % longer", 1, 10000, true},
    [PLANT_HOT_EXPERT] = {"hot-expert", "tokens", "percent", "experts of rank R get N % more tokens than their share; needs --experts", 1, 300, false},
    [PLANT_DROPPED] = {"dropped", "missing", "traces", "no trace of rank R; without =N", 1, 1, false},
    [PLANT_CLOCK] = {"clock", "clock", "us", "the clock of rank R is N us ahead", -1000000000, 1000000000, false},
    [PLANT_DRIFT] = {"drift", "clock", "ppm", "the clock of rank R gains N us a second", -1000, 1000, false},
    [PLANT_LATE_START] = {"late-start", "capture", "collectives", "the trace of rank R begins N collectives later", 1, 1000, false},
};

static const struct sample_plan model = {.layers = JOB_LAYERS, .steps = JOB_STEPS,
    .batch = 1, .seq = 4096, .hidden = 4096, .heads = 32, .kv_heads = 32,
    .head_dim = 128, .ffn = 11008, .vocab = 32000, .kv_len = 4096, .experts = 64,
    .topk = 2, .expert_ffn = 2816, .host_scale = 1.0,
    .eff = {.gemm = 0.70, .attention = 0.55, .norm = 0.62, .elementwise = 0.70,
        .triton = 0.66, .reduce = 0.60, .softmax = 0.62, .moe = 0.60}};
/* clang-format on */

const char *const job_group_descriptions[JOB_GROUPS] = {[GROUP_WORLD] = "default_pg",
                                                        [GROUP_TENSOR] = "mesh_tp",
                                                        [GROUP_DATA] = "mesh_dp",
                                                        [GROUP_EXPERT] = "mesh_ep"};

struct rank_group job_group_of(const struct job_plan *j, enum job_group kind, int rank)
{
    int ranks = j->o.ranks, tensor = j->o.tensor, node = j->o.gpus_per_node;
    int tensors = ranks / tensor;
    switch (kind) {
    case GROUP_TENSOR:
        return (struct rank_group){1 + rank / tensor, rank / tensor * tensor, 1,
                                   tensor};
    case GROUP_DATA:
        return (struct rank_group){1 + tensors + rank % tensor, rank % tensor, tensor,
                                   tensors};
    case GROUP_EXPERT:
        return (struct rank_group){1 + tensors + tensor + rank / node,
                                   rank / node * node, 1, node};
    default:
        return (struct rank_group){0, 0, 1, ranks};
    }
}

static bool plant_kind(struct str name, enum plant_kind *kind)
{
    for (int i = 0; i < PLANT_KINDS; i++)
        if (str_eq(name, str_of(plant_infos[i].name))) {
            *kind = (enum plant_kind)i;
            return true;
        }
    return false;
}

static struct str part_until(struct str *rest, char mark)
{
    const char *at = memchr(rest->p, mark, (size_t)rest->n);
    struct str part = *rest;
    *rest = (struct str){rest->p + rest->n, 0};
    if (at) {
        *rest = (struct str){at + 1, part.n - (at + 1 - part.p)};
        part.n = at - part.p;
    }
    return part;
}

bool plant_parse(const char *text, struct job_options *o, struct err *e)
{
    struct str rest = str_of(text), name = part_until(&rest, ':');
    struct str where = part_until(&rest, '=');
    struct plant p = {0};
    int64_t n, amount = 1;
    if (!plant_kind(name, &p.kind) || !str_int(where, &n) || n < 0 ||
        n >= JOB_RANKS_MAX)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--plant: expected KIND:RANK=AMOUNT as --help lists them, not "
                       "'%s'",
                       text);
    const struct plant_info *info = &plant_infos[p.kind];
    if (p.kind != PLANT_DROPPED &&
        (!str_int(rest, &amount) || amount < info->amount_min ||
         amount > info->amount_max))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--plant %s: expected a whole number from %d to %d (%s) after "
                       "the =",
                       info->name, info->amount_min, info->amount_max, info->unit);
    if (o->plants_n == JOB_PLANTS_MAX)
        return err_set(e, ERR_USAGE, NULL, -1, "more than %d --plant", JOB_PLANTS_MAX);
    p.where = (int)n;
    p.amount = (double)amount;
    o->plants[o->plants_n++] = p;
    return true;
}

bool metadata_parse(const char *text, struct job_options *o, struct err *e)
{
    static const char *const names[METADATA_KINDS] = {"seq", "plain", "call", "none"};
    for (int i = 0; i < METADATA_KINDS; i++)
        if (strcmp(names[i], text) == 0) {
            o->metadata = (enum job_metadata)i;
            return true;
        }
    return err_set(e, ERR_USAGE, NULL, -1,
                   "--metadata: expected seq, plain, call or none, not '%s'", text);
}

bool plant_hits(const struct job_plan *j, const struct plant *p, int rank)
{
    return p->where ==
           (plant_infos[p->kind].of_node ? rank / j->o.gpus_per_node : rank);
}

double job_planted(const struct job_plan *j, enum plant_kind kind, int rank)
{
    double sum = 0;
    for (int i = 0; i < j->o.plants_n; i++)
        if (j->o.plants[i].kind == kind && plant_hits(j, &j->o.plants[i], rank))
            sum += j->o.plants[i].amount;
    return sum;
}

static bool check_plants(const struct job_options *o, struct err *e)
{
    int nodes = o->ranks / o->gpus_per_node;
    for (int i = 0; i < o->plants_n; i++) {
        const struct plant_info *info = &plant_infos[o->plants[i].kind];
        int limit = info->of_node ? nodes : o->ranks;
        if (o->plants[i].where >= limit)
            return err_set(e, ERR_USAGE, NULL, -1,
                           "--plant %s:%d: the job has %ss 0 to %d", info->name,
                           o->plants[i].where, info->of_node ? "node" : "rank",
                           limit - 1);
        if (o->plants[i].kind == PLANT_SLOW_LINK && nodes < 2)
            return err_set(e, ERR_USAGE, NULL, -1,
                           "--plant slow-link needs two nodes: lower --gpus-per-node");
        if (o->plants[i].kind == PLANT_HOT_EXPERT && !o->experts)
            return err_set(e, ERR_USAGE, NULL, -1,
                           "--plant hot-expert needs --experts");
    }
    return true;
}

bool job_plan_make(const struct sample_options *o, struct job_plan *j, struct err *e)
{
    *j = (struct job_plan){.model = model, .o = o->job};
    struct job_options *job = &j->o;
    if (o->defects || o->hostile || o->empty || o->rank || o->world || o->events)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--job cannot be combined with --defect, --hostile, --empty, "
                       "--rank, --world or --events");
    if (job->gpus_per_node > job->ranks)
        job->gpus_per_node = job->ranks;
    if (job->ranks % job->gpus_per_node || job->ranks % job->tensor)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--job %d cannot be split evenly by --gpus-per-node %d and "
                       "--tensor %d",
                       job->ranks, job->gpus_per_node, job->tensor);
    j->model.device = o->device;
    j->model.seed = o->seed;
    j->model.python = !o->no_python;
    j->model.shapes = !o->no_shapes;
    j->model.layers = o->layers ? o->layers : j->model.layers;
    j->model.steps = o->steps ? o->steps : j->model.steps;
    j->model.batch = o->batch ? o->batch : j->model.batch;
    j->model.seq = o->seq ? o->seq : j->model.seq;
    j->model.world = job->ranks;
    return check_plants(job, e);
}
