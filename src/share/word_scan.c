#include "share/word_scan.h"

#include "base/file_head.h"
#include "base/list_next.h"
#include "base/utf8.h"
#include "share/unpack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LIST_BYTES_MAX = 1 << 20 };
static const int64_t FILE_BYTES_MAX = (int64_t)1 << 33;

bool forbidden_read(struct arena *perm, const char *path, struct forbidden *f,
                    struct err *e)
{
    struct str text;
    *f = (struct forbidden){0};
    if (!file_head(perm, path, LIST_BYTES_MAX, &text, e))
        return false;
    while (text.n) {
        struct str word = str_trim(str_take(&text, S("\n")));
        if (!word.n || *word.p == '#')
            continue;
        if (word.n < 3)
            return err_set(e, ERR_INPUT, path, -1,
                           "'%.*s' is too short a word: it would be found by chance",
                           STRF(word));
        arena_grow(perm, f->words, f->n);
        f->words[f->n++] = word;
    }
    return f->n ? true : err_set(e, ERR_INPUT, path, -1, "names no word");
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static struct str lowered(struct arena *a, struct str s)
{
    char *p = arena_take_raw(a, 1, 1, s.n + 1);
    for (ptrdiff_t i = 0; i < s.n; i++)
        p[i] = lower(s.p[i]);
    return (struct str){p, s.n};
}

static int code_at(struct str s, ptrdiff_t at, int digits, int base)
{
    char buf[12];
    if (digits <= 0 || digits > 10 || at + digits > s.n)
        return -1;
    memcpy(buf, s.p + at, (size_t)digits);
    buf[digits] = '\0';
    char *end;
    long v = strtol(buf, &end, base);
    return *end || v < 0 || v > 0x10ffff ? -1 : (int)v;
}

/* What an entity stands for, and how long it is; 0: it is none. */
static ptrdiff_t entity(struct str s, int *code)
{
    static const struct {
        struct str name;
        int code;
    } known[] = {{S_INIT("&amp;"), '&'},  {S_INIT("&lt;"), '<'},
                 {S_INIT("&gt;"), '>'},   {S_INIT("&quot;"), '"'},
                 {S_INIT("&#39;"), '\''}, {S_INIT("&apos;"), '\''},
                 {S_INIT("&nbsp;"), ' '}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (str_starts(s, known[k].name)) {
            *code = known[k].code;
            return known[k].name.n;
        }
    ptrdiff_t end = str_find(str_head(s, 12), S(";"));
    bool hex = s.n > 2 && (s.p[2] == 'x' || s.p[2] == 'X');
    if (end < 3 || !str_starts(s, S("&#")))
        return 0;
    *code = code_at(s, hex ? 3 : 2, (int)end - (hex ? 3 : 2), hex ? 16 : 10);
    return *code < 0 ? 0 : end + 1;
}

/* An escape of JSON, of a script or of markdown. */
static ptrdiff_t escape(struct str s, int *code)
{
    if (s.n < 2)
        return 0;
    if (s.p[1] == 'u' && (*code = code_at(s, 2, 4, 16)) >= 0)
        return 6;
    if (s.p[1] == 'x' && (*code = code_at(s, 2, 2, 16)) >= 0)
        return 4;
    *code = (unsigned char)s.p[1];
    return 2;
}

/* Without tags, with entities and escapes read, and without the backticks of code. */
static struct str as_read(struct arena *a, struct str s)
{
    char *p = arena_take_raw(a, 1, 1, s.n + 8);
    ptrdiff_t n = 0;
    while (s.n > 0) {
        int code = -1;
        ptrdiff_t used = *s.p == '&'    ? entity(s, &code)
                         : *s.p == '\\' ? escape(s, &code)
                                        : 0;
        ptrdiff_t end =
            *s.p == '<' ? str_find(str_head(s, 4096), S(">")) : (ptrdiff_t)-1;
        if (used)
            n += utf8_bytes(p + n, (uint32_t)code);
        else if (end > 0)
            used = end + 1;
        else if (used = 1, *s.p != '`')
            p[n++] = *s.p;
        s = str_skip(s, used);
    }
    return (struct str){p, n};
}

static void hit(struct arena *perm, struct word_hits *hits, struct str word,
                struct str where)
{
    for (int i = 0; i < hits->n; i++)
        if (str_eq(hits->at[i].where, where) && str_eq(hits->at[i].word, word))
            return;
    if (hits->n >= SCAN_HITS_MAX)
        return;
    arena_grow(perm, hits->at, hits->n);
    hits->at[hits->n++] = (struct word_hit){word, str_copy(perm, where)};
}

static bool holds(struct str low, struct str word)
{
    return low.n >= word.n && memmem(low.p, (size_t)low.n, word.p, (size_t)word.n);
}

/* A text of any kind, on its own. */
static void scan_text(const struct forbidden *f, struct str name, struct str bytes,
                      struct arena *perm, struct arena tmp, struct word_hits *hits)
{
    struct str low = lowered(&tmp, bytes), read = lowered(&tmp, as_read(&tmp, bytes));
    struct str called = lowered(&tmp, name);
    for (int k = 0; k < f->n; k++) {
        struct str word = lowered(&tmp, f->words[k]);
        if (holds(low, word) || holds(read, word) || holds(called, word))
            hit(perm, hits, f->words[k], name);
    }
}

struct scan {
    const struct forbidden *f;
    struct arena *perm;
    struct word_hits *hits;
    struct str name;
    int depth;
};

static void scan_any(const struct scan *s, struct str bytes, struct arena tmp);

static void scan_part(void *context, struct str name, struct str bytes,
                      struct arena tmp)
{
    const struct scan *outer = context;
    struct scan inner = *outer;
    inner.name = str_printf(&tmp, "%.*s: %.*s", STRF(outer->name), STRF(name));
    inner.depth++;
    scan_any(&inner, bytes, tmp);
}

static void scan_any(const struct scan *outer, struct str bytes, struct arena tmp)
{
    struct scan s = *outer;
    scan_text(s.f, s.name, bytes, s.perm, tmp, s.hits);
    if (s.depth < SCAN_DEPTH_MAX)
        unpack(bytes, tmp, scan_part, &s);
}

void scan_bytes(const struct forbidden *f, struct str name, struct str bytes,
                struct arena *perm, struct arena tmp, struct word_hits *hits)
{
    struct scan s = {f, perm, hits, name, 0};
    scan_any(&s, bytes, tmp);
}

static bool scan_file(const struct forbidden *f, const char *path, struct str name,
                      int64_t size, struct arena *perm, struct arena tmp,
                      struct word_hits *hits, struct err *e)
{
    struct str bytes;
    if (size > FILE_BYTES_MAX)
        return err_set(e, ERR_INPUT, path, -1, "is too large to be scanned");
    if (!file_head(&tmp, path, size + 1, &bytes, e))
        return false;
    scan_bytes(f, name, bytes, perm, tmp, hits);
    return true;
}

static bool scan_below(const struct forbidden *f, const char *dir, struct str below,
                       int depth, struct arena *perm, struct arena tmp,
                       struct word_hits *hits, struct err *e)
{
    enum { FOLDERS_DEEP = 16 };
    DIR *d = opendir(dir);
    struct dirent *entry;
    bool done = true;
    int why = 0;
    if (!d)
        return err_set(e, ERR_INPUT, dir, -1, "cannot be listed: %s", strerror(errno));
    while (done && (entry = list_next(d, &why))) {
        struct arena here = tmp;
        struct stat st;
        const char *path = str_c(&here, str_printf(&here, "%s/%s", dir, entry->d_name));
        struct str name = str_printf(&here, "%.*s%s%s", STRF(below), below.n ? "/" : "",
                                     entry->d_name);
        if (lstat(path, &st) != 0 || (S_ISDIR(st.st_mode) && depth == FOLDERS_DEEP))
            done = err_set(e, ERR_INPUT, path, -1, "cannot be scanned: %s",
                           depth == FOLDERS_DEEP ? "too many folders in folders"
                                                 : strerror(errno));
        else if (S_ISDIR(st.st_mode))
            done = scan_below(f, path, name, depth + 1, perm, here, hits, e);
        else if (S_ISREG(st.st_mode))
            done = scan_file(f, path, name, st.st_size, perm, here, hits, e);
    }
    closedir(d);
    return !why ? done
                : err_set(e, ERR_INPUT, dir, -1, "cannot be listed: %s", strerror(why));
}

static int by_place(const void *a, const void *b)
{
    const struct word_hit *x = a, *y = b;
    int order = str_cmp(x->where, y->where);
    return order ? order : str_cmp(x->word, y->word);
}

bool scan_folder(const struct forbidden *f, const char *dir, struct arena *perm,
                 struct arena tmp, struct word_hits *hits, struct err *e)
{
    if (!scan_below(f, dir, S(""), 0, perm, tmp, hits, e))
        return false;
    if (hits->n > 1)
        qsort(hits->at, (size_t)hits->n, sizeof *hits->at, by_place);
    return true;
}

bool scan_tell(const struct word_hits *hits, const char *list, struct err *e)
{
    for (int i = 0; i < hits->n; i++) {
        char line[2048], seen[2 * sizeof line];
        snprintf(line, sizeof line, "%.*s: holds '%.*s'", STRF(hits->at[i].where),
                 STRF(hits->at[i].word));
        utf8_visible(seen, sizeof seen, str_of(line));
        fprintf(stderr, "tracefolio: %s\n", seen);
    }
    return !hits->n ||
           err_set(e, ERR_FORBIDDEN, NULL, -1, "--forbid: %d %s a word of %s", hits->n,
                   str_plural(hits->n, "place holds", "places hold"), list);
}

bool folder_allowed(const struct forbidden *f, const char *dir, const char *list,
                    struct arena *perm, struct arena tmp, struct err *e)
{
    struct word_hits hits = {0};
    return !f->n ||
           (scan_folder(f, dir, perm, tmp, &hits, e) && scan_tell(&hits, list, e));
}
