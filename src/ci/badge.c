#include "ci/badge.h"

#include "ci/run_summary.h"
#include "ci/summary_view.h"
#include "render/text/context.h"
#include "render/text/filter_parts.h"
#include "render/text/template_bundle.h"

enum { PADDING_PX = 6, BADGE_CHARS_MAX = 60 };

/* Of Verdana at 11 px, in tenths: ASCII from the space on; anything else as wide as a
 * capital. */
static int char_width(unsigned char c)
{
    static const unsigned char tenths[] = {
        39, 43,  50, 90, 70, 118, 80, 30, 50, 50, 70, 90, 40, 50,  40, 50, 70, 70,  70,
        70, 70,  70, 70, 70, 70,  70, 50, 50, 90, 90, 90, 60, 110, 75, 75, 77, 85,  70,
        63, 85,  83, 46, 50, 76,  61, 93, 82, 87, 66, 87, 76, 75,  68, 81, 75, 109, 75,
        68, 75,  50, 50, 50, 90,  70, 70, 66, 69, 57, 69, 66, 39,  69, 70, 30, 38,  65,
        30, 107, 70, 67, 69, 69,  47, 57, 43, 70, 65, 90, 65, 65,  58, 70, 50, 70,  90};
    return c >= ' ' && c < 127 ? tenths[c - ' '] : 85;
}

static int width_px(struct str s)
{
    int tenths = 0;
    for (ptrdiff_t i = 0; i < s.n; i++)
        if (((unsigned char)s.p[i] & 0xc0) != 0x80)
            tenths += char_width((unsigned char)s.p[i]);
    return tenths / 10 + 1;
}

static struct str value_of(struct arena *tmp, const cJSON *v, struct str name)
{
    if (!cJSON_IsNumber(v))
        return S("unknown");
    if (str_ends(name, S("_pct")))
        return str_printf(tmp, "%.1f%%", v->valuedouble);
    if (str_ends(name, S("_ns")))
        return str_printf(tmp, "%.3f ms", v->valuedouble / 1e6);
    return str_printf(tmp, "%g", v->valuedouble);
}

/* Label and value, in the words of templates/ci/badge.txt. */
static bool words(struct arena *perm, const cJSON *view, const char *asked,
                  struct str *label, struct str *value, struct err *e)
{
    struct template_set set = template_bundled(perm);
    set.vendor = summary_device(view);
    struct str metric = str_of(asked);
    bool no_gate = cJSON_IsTrue(cJSON_GetObjectItem(view, "no_gate"));
    bool gates = asked ? str_eq(metric, S("gates")) : !no_gate;
    bool busy = asked ? str_eq(metric, S("busy")) : no_gate;
    *label = metric;
    *value = value_of(perm, run_summary_find(view, metric), metric);
    if (!gates && !busy)
        return true;
    cJSON *own = json_object(
        context_ref("window", cJSON_GetObjectItem(view, "window")),
        json_bool("of_gates", gates), json_bool("of_busy", busy),
        json_bool("passed", cJSON_IsTrue(cJSON_GetObjectItem(view, "passed"))),
        json_bool("failed", cJSON_IsTrue(cJSON_GetObjectItem(view, "failed"))),
        json_bool("open", cJSON_IsTrue(cJSON_GetObjectItem(view, "open"))),
        json_bool("no_gate", no_gate));
    struct out o;
    out_memory(&o);
    bool done = template_render(&o, &set, S("ci/badge.txt"), own, e);
    struct str text = out_text(&o, perm);
    *label = str_take(&text, S("\n"));
    *value = str_head(str_take(&text, S("\n")), BADGE_CHARS_MAX);
    cJSON_Delete(own);
    return done;
}

bool badge_write(struct out *o, const struct cJSON *view, const char *metric,
                 struct arena tmp, struct err *e)
{
    struct template_set set = template_bundled(&tmp);
    struct str label, value;
    if (!words(&tmp, view, metric, &label, &value, e))
        return false;
    int left = width_px(label) + 2 * PADDING_PX;
    int right = width_px(value) + 2 * PADDING_PX;
    const char *fill = str_eq(value, S("passed"))   ? "#1a6b35"
                       : str_eq(value, S("failed")) ? "#b3261e"
                                                    : "#2f5f98";
    cJSON *c = json_object(M("label", label), M("value", value),
                           J("width", left + right), J("split", left),
                           J("value_box", right - 3), J("label_at", left / 2),
                           J("value_at", left + right / 2), J("fill", fill));
    bool done = template_render(o, &set, S("ci/badge.svg"), c, e);
    cJSON_Delete(c);
    return done;
}
