/* `tracefolio cut`: a window of one trace, or the same window of the
 * traces of several ranks, as one file for a trace viewer. */
#include "commands/commands.h"

#include "base/arena.h"
#include "base/place_file.h"
#include "base/terminal.h"
#include "capture/capture_names.h"
#include "render/folder/asked_file.h"
#include "store/trace_excerpt.h"
#include "trace/byte_source.h"
#include "whatif/critical_path.h"

#include <stdio.h>

/* What the file begins with: how a later run knows that it may replace it. */
#define HEAD "{\"cutBy\":\"tracefolio\","

enum { ARENA_BYTES = 1 << 26 };

struct cut {
    const struct options *o;
    struct arena perm;
    int64_t from_ns, to_ns; /* after the shift */
    int64_t *shift_ns;      /* of each trace */
    /* With Python frames and without, until the former is too long. */
    struct excerpt_file all, less;
    bool has_all;
    int64_t n_events, n_all;
};

/* "1234.567" microseconds, as traces have them, to the nanosecond. */
static bool read_us(struct str text, int64_t *ns)
{
    static const int64_t US_MAX = INT64_C(2000000000000000); /* the year 2033 */
    struct str rest = text;
    bool minus = str_starts(rest, S("-"));
    rest = str_skip(rest, minus);
    struct str whole = str_take(&rest, S("."));
    int64_t us = 0, part = 0;
    if (!str_int(whole, &us) || us < 0 || us > US_MAX)
        return false;
    for (ptrdiff_t i = 0; i < 3 || i < rest.n; i++) {
        char c = i < rest.n ? rest.p[i] : '0';
        if (c < '0' || c > '9')
            return false;
        part = i < 3 ? 10 * part + (c - '0') : part;
    }
    *ns = (us * 1000 + part) * (minus ? -1 : 1);
    return true;
}

static bool read_time(const char *option, struct str text, int64_t *ns, struct err *e)
{
    return read_us(text, ns) ||
           err_set(e, ERR_USAGE, NULL, -1,
                   "--%s: expected microseconds as in the trace, 1234.567, not '%.*s'",
                   option, STRF(text));
}

/* One for all, or one for each. */
static bool read_shifts(struct cut *c, struct err *e)
{
    int n = c->o->job.n_inputs, at = 0;
    struct str all = str_of(c->o->cut.shift ? c->o->cut.shift : "0"), rest = all;
    c->shift_ns = arena_new(&c->perm, int64_t, n);
    for (; rest.n && at < n; at++)
        if (!read_time("shift", str_take(&rest, S(",")), &c->shift_ns[at], e))
            return false;
    for (int i = 1; at == 1 && i < n; i++)
        c->shift_ns[i] = c->shift_ns[0];
    return (!rest.n && (at == 1 || at == n)) ||
           err_set(e, ERR_USAGE, NULL, -1,
                   "--shift '%.*s': expected one number, or one for each of the %d "
                   "traces",
                   STRF(all), n);
}

static bool read_request(struct cut *c, struct err *e)
{
    const struct options *o = c->o;
    if (!read_time("from", str_of(o->cut.from), &c->from_ns, e) ||
        !read_time("to", str_of(o->cut.to), &c->to_ns, e) || !read_shifts(c, e))
        return false;
    return c->to_ns > c->from_ns ||
           err_set(e, ERR_USAGE, NULL, -1, "--to %s is not behind --from %s", o->cut.to,
                   o->cut.from);
}

static bool is_ours(const char *path)
{
    return source_begins_with(path, S(HEAD));
}

static bool place_is_free(struct cut *c, struct err *e)
{
    int n = c->o->job.n_inputs;
    const char **reads = arena_new(&c->perm, const char *, n + 1);
    for (int i = 0; i < n; i++)
        reads[i] = c->o->job.inputs[i];
    const struct asked_places b = {NULL, reads, c->o->force};
    return asked_check(&b, c->o->out_dir, is_ours, e);
}

/* Of several traces, whose processes would be taken for one another. */
static struct str process_of(struct cut *c, const struct event_store *s, int trace)
{
    int number = s->machine.rank >= 0 && s->machine.rank < 1 << 20
                     ? s->machine.rank
                     : rank_of_number(str_of(s->file));
    if (c->o->job.n_inputs == 1)
        return S("");
    return number >= 0 ? str_printf(&c->perm, "rank %d", number)
                       : str_printf(&c->perm, "trace %d", trace + 1);
}

static bool is_too_long(const struct cut *c, const struct excerpt_file *f)
{
    return c->o->job.n_inputs > 1 && f->o.n > TRACE_EXCERPT_BYTES_MAX;
}

/* Before it is written: what is seen to be too much is not. */
static bool has_room(const struct cut *c, const struct excerpt_file *f,
                     const struct trace_excerpt *x)
{
    return c->o->job.n_inputs == 1 || f->o.n + x->bytes <= TRACE_EXCERPT_BYTES_MAX;
}

/* The whole run is replayed, as its path begins at its end. */
static bool add_path(struct cut *c, const struct event_store *s,
                     const struct trace_excerpt *x, struct err *e)
{
    struct arena perm = arena_reserve(arena_machine_bytes() / 2),
                 tmp = arena_reserve(arena_machine_bytes() / 2);
    char *perm_start = perm.at, *tmp_start = tmp.at;
    struct trace_view v = view_build(&perm, tmp, s, (struct view_options){0});
    struct schedule o = schedule_build(&perm, tmp, &v);
    if (o.facts.usable) {
        struct critical_path p = critical_path_recorded(&perm, tmp, &o, true);
        struct excerpt_step *steps = arena_new(&perm, struct excerpt_step, p.n_steps);
        for (int32_t k = 0; k < p.n_steps; k++) {
            const struct path_step *at = &p.steps[p.n_steps - 1 - k];
            steps[k] = (struct excerpt_step){at->event < 0 ? path_kind_word(at->kind)
                                                           : store_name(s, at->event),
                                             at->event, at->from_ns, at->to_ns};
        }
        excerpt_add_path(&c->all, s, x, steps, p.n_steps);
        excerpt_add_path(&c->less, s, x, steps, p.n_steps);
    }
    arena_release(perm_start, &perm);
    arena_release(tmp_start, &tmp);
    return o.facts.usable ||
           err_set(
               e, ERR_INPUT, s->file, -1,
               "--critical-path: the trace does not say which call launched most of "
               "the device work");
}

/* False: the file is too long. */
static bool add_window(struct cut *c, const struct event_store *s, int trace,
                       struct err *e)
{
    struct trace_excerpt x = {.from_ns = c->from_ns - c->shift_ns[trace],
                              .to_ns = c->to_ns - c->shift_ns[trace],
                              .shift_ns = c->shift_ns[trace],
                              .process = process_of(c, s, trace),
                              .place = trace,
                              .least_frame_ns = INT64_MAX,
                              .has_args = true};
    trace_excerpt_count(s, &x);
    c->n_events += x.n_events;
    if (!has_room(c, &c->less, &x))
        return false;
    if (c->o->job.n_inputs > 1)
        excerpt_add(&c->less, s, &x);
    x.least_frame_ns = 0;
    trace_excerpt_count(s, &x);
    c->n_all += x.n_events;
    c->has_all = c->has_all && has_room(c, &c->all, &x);
    if (c->has_all)
        excerpt_add(&c->all, s, &x);
    if (c->o->cut.path && !add_path(c, s, &x, e))
        return false;
    c->has_all = c->has_all && !is_too_long(c, &c->all);
    return !is_too_long(c, &c->less);
}

static bool add_trace(struct cut *c, int trace, struct err *e)
{
    const char *path = c->o->job.inputs[trace];
    struct event_store s;
    struct store_options read = {.source = {.one_thread = c->o->threads == 1}};
    if (!store_read(&s, path, &read, e))
        return false;
    store_redact(&s, c->o->level);
    if (c->o->hide_shapes)
        store_hide_shapes(&s);
    bool fits = add_window(c, &s, trace, e);
    store_close(&s);
    if (fits || e->kind != ERR_NONE)
        return fits;
    return err_set(e, ERR_INPUT, path, -1,
                   "with it the file would be longer than %d MB, which is much for a "
                   "viewer: cut a shorter window, or fewer traces",
                   TRACE_EXCERPT_BYTES_MAX >> 20);
}

static bool add_all(struct cut *c, struct err *e)
{
    for (int i = 0; i < c->o->job.n_inputs; i++)
        if (!add_trace(c, i, e))
            return false;
    return c->n_all > 0 ||
           err_set(e, ERR_INPUT, c->o->job.inputs[0], -1,
                   "no event lies between %s and %s us (with --shift, both are times "
                   "after it)",
                   c->o->cut.from, c->o->cut.to);
}

static bool write_file(struct cut *c, struct err *e)
{
    struct out gz;
    out_memory(&gz);
    excerpt_end(c->has_all ? &c->all : &c->less, &gz);
    bool done = place_file(c->o->out_dir, out_view(&gz), e);
    if (done && !c->o->quiet)
        terminal_line(stdout, "%s: %lld events of %d %s%s", c->o->out_dir,
                      (long long)(c->has_all ? c->n_all : c->n_events),
                      c->o->job.n_inputs,
                      str_plural(c->o->job.n_inputs, "trace", "traces"),
                      c->has_all ? "" : ", without Python frames, which are too many");
    out_free(&gz);
    return done;
}

bool cut_run(const struct options *o, struct err *e)
{
    struct cut c = {.o = o, .perm = arena_reserve(ARENA_BYTES), .has_all = true};
    char *start = c.perm.at;
    bool done = read_request(&c, e) && place_is_free(&c, e);
    if (done) {
        excerpt_begin(&c.all, S(HEAD));
        excerpt_begin(&c.less, S(HEAD));
        done = add_all(&c, e) && write_file(&c, e);
        out_free(&c.all.o);
        out_free(&c.less.o);
    }
    arena_release(start, &c.perm);
    return done;
}
