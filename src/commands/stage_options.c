#include "commands/stage_options.h"

#include "base/sha256.h"
#include "base/terminal.h"
#include "base/version.h"
#include "base/zip_file.h"
#include "commands/device_choice.h"
#include "render/text/bundle.h"

#include <stdio.h>
#include <time.h>

static struct pattern_source *pattern_library(struct arena *perm, int *n)
{
    struct str folder = S("assets/patterns/");
    int all = bundle_count(folder);
    struct pattern_source *files = arena_new(perm, struct pattern_source, all);
    *n = 0;
    for (int i = 0; i < all; i++) {
        struct str path = bundle_path(folder, i);
        if (str_ends(path, S(".lua")))
            files[(*n)++] = (struct pattern_source){path, bundle_file(path)};
    }
    return files;
}

static enum unlinked_rule unlinked_rule_of(const struct options *o)
{
    return o->exclude_unlinked  ? UNLINKED_LEFT_OUT
           : o->include_backlog ? UNLINKED_ALL
                                : UNLINKED_IN_WINDOW;
}

bool trace_options_of(const struct options *o, struct arena *perm,
                      struct trace_options *t, struct err *e)
{
    struct device_spec *device = arena_new(perm, struct device_spec, 1);
    bool known;
    if (!device_choose(perm, o, device, &known, e))
        return false;
    *t = (struct trace_options){
        .device = known ? device : NULL,
        .extensions = o->extensions,
        .n_extensions = o->n_extensions,
        .lender = o->capture_trace,
        .view = {unlinked_rule_of(o), o->detect_recompute},
        .analysis = {.idle_threshold_pct = o->idle_threshold_pct,
                     .no_system_impact = o->no_system_impact},
        .one_thread = o->threads == 1,
        .redact = o->level,
        .hide_shapes = o->hide_shapes,
    };
    t->patterns = pattern_library(perm, &t->n_patterns);
    return true;
}

void lent_tell(const struct trace_result *t, FILE *to)
{
    const struct lent_counts *n = &t->lent;
    if (n->shapes_from && n->shaped)
        terminal_line(to,
                      "tracefolio: %d of %d operators without shapes have those of %s",
                      n->shaped, n->operators, n->shapes_from);
    else if (n->shapes_from)
        terminal_line(to, "tracefolio: warning: %s lends no shapes: %s", n->shapes_from,
                      n->operators ? "none of its operators has a number of the trace; "
                                     "record both in one run"
                                   : "no operator of the trace is without");
    if (!t->store.lender)
        return;
    if (n->events_lent)
        terminal_line(
            to,
            "tracefolio: %d of %d launches of GPU graphs have the operators of "
            "%s: %d of %d device events",
            n->graphs_lent, n->graphs, t->store.lender, n->events_lent, n->events);
    else
        terminal_line(
            to, "tracefolio: warning: %s lends no operators: %s", t->store.lender,
            !n->graphs     ? "the trace replays no GPU graph"
            : !n->launches ? "no launch there tells its kernel"
            : n->ambiguous ? "what a graph replays occurs there with several shapes"
                           : "the kernels of no graph are launched there one after "
                             "the other");
}

/* The date of the run, or SOURCE_DATE_EPOCH. */
static struct str stamp_of(struct arena *perm)
{
    char text[64];
    time_t now = (time_t)source_date_s();
    if (now == SOURCE_DATE_NONE_S)
        now = time(NULL);
    struct tm utc;
    size_t n = gmtime_r(&now, &utc)
                   ? strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &utc)
                   : 0;
    return str_copy(perm, (struct str){text, (ptrdiff_t)n});
}

struct markdown_style markdown_style_of(const struct options *o, struct arena *perm)
{
    return (struct markdown_style){.no_markers = o->no_markers,
                                   .by_number = o->fair_by_number,
                                   .analysis_md = o->emit_analysis_md,
                                   .stamp = o->stamp ? stamp_of(perm) : S("")};
}

/* Input, version, theme and options in 16 hex digits: equal ids mean equal reports. */
static struct str report_id(const struct options *o, struct arena *perm,
                            const struct trace_result *t, const struct theme *theme,
                            const struct markdown_style *markdown)
{
    const struct device_spec *device = t->tables.device;
    struct str all = str_printf(
        perm,
        "%s " TRACEFOLIO_VERSION " %.*s %s %s %u %d %d %g %d%d%d%d %.*s %016llx "
        "%016llx",
        t->store.sha256, STRF(device ? device->file_text : S("none")),
        o->model ? o->model : "", o->replay ? o->replay : "", o->formats,
        (int)unlinked_rule_of(o), o->detect_recompute, o->idle_threshold_pct,
        o->no_system_impact, markdown->no_markers, markdown->by_number,
        markdown->analysis_md, STRF(markdown->stamp),
        (unsigned long long)theme_hash(theme),
        (unsigned long long)pattern_host_user_hash(t->patterns));
    const struct ci_options *ci = &o->ci;
    const char *const more[] = {ci->run_label, ci->series, ci->date, ci->report_url};
    for (size_t k = 0; k < sizeof more / sizeof *more; k++)
        if (more[k])
            all = str_printf(perm, "%.*s %zu:%s", STRF(all), k, more[k]);
    if (t->store.lender || t->lent.shapes_from)
        all = str_printf(perm, "%.*s lender %s %d", STRF(all), t->lender_sha256,
                         t->lent.events_lent);
    if (o->level)
        all = str_printf(perm, "%.*s share %d", STRF(all), (int)o->level);
    if (o->hide_shapes)
        all = str_printf(perm, "%.*s no shapes", STRF(all));
    for (int k = 0; k < o->n_gates; k++)
        all = str_printf(perm, "%.*s gate %s", STRF(all), o->gates[k]);
    char hex[SHA256_HEX_BYTES];
    sha256_hex_of(all, hex);
    return str_copy(perm, str_head(str_of(hex), 16));
}

struct report_options report_options_of(const struct options *o, struct arena *perm,
                                        const struct trace_result *t,
                                        const struct theme *theme,
                                        const struct markdown_style *markdown)
{
    static const struct str levels[] = {[REDACT_INTERNAL] = S_INIT("internal"),
                                        [REDACT_PARTNER] = S_INIT("partner"),
                                        [REDACT_PUBLIC] = S_INIT("public")};
    return (struct report_options){.share_level = levels[o->level],
                                   .run_label = str_of(o->ci.run_label),
                                   .trace_path = str_of(o->trace),
                                   .tool_version = S("tracefolio " TRACEFOLIO_VERSION),
                                   .report_id = report_id(o, perm, t, theme, markdown),
                                   .input_digest =
                                       str_head(str_of(t->store.sha256), 12),
                                   .platform_found = !o->platform,
                                   .model = str_of(o->model),
                                   .tree = &t->tree};
}

struct pipeline_options pipeline_options_of(const struct options *o, struct arena *perm)
{
    return (struct pipeline_options){.extensions = o->extensions,
                                     .n_extensions = o->n_extensions,
                                     .formats = options_formats(perm, o->formats),
                                     .include_unlinked = !o->exclude_unlinked,
                                     .include_backlog = o->include_backlog,
                                     .detect_recompute = o->detect_recompute,
                                     .no_system_impact = o->no_system_impact,
                                     .fair_style = o->fair_by_number ? S("jarvis")
                                                                     : S("standard"),
                                     .no_markers = o->no_markers,
                                     .idle_threshold_pct = o->idle_threshold_pct};
}

bool extensions_good(const struct options *o, const struct pattern_host *h,
                     struct err *e)
{
    int n = pattern_host_faults(h);
    return !n || !o->strict ||
           err_set(e, ERR_INCOMPLETE, NULL, -1,
                   "--strict: %d part%s of the extensions failed", n,
                   str_plural(n, "", "s"));
}
