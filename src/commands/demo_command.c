/* `tracefolio demo`: a report of a trace that ships inside. */
#include "commands/commands.h"

#include "analysis/trace_analyse.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern const char demo_trace_at[], demo_trace_end[]; /* demo_bytes.S */

/* A file in memory, as the reader expects. */
static int open_trace(struct err *e)
{
    size_t n = (size_t)(demo_trace_end - demo_trace_at), done = 0;
    int fd = memfd_create("demo", MFD_CLOEXEC);
    while (fd >= 0 && done < n) {
        ssize_t wrote = write(fd, demo_trace_at + done, n - done);
        if (wrote <= 0)
            break;
        done += (size_t)wrote;
    }
    if (fd >= 0 && done == n && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    (void)err_set(e, ERR_OUTPUT, "the trace of the demo", -1,
                  "no memory to unpack it: %s", strerror(errno));
    return -1;
}

bool demo_run(const struct options *o, struct err *e)
{
    struct options demo = *o;
    demo.trace = "demo.json.gz";
    demo.platform = "MI300X";
    if (!demo.out_dir)
        demo.out_dir = "tracefolio-demo";
    struct trace_source source = {.path = demo.trace, .from_fd = true};
    source.fd = open_trace(e);
    return source.fd >= 0 && analyze_source(&demo, &source, e);
}
