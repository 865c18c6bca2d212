#include "commands/write_folder.h"

#include "commands/write_early.h"
#include "commands/write_excerpts.h"

#include "analysis/trace_analyse.h"
#include "ci/ci_run.h"
#include "export/pipeline_json.h"
#include "render/folder/pipeline_write.h"
#include "render/folder/publish.h"
#include "render/folder/replay_zip.h"
#include "render/markdown/markdown_reports.h"
#include "render/page/chart_files.h"
#include "render/page/page_replay.h"
#include "render/page/single_file.h"
#include "render/page/site.h"

#include <pthread.h>
#include <stdatomic.h>

/* What both threads write. */
struct shared {
    const struct options *o;
    const struct folder_content *content;
    struct chart_files charts; /* complete from CHARTS_LISTED on */
    struct report_charts pictures;
    const struct publish *folder;
    struct arena *perm, tmp; /* the first thread's */
    atomic_uint begun;       /* bits of parts, by whichever thread is free */
    atomic_int picture;      /* the next to write, likewise */
    pthread_t first;         /* that writes the site */
    pthread_mutex_t lock;
    pthread_cond_t more;
    unsigned written; /* bits of parts, WRITTEN_EARLY and CHARTS_LISTED */
    bool failed;
    struct site_pages *pages; /* for the second thread to help with */
    bool asked, helping;      /* asked: whether there are any is known */
};

enum {
    PARTS = 4, /* of the second thread's, which the first helps with */
    WRITTEN_EARLY = 1u << PARTS,
    CHARTS_LISTED = 2 * WRITTEN_EARLY,
    WRITTEN_LINKED = WRITTEN_EARLY | 1u << 0, /* write_excerpts */
    WRITTEN_ALL = 2 * WRITTEN_EARLY - 1
};

static bool tell(struct shared *s, unsigned what, bool done)
{
    pthread_mutex_lock(&s->lock);
    s->written |= what;
    s->failed |= !done;
    pthread_cond_broadcast(&s->more);
    pthread_mutex_unlock(&s->lock);
    return done;
}

/* Whether all of `what` is written; if `wait`, then or never. */
static bool is_written(struct shared *s, unsigned what, bool wait)
{
    pthread_mutex_lock(&s->lock);
    while (wait && !s->failed && (s->written & what) != what)
        pthread_cond_wait(&s->more, &s->lock);
    bool written = (s->written & what) == what && !(wait && s->failed);
    pthread_mutex_unlock(&s->lock);
    return written;
}

/* Listed by the first thread, while the second has begun; that waits for it. */
static bool have_charts(struct shared *s)
{
    const struct options *o = s->o;
    if (!pthread_equal(pthread_self(), s->first))
        return is_written(s, CHARTS_LISTED, true);
    if (is_written(s, CHARTS_LISTED, false))
        return true;
    /* Who asks for PNG and nothing else asks for every chart. */
    s->charts = chart_files_list(s->perm, s->tmp, s->content->report,
                                 o->all_pictures || o->formats == FORMAT_PNG);
    if (o->formats & FORMAT_PNG)
        s->pictures = chart_files_main(s->perm, &s->charts);
    return tell(s, CHARTS_LISTED, true);
}

static bool write_data(struct shared *s, struct arena tmp, struct err *e)
{
    unsigned kinds = (s->o->formats & FORMAT_JSON ? PIPELINE_TREES : 0u) |
                     (s->o->formats & FORMAT_CSV ? PIPELINE_TABLES : 0u);
    if (!kinds)
        return true;
    struct arena perm = arena_first_half(&tmp);
    struct pipeline_files files = pipeline_files_build(&perm, tmp, s->content->data);
    bool done = pipeline_write(&files, s->content->report, &s->content->ci->gates,
                               kinds, s->folder, tmp, e);
    pipeline_files_close(&files);
    return done;
}

static bool write_markdown(struct shared *s, struct arena tmp, struct err *e)
{
    const struct folder_content *c = s->content;
    return !(s->o->formats & FORMAT_MD) ||
           (have_charts(s) &&
            markdown_write(c->report, &s->pictures, &c->markdown, s->folder, tmp, e));
}

static bool write_excerpts(struct shared *s, struct arena tmp, struct err *e)
{
    return early_excerpts(s->content->early, tmp, e);
}

/* What builds read. */
static bool write_ci(struct shared *s, struct arena tmp, struct err *e)
{
    unsigned formats = s->o->formats;
    return ci_in_folder(s->content->ci, s->folder, formats & FORMAT_JSON,
                        formats & FORMAT_MD, formats & FORMAT_SITE, tmp, e);
}

/* First what many pages link to; the largest last, for the thread that writes the site
 * and should not be kept from it. */
static bool (*const parts[PARTS])(struct shared *, struct arena, struct err *) = {
    write_excerpts, write_ci, write_markdown, write_data};

/* A part that nobody has begun, or PARTS. */
static int take_part(struct shared *s)
{
    bool site = pthread_equal(pthread_self(), s->first);
    for (int i = 0; i < PARTS; i++) {
        int k = site || i == 0 ? i : PARTS - i;
        if (!(atomic_fetch_or(&s->begun, 1u << k) & 1u << k))
            return k;
    }
    return PARTS;
}

/* Takes parts that nobody has taken until all of `what` is written or none is left. */
static bool write_parts(struct shared *s, unsigned what, struct arena tmp,
                        struct err *e)
{
    bool done = true;
    int k;
    while (done && !is_written(s, what, false) && (k = take_part(s)) < PARTS)
        done = tell(s, 1u << k, parts[k](s, tmp, e));
    return done;
}

static bool write_pictures(struct shared *s, struct arena tmp, struct err *e)
{
    return !(s->o->formats & FORMAT_PNG) ||
           (have_charts(s) && chart_files_png(&s->charts, &s->picture,
                                              s->content->theme, s->folder, tmp, e));
}

/* site_options.wait */
static bool wait_for_files(void *context, bool all, struct arena tmp, struct err *e)
{
    struct shared *s = context;
    unsigned what = all ? WRITTEN_ALL : WRITTEN_LINKED;
    return write_parts(s, what, tmp, e) &&
           (is_written(s, what, false) || write_pictures(s, tmp, e)) &&
           is_written(s, what, true);
}

/* site_options.share */
static void share_pages(void *context, struct site_pages *pages)
{
    struct shared *s = context;
    pthread_mutex_lock(&s->lock);
    s->pages = pages;
    s->asked = true;
    pthread_cond_broadcast(&s->more);
    while (!pages && s->helping)
        pthread_cond_wait(&s->more, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

/* The second thread, after its own: pages, if the site has any to share. */
static bool help_with_pages(struct shared *s, struct arena tmp, struct err *e)
{
    pthread_mutex_lock(&s->lock);
    while (!s->asked)
        pthread_cond_wait(&s->more, &s->lock);
    struct site_pages *pages = s->pages;
    s->helping = pages != NULL;
    pthread_mutex_unlock(&s->lock);
    bool done = !pages || site_help(pages, tmp, e);
    pthread_mutex_lock(&s->lock);
    s->helping = false;
    pthread_mutex_unlock(&s->lock);
    return tell(s, 0, done);
}

/* The second thread. */
struct apart {
    struct shared *shared;
    struct arena tmp; /* not shared; everything shared is only read */
    struct err err;
    bool done;
    struct beside thread;
};

static void write_apart(void *context)
{
    struct apart *b = context;
    struct shared *s = b->shared;
    b->done = tell(s, WRITTEN_EARLY, early_finish(s->content->early, &b->err)) &&
              write_parts(s, WRITTEN_ALL, b->tmp, &b->err) &&
              write_pictures(s, b->tmp, &b->err) &&
              (pthread_equal(pthread_self(), s->first) ||
               help_with_pages(s, b->tmp, &b->err));
}

static bool apart_finish(struct apart *b, struct err *e)
{
    beside_join(&b->thread);
    if (!b->done && e->kind == ERR_NONE)
        *e = b->err;
    return b->done;
}

static bool write_site(struct shared *s, const struct replay_file *packages,
                       struct arena tmp, struct err *e)
{
    const struct options *o = s->o;
    const struct folder_content *c = s->content;
    struct site_options site = {.theme = c->theme,
                                .charts = &s->charts,
                                .replay = c->replay,
                                .gates = &c->ci->gates,
                                .replay_files = packages,
                                .md = (o->formats & FORMAT_MD) != 0,
                                .xlsx = (o->formats & FORMAT_XLSX) != 0,
                                .csv = (o->formats & FORMAT_CSV) != 0,
                                .json = (o->formats & FORMAT_JSON) != 0,
                                .png = (o->formats & FORMAT_PNG) != 0,
                                .wait = wait_for_files,
                                .share = o->threads > 1 ? share_pages : NULL,
                                .writers = s,
                                .single = c->single,
                                .notes = c->notes,
                                .base_url = str_of(o->base_url)};
    return site_write(c->report, &site, o->formats & FORMAT_SITE ? s->folder : NULL,
                      tmp, e);
}

/* Puts the replay packages into the single file. */
static bool embed_packages(const struct folder_content *c,
                           const struct replay_file *packages, const struct publish *p,
                           struct arena tmp, struct err *e)
{
    for (int32_t i = 0; i < c->replay->n_packages; i++) {
        const struct replay_package *package = &c->replay->packages[i];
        const char *path = publish_path(p, &tmp, str_c(&tmp, package->file), e);
        if (!path ||
            !single_embed(c->single, package->file, S("replay.html"),
                          replay_row_id(&tmp, package), path, packages[i].bytes, e))
            return false;
    }
    return true;
}

/* What the first thread alone writes: pages link to the packages by their sizes. */
static bool write_pages(struct shared *s, struct arena *perm, struct arena tmp,
                        struct err *e)
{
    const struct options *o = s->o;
    const struct folder_content *c = s->content;
    const struct replay_file *packages = NULL;
    if (o->formats & FORMAT_REPLAY && c->replay->n_packages &&
        !(packages = replay_write(c->replay, s->folder, perm, tmp, e)))
        return false;
    if (o->embed_replay && !embed_packages(c, packages, s->folder, tmp, e))
        return false;
    bool has_pages = o->formats & FORMAT_SITE || c->single;
    return !has_pages || write_site(s, packages, tmp, e);
}

bool folder_write(const struct options *o, const struct folder_content *c,
                  const struct publish *p, struct arena *perm, struct arena tmp,
                  struct arena tmp2, struct err *e)
{
    struct shared shared = {.o = o,
                            .content = c,
                            .folder = p,
                            .perm = perm,
                            .tmp = tmp,
                            .first = pthread_self(),
                            .lock = PTHREAD_MUTEX_INITIALIZER,
                            .more = PTHREAD_COND_INITIALIZER};
    struct apart apart = {.shared = &shared, .tmp = tmp2};
    beside_start(&apart.thread, o->threads > 1, write_apart, &apart);
    bool done = have_charts(&shared) && write_pages(&shared, perm, tmp, e);
    share_pages(&shared, NULL);
    done = done && write_parts(&shared, WRITTEN_ALL, tmp, e) &&
           write_pictures(&shared, tmp, e);
    return apart_finish(&apart, e) && done;
}
