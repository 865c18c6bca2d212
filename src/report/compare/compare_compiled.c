#include "report/compare/compare_compiled.h"

#include "analysis/stack/compiled.h"
#include "capture/measured.h"
#include "report/table_fields.h"

#include <math.h>

/* What a side has of a frame, in all its versions, or of a graph. */
struct code {
    struct str kind, name;
    int32_t frame, versions; /* -1: not recorded */
    int64_t calls;
    double device_ns, host_ns, kernels, breaks, break_ns;
    bool taken;
};

struct codes {
    struct code *rows;
    int n;
};

static bool same_code(const struct code *a, const struct code *b)
{
    return str_eq(a->kind, b->kind) && a->frame == b->frame &&
           (a->frame >= 0 || str_eq(a->name, b->name));
}

static struct code *code_of(struct arena *a, struct codes *all, const struct code *like)
{
    for (int i = 0; i < all->n; i++)
        if (same_code(&all->rows[i], like))
            return &all->rows[i];
    arena_grow(a, all->rows, all->n);
    all->rows[all->n] = *like;
    return &all->rows[all->n++];
}

static struct str frame_name(struct arena *a, const struct capture_code *r)
{
    return r->frame < 0 ? r->name : str_printf(a, "%d", (int)r->frame);
}

/* A file may list more than any capture has. */
static struct codes codes_of(struct arena *a, const struct capture *c)
{
    struct codes all = {0};
    for (int32_t k = 0; k < c->n_compiled && k < COMPILED_KINDS * CAPTURE_CODE_MAX;
         k++) {
        const struct capture_code *r = &c->compiled[k];
        struct code *to = code_of(
            a, &all,
            &(struct code){.kind = r->kind, .name = r->name, .frame = r->frame});
        to->name = frame_name(a, r);
        to->versions = r->version >= to->versions ? r->version + 1 : to->versions;
        to->calls += r->calls;
        to->device_ns += (double)r->device_ns;
        to->host_ns += (double)r->host_ns;
        to->kernels += (double)r->kernels;
        to->breaks += (double)r->breaks;
        to->break_ns += (double)r->break_ns;
    }
    return all;
}

static struct code *left_of(struct codes *all, struct str kind)
{
    struct code *left = NULL;
    for (int i = 0; i < all->n; i++) {
        struct code *r = &all->rows[i];
        if (r->taken || !str_eq(r->kind, kind))
            continue;
        if (left)
            return NULL;
        left = r;
    }
    return left;
}

static struct code *other_of(struct codes *all, const struct code *of)
{
    for (int i = 0; i < all->n; i++)
        if (!all->rows[i].taken && same_code(&all->rows[i], of))
            return &all->rows[i];
    return NULL;
}

/* Either is NULL where its side has none. */
static void add_row(struct arena *a, struct compared_compiled *to, struct code *pair[2])
{
    const double none = (double)NAN;
    struct compared_code row = {.kind = pair[pair[0] ? 0 : 1]->kind};
    for (int side = 0; side < 2; side++) {
        struct code *r = pair[side];
        double n = r && r->calls > 0 ? (double)r->calls : none;
        if (r)
            r->taken = true;
        row.name[side] = r ? r->name : S("");
        row.calls[side] = r ? r->calls : 0;
        row.versions[side] = r ? r->versions : 0;
        row.device_ms[side] = r ? r->device_ns / 1e6 / n : none;
        row.host_ms[side] = r ? r->host_ns / 1e6 / n : none;
        row.kernels[side] = r ? r->kernels / n : none;
        row.breaks[side] = r ? r->breaks / n : none;
        row.break_ms[side] = r ? r->break_ns / 1e6 / n : none;
    }
    arena_grow(a, to->rows, to->n);
    to->rows[to->n++] = row;
}

static void add_kind(struct arena *a, struct codes all[2], struct str kind,
                     struct compared_compiled *to)
{
    for (int i = 0; i < all[0].n; i++) {
        struct code *other = other_of(&all[1], &all[0].rows[i]);
        if (other && str_eq(all[0].rows[i].kind, kind))
            add_row(a, to, (struct code *[2]){&all[0].rows[i], other});
    }
    struct code *left[2] = {left_of(&all[0], kind), left_of(&all[1], kind)};
    if (left[0] && left[1] && left[0]->frame < 0 && left[1]->frame < 0)
        add_row(a, to, left);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < all[side].n; i++) {
            struct code *r = &all[side].rows[i], *pair[2] = {NULL, NULL};
            pair[side] = r;
            if (!r->taken && str_eq(r->kind, kind))
                add_row(a, to, pair);
        }
}

struct compared_compiled compare_compiled(struct arena *a, const struct comparison *c)
{
    struct compared_compiled to = {0};
    struct codes all[2] = {codes_of(a, c->of[0]), codes_of(a, c->of[1])};
    for (int k = 0; k < COMPILED_KINDS && all[0].n && all[1].n; k++)
        add_kind(a, all, compiled_kind_word((enum compiled_kind)k), &to);
    return to;
}

double compared_code_pct(const struct compared_code *r)
{
    return r->device_ms[0] > 0 ? 100 * (r->device_ms[1] / r->device_ms[0] - 1)
                               : (double)NAN;
}

TELL(double, code_diff, compared_code, compared_code_pct(it));
FIELDS(compared_code, F(kind, TEXT), AS("name_ref", name[0], NAME),
       AS("name_tgt", name[1], NAME), AS("calls_ref", calls[0], COUNT),
       AS("calls_tgt", calls[1], COUNT), AS("device_ref_ms", device_ms[0], EXACT),
       AS("device_tgt_ms", device_ms[1], EXACT),
       CALL_AS("diff_pct_of_reference", EXACT, code_diff),
       AS("host_ref_ms", host_ms[0], EXACT), AS("host_tgt_ms", host_ms[1], EXACT),
       AS("kernels_ref", kernels[0], EXACT), AS("kernels_tgt", kernels[1], EXACT),
       AS("breaks_ref", breaks[0], EXACT), AS("breaks_tgt", breaks[1], EXACT),
       AS("break_ref_ms", break_ms[0], EXACT), AS("break_tgt_ms", break_ms[1], EXACT),
       AS("versions_ref", versions[0], SOME), AS("versions_tgt", versions[1], SOME));
COLUMNS(code_columns, compared_code,
        COL(F(kind, TEXT), "A compiled frame, its backward pass, or a graph"),
        COL(AS("reference", name[0], NAME), "Number of the frame, or key of the graph"),
        COL(AS("candidate", name[1], NAME), "The one that it is compared with"),
        COL_IN(COUNT, AS("calls_reference", calls[0], COUNT), "In the recording"),
        COL_IN(COUNT, AS("calls_candidate", calls[1], COUNT), "In the recording"),
        COL_IN(MS, AS("device_ms_reference", device_ms[0], MS),
               "Device time of what a call launches"),
        COL_IN(MS, AS("device_ms_candidate", device_ms[1], MS),
               "Device time of what a call launches"),
        COL_IN(PERCENT, CALL_AS("diff_pct_of_reference", EXACT, code_diff),
               "Candidate minus reference, of the reference"),
        COL_IN(MS, AS("host_ms_reference", host_ms[0], MS), "Of a call"),
        COL_IN(MS, AS("host_ms_candidate", host_ms[1], MS), "Of a call"),
        COL_IN(COUNT, AS("kernels_reference", kernels[0], EXACT), "Of a call"),
        COL_IN(COUNT, AS("kernels_candidate", kernels[1], EXACT), "Of a call"),
        COL_IN(COUNT, AS("breaks_reference", breaks[0], EXACT), "Before a call"),
        COL_IN(COUNT, AS("breaks_candidate", breaks[1], EXACT), "Before a call"),
        COL_IN(MS, AS("break_ms_reference", break_ms[0], MS),
               "Host time between compiled calls, before one of these"),
        COL_IN(MS, AS("break_ms_candidate", break_ms[1], MS),
               "Host time between compiled calls, before one of these"),
        COL_IN(COUNT, AS("versions_reference", versions[0], SOME),
               "Of a frame: so often it was compiled"),
        COL_IN(COUNT, AS("versions_candidate", versions[1], SOME),
               "Of a frame: so often it was compiled"));

struct report_table compare_compiled_table(struct arena *perm,
                                           const struct comparison *c)
{
    struct compared_compiled all = compare_compiled(perm, c);
    return table_told(perm, "compare_compiled", "Compiled code of both sides",
                      code_columns(), TABLE_ITEMS(all.rows, all.n), c);
}
