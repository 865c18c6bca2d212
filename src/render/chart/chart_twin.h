/* chart_twin.h - the table with the data of a chart.
 *
 * At most CHART_TWIN_ROWS_MAX rows; a last one says how many more there are. */
#ifndef RENDER_CHART_CHART_TWIN_H
#define RENDER_CHART_CHART_TWIN_H

#include "report/figure/report_figure.h"

struct arena;
struct cJSON;

enum { CHART_TWIN_ROWS_MAX = 60 };

/* Sets object[key] to what "twin" in templates/figure.html reads. */
void chart_twin(struct cJSON *object, const char *key, const struct report_figure *f,
                struct arena tmp);

#endif
