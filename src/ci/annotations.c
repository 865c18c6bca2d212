#include "ci/annotations.h"

#include "base/terminal.h"
#include "base/unknown.h"
#include "render/text/filter_parts.h"

bool annotations_read(const char *text, enum annotation_host *host, struct err *e)
{
    static const struct str words[] = {[ANNOTATE_NONE] = S_INIT("none"),
                                       [ANNOTATE_GITHUB] = S_INIT("github"),
                                       [ANNOTATE_GITLAB] = S_INIT("gitlab")};
    const int n = sizeof words / sizeof *words;
    for (int k = 0; k < n; k++)
        if (str_eq(str_of(text), words[k])) {
            *host = (enum annotation_host)k;
            return true;
        }
    return err_unknown(e, "--annotations", str_of(text), words, n, "");
}

/* What a workflow command would read as its end, and in a property also , and : */
static void github_text(struct out *o, struct str s, bool property)
{
    for (ptrdiff_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '%' || c == '\r' || c == '\n' || (property && (c == ',' || c == ':')))
            out_printf(o, "%%%02X", (unsigned)c);
        else
            out_char(o, c);
    }
}

enum grade { GRADE_ERROR, GRADE_WARNING, GRADE_NOTICE };

/* `p`: where the host shows it, or NULL. */
static void write_line(struct out *o, enum annotation_host host, enum grade grade,
                       struct str title, struct str text, const struct source_place *p)
{
    static const char *const commands[] = {"error", "warning", "notice"};
    static const char *const colours[] = {"31", "33", "36"};
    struct out seen;
    out_memory(&seen);
    out_visible(&seen, title);
    ptrdiff_t title_n = seen.n;
    out_visible(&seen, text);
    title = str_head(out_view(&seen), title_n);
    text = str_skip(out_view(&seen), title_n);
    if (host == ANNOTATE_GITHUB) {
        out_printf(o, "::%s ", commands[grade]);
        if (p && p->path.n) {
            out_lit(o, "file=");
            github_text(o, p->path, true);
            out_printf(o, ",line=%lld,", (long long)p->line);
        }
        out_lit(o, "title=");
        github_text(o, title, true);
        out_lit(o, "::");
        github_text(o, text, false);
        out_char(o, '\n');
    } else {
        out_printf(o, "\033[%s;1m%s\033[0m %.*s: %.*s\n", colours[grade],
                   commands[grade], STRF(title), STRF(text));
    }
    out_free(&seen);
}

static struct str text_in(const cJSON *o, const char *key)
{
    return text_of(cJSON_GetObjectItemCaseSensitive(o, key));
}

static int write_gates(struct out *o, enum annotation_host host, const cJSON *summary)
{
    int n = 0;
    const cJSON *g;
    cJSON_ArrayForEach(g, cJSON_GetObjectItem(summary, "gates"))
    {
        struct str result = text_in(g, "result");
        if (str_eq(result, S("passed")) || n == ANNOTATIONS_MAX)
            continue;
        bool fails = str_eq(result, S("failed")) &&
                     !cJSON_IsTrue(cJSON_GetObjectItem(g, "warns"));
        write_line(o, host, fails ? GRADE_ERROR : GRADE_WARNING, text_in(g, "text"),
                   text_in(g, "says"), NULL);
        n++;
    }
    return n;
}

void annotations_write(struct out *o, enum annotation_host host,
                       const struct cJSON *summary, const struct source_place *places)
{
    if (host == ANNOTATE_NONE)
        return;
    int n = write_gates(o, host, summary), at = 0;
    const cJSON *f;
    cJSON_ArrayForEach(f, cJSON_GetObjectItem(summary, "findings"))
    {
        const struct source_place *p = places ? &places[at] : NULL;
        at++;
        bool low = str_eq(text_in(f, "severity"), S("low")) ||
                   cJSON_IsTrue(cJSON_GetObjectItem(f, "informational"));
        if (low || cJSON_IsObject(cJSON_GetObjectItem(f, "waived")) ||
            n++ >= ANNOTATIONS_MAX)
            continue;
        write_line(o, host,
                   str_eq(text_in(f, "severity"), S("medium")) ? GRADE_NOTICE
                                                               : GRADE_WARNING,
                   text_in(f, "title"), text_in(f, "issue"), p);
    }
}
