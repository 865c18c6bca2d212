/* `tracefolio job`: the captures of many ranks in, one site out. */
#include "commands/commands.h"

#include "base/file_head.h"
#include "base/out.h"
#include "base/terminal.h"
#include "base/unknown.h"
#include "base/utf8.h"
#include "base/version.h"
#include "ci/ci_run.h"
#include "commands/folder_command.h"
#include "commands/job_explain.h"
#include "commands/job_read.h"
#include "export/described_json.h"
#include "report/job/job_fields.h"
#include "report/job/job_gates.h"
#include "report/job/job_report.h"
#include "report/job/job_shown.h"
#include "report/job/job_tables.h"
#include "report/job/reference_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stays open from the first capture to the last file. */
struct job_context {
    struct folder_command w;
    struct job_options asked;
    struct job job;
    struct job_gate *gates;
    struct gate_result *gate_results;
    struct ci_run ci;
};

static bool read_clock(const char *text, enum job_clock *clock, struct err *e)
{
    static const struct str words[] = {[CLOCK_AUTO] = S_INIT("auto"),
                                       [CLOCK_TRUST] = S_INIT("trust"),
                                       [CLOCK_NONE] = S_INIT("none")};
    const int n = sizeof words / sizeof *words;
    struct str asked = str_of(text ? text : "auto");
    for (int i = 0; i < n; i++)
        if (str_eq(asked, words[i])) {
            *clock = (enum job_clock)i;
            return true;
        }
    return err_unknown(e, "--clock", asked, words, n, "");
}

/* "intra=450,inter=50": GB/s of one device, one direction. */
static bool read_links(const char *text, double gb_s[2], struct err *e)
{
    static const struct str names[] = {S_INIT("intra"), S_INIT("inter")};
    struct str rest = str_of(text ? text : "");
    gb_s[0] = gb_s[1] = (double)NAN;
    while (rest.n) {
        struct str value = str_take(&rest, S(",")), name = str_take(&value, S("="));
        char digits[32] = "", *end = digits;
        if (value.n < (ptrdiff_t)sizeof digits)
            memcpy(digits, value.p, (size_t)value.n);
        double v = strtod(digits, &end);
        int i = str_eq(name, names[0]) ? 0 : 1;
        if (!str_eq(name, names[i]) || end == digits || *end || !(v > 0) || v > 1e6)
            return err_set(e, ERR_USAGE, NULL, -1,
                           "--link-peak: expected intra=GB/S,inter=GB/S, not '%s'",
                           text);
        gb_s[i] = v;
    }
    return true;
}

/* "all", "3" or "3-7". */
static bool read_steps(const char *text, struct job_options *to, struct err *e)
{
    to->first_step = to->last_step = -1;
    if (!text || strcmp(text, "all") == 0)
        return true;
    struct str rest = str_of(text), first = str_take(&rest, S("-"));
    if (!rest.n)
        rest = first;
    return (str_int(first, &to->first_step) && str_int(rest, &to->last_step) &&
            to->first_step >= 0 && to->last_step >= to->first_step) ||
           err_set(e, ERR_USAGE, NULL, -1, "--steps: expected all, N or N-M, not '%s'",
                   text);
}

static bool read_topology(struct job_context *c, struct err *e)
{
    enum { TOPOLOGY_BYTES_MAX = 1 << 26 };
    const char *path = c->w.o->job.topology;
    struct str text;
    struct job_topology *t = &c->asked.topology;
    if (path && !(file_head(&c->w.perm, path, TOPOLOGY_BYTES_MAX, &text, e) &&
                  topology_read(&c->w.perm, c->w.tmp, text, path, t, e)))
        return false;
    for (int i = 0; c->w.o->level && i < t->n; i++)
        t->places[i].host = S(""); /* --share: as those of captures */
    return true;
}

static bool read_request(const struct options *o, struct job_options *to, struct err *e)
{
    const struct job_request *r = &o->job;
    *to = (struct job_options){.n_expected = r->ranks,
                               .gpus_per_node = r->gpus_per_node,
                               .redact_hosts = r->redact_hosts,
                               .max_pairs = r->max_pairs > 0 ? r->max_pairs : 50e6,
                               .max_bytes = r->max_bytes > 0 ? r->max_bytes : 1e9,
                               .with_start = r->count_start,
                               .threads = o->threads};
    return read_clock(r->clock, &to->clock, e) &&
           read_links(r->link_peak, to->link_gb_s, e) &&
           read_steps(o->compare.steps, to, e);
}

static bool write_tables(struct job_context *c, struct err *e)
{
    struct report_table reference[REFERENCE_TABLES], own[JOB_TABLES];
    int n = job_reference_tables(&c->w.tmp, c->w.tmp2, &c->job, reference);
    job_tables(&c->w.tmp, &c->job, own);
    return command_csvs(&c->w, "job_csvs", reference, n, c->w.tmp2, e) &&
           command_csvs(&c->w, "job_csvs", own, JOB_TABLES, c->w.tmp2, e);
}

static bool read_gates(struct job_context *c, struct err *e)
{
    c->gates = arena_new(&c->w.perm, struct job_gate, c->w.o->n_gates);
    c->gate_results = arena_new(&c->w.perm, struct gate_result, c->w.o->n_gates);
    for (int i = 0; i < c->w.o->n_gates; i++)
        if (!job_gate_read(c->w.o->gates[i], &c->gates[i], e))
            return false;
    return true;
}

/* What --names may be told, where nothing communicates. */
static void tell_kernels(const struct job *j)
{
    enum { NAME_BYTES = 160 };
    if (j->n_kernels)
        terminal_line(stderr, "tracefolio: kernels with most time, over all ranks:");
    for (int i = 0; i < j->n_kernels; i++)
        terminal_line(stderr, "%12.3f ms  %.*s", j->kernels[i].ns / 1e6,
                      STRF(utf8_head(j->kernels[i].name, NAME_BYTES)));
}

/* What was asked of the ranks, by what they have. */
static bool ranks_fit(const struct job_context *c, struct err *e)
{
    const struct job *j = &c->job;
    int last = j->ranks[j->n_ranks - 1].rank, ranks = c->w.o->job.ranks;
    if (ranks && last >= ranks)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--ranks %d: the job has more, as rank %d is given", ranks,
                       last);
    if (c->asked.first_step < 0 || j->n_steps)
        return true;
    const struct job_rank *r = &j->ranks[0];
    if (!r->n_steps)
        return err_set(e, ERR_INPUT, NULL, -1, "--steps: rank %d has no steps",
                       r->rank);
    return err_set(e, ERR_INPUT, NULL, -1,
                   "--steps: none of them is in all ranks; rank %d has %lld to %lld",
                   r->rank, (long long)r->steps[0].number,
                   (long long)r->steps[r->n_steps - 1].number);
}

static bool read_inputs(struct job_context *c, struct err *e)
{
    struct job_files files;
    struct job_builder b = job_begin(&c->w.perm);
    b.max_bytes = c->w.o->job.max_bytes;
    bool done =
        job_files_find(&c->w.perm, c->w.o->job.inputs, c->w.o->job.n_inputs, &files, e);
    if (done && c->w.o->job.rank >= 0 && files.n > 1)
        done = err_set(e, ERR_USAGE, NULL, -1,
                       "--rank is for a single trace, not %d; how many ranks the job "
                       "has is --ranks",
                       files.n);
    done = done && job_inputs_read(&files, c->w.o, c->w.tmp, c->w.tmp2, &b, e) &&
           job_make(&c->w.perm, c->w.tmp, &b, &c->asked, &c->job, e) && ranks_fit(c, e);
    tell_kernels(&c->job);
    return done && job_explain(&c->w.perm, c->w.tmp, c->w.tmp2, c->w.o, &c->job, e);
}

/* All that makes two reports of the same traces differ. */
static struct str setup_of(struct job_context *c)
{
    const struct job_options *o = &c->asked;
    struct out all;
    out_memory(&all);
    out_printf(&all, "%d %d %lld %lld %d %g %g %g %g %d %d %d %u %016llx %s",
               o->n_expected, o->gpus_per_node, (long long)o->first_step,
               (long long)o->last_step, (int)o->clock, o->link_gb_s[0], o->link_gb_s[1],
               o->max_pairs, o->max_bytes, o->redact_hosts, o->with_start,
               (int)c->w.o->level, c->w.o->formats,
               (unsigned long long)theme_hash(&c->w.theme),
               c->w.o->job.names ? c->w.o->job.names : "");
    for (int i = 0; i < o->topology.n; i++)
        out_printf(&all, " %d@%.*s", o->topology.places[i].rank,
                   STRF(o->topology.places[i].host));
    return out_text(&all, &c->w.perm);
}

static bool write_all(struct job_context *c, struct err *e)
{
    unsigned formats = c->w.o->formats;
    struct job_report r = job_report_make(
        &c->w.perm, &c->job, S("tracefolio " TRACEFOLIO_VERSION), setup_of(c));
    r.share_level = str_of(c->w.o->level ? c->w.o->share : "internal");
    struct job_document *d = job_document_make(&c->w.perm, c->w.tmp, &r);
    int n_gates = c->w.o->n_gates;
    for (int i = 0; i < n_gates; i++)
        c->gate_results[i] = job_gate(&c->w.perm, &c->gates[i], &c->job);
    ci_take_job(&c->ci, &c->w.perm, &r, c->gate_results, n_gates);
    const struct job_summary summary = {&r, c->gate_results, n_gates};
    bool done =
        (!(formats & FORMAT_CSV) || write_tables(c, e)) &&
        (!(formats & FORMAT_JSON) ||
         (command_json(&c->w, "job.json",
                       document_json(job_report_fields(), &r, c->w.tmp), e) &&
          command_json(&c->w, "summary.json",
                       document_json(job_summary_fields(), &summary, c->w.tmp), e))) &&
        command_document(&c->w, d, e) && command_commit(&c->w, NULL, &c->ci, e);
    publish_tell(&c->w.folder, stderr);
    if (done)
        command_print(&c->w, r.verdict, r.n_verdict, ".");
    return done && ci_beside(&c->ci, c->w.tmp, e) &&
           ci_judge(&c->ci, c->w.o->require_gates, e);
}

/* What a build gets is written over nothing that this run reads. */
static bool spares_inputs(struct job_context *c, struct err *e)
{
    const struct job_request *r = &c->w.o->job;
    const char **reads = arena_new(&c->w.perm, const char *, r->n_inputs + 1);
    for (int i = 0; i < r->n_inputs; i++)
        reads[i] = r->inputs[i];
    const struct asked_places b = {&c->w.folder, reads, c->w.o->force};
    return ci_spares(&c->ci, &b, e);
}

bool job_run(const struct options *o, struct err *e)
{
    struct job_context *c = calloc(1, sizeof *c);
    if (!c)
        arena_full();
    command_open(&c->w, o);
    bool done = read_request(o, &c->asked, e) && read_topology(c, e) &&
                read_gates(c, e) && ci_begin(&c->ci, &c->w.perm, &o->ci, e) &&
                command_begin(&c->w, o->out_dir, e);
    if (done) {
        done = spares_inputs(c, e) && read_inputs(c, e) && write_all(c, e);
        if (!done)
            publish_abort(&c->w.folder, e);
    }
    ci_close(&c->ci);
    command_close(&c->w);
    free(c);
    return done;
}
