/* compare_page.h - the site of a comparison: one page, its style sheet and script. */
#ifndef RENDER_PAGE_COMPARE_PAGE_H
#define RENDER_PAGE_COMPARE_PAGE_H

#include "render/folder/publish.h"
#include "report/compare/compare_report.h"

struct single_file;
struct theme;

/* Also as one file, unless `single` is NULL. */
MUST_CHECK bool compare_page_write(const struct compare_report *r,
                                   const struct theme *theme, const struct publish *p,
                                   struct single_file *single, struct arena tmp,
                                   struct arena tmp2, struct err *e);

#endif
