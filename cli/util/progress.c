/* progress.c: the bar on standard error: percent, speed, time to go. */
#include "util/progress.h"
#include "ztile_expert.h"

#include "util/numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Work shorter than this shows no bar; a bar is drawn at most so often. Seconds. */
static const double first_after = 0.25, next_after = 0.1;

static int terminal_columns(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col < 200 ? size.ws_col : 200;
    return 80;
}

static void draw(struct progress *p, uint64_t done_bytes, double now)
{
    enum { BAR_COLUMNS = 40 };
    char size[CLI_TEXT_BYTES], speed[CLI_TEXT_BYTES], bar[BAR_COLUMNS + 1];
    double seconds = now - p->began;
    p->drawn = now;
    p->is_drawn = true;
    if (p->total_bytes == ZT_UNKNOWN || p->total_bytes == 0) {
        (void)fprintf(stderr, "\r%s %s%s\033[K", p->verb, format_size((double)done_bytes, size),
                      format_speed((double)done_bytes, seconds, speed));
        return;
    }
    double part = (double)done_bytes / (double)p->total_bytes;
    part = part > 1 ? 1 : part;
    int room = terminal_columns() - 45;
    int columns = room < 0 ? 0 : room < BAR_COLUMNS ? room : BAR_COLUMNS;
    int filled = (int)(part * columns);
    memset(bar, '#', (size_t)filled);
    memset(bar + filled, '.', (size_t)(columns - filled));
    bar[columns] = '\0';
    double left = part > 0 ? seconds * (1 - part) / part : 0;
    left = left < 359999 ? left : 359999;
    (void)fprintf(stderr, "\r%s [%s] %3.0f%%", p->verb, bar, 100 * part);
    if (!p->counts_steps)
        (void)fprintf(stderr, "%12s", format_speed((double)done_bytes, seconds, speed));
    if (part > 0)
        (void)fprintf(stderr, "  ETA %d:%02d", (int)left / 60, (int)left % 60);
    (void)fputs("\033[K", stderr);
}

/* zt_progress: done of total tiles of the slab at hand. */
static int tick(void *user, uint64_t done, uint64_t total)
{
    struct progress *p = user;
    double now = now_seconds();
    double part = total ? (double)done / (double)total : 1;
    if (part < p->part)
        p->done_bytes += p->slab_bytes;
    p->part = part;
    if (!p->is_on || now - p->began < first_after || now - p->drawn < next_after)
        return 0;
    draw(p, p->done_bytes + (uint64_t)(part * (double)p->slab_bytes), now);
    return 0;
}

void progress_begin(struct progress *p, const char *verb, uint64_t total_bytes, bool quiet,
                    zt_context *context)
{
    memset(p, 0, sizeof *p);
    p->is_on = !quiet && isatty(STDERR_FILENO);
    p->verb = verb;
    p->total_bytes = total_bytes;
    p->began = now_seconds();
    (void)zt_context_set_progress(context, p->is_on ? tick : NULL, p);
}

void progress_slab(struct progress *p, uint64_t bytes)
{
    p->done_bytes += p->slab_bytes;
    p->slab_bytes = bytes;
    p->part = 0;
    (void)tick(p, 0, 1);
}

void progress_end(struct progress *p)
{
    if (p->is_drawn)
        (void)fputs("\r\033[K", stderr);
    p->is_drawn = p->is_on = false;
}
