#include "base/list_next.h"

#include <errno.h>
#include <string.h>

struct dirent *list_next(DIR *folder, int *why)
{
    struct dirent *entry;
    do {
        errno = 0;
        entry = readdir(folder);
    } while (entry &&
             (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    *why = entry ? 0 : errno;
    return entry;
}
