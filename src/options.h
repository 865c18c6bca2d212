/* options.h - the command line, read and checked; nothing is done yet.
 *
 * Texts are those of argv. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "base/err.h"

enum command {
    COMMAND_ANALYZE,
    COMMAND_PLATFORMS,
    COMMAND_VERIFY,
    COMMAND_HELP,
    COMMAND_VERSION
};

enum format {
    FORMAT_SITE = 1,
    FORMAT_MD = 2,
    FORMAT_CSV = 4,
    FORMAT_XLSX = 8,
    FORMAT_JSON = 16,
    FORMAT_PNG = 32,
    FORMAT_ALL = 63
};

struct options {
    enum command command;
    const char *trace;    /* or the folder to verify */
    const char *out_dir;  /* NULL: analysis_output beside the trace */
    const char *platform; /* name, path of a JSON file, or "none" */
    const char *model;    /* what the user calls the model; NULL: not said */
    const char *theme;
    unsigned formats; /* enum format */
    int threads;
    bool include_unlinked, detect_recompute, force, quiet, verbose;
};

MUST_CHECK bool options_read(struct options *o, int argc, char **argv, struct err *e);

extern const char options_help[];

#endif
