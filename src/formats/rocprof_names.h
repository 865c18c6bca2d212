/* rocprof_names.h - what the records of rocprofv3 call things by number: kernels,
 * operations of an interface, devices. */
#ifndef FORMATS_ROCPROF_NAMES_H
#define FORMATS_ROCPROF_NAMES_H

#include "base/int_map.h"
#include "base/machine.h"
#include "base/name_pool.h"

struct rocprof_names {
    struct name_pool texts;
    struct arena memory;
    char *start;
    struct int_map kernels;    /* by id: name */
    struct int_map operations; /* by kind and operation: name */
    struct int_map messages;   /* of markers, by correlation: text */
    struct int_map gpus;       /* by handle of an agent: place among the GPUs */
    struct machine_device *devices;
    int n_devices;
    name_id host;
};

void rocprof_names_open(struct rocprof_names *n);
void rocprof_names_close(struct rocprof_names *n);

/* Each reads one decoded value of the document. */
void rocprof_add_kernel(struct rocprof_names *n, const struct value *symbol);
void rocprof_add_operations(struct rocprof_names *n, const struct value *kinds);
void rocprof_add_message(struct rocprof_names *n, const struct value *message);
void rocprof_add_agent(struct rocprof_names *n, const struct value *agent);
void rocprof_add_metadata(struct rocprof_names *n, const struct value *metadata);

/* The text, or -1. */
name_id rocprof_kernel(const struct rocprof_names *n, int64_t id);
name_id rocprof_operation(const struct rocprof_names *n, int64_t kind,
                          int64_t operation);

/* Place among the GPUs, or -1. */
int rocprof_gpu(const struct rocprof_names *n, int64_t agent);

/* A whole number under keys "a.b"; NO_ID: none. */
int64_t rocprof_number(const struct value *map, const char *key);
int64_t rocprof_inner(const struct value *map, const char *key, const char *inner);

#endif
