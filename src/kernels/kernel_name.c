#include "kernels/kernel_name.h"

#include "base/name_memo.h"
#include "base/str_pairs.h"
#include "base/told_kernels.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

/* One of the texts that a rule names: "one&other|third" is the first two, or the third.
 */
struct part {
    struct str text;
    bool begins; /* the name begins with it */
    char then;   /* what follows it there: '&', '|', or 0 */
};

struct parts {
    const char *all;
    const struct part *split; /* by split_rules */
};

static struct label_rule {
    enum kernel_label label;
    int weight;
    struct parts parts;
} labels[] = {
#define LABEL(id, weight, parts) {KERNEL_##id, weight, {parts, NULL}},
#include "kernels/kernel_names.def"
};

static struct library_rule {
    struct str word, on_amd;
    enum kernel_family family;
    struct parts parts;
} libraries[] = {
#define LIBRARY(word, on_amd, family, parts)                                           \
    {S_INIT(word), S_INIT(on_amd), FAMILY_##family, {parts, NULL}},
#include "kernels/kernel_names.def"
    {S_INIT("Triton"), S_INIT(""), FAMILY_NONE, {"^kernel_unified_attention", NULL}},
};

struct number_rule {
    int number;
    struct parts parts;
};

static struct number_rule precisions[] = {
#define PRECISION(id, parts) {PRECISION_##id, {parts, NULL}},
#include "kernels/kernel_names.def"
};

static struct number_rule generations[] = {
#define GENERATION(number, parts) {number, {parts, NULL}},
#include "kernels/kernel_names.def"
};

static struct number_rule marks[] = {
#define MARK(id, parts) {MARK_##id, {parts, NULL}},
#include "kernels/kernel_names.def"
};

#define COUNT(a) (sizeof(a) / sizeof *(a))
enum { PARTS_MAX = 2048 };

static bool begins(struct str name, struct str part)
{
    return str_eq_nocase(str_head(name, part.n), part);
}

static struct part all_parts[PARTS_MAX];
static int n_parts;

static void split(struct parts *p)
{
    const char *text = p->all;
    p->split = &all_parts[n_parts];
    for (char then = '|'; then; text++) {
        const char *end = text + strcspn(text, "&|");
        bool begins = *text == '^';
        assert(n_parts < PARTS_MAX);
        then = *end;
        all_parts[n_parts++] =
            (struct part){{text + begins, end - text - begins}, begins, then};
        text = end;
    }
}

static void split_rules(void)
{
    for (size_t i = 0; i < COUNT(labels); i++)
        split(&labels[i].parts);
    for (size_t i = 0; i < COUNT(libraries); i++)
        split(&libraries[i].parts);
    for (size_t i = 0; i < COUNT(precisions); i++)
        split(&precisions[i].parts);
    for (size_t i = 0; i < COUNT(generations); i++)
        split(&generations[i].parts);
    for (size_t i = 0; i < COUNT(marks); i++)
        split(&marks[i].parts);
}

/* Each distinct name is asked for all parts of all rules. */
static void rules_ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, split_rules);
}

static bool has_part(const struct str_pairs *name, struct parts parts)
{
    bool each = true;
    for (const struct part *p = parts.split;; p++) {
        each = each &&
               (p->begins ? begins(name->text, p->text) : str_pairs_has(name, p->text));
        if (p->then != '&' && each)
            return true;
        if (!p->then)
            return false;
        each = each || p->then == '|';
    }
}

static int first_number(const struct str_pairs *name, const struct number_rule *rules,
                        size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (has_part(name, rules[i].parts))
            return rules[i].number;
    return 0;
}

/* Launch parameters and template arguments say less than the text before them; yet
 * "vectorized_elementwise_kernel<4, CUDAFunctor_add..." must not be misread. */
static enum kernel_label find_label(const struct str_pairs *name)
{
    enum kernel_label best = KERNEL_UNKNOWN;
    int weight = 0;
    for (size_t i = 0; i < COUNT(labels); i++)
        if (labels[i].weight > weight && has_part(name, labels[i].parts)) {
            best = labels[i].label;
            weight = labels[i].weight;
        }
    return best;
}

static int find_library(const struct str_pairs *name)
{
    int i = 0;
    while (i < (int)COUNT(libraries) && !has_part(name, libraries[i].parts))
        i++;
    bool mangled = str_starts(name->text, S("_Z"));
    bool python =
        str_starts(name->text, S("_")) && !mangled && !str_has(name->text, S("("));
    return i == (int)COUNT(libraries) && python ? i - 1 : i;
}

int kernel_number_behind(struct str name, struct str word)
{
    ptrdiff_t at = str_find(name, word);
    int v = 0;
    if (at < 0)
        return 0;
    for (ptrdiff_t i = at + word.n; i < name.n && i < at + word.n + 4; i++) {
        if (name.p[i] < '0' || name.p[i] > '9')
            break;
        v = 10 * v + (name.p[i] - '0');
    }
    return v;
}

static int find_generation(const struct str_pairs *name)
{
    int v = kernel_number_behind(name->text, S("cutlass_"));
    if (v == 0)
        v = kernel_number_behind(name->text, S("sm"));
    if (v == 0)
        v = first_number(name, generations, COUNT(generations));
    return v >= 50 && v < 200 ? v : 0;
}

bool kernel_name_is_compiled(const struct str_pairs *name)
{
    size_t i = 0;
    rules_ready();
    while (marks[i].number != MARK_COMPILED)
        i++;
    return has_part(name, marks[i].parts);
}

static unsigned find_marks(const struct str_pairs *name)
{
    unsigned set = 0;
    for (size_t i = 0; i < COUNT(marks); i++)
        if (has_part(name, marks[i].parts))
            set |= (unsigned)marks[i].number;
    if (set & MARK_GENERATED)
        set &= ~(unsigned)MARK_COMMUNICATES;
    struct str told = told_kernel(name->text);
    if (told.n)
        set &= ~(unsigned)MARK_COMMUNICATES;
    if (told.n && !str_eq(told, S("none")))
        set |= MARK_COMMUNICATES;
    return set;
}

static uint64_t examine(struct str name)
{
    rules_ready();
    struct str_pairs pairs = str_pairs_of(name);
    uint64_t set = find_marks(&pairs);
    enum kernel_label label =
        set & MARK_COMMUNICATES ? KERNEL_COMMUNICATION : find_label(&pairs);
    return label | (uint64_t)first_number(&pairs, precisions, COUNT(precisions)) << 8 |
           (uint64_t)find_generation(&pairs) << 16 |
           (uint64_t)find_library(&pairs) << 24 | set << 32;
}

struct kernel_name kernel_name_of(struct str name)
{
    static struct name_memo memo;
    uint64_t says = name_memo_ask(&memo, name, examine);
    return (struct kernel_name){(uint8_t)says, (uint8_t)(says >> 8),
                                (uint8_t)(says >> 16), (uint8_t)(says >> 24),
                                (uint16_t)(says >> 32)};
}

struct str kernel_label_word(enum kernel_label l)
{
    static const struct str words[KERNEL_LABELS] = {
#define X(id, word) S_INIT(word),
        KERNEL_LABELS_LIST(X)
#undef X
    };
    assert(l < KERNEL_LABELS);
    return words[l];
}

struct str kernel_precision_word(enum kernel_precision p)
{
    static const struct str words[PRECISIONS] = {
#define X(id, word) S_INIT(word),
        KERNEL_PRECISIONS_LIST(X)
#undef X
    };
    assert(p < PRECISIONS);
    return words[p];
}

bool kernel_label_is_matrix(enum kernel_label l)
{
    return l == KERNEL_GEMM || l == KERNEL_MOE_GEMM;
}

bool kernel_label_is_light(enum kernel_label l)
{
    return l == KERNEL_ELEMENTWISE || l == KERNEL_TRANSPOSE ||
           l == KERNEL_TRITON_POINTWISE || kernel_label_is_copy(l);
}

bool kernel_label_is_copy(enum kernel_label l)
{
    return l == KERNEL_MEMCPY || l == KERNEL_MEMSET;
}

struct str kernel_library(struct str name, bool amd)
{
    unsigned i = kernel_name_of(name).library;
    if (i >= COUNT(libraries))
        return S("");
    return amd && libraries[i].on_amd.n ? libraries[i].on_amd : libraries[i].word;
}

enum kernel_family kernel_family_of(struct str name)
{
    unsigned i = kernel_name_of(name).library;
    return i < COUNT(libraries) ? libraries[i].family : FAMILY_NONE;
}

struct str kernel_family_word(enum kernel_family f)
{
    static const struct str words[] = {
#define X(id, word) S_INIT(word),
        KERNEL_FAMILIES_LIST(X)
#undef X
    };
    return words[f];
}
