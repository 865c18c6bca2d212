#include "trace/kineto_collective.h"

#include "base/out.h"
#include "base/python_text.h"
#include "base/value.h"

#define TEXT(key, member)                                                              \
    {                                                                                  \
        key, true, offsetof(struct collective, member)                                 \
    }
#define NUMBER(key, member)                                                            \
    {                                                                                  \
        key, false, offsetof(struct collective, member)                                \
    }
const struct kineto_collective_term kineto_collective_terms[KINETO_COLLECTIVE_TERMS] = {
    TEXT("Collective name", name),
    NUMBER("In msg nelems", in_elements),
    NUMBER("Out msg nelems", out_elements),
    TEXT("dtype", dtype),
    TEXT("In split size", in_split),
    TEXT("Out split size", out_split),
    TEXT("Process Group Name", group_name),
    TEXT("Process Group Description", group_description),
    TEXT("Process Group Ranks", group_ranks),
    NUMBER("Group size", group_size),
    NUMBER("Global rank start", first_rank),
    NUMBER("Global rank stride", stride),
    NUMBER("Root rank", root),
    NUMBER("Dst Rank", target),
    NUMBER("Src Rank", source),
};
#undef TEXT
#undef NUMBER

/* Digits too: some exporters write every number as a text. */
static int64_t number_of(const struct value *v)
{
    int64_t n;
    if (value_is_whole(v) && v->number > -9e15 && v->number < 9e15)
        return (int64_t)v->number;
    return str_int(value_text(v), &n) ? n : NO_ID;
}

/* Lists as Python has them, for those that write no text of them. */
static struct str text_of(struct arena *perm, const struct value *v)
{
    if (v->kind == VALUE_TEXT)
        return value_text(v);
    if (v->kind == VALUE_NULL)
        return (struct str){0};
    struct out o;
    out_memory(&o);
    python_value(&o, v, true);
    return out_text(&o, perm);
}

void kineto_collective(struct arena *perm, const struct value *rest,
                       struct collective *c)
{
    for (int k = 0; k < KINETO_COLLECTIVE_TERMS; k++) {
        const struct kineto_collective_term *t = &kineto_collective_terms[k];
        const struct value *v = value_get(rest, t->key);
        void *member = (char *)c + t->at;
        if (v && t->is_text)
            *(struct str *)member = text_of(perm, v);
        else if (v)
            *(int64_t *)member = number_of(v);
    }
    c->kind = collective_kind_of(c->name);
}
