/* lane_boxes.h - the events of a lane as boxes, no more than there is room for.
 *
 * While they fit, each event is a box. When they do not, neighbours that are shorter
 * than a limit are merged within windows of that length, and the limit grows until they
 * fit. A merged box keeps how many events it holds, how long they last together and the
 * longest of them, so the sums of a lane are the same at any limit. Events come by
 * start and share no time. The same events give the same boxes. */
#ifndef OPS_LANE_BOXES_H
#define OPS_LANE_BOXES_H

#include <stdbool.h>
#include <stdint.h>

struct arena;

struct lane_box {
    int64_t start_ns, end_ns;
    int64_t busy_ns;    /* of its events; end - start if there is one */
    int64_t longest_ns; /* of them */
    int32_t n, name;    /* name: of the longest, the earlier of equal ones */
    int32_t more;       /* what else is known of that one; -1: nothing */
};

struct lane_boxes {
    struct lane_box *at;
    int32_t n, room;
    int64_t below_ns;  /* shorter boxes are merged; 0: none is */
    int64_t window_ns; /* where the window ends that the last box begins in */
};

struct lane_boxes lane_boxes_make(struct arena *a, int32_t room);

/* Time of no length is left out. */
void lane_boxes_add(struct lane_boxes *b, int64_t start_ns, int64_t end_ns,
                    int32_t name);

/* The last box goes on: the same event after what interrupted the count. */
void lane_boxes_extend(struct lane_boxes *b, int64_t end_ns);

/* Raises the limit once: false if nothing is left to merge. */
bool lane_boxes_coarsen(struct lane_boxes *b);

#endif
