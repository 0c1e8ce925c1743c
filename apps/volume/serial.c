/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rendering on one processor, block by block: the volume is divided into the largest cubes of
 * voxels that the inner memory holds beside the table of the transfer function. Each comes in once
 * a frame, in the order of sight, and all rays that cross it take their samples. A ray that goes on
 * is stored and comes back with its next block. Neighbouring blocks share a layer of voxels, since
 * samples lie between voxels.
 *
 * By hand: 9^3 voxels and room for cubes of 5 voxels: 8 cells along an axis are 2 blocks of 4
 * cells, 5 voxels each, so (8 + 2)^3 = 1000 voxels come in. A ray along an axis crosses 2 blocks:
 * its path and state go out and come in once.
 *
 * The census counts samples without data, by the contract of ray.h. Samples of a ray in a block
 * follow each other, as positions are monotone along each axis. So the last one is found by
 * galloping: steps of 1, 2, 4 ... while the block is the same, then halves back.
 */
#include "apps/volume/closed_form.h"

#include "apps/lib/execution.h"
#include "apps/volume/counts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define RAYS_MOST 65536 /* a frame */

/* ---- the census ----------------------------------------------------------------------------- */

/* The number of the block of a sample. */
static uint32_t block_of(const struct htmt__volume_problem *o, const uint32_t grid[3],
                         const struct htmt__volume_ray *ray, uint32_t k)
{
    uint32_t number = 0;
    for (int a = 3; a-- > 0;) {
        const float p = ray->at[a] + ((float)k + 0.5f) * ray->step[a];
        const uint32_t cells = o->dims[a] - 1, at = p > 0 ? (uint32_t)p : 0,
                       cell = at < cells ? at : cells - 1;
        /* part i of m has cells [n i / m, n (i + 1) / m) */
        number = number * grid[a] + (uint32_t)((((uint64_t)cell + 1) * grid[a] - 1) / cells);
    }
    return number;
}

/* The first sample behind k in another block. */
static uint32_t next_block(const struct htmt__volume_problem *o, const uint32_t grid[3],
                           const struct htmt__volume_ray *ray, uint32_t k, uint32_t block)
{
    uint32_t in = k, step = 1;
    while (in + step < ray->samples && block_of(o, grid, ray, in + step) == block) {
        in += step;
        step *= 2;
    }
    for (; step; step /= 2)
        if (in + step < ray->samples && block_of(o, grid, ray, in + step) == block)
            in += step;
    return in + 1;
}

struct tally {
    uint64_t samples, crossings;
};

/* `times`: rays for which each of the lattice stands, as a ratio. */
static void add_frame(const struct htmt__volume_asked *w, const struct htmt__volume_camera *camera,
                      struct tally *block, struct htmt__volume_census *c)
{
    const struct htmt__volume_problem *o = w->problem;
    const uint32_t blocks = c->grid[0] * c->grid[1] * c->grid[2];
    const uint64_t pixels = (uint64_t)o->width * o->height;
    const uint32_t every = (uint32_t)ceil(sqrt((double)pixels / RAYS_MOST));
    const uint64_t cast = htmt_ceil_div(o->width, every) * htmt_ceil_div(o->height, every);
    struct tally all = {0}, *fullest = block;
    uint64_t rays = 0;
    for (uint32_t n = 0; n < blocks; n++)
        block[n] = (struct tally){0};
    for (uint32_t j = 0; j < o->height; j += every)
        for (uint32_t i = 0; i < o->width; i += every) {
            struct htmt__volume_ray ray;
            htmt__volume_ray_of_pixel(camera, o->dims, w->casting, i, j, &ray);
            rays += ray.samples > 0;
            for (uint32_t k = 0, end; k < ray.samples; k = end) {
                const uint32_t n = block_of(o, c->grid, &ray, k);
                end = next_block(o, c->grid, &ray, k, n);
                block[n].samples += end - k;
                block[n].crossings++;
            }
        }
    for (uint32_t n = 0; n < blocks; n++) {
        all.samples += block[n].samples;
        all.crossings += block[n].crossings;
        fullest = block[n].samples > fullest->samples ? &block[n] : fullest;
    }
    c->samples += htmt__volume_share(all.samples, pixels, cast);
    c->crossings += htmt__volume_share(all.crossings, pixels, cast);
    c->rays += htmt__volume_share(rays, pixels, cast);
    c->fullest_samples += htmt__volume_share(fullest->samples, pixels, cast);
    c->fullest_crossings += htmt__volume_share(fullest->crossings, pixels, cast);
}

int htmt__volume_census(const struct htmt__volume_asked *w, struct htmt__volume_census *c,
                        struct htmt_fault *fault)
{
    const struct htmt__volume_problem *o = w->problem;
    const size_t blocks = (size_t)c->grid[0] * c->grid[1] * c->grid[2];
    struct tally *block = calloc(blocks, sizeof *block);
    if (!block)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for %zu blocks", blocks);
    for (uint32_t i = 0; i < o->frames; i++)
        add_frame(w, &w->camera[i], block, c);
    free(block);
    if (w->alpha.num) { /* samples a voxel, whatever the views are */
        const uint64_t voxels = (uint64_t)o->dims[0] * o->dims[1] * o->dims[2] * o->frames;
        c->samples = htmt__volume_share(voxels, w->alpha.num, w->alpha.den);
        c->fullest_samples = htmt_ceil_div(c->samples, blocks);
    }
    return 0;
}

/* ---- values --------------------------------------------------------------------------------- */

size_t htmt__volume_census_values(const struct htmt__volume_asked *w,
                                  const struct htmt__volume_census *c,
                                  struct htmt_term_count of[HTMT__VOLUME_VALUES])
{
    const struct htmt__volume_problem *o = w->problem;
    const struct htmt__volume_plan plan = {.problem = *o, .charges = *w->charges};
    const struct htmt__volume_shading none = {.on = false};
    const struct htmt__volume_cast_work one = {.taken = 1}, ray = {.rays = 1};
    const struct htmt_ops sample = htmt__volume_cast_ops(&plan, &one, &none),
                          crossing = htmt__volume_cast_ops(&plan, &ray, &none);
    const uint64_t bytes = o->voxel_bytes            ? o->voxel_bytes
                           : w->charges->voxel_bytes ? w->charges->voxel_bytes
                                                     : o->voxel;
    const struct htmt_term_count values[] = {
        {"frames", o->frames},
        {"pixels", (uint64_t)o->width * o->height},
        {"channels", o->channels},
        {"bytes a voxel", bytes},
        {"nx", o->dims[0]},
        {"ny", o->dims[1]},
        {"nz", o->dims[2]},
        {"gx", c->grid[0]},
        {"gy", c->grid[1]},
        {"gz", c->grid[2]},
        {"samples", c->samples},
        {"crossings", c->crossings},
        {"rays", c->rays},
        {"fullest samples", c->fullest_samples},
        {"fullest crossings", c->fullest_crossings},
        {"words a path", htmt__volume_path_words()},
        {"words a state", htmt__volume_state_words(&plan)},
        {"sample flop", sample.n[HTMT_FLOP]},
        {"sample iop", sample.n[HTMT_IOP]},
        {"sample load", sample.n[HTMT_LOAD]},
        {"sample store", sample.n[HTMT_STORE]},
        {"sample cycle", sample.n[HTMT_CYCLE]},
        {"crossing flop", crossing.n[HTMT_FLOP]},
        {"crossing iop", crossing.n[HTMT_IOP]},
        {"crossing load", crossing.n[HTMT_LOAD]},
        {"crossing store", crossing.n[HTMT_STORE]},
        {"crossing cycle", crossing.n[HTMT_CYCLE]},
    };
    const size_t count = sizeof values / sizeof *values;
    for (size_t i = 0; i < count; i++)
        of[i] = values[i];
    return count;
}

/* ---- the form ------------------------------------------------------------------------------- */

#define OPS(class)                                                                                 \
    HTMT_ROW(0, "1", #class, "samples * sample " #class " + crossings * crossing " #class,         \
             "of all rays in all blocks")

static const struct htmt_term_row rows[] = {
    HTMT_ROW(2, "words", "words in",
             "frames * block voxels * bytes a voxel / 8 + (crossings - rays) * (words a path + "
             "words a state)",
             "blocks, and rays that come back"),
    HTMT_ROW(3, "voxels", "block voxels", "(nx - 1 + gx) * (ny - 1 + gy) * (nz - 1 + gz)",
             "of all blocks, those between two in both"),
    HTMT_ROW(2, "words", "words out",
             "(crossings - rays) * (words a path + words a state) + frames * pixels * channels / 2",
             "rays that go on, and images"),
    HTMT_ROW(0, "words", "data",
             "nx * ny * nz * bytes a voxel / 8 + pixels * (channels / 2 + words a path + words a "
             "state)",
             "volume, image, rays"),
    HTMT_ROW(0, "flop", "flop", "samples * sample flop + crossings * crossing flop",
             "of all rays in all blocks"),
    HTMT_ROW_COMPUTED(1, "1", "samples", "htmt__volume_census", "of all rays and frames"),
    HTMT_ROW_COMPUTED(1, "1", "crossings", "htmt__volume_census", "of rays and blocks"),
    OPS(iop),
    OPS(load),
    OPS(store),
    OPS(cycle),
    HTMT_ROWS_END};

int htmt__volume_serial(struct htmt_task *task, const struct htmt__volume_asked *w,
                        struct htmt_prediction *out)
{
    const struct htmt__volume_problem *o = w->problem;
    const struct htmt_machine *m = htmt_task_machine(task);
    const struct htmt_execution_place place = htmt_execution_place(m, HTMT_EXECUTION_SERIAL);
    const uint64_t table = htmt_ceil_div((uint64_t)o->table_rows * 2 * (1 + o->channels) * 4,
                                         HTMT_WORD),
                   room = place.room > table ? place.room - table : 0,
                   bytes = o->voxel_bytes            ? o->voxel_bytes
                           : w->charges->voxel_bytes ? w->charges->voxel_bytes
                                                     : o->voxel;
    struct htmt_term_count of[HTMT__VOLUME_VALUES];
    struct htmt__volume_census c = {{1, 1, 1}, 0, 0, 0, 0, 0};
    uint64_t edge = (uint64_t)cbrt((double)room * HTMT_WORD / (double)bytes) + 1;
    const uint64_t all = (uint64_t)o->dims[0] * o->dims[1] * o->dims[2] * bytes;
    while (edge * edge * edge * bytes > room * HTMT_WORD)
        edge--;
    if (edge < 2)
        return htmt_task_refuse(task, HTMT_ECAPACITY,
                                "memory %s: found %" PRIu64 " words, expected a table of %" PRIu64
                                " and room for 8 voxels",
                                m->layer[place.layer].memory.name, place.room, table);
    for (int a = 0; a < 3 && all > room * HTMT_WORD; a++)
        c.grid[a] = (uint32_t)htmt_ceil_div(o->dims[a] - 1, edge - 1);
    int rc = htmt__volume_census(w, &c, htmt_task_fault(task));
    if (rc)
        return rc;
    htmt_task_problem(task,
                      "%u x %u x %u voxels to %u x %u pixels, %u frame%s, on one processor in %u x "
                      "%u x %u blocks",
                      o->dims[0], o->dims[1], o->dims[2], o->width, o->height, o->frames,
                      o->frames > 1 ? "s" : "", c.grid[0], c.grid[1], c.grid[2]);
    const struct htmt_execution_form form = {{rows}, of, htmt__volume_census_values(w, &c, of)};
    return htmt_serial_tell(task, &form, out);
}
