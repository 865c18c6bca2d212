#include "ops/device_bins.h"

#include "ops/device_view.h"

struct device_bins device_bins_build(struct arena *perm, struct arena tmp,
                                     const struct trace_view *v, int device,
                                     const int8_t *class, int n_classes)
{
    struct trace_view of = device_view(perm, tmp, v, device);
    const struct timeline_data *d = timeline_data_build(perm, tmp, &of);
    return (struct device_bins){d,
                                class_bins_build(perm, tmp, &of, d, class, n_classes)};
}
