#include "report/more_shown.h"

#include "analysis/facts/model_use.h"
#include "analysis/model/counters.h"
#include "analysis/stack/compiled.h"
#include "analysis/stack/layers.h"
#include "analysis/system/comm_sizes.h"
#include "kernels/event_role.h"
#include "kernels/kernel_name.h"
#include "report/table_fields.h"
#include "whatif/path_parts.h"

#include <math.h>
#include <string.h>

static struct field_items first_of(const void *first, int n)
{
    return (struct field_items){.first = first,
                                .n = n < MORE_PAGE_ROWS ? n : MORE_PAGE_ROWS};
}

/* Layers. */

static FIELDS(layer, F(name, TEXT), AS("class", class, TEXT), F(calls, COUNT),
              F(kernels, COUNT), AS("forward_ms", forward_ns, NS_IN_MS),
              AS("backward_ms", backward_ns, NS_IN_MS),
              AS("idle_ms", idle_ns, NS_IN_MS), F(share_pct, PCT), F(off_pct, PCT),
              F(bytes, BYTES), F(efficiency_pct, PCT), F(covered_pct, PCT),
              AS("differs", off, FLAG));
static FIELDS(layer_class, F(name, TEXT), AS("layers", n, COUNT),
              AS("time_ms", total_ms, MS), F(mean_ms, MS),
              AS("median_ms", median_ns, NS_IN_MS), AS("least_ms", least_ns, NS_IN_MS),
              AS("most_ms", most_ns, NS_IN_MS), F(share_pct, PCT),
              AS("backward_ms", backward_ns, NS_IN_MS), AS("differ", n_off, SOME));
FIELDS(layers, AS("period", period, SOME), LIST(classes, n_classes, layer_class),
       LIST_WITHIN(1 << 16, "layers", rows, n, layer));
TELL(struct field_items, page_layers, layers, first_of(it->rows, it->n));
TELL(bool, has_backward, layers, it->classes[0].backward_ns > 0);
TELL(bool, has_models, layers,
     it->n && !isnan(it->rows[0].covered_pct) && it->rows[0].covered_pct > 0);
/* NaN: each layer ran once, so that its time says it. */
TELL(double, several_ms, layers,
     it->n && it->rows[it->classes[0].first].calls > 1 ? layers_call_ms(it)
                                                       : (double)NAN);
TELL(struct str, first_class, layers, it->classes[0].name);
TELL(int64_t, first_layers, layers, it->classes[0].n);
TELL(double, layer_ms, layers, layers_call_ms(it));
TELL(double, layer_pct, layers, it->classes[0].share_pct);
TELL(int64_t, layers_off, layers, it->classes[0].n_off);
VIEW(summed_layers, layers, CALL_AS("name", TEXT, first_class),
     CALL_AS("layers", COUNT, first_layers), CALL_AS("call_ns", MS_IN_NS, layer_ms),
     CALL_AS("share_pct", PCT, layer_pct), CALL_AS("differ", COUNT, layers_off));
static VIEW(shown_layers, layers, AS("period", period, SOME),
            LIST(classes, n_classes, layer_class), CALL(backward, FLAG, has_backward),
            CALL(models, FLAG, has_models), CALL_AS("a_call_ms", MS, several_ms),
            CALL_LIST(rows, layer, page_layers));
COLUMNS(layer_columns, layer, COL(F(name, NAME), "Instance of a module"),
        COL(AS("class", class, NAME), "Its class"),
        COL_IN(COUNT, F(calls, COUNT), "Calls in the recording, recomputation apart"),
        COL_IN(COUNT, F(kernels, COUNT),
               "Device events that it and its backward start"),
        COL_IN(MS, AS("forward_ms", forward_ns, NS_IN_MS), "Sum of their durations"),
        COL_IN(MS, AS("backward_ms", backward_ns, NS_IN_MS),
               "The same of its backward, with what is recomputed there"),
        COL_IN(MS, AS("idle_ms", idle_ns, NS_IN_MS),
               "Between the first and the last of a forward call, nothing of it ran"),
        COL_IN(PERCENT, F(share_pct, PCT), "Of all device time"),
        COL_IN(PERCENT, F(off_pct, PCT), "From the median of its class"),
        COL(F(bytes, BYTES), "Moved, by performance models"),
        COL_IN(PERCENT, F(efficiency_pct, PCT),
               "Of the peak that binds, by performance models, weighted by time"),
        COL_IN(PERCENT, F(covered_pct, PCT), "Of its time: has a performance model"));

/* Modules by class. */

static FIELDS(module_row, F(name, TEXT), F(instances, COUNT), F(calls, COUNT),
              AS("own_ms", own_ns, NS_IN_MS), AS("below_ms", below_ns, NS_IN_MS),
              F(share_pct, PCT), F(bytes, BYTES));
FIELDS(modules, LIST_WITHIN(1 << 16, "rows", rows, n, module_row));
enum { MODULE_ROWS = 25 };
TELL(struct field_items, page_modules, modules,
     (struct field_items){it->rows, it->n < MODULE_ROWS ? it->n : MODULE_ROWS, 0,
                          false});
TELL(bool, some_memory, modules, !isnan(it->rows[0].bytes));
static VIEW(shown_modules, modules, CALL(some_memory, FLAG, some_memory),
            CALL_LIST(rows, module_row, page_modules));
COLUMNS(module_columns, module_row, COL(F(name, NAME), "Class of modules"),
        COL_IN(COUNT, F(instances, COUNT), "That ran"),
        COL_IN(COUNT, F(calls, COUNT), "In the recording, recomputation apart"),
        COL_IN(MS, AS("own_ms", own_ns, NS_IN_MS),
               "Device time that their calls launch outside of other modules in them"),
        COL_IN(MS, AS("below_ms", below_ns, NS_IN_MS), "With that of these"),
        COL_IN(PERCENT, F(share_pct, PCT), "Of all device time, with that of these"),
        COL(F(bytes, BYTES), "Held at the peak of memory"));

/* Model FLOP utilisation by step. */

static FIELDS(model_use_step, AS("step", number, NUMBER), F(steady, FLAG),
              F(time_ms, MS), F(tflop, FINE), F(tflop_per_s, FINE), F(mfu_pct, PCT),
              F(hfu_pct, PCT));
VIEW(mfu_steps, model_use, LIST_WITHIN(1 << 16, "steps", steps, n, model_use_step));
TELL(bool, some_mfu, model_use, !isnan(it->mfu_pct));
TELL(bool, some_hfu, model_use, !isnan(it->hfu_pct));
TELL(struct field_items, page_mfu, model_use, first_of(it->steps, it->n));
static VIEW(shown_mfu_steps, model_use, CALL(some_mfu, FLAG, some_mfu),
            CALL(some_hfu, FLAG, some_hfu), CALL_LIST(rows, model_use_step, page_mfu));
COLUMNS(mfu_columns, model_use_step, COL(AS("step", number, NUMBER), "Its number"),
        COL(F(steady, FLAG), "Whether it counts for the figures of the run"),
        COL_IN(MS, F(time_ms, MS), "Of the step"),
        COL(F(tflop, FINE), "By performance models, on all devices, recomputation "
                            "apart"),
        COL(F(tflop_per_s, FINE), "That by the time"),
        COL_IN(PERCENT, F(mfu_pct, PCT), "Of the dense peak of each type"),
        COL_IN(PERCENT, F(hfu_pct, PCT), "The same with what is recomputed"));

/* Collectives by size. */

static FIELDS(comm_size, ENUM(kind, collective_word, COLLECTIVE_KINDS), F(dtype, TEXT),
              F(group, TEXT), F(ranks, COUNT), F(bytes, BYTES), AS("calls", n, COUNT),
              AS("time_ms", sum_ms, MS), F(min_us, US), F(median_us, US),
              AS("algorithm_gb_per_s", algorithm_gb_s, RATE),
              AS("bus_gb_per_s", bus_gb_s, RATE),
              AS("median_bus_gb_per_s", median_bus_gb_s, RATE), F(link_pct, PCT),
              F(small, FLAG));
TELL(bool, is_slowed, comm_sizes, it->slowed_pct >= 1); /* less is noise */
TELL(double, link_rate, comm_sizes, it->link_gb_s > 0 ? it->link_gb_s : (double)NAN);
static VIEW(size_sums, comm_sizes, AS("best_bus_gb_per_s", best_bus_gb_s, RATE),
            CALL(link_gb_per_s, RATE, link_rate), AS("link_pct", best_link_pct, PCT),
            F(latency_us, US), AS("time_ms", total_ms, MS),
            AS("small_calls", n_small, COUNT), F(small_ms, MS),
            AS("kernels_beside", n_beside, COUNT), F(beside_ms, MS), F(slowed_pct, PCT),
            F(lost_ms, MS));

/* All of one kind, size and number of ranks, whatever their type and group, as
 * comparisons have them: what can be followed from run to run. */
struct size_sum {
    const struct comm_size *first;
    int64_t n;
    double sum_ms, bus_gb_s; /* of the shortest call */
    bool small;              /* all of them are */
};

/* Those of the longest SUMMED_SIZES kinds and sizes, in the order of their first rows.
 */
enum { SUMMED_SIZES = 16 };
static struct field_items sums_of(const struct described *in)
{
    const struct comm_sizes *c = in->of;
    struct size_sum *list = arena_new(in->tmp, struct size_sum, SUMMED_SIZES);
    int n = 0;
    for (int32_t i = 0; i < c->n; i++) {
        const struct comm_size *r = &c->rows[i];
        int k = 0;
        while (k < n &&
               !(list[k].first->kind == r->kind && list[k].first->bytes == r->bytes &&
                 list[k].first->ranks == r->ranks))
            k++;
        if (isnan(r->bus_gb_s) || k == SUMMED_SIZES)
            continue;
        if (k == n)
            list[n++] = (struct size_sum){.first = r, .small = true};
        list[k].n += r->n;
        list[k].sum_ms += r->sum_ms;
        list[k].bus_gb_s = fmax(list[k].bus_gb_s, r->bus_gb_s);
        list[k].small = list[k].small && r->small;
    }
    return (struct field_items){.first = list, .n = n};
}

TELL(struct str, slug, size_sum,
     str_printf(in->tmp, "%.*s-%.0f-%lld", STRF(collective_word(it->first->kind)),
                it->first->bytes, (long long)it->first->ranks));
static VIEW(sized, comm_size, ENUM(kind, collective_word, COLLECTIVE_KINDS),
            F(ranks, COUNT), F(bytes, BYTES));
static FIELDS(size_sum, CALL(slug, TEXT, slug), MEMBERS_OF(first, sized),
              AS("calls", n, COUNT), AS("time_ms", sum_ms, MS),
              AS("bus_gb_per_s", bus_gb_s, RATE), F(small, FLAG));
VIEW(summed_sizes, comm_sizes, ALSO(size_sums), CALL_LIST(sizes, size_sum, sums_of));
FIELDS(comm_sizes, ALSO(size_sums), LIST_WITHIN(1 << 16, "sizes", rows, n, comm_size));
TELL(struct field_items, page_sizes, comm_sizes, first_of(it->rows, it->n));
TELL(bool, has_link, comm_sizes, it->link_gb_s > 0);
TELL(int64_t, small_calls, comm_sizes,
     it->small_ms > 0.05 * it->total_ms ? it->n_small : 0);
TELL(bool, small_one, comm_sizes, it->n_small == 1);
static VIEW(shown_sizes, comm_sizes, ALSO(size_sums), CALL(has_link, FLAG, has_link),
            CALL(some_small, SOME, small_calls), CALL(small_one, FLAG, small_one),
            CALL(is_slowed, FLAG, is_slowed), CALL_LIST(rows, comm_size, page_sizes));
COLUMNS(size_columns, comm_size,
        COL(ENUM(kind, collective_word, COLLECTIVE_KINDS), "What it does"),
        COL(F(dtype, NAME), "Type of an element, as recorded"),
        COL(F(group, NAME), "Process group, as recorded"),
        COL_IN(COUNT, F(ranks, COUNT), "Ranks in the group"),
        COL(F(bytes, BYTES),
            "Of the message, the larger of what goes in and comes out"),
        COL_IN(COUNT, AS("calls", n, COUNT), "Kernels"),
        COL_IN(MS, AS("time_ms", sum_ms, MS), "Sum of the durations"),
        COL_IN(US, F(min_us, US), "Of the shortest call"),
        COL_IN(US, F(median_us, US), "Of a call"),
        COL(AS("algorithm_gb_per_s", algorithm_gb_s, RATE),
            "Bytes over the time of the shortest call"),
        COL(AS("bus_gb_per_s", bus_gb_s, RATE),
            "What a link carries in one direction then"),
        COL(AS("median_bus_gb_per_s", median_bus_gb_s, RATE), "The same of the median"),
        COL_IN(PERCENT, F(link_pct, PCT), "Of the peak of the device's link"),
        COL(F(small, FLAG), "At the best rate of all shorter than the shortest call"));

/* Compiled code. */

static FIELDS(compiled_row, ENUM(kind, compiled_kind_word, COMPILED_KINDS),
              F(name, NAME), F(frame, KNOWN), F(version, KNOWN), F(calls, COUNT),
              F(kernels, COUNT), AS("host_ms", host_ns, NS_IN_MS),
              AS("device_ms", device_ns, NS_IN_MS), F(share_pct, PCT), F(breaks, COUNT),
              AS("break_ms", break_ns, NS_IN_MS), AS("tlparse", href, NAME));
VIEW(summed_compiled, compiled, AS("regions", n_regions, COUNT),
     AS("graphs", n_graphs, COUNT), F(graphs_pct, PCT), F(breaks, COUNT),
     AS("break_ms", break_ns, NS_IN_MS),
     AS("longest_break_ms", longest_break_ns, NS_IN_MS), F(recompiled, COUNT),
     F(versions_most, COUNT));
FIELDS(compiled, ALSO(summed_compiled),
       LIST_WITHIN(1 << 16, "calls", rows, n, compiled_row));
TELL(struct field_items, page_compiled, compiled, first_of(it->rows, it->n));
TELL(int64_t, some_breaks, compiled, it->breaks);
TELL(int64_t, some_recompiled, compiled, it->recompiled);
static bool in_steps(const struct described *in)
{
    return ((const struct report *)in->whole)->steps.n > 0;
}
static bool leads(const struct described *in)
{
    const struct compiled *it = in->of;
    const struct layers *l = ((const struct report *)in->whole)->layers;
    return !l || it->graphs_pct > l->classes[0].share_pct;
}
TELL(bool, recompiled_one, compiled, it->recompiled == 1);
/* Versions of PyTorch that do not say which frame a region is. */
static int64_t calls_unnamed(const struct compiled *c)
{
    int64_t n = 0;
    for (int32_t k = 0; k < c->n; k++)
        n += c->rows[k].kind == COMPILED_REGION && !c->rows[k].name.n ? c->rows[k].calls
                                                                      : 0;
    return n;
}
TELL(int64_t, unnamed, compiled, calls_unnamed(it));
TELL(int64_t, some_regions, compiled,
     calls_unnamed(it) ? it->n_regions - 1 : it->n_regions);
static bool any_link(const struct compiled *c)
{
    for (int32_t k = 0; k < c->n && k < MORE_PAGE_ROWS; k++)
        if (c->rows[k].href.n)
            return true;
    return false;
}
TELL(bool, linked, compiled, any_link(it));
TELL(int64_t, some_graphs, compiled, it->n_graphs);
static VIEW(shown_compiled, compiled, ALSO(summed_compiled),
            CALL(some_breaks, SOME, some_breaks),
            CALL(some_regions, SOME, some_regions), CALL(unnamed, SOME, unnamed),
            CALL(some_graphs, SOME, some_graphs),
            CALL(some_recompiled, SOME, some_recompiled),
            CALL(recompiled_one, FLAG, recompiled_one), CALL(in_steps, FLAG, in_steps),
            CALL(leads, FLAG, leads), CALL(linked, FLAG, linked),
            CALL_LIST(rows, compiled_row, page_compiled));
COLUMNS(compiled_columns, compiled_row,
        COL(ENUM(kind, compiled_kind_word, COMPILED_KINDS),
            "A frame that was compiled, its backward, or generated code"),
        COL(F(name, NAME), "Frame and version of a region, hash of a graph"),
        COL_IN(COUNT, F(calls, COUNT), "Calls"),
        COL_IN(COUNT, F(kernels, COUNT), "Device events that they start"),
        COL_IN(MS, AS("host_ms", host_ns, NS_IN_MS), "Sum of the calls on the host"),
        COL_IN(MS, AS("device_ms", device_ns, NS_IN_MS), "Sum of the device events"),
        COL_IN(PERCENT, F(share_pct, PCT), "Of all device time"),
        COL_IN(COUNT, F(breaks, COUNT),
               "Calls that follow another one of their step on their thread"),
        COL_IN(MS, AS("break_ms", break_ns, NS_IN_MS), "Host time between these"));

/* The critical path. */

TELL(double, path_pct, path_part,
     100 * (double)it->ns / (double)((const struct report *)in->whole)->path->total_ns);
static FIELDS(path_part, ENUM(kind, path_kind_word, PATH_KINDS), F(name, NAME),
              AS("time_ms", ns, NS_IN_MS), F(count, COUNT),
              CALL(share_pct, PCT, path_pct));
#define PATH_SUM(name, of_kind)                                                        \
    TELL(double, name, critical_path, (double)it->kind_ns[of_kind] / 1e6)
PATH_SUM(path_kernel_ms, PATH_KERNEL);
PATH_SUM(path_copy_ms, PATH_COPY);
PATH_SUM(path_host_ms, PATH_HOST);
PATH_SUM(path_latency_ms, PATH_LATENCY);
VIEW(summed_path, critical_path, AS("time_ms", total_ns, NS_IN_MS),
     CALL_AS("kernel_ms", MS, path_kernel_ms), CALL_AS("copy_ms", MS, path_copy_ms),
     CALL_AS("host_ms", MS, path_host_ms), CALL_AS("latency_ms", MS, path_latency_ms));
FIELDS(critical_path, ALSO(summed_path),
       LIST_WITHIN(1 << 14, "parts", parts, n, path_part));

/* What would make a part of the path shorter. */
static struct str shorter_by(const struct path_part *p)
{
    event_role role = role_of_name(p->name);
    enum wait_kind wait = role_wait(role);
    bool link =
        role_way(role) == COPY_D2H || role_way(role) == COPY_H2D || (role & ROLE_PEER);
    switch (p->kind) {
    case PATH_KERNEL:
        return kernel_has(p->name, MARK_COMMUNICATES)
                   ? S("smaller messages, a faster link, no late rank")
                   : S("a faster kernel, or less work for it");
    case PATH_COPY:
        return link ? S("a faster link, or less to copy") : S("less to copy or fill");
    case PATH_HOST:
        return wait == WAITS_SOME || wait == WAITS_ALL
                   ? S("no wait here, or less host work before it")
                   : S("less host work before this call");
    default:
        return S("fewer launches, or GPU graphs");
    }
}

TELL(struct str, shorter, path_part, shorter_by(it));
static VIEW(shown_part, path_part, CALL_AS("shorter_by", TEXT, shorter),
            ALSO(path_part));
enum { PATH_ROWS = 15 };
TELL(struct field_items, page_path, critical_path,
     (struct field_items){it->parts, it->n < PATH_ROWS ? it->n : PATH_ROWS, 0, false});
TELL(double, some_copy_ms, critical_path,
     it->kind_ns[PATH_COPY] ? (double)it->kind_ns[PATH_COPY] / 1e6 : (double)NAN);
static VIEW(shown_path, critical_path, CALL_AS("some_copy_ms", MS, some_copy_ms),
            ALSO(summed_path), CALL_LIST(rows, shown_part, page_path));
COLUMNS(path_columns, path_part,
        COL(ENUM(kind, path_kind_word, PATH_KINDS),
            "Kernel, copy, host, or latency between two of them"),
        COL(F(name, NAME), "Kernel or copy, or the operator or call of the host"),
        COL_IN(MS, AS("time_ms", ns, NS_IN_MS), "That the run waits for it"),
        COL_IN(COUNT, F(count, COUNT), "How often it is on the path"),
        COL_IN(PERCENT, CALL(share_pct, PCT, path_pct), "Of the path"));

/* Counters. */

static FIELDS(counter_row, F(name, TEXT), F(unit, TEXT), F(device, TEXT),
              ENUM(role, counter_role_word, COUNTER_ROLES), AS("samples", n, COUNT),
              F(every_us, US), F(mean, RATE), F(least, RATE), F(most, RATE),
              AS("while_kernels_run", busy_mean, RATE),
              AS("while_none_runs", idle_mean, RATE));
static FIELDS(counter_clock, F(high_mhz, RATE), F(low_mhz, RATE), F(low_pct, PCT),
              F(from_ms, MS), F(to_ms, MS), F(rises, FLAG), F(slower, RATE));
VIEW(summed_counters, counters, F(sm_pct, PCT), F(sm_low_pct, PCT), F(filled_pct, PCT),
     F(power_w, RATE), F(energy_j, RATE), F(step_j, RATE), STRUCT(clock, counter_clock),
     AS("left", n_left, COUNT));
FIELDS(counters, ALSO(summed_counters),
       LIST_WITHIN(1 << 14, "rows", rows, n, counter_row));
TELL(bool, has_sm, counters, !isnan(it->sm_pct));
TELL(bool, has_power, counters, !isnan(it->energy_j));
TELL(bool, has_step, counters, !isnan(it->step_j));
TELL(bool, low_clock, counters, it->clock.low_pct >= 5 && !(it->clock.slower < 1.05));
TELL(bool, averaged_clock, counters, it->clock.low_pct >= 5 && it->clock.slower < 1.05);
TELL(struct field_items, page_counters, counters, first_of(it->rows, it->n));
static const void *first_counter(const struct described *in)
{
    return ((const struct counters *)in->of)->rows;
}
VIEW(shown_counters, counters, ALSO(summed_counters),
     CALL_STRUCT(first, counter_row, first_counter), CALL(has_sm, FLAG, has_sm),
     CALL(has_power, FLAG, has_power), CALL(has_step, FLAG, has_step),
     CALL(low_clock, FLAG, low_clock), CALL(averaged_clock, FLAG, averaged_clock),
     CALL_LIST(rows, counter_row, page_counters));
COLUMNS(counter_columns, counter_row, COL(F(name, NAME), "As recorded"),
        COL(F(unit, NAME), "Of the values; empty: not recorded"),
        COL(F(device, NAME), "As the trace numbers it, where there are several"),
        COL(ENUM(role, counter_role_word, COUNTER_ROLES), "What it measures, if known"),
        COL_IN(COUNT, AS("samples", n, COUNT), "In the recording"),
        COL_IN(US, F(every_us, US), "Between two samples"),
        COL(F(mean, RATE), "Over the window, by time"), COL(F(least, RATE), "There"),
        COL(F(most, RATE), "There"),
        COL(AS("while_kernels_run", busy_mean, RATE), "Mean while its device works"),
        COL(AS("while_none_runs", idle_mean, RATE), "Mean of the rest"));

static FIELDS(counter_line, ENUM(part, counter_part_word, COUNTER_PARTS), F(name, TEXT),
              F(time_ms, MS), F(sm_pct, PCT), F(dram_pct, PCT), F(power_w, RATE),
              F(clock_mhz, RATE), F(energy_j, RATE));
FIELDS(counter_lines, LIST_WITHIN(1 << 15, "rows", rows, n, counter_line));
static struct field_items lines_of(const struct counter_lines *l,
                                   enum counter_part part)
{
    int from = 0, n = 0;
    while (from < l->n && l->rows[from].part != part)
        from++;
    while (from + n < l->n && l->rows[from + n].part == part)
        n++;
    return first_of(l->rows + from, n);
}
TELL(struct field_items, step_lines, counter_lines, lines_of(it, COUNTER_OF_STEP));
TELL(struct field_items, category_lines, counter_lines,
     lines_of(it, COUNTER_OF_CATEGORY));
TELL(struct field_items, kernel_lines, counter_lines, lines_of(it, COUNTER_OF_KERNEL));
TELL(int64_t, some_steps, counter_lines, lines_of(it, COUNTER_OF_STEP).n);
TELL(int64_t, some_categories, counter_lines, lines_of(it, COUNTER_OF_CATEGORY).n);
TELL(int64_t, some_kernels, counter_lines, lines_of(it, COUNTER_OF_KERNEL).n);
#define HAS_LINE(name, member)                                                         \
    static bool any_##member(const struct counter_lines *l)                            \
    {                                                                                  \
        for (int32_t k = 0; k < l->n; k++)                                             \
            if (!isnan(l->rows[k].member))                                             \
                return true;                                                           \
        return false;                                                                  \
    }                                                                                  \
    TELL(bool, name, counter_lines, any_##member(it))
HAS_LINE(with_sm, sm_pct);
HAS_LINE(with_dram, dram_pct);
HAS_LINE(with_power, power_w);
HAS_LINE(with_clock, clock_mhz);
static VIEW(shown_counter_lines, counter_lines, CALL(with_sm, FLAG, with_sm),
            CALL(with_dram, FLAG, with_dram), CALL(with_power, FLAG, with_power),
            CALL(with_clock, FLAG, with_clock), CALL(some_steps, SOME, some_steps),
            CALL(some_categories, SOME, some_categories),
            CALL(some_kernels, SOME, some_kernels),
            CALL_LIST(steps, counter_line, step_lines),
            CALL_LIST(categories, counter_line, category_lines),
            CALL_LIST(kernels, counter_line, kernel_lines));
COLUMNS(counter_line_columns, counter_line,
        COL(ENUM(part, counter_part_word, COUNTER_PARTS),
            "A step, or all kernels of a category or of a name"),
        COL(F(name, NAME), "Number of the step, category, or kernel"),
        COL_IN(MS, F(time_ms, MS), "Of the step; of kernels, their sum"),
        COL_IN(PERCENT, F(sm_pct, PCT), "SMs with work, mean over that time"),
        COL_IN(PERCENT, F(dram_pct, PCT), "Of the peak bandwidth of device memory"),
        COL(F(power_w, RATE), "Of the device, mean over that time"),
        COL(F(clock_mhz, RATE), "Of its compute units"),
        COL(F(energy_j, RATE), "Of all devices; of steps alone"));

#define MORE(member, file, list, columns, says)                                        \
    static const void *member##_in(const struct report *r)                             \
    {                                                                                  \
        return r->member;                                                              \
    }                                                                                  \
    static int member##_rows(const struct report *r)                                   \
    {                                                                                  \
        return r->member->n;                                                           \
    }                                                                                  \
    static struct report_table member##_table(struct arena *perm,                      \
                                              const struct report *r)                  \
    {                                                                                  \
        return table_told(perm, file, says, columns(),                                 \
                          TABLE_ITEMS(r->member->list, r->member->n), r);              \
    }                                                                                  \
    static int member##_rows(const struct report *r) /* for the semicolon behind it */
MORE(mfu_steps, "mfu_steps", steps, mfu_columns, "Model FLOP utilisation of each step");
MORE(layers, "layers", rows, layer_columns, "The model's repeated blocks, one by one");
MORE(modules, "modules", rows, module_columns, "Modules by class");
MORE(comm_sizes, "collective_sizes", rows, size_columns, "Collectives by size");
MORE(compiled, "compiled", rows, compiled_columns, "Calls of compiled code");
MORE(path, "critical_path", parts, path_columns, "What the run waits for");
MORE(counters, "counters", rows, counter_columns, "Counters, their means");
MORE(counter_lines, "counter_means", rows, counter_line_columns,
     "Counters by step, category and kernel");

#define ROW(member, file, page, told, most)                                            \
    {                                                                                  \
#member, file, page, told, member##_in, member##_rows, most, member##_table    \
    }
const struct more_shown more_shown[] = {
    ROW(mfu_steps, "mfu_steps", "roofline.html", shown_mfu_steps_fields,
        MORE_PAGE_ROWS),
    ROW(layers, "layers", "layers.html", shown_layers_fields, MORE_PAGE_ROWS),
    ROW(modules, "modules", "layers.html", shown_modules_fields, MODULE_ROWS),
    ROW(compiled, "compiled", "layers.html", shown_compiled_fields, MORE_PAGE_ROWS),
    ROW(comm_sizes, "collective_sizes", "system.html", shown_sizes_fields,
        MORE_PAGE_ROWS),
    ROW(path, "critical_path", "system.html", shown_path_fields, PATH_ROWS),
    ROW(counters, "counters", "counters.html", shown_counters_fields, MORE_PAGE_ROWS),
    ROW(counter_lines, "counter_means", "counters.html", shown_counter_lines_fields,
        INT32_MAX),
};
const int n_more_shown = (int)(sizeof more_shown / sizeof *more_shown);

bool more_on_page(const struct report *r, const char *page)
{
    for (int k = 0; k < n_more_shown; k++)
        if (strcmp(more_shown[k].page, page) == 0 && more_shown[k].of(r))
            return true;
    return false;
}
