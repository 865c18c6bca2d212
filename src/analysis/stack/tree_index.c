#include "analysis/stack/tree_index.h"

#include "base/name_memo.h"

/* A host event of the tree of frames at or above i. An operator that crosses the end of
 * a frame is only in the tree of operators. */
static event_id anchor(const struct tree_index *t, event_id i)
{
    for (int k = 0; i >= 0 && k < TREE_LEVELS_MAX; k++, i = tree_parent(&t->v->tree, i))
        if (tree_rank(&t->frames, i) >= 0)
            return i;
    return -1;
}

static void order_device_work(struct arena *perm, struct arena tmp,
                              struct tree_index *t)
{
    const struct launch_link *l = &t->v->launch;
    int32_t *at = arena_take_raw(&tmp, sizeof *at, 4, l->n_all);
    for (int32_t k = 0; k < l->n_all; k++) {
        event_id host = anchor(t, l->call[k]);
        at[k] = host < 0 ? -1 : tree_rank(&t->frames, host);
    }
    t->device = launch_order_build(perm, l->all, at, l->n_all, t->frames.n_order);
}

static bool any_text_stack(const struct event_store *s)
{
    for (int32_t k = 0; k < s->n_more; k++)
        if (s->more[k].call_stack >= 0)
            return true;
    return false;
}

static bool has_frames(const struct event_store *s)
{
    return s->census.by_cat[CAT_PYTHON] > 0;
}

/* Else the view's tree has all there is. */
static bool is_apart(const struct event_store *s, struct view_options o)
{
    return has_frames(s) && !o.detect_recompute;
}

struct call_tree tree_index_frames(struct arena *perm, struct arena tmp,
                                   const struct event_store *s, struct view_options o)
{
    return is_apart(s, o) ? tree_build(perm, tmp, s, TREE_FRAMES)
                          : (struct call_tree){0};
}

struct tree_index tree_index_of(struct arena *perm, struct arena tmp,
                                const struct trace_view *v,
                                const struct call_tree *frames)
{
    struct tree_index t = {.v = v,
                           .frames = v->tree,
                           .device = v->launch.order,
                           .has_frames = has_frames(v->s)};
    if (is_apart(v->s, v->options)) {
        t.frames = *frames;
        order_device_work(perm, tmp, &t);
    }
    t.has_text_stacks = !t.has_frames && any_text_stack(v->s);
    return t;
}

event_id tree_above(const struct tree_index *t, event_id i)
{
    if (cat_is_gpu(t->v->s->cat[i]))
        return launch_call(&t->v->launch, i);
    bool in_frames = tree_rank(&t->frames, i) >= 0;
    return tree_parent(in_frames ? &t->frames : &t->v->tree, i);
}

/* The stack recorded with the nearest operator at or above i, innermost first, ';'
 * between lines. */
static struct str text_stack(const struct tree_index *t, event_id i)
{
    if (!t->has_text_stacks)
        return S("");
    for (int k = 0; i >= 0 && k < TREE_LEVELS_MAX; k++, i = tree_above(t, i)) {
        name_id stack = store_call_stack(t->v->s, i);
        if (stack >= 0)
            return pool_text(&t->v->s->names, stack);
    }
    return S("");
}

static struct str next_line(struct str *stack)
{
    ptrdiff_t semicolon = str_find(*stack, S(";"));
    struct str line = str_head(*stack, semicolon < 0 ? stack->n : semicolon);
    *stack = str_skip(*stack, semicolon < 0 ? stack->n : semicolon + 1);
    return line;
}

struct tree_link *tree_parents(struct arena *a, const struct tree_index *t, event_id i,
                               int32_t max, int32_t *n)
{
    struct str stack = text_stack(t, i), rest = stack;
    int32_t count = 0;
    for (event_id up = tree_above(t, i); up >= 0 && count < max; up = tree_above(t, up))
        count++;
    while (rest.n && count < max) {
        next_line(&rest);
        count++;
    }
    struct tree_link *links = arena_new(a, struct tree_link, count);
    int32_t k = 0;
    for (event_id up = tree_above(t, i); up >= 0 && k < count;
         up = tree_above(t, up), k++)
        links[k] = (struct tree_link){up, store_name(t->v->s, up), k + 1};
    for (; k < count; k++)
        links[k] = (struct tree_link){-1, next_line(&stack), k + 1};
    *n = count;
    return links;
}

struct str tree_module_name(struct str name)
{
    if (!str_starts(name, S("nn.Module: ")))
        return S("");
    name = str_skip(name, S("nn.Module: ").n);
    ptrdiff_t n = name.n;
    while (n > 0 && name.p[n - 1] >= '0' && name.p[n - 1] <= '9')
        n--;
    return n > 1 && n < name.n && name.p[n - 1] == '_' ? str_head(name, n - 1) : name;
}

static bool is_module(const struct tree_index *t, event_id i)
{
    return t->v->s->cat[i] == CAT_PYTHON &&
           str_starts(store_name(t->v->s, i), S("nn.Module: "));
}

event_id tree_module_of(const struct tree_index *t, event_id i)
{
    for (int k = 0; i >= 0 && k < TREE_LEVELS_MAX; k++, i = tree_above(t, i))
        if (is_module(t, i))
            return i;
    return -1;
}

/* Where to read frames of i: i itself, or, when no module is above it, the forward
 * operator of the autograd node above it. */
static event_id frames_home(const struct tree_index *t, event_id i)
{
    event_id node = -1, up = i;
    for (int k = 0; up >= 0 && k < TREE_LEVELS_MAX; k++, up = tree_above(t, up)) {
        if (is_module(t, up))
            return i;
        if (node < 0)
            node = backward_forward(&t->v->backward, up);
    }
    return node >= 0 ? node : i;
}

event_id tree_module_event(const struct tree_index *t, event_id i)
{
    return tree_module_of(t, t->has_frames ? frames_home(t, i) : -1);
}

/* Modules in modules without end are told by those at both ends. */
struct str *tree_modules(struct arena *a, const struct tree_index *t, event_id i,
                         int *n)
{
    enum { OUTER = 31, INNER = 32 };
    event_id all[TREE_LEVELS_MAX], up = t->has_frames ? frames_home(t, i) : -1;
    int count = 0;
    for (int k = 0; up >= 0 && k < TREE_LEVELS_MAX; k++, up = tree_above(t, up))
        if (is_module(t, up))
            all[count++] = up; /* innermost first */
    bool cut = count > OUTER + 1 + INNER;
    *n = cut ? OUTER + 1 + INNER : count;
    struct str *names = arena_new(a, struct str, *n);
    for (int k = 0; k < *n; k++) {
        int at = k < OUTER ? count - 1 - k : *n - 1 - k;
        names[k] =
            cut && k == OUTER ? S("…") : tree_module_name(store_name(t->v->s, all[at]));
    }
    return names;
}

static uint64_t find_plumbing(struct str frame)
{
    static const struct str parts[] = {S_INIT("torch/nn/modules/module.py"),
                                       S_INIT("torch/_ops.py"),
                                       S_INIT("torch/_dynamo/"),
                                       S_INIT("torch/_inductor/"),
                                       S_INIT("torch/autograd/function.py"),
                                       S_INIT("torch/utils/_contextlib.py"),
                                       S_INIT("torch/utils/_device.py"),
                                       S_INIT("torch/overrides.py"),
                                       S_INIT("torch/_functorch/"),
                                       S_INIT("torch/cuda/graphs.py"),
                                       S_INIT("multiprocessing/spawn.py")};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (str_has(frame, parts[k]))
            return true;
    return false;
}

bool tree_is_plumbing(struct str frame)
{
    static struct name_memo memo;
    return name_memo_ask(&memo, frame, find_plumbing);
}

/* A built-in, "<built-in method linear ...>", has no source location. */
static bool is_launcher(struct str frame)
{
    return frame.n && frame.p[0] != '<' && !str_starts(frame, S("nn.Module: ")) &&
           !tree_is_plumbing(frame);
}

/* Paths are told from the folder on that Python searches: "torch/...", "threading.py".
 */
static uint64_t find_library(struct str frame)
{
    static const struct str folders[] = {
        S_INIT("site-packages/"), S_INIT("dist-packages/"),
        S_INIT("lib/python"),     S_INIT("torchinductor_"),
        S_INIT("<frozen "),       S_INIT("transformers/tokenization_")};
    static const struct str begins[] = {
        S_INIT("torch/"),          S_INIT("triton/"),        S_INIT("numpy/"),
        S_INIT("asyncio/"),        S_INIT("concurrent/"),    S_INIT("multiprocessing/"),
        S_INIT("importlib/"),      S_INIT("json/"),          S_INIT("collections/"),
        S_INIT("threading.py("),   S_INIT("contextlib.py("), S_INIT("functools.py("),
        S_INIT("selectors.py("),   S_INIT("queue.py("),      S_INIT("runpy.py("),
        S_INIT("dataclasses.py("), S_INIT("enum.py("),       S_INIT("typing.py("),
        S_INIT("copy.py("),        S_INIT("abc.py("),        S_INIT("random.py("),
        S_INIT("weakref.py("),     S_INIT("subprocess.py("), S_INIT("socket.py("),
        S_INIT("logging/"),        S_INIT("pickle.py("),     S_INIT("inspect.py("),
        S_INIT("einops/"),         S_INIT("torchvision/"),   S_INIT("PIL/"),
        S_INIT("tokenizers/"),     S_INIT("accelerate/"),    S_INIT("pandas/"),
        S_INIT("scipy/"),          S_INIT("sklearn/"),       S_INIT("cv2/"),
        S_INIT("torchaudio/"),     S_INIT("http/"),          S_INIT("urllib"),
        S_INIT("requests/"),       S_INIT("httpx/"),         S_INIT("httpcore/"),
        S_INIT("aiohttp/"),        S_INIT("ssl.py("),        S_INIT("botocore/"),
        S_INIT("mlflow/"),         S_INIT("wandb/"),         S_INIT("tensorboard"),
        S_INIT("os.py("),          S_INIT("shutil.py("),     S_INIT("tempfile.py("),
        S_INIT("gzip.py("),        S_INIT("zipfile.py("),    S_INIT("pathlib.py("),
        S_INIT("fsspec/"),         S_INIT("pyarrow/"),       S_INIT("matplotlib/")};
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++)
        if (str_has(frame, folders[k]))
            return true;
    for (size_t k = 0; k < sizeof begins / sizeof *begins; k++)
        if (str_starts(frame, begins[k]))
            return true;
    return false;
}

bool tree_is_code(const struct tree_index *t, event_id i)
{
    static struct name_memo memo;
    struct str name = store_name(t->v->s, i);
    return t->v->s->cat[i] == CAT_PYTHON && is_launcher(name) &&
           !name_memo_ask(&memo, name, find_library);
}

static int add_launcher(struct str to[], int n, int max, struct str frame)
{
    if (n < max && is_launcher(frame))
        to[n++] = frame;
    return n;
}

int tree_launchers(struct str to[], int max, const struct tree_index *t, event_id i)
{
    const struct event_store *s = t->v->s;
    int n = 0;
    event_id up = t->has_frames ? frames_home(t, i) : -1;
    for (int k = 0; up >= 0 && n < max && k < TREE_LEVELS_MAX;
         k++, up = tree_above(t, up))
        if (s->cat[up] == CAT_PYTHON)
            n = add_launcher(to, n, max, store_name(s, up));
    for (struct str stack = text_stack(t, i); stack.n && n < max;)
        n = add_launcher(to, n, max, next_line(&stack));
    return n;
}

struct str tree_launcher_path(const struct tree_index *t, event_id i)
{
    struct str frame = S("");
    (void)tree_launchers(&frame, 1, t, i);
    return frame;
}

struct str tree_user_path(const struct tree_index *t, event_id i)
{
    enum { FEW = 12 };
    struct str frames[FEW];
    int n = tree_launchers(frames, FEW, t, i);
    for (int k = 0; k < n; k++)
        if (!find_library(frames[k]))
            return frames[k];
    return n ? frames[0] : S("");
}

const event_id *tree_gpu_below(const struct tree_index *t, event_id i, int32_t *n)
{
    int32_t rank = tree_rank(&t->frames, i);
    if (rank < 0)
        return launch_range(&t->v->launch, &t->v->tree, i, n);
    return launch_range_at(&t->device, &t->frames, rank, n);
}

static int32_t count_gpu_below(const struct tree_index *t, event_id i)
{
    int32_t n;
    tree_gpu_below(t, i, &n);
    return n;
}

int64_t tree_gpu_ns(struct arena tmp, const struct tree_index *t, event_id i)
{
    int32_t n;
    const event_id *gpu = tree_gpu_below(t, i, &n);
    return n ? busy_ns(tmp, t->v->s, gpu, n) : 0;
}

event_id tree_first_child(const struct tree_index *t, event_id i)
{
    int32_t rank = tree_rank(&t->frames, i);
    bool has = rank >= 0 && t->frames.after[rank] > rank + 1;
    return has ? t->frames.order[rank + 1] : -1;
}

event_id tree_next_sibling(const struct tree_index *t, event_id i)
{
    int32_t rank = tree_rank(&t->frames, i);
    event_id up = rank >= 0 ? tree_parent(&t->frames, i) : -1;
    bool has =
        up >= 0 && t->frames.after[rank] < t->frames.after[tree_rank(&t->frames, up)];
    return has ? t->frames.order[t->frames.after[rank]] : -1;
}

event_id *tree_siblings(struct arena *a, const struct tree_index *t, event_id i,
                        int32_t max, int32_t *n)
{
    event_id up = tree_above(t, i);
    *n = 0;
    for (int k = 0; k < TREE_LEVELS_MAX && up >= 0 &&
                    count_gpu_below(t, up) == count_gpu_below(t, i);
         k++, up = tree_above(t, i))
        i = up;
    if (up < 0)
        return NULL;
    const struct call_tree *f = &t->frames;
    int32_t before = 0, total = 0, own = tree_rank(f, i), at = tree_rank(f, up);
    int32_t first = at + 1, end = at < 0 ? 0 : f->after[at]; /* positions of children */
    for (int32_t pos = first; pos < end; pos = f->after[pos]) {
        bool counts = pos != own && bit_any(t->device.launches, pos, f->after[pos]);
        total += counts;
        before += counts && pos < own;
    }
    int32_t from = before - max / 2;
    if (from > total - max)
        from = total - max;
    if (from < 0)
        from = 0;
    event_id *found = arena_take_raw(a, sizeof *found, 4, total < max ? total : max);
    int32_t k = 0;
    for (int32_t pos = first; pos < end && *n < max; pos = f->after[pos])
        if (pos != own && bit_any(t->device.launches, pos, f->after[pos]) &&
            k++ >= from)
            found[(*n)++] = f->order[pos];
    return found;
}

struct subtree_walk {
    const struct tree_index *t;
    bool only_gpu, truncated;
    struct tree_node *nodes;
    int32_t n, max;
    int32_t *open; /* ends of the open subtrees; at most as many as nodes */
    int depth;
};

static bool add_node(struct subtree_walk *w, event_id event, int depth)
{
    if (w->n == w->max) {
        w->truncated = true;
        return false;
    }
    w->nodes[w->n++] = (struct tree_node){event, depth};
    return true;
}

/* Device work whose launch is at position pos. */
static bool add_device_work(struct subtree_walk *w, int32_t pos, int depth)
{
    int32_t n;
    const event_id *gpu = launch_own(&w->t->device, pos, &n);
    for (int32_t k = 0; k < n; k++)
        if (!add_node(w, gpu[k], depth))
            return false;
    return true;
}

static bool add_host(struct subtree_walk *w, int32_t pos)
{
    const struct call_tree *f = &w->t->frames;
    while (w->depth && w->open[w->depth - 1] <= pos)
        w->depth--;
    if (w->only_gpu && w->n && cat_is_runtime(w->t->v->s->cat[f->order[pos]]))
        return add_device_work(w, pos, w->depth);
    if (!add_node(w, f->order[pos], w->depth))
        return false;
    w->open[w->depth++] = f->after[pos];
    return add_device_work(w, pos, w->depth);
}

struct tree_node *tree_subtree(struct arena *a, const struct tree_index *t, event_id i,
                               bool only_gpu, int32_t max, int32_t *n, bool *truncated)
{
    const struct call_tree *f = &t->frames;
    struct subtree_walk w = {.t = t, .only_gpu = only_gpu, .max = max};
    w.nodes = arena_take_raw(a, sizeof *w.nodes, 4, max);
    struct arena scratch = *a;
    w.open = arena_take_raw(&scratch, sizeof *w.open, 4, (ptrdiff_t)max + 1);
    int32_t pos = tree_rank(f, i);
    if (pos < 0) {
        int32_t n_gpu;
        const event_id *gpu = cat_is_gpu(t->v->s->cat[i])
                                  ? (n_gpu = 0, NULL)
                                  : tree_gpu_below(t, i, &n_gpu);
        bool room = add_node(&w, i, 0);
        for (int32_t k = 0; room && k < n_gpu; k++)
            room = add_node(&w, gpu[k], 1);
    } else {
        int32_t end = f->after[pos];
        while (pos < end) {
            bool skip =
                only_gpu && w.n && !bit_any(t->device.launches, pos, f->after[pos]);
            if (!skip && !add_host(&w, pos))
                break;
            pos = skip ? f->after[pos] : pos + 1;
        }
    }
    *n = w.n;
    *truncated = w.truncated;
    return w.nodes;
}
