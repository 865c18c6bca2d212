#include "share/word_scan.h"

#include "base/file_head.h"
#include "base/list_next.h"
#include "base/terminal.h"
#include "base/unpack.h"
#include "share/readings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const int64_t FILE_BYTES_MAX = (int64_t)1 << 33;

/* A text is looked at in parts, so that its readings take no memory. Parts overlap by
 * more than any word with its tags and escapes is long. */
enum { PART_BYTES = 1 << 20, OVERLAP_BYTES = 1 << 17 };
_Static_assert(OVERLAP_BYTES >= 16 * FORBIDDEN_BYTES_MAX, "with tags in it");

static void hit(struct arena *perm, struct word_hits *hits, struct word_hit h)
{
    for (int i = 0; i < hits->n; i++)
        if (str_eq(hits->at[i].where, h.where) && str_eq(hits->at[i].word, h.word))
            return;
    if (hits->n >= SCAN_HITS_MAX)
        return;
    arena_grow(perm, hits->at, hits->n);
    h.where = str_copy(perm, h.where);
    hits->at[hits->n++] = h;
}

struct scan {
    const struct forbidden *f;
    struct arena *perm;
    struct word_hits *hits;
    struct str name;
    int depth;
};

static void unread(const struct scan *s, struct str name, const char *why)
{
    hit(s->perm, s->hits, (struct word_hit){.where = name, .why = why});
}

static void look(const struct scan *s, const struct text_part *t)
{
    for (int k = 0; k < s->f->n; k++)
        if (forbidden_find(&s->f->words[k], t, 0) >= 0)
            hit(s->perm, s->hits,
                (struct word_hit){.word = s->f->words[k].text, .where = s->name});
}

static void look_at(const struct scan *s, struct arena tmp, struct str text, bool first,
                    bool last)
{
    struct text_part t = text_part_of(&tmp, text, first, last);
    look(s, &t);
}

/* As it is, and as it is read. */
static void scan_text(const struct scan *s, struct str text, struct arena tmp)
{
    for (ptrdiff_t at = 0;; at += PART_BYTES - OVERLAP_BYTES) {
        struct arena here = tmp;
        struct str part = str_head(str_skip(text, at), PART_BYTES);
        bool first = at == 0, last = at + part.n == text.n;
        look_at(s, here, part, first, last);
        look_at(s, here, reading_of_markup(&here, part, true), first, last);
        if (part.n && memchr(part.p, '<', (size_t)part.n))
            look_at(s, here, reading_of_markup(&here, part, false), first, last);
        if (part.n && memchr(part.p, 0, (size_t)part.n))
            look_at(s, here, reading_of_wide(&here, part), first, last);
        if (last)
            break;
    }
}

static bool is_plain(char c)
{
    return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t';
}

/* Whether what is around a word is text, too: in any other bytes words of three letters
 * are there by chance. */
static bool is_in_text(struct str s, ptrdiff_t at, ptrdiff_t n)
{
    enum { AROUND = 8 };
    ptrdiff_t from = at > AROUND ? at - AROUND : 0, end = at + n + AROUND;
    for (ptrdiff_t i = from; i < end && i < s.n; i++)
        if (!is_plain(s.p[i]) && (i < at || i >= at + n))
            return false;
    return true;
}

static void scan_any(const struct scan *outer, struct str bytes, struct arena tmp);

/* A run of base64 begins where its first letter does, unless other letters are in front
 * of it. */
static void scan_base64(const struct scan *outer, struct str run, struct arena tmp)
{
    enum { LETTERS = 4 };
    struct scan s = *outer;
    s.name = str_printf(&tmp, "%.*s: base64", STRF(outer->name));
    s.depth++;
    for (int skipped = 0; skipped < LETTERS && skipped < run.n; skipped++) {
        struct arena here = tmp;
        struct str bytes = reading_of_base64(&here, run, skipped);
        if (!skipped && unpack_is_packed(bytes))
            scan_any(&s, bytes, here);
        struct text_part t = text_part_of(&here, bytes, true, true);
        for (int k = 0; k < s.f->n; k++) {
            const struct forbidden_word *w = &s.f->words[k];
            ptrdiff_t at = forbidden_find(w, &t, 0);
            while (at >= 0 && !is_in_text(bytes, at, w->low.n))
                at = forbidden_find(w, &t, at + 1);
            if (at >= 0)
                hit(s.perm, s.hits,
                    (struct word_hit){.word = w->text, .where = s.name});
        }
    }
}

static void scan_part(void *context, struct str name, struct str bytes,
                      struct arena tmp)
{
    const struct scan *outer = context;
    struct scan inner = *outer;
    inner.name = str_printf(&tmp, "%.*s: %.*s", STRF(outer->name), STRF(name));
    inner.depth++;
    scan_any(&inner, bytes, tmp);
}

static void part_unread(void *context, struct str name, const char *why)
{
    const struct scan *s = context;
    char where[2048];
    snprintf(where, sizeof where, "%.*s%s%.*s", STRF(s->name), name.n ? ": " : "",
             STRF(name));
    unread(s, str_of(where), why);
}

static void scan_any(const struct scan *outer, struct str bytes, struct arena tmp)
{
    struct scan s = *outer;
    struct str wide = reading_of_utf16(&tmp, bytes), rest = bytes, run;
    look_at(&s, tmp, s.name, true, true);
    scan_text(&s, bytes, tmp);
    if (wide.n)
        scan_text(&s, wide, tmp);
    if (s.depth < SCAN_DEPTH_MAX)
        unpack(bytes, tmp,
               &(struct unpacking){
                   .context = &s, .part = scan_part, .unread = part_unread});
    else if (unpack_is_packed(bytes))
        unread(&s, s.name, "archives in it are nested too deep");
    if (unpack_is_packed(bytes))
        return; /* bytes by chance */
    for (struct arena here = tmp; reading_next_base64(&here, &rest, &run); here = tmp)
        scan_base64(&s, run, here);
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
        return err_set(e, ERR_INPUT, path, -1, "is too large to scan");
    if (!file_head(&tmp, path, size + 1, &bytes, e))
        return false;
    scan_bytes(f, name, bytes, perm, tmp, hits);
    return true;
}

/* A folder, which its name is looked at of, or what nothing can be said of. False: it
 * is a folder. */
static bool scan_other(const struct scan *s, const struct stat *st, struct arena tmp)
{
    look_at(s, tmp, s->name, true, true);
    if (!S_ISDIR(st->st_mode))
        unread(s, s->name,
               S_ISLNK(st->st_mode) ? "it is a link" : "it is a pipe or a device");
    return !S_ISDIR(st->st_mode);
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
                           depth == FOLDERS_DEEP ? "folders are nested too deep"
                                                 : strerror(errno));
        else if (S_ISREG(st.st_mode))
            done = scan_file(f, path, name, st.st_size, perm, here, hits, e);
        else
            done = scan_other(&(struct scan){f, perm, hits, name, 0}, &st, here) ||
                   scan_below(f, path, name, depth + 1, perm, here, hits, e);
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
    int n_unread = 0;
    for (int i = 0; i < hits->n; i++) {
        const struct word_hit *h = &hits->at[i];
        n_unread += h->why != NULL;
        if (h->why)
            terminal_line(stderr, "tracefolio: %.*s: not examined: %s", STRF(h->where),
                          h->why);
        else
            terminal_line(stderr, "tracefolio: %.*s: holds '%.*s'", STRF(h->where),
                          STRF(h->word));
    }
    int n = hits->n - n_unread;
    if (!hits->n)
        return true;
    if (!n)
        return err_set(e, ERR_FORBIDDEN, NULL, -1,
                       "--forbid: %d %s not examined for the words of %s", n_unread,
                       str_plural(n_unread, "place was", "places were"), list);
    return err_set(e, ERR_FORBIDDEN, NULL, -1, "--forbid: %d %s a word of %s%s", n,
                   str_plural(n, "place holds", "places hold"), list,
                   n_unread ? ", and not all was examined" : "");
}
