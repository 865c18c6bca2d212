/* Any text as an extension: it is run in its sandbox, and fails there if it fails. */
#include "fuzz_file.h"

#include "analysis/lua/pattern_host.h"
#include "base/arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file f = fuzz_file_open(data, size);
    struct arena perm = arena_reserve(1 << 26);
    char *start = perm.at;
    const char *paths[] = {f.path};
    struct pattern_host *host = NULL;
    struct err e = {0};
    if (!pattern_host_open(&host, &perm, NULL, 0, paths, 1, &e) && !e.what[0])
        abort();
    if (host)
        pattern_host_close(host);
    arena_release(start, &perm);
    close(f.fd);
    return 0;
}
