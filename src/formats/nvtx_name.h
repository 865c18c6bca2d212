/* nvtx_name.h - what the name of a range of NVTX or rocTX says.
 *
 * PyTorch's emit_nvtx writes an operator as "aten::mm, seq = 5, op_id = 7, sizes =
 * [[2, 3], [3, 4]], input_op_ids = [(6,0)]". Any other range is an annotation. */
#ifndef FORMATS_NVTX_NAME_H
#define FORMATS_NVTX_NAME_H

#include "trace/event.h"

/* Sets category, name, and of an operator sequence number and shapes. `text` lives as
 * long as the event. */
void nvtx_name(struct event *ev, struct str text);

/* Whether a range that PyTorch recorded is an operator: those that a program opens have
 * spaces or numbers in their names, as "ProfilerStep#3", and those of the communication
 * library a prefix. Autograd's own have one space. */
bool nvtx_is_operator(struct str name);

#endif
