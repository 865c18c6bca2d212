/* themes_command.h - `tracefolio themes`, and the theme that --theme names.
 *
 * A theme is built in, or a folder with a theme.json of the same form. */
#ifndef RENDER_TEXT_THEMES_COMMAND_H
#define RENDER_TEXT_THEMES_COMMAND_H

#include "render/text/theme.h"

#include <stdio.h>

/* --theme NAME or --theme FOLDER (what holds a '/' or a '.'). Everything that
 * theme_read checks is checked. */
MUST_CHECK bool theme_choose(struct arena *perm, const char *name, struct theme *out,
                             struct err *e);

/* folder NULL: a line for each built-in theme. Else: the contrasts and distances of
 * that theme, or an error that says what is wrong with it. */
MUST_CHECK bool themes_run(FILE *to, const char *folder, struct err *e);

#endif
