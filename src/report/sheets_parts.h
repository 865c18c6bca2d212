/* sheets_parts.h - one function per sheet; sheets.c puts them in order. */
#ifndef REPORT_SHEETS_PARTS_H
#define REPORT_SHEETS_PARTS_H

#include "ops/op_tables.h"
#include "report/cell_text.h"
#include "report/report_table.h"

struct report_table sheet_timeline(struct arena *perm, const struct op_tables *t);
struct report_table sheet_by_category(struct arena *perm, const struct op_tables *t);
struct report_table sheet_by_name(struct arena *perm, const struct op_tables *t);
struct report_table sheet_unique_args(struct arena *perm, const struct op_tables *t);
/* *own: those of its rows that have figures of our own models, with these; own_of: by
 * row, the row there, or -1. */
struct report_table sheet_unified(struct arena *perm, const struct op_tables *t,
                                  struct report_table *own, int32_t *own_of);
struct report_table sheet_family(struct arena *perm, const struct op_tables *t,
                                 const struct family_sheet *f);
struct report_table sheet_kernels(struct arena *perm, const struct op_tables *t);
struct report_table sheet_histogram(struct arena *perm, const struct op_tables *t);
struct report_table sheet_short_kernels(struct arena *perm, const struct op_tables *t);
/* Of a trace without device work; not of the reference, which refuses these. */
struct report_table sheet_host_operators(struct arena *perm, const struct op_tables *t);
struct report_table sheet_host_modules(struct arena *perm, const struct op_tables *t);
struct report_table sheet_host_threads(struct arena *perm, const struct op_tables *t);
struct report_table sheet_collectives(struct arena *perm, const struct op_tables *t);

#endif
