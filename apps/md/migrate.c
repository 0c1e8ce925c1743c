/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cells are built anew: atoms that have left their cell go by mail to the layer of blocks that has
 * their new one (apps/lib/migrate.h).
 *
 * Leave. A DPIM of each block looks at its atoms. One that is in another cell becomes a mover, in
 * the block's own part of a frame, with its place brought into the box; those that stay close up,
 * and their displacements become zero. Movers of one layer, in this slice or another, lie side by
 * side and leave as one message. An atom may go any distance: its home follows from its place.
 *
 * Settle. When all messages of all slices have arrived (a barrier), a DPIM of each layer puts
 * arrivals into their cells, by their numbers: atoms of a cell always lie in the order of their
 * numbers, whatever the order in which messages came. So a run does not depend on when messages
 * arrive, on no machine and with any number of slices that make the same cells.
 *
 * By hand: a cell has atoms 3, 8, 12; atom 9 arrives. 12 moves one place on, and 9 is put between:
 * an arrival and a shift, 14 words read and written.
 */
#include "apps/md/program_parts.h"

#include <inttypes.h>
#include <string.h>

typedef struct htmt__md_mover mover;

/* ---- leave ----------------------------------------------------------------------------------- */

/* `count` movers, the first `from` of which have been sent; both 0: the block is to be searched. */
void htmt__md_make_leave(struct htmt_context *c, const htmt__md *p, uint32_t block, uint32_t from,
                         uint32_t count)
{
    const struct htmt__md_work w = {
        .p = p, .block = block, .step = htmt__md_site(c, p)->step, .from = from, .count = count};
    const struct htmt_region keys = {.bytes = p->plan.moves * sizeof(uint64_t), .filled = true};
    htmt__md_assemble(c, HTMT__MD_LEAVE, &w, &keys, 1);
}

static void leave_control(struct htmt_context *c)
{
    const struct htmt__md_work *w = htmt_args(c);
    const htmt__md *p = w->p;
    const struct htmt__md_block b = htmt__md_block(&p->plan, w->block);
    htmt__md_use_cells(c, p, b.first, b.n, HTMT_UPDATE);
    htmt__md_use(c, p->state, sizeof(struct htmt__md_state),
                 htmt__md_cells_before(&p->plan, &b) * p->plan.room,
                 htmt__md_cells(b.n) * p->plan.room, HTMT_UPDATE);
    htmt__md_use(c, p->movers, sizeof(mover), (uint64_t)w->block * p->plan.moves, p->plan.moves,
                 HTMT_UPDATE);
    htmt_work(c);
    htmt_signal(c, htmt_slot(c, 1));
}

/* Where a block's cells lie in the box. */
static void first_of_block(const struct htmt__md_plan *p, uint32_t slice,
                           const struct htmt__md_block *b, uint32_t first[3])
{
    htmt_grid_place(&p->grid, slice, first);
    for (unsigned a = 0; a < 3; a++)
        first[a] = first[a] * p->tile[a] + b->first[a];
}

struct movers {
    const struct htmt__md_plan *p;
    mover *mover;
    uint32_t count, lost; /* lost: for which there is no room */
    struct htmt__runs *runs;
};

/* Atoms that are no longer in this cell of the box. Returns how many there were. */
static uint64_t search(struct movers *m, struct htmt__md_cell *cell, struct htmt__md_state *state,
                       const uint32_t here[3])
{
    const uint64_t all = cell->count;
    uint64_t stay = 0;
    for (uint64_t i = 0; i < all; i++) {
        double x[3];
        bool out = false;
        memcpy(x, cell->x[i], sizeof x);
        for (unsigned a = 0; a < 3; a++) {
            const uint32_t at = htmt__md_cell_along(m->p, a, &x[a]);
            m->runs->nowhere += at == HTMT__MD_NO;
            out |= at != here[a];
        }
        if (!out) {
            memcpy(cell->x[stay], x, sizeof x);
            state[stay] = state[i];
            memset(state[stay++].d, 0, sizeof state->d);
            continue;
        }
        m->lost += m->count == m->p->moves;
        if (m->count == m->p->moves || m->runs->nowhere)
            continue;
        mover *to = &m->mover[m->count++];
        memcpy(to->x, x, sizeof x);
        memcpy(to->v, state[i].v, sizeof to->v);
        to->number = state[i].number;
    }
    cell->count = stay;
    return all;
}

static struct htmt__md_home home_of(const struct htmt__md_plan *p, const mover *m)
{
    uint32_t cell[3];
    for (unsigned a = 0; a < 3; a++) {
        double x = m->x[a];
        cell[a] = htmt__md_cell_along(p, a, &x);
    }
    return htmt__md_home(p, cell);
}

static void leave_kernel(struct htmt_kernel *k)
{
    const struct htmt__md_work *w = htmt_kernel_args(k);
    htmt_constants(k, w->p, sizeof *w->p);
    const struct htmt__md_plan *p = &w->p->plan;
    const struct htmt__md_block b = htmt__md_block(p, w->block);
    const uint64_t h = 2 * p->halo, row = p->tile[0] + h, plane = row * (p->tile[1] + h);
    struct htmt__runs *runs = htmt_kernel_result(k);
    struct htmt__md_state *state = htmt_used(k, 1);
    uint64_t *run = htmt_bytes(k, 0), own = 0;
    uint32_t first[3];
    *runs = (struct htmt__runs){0};
    struct movers m = {p, htmt_used(k, 2), w->count, 0, runs};
    first_of_block(p, htmt_kernel_slice(k), &b, first);
    for (uint32_t i = 0; i < htmt__md_cells(b.n) && !w->count; i++, state += p->room) {
        const uint32_t at[3] = {i % b.n[0], i / b.n[0] % b.n[1], i / b.n[0] / b.n[1]},
                       here[3] = {first[0] + at[0], first[1] + at[1], first[2] + at[2]};
        own += search(&m, htmt__md_cell_in(p, htmt_used(k, 0), row, plane, at[0], at[1], at[2]),
                      state, here);
    }
    if (m.lost)
        htmt_kernel_fail(k, HTMT_ECAPACITY,
                         "step %" PRIu32 ": found %" PRIu64 " atoms of a block that change their "
                         "cell, expected at most %" PRIu32 "; --moving 1 has room for all",
                         w->step, (uint64_t)m.count + m.lost, p->moves);
    for (uint32_t i = w->from; i < m.count && !runs->nowhere; i++) {
        const struct htmt__md_home home = home_of(p, &m.mover[i]);
        run[i - w->from] = htmt__runs_add(runs, home.slice, home.block / htmt__md_layer_blocks(p));
    }
    htmt__runs_sort(m.mover + w->from, sizeof *m.mover, m.count - w->from, run, runs);
    htmt__md_count(k, htmt__md_leave_ops(own, m.count - w->from));
}

/* A model run takes a uniform density: through each face as many leave as come, and inside the
 * block atoms change their cell, too. */
static void expect(const struct htmt__md_plan *p, uint32_t slice, const struct htmt__md_block *b,
                   struct htmt__runs *out)
{
    uint32_t first[3];
    uint64_t inside = 0;
    *out = (struct htmt__runs){0};
    first_of_block(p, slice, b, first);
    for (unsigned face = 0; face < 6; face++) {
        const unsigned axis = face / 2;
        const uint64_t n = htmt__md_expected_through(p, b->n, axis);
        uint32_t cell[3] = {first[0], first[1], first[2]};
        cell[axis] = (face % 2 ? first[axis] + b->n[axis] : first[axis] + p->cells[axis] - 1) %
                     p->cells[axis];
        const struct htmt__md_home home = htmt__md_home(p, cell);
        const uint32_t box = home.block / htmt__md_layer_blocks(p);
        inside += n * (b->n[axis] - 1);
        const uint32_t run = n ? htmt__runs_add(out, home.slice, box) : HTMT__RUNS;
        if (n)
            out->run[run].count += (uint32_t)n - 1;
        out->count += (uint32_t)n;
    }
    if (inside) {
        const uint32_t box = htmt__md_home(p, first).block / htmt__md_layer_blocks(p),
                       run = htmt__runs_add(out, slice, box);
        const uint64_t room = p->moves > out->count ? p->moves - out->count : 1;
        out->run[run].count += (uint32_t)(inside < room ? inside : room) - 1;
        out->count += (uint32_t)(inside < room ? inside : room);
    }
}

/* The control behind the leave kernel, steered by its message. The runs lie before the movers that
 * are still to be sorted. */
static void leave(struct htmt_context *c)
{
    const struct htmt__md_work *w = htmt_args(c);
    const htmt__md *p = w->p;
    const struct htmt__md_block b = htmt__md_block(&p->plan, w->block);
    struct htmt__md_site *s = htmt__md_site(c, p);
    struct htmt__runs runs;
    if (htmt_is_model(c)) {
        expect(&p->plan, htmt_slice(c), &b, &runs);
        htmt__md_charge(c, htmt__md_leave_ops(htmt__md_expected(&p->plan, b.n).own, runs.count));
    } else {
        memcpy(&runs, htmt_result(c), sizeof runs);
    }
    uint64_t at = w->from + (uint64_t)w->block * p->plan.moves;
    for (uint32_t i = 0; i < runs.runs; at += runs.run[i++].count) {
        s->sent++;
        s->counts.moved += runs.run[i].count;
        htmt__flights_send(c, &s->flights, &runs.run[i],
                           p->site[runs.run[i].slice].mail[runs.run[i].box],
                           htmt_at(p->movers, htmt_slice(c), at * sizeof(mover)),
                           (struct htmt_slot){s->lead, HTMT__MD_SENT});
    }
    if (runs.nowhere)
        htmt_fail(c, HTMT_ERANGE,
                  "step %" PRIu32 ": found atoms whose places are no numbers, expected a time step "
                  "below %g",
                  w->step, p->plan.dt);
    else if (runs.more) {
        s->extra++;
        htmt__md_make_leave(c, p, w->block, w->from + runs.count, w->from + runs.count + runs.more);
    }
    htmt_retire(c, htmt_self(c));
}

/* ---- settle ---------------------------------------------------------------------------------- */

/* The blocks of a layer, as one. */
static struct htmt__md_block layer_of(const struct htmt__md_plan *p, uint32_t layer)
{
    const struct htmt__md_block b = htmt__md_block(p, layer * htmt__md_layer_blocks(p));
    return (struct htmt__md_block){{0, 0, b.first[2]}, {p->tile[0], p->tile[1], b.n[2]}};
}

void htmt__md_make_settle(struct htmt_context *c, const htmt__md *p, uint32_t layer)
{
    const struct htmt__md_work w = {.p = p, .block = layer, .step = htmt__md_site(c, p)->step};
    htmt__md_assemble(c, HTMT__MD_SETTLE, &w, NULL, 0);
}

static void settle_control(struct htmt_context *c)
{
    struct htmt__md_work *w = htmt_args(c);
    const htmt__md *p = w->p;
    const struct htmt__md_block b = layer_of(&p->plan, w->block);
    htmt__md_use_cells(c, p, b.first, b.n, HTMT_UPDATE);
    htmt__md_use(c, p->state, sizeof(struct htmt__md_state),
                 htmt__md_cells_before(&p->plan, &b) * p->plan.room,
                 htmt__md_cells(b.n) * p->plan.room, HTMT_UPDATE);
    htmt__md_use(c, p->first, sizeof(uint32_t), htmt__md_cells_before(&p->plan, &b),
                 htmt__md_cells(b.n), HTMT_WRITE);
    w->count = (uint32_t)htmt_take(c, htmt__md_site(c, p)->mail[w->block]);
    htmt_work(c);
    if (htmt_is_model(c)) /* half of the cell makes way for each arrival */
        htmt__md_charge(
            c, htmt__md_settle_ops(htmt__md_cells(b.n), w->count,
                                   w->count * p->plan.atoms / htmt__md_cells(p->plan.cells) / 2));
}

/* Between the atoms with a smaller and a larger number. Returns how many made way. */
static uint64_t put(struct htmt__md_cell *cell, struct htmt__md_state *state, const mover *m)
{
    uint64_t i = cell->count++, shifted = 0;
    for (; i > 0 && state[i - 1].number > m->number; i--, shifted++) {
        state[i] = state[i - 1];
        memcpy(cell->x[i], cell->x[i - 1], sizeof *cell->x);
    }
    memcpy(cell->x[i], m->x, sizeof m->x);
    state[i] = (struct htmt__md_state){.number = m->number};
    memcpy(state[i].v, m->v, sizeof m->v);
    return shifted;
}

static void settle_kernel(struct htmt_kernel *k)
{
    const struct htmt__md_work *w = htmt_kernel_args(k);
    htmt_constants(k, w->p, sizeof *w->p);
    const struct htmt__md_plan *p = &w->p->plan;
    const struct htmt__md_block layer = layer_of(p, w->block);
    const uint64_t h = 2 * p->halo, row = p->tile[0] + h, plane = row * (p->tile[1] + h),
                   before = htmt__md_cells_before(p, &layer);
    struct htmt__md_state *state = htmt_used(k, 1);
    const mover *arrived = htmt_used(k, 3);
    uint64_t shifted = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        const struct htmt__md_home home = home_of(p, &arrived[i]);
        const struct htmt__md_block b = htmt__md_block(p, home.block);
        struct htmt__md_cell *cell =
            htmt__md_cell_in(p, htmt_used(k, 0), row, plane, b.first[0] + home.cell % b.n[0],
                             b.first[1] + home.cell / b.n[0] % b.n[1],
                             b.first[2] - layer.first[2] + home.cell / b.n[0] / b.n[1]);
        if (cell->count == p->room) {
            htmt_kernel_fail(k, HTMT_ECAPACITY,
                             "step %" PRIu32 ": found more than %" PRIu32
                             " atoms in a cell, expected room for them: a larger --room",
                             w->step, p->room);
            return;
        }
        shifted += put(cell, state + (htmt__md_cells_before(p, &b) - before + home.cell) * p->room,
                       &arrived[i]);
    }
    htmt__md_count_first(p, w->block * htmt__md_layer_blocks(p), htmt__md_layer_blocks(p),
                         htmt_used(k, 0), htmt_used(k, 2));
    htmt__md_count(k, htmt__md_settle_ops(htmt__md_cells(layer.n), w->count, shifted));
}

/* ---- types ----------------------------------------------------------------------------------- */

int htmt__md_migrate_types(htmt__md *p)
{
    static const char *const fiber = "send";
    const struct htmt_stage sends = {.control = leave, .steered = true, .count = 1};
    struct htmt_type_desc d = htmt_type_desc_init(), settle = d;
    d.name = "Leave";
    d.execute = (struct htmt_stage){.kernel = leave_kernel, .control = leave_control};
    d.footprint = settle.footprint = HTMT_RESIDENT;
    d.fibers = &sends;
    d.fiber_count = 1;
    d.fiber_names = &fiber;
    d.result_bytes = sizeof(struct htmt__runs);
    settle.name = "Settle";
    settle.execute = (struct htmt_stage){.kernel = settle_kernel, .control = settle_control};
    int rc = htmt__md_type(p, HTMT__MD_LEAVE, d);
    return rc ? rc : htmt__md_type(p, HTMT__MD_SETTLE, settle);
}
