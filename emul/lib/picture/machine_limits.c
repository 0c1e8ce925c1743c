/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the parts of a machine's picture draw alike: lines of text, and the bottlenecks of a run,
 * the worst of which have a number at their place and in the list below the picture.
 */
#include "emul/lib/picture/machine_parts.h"
#include "emul/lib/text/format.h"

#include <string.h>

#define BADGES 3 /* bottlenecks that are numbered in the picture */
#define LISTED 6

struct htmt__shape *htmt__machine_line(struct htmt__machine_picture *p, double x, double y,
                                       double room, const char *text)
{
    struct htmt__shape *m = htmt__sheet_text(p->sheet, x, y + 14, "%s", text);
    m->room = room;
    return m;
}

static void draw_badge(struct htmt__machine_picture *p, double x, double y, unsigned number)
{
    htmt__sheet_box(p->sheet, x, y, 17, 17, HTMT__ALARM)->round = 8.5;
    struct htmt__shape *m = htmt__sheet_text(p->sheet, x + 8.5, y + 13, "%u", number);
    m->ink = HTMT__PAPER;
    m->bold = true;
    m->size = 12;
    m->anchor = HTMT__ANCHOR_MIDDLE;
}

void htmt__machine_badge(struct htmt__machine_picture *p, double x, double y, const char *name,
                         bool space)
{
    struct htmt__machine_limit limit;
    const size_t length = strlen(name);
    for (unsigned i = 0; p->run && i < BADGES && htmt__machine_run_limit(p->run, i, &limit); i++)
        if (strncmp(limit.name, name, length) == 0 &&
            strcmp(limit.name + length, space ? " space" : "") == 0)
            draw_badge(p, x, y, i + 1);
}

double htmt__machine_list_limits(struct htmt__machine_picture *p, double y)
{
    struct htmt__machine_limit limit;
    htmt__sheet_text(p->sheet, HTMT__MACHINE_LEFT, y, "Bottlenecks, the worst first")->bold = true;
    for (unsigned i = 0; i < LISTED && htmt__machine_run_limit(p->run, i, &limit); i++) {
        y += HTMT__MACHINE_LINE + 3;
        if (i < BADGES)
            draw_badge(p, HTMT__MACHINE_LEFT, y - 13, i + 1);
        htmt__sheet_text(p->sheet, HTMT__MACHINE_LEFT + 26, y,
                         "%s: %s %s, %.4g waiting on average%s", limit.name,
                         htmt__format_share(limit.used).s,
                         strstr(limit.name, " space") ? "full" : "in use", limit.waiting,
                         limit.binding ? "; it limits the run" : "")
            ->bold = limit.binding;
    }
    return y + 26;
}
