/* collective_facts.h - what a trace says of one collective: in the arguments of its
 * kernel, of the operator that launched it, or of the annotation around the launch; and
 * at last in the kernel's name. Each field is from the first of these that has it. */
#ifndef CAPTURE_COLLECTIVE_FACTS_H
#define CAPTURE_COLLECTIVE_FACTS_H

#include "capture/capture.h"
#include "capture/collective_kind.h"
#include "ops/trace_view.h"

struct collective_facts {
    enum collective_kind kind;
    struct capture_signature s; /* its group and kind are not set */
    struct str group_name, group_description, group_ranks; /* ranks: "[0, 1]" */
    int64_t group_size, first_rank, stride;                /* -1: not recorded */
    int64_t sequence, issue_ns;
    enum sequence_source sequence_source;
    int32_t peer; /* of a send or receive; -1 */
};

/* Finds annotations by the thread and time of a launch. */
struct annotation_index {
    struct call_tree notes;
    int32_t *first; /* by lane: where its positions start in notes.order */
};

struct annotation_index annotations_index(struct arena *perm, struct arena tmp,
                                          const struct event_store *s);

struct collective_facts collective_facts_of(struct arena *perm,
                                            const struct trace_view *v,
                                            const struct annotation_index *x,
                                            event_id gpu);

#endif
