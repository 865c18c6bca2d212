#include "report/fill_shown.h"

#include "ops/device_fill.h"
#include "report/table_fields.h"

#include <math.h>

static VIEW(filled, fill_sum, F(few_pct, PCT), F(blocks_per_unit, FINE), F(waves, RATE),
            F(tail_pct, PCT), F(occupancy_pct, PCT), F(threads, RATE),
            F(registers, RATE), F(shared_bytes, BYTES));
static VIEW(timed, report_kernel, F(id, TEXT), F(name, TEXT), F(count, COUNT),
            F(total_ms, MS), F(share_pct, PCT));
FIELDS(report_fill_row, MEMBERS_OF(kernel, timed), MEMBERS_OF(fill, filled),
       F(precision, NAME), AS("matrix_units", matrix, NAME));

TELL(int64_t, n_units, report_fill, it->of ? it->of->units.n : 0);
TELL(double, few_pct, report_fill, it->of ? it->of->all.few_pct : (double)NAN);
TELL(double, work_few_pct, report_fill, it->of ? it->of->work.few_pct : (double)NAN);
TELL(double, empty_pct, report_fill, it->of ? it->of->work.empty_pct : (double)NAN);
TELL(double, known_pct, report_fill, it->of ? it->of->all.known_pct : (double)NAN);
TELL(double, occupancy_pct, report_fill,
     it->of ? it->of->all.occupancy_pct : (double)NAN);
TELL(double, occupancy_known_pct, report_fill,
     it->of ? it->of->all.occupancy_known_pct : (double)NAN);
VIEW(summed_fill, report_fill, CALL(known_pct, PCT, known_pct),
     CALL(few_pct, PCT, few_pct), CALL(work_few_pct, PCT, work_few_pct),
     CALL(empty_pct, PCT, empty_pct), CALL(occupancy_pct, PCT, occupancy_pct),
     CALL(occupancy_known_pct, PCT, occupancy_known_pct));
TELL(bool, by_occupancy, report_fill, it->of && it->of->all.occupancy_pct > 0);
TELL(bool, has_registers, report_fill, it->of && it->of->says_sm);
TELL(struct str, short_unit, report_fill,
     it->of && it->of->says_sm ? S("SM") : S("CU"));
VIEW(shown_fill, report_fill, CALL(has_registers, FLAG, has_registers),
     CALL(by_occupancy, FLAG, by_occupancy), CALL(short_unit, NAME, short_unit),
     ALSO(report_fill));
FIELDS(report_fill, F(headline, TEXT), F(unit, NAME), CALL(units, SOME, n_units),
       ALSO(summed_fill), LIST_WITHIN(1 << 16, "kernels", rows, n, report_fill_row));

COLUMNS(kernel_columns, report_kernel, COL(AS("kernel", name, NAME), "Kernel"),
        COL(AS("launched_by", op, NAME), "Operator above it, or launch call"),
        COL(F(stream, KNOWN), "Stream it ran on"),
        COL_IN(COUNT, AS("launches", count, COUNT), "Launches"),
        COL_IN(MS, F(total_ms, MS), "Sum of the durations"),
        COL_IN(PERCENT, F(share_pct, PCT), "Share of kernel time"));
COLUMNS(sum_columns, fill_sum,
        COL_IN(PERCENT, AS("fewer_blocks_than_units_pct", few_pct, PCT),
               "Share of its time with fewer blocks than SMs or compute units"),
        COL(F(blocks_per_unit, FINE), "Blocks for each of them, mean over time"),
        COL(F(waves, RATE), "How often they take blocks until all have run: by the "
                            "blocks that fit at once, where occupancy tells; by one "
                            "each where none is recorded"),
        COL_IN(PERCENT, F(tail_pct, PCT), "Part of the last wave without a block"),
        COL_IN(PERCENT, F(occupancy_pct, PCT), "As the profiler estimates it"),
        COL(F(threads, RATE), "Threads of a block, the most"),
        COL(F(registers, RATE), "Registers of a thread, the most"),
        COL(F(shared_bytes, BYTES), "Shared memory of a block, the most"));
COLUMNS(row_columns, report_fill_row, THROUGH(kernel, kernel_columns),
        THROUGH(fill, sum_columns),
        COL(F(precision, NAME), "Of the operands, by the name"),
        COL(AS("matrix_units", matrix, NAME), "Whether it runs on them, by the name"));

struct report_table fill_table(struct arena *perm, const struct report *r)
{
    return table_told(perm, "launch_geometry", "How well kernels fill the device",
                      row_columns(), TABLE_ITEMS(r->fill.rows, r->fill.n), r);
}
