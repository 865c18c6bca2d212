/* list_next.h - the entries of a folder, one after the other */
#ifndef BASE_LIST_NEXT_H
#define BASE_LIST_NEXT_H

#include <dirent.h>

/* The next entry but . and ..; NULL at the end with *why 0, or where the folder cannot
 * be read on with *why its errno. */
struct dirent *list_next(DIR *folder, int *why);

#endif
