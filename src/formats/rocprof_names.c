#include "formats/rocprof_names.h"

#include "trace/event.h"

enum { GPU_TYPE = 2, KEYS_FIRST = 64 };

void rocprof_names_open(struct rocprof_names *n)
{
    *n = (struct rocprof_names){.memory = arena_reserve(arena_machine_bytes() / 4),
                                .host = -1};
    n->start = n->memory.at;
    pool_open_large(&n->texts);
    struct int_map *const maps[] = {&n->kernels, &n->operations, &n->messages,
                                    &n->gpus};
    for (int k = 0; k < 4; k++)
        *maps[k] = int_map_make(&n->memory, KEYS_FIRST);
}

void rocprof_names_close(struct rocprof_names *n)
{
    pool_close(&n->texts);
    arena_release(n->start, &n->memory);
}

int64_t rocprof_number(const struct value *map, const char *key)
{
    const struct value *v = value_get(map, key);
    int64_t number;
    if (!value_is(v, VALUE_NUMBER))
        return NO_ID;
    if (str_int((struct str){v->text, v->n}, &number))
        return number;
    return NO_ID;
}

int64_t rocprof_inner(const struct value *map, const char *key, const char *inner)
{
    return rocprof_number(value_get(map, key), inner);
}

/* Names of kernels end as their symbols do, which a demangler takes for a copy. */
static struct str without_suffix(struct str name)
{
    static const struct str suffixes[] = {S_INIT(" [clone .kd]"), S_INIT(".kd")};
    for (int k = 0; k < 2; k++)
        if (str_ends(name, suffixes[k]))
            return str_head(name, name.n - suffixes[k].n);
    return name;
}

void rocprof_add_kernel(struct rocprof_names *n, const struct value *symbol)
{
    static const char *const keys[] = {"demangled_kernel_name", "formatted_kernel_name",
                                       "kernel_name"};
    int64_t id = rocprof_number(symbol, "kernel_id");
    struct str name = S("");
    for (int k = 0; k < 3 && name.n < 2; k++)
        name = value_text(value_get(symbol, keys[k]));
    name = without_suffix(name);
    if (id != NO_ID && name.n)
        *int_map_at(&n->kernels, &n->memory, id) = pool_add(&n->texts, name);
}

enum { OPERATIONS_MOST = 1 << 20 };

static int64_t operation_key(int64_t kind, int64_t operation)
{
    bool fits = kind >= 0 && kind < OPERATIONS_MOST && operation >= 0 &&
                operation < OPERATIONS_MOST;
    return fits ? kind * OPERATIONS_MOST + operation : -1;
}

static void add_operations(struct rocprof_names *n, int kind, const struct value *names)
{
    for (int k = 0; k < value_count(names); k++) {
        int64_t key = operation_key(kind, k);
        if (key >= 0)
            *int_map_at(&n->operations, &n->memory, key) =
                pool_add(&n->texts, value_text(value_at(names, k)));
    }
}

void rocprof_add_operations(struct rocprof_names *n, const struct value *kinds)
{
    for (int k = 0; k < value_count(kinds); k++)
        add_operations(n, k, value_get(value_at(kinds, k), "operations"));
}

void rocprof_add_message(struct rocprof_names *n, const struct value *message)
{
    int64_t key = rocprof_number(message, "key");
    if (key != NO_ID)
        *int_map_at(&n->messages, &n->memory, key) =
            pool_add(&n->texts, value_text(value_get(message, "value")));
}

static double real_of(const struct value *map, const char *key)
{
    const struct value *v = value_get(map, key);
    return value_is(v, VALUE_NUMBER) && v->number > 0 && v->number < 1e18 ? v->number
                                                                          : 0;
}

void rocprof_add_agent(struct rocprof_names *n, const struct value *agent)
{
    int64_t handle = rocprof_inner(agent, "id", "handle");
    if (rocprof_number(agent, "type") != GPU_TYPE || handle == NO_ID)
        return;
    struct str name = value_text(value_get(agent, "product_name"));
    double units = real_of(agent, "cu_count");
    const struct value *bank = value_at(value_get(agent, "mem_banks"), 0);
    *int_map_at(&n->gpus, &n->memory, handle) = n->n_devices;
    arena_grow(&n->memory, n->devices, n->n_devices);
    n->devices[n->n_devices++] =
        (struct machine_device){.name = str_copy(&n->memory, name),
                                .memory_bytes = real_of(bank, "size_in_bytes"),
                                .compute_units = units < INT32_MAX ? (int)units : 0,
                                .generation = __builtin_nan("")};
}

void rocprof_add_metadata(struct rocprof_names *n, const struct value *metadata)
{
    struct str host = value_text(value_get(value_get(metadata, "node"), "hostname"));
    if (host.n)
        n->host = pool_add(&n->texts, host);
}

name_id rocprof_kernel(const struct rocprof_names *n, int64_t id)
{
    return int_map_get(&n->kernels, id);
}

name_id rocprof_operation(const struct rocprof_names *n, int64_t kind,
                          int64_t operation)
{
    return int_map_get(&n->operations, operation_key(kind, operation));
}

int rocprof_gpu(const struct rocprof_names *n, int64_t agent)
{
    return int_map_get(&n->gpus, agent);
}
