#include "render/page/finding_context.h"

#include "base/arena.h"
#include "render/page/lanes_file.h"
#include "render/page/op_lines.h"
#include "render/text/bundle.h"
#include "report/finding_shown.h"

#include <math.h>

enum { EVIDENCE_SENTENCES = 8 };

#define ALL_ROWS "perf_report_csvs/unified_perf_summary.csv"

/* What acting on it takes, and whose it is: the line of assets/efforts.tsv that fits
 * the beginning of its title best. */
static void add_effort(cJSON *c, struct str title)
{
    struct str lines = bundle_file(S("assets/efforts.tsv")), best = S(""),
               effort = S(""), who = S("");
    while (lines.n > 0) {
        struct str line = str_take(&lines, S("\n")), begins = str_take(&line, S("\t"));
        if (begins.n <= best.n || !str_starts(title, begins))
            continue;
        best = begins;
        effort = str_take(&line, S("\t"));
        who = line;
    }
    json_put(c, M("effort", effort), M("who", who));
}

cJSON *finding_facts(cJSON *c, const struct report *r, const struct report_finding *f)
{
    const struct finding *of = f->of;
    context_lend(c, shown_finding_fields(), f, r);
    add_effort(c, of->title);
    return json_put(c,
                    page_severity("severity", of->informational
                                                  ? S("note")
                                                  : priority_word(of->priority)),
                    row_category(r, of->category),
                    json_bool("sure", of->confidence == CONFIDENCE_HIGH));
}

cJSON *finding_line(cJSON *list, const struct report *r, const struct report_finding *f)
{
    return finding_facts(context_push(list), r, f);
}

static void add_evidence(cJSON *c, const struct report *r,
                         const struct report_finding *f, int rows, struct arena tmp)
{
    if (!f->n_ops)
        return;
    cJSON *evidence = json_put_object(c, "based_on");
    cJSON *list = json_put_array(evidence, "rows");
    double rest_ms = 0.0, all_ms = 0.0;
    for (int k = 0; k < f->n_ops; k++) {
        double ms = r->ops[f->ops[k]].row->time_ms;
        all_ms += ms;
        if (k < rows)
            op_row(list, r, f->ops[k], tmp);
        else
            rest_ms += ms;
    }
    json_put(evidence, json_bool("several", f->n_ops > 1), M("all_ms", all_ms),
             context_some("left", f->n_ops - rows), M("rest_ms", rest_ms));
}

/* What the table of evidence below says again, row by row. */
static bool in_table(const struct report_finding *f, const struct evidence *e)
{
    return f->n_ops && (e->kind == EVIDENCE_ROW || e->kind == EVIDENCE_MORE ||
                        str_eq(e->text, f->of->issue));
}

static struct json_member facts_of(const struct report_finding *f)
{
    struct str facts[EVIDENCE_SENTENCES];
    int n = 0;
    for (int k = 0; k < f->of->n_evidence && n < EVIDENCE_SENTENCES; k++)
        if (!in_table(f, &f->of->evidence[k]))
            facts[n++] = f->of->evidence[k].text;
    return context_items("facts", facts, n);
}

static void add_files(cJSON *c, const struct site *s, const struct report_finding *f,
                      struct arena tmp)
{
    bool rows = f->n_ops > 0 && s->o->csv && ctx_has_rows(s, S("unified_perf_summary"));
    json_put(c, M("kit_bytes", f->kit.n ? ctx_bytes(s, tmp, f->kit) : (double)NAN),
             json_bool("rows_csv", rows),
             M("rows_bytes", rows ? ctx_bytes(s, tmp, S(ALL_ROWS)) : (double)NAN));
}

static double kernel_ms(const struct report *r, struct str name)
{
    double ms = 0;
    for (int k = 0; k < r->n_kernels; k++)
        ms += str_eq(r->kernels[k].name, name) ? r->kernels[k].total_ms : 0;
    return ms;
}

/* The kernel by which to find it on the timeline: of its longer ones the one of which
 * other operations have least. Copies, for one, are everywhere. Empty: none. */
static struct str own_kernel(const struct report *r, const struct report_finding *f)
{
    enum { OPS = 16 };
    static const double LONG = 0.2; /* of the longest */
    struct str best = S("");
    double longest_us = 0, most = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < f->n_ops && i < OPS; i++) {
            const struct op_group *g = r->ops[f->ops[i]].group;
            for (int32_t k = 0; k < g->n_kernels; k++) {
                double us = g->kernels[k].total_us;
                longest_us = fmax(longest_us, us);
                if (!pass || us < LONG * longest_us)
                    continue;
                double all_ms = kernel_ms(r, g->kernels[k].name),
                       own = all_ms > 0 ? us / 1e3 / all_ms : 0;
                if (own > most || (own == most && us == longest_us)) {
                    best = g->kernels[k].name;
                    most = own;
                }
            }
        }
    return best;
}

/* The same of a finding on communication or copies, which is of no operation: the
 * longest of these. */
static struct str longest_kernel(const struct report *r, const struct finding *f)
{
    bool copies = str_ends(f->pattern, S("_memcpy"));
    enum figure_slot slot = copies ? SLOT_COPY : SLOT_COMMUNICATION;
    const struct report_kernel *longest = NULL;
    if (!copies && !str_eq(f->pattern, S("nccl_blocking_compute")))
        return S("");
    for (int k = 0; k < r->n_kernels; k++)
        if (r->kernels[k].slot == slot && !r->kernels[k].backlog &&
            (!longest || r->kernels[k].total_ms > longest->total_ms))
            longest = &r->kernels[k];
    return longest ? longest->name : S("");
}

void finding_seen(cJSON *c, const struct site *s, const struct report_finding *f,
                  struct arena tmp)
{
    const struct report_op *op = f->n_ops ? &s->r->ops[f->ops[0]] : NULL;
    struct str line = op && s->op_lines ? op_line_href(&tmp, s->op_lines, op->row->name)
                                        : S(""),
               kernel = !lanes_wanted(s->r) ? S("")
                        : op                ? own_kernel(s->r, f)
                                            : longest_kernel(s->r, f->of);
    if (line.n || kernel.n)
        json_put(json_put_object(c, "seen"), M("kernel", kernel), M("line", line));
}

cJSON *finding_card(cJSON *list, const struct site *s, const struct report_finding *f,
                    int evidence_rows, struct arena tmp)
{
    cJSON *c = finding_line(list, s->r, f);
    json_put(c, facts_of(f));
    add_files(c, s, f, tmp);
    finding_seen(c, s, f, tmp);
    add_evidence(c, s->r, f, evidence_rows, tmp);
    return c;
}
