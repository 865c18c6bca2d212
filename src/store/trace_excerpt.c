#include "store/trace_excerpt.h"

#include "base/deflate.h"
#include "base/out.h"
#include "base/plain_run.h"
#include "base/utf8.h"

enum { MARGIN_NS = 200000, EVENT_BYTES = 260, NAME_BYTES = 2000 };

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
    return cat_words[s->cat[i]] && (c->has_frames || s->cat[i] != CAT_PYTHON) &&
           s->start_ns[i] < c->to_ns && store_end_ns(s, i) >= c->from_ns;
}

static void count(const struct event_store *s, struct trace_excerpt *c)
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
}

struct trace_excerpt trace_excerpt_around(const struct event_store *s, int64_t from_ns,
                                          int64_t to_ns)
{
    int64_t half = (to_ns - from_ns) / 2, margin = half > MARGIN_NS ? half : MARGIN_NS;
    struct trace_excerpt c = {from_ns - margin, to_ns + margin, true, 0, 0};
    count(s, &c);
    if (c.bytes > TRACE_EXCERPT_BYTES_MAX) {
        c.has_frames = false;
        count(s, &c);
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

/* Microseconds with all their nanoseconds. */
static void put_us(struct out *o, int64_t ns)
{
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    unsigned rest = (unsigned)(size % 1000);
    char decimals[4] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
                        (char)('0' + rest % 10)};
    if (ns < 0)
        out_char(o, '-');
    out_i64(o, (int64_t)(size / 1000));
    out_bytes(o, decimals, sizeof decimals);
}

static void put_lane(struct out *o, const struct event_store *s, name_id pid,
                     name_id tid)
{
    out_lit(o, ",\"pid\":");
    put_string(o, pool_text(&s->names, pid));
    out_lit(o, ",\"tid\":");
    put_string(o, pool_text(&s->names, tid));
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

static void put_event(struct out *o, const struct event_store *s, event_id i)
{
    const struct lane *l = &s->lanes[s->lane[i]];
    out_lit(o, "{\"ph\":\"X\",\"cat\":\"");
    out_c(o, cat_words[s->cat[i]]);
    out_lit(o, "\",\"name\":");
    put_string(o, store_name(s, i));
    put_lane(o, s, l->pid, l->tid);
    out_lit(o, ",\"ts\":");
    put_us(o, s->start_ns[i]);
    out_lit(o, ",\"dur\":");
    put_us(o, store_dur_ns(s, i));
    if (store_row(s, i) >= 0) {
        bool any = false;
        out_lit(o, ",\"args\":{");
        put_id(o, &any, "correlation", store_correlation(s, i));
        put_id(o, &any, "External id", store_external_id(s, i));
        put_id(o, &any, "stream", store_stream(s, i));
        put_id(o, &any, "bytes", store_bytes(s, i));
        out_char(o, '}');
    }
    out_char(o, '}');
}

static void put_label(struct out *o, const struct event_store *s,
                      const struct lane_label *l)
{
    struct str kind = pool_text(&s->names, l->kind);
    out_lit(o, "{\"ph\":\"M\",\"name\":");
    put_string(o, kind);
    put_lane(o, s, l->pid, l->tid);
    out_printf(o,
               ",\"args\":{\"%s\":", str_ends(kind, S("labels")) ? "labels" : "name");
    put_string(o, pool_text(&s->names, l->text));
    out_lit(o, "}}");
}

static void put_trace(struct out *o, const struct event_store *s,
                      const struct trace_excerpt *c)
{
    bool any = false;
    out_lit(o, "{\"traceEvents\":[\n");
    for (int32_t k = 0; k < s->n_labels; k++) {
        out_c(o, any ? ",\n" : "");
        put_label(o, s, &s->labels[k]);
        any = true;
    }
    for (event_id i = 0; i < s->n; i++) {
        if (!is_in(s, c, i))
            continue;
        out_c(o, any ? ",\n" : "");
        put_event(o, s, i);
        any = true;
    }
    out_lit(o, "\n]}\n");
}

bool trace_excerpt_write(const struct event_store *s, const struct trace_excerpt *c,
                         const char *path, struct err *e)
{
    struct out text, file;
    if (!out_open(&file, path, e))
        return false;
    out_memory(&text);
    put_trace(&text, s, c);
    struct deflater *d = deflater_open();
    deflater_run(d, DEFLATE_GZIP, out_view(&text), &file);
    deflater_close(d);
    out_free(&text);
    return out_close(&file, e);
}
