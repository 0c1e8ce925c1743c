/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the parts of a machine's picture share: where everything stands.
 */
#ifndef HTMT_EMUL_LIB_PICTURE_MACHINE_PARTS_H
#define HTMT_EMUL_LIB_PICTURE_MACHINE_PARTS_H

#include "emul/lib/picture/figures.h"
#include "emul/lib/picture/machine_run.h"
#include "emul/lib/picture/palette.h"
#include "emul/lib/picture/sheet.h"

#define HTMT__MACHINE_WIDTH 1160.0
#define HTMT__MACHINE_LEFT  72.0  /* of components */
#define HTMT__MACHINE_RIGHT 712.0 /* where they end */
#define HTMT__MACHINE_SLICE 756.0 /* where the sums begin, of a slice */
#define HTMT__MACHINE_ALL   952.0 /* of the machine */
#define HTMT__MACHINE_END   1140.0
#define HTMT__MACHINE_LINE  17.0 /* of text */
#define HTMT__NOTE_SIZE     11.5

/* Networks between two layers stand beside each other; the innermost layer has place 0, and gap i
 * is above place i. */
struct htmt__machine_picture {
    const struct htmt_machine *m;
    const struct htmt__machine_run *run; /* NULL: none */
    struct htmt__sheet *sheet;
    struct htmt__cited figures;
    unsigned gap[HTMT_NETWORKS_MAX];    /* of a network */
    unsigned beside[HTMT_NETWORKS_MAX]; /* networks before it in its gap */
    unsigned in_gap[HTMT_LAYERS_MAX + 1];
    double zone; /* height of the channels between a layer and a network */
    double gap_top[HTMT_LAYERS_MAX + 1], layer_top[HTMT_LAYERS_MAX];        /* by place */
    double band_height[HTMT_LAYERS_MAX + 1], layer_height[HTMT_LAYERS_MAX]; /* by gap; by place */
};

/* Index into the machine's layers of a place, and the other way round. */
static inline uint32_t htmt__machine_place(const struct htmt_machine *m, uint32_t i)
{
    return m->layer_count - 1 - i;
}

/* Is the layer on the network? */
static inline bool htmt__machine_joins(const struct htmt_network *n, uint32_t layer)
{
    return n->port[layer].out || n->port[layer].in;
}

double htmt__machine_layer_height(const struct htmt__machine_picture *p, uint32_t layer);
void htmt__machine_draw_layer(struct htmt__machine_picture *p, uint32_t place);

double htmt__machine_band_height(const struct htmt__machine_picture *p, uint32_t network);
/* Is one of its layers not next to its gap? */
bool htmt__machine_is_far(const struct htmt__machine_picture *p, uint32_t network);
void htmt__machine_draw_network(struct htmt__machine_picture *p, uint32_t network);

/* Text of a line below `y`. */
struct htmt__shape *htmt__machine_line(struct htmt__machine_picture *p, double x, double y,
                                       double room, const char *text);

/* The number of a bottleneck that the run found there, right of x; nothing if it is none of the
 * worst. `space`: of the memory of that name. */
void htmt__machine_badge(struct htmt__machine_picture *p, double x, double y, const char *name,
                         bool space);
/* Of a picture with a run; returns where the list ends. */
double htmt__machine_list_limits(struct htmt__machine_picture *p, double y);

/* The inside of a network with a topology, in a band of that width: its height; drawn from the line
 * at y on, x is the band's. Returns where it ends. */
double htmt__machine_inside_height(const struct htmt__machine_picture *p, uint32_t network,
                                   double band);
double htmt__machine_draw_inside(struct htmt__machine_picture *p, uint32_t network, double x,
                                 double y, double band);

#endif
