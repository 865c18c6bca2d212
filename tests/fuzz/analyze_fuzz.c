/* Any bytes as a trace, as far as the folder: findings, reports, pages and tables; most
 * of them are records with a token or a record changed. */
#include "fuzz_file.h"
#include "record_mutator.h"

#include "commands/commands.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char out[4096];
    if (!out[0]) {
        const char *folder = getenv("TMPDIR");
        snprintf(out, sizeof out, "%s/analyze_fuzz.%d", folder ? folder : "/tmp",
                 (int)getpid());
    }
    struct fuzz_file f = fuzz_file_open(data, size);
    struct options o = {.trace = f.path,
                        .out_dir = out,
                        .platform = "MI300X",
                        .theme = "default",
                        .replay = "auto",
                        .formats = FORMAT_ALL & ~(unsigned)(FORMAT_PNG | FORMAT_XLSX),
                        .threads = 1,
                        .force = true,
                        .quiet = true};
    struct err e = {0};
    if (!analyze_run(&o, &e) && !e.what[0])
        abort();
    close(f.fd);
    return 0;
}
