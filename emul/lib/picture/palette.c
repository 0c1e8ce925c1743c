/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The states of an interval have the colours of Okabe and Ito's set, which the common kinds of
 * colour blindness tell apart; a second set is that of Pauer's pictures. Text upon a colour is
 * black or white, whichever has the higher contrast by WCAG 2. A share is a mixture of a light blue
 * and the blue of a transfer, in equal steps of each channel.
 */
#include "emul/lib/picture/palette.h"

#include <math.h>

static const struct row {
    const char *name, *legend;
    uint32_t colour[HTMT__PALETTES];
} rows[HTMT__STATES] = {
    [HTMT__STARTUP] = {"startup", "start-up", {0xF0E442, 0xFFFF00}},
    [HTMT__TRANSFER] = {"transfer", "transfer", {0x0072B2, 0x0000FF}},
    [HTMT__COMPUTE] = {"compute", "compute", {0x009E73, 0x00FF00}},
    [HTMT__BLOCKS] = {"blocks", "blocks others", {0xE69F00, 0xFFA500}},
    [HTMT__BLOCKED] = {"blocked", "is blocked", {0xD55E00, 0xFF0000}},
    [HTMT__FLIGHT] = {"flight", "in flight", {0xCC79A7, 0xC080FF}},
};

const char *htmt__state_name(enum htmt__activity state)
{
    return rows[state].name;
}

const char *htmt__state_legend(enum htmt__activity state)
{
    return rows[state].legend;
}

uint32_t htmt__state_colour(enum htmt__palette palette, enum htmt__activity state)
{
    return rows[state].colour[palette];
}

/* ---- contrast: WCAG 2's relative luminance -------------------------------------------------- */

static double linear(uint32_t byte)
{
    double c = byte / 255.0;
    return c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* Contrasts to black and to white, (l + 0.05) / 0.05 and 1.05 / (l + 0.05), are compared. */
uint32_t htmt__text_colour(uint32_t background)
{
    const double luminance = 0.2126 * linear(background >> 16 & 255) +
                             0.7152 * linear(background >> 8 & 255) +
                             0.0722 * linear(background & 255);
    double l = luminance + 0.05;
    return l * l < 0.05 * 1.05 ? 0xffffff : 0x000000;
}

/* ---- shares: from paper to the blue of a transfer ------------------------------------------- */

static uint32_t mix(uint32_t from, uint32_t to, double share, unsigned shift)
{
    double a = from >> shift & 255, b = to >> shift & 255;
    return (uint32_t)lround(a + share * (b - a)) << shift;
}

uint32_t htmt__ink_colour(uint32_t colour, double ink)
{
    double share = fmin(fmax(ink, 0), 1);
    return mix(HTMT__PAPER, colour, share, 16) | mix(HTMT__PAPER, colour, share, 8) |
           mix(HTMT__PAPER, colour, share, 0);
}

uint32_t htmt__share_colour(double share)
{
    uint32_t from = 0xf7fbff, to = rows[HTMT__TRANSFER].colour[HTMT__PALETTE_DEFAULT];
    double s = fmin(fmax(share, 0), 1);
    return mix(from, to, s, 16) | mix(from, to, s, 8) | mix(from, to, s, 0);
}
