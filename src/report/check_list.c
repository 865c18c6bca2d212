#include "report/check_list.h"

#include "analysis/model/device_word.h"
#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "base/abilities.h"
#include "ops/op_tables.h"

static struct str first_of(const char *own, const char *of_table)
{
    return str_of(own ? own : of_table);
}

/* What reads counters of the device; both profilers where nobody knows whose it is. */
static struct str counters_by(const struct check_list *l,
                              const struct source_abilities *how)
{
    const struct report_meta *m = &l->r->meta;
    bool amd = name_is_of_amd(m->device_name) || name_is_of_amd(m->platform),
         nvidia = name_has(m->device_name, "nvidia|tesla|geforce");
    if (!how->counters_of_amd.n || nvidia)
        return how->counters;
    return amd ? how->counters_of_amd
               : say(l->perm, "{}, on AMD GPUs with {}", said(how->counters),
                     said(how->counters_of_amd));
}

/* What is to be recorded, with the profiler that made the trace. */
static struct str with_how(const struct check_list *l, struct str text)
{
    const struct source_abilities *how = abilities_of(l->r->meta.how);
    if (!how->has_shapes && str_has(text, S("{shapes}")))
        return S(""); /* this profiler cannot */
    if ((!how->memory.n && str_has(text, S("{memory}"))) ||
        (!how->sizes.n && str_has(text, S("{sizes}"))) ||
        (!how->counters.n && str_has(text, S("{counters}"))))
        return S("");
    text = str_replaced(l->perm, text, S("{shapes}"), how->shapes);
    text = str_replaced(l->perm, text, S("{memory}"), how->memory);
    text = str_replaced(l->perm, text, S("{sizes}"), how->sizes);
    text = str_replaced(l->perm, text, S("{counters}"), counters_by(l, how));
    text = str_replaced(l->perm, text, S("{host}"), how->host);
    text = str_replaced(l->perm, text, S("{steps}"), how->steps);
    return str_replaced(l->perm, text, S("{stacks}"), how->stacks);
}

static struct str device_said(const struct check_list *l, struct str text)
{
    return l->s ? device_word_put(l->perm, text, l->s->t->facts.kind.vendor, 0, 0)
                : text;
}

/* There is something to check without device work, too. */
static bool is_of_host(const struct check *c)
{
    return str_among(str_of(c->id), "input-complete host-operations durations nesting "
                                    "names stacks steps analyses");
}

void check_all(struct check_list *l, const struct check *checks, int n)
{
    bool host_alone = !l->r->meta.has_gpu;
    for (const struct check *c = checks; c < checks + n; c++) {
        if (host_alone && !is_of_host(c))
            continue;
        struct measured m = c->measure(l);
        if (!m.value.n || l->r->n_checks == l->cap)
            continue;
        bool bad = m.result == CHECK_WARNING || m.result == CHECK_FAILED;
        l->r->checks[l->r->n_checks++] = (struct report_check){
            .id = str_of(c->id),
            .name = device_said(l, str_of(c->name)),
            .title = device_said(l, str_of(bad ? c->otherwise : c->name)),
            .value = device_said(l, m.value),
            .limit = first_of(m.limit, c->limit),
            .affects = device_said(l, first_of(m.affects, c->affects)),
            .what_to_do = m.result == CHECK_PASSED
                              ? S("")
                              : with_how(l, first_of(m.what_to_do, c->what_to_do)),
            .result = m.result,
        };
    }
}

const struct report_check *report_check_find(const struct report *r, const char *id)
{
    for (int k = 0; k < r->n_checks; k++)
        if (str_eq(r->checks[k].id, str_of(id)))
            return &r->checks[k];
    return NULL;
}
