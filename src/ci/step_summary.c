#include "ci/step_summary.h"

#include "base/terminal.h"
#include "base/write_all.h"
#include "ci/summary_view.h"
#include "render/text/context.h"
#include "render/text/markdown_filters.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The last one is short and says where the rest is: it is kept longest but for the
 * verdict. */
static const char *const parts[] = {"ci_verdict",  "ci_gates",   "ci_cards",
                                    "ci_findings", "ci_changes", "ci_warnings",
                                    "ci_where"};
enum { PARTS = sizeof parts / sizeof *parts, LAST = PARTS - 1, CUT_BYTES = 200 };

static bool render(struct out *o, struct template_set *set, const char *name,
                   const cJSON *context, struct err *e)
{
    return template_render(o, set, str_of(name), context, e);
}

static bool write_cut(struct out *o, struct template_set *set, int cut, struct err *e)
{
    cJSON *c = json_object(J("cut", cut), json_bool("several", cut > 1));
    bool done = render(o, set, "ci_cut", c, e);
    cJSON_Delete(c);
    return done;
}

bool step_summary_write(struct out *o, const struct cJSON *view, int64_t room,
                        struct arena tmp, struct err *e)
{
    struct template_set set = markdown_templates(&tmp);
    set.vendor = summary_device(view);
    struct out texts[PARTS];
    bool done = true;
    int64_t left = room;
    for (int i = 0; i < PARTS; i++) {
        out_memory(&texts[i]);
        done = done && render(&texts[i], &set, parts[i], view, e);
    }
    left -= out_view(&texts[0]).n + out_view(&texts[LAST]).n + CUT_BYTES;
    int n = 1;
    while (n < LAST && left >= out_view(&texts[n]).n)
        left -= out_view(&texts[n++]).n;
    for (int i = 0; done && left >= 0 && i < n; i++)
        out_str(o, out_view(&texts[i]));
    if (done && left >= 0 && n < LAST)
        done = write_cut(o, &set, LAST - n, e);
    if (done && left >= 0)
        out_str(o, out_view(&texts[LAST]));
    for (int i = 0; i < PARTS; i++)
        out_free(&texts[i]);
    return done;
}

bool comment_write(struct out *o, const struct cJSON *view, struct arena tmp,
                   struct err *e)
{
    struct template_set set = markdown_templates(&tmp);
    set.vendor = summary_device(view);
    return render(o, &set, "ci_marker", view, e) &&
           step_summary_write(o, view, SUMMARY_BYTES_MAX, tmp, e);
}

bool step_summary_append(const char *path, const struct cJSON *view, struct arena tmp,
                         struct err *e)
{
    struct stat st;
    struct out o;
    int how = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY;
    int fd = open(path, how | O_NONBLOCK, 0666); /* a pipe must have its reader */
    if (fd < 0 || fstat(fd, &st) != 0 || fcntl(fd, F_SETFL, O_APPEND) != 0) {
        if (fd >= 0)
            close(fd);
        return err_set(e, ERR_OUTPUT, path, -1, "%s", strerror(errno));
    }
    int64_t room = HOST_BYTES_MAX - (S_ISREG(st.st_mode) ? st.st_size : 0);
    out_memory(&o);
    bool done = step_summary_write(
        &o, view, room < SUMMARY_BYTES_MAX ? room : SUMMARY_BYTES_MAX, tmp, e);
    struct str text = out_view(&o);
    int why = done ? write_all(fd, text) : 0;
    if (why) {
        bool whole = S_ISREG(st.st_mode) && ftruncate(fd, st.st_size) == 0;
        done = err_set(e, ERR_OUTPUT, path, -1, "%s%s", strerror(why),
                       whole ? "" : ", and a part of the summary is in it");
    }
    close(fd);
    if (done && !text.n)
        terminal_warn("--step-summary: no room in the file, of which the host shows "
                      "1 MiB");
    out_free(&o);
    return done;
}
