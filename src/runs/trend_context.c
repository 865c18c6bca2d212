#include "runs/trend_context.h"

#include "base/out.h"
#include "render/text/context.h"
#include "runs/run_trend.h"

#include <math.h>

enum { WIDTH = 480, HEIGHT = 180, LEFT = 66, RIGHT = 12, TOP = 14, BOTTOM = 26 };
enum { CATEGORIES_MAX = 6, SIZES_MAX = 4 };

/* A figure of the series, oldest run first. */
struct trend {
    struct arena *perm;
    const struct run_row *newest;
    int n;
    double *values, *whole;
    struct trend_point *points;
    double top; /* of the scale, which begins at zero */
    bool is_pct;
    struct str unit; /* of what is neither a time nor a share; or empty */
    double scale;    /* from the figure to it */
};

/* Older runs of one month, as a range. */
struct month {
    struct str name;
    int from, to; /* runs */
};

static const struct run_row *run_at(const struct trend *t, int i)
{
    return &t->newest[t->n - 1 - i];
}

/* 1, 2 or 5 times a power of ten. */
static double round_up(double v)
{
    double power = pow(10, floor(log10(v)));
    double steps[] = {1, 2, 5, 10};
    for (int k = 0; k < 4; k++)
        if (v <= steps[k] * power * (1 + 1e-12))
            return steps[k] * power;
    return 10 * power;
}

static void read_values(struct trend *t, const char *dotted)
{
    double most = 0;
    t->values = arena_new(t->perm, double, t->n);
    t->whole = arena_new(t->perm, double, t->n);
    for (int i = 0; i < t->n; i++) {
        t->values[i] = t->scale * run_figure(run_at(t, i), dotted);
        t->whole[i] = t->is_pct   ? 100
                      : t->unit.n ? t->values[i]
                                  : run_figure(run_at(t, i), "window.total_ns");
        if (t->values[i] > most)
            most = t->values[i];
    }
    t->top = t->is_pct ? 100 : most > 0 ? round_up(most) : 1;
}

static double y_of(const struct trend *t, double v)
{
    double in = v < 0 ? 0 : v > t->top ? t->top : v;
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - in / t->top);
}

static struct json_member px(const char *key, double v)
{
    return json_fixed(key, v, 1);
}

/* Months of what is older than the last TREND_POINTS. Returns how many. */
static int months_of(const struct trend *t, struct month **months)
{
    int n = 0, older = t->n - TREND_POINTS;
    *months = NULL;
    for (int i = 0; i < older; i++) {
        struct str name = str_head(run_at(t, i)->when, 7);
        if (n && str_eq((*months)[n - 1].name, name)) {
            (*months)[n - 1].to = i + 1;
            continue;
        }
        arena_grow(t->perm, *months, n);
        (*months)[n++] = (struct month){name, i, i + 1};
    }
    return n;
}

static double x_of(int slot, int n)
{
    return LEFT + (n > 1 ? (double)(WIDTH - LEFT - RIGHT) * slot / (n - 1)
                         : (double)(WIDTH - LEFT - RIGHT) / 2);
}

static void put_range(const struct trend *t, cJSON *list, const struct month *m,
                      double x)
{
    double low = (double)NAN, high = (double)NAN;
    for (int i = m->from; i < m->to; i++) {
        low = !(low <= t->values[i]) ? t->values[i] : low;
        high = !(high >= t->values[i]) ? t->values[i] : high;
    }
    if (isfinite(low) && isfinite(high))
        json_row(list, px("x", x), px("y_low", y_of(t, low)),
                 px("y_high", y_of(t, high)), context_text("month", m->name),
                 J("runs", m->to - m->from), json_exact("low", low),
                 json_exact("high", high));
}

static struct json_member change_of(const char *key, const struct trend_point *p)
{
    if (!p->changed || !isfinite(p->diff_pct))
        return json_null(key);
    return M(key, json_object(json_bool("up", p->diff_pct > 0),
                              json_exact("pct", fabs(p->diff_pct))));
}

/* The line through the points, and the band from its lower edge back along the upper.
 */
static void put_lines(const struct trend *t, cJSON *o, int from, int months, int slots)
{
    struct out line, band;
    out_memory(&line);
    out_memory(&band);
    for (int i = from; i < t->n; i++) {
        const struct trend_point *p = &t->points[i];
        double x = x_of(months + i - from, slots);
        if (isfinite(p->value))
            out_printf(&line, "%s%.1f,%.1f", line.n ? " " : "", x, y_of(t, p->value));
        if (isfinite(p->low))
            out_printf(&band, "%.1f,%.1f ", x, y_of(t, p->low));
    }
    for (int i = t->n - 1; i >= from; i--)
        if (isfinite(t->points[i].low))
            out_printf(&band, "%.1f,%.1f ", x_of(months + i - from, slots),
                       y_of(t, t->points[i].high));
    json_put(o, J("line", out_text(&line, t->perm)),
             json_opt("band", str_trim(out_text(&band, t->perm))));
}

static void put_points(const struct trend *t, cJSON *o)
{
    struct month *months;
    int n_months = months_of(t, &months), changes = 0;
    int from = t->n > TREND_POINTS ? t->n - TREND_POINTS : 0;
    int slots = n_months + t->n - from;
    cJSON *ranges = json_put_array(o, "ranges"), *points = json_put_array(o, "points");
    for (int k = 0; k < n_months; k++)
        put_range(t, ranges, &months[k], x_of(k, slots));
    for (int i = from; i < t->n; i++) {
        const struct trend_point *p = &t->points[i];
        const struct run_row *r = run_at(t, i);
        if (!isfinite(p->value))
            continue;
        changes += p->changed;
        json_row(points, px("x", x_of(n_months + i - from, slots)),
                 px("y", y_of(t, p->value)), json_exact("value", p->value),
                 context_text("label", r->label), context_text("when", r->when),
                 J("folder", r->folder), json_exact("low", p->low),
                 json_exact("high", p->high), json_bool("has_band", isfinite(p->low)),
                 change_of("change", p));
    }
    put_lines(t, o, from, n_months, slots);
    json_put(o, context_some("n_changes", changes));
}

/* " ms" or the like, in which the top of the scale has few digits, and how many of the
 * figure are one of it. */
static struct str axis_unit(const struct trend *t, double *one)
{
    static const struct {
        double ns;
        struct str unit;
    } times[] = {{1e9, S_INIT(" s")}, {1e6, S_INIT(" ms")}, {1e3, S_INIT(" µs")}};
    *one = 1;
    if (t->is_pct)
        return S("%");
    if (t->unit.n)
        return str_printf(t->perm, " %.*s", STRF(t->unit));
    for (int k = 0; k < 3; k++)
        if (t->top >= times[k].ns) {
            *one = times[k].ns;
            return times[k].unit;
        }
    return S(" ns");
}

static void put_axis(const struct trend *t, cJSON *o)
{
    cJSON *grid = json_put_array(o, "grid");
    double one;
    struct str unit = axis_unit(t, &one);
    for (int k = 0; k <= 2; k++)
        json_row(grid, px("y", y_of(t, t->top * k / 2)),
                 json_exact("value", t->top * k / 2 / one));
    json_put(o, J("of_axis", unit), J("width", WIDTH), J("height", HEIGHT),
             J("left", LEFT), J("right", WIDTH - RIGHT), J("label_x", LEFT - 8),
             J("foot_y", HEIGHT - 6),
             context_text("first", str_head(run_at(t, 0)->when, 10)),
             context_text("last", str_head(run_at(t, t->n - 1)->when, 10)));
}

/* One chart; NULL where no run has the figure. */
static cJSON *chart(struct arena *perm, const struct run_row *newest, int n,
                    const char *dotted, enum trend_kind kind, struct str unit)
{
    struct trend t = {.perm = perm, .newest = newest, .n = n, .unit = unit, .scale = 1};
    if (str_eq(unit, S("GiB")))
        t.scale /= 1 << 30;
    if (str_eq(unit, S("ms")) && str_ends(str_of(dotted), S("_ns")))
        t.scale /= 1e6;
    t.is_pct = str_ends(str_of(dotted), S("_pct"));
    read_values(&t, dotted);
    int some = 0;
    for (int i = 0; i < n; i++)
        some += isfinite(t.values[i]) && t.values[i] > 0;
    if (!some)
        return NULL;
    t.points = trend_of(perm, t.values, t.whole, n, kind);
    cJSON *o = json_object(json_bool("is_pct", t.is_pct), json_opt("unit", t.unit));
    put_axis(&t, o);
    put_points(&t, o);
    return o;
}

static void add_chart(cJSON *charts, cJSON *o, struct str of, struct str label,
                      int series)
{
    if (o)
        json_push(charts, json_put(o, context_word("of", of),
                                   context_text("label", label), J("series", series),
                                   J("number", cJSON_GetArraySize(charts) + 1)));
}

/* What collectives of one kind, size and number of ranks reach on the bus: those that
 * take most of the newest run, but for small ones, whose rate is that of latency. */
static void add_sizes(cJSON *charts, struct arena *perm, const struct run_row *first,
                      int n, int number)
{
    int some = 0;
    for (int i = 0; i < first->n_sizes; i++) {
        const struct run_size *c = &first->sizes[i];
        if (!c->slug.n || !c->kind.n || !(c->bytes > 0) || !(c->ranks > 1) || c->small)
            continue;
        if (some++ == SIZES_MAX)
            break;
        struct str dotted =
            str_printf(perm, "collectives.sizes.%.*s.bus_gb_per_s", STRF(c->slug));
        cJSON *o = chart(perm, first, n, str_c(perm, dotted), TREND_WALL, S("GB/s"));
        if (o)
            json_put(o, json_exact("bytes", c->bytes), json_exact("ranks", c->ranks));
        add_chart(charts, o, S("size"), c->kind, number);
    }
}

struct cJSON *trend_context(struct arena *perm, const struct run_row *first, int n,
                            int number)
{
    static const struct {
        struct str of;
        const char *dotted;
        enum trend_kind kind;
        struct str unit;
    } figures[] = {
        {S_INIT("total"), "window.total_ns", TREND_WALL, S_INIT("")},
        {S_INIT("busy"), "window.busy_ns", TREND_DEVICE, S_INIT("")},
        {S_INIT("comm"), "window.exposed_comm_ns", TREND_WALL, S_INIT("")},
        {S_INIT("idle"), "window.idle_ns", TREND_WALL, S_INIT("")},
        {S_INIT("mfu"), "mfu.mfu_pct", TREND_WALL, S_INIT("")},
        {S_INIT("sm"), "counters.sm_pct", TREND_WALL, S_INIT("")},
        {S_INIT("energy"), "counters.step_j", TREND_WALL, S_INIT("J")},
        {S_INIT("fill"), "fill.work_few_pct", TREND_ROW, S_INIT("")},
        {S_INIT("memory"), "memory.peak_bytes", TREND_DEVICE, S_INIT("GiB")},
        {S_INIT("layer"), "layers.call_ns", TREND_ROW, S_INIT("ms")},
        {S_INIT("breaks"), "compiled.break_ms", TREND_WALL, S_INIT("ms")},
        {S_INIT("bus"), "collectives.best_bus_gb_per_s", TREND_WALL, S_INIT("GB/s")}};
    cJSON *charts = json_list();
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
        add_chart(
            charts,
            chart(perm, first, n, figures[k].dotted, figures[k].kind, figures[k].unit),
            figures[k].of, S(""), number);
    add_sizes(charts, perm, first, n, number);
    int some = 0;
    for (int i = 0; i < first->n_categories; i++) {
        const struct run_category *c = &first->categories[i];
        if (!c->slug.n || !c->label.n || some++ >= CATEGORIES_MAX)
            continue;
        struct str dotted =
            str_printf(perm, "categories.%.*s.kernel_sum_ns", STRF(c->slug));
        add_chart(charts, chart(perm, first, n, str_c(perm, dotted), TREND_ROW, S("")),
                  S("category"), c->label, number);
    }
    return json_object(context_text("series_name", first->series), J("n", n),
                       J("number", number), J("charts", charts));
}
