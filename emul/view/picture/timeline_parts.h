/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the parts of a timeline's picture share. Heights are those of the page
 * (emul/view/page/layout.js).
 */
#ifndef HTMT_EMUL_VIEW_PICTURE_TIMELINE_PARTS_H
#define HTMT_EMUL_VIEW_PICTURE_TIMELINE_PARTS_H

#include "emul/lib/picture/palette.h"
#include "emul/lib/picture/sheet.h"
#include "emul/lib/trace/lane_layout.h"
#include "emul/lib/trace/lanes.h"
#include "emul/view/picture/time_axis.h"

#define HTMT__TIMELINE_LEFT  190.0
#define HTMT__TIMELINE_PLOT  1180 /* pixels of the axis */
#define HTMT__TIMELINE_RIGHT 28.0
#define HTMT__TIMELINE_GAP   5.0
#define HTMT__TIMELINE_FILL  26.0 /* height of a memory's curve */

struct htmt__timeline_picture {
    struct htmt_trace *trace;
    const struct htmt_trace_info *info;
    const struct htmt__rows *rows;
    struct htmt__sheet *sheet;
    enum htmt__palette palette;
    struct htmt__time_axis axis;
};

/* A row of a slice. */
struct htmt__timeline_band {
    double top, lane_height, height; /* height 0: it is left out */
    uint32_t lanes;                  /* shown */
    bool deeper;                     /* one more lane shows those beyond */
};

/* One slice below y; *y gets where it ends. `rank` stands behind its number. Errors: those of
 * htmt_trace_block_read(), HTMT_ENOMEM. */
int htmt__timeline_slice(struct htmt__timeline_picture *p, const struct htmt__trace_slice *slice,
                         const char *rank, double *y, struct htmt_fault *fault);

/* ---- bars (timeline_bars.c) ----------------------------------------------------------------- */

/* Intervals in one pixel of a lane, until another pixel comes. */
struct htmt__timeline_pixel {
    double x, share; /* share of its time */
    uint32_t colour; /* of the first one */
    bool any;
};

struct htmt__timeline_bar {
    const struct htmt_trace_interval *interval;
    const struct htmt__timeline_band *band;
    uint32_t lane;
    uint8_t state;                      /* enum htmt__lane_state, or'ed */
    struct htmt__timeline_pixel *pixel; /* of the lane */
};

/* Bars of a lane come in the order of their ends. */
void htmt__timeline_bar_draw(struct htmt__timeline_picture *p, const struct htmt__timeline_bar *b);
/* What waits in the pixel. */
void htmt__timeline_pixel_draw(struct htmt__timeline_picture *p,
                               const struct htmt__timeline_band *band, uint32_t lane,
                               struct htmt__timeline_pixel *pixel);

/* Where an interval's bar begins or ends on the sheet, cut at the ends of the axis. */
double htmt__timeline_edge(const struct htmt__timeline_picture *p, htmt_time at);
/* Of a step's bars. */
uint32_t htmt__timeline_colour(const struct htmt__timeline_picture *p, enum htmt_trace_place place);

/* ---- what lies deeper than the lanes (timeline_sums.c) --------------------------------------- */

/* Of each row and pixel. */
struct htmt__timeline_depth {
    double *part;   /* shares of intervals that begin or end there */
    int64_t *whole; /* differences of the number that cover all of it */
};

int htmt__timeline_depth_create(uint32_t rows, struct htmt__timeline_depth *d);
void htmt__timeline_depth_clear(struct htmt__timeline_depth *d);
/* from, to: pixels of the axis, 0 <= from <= to. */
void htmt__timeline_depth_add(struct htmt__timeline_depth *d, uint32_t row, double from, double to);
/* Once for each row. */
void htmt__timeline_depth_draw(struct htmt__timeline_picture *p, struct htmt__timeline_depth *d,
                               uint32_t row, const struct htmt__timeline_band *band,
                               uint32_t colour);

/* ---- memories (timeline_sums.c) ------------------------------------------------------------- */

/* The most words used in each pixel of the axis, of each layer. */
struct htmt__timeline_fill {
    uint64_t *most;  /* layer after layer */
    uint64_t *level; /* of each layer, now */
    uint32_t *done;  /* the last pixel of each layer that has its words */
    bool *used;      /* of each layer: has it ever had words? */
    bool begun;      /* a block has come */
};

int htmt__timeline_fill_create(const struct htmt__timeline_picture *p,
                               struct htmt__timeline_fill *f);
void htmt__timeline_fill_clear(struct htmt__timeline_fill *f);
/* Blocks of a slice in their order. */
void htmt__timeline_fill_add(const struct htmt__timeline_picture *p, struct htmt__timeline_fill *f,
                             const struct htmt_trace_block *b);
void htmt__timeline_fill_draw(struct htmt__timeline_picture *p, struct htmt__timeline_fill *f,
                              uint32_t layer, double top);

#endif
