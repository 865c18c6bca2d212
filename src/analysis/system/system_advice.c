#include "analysis/system/system_advice.h"

#include "analysis/model/finding_title.h"
#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/system/collective_kinds.h"
#include "analysis/system/collective_queue.h"
#include "analysis/system/comm_sizes.h"
#include "analysis/system/device_ahead.h"
#include "analysis/system/host_name.h"
#include "analysis/system/micro_batches.h"
#include "analysis/system/split_load.h"
#include "analysis/system/system_parts.h"

#include <math.h>
#include <stdlib.h>

bool copies_are_small(const struct copy_result *c)
{
    if (c->count == 0)
        return false;
    bool few_bytes = c->bytes >= 0 && c->bytes / (c->count - c->unsized_count) < 65536;
    return few_bytes || (c->count > 50 && c->total_us / (double)c->count < 20);
}

/* "in `load` (prep.py:8)", or "by `aten::copy_`" without stacks, if most are. */
static struct str started_by(struct arena *perm, const struct copy_result *c)
{
    const struct op_share *op = c->ops;
    int64_t count = 0;
    double us = 0;
    if (!c->n_ops)
        return S("by the runtime");
    for (int k = 0; k < c->n_ops; k++)
        if (str_eq(c->ops[k].user, op->user)) {
            count += c->ops[k].count;
            us += c->ops[k].total_us;
        }
    if (2 * count < c->count && 2 * us < c->total_us)
        return S("in several places");
    struct host_name n = host_name_of(perm, op->user);
    return n.place.n ? say(perm, "in {}", said(host_name_text(perm, n.name, n.place)))
                     : say(perm, "by {}", said_name(op->name, 60));
}

/* Of the copies' time, if all crossed the link as pinned ones do at the least. */
static double pin_saves_pct(const struct copy_result *c)
{
    return c->slow_us > 0 ? pct_of(c->total_us - c->slow_us, c->total_us) : 0;
}

/* Of their exposed time, ms: what is left if all of them cross the link as pinned ones
 * do at the least; 0: none is pageable. */
static double pinned_ms(const struct copy_result *c)
{
    double exposed = c->total_us > 0 ? c->exposed_us / c->total_us : 0;
    return c->pageable_count ? c->slow_us / 1e3 * exposed : 0;
}

static double batches_of(const struct analysis *a)
{
    return a->tables ? (double)a->tables->facts.n_data_waits : 0;
}

/* Tensors that autograd saves for the backward pass, kept on the host meanwhile: by
 * hooks of PyTorch (save_on_cpu) and of libraries that train with it. */
static bool keeps_saved(const struct copy_result *c)
{
    const char *const hooks = "pack_to_cpu|unpack_from_cpu|save_on_cpu|"
                              "activation_offload|activations_offload|"
                              "OffloadActivations|ActivationOffload";
    return c->n_ops &&
           (name_has(c->ops[0].caller, hooks) || name_has(c->ops[0].user, hooks));
}

/* The way back runs on autograd's thread, where few traces have frames: then it is as
 * many copies of as many bytes. */
static bool moves_saved(enum copy_direction d, const struct copy_result *copies)
{
    const struct copy_result *c = &copies[d], *out = &copies[COPY_D2H];
    bool back = d == COPY_H2D && keeps_saved(out) && out->bytes > 0 &&
                10 * llabs(c->bytes - out->bytes) <= out->bytes &&
                10 * llabs(c->count - out->count) <= out->count;
    return d != COPY_D2D && (keeps_saved(c) || back);
}

/* Weights that a wrapper copies to the device before each use, or modules that move
 * there and back. */
bool copies_of_weights(const struct copy_result *c)
{
    return c->n_ops &&
           name_has(c->ops[0].caller, "accelerate/hooks|set_module_tensor|offload");
}

static bool moves_weights(enum copy_direction d, const struct copy_result *copies)
{
    const struct copy_result *c = &copies[d], *in = &copies[COPY_H2D],
                             *out = &copies[COPY_D2H];
    bool there_and_back = d != COPY_D2D && 2 * in->module_count >= in->count &&
                          2 * out->module_count >= out->count && in->module_count &&
                          out->module_count;
    return copies_of_weights(c) || there_and_back;
}

/* ZeRO's optimizers, which update on the CPU what they copy back. */
static bool is_of_optimizer(const struct copy_result *c)
{
    const char *const files = "stage_1_and_2.py|zero/stage3|cpu_adam|cpu_lion|"
                              "cpu_adagrad|swap_tensor/optimizer";
    return c->n_ops &&
           (name_has(c->ops[0].caller, files) || name_has(c->ops[0].user, files));
}

bool copies_are_of_library(const struct copy_result *c)
{
    struct str op = c->n_ops ? c->ops[0].name : S("");
    return str_has(op, S("::")) &&
           !name_has(op, "aten::|c10d::|autograd::|profiler::|prims::");
}

/* Copies that a data-parallel wrapper makes of its own: of the module's buffers into
 * one tensor to broadcast and back, or of gradients out of and into the reducer's
 * buckets. */
static struct op_share copies_of_wrapper(const struct copy_result *c, bool buckets)
{
    struct op_share sum = {.count = 0};
    for (int k = 0; k < c->n_ops; k++) {
        const struct op_share *op = &c->ops[k];
        bool is_one = buckets ? str_has(op->name, S("ddp.reducer::"))
                              : name_has(op->caller, "broadcast_coalesced");
        sum.count += is_one ? op->count : 0;
        sum.total_us += is_one ? op->total_us : 0;
    }
    return sum;
}

/* Each device holds a model of its own. */
static bool hold_models(const struct analysis *a)
{
    const struct trace_view *v = a->tables ? a->tables->view : NULL;
    return v && v->devices &&
           devices_hold_models(v->devices, a->tables->traits.training);
}

/* 0: not recorded. */
static double device_gib(const struct analysis *a)
{
    double bytes = a->tables ? trace_device(a->tables->facts.machine).bytes : 0;
    return number_rounded(bytes / (double)(1 << 30), 2);
}

struct pattern_hit *copy_advice(struct arena *perm, struct analysis *a,
                                enum copy_direction d,
                                const struct multi_kernel_result *r, int *n)
{
    const struct copy_result *copies = r->copies, *c = &copies[d];
    int64_t steps = r->step_count;
    double gb = c->bytes > 0 ? (double)c->bytes / 1e9 / (double)(steps ? steps : 1) : 0;
    double count = (double)c->count;
    struct op_share joins = copies_of_wrapper(c, false),
                    buckets = copies_of_wrapper(c, true);
    const char *save = "serialization|checkpoint|save";
    bool offloads = moves_weights(d, copies);
    const char *hooks = "accelerate/hooks|set_module_tensor";
    bool saves = c->n_ops &&
                 (name_has(c->ops[0].caller, save) || name_has(c->ops[0].user, save));
    bool in_forward = c->n_ops && name_has(c->ops[0].user, ": forward");
    const struct work_fact facts[] = {
        FACT("direction", copy_direction_word(d)),
        FACT("by", started_by(perm, c)),
        FACT("count", count),
        FACT("total_ms", c->total_us / 1e3),
        FACT("exposed_ms", c->exposed_us / 1e3),
        FACT("mean_us", c->total_us / count),
        FACT("saves", saves),
        FACT("offloads", offloads),
        FACT("by_hooks", c->n_ops && name_has(c->ops[0].caller, hooks)),
        FACT("device_gib", device_gib(a)),
        FACT("saved", moves_saved(d, copies)),
        FACT("optimizer", is_of_optimizer(c)),
        FACT("foreign", copies_are_of_library(c)),
        FACT("library_op", c->ops[0].name),
        FACT("in_calls", (double)c->ops[0].calls),
        FACT("gb", number_rounded(gb, 2)),
        FACT("in_forward", in_forward),
        FACT("steps", (double)steps),
        FACT("small", copies_are_small(c)),
        FACT("room_ms", a->computation_ms),
        FACT("joins_buffers", (double)joins.count),
        FACT("joins_ms", joins.total_us / 1e3),
        FACT("buckets", (double)buckets.count),
        FACT("buckets_ms", buckets.total_us / 1e3),
        FACT("waited", (double)c->waited_count),
        FACT("repeated", (double)c->repeated_count),
        FACT("in_rows", (double)c->in_row_count),
        FACT("between_devices", (double)c->peer_count),
        FACT("split", !hold_models(a)),
        FACT("pinned", (double)c->pinned_count),
        FACT("pageable", (double)c->pageable_count),
        FACT("pin_saves_pct", pin_saves_pct(c)),
        FACT("pinned_ms", pinned_ms(c)),
        FACT("host_gb_per_s", r->link.pinned_gb_per_s),
        FACT("host_link_gb_per_s", r->link.platform_gb_per_s),
        FACT("batches", batches_of(a))};
    return pattern_host_about(a->patterns, perm, a, S("copies"), facts,
                              (int)(sizeof facts / sizeof *facts), n);
}

/* Gradients are reduced while the backward pass computes the next ones, and not before:
 * the forward pass hides nothing of it. */
static bool reduces_gradients(const struct multi_kernel_result *r)
{
    enum comm_kind_id most = collective_most_exposed(r->comm);
    const struct comm_kind *k = &r->comm[most];
    return (most == COMM_ALL_REDUCE || most == COMM_REDUCE_SCATTER) &&
           2 * k->backward_exposed_us > k->exposed_us && r->backward_us > 0;
}

double comm_room_ms(const struct analysis *a, const struct multi_kernel_result *r)
{
    double computes = reduces_gradients(r)
                          ? fmin(a->computation_ms, r->backward_us / 1e3)
                          : a->computation_ms;
    return fmax(0, computes - (r->comm_merged_ms - a->exposed_comm_ms));
}

static double calls_in_a_row(const struct comm_kind *k)
{
    return k->rows ? (double)k->in_rows / (double)k->rows : 0;
}

/* The kind with the longest call. */
static enum comm_kind_id longest_call(const struct multi_kernel_result *r)
{
    enum comm_kind_id longest = COMM_OTHER;
    for (int k = 0; k < COMM_OTHER; k++)
        if (r->comm[k].max_us > r->comm[longest].max_us || !r->comm[longest].count)
            longest = (enum comm_kind_id)k;
    return longest;
}

enum { COMM_OWN_FACTS = 50 };

struct pattern_hit *comm_advice(struct arena *perm, struct analysis *a,
                                const struct multi_kernel_result *r, int *n)
{
    enum comm_kind_id longest = longest_call(r);
    const struct comm_kind *c = &r->comm[longest];
    enum comm_kind_id most = collective_most_exposed(r->comm);
    const struct comm_kind *e = &r->comm[most];
    struct comm_size typical = comm_size_most(a, longest);
    struct split_load split = {0};
    if (most == COMM_ALL_TO_ALL && a->tables)
        split = split_load_of(*perm, &a->tables->collectives);
    double link =
        a->tables && a->tables->device ? a->tables->device->peer_link_gb_per_s : 0;
    struct work_fact facts[COMM_FACTS + COMM_OWN_FACTS] = {
        FACT("most_kind", comm_kind_word(most)),
        FACT("most_ms", e->total_us / 1e3),
        FACT("most_needs_ms", e->needs_us / 1e3),
        FACT("most_kib", e->mib * 1024 * (double)e->count),
        FACT("most_gb_per_s", e->count >= 8 && e->mib >= 4 ? e->seen_gb_per_s : 0),
        FACT("late_count", (double)e->late_count),
        FACT("late_unsized", (double)e->late_unsized),
        FACT("late_calls", (double)e->count),
        FACT("late_ms", e->late_us / 1e3),
        FACT("late_median_us", e->median_us),
        FACT("waits_pct", collective_waits_pct(e)),
        FACT("fastest_us", e->fastest_us),
        FACT("exposed_ms", a->exposed_comm_ms),
        FACT("comm_ms", r->comm_merged_ms),
        FACT("room_ms", comm_room_ms(a, r)),
        FACT("longest_kind", comm_kind_word(longest)),
        FACT("longest_ms", c->max_us / 1e3),
        FACT("longest_ratio", c->median_us > 0 ? c->max_us / c->median_us : 0),
        FACT("longest_mib", c->mib),
        FACT("longest_median_mib", c->median_mib),
        FACT("longest_median_gb_per_s", c->median_gb_per_s),
        FACT("typical_mib", typical.bytes / 1048576),
        FACT("typical_gb_per_s", typical.median_bus_gb_s),
        FACT("typical_ranks", (double)typical.ranks),
        FACT("far", comm_size_is_far(&typical)),
        FACT("all_reduce_row", calls_in_a_row(&r->comm[COMM_ALL_REDUCE])),
        FACT("slow_link", collective_queue_is_slow(e, most, link)),
        FACT("queued_count", (double)e->large),
        FACT("queued_ms", e->large ? e->large_us / 1e3 / (double)e->large : 0),
        FACT("queued_mib", e->large ? e->large_bytes / 1048576 / (double)e->large : 0),
        FACT("queued_gb_per_s", collective_queue_gb_per_s(e, most)),
        FACT("link_gb_per_s", link),
        FACT("spare_pct", 100 * micro_batches_spare_frac(&r->batches)),
        FACT("reducing", (double)r->batches.reducing),
        FACT("updates", (double)r->batches.updates),
        FACT("gradients_exposed_ms", e->backward_exposed_us / 1e3),
        FACT("wide_ms", e->wide_us / 1e3),
        FACT("scalars_per_step",
             (double)e->scalars / (double)(r->step_count > 0 ? r->step_count : 1)),
        FACT("scalars_exposed_ms", e->scalars_exposed_us / 1e3),
        FACT("norm_exposed_ms", r->sync_norm.exposed_us / 1e3),
        FACT("sharded", r->prefetch.sharded),
        FACT("fsdp2", r->prefetch.second),
        FACT("unprefetched", (double)r->prefetch.pairs),
        FACT("unprefetched_ms", r->prefetch.exposed_us / 1e3),
        FACT("unit_period", (double)r->unit_period),
        FACT("split_ratio", split.ratio),
        FACT("split_low", split.low),
        FACT("split_high", split.high),
        FACT("split_rank", (double)split.rank),
        FACT("split_rank_pct", split.rank_pct)};
    int n_facts = collective_kinds_facts(r->comm, r->step_count, facts, COMM_OWN_FACTS);
    return pattern_host_about(a->patterns, perm, a, S("communication"), facts, n_facts,
                              n);
}

bool hits_have(const struct pattern_hit *hits, int n, struct str id)
{
    for (int i = 0; i < n; i++)
        if (str_eq(hits[i].id, id))
            return true;
    return false;
}

struct str hits_title(const struct pattern_hit *hits, int n)
{
    for (int i = 0; i < n; i++)
        if (hits[i].title.n)
            return hits[i].title;
    return S("");
}

struct str hits_text(struct arena *perm, const struct pattern_hit *hits, int n,
                     bool kernel)
{
    struct str all = S("");
    for (int i = 0; i < n; i++) {
        struct str one = kernel ? hits[i].path_b : hits[i].path_a;
        if (one.n)
            all = say(perm, "{}{}{}", said(all), said(all.n ? " " : ""), said(one));
    }
    return all;
}

struct finding *advised_finding(struct arena *perm, struct analysis *a,
                                const struct pattern_hit *hits, int n,
                                struct str subject, double ms)
{
    struct finding *f =
        add_system_finding(perm, a, WORK_MULTI_KERNEL, hits[0].id, subject, ms);
    f->about = ABOUT_PACE;
    finding_title(perm, f, hits[0].title, S(""));
    f->issue = hits[0].issue;
    f->algorithmic = hits_text(perm, hits, n, false);
    f->kernel = hits_text(perm, hits, n, true);
    f->priority_basis =
        say(perm, "{}% of total time", said_pct(pct_of(ms, a->total_ms)));
    f->informational = hits[0].informational;
    f->confidence = CONFIDENCE_MEDIUM;
    return f;
}
