#include "report/waiver.h"

bool waiver_names(const struct waiver *w, struct str key, struct str id)
{
    return str_eq(w->id, key) || str_eq(w->id, id);
}

const struct waiver *waiver_find(const struct waiver *w, int n, struct str key,
                                 struct str id)
{
    for (int i = 0; i < n; i++)
        if (waiver_names(&w[i], key, id))
            return &w[i];
    return NULL;
}
