#include "ci/ci_run.h"

#include "base/place_file.h"
#include "base/sha256.h"
#include "base/stable_id.h"
#include "base/terminal.h"
#include "base/zip_file.h"
#include "ci/badge.h"
#include "ci/ci_place.h"
#include "ci/compare_summary.h"
#include "ci/job_outcome.h"
#include "ci/metric_gates.h"
#include "ci/run_summary.h"
#include "ci/sarif.h"
#include "ci/step_summary.h"
#include "ci/summary_view.h"
#include "export/json_text.h"
#include "render/text/html_text.h"
#include "render/text/template_bundle.h"
#include "render/text/template_filters.h"
#include "report/report_options.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The command line, what --ci found, SOURCE_DATE_EPOCH; never the clock. */
static bool read_date(struct ci_run *c, struct arena *perm, struct err *e)
{
    char text[32];
    time_t given = (time_t)source_date_s();
    struct tm utc;
    c->date = str_of(c->o.date);
    if (!c->o.date && given != SOURCE_DATE_NONE_S && gmtime_r(&given, &utc)) {
        strftime(text, sizeof text, "%Y-%m-%d", &utc);
        c->date = str_copy(perm, str_of(text));
    }
    return !c->date.n || date_is_good(c->date) ||
           err_set(e, ERR_USAGE, NULL, -1,
                   "--date: expected a date as 2026-01-31, not '%.40s'", c->o.date);
}

/* A link goes into markdown and mail as it is. */
static bool url_is_good(const char *url)
{
    if (strncmp(url, "https://", 8) != 0 && strncmp(url, "http://", 7) != 0)
        return false;
    for (; *url; url++)
        if (*url <= ' ' || *url > '~' || strchr("()<>\"'`\\[]{}|^", *url))
            return false;
    return true;
}

bool ci_begin(struct ci_run *c, struct arena *perm, const struct ci_options *asked,
              struct err *e)
{
    *c = (struct ci_run){.o = *asked};
    if (asked->detect && !ci_place_fill(&c->o, perm))
        terminal_warn(
            "--ci: the environment is neither of GitHub Actions nor of GitLab "
            "or Jenkins; nothing is taken from it");
    if (!annotations_read(c->o.annotations ? c->o.annotations : "none", &c->host, e) ||
        !read_date(c, perm, e))
        return false;
    if (c->o.report_url && !url_is_good(c->o.report_url))
        return err_set(
            e, ERR_USAGE, NULL, -1,
            "--report-url: expected a link that begins with https:// and has "
            "neither spaces nor brackets, not '%.100s'",
            c->o.report_url);
    if (c->o.email && place_is_stream(c->o.email))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--email: writes two files, FILE.html and FILE.txt, not '%s'",
                       c->o.email);
    bool word = !c->o.badge || strcmp(c->o.badge, "gates") == 0 ||
                strcmp(c->o.badge, "busy") == 0;
    if (!word && !report_figure_read(*perm, c->o.badge, e))
        return false;
    struct stat root;
    if (c->o.source_root &&
        !(stat(c->o.source_root, &root) == 0 && S_ISDIR(root.st_mode)))
        return err_set(e, ERR_INPUT, c->o.source_root, -1,
                       "--source-root: expected a folder");
    if (!c->o.waivers)
        return true;
    if (!c->date.n)
        return err_set(
            e, ERR_USAGE, NULL, -1,
            "--waivers requires the date of this run: --date \"$(date +%%F)\" "
            "or SOURCE_DATE_EPOCH; the clock is never asked, so that the same "
            "command always gives the same result");
    return waivers_read(perm, c->o.waivers, c->date, &c->waivers, e);
}

static const char *email_text_path(const struct ci_run *c, char path[PATH_MAX])
{
    struct str html = str_of(c->o.email);
    if (str_ends(html, S(".html")))
        html = str_head(html, html.n - S(".html").n);
    snprintf(path, PATH_MAX, "%.*s.txt", STRF(html));
    return path;
}

static bool is_junit(const char *path)
{
    return asked_has_mark(path, S("<testsuites name=\"tracefolio: "));
}

static bool is_sarif(const char *path)
{
    return asked_has_mark(path, S("\"name\": \"tracefolio\","));
}

static bool is_metrics(const char *path)
{
    return asked_has_mark(path, S("# HELP tracefolio_"));
}

static bool is_email(const char *path)
{
    return asked_has_mark(path, S("<meta name=\"generator\" content=\"tracefolio\">"));
}

/* The mail as text is ours if it lies beside the same as HTML. */
static bool is_email_text(const char *path)
{
    char html[PATH_MAX];
    int n = (int)strlen(path) - 4; /* ".txt" */
    snprintf(html, sizeof html, "%.*s.html", n, path);
    if (access(html, F_OK) != 0)
        snprintf(html, sizeof html, "%.*s", n, path);
    return is_email(html);
}

bool ci_spares(const struct ci_run *c, const struct asked_places *b, struct err *e)
{
    char text[PATH_MAX];
    const struct {
        const char *path;
        bool (*is_ours)(const char *path);
    } files[] = {{c->o.summary, NULL},
                 {c->o.junit, is_junit},
                 {c->o.sarif, is_sarif},
                 {c->o.metrics, is_metrics},
                 {c->o.email, is_email},
                 {c->o.email ? email_text_path(c, text) : NULL, is_email_text}};
    const size_t n = sizeof files / sizeof *files;
    for (size_t k = 0; k < n; k++) {
        if (!files[k].path || place_is_stream(files[k].path))
            continue;
        if (!asked_check(b, files[k].path, files[k].is_ours, e))
            return false;
        for (size_t other = 0; other < k; other++)
            if (files[other].path && strcmp(files[k].path, files[other].path) == 0)
                return err_set(
                    e, ERR_USAGE, files[k].path, -1,
                    "two options name it: each file needs a name of its own");
    }
    return true;
}

static struct run_facts facts_of(const struct ci_run *c, struct str share_level)
{
    return (struct run_facts){.series = str_of(c->o.series),
                              .date = c->date,
                              .share_level = share_level,
                              .report_url = str_of(c->o.report_url)};
}

static void take(struct ci_run *c, struct arena *perm,
                 const struct gate_result *results, int n)
{
    c->gates = (struct gate_results){results, n};
    run_summary_gates(c->summary, &c->gates);
    c->view = summary_view(perm, c->summary, &c->gates, &c->o);
}

struct str ci_report_id(const struct ci_run *c, struct arena *perm, struct str id)
{
    struct out all;
    char hex[SHA256_HEX_BYTES];
    if (!c->waivers.n)
        return id;
    out_memory(&all);
    out_str(&all, id);
    for (int i = 0; i < c->waivers.n; i++) {
        const struct waiver *w = &c->waivers.at[i];
        out_printf(&all, " %.*s %.*s %.*s", STRF(w->id), STRF(w->until), STRF(w->why));
    }
    sha256_hex_of(out_text(&all, perm), hex);
    return str_copy(perm, str_head(str_of(hex), id.n));
}

const struct waiver *ci_waivers(const struct ci_run *c, struct arena *perm, int *n)
{
    struct waiver *holding = arena_new(perm, struct waiver, c->waivers.n);
    *n = 0;
    for (int i = 0; i < c->waivers.n; i++) {
        const struct waiver *w = &c->waivers.at[i];
        if (waiver_is_over(&c->waivers, w))
            continue;
        holding[*n] = *w;
        holding[(*n)++].why = text_repaired(perm, w->why);
    }
    return holding;
}

/* Of each finding the innermost frame that the checkout has. */
static const struct source_place *find_places(struct arena *perm, const char *root,
                                              const struct report *r)
{
    struct source_place *places = arena_new(perm, struct source_place, r->n_findings);
    for (int k = 0; k < r->n_findings; k++) {
        const struct report_finding *f = &r->findings[k];
        for (int i = 0; i < f->n_frames; i++)
            if (source_place_find(perm, root, f->frames[i], &places[k]))
                break;
    }
    return places;
}

void ci_take(struct ci_run *c, struct arena *perm, const struct report *r,
             const struct gate_expr *gates, int n_gates)
{
    struct run_facts facts = facts_of(c, S(""));
    struct gate_result *results = arena_new(perm, struct gate_result, n_gates);
    c->summary = run_summary(perm, r, &facts);
    for (int i = 0; i < n_gates; i++)
        results[i] = report_gate(perm, &gates[i], c->summary);
    if (c->o.source_root && (c->o.sarif || c->host == ANNOTATE_GITHUB))
        c->places = find_places(perm, c->o.source_root, r);
    take(c, perm, results, n_gates);
}

const struct str *ci_waived(const struct ci_run *c, struct arena *perm,
                            const struct finding *findings, int n, int *n_waived)
{
    struct str *ids = arena_new(perm, struct str, n);
    struct id_set anchors = id_set_make(perm, n);
    int n_holding;
    const struct waiver *holding = ci_waivers(c, perm, &n_holding);
    *n_waived = 0;
    for (int i = 0; i < n; i++) {
        struct str anchor = id_take(&anchors, "f", findings[i].id);
        if (waiver_find(holding, n_holding, findings[i].id, anchor))
            ids[(*n_waived)++] = findings[i].id;
    }
    return ids;
}

void ci_take_comparison(struct ci_run *c, struct arena *perm,
                        const struct compare_report *r)
{
    c->of_comparison = true;
    struct run_facts facts = facts_of(c, S("internal"));
    c->summary = compare_summary(perm, r, &facts, str_of(c->o.run_label));
    take(c, perm, r->gates, r->n_gates);
}

void ci_take_job(struct ci_run *c, struct arena *perm, const struct job_report *r,
                 const struct gate_result *gates, int n)
{
    struct run_facts facts = facts_of(c, r->share_level);
    c->summary = job_outcome(perm, r, &facts, str_of(c->o.run_label));
    take(c, perm, gates, n);
}

void ci_take_jobs(struct ci_run *c, struct arena *perm, const struct job_comparison *d,
                  struct str tool, const struct gate_result *gates, int n)
{
    struct run_facts facts = facts_of(c, S("internal"));
    c->summary = job_difference(perm, d, tool, &facts, str_of(c->o.run_label));
    take(c, perm, gates, n);
}

/* What a writer makes, in a file of its own. */
typedef bool (*ci_writer)(struct out *o, const struct ci_run *c, struct arena tmp,
                          struct err *e);

static bool write_to(const char *path, const struct ci_run *c, ci_writer write,
                     struct arena tmp, struct err *e)
{
    struct out o;
    if (!path)
        return true;
    out_memory(&o);
    bool done = write(&o, c, tmp, e) && place_file(path, out_view(&o), e);
    out_free(&o);
    return done;
}

static bool write_in(const struct publish *folder, const char *name,
                     const struct ci_run *c, ci_writer write, struct arena tmp,
                     struct err *e)
{
    const char *path = publish_path(folder, &tmp, name, e);
    struct out o;
    if (!path || !out_open(&o, path, e))
        return false;
    bool done = write(&o, c, tmp, e);
    return out_close(&o, e) && done;
}

static bool write_summary(struct out *o, const struct ci_run *c, struct arena tmp,
                          struct err *e)
{
    (void)tmp, (void)e;
    json_tree(o, c->summary, JSON_FILE);
    return true;
}

static bool write_badge(struct out *o, const struct ci_run *c, struct arena tmp,
                        struct err *e)
{
    return badge_write(o, c->view, c->o.badge, tmp, e);
}

static bool write_comment(struct out *o, const struct ci_run *c, struct arena tmp,
                          struct err *e)
{
    return comment_write(o, c->view, tmp, e);
}

static bool write_sarif(struct out *o, const struct ci_run *c, struct arena tmp,
                        struct err *e)
{
    (void)tmp, (void)e;
    cJSON *tree = sarif_tree(c->summary, c->places, c->host == ANNOTATE_GITHUB);
    json_tree(o, tree, JSON_FILE);
    cJSON_Delete(tree);
    return true;
}

static bool write_page(struct out *o, const struct ci_run *c, const char *template,
                       struct arena tmp, struct err *e)
{
    struct template_set set = template_bundled(&tmp);
    set.vendor = summary_device(c->view);
    return template_render(o, &set, str_of(template), c->view, e);
}

static bool write_junit(struct out *o, const struct ci_run *c, struct arena tmp,
                        struct err *e)
{
    return write_page(o, c, "ci/junit.xml", tmp, e);
}

/* What a text stands in is "quoted", on one line: a newline is repaired. */
static bool escape_label(struct out *o, struct arena tmp, struct str text)
{
    text = text_repaired(&tmp, text);
    for (ptrdiff_t i = 0; i < text.n; i++) {
        if (text.p[i] == '"' || text.p[i] == '\\')
            out_char(o, '\\');
        out_char(o, text.p[i]);
    }
    return true;
}

static bool write_plain(struct out *o, const struct ci_run *c, const char *template,
                        bool (*escape)(struct out *, struct arena, struct str),
                        struct arena tmp, struct err *e)
{
    struct template_set set = {.perm = &tmp,
                               .find = template_find_bundled,
                               .vendor = summary_device(c->view),
                               .escape = escape,
                               .filters = {number_filters, number_filters}};
    return template_render(o, &set, str_of(template), c->view, e);
}

static bool write_metrics(struct out *o, const struct ci_run *c, struct arena tmp,
                          struct err *e)
{
    return write_plain(o, c, "ci/metrics.txt", escape_label, tmp, e);
}

static bool write_email(struct out *o, const struct ci_run *c, struct arena tmp,
                        struct err *e)
{
    return write_page(o, c, "ci/email.html", tmp, e);
}

static bool escape_plain(struct out *o, struct arena tmp, struct str text)
{
    (void)tmp;
    text_repair(o, text);
    return true;
}

static bool write_email_text(struct out *o, const struct ci_run *c, struct arena tmp,
                             struct err *e)
{
    return write_plain(o, c, "ci/email.txt", escape_plain, tmp, e);
}

bool ci_in_folder(const struct ci_run *c, const struct publish *folder, bool json,
                  bool md, bool site, struct arena tmp, struct err *e)
{
    bool any = json || site;
    return (!any || write_in(folder, "summary.json", c, write_summary, tmp, e)) &&
           (!site || write_in(folder, "badge.svg", c, write_badge, tmp, e)) &&
           (!md || write_in(folder, "comment.md", c, write_comment, tmp, e));
}

bool ci_beside(const struct ci_run *c, struct arena tmp, struct err *e)
{
    char text[PATH_MAX];
    bool done = write_to(c->o.junit, c, write_junit, tmp, e) &&
                write_to(c->o.sarif, c, write_sarif, tmp, e) &&
                write_to(c->o.metrics, c, write_metrics, tmp, e) &&
                write_to(c->o.email, c, write_email, tmp, e) &&
                write_to(c->o.email ? email_text_path(c, text) : NULL, c,
                         write_email_text, tmp, e) &&
                (!c->o.summary || step_summary_append(c->o.summary, c->view, tmp, e));
    if (!done || c->host == ANNOTATE_NONE)
        return done;
    struct out o;
    out_memory(&o);
    annotations_write(&o, c->host, c->summary, c->places);
    terminal_raw(stdout, out_view(&o));
    out_free(&o);
    return true;
}

void ci_scan(const struct ci_run *c, const struct forbidden *f, struct arena *perm,
             struct arena tmp, struct word_hits *hits)
{
    struct out o;
    out_memory(&o);
    json_tree(&o, c->summary, JSON_FILE);
    scan_bytes(f, S("summary.json"), out_view(&o), perm, tmp, hits);
    out_free(&o);
}

static bool names_a_finding(const struct waiver *w, const cJSON *summary)
{
    const cJSON *f;
    cJSON_ArrayForEach(f, cJSON_GetObjectItem(summary, "findings"))
    {
        if (waiver_names(w, str_of(cJSON_GetObjectItem(f, "key")->valuestring),
                         str_of(cJSON_GetObjectItem(f, "id")->valuestring)))
            return true;
    }
    return false;
}

static void tell_waivers(const struct ci_run *c)
{
    for (int i = 0; i < c->waivers.n; i++) {
        const struct waiver *w = &c->waivers.at[i];
        bool over = waiver_is_over(&c->waivers, w);
        bool found = names_a_finding(w, c->summary);
        if (found ? !over : c->of_comparison)
            continue;
        terminal_warn(over ? "%s:%d: the waiver of %.*s ended on %.*s"
                           : "%s:%d: %.*s is not a finding of this run%.*s",
                      c->o.waivers, w->line, STRF(w->id), over ? (int)w->until.n : 0,
                      w->until.p);
    }
}

/* Where the text of a line begins: behind blanks and a number ("  1. "). */
static ptrdiff_t indent_of(struct str line)
{
    ptrdiff_t n = 0, digit;
    while (n < line.n && line.p[n] == ' ')
        n++;
    for (digit = n; digit < line.n && line.p[digit] >= '0' && line.p[digit] <= '9';)
        digit++;
    return digit > n && str_starts(str_skip(line, digit), S(". ")) ? digit + 2 : n;
}

/* Lines of at most 80 columns; what goes on is indented like its line. */
static void put_wrapped(struct out *o, struct str text)
{
    enum { COLUMNS = 80 };
    while (text.n) {
        struct str line = str_take(&text, S("\n"));
        ptrdiff_t indent = indent_of(line);
        for (ptrdiff_t room = COLUMNS; line.n > room; room = COLUMNS - indent) {
            ptrdiff_t at = room;
            while (at > indent && line.p[at] != ' ')
                at--;
            if (at <= indent)
                break;
            out_printf(o, "%.*s\n%*s", (int)at, line.p, (int)indent, "");
            line = str_skip(line, at + 1);
        }
        out_printf(o, "%.*s\n", STRF(line));
    }
}

bool ci_print(const struct ci_run *c, enum ci_form form, struct arena tmp,
              struct err *e)
{
    struct out o, text;
    out_memory(&o);
    out_memory(&text);
    bool done = form == CI_TEXT ? write_email_text(&text, c, tmp, e)
                : form == CI_MD
                    ? step_summary_write(&o, c->view, SUMMARY_BYTES_MAX, tmp, e)
                    : write_summary(&o, c, tmp, e);
    put_wrapped(&o, out_view(&text));
    if (done && form == CI_JSON)
        terminal_raw(stdout, out_view(&o)); /* escaped as JSON is */
    else if (done)
        terminal_text(stdout, out_view(&o));
    out_free(&text);
    out_free(&o);
    return done;
}

bool ci_judge(const struct ci_run *c, bool require_all, struct err *e)
{
    tell_waivers(c);
    return gates_tell(c->gates.at, c->gates.n, c->summary, require_all, e);
}

void ci_close(struct ci_run *c)
{
    cJSON_Delete(c->view);
    cJSON_Delete(c->summary);
    c->view = c->summary = NULL;
}
