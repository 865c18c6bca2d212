#include "analysis/stack/tree_text.h"

#include "analysis/stack/tree_index.h"
#include "base/utf8.h"

static void write_name(struct out *o, struct str name, int width)
{
    ptrdiff_t start = out_view(o).n;
    while (name.n) {
        struct str before = name;
        int32_t code = utf8_next(&name);
        ptrdiff_t room = width - (out_view(o).n - start);
        if (before.n > room && before.n - name.n > room - 3) {
            out_lit(o, "...");
            return;
        }
        if (code == UTF8_BROKEN)
            code = UTF8_REPLACEMENT;
        bool control = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 ||
                       code == 0x2029;
        out_code_point(o, control ? ' ' : (uint32_t)code);
    }
}

/* Built separately: the sink may be a file, whose length cannot be read. */
static void put_name(struct out *o, struct str name, int width)
{
    struct out line;
    out_memory(&line);
    write_name(&line, name, width);
    out_str(o, out_view(&line));
    out_free(&line);
}

static void write_frame(struct out *o, struct str name, int level, int width)
{
    for (int k = 0; k < level; k++)
        out_lit(o, "  ");
    put_name(o, name, width);
    out_char(o, '\n');
}

void tree_write_stack(struct out *o, struct arena tmp, const struct tree_index *t,
                      event_id i, int max_lines, int width)
{
    int32_t n;
    struct tree_link *up = tree_parents(&tmp, t, i, INT32_MAX, &n);
    int32_t lines = n + 1, head = lines, skipped = 0;
    if (lines > max_lines) {
        head = max_lines / 3;
        skipped = lines - (max_lines - 1);
    }
    int level = 0;
    for (int32_t k = 0; k < lines; k++) {
        if (k == head && skipped) {
            struct str gap = str_printf(&tmp, "... %d calls ...", (int)skipped);
            write_frame(o, gap, level++, (int)gap.n);
            k += skipped;
        }
        struct str name = k < n ? up[n - 1 - k].name : store_name(t->v->s, i);
        write_frame(o, name, level++, width);
    }
}

static void write_time(struct out *o, struct arena tmp, const struct tree_index *t,
                       event_id i)
{
    bool gpu = cat_is_gpu(t->v->s->cat[i]);
    int64_t ns = gpu ? store_dur_ns(t->v->s, i) : tree_gpu_ns(tmp, t, i);
    out_lit(o, "  ");
    out_fixed(o, (double)ns / 1e3, 2);
    out_lit(o, " µs");
    if (gpu && view_stream(t->v->s, i) >= 0) {
        out_lit(o, ", stream ");
        out_i64(o, view_stream(t->v->s, i));
    }
    out_char(o, '\n');
}

/* Whether a node at depth d follows node k before a shallower one does: read backwards,
 * so one pass finds for every node whether it is its parent's last. */
static uint8_t *mark_last(struct arena *tmp, const struct tree_node *node, int32_t n)
{
    uint8_t *last = arena_new(tmp, uint8_t, n);
    uint8_t *seen = arena_new(tmp, uint8_t, (ptrdiff_t)n + 1); /* by depth */
    for (int32_t k = n; k-- > 0;) {
        int depth = node[k].depth;
        last[k] = !seen[depth];
        seen[depth] = 1;
        if (k + 1 < n && node[k + 1].depth > depth)
            seen[depth + 1] = 0;
    }
    return last;
}

void tree_write_subtree(struct out *o, struct arena tmp, const struct tree_index *t,
                        event_id i, int max_lines, int width)
{
    int32_t n;
    bool truncated;
    struct tree_node *node = tree_subtree(&tmp, t, i, true, max_lines, &n, &truncated);
    uint8_t *last = mark_last(&tmp, node, n);
    uint8_t *closed = arena_new(&tmp, uint8_t, (ptrdiff_t)n + 1); /* by depth */
    for (int32_t k = 0; k < n; k++) {
        int depth = node[k].depth;
        for (int d = 1; d < depth; d++)
            out_str(o, closed[d] ? S("    ") : S("\u2502   "));
        if (depth)
            out_str(o, last[k] ? S("\u2514\u2500\u2500 ") : S("\u251c\u2500\u2500 "));
        closed[depth] = last[k];
        put_name(o, store_name(t->v->s, node[k].event), width);
        write_time(o, tmp, t, node[k].event);
    }
    if (truncated)
        out_lit(o, "... more below\n");
}

struct str *tree_frames(struct arena *a, const struct tree_index *t, int32_t i, int max,
                        int *n)
{
    struct str *frames = arena_new(a, struct str, max);
    *n = tree_launchers(frames, max, t, i);
    return frames;
}
