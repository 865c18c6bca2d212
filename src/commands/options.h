/* options.h - the command line, read and checked.
 *
 * All strings point into argv. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "base/err.h"
#include "base/str.h"
#include "ci/ci_options.h"
#include "store/store_redact.h"

enum command {
    COMMAND_ANALYZE,
    COMMAND_PLATFORMS,
    COMMAND_PATTERNS,
    COMMAND_THEMES,
    COMMAND_VERIFY,
    COMMAND_COMPARE,
    COMMAND_SUMMARIZE,
    COMMAND_JOB,
    COMMAND_CUT,
    COMMAND_TREE,
    COMMAND_WHATIF,
    COMMAND_PUBLISH,
    COMMAND_REINDEX,
    COMMAND_SHARE_CHECK,
    COMMAND_DEMO,
    COMMAND_HELP,
    COMMAND_VERSION, /* has no name */
    COMMAND_NAMES = COMMAND_VERSION
};

enum format {
    FORMAT_SITE = 1,
    FORMAT_MD = 2,
    FORMAT_CSV = 4,
    FORMAT_XLSX = 8,
    FORMAT_JSON = 16,
    FORMAT_PNG = 32,
    FORMAT_REPLAY = 64,
    FORMAT_EXCERPTS = 128,
    FORMAT_ALL = 255
};

/* What a user says of a device that we do not know; 0: not said. */
struct device_figures {
    double memory_tb_per_s, tflop_per_s, memory_gb;
};

/* Of `tracefolio compare`. Lists are in the order given. */
struct compare_request {
    const char **inputs[2]; /* of the reference, of the candidate */
    int n_inputs[2];
    const char *label[2]; /* NULL: made from the path */
    const char *steps, *match, *allow_setup;
    const char *lender[2]; /* --capture-trace ref=, cand=; NULL: none */
    const char *history;   /* folder of earlier captures of the reference, or NULL */
    const char **floors;
    int n_floors;
};

/* Of `tracefolio summarize` and `tracefolio job`. */
struct job_request {
    const char **inputs; /* in the order given */
    int n_inputs;
    int rank, ranks, gpus_per_node;                    /* rank -1, others 0: not said */
    const char *host, *clock, *link_peak, *rank_regex; /* NULL: not said */
    const char *topology, *names;
    bool resume, redact_hosts, count_start;
    double max_pairs, max_bytes; /* 0: not said */
};

/* Of `tracefolio cut`, whose traces are those of job_request. */
struct cut_request {
    const char *from, *to, *shift; /* NULL: not said */
    bool path;
};

/* Of `tracefolio tree`. */
struct tree_request {
    const char *find, *fields; /* NULL: not said */
    const char *stacks[3];     /* "host" or "device", by enum stack_form */
    double id, depth;          /* id: -1, depth: 0: not said */
    bool parents, subtree, callers, all;
};

/* Of `tracefolio whatif`, whose trace is that of all. */
struct whatif_request {
    const char **changes; /* in the order given */
    int n_changes;
};

struct options {
    enum command command;
    struct whatif_request whatif;
    const char *print; /* "text", "json", of analyze also "md"; NULL: not said */
    struct tree_request tree;
    struct cut_request cut;
    struct compare_request compare;
    struct job_request job;
    const char *trace;            /* or the folder to verify, the topic of help */
    const char *out_dir;          /* NULL: analysis_output beside the trace */
    const char *platform;         /* name, path of a JSON file, or "none" */
    const char *model;            /* name of the model, or NULL */
    const char *theme;            /* name, or a folder */
    const char *node, *container; /* where the trace is; NULL: this machine */
    const char *replay;           /* "auto", "none", or operators separated by commas */
    const char *single_file;      /* the site as one file, or NULL */
    const char *notes;            /* markdown for the first page, or NULL */
    const char *base_url;         /* where the site will be, or NULL */
    const char *tlparse;          /* tlparse's folder, to link to, or NULL */
    const char *capture_trace;    /* whose operators graph launches get, or NULL */
    const char *baseline_out;     /* where the capture goes too, or NULL */
    const char **extensions;      /* Lua files, in the order given */
    int n_extensions;
    const char **gates; /* --fail-on, in the order given */
    int n_gates;
    bool require_gates; /* one that is not evaluated fails the run */
    struct ci_options ci;
    const char *root;        /* of publish and reindex */
    const char *share;       /* "internal", "partner", "public"; NULL: not said */
    enum redact_level level; /* what share asks of analyze */
    bool hide_shapes;        /* removed before the analysis */
    bool kits;               /* packages also at the level public */
    const char *forbid;      /* a file of words that must not leave; or NULL */
    double keep, keep_days, lock_wait_s;
    double max_memory, max_output; /* bytes; 0: no limit */
    bool strict;                   /* what fails in an extension fails the run */
    unsigned formats;              /* enum format */
    bool formats_asked;            /* by --formats */
    int single_file_limit_mb;
    int threads;
    double idle_threshold_pct;
    struct device_figures figures; /* of a device that has no file */
    bool include_unlinked;         /* the default by now: a no-op with a note */
    bool exclude_unlinked, include_backlog;
    bool all_pictures; /* every chart as PNG, not only the main ones */
    bool detect_recompute, embed_replay, force, quiet, verbose;
    bool no_system_impact, fair_by_number, no_markers, emit_analysis_md, stamp;
    bool help, version;
};

struct arena;

/* Trace and platform may still be missing: see options_complete.h. */
MUST_CHECK bool options_read(struct options *o, int argc, char **argv,
                             struct arena *perm, struct err *e);

/* The command of a name; COMMAND_NAMES: there is none. */
enum command command_of(struct str word);
struct str command_name(enum command c); /* of one that has a name */

/* The number of an option ("--steps") that a command takes; -1: it takes none of that
 * name. */
enum { OPTIONS_MOST = 128 };
int command_option(enum command c, struct str option);

/* Whether the device is described by figures on the command line. */
bool options_have_figures(const struct options *o);

/* Of --print. */
bool options_print_json(const struct options *o);

/* Whether analyze prints its result and writes no folder. */
bool options_print_alone(const struct options *o);

/* "site,md,csv": the names of the formats in the set. */
struct str options_formats(struct arena *a, unsigned formats);

#endif
