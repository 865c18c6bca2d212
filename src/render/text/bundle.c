#include "render/text/bundle.h"

#include <assert.h>

#define BUNDLE(id, path) BUNDLE_AS(id, path, path)
#define BUNDLE_AS(id, path, on_disk)                                                   \
    extern const char bundle_##id##_at[], bundle_##id##_end[];
#include "render/text/bundle.def"
#undef BUNDLE_AS

/* In the order of bundle.def, which is that of the paths. */
static const struct {
    struct str path;
    const char *at, *end;
} files[] = {
#define BUNDLE_AS(id, path, on_disk)                                                   \
    {{path, sizeof(path) - 1}, bundle_##id##_at, bundle_##id##_end},
#include "render/text/bundle.def"
};

enum { FILES = sizeof files / sizeof *files };

/* Number of the first path that is not less than `path`. */
static int lower_bound(struct str path)
{
    int low = 0, high = FILES;
    while (low < high) {
        int mid = (low + high) / 2;
        if (str_cmp(files[mid].path, path) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

struct str bundle_file(struct str path)
{
    int i = lower_bound(path);
    if (i == FILES || !str_eq(files[i].path, path))
        return (struct str){NULL, 0};
    return (struct str){files[i].at, files[i].end - files[i].at};
}

int bundle_count(struct str prefix)
{
    int first = lower_bound(prefix), n = 0;
    while (first + n < FILES && str_starts(files[first + n].path, prefix))
        n++;
    return n;
}

struct str bundle_path(struct str prefix, int i)
{
    int at = lower_bound(prefix) + i;
    assert(i >= 0 && at < FILES && str_starts(files[at].path, prefix));
    return files[at].path;
}
