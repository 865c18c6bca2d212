#include "formats/kernel_spelling.h"

#include <ctype.h>
#include <string.h>

enum { DEPTH = 32, ARGS = 24, NAME_BYTES_MOST = 1 << 15, OUT_FACTOR = 16 };

struct args { /* of a template, as places in the output */
    ptrdiff_t from[ARGS], to[ARGS];
    int n;
};

struct level {
    char kind;          /* '<', '(' or '[' */
    bool is_const;      /* "const" stood before the type, and goes behind it */
    ptrdiff_t arg_from; /* of the argument being written */
    struct args args;   /* '<': so far */
    struct args scope;  /* what T1 ... stand for: those of the function around */
};

struct speller {
    struct out *o;
    ptrdiff_t begin; /* of the name in o */
    struct str rest;
    struct level level[DEPTH];
    int depth;
    struct args closed; /* of the template that was just closed */
    bool broken;
};

static struct level *top(struct speller *s)
{
    return &s->level[s->depth];
}

static bool take(struct speller *s, const char *text)
{
    if (!str_starts(s->rest, str_of(text)))
        return false;
    s->rest = str_skip(s->rest, (ptrdiff_t)strlen(text));
    return true;
}

static char last(const struct speller *s)
{
    return s->o->n > s->begin ? out_view(s->o).p[s->o->n - 1] : '\0';
}

static void push(struct speller *s, char kind)
{
    if (s->depth + 1 == DEPTH) {
        s->broken = true;
        return;
    }
    bool of_template = kind == '(' && last(s) == '>';
    struct args scope = of_template ? s->closed : top(s)->scope;
    s->depth++;
    *top(s) = (struct level){.kind = kind, .scope = scope};
}

/* The type ends here. */
static void end_const(struct speller *s)
{
    if (top(s)->is_const)
        out_lit(s->o, " const");
    top(s)->is_const = false;
}

static void end_arg(struct speller *s)
{
    struct level *l = top(s);
    end_const(s);
    if (l->kind != '<' || l->args.n == ARGS)
        return;
    l->args.from[l->args.n] = l->arg_from;
    l->args.to[l->args.n++] = s->o->n;
}

static void close_template(struct speller *s)
{
    end_arg(s);
    s->closed = top(s)->args;
    if (last(s) == '>')
        out_char(s->o, ' ');
    out_char(s->o, '>');
    s->depth--;
}

/* "(int)4" and "(bool)1". */
static bool take_number(struct speller *s)
{
    static const struct {
        const char *cast, *suffix;
    } kinds[] = {{"(int)", ""},         {"(unsigned int)", "u"},
                 {"(long)", "l"},       {"(unsigned long)", "ul"},
                 {"(long long)", "ll"}, {"(unsigned long long)", "ull"}};
    if (top(s)->kind != '<')
        return false;
    if (take(s, "(bool)0") || take(s, "(bool)1")) {
        bool is = s->rest.p[-1] == '1';
        out_str(s->o, is ? S("true") : S("false"));
        return true;
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct str after = str_skip(s->rest, (ptrdiff_t)strlen(kinds[k].cast));
        bool minus = str_starts(after, S("-"));
        if (!str_starts(s->rest, str_of(kinds[k].cast)) || after.n <= minus ||
            !isdigit((unsigned char)after.p[minus]))
            continue;
        ptrdiff_t n = minus;
        while (n < after.n && isdigit((unsigned char)after.p[n]))
            n++;
        out_str(s->o, str_head(after, n));
        out_str(s->o, str_of(kinds[k].suffix));
        s->rest = str_skip(after, n);
        return true;
    }
    return false;
}

/* "T2", where it is the parameter of a function: the second argument of its template.
 */
static bool take_argument(struct speller *s)
{
    const struct level *l = top(s);
    ptrdiff_t n = 1;
    int k = 0;
    char before = last(s);
    if (l->scope.n == 0 || s->rest.p[0] != 'T' || isalnum((unsigned char)before) ||
        before == '_' || before == ':')
        return false;
    for (; n < s->rest.n && n < 4 && isdigit((unsigned char)s->rest.p[n]); n++)
        k = 10 * k + (s->rest.p[n] - '0');
    bool ends = n == s->rest.n ||
                (!isalnum((unsigned char)s->rest.p[n]) && s->rest.p[n] != '_');
    if (n == 1 || !ends || k < 1 || k > l->scope.n)
        return false;
    ptrdiff_t from = l->scope.from[k - 1], to = l->scope.to[k - 1];
    for (ptrdiff_t i = from; i < to; i++) /* the output may move as it grows */
        out_char(s->o, out_view(s->o).p[i]);
    s->rest = str_skip(s->rest, n);
    return true;
}

static bool at_arg_start(const struct speller *s)
{
    char c = last(s);
    return c == '<' || c == '(' ||
           (c == ' ' && s->o->n - 2 >= s->begin &&
            out_view(s->o).p[s->o->n - 2] == ',');
}

/* " (instance 1)]" behind a lambda. */
static bool take_instance(struct speller *s)
{
    if (top(s)->kind != '[' || !take(s, " (instance "))
        return false;
    ptrdiff_t end = str_find(s->rest, S(")]"));
    s->broken |= end < 0;
    if (end < 0)
        return true;
    out_char(s->o, '#');
    out_str(s->o, str_head(s->rest, end));
    out_char(s->o, '}');
    s->rest = str_skip(s->rest, end + 2);
    s->depth--;
    return true;
}

/* `void` before the name of a function, and not before '(', '*' or `const`. */
static bool is_returned(struct str rest)
{
    struct str name = str_skip(rest, 5);
    return str_starts(rest, S("void ")) && name.n && !str_starts(name, S("const ")) &&
           ((name.p[0] | 0x20) >= 'a' || name.p[0] == '_' || name.p[0] == '<');
}

static bool take_word(struct speller *s)
{
    if (take(s, "<unnamed>")) {
        out_lit(s->o, "(anonymous namespace)");
    } else if (take(s, "operator ()")) {
        out_lit(s->o, "operator()");
    } else if (take(s, "[lambda")) {
        out_lit(s->o, "{lambda");
        push(s, '[');
    } else if (at_arg_start(s) && is_returned(s->rest) && take(s, "void ")) {
        return true; /* what a function returns that an argument is named after */
    } else if (at_arg_start(s) && take(s, "const ")) {
        top(s)->is_const = true;
    } else if (str_starts(s->rest, S(" *")) || str_starts(s->rest, S(" &"))) {
        end_const(s);
        s->rest = str_skip(s->rest, 1);
    } else {
        return take_instance(s) || take_number(s) || take_argument(s);
    }
    return true;
}

static void take_char(struct speller *s)
{
    char c = s->rest.p[0];
    s->rest = str_skip(s->rest, 1);
    if (c == '>' && top(s)->kind == '<') {
        close_template(s);
        return;
    }
    if (c == '(')
        push(s, '(');
    if (c == '<')
        push(s, '<');
    if (c == ',' || (c == ')' && top(s)->kind == '('))
        end_arg(s);
    s->depth -= c == ')' && top(s)->kind == '(';
    out_char(s->o, c);
    if (c == ',' && str_starts(s->rest, S(" "))) {
        out_char(s->o, ' ');
        s->rest = str_skip(s->rest, 1);
    }
    if (c == ',' || c == '<')
        top(s)->arg_from = s->o->n;
}

void kernel_spell(struct out *o, struct str name)
{
    struct speller s = {.o = o, .begin = o->n, .rest = name};
    bool other = str_has(name, S("(int)")) || str_has(name, S("(bool)")) ||
                 str_has(name, S("(unsigned ")) || str_has(name, S("(long)")) ||
                 str_has(name, S("<unnamed>")) || str_has(name, S("[lambda")) ||
                 str_has(name, S(" *")) || str_has(name, S(" &")) ||
                 str_has(name, S("T1")) || str_has(name, S(">>"));
    s.broken = !other || name.n > NAME_BYTES_MOST;
    while (s.rest.n && !s.broken) {
        if (!take_word(&s))
            take_char(&s);
        s.broken |= o->n - s.begin > OUT_FACTOR * name.n;
    }
    if (!s.broken && s.depth == 0)
        return;
    o->n = s.begin;
    out_str(o, name);
}
