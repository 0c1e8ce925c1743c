/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/text/progress.h"

#include "emul/lib/text/format.h"
#include "emul/lib/text/width.h"
#include "runtime/base/printable.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

enum { LONGEST = 400 };

/* Not through stderr, which shows control characters instead of obeying them. */
void htmt__progress_line(const char *text)
{
    char plain[LONGEST];
    htmt_printable(text, plain, sizeof plain);
    dprintf(STDERR_FILENO, *plain ? "\r  %.*s\033[K" : "\r%.*s\033[K",
            htmt__text_width(STDERR_FILENO) - 3, plain);
}

/* "12 s", "3 min 05 s", "2 h 40 min" */
static void name_left(double seconds, char *text, size_t room)
{
    double minutes = floor(seconds / 60), hours = floor(minutes / 60);
    if (seconds < 60)
        snprintf(text, room, "%.0f s", seconds);
    else if (hours < 1)
        snprintf(text, room, "%.0f min %02.0f s", minutes, seconds - 60 * minutes);
    else
        snprintf(text, room, "%.0f h %02.0f min", hours, minutes - 60 * hours);
}

/* "43 %, about 12 s left, " */
static void expect(const struct htmt__progress_state *s, char *text, size_t room)
{
    char left[40];
    if (s->share < 0)
        snprintf(text, room, "share unknown, ");
    else if (s->share >= 1)
        snprintf(text, room, "beyond the expected time, ");
    else if (s->share >= 0.995)
        snprintf(text, room, "almost done, ");
    else if (s->share > 0) {
        name_left(ceil(s->wall * (1 - s->share) / s->share), left, sizeof left);
        snprintf(text, room, "%.0f %%, about %s left, ", 100 * s->share, left);
    } else
        snprintf(text, room, "0 %%, ");
}

static double rate(const struct htmt__progress_state *s)
{
    return s->wall > 0 ? (double)s->events / s->wall : 0;
}

static void describe(const struct htmt__progress_state *s, char text[LONGEST])
{
    char left[80];
    expect(s, left, sizeof left);
    if (!s->events && s->now == 0)
        snprintf(text, LONGEST, "%s", s->step);
    else
        snprintf(text, LONGEST, "%svirtual %s, wall %s, %s events, %s", left,
                 htmt__format_fs(s->now).s, htmt__format_si(s->wall, "s").s,
                 htmt__format_count(s->events).s, htmt__format_si(rate(s), "events/s").s);
}

/* A number, or null if it is below 0. */
static void number(double value, char text[40])
{
    snprintf(text, 40, value < 0 ? "null" : "%.6g", value);
}

/* The share stays below 1 as long as the work goes on. */
static void write_object(const struct htmt__progress_state *s)
{
    char share[40], left[40];
    bool known = s->share > 0 && s->share < 1;
    number(s->share < 0 ? -1 : fmin(s->share, 0.99), share);
    number(known ? s->wall * (1 - s->share) / s->share : -1, left);
    dprintf(STDERR_FILENO,
            "{\"run\": %u, \"step\": \"%s\", \"share\": %s, \"virtual_fs\": %" PRId64
            ", \"events\": %" PRIu64
            ", \"events_per_s\": %.6g, \"wall_s\": %.6g, \"left_s\": %s}\n",
            s->run, s->step, share, (int64_t)s->now, s->events, rate(s), s->wall, left);
}

static void write_line(const char *where, const char *text)
{
    char plain[LONGEST];
    htmt_printable(where, plain, sizeof plain);
    dprintf(STDERR_FILENO, "htmt %s: %s\n", plain, text);
}

void htmt__progress_write(enum htmt__progress_kind kind, const char *where,
                          const struct htmt__progress_state *s)
{
    char text[LONGEST];
    describe(s, text);
    if (kind == HTMT__PROGRESS_TERMINAL)
        htmt__progress_line(text);
    else if (kind == HTMT__PROGRESS_LINES)
        write_line(where, text);
    else if (kind == HTMT__PROGRESS_JSON)
        write_object(s);
}

int64_t htmt__progress_interval(enum htmt__progress_kind kind)
{
    static const int64_t second = 1000000000;
    return kind == HTMT__PROGRESS_LINES  ? 60 * second
           : kind == HTMT__PROGRESS_JSON ? second
                                         : second / 10;
}
