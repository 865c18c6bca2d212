/* simulator_inner.h - what the two halves of the simulator share: simulator.c has the
 * frames of the host, simulator_call.c what the host asks of the device. */
#ifndef SAMPLE_SIMULATOR_INNER_H
#define SAMPLE_SIMULATOR_INNER_H

#include "simulator.h"

struct host_thread *sim_running(struct simulator *s);

/* The host works; at least one nanosecond, so that no two frames of a thread start
 * together. */
void sim_pass(struct simulator *s, double ns);

/* Its External id; 0: no operator is open. */
int64_t sim_innermost_op(const struct host_thread *t);

/* Appends to text of FRAME_ARGS bytes; a list too long for it is a bug of the caller.
 */
int sim_put(char *text, int at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The text; in a hostile trace one argument in eleven is another one. */
const char *sim_argument_text(struct simulator *s, const char *text);

#endif
