#include "capture/capture_tables.h"

#include "analysis/model/system_results.h"

static VIEW(block, capture_block, F(dur_ns, NS),
            AS("start_ns_delta", start_ns, DELTA_NS));

_Static_assert((int)CAPTURE_CAUSES == (int)IDLE_CLASSES_OF_ALL, "a column for each");

#define CAUSE(word, id) AS("idle_" word "_ns", cause_ns[IDLE_##id], NS)

/* A cause is between idle_ns and its neighbours. */
static VIEW(collective, capture_collective, F(compute_ns, NS), F(copy_ns, NS),
            F(dur_ns, NS), CAUSE("cpu_work", CPU_WORK), CAUSE("dispatch", DISPATCH),
            CAUSE("first_launch", FIRST_LAUNCH), CAUSE("graph", GRAPH),
            CAUSE("hidden", HIDDEN), CAUSE("host_bound", HOST_BOUND),
            CAUSE("latency", LATENCY), CAUSE("launch", LAUNCH), CAUSE("load", LOAD),
            CAUSE("memory", MEMORY), CAUSE("nothing", NOTHING), F(idle_ns, NS),
            CAUSE("python", PYTHON), CAUSE("queued", QUEUED), CAUSE("runtime", RUNTIME),
            CAUSE("sync", SYNC), CAUSE("unlinked", UNLINKED), F(issue_ns, NS),
            F(other_wait_ns, NS), F(peer, KNOWN), F(sequence, NUMBER),
            ENUM(sequence_source, NULL, SEQUENCE_COMMS_ID + 1), F(signature, NUMBER),
            AS("start_ns_delta", start_ns, DELTA_NS), F(stream, NUMBER));

static VIEW(code, capture_code, F(break_ns, SUM_NS), F(breaks, COUNT), F(calls, COUNT),
            F(device_ns, SUM_NS), F(frame, KNOWN), F(host_ns, SUM_NS),
            F(kernels, COUNT), F(kind, TEXT), F(name, TEXT), F(version, KNOWN));

static VIEW(event, capture_event, F(begins, FLAG), SPAN("dur_ns", NS, start_ns, end_ns),
            F(kernel, TEXT), F(row, NUMBER), AS("start_ns_delta", start_ns, DELTA_NS),
            F(stream, NUMBER));

static VIEW(told_finding, finding, AS("advice", algorithmic, TEXT),
            ENUM(category, work_category_name, WORK_CATEGORIES), F(id, TEXT),
            F(informational, FLAG), F(issue, TEXT), ENUM(priority, NULL, PRIORITIES),
            F(time_ms, MS), F(title, TEXT));

static VIEW(gap, capture_idle, F(cause, TEXT), F(ns, NS), F(step, KNOWN));

static VIEW(group, capture_group, F(description, TEXT), F(key, HEX), F(name, TEXT),
            F(size, COUNT), F(source, TEXT));

static VIEW(histogram, capture_bin, F(bin, NUMBER), F(n, COUNT), F(row, NUMBER));

static VIEW(layer, capture_layer, F(backward_ns, SUM_NS), F(calls, COUNT),
            F(class, TEXT), F(forward_ns, SUM_NS), F(idle_ns, SUM_NS), F(name, TEXT));

static VIEW(measure, capture_measure, F(name, TEXT), F(value, EXACT));

static VIEW(operator, capture_row, F(base, TEXT), F(byte, EXACT),
            ENUM(category, work_category_name, WORK_CATEGORIES), F(compute_spec, TEXT),
            F(concrete, TEXT), F(dims, TEXT), F(flop, EXACT), F(host_ns, SUM_NS),
            F(kernel, TEXT), F(kernel_ns, NS), F(n_calls, COUNT), F(n_events, COUNT),
            F(name, TEXT), F(node, NUMBER), F(parent, TEXT),
            ENUM(part, NULL, DEVICE_PARTS), F(replayed, FLAG), F(strides, TEXT),
            F(types, TEXT), F(unlinked, FLAG));

static VIEW(path, capture_node, F(depth, COUNT), F(module, FLAG), F(name, TEXT),
            F(parent, KNOWN));

static VIEW(setup_line, capture_setup_line, F(value, TEXT), F(what, TEXT));

static VIEW(signature, capture_signature, F(custom, FLAG), F(dtype, TEXT),
            F(group, KNOWN), F(in_elements, KNOWN), F(in_split, TEXT), F(kind, TEXT),
            ENUM(kind_source, NULL, FACT_NAME + 1), F(name, TEXT),
            F(out_elements, KNOWN), F(out_split, TEXT), F(root, KNOWN),
            ENUM(size_source, NULL, FACT_NAME + 1));

static VIEW(step, capture_step, AS("context_requests", requests[0], EXACT),
            SPAN("dur_ns", NS, start_ns, end_ns),
            AS("generation_requests", requests[1], EXACT), F(kept, FLAG),
            F(new_tokens, EXACT), F(number, NUMBER), F(phase, TEXT),
            F(seen_tokens, EXACT), AS("start_ns_delta", start_ns, DELTA_NS),
            F(steady, FLAG));

static VIEW(recording, capture_ranks, F(computation_ns, NS), F(end_ns, NS),
            AS("exposed_communication_ns", exposed_comm_ns, NS), F(exposed_copy_ns, NS),
            F(idle_ns, NS), F(start_ns, NS));

static VIEW(window, capture, F(backlog_ns, NS), F(computation_ns, NS), F(end_ns, NS),
            AS("exposed_communication_ns", exposed_comm_ns, NS), F(exposed_copy_ns, NS),
            F(idle_ns, NS), F(n_backlog, COUNT), F(start_ns, NS), F(unlinked_ns, NS));

static VIEW(meta, capture, AS("backend", ranks.backend, NAME),
            AS("base_ns", origin.base_ns, EPOCH_NS), AS("bytes", origin.bytes, KNOWN),
            AS("compute_units", origin.device.compute_units, COUNT),
            AS("device", origin.device.name, NAME),
            AS("device_bytes", origin.device.bytes, BYTES),
            AS("file", origin.file, NAME), AS("folder", ranks.folder, NAME),
            F(has_operators, FLAG), F(has_shapes, FLAG), F(has_stacks, FLAG),
            AS("host", ranks.host, NAME), AS("is_merged", ranks.is_merged, FLAG),
            AS("kernel_ns", ranks.kernel_ns, SUM_NS),
            AS("library", ranks.library, NAME), AS("n_devices", ranks.n_devices, COUNT),
            AS("platform", origin.platform, NAME), AS("rank", ranks.rank, KNOWN),
            STRUCT_AS("recording", ranks, recording), AS("sha256", origin.sha256, NAME),
            AS("tool", origin.tool, NAME),
            AS("trace_base_ns", origin.trace_base_ns, EPOCH_NS),
            AS("vendor", origin.vendor, NAME), PART("window", window),
            AS("world_size", ranks.world_size, KNOWN));

VIEW(capture_file, capture, LIST_AS("blocks", ranks.blocks, ranks.n_blocks, block),
     LIST_AS("collectives", ranks.collectives, ranks.n_collectives, collective),
     LIST(compiled, n_compiled, code),
     LIST_AS("covers", ranks.covers, ranks.n_covers, block),
     LIST(events, n_events, event), LIST(findings, n_findings, told_finding),
     LIST_AS("gaps", idle, n_idle, gap),
     LIST_AS("groups", ranks.groups, ranks.n_groups, group),
     LIST_AS("histograms", bins, n_bins, histogram), LIST(layers, n_layers, layer),
     PART("meta", meta), LIST(measured, n_measured, measure),
     LIST_AS("operators", rows, n_rows, operator),
     LIST_AS("p2p", ranks.p2p, ranks.n_p2p, collective),
     LIST_AS("paths", nodes, n_nodes, path), LIST(setup, n_setup, setup_line),
     LIST_AS("signatures", ranks.signatures, ranks.n_signatures, signature),
     LIST(steps, n_steps, step));

struct str capture_part_name(int part)
{
    static const struct str more[] = {S_INIT("exposed_communication"),
                                      S_INIT("exposed_copy"), S_INIT("idle")};
    return part < WORK_CATEGORIES ? work_category_name((enum work_category)part)
                                  : more[part - WORK_CATEGORIES];
}
