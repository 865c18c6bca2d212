/* manifest.h - MANIFEST.txt: the files of a published folder, and whether they are
 * intact.
 *
 *   # tracefolio manifest 1: sha256, bytes, path
 *   9f86d081...  4  assets/report.css
 *
 * Every other file of the folder, sorted by the bytes of its path. The first line also
 * marks a folder as ours. Symbolic links are never followed. */
#ifndef RENDER_FOLDER_MANIFEST_H
#define RENDER_FOLDER_MANIFEST_H

#include "base/err.h"
#include "base/str.h"

#include <stddef.h>

struct arena;
struct out;

/* In a folder that is being written; never listed in the manifest. */
#define BUILD_MARK_NAME ".tracefolio-build"

#define MANIFEST_NAME "MANIFEST.txt"
#define MANIFEST_MARK "# tracefolio manifest 1: sha256, bytes, path\n"

/* Whether the file `name` in the open folder begins with the mark. */
bool manifest_marks(int folder_fd, const char *name);

/* False if the folder, an absolute path without links, is a report or in one, which a
 * new file would change: its manifest lists all of its files. `asked`: as the user
 * named what is to be written. */
MUST_CHECK bool manifest_is_elsewhere(const char *folder, const char *asked,
                                      struct err *e);

/* The first file, by path, of an open folder that is not as we wrote it: not listed in
 * its manifest, or changed since. "x/": a folder with no listed file in it, which is
 * not looked into. Empty: everything in it is ours. */
struct str manifest_foreign(int folder_fd, struct arena *a);

/* Write dir/MANIFEST.txt. A file whose name breaks our rule (zip_file.h) is an error.
 * Reads what written_files.h does not know of. */
MUST_CHECK bool manifest_write(const char *dir, struct arena tmp, struct err *e);

/* Hands all of an open folder to the disk. False: errno says why. */
MUST_CHECK bool manifest_sync(int folder_fd, struct arena tmp);

/* Compare a folder with its manifest, one line per difference:
 *
 *   changed  index.html (123 bytes, 120 expected)
 *   changed  index.html (same size, other content)
 *   missing  data.csv
 *   extra    notes.txt
 *
 *   report       a sink for the lines, sorted by path; control characters made visible
 *   differences  how many
 *   errors       no folder, no manifest, or a manifest that cannot be read */
MUST_CHECK bool manifest_verify(const char *dir, struct arena tmp, struct out *report,
                                ptrdiff_t *differences, struct err *e);

#endif
