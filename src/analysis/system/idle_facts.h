/* idle_facts.h - what patterns with the scope "idle" are asked about a group of idle
 * time (assets/patterns/README.md). */
#ifndef ANALYSIS_SYSTEM_IDLE_FACTS_H
#define ANALYSIS_SYSTEM_IDLE_FACTS_H

#include "analysis/model/work_facts.h"

struct analysis;
struct arena;
struct event_store;
struct idle_group;
struct idle_result;
struct tree_index;

enum { IDLE_FACTS = 128 };

struct idle_facts {
    struct work_fact list[IDLE_FACTS];
    int n;
};

void idle_number(struct idle_facts *f, const char *key, double v);
void idle_text(struct idle_facts *f, const char *key, struct str s);

/* A data loader is there, whatever a group is in. */
bool idle_has_loader(const struct event_store *s);

/* Where its gaps are, most first; with `times`, how long each. */
struct str idle_where_text(struct arena *perm, const struct idle_group *g, bool times);

/* Appends all of them. Texts are in `perm`, or live as long as the analysis. */
void idle_facts_of(struct arena *perm, const struct analysis *a,
                   const struct tree_index *t, const struct idle_result *r,
                   const struct idle_group *g, struct idle_facts *f);

#endif
