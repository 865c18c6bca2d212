#include "report/replay/replay_schema.h"

#include "base/arena.h"
#include "report/replay/replay_fill.h"

#include <string.h>

/* The position of `c` outside brackets, or -1. */
static ptrdiff_t find_outside(struct str s, char c)
{
    int depth = 0;
    for (ptrdiff_t i = 0; i < s.n; i++) {
        if (s.p[i] == c && depth == 0)
            return i;
        depth += s.p[i] == '(' || s.p[i] == '[';
        depth -= s.p[i] == ')' || s.p[i] == ']';
    }
    return -1;
}

static enum schema_base base_of(struct str word)
{
    static const struct {
        struct str word;
        enum schema_base base;
    } known[] = {
        {S_INIT("Tensor"), SCHEMA_TENSOR},
        {S_INIT("bool"), SCHEMA_BOOL},
        {S_INIT("int"), SCHEMA_INT},
        {S_INIT("SymInt"), SCHEMA_INT},
        {S_INIT("float"), SCHEMA_FLOAT},
        {S_INIT("Scalar"), SCHEMA_SCALAR},
        {S_INIT("ScalarType"), SCHEMA_DTYPE},
        {S_INIT("str"), SCHEMA_OPAQUE},
        {S_INIT("MemoryFormat"), SCHEMA_OPAQUE},
        {S_INIT("Device"), SCHEMA_OPAQUE},
        {S_INIT("Layout"), SCHEMA_OPAQUE},
        {S_INIT("Generator"), SCHEMA_OPAQUE},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_eq(word, known[i].word))
            return known[i].base;
    return SCHEMA_UNKNOWN;
}

/* "Tensor(a!)[]", "int[2]?", "Tensor?[]": the word, then what may follow it. */
static void read_type(struct schema_arg *a)
{
    ptrdiff_t n = 0;
    while (n < a->type.n && a->type.p[n] != '(' && a->type.p[n] != '[' &&
           a->type.p[n] != '?')
        n++;
    a->base = base_of(str_head(a->type, n));
    for (struct str rest = str_skip(a->type, n); rest.n > 0;) {
        ptrdiff_t end = 0;
        if (rest.p[0] == '?') {
            a->optional = true;
        } else if (rest.p[0] == '[') {
            end = str_find(rest, S("]"));
            a->optional_items = a->optional;
            a->optional = false;
            a->list = true;
        } else if (rest.p[0] == '(') {
            end = str_find(rest, S(")"));
            a->written = a->written || str_has(str_head(rest, end + 1), S("!"));
        } else {
            end = -1;
        }
        if (end < 0) {
            a->base = SCHEMA_UNKNOWN;
            return;
        }
        rest = str_skip(rest, end + 1);
    }
}

/* "SymInt[2] stride=1" */
static bool read_arg(struct str s, struct schema_arg *a)
{
    ptrdiff_t equals = find_outside(s, '=');
    a->has_default = equals >= 0;
    if (a->has_default)
        s = str_head(s, equals);
    ptrdiff_t space = s.n - 1;
    while (space > 0 && s.p[space] != ' ')
        space--;
    if (space <= 0 || space == s.n - 1)
        return false;
    a->type = str_trim(str_head(s, space));
    a->name = str_skip(s, space + 1);
    read_type(a);
    return true;
}

static bool read_args(struct arena *perm, struct str list, struct schema *s)
{
    ptrdiff_t most = 1;
    for (ptrdiff_t i = 0; i < list.n; i++)
        most += list.p[i] == ',';
    s->args = arena_new(perm, struct schema_arg, most);
    for (bool keyword = false; list.n > 0;) {
        ptrdiff_t comma = find_outside(list, ',');
        struct str one = str_trim(str_head(list, comma < 0 ? list.n : comma));
        list = str_skip(list, comma < 0 ? list.n : comma + 1);
        if (str_eq(one, S("*"))) {
            keyword = true;
            continue;
        }
        struct schema_arg *a = &s->args[s->n_args++];
        a->keyword = keyword;
        if (!read_arg(one, a))
            return false;
    }
    return true;
}

bool schema_parse(struct arena *perm, struct str line, struct schema *s)
{
    *s = (struct schema){.text = line};
    ptrdiff_t open = str_find(line, S("(")), arrow = str_find(line, S(") -> "));
    struct str name = str_head(line, open < 0 ? 0 : open);
    if (open <= 0 || arrow < open || str_find(name, S("::")) <= 0)
        return false;
    s->overload = name;
    s->op = str_take(&s->overload, S("."));
    return read_args(perm, (struct str){line.p + open + 1, arrow - open - 1}, s);
}

static struct str name_of(struct str line)
{
    ptrdiff_t n = 0;
    while (n < line.n && line.p[n] != '(' && line.p[n] != '.')
        n++;
    return str_head(line, n);
}

/* The first line of an operator, or of what would follow it; or behind its last. */
static ptrdiff_t place_of(const struct schema_index *x, struct str op, bool behind)
{
    ptrdiff_t low = 0, high = x->n;
    while (low < high) {
        ptrdiff_t middle = low + (high - low) / 2;
        int c = str_cmp(name_of(x->lines[middle]), op);
        if (c < 0 || (c == 0 && behind))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* By name, and lines of one name as they come. Nearly all come in that order: `last` is
 * the name of the last line. */
static void add_line(struct schema_index *x, struct str line, struct str *last)
{
    struct str op = name_of(line);
    bool in_order = str_cmp(*last, op) <= 0;
    ptrdiff_t at = in_order ? x->n : place_of(x, op, true);
    *last = in_order ? op : *last;
    memmove(x->lines + at + 1, x->lines + at, (size_t)(x->n - at) * sizeof *x->lines);
    x->lines[at] = line;
    x->n++;
}

struct schema_index schema_index_build(struct arena *perm, struct str text)
{
    struct schema_index x = {0};
    struct str last = S("");
    ptrdiff_t lines = 1;
    for (struct str rest = text; rest.n > 0; lines++)
        (void)str_take(&rest, S("\n"));
    x.lines = arena_new(perm, struct str, lines);
    while (text.n > 0) {
        struct str line = str_trim(str_take(&text, S("\n")));
        if (line.n && line.p[0] != '#')
            add_line(&x, line, &last);
    }
    return x;
}

static bool is_number(const struct replay_value *v)
{
    return v->kind == REPLAY_INT || v->kind == REPLAY_REAL || v->kind == REPLAY_TEXT;
}

static bool takes_scalar(enum schema_base base, const struct replay_value *v)
{
    switch (base) {
    case SCHEMA_BOOL:
        return v->kind == REPLAY_BOOL;
    case SCHEMA_INT:
    case SCHEMA_DTYPE:
        return v->kind == REPLAY_INT;
    case SCHEMA_FLOAT:
        return is_number(v);
    case SCHEMA_SCALAR:
        return is_number(v) || v->kind == REPLAY_BOOL;
    default:
        return false;
    }
}

static bool takes_list(const struct schema_arg *a, const struct replay_value *v)
{
    for (int32_t i = 0; i < v->n; i++)
        if (!takes_scalar(a->base, &v->items[i]))
            return false;
    return true;
}

enum fit { FITS, WRONG_TYPE, NOT_RECORDED };

/* A scalar of which only the profiler's type name is known. */
static enum fit fit_of_word(const struct schema_arg *a, struct str word)
{
    struct replay_value v = {
        .kind = str_eq(word, S("Int"))      ? REPLAY_INT
                : str_eq(word, S("Double")) ? REPLAY_REAL
                : str_eq(word, S("Bool"))   ? REPLAY_BOOL
                                            : REPLAY_NULL,
    };
    bool is_scalar = a->base != SCHEMA_TENSOR && a->base != SCHEMA_OPAQUE &&
                     a->base != SCHEMA_UNKNOWN;
    if (a->list || !(v.kind == REPLAY_NULL ? is_scalar : takes_scalar(a->base, &v)))
        return WRONG_TYPE;
    return replay_assume(a->name, &v) ? FITS : NOT_RECORDED;
}

/* `no_values`: the trace has shapes alone, and no word for some lists. */
static enum fit fit_of(const struct schema_arg *a, const struct replay_input *in,
                       bool no_values)
{
    bool fits = false;
    switch (in->kind) {
    case REPLAY_INPUT_ABSENT:
        if (no_values && a->list)
            return NOT_RECORDED;
        /* A word is never recorded. Where it has no default, as div's rounding_mode,
         * the overload is there for it; else the default holds. */
        if (str_starts(a->type, S("str")) && !a->has_default)
            return NOT_RECORDED;
        return a->optional || (a->base == SCHEMA_OPAQUE && a->has_default)
                   ? FITS
                   : NOT_RECORDED;
    case REPLAY_INPUT_TENSOR:
        fits = a->base == SCHEMA_TENSOR && !a->list;
        break;
    case REPLAY_INPUT_TENSORS:
        fits = a->base == SCHEMA_TENSOR && a->list;
        break;
    case REPLAY_INPUT_SCALAR:
        if (in->value.kind == REPLAY_NULL)
            return fit_of_word(a, in->type);
        fits = !a->list && takes_scalar(a->base, &in->value);
        break;
    case REPLAY_INPUT_LIST:
        if (in->value.kind == REPLAY_NULL)
            return a->list ? NOT_RECORDED : WRONG_TYPE;
        fits = a->list ? takes_list(a, &in->value) : a->optional && in->value.n == 0;
        break;
    case REPLAY_INPUT_OTHER:
        break;
    }
    return fits ? FITS : WRONG_TYPE;
}

/* FITS, or what the worst argument says; *missing is the one not recorded. */
static enum fit fit_all(const struct schema *s, const struct replay_inputs *in,
                        struct schema_arg *missing)
{
    enum fit worst = FITS;
    if (s->n_args != in->n)
        return WRONG_TYPE;
    for (int32_t i = 0; i < in->n; i++) {
        enum fit f = fit_of(&s->args[i], &in->at[i], in->no_values);
        if (f == WRONG_TYPE)
            return WRONG_TYPE;
        if (f == NOT_RECORDED && worst == FITS) {
            worst = NOT_RECORDED;
            *missing = s->args[i];
        }
    }
    return worst;
}

enum schema_match schema_find(struct arena *perm, const struct schema_index *x,
                              struct str op, const struct replay_inputs *in,
                              struct schema *s, struct schema_arg *missing)
{
    enum schema_match match = SCHEMA_NOT_KNOWN;
    struct str overload = op, base = str_take(&overload, S("."));
    for (ptrdiff_t i = place_of(x, base, false);
         i < x->n && str_eq(name_of(x->lines[i]), base); i++) {
        struct schema_arg absent;
        if (!schema_parse(perm, x->lines[i], s) ||
            (overload.n && !str_eq(overload, s->overload)))
            continue;
        enum fit f = fit_all(s, in, &absent);
        if (f == FITS)
            return SCHEMA_FITS;
        if (f == NOT_RECORDED && match == SCHEMA_NOT_KNOWN) {
            match = SCHEMA_NOT_RECORDED;
            *missing = absent;
        }
    }
    return match;
}
