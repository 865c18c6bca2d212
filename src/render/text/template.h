/* template.h - the Mustache language over cJSON contexts, and over described structs
 * that are lent to them (seen.h), of which no tree is made.
 *
 * {{name}} escaped, {{{name_html}}} and {{&name_html}} as they are, {{#section}},
 * {{^inverted}}, {{.}}, {{a.b}}, {{>partial}}, {{! comment }}, {{=<% %>=}},
 * {{<parent}} with {{$block}}; white space of standalone tags and the indentation of
 * partials as the public specification says.
 *
 * Raw insertion has two locks: the name must end in "_html", which is checked when the
 * template is read, and the value must have been put there by context_markup
 * (context.h), which is checked when it is inserted. Text from a trace cannot pass
 * either by accident.
 *
 * False values are: a missing name, null, false, the empty text, the empty list, and
 * NaN, which means unknown. A missing name prints nothing. Printing a list or an object
 * is an error, as it is always a mistake.
 *
 * Beyond the specification, {{value | filter}} or {{value | filter 80}} lets a filter
 * of the set write the value: contexts hold raw numbers and names, and the template
 * says how to show each. A filter does its own escaping: nothing is escaped after it.
 * Within a list {{@number}} is the item's position, from 1, and {{#@first}} is true
 * only for the first item.
 *
 * A set keeps what it has read in its arena until that is released; a context is
 * borrowed for one call. The depth of sections and partials is bounded. */
#ifndef RENDER_TEXT_TEMPLATE_H
#define RENDER_TEXT_TEMPLATE_H

#include "base/err.h"
#include "base/out.h"

struct arena;
struct cJSON;

/* Writes `v`, NULL if the name is missing; `n` is the number after the filter's name,
 * or 0. False: the value cannot be shown that way. */
struct template_filter {
    const char *name;
    bool (*write)(struct out *o, struct arena tmp, const struct cJSON *v, int n);
};

struct template_set {
    struct arena *perm;
    /* The text of a template by name; p NULL: no such template. */
    struct str (*find)(void *self, struct str name);
    void *self;
    /* Writes text in place of {{name}}, or returns false if it is not allowed there. */
    bool (*escape)(struct out *o, struct arena tmp, struct str text);
    const struct template_filter *filters[2]; /* the last of each has no name */
    struct str vendor; /* whose device the templates' words call a GPU; empty: it is
                          one (device_word.h) */
    struct template *first; /* those read so far */
};

/* Render one template. On failure `e` names the template, the line and what is wrong.
 */
MUST_CHECK bool template_render(struct out *o, struct template_set *set,
                                struct str name, const struct cJSON *context,
                                struct err *e);

/* Render only what a template puts into one block of its parent. */
MUST_CHECK bool template_render_block(struct out *o, struct template_set *set,
                                      struct str name, struct str block,
                                      const struct cJSON *context, struct err *e);

#endif
