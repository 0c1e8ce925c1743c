/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a rendering lies on a machine: subcubes, bundles of rays, and what they take.
 *
 * The three innermost layers of the machine are used: here "inner" (CRAM, SPELL), "middle" (SRAM,
 * SPIM) and "outer" (DRAM, DPIM). The subcubes are dealt to the slices, the bundles too; a slice
 * works on some of its bundles at once (lanes), each with the rays in SRAM, one parcel under way
 * and the next one waiting.
 */
#ifndef HTMT_APPS_VOLUME_PLAN_H
#define HTMT_APPS_VOLUME_PLAN_H

#include "apps/volume/visit_list.h"

#define HTMT__SIDE_MOST 4096 /* of a bundle */

/* What a cost file gives. The cycles of assemble, dispatch and retire are those of a parcel of
 * `edge`^3 voxels and `rays` rays; of another, in proportion to its words or rays. */
struct htmt__volume_charges {
    bool from_file;                      /* else the counted operations and the real words */
    uint64_t cycles_a_voxel;             /* N_CYCLES */
    struct htmt_ratio alpha;             /* without --alpha */
    uint64_t code_words;                 /* W_M, moved with each parcel */
    uint64_t ray_words;                  /* of one ray, inward and outward */
    uint64_t voxel_bytes;                /* without --voxel-bytes */
    uint64_t edge, rays;                 /* N_G, N_R */
    uint64_t assemble, dispatch, retire; /* cycles */
    uint64_t scatter_words;              /* a parcel, sent once for a bundle */
    uint64_t frames_a_second;
};

struct htmt__volume_problem {
    uint32_t dims[3], width, height, frames;
    uint32_t edge, side, lanes; /* 0: chosen */
    uint32_t voxel;             /* bytes on the host */
    uint64_t voxel_bytes;       /* on the machine; 0: the cost file's, else those on the host */
    unsigned channels;
    uint32_t table_rows; /* of the table */
    bool shaded, double_buffer, rays_in_dram;
};

struct htmt__volume_plan {
    struct htmt__volume_problem problem;
    struct htmt__volume_charges charges;
    uint32_t inner, middle, outer; /* layers */
    uint32_t up, down;             /* networks: middle to inner, outer to middle */
    uint32_t slices;
    struct htmt__volume_subcubes subcubes;
    struct htmt__volume_tiling tiling;
    uint32_t bundles; /* of an image */
    uint32_t lanes;   /* bundles that a slice works on at once */
    uint64_t voxel_bytes;
    uint64_t table_words;  /* the table, resident in CRAM */
    uint64_t parcel_words; /* the largest parcel in CRAM */
    uint64_t fit;          /* such parcels that CRAM holds at once */
    uint64_t inner_words;  /* CRAM: table and parcels that fit and are wanted */
    uint64_t lane_words;   /* SRAM: a lane without its parcels */
    uint64_t middle_words; /* SRAM: all lanes with two parcels each */
};

/* The rule, with R words of CRAM beside the table, and P = 1, or 2 to double-buffer:
 *  - the edge N_G is the largest for which P parcels with rays from a bundle of N_G x N_G (or the
 *    side that is given) fit R, but no larger than the volume, and small enough for eight subcubes
 * a slice, down to 24 voxels: what few slices hold all others wait for;
 *  - the side of a bundle is N_G, so that there is a ray for each voxel of a face, but small enough
 *    for four bundles a slice, down to 8 pixels;
 *  - a slice has 16 lanes, fewer when it has fewer bundles or SRAM holds no more.
 * What is given stays; the cost file's edge and rays count as given.
 *
 * Errors: HTMT_EINVAL (the machine lacks a layer or network), HTMT_ERANGE (edge or side), and
 * HTMT_ECAPACITY with the arithmetic. *plan is untouched on failure. */
int htmt__volume_plan(const struct htmt_machine *m, const struct htmt__volume_problem *problem,
                      const struct htmt__volume_charges *charges, struct htmt__volume_plan *plan,
                      struct htmt_fault *fault);

/* Where a subcube lies: numbers are dealt to the slices, each row along x turned by one against the
 * one before in its layer, and each layer along y against the one below. So a layer across any axis
 * is of as many slices as can be. */
struct htmt__volume_home {
    uint32_t slice, place; /* place: among the subcubes of the slice */
};
struct htmt__volume_home htmt__volume_home(const struct htmt__volume_plan *p, uint32_t number);
/* Add the words that the subcubes of each slice take in its DRAM. */
void htmt__volume_count_words(const struct htmt__volume_plan *p, uint64_t *words);

/* The slice of a bundle. Rows of tiles are dealt, each turned against the one above by the golden
 * section, so that no slice has a column or a corner of the image, with much to see or nothing.
 * Where rows fill the slices exactly each takes slices of its own, until all have one, and turns
 * within them: none has a bundle more than another. */
uint32_t htmt__volume_bundle_owner(const struct htmt__volume_plan *p, uint32_t bundle);

static inline uint64_t htmt__volume_subcubes_a_slice(const struct htmt__volume_plan *p)
{
    return (p->subcubes.all - 1) / p->slices + 1;
}

#endif
