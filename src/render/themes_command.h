/* themes_command.h - `tracefolio themes`, and the theme that --theme names.
 *
 * A theme is one of those that ship, or a folder with a theme.json of the same form. */
#ifndef RENDER_THEMES_COMMAND_H
#define RENDER_THEMES_COMMAND_H

#include "render/theme.h"

#include <stdio.h>

/* --theme NAME or --theme FOLDER (what holds a '/' or a '.'). Everything that
 * theme_read checks is checked. */
MUST_CHECK bool theme_choose(struct arena *perm, const char *name, struct theme *out,
                             struct err *e);

/* folder NULL: a line for each theme that ships. Else: the contrasts and distances of
 * that theme, or an error that names what is wrong with it. */
MUST_CHECK bool themes_run(FILE *to, const char *folder, struct err *e);

#endif
