/* folder_command.h - what commands that write a folder share, from their first input to
 * their last line: memory, theme, the folder itself, words that must not leave. */
#ifndef FOLDER_COMMAND_H
#define FOLDER_COMMAND_H

#include "commands/options.h"
#include "render/folder/publish.h"
#include "render/text/theme.h"
#include "share/word_scan.h"

struct ci_run;
struct cJSON;
struct job_document;
struct report_table;
struct single_file;

struct folder_command {
    const struct options *o;
    struct arena perm, tmp, tmp2; /* tmp2: beside tmp, or for the second thread */
    struct theme theme;
    struct publish folder;
    struct forbidden forbidden; /* none: nothing is looked for */
    char *starts[3];
};

void command_open(struct folder_command *c, const struct options *o);
void command_close(struct folder_command *c);

/* Reads what the command line says of the folder, and begins it: `target` where -o does
 * not name it; NULL: there will be none. Then command_commit or publish_abort ends it.
 */
MUST_CHECK bool command_begin(struct folder_command *c, const char *target,
                              struct err *e);

/* Tables as CSV files in a folder within it. */
MUST_CHECK bool command_csvs(const struct folder_command *c, const char *folder,
                             const struct report_table *tables, ptrdiff_t n,
                             struct arena tmp, struct err *e);

/* A document as a JSON file in it; deletes the document. */
MUST_CHECK bool command_json(const struct folder_command *c, const char *file,
                             struct cJSON *tree, struct err *e);

/* Pages about jobs, as the formats asked for have them: as markdown, as a site. */
MUST_CHECK bool command_document(struct folder_command *c, const struct job_document *d,
                                 struct err *e);

/* Puts the folder, and the site as one file, in place, unless a word in them or in what
 * builds get must not leave. `single` and `ci` may be NULL. */
MUST_CHECK bool command_commit(struct folder_command *c, struct single_file *single,
                               const struct ci_run *ci, struct err *e);

/* What was found, a line each with `end` behind it, and where the report is; nothing
 * with -q. */
void command_print(const struct folder_command *c, const struct str *verdict, int n,
                   const char *end);

#endif
