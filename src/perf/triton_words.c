/* triton_words.c - operator names as they occur, joined by '_', in Triton kernel names.
 *
 * triton_words.txt holds the 960 words of the operator namespaces of torch 2.11, one a
 * line in bytewise order, because the search halves the text. */
#include "perf/cost.h"

extern const char triton_words_at[], triton_words_end[]; /* triton_bytes.S */

enum { LONGEST = 52 };

bool triton_word(struct str word)
{
    struct str text = {triton_words_at, triton_words_end - triton_words_at};
    while (text.n > 0) {
        ptrdiff_t line = text.n / 2;
        while (line > 0 && text.p[line - 1] != '\n')
            line--;
        struct str after = str_skip(text, line);
        int order = str_cmp(word, str_take(&after, S("\n")));
        if (order == 0)
            return true;
        text = order < 0 ? str_head(text, line) : after;
    }
    return false;
}

ptrdiff_t triton_word_longest(void)
{
    return LONGEST;
}
