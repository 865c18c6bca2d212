#include "ops/trace_kind.h"

#include "store/event_store.h"

/* What a process of the device is called: its name (Ascend), or the label that the
 * profiler gives it ("XPU 0"). */
static struct str vendor_of_label(struct str kind, struct str text)
{
    static const struct {
        struct str label, vendor;
    } labels[] = {{S_INIT("NPU"), S_INIT("Ascend NPU")},
                  {S_INIT("XPU"), S_INIT("Intel XPU")},
                  {S_INIT("MTIA"), S_INIT("MTIA accelerator")},
                  {S_INIT("HPU"), S_INIT("Gaudi HPU")}};
    if (str_eq(kind, S("process_name")))
        return str_eq(text, S("Ascend Hardware"))      ? S("Ascend NPU")
               : str_starts(text, S("/device:TPU:"))   ? S("Google TPU")
               : str_has_nocase(text, S("neuroncore")) ? S("Trainium NeuronCore")
                                                       : S("");
    for (size_t k = 0; k < sizeof labels / sizeof *labels; k++)
        if (str_eq(kind, S("process_labels")) && str_starts(text, labels[k].label))
            return labels[k].vendor;
    return S("");
}

static void look_at_labels(const struct event_store *s, struct trace_kind_facts *f)
{
    for (int32_t k = 0; k < s->n_labels; k++) {
        struct str kind = pool_text(&s->names, s->labels[k].kind),
                   text = pool_text(&s->names, s->labels[k].text);
        struct str vendor = vendor_of_label(kind, text);
        if (vendor.n && !f->vendor.n)
            f->vendor = vendor;
        if (!f->process.n && str_eq(kind, S("process_name")))
            f->process = str_trim(text);
    }
}

/* Each name is examined once: few are of calls, and fewer launch. */
static void look_at_calls(const struct event_store *s, struct trace_kind_facts *f,
                          bool *apple)
{
    for (event_id i = 0; i < s->n; i++) {
        struct str name = store_name(s, i);
        f->launches += cat_is_runtime(s->cat[i]) && str_has_nocase(name, S("launch"));
        *apple |= s->cat[i] == CAT_CPU_OP && str_has(name, S("_mps_"));
    }
}

struct trace_kind_facts trace_kind_of(const struct event_store *s)
{
    struct trace_kind_facts f = {.kind = TRACE_DEVICE};
    const int64_t *n = s->census.by_cat;
    bool apple = false;
    look_at_labels(s, &f);
    if (n[CAT_KERNEL] + n[CAT_MEMCPY] + n[CAT_MEMSET] > 0)
        return f;
    look_at_calls(s, &f, &apple);
    f.kind = f.launches                           ? TRACE_LOST_KERNELS
             : apple                              ? TRACE_APPLE_GPU
             : n[CAT_CPU_OP] + n[CAT_PYTHON] > 0  ? TRACE_HOST
             : n[CAT_COMPILE_LOG] > 0             ? TRACE_COMPILE_LOG
             : n[CAT_RUNTIME] + n[CAT_DRIVER] > 0 ? TRACE_HOST
                                                  : TRACE_FOREIGN;
    return f;
}
