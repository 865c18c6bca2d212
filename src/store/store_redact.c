#include "store/store_redact.h"

#include "store/path_redact.h"

#include <stdio.h>
#include <string.h>

/* Public, and what causes of idle time are told by. */
static const char *const libraries[] = {
    "torch/",        "transformers/",    "vllm/",       "sglang/",     "triton/",
    "numpy/",        "accelerate/",      "deepspeed/",  "megatron/",   "diffusers/",
    "flash_attn/",   "torchvision/",     "torchaudio/", "aiter/",      "xformers/",
    "threading.py",  "multiprocessing/", "asyncio/",    "concurrent/", "json/",
    "contextlib.py", "<built-in",        "<string>",    "<frozen",     "<eval"};

/* Parts of them whose files are called after a model. */
static const char *const models[] = {"/models/", "/pipelines/", "modeling_"};

static const char *const kept_marks[] = {
    "ProfilerStep#", "Optimizer.", "nccl:", "execute_", "PROFILER_",
    "rccl:",         "Iteration",  "step_", "cudagraph"};

/* What counters of a device are called by its tools; others are the user's. */
static const char *const counter_words[] = {
    "sm active", "sms active", "sm__", "dram",     "hbm",   "power",
    "clock",     "freq",       "sclk", "mclk",     "temp",  "nvlink",
    "nvlrx",     "nvltx",      "pcie", "gpu util", "tensor"};

static bool is_of_tool(struct str name)
{
    for (size_t k = 0; k < sizeof counter_words / sizeof *counter_words; k++)
        if (str_has_nocase(name, str_of(counter_words[k])))
            return true;
    return false;
}

static bool starts_any(struct str s, const char *const *list, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (str_starts(s, str_of(list[k])))
            return true;
    return false;
}

struct redaction {
    struct event_store *s;
    struct arena *texts;
    bool *done; /* by name */
    struct name_pool modules, sources, functions, annotations;
};

static int number(struct name_pool *of, struct str name)
{
    return (int)pool_add(of, name) + 1;
}

/* "nn.Module: Attention_3" keeps what kind it is and which of its kind. */
static struct str module_text(struct redaction *r, struct str name)
{
    struct str head = S("nn.Module: "), class = str_skip(name, head.n);
    ptrdiff_t at = class.n;
    while (at > 0 && class.p[at - 1] >= '0' && class.p[at - 1] <= '9')
        at--;
    bool counted = at > 1 && at < class.n && class.p[at - 1] == '_';
    struct str count = counted ? str_skip(class, at - 1) : S("");
    class = counted ? str_head(class, at - 1) : class;
    return str_printf(r->texts, "nn.Module: module-%d%.*s", number(&r->modules, class),
                      STRF(count));
}

/* "train.py(12): main"; of a library, the library stays. */
static struct str frame_text(struct redaction *r, struct str library, struct str name)
{
    ptrdiff_t open = str_find(name, S("(")), close = str_find(name, S("): "));
    if (open < 0 || close < open)
        return str_printf(r->texts, "function-%d", number(&r->functions, name));
    struct str line = {name.p + open, close - open};
    return str_printf(r->texts, "%.*ssource-%d.py%.*s): function-%d", STRF(library),
                      number(&r->sources, str_head(name, open)), STRF(line),
                      number(&r->functions, str_skip(name, close + 3)));
}

/* A frame of a library stays, unless its file is called after a model. */
static struct str python_text(struct redaction *r, struct str name)
{
    if (!starts_any(name, libraries, sizeof libraries / sizeof *libraries))
        return frame_text(r, S(""), name);
    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
        if (str_find(name, str_of(models[k])) >= 0)
            return frame_text(r, str_head(name, str_find(name, S("/")) + 1), name);
    return name;
}

static struct str public_text(struct redaction *r, int cat, struct str name)
{
    const size_t n_marks = sizeof kept_marks / sizeof *kept_marks;
    if (cat == CAT_PYTHON && str_starts(name, S("nn.Module: ")))
        return module_text(r, name);
    if (cat == CAT_PYTHON)
        return python_text(r, name);
    if (starts_any(name, kept_marks, n_marks))
        return name;
    return str_printf(r->texts, "annotation-%d", number(&r->annotations, name));
}

static void make_counters_public(struct event_store *s)
{
    for (int32_t k = 0; k < s->counters.n_tracks; k++) {
        struct counter_track *t = &s->counters.tracks[k];
        char text[32];
        struct str name = pool_text(&s->names, t->name);
        if (is_of_tool(name.n ? name : pool_text(&s->names, t->key)))
            continue;
        int n = snprintf(text, sizeof text, "counter-%d", k + 1);
        t->name = pool_add(&s->names, (struct str){text, n});
    }
}

static void make_public(struct redaction *r)
{
    struct event_store *s = r->s;
    for (int32_t i = 0; i < s->n; i++) {
        int cat = s->cat[i];
        name_id id = s->name[i];
        if (id < 0 || r->done[id] ||
            (cat != CAT_PYTHON && cat != CAT_ANNOTATION && cat != CAT_GPU_ANNOTATION))
            continue;
        r->done[id] = true;
        s->names.name[id] = public_text(r, cat, s->names.name[id]);
    }
    for (int32_t i = 0; i < s->n_more; i++)
        if (s->more[i].call_stack >= 0)
            s->names.name[s->more[i].call_stack] = S("");
    make_counters_public(s);
}

/* "CPU" or "GPU 3", as profilers label what a process stands for. */
static name_id plain_label(const struct event_store *s, name_id label)
{
    struct str text = pool_text(&s->names, label);
    int64_t device;
    bool gpu = str_starts(text, S("GPU ")) && str_int(str_skip(text, 4), &device);
    return gpu || str_eq(text, S("CPU")) ? label : -1;
}

static void forget_lanes(struct event_store *s)
{
    for (int32_t i = 0; i < s->n_lanes; i++) {
        struct lane *l = &s->lanes[i];
        l->process_name = l->thread_name = -1;
        l->process_label = plain_label(s, l->process_label);
    }
    for (int32_t i = 0; i < s->n_labels; i++) {
        struct lane_label *l = &s->labels[i];
        struct str kind = pool_text(&s->names, l->kind);
        if (str_eq(kind, S("process_name")) || str_eq(kind, S("thread_name")))
            l->text = -1;
        else if (str_eq(kind, S("process_labels")))
            l->text = plain_label(s, l->text);
    }
}

void store_redact(struct event_store *s, enum redact_level level)
{
    struct redaction r = {.s = s, .texts = &s->names.text};
    enum path_keeps keeps =
        level == REDACT_INTERNAL ? PATH_KEEPS_PROJECT : PATH_KEEPS_NAME;
    for (name_id id = 0; id < s->names.n; id++)
        s->names.name[id] = path_redact(r.texts, s->names.name[id], keeps);
    if (level == REDACT_INTERNAL)
        return;
    const char *slash = strrchr(s->file, '/');
    s->file = level == REDACT_PUBLIC ? "trace" : slash ? slash + 1 : s->file;
    forget_lanes(s);
    if (level != REDACT_PUBLIC)
        return;
    struct name_pool *pools[] = {&r.modules, &r.sources, &r.functions, &r.annotations};
    for (int k = 0; k < 4; k++)
        pool_open(pools[k]);
    r.done = arena_new(r.texts, bool, s->names.n);
    make_public(&r);
    for (int k = 0; k < 4; k++)
        pool_close(pools[k]);
}

void store_hide_shapes(struct event_store *s)
{
    s->shapes_hidden = true;
    for (int32_t i = 0; i < s->n_texts; i++) {
        struct op_texts *t = &s->texts[i];
        t->dims = t->strides = t->concrete = -1;
        if (!store_collective(s, t)->name.n)
            t->rest = -1;
    }
}
