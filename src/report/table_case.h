/* table_case.h - for tests only: a short notation for table cells. */
#ifndef REPORT_TABLE_CASE_H
#define REPORT_TABLE_CASE_H

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
