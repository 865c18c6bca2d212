#include "compare_command.h"

#include "base/out.h"
#include "base/unknown.h"
#include "base/zip_file.h"
#include "capture/capture_lines.h"
#include "ci/ci_run.h"
#include "compare/compare_captures.h"
#include "compare/gate.h"
#include "compare_inputs.h"
#include "compare_jobs.h"
#include "export/capture_file.h"
#include "export/comparison_json.h"
#include "export/csv_tables.h"
#include "export/json_text.h"
#include "export/xlsx_book.h"
#include "render/folder/publish.h"
#include "render/markdown/compare_markdown.h"
#include "render/page/compare_page.h"
#include "render/page/single_file.h"
#include "render/text/bundle.h"
#include "render/text/theme.h"
#include "render/text/themes_command.h"
#include "report/compare/capture_sheets.h"
#include "report/compare/compare_tables.h"
#include "report/compare/sheet_compare.h"
#include "share/word_scan.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

/* What stays open from the first input to the last file. */
struct compare {
    const struct options *o;
    struct arena perm, tmp, tmp2;
    struct theme theme;
    struct publish folder;
    struct single_file single;
    struct compare_inputs in;
    struct comparison_options asked;
    struct comparison result;
    struct gate_expr *gates;
    struct gate_result *gate_results;
    struct ci_run ci;
    struct forbidden forbidden;
};

static bool write_csv(struct compare *c, const struct sheets *s, struct err *e)
{
    struct arena tmp = c->tmp;
    const char *path =
        publish_path(&c->folder, &tmp, "compare_csvs/gpu_timeline.csv", e);
    if (!path)
        return false;
    struct str dir = {path, strrchr(path, '/') - path};
    return csv_write_all(s->tables, s->n, str_c(&tmp, dir), tmp, e);
}

static bool write_book(struct compare *c, const struct sheets *s, struct err *e)
{
    struct arena tmp = c->tmp;
    const char *path = publish_path(&c->folder, &tmp, "comparison.xlsx", e);
    return path && xlsx_write(s->tables, s->n, path, source_date_s(), tmp, e);
}

static struct sheets side_tables(struct compare *c)
{
    struct sheet_side sides[2];
    for (int side = 0; side < 2; side++) {
        const struct compare_input *first = &c->in.of[side][0];
        sides[side] = (struct sheet_side){first->label, first->sheets};
    }
    return sheet_compare(&c->perm, c->tmp, &sides[0], &sides[1]);
}

/* The sheets of the reference tool, then ours. */
static struct sheets all_tables(struct compare *c)
{
    struct sheets theirs = side_tables(c), ours = compare_tables(&c->perm, &c->result);
    struct sheets all = {
        .tables = arena_new(&c->perm, struct report_table, theirs.n + ours.n)};
    for (ptrdiff_t i = 0; i < theirs.n; i++)
        all.tables[all.n++] = theirs.tables[i];
    for (ptrdiff_t i = 0; i < ours.n; i++)
        all.tables[all.n++] = ours.tables[i];
    return all;
}

static bool write_tables(struct compare *c, struct err *e)
{
    struct sheets s = all_tables(c);
    return (!(c->o->formats & FORMAT_CSV) || write_csv(c, &s, e)) &&
           (!(c->o->formats & FORMAT_XLSX) || write_book(c, &s, e));
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
    const struct options *o = c->o;
    c->gates = arena_new(&c->perm, struct gate_expr, o->n_gates);
    c->gate_results = arena_new(&c->perm, struct gate_result, o->n_gates);
    for (int i = 0; i < o->n_gates; i++)
        if (!gate_read(o->gates[i], &c->gates[i], e))
            return false;
        else if (c->gates[i].what == GATE_ON_METRIC)
            return err_set(e, ERR_USAGE, NULL, -1,
                           "--fail-on '%.100s': a figure of summary.json is a gate of "
                           "analyze; compare has regression, unmatched, setup and "
                           "new-finding",
                           o->gates[i]);
    return true;
}

static bool make_comparison(struct compare *c, struct err *e)
{
    const struct capture *lent[2];
    for (int side = 0; side < 2; side++) {
        struct capture *captures = arena_new(&c->perm, struct capture, c->in.n[side]);
        for (int i = 0; i < c->in.n[side]; i++) {
            const struct compare_input *in = &c->in.of[side][i];
            captures[i] =
                in->capture ? *in->capture
                            : capture_of_sheets(&c->perm, &in->sheets, in->label, NULL);
            captures[i].label = in->label;
            captures[i].device = c->in.device[side];
        }
        lent[side] = captures;
    }
    c->asked.history = c->in.history;
    c->asked.n_history = c->in.n_history;
    if (!comparison_make(&c->perm, c->tmp, lent, c->in.n, &c->asked, &c->result, e))
        return false;
    const struct capture *candidate = c->result.of[1];
    c->result.waived = ci_waived(&c->ci, &c->perm, candidate->findings,
                                 candidate->n_findings, &c->result.n_waived);
    for (int i = 0; i < c->o->n_gates; i++)
        c->gate_results[i] = gate_evaluate(&c->perm, &c->gates[i], &c->result);
    return true;
}

static bool write_json(struct compare *c, const struct compare_report *r, struct err *e)
{
    struct arena tmp = c->tmp;
    struct out o;
    const char *path = publish_path(&c->folder, &tmp, "comparison_data.json", e);
    if (!path || !out_open(&o, path, e))
        return false;
    cJSON *tree = comparison_json(r);
    json_tree(&o, tree, JSON_FILE);
    cJSON_Delete(tree);
    return out_close(&o, e);
}

static bool write_reports(struct compare *c, const struct compare_report *r,
                          struct err *e)
{
    unsigned formats = c->o->formats;
    return (!(formats & FORMAT_JSON) || write_json(c, r, e)) &&
           (!(formats & FORMAT_MD) ||
            compare_markdown_write(r, &c->folder, c->tmp, c->tmp2, e)) &&
           (!(formats & FORMAT_SITE) ||
            compare_page_write(r, &c->theme, &c->folder,
                               c->o->single_file ? &c->single : NULL, c->tmp, c->tmp2,
                               e));
}

static void print_verdict(const struct compare *c, const struct compare_report *r)
{
    for (int i = 0; i < r->n_verdict; i++)
        printf("%.*s\n", STRF(r->verdict[i]));
    printf("Report:   %s%s\n", c->folder.asked,
           c->o->formats & FORMAT_SITE ? "/index.html" : "");
}

static bool write_single(struct compare *c, struct err *e)
{
    const struct options *o = c->o;
    return !o->single_file ||
           single_write(&c->single, o->single_file, o->single_file_limit_mb, e);
}

/* --forbid: everything that is about to leave, before any of it is in place. */
static bool words_allowed(struct compare *c, struct err *e)
{
    struct arena tmp = c->tmp;
    struct word_hits hits = {0};
    if (!c->forbidden.n)
        return true;
    if (!scan_folder(&c->forbidden, publish_dir(&c->folder, &tmp), &c->perm, tmp, &hits,
                     e))
        return false;
    if (c->o->single_file)
        scan_bytes(&c->forbidden, S("--single-file"), out_view(&c->single.document),
                   &c->perm, tmp, &hits);
    ci_scan(&c->ci, &c->forbidden, &c->perm, tmp, &hits);
    return scan_tell(&hits, c->o->forbid, e);
}

static bool write_all(struct compare *c, struct err *e)
{
    if (!make_comparison(c, e))
        return false;
    struct compare_report report =
        compare_report_make(&c->perm, &c->result, c->gate_results, c->o->n_gates,
                            c->o->model ? str_of(c->o->model) : S("Trace"),
                            S("tracefolio " TRACEFOLIO_VERSION));
    ci_take_comparison(&c->ci, &c->perm, &report);
    bool done =
        write_tables(c, e) && write_reports(c, &report, e) && write_single(c, e) &&
        words_allowed(c, e) && publish_commit(&c->folder, c->tmp, e) &&
        (!c->o->single_file ||
         single_place(&c->single, c->o->single_file, c->o->single_file_limit_mb, e));
    publish_tell(&c->folder, stderr);
    if (done && c->o->baseline_out)
        done = capture_place(c->result.of[1], c->o->baseline_out, c->tmp, e);
    if (done && !c->o->quiet)
        print_verdict(c, &report);
    return done && ci_beside(&c->ci, c->tmp, e) &&
           ci_judge(&c->ci, c->o->require_gates, e);
}

static bool spares_inputs(struct compare *c, struct err *e)
{
    const struct compare_request *r = &c->o->compare;
    const char **reads =
        arena_new(&c->perm, const char *, r->n_inputs[0] + r->n_inputs[1] + 3);
    int n = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < r->n_inputs[side]; i++) {
            reads[n++] = r->inputs[side][i];
            if (!publish_spares(&c->folder, r->inputs[side][i], e))
                return false;
        }
    for (int side = 0; side < 2; side++) {
        if (r->lender[side])
            reads[n++] = r->lender[side];
        if (r->lender[side] && !publish_spares(&c->folder, r->lender[side], e))
            return false;
    }
    if (c->o->single_file && !(c->o->formats & FORMAT_SITE))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--single-file is the site as one file, and --formats leaves "
                       "the site out");
    const struct asked_places b = {&c->folder, reads, c->o->force};
    return ci_spares(&c->ci, &b, e) &&
           (!c->o->baseline_out ||
            asked_check(&b, c->o->baseline_out, capture_is_file, e)) &&
           (!c->o->single_file || single_check(c->o->single_file, &b, e));
}

static bool compare_captures_run(const struct options *o, struct err *e)
{
    struct compare c = {.o = o};
    c.perm = arena_reserve(arena_machine_bytes() / 4);
    c.tmp = arena_reserve(arena_machine_bytes() / 4);
    c.tmp2 = arena_reserve(arena_machine_bytes() / 8);
    char *perm_start = c.perm.at, *tmp_start = c.tmp.at, *tmp2_start = c.tmp2.at;
    const char *target = o->out_dir ? o->out_dir : "comparison_output";
    single_open(&c.single);
    bool done = read_request(o, &c.asked, e) && read_gates(&c, e) &&
                ci_begin(&c.ci, &c.perm, &o->ci, e) &&
                (!o->forbid || forbidden_read(&c.perm, o->forbid, &c.forbidden, e)) &&
                theme_choose(&c.perm, o->theme, &c.theme, e) &&
                publish_begin(&c.folder, target, o->force, e);
    if (done) {
        done = spares_inputs(&c, e) && inputs_open(&c.in, o, &c.perm, c.tmp, e);
        if (done) {
            done = write_all(&c, e);
            inputs_close(&c.in);
        }
        if (!done)
            publish_abort(&c.folder, e);
    }
    ci_close(&c.ci);
    single_close(&c.single);
    arena_release(perm_start, &c.perm);
    arena_release(tmp_start, &c.tmp);
    arena_release(tmp2_start, &c.tmp2);
    return done;
}

bool compare_run(const struct options *o, struct err *e)
{
    bool of_jobs;
    return compare_is_of_jobs(o, &of_jobs, e) &&
           (of_jobs ? compare_jobs_run(o, e) : compare_captures_run(o, e));
}
