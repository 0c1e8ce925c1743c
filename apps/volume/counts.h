/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Words and operations of a parcel. The parcel program charges them and the closed form evaluates
 * them. The counts that kernels make themselves are in cast.h and visit_list.h.
 */
#ifndef HTMT_APPS_VOLUME_COUNTS_H
#define HTMT_APPS_VOLUME_COUNTS_H

#include "apps/volume/plan.h"
#include "runtime/base/wide.h"

/* Words of a subcube in a parcel: its voxels, and without a cost file its map. */
static inline uint64_t htmt__volume_voxel_words(const struct htmt__volume_plan *p,
                                                const struct htmt__volume_subcube *c)
{
    uint64_t map =
        htmt__volume_subcube_bytes(&p->subcubes, c) - htmt__volume_subcube_map_at(&p->subcubes, c);
    return htmt_ceil_div(htmt__volume_subcube_voxels(c) * p->voxel_bytes, HTMT_WORD) +
           (p->charges.from_file ? 0 : map / HTMT_WORD);
}

/* Words of a ray: its path; its state, inward and outward. */
static inline uint64_t htmt__volume_path_words(void)
{
    return sizeof(struct htmt__volume_path) / HTMT_WORD;
}
static inline uint64_t htmt__volume_state_words(const struct htmt__volume_plan *p)
{
    return p->charges.from_file ? p->charges.ray_words - htmt__volume_path_words()
                                : htmt__volume_state_bytes(p->problem.channels) / HTMT_WORD;
}
static inline uint64_t htmt__volume_eject_words(const struct htmt__volume_plan *p)
{
    return p->charges.from_file ? p->charges.ray_words : htmt__volume_state_words(p);
}
/* Words of a ray in DRAM, which it brings from there with --rays dram. */
static inline uint64_t htmt__volume_dram_words(const struct htmt__volume_plan *p)
{
    return p->charges.from_file ? p->charges.ray_words : htmt__volume_path_words();
}

static inline uint64_t htmt__volume_inject_words(const struct htmt__volume_plan *p,
                                                 const struct htmt__volume_subcube *c,
                                                 uint64_t rays)
{
    uint64_t ray = htmt__volume_path_words() + htmt__volume_state_words(p);
    return p->charges.code_words + htmt__volume_voxel_words(p, c) + ray * rays;
}

/* n * part / whole, rounded half up. */
static inline uint64_t htmt__volume_share(uint64_t n, htmt_uwide part, htmt_uwide whole)
{
    return (uint64_t)((2 * n * part + whole) / (2 * whole));
}

/* A DPIM combines two viewpoints, word by word. */
static inline struct htmt_ops htmt__volume_agree_ops(const struct htmt__volume_plan *p,
                                                     uint64_t words)
{
    if (p->charges.from_file)
        return (struct htmt_ops){0};
    return (struct htmt_ops){
        .n = {[HTMT_IOP] = words, [HTMT_LOAD] = 2 * words, [HTMT_STORE] = words}};
}

/* A DPIM assembles: a header of eight words; with a cost file in proportion to the words that the
 * parcel takes to CRAM and back. */
static inline struct htmt_ops htmt__volume_assemble_ops(const struct htmt__volume_plan *p,
                                                        const struct htmt__volume_subcube *c,
                                                        uint64_t rays)
{
    const struct htmt__volume_charges *k = &p->charges;
    uint64_t whole = k->code_words + 2 * k->ray_words * k->rays +
                     htmt_ceil_div(k->edge * k->edge * k->edge * k->voxel_bytes, HTMT_WORD);
    uint64_t part = htmt__volume_inject_words(p, c, rays) + htmt__volume_eject_words(p) * rays;
    if (!k->from_file)
        return (struct htmt_ops){.n = {[HTMT_IOP] = 8, [HTMT_STORE] = 8}};
    return (struct htmt_ops){.n = {[HTMT_CYCLE] = htmt__volume_share(k->assemble, part, whole)}};
}

/* A SPIM dispatches: the place of each line of the ray list; with a cost file in proportion to the
 * rays. */
static inline struct htmt_ops htmt__volume_dispatch_ops(const struct htmt__volume_plan *p,
                                                        uint64_t rays, uint64_t lines)
{
    const struct htmt__volume_charges *k = &p->charges;
    if (!k->from_file)
        return (struct htmt_ops){.n = {[HTMT_IOP] = 4 * lines, [HTMT_STORE] = 2 * lines}};
    return (struct htmt_ops){.n = {[HTMT_CYCLE] = htmt__volume_share(k->dispatch, rays, k->rays)}};
}

/* A SPIM retires: the patches and the sums in the bundle's table. */
static inline struct htmt_ops htmt__volume_retire_ops(const struct htmt__volume_plan *p,
                                                      uint64_t rays)
{
    const struct htmt__volume_charges *k = &p->charges;
    if (!k->from_file)
        return (struct htmt_ops){.n = {[HTMT_IOP] = 8, [HTMT_LOAD] = 6, [HTMT_STORE] = 6}};
    return (struct htmt_ops){.n = {[HTMT_CYCLE] = htmt__volume_share(k->retire, rays, k->rays)}};
}

/* The SPELL casts rays; with a cost file each sample taken costs N_CYCLES. */
static inline struct htmt_ops htmt__volume_cast_ops(const struct htmt__volume_plan *p,
                                                    const struct htmt__volume_cast_work *work,
                                                    const struct htmt__volume_shading *shading)
{
    if (!p->charges.from_file)
        return htmt__volume_casting_ops(work, p->problem.channels, shading);
    return (struct htmt_ops){.n = {[HTMT_CYCLE] = p->charges.cycles_a_voxel * work->taken}};
}

/* The samples charged for a subcube where no kernel runs: alpha of its voxels. */
static inline uint64_t htmt__volume_samples(struct htmt_ratio alpha,
                                            const struct htmt__volume_subcube *c)
{
    return htmt__volume_share(htmt__volume_subcube_voxels(c), alpha.num, alpha.den);
}

/* A SPIM looks for the next visit and inspects `visits` of them. */
static inline struct htmt_ops htmt__volume_pick_ops(const struct htmt__volume_plan *p,
                                                    uint64_t visits)
{
    if (p->charges.from_file)
        return (struct htmt_ops){0};
    return (struct htmt_ops){.n = {[HTMT_IOP] = 4 * visits, [HTMT_LOAD] = 2 * visits}};
}

/* A SPIM composites: for each ray its colour, as float, and its samples. */
static inline struct htmt_ops htmt__volume_composite_ops(const struct htmt__volume_plan *p,
                                                         uint64_t rays)
{
    uint64_t channels = p->problem.channels;
    if (p->charges.from_file)
        return (struct htmt_ops){0};
    return (struct htmt_ops){.n = {[HTMT_FLOP] = rays * channels,
                                   [HTMT_IOP] = 3 * rays,
                                   [HTMT_LOAD] = rays * (2 + channels),
                                   [HTMT_STORE] = (rays * channels + 1) / 2}};
}

/* Words of a bundle's part of the image. */
static inline uint64_t htmt__volume_scatter_words(const struct htmt__volume_plan *p,
                                                  const struct htmt__volume_tile *tile,
                                                  uint64_t parcels)
{
    uint64_t bytes = sizeof(float) * p->problem.channels * tile->width * tile->height;
    if (p->charges.from_file)
        return p->charges.scatter_words * (parcels ? parcels : 1);
    return htmt_ceil_div(bytes, HTMT_WORD);
}

#endif
