/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The Gantt chart of packets, in the colours of Pauer: rows of sources, channels out, ports and
 * their queues, channels in, nodes. Bars come sorted by place (gantt_bars.c), so a row is a run of
 * them. The rows are gone through three times: for the height, for what lies behind the lines of
 * time, for the bars.
 *
 * A packet is followed down the chart: it leaves in the row of its source, crosses ports in the
 * rows of switches, and comes in the row of its node, with the same two numbers on each bar. The
 * first one counts the messages of one end, the second one all packets in the order in which they
 * were created; so "1,3" is the second message of its source and the fourth packet of the run. A
 * row has more than one lane only where its bars overlap, as where a port has lanes of its own.
 */
#include "emul/view/picture/gantt.h"

#include "emul/lib/text/format.h"
#include "emul/view/picture/gantt_parts.h"
#include "emul/view/picture/time_axis.h"
#include "runtime/base/jansson.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

#define LEFT      172.0
#define PLOT      1000.0
#define RIGHT     28.0
#define TOP       78.0
#define LANE      17.0 /* height */
#define LANE_THIN 9.0  /* where a row has several */
#define GAP       3.0
#define GROUP_GAP 6.0
#define ROWS_MOST 600u
#define THIN      0.5 /* pixels: narrower bars of a pixel are one */

/* ---- words ----------------------------------------------------------------------------------- */

int htmt__gantt_rows_read(const char *text, unsigned *rows, struct htmt_fault *fault)
{
    static const char *const names[] = {"source", "out", "in", "ports", "queues", "nodes"};
    *rows = 0;
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const size_t length = strcspn(at, ",");
        unsigned i = 0;
        while (i < 6 && (strlen(names[i]) != length || strncmp(names[i], at, length)))
            i++;
        if (i == 6)
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "--rows: found '%.*s', expected some of source, out, in, ports, "
                                  "queues, nodes",
                                  (int)length, at);
        *rows |= 1u << i;
    }
    return 0;
}

/* ---- a row ----------------------------------------------------------------------------------- */

struct chart {
    const struct htmt_trace *trace;
    const struct htmt__gantt_bars *bars;
    struct htmt__sheet *sheet;
    struct htmt__time_axis axis;
    double y;
    uint32_t rows;
    bool behind; /* the bars */
};

/* A port has the name of its channel, a slice that of its end in the first network with an inside,
 * or its number; behind it the network, where the machine has several. */
static void name_row(const struct chart *c, const struct htmt__gantt_place *p, char *name,
                     size_t room)
{
    static const char *const what[] = {" source", " out", "", " in", ""};
    const struct htmt__trace_ports *ports = htmt__trace_ports(c->trace);
    const struct htmt_trace_info *info = htmt_trace_info(c->trace);
    const struct htmt__trace_inside *in =
        p->inside < ports->insides ? &ports->inside[p->inside] : NULL;
    if (p->group == 2) {
        char plane[24] = "";
        if (in->planes > 1)
            snprintf(plane, sizeof plane, ", plane %u", (unsigned)p->plane);
        snprintf(name, room, "%s%s%s", in->channel[p->at / 2].name, plane,
                 p->at % 2 ? " queue" : "");
        return;
    }
    const bool tell = *what[p->group] && p->group && info->networks > 1;
    const char *network = tell ? info->network[in ? in->network : p->inside - ports->insides] : "";
    char number[32];
    const char *end = number;
    snprintf(number, sizeof number, "slice %u", (unsigned)p->at);
    for (uint32_t i = 0; ports->insides && i < ports->inside->elements; i++)
        if (ports->inside->element[i].slice == p->at) {
            end = ports->inside->element[i].name;
            break;
        }
    snprintf(name, room, "%s%s%s%s", end, tell ? " " : "", network, what[p->group]);
}

/* A bar, and "index,number" on it: of receiving rows that at the receiver. Bars of a pixel that are
 * narrow are one; *drawn is where the last one ended. */
static void draw_bar(const struct chart *c, const struct htmt__gantt_bar *b, double y,
                     double height, double *drawn)
{
    const struct htmt__gantt_packet *p = b->packet;
    const uint32_t fill = htmt__state_colour(HTMT__PALETTE_GANTT, b->state);
    const double x = htmt__time_place(&c->axis, b->from);
    const double width = htmt__time_place(&c->axis, b->to) - x;
    const double size = height < LANE - GAP ? height : 10.5;
    if (width < THIN && x + width < *drawn + THIN)
        return;
    *drawn = x + width;
    struct htmt__shape *m =
        htmt__sheet_box(c->sheet, x, y, width < THIN ? THIN : width, height, fill);
    m->thick = width > 3 ? 0.5 : 0;
    if (!p || width < 14)
        return;
    m = htmt__sheet_text(c->sheet, x + width / 2, y + height / 2 + size * 0.36, "%u,%llu",
                         b->place.group == 3 ? p->came_as : p->sent_as,
                         (unsigned long long)p->created);
    m->anchor = HTMT__ANCHOR_MIDDLE;
    m->size = size;
    m->room = width - 2;
    m->rare = true;
    m->ink = htmt__text_colour(fill);
}

static uint32_t lanes_of(const struct htmt__gantt_bars *b, size_t first, size_t end)
{
    uint32_t lanes = 1;
    for (size_t i = first; i < end; i++)
        lanes = b->at[i].lane + 1 > lanes ? b->at[i].lane + 1 : lanes;
    return lanes;
}

static double lane_height(uint32_t lanes)
{
    return lanes > 1 ? LANE_THIN : LANE;
}

/* Bars [first, end) of one place; or, before the lines of time, what lies behind these: the name of
 * the row, and the shade of every other one. */
static void draw_row(struct chart *c, size_t first, size_t end)
{
    const struct htmt__gantt_bar *bar = c->bars->at;
    const uint32_t lanes = lanes_of(c->bars, first, end);
    const double lane = lane_height(lanes), height = lanes * lane + GAP;
    double drawn[HTMT__GANTT_LANES] = {0};
    if (c->behind) {
        const struct htmt__gantt_place *p = &bar[first].place;
        char name[200];
        name_row(c, p, name, sizeof name);
        if (c->rows % 2)
            htmt__sheet_box(c->sheet, LEFT, c->y, PLOT, height, HTMT__SHADED)->thick = 0;
        struct htmt__shape *m =
            htmt__sheet_text(c->sheet, LEFT - 8, c->y + height / 2 + 4.5, "%s", name);
        m->anchor = HTMT__ANCHOR_RIGHT;
        m->room = LEFT - 16;
        m->size = 12;
        m->ink = p->group == 2 && p->at % 2 ? HTMT__FADED : HTMT__INK;
    }
    for (size_t i = first; i < end && !c->behind; i++)
        draw_bar(c, &bar[i], c->y + GAP / 2 + bar[i].lane * lane, lane - (lanes > 1),
                 &drawn[bar[i].lane]);
    c->y += height;
    c->rows++;
}

static size_t end_of_row(const struct htmt__gantt_bars *b, size_t first)
{
    size_t end = first + 1;
    while (end < b->count && !htmt__gantt_place_compare(&b->at[first].place, &b->at[end].place))
        end++;
    return end;
}

static bool begins_group(const struct htmt__gantt_bars *b, size_t first)
{
    return first && b->at[first].place.group != b->at[first - 1].place.group;
}

static void draw_rows(struct chart *c, bool behind)
{
    const struct htmt__gantt_bars *b = c->bars;
    c->behind = behind;
    c->rows = 0;
    c->y = TOP;
    for (size_t first = 0, end; first < b->count; first = end) {
        end = end_of_row(b, first);
        if (begins_group(b, first)) {
            c->y += GROUP_GAP;
            htmt__sheet_line(c->sheet, 12, c->y - GROUP_GAP / 2, LEFT + PLOT, c->y - GROUP_GAP / 2)
                ->ink = HTMT__FADED;
        }
        draw_row(c, first, end);
    }
}

/* ---- the sheet ------------------------------------------------------------------------------- */

static int draw_bars(const struct htmt_trace *t, const struct htmt__gantt_bars *b,
                     struct htmt__sheet *sheet, struct htmt_fault *fault)
{
    static const char *const words[HTMT__PAUER] = {"start-up", "sends, receives", "computes",
                                                   "sends while others queue here; a packet queues",
                                                   "idle: its way is blocked elsewhere"};
    const struct htmt_trace_info *info = htmt_trace_info(t);
    struct htmt__drawing *d = &sheet->drawing;
    struct chart c = {.trace = t,
                      .bars = b,
                      .sheet = sheet,
                      .axis = {b->request->from, b->request->to, LEFT, PLOT},
                      .y = TOP};
    uint32_t rows = 0;
    double height = 0;
    for (size_t first = 0, end; first < b->count; first = end, rows++) {
        end = end_of_row(b, first);
        const uint32_t lanes = lanes_of(b, first, end);
        height += lanes * lane_height(lanes) + GAP + (begins_group(b, first) ? GROUP_GAP : 0);
    }
    if (!rows)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "the trace has nothing for these rows, slices and that time");
    if (rows > ROWS_MOST)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "the chart would have %u rows, expected at most %u: --window, "
                              "--slices and --rows choose fewer",
                              (unsigned)rows, ROWS_MOST);
    struct htmt__shape *m =
        htmt__sheet_text(sheet, 14, 25, "%s%s%s, %s: %s%s%s", info->app, *info->app ? " on " : "",
                         info->machine, info->mode, htmt__format_fs(info->end).s,
                         info->filtered ? ", FILTERED" : "", info->complete ? "" : ", INCOMPLETE");
    m->bold = true;
    m->size = 16;
    m->room = LEFT + PLOT - 14;
    double x = LEFT;
    for (unsigned i = 0; i < HTMT__PAUER; i++)
        x = htmt__sheet_key(sheet, x, 40,
                            htmt__state_colour(HTMT__PALETTE_GANTT, (enum htmt__activity)i),
                            HTMT__INK, false, words[i]);
    m = htmt__sheet_text(
        sheet, LEFT, 68,
        "index,number: of a message at its sender (in: at its receiver), of a packet in all");
    m->size = 11;
    m->ink = HTMT__FADED;
    draw_rows(&c, true);
    htmt__time_draw(&c.axis, sheet, TOP, TOP + height);
    draw_rows(&c, false);
    d->width = LEFT + PLOT + RIGHT;
    d->height = TOP + height + HTMT__TIME_AXIS_HEIGHT + 8;
    d->title = info->app;
    return sheet->failed ? HTMT_ENOMEM : 0;
}

/* ---- shares ---------------------------------------------------------------------------------- */

static int write_shares(const struct htmt_trace *t, const struct htmt__gantt_bars *b, FILE *out)
{
    static const char *const kinds[] = {"source", "out", "port", "in", "node"};
    const struct chart c = {
        .trace = t, .bars = b, .axis = {b->request->from, b->request->to, LEFT, PLOT}};
    json_t *rows = json_array();
    for (size_t first = 0, end; first < b->count; first = end) {
        const struct htmt__gantt_place *p = &b->at[first].place;
        htmt_wide sum[HTMT__PAUER] = {0};
        json_t *shares = json_object();
        char name[200];
        end = end_of_row(b, first);
        for (size_t i = first; i < end; i++)
            sum[b->at[i].state] += b->at[i].to - b->at[i].from;
        for (unsigned i = 0; i < HTMT__PAUER; i++)
            json_object_set_new(shares, htmt__state_name((enum htmt__activity)i),
                                json_real((double)sum[i] / (double)(c.axis.to - c.axis.from)));
        name_row(&c, p, name, sizeof name);
        json_array_append_new(rows,
                              json_pack("{ss so so}", "kind",
                                        p->group == 2 && p->at % 2 ? "queue" : kinds[p->group],
                                        "name", htmt__json_text(name), "shares", shares));
    }
    json_t *all = json_pack("{sI sI so}", "from_fs", (json_int_t)c.axis.from, "to_fs",
                            (json_int_t)c.axis.to, "rows", rows);
    int rc = all && !json_dumpf(all, out, JSON_INDENT(1)) ? 0 : HTMT_ENOMEM;
    json_decref(all);
    fputc('\n', out);
    return rc;
}

/* ---- public ---------------------------------------------------------------------------------- */

static int make_bars(struct htmt_trace *t, struct htmt__gantt_request *r,
                     struct htmt__gantt_bars *bars, struct htmt_fault *fault)
{
    const struct htmt_trace_info *info = htmt_trace_info(t);
    *bars = (struct htmt__gantt_bars){0};
    if ((r->rows & (HTMT__GANTT_PORTS | HTMT__GANTT_QUEUES)) && !htmt__trace_ports(t)->insides)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--rows: found ports or queues, but the networks of this trace have "
                              "no inside; expected some of source, out, in, nodes");
    r->rows = r->rows ? r->rows : HTMT__GANTT_ALL;
    r->to = r->to ? r->to : info->end;
    r->to = r->to > r->from ? r->to : r->from + 1;
    return htmt__gantt_bars_make(t, r, bars, fault);
}

int htmt__gantt_shares(struct htmt_trace *t, const struct htmt__gantt_request *request, FILE *out,
                       struct htmt_fault *fault)
{
    struct htmt__gantt_request r = *request;
    struct htmt__gantt_bars bars;
    int rc = make_bars(t, &r, &bars, fault);
    rc = rc ? rc : write_shares(t, &bars, out);
    htmt__gantt_bars_clear(&bars);
    return rc;
}

int htmt__gantt_draw(struct htmt_trace *t, const struct htmt__gantt_request *request,
                     struct htmt__sheet *sheet, struct htmt_fault *fault)
{
    struct htmt__gantt_request r = *request;
    struct htmt__gantt_bars bars;
    int rc = make_bars(t, &r, &bars, fault);
    rc = rc ? rc : draw_bars(t, &bars, sheet, fault);
    htmt__gantt_bars_clear(&bars);
    return rc;
}
