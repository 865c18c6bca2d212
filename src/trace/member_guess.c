#include "trace/member_guess.h"

void guess_open(struct member_guess *g)
{
    g->n = 0;
    g->start = g->other = (struct member){.n = 0};
}

/* The member with this text, added if it is new; NULL if there is no room. */
static struct member *remember(struct member_guess *g, struct str text, struct str key)
{
    struct member new = {.n = (int)text.n,
                         .key_at = (int)(key.p - text.p),
                         .key_n = (int)key.n,
                         .meaning = MEMBER_UNKNOWN};
    if (text.n > MEMBER_BYTES)
        return NULL;
    memcpy(new.text, text.p, (size_t)text.n);
    memset(new.mask, 0xff, (size_t)text.n);
    for (int i = 0; i < g->n; i++)
        if (g->at[i].n == new.n && memcmp(g->at[i].text, new.text, MEMBER_BYTES) == 0)
            return &g->at[i];
    if (g->n == MEMBERS_MAX)
        return NULL;
    g->at[g->n] = new;
    return &g->at[g->n++];
}

const char *member_scan(struct member_guess *g, struct json_scan *j, const char *p,
                        struct member **last, struct str *key)
{
    struct json_string s;
    const char *start = p;
    p = scan_space(p);
    if (*last != &g->start) {
        if (*p != ',')
            return scan_fail(j, p, "expected ',' or '}' after a value");
        p = scan_space(p + 1);
    }
    if (*p != '"')
        return scan_fail(j, p, "expected a key");
    if (!(p = scan_string(j, p, &s)) ||
        !(p = scan_char(j, p, ':', "expected ':' after a key")))
        return NULL;
    p = scan_space(p);
    *key = s.raw;
    struct member *m = NULL;
    if (p < j->end) /* else the value's space may go on */
        m = remember(g, (struct str){start, p - start}, s.raw);
    if (m) {
        (*last)->next[1] = (*last)->next[0];
        (*last)->next[0] = m;
    }
    *last = m ? m : &g->other;
    (*last)->meaning = m ? m->meaning : MEMBER_UNKNOWN;
    return p;
}
