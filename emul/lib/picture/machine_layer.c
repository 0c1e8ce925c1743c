/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A layer: its processor and its memory, and their sums.
 *
 * A layer is a frame with two boxes: processors, as a stack of up to three sheets if there are
 * several, and memory. Their figures are lines of the machine file; what it leaves open has no
 * line, and the frame is as high as the longer of both lists. With a run, a processor is coloured
 * by its use, and a gauge shows how full the memory was at its peak.
 */
#include "emul/lib/picture/machine_parts.h"
#include "emul/lib/text/format.h"
#include "layers/bank/controller.h"

#include <stdio.h>
#include <string.h>

#define INSET   10.0
#define ABOVE   16.0 /* of the stack of processors */
#define BETWEEN 20.0
#define GAUGE   14.0 /* height of a memory's fill */
#define STACK   4.0  /* from a processor to the one behind it */
#define SMALL   12.0 /* size of text */
#define LINES   6

/* Lines of a box. */
struct lines {
    struct htmt__phrase text[LINES];
    unsigned count;
};

static void add(struct lines *l, const char *before, struct htmt__phrase figure, const char *after)
{
    if (!*figure.s || l->count == LINES)
        return;
    struct htmt__phrase *to = &l->text[l->count++];
    *to = htmt__phrase("%s%s%s", before, figure.s, after);
}

/* "flop 1 flop/cycle, iop 2 cycles [3]". Where the source of the figure before is this figure's,
 * too, it is not said twice. */
static void join(struct htmt__phrase *line, const char *name, struct htmt__phrase figure)
{
    char *note = strrchr(line->s, '['), *next = strrchr(figure.s, '[');
    if (note && next && !strcmp(note, next))
        note[-1] = '\0';
    if (*figure.s)
        *line = htmt__phrase("%s%s%s %s", line->s, *line->s ? ", " : "", name, figure.s);
}

/* The layer of a controller is there once, however many slices the machine has. */
static const char *owner(const struct htmt__machine_picture *p, uint32_t layer)
{
    return htmt__machine_controller(p->m) == &p->m->layer[layer] ? " of the machine" : " a slice";
}

/* ---- processors ----------------------------------------------------------------------------- */

static struct htmt__phrase of_processor(struct htmt__cited *f, const char *layer, const char *name)
{
    return htmt__figure(f, "layers.%s.processor.%s", layer, name);
}

static struct lines processor_lines(struct htmt__machine_picture *p, uint32_t layer)
{
    const char *name = p->m->layer[layer].name;
    struct htmt__cited *f = &p->figures;
    struct htmt__phrase sums = {""}, moves = {""};
    struct lines l = {0};
    add(&l, "", of_processor(f, name, "count"), owner(p, layer));
    add(&l, "", of_processor(f, name, "clock"), "");
    join(&sums, "flop", of_processor(f, name, "flop"));
    join(&sums, "iop", of_processor(f, name, "iop"));
    join(&moves, "load", of_processor(f, name, "load"));
    join(&moves, "store", of_processor(f, name, "store"));
    add(&l, "", sums, "");
    add(&l, "", moves, "");
    add(&l, "lambda ", of_processor(f, name, "lambda"), "");
    add(&l, "model ", htmt__figure(f, "layers.%s.inside.model", name), "");
    return l;
}

/* ---- memories ------------------------------------------------------------------------------- */

static struct htmt__phrase of_memory(struct htmt__cited *f, const char *layer, const char *name)
{
    return htmt__figure(f, "layers.%s.memory.%s", layer, name);
}

/* Where every processor has a memory of its own, also the part of one. */
static struct lines memory_lines(struct htmt__machine_picture *p, uint32_t layer)
{
    const struct htmt_layer *of = &p->m->layer[layer];
    const uint32_t count = of->processor.count;
    struct htmt__cited *f = &p->figures;
    struct htmt__phrase access = {""}, each = htmt__phrase(" a %s", of->processor.name);
    struct lines l = {0};
    add(&l, "", of_memory(f, of->name, "capacity"), owner(p, layer));
    if (count > 1 && !of->memory.ports && of->memory.capacity % count == 0)
        add(&l, "", htmt__words_phrase(of->memory.capacity / count), each.s);
    add(&l, "reserve ", of_memory(f, of->name, "reserve"), "");
    join(&access, "access", of_memory(f, of->name, "access"));
    join(&access, "access-words", of_memory(f, of->name, "access-words"));
    add(&l, "", access, "");
    add(&l, "ports ", of_memory(f, of->name, "ports"), "");
    return l;
}

/* ---- boxes ---------------------------------------------------------------------------------- */

double htmt__machine_layer_height(const struct htmt__machine_picture *p, uint32_t layer)
{
    struct htmt__machine_picture copy = *p; /* its sources are numbered when it is drawn */
    unsigned a = processor_lines(&copy, layer).count, b = memory_lines(&copy, layer).count;
    unsigned lines = 1 + (a > b ? a : b);
    return ABOVE + INSET + 18 + lines * HTMT__MACHINE_LINE + (p->run ? 2 * GAUGE + 6 : 0);
}

/* A name, and the figures below it. */
static void draw_lines(struct htmt__machine_picture *p, double x, double y, double room,
                       const char *name, const struct lines *l, uint32_t ink)
{
    struct htmt__shape *m = htmt__machine_line(p, x, y, 0, name);
    m->bold = true;
    m->size = HTMT__TEXT_SIZE + 2;
    m->ink = ink;
    for (unsigned i = 0; i < l->count; i++) {
        m = htmt__machine_line(p, x, y + 2 + (1 + i) * HTMT__MACHINE_LINE, room, l->text[i].s);
        m->ink = ink;
        m->size = SMALL;
    }
}

struct box {
    double x, y, width, height;
};

/* Boxes behind it tell that there are several. */
static void draw_processor(struct htmt__machine_picture *p, uint32_t layer, struct box b)
{
    const struct htmt_processor *of = &p->m->layer[layer].processor;
    double used = p->run ? htmt__machine_run_used(p->run, of->name) : -1;
    uint32_t fill = used < 0 ? HTMT__PAPER : htmt__share_colour(used);
    uint32_t ink = htmt__text_colour(fill);
    struct lines l = processor_lines(p, layer);
    for (unsigned i = of->count > 2 ? 2 : of->count - 1; i; i--)
        htmt__sheet_box(p->sheet, b.x + i * STACK, b.y - i * STACK, b.width, b.height, HTMT__PAPER)
            ->thick = 1;
    htmt__sheet_box(p->sheet, b.x, b.y, b.width, b.height, fill)->thick = 1;
    draw_lines(p, b.x + 12, b.y + 6, b.width - 24, of->name, &l, ink);
    if (used >= 0) {
        struct htmt__shape *m = htmt__sheet_text(p->sheet, b.x + 12, b.y + b.height - 10,
                                                 "in use %s", htmt__format_share(used).s);
        m->ink = ink;
        m->bold = true;
    }
    htmt__machine_badge(p, b.x + b.width - 22, b.y + 8, of->name, false);
}

static void draw_gauge(struct htmt__machine_picture *p, const struct htmt_memory *of, struct box b)
{
    uint64_t peak;
    double stalled, width = b.width - 24, y = b.y + b.height - GAUGE - 8;
    if (!htmt__machine_run_memory(p->run, of->name, &peak, &stalled))
        return;
    double full = of->capacity ? (double)peak / (double)of->capacity : 0;
    uint32_t fill = htmt__share_colour(full);
    htmt__sheet_box(p->sheet, b.x + 12, y, width, GAUGE, HTMT__PAPER)->thick = 1;
    htmt__sheet_box(p->sheet, b.x + 12, y, width * (full < 1 ? full : 1), GAUGE, fill)->thick = 1;
    struct htmt__shape *m = htmt__sheet_text(
        p->sheet, b.x + 12, y - 5, "peak %s%s%s", htmt__format_share(full).s,
        stalled > 0 ? ", stalls " : "", stalled > 0 ? htmt__format_si(stalled, "s").s : "");
    m->bold = true;
    m->room = width;
}

static void draw_memory(struct htmt__machine_picture *p, uint32_t layer, struct box b)
{
    const struct htmt_memory *of = &p->m->layer[layer].memory;
    struct lines l = memory_lines(p, layer);
    htmt__sheet_box(p->sheet, b.x, b.y, b.width, b.height, HTMT__PAPER)->thick = 1;
    draw_lines(p, b.x + 12, b.y + 6, b.width - 24, of->name, &l, HTMT__INK);
    if (!p->run)
        return;
    draw_gauge(p, of, b);
    htmt__machine_badge(p, b.x + b.width - 22, b.y + 8, of->name, true);
}

static void draw_sums(struct htmt__machine_picture *p, const struct htmt_layer *of, struct box b,
                      uint64_t slices)
{
    double y = b.y + b.height / 2 - HTMT__MACHINE_LINE;
    htmt__sheet_box(p->sheet, b.x, b.y, b.width, b.height, HTMT__SHADED)->thick = 1;
    if (of->processor.count) {
        struct htmt__phrase line;
        line = htmt__phrase("%s %s", htmt__format_count(slices * of->processor.count).s,
                            of->processor.name);
        htmt__machine_line(p, b.x + 12, y, b.width - 24, line.s)->bold = true;
    }
    struct htmt__phrase words = htmt__words_phrase((htmt_uwide)slices * of->memory.capacity), line;
    line = htmt__phrase("%s %s", words.s, of->memory.name);
    htmt__machine_line(p, b.x + 12, y + HTMT__MACHINE_LINE, b.width - 24, line.s);
}

void htmt__machine_draw_layer(struct htmt__machine_picture *p, uint32_t place)
{
    uint32_t layer = htmt__machine_place(p->m, place);
    const struct htmt_layer *of = &p->m->layer[layer];
    double top = p->layer_top[place], height = p->layer_height[place];
    double inner = (HTMT__MACHINE_RIGHT - HTMT__MACHINE_LEFT - 2 * INSET - BETWEEN) / 2;
    struct box one = {HTMT__MACHINE_LEFT + INSET, top + ABOVE, inner, height - ABOVE - INSET};
    struct htmt__shape *frame =
        htmt__sheet_box(p->sheet, HTMT__MACHINE_LEFT, top, HTMT__MACHINE_RIGHT - HTMT__MACHINE_LEFT,
                        height, HTMT__SHADED);
    frame->thick = 1.5;
    frame->round = 8;
    if (of->processor.count)
        draw_processor(p, layer, one);
    one.x += inner + BETWEEN;
    draw_memory(p, layer, one);
    const bool once = htmt__machine_controller(p->m) == of;
    if (!once || p->m->slices == 1)
        draw_sums(p, of, (struct box){HTMT__MACHINE_SLICE, top, 180, height}, 1);
    if (p->m->slices > 1)
        draw_sums(
            p, of,
            (struct box){HTMT__MACHINE_ALL, top, HTMT__MACHINE_END - HTMT__MACHINE_ALL, height},
            once ? 1 : p->m->slices);
}
