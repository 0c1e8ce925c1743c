/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parcels that compute forces and move atoms.
 *
 * Pack and force. Cells have room for more atoms than they hold, so a block goes to SRAM as a box
 * of whole cells, and there a SPIM packs it: where the atoms of each cell begin, then x, y and z of
 * all of them, those of the halo with the image that lies beside the block. How many words that is
 * only the kernel knows. It leaves the numbers of atoms in its result, and the control behind it,
 * which is steered by that, assembles the force parcel with regions of exactly that size: positions
 * from SRAM, forces and sums to DRAM. The force parcel is assembled where its data lie (in_place),
 * and has no other home. When it has left CRAM its buffer in SRAM is free for another block.
 *
 * Many buffers of a slice: a SPIM takes about 3 words a nanosecond and the SPELL a few ns an
 * atom, so one SPIM is nearly as slow as the SPELL, and several pack while one computes.
 *
 * Move. When all forces of a slice are known DPIMs, each with a strip of a block, end the step and
 * begin the next one: half a kick to velocities, by the forces of this step; then the sums of the
 * diagnostics, which belong to this step; half a kick by the same forces and the drift of the next
 * step. So velocities lie in DRAM between two halves of a kick. Of step 0 there is no first half,
 * of the last one no second half and no drift: the factors are zero.
 */
#include "apps/md/program_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define FAR_BOXES 1e6 /* beyond, a place in the box has lost too many of its digits */

#define REAL       double
#define TEXT(name) name
#define LANES      8
#define INLINE     static inline __attribute__((always_inline))
#include "apps/md/kernel_text.h"

/* ---- pack ------------------------------------------------------------------------------------ */

struct packed {
    uint64_t own, all;
};

void htmt__md_make_pack(struct htmt_context *c, const htmt__md *p, uint32_t index)
{
    struct htmt__md_site *s = htmt__md_site(c, p);
    const struct htmt__md_plan *plan = &p->plan;
    const struct htmt__md_block b = htmt__md_block(plan, index);
    const struct htmt__md_work w = {
        .p = p, .block = index, .buffer = s->free[--s->left], .step = s->step};
    int64_t first[3];
    uint64_t n[3];
    for (unsigned a = 0; a < 3; a++) {
        first[a] = (int64_t)b.first[a] - plan->halo;
        n[a] = b.n[a] + 2 * plan->halo;
    }
    const struct htmt_region r[2] = {
        {.from = htmt_at(p->cell, htmt_slice(c), htmt__md_cell_offset(plan, first)),
         .bytes = htmt__md_cells_around(plan, b.n) * htmt__md_cell_bytes(plan),
         .from_pieces = htmt__md_box(plan, n),
         .read_only = true},
        {.into = htmt_at(p->buffer, htmt_slice(c), w.buffer * htmt__md_buffer_bytes(plan)),
         .bytes = htmt__md_buffer_bytes(plan)}};
    htmt__md_assemble(c, HTMT__MD_PACK, &w, r, 2);
}

/* What is added to coordinates of a cell of the block or its halo, so that it lies beside the
 * block: cells beyond an edge of the box are those of the other end. */
static double image(const struct htmt__md_plan *p, uint32_t slice, const struct htmt__md_block *b,
                    unsigned axis, uint32_t cell)
{
    uint32_t place[3];
    htmt_grid_place(&p->grid, slice, place);
    const int64_t at = (int64_t)place[axis] * p->tile[axis] + b->first[axis] + cell - p->halo;
    return at < 0 ? -p->box[axis] : at >= p->cells[axis] ? p->box[axis] : 0;
}

static void pack_kernel(struct htmt_kernel *k)
{
    const struct htmt__md_work *w = htmt_kernel_args(k);
    htmt_constants(k, w->p, sizeof *w->p);
    const struct htmt__md_plan *p = &w->p->plan;
    const struct htmt__md_block b = htmt__md_block(p, w->block);
    const uint32_t slice = htmt_kernel_slice(k), h = p->halo,
                   n[3] = {b.n[0] + 2 * h, b.n[1] + 2 * h, b.n[2] + 2 * h};
    struct packed *found = htmt_kernel_result(k);
    char *from = htmt_bytes(k, 0);
    uint32_t *first = htmt_bytes(k, 1), cell = 0, all = 0;
    *found = (struct packed){0};
    for (uint32_t i = 0; i < htmt__md_cells_around(p, b.n); i++) {
        first[i] = all;
        all += (uint32_t)htmt__md_cell_in(p, from, n[0], 0, i, 0, 0)->count;
    }
    first[htmt__md_cells_around(p, b.n)] = all;
    double *x = (double *)htmt_bytes(k, 1) + htmt__md_first_words(htmt__md_cells_around(p, b.n));
    for (uint32_t cz = 0; cz < n[2]; cz++)
        for (uint32_t cy = 0; cy < n[1]; cy++)
            for (uint32_t cx = 0; cx < n[0]; cx++, cell++) {
                const struct htmt__md_cell *of = htmt__md_cell_in(p, from, n[0], 0, cell, 0, 0);
                const double by[3] = {image(p, slice, &b, 0, cx), image(p, slice, &b, 1, cy),
                                      image(p, slice, &b, 2, cz)};
                double *to = x + first[cell];
                for (uint64_t i = 0; i < of->count; i++)
                    for (unsigned a = 0; a < 3; a++)
                        to[(size_t)a * all + i] = of->x[i][a] + by[a];
                if (cx - h < b.n[0] && cy - h < b.n[1] && cz - h < b.n[2])
                    found->own += of->count;
            }
    found->all = all;
    htmt__md_count(k, htmt__md_pack_ops(p, htmt__md_cells_around(p, b.n), all));
}

/* The control behind the pack kernel, which knows the lengths. */
static void packed(struct htmt_context *c)
{
    struct htmt__md_work w = *(const struct htmt__md_work *)htmt_args(c);
    const struct htmt__md_plan *p = &w.p->plan;
    const struct htmt__md_block b = htmt__md_block(p, w.block);
    const uint64_t cells = htmt__md_cells_around(p, b.n);
    struct htmt__md_site *s = htmt__md_site(c, w.p);
    if (htmt_is_model(c)) {
        const struct htmt__md_lists l = htmt__md_expected(p, b.n);
        w.own = l.own;
        w.all = l.all;
        htmt__md_charge(c, htmt__md_pack_ops(p, cells, w.all));
    } else {
        const struct packed *found = htmt_result(c);
        w.own = found->own;
        w.all = found->all;
    }
    const uint64_t need = htmt__md_force_words(p, cells, w.all, w.own);
    s->counts.fullest = need > s->counts.fullest ? need : s->counts.fullest;
    const uint32_t slice = htmt_slice(c);
    const struct htmt_region r[4] = {
        {.from = htmt_at(w.p->buffer, slice, w.buffer * htmt__md_buffer_bytes(p)),
         .bytes = htmt__md_packed_words(cells, w.all) * HTMT_WORD,
         .read_only = true},
        {.to = htmt_at(w.p->force, slice,
                       htmt__md_cells_before(p, &b) * p->room * 3 * sizeof(double)),
         .bytes = 3 * (w.own ? w.own : 1) * sizeof(double), /* a region is not empty */
         .filled = true},
        {.to = htmt_at(w.p->sums, slice, w.block * HTMT__MD_SUM_WORDS * sizeof(double)),
         .bytes = HTMT__MD_SUM_WORDS * sizeof(double),
         .filled = true},
        {.bytes = htmt__md_scratch_words(p) * HTMT_WORD, .filled = true}};
    htmt__md_assemble(c, HTMT__MD_FORCE, &w, r, 4);
}

/* ---- force ----------------------------------------------------------------------------------- */

/* Candidates of a cell of the block: three cells side by side in each of nine rows. */
static size_t gather(const struct htmt__md_block *b, const uint32_t *first, const double *x,
                     size_t all, const uint32_t cell[3], struct near *n)
{
    const uint32_t row = b->n[0] + 2, plane = row * (b->n[1] + 2);
    size_t self = 0;
    n->count = 0;
    for (uint32_t z = 0; z < 3; z++)
        for (uint32_t y = 0; y < 3; y++) {
            const uint32_t begin = cell[0] + row * (cell[1] + y) + plane * (cell[2] + z);
            const size_t from = first[begin], count = first[begin + 3] - from;
            for (unsigned a = 0; a < 3; a++)
                memcpy(n->x[a] + n->count, x + a * all + from, count * sizeof *x);
            if (y == 1 && z == 1)
                self = n->count + first[begin + 1] - from;
            n->count += count;
        }
    return self;
}

/* All atoms, as images nearest to one of them. */
static void nearest(const double box[3], const double *x, size_t all, const double at[3],
                    struct near *n)
{
    n->count = all;
    for (unsigned a = 0; a < 3; a++)
        for (size_t j = 0; j < all; j++) {
            const double y = x[a * all + j];
            n->x[a][j] = y - box[a] * rint((y - at[a]) / box[a]);
        }
}

/* Of the atoms of a cell. */
HTMT_CLONES("avx512f", "avx2", "default")
static void cell_forces(struct near *n, size_t self, size_t own, double cut2, double *force,
                        struct sums *sums)
{
    for (size_t i = 0; i < own; i++) {
        const double at[3] = {n->x[0][self + i], n->x[1][self + i], n->x[2][self + i]};
        distances(n, at, cut2);
        const size_t kept = keep(n, self + i);
        atom(n, kept, at, force + 3 * i, sums);
        sums->candidates += n->count;
        sums->within += kept;
    }
}

static void whole_forces(const struct htmt__md_plan *p, const double *x, size_t all, struct near *n,
                         double *force, struct sums *sums)
{
    for (size_t i = 0; i < all; i++) {
        const double at[3] = {x[i], x[all + i], x[2 * all + i]};
        nearest(p->box, x, all, at, n);
        cell_forces(n, i, 1, p->cut * p->cut, force + 3 * i, sums);
    }
}

static void force_kernel(struct htmt_kernel *k)
{
    const struct htmt__md_work *w = htmt_kernel_args(k);
    htmt_constants(k, w->p, sizeof *w->p);
    const struct htmt__md_plan *p = &w->p->plan;
    const struct htmt__md_block b = htmt__md_block(p, w->block);
    const uint64_t cells = htmt__md_cells_around(p, b.n);
    const uint32_t *first = htmt_bytes(k, 0);
    const double *x = (const double *)htmt_bytes(k, 0) + htmt__md_first_words(cells);
    double *force = htmt_bytes(k, 1), *out = htmt_bytes(k, 2), *scratch = htmt_bytes(k, 3);
    const size_t room = htmt__md_scratch_words(p) / 5;
    struct near n = {.x = {scratch, scratch + room, scratch + 2 * room},
                     .far2 = scratch + 3 * room,
                     .kept = (uint32_t *)(void *)(scratch + 4 * room),
                     .hit = (uint8_t *)(scratch + 4 * room) + 4 * room};
    struct sums sums = {0};
    if (!w->own)
        memset(force, 0, htmt_size(k, 1));
    if (p->whole) {
        n.x[0][w->all] = n.x[1][w->all] = n.x[2][w->all] = 0;
        n.far2[w->all] = 1e300;
        whole_forces(p, x, w->all, &n, force, &sums);
    }
    for (uint32_t i = 0; i < htmt__md_cells(b.n) && !p->whole; i++) {
        const uint32_t at[3] = {i % b.n[0], i / b.n[0] % b.n[1], i / b.n[0] / b.n[1]};
        const uint32_t cell = at[0] + 1 + (b.n[0] + 2) * (at[1] + 1 + (b.n[1] + 2) * (at[2] + 1));
        const size_t own = first[cell + 1] - first[cell],
                     self = gather(&b, first, x, w->all, at, &n);
        n.x[0][n.count] = n.x[1][n.count] = n.x[2][n.count] = 0;
        n.far2[n.count] = 1e300;
        cell_forces(&n, self, own, p->cut * p->cut, force, &sums);
        force += 3 * own;
    }
    const double r2 = p->cut * p->cut, c = 1 / (r2 * r2 * r2),
                 at_cut = p->shift ? 4 * c * (c - 1) : 0;
    out[0] = 2 * sums.energy - at_cut * (double)sums.within / 2;
    out[1] = 24 * sums.virial;
    out[2] = (double)sums.candidates;
    out[3] = (double)sums.within;
    if (!isfinite(out[0]) || !isfinite(out[1]))
        htmt_kernel_fail(k, HTMT_ERANGE,
                         "step %" PRIu32 ": found two atoms in one place, or nearly so: their "
                         "energy is not finite; expected others at the beginning, or a time step "
                         "below %g",
                         w->step, p->dt);
    htmt__md_count(k, htmt__md_force_ops(p, &(struct htmt__md_lists){
                                                w->own, w->all, sums.candidates, sums.within}));
}

static void forced(struct htmt_context *c)
{
    const struct htmt__md_work *w = htmt_args(c);
    const struct htmt__md_block b = htmt__md_block(&w->p->plan, w->block);
    if (htmt_is_model(c)) {
        const struct htmt__md_lists l = htmt__md_expected(&w->p->plan, b.n);
        htmt__md_charge(c, htmt__md_force_ops(&w->p->plan, &l));
    }
}

/* The parcel has left CRAM, and before that its buffer. */
static void give_back(struct htmt_context *c)
{
    const struct htmt__md_work *w = htmt_args(c);
    struct htmt__md_site *s = htmt__md_site(c, w->p);
    s->free[s->left++] = w->buffer;
}

/* ---- move ------------------------------------------------------------------------------------ */

/* The strip of a move parcel, and its block. */
static struct htmt__md_block strip_of(const struct htmt__md_plan *p, const struct htmt__md_work *w,
                                      struct htmt__md_block *b)
{
    *b = htmt__md_block(p, w->block / htmt__md_strips(p));
    return htmt__md_strip(p, b, w->block % htmt__md_strips(p));
}

/* Cells of a block in front of a strip. */
static uint64_t cells_in_front(const struct htmt__md_block *b, const struct htmt__md_block *strip)
{
    return (uint64_t)b->n[0] *
           (strip->first[1] - b->first[1] + (uint64_t)b->n[1] * (strip->first[2] - b->first[2]));
}

void htmt__md_make_move(struct htmt_context *c, const htmt__md *p, uint32_t index)
{
    const struct htmt__md_site *s = htmt__md_site(c, p);
    const struct htmt__md_work w = {.p = p, .block = index, .step = s->step, .scale = s->scale};
    htmt__md_assemble(c, HTMT__MD_MOVE, &w, NULL, 0);
}

static void move_control(struct htmt_context *c)
{
    const struct htmt__md_work *w = htmt_args(c);
    const htmt__md *p = w->p;
    const struct htmt__md_plan *plan = &p->plan;
    struct htmt__md_block b;
    const struct htmt__md_block strip = strip_of(plan, w, &b);
    const uint64_t first = htmt__md_cells_before(plan, &b) * plan->room,
                   room = htmt__md_cells(b.n) * plan->room, front = cells_in_front(&b, &strip),
                   each = sizeof(struct htmt__md_state);
    const struct htmt__md_block end = {
        {strip.first[0], strip.first[1] + strip.n[1], strip.first[2] + strip.n[2] - 1}, {0}};
    htmt__md_use_cells(c, p, strip.first, strip.n, HTMT_UPDATE);
    htmt_use_pieces(
        c, htmt_at(p->state, htmt_slice(c), first * each + front * plan->room * each),
        htmt__md_cells(strip.n) * plan->room * each,
        (struct htmt_pieces){.bytes = (uint64_t)strip.n[0] * strip.n[1] * plan->room * each,
                             .count = strip.n[2],
                             .stride = (int64_t)((uint64_t)b.n[0] * b.n[1] * plan->room * each)},
        HTMT_UPDATE);
    htmt__md_use(c, p->force, 3 * sizeof(double), first, room, HTMT_READ);
    htmt__md_use(c, p->sums, HTMT__MD_SUM_WORDS * sizeof(double), w->block / htmt__md_strips(plan),
                 1, HTMT_READ);
    htmt__md_use(c, p->strip_record, sizeof(struct htmt__md_record), w->block, 1, HTMT_WRITE);
    htmt__md_use(c, p->first, sizeof(uint32_t), htmt__md_cells_before(plan, &b) + front,
                 cells_in_front(&b, &end) - front, HTMT_READ);
    htmt_work(c);
    if (htmt_is_model(c))
        htmt__md_charge(c, htmt__md_move_ops(plan, htmt__md_cells(strip.n),
                                             htmt__md_expected(plan, strip.n).own));
}

/* Of a strip: the atom that went furthest, or the first one whose place is no number; from 1. */
static uint64_t lost_atom(struct htmt_kernel *k, const struct htmt__md_plan *p,
                          const struct htmt__md_block *b, const struct htmt__md_block *strip)
{
    const uint64_t plane = (uint64_t)b->n[0] * b->n[1] * p->room,
                   row = (uint64_t)strip->n[0] * strip->n[1] * p->room;
    const struct htmt__md_state *state = htmt_used(k, 1);
    double most = 0;
    uint64_t number = 0;
    for (uint64_t i = 0; i < strip->n[2] * row; i++) {
        const struct htmt__md_state *s = &state[i / row * plane + i % row];
        const double far = s->d[0] * s->d[0] + s->d[1] * s->d[1] + s->d[2] * s->d[2];
        if (far <= most)
            continue;
        most = far;
        number = s->number + 1;
        if (isnan(far))
            break;
    }
    return number;
}

static void move_kernel(struct htmt_kernel *k)
{
    const struct htmt__md_work *w = htmt_kernel_args(k);
    htmt_constants(k, w->p, sizeof *w->p);
    const struct htmt__md_plan *p = &w->p->plan;
    struct htmt__md_block b;
    const struct htmt__md_block strip = strip_of(p, w, &b);
    const bool last = w->step == p->steps, leads = w->block % htmt__md_strips(p) == 0;
    const struct motion m = {.scale = w->scale,
                             .end = w->step ? p->dt / 2 : 0,
                             .begin = last ? 0 : p->dt / 2,
                             .dt = last ? 0 : p->dt};
    const uint64_t h = 2 * p->halo, row = p->tile[0] + h, plane = row * (p->tile[1] + h);
    const uint64_t cells_of_plane = (uint64_t)b.n[0] * b.n[1];
    const double *sums = htmt_used(k, 3);
    struct moved all = {0};
    uint64_t own = 0;
    for (uint32_t z = 0; z < strip.n[2]; z++) {
        struct htmt__md_state *state =
            (struct htmt__md_state *)htmt_used(k, 1) + z * cells_of_plane * p->room;
        const uint32_t *first = (const uint32_t *)htmt_used(k, 5) + z * cells_of_plane;
        const double *force = (const double *)htmt_used(k, 2) + 3 * (uint64_t)*first;
        for (uint32_t i = 0; i < strip.n[0] * strip.n[1]; i++, state += p->room) {
            struct htmt__md_cell *cell =
                htmt__md_cell_in(p, htmt_used(k, 0), row, plane, i % strip.n[0], i / strip.n[0], z);
            for (uint64_t n = 0; n < cell->count; n++, own++, force += 3)
                move_atom(&m, force, cell->x[n], state[n].v, state[n].d, &all);
        }
    }
    struct htmt__md_record *r = htmt_used(k, 4);
    *r = (struct htmt__md_record){.kinetic = all.twice / 2,
                                  .momentum = {all.momentum[0], all.momentum[1], all.momentum[2]},
                                  .farthest2 = all.farthest2};
    if (leads) {
        r->potential = sums[0];
        r->virial = sums[1];
        r->candidates = sums[2];
        r->within = sums[3];
    }
    const double far = FAR_BOXES * p->box[0];
    if (!(all.farthest2 < far * far))
        htmt_kernel_fail(k, HTMT_ERANGE,
                         "step %" PRIu32 ": found atom %" PRIu64 " a million boxes off or more, "
                         "expected a time step below %g, or atoms that are not so near each other",
                         w->step, lost_atom(k, p, &b, &strip), p->dt);
    htmt__md_count(k, htmt__md_move_ops(p, htmt__md_cells(strip.n), own));
}

/* ---- all ------------------------------------------------------------------------------------- */

int htmt__md_parcel_types(htmt__md *p)
{
    const struct htmt_machine *m = htmt_emulator_machine(p->e);
    struct htmt_type_desc pack = htmt_type_desc_init(), force = pack, move = pack;
    pack.name = "Pack";
    pack.exec = m->layer[p->plan.middle].name;
    pack.execute = (struct htmt_stage){.kernel = pack_kernel, .control = packed, .steered = true};
    pack.result_bytes = sizeof(struct packed);
    pack.in_place = true;
    force.name = "Force";
    force.exec = m->layer[p->plan.inner].name;
    force.execute = (struct htmt_stage){.kernel = force_kernel, .control = forced};
    force.retire.control = give_back;
    force.in_place = true;
    move.name = "Move";
    move.execute = (struct htmt_stage){.kernel = move_kernel, .control = move_control};
    move.footprint = HTMT_RESIDENT;
    int rc = htmt__md_type(p, HTMT__MD_PACK, pack);
    rc = rc ? rc : htmt__md_type(p, HTMT__MD_FORCE, force);
    return rc ? rc : htmt__md_type(p, HTMT__MD_MOVE, move);
}
