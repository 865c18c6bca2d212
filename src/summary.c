#include "summary.h"

#include "analysis/model/finding.h"
#include "base/utf8.h"
#include "report/report.h"

#include <string.h>

enum { LINE_BYTES = 4096 };

void summary_line(FILE *to, struct str s, const char *end)
{
    char line[LINE_BYTES];
    utf8_visible(line, sizeof line, s);
    fprintf(to, "%s%s\n", line, end);
}

static void print_levels(FILE *to, const struct report *r)
{
    int n[PRIORITY_CRITICAL + 1] = {0}, all = 0;
    for (int i = 0; i < r->n_findings; i++)
        if (!r->findings[i].of->informational) {
            n[r->findings[i].of->priority]++;
            all++;
        }
    fprintf(to, "%-10s%s", "Findings:", all ? "" : "none\n");
    for (int level = PRIORITY_CRITICAL; level >= 0; level--)
        if (n[level]) {
            fprintf(to, "%d %.*s", n[level], STRF(priority_word((enum priority)level)));
            all -= n[level];
            fputs(all ? ", " : "\n", to);
        }
}

void summary_place(FILE *to, const struct options *o, const char *out_dir)
{
    char path[LINE_BYTES];
    size_t n = strlen(out_dir);
    bool slash = n && out_dir[n - 1] == '/', site = o->formats & FORMAT_SITE;
    snprintf(path, sizeof path, "%s%s%s", out_dir, slash || !site ? "" : "/",
             site ? "index.html" : "");
    fprintf(to, "%-10s", "Report:");
    summary_line(to, str_of(path), "");
    if (o->single_file) {
        fprintf(to, "%-10s", "One file:");
        summary_line(to, str_of(o->single_file), "");
    }
}

void summary_print(FILE *to, const struct options *o, const struct report *r,
                   const char *out_dir)
{
    summary_line(to, r->verdict, "");
    if (r->lead.n)
        summary_line(to, r->lead, "");
    print_levels(to, r);
    summary_place(to, o, out_dir);
}

void warnings_print(FILE *to, const struct analysis *a)
{
    for (int k = 0; k < a->n_warnings; k++)
        if (a->warnings[k].of_user) {
            fputs("tracefolio: warning: ", to);
            summary_line(to, a->warnings[k].text, "");
        }
}
