#include "perf/step_annotation.h"

static bool digit(struct str s, ptrdiff_t i)
{
    return i < s.n && s.p[i] >= '0' && s.p[i] <= '9';
}

static bool word_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           c == '_';
}

/* Digits at the start of *s; false if there are none. */
static bool take_number(struct str *s, double *v)
{
    ptrdiff_t n = 0;
    for (*v = 0; digit(*s, n); n++)
        *v = 10 * *v + (s->p[n] - '0');
    *s = str_skip(*s, n);
    return n > 0;
}

/* `form` against the start of the text, '#' for a number each. */
static bool scan(struct str text, const char *form, double *numbers)
{
    for (; *form; form++) {
        if (*form == '#') {
            if (!take_number(&text, numbers++))
                return false;
        } else if (text.n == 0 || text.p[0] != *form) {
            return false;
        } else {
            text = str_skip(text, 1);
        }
    }
    return true;
}

/* The number in "key=number", the key a whole word; 0 if there is none. */
static double value_of(struct str text, struct str key)
{
    for (ptrdiff_t i = 0; i + key.n < text.n; i++) {
        struct str rest = str_skip(text, i);
        if ((i > 0 && word_char(text.p[i - 1])) || !str_starts(rest, key) ||
            rest.p[key.n] != '=')
            continue;
        double v;
        rest = str_skip(rest, key.n + 1);
        if (take_number(&rest, &v))
            return v;
    }
    return 0;
}

static bool vllm(struct str text, struct step_tokens *c, struct step_tokens *g)
{
    double v[11];
    if (!scan(text,
              "execute_#_context_#(sq#sk#sqsq#sqsk#)"
              "_generation_#(sq#sk#sqsq#sqsk#)",
              v))
        return false;
    *c = (struct step_tokens){v[2], v[3], v[4], v[5]};
    *g = (struct step_tokens){v[7], v[8], v[9], v[10]};
    return true;
}

static bool has_number(struct str text, struct str key)
{
    ptrdiff_t at = str_find(text, key);
    return at >= 0 && digit(text, at + key.n);
}

static bool sglang(struct str text, struct step_tokens *c, struct step_tokens *g)
{
    if (!str_starts(text, S("step[EXTEND")) && !str_starts(text, S("step[DECODE")) &&
        !str_starts(text, S("step[MIXED")))
        return false;
    ptrdiff_t end = str_find(text, S("]"));
    text = str_head(text, end < 0 ? 0 : end);
    if (!has_number(text, S("sqsq=")))
        return false;
    *c = (struct step_tokens){value_of(text, S("c_sq")), value_of(text, S("c_sk")),
                              value_of(text, S("c_sqsq")), value_of(text, S("c_sqsk"))};
    *g = (struct step_tokens){value_of(text, S("g_sq")), value_of(text, S("g_sk")),
                              value_of(text, S("g_sqsq")), value_of(text, S("g_sqsk"))};
    return true;
}

static bool atom(struct str text, struct step_tokens *c, struct step_tokens *g)
{
    bool prefill = str_starts(text, S("prefill["));
    if (!prefill && !str_starts(text, S("decode[")))
        return false;
    if (!str_has(text, S("sqsq=")) || !str_has(text, S("sqsk=")) ||
        !str_has(text, S("]")))
        return false;
    struct step_tokens sums = {value_of(text, S("tok")), value_of(text, S("sk")),
                               value_of(text, S("sqsq")), value_of(text, S("sqsk"))};
    *c = prefill ? sums : (struct step_tokens){0};
    *g = prefill ? (struct step_tokens){0} : sums;
    return true;
}

bool step_annotation_read(struct str text, struct step_tokens *context,
                          struct step_tokens *generation)
{
    return vllm(text, context, generation) || sglang(text, context, generation) ||
           atom(text, context, generation);
}
