/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder emul/lib/picture: pictures of machines and runs, drawn by plot.so
 * (apps/formats/drawing.h).
 *
 * The colours of all pictures and pages. The states of an interval are those that Pauer gives
 * a colour: the default set is Okabe and Ito's, which the colour-blind tell apart.
 */
#ifndef HTMT_EMUL_LIB_PICTURE_PALETTE_H
#define HTMT_EMUL_LIB_PICTURE_PALETTE_H

#include <stdint.h>

enum htmt__activity {
    HTMT__STARTUP,  /* a network's start-up */
    HTMT__TRANSFER, /* words on a channel */
    HTMT__COMPUTE,  /* a service on a processor */
    HTMT__BLOCKS,   /* others wait for it meanwhile */
    HTMT__BLOCKED,  /* holds a place, waits for the next one; hatched */
    HTMT__FLIGHT,   /* in a network between its channels: of the critical path, not of a Gantt chart
                     */
    HTMT__STATES,
    HTMT__PAUER = HTMT__FLIGHT /* states that Pauer gives a colour: those before */
};

enum htmt__palette { HTMT__PALETTE_DEFAULT, HTMT__PALETTE_GANTT, HTMT__PALETTES };

/* "startup", "transfer", "compute", "blocks", "blocked", "flight": keys of the page's manifest. */
const char *htmt__state_name(enum htmt__activity state);
/* What a legend says: "blocks others". */
const char *htmt__state_legend(enum htmt__activity state);
/* 0xRRGGBB. */
uint32_t htmt__state_colour(enum htmt__palette palette, enum htmt__activity state);
/* Of text upon that colour: black or white, whichever has the higher contrast. */
uint32_t htmt__text_colour(uint32_t background);

/* A share between 0 and 1 from light to dark: 0xRRGGBB. */
uint32_t htmt__share_colour(double share);

/* A colour printed with a share of its ink on white paper. */
uint32_t htmt__ink_colour(uint32_t colour, double ink);

#define HTMT__INK    0x1a1a1au /* text, outlines */
#define HTMT__FADED  0x666666u /* notes, of contrast 4.5 : 1 at least on paper */
#define HTMT__GRID   0xd9d9d9u
#define HTMT__PAPER  0xffffffu
#define HTMT__SHADED 0xf4f4f4u /* every other row */
#define HTMT__ALARM  0xa33b00u /* bottlenecks */
/* The grounds of hatched waits, and the area below the curve of a memory. */
#define HTMT__WAITING 0xf2f2f2u /* in a line */
#define HTMT__HELD    0xfbe7dbu /* while it holds a place: hatched as HTMT__BLOCKED */
#define HTMT__FILL    0xcfe3f1u

#endif
