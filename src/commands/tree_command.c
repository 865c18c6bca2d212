/* `tracefolio tree`: events of a trace by name, what called one of
 * them, and what it called. */
#include "commands/commands.h"

#include "analysis/model/number_text.h"
#include "analysis/stack/tree_index.h"
#include "base/arena.h"
#include "base/python_text.h"
#include "base/sort.h"
#include "base/terminal.h"
#include "export/json_text.h"
#include "export/json_tree.h"
#include "export/stack_files.h"

#include <cjson/cJSON.h>
#include <string.h>
#include <unistd.h>

enum {
    LINES_MOST = 58,    /* without --all: 60 with the heading and the last */
    PARENTS_MOST = 512, /* a chain of callers is cut there */
    NAME_MOST = 100,    /* bytes of a name in a line of text */
    FIELD_MOST = 160,
    FIELDS_MOST = 16
};

/* What is printed: an event, or several of one name. */
struct line {
    event_id event; /* the first of them */
    int32_t depth;
    int64_t calls, host_ns, device_ns;
};

struct request {
    const struct options *o;
    struct event_store s;
    struct trace_view view;
    struct tree_index t;
    int64_t *device_before; /* by place in the order of launches: ns before it */
    struct str fields[FIELDS_MOST];
    int n_fields;
    struct line *lines;
    int32_t n, most, n_all; /* n_all: what there would be without a limit */
    struct arena perm, tmp;
};

static void add(struct request *q, struct line l)
{
    if (q->n < q->most) {
        arena_grow(&q->perm, q->lines, q->n);
        q->lines[q->n++] = l;
    }
    q->n_all++;
}

/* Durations of the device work that an event started, summed: of streams side by side
 * more than wall time. */
static int64_t device_ns(const struct request *q, event_id i)
{
    if (cat_is_gpu(q->s.cat[i]))
        return store_dur_ns(&q->s, i);
    int32_t n, pos = tree_rank(&q->t.frames, i);
    if (pos < 0)
        return 0;
    const event_id *at = launch_range_at(&q->t.device, &q->t.frames, pos, &n);
    ptrdiff_t from = at - q->t.device.gpu;
    return q->device_before[from + n] - q->device_before[from];
}

static struct line line_of(const struct request *q, event_id i, int32_t depth)
{
    bool gpu = cat_is_gpu(q->s.cat[i]);
    return (struct line){i, depth, 1, gpu ? 0 : store_dur_ns(&q->s, i),
                         device_ns(q, i)};
}

static void sum_device_time(struct request *q)
{
    const struct launch_order *d = &q->t.device;
    int32_t n = launch_start(d, q->t.frames.n_order);
    q->device_before = arena_new(&q->perm, int64_t, n + 1);
    for (int32_t k = 0; k < n; k++)
        q->device_before[k + 1] = q->device_before[k] + store_dur_ns(&q->s, d->gpu[k]);
}

/* By name: is it asked for? Each name is looked at once. */
static bool matches(const struct request *q, uint8_t *memo, event_id i)
{
    enum { UNKNOWN, YES, NO };
    uint8_t *said = &memo[q->s.name[i] + 1];
    if (*said == UNKNOWN)
        *said =
            str_has_nocase(store_name(&q->s, i), str_of(q->o->tree.find)) ? YES : NO;
    return *said == YES;
}

/* Lines of one name each, by device time, then by host time. */
static void order_lines(struct request *q, struct line *rows, int32_t n)
{
    struct sort_row *by_host = arena_take_raw(&q->tmp, sizeof *by_host, 8, n);
    struct sort_row *by_device = arena_take_raw(&q->tmp, sizeof *by_device, 8, n);
    for (int32_t k = 0; k < n; k++)
        by_host[k] = (struct sort_row){-rows[k].host_ns, k};
    sort_rows(q->tmp, by_host, n);
    for (int32_t k = 0; k < n; k++)
        by_device[k] =
            (struct sort_row){-rows[by_host[k].row].device_ns, by_host[k].row};
    sort_rows(q->tmp, by_device, n);
    for (int32_t k = 0; k < n; k++)
        add(q, rows[by_device[k].row]);
}

static void count(struct line *rows, int32_t *n, int32_t *row_of, struct line one)
{
    if (!*row_of) {
        rows[*n] = (struct line){.event = one.event};
        *row_of = ++*n;
    }
    struct line *to = &rows[*row_of - 1];
    to->calls++;
    to->host_ns += one.host_ns;
    to->device_ns += one.device_ns;
}

static void find(struct request *q)
{
    uint8_t *memo = arena_new(&q->tmp, uint8_t, q->s.names.n + 1);
    int32_t *row_of = arena_new(&q->tmp, int32_t, q->s.names.n + 1), n = 0;
    struct line *rows = arena_new(&q->tmp, struct line, q->s.names.n + 1);
    for (event_id i = 0; i < q->s.n; i++)
        if (matches(q, memo, i))
            count(rows, &n, &row_of[q->s.name[i] + 1], line_of(q, i, 0));
    order_lines(q, rows, n);
}

/* What called the events that have this one's name: their nearest callers, by name. */
static void find_callers(struct request *q, event_id of)
{
    int32_t *row_of = arena_new(&q->tmp, int32_t, q->s.names.n + 1), n = 0;
    struct line *rows = arena_new(&q->tmp, struct line, q->s.names.n + 1);
    for (event_id i = 0; i < q->s.n; i++) {
        if (q->s.name[i] != q->s.name[of])
            continue;
        event_id caller = tree_above(&q->t, i);
        struct line one = line_of(q, i, 0);
        one.event = caller;
        if (caller >= 0)
            count(rows, &n, &row_of[q->s.name[caller] + 1], one);
    }
    order_lines(q, rows, n);
}

static void find_parents(struct request *q, event_id of)
{
    int32_t n;
    struct tree_link *up = tree_parents(&q->tmp, &q->t, of, PARENTS_MOST, &n);
    int32_t depth = 0;
    for (int32_t k = n - 1; k >= 0; k--)
        if (up[k].event >= 0)
            add(q, line_of(q, up[k].event, depth++));
    add(q, line_of(q, of, depth));
}

static void find_subtree(struct request *q, event_id of)
{
    int32_t n;
    bool more;
    int32_t most = q->most < INT32_MAX / 2 ? q->most * 64 : q->most;
    struct tree_node *node = tree_subtree(&q->tmp, &q->t, of, false, most, &n, &more);
    for (int32_t k = 0; k < n; k++)
        if (q->o->tree.depth < 0.5 || node[k].depth <= (int)q->o->tree.depth)
            add(q, line_of(q, node[k].event, node[k].depth));
    q->n_all += more;
}

/* The row of a place in the file's list: rows are in its order. */
static event_id event_at(const struct event_store *s, int64_t uid)
{
    event_id low = 0, high = s->n;
    while (low < high) {
        event_id mid = low + (high - low) / 2;
        if (store_uid(s, mid) < uid)
            low = mid + 1;
        else
            high = mid;
    }
    return low < s->n && store_uid(s, low) == uid ? low : -1;
}

static bool found_none(const struct request *q, struct err *e)
{
    const char *find = q->o->tree.find;
    return err_set(
        e, ERR_INPUT, q->o->trace, -1, "--find: no event has '%.200s' in its name%s",
        find,
        strpbrk(find, "*^$|\\") ? "; it is looked for as it is, not as a pattern" : "");
}

static bool choose_event(struct request *q, event_id *of, struct err *e)
{
    const struct tree_request *r = &q->o->tree;
    uint8_t *memo = arena_new(&q->tmp, uint8_t, q->s.names.n + 1);
    if (r->id >= 0) {
        *of = event_at(&q->s, (int64_t)r->id);
        return *of >= 0 || err_set(e, ERR_INPUT, q->o->trace, -1,
                                   "--id %.0f: no such event; `tracefolio tree TRACE "
                                   "--find NAME` lists them",
                                   r->id);
    }
    for (*of = 0; *of < q->s.n && !matches(q, memo, *of);)
        ++*of;
    return *of < q->s.n || found_none(q, e);
}

static bool answer(struct request *q, struct err *e)
{
    const struct tree_request *r = &q->o->tree;
    event_id of;
    if (!r->parents && !r->subtree && !r->callers && r->id < 0) {
        find(q);
        return q->n || found_none(q, e);
    }
    if (!choose_event(q, &of, e))
        return false;
    if (r->callers)
        find_callers(q, of);
    else if (r->subtree)
        find_subtree(q, of);
    else
        find_parents(q, of);
    return true;
}

/* An argument of a call as Python prints it; empty: not recorded. */
static struct str field_text(struct request *q, event_id i, struct str field)
{
    static const char *const known[] = {"Input Dims", "Input type", "Input Strides",
                                        "Concrete Inputs"};
    const struct op_texts *x = store_texts(&q->s, i);
    struct call_args args = store_args(&q->s, x);
    const struct value *const values[] = {args.dims, args.types, args.strides,
                                          args.concrete};
    const struct value *v = NULL;
    for (int k = 0; k < 4 && !v; k++)
        v = str_eq(field, str_of(known[k])) ? values[k] : NULL;
    if (!v && args.extra)
        v = value_get(args.extra, str_c(&q->tmp, field));
    if (!v)
        return S("");
    struct out o;
    out_memory(&o);
    python_value(&o, v, false);
    struct str text = str_copy(&q->tmp, out_view(&o));
    out_free(&o);
    return text;
}

/* A field that no event has may be misspelt. */
static void warn_of_fields(struct request *q)
{
    for (int f = 0; f < q->n_fields; f++) {
        bool has = false;
        for (int32_t k = 0; k < q->n && !has; k++)
            has = field_text(q, q->lines[k].event, q->fields[f]).n > 0;
        if (!has)
            terminal_warn("--fields: no event listed has '%.*s', as 'Input Dims' is "
                          "spelled in the trace",
                          STRF(str_head(q->fields[f], FIELD_MOST)));
    }
}

static void put_ms(struct out *o, struct arena tmp, int64_t ns)
{
    struct str ms = number_ms(&tmp, (double)ns / 1e6);
    out_printf(o, "%10.*s  ", STRF(ms));
}

static void put_line(struct out *o, struct request *q, const struct line *l)
{
    struct arena before = q->tmp;
    out_printf(o, "%10d  %8lld  ", (int)store_uid(&q->s, l->event),
               (long long)l->calls);
    put_ms(o, q->tmp, l->host_ns);
    put_ms(o, q->tmp, l->device_ns);
    for (int32_t d = 0; d < l->depth && d < LINES_MOST; d++)
        out_lit(o, "  ");
    struct str name = store_name(&q->s, l->event);
    out_visible(o, str_head(name, NAME_MOST));
    if (name.n > NAME_MOST)
        out_lit(o, "...");
    for (int k = 0; k < q->n_fields; k++) {
        struct str text = field_text(q, l->event, q->fields[k]);
        if (!text.n)
            continue;
        out_lit(o, "  ");
        out_visible(o, str_head(text, FIELD_MOST));
    }
    out_lit(o, "\n");
    q->tmp = before;
}

static void print_text(struct request *q)
{
    struct out o;
    out_memory(&o);
    out_printf(&o, "%10s  %8s  %10s  %10s  %s\n", "id", "calls", "host ms", "device ms",
               q->o->tree.callers ? "called by" : "name");
    for (int32_t k = 0; k < q->n; k++)
        put_line(&o, q, &q->lines[k]);
    if (q->n_all > q->n)
        out_printf(&o, "%d shown; --all shows all\n", (int)q->n);
    terminal_text(stdout, out_view(&o));
    out_free(&o);
}

static void print_json(struct request *q)
{
    cJSON *root = json_new(), *list = json_put_array(root, "events");
    for (int32_t k = 0; k < q->n; k++) {
        const struct line *l = &q->lines[k];
        cJSON *row = json_row(list, J("id", (int64_t)store_uid(&q->s, l->event)),
                              J("name", store_name(&q->s, l->event)),
                              J("depth", (int64_t)l->depth), J("calls", l->calls),
                              J("host_ms", (double)l->host_ns / 1e6),
                              J("device_ms", (double)l->device_ns / 1e6));
        cJSON *fields = q->n_fields ? json_put_object(row, "fields") : NULL;
        for (int f = 0; f < q->n_fields; f++) {
            struct str text = field_text(q, l->event, q->fields[f]);
            if (text.n)
                json_put(fields, json_text(str_c(&q->tmp, q->fields[f]), text));
        }
    }
    json_put(root, json_bool("more", q->n_all > q->n));
    json_print(root);
}

static struct str file_name(const char *path)
{
    struct str s = str_of(path), name = s;
    while (s.n)
        name = str_take(&s, S("/"));
    return name;
}

/* Bytes for another program, not for a terminal. */
static bool print_stacks(struct request *q, enum stack_form form, struct err *e)
{
    struct out o;
    enum stack_side side = str_eq(str_of(q->o->tree.stacks[form]), S("host"))
                               ? STACKS_OF_HOST
                               : STACKS_OF_DEVICE;
    if (form == STACKS_PPROF && isatty(1))
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--pprof: prints a gzip file; say > FILE.pb.gz");
    struct stack_paths p = stack_paths_build(&q->perm, q->tmp, &q->t, side);
    if (!p.total_ns)
        return err_set(e, ERR_INPUT, q->o->trace, -1, "has no %s time",
                       q->o->tree.stacks[form]);
    out_memory(&o);
    stack_file_write(&o, form, &p, file_name(q->o->trace));
    terminal_raw(stdout, out_view(&o));
    out_free(&o);
    return true;
}

/* STACK_FORMS: events are asked for. */
static enum stack_form stacks_of(const struct tree_request *r)
{
    int k = 0;
    while (k < STACK_FORMS && !r->stacks[k])
        k++;
    return (enum stack_form)k;
}

static bool read_fields(struct request *q, struct err *e)
{
    struct str rest = str_of(q->o->tree.fields);
    while (rest.n && q->n_fields < FIELDS_MOST)
        q->fields[q->n_fields++] = str_trim(str_take(&rest, S(",")));
    return !rest.n || err_set(e, ERR_USAGE, NULL, -1, "--fields: more than %d of them",
                              FIELDS_MOST);
}

static void build(struct request *q)
{
    struct view_options v = {0};
    struct call_tree frames = tree_index_frames(&q->perm, q->tmp, &q->s, v);
    q->view = view_build(&q->perm, q->tmp, &q->s, v);
    q->t = tree_index_of(&q->perm, q->tmp, &q->view, &frames);
    sum_device_time(q);
}

bool tree_run(const struct options *o, struct err *e)
{
    struct request q = {.o = o, .most = o->tree.all ? INT32_MAX : LINES_MOST};
    struct store_options read = {.source = {.one_thread = o->threads == 1}};
    bool json = options_print_json(o);
    if (!read_fields(&q, e) || !store_read(&q.s, o->trace, &read, e))
        return false;
    q.perm = arena_reserve(arena_machine_bytes() / 2);
    q.tmp = arena_reserve(arena_machine_bytes() / 2);
    build(&q);
    enum stack_form form = stacks_of(&o->tree);
    bool done = form < STACK_FORMS ? print_stacks(&q, form, e) : answer(&q, e);
    if (done && form == STACK_FORMS)
        warn_of_fields(&q);
    if (done && form == STACK_FORMS)
        (json ? print_json : print_text)(&q);
    store_close(&q.s);
    return done;
}
