#include "formats/json_walk.h"

enum place { AT_VALUE, AT_FIRST, AT_KEY, AFTER_VALUE, AT_END };

static const ptrdiff_t value_bytes_most = 1 << 28;

bool json_walk_open(struct json_walk *w, const char *path, struct source_options o,
                    struct err *e)
{
    bool (*goes_into)(const struct json_walk *, bool) = w->goes_into;
    *w = (struct json_walk){.path = path, .at = "", .goes_into = goes_into};
    w->scan.end = w->at;
    return source_open(&w->source, path, o, e);
}

void json_walk_close(struct json_walk *w)
{
    source_close(w->source);
    scan_free(&w->scan);
}

bool json_walk_is(const struct json_walk *w, int level, const char *key)
{
    return level < w->depth && strcmp(w->level[level].key, key) == 0;
}

static const char *keep_key(struct json_walk *w, const char *p)
{
    struct json_string s;
    p = scan_space(p);
    if (*p != '"')
        return scan_fail(&w->scan, p, "expected a key");
    if (!(p = scan_string(&w->scan, p, &s)) ||
        !(p = scan_char(&w->scan, p, ':', "expected ':' after a key")))
        return NULL;
    char *key = w->level[w->depth - 1].key;
    size_t n = s.raw.n < WALK_KEY_BYTES ? (size_t)s.raw.n : WALK_KEY_BYTES - 1;
    memcpy(key, s.raw.p, n);
    key[n] = '\0';
    w->place = AT_VALUE;
    return p;
}

static const char *read_value(struct json_walk *w, const char *p, struct str *value)
{
    p = scan_space(p);
    bool is_list = *p == '[';
    if ((is_list || *p == '{') && w->depth < WALK_DEPTH &&
        (!w->depth || w->goes_into(w, is_list))) {
        w->level[w->depth].is_list = is_list;
        w->level[w->depth++].key[0] = '\0';
        w->place = AT_FIRST;
        return p + 1;
    }
    const char *end = scan_value(&w->scan, p);
    if (!end)
        return NULL;
    /* What a number ends with may be in the next window. */
    if (end == w->scan.end && w->depth)
        return scan_fail(&w->scan, end, "");
    *value = (struct str){p, end - p};
    w->place = w->depth ? AFTER_VALUE : AT_END;
    return end;
}

static const char *leave(struct json_walk *w, const char *p)
{
    w->place = --w->depth ? AFTER_VALUE : AT_END;
    return p + 1;
}

static const char *step(struct json_walk *w, struct str *value)
{
    const char *p = scan_space(w->at);
    bool is_list = w->depth && w->level[w->depth - 1].is_list;
    char close = is_list ? ']' : '}';
    switch ((enum place)w->place) {
    case AT_FIRST:
        if (*p == close)
            return leave(w, p);
        if (p >= w->scan.end)
            return scan_fail(&w->scan, p, "");
        w->place = is_list ? AT_VALUE : AT_KEY;
        return p;
    case AT_KEY:
        return keep_key(w, p);
    case AT_VALUE:
        return read_value(w, p, value);
    case AFTER_VALUE:
        if (*p == close)
            return leave(w, p);
        if (*p != ',')
            return scan_fail(&w->scan, p, "expected ',' or the end of a container");
        w->place = is_list ? AT_VALUE : AT_KEY;
        return p + 1;
    default:
        return scan_fail(&w->scan, p, "unexpected data after the end of the document");
    }
}

static bool refill(struct json_walk *w, struct err *e)
{
    char *begin, *end;
    bool more = source_next(w->source, w->scan.end - w->at, &begin, &end, e);
    w->at = begin;
    w->scan.end = end;
    w->scan.state = SCAN_OK;
    w->end_offset = source_bytes(w->source);
    return more;
}

static bool fail(struct json_walk *w, const char *at, struct err *e)
{
    return err_set(e, ERR_INPUT, w->path, w->end_offset - (w->scan.end - at),
                   "not valid JSON: %s; record or copy the trace again", w->scan.what);
}

static bool at_end(struct json_walk *w, struct err *e)
{
    bool whole = w->place == AT_END && scan_space(w->at) >= w->scan.end;
    if (!whole && e->kind == ERR_NONE)
        err_set(e, ERR_INPUT, w->path, w->end_offset,
                "the trace is cut off after %lld values; record or copy it again",
                (long long)w->n);
    return false;
}

bool json_walk_next(struct json_walk *w, struct str *value, struct err *e)
{
    *value = (struct str){0};
    for (;;) {
        const char *p = step(w, value);
        if (p) {
            w->at = p;
            if (value->p) {
                w->n++;
                return true;
            }
        } else if (w->scan.state == SCAN_BAD) {
            return fail(w, w->scan.bad_at, e);
        } else if (w->scan.end - w->at > value_bytes_most) {
            w->scan.what = "a value of more bytes than the limit";
            return fail(w, w->at, e);
        } else {
            w->at = scan_space(w->at);
            if (!refill(w, e))
                return at_end(w, e);
        }
    }
}
