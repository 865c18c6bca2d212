/* report_checks.h - checks of what can be relied on: one list, made in parts. */
#ifndef REPORT_REPORT_CHECKS_H
#define REPORT_REPORT_CHECKS_H

#include "report/check_list.h"

void checks_of_trace(struct check_list *l);
void checks_of_hidden(struct check_list *l);
void checks_of_analysis(struct check_list *l);

#endif
