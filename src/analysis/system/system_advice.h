/* system_advice.h - what the library advises about copies and communication.
 *
 * Gathers the facts that the patterns of copies.lua and communication.lua read. */
#ifndef ANALYSIS_SYSTEM_SYSTEM_ADVICE_H
#define ANALYSIS_SYSTEM_SYSTEM_ADVICE_H

#include "analysis/lua/pattern_host.h"
#include "analysis/model/system_results.h"

/* Of the copies of one direction: what the other directions say tells what some are. */
struct pattern_hit *copy_advice(struct arena *perm, struct analysis *a,
                                enum copy_direction d,
                                const struct multi_kernel_result *r, int *n);
struct pattern_hit *comm_advice(struct arena *perm, struct analysis *a,
                                const struct multi_kernel_result *r, int *n);

/* Path A, or path B, of all hits: their sentences one after the other. */
/* The first title; empty: none has one. */
struct str hits_title(const struct pattern_hit *hits, int n);
bool hits_have(const struct pattern_hit *hits, int n, struct str id);

struct str hits_text(struct arena *perm, const struct pattern_hit *hits, int n,
                     bool kernel);

/* The finding that these hits make, with the first one's title: about `ms` of the run,
 * and about no kernels of its own. Its saving is the caller's. */
struct finding *advised_finding(struct arena *perm, struct analysis *a,
                                const struct pattern_hit *hits, int n,
                                struct str subject, double ms);

/* Below 64 KiB, or many that take no longer than a launch. */
bool copies_are_small(const struct copy_result *c);

/* Weights that a wrapper copies to the device before each use, by its frames. */
bool copies_of_weights(const struct copy_result *c);

/* Most are in an operator of another library, which copies what it is given. */
bool copies_are_of_library(const struct copy_result *c);

/* Communication that computation could still hide: the part not overlapped yet. */
double comm_room_ms(const struct analysis *a, const struct multi_kernel_result *r);

#endif
