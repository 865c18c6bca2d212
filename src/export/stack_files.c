#include "export/stack_files.h"

#include "base/deflate.h"
#include "base/terminal.h"
#include "base/version.h"
#include "base/wire_write.h"
#include "export/json_text.h"

/* What goes from path to path: frames by number, and how much. */
struct stack {
    int32_t frames[STACK_LEVELS_MAX + 2];
    int n;
    int64_t ns, calls;
};

typedef void (*stack_writer)(struct out *o, const struct stack_paths *p,
                             const struct stack *s, bool first);

static void each_stack(struct out *o, const struct stack_paths *p, stack_writer write)
{
    struct stack s;
    bool first = true;
    for (int32_t k = 0; k < p->n; k++) {
        if (p->at[k].ns <= 0)
            continue;
        s.n = stack_path_frames(p, k, s.frames);
        s.ns = p->at[k].ns;
        s.calls = p->at[k].n;
        write(o, p, &s, first);
        first = false;
    }
}

/* "python;model.py(12): forward;aten::mm 1200": ns. */
static void folded_line(struct out *o, const struct stack_paths *p,
                        const struct stack *s, bool first)
{
    (void)first;
    for (int k = 0; k < s->n; k++) {
        struct str name = p->frames[s->frames[k]];
        if (k)
            out_char(o, ';');
        while (name.n) {
            out_visible(o, str_take(&name, S(";")));
            if (name.n)
                out_char(o, ':');
        }
    }
    out_printf(o, " %lld\n", (long long)s->ns);
}

static void numbers(struct out *o, const struct stack_paths *p, const struct stack *s,
                    bool first)
{
    (void)p;
    out_c(o, first ? "[" : ",[");
    for (int k = 0; k < s->n; k++)
        out_printf(o, "%s%d", k ? "," : "", s->frames[k]);
    out_char(o, ']');
}

static void weight(struct out *o, const struct stack_paths *p, const struct stack *s,
                   bool first)
{
    (void)p;
    out_printf(o, "%s%lld", first ? "" : ",", (long long)s->ns);
}

static void speedscope(struct out *o, const struct stack_paths *p, struct str title)
{
    out_lit(o, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
               "\"exporter\":\"tracefolio " TRACEFOLIO_VERSION "\",\"name\":");
    json_script_string(o, title);
    out_lit(o, ",\"shared\":{\"frames\":[");
    for (int32_t k = 0; k < p->n_frames; k++) {
        out_c(o, k ? ",{\"name\":" : "{\"name\":");
        json_script_string(o, p->frames[k]);
        out_char(o, '}');
    }
    out_printf(o,
               "]},\"profiles\":[{\"type\":\"sampled\",\"name\":\"%s time\",\"unit\":"
               "\"nanoseconds\",\"startValue\":0,\"endValue\":%lld,\"samples\":[",
               p->side == STACKS_OF_HOST ? "host" : "device", (long long)p->total_ns);
    each_stack(o, p, numbers);
    out_lit(o, "],\"weights\":[");
    each_stack(o, p, weight);
    out_lit(o, "]}]}\n");
}

/* Fields of profile.proto (github.com/google/pprof/blob/main/proto/profile.proto). */
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING_TABLE = 6,
    PROFILE_DURATION_NANOS = 10,
    TYPE_TYPE = 1,
    TYPE_UNIT = 2,
    SAMPLE_LOCATION_ID = 1,
    SAMPLE_VALUE = 2,
    LOCATION_ID = 1,
    LOCATION_LINE = 4,
    LINE_FUNCTION_ID = 1,
    FUNCTION_ID = 1,
    FUNCTION_NAME = 2
};

/* Its strings begin with these, then come the frames. */
static const char *const pprof_words[] = {"", "calls", "count", "time", "nanoseconds"};
enum { PPROF_WORDS = sizeof pprof_words / sizeof *pprof_words };

/* The innermost first; places and functions are frames, from 1. */
static void pprof_sample(struct out *o, const struct stack_paths *p,
                         const struct stack *s, bool first)
{
    struct out sample, list;
    (void)p, (void)first;
    out_memory(&sample);
    out_memory(&list);
    for (int k = s->n - 1; k >= 0; k--)
        put_varint(&list, (uint64_t)s->frames[k] + 1);
    put_message(&sample, SAMPLE_LOCATION_ID, &list);
    put_varint(&list, (uint64_t)s->calls);
    put_varint(&list, (uint64_t)s->ns);
    put_message(&sample, SAMPLE_VALUE, &list);
    put_message(o, PROFILE_SAMPLE, &sample);
    out_free(&list);
    out_free(&sample);
}

static void pprof_type(struct out *o, int type)
{
    struct out m;
    out_memory(&m);
    put_number(&m, TYPE_TYPE, (uint64_t)type);
    put_number(&m, TYPE_UNIT, (uint64_t)type + 1);
    put_message(o, PROFILE_SAMPLE_TYPE, &m);
    out_free(&m);
}

static void pprof_frame(struct out *o, uint64_t id)
{
    struct out m, line;
    out_memory(&m);
    out_memory(&line);
    put_number(&line, LINE_FUNCTION_ID, id);
    put_number(&m, LOCATION_ID, id);
    put_message(&m, LOCATION_LINE, &line);
    put_message(o, PROFILE_LOCATION, &m);
    put_number(&m, FUNCTION_ID, id);
    put_number(&m, FUNCTION_NAME, id + PPROF_WORDS - 1);
    put_message(o, PROFILE_FUNCTION, &m);
    out_free(&line);
    out_free(&m);
}

static void pprof(struct out *o, const struct stack_paths *p)
{
    struct out m, name;
    out_memory(&m);
    out_memory(&name);
    pprof_type(&m, 1);
    pprof_type(&m, 3);
    each_stack(&m, p, pprof_sample);
    for (int32_t k = 0; k < p->n_frames; k++)
        pprof_frame(&m, (uint64_t)k + 1);
    for (int k = 0; k < PPROF_WORDS; k++)
        put_text(&m, PROFILE_STRING_TABLE, str_of(pprof_words[k]));
    for (int32_t k = 0; k < p->n_frames; k++) {
        out_visible(&name, p->frames[k]);
        put_message(&m, PROFILE_STRING_TABLE, &name);
    }
    put_number(&m, PROFILE_DURATION_NANOS, (uint64_t)p->total_ns);
    struct deflater *d = deflater_open();
    deflater_run(d, DEFLATE_GZIP, out_view(&m), o);
    deflater_close(d);
    out_free(&name);
    out_free(&m);
}

void stack_file_write(struct out *o, enum stack_form form, const struct stack_paths *p,
                      struct str title)
{
    if (form == STACKS_FOLDED)
        each_stack(o, p, folded_line);
    else if (form == STACKS_SPEEDSCOPE)
        speedscope(o, p, title);
    else
        pprof(o, p);
}
