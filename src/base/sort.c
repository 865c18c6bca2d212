#include "base/sort.h"

#include <string.h>

/* Shorter runs are extended by insertion. */
enum { MIN_RUN = 16 };

#define ELEMENT    struct sort_row
#define KEY(x)     ((x).key)
#define RUNS(name) rows_##name
#include "base/sort_runs.h"
#undef ELEMENT
#undef KEY
#undef RUNS

#define ELEMENT    int32_t
#define KEY(x)     (key[x])
#define RUNS(name) ids_##name
#include "base/sort_runs.h"

void sort_rows(struct arena tmp, struct sort_row *rows, ptrdiff_t n)
{
    rows_sort(tmp, rows, n, NULL);
}

void sort_ids(struct arena tmp, int32_t *ids, ptrdiff_t n, const int64_t *key)
{
    ids_sort(tmp, ids, n, key);
}
