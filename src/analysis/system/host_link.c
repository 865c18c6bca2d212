#include "analysis/system/host_link.h"

#include "analysis/model/name_match.h"
#include "perf/device_spec.h"

#include <math.h>

static const double PCIE3_GB_PER_S = 15.75; /* 16 lanes, one direction */
static const double LEAST_REACHED = 0.75, MOST_REACHED = 0.9;
static const double SPREAD = 0.9; /* of the fastest, what the others reach at least */
static const double START_US = 2;
enum {
    LARGE_BYTES = 1 << 20,
    LONG_BYTES = 8 << 20 /* to start one takes a hundredth of it */
};

/* The fastest copies between host and device, GB/s; 0: none. */
struct fastest {
    double other, pinned, long_pinned; /* of LARGE_BYTES, of LONG_BYTES and more */
};

static struct fastest fastest_of(const struct trace_view *v)
{
    struct fastest f = {0};
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k];
        int64_t bytes = v->s->cat[g] == CAT_MEMCPY ? store_bytes(v->s, g) : 0;
        if (bytes < LARGE_BYTES || store_dur_ns(v->s, g) <= 0)
            continue;
        struct str name = store_name(v->s, g);
        double rate = (double)bytes / (double)store_dur_ns(v->s, g);
        if (!name_has(name, "pinned")) {
            f.other = name_has(name, "host|pageable|htod|dtoh") ? fmax(f.other, rate)
                                                                : f.other;
            continue;
        }
        f.pinned = fmax(f.pinned, rate);
        f.long_pinned = bytes >= LONG_BYTES ? fmax(f.long_pinned, rate) : f.long_pinned;
    }
    return f;
}

struct host_link host_link_of(const struct trace_view *v,
                              const struct device_spec *device)
{
    struct fastest f = fastest_of(v);
    double sheet = device ? device->host_link_gb_per_s : 0;
    struct host_link l = {SPREAD * f.pinned, f.pinned, LINK_SEEN, f.long_pinned, sheet};
    if (!(f.pinned > 0)) {
        l.source = sheet > 0 ? LINK_PLATFORM : LINK_ASSUMED;
        sheet = sheet > 0 ? sheet : PCIE3_GB_PER_S;
        l.low_gb_per_s = LEAST_REACHED * sheet;
        l.high_gb_per_s = MOST_REACHED * sheet;
    }
    /* A copy of other memory shows what the link can do at least. */
    l.low_gb_per_s = fmax(l.low_gb_per_s, f.other);
    l.high_gb_per_s = fmax(l.high_gb_per_s, f.other);
    return l;
}

static double at_rate(int64_t bytes, double us, double gb_per_s)
{
    return bytes < 0 ? us : fmin(us, START_US + (double)bytes / gb_per_s / 1e3);
}

void host_link_add(const struct host_link *l, int64_t bytes, double us,
                   struct copy_result *to)
{
    to->slow_us += at_rate(bytes, us, l->low_gb_per_s);
    to->fast_us += at_rate(bytes, us, l->high_gb_per_s);
}
