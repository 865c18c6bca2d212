/* nsys_nccl.h - what NCCL says of each message: the payloads of its ranges in Nsight's
 * exports, and the kernels that they belong to.
 *
 * NCCL opens an NVTX range in each of its functions, with the communicator, the bytes
 * of the message, and a root or a peer. Exports have them as NVTX_EVENTS.binaryData, if
 * made with --include-blobs=true: four numbers of 64 bits (domain, schema, length and
 * place of what follows), then a struct whose members NVTX_PAYLOAD_SCHEMA_ENTRIES
 * names. Types of elements are not recorded, so sizes are bytes. */
#ifndef FORMATS_NSYS_NCCL_H
#define FORMATS_NSYS_NCCL_H

#include "formats/sqlite_source.h"

struct nsys_nccl;

/* Reads the schemas; *out is NULL if the file has none, which all others accept. */
MUST_CHECK bool nsys_nccl_open(struct sqlite_source *s, struct nsys_nccl **out,
                               struct err *e);

/* A range of NCCL on a thread, and its payload, which may be empty. */
void nsys_nccl_range(struct sqlite_source *s, struct nsys_nccl *n, int64_t thread,
                     const struct event *ev, struct str payload);

/* A call of the CUDA runtime or driver, after all ranges: whether it launches the
 * kernel of one of them. */
void nsys_nccl_call(struct sqlite_source *s, struct nsys_nccl *n, int64_t thread,
                    const struct event *ev);

/* What is said of the kernel that the call with this correlation launched, as a member
 * of its `rest` with a comma behind it, which nsys_nccl_collective reads. */
void nsys_nccl_put(struct out *o, struct nsys_nccl *n, int64_t correlation);
collective_read nsys_nccl_collective;

#endif
