#include "sample_options.h"

#include "base/str.h"
#include "device_table.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum option_id {
    OPT_KIND = 256,
    OPT_SEED,
    OPT_DEVICE,
    OPT_LAYERS,
    OPT_STEPS,
    OPT_BATCH,
    OPT_SEQ,
    OPT_EVENTS,
    OPT_DEFECT,
    OPT_FIX,
    OPT_NEAR,
    OPT_TRUTH,
    OPT_HOSTILE,
    OPT_NO_PYTHON,
    OPT_NO_SHAPES,
    OPT_SECOND_GPU,
    OPT_RANK,
    OPT_WORLD,
    OPT_EMPTY,
    OPT_JOB,
    OPT_GPUS_PER_NODE,
    OPT_TENSOR,
    OPT_EXPERTS,
    OPT_PLANT,
    OPT_METADATA,
    OPT_HOST_NAMES,
    OPT_CLOCK_SPREAD,
    OPT_DRIFT_SPREAD,
    OPT_JITTER,
    OPT_HELP
};

static const struct option longs[] = {
    {"kind", required_argument, NULL, OPT_KIND},
    {"seed", required_argument, NULL, OPT_SEED},
    {"device", required_argument, NULL, OPT_DEVICE},
    {"layers", required_argument, NULL, OPT_LAYERS},
    {"steps", required_argument, NULL, OPT_STEPS},
    {"batch", required_argument, NULL, OPT_BATCH},
    {"seq", required_argument, NULL, OPT_SEQ},
    {"events", required_argument, NULL, OPT_EVENTS},
    {"defect", required_argument, NULL, OPT_DEFECT},
    {"fix", required_argument, NULL, OPT_FIX},
    {"near", required_argument, NULL, OPT_NEAR},
    {"truth", required_argument, NULL, OPT_TRUTH},
    {"hostile", no_argument, NULL, OPT_HOSTILE},
    {"no-python", no_argument, NULL, OPT_NO_PYTHON},
    {"no-shapes", no_argument, NULL, OPT_NO_SHAPES},
    {"second-gpu", required_argument, NULL, OPT_SECOND_GPU},
    {"rank", required_argument, NULL, OPT_RANK},
    {"world", required_argument, NULL, OPT_WORLD},
    {"empty", no_argument, NULL, OPT_EMPTY},
    {"job", required_argument, NULL, OPT_JOB},
    {"gpus-per-node", required_argument, NULL, OPT_GPUS_PER_NODE},
    {"tensor", required_argument, NULL, OPT_TENSOR},
    {"experts", no_argument, NULL, OPT_EXPERTS},
    {"plant", required_argument, NULL, OPT_PLANT},
    {"metadata", required_argument, NULL, OPT_METADATA},
    {"host-names", no_argument, NULL, OPT_HOST_NAMES},
    {"clock-spread", required_argument, NULL, OPT_CLOCK_SPREAD},
    {"drift-spread", required_argument, NULL, OPT_DRIFT_SPREAD},
    {"jitter", required_argument, NULL, OPT_JITTER},
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0}};

void options_help(void)
{
    printf(
        "Usage: tracefolio-sample [OPTION]... -o FILE\n"
        "Write a made-up but believable GPU profiler trace.\n\n"
        "  -o, --output FILE    .json or .json.gz; - writes to standard output\n"
        "      --kind KIND      llm-prefill (default), llm-decode, cnn-training, "
        "moe, healthy, serving\n"
        "      --defect NAME    plant a defect; may be repeated\n"
        "      --fix NAME       the same work with that --defect fixed\n"
        "      --near NAME      plant that --defect just short of what makes it one\n"
        "      --truth FILE     write what the planted defects cost, as JSON\n"
        "      --events N       choose layers and steps to give about N events\n"
        "      --layers N  --steps N  --batch N  --seq N\n"
        "      --device NAME    MI300X (default) or H100\n"
        "      --seed N         seed of the random numbers; equal seeds give equal "
        "bytes\n"
        "      --rank R --world N   one rank of a distributed job\n"
        "      --no-python      leave out Python frames\n"
        "      --no-shapes      leave out operator arguments\n"
        "      --second-gpu HOW has the last layers of a language model: turns (after\n"
        "                       the first GPU), beside (at once), uneven (fewer "
        "layers)\n"
        "      --hostile        use names that attack programs that print them\n"
        "      --empty          leave out device events\n"
        "      --help\n\n"
        "A whole job, one trace for each rank in the folder that -o names:\n"
        "      --job N          N ranks, 2 to 512, that train one decoder together\n"
        "      --gpus-per-node N  --tensor N   8 and 1; ranks that split a layer\n"
        "      --experts        mixture of experts, spread over the ranks of a node\n"
        "      --plant KIND:R=N what is wrong with rank R; may be repeated\n"
        "      --metadata WHERE what traces tell of collectives: seq (default), plain "
        "(no\n                       sequence numbers), call (not on kernels), none\n"
        "      --clock-spread US  --drift-spread PPM   clocks of nodes differ by up to "
        "this\n"
        "      --jitter PERCENT how much work varies by chance; 2\n"
        "      --host-names     name files HOST_PID.TIME.pt.trace.json.gz\n"
        "\nPlants:\n");
    for (int i = 0; i < PLANT_KINDS; i++)
        printf("  %-24s %s\n", plant_infos[i].name, plant_infos[i].note);
    printf("\nDefects:\n");
    for (int i = 0; i < DEFECTS; i++) {
        const struct defect_info *d = &defect_infos[i];
        printf("  %-24s %s\n%26s", d->name, d->note, "in:");
        for (int k = 0; k < WORKLOAD_KINDS; k++)
            if (d->kinds >> k & 1)
                printf(" %s", workload_names[k]);
        printf("%s", d->cuda_only ? "; with --device H100" : "");
        printf("%s%s\n", d->near ? "; --near: " : "", d->near ? d->near : "");
    }
}

static bool number(const char *option, const char *text, int64_t low, int64_t high,
                   int64_t *value, struct err *e)
{
    int64_t v;
    if (!str_int(str_of(text), &v) || v < low || v > high)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--%s: expected a whole number from %lld to %lld, not '%s'",
                       option, (long long)low, (long long)high, text);
    *value = v;
    return true;
}

static bool small_number(const char *option, const char *text, int low, int high,
                         int *value, struct err *e)
{
    int64_t v = 0;
    if (!number(option, text, low, high, &v, e))
        return false;
    *value = (int)v;
    return true;
}

static bool choose_kind(const char *text, struct sample_options *o, struct err *e)
{
    int k = workload_find(text);
    if (k < 0)
        return err_set(
            e, ERR_USAGE, NULL, -1,
            "unknown kind '%s'; the kinds are llm-prefill, llm-decode, cnn-training, "
            "moe, healthy",
            text);
    o->kind = (enum workload_kind)k;
    return true;
}

static bool choose_defect(const char *text, uint64_t *defects, struct err *e)
{
    int d = defect_find(text);
    if (d < 0)
        return err_set(e, ERR_USAGE, NULL, -1, "unknown defect '%s'; see --help", text);
    *defects |= UINT64_C(1) << d;
    return true;
}

static bool choose_second(const char *text, struct sample_options *o, struct err *e)
{
    static const char *const words[] = {"none", "turns", "beside", "uneven"};
    for (int k = 1; k < 4; k++)
        if (!strcmp(text, words[k]))
            o->second_gpu = k;
    return o->second_gpu || err_set(e, ERR_USAGE, NULL, -1,
                                    "--second-gpu takes turns, beside or uneven");
}

static bool choose_device(const char *text, struct sample_options *o, struct err *e)
{
    o->device = device_find(text);
    return o->device ||
           err_set(e, ERR_USAGE, NULL, -1,
                   "unknown device '%s'; the devices are MI300X and H100", text);
}

/* A whole number of something. */
static bool amount(const char *option, const char *text, int64_t high, double *value,
                   struct err *e)
{
    int64_t v = 0;
    if (!number(option, text, 0, high, &v, e))
        return false;
    *value = (double)v;
    return true;
}

static bool take_job(int id, char *text, struct job_options *o, struct err *e)
{
    switch (id) {
    case OPT_JOB:
        return small_number("job", text, 2, JOB_RANKS_MAX, &o->ranks, e);
    case OPT_GPUS_PER_NODE:
        return small_number("gpus-per-node", text, 1, 64, &o->gpus_per_node, e);
    case OPT_TENSOR:
        return small_number("tensor", text, 1, 8, &o->tensor, e);
    case OPT_PLANT:
        return plant_parse(text, o, e);
    case OPT_METADATA:
        return metadata_parse(text, o, e);
    case OPT_CLOCK_SPREAD:
        return amount("clock-spread", text, 1000000000, &o->clock_spread_us, e);
    case OPT_DRIFT_SPREAD:
        return amount("drift-spread", text, 1000, &o->drift_spread_ppm, e);
    case OPT_JITTER:
        return amount("jitter", text, 50, &o->jitter_percent, e);
    case OPT_EXPERTS:
        return o->experts = true;
    case OPT_HOST_NAMES:
        return o->host_names = true;
    default:
        return err_set(e, ERR_USAGE, NULL, -1,
                       "unknown option or missing value; see --help");
    }
}

static bool take(int id, char *text, struct sample_options *o, struct err *e)
{
    int64_t seed = 0;
    switch (id) {
    case OPT_KIND:
        return choose_kind(text, o, e);
    case OPT_DEFECT:
        return choose_defect(text, &o->defects, e);
    case OPT_FIX:
        return choose_defect(text, &o->fixed, e);
    case OPT_NEAR:
        return choose_defect(text, &o->near, e);
    case OPT_DEVICE:
        return choose_device(text, o, e);
    case OPT_SEED:
        if (!number("seed", text, 0, INT64_MAX, &seed, e))
            return false;
        o->seed = (uint64_t)seed;
        return true;
    case OPT_LAYERS:
        return number("layers", text, 1, 2000, &o->layers, e);
    case OPT_STEPS:
        return number("steps", text, 1, 100000000, &o->steps, e);
    case OPT_BATCH:
        return number("batch", text, 1, 65536, &o->batch, e);
    case OPT_SEQ:
        return number("seq", text, 1, 1048576, &o->seq, e);
    case OPT_EVENTS:
        return number("events", text, 1, 2000000000, &o->events, e);
    case OPT_RANK:
        return small_number("rank", text, 0, 4095, &o->rank, e);
    case OPT_WORLD:
        return small_number("world", text, 1, 4096, &o->world, e);
    case OPT_TRUTH:
        o->truth = text;
        return true;
    case 'o':
        o->out = text;
        return true;
    case OPT_HOSTILE:
        return o->hostile = true;
    case OPT_NO_PYTHON:
        return o->no_python = true;
    case OPT_NO_SHAPES:
        return o->no_shapes = true;
    case OPT_SECOND_GPU:
        return choose_second(text, o, e);
    case OPT_EMPTY:
        return o->empty = true;
    case OPT_HELP:
        return o->help = true;
    default:
        return take_job(id, text, &o->job, e);
    }
}

bool options_parse(int argc, char **argv, struct sample_options *o, struct err *e)
{
    int id;
    *o = (struct sample_options){
        .kind = KIND_LLM_PREFILL,
        .device = device_find("MI300X"),
        .seed = 1,
        .job = {.gpus_per_node = 8, .tensor = 1, .jitter_percent = 2}};
    opterr = 0;
    while ((id = getopt_long(argc, argv, "o:", longs, NULL)) != -1)
        if (!take(id, optarg, o, e))
            return false;
    if (o->help)
        return true;
    if (optind < argc)
        return err_set(e, ERR_USAGE, NULL, -1, "unexpected argument '%s'; see --help",
                       argv[optind]);
    if (!o->out)
        return err_set(e, ERR_USAGE, NULL, -1, "missing -o FILE; see --help");
    return true;
}
