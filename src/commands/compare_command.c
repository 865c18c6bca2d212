/* `tracefolio compare`: two captures in, one folder out. */
#include "commands/commands.h"

#include "base/place_file.h"
#include "base/terminal.h"
#include "base/unknown.h"
#include "base/version.h"
#include "base/zip_file.h"
#include "capture/capture_read.h"
#include "ci/ci_run.h"
#include "commands/compare_inputs.h"
#include "commands/compare_jobs.h"
#include "commands/folder_command.h"
#include "compare/compare_captures.h"
#include "compare/gate.h"
#include "export/capture_file.h"
#include "export/described_json.h"
#include "export/table_files.h"
#include "render/markdown/compare_markdown.h"
#include "render/page/compare_page.h"
#include "render/page/single_file.h"
#include "render/text/bundle.h"
#include "report/compare/capture_sheets.h"
#include "report/compare/compare_fields.h"
#include "report/compare/compare_tables.h"
#include "report/compare/sheet_compare.h"

#include <stdio.h>

/* What stays open from the first input to the last file. */
struct compare {
    struct folder_command w;
    struct single_file single;
    struct compare_inputs in;
    struct comparison_options asked;
    struct comparison result;
    struct gate_expr *gates;
    struct gate_result *gate_results;
    struct ci_run ci;
};

static struct sheets side_tables(struct compare *c)
{
    struct sheet_side sides[2];
    for (int side = 0; side < 2; side++) {
        const struct compare_input *first = &c->in.of[side][0];
        sides[side] = (struct sheet_side){first->label, first->sheets};
    }
    return sheet_compare(&c->w.perm, c->w.tmp, &sides[0], &sides[1]);
}

/* The sheets of the reference tool, then ours. */
static struct sheets all_tables(struct compare *c)
{
    struct sheets theirs = side_tables(c),
                  ours = compare_tables(&c->w.perm, &c->result);
    struct sheets all = {
        .tables = arena_new(&c->w.perm, struct report_table, theirs.n + ours.n)};
    for (ptrdiff_t i = 0; i < theirs.n; i++)
        all.tables[all.n++] = theirs.tables[i];
    for (ptrdiff_t i = 0; i < ours.n; i++)
        all.tables[all.n++] = ours.tables[i];
    return all;
}

static bool write_tables(struct compare *c, struct err *e)
{
    struct sheets s = all_tables(c);
    struct arena tmp = c->w.tmp;
    struct table_files files = {.date_s = source_date_s()};
    return (!(c->w.o->formats & FORMAT_CSV) ||
            (files.csv_dir = publish_folder(&c->w.folder, &tmp, "compare_csvs", e))) &&
           (!(c->w.o->formats & FORMAT_XLSX) ||
            (files.book = publish_path(&c->w.folder, &tmp, "comparison.xlsx", e))) &&
           table_files_write(&files, s.tables, s.n, tmp, e);
}

static bool read_match(const char *text, struct match_options *m, struct err *e)
{
    static const struct {
        struct str word;
        enum match_level last;
        bool no_sequence;
    } kinds[] = {{S_INIT("auto"), MATCH_CATEGORY, false},
                 {S_INIT("ops"), MATCH_EQUIVALENT, true},
                 {S_INIT("tree"), MATCH_TREE, true},
                 {S_INIT("sequence"), MATCH_SEQUENCE, false},
                 {S_INIT("names"), MATCH_NAME, true}};
    const int n = sizeof kinds / sizeof *kinds;
    struct str words[sizeof kinds / sizeof *kinds],
        asked = str_of(text ? text : "auto");
    for (int i = 0; i < n; i++) {
        words[i] = kinds[i].word;
        m->last = kinds[i].last;
        m->no_sequence = kinds[i].no_sequence;
        if (str_eq(asked, kinds[i].word))
            return true;
    }
    return err_unknown(e, "--match", asked, words, n, "");
}

/* What the command line says of the comparison itself. */
static bool read_request(const struct options *o, struct comparison_options *c,
                         struct err *e)
{
    const struct compare_request *r = &o->compare;
    *c = (struct comparison_options){.floors = NOISE_FLOORS,
                                     .allowed_setup = str_of(r->allow_setup)};
    if (!step_choice_read(r->steps ? r->steps : "paired", &c->steps, e) ||
        !read_match(r->match, &c->match, e))
        return false;
    c->match.equivalence = bundle_file(S("assets/equivalence.tsv"));
    for (int i = 0; i < r->n_floors; i++)
        if (!noise_floor_read(r->floors[i], &c->floors, e))
            return false;
    return true;
}

static bool read_gates(struct compare *c, struct err *e)
{
    const struct options *o = c->w.o;
    c->gates = arena_new(&c->w.perm, struct gate_expr, o->n_gates);
    c->gate_results = arena_new(&c->w.perm, struct gate_result, o->n_gates);
    for (int i = 0; i < o->n_gates; i++)
        if (!gate_read(o->gates[i], &c->gates[i], e))
            return false;
        else if (c->gates[i].what == GATE_ON_METRIC)
            return err_set(e, ERR_USAGE, NULL, -1,
                           "--fail-on '%.100s': a figure of summary.json is a gate of "
                           "analyze; compare has regression, unmatched, setup and "
                           "new-finding",
                           o->gates[i]);
        else if (c->gates[i].what == GATE_ON_CATEGORY &&
                 !gate_category_is_known(c->gates[i].category, true, c->gates[i].text,
                                         e))
            return false;
    return true;
}

static bool make_comparison(struct compare *c, struct err *e)
{
    const struct capture *lent[2];
    for (int side = 0; side < 2; side++) {
        struct capture *captures = arena_new(&c->w.perm, struct capture, c->in.n[side]);
        for (int i = 0; i < c->in.n[side]; i++) {
            const struct compare_input *in = &c->in.of[side][i];
            captures[i] = in->capture ? *in->capture
                                      : capture_of_sheets(&c->w.perm, &in->sheets,
                                                          in->label, NULL);
            captures[i].label = in->label;
            captures[i].device = c->in.device[side];
        }
        lent[side] = captures;
    }
    c->asked.history = c->in.history;
    c->asked.n_history = c->in.n_history;
    if (!comparison_make(&c->w.perm, c->w.tmp, lent, c->in.n, &c->asked, &c->result, e))
        return false;
    const struct capture *candidate = c->result.of[1];
    c->result.waived = ci_waived(&c->ci, &c->w.perm, candidate->findings,
                                 candidate->n_findings, &c->result.n_waived);
    for (int i = 0; i < c->w.o->n_gates; i++)
        c->gate_results[i] = gate_evaluate(&c->w.perm, &c->gates[i], &c->result);
    return true;
}

static bool write_reports(struct compare *c, const struct compare_report *r,
                          struct single_file *single, struct err *e)
{
    unsigned formats = c->w.o->formats;
    return (!(formats & FORMAT_JSON) ||
            command_json(&c->w, "comparison_data.json",
                         document_json(compare_report_fields(), r, c->w.tmp), e)) &&
           (!(formats & FORMAT_MD) ||
            compare_markdown_write(r, &c->w.folder, c->w.tmp, c->w.tmp2, e)) &&
           (!(formats & FORMAT_SITE) ||
            compare_page_write(r, &c->w.theme, &c->w.folder, single, c->w.tmp,
                               c->w.tmp2, e));
}

static bool write_all(struct compare *c, struct err *e)
{
    if (!make_comparison(c, e))
        return false;
    struct compare_report report =
        compare_report_make(&c->w.perm, &c->result, c->gate_results, c->w.o->n_gates,
                            c->w.o->model ? str_of(c->w.o->model) : S("Trace"),
                            S("tracefolio " TRACEFOLIO_VERSION));
    ci_take_comparison(&c->ci, &c->w.perm, &report);
    struct single_file *single = c->w.o->single_file ? &c->single : NULL;
    bool done = write_tables(c, e) && write_reports(c, &report, single, e) &&
                command_commit(&c->w, single, &c->ci, e);
    publish_tell(&c->w.folder, stderr);
    if (done && c->w.o->baseline_out)
        done = capture_place(c->result.of[1], c->w.o->baseline_out, c->w.tmp, e);
    if (done)
        command_print(&c->w, report.verdict, report.n_verdict, "");
    return done && ci_beside(&c->ci, c->w.tmp, e) &&
           ci_judge(&c->ci, c->w.o->require_gates, e);
}

static bool spares_inputs(struct compare *c, struct err *e)
{
    const struct compare_request *r = &c->w.o->compare;
    const char **reads =
        arena_new(&c->w.perm, const char *, r->n_inputs[0] + r->n_inputs[1] + 3);
    int n = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < r->n_inputs[side]; i++) {
            reads[n++] = r->inputs[side][i];
            if (!publish_spares(&c->w.folder, r->inputs[side][i], e))
                return false;
        }
    for (int side = 0; side < 2; side++) {
        if (r->lender[side])
            reads[n++] = r->lender[side];
        if (r->lender[side] && !publish_spares(&c->w.folder, r->lender[side], e))
            return false;
    }
    if (c->w.o->single_file && !(c->w.o->formats & FORMAT_SITE))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--single-file is the site as one file, and --formats leaves "
                       "the site out");
    bool may_differ = c->w.o->platform || r->steps || r->lender[0] || r->lender[1];
    if (!may_differ && r->n_inputs[0] == 1 && r->n_inputs[1] == 1 &&
        place_is_same(r->inputs[0][0], r->inputs[1][0]))
        terminal_warn("both sides are the same capture, so nothing can differ");
    const struct asked_places b = {&c->w.folder, reads, c->w.o->force};
    return ci_spares(&c->ci, &b, e) &&
           (!c->w.o->baseline_out ||
            asked_check(&b, c->w.o->baseline_out, capture_is_file, e)) &&
           (!c->w.o->single_file || single_check(c->w.o->single_file, &b, e));
}

static bool compare_captures_run(const struct options *o, struct err *e)
{
    struct compare c = {0};
    command_open(&c.w, o);
    single_open(&c.single);
    bool done = read_request(o, &c.asked, e) && read_gates(&c, e) &&
                ci_begin(&c.ci, &c.w.perm, &o->ci, e) &&
                command_begin(&c.w, "comparison_output", e);
    if (done) {
        done = spares_inputs(&c, e) && inputs_open(&c.in, o, &c.w.perm, c.w.tmp, e);
        if (done) {
            done = write_all(&c, e);
            inputs_close(&c.in);
        }
        if (!done)
            publish_abort(&c.w.folder, e);
    }
    ci_close(&c.ci);
    single_close(&c.single);
    command_close(&c.w);
    return done;
}

bool compare_run(const struct options *o, struct err *e)
{
    bool of_jobs;
    return compare_is_of_jobs(o, &of_jobs, e) &&
           (of_jobs ? compare_jobs_run(o, e) : compare_captures_run(o, e));
}
