#include "hostile_text.h"

#include <stdlib.h>
#include <string.h>

enum { LONG_CHARS = 5160, HUGE_CHARS = 200000, LONG_TIMES = 6, HUGE_TIMES = 2 };

static const char *const corpus[] = {
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\\\"><svg onload=alert(1)>",
    "javascript:alert(1)",
    "]]>",
    "-->",
    "<!--",
    "{{x}}",
    "{{{x}}}",
    "${x}",
    "`backtick` ``two`` ```three```",
    "a|b||c\\n|d|\\n# heading",
    "@user",
    "#123",
    "=HYPERLINK(\\\"http://example.invalid\\\",\\\"x\\\")",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "nul\\u0000inside",
    "lone high \\ud800 end",
    "lone low \\udc00 end",
    "rlo \xe2\x80\xae evil.exe",
    "<lambda>",
    "operator<<",
    "a<b>&&c",
    "CON",
    "../../x",
    "/etc/passwd",
    "C:\\\\Windows\\\\x",
    "emoji \xf0\x9f\x98\x80",
    "\xd8\xb9\xd8\xb1\xd8\xa8\xd9\x8a",
    "",
    " ",
    "tab\\tcr\\rlf\\nend",
    "esc \\u001b[31m red",
    "line\\u2028sep",
    "\\ufeffbom",
    "'; DROP TABLE events; --",
    "%s%n%x",
    "&lt;b&gt; &amp;amp;",
    "<a href=javascript:alert(1)>",
    "<iframe src=//x>",
    "<style>*{display:none}",
    "<base href=//x>",
    "<meta http-equiv=refresh content=0>",
    "<link rel=stylesheet href=//x>",
    "<object data=//x>",
    "<body onload=alert(1)>",
    "</noscript><img src=//x>",
    "</textarea><img src=//x>",
    "</title><img src=//x>",
    "</style><img src=//x>",
    "</template><img src=//x>",
    "<image xlink:href=//x>",
    "<use href=data:x#x>",
    "' onmouseover='alert(1)",
    "\\\" autofocus onfocus=alert(1) x=\\\"",
    "data:text/html,<b>",
    "url(//x)",
    "expression(alert(1))",
    "![x](//x)",
    "[x](javascript:alert(1))",
    "<https://example.invalid>",
    "__proto__",
    "constructor",
    "\\u0008\\u0007bell",
    "c1 \xc2\x9b[31m",
    "isolate \xe2\x81\xa6 x",
    "a\\u0300\\u0301\\u0302\\u0303",
    "=cmd|' /C calc'!A0",
    "&#x3c;script&#x3e;",
    "<!ENTITY x SYSTEM 'file:///x'>",
};

static char *repeat(char **text, int chars)
{
    if (!*text && (*text = malloc((size_t)chars + 1))) {
        memset(*text, 'L', (size_t)chars);
        (*text)[chars] = 0;
    }
    return *text;
}

const char *hostile_next(struct hostile_text *h)
{
    const int64_t n = (int64_t)(sizeof corpus / sizeof corpus[0]);
    int64_t at = h->served++ % (n + 2);
    const char *text = NULL;
    if (at == n && h->long_served < LONG_TIMES &&
        (text = repeat(&h->long_text, LONG_CHARS)))
        h->long_served++;
    if (at == n + 1 && h->huge_served < HUGE_TIMES &&
        (text = repeat(&h->huge_text, HUGE_CHARS)))
        h->huge_served++;
    return text ? text : corpus[at % n];
}

const char *hostile_short(struct hostile_text *h)
{
    return corpus[h->served++ % (int64_t)(sizeof corpus / sizeof corpus[0])];
}

void hostile_free(struct hostile_text *h)
{
    free(h->long_text);
    free(h->huge_text);
}
