#include "render/page/row_links.h"

#include "base/arena.h"

struct str site_part_name(struct arena *a, const char *stem, int part)
{
    return part == 1 ? str_printf(a, "%s.html", stem)
                     : str_printf(a, "%s-%d.html", stem, part);
}

static struct str row_href(struct arena *a, const char *stem, int index, struct str id)
{
    if (index >= REPORT_LISTED_MOST)
        return str_printf(a, "%s.html", stem); /* it is in the CSV file alone */
    struct str page = site_part_name(a, stem, index / SITE_TABLE_ROWS + 1);
    return str_printf(a, "%.*s#%.*s", STRF(page), STRF(id));
}

struct str op_href(struct arena *a, const struct report *r, int index)
{
    return row_href(a, "operations", index, r->ops[index].id);
}

struct str kernel_href(struct arena *a, const struct report *r, int index)
{
    return row_href(a, "kernels", index, r->kernels[index].id);
}
