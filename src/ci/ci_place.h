/* ci_place.h - which build system runs us, and what --ci takes from its environment.
 *
 *   GitHub Actions  the file of the step summary, annotations, a link, a label
 *   GitLab          annotations, JUnit and metrics files, date, a link, a label
 *   Jenkins         a JUnit file, a link, a label
 *
 * What the command line gives stands. Without --ci no variable of these has any
 * effect. */
#ifndef CI_CI_PLACE_H
#define CI_CI_PLACE_H

#include "base/arena.h"
#include "ci/ci_options.h"

#define CI_JUNIT_NAME   "tracefolio-junit.xml"
#define CI_METRICS_NAME "tracefolio-metrics.txt"

/* Fills what is not set. Texts live in `perm` or in the environment. False: the
 * environment is of none of them. */
bool ci_place_fill(struct ci_options *o, struct arena *perm);

#endif
