/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The shared data of the parcel program: its tables, its objects, the orders of its parcels.
 */
#ifndef HTMT_APPS_SAR_COORDINATOR_H
#define HTMT_APPS_SAR_COORDINATOR_H

#include "apps/fft/fft.h"
#include "apps/sar/program.h"

typedef struct htmt__sar_program htmt__sar;

/* Only written before the run. */
struct htmt__sar_program {
    struct htmt_emulator *e;
    struct htmt__sar_decomposition decomposition;
    uint32_t slices;
    bool named;                         /* patches are sections */
    const struct htmt__sar_raw *raw;    /* NULL in a model run */
    struct htmt__sar_track *track;      /* of each bin of the band, for Migration */
    struct htmt_object **data, **image; /* in HRAM, of each patch */
    struct htmt__sar_place {            /* for each slice that has patches */
        struct htmt_object *patch[2];   /* DRAM: rows x cells points; patches take turns */
        struct htmt_object *straight;   /* DRAM: band x samples points */
        struct htmt_object *line;       /* DRAM: the line that references bring with a cost file */
        struct htmt_object *range_reference, *azimuth_reference, *interpolator; /* CRAM */
    } * place;
    uint32_t places;
    struct htmt_type *type[HTMT__SAR_STAGES], *coordinator;
    struct htmt__fft *range[2], *azimuth[2], *reference; /* forward, backward; NULL in a model */
    size_t range_bytes, azimuth_bytes, reference_bytes;  /* of them: htmt__fft_bytes() */
};

/* Arguments of every parcel: the index-th parcel of a stage, for the turn-th patch of its slice. */
struct htmt__sar_order {
    const htmt__sar *p;
    uint32_t stage, turn, index;
    uint32_t patch;        /* of all */
    struct htmt_slot done; /* a slot of the coordinator */
};

/* kernels.c: the vectors that the loops run with on this processor: "AVX-512". */
const char *htmt__sar_vectors(void);
/* The work of a stage on the SPELL or a DPIM. kernels.c has the contract of each kernel. */
extern htmt_kernel_fn *const htmt__sar_kernels[HTMT__SAR_STAGES];
/* The operations of a stage; the arguments are an order. */
void htmt__sar_cost(const void *args, const void *user, struct htmt_ops *ops);

/* parcels.c: create the types of the parcels; assemble the parcel of an order, from a control. */
int htmt__sar_parcel_types(htmt__sar *p);
void htmt__sar_assemble(struct htmt_context *c, const struct htmt__sar_order *o);

/* coordinator.c */
int htmt__sar_coordinator_type(htmt__sar *p);
int htmt__sar_coordinator_start(htmt__sar *p);

#endif
