/* Any text as a template, a partial and a context, with NUL between them. */
#include "fuzz_file.h"

#include "base/arena.h"
#include "render/text/html_text.h"
#include "render/text/template.h"

#include <cjson/cJSON.h>

struct attempt {
    struct str text, partial;
};

static struct str find(void *self, struct str name)
{
    const struct attempt *a = self;
    return str_eq(name, S("main")) ? a->text : a->partial;
}

static bool escape(struct out *o, struct arena tmp, struct str text)
{
    (void)tmp;
    html_text(o, text);
    return true;
}

static struct str next_part(struct str *rest)
{
    ptrdiff_t n = str_find(*rest, (struct str){"", 1});
    struct str part = n < 0 ? *rest : str_head(*rest, n);
    *rest = n < 0 ? S("") : str_skip(*rest, n + 1);
    return part;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = {(const char *)data, (ptrdiff_t)size};
    struct attempt a = {0};
    a.text = next_part(&rest);
    a.partial = next_part(&rest);
    cJSON *context = cJSON_ParseWithLength(rest.p, (size_t)rest.n);
    if (!context)
        context = cJSON_CreateObject();
    struct arena perm = arena_reserve(1 << 30);
    char *start = perm.at;
    struct template_set set = {
        .perm = &perm, .find = find, .self = &a, .escape = escape};
    struct out o;
    struct err e = {0};
    out_memory(&o);
    if (!template_render(&o, &set, S("main"), context, &e) && !e.what[0])
        abort();
    out_free(&o);
    cJSON_Delete(context);
    arena_release(start, &perm);
    return 0;
}
