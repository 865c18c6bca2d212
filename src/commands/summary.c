#include "commands/summary.h"

#include "analysis/model/finding.h"
#include "base/terminal.h"
#include "report/report.h"

#include <string.h>

static void print_levels(FILE *to, const struct report *r)
{
    int n[PRIORITY_CRITICAL + 1] = {0}, all = 0;
    for (int i = 0; i < r->n_findings; i++)
        if (!r->findings[i].of->informational) {
            n[r->findings[i].of->priority]++;
            all++;
        }
    terminal_part(to, "%-10s%s", "Findings:", all ? "" : "none");
    for (int level = PRIORITY_CRITICAL; level >= 0; level--)
        if (n[level]) {
            all -= n[level];
            terminal_part(to, "%d %.*s%s", n[level],
                          STRF(priority_word((enum priority)level)), all ? ", " : "");
        }
    terminal_line(to, "%s", "");
}

void summary_place(FILE *to, const struct options *o, const char *out_dir)
{
    size_t n = strlen(out_dir);
    bool slash = n && out_dir[n - 1] == '/', site = o->formats & FORMAT_SITE;
    terminal_line(to, "%-10s%s%s%s", "Report:", out_dir, slash || !site ? "" : "/",
                  site ? "index.html" : "");
    if (o->single_file)
        terminal_line(to, "%-10s%s", "One file:", o->single_file);
}

void summary_print(FILE *to, const struct options *o, const struct report *r,
                   const char *out_dir)
{
    if (r->recording.says.n)
        terminal_line(to, "%.*s", STRF(r->recording.says));
    terminal_line(to, "%.*s", STRF(r->verdict));
    if (r->lead.n)
        terminal_line(to, "%.*s", STRF(r->lead));
    print_levels(to, r);
    summary_place(to, o, out_dir);
}

void warnings_print(FILE *to, const struct analysis *a)
{
    int n = 0;
    for (int k = 0; k < a->n_warnings; k++)
        if (a->warnings[k].of_user && n++ < WARNINGS_TOLD)
            terminal_line(to, "tracefolio: warning: %.*s", STRF(a->warnings[k].text));
    terminal_warn_of_more(to, n);
}
