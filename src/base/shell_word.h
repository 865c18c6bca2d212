/* shell_word.h - any text as one word of a command line. */
#ifndef BASE_SHELL_WORD_H
#define BASE_SHELL_WORD_H

#include "base/arena.h"
#include "base/str.h"

/* Quoted for a POSIX shell, whatever is in it. */
struct str shell_word(struct arena *a, struct str s);

#endif
