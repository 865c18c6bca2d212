/* manifest.h - MANIFEST.txt: what a folder of ours holds, and whether it still does.
 *
 *   # tracefolio manifest 1: sha256, bytes, path
 *   9f86d081...  4  assets/report.css
 *
 * Every other file of the folder, sorted by the bytes of its path. The first line is
 * also the mark by which a folder is known as ours. Symbolic links are never followed.
 */
#ifndef RENDER_MANIFEST_H
#define RENDER_MANIFEST_H

#include "base/err.h"
#include "base/str.h"

#include <stddef.h>

struct arena;
struct out;

#define MANIFEST_NAME "MANIFEST.txt"
#define MANIFEST_MARK "# tracefolio manifest 1: sha256, bytes, path\n"

/* Whether the file `name` in the open folder begins with the mark. */
bool manifest_marks(int folder_fd, const char *name);

/* Write dir/MANIFEST.txt. A file whose name is not one of ours (zip_file.h) is an
 * error. */
MUST_CHECK bool manifest_write(const char *dir, struct arena tmp, struct err *e);

/* Compare a folder with its manifest, a line for each difference:
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
