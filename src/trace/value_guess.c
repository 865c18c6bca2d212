#include "trace/value_guess.h"

#include <string.h>

void value_guess_open(struct value_guess *g)
{
    memset(g->after, 0, sizeof g->after);
    g->last = g->before = 0;
    pool_open(&g->texts);
    pool_add(&g->texts, S("\x01")); /* no value begins with a control character */
}

void value_guess_close(struct value_guess *g)
{
    pool_close(&g->texts);
}

const char *value_scan(struct value_guess *g, struct json_scan *j, const char *p)
{
    const char *end = scan_nested(j, p);
    struct str text = {p, end ? end - p : 0};
    bool ends_itself = *p == '[' || *p == '"' || *p == '{'; /* unlike a number */
    if (!end || !ends_itself || text.n > GUESS_BYTES)
        return end;
    int32_t id = g->texts.n < GUESS_VALUES ? pool_add(&g->texts, text)
                                           : pool_find(&g->texts, text);
    int32_t *after = values_after(g);
    after[1] = after[0];
    after[0] = id < 0 ? 0 : id;
    value_pass(g, after[0]);
    return end;
}
