/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Progress goes to the descriptor, not through stderr: that stream escapes control characters,
 * which a line on a terminal needs to be written over. The rest of the time is guessed from the
 * share that is over, as if the run went on as fast: no better guess is as cheap, and it corrects
 * itself.
 */
#include "emul/lib/text/progress.h"

#include "emul/lib/text/format.h"
#include "emul/lib/text/page.h"
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

static double rate(const struct htmt__progress_state *s)
{
    return s->wall > 0 ? (double)s->events / s->wall : 0;
}

/* The rest of the time, if it goes on as it went: after a share x in w seconds, w (1 - x) / x. */
static double left_s(const struct htmt__progress_state *s)
{
    return s->wall * (1 - s->share) / s->share;
}

/* "43 %, about 3 min 05 s left, " */
static void expect(const struct htmt__progress_state *s, char *text, size_t room)
{
    if (s->share < 0) {
        snprintf(text, room, "share unknown, ");
    } else if (s->share >= 1) {
        snprintf(text, room, "beyond the expected time, ");
    } else if (s->share >= 0.995) {
        snprintf(text, room, "almost done, ");
    } else if (!(s->share > 0)) {
        snprintf(text, room, "0 %%, ");
    } else {
        double seconds = ceil(left_s(s)), minutes = floor(seconds / 60);
        double hours = floor(minutes / 60);
        int n = snprintf(text, room, "%.0f %%, about ", 100 * s->share);
        if (seconds < 60)
            snprintf(text + n, room - (size_t)n, "%.0f s left, ", seconds);
        else if (hours < 1)
            snprintf(text + n, room - (size_t)n, "%.0f min %02.0f s left, ", minutes,
                     seconds - 60 * minutes);
        else
            snprintf(text + n, room - (size_t)n, "%.0f h %02.0f min left, ", hours,
                     minutes - 60 * hours);
    }
}

/* The share stays below 1 as long as the work goes on. */
static void write_object(const struct htmt__progress_state *s)
{
    char share[40] = "null", left[40] = "null";
    if (s->share >= 0)
        snprintf(share, sizeof share, "%.6g", fmin(s->share, 0.99));
    if (s->share > 0 && s->share < 1)
        snprintf(left, sizeof left, "%.6g", left_s(s));
    dprintf(STDERR_FILENO,
            "{\"run\": %u, \"step\": \"%s\", \"share\": %s, \"virtual_fs\": %" PRId64
            ", \"events\": %" PRIu64
            ", \"events_per_s\": %.6g, \"wall_s\": %.6g, \"left_s\": %s}\n",
            s->run, s->step, share, (int64_t)s->now, s->events, rate(s), s->wall, left);
}

void htmt__progress_write(enum htmt__progress_kind kind, const char *where,
                          const struct htmt__progress_state *s)
{
    char text[LONGEST], plain[LONGEST], left[80];
    if (kind == HTMT__PROGRESS_JSON) {
        write_object(s);
        return;
    }
    expect(s, left, sizeof left);
    if (!s->events && s->now == 0)
        snprintf(text, sizeof text, "%s", s->step);
    else
        snprintf(text, sizeof text, "%svirtual %s, wall %s, %s events, %s", left,
                 htmt__format_fs(s->now).s, htmt__format_si(s->wall, "s").s,
                 htmt__format_count(s->events).s, htmt__format_si(rate(s), "events/s").s);
    if (kind == HTMT__PROGRESS_TERMINAL) {
        htmt__progress_line(text);
    } else if (kind == HTMT__PROGRESS_LINES) {
        htmt_printable(where, plain, sizeof plain);
        dprintf(STDERR_FILENO, "htmt %s: %s\n", plain, text);
    }
}

int64_t htmt__progress_interval(enum htmt__progress_kind kind)
{
    static const int64_t second = 1000000000;
    return kind == HTMT__PROGRESS_LINES  ? 60 * second
           : kind == HTMT__PROGRESS_JSON ? second
                                         : second / 10;
}
