/* What is said of a trace without device work: what it is of, where the host's time
 * goes, and what to record for more. */
#include "report/report_parts.h"

#include "analysis/model/number_text.h"
#include "base/abilities.h"

enum { NAME_WIDTH = 50, FIRST_ROWS = 3 };

static struct said part_pct(struct arena *a, int64_t ns, int64_t of_ns)
{
    return said(number_pct(a, pct_of((double)ns, (double)of_ns)));
}

static struct said time_of(struct arena *a, int64_t ns)
{
    return said(number_time(a, (double)ns / 1e6));
}

/* For sentences that pages show as they are. */
static struct said bare_name(struct arena *a, struct str name)
{
    struct str quoted = quoted_name(a, name, NAME_WIDTH);
    return said(quoted.n >= 2 ? str_head(str_skip(quoted, 1), quoted.n - 2) : quoted);
}

static struct str host_verdict(struct arena *a, const struct host_profile *h)
{
    int64_t calls = 0;
    for (int32_t k = 0; k < h->n_operators; k++)
        calls += h->operators[k].calls;
    return say(a,
               "CPU only: nothing in the {} recorded launches GPU work; {} host {} {} "
               "on {} {}.",
               time_of(a, h->span_ns), said(calls),
               said(calls == 1 ? "event takes" : "events take"), time_of(a, h->busy_ns),
               said((int64_t)h->n_threads),
               said(h->n_threads == 1 ? "thread" : "threads"));
}

static struct str lost_verdict(struct arena *a, const struct trace_kind_facts *k)
{
    return say(a,
               "Kernels are lost: {} {} recorded, and no kernel, copy or memset that "
               "{} started.",
               said(k->launches),
               said(k->launches == 1 ? "launch call is" : "launch calls are"),
               said(k->launches == 1 ? "it" : "they"));
}

/* Labels and annotations, or nothing at all: spans of something else are refused
 * before. */
static struct str nothing_verdict(struct arena *a, const struct trace_facts *f)
{
    struct str vendor = f->kind.vendor;
    if (!f->n_events)
        return S("The trace holds no events: there is nothing to analyse.");
    return say(a,
               "The trace{}{} holds no operator, no launch and no device work: there "
               "is nothing to analyse.",
               said(vendor.n ? " of the " : ""), said(vendor));
}

/* Device events, and no time in which they run. */
static struct str no_time_verdict(const struct trace_facts *f)
{
    if (!f->n_device)
        return S("No device event of the trace has a usable start and duration: "
                 "without them there is no GPU time to analyse.");
    if (f->unlinked == UNLINKED_LEFT_OUT && !f->n_linked)
        return S("No device event of the trace has a launch call, and "
                 "--exclude-unlinked leaves out those without: there is no GPU time to "
                 "analyse.");
    return S("The device events of the trace take no time: all begin and end at one "
             "moment, so that there is no GPU time to analyse.");
}

struct str report_no_device_verdict(struct arena *a, const struct op_tables *t)
{
    const struct trace_facts *f = &t->facts;
    switch (f->kind.kind) {
    case TRACE_DEVICE:
        return no_time_verdict(f);
    case TRACE_LOST_KERNELS:
        return lost_verdict(a, &f->kind);
    case TRACE_APPLE_GPU:
        return S("The operators ran on an Apple GPU, whose kernels this profiler does "
                 "not record: times are those of the host.");
    case TRACE_COMPILE_LOG:
        return S("A log of what torch.compile did, phase by phase: it holds no "
                 "operators and no device work.");
    case TRACE_HOST:
        return t->host ? host_verdict(a, t->host)
                       : S("CPU only: nothing in the trace launches GPU work.");
    default:
        return nothing_verdict(a, f);
    }
}

/* "`aten::conv` (24.3%, 4 calls), ..." */
static struct str largest(struct arena *a, const struct host_row *rows, int32_t n)
{
    struct str text = S("");
    for (int32_t k = 0; k < n && k < FIRST_ROWS; k++)
        text = say(a, "{}{}{} ({}%, {} {})", said(text), said(k ? ", " : ""),
                   bare_name(a, rows[k].name), said_pct(rows[k].self_pct),
                   said(rows[k].calls), said(rows[k].calls == 1 ? "call" : "calls"));
    return text;
}

static struct str cost_sentence(struct arena *a, const char *format,
                                const struct host_cost *c, int64_t span_ns)
{
    return c->calls ? say(a, format, time_of(a, c->total_ns),
                          part_pct(a, c->total_ns, span_ns), said(c->calls),
                          said(c->calls == 1 ? "time" : "times"))
                    : S("");
}

/* A GPU that the recording knows of, and no launch. */
static struct str unused_gpu(struct arena *a, const struct op_tables *t)
{
    struct str name = trace_device_name(&t->facts);
    return name.n ? say(a,
                        " The machine has a GPU (`{}`) on which nothing was launched: "
                        "move the model and its inputs there, or record the activity "
                        "of the device, too.",
                        said(name))
                  : S("");
}

static struct str host_lead(struct arena *a, const struct report *r,
                            const struct op_tables *t)
{
    const struct host_profile *h = t->host;
    struct str ops = h->n_operators
                         ? say(a, "Most self time: {}.",
                               said(largest(a, h->operators, h->n_operators)))
                         : S("");
    struct str modules = h->n_modules ? say(a, " By module: {}.",
                                            said(largest(a, h->modules, h->n_modules)))
                                      : S("");
    struct str loading =
        cost_sentence(a, " Waiting for the data loader takes {} ({}%), {} {}.",
                      &h->loading, h->span_ns);
    struct str compiling = cost_sentence(a, " torch.compile takes {} ({}%), {} {}.",
                                         &h->compilation, h->span_ns);
    struct str steps =
        r->steps.headline.n ? say(a, " {}", said(r->steps.headline)) : S("");
    struct str memory = h->peak_bytes >= 0
                            ? say(a, " Host memory peaks at {}.",
                                  said(number_bytes(a, (double)h->peak_bytes)))
                            : S("");
    return say(a, "{}{}{}{}{}{}{}", said(ops), said(modules), said(loading),
               said(compiling), said(steps), said(memory), said(unused_gpu(a, t)));
}

struct str report_no_device_lead(struct arena *a, const struct op_tables *t,
                                 const struct report *r)
{
    if (t->facts.kind.kind == TRACE_LOST_KERNELS)
        return S("Record again: synchronise before the profiler stops, let no other "
                 "profiler use the GPU meanwhile, and look in the log for what the "
                 "profiler says of dropped activity.");
    if (t->facts.kind.kind == TRACE_FOREIGN && !t->facts.kind.vendor.n)
        return say(a, "Record host and device together: {}.",
                   said(abilities_of(t->facts.abilities)->activities));
    return t->host && t->host->n_operators ? host_lead(a, r, t) : S("");
}
