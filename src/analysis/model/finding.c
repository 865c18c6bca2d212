#include "analysis/model/finding.h"

#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "base/arena.h"
#include "base/out.h"

#include <assert.h>
#include <math.h>

static const struct {
    struct str name, display;
} categories[WORK_CATEGORIES] = {
#define X(id, name, display) {S_INIT(name), S_INIT(display)},
    WORK_CATEGORIES_LIST(X)
#undef X
};

struct str work_category_name(enum work_category c)
{
    assert(c < WORK_CATEGORIES);
    return categories[c].name;
}

struct str work_category_display(enum work_category c)
{
    assert(c < WORK_CATEGORIES);
    return categories[c].display;
}

double bottleneck_ms(enum work_category c)
{
    switch (c) {
    case WORK_GEMM:
    case WORK_CONVOLUTION:
        return 50;
    case WORK_SDPA_FWD:
    case WORK_SDPA_BWD:
    case WORK_MOE_FUSED:
    case WORK_OTHER:
        return 100;
    default:
        return 10;
    }
}

int32_t work_row_shapes(const struct work_row *r)
{
    return r->group->n_folded ? r->group->n_folded : 1;
}

int32_t finding_shapes(const struct finding *f)
{
    int32_t n = 0;
    for (int k = 0; k < f->n_rows; k++)
        n += work_row_shapes(f->rows[k]);
    return n;
}

struct str finding_kind_word(enum finding_kind k)
{
    static const struct str words[] = {[FIND_BOTTLENECK] = S_INIT("bottleneck"),
                                       [FIND_PATTERN] = S_INIT("pattern"),
                                       [FIND_UNMODELLED] = S_INIT("unmodelled"),
                                       [FIND_SYSTEM] = S_INIT("system"),
                                       [FIND_FUSION] = S_INIT("fusion")};
    return words[k];
}

struct str priority_word(enum priority p)
{
    static const struct str words[] = {[PRIORITY_LOW] = S_INIT("low"),
                                       [PRIORITY_MEDIUM] = S_INIT("medium"),
                                       [PRIORITY_HIGH] = S_INIT("high"),
                                       [PRIORITY_CRITICAL] = S_INIT("critical")};
    return words[p];
}

struct str confidence_word(enum confidence c)
{
    static const struct str words[] = {[CONFIDENCE_LOW] = S_INIT("low"),
                                       [CONFIDENCE_MEDIUM] = S_INIT("medium"),
                                       [CONFIDENCE_HIGH] = S_INIT("high")};
    return words[c];
}

struct str bound_word(enum roofline_bound b)
{
    static const struct str words[] = {[BOUND_NONE] = S_INIT(""),
                                       [BOUND_COMPUTE] = S_INIT("compute"),
                                       [BOUND_MEMORY] = S_INIT("memory")};
    return words[b];
}

struct finding *analysis_add_finding(struct arena *perm, struct analysis *a)
{
    arena_grow(perm, a->findings, a->n_findings);
    struct finding *f = &a->findings[a->n_findings++];
    const struct impact_range none = {(double)NAN, (double)NAN, (double)NAN,
                                      (double)NAN, S_INIT("")};
    *f = (struct finding){.time_ms = (double)NAN,
                          .compute_pct = (double)NAN,
                          .total_pct = (double)NAN,
                          .category_pct = (double)NAN,
                          .efficiency_pct = (double)NAN,
                          .impact = none,
                          .impact_kernel = none,
                          .part_low = (double)NAN,
                          .part_high = (double)NAN,
                          .until = -1,
                          .impact_then = none};
    return f;
}

void analysis_warn(struct arena *perm, struct analysis *a, struct warning w)
{
    arena_grow(perm, a->warnings, a->n_warnings);
    a->warnings[a->n_warnings++] = w;
}

static void put_plain(struct out *o, struct str s, bool small)
{
    for (ptrdiff_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool capital = c >= 'A' && c <= 'Z';
        bool plain = capital || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                     c == '_' || c == '-';
        out_char(o, !plain ? '_' : capital && small ? (char)(c + 'a' - 'A') : c);
    }
}

struct str finding_id(struct arena *a, const struct finding *f)
{
    bool compute = f->tier == TIER_COMPUTE;
    struct str op =
        compute ? str_head(name_without_launcher(f->op), 120) : str_head(f->op, 60);
    struct str bound = f->bound == BOUND_NONE ? S("unknown") : bound_word(f->bound);
    struct out o;
    out_memory(&o);
    out_str(&o, work_category_name(f->category));
    out_char(&o, '.');
    put_plain(&o, f->pattern, !compute);
    out_char(&o, '.');
    put_plain(&o, op, !compute);
    out_char(&o, '.');
    out_str(&o, compute ? bound : S("none"));
    return out_text(&o, a);
}

void finding_remove(struct analysis *a, int at)
{
    for (int k = at; k + 1 < a->n_findings; k++)
        a->findings[k] = a->findings[k + 1];
    a->n_findings--;
    for (int c = 0; c < WORK_CATEGORIES; c++)
        for (int32_t i = 0; i < a->categories[c].n_rows; i++)
            a->categories[c].rows[i].claimed_by -=
                a->categories[c].rows[i].claimed_by > at;
}

void finding_evidence_of(struct arena *perm, struct finding *f, enum evidence_kind kind,
                         struct str sentence)
{
    if (sentence.n == 0)
        return;
    arena_grow(perm, f->evidence, f->n_evidence);
    f->evidence[f->n_evidence++] = (struct evidence){sentence, kind};
}

void finding_evidence(struct arena *perm, struct finding *f, struct str sentence)
{
    finding_evidence_of(perm, f, EVIDENCE_FACT, sentence);
}

double impact_worth_pct(const struct impact_range *x)
{
    const double FAR = 4;
    double mid = (x->low_pct + x->high_pct) / 2;
    return fmin(mid, fmax(FAR * x->low_pct, mid / FAR));
}

struct impact_range impact_of_ms(const struct analysis *a, double low_ms,
                                 double high_ms, struct str basis)
{
    double per_ms = a->total_ms > 0 ? 100 / a->total_ms : 0;
    return (struct impact_range){low_ms * per_ms, high_ms * per_ms, low_ms, high_ms,
                                 basis};
}
