#include "commands/trace_folder.h"

#include "base/arena.h"
#include "commands/job_inputs.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_file(struct arena tmp, const char *folder, const char *name)
{
    return access(str_printf(&tmp, "%s/%s", folder, name).p, F_OK) == 0;
}

/* A page, with the manifest of its report beside it. */
static bool is_page(struct arena tmp, const char *trace)
{
    const char *slash = strrchr(trace, '/');
    struct str folder = {trace, slash ? slash - trace : 0};
    return str_ends(str_of(trace), S(".html")) &&
           has_file(tmp, folder.n ? str_c(&tmp, folder) : ".", "MANIFEST.txt");
}

bool trace_is_no_folder(struct arena *perm, const char *trace, struct err *e)
{
    struct stat st;
    struct err none = {0};
    struct job_files files = {0};
    if (is_page(*perm, trace))
        return err_set(e, ERR_INPUT, trace, -1,
                       "a page of a report; name the trace that it is about");
    if (stat(trace, &st) != 0 || !S_ISDIR(st.st_mode))
        return true;
    if (has_file(*perm, trace, "MANIFEST.txt"))
        return err_set(e, ERR_INPUT, trace, -1,
                       "the folder of a report: open index.html in it, or name the "
                       "trace that it is about");
    if (!job_files_find(perm, &trace, 1, &files, &none) || !files.n)
        return err_set(e, ERR_INPUT, trace, -1, "is a folder without a trace");
    if (files.n == 1)
        return err_set(e, ERR_INPUT, trace, -1,
                       "is a folder with one trace; name it: tracefolio analyze %.300s",
                       files.paths[0]);
    return err_set(
        e, ERR_INPUT, trace, -1,
        "is a folder with %d traces; name one (%.200s), or read all as ranks "
        "of a job: tracefolio job %.200s -o SITE",
        files.n, files.paths[0], trace);
}
