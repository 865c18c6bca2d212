#include "render/text/template.h"

#include "analysis/model/device_word.h"
#include "base/arena.h"
#include "render/text/seen.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SECTION_DEPTH_MAX = 24, /* within one template */
    PARTIAL_DEPTH_MAX = 40, /* a partial may include itself, while its data has depth */
    CONTEXT_DEPTH_MAX = 256,
    DELIMITER_BYTES_MAX = 8
};

enum token_kind {
    TOKEN_TEXT,
    TOKEN_VALUE,
    TOKEN_FILTERED,
    TOKEN_RAW,
    TOKEN_SECTION,
    TOKEN_INVERTED,
    TOKEN_PARTIAL,
    TOKEN_PARENT,
    TOKEN_BLOCK
};

struct token {
    enum token_kind kind;
    int at;          /* where its tag begins in the text */
    int end;         /* sections: number of the token after the last inside */
    int argument;    /* of the filter */
    int head;        /* names: bytes before the first dot */
    int indent;      /* partials: bytes of white space before a standalone tag */
    struct str text; /* the literal text, or the name */
    union {
        const struct template_filter *filter;
        const struct template *partial; /* NULL until it is first run */
    };
    struct seen_path path; /* names: in structs, where it was found last */
};

struct template
{
    struct template *next;
    struct str name, indent, text;
    struct token *tokens;
    int n_tokens;
};

struct reader {
    struct str name, text;
    const struct template_filter *const *filters;
    ptrdiff_t at;   /* next byte */
    ptrdiff_t tag;  /* the first of the tag being read */
    ptrdiff_t from; /* start of the literal text not yet written as a token */
    char open[DELIMITER_BYTES_MAX], close[DELIMITER_BYTES_MAX];
    int open_n, close_n;
    struct token *tokens;
    int n_tokens;
    int stack[SECTION_DEPTH_MAX], depth;
};

static int lines_in(struct str s)
{
    int n = 0;
    for (ptrdiff_t at; (at = str_find(s, S("\n"))) >= 0; n++)
        s = str_skip(s, at + 1);
    return n;
}

static int line_of(struct str text, ptrdiff_t at)
{
    return 1 + lines_in(str_head(text, at));
}

static bool read_fails(const struct reader *r, struct err *e, const char *what,
                       struct str name)
{
    char file[200];
    snprintf(file, sizeof file, "%.*s", STRF(r->name));
    return err_set(e, ERR_INTERNAL, file, -1, "line %d: %s \"%.*s\"",
                   line_of(r->text, r->tag), what, STRF(str_head(name, 40)));
}

static struct token *push(struct reader *r, enum token_kind kind, struct str text)
{
    struct token *t = &r->tokens[r->n_tokens++];
    ptrdiff_t dot = kind == TOKEN_TEXT ? -1 : str_find(text, S("."));
    *t = (struct token){.kind = kind,
                        .at = (int)r->tag,
                        .text = text,
                        .head = (int)(dot > 0 ? dot : text.n)};
    return t;
}

static void push_text(struct reader *r, ptrdiff_t end)
{
    if (end > r->from)
        push(r, TOKEN_TEXT, (struct str){r->text.p + r->from, end - r->from});
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Whether the tag text[start, end) is alone on its line or lines; if so, *line_start is
 * where its line begins and *line_end is the start of the next line. */
static bool standalone(struct str text, ptrdiff_t start, ptrdiff_t end,
                       ptrdiff_t *line_start, ptrdiff_t *line_end)
{
    while (start > 0 && is_blank(text.p[start - 1]))
        start--;
    if (start > 0 && text.p[start - 1] != '\n')
        return false;
    while (end < text.n && is_blank(text.p[end]))
        end++;
    if (end < text.n && text.p[end] == '\r' && end + 1 < text.n &&
        text.p[end + 1] == '\n')
        end++;
    if (end < text.n && text.p[end] != '\n')
        return false;
    *line_start = start;
    *line_end = end < text.n ? end + 1 : end;
    return true;
}

static bool set_delimiters(struct reader *r, struct str inside, struct err *e)
{
    ptrdiff_t n = 0;
    while (n < inside.n && inside.p[n] != ' ' && inside.p[n] != '\t' &&
           inside.p[n] != '\n')
        n++;
    struct str open = str_head(inside, n), close = str_trim(str_skip(inside, n));
    if (open.n < 1 || close.n < 1 || open.n > DELIMITER_BYTES_MAX ||
        close.n > DELIMITER_BYTES_MAX || str_has(close, S(" ")) ||
        str_has(inside, S("=")))
        return read_fails(r, e, "not a pair of delimiters:", inside);
    memcpy(r->open, open.p, (size_t)open.n);
    memcpy(r->close, close.p, (size_t)close.n);
    r->open_n = (int)open.n;
    r->close_n = (int)close.n;
    return true;
}

static bool close_section(struct reader *r, struct str name, struct err *e)
{
    if (r->depth == 0)
        return read_fails(r, e, "no section is open to be closed by", name);
    struct token *t = &r->tokens[r->stack[--r->depth]];
    if (!str_eq(t->text, name))
        return read_fails(r, e, "the section open here is not", name);
    t->end = r->n_tokens;
    return true;
}

/* Act on a tag whose sigil is one of # ^ / > < $ ! =; the text before it is written. */
static bool structure_tag(struct reader *r, char sigil, struct str inside, int indent,
                          struct err *e)
{
    struct str name = str_trim(inside);
    if (sigil == '!')
        return true;
    if (sigil == '=')
        return set_delimiters(r, name, e);
    if (name.n == 0)
        return read_fails(r, e, "a tag without a name", name);
    if (sigil == '/')
        return close_section(r, name, e);
    if (sigil == '>') {
        push(r, TOKEN_PARTIAL, name)->indent = indent;
        return true;
    }
    if (r->depth == SECTION_DEPTH_MAX)
        return read_fails(r, e, "too many sections are open at", name);
    r->stack[r->depth++] = r->n_tokens;
    push(r,
         sigil == '#'   ? TOKEN_SECTION
         : sigil == '^' ? TOKEN_INVERTED
         : sigil == '<' ? TOKEN_PARENT
                        : TOKEN_BLOCK,
         name);
    return true;
}

static const struct template_filter *find_filter(const struct reader *r,
                                                 struct str name)
{
    for (int k = 0; k < 2; k++)
        for (const struct template_filter *f = r->filters[k]; f && f->name; f++)
            if (f->name[0] == name.p[0] && str_eq(str_of(f->name), name))
                return f;
    return NULL;
}

/* `call` is "filter" or "filter 80". */
static bool filtered_tag(struct reader *r, struct str name, struct str call,
                         struct err *e)
{
    ptrdiff_t blank = str_find(call, S(" "));
    struct str digits = blank < 0 ? S("") : str_trim(str_skip(call, blank));
    int n = 0;
    for (ptrdiff_t i = 0; i < digits.n; i++) {
        if (digits.p[i] < '0' || digits.p[i] > '9' || n > 1000)
            return read_fails(r, e, "not a number for a filter:", digits);
        n = 10 * n + (digits.p[i] - '0');
    }
    const struct template_filter *f =
        find_filter(r, blank < 0 ? call : str_head(call, blank));
    if (!f)
        return read_fails(r, e, "unknown filter", call);
    struct token *t = push(r, TOKEN_FILTERED, name);
    t->filter = f;
    t->argument = n;
    return true;
}

static bool value_tag(struct reader *r, bool raw, struct str inside, struct err *e)
{
    struct str name = str_trim(inside);
    ptrdiff_t bar = str_find(name, S("|"));
    if (bar > 0 && !raw)
        return filtered_tag(r, str_trim(str_head(name, bar)),
                            str_trim(str_skip(name, bar + 1)), e);
    if (name.n == 0)
        return read_fails(r, e, "a tag without a name", name);
    if (raw && !str_ends(name, S("_html")))
        return read_fails(
            r, e, "only a name that ends in _html may be inserted raw, not", name);
    push(r, raw ? TOKEN_RAW : TOKEN_VALUE, name);
    return true;
}

/* One tag, its opening delimiter at text[start]. */
static bool read_tag(struct reader *r, ptrdiff_t start, struct err *e)
{
    r->tag = start;
    struct str rest = str_skip(r->text, start + r->open_n);
    char sigil = rest.n ? rest.p[0] : '\0';
    char close[DELIMITER_BYTES_MAX + 1];
    int close_n = r->close_n;
    memcpy(close, r->close, (size_t)close_n);
    if (sigil == '{') { /* {{{x}}} closes with one brace more */
        memmove(close + 1, close, (size_t)close_n++);
        close[0] = '}';
    } else if (sigil == '=') {
        memmove(close + 1, close, (size_t)close_n++);
        close[0] = '=';
    }
    bool has_sigil = sigil && strchr("{&#^/><$!=", sigil);
    struct str body = str_skip(rest, has_sigil);
    ptrdiff_t n = str_find(body, (struct str){close, close_n});
    if (n < 0)
        return read_fails(r, e, "a tag is not closed:", str_head(rest, 20));
    struct str inside = {body.p, n};
    ptrdiff_t end = (body.p - r->text.p) + n + close_n;
    ptrdiff_t line_start = start, line_end = end;
    int indent = 0;
    bool ok;
    if (!has_sigil || sigil == '{' || sigil == '&') {
        push_text(r, start);
        ok = value_tag(r, has_sigil, inside, e);
    } else {
        if (standalone(r->text, start, end, &line_start, &line_end) && sigil == '>')
            indent = (int)(start - line_start);
        push_text(r, line_start);
        ok = structure_tag(r, sigil, inside, indent, e);
    }
    r->at = r->from = line_end;
    return ok;
}

/* Sizes the token array: a tag makes at most two tokens, and has two bytes at least if
 * it may begin with others than "{{". */
static int tokens_bound(struct str text)
{
    if (str_has(text, S("{{=")))
        return (int)text.n + 1;
    int tags = 0;
    for (ptrdiff_t at; (at = str_find(text, S("{{"))) >= 0; tags++)
        text = str_skip(text, at + 2);
    return 2 * tags + 2;
}

static bool read_tokens(struct reader *r, struct err *e)
{
    for (;;) {
        struct str rest = str_skip(r->text, r->at);
        ptrdiff_t n = str_find(rest, (struct str){r->open, r->open_n});
        if (n < 0)
            break;
        if (!read_tag(r, r->at + n, e))
            return false;
    }
    push_text(r, r->text.n);
    if (r->depth > 0) {
        const struct token *t = &r->tokens[r->stack[r->depth - 1]];
        r->tag = t->at;
        return read_fails(r, e, "this section is never closed:", t->text);
    }
    return true;
}

/* `indent` before each line of the text, as if the partial had been typed there. */
static struct str indented(struct arena *a, struct str text, struct str indent)
{
    if (indent.n == 0)
        return text;
    char *p = arena_take_raw(a, 1, 1, text.n + indent.n * (lines_in(text) + 1));
    ptrdiff_t n = 0;
    for (ptrdiff_t i = 0; i < text.n; i++) {
        if (i == 0 || text.p[i - 1] == '\n') {
            memcpy(p + n, indent.p, (size_t)indent.n);
            n += indent.n;
        }
        p[n++] = text.p[i];
    }
    return (struct str){p, n};
}

static struct template *read_template(struct template_set *set, struct str name,
                                      struct str text, struct str indent, struct err *e)
{
    struct arena *a = set->perm;
    struct reader r = {
        .name = name, .filters = set->filters, .open = "{{", .close = "}}"};
    r.open_n = r.close_n = 2;
    r.text = indented(a, text, indent);
    r.tokens = arena_take_raw(a, sizeof *r.tokens, _Alignof(struct token),
                              tokens_bound(r.text));
    if (!read_tokens(&r, e))
        return NULL;
    a->at = (char *)(r.tokens + r.n_tokens); /* what is not used goes back */
    for (int i = 0; set->vendor.n && i < r.n_tokens; i++)
        if (r.tokens[i].kind == TOKEN_TEXT)
            r.tokens[i].text = device_word_put(a, r.tokens[i].text, set->vendor, 0, 0);
    struct template *t = arena_new(a, struct template, 1);
    *t = (struct template){set->first, str_copy(a, name), str_copy(a, indent),
                           r.text,     r.tokens,          r.n_tokens};
    set->first = t;
    return t;
}

struct run {
    struct out *o;
    struct template_set *set;
    struct err *e;
    struct seen stack[CONTEXT_DEPTH_MAX];
    const cJSON *last[CONTEXT_DEPTH_MAX]; /* their members found last, or NULL */
    uint64_t
        has[CONTEXT_DEPTH_MAX];    /* bits of the names of its members; 0: not asked */
    bool lends[CONTEXT_DEPTH_MAX]; /* structs are lent to this node */
    int number[CONTEXT_DEPTH_MAX]; /* of items of a list, from 1 */
    cJSON place;                   /* what @number or @first was last */
    int depth, partials;
    const struct child *child; /* the innermost; NULL: no parent is open */
};

/* Whose blocks replace those of the parent that is being run. */
struct child {
    const struct template *t;
    int at; /* the parent's token, its blocks behind it */
    const struct child *outer;
};

static struct template *find_template(struct template_set *set, struct str name,
                                      struct str indent, struct err *e)
{
    for (struct template *t = set->first; t; t = t->next)
        if (str_eq(t->name, name) && str_eq(t->indent, indent))
            return t;
    struct str text = set->find(set->self, name);
    if (!text.p) {
        char file[200];
        snprintf(file, sizeof file, "%.*s", STRF(name));
        err_set(e, ERR_INTERNAL, file, -1, "there is no template of this name");
        return NULL;
    }
    return read_template(set, name, text, indent, e);
}

/* One of 63 bits for how a name begins. */
static uint64_t bit_of(const char *name, ptrdiff_t n)
{
    unsigned a = (unsigned char)name[0], b = n > 1 ? (unsigned char)name[1] : 0,
             c = n > 2 ? (unsigned char)name[2] : 0;
    return (uint64_t)2 << (a + 7 * b + 13 * c) % 63;
}

static uint64_t bits_of_members(const cJSON *object)
{
    uint64_t bits = 1;
    for (const cJSON *item = object->child; item; item = item->next)
        if (item->string)
            bits |= bit_of(item->string, (ptrdiff_t)strnlen(item->string, 3));
    return bits;
}

/* Templates name members about in the order that they are in: the search begins at the
 * one found last. Where one name was missed others will be, of what is further out. */
static const cJSON *node_in_turn(struct run *r, int i, struct str key)
{
    const cJSON *in = r->stack[i].node, *last = r->last[i], *found;
    if (r->has[i] && !(r->has[i] & bit_of(key.p, key.n)))
        return NULL;
    found = seen_among(last ? last : in->child, NULL, key);
    if (!found && last)
        found = seen_among(in->child, last, key);
    if (!found && !r->has[i])
        r->has[i] = bits_of_members(in);
    return found;
}

static bool member_in_turn(struct run *r, int i, struct str key, struct seen_path *path,
                           struct seen *v)
{
    const cJSON *in = r->stack[i].node;
    if (!in || (in->type & 0xff) != cJSON_Object)
        return r->stack[i].d && seen_struct_member(&r->stack[i], key, path, v);
    const cJSON *found = node_in_turn(r, i, key);
    if (!found)
        return r->lends[i] && seen_lent_member(in, key, path, v);
    r->last[i] = found;
    v->node = found;
    return true;
}

/* @number and @first: the current position in the innermost list. */
static struct seen place_in_list(struct run *r, struct str name)
{
    int i = r->depth;
    while (i-- > 0 && !r->number[i])
        ;
    int number = i < 0 ? 0 : r->number[i];
    bool first = str_eq(name, S("@first"));
    r->place = (cJSON){.type = !first        ? cJSON_Number
                               : number == 1 ? cJSON_True
                                             : cJSON_False,
                       .valuedouble = number};
    return seen_node(&r->place);
}

/* The first part of a dotted name is looked up outwards, the others only inwards. */
static struct seen look_up(struct run *r, struct token *k)
{
    if (k->text.p[0] == '@')
        return place_in_list(r, k->text);
    if (str_eq(k->text, S(".")))
        return r->stack[r->depth - 1];
    struct str head = str_head(k->text, k->head), rest = str_skip(k->text, k->head);
    struct seen v = {0};
    bool found = false;
    for (int i = r->depth; i-- > 0 && !found;)
        found = member_in_turn(r, i, head, &k->path, &v);
    while (found && rest.n) {
        rest = str_skip(rest, 1);
        ptrdiff_t dot = str_find(rest, S("."));
        head = dot < 0 ? rest : str_head(rest, dot);
        rest = str_skip(rest, head.n);
        v = seen_member(&v, head);
        found = v.node || v.d || v.f;
    }
    return v;
}

static bool run_fails(struct run *r, const struct template *t, const struct token *k,
                      const char *what)
{
    char file[200];
    snprintf(file, sizeof file, "%.*s", STRF(t->name));
    return err_set(r->e, ERR_INTERNAL, file, -1, "line %d: \"%.*s\" %s",
                   line_of(t->text, k->at), STRF(str_head(k->text, 60)), what);
}

static int number_text(char buf[64], double v)
{
    return v == floor(v) && fabs(v) < 1e15 ? fixed_text(buf, v, 0) : real_text(buf, v);
}

static bool put_value(struct run *r, const struct template *t, struct token *k)
{
    cJSON room;
    struct arena tmp = *r->set->perm;
    struct seen seen = look_up(r, k);
    const cJSON *v = seen_value(&seen, &tmp, &room);
    if (k->kind == TOKEN_FILTERED)
        return k->filter->write(r->o, tmp, v, k->argument) ||
               run_fails(r, t, k, "cannot be shown by its filter");
    if (!v || cJSON_IsNull(v))
        return true;
    if (k->kind == TOKEN_RAW) {
        if (!cJSON_IsRaw(v))
            return run_fails(r, t, k, "is not markup made by context_markup");
        out_c(r->o, v->valuestring);
        return true;
    }
    char number[64];
    struct str s;
    if (cJSON_IsString(v))
        s = str_of(v->valuestring);
    else if (cJSON_IsBool(v))
        s = str_of(cJSON_IsTrue(v) ? "true" : "false");
    else if (cJSON_IsNumber(v))
        s = (struct str){number, number_text(number, v->valuedouble)};
    else
        return run_fails(r, t, k, "is not a text, a number or a truth value");
    if (!r->set->escape(r->o, tmp, s))
        return run_fails(r, t, k, "holds text that is not allowed here");
    return true;
}

static bool run_tokens(struct run *r, const struct template *t, int from, int to);

static void enter(struct run *r, const struct seen *context, int number)
{
    r->number[r->depth] = number;
    r->last[r->depth] = NULL;
    r->has[r->depth] = 0;
    r->lends[r->depth] = seen_lends(context->node);
    r->stack[r->depth++] = *context;
}

/* `number`: from 1 in a list; 0: not an item of one. */
static bool with_context(struct run *r, const struct template *t, int i,
                         const struct seen *v, int number)
{
    const struct token *k = &t->tokens[i];
    if (r->depth == CONTEXT_DEPTH_MAX)
        return run_fails(r, t, k, "nests too deep");
    enter(r, v, number);
    bool ok = run_tokens(r, t, i + 1, k->end);
    r->depth--;
    return ok;
}

static bool run_section(struct run *r, const struct template *t, int i)
{
    struct seen v = look_up(r, &t->tokens[i]), one;
    if (seen_is_false(&v, *r->set->perm))
        return true;
    for (int k = 0, n = seen_count(&v); k < n; k++) {
        one = seen_item(&v, k);
        if (!with_context(r, t, i, &one, k + 1))
            return false;
    }
    if (seen_count(&v) >= 0)
        return true;
    if (!cJSON_IsArray(v.node))
        return with_context(r, t, i, &v, 0);
    int number = 0;
    for (const cJSON *item = v.node->child; item; item = item->next) {
        one = seen_node(item);
        if (!with_context(r, t, i, &one, ++number))
            return false;
    }
    return true;
}

static struct str indent_of(const struct template *t, const struct token *k)
{
    return (struct str){t->text.p + k->at - k->indent, k->indent};
}

/* A partial; or, being a parent, with its blocks replaced by those of token `i`. */
static bool run_partial(struct run *r, const struct template *t, int i)
{
    struct token *k = &t->tokens[i];
    if (r->partials == PARTIAL_DEPTH_MAX)
        return run_fails(r, t, k, "is included too deep: partials include each other");
    struct err missing = {0};
    const struct template *p = k->partial;
    if (!p)
        p = k->partial = find_template(r->set, k->text, indent_of(t, k), &missing);
    if (!p) {
        *r->e = r->e->kind ? *r->e : missing;
        return err_doing(r->e, "included by %.*s, line %d", STRF(str_head(t->name, 50)),
                         line_of(t->text, k->at));
    }
    const struct child *outer = r->child, own = {t, i, outer};
    if (k->kind == TOKEN_PARENT)
        r->child = &own;
    r->partials++;
    bool ok = run_tokens(r, p, 0, p->n_tokens);
    r->partials--;
    r->child = outer;
    return ok;
}

/* The block of this name directly inside token `i`; -1: none. */
static int block_inside(const struct template *t, int i, struct str name)
{
    for (int k = i + 1; k < t->tokens[i].end;) {
        const struct token *inside = &t->tokens[k];
        if (inside->kind == TOKEN_BLOCK && str_eq(inside->text, name))
            return k;
        k = inside->end ? inside->end : k + 1;
    }
    return -1;
}

/* The child's block, the outermost child's first, or else the default here. A child's
 * block runs in the scope where it was written, so that blocks of a table in it are not
 * mistaken for the page's. */
static bool run_block(struct run *r, const struct template *t, int i)
{
    const struct child *innermost = r->child, *found = NULL;
    int at = -1;
    for (const struct child *c = innermost; c; c = c->outer) {
        int k = block_inside(c->t, c->at, t->tokens[i].text);
        found = k < 0 ? found : c;
        at = k < 0 ? at : k;
    }
    if (!found)
        return run_tokens(r, t, i + 1, t->tokens[i].end);
    r->child = found->outer;
    bool ok = run_tokens(r, found->t, at + 1, found->t->tokens[at].end);
    r->child = innermost;
    return ok;
}

static bool is_false(struct run *r, struct token *k)
{
    struct seen v = look_up(r, k);
    return seen_is_false(&v, *r->set->perm);
}

/* Depth is bounded by SECTION_DEPTH_MAX times PARTIAL_DEPTH_MAX. */
static bool run_tokens(struct run *r, const struct template *t, int from, int to)
{
    for (int i = from; i < to; i++) {
        struct token *k = &t->tokens[i];
        bool ok = true;
        switch (k->kind) {
        case TOKEN_TEXT:
            out_str(r->o, k->text);
            break;
        case TOKEN_VALUE:
        case TOKEN_FILTERED:
        case TOKEN_RAW:
            ok = put_value(r, t, k);
            break;
        case TOKEN_SECTION:
            ok = run_section(r, t, i);
            i = k->end - 1;
            break;
        case TOKEN_INVERTED:
            ok = !is_false(r, k) || run_tokens(r, t, i + 1, k->end);
            i = k->end - 1;
            break;
        case TOKEN_PARTIAL:
            ok = run_partial(r, t, i);
            break;
        case TOKEN_PARENT:
            ok = run_partial(r, t, i);
            i = k->end - 1;
            break;
        case TOKEN_BLOCK:
            ok = run_block(r, t, i);
            i = k->end - 1;
            break;
        }
        if (!ok)
            return false;
    }
    return true;
}

/* Most of the stack stays unused: it is not cleared. */
static void begin(struct run *r, struct out *o, struct template_set *set,
                  const cJSON *context, struct err *e)
{
    r->o = o;
    r->set = set;
    r->e = e;
    r->child = NULL;
    r->partials = r->depth = 0;
    struct seen root = seen_node(context);
    enter(r, &root, 0);
}

bool template_render(struct out *o, struct template_set *set, struct str name,
                     const struct cJSON *context, struct err *e)
{
    struct run r;
    begin(&r, o, set, context, e);
    const struct template *t = find_template(set, name, (struct str){"", 0}, e);
    return t && run_tokens(&r, t, 0, t->n_tokens);
}

bool template_render_block(struct out *o, struct template_set *set, struct str name,
                           struct str block, const struct cJSON *context, struct err *e)
{
    struct run r;
    begin(&r, o, set, context, e);
    const struct template *t = find_template(set, name, (struct str){"", 0}, e);
    for (int i = 0; t && i < t->n_tokens; i++) {
        int k = t->tokens[i].kind == TOKEN_PARENT ? block_inside(t, i, block) : -1;
        if (k >= 0)
            return run_tokens(&r, t, k + 1, t->tokens[k].end);
    }
    return t != NULL;
}
