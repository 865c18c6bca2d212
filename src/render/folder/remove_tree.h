/* remove_tree.h - removes a folder with its contents, even if a signal ends the
 * program.
 *
 * A flat loop handles any depth and removes links, not their targets. It allocates
 * nothing and makes only system calls, so a signal handler may call it. */
#ifndef RENDER_FOLDER_REMOVE_TREE_H
#define RENDER_FOLDER_REMOVE_TREE_H

#include <signal.h>
#include <stdbool.h>

/* Removes `name` in parent_fd, a folder or a file. The file `last` (may be NULL) is
 * removed after everything else in the folder. What fails is tried once more: out of
 * descriptors, or a share that stumbles, may be over. */
bool remove_tree(int parent_fd, const char *name, const char *last);

/* Sets what a signal that ends the program (Ctrl-C, SIGTERM, SIGHUP, SIGPIPE ...) and
 * running out of memory remove before: at most one folder and one file at a time; NULL
 * for none. The exit status shows the signal as
 * usual. Call from the main thread. */
enum on_signal { ON_SIGNAL_FOLDER, ON_SIGNAL_FILE, ON_SIGNALS };
void on_signal_remove(enum on_signal what, int parent_fd, const char *name);

/* Blocks those signals while the file system and the last on_signal_remove must be
 * changed together. */
void signals_hold(sigset_t *before);
void signals_let(const sigset_t *before);

#endif
