/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Set-up of the parcel program: stored subcubes, lanes, objects, types and first parcels; and the
 * coordinator of a slice, in DRAM, which begins and ends frames. Idle slices agree on the next
 * camera by an all-reduce: slice 0 contributes the camera, the others contribute zeros, combined by
 * or. So no slice begins a frame before all have finished the one before.
 *
 * Memory of the machine. A lane takes, in DRAM, two stagings (lists of eight strips, their merged
 * list, paths and states), one for the bundle that it works on and one for the next; in SRAM the
 * list, paths and states of the present one, its table, and with several slices two guest subcubes,
 * one cast and one coming. The length of a list depends on the view: it is bounded by how many
 * subcubes the diagonal of a bundle spans. Lanes are as many as DRAM has room for beside the
 * subcubes, the image and the scratch words of two strips.
 *
 * Memory of the host. Subcubes and images are wrapped, not copied: one store holds the subcubes of
 * all slices that this process plays, and all slices write their tiles into one image.
 */
#include "apps/volume/program.h"

#include "apps/lib/iterations.h"
#include "apps/volume/shared.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of subcubes for which the words of each are added up before a run. */
#define COUNTED_MOST (1u << 22)

/* ---- the volume ----------------------------------------------------------------------------- */

uint64_t htmt__volume_share_bytes(const struct htmt__volume_plan *p)
{
    return htmt__volume_subcubes_a_slice(p) * htmt__volume_subcube_stride(&p->subcubes);
}

uint64_t htmt__volume_store_bytes(const struct htmt__volume_plan *p)
{
    return p->slices * htmt__volume_share_bytes(p);
}

static uint64_t whole_lines(uint64_t bytes)
{
    return (bytes + HTMT_PER_SLICE_BYTES - 1) / HTMT_PER_SLICE_BYTES * HTMT_PER_SLICE_BYTES;
}

/* Pages are written now, not while the emulation is timed. */
void **htmt__volume_shares_create(const struct htmt__volume_plan *p, const struct htmt_emulator *e)
{
    const uint64_t share = htmt__volume_share_bytes(p),
                   head = whole_lines(p->slices * sizeof(void *));
    uint64_t here = 0;
    for (uint32_t i = 0; i < p->slices; i++)
        here += !e || htmt_slice_here(e, i);
    void **stored = aligned_alloc(HTMT_PER_SLICE_BYTES, whole_lines(head + here * share));
    if (!stored)
        return NULL;
    char *next = memset((char *)stored + head, 0, here * share);
    for (uint32_t i = 0; i < p->slices; i++) {
        stored[i] = !e || htmt_slice_here(e, i) ? next : NULL;
        next += stored[i] ? share : 0;
    }
    return stored;
}

void htmt__volume_store_rows(const struct htmt__volume_plan *p, const struct htmt__volume *volume,
                             const struct htmt__volume_transfer_table *table, uint32_t first,
                             uint32_t end, void *const *stored, uint8_t *invisible)
{
    const uint32_t row = p->subcubes.count[0] * p->subcubes.count[1];
    uint64_t stride = htmt__volume_subcube_stride(&p->subcubes);
    for (uint32_t n = first * row; n < end * row; n++) {
        struct htmt__volume_home home = htmt__volume_home(p, n);
        char *to = stored[home.slice];
        invisible[n] = !htmt__volume_subcube_store(&p->subcubes, volume, table, n,
                                                   to ? to + home.place * stride : NULL);
    }
}

void htmt__volume_store(const struct htmt__volume_plan *p, const struct htmt__volume *volume,
                        const struct htmt__volume_transfer_table *table, void *const *stored,
                        uint8_t *invisible)
{
    htmt__volume_store_rows(p, volume, table, 0, p->subcubes.count[2], stored, invisible);
}

/* ---- lanes ---------------------------------------------------------------------------------- */

/* Maximum over any bundle in any frame. */
static uint32_t most_visits(const struct htmt__volume_work *w)
{
    const struct htmt__volume_plan *p = w->plan;
    uint32_t most = 0;
    for (uint32_t i = 0; i < p->problem.frames; i++) {
        struct htmt__volume_bundle_setup setup = {&p->subcubes, &w->camera[i], w->casting,
                                                  &p->tiling,   NULL,          p->problem.channels};
        uint32_t visits = htmt__volume_visit_list_most(&setup);
        most = visits > most ? visits : most;
    }
    return most;
}

/* Two stagings, and the buffers in SRAM. */
uint64_t htmt__volume_lane_bytes(const struct htmt__volume_work *w)
{
    const struct htmt__volume_plan *p = w->plan;
    uint64_t list =
        sizeof(struct htmt__volume_visit_list) + most_visits(w) * sizeof(struct htmt__volume_visit);
    uint64_t ray = sizeof(struct htmt__volume_path) + htmt__volume_state_bytes(p->problem.channels);
    uint64_t rays = ray * p->tiling.side * p->tiling.side;
    uint64_t guests = p->slices > 1 ? 2 * htmt__volume_subcube_stride(&p->subcubes) : 0;
    uint64_t lane = 3 * (list + rays) + 2 * HTMT__PATCHES * list + guests;
    return lane * p->lanes * p->slices;
}

int htmt__volume_fit_lanes(const struct htmt_machine *m, const struct htmt__volume_work *w,
                           struct htmt__volume_plan *p, struct htmt_fault *fault)
{
    uint64_t rays = (uint64_t)p->tiling.side * p->tiling.side, channels = p->problem.channels;
    uint64_t voxels = htmt_ceil_div(htmt__volume_subcubes_voxels(&p->subcubes) * p->voxel_bytes,
                                    (uint64_t)HTMT_WORD * p->slices);
    /* Words of the subcubes of the slice with most; the mean where counting takes long. */
    uint64_t *words = p->subcubes.all <= COUNTED_MOST ? calloc(p->slices, sizeof *words) : NULL;
    if (words) {
        voxels = 0;
        htmt__volume_count_words(p, words);
        for (uint32_t i = 0; i < p->slices; i++)
            voxels = words[i] > voxels ? words[i] : voxels;
        free(words);
    }
    uint64_t list =
        sizeof(struct htmt__volume_visit_list) + most_visits(w) * sizeof(struct htmt__volume_visit);
    uint64_t ray = sizeof(struct htmt__volume_path) + htmt__volume_state_bytes(p->problem.channels);
    uint64_t pixels = (uint64_t)p->problem.width * p->problem.height * channels;
    uint64_t lane = 2 * ((HTMT__PATCHES + 1) * list + rays * ray) / HTMT_WORD;
    uint64_t places = 2ul * p->subcubes.all; /* a word each, of two strips */
    uint64_t rest = voxels + places + htmt_ceil_div(p->subcubes.all, 64) +
                    htmt_ceil_div(pixels * sizeof(float), (uint64_t)HTMT_WORD * p->slices);
    uint64_t room = htmt_machine_room(m, p->outer);
    uint64_t lanes = room > rest ? (room - rest) / lane : 0;
    if (lanes < p->lanes)
        p->lanes = lanes ? (uint32_t)lanes : 1;
    p->middle_words = p->lanes * (p->lane_words + 2 * p->parcel_words);
    if (!lanes)
        return htmt_fault_set(fault, HTMT_ECAPACITY,
                              "%s of machine %s: what is staged of a bundle takes %" PRIu64
                              " words beside %" PRIu64 " of subcubes, image and two strips, "
                              "expected at most %" PRIu64 " in all",
                              m->layer[p->outer].memory.name, m->name, lane, rest, room);
    return 0;
}

/* ---- objects -------------------------------------------------------------------------------- */

static int wrap_slice(htmt__volume_shared *t, uint32_t slice, uint64_t volume_words)
{
    const struct htmt__volume_plan *p = &t->plan;
    const struct htmt__volume_work *w = &t->work;
    uint64_t share = htmt__volume_share_bytes(p), all = p->subcubes.all;
    uint64_t pixels = (uint64_t)p->problem.width * p->problem.height;
    uint64_t frame = pixels * p->problem.channels * sizeof(float);
    void *stored = w->stored ? w->stored[slice] : NULL;
    int rc = htmt_object_wrap(t->e, slice, p->outer, stored, share, volume_words, "subcubes",
                              &t->volume[slice]);
    if (!rc)
        rc = htmt_object_wrap(t->e, slice, p->outer, w->invisible, all,
                              htmt_ceil_div(all, 8 * HTMT_WORD), "invisible subcubes",
                              &t->invisible[slice]);
    if (!rc)
        rc = htmt_object_wrap(t->e, slice, p->outer, w->image, frame * t->frames,
                              htmt_ceil_div(frame, t->slices * (uint64_t)HTMT_WORD), "image",
                              &t->image[slice]);
    if (!rc)
        rc = htmt_object_wrap(t->e, slice, p->inner, w->image ? w->table->row : NULL,
                              p->table_words * HTMT_WORD, p->table_words, "transfer function",
                              &t->table[slice]);
    return rc;
}

/* The host provides pages when they are first written. Write them now, not while the emulation is
 * timed. */
static int create_lane(htmt__volume_shared *t, struct htmt__volume_lane_frames *f)
{
    const struct htmt__volume_plan *p = &t->plan;
    uint64_t rays = (uint64_t)p->tiling.side * p->tiling.side;
    uint64_t list = htmt__volume_list_bytes(t);
    struct htmt__volume_staging *s = f->staging;
    uint64_t path = rays * sizeof(struct htmt__volume_path);
    uint64_t state = rays * htmt__volume_state_bytes(p->problem.channels);
    bool path_up = !p->problem.rays_in_dram, guests = t->slices > 1;
    const struct {
        struct htmt_frame **frame;
        uint32_t layer;
        uint64_t bytes;
        const char *name;
        bool wanted;
    } all[] = {
        {&s[0].parts, p->outer, HTMT__PATCHES * list, "visits of strips", true},
        {&s[1].parts, p->outer, HTMT__PATCHES * list, "visits of strips", true},
        {&s[0].list, p->outer, list, "visits, staged", true},
        {&s[1].list, p->outer, list, "visits, staged", true},
        {&s[0].path, p->outer, path, "paths, staged", true},
        {&s[1].path, p->outer, path, "paths, staged", true},
        {&s[0].state, p->outer, state, "rays, staged", true},
        {&s[1].state, p->outer, state, "rays, staged", true},
        {&f->list, p->middle, list, "visits", true},
        {&f->path, p->middle, path, "paths", path_up},
        {&f->state, p->middle, state, "rays", true},
        {&f->ledger, p->middle, sizeof(struct htmt__volume_ledger), "bundle's table", true},
        {&f->guest[0], p->middle, htmt__volume_subcube_stride(&p->subcubes), "guest", guests},
        {&f->guest[1], p->middle, htmt__volume_subcube_stride(&p->subcubes), "guest", guests},
    };
    int rc = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all && !rc; i++) {
        if (!all[i].wanted)
            continue;
        rc = htmt_frame_create(t->e, all[i].layer, all[i].bytes, all[i].name, all[i].frame);
        for (uint32_t slice = 0; slice < t->slices && !rc; slice++) {
            struct htmt_object *o = htmt_at(*all[i].frame, slice, 0).object;
            if (htmt_object_bytes(o))
                memset(htmt_object_bytes(o), 0, htmt_object_size(o));
        }
    }
    return rc;
}

/* ---- coordinator ---------------------------------------------------------------------------- */

struct coordinator {
    const htmt__volume_shared *t;
    uint32_t frame; /* the next one */
};

static void idle(struct htmt_context *c)
{
    const struct coordinator *d = htmt_args(c);
    if (d->frame == d->t->frames)
        htmt_retire(c, htmt_self(c));
    else
        htmt_signal(c, htmt_slot(c, HTMT__AGREE));
}

static void agree_kernel(struct htmt_kernel *k)
{
    if (htmt_kernel_slice(k) == 0)
        memcpy(htmt_used(k, 0), htmt_used(k, 1), sizeof(struct htmt__volume_camera));
    else
        memset(htmt_used(k, 0), 0, sizeof(struct htmt__volume_camera));
}

static void agree(struct htmt_context *c)
{
    struct coordinator *d = htmt_args(c);
    const htmt__volume_shared *t = d->t;
    uint64_t bytes = sizeof(struct htmt__volume_camera), at = d->frame++ * bytes;
    uint32_t slice = htmt_slice(c);
    if (t->work.named)
        htmt__iteration(c, "frame", d->frame - 1, t->frames);
    htmt_use(c, htmt_at(t->view, slice, 0), bytes, HTMT_WRITE);
    if (slice == 0)
        htmt_use(c, htmt_in(t->cameras, at), bytes, HTMT_READ);
    htmt_work(c);
    htmt_allreduce(c, t->agree, htmt_slot(c, HTMT__READY));
}

static void ready(struct htmt_context *c)
{
    const struct coordinator *d = htmt_args(c);
    htmt__volume_slice(c, d->t)->next = 0;
    for (uint32_t n = 0; n < d->t->lanes; n++)
        htmt_signal(c, htmt__volume_lane(d->t, htmt_slice(c), n, HTMT__FRAME));
}

static void begin(struct htmt_context *c)
{
    const struct coordinator *d = htmt_args(c);
    htmt_slot_set(c, HTMT__IDLE, 1, d->t->lanes);
    htmt_signal(c, htmt_slot(c, HTMT__IDLE));
}

static int create_coordinator(htmt__volume_shared *t)
{
    const struct htmt_stage fibers[HTMT__COORDINATOR_FIBERS] = {
        [HTMT__IDLE - 1] = {.control = idle},
        [HTMT__AGREE - 1] = {.kernel = agree_kernel, .control = agree, .count = 1, .reset = 1},
        [HTMT__READY - 1] = {.control = ready, .count = 1, .reset = 1},
    };
    const char *outer = htmt_emulator_machine(t->e)->layer[t->plan.outer].name;
    static const char *const names[HTMT__COORDINATOR_FIBERS] = {
        [HTMT__IDLE - 1] = "idle", [HTMT__AGREE - 1] = "agree", [HTMT__READY - 1] = "ready"};
    struct htmt_type_desc d = {.size = sizeof d,
                               .name = "Desk",
                               .home = outer,
                               .exec = outer,
                               .execute = {.control = begin},
                               .footprint = HTMT_RESIDENT,
                               .fibers = fibers,
                               .fiber_count = HTMT__COORDINATOR_FIBERS,
                               .fiber_names = names,
                               .gates = HTMT_GATE(HTMT_RETIRE),
                               .args_bytes = sizeof(struct coordinator)};
    return htmt_type_create(t->e, &d, &t->coordinator);
}

static void or_words(void *into, const void *from, uint64_t bytes)
{
    uint64_t *to = into;
    const uint64_t *word = from;
    for (uint64_t i = 0; i < bytes / sizeof *to; i++)
        to[i] |= word[i];
}

static int create_view(htmt__volume_shared *t)
{
    uint64_t bytes = sizeof(struct htmt__volume_camera), all = bytes * t->frames;
    void *cameras = (void *)(uintptr_t)t->work.camera; /* no parcel writes them */
    int rc = htmt_object_wrap(t->e, 0, t->plan.outer, cameras, all, 0, "cameras", &t->cameras);
    if (!rc)
        rc = htmt_frame_create(t->e, t->plan.outer, bytes, "view", &t->view);
    if (rc)
        return rc;
    return htmt_allreduce_create(
        t->e,
        &(struct htmt_allreduce_desc){.frame = t->view,
                                      .bytes = bytes,
                                      .combine = or_words,
                                      .ops = htmt__volume_agree_ops(&t->plan, bytes / HTMT_WORD),
                                      .name = "viewpoint"},
        &t->agree);
}

/* ---- life ----------------------------------------------------------------------------------- */

/* Tables of the whole, and each slice's own record: counters, and the visit lists of a model, which
 * has no memory of the machine to keep them in. A slice that another process plays has counters
 * only. */
static int allocate(htmt__volume_shared *t)
{
    t->lane = calloc(t->lanes, sizeof *t->lane);
    t->volume = calloc(t->slices, sizeof *t->volume);
    t->invisible = calloc(t->slices, sizeof *t->invisible);
    t->image = calloc(t->slices, sizeof *t->image);
    t->table = calloc(t->slices, sizeof *t->table);
    t->coordinators = calloc(t->slices, sizeof *t->coordinators);
    t->lanes_at = calloc((size_t)t->slices * t->lanes, sizeof *t->lanes_at);
    t->of_slice = htmt_per_slice_create(htmt__volume_played(t), sizeof *t->of_slice);
    if (!t->lane || !t->volume || !t->invisible || !t->image || !t->table || !t->coordinators ||
        !t->lanes_at || !t->of_slice)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < htmt__volume_played(t); i++) {
        struct htmt__volume_slice *s = &t->of_slice[i];
        if (!(s->asked = calloc(htmt__volume_asked_rows(t), sizeof(uint64_t *))))
            return HTMT_ENOMEM;
        if (!t->model || !htmt_slice_here(t->e, i))
            continue;
        if (!(s->list = calloc(2 * (size_t)t->lanes, sizeof(struct htmt__volume_visit_list *))))
            return HTMT_ENOMEM;
        for (uint32_t n = 0; n < 2 * t->lanes; n++)
            if (!(s->list[n] = malloc(htmt__volume_list_bytes(t))))
                return HTMT_ENOMEM;
    }
    return 0;
}

/* Objects, types, and the first parcels: a coordinator for each slice, then all lanes. */
static int fill(htmt__volume_shared *t)
{
    uint64_t *words = calloc(t->slices, sizeof *words);
    if (!words)
        return HTMT_ENOMEM;
    htmt__volume_count_words(&t->plan, words);
    int rc = create_view(t);
    for (uint32_t i = 0; i < t->slices && !rc; i++)
        rc = wrap_slice(t, i, words[i]);
    free(words);
    for (uint32_t i = 0; i < t->lanes && !rc; i++)
        rc = create_lane(t, &t->lane[i]);
    if (!rc)
        rc = create_coordinator(t);
    if (!rc)
        rc = htmt__volume_lane_type(t);
    if (!rc)
        rc = htmt__volume_bundle_setup_types(t);
    if (!rc)
        rc = htmt__volume_parcel_types(t);
    for (uint32_t i = 0; i < t->slices && !rc; i++) {
        struct coordinator d = {.t = t};
        rc = htmt_assemble(
            htmt_root(t->e),
            &(struct htmt_parcel_desc){.type = t->coordinator, .slice = i, .args = &d},
            &t->coordinators[i]);
    }
    for (uint32_t i = 0; i < t->slices * t->lanes && !rc; i++)
        rc = htmt__volume_lane_start(t, i / t->lanes, i % t->lanes);
    return rc;
}

int htmt__volume_program_create(struct htmt_emulator *e, const struct htmt__volume_work *work,
                                struct htmt__volume_program **program, struct htmt_fault *fault)
{
    htmt__volume_shared *t = calloc(1, sizeof *t);
    if (!t)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the program");
    t->e = e;
    t->work = *work;
    t->plan = *work->plan;
    t->slices = htmt_emulator_slices(e);
    t->frames = t->plan.problem.frames;
    t->lanes = t->plan.lanes;
    t->model = !work->image && !htmt_is_captured(e);
    t->most = most_visits(work);
    int rc = allocate(t);
    if (rc)
        htmt_fault_set(fault, rc, "no host memory for the program");
    else if ((rc = fill(t)))
        htmt_fault_set(fault, rc, "%s", htmt_emulator_fault(e)->text);
    if (rc)
        htmt__volume_program_destroy(&t);
    else
        *program = t;
    return rc;
}

void htmt__volume_program_destroy(struct htmt__volume_program **program)
{
    htmt__volume_shared *t = *program;
    if (!t)
        return;
    for (uint32_t i = 0; i < htmt__volume_played(t) && t->of_slice; i++) {
        struct htmt__volume_slice *s = &t->of_slice[i];
        for (uint32_t n = 0; n < htmt__volume_asked_rows(t) && s->asked; n++)
            free(s->asked[n]);
        for (uint32_t n = 0; n < 2 * t->lanes && s->list; n++)
            free(s->list[n]);
        free(s->asked);
        free(s->list);
    }
    free(t->of_slice);
    free(t->lane);
    free(t->volume);
    free(t->invisible);
    free(t->image);
    free(t->table);
    free(t->coordinators);
    free(t->lanes_at);
    free(t);
    *program = NULL;
}
