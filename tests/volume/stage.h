/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For tests: model runs of a cube seen along an axis, or not quite.
 */
#ifndef HTMT_TESTS_VOLUME_STAGE_H
#define HTMT_TESTS_VOLUME_STAGE_H

#include "apps/volume/program.h"

#include <criterion/criterion.h>

/* A cube of `subcubes` a side, of 9 cells each, seen along an axis: a subcube spans 10 pixels. */
#define CELLS  9u
#define PIXELS 10u
#define FRAMES 4u

struct scene {
    const char *machine, *set;
    uint32_t slices, subcubes, side, lanes, frames;
    bool double_buffer, rays_in_dram;
    uint32_t longer; /* voxels more in depth than the subcubes have */
    double aside;    /* the eye and what it looks at, to the right */
    double turn;     /* of the eye about up, in turns */
    bool perspective;
};

static const struct scene plain = {
    .machine = "htmt-oct98", .slices = 4, .subcubes = 4, .side = PIXELS, .frames = 1};

struct stage {
    struct htmt_machine *machine;
    struct htmt__volume_transfer_table table;
    struct htmt__volume_casting casting;
    struct htmt__volume_camera camera[FRAMES];
    struct htmt__volume_plan plan;
    struct htmt__volume_work work;
};

static inline void place_cameras(const struct scene *s, struct stage *g)
{
    double middle = s->subcubes * CELLS / 2.0, far = 10 * middle;
    struct htmt_fault f = {0};
    struct htmt__volume_view view = {.perspective = s->perspective,
                                     .eye = {middle + s->aside, -far, middle},
                                     .focal = {middle + s->aside, middle, middle},
                                     .up = {0, 0, 1},
                                     .angle = 20,
                                     .half_height = middle,
                                     .width = s->subcubes * PIXELS,
                                     .height = s->subcubes * PIXELS};
    view.eye[0] += s->turn * far;
    for (uint32_t i = 0; i < s->frames; i++) {
        struct htmt__volume_view turned;
        htmt__volume_view_orbit(&view, i, s->frames, &turned);
        cr_assert_eq(htmt__volume_camera_create(&turned, &g->camera[i], &f), 0, "%s", f.text);
    }
}

static inline void set_up(const struct scene *s, struct stage *g)
{
    static const struct htmt__volume_charges own = {.alpha = {0, 1}};
    struct htmt_fault f = {0};
    uint32_t side = s->subcubes * CELLS + 1;
    struct htmt__volume_problem problem = {.dims = {side, side + s->longer, side},
                                           .width = s->subcubes * PIXELS,
                                           .height = s->subcubes * PIXELS,
                                           .frames = s->frames,
                                           .edge = CELLS + 1,
                                           .side = s->side,
                                           .lanes = s->lanes,
                                           .voxel = 1,
                                           .channels = 1,
                                           .table_rows = 512,
                                           .double_buffer = s->double_buffer,
                                           .rays_in_dram = s->rays_in_dram};
    *g = (struct stage){.table = {.channels = 1},
                        .casting = {.step = 0.5, .spacing = {1, 1, 1}, .limit = -1}};
    cr_assert_eq(htmt_machine_load(s->machine, &s->set, s->set != NULL, &g->machine, &f), 0, "%s",
                 f.text);
    g->machine->slices = s->slices;
    place_cameras(s, g);
    cr_assert_eq(htmt__volume_plan(g->machine, &problem, &own, &g->plan, &f), 0, "%s", f.text);
    g->work = (struct htmt__volume_work){.plan = &g->plan,
                                         .table = &g->table,
                                         .casting = &g->casting,
                                         .camera = g->camera,
                                         .type = HTMT__UINT8,
                                         .alpha = {0, 1}};
}

struct play {
    struct htmt_emulator *e;
    struct htmt__volume_program *program;
    struct htmt__volume_tally tally;
};

static inline struct play play(struct stage *g, enum htmt_symmetry symmetry)
{
    struct play p = {0};
    struct htmt_fault f = {0};
    struct htmt_options o = {.machine = g->machine, .mode = HTMT_MODEL, .symmetry = symmetry};
    g->work.folded = symmetry == HTMT_FOLDED;
    cr_assert_eq(htmt_emulator_create(&p.e, &o, NULL), 0);
    cr_assert_eq(htmt__volume_program_create(p.e, &g->work, &p.program, &f), 0, "%s", f.text);
    cr_assert_eq(htmt_emulator_run(p.e), 0, "%s", htmt_emulator_fault(p.e)->text);
    htmt__volume_program_tally(p.program, &p.tally);
    return p;
}

static inline void end(struct play *p)
{
    htmt_emulator_destroy(&p->e);
    htmt__volume_program_destroy(&p->program);
}

#endif
