#include "kernels/event_role.h"

#include "base/name_memo.h"
#include "base/str_pairs.h"

/* Whether a name has one of the words, whatever the case of their letters. */
static bool has_word(struct str name, const char *words)
{
    struct str rest = str_of(words);
    while (rest.n)
        if (str_has_nocase(name, str_take(&rest, S("|"))))
            return true;
    return false;
}

static bool is_copy_call(struct str name)
{
    static const struct str starts[] = {S_INIT("cudaMemcpy"), S_INIT("hipMemcpy"),
                                        S_INIT("cuMemcpy"), S_INIT("musaMemcpy"),
                                        S_INIT("aclrtMemcpy")};
    if (str_has(name, S("MemcpyWithStream")))
        return true;
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
        if (str_starts(name, starts[k]))
            return !str_has(name, S("Async"));
    return false;
}

static bool is_free_call(struct str name)
{
    return str_eq(name, S("cudaFree")) || str_eq(name, S("hipFree")) ||
           (str_starts(name, S("cuMemFree")) && !str_has(name, S("Async")) &&
            !str_has(name, S("Host")));
}

static enum wait_kind wait_of_name(struct str name)
{
    if (str_has(name, S("StreamQuery")) || str_has(name, S("EventQuery")))
        return WAITS_POLL;
    if (str_has(name, S("ynchronize")))
        return str_has(name, S("Event")) || str_has(name, S("Stream")) ? WAITS_SOME
                                                                       : WAITS_ALL;
    return is_copy_call(name)                    ? WAITS_COPY
           : is_free_call(name)                  ? WAITS_FREE
           : str_has(name, S("hsa_signal_wait")) ? WAITS_SOME
                                                 : WAITS_NOT;
}

static enum copy_direction way_of_name(struct str name)
{
    if (has_word(name, "dtoh|device -> host|devicetohost|device_to_host"))
        return COPY_D2H;
    if (has_word(name, "htod|host -> device|hosttodevice|host_to_device"))
        return COPY_H2D;
    if (has_word(name, "dtod|ptop|device -> device|devicetodevice|device_to_device"))
        return COPY_D2D;
    return COPY_OTHER;
}

event_role role_of_name(struct str name)
{
    static const struct {
        event_role bit;
        const char *words;
    } said[] = {
        {ROLE_PAGEABLE, "pageable"},
        {ROLE_PINNED, "pinned"},
        {ROLE_PEER, "ptop|peer"},
        {ROLE_LAUNCHES, "launch"},
        {ROLE_LAUNCHES_KERNEL, "LaunchKernel"},
        {ROLE_LAUNCHES_GRAPH, "GraphLaunch"},
        {ROLE_COPIES, "Memcpy"},
        {ROLE_FILLS, "Memset"},
        {ROLE_ASYNC, "Async"},
        {ROLE_STREAM_WAIT, "StreamWaitEvent"},
        {ROLE_TAKES, "Malloc|MemAlloc|MemCreate"},
        {ROLE_FREES, "Free"},
        {ROLE_GIVES, "Free|MemRelease|MemUnmap"},
        {ROLE_HOST, "Host"},
        {ROLE_MEMORY, "Malloc|MemAlloc|HostAlloc|Free|HostRegister|HostUnregister|"
                      "MemGetInfo|MemPool|PointerGetAttr|MemCreate|MemMap|MemUnmap|"
                      "MemSetAccess|MemAddress|MemRelease|IpcGetMem|IpcOpenMem"},
        {ROLE_LOADS, "ModuleLoad|LibraryLoad|LibraryGet|ModuleGet|KernelGetFunction|"
                     "FuncLoad|FuncGetAttributes|LinkAdd|LinkComplete|nvrtc|hiprtc|"
                     "aclopCompile|opCompile"},
        {ROLE_GRAPH, "GraphInstantiate|BeginCapture|EndCapture|GraphExecUpdate|"
                     "GraphAdd|GraphCreate|GraphDestroy|GraphExecDestroy|GraphUpload|"
                     "GraphClone|GraphGetNodes"},
        {ROLE_CAPTURE_BEGINS, "BeginCapture"},
        {ROLE_CAPTURE_ENDS, "EndCapture"},
    };
    event_role r = ROLE_KNOWN | (event_role)wait_of_name(name) << ROLE_WAIT_SHIFT |
                   (event_role)way_of_name(name) << ROLE_WAY_SHIFT;
    for (size_t k = 0; k < sizeof said / sizeof *said; k++)
        r |= has_word(name, said[k].words) ? said[k].bit : 0;
    return r;
}

static bool is_host(enum memory_place p)
{
    return p == PLACE_HOST || p == PLACE_PAGEABLE || p == PLACE_PINNED;
}

static bool is_device(enum memory_place p)
{
    return p == PLACE_DEVICE || p == PLACE_PEER;
}

event_role role_of_copy(enum memory_place from, enum memory_place to)
{
    enum copy_direction way = is_device(from) && is_host(to)     ? COPY_D2H
                              : is_host(from) && is_device(to)   ? COPY_H2D
                              : is_device(from) && is_device(to) ? COPY_D2D
                                                                 : COPY_OTHER;
    bool pageable = from == PLACE_PAGEABLE || to == PLACE_PAGEABLE,
         pinned = from == PLACE_PINNED || to == PLACE_PINNED,
         peer = from == PLACE_PEER || to == PLACE_PEER;
    return ROLE_KNOWN | (event_role)way << ROLE_WAY_SHIFT |
           (pageable ? ROLE_PAGEABLE : 0) | (pinned ? ROLE_PINNED : 0) |
           (peer ? ROLE_PEER : 0);
}

static uint64_t find_direction(struct str name)
{
    return way_of_name(name);
}

enum copy_direction copy_direction_of(struct str name)
{
    static struct name_memo memo;
    return (enum copy_direction)name_memo_ask(&memo, name, find_direction);
}

bool call_counts_items(struct str name)
{
    return str_among(name, "hipExtModuleLaunchKernel hipHccModuleLaunchKernel");
}
