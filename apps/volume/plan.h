/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a rendering lies on a machine: subcubes, bundles of rays, and their sizes.
 *
 * The program uses the three innermost layers of the machine: "inner" (CRAM, SPELL), "middle"
 * (SRAM, SPIM) and "outer" (DRAM, DPIM). Subcubes and bundles are dealt to the slices. A slice
 * works on several bundles at once, each in a lane with the rays in SRAM, one parcel under way and
 * the next one waiting.
 */
#ifndef HTMT_APPS_VOLUME_PLAN_H
#define HTMT_APPS_VOLUME_PLAN_H

#include "apps/volume/visit_list.h"

#define HTMT__SIDE_MOST 4096 /* of a bundle */

/* The constants of a cost file. The cycles of assemble, dispatch and retire belong to a parcel of
 * `edge`^3 voxels and `rays` rays. For another parcel they change in proportion to its words or
 * rays. */
struct htmt__volume_charges {
    bool from_file;                      /* else the counted operations and the real words */
    uint64_t cycles_a_voxel;             /* N_CYCLES */
    struct htmt_ratio alpha;             /* without --alpha */
    uint64_t code_words;                 /* W_M, moved with each parcel */
    uint64_t ray_words;                  /* of one ray, inward and outward */
    uint64_t voxel_bytes;                /* without --voxel-bytes */
    uint64_t edge, rays;                 /* N_G, N_R */
    uint64_t assemble, dispatch, retire; /* cycles */
    uint64_t scatter_words;              /* for each parcel, sent once for a bundle */
    uint64_t frames_a_second;
};

struct htmt__volume_problem {
    uint32_t dims[3], width, height, frames;
    uint32_t edge, side, lanes; /* 0: chosen */
    uint32_t voxel;             /* bytes on the host */
    uint64_t voxel_bytes;       /* on the machine; 0: the cost file's, else the host's */
    unsigned channels;
    uint32_t table_rows; /* of the transfer table */
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
    uint64_t table_words;  /* the transfer table, resident in CRAM */
    uint64_t parcel_words; /* the largest parcel in CRAM */
    uint64_t fit;          /* number of such parcels that CRAM holds at once */
    uint64_t inner_words;  /* CRAM: table, and one parcel or two to double-buffer */
    uint64_t lane_words;   /* SRAM: a lane without its parcels */
    uint64_t middle_words; /* SRAM: all lanes with two parcels each */
};

/* The rules, with R words of CRAM beside the table, and P = 1, or 2 to double-buffer:
 *  - N_G is the largest edge for which P parcels with rays from a bundle of N_G x N_G (or the given
 *    side) fit R. It is no larger than the volume. It is small enough that every slice owns at
 *    least eight subcubes, but not below 24 voxels. With fewer, a few slices hold the subcubes that
 *    all others are waiting for;
 *  - the side of a bundle is N_G, so that each voxel of a face has a ray. It is small enough for
 *    four bundles a slice, down to 8 pixels;
 *  - a slice has 16 lanes, or fewer if it has fewer bundles or SRAM holds no more.
 * Given sizes stay; the cost file's edge and rays count as given.
 *
 * Errors: HTMT_EINVAL (the machine lacks a layer or network), HTMT_ERANGE (edge or side), and
 * HTMT_ECAPACITY with the arithmetic. *plan is untouched on failure. */
int htmt__volume_plan(const struct htmt_machine *m, const struct htmt__volume_problem *problem,
                      const struct htmt__volume_charges *charges, struct htmt__volume_plan *plan,
                      struct htmt_fault *fault);

/* The largest number of slices, up to `most`, of which each has at least one bundle; of the problem
 * only the image and the side of a bundle count. */
uint32_t htmt__volume_fed(const struct htmt__volume_problem *problem, uint32_t most);

/* The owner of a subcube. The numbers of subcubes are dealt to the slices. Each row along x is
 * rotated by one against the row before it in its layer, and each layer along y against the layer
 * below. So a layer across any axis lies on as many slices as possible. */
struct htmt__volume_home {
    uint32_t slice, place; /* place: among the subcubes of the slice */
};
struct htmt__volume_home htmt__volume_home(const struct htmt__volume_plan *p, uint32_t number);
/* Add the words of the subcubes of each slice in its DRAM. */
void htmt__volume_count_words(const struct htmt__volume_plan *p, uint64_t *words);

/* The slice of a bundle. Rows of tiles are dealt to the slices. Each row is rotated against the row
 * above by the golden section. So no slice gets a whole column or a corner of the image, where all
 * tiles may be full or empty. Where rows fill the slices exactly, each row takes slices of its own
 * until all have one, and is rotated within them: all slices get the same number of bundles. */
uint32_t htmt__volume_bundle_owner(const struct htmt__volume_plan *p, uint32_t bundle);

static inline uint64_t htmt__volume_subcubes_a_slice(const struct htmt__volume_plan *p)
{
    return (p->subcubes.all - 1) / p->slices + 1;
}

#endif
