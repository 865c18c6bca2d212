/* library_case.h - for tests only: the shipped patterns, from their files. */
#ifndef ANALYSIS_LIBRARY_CASE_H
#define ANALYSIS_LIBRARY_CASE_H

#include "analysis/lua/pattern_host.h"
#include "base/arena.h"

#include <assert.h>
#include <stdio.h>

static const char *const library_names[] = {
    "all_calls", "arithmetic", "gemm",          "attention",   "elementwise", "reduce",
    "triton",    "moe",        "norm",          "convolution", "indices",     "other",
    "general",   "copies",     "communication", "host",        "fusion",      "pace",
    "unknown",   "devices",    "gradients",     "modules",     "loops"};
enum { LIBRARY_FILES = sizeof library_names / sizeof *library_names };

/* Tests run in the root of the tree. */
static inline struct str library_file(struct arena *perm, const char *path)
{
    enum { MOST = 1 << 17 };
    FILE *f = fopen(path, "rb");
    assert(f);
    char *p = arena_new(perm, char, MOST);
    size_t n = fread(p, 1, MOST, f);
    fclose(f);
    assert(n > 0 && n < MOST);
    return (struct str){p, (ptrdiff_t)n};
}

static inline struct pattern_host *
library_open(struct arena *perm, const char *const *extensions, int n_extensions)
{
    struct pattern_source sources[LIBRARY_FILES];
    struct pattern_host *host = NULL;
    struct err e = {0};
    for (int i = 0; i < LIBRARY_FILES; i++) {
        const char *path =
            str_c(perm, str_printf(perm, "assets/patterns/%s.lua", library_names[i]));
        sources[i] = (struct pattern_source){str_of(path), library_file(perm, path)};
    }
    bool done = pattern_host_open(&host, perm, sources, LIBRARY_FILES, extensions,
                                  n_extensions, &e);
    assert(done);
    return host;
}

#endif
