#include "report/memory_shown.h"

#include "analysis/stack/memory_peak.h"
#include "report/table_fields.h"

#include <math.h>

static double known(int64_t bytes)
{
    return bytes >= 0 ? (double)bytes : (double)NAN;
}

TELL(double, peak, report_memory, it->of ? known(it->of->peak_bytes) : (double)NAN);
TELL(double, rise, report_memory, it->of ? known(it->of->rise_bytes) : (double)NAN);
TELL(double, reserved, report_memory,
     it->of ? known(it->of->reserved_most) : (double)NAN);
VIEW(summed_memory, report_memory, CALL(peak_bytes, BYTES, peak),
     CALL(rise_bytes, BYTES, rise), CALL(reserved_bytes, BYTES, reserved),
     F(device_bytes, BYTES), F(room_bytes, BYTES), F(unused_pct, PCT));

static struct str kind_word(const struct described *in)
{
    const struct memory_owner *o = in->of;
    return memory_kind_word(o->kind);
}

TELL(double, of_peak_pct, memory_owner,
     100 * (double)it->bytes /
         (double)((const struct report *)in->whole)->memory.of->peak_bytes);
FIELDS(memory_owner, F(module, TEXT), F(op, TEXT), CALL(kind, TEXT, kind_word),
       F(bytes, BYTES), AS("allocations", n, SOME), CALL(share_pct, PCT, of_peak_pct));
static FIELDS(report_memory_kind, F(kind, TEXT), F(bytes, BYTES), F(share_pct, PCT));
/* memory_peak.csv has all. */
enum { PLACES_MOST = 200 };
static struct field_items places(const struct described *in)
{
    const struct memory_peak *m = ((const struct report_memory *)in->of)->of;
    int n = m ? m->n_owners : 0;
    return (struct field_items){.first = n ? m->owners : NULL,
                                .n = n < PLACES_MOST ? n : PLACES_MOST};
}
FIELDS(report_memory, F(says, TEXT), ALSO(summed_memory),
       LIST(kinds, n_kinds, report_memory_kind),
       CALL_LIST(places, memory_owner, places));

COLUMNS(owner_columns, memory_owner,
        COL(F(module, NAME), "Module around the operator, if frames are recorded"),
        COL(AS("operator", op, NAME), "Operator that allocates; empty: not recorded"),
        COL(CALL(kind, TEXT, kind_word), "By where it is freed"),
        COL_IN(COUNT, AS("allocations", n, COUNT), "Live at the peak"),
        COL(F(bytes, BYTES), "Live at the peak; the rows add up to it"),
        COL_IN(PERCENT, CALL(share_pct, PCT, of_peak_pct), "Of the peak"));

struct report_table memory_table(struct arena *perm, const struct report *r)
{
    const struct memory_peak *m = r->memory.of;
    return table_told(perm, "memory_peak", "What holds device memory at its peak",
                      owner_columns(),
                      TABLE_ITEMS(m ? m->owners : NULL, m ? m->n_owners : 0), r);
}
