#include "report/compare/compare_setup.h"

#include "compare/parity.h"
#include "report/compare/compare_side.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAIRS_MOST = 64, /* rows of a match that are tried against each other */
    RANK_MOST = 5,   /* one more than is named, so that more are not taken for these */
    NAME_BYTES = 75
};

static bool replays(const struct capture *c)
{
    for (int32_t k = 0; k < c->n_rows; k++)
        if (c->rows[k].replayed)
            return true;
    return false;
}

static const char *type_word(struct str types)
{
    static const struct {
        struct str has;
        const char *word;
    } words[] = {{S_INIT("Float8"), "fp8"}, {S_INIT("BFloat16"), "bf16"},
                 {S_INIT("Half"), "fp16"},  {S_INIT("double"), "fp64"},
                 {S_INIT("float"), "fp32"}, {S_INIT("signed char"), "int8"}};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (str_has(types, words[k].has))
            return words[k].word;
    return NULL;
}

/* The match of a level with most time. */
static const struct compared_row *longest_of(const struct comparison *c,
                                             enum match_level level)
{
    const struct compared_row *most = NULL;
    for (int32_t k = 0; k < c->n_rows; k++)
        if (c->rows[k].match->level == level && c->rows[k].of[0] && c->rows[k].of[1] &&
            (!most || c->rows[k].match->ns[0] > most->match->ns[0]))
            most = &c->rows[k];
    return most;
}

static bool has_half(const struct comparison *c, enum match_level level)
{
    return 2 * c->level_ns[level][0] >= c->device_ns[0] &&
           2 * c->level_ns[level][1] >= c->device_ns[1];
}

/* What each side computes most in, where the two differ. */
static bool have_other_types(const struct comparison *c, const char *word[2])
{
    const struct compared_row *row = longest_of(c, MATCH_DIMS);
    if (!row || !has_half(c, MATCH_DIMS))
        return false;
    for (int side = 0; side < 2; side++)
        word[side] = type_word(row->of[side]->types);
    return word[0] && word[1] && word[0] != word[1];
}

/* Bits of a type, the last that its word has. */
static int bits_of(const char *word)
{
    size_t n = strlen(word), from = n;
    while (from > 0 && word[from - 1] >= '0' && word[from - 1] <= '9')
        from--;
    return atoi(word + from);
}

const char *compare_narrower_type(const struct comparison *c)
{
    const char *word[2];
    return have_other_types(c, word) && bits_of(word[1]) > bits_of(word[0]) ? word[0]
                                                                            : NULL;
}

static struct str other_types(struct arena *perm, const struct comparison *c)
{
    const char *word[2];
    return have_other_types(c, word)
               ? str_printf(perm, "%.*s computes in %s, %.*s in %s",
                            STRF(compare_side(perm, c, 1)), word[1],
                            STRF(compare_side(perm, c, 0)), word[0])
               : S("");
}

/* The next whole number of a text; false: there is none. */
static bool next_number(struct str *rest, int64_t *value)
{
    while (rest->n && (rest->p[0] < '0' || rest->p[0] > '9'))
        *rest = str_skip(*rest, 1);
    ptrdiff_t n = 0;
    while (n < rest->n && rest->p[n] >= '0' && rest->p[n] <= '9')
        n++;
    struct str digits = str_head(*rest, n);
    *rest = str_skip(*rest, n);
    return n > 0 && str_int(digits, value);
}

/* The sizes of the first argument: "((2, 16), ())" has 2 and 16. Returns how many. */
static int first_sizes(struct str dims, int64_t at[RANK_MOST])
{
    int n = 0;
    struct str rest = str_head(dims, str_find(dims, S(")")) + 1);
    while (n < RANK_MOST && next_number(&rest, &at[n]))
        n++;
    return n;
}

/* What the sizes of an operation's first argument are, where its definition says so;
 * three sizes are those of a sequence model, batch and length in either order. */
static const struct size_names {
    struct str op;
    int rank;
    struct str names[RANK_MOST];
} SIZES[] = {
    {S_INIT("softmax"),
     4,
     {S_INIT("batch size"), S_INIT("number of heads"), S_INIT("length")}},
    {S_INIT("scaled_dot_product"),
     4,
     {S_INIT("batch size"), S_INIT("number of heads"), S_INIT("length"),
      S_INIT("head width")}},
    {S_INIT("conv"),
     4,
     {S_INIT("batch size"), S_INIT("number of channels"), S_INIT("image height"),
      S_INIT("image width")}},
    {S_INIT("norm"),
     3,
     {S_INIT("first size (batch or length)"), S_INIT("second size (length or batch)"),
      S_INIT("width")}},
    {S_INIT(""), 3, {S_INIT("first size"), S_INIT("second size"), S_INIT("last size")}},
    {S_INIT(""), 2, {S_INIT("number of rows"), S_INIT("number of columns")}},
};

/* "a batch size of 4 against 2, a length of 512 against 1024"; empty: the same, or not
 * of this kind. */
static struct str sizes_against(struct arena *perm, const struct size_names *of,
                                struct str name, struct str dims[2])
{
    int64_t size[2][RANK_MOST];
    struct str all = S("");
    if (!str_has(name, of->op) || first_sizes(dims[0], size[0]) != of->rank ||
        first_sizes(dims[1], size[1]) != of->rank)
        return all;
    for (int i = 0; i < of->rank; i++)
        if (size[0][i] != size[1][i] && of->names[i].n)
            all = str_printf(perm, "%.*s%sa %.*s of %lld against %lld", STRF(all),
                             all.n ? ", " : "", STRF(of->names[i]),
                             (long long)size[1][i], (long long)size[0][i]);
    return all;
}

/* Of a match without shapes in common, how often two calls differ by the least. */
static struct str sizes_of_match(struct arena *perm, const struct comparison *c,
                                 const struct match *m, const struct size_names *of)
{
    struct str least = S("");
    for (int32_t k = 0; k < m->n_rows[0] && k < PAIRS_MOST; k++)
        for (int32_t i = 0; i < m->n_rows[1] && i < PAIRS_MOST; i++) {
            struct str dims[2] = {c->of[0]->rows[m->rows[0][k]].dims,
                                  c->of[1]->rows[m->rows[1][i]].dims};
            struct str said = sizes_against(perm, of, m->name[1], dims);
            if (said.n && (!least.n || said.n < least.n))
                least = said;
        }
    return least;
}

/* The sizes that differ, of the operation whose definition tells most of them. */
static struct str other_sizes(struct arena *perm, const struct comparison *c)
{
    if (!has_half(c, MATCH_NAME))
        return S("");
    for (size_t of = 0; of < sizeof SIZES / sizeof *SIZES; of++)
        for (int32_t k = 0; k < c->n_rows; k++) {
            const struct match *m = c->rows[k].match;
            if (m->level != MATCH_NAME || !m->n_rows[0] || !m->n_rows[1])
                continue;
            struct str said = sizes_of_match(perm, c, m, &SIZES[of]);
            if (said.n)
                return str_printf(perm, "%.*s (`%.*s`)", STRF(said),
                                  STRF(str_head(m->name[1], NAME_BYTES)));
        }
    return S("");
}

/* 13 calls of each operation of a block in a step, where the reference has 12. What is
 * called once in a block has the fewest calls. */
static struct str other_blocks(struct arena *perm, const struct comparison *c)
{
    int64_t n[2] = {0, 0}, ns = 0, steps = c->selection.n_steps;
    for (int32_t k = 0; k < c->n_rows && steps; k++) {
        const struct match *m = c->rows[k].match;
        if (m->level > MATCH_TYPES || m->n[0] == m->n[1])
            continue;
        if (n[0] && m->n[0] * n[1] != m->n[1] * n[0])
            return S("");
        if (!n[0] || m->n[0] < n[0]) {
            n[0] = m->n[0];
            n[1] = m->n[1];
        }
        ns += m->ns[0];
    }
    if (!n[0] || !n[1] || n[0] % steps || n[1] % steps || 2 * ns < c->device_ns[0])
        return S("");
    return str_printf(perm,
                      "%.*s runs the same block %lld times a step, %.*s %lld times",
                      STRF(compare_side(perm, c, 1)), (long long)(n[1] / steps),
                      STRF(compare_side(perm, c, 0)), (long long)(n[0] / steps));
}

/* Attention as one kernel on one side alone. */
static struct str other_attention(struct arena *perm, const struct comparison *c)
{
    for (int k = 0; k < c->n_bars; k++) {
        const struct compared_bar *b = &c->bars[k];
        if (b->kind == BAR_CLASS && b->category == WORK_SDPA_FWD &&
            b->ns[0] != b->ns[1] && (!b->ns[0] || !b->ns[1]))
            return str_printf(perm,
                              "attention is one fused call in %.*s and several "
                              "kernels in %.*s",
                              STRF(compare_side(perm, c, b->ns[1] > 0)),
                              STRF(compare_side(perm, c, b->ns[1] == 0)));
    }
    return S("");
}

/* Replayed graphs on one side alone. */
static struct str other_launches(struct arena *perm, const struct comparison *c)
{
    bool graphs[2] = {replays(c->of[0]), replays(c->of[1])};
    return graphs[0] == graphs[1]
               ? S("")
               : str_printf(perm, "%.*s replays GPU graphs, %.*s launches each kernel",
                            STRF(compare_side(perm, c, graphs[1])),
                            STRF(compare_side(perm, c, !graphs[1])));
}

/* The same FLOP, half of it or more by the same operators: the rest is the same task by
 * other ones. */
static struct str other_operators(struct arena *perm, const struct comparison *c)
{
    static const double HALF = 0.5;
    if (!(c->gflop[0] > 0) || !parity_same_flop(c) || c->matched_frac[0] < HALF ||
        c->matched_frac[1] < HALF)
        return S("");
    int side = c->matched_frac[1] < c->matched_frac[0];
    return str_printf(perm,
                      "%.1f%% of the kernel time of %.*s is in other operators, at the "
                      "same FLOP",
                      100 * (1 - c->matched_frac[side]),
                      STRF(compare_side(perm, c, side)));
}

struct setup_cause compare_setup_cause(struct arena *perm, const struct comparison *c)
{
    static const struct {
        struct str (*says)(struct arena *, const struct comparison *);
        bool same_task;
    } kinds[] = {{other_launches, true},  {other_types, true},
                 {other_sizes, false},    {other_blocks, false},
                 {other_attention, true}, {other_operators, true}};
    struct setup_cause cause = {S(""), false};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !cause.says.n; k++)
        cause = (struct setup_cause){kinds[k].says(perm, c), kinds[k].same_task};
    cause.same_task = cause.same_task && cause.says.n && !parity_is_other_task(c);
    return cause;
}
