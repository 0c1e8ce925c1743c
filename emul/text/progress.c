/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/text/progress.h"

#include "emul/text/format.h"
#include "emul/text/width.h"
#include "runtime/base/printable.h"

#include <math.h>
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
static void expect(double wall, double share, char *text, size_t room)
{
    char left[40];
    name_left(ceil(wall * (1 - share) / share), left, sizeof left);
    if (share >= 0.995)
        snprintf(text, room, "almost done, ");
    else if (share > 0)
        snprintf(text, room, "%.0f %%, about %s left, ", 100 * share, left);
    else
        *text = '\0';
}

void htmt__progress_clock(htmt_wide now, uint64_t events, double wall, double share)
{
    char text[LONGEST], left[80];
    expect(wall, share, left, sizeof left);
    snprintf(text, sizeof text, "%svirtual %s, wall %s, %s events, %s", left,
             htmt__format_fs(now).s, htmt__format_si(wall, "s").s, htmt__format_count(events).s,
             htmt__format_si((double)events / wall, "events/s").s);
    htmt__progress_line(text);
}
