#include "commands/tlparse_folder.h"

#include "analysis/stack/compiled.h"
#include "base/arena.h"
#include "base/link_path.h"
#include "base/list_next.h"
#include "render/folder/publish.h"
#include "report/report_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LINKS_MAX = 1 << 20 };

/* "0" to "1073741823", as tlparse prints it: no sign, no zeros in front. */
static bool read_number(struct str text, int32_t *number)
{
    int64_t n;
    if (!str_int(text, &n) || n < 0 || n >= 1 << 30 || text.p[0] == '-' ||
        (text.p[0] == '0' && text.n > 1))
        return false;
    *number = (int32_t)n;
    return true;
}

/* Of "-_0_2_0" or "0_2_0". Frames of compiled autograd are not regions of a trace. */
static bool read_name(struct str name, struct compiled_link *l)
{
    if (str_starts(name, S("-_")))
        name = str_skip(name, 2);
    struct str frame = str_take(&name, S("_")), version = str_take(&name, S("_"));
    return read_number(frame, &l->frame) && read_number(version, &l->version) &&
           read_number(name, &l->attempt);
}

static struct str href_of(struct arena *perm, struct str base,
                          const struct compiled_link *l)
{
    struct str id = str_printf(perm, "%d/%d", l->frame, l->version);
    if (l->attempt)
        id = str_printf(perm, "%.*s_%d", STRF(id), l->attempt);
    return str_printf(perm, "%.*s/index.html#%%5B%.*s%%5D", STRF(base), STRF(id));
}

static bool is_kind(DIR *d, const char *name, mode_t kind)
{
    struct stat st;
    return fstatat(dirfd(d), name, &st, 0) == 0 && (st.st_mode & S_IFMT) == kind;
}

static void take_links(struct arena *perm, DIR *d, struct str base,
                       struct report_options *o, int *why)
{
    for (struct dirent *entry; (entry = list_next(d, why)) && o->n_links < LINKS_MAX;) {
        struct compiled_link l;
        if (!read_name(str_of(entry->d_name), &l) ||
            !is_kind(d, entry->d_name, S_IFDIR))
            continue;
        l.href = href_of(perm, base, &l);
        arena_grow(perm, o->links, o->n_links);
        o->links[o->n_links++] = l;
    }
}

static bool refuse(const char *folder, const char *says, struct err *e)
{
    return err_set(e, ERR_INPUT, folder, -1, "--tlparse: %s", says);
}

bool tlparse_read(struct arena *perm, const char *folder, const struct publish *report,
                  struct report_options *o, struct err *e)
{
    char full[PUBLISH_PATH_BYTES];
    DIR *d = opendir(folder);
    if (!d || !realpath(folder, full)) {
        int why = errno;
        if (d)
            closedir(d);
        return refuse(folder, why == ENOTDIR ? "expected a folder" : strerror(why), e);
    }
    int why = 0;
    struct str pages = str_printf(perm, "%s/%s", report->parent, report->name);
    struct str base = link_encoded(perm, link_between(perm, pages, str_of(full)));
    bool has_index = is_kind(d, "index.html", S_IFREG),
         has_ranks = is_kind(d, "rank_0", S_IFDIR);
    if (has_index)
        take_links(perm, d, base, o, &why);
    o->n_links = compiled_links_settle(o->links, o->n_links);
    closedir(d);
    if (why)
        return refuse(folder, strerror(why), e);
    return (has_index && o->n_links) ||
           refuse(folder,
                  has_ranks ? "it holds folders of ranks; name one of them, rank_0 ..."
                            : "expected what tlparse writes: index.html and folders "
                              "such as -_0_0_0",
                  e);
}
