/* template.h - the Mustache language over cJSON contexts.
 *
 * {{name}} escaped, {{{name_html}}} and {{&name_html}} as they are, {{#section}},
 * {{^inverted}}, {{.}}, {{a.b}}, {{>partial}}, {{! comment }}, {{=<% %>=}}; white space
 * of standalone tags and the indentation of partials as the public specification says.
 *
 * Raw insertion has two locks: the name must end in "_html", which is checked when the
 * template is read, and the value must have been put there by template_markup, which is
 * checked when it is inserted. Text of a trace can be neither by accident.
 *
 * False are: a missing name, null, false, the empty text, the empty list. A name that
 * is missing prints nothing. Printing a list or an object is an error: it is always a
 * mistake.
 *
 * A set owns what it has read, in its arena, until that is given back; a context is
 * borrowed for one call. Depth of sections and of partials is bounded. */
#ifndef RENDER_TEMPLATE_H
#define RENDER_TEMPLATE_H

#include "base/err.h"
#include "base/out.h"

struct arena;
struct cJSON;

struct template_set {
    struct arena *perm;
    /* Text of a template by its name; p NULL: there is none. */
    struct str (*find)(void *self, struct str name);
    void *self;
    /* Writes text for where {{name}} stands, or returns false: it must not stand there.
     */
    bool (*escape)(struct out *o, struct str text);
    struct template *first; /* those read so far */
};

/* Templates of the bundle, "templates/NAME", escaped for HTML text and attributes. */
struct template_set template_bundled(struct arena *perm);

/* Render one template. On failure `e` names the template, the line and what is wrong.
 */
MUST_CHECK bool template_render(struct out *o, struct template_set *set,
                                struct str name, const struct cJSON *context,
                                struct err *e);

/* object[key] = markup that our own code made. `key` ends in "_html". */
void template_markup(struct cJSON *object, const char *key, struct str html);

/* object[key] = text of any origin, repaired (html_text.h), so that a NUL survives too.
 */
void template_text(struct cJSON *object, const char *key, struct str text);

#endif
