/* table_case.h - cells of a table, written short; for the tests of its writers. */
#ifndef RENDER_TABLE_CASE_H
#define RENDER_TABLE_CASE_H

#include "report/report_table.h"

/* Each is one line of an array of cells. */
/* clang-format off */
#define TEXT(lit) { CELL_TEXT, { .text = { (lit), sizeof(lit) - 1 } } }
#define NAME(lit) { CELL_NAME, { .text = { (lit), sizeof(lit) - 1 } } }
#define INT(v)    { CELL_INT, { .i = (v) } }
#define REAL(v)   { CELL_REAL, { .r = (v) } }
#define BOOL(v)   { CELL_BOOL, { .b = (v) } }
#define NONE      { CELL_NONE, { .i = 0 } }
/* clang-format on */

#endif
