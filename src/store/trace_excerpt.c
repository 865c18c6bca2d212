#include "store/trace_excerpt.h"

#include "base/deflate.h"
#include "base/plain_run.h"
#include "base/utf8.h"
#include "trace/kineto_collective.h"

#include <math.h>
#include <stdio.h>

enum { SCREEN_PIXELS = 4000 };
enum {
    MARGIN_MIN_NS = 200000,
    MARGIN_MAX_NS = 2000000,
    EVENT_BYTES = 260,
    NAME_BYTES = 2000
};

static const char *const cat_words[EVENT_CATS] = {[CAT_CPU_OP] = "cpu_op",
                                                  [CAT_PYTHON] = "python_function",
                                                  [CAT_RUNTIME] = "cuda_runtime",
                                                  [CAT_DRIVER] = "cuda_driver",
                                                  [CAT_KERNEL] = "kernel",
                                                  [CAT_MEMCPY] = "gpu_memcpy",
                                                  [CAT_MEMSET] = "gpu_memset",
                                                  [CAT_ANNOTATION] = "user_annotation",
                                                  [CAT_GPU_ANNOTATION] =
                                                      "gpu_user_annotation",
                                                  [CAT_OVERHEAD] = "overhead"};

static bool is_in(const struct event_store *s, const struct trace_excerpt *c,
                  event_id i)
{
    return s->start_ns[i] < c->to_ns && store_end_ns(s, i) >= c->from_ns &&
           cat_words[s->cat[i]] &&
           (s->cat[i] != CAT_PYTHON || store_dur_ns(s, i) >= c->least_frame_ns);
}

/* Which samples are written: those of the window, and of each counter the last one
 * before it, which still holds when it begins. */
struct sample_choice {
    int32_t *before; /* by track: of a sample, -1: none */
    const struct counter_samples *of;
    const struct trace_excerpt *c;
};

static bool is_before(const struct sample_choice *x, int32_t k)
{
    return x->of->at[k].at_ns < x->c->from_ns;
}

/* Of several at one time, the last in the file. */
static void find_before(struct sample_choice *x)
{
    for (int32_t t = 0; t < x->of->n_tracks; t++)
        x->before[t] = -1;
    for (int32_t k = 0; k < x->of->n; k++) {
        int32_t *last = &x->before[x->of->at[k].track];
        if (is_before(x, k) &&
            (*last < 0 || x->of->at[k].at_ns >= x->of->at[*last].at_ns))
            *last = k;
    }
}

static bool takes_sample(const struct sample_choice *x, int32_t k)
{
    const struct counter_sample *at = &x->of->at[k];
    return is_before(x, k) ? x->before[at->track] == k : at->at_ns < x->c->to_ns;
}

void trace_excerpt_count(const struct event_store *s, struct trace_excerpt *c)
{
    c->n_events = 0;
    c->bytes = 0;
    for (event_id i = 0; i < s->n; i++) {
        if (!is_in(s, c, i))
            continue;
        ptrdiff_t name = store_name(s, i).n;
        c->n_events++;
        c->bytes += EVENT_BYTES + (name < NAME_BYTES ? name : NAME_BYTES);
    }
    for (int32_t k = 0; k < s->counters.n; k++)
        c->bytes +=
            s->counters.at[k].at_ns >= c->from_ns && s->counters.at[k].at_ns < c->to_ns
                ? EVENT_BYTES
                : 0;
}

struct trace_excerpt trace_excerpt_around(const struct event_store *s, int64_t from_ns,
                                          int64_t to_ns)
{
    int64_t half = (to_ns - from_ns) / 2,
            least = half > MARGIN_MIN_NS ? half : MARGIN_MIN_NS;
    int64_t margin = least < MARGIN_MAX_NS ? least : MARGIN_MAX_NS;
    struct trace_excerpt c = {.from_ns = from_ns - margin,
                              .to_ns = to_ns + margin,
                              .least_frame_ns = (to_ns - from_ns) / SCREEN_PIXELS};
    trace_excerpt_count(s, &c);
    if (c.bytes > TRACE_EXCERPT_BYTES_MAX) {
        c.least_frame_ns = INT64_MAX;
        trace_excerpt_count(s, &c);
    }
    if (c.bytes > TRACE_EXCERPT_BYTES_MAX)
        c.n_events = 0;
    return c;
}

static void put_string(struct out *o, struct str s)
{
    s = str_head(s, NAME_BYTES);
    out_char(o, '"');
    while (s.n > 0) {
        ptrdiff_t plain = plain_run(s, "\"\\");
        out_bytes(o, s.p, plain);
        s = str_skip(s, plain);
        if (s.n == 0)
            break;
        int32_t code = utf8_next(&s);
        if (code == UTF8_BROKEN)
            out_code_point(o, UTF8_REPLACEMENT);
        else if (code < 0x20 || code == '"' || code == '\\')
            out_printf(o, "\\u%04x", (unsigned)code);
        else
            out_code_point(o, (uint32_t)code);
    }
    out_char(o, '"');
}

/* "rank 7: python" */
static void put_named(struct out *o, struct str process, struct str name)
{
    char text[NAME_BYTES + 64];
    if (!process.n) {
        put_string(o, name);
        return;
    }
    int n = snprintf(text, sizeof text, "%.*s: %.*s", STRF(process),
                     STRF(str_head(name, NAME_BYTES)));
    put_string(o, (struct str){text, n});
}

/* Microseconds with all their nanoseconds. */
static void put_us(struct out *o, int64_t ns)
{
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    unsigned rest = (unsigned)(size % 1000);
    if (ns < 0)
        out_char(o, '-');
    out_i64(o, (int64_t)(size / 1000));
    char *decimals = out_room(o);
    decimals[0] = '.';
    decimals[1] = (char)('0' + rest / 100);
    decimals[2] = (char)('0' + rest / 10 % 10);
    decimals[3] = (char)('0' + rest % 10);
    o->n += 4;
}

/* Processes of several traces may have the same number. */
static void put_lane(struct out *o, const struct event_store *s,
                     const struct trace_excerpt *c, name_id pid, name_id tid)
{
    out_lit(o, ",\"pid\":");
    put_named(o, c->process, pool_text(&s->names, pid));
    out_lit(o, ",\"tid\":");
    put_string(o, pool_text(&s->names, tid));
}

struct lane_text { /* of the last event: most have the lane of the one before */
    struct out o;
    int32_t lane;
};

static struct str lane_text_of(struct lane_text *t, const struct event_store *s,
                               const struct trace_excerpt *c, int32_t lane)
{
    if (t->lane != lane) {
        t->o.n = 0;
        put_lane(&t->o, s, c, s->lanes[lane].pid, s->lanes[lane].tid);
        t->lane = lane;
    }
    return out_view(&t->o);
}

static void put_value(struct out *o, const struct value *v);

static void put_items(struct out *o, const struct value *v, bool map)
{
    out_char(o, map ? '{' : '[');
    for (int32_t i = 0; i < v->n; i += map ? 2 : 1) {
        if (i)
            out_char(o, ',');
        put_value(o, &v->items[i]);
        if (map) {
            out_char(o, ':');
            put_value(o, &v->items[i + 1]);
        }
    }
    out_char(o, map ? '}' : ']');
}

/* As recorded, but numbers that JSON does not have are null. */
static void put_value(struct out *o, const struct value *v)
{
    switch (v->kind) {
    case VALUE_NULL:
        out_lit(o, "null");
        return;
    case VALUE_BOOL:
        out_c(o, v->number != 0 ? "true" : "false");
        return;
    case VALUE_NUMBER:
        if (v->n && isfinite(v->number))
            out_bytes(o, v->text, v->n);
        else
            out_lit(o, "null");
        return;
    case VALUE_LIST:
    case VALUE_MAP:
        put_items(o, v, v->kind == VALUE_MAP);
        return;
    default:
        put_string(o, (struct str){v->text, v->n});
    }
}

static void put_id(struct out *o, bool *any, const char *key, int64_t id)
{
    if (id == NO_ID)
        return;
    out_c(o, *any ? ",\"" : "\"");
    out_c(o, key);
    out_lit(o, "\":");
    out_i64(o, id);
    *any = true;
}

static void put_arg(struct out *o, bool *any, const char *key, const struct value *v)
{
    if (!v)
        return;
    out_printf(o, "%s\"%s\":", *any ? "," : "", key);
    put_value(o, v);
    *any = true;
}

/* What PyTorch has in args, of other profilers. */
static void put_collective(struct out *o, const struct collective *c, bool *any)
{
    for (int k = 0; k < KINETO_COLLECTIVE_TERMS; k++) {
        const struct kineto_collective_term *t = &kineto_collective_terms[k];
        const void *member = (const char *)c + t->at;
        if (!t->is_text) {
            put_id(o, any, t->key, *(const int64_t *)member);
        } else if (((const struct str *)member)->p) {
            out_printf(o, "%s\"%s\":", *any ? "," : "", t->key);
            put_string(o, *(const struct str *)member);
            *any = true;
        }
    }
}

/* The members of `rest` are those of args itself. */
static void put_args(struct out *o, const struct event_store *s, event_id i, bool *any)
{
    struct call_args a = store_args(s, store_texts(s, i));
    put_id(o, any, "Sequence number", store_sequence(s, i));
    put_id(o, any, "Seq", store_comms_sequence(s, i));
    put_arg(o, any, "Input Dims", a.dims);
    put_arg(o, any, "Input type", a.types);
    put_arg(o, any, "Input Strides", a.strides);
    put_arg(o, any, "Concrete Inputs", a.concrete);
    for (int k = 0; value_is(a.extra, VALUE_MAP) && k + 1 < a.extra->n; k += 2) {
        if (*any)
            out_char(o, ',');
        put_value(o, &a.extra->items[k]);
        out_char(o, ':');
        put_value(o, &a.extra->items[k + 1]);
        *any = true;
    }
    if (s->collective != kineto_collective)
        put_collective(o, store_collective(s, store_texts(s, i)), any);
}

static void put_event(struct out *o, const struct event_store *s,
                      const struct trace_excerpt *c, event_id i, struct lane_text *lane)
{
    out_lit(o, "{\"ph\":\"X\",\"cat\":\"");
    out_c(o, cat_words[s->cat[i]]);
    out_lit(o, "\",\"name\":");
    put_string(o, store_name(s, i));
    out_str(o, lane_text_of(lane, s, c, s->lane[i]));
    out_lit(o, ",\"ts\":");
    put_us(o, s->start_ns[i] + c->shift_ns);
    out_lit(o, ",\"dur\":");
    put_us(o, store_dur_ns(s, i));
    if (store_row(s, i) >= 0) {
        bool any = false;
        out_lit(o, ",\"args\":{");
        put_id(o, &any, "correlation", store_correlation(s, i));
        put_id(o, &any, "External id", store_external_id(s, i));
        put_id(o, &any, "stream", store_stream(s, i));
        put_id(o, &any, "bytes", store_bytes(s, i));
        if (c->has_args)
            put_args(o, s, i, &any);
        out_char(o, '}');
    }
    out_char(o, '}');
}

static void put_label(struct out *o, const struct event_store *s,
                      const struct trace_excerpt *c, const struct lane_label *l)
{
    struct str kind = pool_text(&s->names, l->kind);
    out_lit(o, "{\"ph\":\"M\",\"name\":");
    put_string(o, kind);
    put_lane(o, s, c, l->pid, l->tid);
    out_printf(o,
               ",\"args\":{\"%s\":", str_ends(kind, S("labels")) ? "labels" : "name");
    put_named(o, str_eq(kind, S("process_name")) ? c->process : S(""),
              pool_text(&s->names, l->text));
    out_lit(o, "}}");
    if (!c->process.n || !str_eq(kind, S("process_name")))
        return;
    out_lit(o, ",\n{\"ph\":\"M\",\"name\":\"process_sort_index\"");
    put_lane(o, s, c, l->pid, l->tid);
    out_printf(o, ",\"args\":{\"sort_index\":%d}}", c->place);
}

/* What of the text is in the processor's caches, but for its end. */
static void pack_part(struct excerpt_file *f)
{
    enum { PART_BYTES = 1 << 18 };
    if (f->packs && f->o.n >= PART_BYTES) {
        deflater_feed(f->packs, out_view(&f->o), false, f->to);
        f->o.n = 0;
    }
}

/* One that began before the window is written at its beginning. */
static void put_sample(struct out *o, const struct event_store *s,
                       const struct trace_excerpt *c, const struct counter_sample *at)
{
    const struct counter_track *t = &s->counters.tracks[at->track];
    int64_t ns = at->at_ns < c->from_ns ? c->from_ns : at->at_ns;
    out_lit(o, "{\"ph\":\"C\",\"name\":");
    put_string(o, pool_text(&s->names, t->name));
    put_lane(o, s, c, s->lanes[t->lane].pid, s->lanes[t->lane].tid);
    out_lit(o, ",\"ts\":");
    put_us(o, ns + c->shift_ns);
    out_lit(o, ",\"args\":{");
    put_string(o, pool_text(&s->names, t->key));
    out_printf(o, ":%.9g}}", (double)at->value);
}

static void add_samples(struct excerpt_file *f, const struct event_store *s,
                        const struct trace_excerpt *c)
{
    int32_t before[COUNTER_TRACKS_MOST];
    struct sample_choice x = {before, &s->counters, c};
    find_before(&x);
    for (int32_t k = 0; k < s->counters.n; k++) {
        if (!takes_sample(&x, k))
            continue;
        out_c(&f->o, f->n++ ? ",\n" : "");
        put_sample(&f->o, s, c, &s->counters.at[k]);
        pack_part(f);
    }
}

void excerpt_begin(struct excerpt_file *f, struct str head)
{
    *f = (struct excerpt_file){0};
    out_memory(&f->o);
    out_str(&f->o, head);
    out_lit(&f->o, "\"traceEvents\":[\n");
}

void excerpt_add(struct excerpt_file *f, const struct event_store *s,
                 const struct trace_excerpt *c)
{
    struct lane_text lane = {.lane = -1};
    out_memory(&lane.o);
    for (int32_t k = 0; k < s->n_labels; k++) {
        out_c(&f->o, f->n++ ? ",\n" : "");
        put_label(&f->o, s, c, &s->labels[k]);
    }
    for (event_id i = 0; i < s->n; i++) {
        if (!is_in(s, c, i))
            continue;
        out_c(&f->o, f->n++ ? ",\n" : "");
        put_event(&f->o, s, c, i, &lane);
        pack_part(f);
    }
    out_free(&lane.o);
    add_samples(f, s, c);
}

static void put_slice(struct out *o, const struct trace_excerpt *c,
                      const struct excerpt_step *x)
{
    out_lit(o, "{\"ph\":\"X\",\"cat\":\"critical_path\",\"name\":");
    put_string(o, x->name);
    out_lit(o, ",\"pid\":");
    put_named(o, c->process, S("critical path"));
    out_lit(o, ",\"tid\":\"what the run waits for\",\"ts\":");
    put_us(o, x->from_ns + c->shift_ns);
    out_lit(o, ",\"dur\":");
    put_us(o, x->to_ns - x->from_ns);
    out_char(o, '}');
}

/* One end of an arrow, at a time within its event. */
static void put_arrow(struct out *o, const struct event_store *s,
                      const struct trace_excerpt *c, event_id i, int64_t at_ns,
                      int64_t id, bool begins)
{
    int64_t from_ns = s->start_ns[i], to_ns = store_end_ns(s, i);
    at_ns = at_ns < from_ns ? from_ns : at_ns > to_ns ? to_ns : at_ns;
    out_printf(o, "{\"ph\":\"%s\",\"cat\":\"critical_path\",\"name\":\"critical path\"",
               begins ? "s" : "f\",\"bp\":\"e");
    out_lit(o, ",\"id\":");
    out_i64(o, id);
    put_lane(o, s, c, s->lanes[s->lane[i]].pid, s->lanes[s->lane[i]].tid);
    out_lit(o, ",\"ts\":");
    put_us(o, at_ns + c->shift_ns);
    out_char(o, '}');
}

void excerpt_add_path(struct excerpt_file *f, const struct event_store *s,
                      const struct trace_excerpt *c, const struct excerpt_step *steps,
                      int32_t n)
{
    const struct excerpt_step *last = NULL; /* that has an event in the window */
    for (int32_t k = 0; k < n; k++) {
        const struct excerpt_step *x = &steps[k];
        if (x->to_ns < c->from_ns || x->from_ns >= c->to_ns)
            continue;
        out_c(&f->o, f->n++ ? ",\n" : "");
        put_slice(&f->o, c, x);
        if (x->event < 0 || !is_in(s, c, x->event))
            continue;
        if (last && last->event != x->event) {
            out_lit(&f->o, ",\n");
            put_arrow(&f->o, s, c, last->event, last->to_ns, k, true);
            out_lit(&f->o, ",\n");
            put_arrow(&f->o, s, c, x->event, x->from_ns, k, false);
            f->n += 2;
        }
        last = x;
    }
}

void excerpt_end(struct excerpt_file *f, struct out *to)
{
    struct deflater *d = deflater_open();
    out_lit(&f->o, "\n]}\n");
    deflater_run(d, DEFLATE_GZIP, out_view(&f->o), to);
    deflater_close(d);
    out_free(&f->o);
}

bool trace_excerpt_write(const struct event_store *s, const struct trace_excerpt *c,
                         const char *path, struct err *e)
{
    struct excerpt_file f;
    struct out file;
    if (!out_open(&file, path, e))
        return false;
    excerpt_begin(&f, S("{"));
    f.packs = deflater_open();
    f.to = &file;
    deflater_begin(f.packs, DEFLATE_GZIP);
    excerpt_add(&f, s, c);
    out_lit(&f.o, "\n]}\n");
    deflater_feed(f.packs, out_view(&f.o), true, &file);
    deflater_close(f.packs);
    out_free(&f.o);
    return out_close(&file, e);
}
