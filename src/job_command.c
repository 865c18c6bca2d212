#include "job_command.h"

#include "base/file_head.h"
#include "base/out.h"
#include "base/unknown.h"
#include "base/utf8.h"
#include "export/csv_tables.h"
#include "export/job_json.h"
#include "export/json_text.h"
#include "job_read.h"
#include "render/folder/publish.h"
#include "render/markdown/job_markdown.h"
#include "render/page/job_pages.h"
#include "render/text/theme.h"
#include "render/text/themes_command.h"
#include "report/job/job_gates.h"
#include "report/job/job_report.h"
#include "report/job/job_tables.h"
#include "report/job/reference_tables.h"
#include "share/word_scan.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stays open from the first capture to the last file. */
struct job_context {
    const struct options *o;
    struct arena perm, tmp, tmp2;
    struct theme theme;
    struct publish folder;
    struct job_options asked;
    struct job job;
    struct job_gate *gates;
    struct forbidden forbidden;
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
    const char *path = c->o->job.topology;
    struct str text;
    struct job_topology *t = &c->asked.topology;
    if (path && !(file_head(&c->perm, path, TOPOLOGY_BYTES_MAX, &text, e) &&
                  topology_read(&c->perm, c->tmp, text, path, t, e)))
        return false;
    for (int i = 0; c->o->level && i < t->n; i++)
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
                               .with_start = r->count_start};
    return read_clock(r->clock, &to->clock, e) &&
           read_links(r->link_peak, to->link_gb_s, e) &&
           read_steps(o->compare.steps, to, e);
}

static bool write_tables(struct job_context *c, struct err *e)
{
    struct report_table reference[REFERENCE_TABLES], own[JOB_TABLES];
    const char *path = publish_path(&c->folder, &c->tmp2, "job_csvs/job_ranks.csv", e);
    if (!path)
        return false;
    struct str dir = {path, strrchr(path, '/') - path};
    const char *to = str_c(&c->tmp2, dir);
    int n = job_reference_tables(&c->tmp, c->tmp2, &c->job, reference);
    job_tables(&c->tmp, &c->job, own);
    return csv_write_all(reference, n, to, c->tmp2, e) &&
           csv_write_all(own, JOB_TABLES, to, c->tmp2, e);
}

static bool read_gates(struct job_context *c, struct err *e)
{
    c->gates = arena_new(&c->perm, struct job_gate, c->o->n_gates);
    for (int i = 0; i < c->o->n_gates; i++)
        if (!job_gate_read(c->o->gates[i], &c->gates[i], e))
            return false;
    return true;
}

/* The site is written whatever they say; only the exit status changes. */
static bool check_gates(const struct job_context *c, struct err *e)
{
    for (int i = 0; i < c->o->n_gates; i++) {
        double value;
        bool holds = job_gate_holds(&c->gates[i], &c->job, &value);
        if (!holds)
            return err_set(e, ERR_GATE, NULL, -1, "--fail-on '%s': it is %.4g",
                           c->gates[i].text, value);
        if (isnan(value) && c->o->require_gates)
            return err_set(e, ERR_GATE_OPEN, NULL, -1,
                           "--fail-on '%s' was not evaluated: the figure is not known",
                           c->gates[i].text);
        if (isnan(value))
            fprintf(stderr,
                    "tracefolio: warning: --fail-on '%s' was not evaluated: the figure "
                    "is not known\n",
                    c->gates[i].text);
    }
    return true;
}

/* What --names may be told, where nothing communicates. */
static void tell_kernels(const struct job *j)
{
    char name[160];
    if (j->n_kernels)
        fprintf(stderr, "tracefolio: kernels with most time, over all ranks:\n");
    for (int i = 0; i < j->n_kernels; i++) {
        utf8_visible(name, sizeof name, j->kernels[i].name);
        fprintf(stderr, "%12.3f ms  %s\n", j->kernels[i].ns / 1e6, name);
    }
}

static bool read_inputs(struct job_context *c, struct err *e)
{
    struct job_files files;
    struct job_builder b = job_begin(&c->perm);
    b.max_bytes = c->o->job.max_bytes;
    bool done =
        job_files_find(&c->perm, c->o->job.inputs, c->o->job.n_inputs, &files, e) &&
        job_inputs_read(&files, c->o, c->tmp, c->tmp2, &b, e) &&
        job_make(&c->perm, c->tmp, &b, &c->asked, &c->job, e);
    tell_kernels(&c->job);
    return done;
}

static bool write_json(struct job_context *c, const struct job_report *r, struct err *e)
{
    struct arena tmp = c->tmp;
    struct out o;
    const char *path = publish_path(&c->folder, &tmp, "job.json", e);
    if (!path || !out_open(&o, path, e))
        return false;
    cJSON *tree = job_json(r);
    json_tree(&o, tree, JSON_FILE);
    cJSON_Delete(tree);
    return out_close(&o, e);
}

/* --forbid: everything that is about to leave, before any of it is in place. */
static bool words_allowed(struct job_context *c, struct err *e)
{
    struct arena tmp = c->tmp;
    return folder_allowed(&c->forbidden, publish_dir(&c->folder, &tmp), c->o->forbid,
                          &c->perm, tmp, e);
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
               (int)c->o->level, c->o->formats,
               (unsigned long long)theme_hash(&c->theme),
               c->o->job.names ? c->o->job.names : "");
    for (int i = 0; i < o->topology.n; i++)
        out_printf(&all, " %d@%.*s", o->topology.places[i].rank,
                   STRF(o->topology.places[i].host));
    return out_text(&all, &c->perm);
}

static bool write_all(struct job_context *c, struct err *e)
{
    unsigned formats = c->o->formats;
    struct job_report r = job_report_make(
        &c->perm, &c->job, S("tracefolio " TRACEFOLIO_VERSION), setup_of(c));
    r.share_level = str_of(c->o->level ? c->o->share : "internal");
    struct job_document *d = job_document_make(&c->perm, c->tmp, &r);
    bool done = (!(formats & FORMAT_CSV) || write_tables(c, e)) &&
                (!(formats & FORMAT_JSON) || write_json(c, &r, e)) &&
                (!(formats & FORMAT_MD) ||
                 job_markdown_write(d, &c->folder, c->tmp, c->tmp2, e)) &&
                (!(formats & FORMAT_SITE) ||
                 job_pages_write(d, &c->theme, &c->folder, c->tmp, c->tmp2, e)) &&
                words_allowed(c, e) && publish_commit(&c->folder, c->tmp, e);
    publish_tell(&c->folder, stderr);
    for (int i = 0; done && !c->o->quiet && i < r.n_verdict; i++)
        printf("%.*s.\n", STRF(r.verdict[i]));
    if (done && !c->o->quiet)
        printf("Report:   %s%s\n", c->folder.asked,
               formats & FORMAT_SITE ? "/index.html" : "");
    return done && check_gates(c, e);
}

bool job_run(const struct options *o, struct err *e)
{
    struct job_context *c = calloc(1, sizeof *c);
    if (!c)
        arena_full();
    c->o = o;
    c->perm = arena_reserve(arena_machine_bytes() / 4);
    c->tmp = arena_reserve(arena_machine_bytes() / 4);
    c->tmp2 = arena_reserve(arena_machine_bytes() / 8);
    char *starts[] = {c->perm.at, c->tmp.at, c->tmp2.at};
    bool done = read_request(o, &c->asked, e) && read_topology(c, e) &&
                read_gates(c, e) &&
                (!o->forbid || forbidden_read(&c->perm, o->forbid, &c->forbidden, e)) &&
                theme_choose(&c->perm, o->theme, &c->theme, e) &&
                publish_begin(&c->folder, o->out_dir, o->force, e);
    if (done) {
        done = read_inputs(c, e) && write_all(c, e);
        if (!done)
            publish_abort(&c->folder, e);
    }
    arena_release(starts[0], &c->perm);
    arena_release(starts[1], &c->tmp);
    arena_release(starts[2], &c->tmp2);
    free(c);
    return done;
}
