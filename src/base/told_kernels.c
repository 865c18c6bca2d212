#include "base/told_kernels.h"

#include <regex.h>
#include <string.h>

enum { NAME_BYTES_MAX = 4096 }; /* what is longer is asked for by its beginning */

static struct {
    regex_t expression[TOLD_KERNELS_MAX];
    struct str word[TOLD_KERNELS_MAX];
    int n;
} told;

bool told_kernels_add(const char *expression, struct str word, struct err *e)
{
    char why[100];
    if (told.n == TOLD_KERNELS_MAX)
        return err_set(e, ERR_USAGE, NULL, -1, "--names: at most %d expressions",
                       TOLD_KERNELS_MAX);
    int status =
        regcomp(&told.expression[told.n], expression, REG_EXTENDED | REG_NOSUB);
    if (status) {
        regerror(status, &told.expression[told.n], why, sizeof why);
        return err_set(e, ERR_USAGE, NULL, -1, "--names: '%.100s': %s", expression,
                       why);
    }
    told.word[told.n++] = word;
    return true;
}

struct str told_kernel(struct str name)
{
    char text[NAME_BYTES_MAX];
    if (!told.n)
        return S("");
    size_t n = name.n < NAME_BYTES_MAX ? (size_t)name.n : NAME_BYTES_MAX - 1;
    if (n)
        memcpy(text, name.p, n);
    text[n] = '\0';
    for (int i = 0; i < told.n; i++)
        if (regexec(&told.expression[i], text, 0, NULL, 0) == 0)
            return told.word[i];
    return S("");
}

void told_kernels_clear(void)
{
    while (told.n)
        regfree(&told.expression[--told.n]);
}
