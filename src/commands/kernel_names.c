#include "commands/kernel_names.h"

#include "base/file_head.h"
#include "base/told_kernels.h"
#include "base/unknown.h"
#include "kernels/collective_kind.h"

#include <unistd.h>

enum { FILE_BYTES_MAX = 1 << 20 };

static bool add_rule(struct arena *perm, struct str rule, struct err *e)
{
    struct str expression = rule, kind = str_trim(str_take(&expression, S("=")));
    struct str words[COLLECTIVE_KINDS] = {S("none")};
    expression = str_trim(expression);
    for (int k = 1; k < COLLECTIVE_KINDS; k++)
        words[k] = collective_word((enum collective_kind)k);
    if (!expression.n)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--names: expected KIND=EXPRESSION, as all-reduce=my_sum, not "
                       "'%.*s'",
                       STRF(str_head(rule, rule.n < 100 ? rule.n : 100)));
    for (int k = 0; k < COLLECTIVE_KINDS; k++)
        if (str_eq(kind, words[k]))
            return told_kernels_add(str_c(perm, expression), words[k], e);
    return err_unknown(e, "collective", kind, words, COLLECTIVE_KINDS, "");
}

bool kernel_names_read(struct arena *perm, const char *list, struct err *e)
{
    struct str rest = str_of(list ? list : ""), between = S(",");
    if (list && access(list, R_OK) == 0) {
        if (!file_head(perm, list, FILE_BYTES_MAX, &rest, e))
            return false;
        between = S("\n");
    }
    while (rest.n) {
        struct str rule = str_trim(str_take(&rest, between));
        if (rule.n && rule.p[0] != '#' && !add_rule(perm, rule, e))
            return false;
    }
    return true;
}
