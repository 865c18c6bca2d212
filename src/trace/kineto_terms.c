#include "trace/kineto_terms.h"

#include <stddef.h>
#include <string.h>

static const struct {
    struct str text;
    enum event_cat cat;
} cats[] = {
    {S_INIT("python_function"), CAT_PYTHON},
    {S_INIT("cpu_op"), CAT_CPU_OP},
    {S_INIT("ac2g"), CAT_LAUNCH_FLOW},
    {S_INIT("cuda_runtime"), CAT_RUNTIME},
    {S_INIT("kernel"), CAT_KERNEL},
    {S_INIT("cuda_driver"), CAT_DRIVER},
    {S_INIT("gpu_memcpy"), CAT_MEMCPY},
    {S_INIT("gpu_memset"), CAT_MEMSET},
    {S_INIT("user_annotation"), CAT_ANNOTATION},
    {S_INIT("gpu_user_annotation"), CAT_GPU_ANNOTATION},
    {S_INIT("fwdbwd"), CAT_FWDBWD_FLOW},
    {S_INIT("overhead"), CAT_OVERHEAD},
    {S_INIT("Trace"), CAT_TRACE_SPAN},
    /* until 2021 */
    {S_INIT("Operator"), CAT_CPU_OP},
    {S_INIT("Runtime"), CAT_RUNTIME},
    {S_INIT("Kernel"), CAT_KERNEL},
    {S_INIT("Memcpy"), CAT_MEMCPY},
    {S_INIT("Memset"), CAT_MEMSET},
    {S_INIT("async"), CAT_LAUNCH_FLOW},
    {S_INIT("forward_backward"), CAT_FWDBWD_FLOW},
    /* torch_npu */
    {S_INIT("HostToDevice"), CAT_DEVICE_ARROW},
    {S_INIT("async_npu"), CAT_OPERATOR_ARROW},
    {S_INIT("dequeue"), CAT_RUNTIME}, /* what the thread that launches takes up next */
    /* of which nothing is made */
    {S_INIT("cuda_sync"), CAT_UNUSED},
    {S_INIT("cpu_instant_event"), CAT_UNUSED},
    {S_INIT("enqueue"), CAT_UNUSED},
    {S_INIT("async_task_queue"), CAT_UNUSED},
    {S_INIT("graph_event_node"), CAT_UNUSED},
    {S_INIT("graph_host_node"), CAT_UNUSED},
    {S_INIT("cuda_profiler_range"), CAT_UNUSED},
    /* torch.compile's own log of its phases */
    {S_INIT("dynamo_timed"), CAT_COMPILE_LOG},
};

/* Kineto's categories of other vendors begin with the device: "xpu_runtime",
 * "mtia_ccp_events", "privateuse1_driver". What is neither a call nor a counter is
 * device work. */
static enum event_cat vendor_cat_of(struct str text)
{
    static const struct str devices[] = {S_INIT("privateuse1_"), S_INIT("xpu_"),
                                         S_INIT("mtia_"), S_INIT("hpu_"),
                                         S_INIT("hip_")};
    static const struct {
        struct str word;
        enum event_cat cat;
    } kinds[] = {
        {S_INIT("runtime"), CAT_RUNTIME},
        {S_INIT("driver"), CAT_DRIVER},
        {S_INIT("memcpy"), CAT_MEMCPY},
        {S_INIT("memset"), CAT_MEMSET},
        {S_INIT("annotation"), CAT_GPU_ANNOTATION},
        {S_INIT("counter"), CAT_UNUSED},
        {S_INIT("insight"), CAT_UNUSED},
        {S_INIT("sync"), CAT_UNUSED},
    };
    size_t d = 0, k = 0;
    while (d < sizeof devices / sizeof *devices && !str_starts(text, devices[d]))
        d++;
    if (d == sizeof devices / sizeof *devices)
        return CAT_OTHER;
    while (k < sizeof kinds / sizeof *kinds && !str_has(text, kinds[k].word))
        k++;
    return k < sizeof kinds / sizeof *kinds ? kinds[k].cat : CAT_KERNEL;
}

enum event_cat kineto_cat(struct str text)
{
    for (size_t i = 0; i < sizeof cats / sizeof *cats; i++)
        if (cats[i].text.n == text.n &&
            memcmp(cats[i].text.p, text.p, (size_t)text.n) == 0)
            return cats[i].cat;
    return vendor_cat_of(text);
}

const struct kineto_arg kineto_args[] = {
#define INT(key, member)                                                               \
    {                                                                                  \
        S_INIT(key), ARG_INT, offsetof(struct event_args, member)                      \
    }
#define TEXT(key, member)                                                              \
    {                                                                                  \
        S_INIT(key), ARG_TEXT, offsetof(struct event_args, member)                     \
    }
#define NOISE(key)                                                                     \
    {                                                                                  \
        S_INIT(key), ARG_NOISE, 0                                                      \
    }
    {S_INIT(""), ARG_REST, 0}, /* any other key */
    TEXT("Input Dims", dims),
    TEXT("Input type", types),
    TEXT("Input Strides", strides),
    TEXT("Concrete Inputs", concrete),
    INT("External id", external_id),
    INT("correlation", correlation),
    INT("stream", stream),
    INT("Sequence number", sequence),
    INT("Seq", comms_sequence),
    INT("bytes", bytes),
    INT("external id", external_id),
    INT("Record function id", record_id),
    INT("Bytes", bytes),
    INT("Total Allocated", total_allocated),
    INT("Total Reserved", total_reserved),
    INT("Device Type", device_type),
    INT("Device Id", device_id),
    INT("Addr", addr),
    {S_INIT("name"), ARG_LABEL, 0},
    {S_INIT("labels"), ARG_LABEL, 0},
    {S_INIT("Call stack"), ARG_STACK, 0},
    {S_INIT("Task Type"), ARG_TASK, 0},
    INT("Stream Id", stream),
    NOISE("Ev Idx"),
    NOISE("Fwd thread id"),
    NOISE("device"),
    NOISE("context"),
    NOISE("queued"),
    NOISE("finished"),
    NOISE("kind"),
    NOISE("memory bandwidth (GB/s)"),
    NOISE("Device"),
    NOISE("Trace name"),
    NOISE("Trace iteration"),
    NOISE("external ts"),
    NOISE("Python id"),
    NOISE("Python parent id"),
    NOISE("Python module id"),
    NOISE("graph node id"),
    NOISE("graph id"),
    NOISE("Addr"),
    NOISE("cbid"),
    NOISE("cid"),
#undef INT
#undef TEXT
#undef NOISE
};

int kineto_arg_of(struct str key)
{
    for (int i = 1; i < (int)(sizeof kineto_args / sizeof *kineto_args); i++)
        if (str_eq(kineto_args[i].key, key))
            return i;
    return 0;
}

struct str kineto_copy_name(struct str way, struct str from, struct str to)
{
    /* Where the memory of the host is not known, nothing is said of it. */
    static const struct {
        struct str way, from, to, name;
    } copies[] = {
#define COPY(way, from, to, name)                                                      \
    {S_INIT(way), S_INIT(from), S_INIT(to), S_INIT("Memcpy " way name)}
        COPY("HtoD", "pageable", "device", " (Pageable -> Device)"),
        COPY("HtoD", "pinned", "device", " (Pinned -> Device)"),
        COPY("DtoH", "device", "pageable", " (Device -> Pageable)"),
        COPY("DtoH", "device", "pinned", " (Device -> Pinned)"),
        COPY("DtoD", "device", "device", " (Device -> Device)"),
        COPY("PtoP", "device", "device", " (Device -> Device)"),
        COPY("HtoD", "", "", ""),
        COPY("DtoH", "", "", ""),
        COPY("DtoD", "", "", ""),
        COPY("PtoP", "", "", ""),
        COPY("HtoH", "", "", ""),
        COPY("HtoA", "", "", ""),
        COPY("AtoH", "", "", ""),
        COPY("AtoA", "", "", ""),
        COPY("AtoD", "", "", ""),
        COPY("DtoA", "", "", ""),
#undef COPY
    };
    for (size_t k = 0; k < sizeof copies / sizeof *copies; k++)
        if (str_eq(copies[k].way, way) &&
            (!copies[k].from.n ||
             (str_eq(copies[k].from, from) && str_eq(copies[k].to, to))))
            return copies[k].name;
    return S("");
}
