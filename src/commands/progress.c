#include "commands/progress.h"

#include "base/terminal.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static double peak_mb(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_maxrss / 1e3;
}

static void clear_line(struct progress *p)
{
    if (p->line_open)
        terminal_raw(stderr, S("\r\033[K"));
    p->line_open = false;
}

void progress_open(struct progress *p, bool quiet, bool verbose)
{
    int64_t now = now_ns();
    *p = (struct progress){.shows = !quiet && isatty(2),
                           .verbose = verbose,
                           .started_ns = now,
                           .stage_ns = now};
}

static void end_stage(struct progress *p)
{
    int64_t now = now_ns();
    clear_line(p);
    if (p->verbose && p->stage)
        terminal_line(stderr, "%-10s %9.1f ms, peak %7.1f MB", p->stage,
                      (double)(now - p->stage_ns) / 1e6, peak_mb());
    p->stage_ns = now;
}

void progress_stage(struct progress *p, const char *stage)
{
    end_stage(p);
    p->stage = stage;
    if (p->shows && stage) {
        terminal_part(stderr, "%s ...", stage);
        fflush(stderr);
        p->line_open = true;
    }
}

void progress_kept(struct progress *p, const struct memory_kept *k)
{
    if (!p->verbose || !k->events)
        return;
    double events = (double)k->events;
    clear_line(p);
    terminal_line(
        stderr,
        "kept       bytes per event: store %.1f, trees %.1f, links %.1f, tables "
        "%.1f",
        (double)k->store / events, (double)k->trees / events, (double)k->links / events,
        (double)k->tables / events);
}

void progress_bytes(struct progress *p, int64_t bytes, double frac, int64_t events)
{
    if (!p->shows)
        return;
    clear_line(p);
    terminal_part(stderr, "%s: %.1f MB, %lld events", p->stage, (double)bytes / 1e6,
                  (long long)events);
    if (frac >= 0)
        terminal_part(stderr, ", %.0f%%", 100 * frac);
    fflush(stderr);
    p->line_open = true;
}

void progress_close(struct progress *p)
{
    end_stage(p);
    if (p->verbose)
        terminal_line(stderr, "%-10s %9.1f ms, peak %7.1f MB", "all",
                      (double)(now_ns() - p->started_ns) / 1e6, peak_mb());
}
